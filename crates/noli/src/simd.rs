//! Sixteen `f32` lanes on whatever the machine has: AVX-512, AVX2, 128-bit vectors of WebAssembly, or portable code.
//!
//! A kernel is written once against [`Simd`]. Multiplications and additions are fused where the
//! CPU can, which is a third fewer instructions and only ever drops a rounding: the error
//! bounds of the kernels allow for both, so verdicts are the same everywhere. AVX-512 and AVX2 agree to
//! the last bit.

mod portable;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod wasm;
#[cfg(target_arch = "x86_64")]
mod x86;

use glam::DVec3;
use noli_geom::internals::Eight;
pub(crate) use portable::Portable;
#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
use portable::Portable as Compiled;
use std::ops::{Add, Mul, Sub};
use std::sync::OnceLock;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use wasm::Simd128 as Compiled;

/// Instruction set of the kernels. All give the same answers; they differ in speed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Instructions {
    /// The instructions that the program was compiled for: what the compiler makes of plain arrays, in WebAssembly with
    /// `simd128` 128-bit vectors.
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
        #[cfg_attr(not(target_arch = "x86_64"), allow(unused_mut, reason = "there is nothing to add"))]
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

/// An instruction set that this machine supports. Detection takes place once a query; a kernel costs a branch and a call.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Supported {
    /// The instructions that the program was compiled for.
    Portable,
    /// 256-bit vectors.
    #[cfg(target_arch = "x86_64")]
    Avx2(x86::Avx2),
    /// 512-bit vectors.
    #[cfg(target_arch = "x86_64")]
    Avx512(x86::Avx512),
}

impl Supported {
    /// These instructions, or portable code where the machine lacks them.
    pub(crate) fn new(instructions: Instructions) -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            let found = match instructions {
                Instructions::Avx512 => x86::Avx512::detect().map(Self::Avx512),
                Instructions::Avx2 => x86::Avx2::detect().map(Self::Avx2),
                Instructions::Portable => None,
            };
            found.unwrap_or(Self::Portable)
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            let _ = instructions;
            Self::Portable
        }
    }

    /// Runs `task` compiled for this instruction set.
    #[inline(always)]
    pub(crate) fn run<T: Task>(self, task: T) -> T::Output {
        match self {
            Self::Portable => run_portable(task),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(simd) => simd.run(task),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(simd) => simd.run(task),
        }
    }
}

impl Supported {
    /// Runs a kernel compiled for this instruction set.
    #[inline(always)]
    pub(crate) fn call<K: Kernel<A, B, C>, A, B, C>(self, kernel: &K, a: A, b: B, c: C) -> K::Output {
        match self {
            Self::Portable => call_portable(kernel, a, b, c),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(simd) => simd.call(kernel, a, b, c),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(simd) => simd.call(kernel, a, b, c),
        }
    }
}

/// A short task that runs once a block or leaf: its arguments are passed one by one, hence in registers.
pub(crate) trait Kernel<A, B, C> {
    type Output;
    /// Must be `#[inline(always)]`.
    fn run<S: Simd>(&self, simd: S, a: A, b: B, c: C) -> Self::Output;
}

#[inline(never)]
#[cfg_attr(target_arch = "x86_64", cold)]
fn call_portable<K: Kernel<A, B, C>, A, B, C>(kernel: &K, a: A, b: B, c: C) -> K::Output {
    kernel.run(Compiled, a, b, c)
}

/// Never inlined, so that each task has one portable copy.
#[inline(never)]
#[cfg_attr(target_arch = "x86_64", cold)]
fn run_portable<T: Task>(task: T) -> T::Output {
    task.run(Compiled)
}

/// Runs `task` with the kernels compiled for `instructions`, or for portable code where the machine
/// lacks them.
pub fn dispatch<T: Task>(instructions: Instructions, task: T) -> T::Output {
    Supported::new(instructions).run(task)
}

/// Requests the cache lines of `x` ahead of use.
#[inline(always)]
pub(crate) fn prefetch<T>(x: &T) {
    #[cfg(target_arch = "x86_64")]
    x86::prefetch(x);
    #[cfg(not(target_arch = "x86_64"))]
    let _ = x;
}

/// Work that is compiled once per instruction set. `run` must be `#[inline(always)]`.
pub trait Task {
    /// Result type.
    type Output;
    /// Does it.
    fn run<S: Simd>(self, simd: S) -> Self::Output;
}

/// Plain loops over lanes that are compiled once per instruction set. `run`, and all it calls, must be
/// `#[inline(always)]` to gain by it. Nothing is fused, so results are the same everywhere.
pub trait Work {
    /// Result type.
    type Output;
    /// Does it.
    fn run(self) -> Self::Output;
}

