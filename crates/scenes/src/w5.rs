//! Workload W5: many boxes, of which some move and few jump.

use crate::SplitMix64;
use glam::DVec3;
use noli_geom::Aabb;

/// The seed of W5.
pub const W5_SEED: u64 = 11;

/// Boxes with edges between 0.5 and 1.5 in a cube whose side is 2.2 times the cube root of their number. At
/// each step a tenth of them moves by up to 0.2 along each axis, and a thousandth jumps anywhere.
///
/// ```
/// let mut boxes = noli_scenes::Crowd::new(noli_scenes::W5_SEED, 1000);
/// let moved = boxes.step();
/// assert_eq!((boxes.boxes().len(), moved.len()), (1000, 101));
/// ```
#[derive(Clone, Debug)]
pub struct Crowd {
    random: SplitMix64,
    side: f64,
    boxes: Vec<Aabb>,
}

impl Crowd {
    /// So many boxes.
    pub fn new(seed: u64, count: usize) -> Self {
        let (random, side) = (SplitMix64::new(seed), 2.2 * (count as f64).cbrt());
        let mut crowd = Self { random, side, boxes: Vec::with_capacity(count) };
        for _ in 0..count {
            let size = crowd.vector(0.5, 1.5);
            let min = crowd.vector(0.0, side);
            crowd.boxes.push(Aabb { min, max: min + size });
        }
        crowd
    }

    fn vector(&mut self, low: f64, high: f64) -> DVec3 {
        DVec3::from_array([(); 3].map(|()| self.random.between(low, high)))
    }

    /// Returns the boxes.
    pub fn boxes(&self) -> &[Aabb] {
        &self.boxes
    }

    /// Move on; the numbers of the boxes that did, some perhaps twice.
    pub fn step(&mut self) -> Vec<u32> {
        let count = self.boxes.len();
        let pick = |random: &mut SplitMix64| (random.unit() * count as f64) as usize;
        let mut moved = Vec::new();
        for _ in 0..count / 10 {
            let (number, by) = (pick(&mut self.random), self.vector(-0.2, 0.2));
            let Aabb { min, max } = self.boxes[number];
            self.boxes[number] = Aabb { min: min + by, max: max + by };
            moved.push(number as u32);
        }
        for _ in 0..count / 1000 {
            let (number, min) = (pick(&mut self.random), self.vector(0.0, self.side));
            self.boxes[number] = Aabb { min, max: min + self.boxes[number].size() };
            moved.push(number as u32);
        }
        moved
    }
}
