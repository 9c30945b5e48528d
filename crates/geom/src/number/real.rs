//! Algorithms that run in `f64` first and in double-double numbers where that is not enough.

use super::double_double::DoubleDouble;
use super::ring::Ring;
use crate::UNIT_ROUNDOFF;
use glam::DVec3;
use std::ops::{Add, Div, Mul, Sub};

/// Operations of both kinds of numbers beyond a [`Ring`].
pub(crate) trait Real:
    Ring + Copy + PartialOrd + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
    /// Bound on the relative error of one operation.
    const ROUNDOFF: f64;
    fn from_f64(x: f64) -> Self;
    fn to_f64(self) -> f64;
    fn sqrt(self) -> Self;
    /// The nearest number in [0, 1]; 0 for the NaN that products out of range can make.
    fn clamp_to_unit(self) -> Self;
    /// The least `f64` that is not less.
    fn round_up(self) -> f64;
    /// The greatest `f64` that is not greater.
    fn round_down(self) -> f64;

    /// `p − origin`.
    #[inline]
    fn offset(p: DVec3, origin: DVec3) -> [Self; 3] {
        let difference = |k: usize| Self::from_f64(p[k]) - Self::from_f64(origin[k]);
        [difference(0), difference(1), difference(2)]
    }

    /// `p + s·q`.
    #[inline]
    fn plus_times(p: &[Self; 3], s: Self, q: &[Self; 3]) -> [Self; 3] {
        [p[0] + s * q[0], p[1] + s * q[1], p[2] + s * q[2]]
    }
}

impl Real for f64 {
    const ROUNDOFF: f64 = UNIT_ROUNDOFF;
    fn from_f64(x: f64) -> Self {
        x
    }
    fn to_f64(self) -> f64 {
        self
    }
    fn sqrt(self) -> Self {
        self.sqrt()
    }
    #[inline]
    #[expect(clippy::manual_clamp, reason = "`clamp` would keep a NaN")]
    fn clamp_to_unit(self) -> Self {
        self.max(0.0).min(1.0)
    }
    fn round_up(self) -> f64 {
        self
    }
    fn round_down(self) -> f64 {
        self
    }
}

impl Real for DoubleDouble {
    /// `2^-100`; the bounds of Joldes et al. are at most ten times `2^-106`.
    const ROUNDOFF: f64 = f64::from_bits((1023 - 100) << 52);
    fn from_f64(x: f64) -> Self {
        x.into()
    }
    fn to_f64(self) -> f64 {
        self.hi
    }
    /// One step of Newton's method from the root of the leading part.
    fn sqrt(self) -> Self {
        let root = self.hi.sqrt();
        if root == 0.0 {
            return Self::ZERO;
        }
        let rest = self - Self::product(root, root);
        Self::from(root) + Self::from(rest.hi / (2.0 * root))
    }
    fn clamp_to_unit(self) -> Self {
        if self > Self::ZERO {
            if self < Self::from(1.0) { self } else { Self::from(1.0) }
        } else {
            Self::ZERO
        }
    }
    fn round_up(self) -> f64 {
        if self.lo > 0.0 { self.hi.next_up() } else { self.hi }
    }
    fn round_down(self) -> f64 {
        if self.lo < 0.0 { self.hi.next_down() } else { self.hi }
    }
}
