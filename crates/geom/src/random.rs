//! Pseudo-random numbers of searches, scenes and tests: one small generator with the same sequence on every machine.

use glam::{DQuat, DVec3};
use std::f64::consts::TAU;

/// SplitMix64 of Steele, Lea and Flood (2014): one addition and a mix per number.
#[derive(Clone, Debug)]
pub struct SplitMix64 {
    state: u64,
}

impl SplitMix64 {
    /// The sequence of a seed.
    pub const fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// One of many sequences of the same seed.
    pub const fn stream(seed: u64, number: u64) -> Self {
        let mut random = Self::new(seed ^ number.wrapping_mul(0xD1B5_4A32_D192_ED03));
        random.next_u64();
        random
    }

    /// The next 64 bits.
    pub const fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.state ^ (self.state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Uniform in [0, 1), a multiple of 2⁻⁵³. One draw.
    pub fn unit(&mut self) -> f64 {
        const STEP: f64 = 1.0 / (1u64 << 53) as f64;
        (self.next_u64() >> 11) as f64 * STEP
    }

    /// Uniform in [`low`, `high`). One draw.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// A whole number below `end`; 0 if there is none. One draw.
    pub fn below(&mut self, end: usize) -> usize {
        ((self.unit() * end as f64) as usize).min(end.saturating_sub(1))
    }

    /// A rotation, uniform over all rotations (Shoemake 1992). Three draws.
    pub fn rotation(&mut self) -> DQuat {
        let (share, first, second) = (self.unit(), TAU * self.unit(), TAU * self.unit());
        let (low, high) = ((1.0 - share).sqrt(), share.sqrt());
        DQuat::from_xyzw(low * first.sin(), low * first.cos(), high * second.sin(), high * second.cos())
    }

    /// A unit vector, uniform over the sphere (Archimedes: height is uniform). Two draws.
    pub fn direction(&mut self) -> DVec3 {
        let (z, phi) = (2.0 * self.unit() - 1.0, TAU * self.unit());
        let r = (1.0 - z * z).sqrt();
        DVec3::new(r * phi.cos(), r * phi.sin(), z)
    }
}

/// Ten rounds of Philox 4×32 of Salmon et al. (2011): 128 bits of a counter and a key, the same on a GPU.
pub fn philox(mut counter: [u32; 4], mut key: [u32; 2]) -> [u32; 4] {
    for _ in 0..10 {
        let a = u64::from(counter[0]) * 0xd251_1f53;
        let b = u64::from(counter[2]) * 0xcd9e_8d57;
        counter = [
            (b >> 32) as u32 ^ counter[1] ^ key[0],
            b as u32,
            (a >> 32) as u32 ^ counter[3] ^ key[1],
            a as u32,
        ];
        key = [key[0].wrapping_add(0x9e37_79b9), key[1].wrapping_add(0xbb67_ae85)];
    }
    counter
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values of the published reference implementation.
    #[test]
    fn sequence_of_the_reference() {
        let mut random = SplitMix64::new(1_234_567);
        let expected = [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423];
        assert_eq!(expected, [(); 3].map(|()| random.next_u64()));
    }

    #[test]
    fn directions_and_rotations_have_unit_length() {
        let mut random = SplitMix64::new(5);
        for _ in 0..1000 {
            assert!((random.direction().length() - 1.0).abs() < 1e-15);
            assert!((random.rotation().length() - 1.0).abs() < 1e-15);
            assert!((2.0..3.0).contains(&random.between(2.0, 3.0)));
            assert!(random.below(7) < 7 && random.below(0) == 0);
        }
    }

    /// The known answers of Random123.
    #[test]
    fn philox_is_philox() {
        assert_eq!(philox([0; 4], [0; 2]), [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]);
        assert_eq!(
            philox([u32::MAX; 4], [u32::MAX; 2]),
            [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]
        );
        let counter = [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344];
        let expected = [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1];
        assert_eq!(philox(counter, [0xa409_3822, 0x299f_31d0]), expected);
    }
}
