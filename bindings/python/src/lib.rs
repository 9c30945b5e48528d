//! `import noli`: the queries of the library on NumPy arrays.
//!
//! A thin layer with the terms of the Rust library: arrays go in and out, and the interpreter is released
//! during work. Errors have the library's text. Parts that need no speed are Python, in `python/noli`.

mod answer;
mod array;
mod campaign;
mod certificate;
mod check;
mod cloud;
mod contact;
mod curved;
mod device;
mod error;
mod kind;
mod model;
mod pool;
mod pose;
mod poses;
mod queries;
mod robot;
mod shape;
mod sim;
mod swept;
mod world;

use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// The compiled part of noli; use `import noli`.
#[pymodule]
fn _noli(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("FileError", py.get_type::<error::FileError>())?;
    module.add("UndecidedError", py.get_type::<error::UndecidedError>())?;
    module.add("InternalError", py.get_type::<error::InternalError>())?;
    module.add("RELATIONS", PyTuple::new(py, queries::RELATIONS)?)?;
    module.add("LOCATIONS", PyTuple::new(py, queries::LOCATIONS)?)?;
    module.add("IMPACTS", PyTuple::new(py, kind::IMPACTS)?)?;
    module.add_class::<pose::PyPose>()?;
    module.add_class::<shape::PyMesh>()?;
    module.add_class::<shape::PyConvex>()?;
    module.add_class::<shape::PyField>()?;
    module.add_class::<cloud::PyPointCloud>()?;
    module.add_class::<curved::PyCurvedBody>()?;
    module.add_class::<curved::PyCurvedRelation>()?;
    module.add_class::<model::PyModel>()?;
    module.add_class::<model::PyPlaced>()?;
    module.add_class::<model::PyMotion>()?;
    module.add_class::<model::PyMoving>()?;
    module.add_class::<answer::PyBracket>()?;
    module.add_class::<answer::PyClearance>()?;
    module.add_class::<answer::PyContact>()?;
    module.add_class::<answer::PyIntersections>()?;
    module.add_class::<answer::PyImpact>()?;
    module.add_class::<world::PyWorld>()?;
    module.add_class::<robot::PyRobot>()?;
    module.add_class::<robot::PyTrajectory>()?;
    module.add_class::<swept::PySweptVolume>()?;
    module.add_class::<sim::PyDynamics>()?;
    module.add_class::<campaign::PyCampaign>()?;
    module.add_class::<certificate::PyCertificate>()?;
    module.add_class::<certificate::PyVerification>()?;
    for function in [
        wrap_pyfunction!(queries::overlap, module)?,
        wrap_pyfunction!(queries::within_distance, module)?,
        wrap_pyfunction!(queries::relation, module)?,
        wrap_pyfunction!(queries::clearance, module)?,
        wrap_pyfunction!(contact::contact, module)?,
        wrap_pyfunction!(contact::manifold, module)?,
        wrap_pyfunction!(contact::contacts, module)?,
        wrap_pyfunction!(contact::penetration, module)?,
        wrap_pyfunction!(contact::penetration_along, module)?,
        wrap_pyfunction!(contact::overlap_volume, module)?,
        wrap_pyfunction!(queries::depth, module)?,
        wrap_pyfunction!(contact::intersections, module)?,
        wrap_pyfunction!(contact::self_intersections, module)?,
        wrap_pyfunction!(queries::locate_point, module)?,
        wrap_pyfunction!(queries::ray_cast, module)?,
        wrap_pyfunction!(queries::motion::time_of_impact, module)?,
        wrap_pyfunction!(queries::motion::contact_intervals, module)?,
        wrap_pyfunction!(queries::motion::closest_approach, module)?,
        wrap_pyfunction!(queries::motion::clearance_profile, module)?,
        wrap_pyfunction!(swept::swept_volume, module)?,
        wrap_pyfunction!(check::check, module)?,
        wrap_pyfunction!(check::demos, module)?,
        wrap_pyfunction!(world::restore_world, module)?,
        wrap_pyfunction!(pose::restore, module)?,
        wrap_pyfunction!(shape::restore_mesh, module)?,
        wrap_pyfunction!(shape::restore_convex, module)?,
        wrap_pyfunction!(shape::restore_field, module)?,
        wrap_pyfunction!(cloud::restore_cloud, module)?,
        wrap_pyfunction!(queries::points_within, module)?,
        wrap_pyfunction!(model::restore_model, module)?,
        wrap_pyfunction!(model::restore_motion, module)?,
        wrap_pyfunction!(robot::restore_robot, module)?,
        wrap_pyfunction!(robot::coordinate, module)?,
        wrap_pyfunction!(robot::programs, module)?,
        wrap_pyfunction!(robot::drive, module)?,
        wrap_pyfunction!(robot::follow_path, module)?,
        wrap_pyfunction!(robot::plan_to_pose, module)?,
        wrap_pyfunction!(certificate::prove_pair, module)?,
        wrap_pyfunction!(certificate::prove_path, module)?,
        wrap_pyfunction!(certificate::prove_pairs, module)?,
        wrap_pyfunction!(certificate::prove_removal, module)?,
        wrap_pyfunction!(certificate::verify, module)?,
    ] {
        module.add_function(function)?;
    }
    Ok(())
}
