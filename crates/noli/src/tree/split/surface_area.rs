//! The surface-area heuristic.

use super::problem::Problem;
use noli_geom::{Aabb, Measure, Volume};

const BINS: usize = 16;

/// The part that promises most work is cut in two until there are enough.
pub(super) fn parts(problem: &Problem<'_>, degree: usize) -> Vec<Vec<u32>> {
    let mut parts = vec![problem.faces.to_vec()];
    let mut whole = vec![false];
    while parts.len() < degree {
        let work = |i: usize| bounds(problem, &parts[i]).measure(Measure::Surface) * parts[i].len() as f64;
        let cuttable = (0..parts.len()).filter(|&i| !whole[i] && parts[i].len() > 1);
        let Some(chosen) = cuttable.max_by(|&i, &j| work(i).total_cmp(&work(j)).then(j.cmp(&i))) else {
            break;
        };
        match cut(problem, &parts[chosen]) {
            Some([left, right]) => {
                parts[chosen] = left;
                parts.insert(chosen + 1, right);
                whole.insert(chosen + 1, false);
            }
            None => whole[chosen] = true,
        }
    }
    parts
}

fn bounds(problem: &Problem<'_>, faces: &[u32]) -> Aabb {
    Volume::around(&problem.all.corners(faces))
}

#[derive(Clone, Copy)]
struct Bin {
    count: usize,
    bounds: Aabb,
}

const EMPTY: Bin = Bin { count: 0, bounds: Aabb::EMPTY };

impl Bin {
    fn join(self, other: Self) -> Self {
        Self { count: self.count + other.count, bounds: self.bounds.union(other.bounds) }
    }

    fn cost(&self) -> f64 {
        if self.count == 0 { 0.0 } else { self.count as f64 * self.bounds.measure(Measure::Surface) }
    }
}

/// The cheapest cut over all axes and bins; nothing where all middles coincide.
fn cut(problem: &Problem<'_>, faces: &[u32]) -> Option<[Vec<u32>; 2]> {
    let middles = Aabb::around(faces.iter().map(|&f| problem.all.middle(f)));
    let mut best: Option<(f64, usize, usize)> = None;
    let bin_of = |face: u32, axis: usize| {
        let share = (problem.all.middle(face)[axis] - middles.min[axis]) / middles.size()[axis];
        ((share * BINS as f64) as usize).min(BINS - 1)
    };
    for axis in (0..3).filter(|&axis| middles.size()[axis] > 0.0) {
        let mut bins = [EMPTY; BINS];
        for &face in faces {
            let bin = &mut bins[bin_of(face, axis)];
            *bin = bin.join(Bin { count: 1, bounds: problem.all.triangles[face as usize].aabb() });
        }
        let mut right = [EMPTY; BINS + 1];
        for i in (0..BINS).rev() {
            right[i] = right[i + 1].join(bins[i]);
        }
        let mut left = EMPTY;
        for i in 1..BINS {
            left = left.join(bins[i - 1]);
            let cost = left.cost() + right[i].cost();
            let parts = left.count > 0 && right[i].count > 0;
            if parts && best.is_none_or(|(least, ..)| cost < least) {
                best = Some((cost, axis, i));
            }
        }
    }
    let (_, axis, first_right) = best?;
    let (left, right) = faces.iter().partition(|&&face| bin_of(face, axis) < first_right);
    Some([left, right])
}
