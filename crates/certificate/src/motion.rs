//! Rigid motions as links with joints.

use crate::ProofError;
use crate::scene::{Joint, JointKind, Link, Scene};
use crate::statement::Region;
use glam::DVec3;
use noli::{Model, Pose};
use noli_geom::rotation;

/// A motion whose pivot goes straight while the body turns about it, both at constant speed: interpolated poses, screws
/// and constant velocities.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RigidPath {
    start: Pose,
    pivot: DVec3,
    /// Translation of the pivot in the world.
    shift: DVec3,
    /// Rotation in the world: its axis, by an angle of its length.
    turn: DVec3,
}

/// A body that moves, and the joints that move it with their last values.
#[derive(Clone, Debug, PartialEq)]
pub struct MovingBody {
    /// Index of the body.
    pub body: usize,
    joints: Vec<(usize, f64)>,
}

impl RigidPath {
    /// The motion from one pose to another with the shorter rotation about a point of the body. The end is reached up to
    /// rounding.
    pub fn between(start: &Pose, end: &Pose, pivot: DVec3) -> Self {
        let turn = rotation::log(end.rotation * start.rotation.conjugate());
        let shift = end.transform_point(pivot) - start.transform_point(pivot);
        Self { start: *start, pivot, shift, turn }
    }

    /// A turn by `angle` about the line through `point` along `axis`, both in the world, with an advance along it.
    pub fn screw(start: &Pose, point: DVec3, axis: DVec3, angle: f64, advance: f64) -> Self {
        let axis = axis.normalize_or_zero();
        let pivot = start.inverse().transform_point(point);
        Self { start: *start, pivot, shift: axis * advance, turn: axis * angle }
    }

    /// Constant velocities for one unit of time: of the pivot, a point of the body, and about it.
    pub fn with_velocities(start: &Pose, linear: DVec3, angular: DVec3, pivot: DVec3) -> Self {
        Self { start: *start, pivot, shift: linear, turn: angular }
    }
}

impl Scene {
    /// Adds a moving body.
    pub fn add_motion(
        &mut self,
        name: &str,
        model: &Model,
        path: &RigidPath,
        padding: f64,
    ) -> Result<MovingBody, ProofError> {
        let mut origin = Pose::from_translation(path.start.transform_point(path.pivot));
        let (mut parent, mut joints) = (0, Vec::new());
        for (kind, vector, suffix) in
            [(JointKind::Slide, path.shift, "slide"), (JointKind::Turn, path.turn, "turn")]
        {
            if vector == DVec3::ZERO {
                continue;
            }
            let name = format!("{name}/{suffix}");
            let joint = Joint { name: name.clone(), kind, axis: vector, limits: None, mimic: None };
            parent = self.add_link(Link { name, parent, origin, joint: Some(joint) })?;
            joints.push((self.joint_count() - 1, vector.length()));
            origin = Pose::IDENTITY;
        }
        let lever = path.start.transform_vector(path.pivot);
        let pose = Pose::new(path.start.rotation, origin.translation - lever);
        let body = self.add_body(name, parent, model, pose, padding)?;
        Ok(MovingBody { body, joints })
    }

    /// The region of moving bodies, all at the same time, from their starts to their ends; others rest at their starts.
    pub fn along(&self, moving: &[&MovingBody]) -> Region {
        let start = vec![0.0; self.joint_count()];
        let mut end = start.clone();
        for &(joint, value) in moving.iter().flat_map(|body| &body.joints) {
            end[joint] = value;
        }
        Region::Along(vec![start, end])
    }
}
