//! Rigid placements and the placement of one body as another sees it.

mod exact;
mod fine;

pub(crate) use exact::{ExactPose, PlacedIntegers};
pub(crate) use fine::FinePose;

use crate::number::{ring, round};
use crate::{MAX_COORDINATE, UNIT_ROUNDOFF};
use glam::{DMat3, DQuat, DVec3};
use std::ops::Mul;

/// A rigid placement: `x ↦ R(q)·x + t`.
///
/// `R(q)` is the quaternion matrix divided by `|q|²`: rational in the numbers given and a true
/// rotation for every `q ≠ 0`. A quaternion that is normalised only up to rounding therefore has
/// one exact meaning, and an answer can be rechecked by anyone.
///
/// Poses are named by their frames: `world_from_tool` takes tool coordinates to world coordinates.
#[doc(alias("isometry", "transform", "rigid transform", "SE3"))]
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Pose {
    /// `q`; any non-zero finite quaternion.
    pub rotation: DQuat,
    /// `t`.
    pub translation: DVec3,
}

impl Pose {
    /// The placement that moves nothing.
    pub const IDENTITY: Self = Self { rotation: DQuat::IDENTITY, translation: DVec3::ZERO };

    /// A placement from its parts.
    pub const fn new(rotation: DQuat, translation: DVec3) -> Self {
        Self { rotation, translation }
    }

    /// A shift without rotation.
    pub const fn from_translation(translation: DVec3) -> Self {
        Self { rotation: DQuat::IDENTITY, translation }
    }

    /// A rotation about the origin.
    pub const fn from_rotation(rotation: DQuat) -> Self {
        Self { rotation, translation: DVec3::ZERO }
    }

    /// A placement from x, y, z, qx, qy, qz, qw.
    pub const fn from_array([x, y, z, qx, qy, qz, qw]: [f64; 7]) -> Self {
        Self::new(DQuat::from_xyzw(qx, qy, qz, qw), DVec3::new(x, y, z))
    }

    /// Returns x, y, z, qx, qy, qz, qw.
    pub fn to_array(&self) -> [f64; 7] {
        let (t, q) = (self.translation, self.rotation);
        [t.x, t.y, t.z, q.x, q.y, q.z, q.w]
    }

    /// Returns `true` if the pose is valid: finite, `q ≠ 0`, and not further out than [`MAX_COORDINATE`].
    /// Queries return `Unknown` for invalid poses.
    #[inline]
    pub fn is_valid(&self) -> bool {
        let within = |c: f64, most: f64| c.abs() <= most;
        let (q, t) = (self.rotation.to_array(), self.translation.to_array());
        // Comparisons with NaN are false.
        q.iter().all(|&c| within(c, f64::MAX))
            && q.iter().any(|c| c.abs() >= f64::MIN_POSITIVE)
            && t.iter().all(|&c| within(c, MAX_COORDINATE))
    }

    /// `R(q)`, rounded: each entry within 17 roundoffs.
    #[inline]
    pub fn rotation_matrix(&self) -> DMat3 {
        rotation_matrix(near_unit(self.rotation))
    }

    /// The image of a point, rounded.
    #[inline]
    pub fn transform_point(&self, point: DVec3) -> DVec3 {
        self.rotation_matrix() * point + self.translation
    }

    /// The image of a direction, rounded.
    pub fn transform_vector(&self, vector: DVec3) -> DVec3 {
        self.rotation_matrix() * vector
    }

    /// The placement that undoes this one, rounded.
    pub fn inverse(&self) -> Self {
        let rotation = near_unit(self.rotation).conjugate();
        Self { rotation, translation: rotation_matrix(rotation) * -self.translation }
    }
}

impl Default for Pose {
    fn default() -> Self {
        Self::IDENTITY
    }
}

/// `a_from_c = a_from_b * b_from_c`, rounded.
impl Mul for Pose {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Self {
            rotation: near_unit(near_unit(self.rotation) * near_unit(other.rotation)),
            translation: self.transform_point(other.translation),
        }
    }
}

/// Pose of B in the frame of A: rounded, with a bound on the rounding. It keeps the two given poses, from
/// which exact arithmetic starts.
///
/// For a point `y` of B the exact image in A's frame differs from [`RelativePose::transform_point`] by at
/// most [`RelativePose::point_error`] in each coordinate.
#[derive(Clone, Copy, Debug)]
pub struct RelativePose {
    /// Rotation from B's frame to A's, rounded.
    pub rotation: DMat3,
    /// Image of B's origin in A's frame, rounded.
    pub translation: DVec3,
    /// Bound on the error of each entry of `rotation`.
    pub rotation_error: f64,
    /// Bound on the error of each coordinate of `translation`.
    pub translation_error: f64,
    /// The pose of A as given.
    pub world_from_a: Pose,
    /// The pose of B as given.
    pub world_from_b: Pose,
}

impl RelativePose {
    /// Both bodies in one frame.
    pub fn identity() -> Self {
        Self::new(&Pose::IDENTITY, &Pose::IDENTITY)
    }

