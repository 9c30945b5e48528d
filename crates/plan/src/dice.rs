//! Random numbers of searches, the same on every machine.

use glam::{DQuat, DVec3};
use std::f64::consts::TAU;

/// Steele, Lea and Flood's SplitMix64 (2014).
#[derive(Clone, Debug)]
pub struct Dice {
    state: u64,
}

impl Dice {
    /// The sequence that belongs to a seed.
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// Another sequence for each number, of the same seed.
    pub fn of(seed: u64, number: u64) -> Self {
        let mut dice = Self::new(seed ^ number.wrapping_mul(0xD1B5_4A32_D192_ED03));
        dice.next();
        dice
    }

    /// The next 64 bits.
    #[expect(clippy::should_implement_trait, reason = "there is always a next one")]
    pub fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.state ^ (self.state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Uniform in [0, 1).
    pub fn unit(&mut self) -> f64 {
        const STEP: f64 = 1.0 / (1u64 << 53) as f64;
        (self.next() >> 11) as f64 * STEP
    }

    /// Uniform in [`low`, `high`).
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// A whole number below `end`; 0 if there is none.
    pub fn below(&mut self, end: usize) -> usize {
        ((self.unit() * end as f64) as usize).min(end.saturating_sub(1))
    }

    /// Uniform over all directions (Archimedes: height is uniform).
    pub fn direction(&mut self) -> DVec3 {
        let (z, phi) = (self.between(-1.0, 1.0), TAU * self.unit());
        let r = (1.0 - z * z).max(0.0).sqrt();
        DVec3::new(r * phi.cos(), r * phi.sin(), z)
    }

    /// Uniform over all rotations (Shoemake 1992).
    pub fn rotation(&mut self) -> DQuat {
        let (share, first, second) = (self.unit(), TAU * self.unit(), TAU * self.unit());
        let (low, high) = ((1.0 - share).sqrt(), share.sqrt());
        DQuat::from_xyzw(low * first.sin(), low * first.cos(), high * second.sin(), high * second.cos())
    }
}
