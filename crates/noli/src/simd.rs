//! Sixteen `f32` lanes on whatever the machine has: AVX-512, AVX2, or portable code.
//!
//! A kernel is written once against [`Simd`]. Multiplications and additions are fused where the
//! processor can, which is a third fewer instructions and only ever drops a rounding: the error
//! bounds of the kernels allow for both, so verdicts are the same everywhere. AVX-512 and AVX2 agree to
//! the last bit. This is the only module with unsafe code: intrinsics are called through zero-sized tokens
//! that can only be had where the processor supports them. What that gains is in `docs/engine.md`.
#![allow(unsafe_code)]

use glam::DVec3;
use noli_geom::Eight;
use std::ops::{Add, Mul, Sub};
use std::sync::OnceLock;

/// Which instructions the kernels use. All give the same answers; they differ in speed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Instructions {
    /// Whatever the compiler makes of plain arrays.
    Portable,
    /// 256-bit vectors.
    Avx2,
    /// 512-bit vectors.
    Avx512,
}

impl Instructions {
    /// The best this machine offers.
    pub fn best() -> Self {
        static BEST: OnceLock<Instructions> = OnceLock::new();
        *BEST.get_or_init(|| *Self::available().last().unwrap_or(&Self::Portable))
    }

    /// Everything this machine offers, slowest first.
    pub fn available() -> Vec<Self> {
        let mut all = vec![Self::Portable];
        #[cfg(target_arch = "x86_64")]
        {
            if x86::Avx2::detect().is_some() {
                all.push(Self::Avx2);
            }
            if x86::Avx512::detect().is_some() {
                all.push(Self::Avx512);
            }
        }
        all
    }
}

/// Run `task` with the kernels compiled for `instructions`, or for portable code where the machine
/// lacks them.
pub(crate) fn dispatch<T: Task>(instructions: Instructions, task: T) -> T::Output {
    #[cfg(target_arch = "x86_64")]
    match instructions {
        Instructions::Avx512 => {
            if let Some(simd) = x86::Avx512::detect() {
                return simd.run(task);
            }
        }
        Instructions::Avx2 => {
            if let Some(simd) = x86::Avx2::detect() {
                return simd.run(task);
            }
        }
        Instructions::Portable => {}
    }
    let _ = instructions;
    task.run(Portable)
}

/// Work that is compiled once per instruction set. `run` must be `#[inline(always)]`.
pub(crate) trait Task {
    type Output;
    fn run<S: Simd>(self, simd: S) -> Self::Output;
}

/// Sixteen lanes. Lane `4·i + j` stands for child `i` of one node and child `j` of another.
pub(crate) trait Simd: Copy {
    type F: Copy + Add<Output = Self::F> + Sub<Output = Self::F> + Mul<Output = Self::F>;
    /// Whether a product and a sum take one rounding instead of two.
    const FUSED: bool;

    fn splat(self, x: f32) -> Self::F;
    /// Lane `4·i + j` takes `x[i]`.
    fn spread(self, x: &[f32; 4]) -> Self::F;
    /// Lane `4·i + j` takes `x[j]`.
    fn tile(self, x: &[f32; 4]) -> Self::F;
    fn load(self, x: &[f32; 16]) -> Self::F;
    /// Lane `4·i + j` takes lane `4·K + i`.
    fn spread_of<const K: usize>(self, x: Self::F) -> Self::F;
    /// Lane `4·i + j` takes lane `4·K + j`.
    fn tile_of<const K: usize>(self, x: Self::F) -> Self::F;
    fn store(self, x: Self::F) -> [f32; 16];
    fn abs(self, x: Self::F) -> Self::F;
    /// `x·y + z`.
    fn mul_add(self, x: Self::F, y: Self::F, z: Self::F) -> Self::F;
    /// `z − x·y`.
    fn sub_mul(self, z: Self::F, x: Self::F, y: Self::F) -> Self::F;
    fn max(self, x: Self::F, y: Self::F) -> Self::F;
    fn min(self, x: Self::F, y: Self::F) -> Self::F;
    fn sqrt(self, x: Self::F) -> Self::F;
    fn div(self, x: Self::F, y: Self::F) -> Self::F;
    /// Bit `l` is set where `x > y` in lane `l`; unset for NaN.
    fn gt(self, x: Self::F, y: Self::F) -> u16;
    /// `x` where the bit is set, else `y`.
    fn select(self, mask: u16, x: Self::F, y: Self::F) -> Self::F;
    /// Ask for the cache line at `x` ahead of use.
    fn prefetch<T>(self, x: &T);
    /// The number of the corner that is highest along `d`, the first of several, of at most 64; nothing where looking at all of
    /// them is slow. Products are not fused, so it is the same one everywhere.
    fn highest(self, corners: &[Eight], d: DVec3) -> Option<usize>;
}

