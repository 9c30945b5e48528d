//! Forward kinematics: poses of links in a configuration.
//!
//! Poses are chained as quaternions. Products are not fused (Rust never fuses by itself), and sine and cosine
//! are our own, so that poses are the same to the last bit on every machine.

use crate::sin_cos;
use crate::tree::{JointAxisKind, Limb, Robot, Step};
use glam::{DMat3, DQuat, DVec3};
use noli_geom::{Pose, UNIT_ROUNDOFF};
use std::ops::Range;

/// Rotation and translation of a frame.
#[derive(Clone, Copy)]
struct Frame {
    q: [f64; 4],
    t: [f64; 3],
}

#[inline(always)]
fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[inline(always)]
fn rotated(q: [f64; 4], v: [f64; 3]) -> [f64; 3] {
    let axis = [q[0], q[1], q[2]];
    let half = cross(axis, v);
    let double = half.map(|x| x + x);
    let far = cross(axis, double);
    std::array::from_fn(|k| v[k] + (q[3] * double[k] + far[k]))
}

#[inline(always)]
fn product(a: [f64; 4], b: [f64; 4]) -> [f64; 4] {
    [
        (a[3] * b[0] + a[0] * b[3]) + (a[1] * b[2] - a[2] * b[1]),
        (a[3] * b[1] + a[1] * b[3]) + (a[2] * b[0] - a[0] * b[2]),
        (a[3] * b[2] + a[2] * b[3]) + (a[0] * b[1] - a[1] * b[0]),
        (a[3] * b[3] - a[0] * b[0]) - (a[1] * b[1] + a[2] * b[2]),
    ]
}

impl Frame {
    /// The frame behind a step, given the value of its variable.
    #[inline(always)]
    fn after(&self, step: &Step, value: impl Fn(u32) -> f64) -> Self {
        let (turn, shift) = match step.variable {
            None => (step.fixed, step.shift),
            Some((JointAxisKind::Slide, variable)) => {
                let value = value(variable);
                (step.fixed, std::array::from_fn(|k| step.shift[k] + step.along[k] * value))
            }
            Some((JointAxisKind::Turn, variable)) => {
                let (sin, cos) = sin_cos(value(variable) * 0.5);
                (std::array::from_fn(|k| step.fixed[k] * cos + step.turned[k] * sin), step.shift)
            }
        };
        let moved = rotated(self.q, shift);
        Self { q: product(self.q, turn), t: std::array::from_fn(|k| self.t[k] + moved[k]) }
    }

    fn of(pose: &Pose) -> Self {
        Self { q: pose.rotation.to_array(), t: pose.translation.to_array() }
    }

    fn pose(&self) -> Pose {
        Pose::new(DQuat::from_array(self.q), DVec3::from_array(self.t))
    }
}

/// Derivative of a point on a link with respect to one variable.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Column {
    /// Velocity of the point for one unit a second.
    pub linear: DVec3,
    /// Angular velocity of the link.
    pub angular: DVec3,
}

impl Robot {
    /// The poses of all links in the frame of the root, in the order of [`Robot::links`]; allocates nothing.
    ///
    /// Values are one for each variable; an angle that is NaN or beyond [`MAX_ANGLE`](crate::MAX_ANGLE) gives
    /// invalid poses.
    ///
    /// # Panics
    ///
    /// If there are fewer values than variables or fewer poses than links.
    pub fn link_poses(&self, values: &[f64], poses: &mut [Pose]) {
        assert!(values.len() >= self.variables().len());
        self.poses_by(&Pose::IDENTITY, |variable| values[variable as usize], poses);
    }

    /// The same with the root at a pose of unit quaternion, and values by a function.
    pub(crate) fn poses_by(&self, root: &Pose, value: impl Fn(u32) -> f64, poses: &mut [Pose]) {
        assert!(poses.len() >= self.links().len());
        poses[self.root()] = *root;
        self.poses_of(0..self.limbs().len(), value, poses);
    }

    /// The poses behind some limbs, given those behind all before them.
    pub(crate) fn poses_of(&self, limbs: Range<usize>, value: impl Fn(u32) -> f64, poses: &mut [Pose]) {
        for limb in &self.limbs()[limbs] {
            poses[limb.child as usize] = self.behind(&poses[limb.parent as usize], limb, &value);
        }
    }

    /// Returns the number of limbs in a link's pose: the limb of the link and all before it.
    pub(crate) fn limbs_to(&self, link: usize) -> usize {
        self.limb_number(link).map_or(0, |limb| limb + 1)
    }

    /// The pose of the link behind a limb, given its parent's.
    pub(crate) fn behind(&self, parent: &Pose, limb: &Limb, value: impl Fn(u32) -> f64) -> Pose {
        self.steps(limb).iter().fold(Frame::of(parent), |frame, step| frame.after(step, &value)).pose()
    }

