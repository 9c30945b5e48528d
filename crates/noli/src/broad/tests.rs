//! Every method against all pairs.

use super::*;
use noli_scenes::SplitMix64;

fn below(random: &mut SplitMix64, count: u64) -> u64 {
    (random.unit() * count as f64) as u64
}

/// A world of boxes that come, move, jump, change size and go.
struct Churn {
    random: SplitMix64,
    boxes: Vec<Aabb>,
    scale: f64,
    flat: bool,
}

impl Churn {
    fn new(seed: u64) -> Self {
        let mut random = SplitMix64::new(seed);
        let exponent = [0, 0, 0, 300 - 20, -290][below(&mut random, 5) as usize];
        let flat = below(&mut random, 4) == 0;
        Self { random, boxes: Vec::new(), scale: f64::powi(2.0, exponent), flat }
    }

    fn number(&mut self, size: f64) -> f64 {
        // Coarse numbers touch and coincide often.
        (self.random.unit() * size * 8.0).floor() / 8.0 * self.scale
    }

    fn anywhere(&mut self) -> Aabb {
        let min = DVec3::from_array([(); 3].map(|()| self.number(10.0)));
        let size = [0.0, 1.0, 3.0, 100.0][below(&mut self.random, 4) as usize];
        let mut size = DVec3::from_array([(); 3].map(|()| self.number(size)));
        if self.flat {
            size.z = 0.0;
        }
        match below(&mut self.random, 40) {
            0 => Aabb { min, max: DVec3::INFINITY },
            1 => Aabb { min: DVec3::new(f64::NAN, 0.0, 0.0), max: min + size },
            2 => Aabb::EMPTY,
            _ => Aabb { min, max: min + size },
        }
    }

    fn change(&mut self) -> (u32, Aabb) {
        let count = self.boxes.len() as u64;
        let number = below(&mut self.random, count.max(1) + 2).min(40) as usize;
        if number >= self.boxes.len() {
            self.boxes.resize(number + 1, Aabb::EMPTY);
        }
        let step = DVec3::from_array([(); 3].map(|()| self.number(1.0))) - DVec3::splat(0.5 * self.scale);
        let old = self.boxes[number];
        self.boxes[number] = match below(&mut self.random, 6) {
            0 => Aabb::EMPTY,
            1 | 2 => self.anywhere(),
            _ if old.is_empty() => self.anywhere(),
            _ => Aabb { min: old.min + step, max: old.max + step },
        };
        (number as u32, self.boxes[number])
    }
}

fn hold_together(seed: u64) {
    let mut churn = Churn::new(seed);
    let mut phases = Method::ALL.map(BroadPhase::new);
    let many = below(&mut churn.random, 200) as usize;
    if seed.is_multiple_of(3) {
        let boxes: Vec<_> = (0..many as u32).map(|number| (number, churn.anywhere())).collect();
        churn.boxes = boxes.iter().map(|(_, bounds)| *bounds).collect();
        phases.iter_mut().for_each(|phase| phase.set_all(boxes.iter().copied()));
    }
    for _ in 0..10 {
        for _ in 0..=below(&mut churn.random, 12) {
            let (number, bounds) = churn.change();
            for phase in &mut phases {
                if bounds == Aabb::EMPTY { phase.remove(number) } else { phase.set(number, &bounds) }
            }
        }
        let before: Vec<(u32, u32)> = phases[3].pairs().collect();
        let [changes @ .., expected] = phases.each_mut().map(BroadPhase::update);
        let now: Vec<(u32, u32)> = phases[3].pairs().collect();
        let missing = |from: &[(u32, u32)], of: &[(u32, u32)]| -> Vec<(u32, u32)> {
            from.iter().filter(|pair| of.binary_search(pair).is_err()).copied().collect()
        };
        assert_eq!(
            (missing(&now, &before), missing(&before, &now)),
            (expected.begun.clone(), expected.ended.clone())
        );
        for (phase, changes) in phases.iter().zip(changes) {
            assert_eq!(changes, expected, "{:?} at seed {seed}", phase.method());
            assert!(phase.pairs().eq(now.iter().copied()), "{:?} at seed {seed}", phase.method());
        }
    }
    let truth = |&(a, b): &(u32, u32)| {
        without_nan(&churn.boxes[a as usize]).overlaps(&without_nan(&churn.boxes[b as usize]))
    };
    assert!(phases[3].pairs().all(|pair| truth(&pair)));
}

#[test]
fn every_method_finds_all_pairs_while_boxes_come_move_jump_and_go() {
    (0..1000).for_each(hold_together);
}

#[test]
fn small_motions_cost_few_swaps() {
    let mut random = SplitMix64::new(5);
    let mut place = |size: f64| DVec3::from_array([(); 3].map(|()| random.unit() * size));
    let mut boxes: Vec<Aabb> = Vec::new();
    let mut phase = BroadPhase::new(Method::SweepAndPrune);
    for number in 0..500 {
        let min = place(20.0);
        boxes.push(Aabb { min, max: min + place(1.0) });
        phase.set(number, &boxes[number as usize]);
    }
    let swaps = |phase: &BroadPhase| match &phase.index {
        Index::SweepAndPrune(index) => index.swaps(),
        _ => 0,
    };
    let before = swaps(&phase);
    for (number, bounds) in boxes.iter().enumerate() {
        let step = DVec3::splat(1e-4);
        phase.set(number as u32, &Aabb { min: bounds.min + step, max: bounds.max + step });
    }
    assert!(swaps(&phase) - before < 500, "{} swaps", swaps(&phase) - before);
}

#[test]
fn numbers_that_were_never_set_are_nobody() {
    let mut phase = BroadPhase::new(Method::default());
    phase.remove(7);
    assert!(phase.neighbours(7).is_empty() && phase.bounds(7).is_none() && phase.pairs().next().is_none());
    assert_eq!(phase.update(), Changes::default());
}
