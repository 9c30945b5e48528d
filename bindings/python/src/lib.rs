//! `import noli`: the questions of the library on NumPy arrays.
//!
//! Thin: the words are those of the Rust library, arrays go in and out, the interpreter is released while it works,
//! and errors carry the library's text. What needs no speed is Python, in `python/noli`.

mod answer;
mod array;
mod ask;
mod campaign;
mod check;
mod device;
mod error;
mod kind;
mod meet;
mod model;
mod pool;
mod pose;
mod robot;
mod shape;
mod sim;
mod world;

use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// The compiled part of noli; use `import noli`.
#[pymodule]
fn _noli(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("FileError", py.get_type::<error::FileError>())?;
    module.add("Undecided", py.get_type::<error::Undecided>())?;
    module.add("RELATIONS", PyTuple::new(py, ask::RELATIONS)?)?;
    module.add("LOCATIONS", PyTuple::new(py, ask::LOCATIONS)?)?;
    module.add("IMPACTS", PyTuple::new(py, kind::IMPACTS)?)?;
    module.add_class::<pose::PyPose>()?;
    module.add_class::<shape::PyMesh>()?;
    module.add_class::<shape::PyConvex>()?;
    module.add_class::<shape::PyField>()?;
    module.add_class::<model::PyModel>()?;
    module.add_class::<model::PyPlaced>()?;
    module.add_class::<model::PyMotion>()?;
    module.add_class::<model::PyMoving>()?;
    module.add_class::<answer::PyBracket>()?;
    module.add_class::<answer::PyClearance>()?;
    module.add_class::<answer::PyContact>()?;
    module.add_class::<answer::PyCrossings>()?;
    module.add_class::<answer::PyImpact>()?;
    module.add_class::<world::PyWorld>()?;
    module.add_class::<robot::PyRobot>()?;
    module.add_class::<sim::PyDynamics>()?;
    module.add_class::<campaign::PyCampaign>()?;
    for function in [
        wrap_pyfunction!(ask::overlap, module)?,
        wrap_pyfunction!(ask::closer_than, module)?,
        wrap_pyfunction!(ask::relation, module)?,
        wrap_pyfunction!(ask::clearance, module)?,
        wrap_pyfunction!(meet::contact, module)?,
        wrap_pyfunction!(meet::manifold, module)?,
        wrap_pyfunction!(meet::contacts, module)?,
        wrap_pyfunction!(meet::penetration, module)?,
        wrap_pyfunction!(meet::depth_along, module)?,
        wrap_pyfunction!(meet::overlap_volume, module)?,
        wrap_pyfunction!(ask::depth, module)?,
        wrap_pyfunction!(meet::crossings, module)?,
        wrap_pyfunction!(meet::self_crossings, module)?,
        wrap_pyfunction!(ask::locate, module)?,
        wrap_pyfunction!(ask::ray_hits, module)?,
        wrap_pyfunction!(ask::time_of_impact, module)?,
        wrap_pyfunction!(ask::contact_spans, module)?,
        wrap_pyfunction!(ask::closest_approach, module)?,
        wrap_pyfunction!(ask::clearance_profile, module)?,
        wrap_pyfunction!(check::check, module)?,
        wrap_pyfunction!(check::demos, module)?,
        wrap_pyfunction!(world::restore_world, module)?,
        wrap_pyfunction!(pose::restore, module)?,
        wrap_pyfunction!(shape::restore_mesh, module)?,
        wrap_pyfunction!(shape::restore_convex, module)?,
        wrap_pyfunction!(shape::restore_field, module)?,
        wrap_pyfunction!(model::restore_model, module)?,
        wrap_pyfunction!(model::restore_motion, module)?,
        wrap_pyfunction!(robot::restore_robot, module)?,
    ] {
        module.add_function(function)?;
    }
    Ok(())
}
