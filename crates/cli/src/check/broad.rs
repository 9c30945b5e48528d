//! Which pairs are near enough to be worth a question.

use super::bodies::grown;
use super::wanted::Wanted;
use noli_geom::Aabb;

/// Two bodies that may be closer than their margin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Candidate {
    pub(super) a: usize,
    pub(super) b: usize,
    pub(super) margin: f64,
}

/// The wanted pairs whose boxes are at most their margin apart, in order. No pair of bodies that are at most their margin
/// apart is lost: the boxes are rounded outward. Sorts along the axis on which the boxes are thinnest, and sweeps.
pub(super) fn near(boxes: &[Aabb], wanted: &Wanted) -> Vec<Candidate> {
    let widest = share(wanted.greatest_margin());
    let axis = sparsest_axis(boxes);
    let spans: Vec<[f64; 2]> = boxes
        .iter()
        .map(|bounds| grown(bounds, widest))
        .map(|bounds| [bounds.min[axis], bounds.max[axis]])
        .collect();
    let mut order: Vec<usize> = (0..boxes.len()).filter(|&i| !boxes[i].is_empty()).collect();
    order.sort_by(|&i, &j| spans[i][0].total_cmp(&spans[j][0]));
    let mut active: Vec<usize> = Vec::new();
    let mut found = Vec::new();
    for j in order {
        active.retain(|&i| spans[i][1] >= spans[j][0]);
        found.extend(active.iter().filter_map(|&i| candidate(boxes, wanted, i.min(j), i.max(j))));
        active.push(j);
    }
    found.sort_unstable_by_key(|pair| (pair.a, pair.b));
    found
}

/// All wanted pairs, however far apart.
pub(super) fn all(bodies: usize, wanted: &Wanted) -> Vec<Candidate> {
    let pairs = (0..bodies).flat_map(|a| (a + 1..bodies).map(move |b| (a, b)));
    pairs.filter_map(|(a, b)| Some(Candidate { a, b, margin: wanted.margin(a, b)? })).collect()
}

fn candidate(boxes: &[Aabb], wanted: &Wanted, a: usize, b: usize) -> Option<Candidate> {
    let near = |margin: f64| grown(&boxes[a], share(margin)).overlaps(&grown(&boxes[b], share(margin)));
    if !near(wanted.greatest_margin()) {
        return None;
    }
    let margin = wanted.margin(a, b).filter(|&margin| near(margin))?;
    Some(Candidate { a, b, margin })
}

/// Half of a margin for each box of a pair; rounded up, as half of the smallest number is zero.
fn share(margin: f64) -> f64 {
    if margin > 0.0 { (0.5 * margin).next_up() } else { 0.0 }
}

/// The axis along which the boxes cover the least of the whole, all together.
fn sparsest_axis(boxes: &[Aabb]) -> usize {
    let filled = boxes.iter().filter(|bounds| !bounds.is_empty());
    let whole = filled.clone().fold(Aabb::EMPTY, |all, bounds| all.union(*bounds)).size();
    // Halved: the size of a box may be twice the largest coordinate.
    let cover = |axis: usize| {
        filled
            .clone()
            .map(|bounds| 0.5 * bounds.size()[axis] / whole[axis].max(f64::MIN_POSITIVE))
            .sum::<f64>()
    };
    (0..3).min_by(|&x, &y| cover(x).total_cmp(&cover(y))).unwrap_or(0)
}
