//! The rows of Denavit and Hartenberg (1955) of a chain that was given in another form.
//!
//! Row i leads from the axis of joint i to that of joint i + 1 along their common normal. Parallel axes have
//! many common normals; the one through the previous frame is used. The last row is all zeros: everything
//! behind the last axis is the tool.

use crate::dh::{Convention, DhRow, DhTable};
use crate::tree::{JointKind, Robot};
use glam::{DMat3, DQuat, DVec3};
use noli_geom::Pose;

/// Angle below which axes are taken as parallel. The feet of their common normal would be too far away to be
/// represented accurately.
const PARALLEL: f64 = 1e-9;

/// A table and the pose of its first frame.
#[derive(Clone, Debug, PartialEq)]
pub struct DerivedDh {
    /// The first frame as the robot's root sees it: on the first axis, next to the root.
    pub root_from_base: Pose,
    /// The rows, and the link at the end as the tool.
    pub table: DhTable,
}

/// Reason that a chain has no such rows.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ChainError {
    /// A joint with more than one variable.
    #[error("joint `{0}` is {1}; only joints that turn about an axis or slide along one have a row")]
    Kind(String, &'static str),
    /// All joints are fixed.
    #[error("nothing moves between the root and `{0}`")]
    Still(String),
}

/// A joint's axis in the frame of the root, all variables 0.
struct Axis {
    point: DVec3,
    along: DVec3,
}

/// A frame by its origin, x and z.
#[derive(Clone, Copy)]
struct Frame {
    origin: DVec3,
    x: DVec3,
    z: DVec3,
}

impl Frame {
    fn pose(&self) -> Pose {
        let columns = DMat3::from_cols(self.x, self.z.cross(self.x), self.z);
        Pose::new(DQuat::from_mat3(&columns).normalize(), self.origin)
    }

    /// On the first axis, next to the root.
    fn first(axis: &Axis) -> Self {
        let z = axis.along;
        let beside = [DVec3::X, DVec3::Y].map(|side| side - z * side.dot(z));
        let x = if beside[0].length_squared() > 0.25 { beside[0] } else { beside[1] };
        Self { origin: axis.point - z * axis.point.dot(z), x: x.normalize(), z }
    }

    /// On the next axis, at the foot of the common normal.
    fn next(&self, axis: &Axis) -> Self {
        let (z, path) = (axis.along, axis.point - self.origin);
        let normal = self.z.cross(z);
        let square = normal.length_squared();
        if square > PARALLEL * PARALLEL {
            let t = (self.z.dot(z) * self.z.dot(path) - z.dot(path)) / square;
            let (origin, x) = (axis.point + z * t, normal / square.sqrt());
            let length = (origin - self.origin).dot(x);
            return Self { origin, x: if length < 0.0 { -x } else { x }, z };
        }
        let beside = path - self.z * path.dot(self.z);
        // One axis, up to rounding.
        if beside.length() <= 1e-12 * (path.length() + self.origin.length()) {
            return Self { z, ..*self };
        }
        Self { origin: self.origin + beside, x: beside.normalize(), z }
    }
}

impl DhTable {
    /// The standard rows of the chain from a robot's root to a link. The joint's value means the same as in the robot;
    /// joints that follow others have a row like all.
    pub fn derived(robot: &Robot, tip: usize) -> Result<DerivedDh, ChainError> {
        let mut poses = vec![Pose::IDENTITY; robot.links().len()];
        robot.link_poses(&vec![0.0; robot.variables().len()], &mut poses);
        let mut chain = Vec::new();
        for number in robot.joints_to(tip) {
            let joint = &robot.joints()[number];
            match joint.kind {
                JointKind::Fixed => continue,
                JointKind::Revolute | JointKind::Continuous | JointKind::Prismatic => {}
                JointKind::Planar | JointKind::Floating => {
                    return Err(ChainError::Kind(joint.name.clone(), joint.kind.word()));
                }
            }
            let placed = poses[robot.ends(number)[0]] * joint.parent_from_joint;
            let along = (placed.rotation.normalize() * joint.axis).normalize();
            chain.push((joint, Axis { point: placed.translation, along }));
        }
        let Some((_, first)) = chain.first() else {
            return Err(ChainError::Still(robot.links()[tip].name.clone()));
        };
        let base = Frame::first(first);
        let (mut frame, mut rows) = (base, Vec::new());
        for (number, (joint, _)) in chain.iter().enumerate() {
            let next = chain.get(number + 1).map_or(frame, |(_, axis)| frame.next(axis));
            let path = next.origin - frame.origin;
            let slides = joint.kind == JointKind::Prismatic;
            rows.push(DhRow {
                name: joint.name.clone(),
                slides,
                theta: frame.x.cross(next.x).dot(frame.z).atan2(frame.x.dot(next.x)),
                d: path.dot(frame.z),
                a: path.dot(next.x),
                alpha: frame.z.cross(next.z).dot(next.x).atan2(frame.z.dot(next.z)),
                limits: joint.limits,
                place: joint.place,
            });
            frame = next;
        }
        let table = DhTable {
            name: robot.name().to_owned(),
            convention: Convention::Standard,
            rows,
            last_from_tool: Some(frame.pose().inverse() * poses[tip]),
        };
        Ok(DerivedDh { root_from_base: base.pose(), table })
    }
}
