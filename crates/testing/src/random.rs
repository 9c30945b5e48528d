//! Random numbers of tests.

use glam::DVec3;
use noli_geom::random::SplitMix64;

/// The generator of the whole project, with the draws that tests need.
#[derive(Clone, Debug)]
pub struct Random(SplitMix64);

impl Random {
    /// The sequence of a seed.
    pub const fn new(seed: u64) -> Self {
        Self(SplitMix64::new(seed))
    }

    /// The next 64 bits.
    pub const fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A whole number below `end`, which must not be 0.
    pub const fn below(&mut self, end: u64) -> u64 {
        self.bits() % end
    }

    /// The number of one of so many items; 0 if there are none.
    pub fn index(&mut self, count: usize) -> usize {
        self.below(count.max(1) as u64) as usize
    }

    /// True with probability `1 / n`.
    pub const fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    /// A whole number in [-reach, reach].
    pub const fn integer(&mut self, reach: i64) -> f64 {
        (self.below(2 * reach as u64 + 1) as i64 - reach) as f64
    }

    /// Uniform in [0, 1).
    pub fn unit(&mut self) -> f64 {
        self.0.unit()
    }

    /// Uniform in [`low`, `high`).
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        self.0.between(low, high)
    }

    /// Uniform in [-1, 1).
    pub fn real(&mut self) -> f64 {
        2.0 * self.unit() - 1.0
    }

    /// Uniform in a cube of edge 2.
    pub fn vector(&mut self) -> DVec3 {
        DVec3::new(self.real(), self.real(), self.real())
    }

    /// A point of a grid of whole numbers.
    pub const fn grid(&mut self, reach: i64) -> DVec3 {
        DVec3::new(self.integer(reach), self.integer(reach), self.integer(reach))
    }

    /// Uniform in the unit sphere.
    pub fn in_sphere(&mut self) -> DVec3 {
        loop {
            let v = self.vector();
            if v.length() <= 1.0 {
                return v;
            }
        }
    }
}
