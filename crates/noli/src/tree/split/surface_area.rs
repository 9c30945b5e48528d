//! The surface-area heuristic.

use super::Faces;
use noli_geom::{Aabb, Measure, Volume};

/// Places to cut along an axis, where there are many faces.
const BINS: usize = 16;

/// Number of faces up to which every split position is evaluated, so that leaves come out full.
const FEW: usize = 64;

struct Problem<'a> {
    all: &'a Faces<'a>,
    leaf_faces: usize,
}

/// Faces that may be cut further, and how much work they promise.
struct Part {
    faces: Vec<u32>,
    work: f64,
}

impl Faces<'_> {
    /// At most `degree` parts where the sum of surface times number of leaves is least
    /// ([`Split::SurfaceArea`](crate::tree::Split::SurfaceArea)).
    pub fn by_surface_area(&self, faces: &[u32], degree: usize, leaf_faces: usize) -> Vec<Vec<u32>> {
        parts(self, faces, degree, leaf_faces.max(1))
    }
}

/// The part that promises most work is cut in two until there are enough.
fn parts(all: &Faces<'_>, faces: &[u32], degree: usize, leaf_faces: usize) -> Vec<Vec<u32>> {
    let problem = &Problem { all, leaf_faces };
    let part = |faces: Vec<u32>| {
        let work = if faces.len() <= leaf_faces { 0.0 } else { sum(problem, &faces).cost(problem) };
        Part { faces, work }
    };
    let mut parts = vec![part(faces.to_vec())];
    while parts.len() < degree {
        let most = (0..parts.len()).max_by(|&i, &j| parts[i].work.total_cmp(&parts[j].work).then(j.cmp(&i)));
        let Some(chosen) = most.filter(|&i| parts[i].work > 0.0) else { break };
        match cut(problem, &parts[chosen].faces) {
            Some(halves) => _ = parts.splice(chosen..=chosen, halves.map(part)),
            None => parts[chosen].work = 0.0,
        }
    }
    parts.into_iter().map(|part| part.faces).collect()
}

/// Some faces.
#[derive(Clone, Copy)]
struct Sum {
    count: usize,
    bounds: Aabb,
}

const EMPTY: Sum = Sum { count: 0, bounds: Aabb::EMPTY };

impl Sum {
    fn join(self, other: Self) -> Self {
        Self { count: self.count + other.count, bounds: self.bounds.union(other.bounds) }
    }

    /// Surface times number of leaves: a leaf costs the same however few faces it holds.
    fn cost(&self, problem: &Problem<'_>) -> f64 {
        let leaves = self.count.div_ceil(problem.leaf_faces) as f64;
        if self.count == 0 { 0.0 } else { leaves * self.bounds.measure(Measure::Surface) }
    }
}

fn one(problem: &Problem<'_>, face: u32) -> Sum {
    Sum { count: 1, bounds: problem.all.bounds(face) }
}

fn sum(problem: &Problem<'_>, faces: &[u32]) -> Sum {
    faces.iter().fold(EMPTY, |sum, &face| sum.join(one(problem, face)))
}

fn cut(problem: &Problem<'_>, faces: &[u32]) -> Option<[Vec<u32>; 2]> {
    if faces.len() <= FEW { cut_anywhere(problem, faces) } else { cut_at_bins(problem, faces) }
}

/// The cheapest place between two of these sums, and its cost; nothing where one side has none.
fn cheapest(problem: &Problem<'_>, sums: &[Sum]) -> Option<(f64, usize)> {
    let mut right = vec![0.0; sums.len()];
    let mut all = EMPTY;
    for (i, sum) in sums.iter().enumerate().rev() {
        all = sum.join(all);
        right[i] = all.cost(problem);
    }
    let total = all.count;
    let mut best: Option<(f64, usize)> = None;
    let mut left = EMPTY;
    for i in 1..sums.len() {
        left = left.join(sums[i - 1]);
        let cost = left.cost(problem) + right[i];
        if 0 < left.count && left.count < total && best.is_none_or(|(least, _)| cost < least) {
            best = Some((cost, i));
        }
    }
    best
}

/// The cheapest cut over all axes and faces.
fn cut_anywhere(problem: &Problem<'_>, faces: &[u32]) -> Option<[Vec<u32>; 2]> {
    let mut best: Option<(f64, usize, Vec<u32>)> = None;
    for axis in 0..3 {
        let mut sorted = faces.to_vec();
        let key = |face: u32| problem.all.middle(face)[axis];
        sorted.sort_by(|&f, &g| key(f).total_cmp(&key(g)).then(f.cmp(&g)));
        let sums: Vec<Sum> = sorted.iter().map(|&face| one(problem, face)).collect();
        let Some((cost, place)) = cheapest(problem, &sums) else { continue };
        if best.as_ref().is_none_or(|(least, ..)| cost < *least) {
            best = Some((cost, place, sorted));
        }
    }
    best.map(|(_, place, mut left)| {
        let right = left.split_off(place);
        [left, right]
    })
}

/// The cheapest cut over all axes and bins; nothing where all middles coincide.
fn cut_at_bins(problem: &Problem<'_>, faces: &[u32]) -> Option<[Vec<u32>; 2]> {
    let middles = Aabb::from_points(faces.iter().map(|&f| problem.all.middle(f)));
    let (low, size) = (middles.min, middles.size());
    let bin_of = |face: u32, axis: usize| {
        let share = (problem.all.middle(face)[axis] - low[axis]) / size[axis];
        ((share * BINS as f64) as usize).min(BINS - 1)
    };
    let mut bins = [[EMPTY; BINS]; 3];
    for &face in faces {
        for (axis, bins) in bins.iter_mut().enumerate().filter(|(axis, _)| size[*axis] > 0.0) {
            let bin = &mut bins[bin_of(face, axis)];
            *bin = bin.join(one(problem, face));
        }
    }
    let cuts = (0..3).filter_map(|axis| cheapest(problem, &bins[axis]).map(|(cost, bin)| (cost, axis, bin)));
    let (_, axis, first_right) = cuts.min_by(|a, b| a.0.total_cmp(&b.0))?;
    let (left, right) = faces.iter().partition(|&&face| bin_of(face, axis) < first_right);
    Some([left, right])
}
