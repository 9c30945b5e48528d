//! Split of the faces of a node.

mod boxes;
mod branch_bound;
mod exchange;
mod growth;
mod octree;
mod planes;
mod problem;

pub use branch_bound::{Proven, branch_and_bound, branch_and_bound_by};

use super::choice::Split;
use super::options::{Degree, Failing, Rules, TreeOptions};
use noli::tree::{Faces, Tree};
use noli_geom::Triangle;
use problem::Problem;

impl From<noli::tree::Split> for Split {
    fn from(split: noli::tree::Split) -> Self {
        match split {
            noli::tree::Split::Median => Self::Median,
            noli::tree::Split::LongestAxis => Self::LongestAxis,
            noli::tree::Split::Morton => Self::Morton,
            noli::tree::Split::SurfaceArea => Self::SurfaceArea,
        }
    }
}

/// Part the faces of every node from the root down. The options are in range.
pub(super) fn top_down(triangles: &[Triangle], options: &TreeOptions, rules: &Rules) -> Tree {
    let all = Faces::new(triangles);
    Tree::top_down(&all, options.leaf_faces, |faces| part(&Problem { all: &all, faces, options, rules }))
}

/// Returns the parts of a node, empty if the split finds none; `None` if the node is to stay a leaf.
fn part(problem: &Problem<'_>) -> Option<Vec<Vec<u32>>> {
    match problem.options.degree {
        Degree::Fixed(degree) => by_degree(problem, degree).or_else(|| failed(problem)),
        Degree::Rate { rate, at_most, few } => by_rate(problem, rate, at_most, few),
    }
}

/// Returns the action for a node that no split divides: an empty list to halve it, `None` to leave it.
fn failed(problem: &Problem<'_>) -> Option<Vec<Vec<u32>>> {
    match problem.rules.failing {
        Failing::Halve => Some(Vec::new()),
        Failing::Leaf => None,
    }
}

/// The smallest degree whose parts are better than the node by the wanted rate, else the best; nothing where
/// the node is to stay a leaf (Eckstein 1998, section 3.3.3).
fn by_rate(problem: &Problem<'_>, rate: f64, at_most: usize, few: usize) -> Option<Vec<Vec<u32>>> {
    let goal = rate * problem.quality(problem.faces);
    let mut best: Option<(f64, Vec<Vec<u32>>)> = None;
    for degree in 2..=at_most.min(problem.faces.len()) {
        let Some(parts) = by_degree(problem, degree) else { continue };
        let quality = problem.quality_of(&parts);
        if quality <= goal {
            return Some(parts);
        }
        if best.as_ref().is_none_or(|(least, _)| quality < *least) {
            best = Some((quality, parts));
        }
    }
    match best {
        None => failed(problem),
        Some(_) if problem.faces.len() < few => None,
        Some((_, parts)) => Some(parts),
    }
}

