//! How the faces of a node are parted.

mod boxes;
mod branch_bound;
mod exchange;
mod growth;
pub(super) mod halving;
mod octree;
mod problem;
mod surface_area;

pub use branch_bound::{Proven, branch_and_bound};
pub use growth::{Insertion, Seeding};

use super::{Degree, Tree, TreeNode, TreeOptions, node};
use noli_geom::Triangle;
use problem::{Faces, Problem};

/// How the faces of a node are parted among its children.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Split {
    /// In halves by centroid along the axis of largest spread; counts are rounded so that leaves
    /// and nodes come out full.
    Median,
    /// Like [`Split::Median`], along the longest edge of the axis-aligned box of the centroids.
    #[default]
    LongestAxis,
    /// In halves along a curve through space (Morton 1966): one sort and no choice, so the fastest to
    /// build.
    Morton,
    /// Where the sum of surface times number of faces is least (Goldsmith and Salmon 1987), over sixteen places an axis.
    SurfaceArea,
    /// From the faces upward: neighbours along a curve that suit each other best are joined (Meister and Bittner 2018, after the bottom-up
    /// trees of Barequet et al. 1996), then nodes are drawn together to the wanted degree.
    BottomUp,
    /// The best of all partitions (Eckstein 1998, section 3.4.1) for nodes of at most [`Split::BRANCH_AND_BOUND_FACES`] faces; larger nodes
    /// are parted by [`Split::Exchange`]. Exponential: an oracle.
    BranchAndBound,
    /// Centres farthest from each other, each face to the nearest (modified Hochbaum–Shmoys; the rule is Gonzalez').
    HochbaumShmoys,
    /// The same seeds, then faces change to the nearest mean until none does (Eckstein's heuristic without intermediate
    /// optimisation).
    Exchange,
    /// Faces join the part whose volume they spoil least (Eckstein's heuristic with intermediate optimisation).
    Growth(Seeding, Insertion),
    /// By the nearest centre of equal parts of the oriented box (modified Gottschalk).
    Gottschalk,
    /// The same with the axis-aligned box (modified Zachmann).
    Zachmann,
    /// By the eight octants of the axis-aligned box (Palmer and Grimsdale 1995, Hubbard 1996); every face goes to the octant of its
    /// middle, so none is in two leaves. Up to eight children, whatever the degree.
    Octree,
}

impl Split {
    /// Nodes of more faces are too many for [`Split::BranchAndBound`].
    pub const BRANCH_AND_BOUND_FACES: usize = 10;

    /// Every split, each with its usual setting.
    pub const ALL: [Self; 12] = [
        Self::Median,
        Self::LongestAxis,
        Self::Morton,
        Self::SurfaceArea,
        Self::BottomUp,
        Self::BranchAndBound,
        Self::HochbaumShmoys,
        Self::Exchange,
        Self::Growth(Seeding::Space, Insertion::Shuffled),
        Self::Gottschalk,
        Self::Zachmann,
        Self::Octree,
    ];
}

/// Deeper nodes are halved by count, so that no input makes a tree as deep as it has faces.
const MAX_DEPTH: usize = 48;

/// Part the faces of every node from the root down. The options are in range, and there are faces.
pub(super) fn top_down(triangles: &[Triangle], options: &TreeOptions) -> Tree {
    let all = Faces::new(triangles);
    let mut faces: Vec<u32> = (0..triangles.len() as u32).collect();
    let mut nodes = vec![node(&faces, 0)];
    let mut open = vec![(0usize, 0usize)];
    while let Some((index, depth)) = open.pop() {
        let TreeNode { faces: range, .. } = nodes[index].clone();
        let mine = &mut faces[range.start as usize..range.end as usize];
        if mine.len() <= options.leaf_faces {
            continue;
        }
        let parts = if depth < MAX_DEPTH {
            part(&Problem { all: &all, faces: mine, options })
        } else {
            Parted::Into(all.halves(mine))
        };
        let Parted::Into(parts) = parts else { continue };
        let first_child = nodes.len();
        let mut start = 0;
        for part in &parts {
            mine[start..start + part.len()].copy_from_slice(part);
            nodes.push(node(part, range.start + start as u32));
            open.push((nodes.len() - 1, depth + 1));
            start += part.len();
        }
        nodes[index].children = first_child as u32..nodes.len() as u32;
    }
    Tree { nodes, faces }
}

/// What became of the faces of a node.
enum Parted {
    /// At least two parts, none empty.
    Into(Vec<Vec<u32>>),
    /// Parting them does not pay.
    Leaf,
}

fn part(problem: &Problem<'_>) -> Parted {
    let parts = match problem.options.degree {
        Degree::Fixed(degree) => by_degree(problem, degree),
        Degree::Rate { rate, at_most, few } => match by_rate(problem, rate, at_most, few) {
            Some(parts) => parts,
            None => return Parted::Leaf,
        },
    };
    // Where the split knows no way, counts do: a leaf of many faces would cost more than any volume.
    Parted::Into(parts.unwrap_or_else(|| problem.all.halves(problem.faces)))
}

/// The smallest degree whose parts are better than the node by the wanted rate, else the best; nothing where the node is to stay a leaf
/// (Eckstein 1998, section 3.3.3).
#[expect(clippy::option_option, reason = "a leaf is one thing, a split that fails another")]
fn by_rate(problem: &Problem<'_>, rate: f64, at_most: usize, few: usize) -> Option<Option<Vec<Vec<u32>>>> {
    let goal = rate * problem.quality(problem.faces);
    let mut best: Option<(f64, Vec<Vec<u32>>)> = None;
    for degree in 2..=at_most.min(problem.faces.len()) {
        let Some(parts) = by_degree(problem, degree) else { continue };
        let quality = problem.quality_of(&parts);
        if quality <= goal {
            return Some(Some(parts));
        }
        if best.as_ref().is_none_or(|(least, _)| quality < *least) {
            best = Some((quality, parts));
        }
    }
    if best.is_some() && problem.faces.len() < few {
        return None;
    }
    Some(best.map(|(_, parts)| parts))
}

/// At most `degree` parts by the split that was chosen, none empty; nothing where all faces end up in one.
fn by_degree(problem: &Problem<'_>, degree: usize) -> Option<Vec<Vec<u32>>> {
    let degree = degree.min(problem.faces.len());
    let parts = match problem.options.split {
        Split::Median | Split::LongestAxis | Split::Morton | Split::BottomUp => {
            problem.all.halves_to(problem.faces, degree)
        }
        Split::SurfaceArea => surface_area::parts(problem, degree),
        Split::BranchAndBound if problem.faces.len() <= Split::BRANCH_AND_BOUND_FACES => {
            branch_bound::parts(problem, degree)
        }
        Split::BranchAndBound | Split::Exchange => exchange::parts(problem, degree),
        Split::HochbaumShmoys => exchange::farthest_parts(problem, degree),
        Split::Growth(seeding, insertion) => growth::parts(problem, degree, seeding, insertion),
        Split::Gottschalk => boxes::parts(problem, degree, &problem.oriented_box()),
        Split::Zachmann => boxes::parts(problem, degree, &problem.aligned_box()),
        Split::Octree => octree::parts(problem),
    };
    let parts: Vec<Vec<u32>> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    (parts.len() >= 2).then_some(parts)
}