/// `[f(0), f(1), f(2)]` without a closure: intrinsics are inlined only through functions that are
/// inlined themselves, and closures handed to `array::map` are not.
macro_rules! three {
    (|$i:ident| $body:expr) => {{
        [
            {
                const $i: usize = 0;
                $body
            },
            {
                const $i: usize = 1;
                $body
            },
            {
                const $i: usize = 2;
                $body
            },
        ]
    }};
}
pub(crate) use three;

/// A vector in each lane.
pub(crate) type Vector<S> = [<S as Simd>::F; 3];

#[inline(always)]
pub(crate) fn dot<S: Simd>(s: S, x: &Vector<S>, y: &Vector<S>) -> S::F {
    s.mul_add(x[2], y[2], s.mul_add(x[1], y[1], x[0] * y[0]))
}

#[inline(always)]
pub(crate) fn cross<S: Simd>(s: S, x: &Vector<S>, y: &Vector<S>) -> Vector<S> {
    [
        s.sub_mul(x[1] * y[2], x[2], y[1]),
        s.sub_mul(x[2] * y[0], x[0], y[2]),
        s.sub_mul(x[0] * y[1], x[1], y[0]),
    ]
}

#[inline(always)]
pub(crate) fn minus<S: Simd>(_: S, x: &Vector<S>, y: &Vector<S>) -> Vector<S> {
    [x[0] - y[0], x[1] - y[1], x[2] - y[2]]
}

/// [`Simd::spread`] of each component.
#[inline(always)]
pub(crate) fn spread<S: Simd>(s: S, x: &[[f32; 4]; 3]) -> Vector<S> {
    [s.spread(&x[0]), s.spread(&x[1]), s.spread(&x[2])]
}

/// [`Simd::tile`] of each component.
#[inline(always)]
pub(crate) fn tile<S: Simd>(s: S, x: &[[f32; 4]; 3]) -> Vector<S> {
    [s.tile(&x[0]), s.tile(&x[1]), s.tile(&x[2])]
}

/// `x·y + z` of one lane, rounded as [`Simd::mul_add`] does it.
#[inline(always)]
pub(crate) fn mul_add<S: Simd>(_: S, x: f32, y: f32, z: f32) -> f32 {
    if S::FUSED { x.mul_add(y, z) } else { x * y + z }
}

/// `rows·x` for four vectors: what only one side needs is done four wide, before it meets the other side.
#[inline(always)]
pub(crate) fn rotate<S: Simd>(s: S, rows: &[[f32; 3]; 3], x: &[[f32; 4]; 3]) -> [[f32; 4]; 3] {
    let mut out = [[0.0; 4]; 3];
    for c in 0..3 {
        for l in 0..4 {
            let sum = mul_add(s, rows[c][1], x[1][l], rows[c][0] * x[0][l]);
            out[c][l] = mul_add(s, rows[c][2], x[2][l], sum);
        }
    }
    out
}

