//! The same lanes in four registers of WebAssembly. A module that was compiled with them runs on no machine without, so
//! nothing is detected.

use super::{Add, DVec3, Eight, Mul, Simd, Sub};
use bytemuck::must_cast;
use std::arch::wasm32::*;

/// The 128-bit vectors that the module was compiled with.
#[derive(Clone, Copy)]
pub(crate) struct Simd128;

#[derive(Clone, Copy)]
pub(crate) struct F128x4([v128; 4]);

/// One result for each register.
macro_rules! each {
    (|$k:ident| $body:expr) => {
        F128x4([
            {
                const $k: usize = 0;
                $body
            },
            {
                const $k: usize = 1;
                $body
            },
            {
                const $k: usize = 2;
                $body
            },
            {
                const $k: usize = 3;
                $body
            },
        ])
    };
}

macro_rules! operator {
    ($trait:ident, $method:ident, $four:ident) => {
        impl $trait for F128x4 {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                each!(|K| $four(self.0[K], other.0[K]))
            }
        }
    };
}
operator!(Add, add, f32x4_add);
operator!(Sub, sub, f32x4_sub);
operator!(Mul, mul, f32x4_mul);

impl Simd for Simd128 {
    type F = F128x4;
    const FUSED: bool = false;

    #[inline(always)]
    fn splat(self, x: f32) -> F128x4 {
        F128x4([f32x4_splat(x); 4])
    }
    #[inline(always)]
    fn spread(self, x: &[f32; 4]) -> F128x4 {
        each!(|K| f32x4_splat(x[K]))
    }
    #[inline(always)]
    fn tile(self, x: &[f32; 4]) -> F128x4 {
        F128x4([must_cast(*x); 4])
    }
    #[inline(always)]
    fn load(self, x: &[f32; 16]) -> F128x4 {
        F128x4(must_cast(*x))
    }
    #[inline(always)]
    fn spread_of<const K: usize>(self, x: F128x4) -> F128x4 {
        let x = x.0[K];
        F128x4([
            i32x4_shuffle::<0, 0, 0, 0>(x, x),
            i32x4_shuffle::<1, 1, 1, 1>(x, x),
            i32x4_shuffle::<2, 2, 2, 2>(x, x),
            i32x4_shuffle::<3, 3, 3, 3>(x, x),
        ])
    }
    #[inline(always)]
    fn tile_of<const K: usize>(self, x: F128x4) -> F128x4 {
        F128x4([x.0[K]; 4])
    }
    #[inline(always)]
    fn store(self, x: F128x4) -> [f32; 16] {
        must_cast(x.0)
    }
    #[inline(always)]
    fn abs(self, x: F128x4) -> F128x4 {
        each!(|K| f32x4_abs(x.0[K]))
    }
    #[inline(always)]
    fn mul_add(self, x: F128x4, y: F128x4, z: F128x4) -> F128x4 {
        each!(|K| f32x4_add(f32x4_mul(x.0[K], y.0[K]), z.0[K]))
    }
    #[inline(always)]
    fn sub_mul(self, z: F128x4, x: F128x4, y: F128x4) -> F128x4 {
        each!(|K| f32x4_sub(z.0[K], f32x4_mul(x.0[K], y.0[K])))
    }
    // The pseudo-maximum of `a` and `b` is `a < b ? b : a`: the first one where one is NaN.
    #[inline(always)]
    fn max(self, x: F128x4, y: F128x4) -> F128x4 {
        each!(|K| f32x4_pmax(y.0[K], x.0[K]))
    }
    #[inline(always)]
    fn min(self, x: F128x4, y: F128x4) -> F128x4 {
        each!(|K| f32x4_pmin(y.0[K], x.0[K]))
    }
    #[inline(always)]
    fn sqrt(self, x: F128x4) -> F128x4 {
        each!(|K| f32x4_sqrt(x.0[K]))
    }
    #[inline(always)]
    fn div(self, x: F128x4, y: F128x4) -> F128x4 {
        each!(|K| f32x4_div(x.0[K], y.0[K]))
    }
    #[inline(always)]
    fn gt(self, x: F128x4, y: F128x4) -> u16 {
        let above = |k: usize| u16::from(i32x4_bitmask(f32x4_gt(x.0[k], y.0[k])));
        above(0) | above(1) << 4 | above(2) << 8 | above(3) << 12
    }
    #[inline(always)]
    fn select(self, mask: u16, x: F128x4, y: F128x4) -> F128x4 {
        let mask = i32x4_splat(i32::from(mask));
        each!(|K| {
            let bits = i32x4(1 << (4 * K), 2 << (4 * K), 4 << (4 * K), 8 << (4 * K));
            v128_bitselect(x.0[K], y.0[K], i32x4_eq(v128_and(mask, bits), bits))
        })
    }
    #[inline(always)]
    fn highest(self, _: &[Eight], _: DVec3) -> Option<usize> {
        None
    }
}
