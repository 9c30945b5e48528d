//! How the faces of a node are parted.

mod boxes;
mod branch_bound;
mod exchange;
mod growth;
mod octree;
mod problem;

pub use branch_bound::{Proven, branch_and_bound};
pub use growth::{Insertion, Seeding};

use super::{Degree, TreeOptions};
use noli::tree::{Faces, Tree};
use noli_geom::Triangle;
use problem::Problem;

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
    /// Where the sum of surface times number of faces is least (Goldsmith and Salmon 1987), over sixteen
    /// places an axis.
    SurfaceArea,
    /// From the faces upward: neighbours along a curve that suit each other best are joined (Meister and
    /// Bittner 2018, after the bottom-up trees of Barequet et al. 1996), then nodes are drawn together to the
    /// wanted degree.
    BottomUp,
    /// The best of all partitions (Eckstein 1998, section 3.4.1) for nodes of at most
    /// [`Split::BRANCH_AND_BOUND_FACES`] faces; larger nodes are parted by [`Split::Exchange`]. Exponential:
    /// an oracle.
    BranchAndBound,
    /// Centres farthest from each other, each face to the nearest (modified Hochbaum–Shmoys; the rule is
    /// Gonzalez').
    HochbaumShmoys,
    /// The same seeds, then faces change to the nearest mean until none does (Eckstein's heuristic without
    /// intermediate optimisation).
    Exchange,
    /// Faces join the part whose volume they spoil least (Eckstein's heuristic with intermediate
    /// optimisation).
    Growth(Seeding, Insertion),
    /// By the nearest centre of equal parts of the oriented box (modified Gottschalk).
    Gottschalk,
    /// The same with the axis-aligned box (modified Zachmann).
    Zachmann,
    /// By the eight octants of the axis-aligned box (Palmer and Grimsdale 1995, Hubbard 1996); every face
    /// goes to the octant of its middle, so none is in two leaves. Up to eight children, whatever the degree.
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

    /// The split of the engine that it is, if any.
    pub fn of_engine(self) -> Option<noli::tree::Split> {
        match self {
            Self::Median => Some(noli::tree::Split::Median),
            Self::LongestAxis => Some(noli::tree::Split::LongestAxis),
            Self::Morton => Some(noli::tree::Split::Morton),
            Self::SurfaceArea => Some(noli::tree::Split::SurfaceArea),
            _ => None,
        }
    }
}

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
pub(super) fn top_down(triangles: &[Triangle], options: &TreeOptions) -> Tree {
    let all = Faces::new(triangles);
    Tree::top_down(&all, options.leaf_faces, |faces| part(&Problem { all: &all, faces, options }))
}

/// The parts of a node, none where the split knows no way; nothing where the node is to stay a leaf.
fn part(problem: &Problem<'_>) -> Option<Vec<Vec<u32>>> {
    match problem.options.degree {
        Degree::Fixed(degree) => Some(by_degree(problem, degree).unwrap_or_default()),
        Degree::Rate { rate, at_most, few } => by_rate(problem, rate, at_most, few),
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
    if best.is_some() && problem.faces.len() < few {
        return None;
    }
    Some(best.map(|(_, parts)| parts).unwrap_or_default())
}

/// At most `degree` parts by the split that was chosen, none empty; nothing where all faces end up in one.
fn by_degree(problem: &Problem<'_>, degree: usize) -> Option<Vec<Vec<u32>>> {
    let degree = degree.min(problem.faces.len());
    let parts = match problem.options.split {
        Split::Median | Split::LongestAxis | Split::Morton | Split::BottomUp => problem.halves_to(degree),
        Split::SurfaceArea => problem.all.by_surface_area(problem.faces, degree, problem.options.leaf_faces),
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