/// `rows·x` for sixteen vectors.
#[inline(always)]
pub(crate) fn rotate_all<S: Simd>(s: S, rows: &[[f32; 3]; 3], x: &[[f32; 16]; 3]) -> Vector<S> {
    let x = three!(|C| s.load(&x[C]));
    three!(|R| dot(s, &three!(|C| s.splat(rows[R][C])), &x))
}

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
    fn prefetch<T>(self, _: &T) {}
    #[inline(always)]
    fn highest(self, _: &[Eight], _: DVec3) -> Option<usize> {
        None
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{Add, DVec3, Eight, Mul, Simd, Sub, Task};
    use std::arch::x86_64::*;

    /// Proof that the processor has AVX-512 (F, VL, DQ, BW).
    #[derive(Clone, Copy)]
    pub(crate) struct Avx512(());

    /// Proof that the processor has AVX2 and fused multiply-add.
    #[derive(Clone, Copy)]
    pub(crate) struct Avx2(());

    #[derive(Clone, Copy)]
    pub(crate) struct F512(__m512);

    #[derive(Clone, Copy)]
    pub(crate) struct F256x2(__m256, __m256);

    macro_rules! operators {
        ($trait:ident, $method:ident, $wide:ident, $half:ident) => {
            impl $trait for F512 {
                type Output = Self;
                #[inline(always)]
                fn $method(self, other: Self) -> Self {
                    // SAFETY: an `F512` is only made by an `Avx512` token.
                    Self(unsafe { $wide(self.0, other.0) })
                }
            }
            impl $trait for F256x2 {
                type Output = Self;
                #[inline(always)]
                fn $method(self, other: Self) -> Self {
                    // SAFETY: an `F256x2` is only made by an `Avx2` token.
                    unsafe { Self($half(self.0, other.0), $half(self.1, other.1)) }
                }
            }
        };
    }
    operators!(Add, add, _mm512_add_ps, _mm256_add_ps);
    operators!(Sub, sub, _mm512_sub_ps, _mm256_sub_ps);
    operators!(Mul, mul, _mm512_mul_ps, _mm256_mul_ps);

    impl Avx512 {
        #[inline(always)]
        pub(crate) fn detect() -> Option<Self> {
            (is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512bw"))
            .then_some(Self(()))
        }

        pub(crate) fn run<T: Task>(self, task: T) -> T::Output {
            #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
            fn inner<T: Task>(simd: Avx512, task: T) -> T::Output {
                task.run(simd)
            }
            // SAFETY: the token proves AVX-512; processors with it have the older sets too.
            unsafe { inner(self, task) }
        }
    }

    // SAFETY of every block below: the token proves that the processor has the instructions, and
    // references give valid addresses.
    impl Simd for Avx512 {
        type F = F512;
        const FUSED: bool = true;

        #[inline(always)]
        fn splat(self, x: f32) -> F512 {
            // SAFETY: see above.
            F512(unsafe { _mm512_set1_ps(x) })
        }
        #[inline(always)]
        fn spread(self, x: &[f32; 4]) -> F512 {
            // SAFETY: see above.
            unsafe {
                let lanes = _mm512_set_epi32(3, 3, 3, 3, 2, 2, 2, 2, 1, 1, 1, 1, 0, 0, 0, 0);
                let x = _mm512_castps128_ps512(_mm_loadu_ps(x.as_ptr()));
                F512(_mm512_permutexvar_ps(lanes, x))
            }
        }
        #[inline(always)]
        fn tile(self, x: &[f32; 4]) -> F512 {
            // SAFETY: see above.
            F512(unsafe { _mm512_broadcast_f32x4(_mm_loadu_ps(x.as_ptr())) })
        }
        #[inline(always)]
        fn load(self, x: &[f32; 16]) -> F512 {
            // SAFETY: see above.
            F512(unsafe { _mm512_loadu_ps(x.as_ptr()) })
        }
        #[inline(always)]
        fn spread_of<const K: usize>(self, x: F512) -> F512 {
            let k = 4 * K as i32;
            // SAFETY: see above.
            unsafe {
                let first = _mm512_set_epi32(3, 3, 3, 3, 2, 2, 2, 2, 1, 1, 1, 1, 0, 0, 0, 0);
                F512(_mm512_permutexvar_ps(_mm512_add_epi32(first, _mm512_set1_epi32(k)), x.0))
            }
        }
        #[inline(always)]
        fn tile_of<const K: usize>(self, x: F512) -> F512 {
            // SAFETY: see above.
            F512(unsafe {
                match K {
                    0 => _mm512_shuffle_f32x4::<0x00>(x.0, x.0),
                    1 => _mm512_shuffle_f32x4::<0x55>(x.0, x.0),
                    2 => _mm512_shuffle_f32x4::<0xaa>(x.0, x.0),
                    _ => _mm512_shuffle_f32x4::<0xff>(x.0, x.0),
                }
            })
        }
        #[inline(always)]
        fn store(self, x: F512) -> [f32; 16] {
            let mut out = [0.0; 16];
            // SAFETY: see above.
            unsafe { _mm512_storeu_ps(out.as_mut_ptr(), x.0) };
            out
        }
        #[inline(always)]
        fn abs(self, x: F512) -> F512 {
            // SAFETY: see above.
            F512(unsafe { _mm512_abs_ps(x.0) })
        }
        #[inline(always)]
        fn mul_add(self, x: F512, y: F512, z: F512) -> F512 {
            // SAFETY: see above.
            F512(unsafe { _mm512_fmadd_ps(x.0, y.0, z.0) })
        }
        #[inline(always)]
        fn sub_mul(self, z: F512, x: F512, y: F512) -> F512 {
            // SAFETY: see above.
            F512(unsafe { _mm512_fnmadd_ps(x.0, y.0, z.0) })
        }
        #[inline(always)]
        fn max(self, x: F512, y: F512) -> F512 {
            // SAFETY: see above.
            F512(unsafe { _mm512_max_ps(x.0, y.0) })
        }
        #[inline(always)]
        fn min(self, x: F512, y: F512) -> F512 {
            // SAFETY: see above.
            F512(unsafe { _mm512_min_ps(x.0, y.0) })
        }
        #[inline(always)]
        fn sqrt(self, x: F512) -> F512 {
            // SAFETY: see above.
            F512(unsafe { _mm512_sqrt_ps(x.0) })
        }
        #[inline(always)]
        fn div(self, x: F512, y: F512) -> F512 {
            // SAFETY: see above.
            F512(unsafe { _mm512_div_ps(x.0, y.0) })
        }
        #[inline(always)]
        fn gt(self, x: F512, y: F512) -> u16 {
            // SAFETY: see above.
            unsafe { _mm512_cmp_ps_mask::<_CMP_GT_OQ>(x.0, y.0) }
        }
        #[inline(always)]
        fn select(self, mask: u16, x: F512, y: F512) -> F512 {
            // SAFETY: see above.
            F512(unsafe { _mm512_mask_blend_ps(mask, y.0, x.0) })
        }
        #[inline(always)]
        fn prefetch<T>(self, x: &T) {
            prefetch(x);
        }
        #[inline(always)]
        fn highest(self, corners: &[Eight], d: DVec3) -> Option<usize> {
            // SAFETY: see above.
            unsafe {
                let axes = three!(|C| _mm512_set1_pd(d[C]));
                let mut heights = [heights_512(corners.first()?, &axes); 8];
                let mut top = heights[0];
                for k in 1..corners.len().min(8) {
                    heights[k] = heights_512(&corners[k], &axes);
                    top = _mm512_max_pd(heights[k], top);
                }
                top = _mm512_max_pd(top, _mm512_shuffle_f64x2::<0x4e>(top, top));
                top = _mm512_max_pd(top, _mm512_shuffle_f64x2::<0xb1>(top, top));
                top = _mm512_max_pd(top, _mm512_permute_pd::<0x55>(top));
                let mut at = u64::from(_mm512_cmp_pd_mask::<_CMP_EQ_OQ>(heights[0], top));
                for k in 1..corners.len().min(8) {
                    at |= u64::from(_mm512_cmp_pd_mask::<_CMP_EQ_OQ>(heights[k], top)) << (8 * k);
                }
                Some(at.trailing_zeros() as usize)
            }
        }
    }

    impl Avx2 {
        #[inline(always)]
        pub(crate) fn detect() -> Option<Self> {
            (is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("fma")
                && is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("popcnt"))
            .then_some(Self(()))
        }

        pub(crate) fn run<T: Task>(self, task: T) -> T::Output {
            #[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")]
            fn inner<T: Task>(simd: Avx2, task: T) -> T::Output {
                task.run(simd)
            }
            // SAFETY: the token proves these features.
            unsafe { inner(self, task) }
        }
    }

    impl Simd for Avx2 {
        type F = F256x2;
        const FUSED: bool = true;

        #[inline(always)]
        fn splat(self, x: f32) -> F256x2 {
            // SAFETY: see above.
            unsafe { F256x2(_mm256_set1_ps(x), _mm256_set1_ps(x)) }
        }
        #[inline(always)]
        fn spread(self, x: &[f32; 4]) -> F256x2 {
            // SAFETY: see above.
            unsafe {
                let x = _mm256_castps128_ps256(_mm_loadu_ps(x.as_ptr()));
                let low = _mm256_set_epi32(1, 1, 1, 1, 0, 0, 0, 0);
                let high = _mm256_set_epi32(3, 3, 3, 3, 2, 2, 2, 2);
                F256x2(_mm256_permutevar8x32_ps(x, low), _mm256_permutevar8x32_ps(x, high))
            }
        }
        #[inline(always)]
        fn tile(self, x: &[f32; 4]) -> F256x2 {
            // SAFETY: see above.
            unsafe {
                let x = _mm_loadu_ps(x.as_ptr());
                let x = _mm256_set_m128(x, x);
                F256x2(x, x)
            }
        }
        #[inline(always)]
        fn load(self, x: &[f32; 16]) -> F256x2 {
            // SAFETY: see above.
            unsafe { F256x2(_mm256_loadu_ps(x.as_ptr()), _mm256_loadu_ps(x.as_ptr().add(8))) }
        }
        #[inline(always)]
        fn spread_of<const K: usize>(self, x: F256x2) -> F256x2 {
            let half = if K < 2 { x.0 } else { x.1 };
            let k = 4 * (K % 2) as i32;
            // SAFETY: see above.
            unsafe {
                let low = _mm256_set_epi32(k + 1, k + 1, k + 1, k + 1, k, k, k, k);
                let high = _mm256_set_epi32(k + 3, k + 3, k + 3, k + 3, k + 2, k + 2, k + 2, k + 2);
                F256x2(_mm256_permutevar8x32_ps(half, low), _mm256_permutevar8x32_ps(half, high))
            }
        }
        #[inline(always)]
        fn tile_of<const K: usize>(self, x: F256x2) -> F256x2 {
            let half = if K < 2 { x.0 } else { x.1 };
            // SAFETY: see above.
            let both = unsafe {
                match K % 2 {
                    0 => _mm256_permute2f128_ps::<0x00>(half, half),
                    _ => _mm256_permute2f128_ps::<0x11>(half, half),
                }
            };
            F256x2(both, both)
        }
        #[inline(always)]
        fn store(self, x: F256x2) -> [f32; 16] {
            let mut out = [0.0; 16];
            // SAFETY: see above; both halves lie inside `out`.
            unsafe {
                _mm256_storeu_ps(out.as_mut_ptr(), x.0);
                _mm256_storeu_ps(out.as_mut_ptr().add(8), x.1);
            }
            out
        }
        #[inline(always)]
        fn abs(self, x: F256x2) -> F256x2 {
            // SAFETY: see above.
            unsafe {
                let sign = _mm256_set1_ps(-0.0);
                F256x2(_mm256_andnot_ps(sign, x.0), _mm256_andnot_ps(sign, x.1))
            }
        }
        #[inline(always)]
        fn mul_add(self, x: F256x2, y: F256x2, z: F256x2) -> F256x2 {
            // SAFETY: see above.
            unsafe { F256x2(_mm256_fmadd_ps(x.0, y.0, z.0), _mm256_fmadd_ps(x.1, y.1, z.1)) }
        }
        #[inline(always)]
        fn sub_mul(self, z: F256x2, x: F256x2, y: F256x2) -> F256x2 {
            // SAFETY: see above.
            unsafe { F256x2(_mm256_fnmadd_ps(x.0, y.0, z.0), _mm256_fnmadd_ps(x.1, y.1, z.1)) }
        }
        #[inline(always)]
        fn max(self, x: F256x2, y: F256x2) -> F256x2 {
            // SAFETY: see above.
            unsafe { F256x2(_mm256_max_ps(x.0, y.0), _mm256_max_ps(x.1, y.1)) }
        }
        #[inline(always)]
        fn min(self, x: F256x2, y: F256x2) -> F256x2 {
            // SAFETY: see above.
            unsafe { F256x2(_mm256_min_ps(x.0, y.0), _mm256_min_ps(x.1, y.1)) }
        }
        #[inline(always)]
        fn sqrt(self, x: F256x2) -> F256x2 {
            // SAFETY: see above.
            unsafe { F256x2(_mm256_sqrt_ps(x.0), _mm256_sqrt_ps(x.1)) }
        }
        #[inline(always)]
        fn div(self, x: F256x2, y: F256x2) -> F256x2 {
            // SAFETY: see above.
            unsafe { F256x2(_mm256_div_ps(x.0, y.0), _mm256_div_ps(x.1, y.1)) }
        }
        #[inline(always)]
        fn gt(self, x: F256x2, y: F256x2) -> u16 {
            // SAFETY: see above.
            unsafe {
                let low = _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_GT_OQ>(x.0, y.0));
                let high = _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_GT_OQ>(x.1, y.1));
                (low | high << 8) as u16
            }
        }
        #[inline(always)]
        fn select(self, mask: u16, x: F256x2, y: F256x2) -> F256x2 {
            // SAFETY: see above.
            unsafe {
                let bits = _mm256_set_epi32(128, 64, 32, 16, 8, 4, 2, 1);
                let half = |mask: i32| {
                    let hit = _mm256_and_si256(_mm256_set1_epi32(mask), bits);
                    _mm256_castsi256_ps(_mm256_cmpeq_epi32(hit, bits))
                };
                let (low, high) = (half(i32::from(mask & 0xff)), half(i32::from(mask >> 8)));
                F256x2(_mm256_blendv_ps(y.0, x.0, low), _mm256_blendv_ps(y.1, x.1, high))
            }
        }
        #[inline(always)]
        fn prefetch<T>(self, x: &T) {
            prefetch(x);
        }
        #[inline(always)]
        fn highest(self, corners: &[Eight], d: DVec3) -> Option<usize> {
            // SAFETY: see above.
            unsafe {
                let axes = three!(|C| _mm256_set1_pd(d[C]));
                let mut heights = [heights_256(corners.first()?, &axes); 8];
                let mut top = heights[0][0];
                for k in 0..corners.len().min(8) {
                    heights[k] = heights_256(&corners[k], &axes);
                    top = _mm256_max_pd(_mm256_max_pd(heights[k][0], heights[k][1]), top);
                }
                top = _mm256_max_pd(top, _mm256_permute2f128_pd::<1>(top, top));
                top = _mm256_max_pd(top, _mm256_permute_pd::<0x5>(top));
                let mut at = 0u64;
                for k in 0..corners.len().min(8) {
                    let low = _mm256_movemask_pd(_mm256_cmp_pd::<_CMP_EQ_OQ>(heights[k][0], top)) as u64;
                    let high = _mm256_movemask_pd(_mm256_cmp_pd::<_CMP_EQ_OQ>(heights[k][1], top)) as u64;
                    at |= (low | high << 4) << (8 * k);
                }
                Some(at.trailing_zeros() as usize)
            }
        }
    }

    /// The heights of eight corners along a direction, whose coordinates are in all lanes of `d`.
    ///
    /// # Safety
    /// The processor must have AVX-512.
    #[inline(always)]
    unsafe fn heights_512(Eight(corners): &Eight, d: &[__m512d; 3]) -> __m512d {
        // SAFETY: the caller's promise.
        unsafe {
            let [x, y, z] = three!(|C| _mm512_mul_pd(_mm512_loadu_pd(corners[C].as_ptr()), d[C]));
            _mm512_add_pd(_mm512_add_pd(x, y), z)
        }
    }

    /// The same in two halves.
    ///
    /// # Safety
    /// The processor must have AVX2.
    #[inline(always)]
    unsafe fn heights_256(Eight(corners): &Eight, d: &[__m256d; 3]) -> [__m256d; 2] {
        // SAFETY: the caller's promise; both halves lie within eight numbers.
        unsafe {
            let [x, y, z] = three!(|C| _mm256_mul_pd(_mm256_loadu_pd(corners[C].as_ptr()), d[C]));
            let low = _mm256_add_pd(_mm256_add_pd(x, y), z);
            let [x, y, z] = three!(|C| _mm256_mul_pd(_mm256_loadu_pd(corners[C].as_ptr().add(4)), d[C]));
            [low, _mm256_add_pd(_mm256_add_pd(x, y), z)]
        }
    }

    #[inline(always)]
    fn prefetch<T>(x: &T) {
        let start = std::ptr::from_ref(x).cast::<i8>();
        for line in 0..size_of::<T>().div_ceil(64) {
            // SAFETY: prefetching is a hint and the address lies inside `x`.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(start.add(64 * line)) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use noli_geom::Hull;
    use noli_scenes::SplitMix64;

    struct Probe([f32; 16], [f32; 4]);

    impl Task for Probe {
        type Output = Vec<[u32; 16]>;
        #[inline(always)]
        fn run<S: Simd>(self, s: S) -> Self::Output {
            let x = s.load(&self.0);
            let (y, z) = (s.spread(&self.1), s.tile(&self.1));
            let mask = s.gt(x, y);
            let floats = [
                x + y * z - x,
                s.abs(x),
                s.max(x, y),
                s.min(y, z),
                s.sqrt(s.abs(x)),
                s.div(x, z),
                s.select(mask, x, z),
                s.splat(f32::from(mask)),
                s.spread_of::<0>(x),
                s.spread_of::<1>(x),
                s.spread_of::<2>(x),
                s.spread_of::<3>(x),
                s.tile_of::<0>(x),
                s.tile_of::<1>(x),
                s.tile_of::<2>(x),
                s.tile_of::<3>(x),
            ];
            floats.iter().map(|f| s.store(*f).map(f32::to_bits)).collect()
        }
    }

    #[test]
    fn every_instruction_set_computes_the_same_bits() {
        let x = std::array::from_fn(|l| (l as f32 - 7.3) * 1.7e-3);
        for y in [[0.1, -0.2, 3e-3, 1e30], [-1.0, 1e-40, 7.0, 0.3]] {
            let expected = dispatch(Instructions::Portable, Probe(x, y));
            for set in Instructions::available() {
                assert_eq!(dispatch(set, Probe(x, y)), expected, "{set:?}");
            }
        }
    }
    struct Highest<'h>(&'h Hull, DVec3);

    impl Task for Highest<'_> {
        type Output = Option<usize>;
        #[inline(always)]
        fn run<S: Simd>(self, s: S) -> Self::Output {
            s.highest(self.0.eights(), self.1)
        }
    }

    /// Hulls of 4 to 64 corners, cubes with their many ties among them.
    #[test]
    fn every_instruction_set_finds_the_same_highest_corner() {
        let mut random = SplitMix64::new(5);
        let cube = Hull::cuboid(DVec3::ONE).unwrap();
        let axes = DVec3::AXES.into_iter().flat_map(|axis| [axis, -axis, axis + DVec3::Y]);
        let directions: Vec<DVec3> = axes.chain((0..200).map(|_| random.direction() * 3.7)).collect();
        for corners in 4..=64 {
            let hull = Hull::new((0..corners).map(|_| random.direction())).unwrap();
            for (hull, &d) in
                [&cube, &hull].into_iter().flat_map(|hull| directions.iter().map(move |d| (hull, d)))
            {
                let expected = hull.furthest_of_all(d) as usize;
                for set in Instructions::available() {
                    let found = dispatch(set, Highest(hull, d));
                    assert!(found.is_none_or(|corner| corner == expected), "{set:?} {corners} {d}");
                    assert_eq!(found.is_none(), set == Instructions::Portable);
                }
            }
        }
    }

    #[test]
    fn no_corner_is_highest_along_what_is_no_direction() {
        let cube = Hull::cuboid(DVec3::ONE).unwrap();
        for set in Instructions::available() {
            assert!(dispatch(set, Highest(&cube, DVec3::NAN)).is_none_or(|corner| corner >= 8));
        }
    }
}
