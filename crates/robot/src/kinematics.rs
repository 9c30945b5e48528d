//! Where links are: for one configuration, and for sixteen side by side with the same results to the last
//! bit.
//!
//! Poses are chained as quaternions; both paths are one piece of code over one number or sixteen, with one
//! sine and cosine, so they cannot differ. Products are not fused (Rust never fuses by itself).

use crate::sin_cos;
use crate::tree::{Limb, Movement, Robot, Step};
use glam::{DMat3, DQuat, DVec3};
use noli_geom::{Pose, UNIT_ROUNDOFF};
use std::ops::{Add, Mul, Range, Sub};

/// How many configurations stand side by side.
pub const LANES: usize = 16;

/// One number for each of sixteen configurations.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(align(64))]
pub struct Lanes(pub [f64; LANES]);

impl Lanes {
    /// The same number for all.
    pub const fn splat(value: f64) -> Self {
        Self([value; LANES])
    }
}

/// The poses of one link in sixteen configurations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LaneFrame {
    /// The quaternions: x, y, z, w.
    pub rotation: [Lanes; 4],
    /// The translations.
    pub translation: [Lanes; 3],
}

impl LaneFrame {
    /// All poses the identity.
    pub const IDENTITY: Self = Self {
        rotation: [Lanes::splat(0.0), Lanes::splat(0.0), Lanes::splat(0.0), Lanes::splat(1.0)],
        translation: [Lanes::splat(0.0); 3],
    };

    /// The pose in one of the configurations.
    pub fn pose(&self, lane: usize) -> Pose {
        let [x, y, z, w] = self.rotation.map(|part| part.0[lane]);
        Pose::new(DQuat::from_xyzw(x, y, z, w), DVec3::from_array(self.translation.map(|part| part.0[lane])))
    }

    /// Where a point of the link is.
    #[inline(always)]
    pub(crate) fn place(&self, point: DVec3) -> [Lanes; 3] {
        let turned = rotated(self.rotation, point.to_array().map(Lanes::splat));
        std::array::from_fn(|k| self.translation[k] + turned[k])
    }

    /// The same pose in all configurations.
    pub(crate) fn splat(pose: &Pose) -> Self {
        Self {
            rotation: pose.rotation.to_array().map(Lanes::splat),
            translation: pose.translation.to_array().map(Lanes::splat),
        }
    }
}

trait Number: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> {
    fn constant(value: f64) -> Self;
    fn sin_cos(self) -> (Self, Self);
}

impl Number for f64 {
    #[inline(always)]
    fn constant(value: f64) -> Self {
        value
    }

    #[inline(always)]
    fn sin_cos(self) -> (Self, Self) {
        sin_cos(self)
    }
}

macro_rules! lane_operator {
    ($trait:ident, $method:ident, $op:tt) => {
        impl $trait for Lanes {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Self(std::array::from_fn(|k| self.0[k] $op other.0[k]))
            }
        }
    };
}
lane_operator!(Add, add, +);
lane_operator!(Sub, sub, -);
lane_operator!(Mul, mul, *);

impl Number for Lanes {
    #[inline(always)]
    fn constant(value: f64) -> Self {
        Self::splat(value)
    }

    #[inline(always)]
    fn sin_cos(self) -> (Self, Self) {
        let (mut sin, mut cos) = (self, self);
        for k in 0..LANES {
            (sin.0[k], cos.0[k]) = sin_cos(self.0[k]);
        }
        (sin, cos)
    }
}

/// Rotation and translation of a frame.
#[derive(Clone, Copy)]
struct Frame<N> {
    q: [N; 4],
    t: [N; 3],
}

