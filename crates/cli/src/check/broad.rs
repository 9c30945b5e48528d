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

#[cfg(test)]
mod tests {
    use super::super::Kind;
    use super::super::bodies::{Body, prepare};
    use super::super::source::Part;
    use super::super::wanted::Rules;
    use super::*;
    use noli::{Mesh, Pose};
    use noli_scenes::{SplitMix64, cuboid};

    /// Boxes of many sizes, some flat, some empty, on a coarse grid so that many just touch.
    fn bodies(random: &mut SplitMix64, count: usize) -> Vec<Body> {
        let part = |number: usize, random: &mut SplitMix64| {
            let mut whole = |below: u64| (random.next_u64() % below) as f64;
            let half = glam::dvec3(whole(4), whole(4), whole(4)) * 0.5;
            let place = glam::dvec3(whole(20), whole(20), whole(8));
            let set = cuboid(half);
            let faces = if number.is_multiple_of(17) { Vec::new() } else { set.triangles };
            let mesh = Mesh::from_triangles(set.vertices, faces, &Default::default()).unwrap();
            let pose = Pose::from_translation(place);
            Part {
                name: format!("{}.{number}", ["a", "b", "c"][number % 3]),
                argument: 0,
                mesh,
                kind: None,
                pose,
            }
        };
        let parts = (0..count).map(|number| part(number, random)).collect();
        prepare(parts, Kind::Surface)
    }

    #[test]
    fn the_sweep_finds_what_all_pairs_find() {
        let mut random = SplitMix64::new(5);
        for round in 0..20 {
            let bodies = bodies(&mut random, 60);
            let mut check = noli_io::Check { margin: f64::from(round % 3), ..Default::default() };
            let pair = |a: &str, b: &str| [a, b].map(noli_io::Pattern::new);
            if round % 2 == 0 {
                check.skip.push(pair("a.*", "b.*"));
                check.margins.push((pair("c.*", "*"), 2.5));
            }
            let rules = Rules { check: check.clone(), ..Default::default() };
            let wanted = Wanted::new(&bodies, &rules).unwrap();
            let boxes: Vec<Aabb> = bodies.iter().map(Body::bounds).collect();
            let every = all(bodies.len(), &wanted);
            assert_eq!(every.len(), wanted.count());
            for pair in &every {
                let [a, b] = [pair.a, pair.b].map(|body| bodies[body].name.as_str());
                assert!(check.includes(a, b) && check.margin_of(a, b) == pair.margin, "{a} {b}");
            }
            let apart = |a: &Aabb, b: &Aabb| (a.min - b.max).max(b.min - a.max).max_element();
            let within = |pair: &&Candidate| apart(&boxes[pair.a], &boxes[pair.b]) <= pair.margin;
            let filled = |pair: &&Candidate| [pair.a, pair.b].iter().all(|&body| !boxes[body].is_empty());
            let expected: Vec<Candidate> = every.iter().filter(filled).filter(within).copied().collect();
            assert!(!expected.is_empty());
            assert_eq!(near(&boxes, &wanted), expected, "round {round}");
        }
    }
}
