//! Lanes as plain arrays, for any machine.

use super::{Simd, mul_add};
use glam::DVec3;
use noli_geom::internals::Eight;
use std::ops::{Add, Mul, Sub};

/// Plain arrays; the reference for the others.
#[derive(Clone, Copy)]
pub(crate) struct Portable;

#[derive(Clone, Copy)]
#[repr(align(64))]
pub(crate) struct Array16([f32; 16]);

impl Array16 {
    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(f32, f32) -> f32) -> Self {
        let mut out = self.0;
        for l in 0..16 {
            out[l] = f(self.0[l], other.0[l]);
        }
        Self(out)
    }
}

macro_rules! array_operator {
    ($trait:ident, $method:ident, $operator:tt) => {
        impl $trait for Array16 {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                self.zip(other, |x, y| x $operator y)
            }
        }
    };
}
array_operator!(Add, add, +);
array_operator!(Sub, sub, -);
array_operator!(Mul, mul, *);

impl Simd for Portable {
    type F = Array16;
    const FUSED: bool = cfg!(any(target_feature = "fma", target_arch = "aarch64"));

    #[inline(always)]
    fn splat(self, x: f32) -> Array16 {
        Array16([x; 16])
    }
    #[inline(always)]
    fn spread(self, x: &[f32; 4]) -> Array16 {
        Array16(std::array::from_fn(|l| x[l / 4]))
    }
    #[inline(always)]
    fn tile(self, x: &[f32; 4]) -> Array16 {
        Array16(std::array::from_fn(|l| x[l % 4]))
    }
    #[inline(always)]
    fn load(self, x: &[f32; 16]) -> Array16 {
        Array16(*x)
    }
    #[inline(always)]
    fn spread_of<const K: usize>(self, x: Array16) -> Array16 {
        Array16(std::array::from_fn(|l| x.0[4 * K + l / 4]))
    }
    #[inline(always)]
    fn tile_of<const K: usize>(self, x: Array16) -> Array16 {
        Array16(std::array::from_fn(|l| x.0[4 * K + l % 4]))
    }
    #[inline(always)]
    fn store(self, x: Array16) -> [f32; 16] {
        x.0
    }
    #[inline(always)]
    fn abs(self, x: Array16) -> Array16 {
        x.zip(x, |x, _| x.abs())
    }
    #[inline(always)]
    fn mul_add(self, x: Array16, y: Array16, z: Array16) -> Array16 {
        Array16(std::array::from_fn(|l| mul_add(self, x.0[l], y.0[l], z.0[l])))
    }
    #[inline(always)]
    fn sub_mul(self, z: Array16, x: Array16, y: Array16) -> Array16 {
        Array16(std::array::from_fn(|l| mul_add(self, -x.0[l], y.0[l], z.0[l])))
    }
    // `max` and `min` follow the machine instructions: the second operand where one is NaN.
    #[inline(always)]
    fn max(self, x: Array16, y: Array16) -> Array16 {
        x.zip(y, |x, y| if x > y { x } else { y })
    }
    #[inline(always)]
    fn min(self, x: Array16, y: Array16) -> Array16 {
        x.zip(y, |x, y| if x < y { x } else { y })
    }
    #[inline(always)]
    fn sqrt(self, x: Array16) -> Array16 {
        x.zip(x, |x, _| x.sqrt())
    }
    #[inline(always)]
    fn div(self, x: Array16, y: Array16) -> Array16 {
        x.zip(y, |x, y| x / y)
    }
    #[inline(always)]
    fn gt(self, x: Array16, y: Array16) -> u16 {
        let mut mask = 0;
        for l in 0..16 {
            mask |= u16::from(x.0[l] > y.0[l]) << l;
        }
        mask
    }
    #[inline(always)]
    fn select(self, mask: u16, x: Array16, y: Array16) -> Array16 {
        Array16(std::array::from_fn(|l| if mask >> l & 1 == 1 { x.0[l] } else { y.0[l] }))
    }
    #[inline(always)]
    fn highest(self, _: &[Eight], _: DVec3) -> Option<usize> {
        None
    }
}