    /// The frame behind the first steps of a limb, up to and with one, given its parent's.
    pub(crate) fn within(&self, parent: &Pose, limb: &Limb, last: usize, value: impl Fn(u32) -> f64) -> Pose {
        let steps = &self.steps(limb)[..=last];
        steps.iter().fold(Frame::of(parent), |frame, step| frame.after(step, &value)).pose()
    }

    /// Returns the motion by a step of everything behind it, as a matrix and a translation.
    #[inline]
    pub(crate) fn movement(step: &Step, value: impl Fn(u32) -> f64) -> (DMat3, DVec3) {
        let shift = DVec3::from_array(step.shift);
        match step.variable {
            None => (step.fixed_matrix, shift),
            Some((JointAxisKind::Slide, variable)) => {
                (step.fixed_matrix, shift + DVec3::from_array(step.along) * value(variable))
            }
            Some((JointAxisKind::Turn, variable)) => {
                let (sin, cos) = sin_cos(value(variable));
                let (a, versed) = (step.axis, 1.0 - cos);
                let (s, t) = (a * sin, a * versed);
                let turn = DMat3::from_cols(
                    DVec3::new(t.x * a.x + cos, t.x * a.y + s.z, t.x * a.z - s.y),
                    DVec3::new(t.y * a.x - s.z, t.y * a.y + cos, t.y * a.z + s.x),
                    DVec3::new(t.z * a.x + s.y, t.z * a.y - s.x, t.z * a.z + cos),
                );
                (step.fixed_matrix * turn, shift)
            }
        }
    }

    /// Computes the Jacobian of a point on a link: a column for each variable, 0 for those that do not move it.
    /// `poses` are those of [`Robot::link_poses`] for these values; the point is in the frame of the root.
    ///
    /// # Panics
    ///
    /// If a slice is too short or the link does not exist.
    pub fn jacobian(
        &self,
        values: &[f64],
        poses: &[Pose],
        link: usize,
        point: DVec3,
        columns: &mut [Column],
    ) {
        columns[..self.variables().len()].fill(Column::default());
        let mut at = link;
        while let Some(limb) = self.limb_of(at) {
            let mut frame = Frame::of(&poses[limb.parent as usize]);
            for step in self.steps(limb) {
                frame = frame.after(step, |variable| values[variable as usize]);
                let Some((movement, variable)) = step.variable else { continue };
                let pose = frame.pose();
                let axis = pose.transform_vector(step.axis);
                columns[variable as usize] = match movement {
                    JointAxisKind::Slide => Column { linear: axis, angular: DVec3::ZERO },
                    JointAxisKind::Turn => {
                        Column { linear: axis.cross(point - pose.translation), angular: axis }
                    }
                };
            }
            at = limb.parent as usize;
        }
    }

    /// Bound on the distance between where [`Robot::link_poses`] puts a point of a link and where real
    /// numbers do, for points within `reach` of the link's origin and values at most `largest` in magnitude,
    /// given for every variable.
    ///
    /// Each step errs as a rotation by less than 64 roundoffs: the constants by 8 (as quaternions by 4), sine
    /// and cosine by 4, their combination by 8, the product by 16, and the quaternion's length, which the
    /// rotation of an offset takes squared, by 24 in all. So a point behind step k of n is displaced by `64u`
    /// of its distance from there for every step, and each offset is rotated and added within `16u` of its
    /// length. With all lengths summed to `L` this is less than `80u·n·L`; we state `128u·(n + 1)·L`.
    pub fn pose_error(&self, link: usize, reach: f64, largest: &[f64]) -> f64 {
        let (mut steps, mut length) = (1.0, reach);
        let mut at = link;
        while let Some(limb) = self.limb_of(at) {
            for step in self.steps(limb) {
                steps += 1.0;
                length += step.shift.iter().map(|x| x.abs()).sum::<f64>();
                if let Some((JointAxisKind::Slide, variable)) = step.variable {
                    length += 2.0 * largest[variable as usize];
                }
            }
            at = limb.parent as usize;
        }
        128.0 * UNIT_ROUNDOFF * steps * length + f64::MIN_POSITIVE
    }
}

/// The limbs from the root down to a link. Chains of ordinary length cost no allocation.
pub(crate) struct Travelled<'a> {
    robot: &'a Robot,
    near: [u32; 32],
    far: Vec<u32>,
    left: usize,
}

impl<'a> Travelled<'a> {
    pub(crate) fn new(robot: &'a Robot, link: usize) -> Self {
        let mut chain = Self { robot, near: [0; 32], far: Vec::new(), left: 0 };
        let mut at = link;
        while let Some(limb) = robot.limb_of(at) {
            match chain.near.get_mut(chain.left) {
                Some(slot) => *slot = at as u32,
                None => chain.far.push(at as u32),
            }
            chain.left += 1;
            at = limb.parent as usize;
        }
        chain
    }

    pub(crate) fn next_down(&mut self) -> Option<&'a Limb> {
        self.left = self.left.checked_sub(1)?;
        let link = match self.near.get(self.left) {
            Some(&link) => link,
            None => self.far[self.left - self.near.len()],
        };
        self.robot.limb_of(link as usize)
    }
}
