//! Workload W5, as noli's `Crowd` makes it: the same numbers from the same seed.

use parry3d_f64::bounding_volume::Aabb;
use parry3d_f64::math::Vector;
use parry3d_f64::partitioning::{Bvh, BvhBuildStrategy, BvhWorkspace};
use std::time::Instant;

struct SplitMix64(u64);

impl SplitMix64 {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    fn vector(&mut self, low: f64, high: f64) -> Vector {
        let mut next = || low + (high - low) * self.unit();
        let (x, y, z) = (next(), next(), next());
        Vector::new(x, y, z)
    }
}

struct Crowd {
    random: SplitMix64,
    side: f64,
    boxes: Vec<Aabb>,
}

impl Crowd {
    fn new(count: usize) -> Self {
        let (mut random, side) = (SplitMix64(11), 2.2 * (count as f64).cbrt());
        let mut boxes = Vec::new();
        for _ in 0..count {
            let size = random.vector(0.5, 1.5);
            let min = random.vector(0.0, side);
            boxes.push(Aabb::new(min, min + size));
        }
        Self { random, side, boxes }
    }

    fn step(&mut self) -> Vec<u32> {
        let count = self.boxes.len();
        let mut moved = Vec::new();
        for _ in 0..count / 10 {
            let number = (self.random.unit() * count as f64) as usize;
            let by = self.random.vector(-0.2, 0.2);
            let Aabb { mins, maxs } = self.boxes[number];
            self.boxes[number] = Aabb::new(mins + by, maxs + by);
            moved.push(number as u32);
        }
        for _ in 0..count / 1000 {
            let number = (self.random.unit() * count as f64) as usize;
            let min = self.random.vector(0.0, self.side);
            let size = self.boxes[number].maxs - self.boxes[number].mins;
            self.boxes[number] = Aabb::new(min, min + size);
            moved.push(number as u32);
        }
        moved
    }
}

/// The tree as rapier keeps it (partial updates, refit, some optimisation at every step), asked only about boxes that moved;
/// neighbours are kept in sorted lists, like ours.
pub fn run(count: usize, steps: usize) {
    let mut crowd = Crowd::new(count);
    let mut tree = Bvh::from_leaves(BvhBuildStrategy::Binned, &crowd.boxes);
    let mut workspace = BvhWorkspace::default();
    let mut neighbours: Vec<Vec<u32>> = (0..count as u32).map(|number| find(&tree, &crowd.boxes, number)).collect();
    for _ in 0..steps {
        let mut moved = crowd.step();
        let start = Instant::now();
        moved.sort_unstable();
        moved.dedup();
        for &number in &moved {
            tree.insert_or_update_partially(crowd.boxes[number as usize], number, 0.0);
        }
        tree.refit(&mut workspace);
        tree.optimize_incremental(&mut workspace);
        let found: Vec<Vec<u32>> = moved.iter().map(|&number| find(&tree, &crowd.boxes, number)).collect();
        let (mut begun, mut ended) = (0, 0);
        for (&number, new) in moved.iter().zip(found) {
            let old = std::mem::replace(&mut neighbours[number as usize], new.clone());
            let told = |other: u32| other < number && moved.binary_search(&other).is_ok();
            for &other in old.iter().filter(|&&other| new.binary_search(&other).is_err() && !told(other)) {
                ended += 1;
                if let (Ok(at), Err(_)) = (neighbours[other as usize].binary_search(&number), moved.binary_search(&other)) {
                    neighbours[other as usize].remove(at);
                }
            }
            for &other in new.iter().filter(|&&other| old.binary_search(&other).is_err() && !told(other)) {
                begun += 1;
                if let (Err(at), Err(_)) = (neighbours[other as usize].binary_search(&number), moved.binary_search(&other)) {
                    neighbours[other as usize].insert(at, number);
                }
            }
        }
        println!("{begun} {ended} {:.3}", start.elapsed().as_secs_f64() * 1e6);
    }
}

fn find(tree: &Bvh, boxes: &[Aabb], number: u32) -> Vec<u32> {
    let mut found: Vec<u32> = tree.intersect_aabb(&boxes[number as usize]).filter(|&other| other != number).collect();
    found.sort_unstable();
    found
}
