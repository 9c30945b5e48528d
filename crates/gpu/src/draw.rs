//! Poses drawn by their number.

use glam::{DQuat, DVec3};
use noli::Pose;

/// A stream of random poses: uniform rotation, uniform direction, uniform distance from the origin. A pose follows from
/// the seed and its number alone and is the same to the last bit on a device and on any CPU, because it is made of
/// additions, products, quotients and roots only, each rounded once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PoseSource {
    /// Chooses the stream.
    pub seed: u64,
    /// Least distance.
    pub nearest: f64,
    /// Largest distance.
    pub furthest: f64,
}

/// SplitMix64's mixing (Steele, Lea and Flood 2014) of a counter.
struct Draws {
    key: u64,
    at: u64,
}

const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

fn mixed(x: u64) -> u64 {
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

impl Draws {
    /// In [0, 1).
    fn next(&mut self) -> f64 {
        self.at = self.at.wrapping_add(GOLDEN);
        (mixed(self.key ^ self.at) >> 11) as f64 * 0.5f64.powi(53)
    }

    /// In [−1, 1).
    fn signed(&mut self) -> f64 {
        2.0 * self.next() - 1.0
    }

    /// A point of the unit disc and the square of its length.
    fn in_disc(&mut self) -> (f64, f64, f64) {
        loop {
            let (x, y) = (self.signed(), self.signed());
            let sq = x * x + y * y;
            if sq < 1.0 {
                return (x, y, sq);
            }
        }
    }
}

impl PoseSource {
    /// The pose of a number. Rotation and direction by pairs of points in discs (Marsaglia 1972).
    pub fn pose(&self, number: u64) -> Pose {
        let key = mixed(self.seed.wrapping_add(mixed(number.wrapping_add(GOLDEN))));
        let mut draws = Draws { key, at: 0 };
        let (x, y, s) = draws.in_disc();
        let (u, v, r) = loop {
            let point = draws.in_disc();
            if point.2 != 0.0 {
                break point;
            }
        };
        let k = ((1.0 - s) / r).sqrt();
        let rotation = DQuat::from_xyzw(x, y, u * k, v * k);
        let (x, y, s) = draws.in_disc();
        let away = self.nearest + draws.next() * (self.furthest - self.nearest);
        let side = 2.0 * (1.0 - s).sqrt() * away;
        Pose::new(rotation, DVec3::new(x * side, y * side, (1.0 + -2.0 * s) * away))
    }
}
