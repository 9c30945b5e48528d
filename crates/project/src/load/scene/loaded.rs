//! Scenes with the shapes of their bodies.

use crate::data::scene::{Scene, SceneMotion};
use noli_formats::Warning;
use noli_geom::{Mesh, MeshKind, Pose};
use noli_grid::ObstacleCells;
use std::path::PathBuf;
use std::sync::Arc;

/// A scene, ready to be [staged](crate::stage()).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LoadedScene {
    /// As given in the file.
    pub scene: Scene,
    /// The bodies; those that are split have become several.
    pub bodies: Vec<LoadedBody>,
    /// The motions, as key frames where they are listed in a file.
    pub motions: Vec<LoadedMotion>,
    /// Paths of the removals that have one, in the order of the scene's removals.
    pub paths: Vec<Option<LoadedMotion>>,
    /// Warnings about mesh files.
    pub warnings: Vec<(PathBuf, Warning)>,
}

/// A body with its shape, in the scene's unit.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadedBody {
    /// Its name, unique in the scene; of a split one, `body/object`.
    pub name: String,
    /// The number of its entry in the scene.
    pub entry: usize,
    /// Its shape: a mesh, shared by bodies of the same file, or the true shape. The true shape requires dimensions
    /// in the scene and no request for a surface. A box is represented by its mesh, whose faces can be counted.
    pub shape: noli::Shape,
    /// Display mesh: its own, or one inscribed in its shape, or on a grid around its field.
    pub look: Mesh,
    /// Surface or solid interpretation of its faces; `None` if the scene does not define it. A mesh is then a
    /// surface until decided otherwise.
    pub kind: Option<MeshKind>,
    /// Pose in the world.
    pub pose: Pose,
    /// The number of its group.
    pub group: Option<usize>,
    /// Uncertainty of its surface, in the unit of the scene: the chordal deviation or the rounding of a body that a
    /// CAD kernel triangulated; 0 for others.
    pub uncertainty: f64,
    /// Its curved surfaces, if its file has them and they were kept.
    pub curved: Option<noli_formats::CurvedBody>,
    /// Its cells, if it is a grid.
    pub cells: Option<Arc<ObstacleCells>>,
}

/// A motion; see [`SceneMotion`].
#[derive(Clone, Debug, PartialEq)]
pub struct LoadedMotion {
    /// Motion given by the scene; a list of poses is converted to key frames.
    pub motion: SceneMotion,
    /// The numbers of the loaded bodies that it moves, without those that only go along as children.
    pub bodies: Vec<usize>,
}

impl Scene {
    /// Returns the pose of a part of a split body in the frame of that body's parent.
    pub(crate) fn pose_in_parent(&self, part: &LoadedBody) -> Pose {
        let parent = self.bodies.get(part.entry).and_then(|body| body.parent);
        parent.map_or(part.pose, |parent| self.world_pose(parent).inverse() * part.pose)
    }
}
