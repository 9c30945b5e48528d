//! Rigid motions as links with joints.

use crate::ProofError;
use crate::scene::{Joint, JointKind, Link, Scene};
use crate::statement::Region;
use glam::{DMat3, DVec3};
use noli::world::Body;
use noli::{Model, Pose};
use noli_geom::{Motion, rotation};

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

/// Instants of a motion that are compared, less one.
const STEPS: usize = 64;

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

    /// The path that a motion follows between two times, and the largest distance of a point within `radius` of the
    /// body's origin from its place on the motion, of 65 instants. It is within rounding if the motion is of this form.
    ///
    /// The turn is the sum of those between the instants. The pivot is the point of the body whose path is nearest to
    /// a straight line at constant speed, by least squares.
    pub fn of_motion(motion: &dyn Motion, [from, to]: [f64; 2], radius: f64) -> (Self, f64) {
        let share = |k: usize| k as f64 / STEPS as f64;
        let poses: Vec<Pose> = (0..=STEPS)
            .map(|k| motion.pose(if k == STEPS { to } else { from + (to - from) * share(k) }))
            .collect();
        let (start, end) = (poses[0], poses[STEPS]);
        let steps =
            poses.windows(2).map(|pair| rotation::log(pair[1].rotation * pair[0].rotation.conjugate()));
        let turn =
            if poses.iter().all(|pose| pose.rotation == start.rotation) { DVec3::ZERO } else { steps.sum() };
        let pivot =
            if turn == DVec3::ZERO { DVec3::ZERO } else { straightest(&poses, turn.normalize_or_zero()) };
        let path =
            Self { start, pivot, shift: end.transform_point(pivot) - start.transform_point(pivot), turn };
        let distance = |(k, pose): (usize, &Pose)| {
            let own = path.pose(share(k));
            let turned = pose.rotation_matrix() - own.rotation_matrix();
            let spread = turned.to_cols_array().iter().fold(0f64, |most, entry| most.max(entry.abs()));
            (pose.translation - own.translation).length() + 3.0 * spread * radius
        };
        let deviation = poses.iter().enumerate().map(distance).fold(0.0, f64::max);
        (path, deviation)
    }

    /// The pose at a time from 0 to 1, rounded.
    pub fn pose(&self, t: f64) -> Pose {
        let rotation = rotation::exp(self.turn * t) * self.start.rotation;
        let place = self.start.transform_point(self.pivot) + self.shift * t;
        let turned = Pose::new(rotation, DVec3::ZERO);
        Pose::new(rotation, place - turned.transform_point(self.pivot))
    }
}

/// The point of a body whose path through poses at even times is nearest to a straight line at constant speed.
fn straightest(poses: &[Pose], axis: DVec3) -> DVec3 {
    let (first, last, count) = (poses[0], poses[poses.len() - 1], poses.len() - 1);
    let (mut normal, mut right) = (DMat3::ZERO, DVec3::ZERO);
    for (k, pose) in poses.iter().enumerate() {
        let s = k as f64 / count as f64;
        let turned =
            pose.rotation_matrix() - first.rotation_matrix() * (1.0 - s) - last.rotation_matrix() * s;
        let moved = pose.translation - first.translation * (1.0 - s) - last.translation * s;
        normal += turned.transpose() * turned;
        right -= turned.transpose() * moved;
    }
    // Along the axis every point will do: the one nearest to the origin is taken.
    let (axis, size) =
        (first.rotation.conjugate() * axis, normal.x_axis.x + normal.y_axis.y + normal.z_axis.z);
    let fixed = DMat3::from_cols(axis * axis.x, axis * axis.y, axis * axis.z) * size;
    let found = (normal + fixed).inverse() * (right - axis * axis.dot(right));
    if found.is_finite() { found } else { DVec3::ZERO }
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
        let still = joints.is_empty();
        let pose = if still { path.start } else { Pose::new(path.start.rotation, -lever) };
        let body = self.add_body(name, parent, model, pose, padding)?;
        Ok(MovingBody { body, joints })
    }

    /// Adds a body that moves along a path with another, or by itself, from its start pose.
    pub(crate) fn add_member(
        &mut self,
        with: Option<&MovingBody>,
        path: &RigidPath,
        body: &Body,
        start: Pose,
    ) -> Result<MovingBody, ProofError> {
        let Some(first) = with else { return self.add_motion(body.name(), body.model(), path, 0.0) };
        let link = self.bodies[first.body].link;
        let pivot = if link == 0 { DVec3::ZERO } else { path.start.transform_point(path.pivot) };
        let pose = Pose::new(start.rotation, start.translation - pivot);
        let body = self.add_body(body.name(), link, body.model(), pose, 0.0)?;
        Ok(MovingBody { body, joints: first.joints.clone() })
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