    /// The placement of B in A's frame.
    ///
    /// Error of the rotation, in units of roundoff `u`: each component of the quaternion product
    /// `conj(qa)·qb` is a sum of four products and errs by at most `4u·|q|` (Cauchy–Schwarz), so
    /// the direction of the product errs by at most `8u` and the rotation by the angle `16u`;
    /// evaluating the matrix adds at most `17u` an entry: `8u` of `s·(yy + zz) <= 2` and the last
    /// difference. We state `40u`.
    /// Error of the translation `R(qa)ᵀ·(tb − ta)`: `17u` for the matrix, `u` for the difference,
    /// `3u` for the dot product, each times `|tb − ta|₁`. We state `24u`.
    ///
    /// Equal poses give the identity without error.
    #[inline]
    pub fn new(world_from_a: &Pose, world_from_b: &Pose) -> Self {
        let (world_from_a, world_from_b) = (*world_from_a, *world_from_b);
        let (rotation, rotation_error) = if world_from_a.rotation == world_from_b.rotation {
            (DMat3::IDENTITY, 0.0)
        } else {
            let q = near_unit(world_from_a.rotation).conjugate() * near_unit(world_from_b.rotation);
            (rotation_matrix(q), 40.0 * UNIT_ROUNDOFF)
        };
        let offset = world_from_b.translation - world_from_a.translation;
        // The same numbers, sooner.
        let translation = if world_from_a.rotation == DQuat::IDENTITY {
            offset
        } else {
            world_from_a.rotation_matrix().transpose() * offset
        };
        // The floor keeps the bound true where products underflow.
        let translation_error = if offset == DVec3::ZERO {
            0.0
        } else {
            round::off(offset.abs().element_sum(), 24) + f64::MIN_POSITIVE
        };
        Self { rotation, translation, rotation_error, translation_error, world_from_a, world_from_b }
    }

    /// Returns `true` if both frames are exactly the same.
    pub fn is_identity(&self) -> bool {
        self.rotation_error == 0.0 && self.translation_error == 0.0
    }

    /// The image of a point of B in A's frame, rounded.
    #[inline]
    pub fn transform_point(&self, point: DVec3) -> DVec3 {
        self.rotation * point + self.translation
    }

    /// Bound on the error of each coordinate of [`transform_point`](Self::transform_point) for
    /// points whose coordinates are at most `reach` in magnitude: three products and three sums
    /// (`4u` of every term) on top of the errors of the parts.
    #[inline]
    pub fn point_error(&self, reach: f64) -> f64 {
        if self.is_identity() {
            return 0.0;
        }
        let evaluation = round::off(3.0 * reach + self.translation.abs().max_element(), 4);
        3.0 * self.rotation_error * reach + self.translation_error + evaluation + f64::MIN_POSITIVE
    }

    /// The same pair seen from B: `b_from_a`.
    pub fn inverse(&self) -> Self {
        Self::new(&self.world_from_b, &self.world_from_a)
    }
}

/// The same rotation with its largest component near 1: a power of two, so nothing is rounded, and
/// squares neither overflow nor underflow.
#[inline]
pub(crate) fn near_unit(q: DQuat) -> DQuat {
    let norm_sq = q.length_squared();
    if (2.0f64.powi(-60)..2.0f64.powi(60)).contains(&norm_sq) {
        return q;
    }
    rescaled(q)
}

#[cold]
fn rescaled(q: DQuat) -> DQuat {
    let largest = q.x.abs().max(q.y.abs()).max(q.z.abs()).max(q.w.abs());
    if !largest.is_normal() {
        return q;
    }
    let exponent = (largest.to_bits() >> 52) as i32 - 1023;
    // In two steps: one factor alone can leave the range of f64.
    let half = exponent / 2;
    q * 2.0f64.powi(-half) * 2.0f64.powi(half - exponent)
}

#[inline]
fn rotation_matrix(q: DQuat) -> DMat3 {
    let (norm_sq, columns) = ring::rotation(&q.to_array());
    DMat3::from_cols_array_2d(&ring::scaled_rotation(&1.0, &(2.0 / norm_sq), &columns))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seven_numbers_give_the_same_pose() {
        let numbers = [1.0, 2.0, 3.0, 0.1, -0.2, 0.3, 0.9];
        let pose = Pose::from_array(numbers);
        assert_eq!((pose.to_array(), pose.translation.z, pose.rotation.w), (numbers, 3.0, 0.9));
    }

    #[test]
    fn tiny_and_huge_quaternions_mean_the_same_rotation() {
        let q = DQuat::from_xyzw(0.1, -0.2, 0.3, 0.9);
        let plain = Pose::from_rotation(q).rotation_matrix();
        for exponent in [-1000, -300, 300, 1000] {
            let half = 2.0f64.powi(exponent / 2);
            let scaled = Pose::from_rotation(q * half * half);
            assert!(scaled.is_valid());
            assert!(scaled.rotation_matrix().abs_diff_eq(plain, 1e-15));
        }
    }

    #[test]
    fn invalid_poses_are_recognised() {
        assert!(!Pose::from_rotation(DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0)).is_valid());
        assert!(!Pose::from_translation(DVec3::new(0.0, f64::NAN, 0.0)).is_valid());
        assert!(!Pose::from_translation(DVec3::new(f64::INFINITY, 0.0, 0.0)).is_valid());
        assert!(!Pose::from_rotation(DQuat::from_xyzw(f64::NAN, 0.0, 0.0, 1.0)).is_valid());
        assert!(Pose::IDENTITY.is_valid());
    }

    #[test]
    fn inverse_undoes() {
        let p = Pose::new(DQuat::from_xyzw(0.1, -0.2, 0.3, 0.9), DVec3::new(1.0, 2.0, -3.0));
        let x = DVec3::new(0.5, -0.25, 4.0);
        assert!(p.inverse().transform_point(p.transform_point(x)).abs_diff_eq(x, 1e-14));
        assert!((p * p.inverse()).transform_point(x).abs_diff_eq(x, 1e-14));
    }
}