struct Plain<W>(W);

impl<W: Work> Task for Plain<W> {
    type Output = W::Output;

    #[inline(always)]
    fn run<S: Simd>(self, _: S) -> W::Output {
        self.0.run()
    }
}

/// Does work with the best instructions that this machine offers.
pub fn vectorised<W: Work>(work: W) -> W::Output {
    dispatch(Instructions::best(), Plain(work))
}

/// Sixteen lanes. Lane `4·i + j` holds the pair of child `i` of one node and child `j` of another.
pub trait Simd: Copy {
    /// Sixteen numbers.
    type F: Copy + Add<Output = Self::F> + Sub<Output = Self::F> + Mul<Output = Self::F>;
    /// `true` if a product and a sum take one rounding instead of two.
    const FUSED: bool;

    /// The same number in all lanes.
    fn splat(self, x: f32) -> Self::F;
    /// Lane `4·i + j` takes `x[i]`.
    fn spread(self, x: &[f32; 4]) -> Self::F;
    /// Lane `4·i + j` takes `x[j]`.
    fn tile(self, x: &[f32; 4]) -> Self::F;
    /// One number in each lane.
    fn load(self, x: &[f32; 16]) -> Self::F;
    /// Lane `4·i + j` takes lane `4·K + i`.
    fn spread_of<const K: usize>(self, x: Self::F) -> Self::F;
    /// Lane `4·i + j` takes lane `4·K + j`.
    fn tile_of<const K: usize>(self, x: Self::F) -> Self::F;
    /// The numbers of all lanes.
    fn store(self, x: Self::F) -> [f32; 16];
    /// Magnitudes.
    fn abs(self, x: Self::F) -> Self::F;
    /// `x·y + z`.
    fn mul_add(self, x: Self::F, y: Self::F, z: Self::F) -> Self::F;
    /// `z − x·y`.
    fn sub_mul(self, z: Self::F, x: Self::F, y: Self::F) -> Self::F;
    /// The larger; the second where one is NaN.
    fn max(self, x: Self::F, y: Self::F) -> Self::F;
    /// The smaller; the second where one is NaN.
    fn min(self, x: Self::F, y: Self::F) -> Self::F;
    /// Square roots.
    fn sqrt(self, x: Self::F) -> Self::F;
    /// Quotients.
    fn div(self, x: Self::F, y: Self::F) -> Self::F;
    /// Bit `l` is set where `x > y` in lane `l`; unset for NaN.
    fn gt(self, x: Self::F, y: Self::F) -> u16;
    /// `x` where the bit is set, else `y`.
    fn select(self, mask: u16, x: Self::F, y: Self::F) -> Self::F;
    /// Returns the number of the vertex that is highest along `d`, the first of several, of at most 64. `None`
    /// where testing all of them is slow. Products are not fused, so the result is the same everywhere.
    fn highest(self, vertices: &[Eight], d: DVec3) -> Option<usize>;
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

/// Computes `rows·x` for four vectors. Work that only one side needs is done four wide, before the sides are
/// combined.
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

    /// Hulls of 4 to 64 vertices, cubes with their many ties among them.
    #[test]
    fn every_instruction_set_finds_the_same_highest_vertex() {
        let mut random = SplitMix64::new(5);
        let cube = Hull::cuboid(DVec3::ONE).unwrap();
        let axes = DVec3::AXES.into_iter().flat_map(|axis| [axis, -axis, axis + DVec3::Y]);
        let directions: Vec<DVec3> = axes.chain((0..200).map(|_| random.direction() * 3.7)).collect();
        for vertices in 4..=64 {
            let hull = Hull::new((0..vertices).map(|_| random.direction())).unwrap();
            for (hull, &d) in
                [&cube, &hull].into_iter().flat_map(|hull| directions.iter().map(move |d| (hull, d)))
            {
                let expected = hull.support_point_of_all(d) as usize;
                for set in Instructions::available() {
                    let found = dispatch(set, Highest(hull, d));
                    assert!(found.is_none_or(|vertex| vertex == expected), "{set:?} {vertices} {d}");
                    assert_eq!(found.is_none(), set == Instructions::Portable);
                }
            }
        }
    }

    #[test]
    fn no_vertex_is_highest_along_what_is_no_direction() {
        let cube = Hull::cuboid(DVec3::ONE).unwrap();
        for set in Instructions::available() {
            assert!(dispatch(set, Highest(&cube, DVec3::NAN)).is_none_or(|vertex| vertex >= 8));
        }
    }
}