#[inline(always)]
fn cross<N: Number>(a: [N; 3], b: [N; 3]) -> [N; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[inline(always)]
fn rotated<N: Number>(q: [N; 4], v: [N; 3]) -> [N; 3] {
    let axis = [q[0], q[1], q[2]];
    let half = cross(axis, v);
    let double = half.map(|x| x + x);
    let far = cross(axis, double);
    std::array::from_fn(|k| v[k] + (q[3] * double[k] + far[k]))
}

#[inline(always)]
fn product<N: Number>(a: [N; 4], b: [N; 4]) -> [N; 4] {
    [
        (a[3] * b[0] + a[0] * b[3]) + (a[1] * b[2] - a[2] * b[1]),
        (a[3] * b[1] + a[1] * b[3]) + (a[2] * b[0] - a[0] * b[2]),
        (a[3] * b[2] + a[2] * b[3]) + (a[0] * b[1] - a[1] * b[0]),
        (a[3] * b[3] - a[0] * b[0]) - (a[1] * b[1] + a[2] * b[2]),
    ]
}

impl<N: Number> Frame<N> {
    /// The frame behind a step, given the value of its variable.
    #[inline(always)]
    fn after(&self, step: &Step, value: impl Fn(u32) -> N) -> Self {
        let shift = step.shift.map(N::constant);
        let (turn, shift) = match step.variable {
            None => (step.fixed.map(N::constant), shift),
            Some((Movement::Slide, variable)) => {
                let value = value(variable);
                let moved = std::array::from_fn(|k| shift[k] + N::constant(step.along[k]) * value);
                (step.fixed.map(N::constant), moved)
            }
            Some((Movement::Turn, variable)) => {
                let (sin, cos) = (value(variable) * N::constant(0.5)).sin_cos();
                let turn = std::array::from_fn(|k| {
                    N::constant(step.fixed[k]) * cos + N::constant(step.turned[k]) * sin
                });
                (turn, shift)
            }
        };
        let moved = rotated(self.q, shift);
        Self { q: product(self.q, turn), t: std::array::from_fn(|k| self.t[k] + moved[k]) }
    }
}

impl Frame<f64> {
    fn of(pose: &Pose) -> Self {
        Self { q: pose.rotation.to_array(), t: pose.translation.to_array() }
    }

    fn pose(&self) -> Pose {
        Pose::new(DQuat::from_array(self.q), DVec3::from_array(self.t))
    }
}

/// How a point on a link moves with one variable.
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

    /// How many limbs a link's pose takes: the one it hangs on, and all before it.
    pub(crate) fn limbs_to(&self, link: usize) -> usize {
        self.limbs().iter().position(|limb| limb.child as usize == link).map_or(0, |limb| limb + 1)
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

    /// What a step does to what stands behind it, as a matrix and a shift.
    #[inline]
    pub(crate) fn movement(step: &Step, value: impl Fn(u32) -> f64) -> (DMat3, DVec3) {
        let shift = DVec3::from_array(step.shift);
        match step.variable {
            None => (step.fixed_matrix, shift),
            Some((Movement::Slide, variable)) => {
                (step.fixed_matrix, shift + DVec3::from_array(step.along) * value(variable))
            }
            Some((Movement::Turn, variable)) => {
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

    /// The poses of all links in sixteen configurations: bit for bit those of [`Robot::link_poses`].
    ///
    /// # Panics
    ///
    /// If there are fewer values than variables or fewer frames than links.
    pub fn link_frames(&self, values: &[Lanes], frames: &mut [LaneFrame]) {
        self.frames_at(&LaneFrame::IDENTITY, values, frames);
    }

    /// The same with the root at poses of unit quaternions.
    #[inline(always)]
    pub(crate) fn frames_at(&self, root: &LaneFrame, values: &[Lanes], frames: &mut [LaneFrame]) {
        assert!(values.len() >= self.variables().len() && frames.len() >= self.links().len());
        frames[self.root()] = *root;
        for limb in self.limbs() {
            let LaneFrame { rotation: q, translation: t } = frames[limb.parent as usize];
            let mut frame = Frame { q, t };
            for step in self.steps(limb) {
                frame = frame.after(step, |variable| values[variable as usize]);
            }
            frames[limb.child as usize] = LaneFrame { rotation: frame.q, translation: frame.t };
        }
    }

    /// How a point on a link moves with each variable: a column for each, 0 for those that do not move it.
    /// `poses` are those of [`Robot::link_poses`] for these values; the point is in the frame of the root.
    ///
    /// # Panics
    ///
    /// If a slice is too short or there is no such link.
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
                    Movement::Slide => Column { linear: axis, angular: DVec3::ZERO },
                    Movement::Turn => Column { linear: axis.cross(point - pose.translation), angular: axis },
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
                if let Some((Movement::Slide, variable)) = step.variable {
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
