//! Cells, ready for programs.

use crate::load::robot::{LoadedRobot, RobotOptions};
use crate::load::scene::capsule;
use noli::{Model, Pose};
use noli_formats::FileError;
use noli_geom::{Mesh, MeshError};
use noli_grid::ObstacleCells;
use noli_program::run::{OnContact, PairSetting, WorkCell};
use noli_robot::{GeometryKind, GroupState, LinkGeometry};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Display mesh of a part of a cell.
#[derive(Clone, Debug)]
pub struct CellLook {
    /// The part's name.
    pub name: String,
    /// Its mesh, or one inscribed in its true shape; in metres.
    pub mesh: Mesh,
    /// Its model if that is a point cloud or a grid.
    pub model: Option<Model>,
    /// Its cells if it is a grid, in metres.
    pub cells: Option<Arc<ObstacleCells>>,
    /// The link of the first robot that it is on; `None` in the world, as for robots that stand still.
    pub link: Option<usize>,
    /// Pose on the link, or in the world at the start.
    pub place: Pose,
    /// Its pose in the frame that its entry places: that of a generated part or of the cells of a grid, else the
    /// identity.
    pub piece: Pose,
    /// The number of the part that can be taken.
    pub loose: Option<usize>,
}

impl CellLook {
    /// The mesh of a part on a link, or in the world.
    pub fn of_mesh(name: String, mesh: Mesh, link: Option<usize>, place: Pose) -> Self {
        Self { name, mesh, model: None, cells: None, link, place, piece: Pose::IDENTITY, loose: None }
    }
}

/// A cell, ready for programs.
#[derive(Clone, Debug)]
pub struct LoadedCell {
    /// Its title in reports.
    pub title: String,
    /// Work cell for programs.
    pub work: WorkCell,
    /// Display meshes of all parts.
    pub looks: Vec<CellLook>,
    /// The program it names: its path, and its text where it is bundled.
    pub program: Option<(PathBuf, Option<&'static str>)>,
    /// Named joint values of the first robot, from an SRDF file.
    pub states: Vec<GroupState>,
    /// Response to an impending contact.
    pub on_contact: OnContact,
    /// Blend distance at waypoints of the tool path, in metres.
    pub blend: f64,
    /// Warnings.
    pub warnings: Vec<String>,
    /// All files that were read.
    pub inputs: Vec<PathBuf>,
}

/// A robot of a component database, as a cell takes it.
#[derive(Clone, Debug)]
pub struct StoredArm {
    /// The robot with its shapes.
    pub loaded: LoadedRobot,
    /// Pair rules of its links beyond the defaults.
    pub rules: Vec<([String; 2], PairSetting)>,
}

/// Callback that opens a robot of a database: the file, the robot's name, and the interpretation of its geometry.
/// This crate does not read databases; `noli-store` does.
pub type OpenStored<'a> = &'a dyn Fn(&Path, &str, &RobotOptions) -> Result<StoredArm, FileError>;

/// Creates a display mesh, inscribed in a round shape.
pub fn look(solid: &LinkGeometry, form: &GeometryKind) -> Result<Mesh, MeshError> {
    match (solid, form) {
        (LinkGeometry::Mesh(mesh), _) => Ok(mesh.clone()),
        (_, GeometryKind::Box { size }) => Mesh::cuboid(*size),
        (_, GeometryKind::Cylinder { radius, length }) => Mesh::cylinder(*length, *radius, 32),
        (_, GeometryKind::Sphere { radius }) => Mesh::sphere(*radius, 8),
        (_, GeometryKind::Capsule { radius, length }) => capsule(*radius, *length, 6),
        (_, GeometryKind::Mesh { .. }) => Ok(Mesh::empty()),
    }
}