/// At most `degree` parts by the split that was chosen, none empty; nothing where all faces end up in one.
fn by_degree(problem: &Problem<'_>, degree: usize) -> Option<Vec<Vec<u32>>> {
    let degree = degree.min(problem.faces.len());
    let parts = match problem.options.split {
        Split::Median | Split::LongestAxis | Split::Morton | Split::BottomUp | Split::Barequet => {
            problem.halves_to(degree)
        }
        Split::SurfaceArea => problem.all.by_surface_area(problem.faces, degree, problem.options.leaf_faces),
        Split::BranchAndBound if problem.faces.len() <= problem.rules.bounds.faces => {
            branch_bound::parts(problem, degree)
        }
        Split::BranchAndBound | Split::Exchange => exchange::parts(problem, degree),
        Split::HochbaumShmoys => exchange::farthest_parts(problem, degree),
        Split::Growth(seeding, insertion) => growth::parts(problem, degree, seeding, insertion),
        Split::Gottschalk => boxes::parts(problem, degree, &problem.oriented_box()),
        Split::Zachmann => boxes::parts(problem, degree, &problem.aligned_box()),
        Split::Octree => octree::parts(problem),
        Split::OriginalGottschalk(at) => planes::gottschalk(problem, &problem.oriented_box(), at),
        Split::Klosowski(axis, at) => planes::klosowski(problem, axis, at),
        Split::Quinlan => planes::quinlan(problem),
    };
    let parts: Vec<Vec<u32>> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    (parts.len() >= 2).then_some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;
    use noli_scenes::SplitMix64;

    fn triangles(random: &mut SplitMix64, count: usize) -> Vec<Triangle> {
        let mut near = |middle: DVec3, by: f64| middle + random.direction() * by;
        (0..count)
            .map(|_| {
                let middle = near(DVec3::ZERO, 2.0);
                Triangle::new(near(middle, 0.5), near(middle, 0.5), near(middle, 0.5))
            })
            .collect()
    }

    /// The smallest degree that reaches the rate is taken; where none does, the best, or a node of few faces stays a
    /// leaf. All three happen.
    #[test]
    fn the_smallest_degree_that_reaches_the_rate_is_taken() {
        let (mut random, mut seen) = (SplitMix64::new(8), [0; 3]);
        for round in 0..60 {
            let faces = triangles(&mut random, 3 + round % 12);
            let numbers: Vec<u32> = (0..faces.len() as u32).collect();
            let (all, few) = (Faces::new(&faces), 8);
            let options = TreeOptions { split: Split::Exchange, ..TreeOptions::workshop() };
            let problem = Problem { all: &all, faces: &numbers, options: &options, rules: &Rules::USUAL };
            let rate = [0.001, 0.01, 0.4][round % 3];
            let goal = rate * problem.quality(&numbers);
            let tried: Vec<(f64, Vec<Vec<u32>>)> = (2..=6.min(faces.len()))
                .filter_map(|degree| by_degree(&problem, degree))
                .map(|parts| (problem.quality_of(&parts), parts))
                .collect();
            let found = by_rate(&problem, rate, 6, few);
            let first = tried.iter().find(|(quality, _)| *quality <= goal);
            let best = tried.iter().map(|(quality, _)| *quality).fold(f64::INFINITY, f64::min);
            match (first, found) {
                (Some((_, parts)), Some(found)) => {
                    assert_eq!(parts, &found);
                    seen[0] += 1;
                }
                (None, Some(found)) => {
                    assert!(faces.len() >= few && problem.quality_of(&found) == best);
                    seen[1] += 1;
                }
                (None, None) => {
                    assert!(faces.len() < few);
                    seen[2] += 1;
                }
                (Some(_), None) => panic!("a degree reaches the rate"),
            }
        }
        assert!(seen.iter().all(|count| *count > 3), "{seen:?}");
    }

    /// Faces in one place cannot be parted: a leaf as printed, halves otherwise, at a fixed degree and by rate.
    #[test]
    fn a_split_that_fails_leaves_a_leaf_as_printed() {
        let faces = vec![Triangle { vertices: [DVec3::ONE; 3] }; 6];
        for degree in [Degree::Fixed(2), Degree::rate(0.5)] {
            for split in [Split::Octree, Split::Gottschalk, Split::HochbaumShmoys] {
                let options = TreeOptions { split, degree, ..TreeOptions::workshop() };
                let printed = Rules { failing: Failing::Leaf, ..Rules::USUAL };
                let leaf = crate::tree::build_by(&faces, &options, &printed);
                assert_eq!((leaf.nodes.len(), leaf.check(6)), (1, Ok(())), "{options:?}");
                let halves = crate::tree::build(&faces, &options);
                assert_eq!((halves.nodes.len(), halves.check(6)), (11, Ok(())), "{options:?}");
            }
        }
    }

    /// Raising the cost of one kind far enough removes it from a mixed tree.
    #[test]
    fn a_dear_kind_is_not_chosen() {
        use crate::tree::{VolumeChoice, VolumeKind, VolumeTree};
        use noli_geom::{AnyVolume, Volume};
        let faces = triangles(&mut SplitMix64::new(9), 60);
        let vertices = faces.iter().flat_map(|face| face.vertices).collect();
        let numbers = (0..60).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
        let mesh = noli_geom::Mesh::from_triangles(vertices, numbers, &Default::default()).unwrap();
        let options = TreeOptions { volume: VolumeChoice::Mixed, ..TreeOptions::workshop() };
        let count = |costs: [f64; 4]| {
            let rules = Rules { costs, ..Rules::USUAL };
            let tree = VolumeTree::<AnyVolume>::by(&mesh, &options, &rules);
            tree.check().unwrap();
            VolumeKind::ALL.map(|kind| tree.volumes().iter().filter(|v| v.kind() == kind).count())
        };
        let even = count([0.3, 1.0, 1.0, 1.0]);
        assert!(even[0] > 0 && even[2] > 0, "{even:?}");
        for kind in [0, 2] {
            let mut costs = [0.3, 1.0, 1.0, 1.0];
            costs[kind] = 1e9;
            assert_eq!(count(costs)[kind], 0);
        }
    }
}
