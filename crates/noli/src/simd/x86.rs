//! The same lanes in the registers of x86-64. The only module of this crate with unsafe code: intrinsics are called through zero-sized tokens
//! that can only be had where the CPU supports them. What that gains is in `docs/engine.md`.
#![allow(unsafe_code)]

use super::{Add, DVec3, Eight, Kernel, Mul, Simd, Sub, Task, three};
use std::arch::x86_64::*;

/// Proof that the CPU has AVX-512 (F, VL, DQ, BW) and the older sets.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx512(());

/// Proof that the CPU has AVX2, fused multiply-add and bit manipulation.
#[derive(Clone, Copy, Debug)]
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

/// What a token proves: the features that are detected are those that its code is compiled with, by one list. Virtual
/// machines mask single features, so that none of them implies another.
macro_rules! features {
    ($token:ident: $($feature:tt)+) => {
        impl $token {
            #[inline(always)]
            pub(crate) fn detect() -> Option<Self> {
                ($(is_x86_feature_detected!($feature))&&+).then_some(Self(()))
            }

            #[inline(always)]
            pub(crate) fn run<T: Task>(self, task: T) -> T::Output {
                #[target_feature($(enable = $feature),+)]
                #[inline(never)]
                fn inner<T: Task>(simd: $token, task: T) -> T::Output {
                    task.run(simd)
                }
                // SAFETY: the token proves these features.
                unsafe { inner(self, task) }
            }

            #[inline(always)]
            pub(crate) fn call<K: Kernel<A, B, C>, A, B, C>(self, kernel: &K, a: A, b: B, c: C) -> K::Output {
                #[target_feature($(enable = $feature),+)]
                fn inner<K: Kernel<A, B, C>, A, B, C>(simd: $token, kernel: &K, a: A, b: B, c: C) -> K::Output {
                    kernel.run(simd, a, b, c)
                }
                // SAFETY: the token proves these features.
                unsafe { inner(self, kernel, a, b, c) }
            }
        }
    };
}
features!(Avx512: "avx512f" "avx512vl" "avx512dq" "avx512bw" "avx2" "fma" "bmi1" "bmi2" "lzcnt" "popcnt");
features!(Avx2: "avx2" "fma" "bmi1" "bmi2" "popcnt");

// SAFETY of every block below: the token proves that the CPU has the instructions, and
// references give valid addresses.
impl Simd for Avx512 {
    type F = F512;
    const FUSED: bool = true;

    #[inline(always)]
    fn apart<T: Task>(self, task: T) -> T::Output {
        self.run(task)
    }
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
    fn highest(self, vertices: &[Eight], d: DVec3) -> Option<usize> {
        // SAFETY: see above.
        unsafe {
            let axes = three!(|C| _mm512_set1_pd(d[C]));
            let mut heights = [heights_512(vertices.first()?, &axes); 8];
            let mut top = heights[0];
            for k in 1..vertices.len().min(8) {
                heights[k] = heights_512(&vertices[k], &axes);
                top = _mm512_max_pd(heights[k], top);
            }
            top = _mm512_max_pd(top, _mm512_shuffle_f64x2::<0x4e>(top, top));
            top = _mm512_max_pd(top, _mm512_shuffle_f64x2::<0xb1>(top, top));
            top = _mm512_max_pd(top, _mm512_permute_pd::<0x55>(top));
            let mut at = u64::from(_mm512_cmp_pd_mask::<_CMP_EQ_OQ>(heights[0], top));
            for k in 1..vertices.len().min(8) {
                at |= u64::from(_mm512_cmp_pd_mask::<_CMP_EQ_OQ>(heights[k], top)) << (8 * k);
            }
            Some(at.trailing_zeros() as usize)
        }
    }
}

impl Simd for Avx2 {
    type F = F256x2;
    const FUSED: bool = true;

    #[inline(always)]
    fn apart<T: Task>(self, task: T) -> T::Output {
        self.run(task)
    }
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
    fn highest(self, vertices: &[Eight], d: DVec3) -> Option<usize> {
        // SAFETY: see above.
        unsafe {
            let axes = three!(|C| _mm256_set1_pd(d[C]));
            let mut heights = [heights_256(vertices.first()?, &axes); 8];
            let mut top = heights[0][0];
            for k in 0..vertices.len().min(8) {
                heights[k] = heights_256(&vertices[k], &axes);
                top = _mm256_max_pd(_mm256_max_pd(heights[k][0], heights[k][1]), top);
            }
            top = _mm256_max_pd(top, _mm256_permute2f128_pd::<1>(top, top));
            top = _mm256_max_pd(top, _mm256_permute_pd::<0x5>(top));
            let mut at = 0u64;
            for k in 0..vertices.len().min(8) {
                let low = _mm256_movemask_pd(_mm256_cmp_pd::<_CMP_EQ_OQ>(heights[k][0], top)) as u64;
                let high = _mm256_movemask_pd(_mm256_cmp_pd::<_CMP_EQ_OQ>(heights[k][1], top)) as u64;
                at |= (low | high << 4) << (8 * k);
            }
            Some(at.trailing_zeros() as usize)
        }
    }
}

/// The heights of eight vertices along a direction, whose coordinates are in all lanes of `d`.
///
/// # Safety
/// The CPU must have AVX-512.
#[inline(always)]
unsafe fn heights_512(Eight(vertices): &Eight, d: &[__m512d; 3]) -> __m512d {
    // SAFETY: the caller's promise.
    unsafe {
        let [x, y, z] = three!(|C| _mm512_mul_pd(_mm512_loadu_pd(vertices[C].as_ptr()), d[C]));
        _mm512_add_pd(_mm512_add_pd(x, y), z)
    }
}

/// The same in two halves.
///
/// # Safety
/// The CPU must have AVX2.
#[inline(always)]
unsafe fn heights_256(Eight(vertices): &Eight, d: &[__m256d; 3]) -> [__m256d; 2] {
    // SAFETY: the caller's promise; both halves lie within eight numbers.
    unsafe {
        let [x, y, z] = three!(|C| _mm256_mul_pd(_mm256_loadu_pd(vertices[C].as_ptr()), d[C]));
        let low = _mm256_add_pd(_mm256_add_pd(x, y), z);
        let [x, y, z] = three!(|C| _mm256_mul_pd(_mm256_loadu_pd(vertices[C].as_ptr().add(4)), d[C]));
        [low, _mm256_add_pd(_mm256_add_pd(x, y), z)]
    }
}

/// Requests every cache line of `x`; the instruction is part of the baseline.
#[inline(always)]
pub(super) fn prefetch<T>(x: &T) {
    let start = std::ptr::from_ref(x).cast::<i8>();
    for line in 0..size_of::<T>().div_ceil(64) {
        // SAFETY: prefetching is a hint and the address lies inside `x`.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(start.add(64 * line)) };
    }
}
