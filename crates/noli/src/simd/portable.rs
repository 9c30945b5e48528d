//! Lanes as four vectors of four numbers, which every 64-bit machine has, for those without wider ones.

use super::{Simd, Task, run_portable};
use glam::{BVec4A, DVec3, Vec4};
use noli_geom::internals::Eight;
use std::ops::{Add, Mul, Sub};

/// Four lanes at a time; the reference for the others.
#[derive(Clone, Copy)]
pub(crate) struct Portable;

#[derive(Clone, Copy)]
pub(crate) struct Fours([Vec4; 4]);

impl Fours {
    /// Written out: a loop would be unrolled again in every kernel.
    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(Vec4, Vec4) -> Vec4) -> Self {
        let ([a, b, c, d], [x, y, z, w]) = (self.0, other.0);
        Self([f(a, x), f(b, y), f(c, z), f(d, w)])
    }
}

macro_rules! operator {
    ($trait:ident, $method:ident, $operator:tt) => {
        impl $trait for Fours {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                self.zip(other, |x, y| x $operator y)
            }
        }
    };
}
operator!(Add, add, +);
operator!(Sub, sub, -);
operator!(Mul, mul, *);

impl Simd for Portable {
    type F = Fours;
    const FUSED: bool = cfg!(any(target_feature = "fma", target_arch = "aarch64"));

    #[inline(always)]
    fn apart<T: Task>(self, task: T) -> T::Output {
        run_portable(task)
    }
    #[inline(always)]
    fn splat(self, x: f32) -> Fours {
        Fours([Vec4::splat(x); 4])
    }
    #[inline(always)]
    fn spread(self, [a, b, c, d]: &[f32; 4]) -> Fours {
        Fours([Vec4::splat(*a), Vec4::splat(*b), Vec4::splat(*c), Vec4::splat(*d)])
    }
    #[inline(always)]
    fn tile(self, x: &[f32; 4]) -> Fours {
        Fours([Vec4::from_array(*x); 4])
    }
    #[inline(always)]
    fn load(self, x: &[f32; 16]) -> Fours {
        let four = |k: usize| Vec4::new(x[k], x[k + 1], x[k + 2], x[k + 3]);
        Fours([four(0), four(4), four(8), four(12)])
    }
    #[inline(always)]
    fn spread_of<const K: usize>(self, x: Fours) -> Fours {
        self.spread(&x.0[K].to_array())
    }
    #[inline(always)]
    fn tile_of<const K: usize>(self, x: Fours) -> Fours {
        Fours([x.0[K]; 4])
    }
    #[inline(always)]
    fn store(self, x: Fours) -> [f32; 16] {
        let [a, b, c, d] = x.0;
        bytemuck::cast([a.to_array(), b.to_array(), c.to_array(), d.to_array()])
    }
    #[inline(always)]
    fn abs(self, x: Fours) -> Fours {
        x.zip(x, |x, _| x.abs())
    }
    #[inline(always)]
    fn mul_add(self, x: Fours, y: Fours, z: Fours) -> Fours {
        if !Self::FUSED {
            return x * y + z;
        }
        let ([a, b, c, d], [e, f, g, h], [i, j, k, l]) = (x.0, y.0, z.0);
        Fours([a.mul_add(e, i), b.mul_add(f, j), c.mul_add(g, k), d.mul_add(h, l)])
    }
    #[inline(always)]
    fn sub_mul(self, z: Fours, x: Fours, y: Fours) -> Fours {
        if Self::FUSED { self.mul_add(x.zip(x, |x, _| -x), y, z) } else { z - x * y }
    }
    // `max` and `min` follow the instructions of x86: the second operand where one is NaN.
    #[inline(always)]
    fn max(self, x: Fours, y: Fours) -> Fours {
        x.zip(y, |x, y| Vec4::select(x.cmpgt(y), x, y))
    }
    #[inline(always)]
    fn min(self, x: Fours, y: Fours) -> Fours {
        x.zip(y, |x, y| Vec4::select(x.cmplt(y), x, y))
    }
    #[inline(always)]
    fn sqrt(self, x: Fours) -> Fours {
        x.zip(x, |x, _| x.sqrt())
    }
    #[inline(always)]
    fn div(self, x: Fours, y: Fours) -> Fours {
        x.zip(y, |x, y| x / y)
    }
    #[inline(always)]
    fn gt(self, x: Fours, y: Fours) -> u16 {
        let mask = |k: usize| (x.0[k].cmpgt(y.0[k]).bitmask() as u16) << (4 * k);
        mask(0) | mask(1) | mask(2) | mask(3)
    }
    #[inline(always)]
    fn select(self, mask: u16, x: Fours, y: Fours) -> Fours {
        let four = |k: usize| {
            let bit = |l: usize| mask >> (4 * k + l) & 1 == 1;
            Vec4::select(BVec4A::new(bit(0), bit(1), bit(2), bit(3)), x.0[k], y.0[k])
        };
        Fours([four(0), four(1), four(2), four(3)])
    }
    #[inline(always)]
    fn highest(self, _: &[Eight], _: DVec3) -> Option<usize> {
        None
    }
}
