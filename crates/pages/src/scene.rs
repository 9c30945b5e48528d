//! Bodies of a page at the start of its motion, from whatever holds them.

use glam::DVec3;
use noli::model::Aabb;
use noli::{Mesh, Pose, World};
use noli_formats::Units;
use noli_project::cell::{LoadedCell, frame_poses};
use noli_project::{SimulationSetup, Staged, display_mesh};

/// A body of a page.
#[derive(Clone, Debug)]
pub struct SceneBody {
    /// Its name.
    pub name: String,
    /// Display mesh.
    pub mesh: Mesh,
    /// Pose at the start.
    pub pose: Pose,
    /// `true` for a half-space: its mesh is a plate that shows a part of it.
    pub unbounded: bool,
}

impl SceneBody {
    fn bounds(&self) -> Aabb {
        if self.unbounded { Aabb::EMPTY } else { self.mesh.aabb().transformed(&self.pose) }
    }
}

/// Bodies of a page at the start of its motion.
#[derive(Clone, Debug)]
pub struct PageScene {
    /// The bodies; contacts and tracks name them by number.
    pub bodies: Vec<SceneBody>,
    /// Unit of lengths; `None` if the files do not define it.
    pub units: Option<Units>,
    /// Duration of the motion, in seconds.
    pub seconds: f64,
    /// Warnings.
    pub notes: Vec<String>,
}

impl PageScene {
    /// Creates the scene of a staged one.
    pub fn of_staged(staged: &Staged) -> Self {
        let bodies = staged.world.bodies().zip(&staged.bodies);
        let bodies = bodies.map(|((_, body), shown)| SceneBody {
            name: body.name().to_owned(),
            mesh: shown.look.clone(),
            pose: body.pose(),
            unbounded: !body.model().aabb().size().is_finite(),
        });
        Self::new(bodies.collect(), Some(staged.units), staged.seconds, staged.warnings.clone())
    }

    /// Creates the scene of a world, drawn by its models.
    pub fn of_world(world: &World, units: Units, seconds: f64) -> Self {
        let bodies = world.bodies().map(|(_, body)| SceneBody {
            name: body.name().to_owned(),
            mesh: display_mesh(body.model()),
            pose: body.pose(),
            unbounded: !body.model().aabb().size().is_finite(),
        });
        Self::new(bodies.collect(), Some(units), seconds, Vec::new())
    }

    /// Creates the scene of a simulation.
    pub fn of_simulation(setup: &SimulationSetup) -> Self {
        let bodies = setup.bodies.iter().map(|body| SceneBody {
            name: body.name.clone(),
            mesh: display_mesh(&body.model),
            pose: body.pose,
            unbounded: !body.model.aabb().size().is_finite(),
        });
        Self::new(bodies.collect(), Some(setup.units), setup.seconds, setup.warnings.clone())
    }

    /// Creates the scene of a cell at the start of its program.
    pub fn of_cell(cell: &LoadedCell, seconds: f64) -> Self {
        Self::of_cells([cell], seconds)
    }

    /// Creates the scene of several cells in one world, at the start of their programs.
    pub fn of_cells<'c>(cells: impl IntoIterator<Item = &'c LoadedCell>, seconds: f64) -> Self {
        let (mut bodies, mut notes) = (Vec::new(), Vec::new());
        for cell in cells {
            bodies.extend(cell_bodies(cell));
            notes.extend_from_slice(&cell.warnings);
        }
        Self::new(bodies, Some(Units::Metre), seconds, notes)
    }

    fn new(bodies: Vec<SceneBody>, units: Option<Units>, seconds: f64, notes: Vec<String>) -> Self {
        let mut scene = Self { bodies, units, seconds, notes };
        let whole = scene.bounds();
        for body in scene.bodies.iter_mut().filter(|body| body.unbounded) {
            body.mesh = plate(&whole, &body.pose);
        }
        scene
    }

    /// Returns the box around all bounded bodies.
    pub(crate) fn bounds(&self) -> Aabb {
        let finite = |bounds: &Aabb| !bounds.is_empty() && bounds.size().is_finite();
        self.bodies.iter().map(SceneBody::bounds).filter(finite).fold(Aabb::EMPTY, Aabb::union)
    }

    /// Returns the number of a body.
    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        self.bodies.iter().position(|body| body.name == name)
    }

    /// Returns the sign of the unit of lengths; empty if it is not known.
    pub(crate) fn unit(&self) -> &'static str {
        self.units.map_or("", Units::sign)
    }
}

/// Returns the looks of a cell at the start of its program.
fn cell_bodies(cell: &LoadedCell) -> impl Iterator<Item = SceneBody> {
    let parts: Vec<_> =
        cell.work.loose.iter().map(|part| noli_project::cell::PartLocation::Stands(part.place)).collect();
    let poses = frame_poses(cell, &cell.work.start, &parts);
    cell.looks.iter().zip(poses).map(|(look, pose)| SceneBody {
        name: look.name.clone(),
        mesh: look.mesh.clone(),
        pose,
        unbounded: false,
    })
}

/// Returns a square of the boundary of a half-space below the other bodies.
fn plate(around: &Aabb, pose: &Pose) -> Mesh {
    let (center, half) = match around.is_empty() {
        true => (DVec3::ZERO, 1.0),
        false => (around.center(), 0.75 * around.size().max_element().max(f64::MIN_POSITIVE)),
    };
    let below = pose.inverse().transform_point(center);
    let corner = |x: f64, y: f64| DVec3::new(below.x + x * half, below.y + y * half, 0.0);
    let vertices = vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)];
    let options = noli::model::MeshOptions::default();
    Mesh::from_triangles(vertices, vec![[0, 1, 2], [0, 2, 3]], &options).unwrap_or_else(|_| Mesh::empty())
}
