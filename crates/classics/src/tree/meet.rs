//! Intersection test of two trees of volumes, with its cost.

use super::expansion::{Expansion, opened};
use super::volumes::FaceCopies;
use super::{FitVolume, VolumeTree};
use crate::edge_face::faces_by_edges;
use noli::Budget;
use noli::trace::Trace;
use noli::tree::walk::{self, Block, Ended, Item, Meter, NodeTest, Order, Visit};
use noli_geom::{Measure, PairFrame, Pose, RelativePose, Triangle, TrianglePair, VolumeKind};
use std::cell::RefCell;
use std::collections::HashSet;
use std::ops::{AddAssign, ControlFlow, Range};

/// Rounding tolerated at the border of a face that is tested by edges, as a fraction of its size.
const FORGIVEN: f64 = 1e-12;

/// By what pairs of nodes are ranked, the smallest first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Rank {
    /// The distance of their volumes: those that overlap most.
    #[default]
    Distance,
    /// The sum of their qualities: small volumes (ascending in the thesis).
    Finest,
    /// The same, the largest first (descending).
    Coarsest,
}

/// Test of two faces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BaseTest {
    /// Exact.
    #[default]
    Exact,
    /// Approximate, as published: edges of each against the other, counted one by one.
    Edges,
}

/// Options of the traversal of two trees.
#[derive(Clone, Copy, Debug, Default)]
pub struct WalkOptions<'a> {
    /// Nodes of a pair that are opened.
    pub expansion: Expansion,
    /// Order in which pairs are tested.
    pub order: Order,
    /// By what pairs are ranked where the order is [`Order::Best`].
    pub rank: Rank,
    /// Test of two faces.
    pub base: BaseTest,
    /// Continues after the first intersection.
    pub all: bool,
    /// Budget of the traversal.
    pub budget: Budget<'a>,
}

/// Number of tests of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tests {
    /// Tests of volumes by the kinds of both, in the order of [`VolumeKind::ALL`].
    pub volumes: [[u64; 4]; 4],
    /// Tests of two faces.
    pub faces: u64,
    /// Tests of an edge and a face, where faces are tested by their edges.
    pub edge_faces: u64,
}

impl Tests {
    /// All tests of volumes.
    pub fn volume_tests(&self) -> u64 {
        self.volumes.iter().flatten().sum()
    }

    /// The comparison number of the thesis: counts times the mean cost of a test. `faces` is the cost of a test of two
    /// faces, or of an edge and a face where those were counted.
    pub fn cost(&self, volumes: &[[f64; 4]; 4], faces: f64) -> f64 {
        let pairs = self.volumes.iter().flatten().zip(volumes.iter().flatten());
        let base = if self.edge_faces > 0 { self.edge_faces } else { self.faces };
        pairs.map(|(&count, cost)| count as f64 * cost).sum::<f64>() + base as f64 * faces
    }
}

impl AddAssign for Tests {
    fn add_assign(&mut self, other: Self) {
        for (mine, theirs) in self.volumes.iter_mut().flatten().zip(other.volumes.iter().flatten()) {
            *mine += theirs;
        }
        self.faces += other.faces;
        self.edge_faces += other.edge_faces;
    }
}

/// Result of a traversal of two trees.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Met {
    /// `true` if faces share a point; exact. `None` if the budget ran out first.
    pub overlap: Option<bool>,
    /// Pairs of faces that share a point: all if requested, else the first.
    pub faces: Vec<(u32, u32)>,
    /// Tests made.
    pub tests: Tests,
    /// If the budget ran out: upper bound on the distance of the bodies, if available.
    pub at_most: Option<f64>,
    /// If the budget ran out: of the intersecting pairs of nodes not opened, the one whose volumes extend least
    /// beyond their faces, taken together. Available if both trees
    /// [keep these distances](VolumeTree::with_reaches).
    pub indicator: Option<(u32, u32)>,
}

impl<V: FitVolume> VolumeTree<V> {
    /// Returns `true` if the surfaces share a point; exact. The poses must be valid.
    pub fn overlaps(
        &self,
        world_from_self: &Pose,
        other: &Self,
        world_from_other: &Pose,
        trace: &mut impl Trace,
    ) -> bool {
        let options = WalkOptions { expansion: Expansion::Simultaneous, ..Default::default() };
        self.meet_traced(world_from_self, other, world_from_other, &options, trace).overlap == Some(true)
    }

    /// Returns the faces at which the surfaces share points, and the cost of the test. The poses must be valid.
    pub fn meet(
        &self,
        world_from_self: &Pose,
        other: &Self,
        world_from_other: &Pose,
        options: &WalkOptions<'_>,
    ) -> Met {
        self.meet_traced(world_from_self, other, world_from_other, options, &mut noli::trace::NoTrace)
    }

    fn meet_traced(
        &self,
        world_from_self: &Pose,
        other: &Self,
        world_from_other: &Pose,
        options: &WalkOptions<'_>,
        trace: &mut impl Trace,
    ) -> Met {
        if self.tree.nodes.is_empty() || other.tree.nodes.is_empty() {
            return Met { overlap: Some(false), ..Met::default() };
        }
        let frame = PairFrame::new(&RelativePose::new(world_from_self, world_from_other));
        let pair = VolumePairs { a: self, b: other, frame: &frame, options, tests: RefCell::default() };
        let remembers = [self.copies, other.copies].contains(&FaceCopies::Remembered);
        let tested = remembers.then(HashSet::new);
        let mut visit = FacePairs { pair: &pair, met: Vec::new(), tested };
        // The roots are a pair like any other.
        let mut list = match pair.test(0, 0) <= 0.0 {
            true => vec![Item::ROOTS],
            false => Vec::new(),
        };
        let ended = walk::walk(&pair, &mut visit, &mut list, &mut options.budget.meter(), trace);
        let mut met = visit.met;
        if [self.copies, other.copies] != [FaceCopies::One; 2] {
            met.sort_unstable();
            met.dedup();
        }
        let overlap = match ended {
            _ if !met.is_empty() => Some(true),
            Ended::OutOfBudget => None,
            _ => Some(false),
        };
        let indicator = if overlap.is_none() { pair.indicator(&list) } else { None };
        let at_most = if overlap.is_none() { pair.least_at_most(&mut list) } else { None };
        Met { overlap, faces: met, tests: pair.tests.into_inner(), at_most, indicator }
    }
}

struct VolumePairs<'a, V> {
    a: &'a VolumeTree<V>,
    b: &'a VolumeTree<V>,
    frame: &'a PairFrame,
    options: &'a WalkOptions<'a>,
    tests: RefCell<Tests>,
}

impl<V: FitVolume> VolumePairs<'_, V> {
    /// The distance of two nodes, counted.
    fn test(&self, a: u32, b: u32) -> f64 {
        let (a, b) = (&self.a.volumes[a as usize], &self.b.volumes[b as usize]);
        self.tests.borrow_mut().volumes[a.kind() as usize][b.kind() as usize] += 1;
        a.distance_bound(b, self.frame.pose())
    }

    fn fill(&self, a: u32, b: u32, part: usize, block: &mut Block) -> bool {
        fill(opened(self.a, self.b, a, b, self.options.expansion), part, block, |a, b| {
            let distance = self.test(a, b);
            (distance <= 0.0).then(|| self.rank(a, b, distance))
        })
    }

    fn rank(&self, a: u32, b: u32, distance: f64) -> f32 {
        let quality = || (self.a.quality[a as usize] + self.b.quality[b as usize]) as f32;
        match self.options.rank {
            Rank::Distance => distance as f32,
            Rank::Finest => quality(),
            Rank::Coarsest => -quality(),
        }
    }

    /// Returns the pair with the least sum of reaches, of the remaining pairs, all of which were found to
    /// intersect.
    fn indicator(&self, list: &[Item]) -> Option<(u32, u32)> {
        let (a, b) = (self.a.reaches.as_ref()?, self.b.reaches.as_ref()?);
        let sum = |item: &&Item| a[item.a as usize] + b[item.b as usize];
        list.iter().min_by(|x, y| sum(x).total_cmp(&sum(y))).map(|item| (item.a, item.b))
    }

    /// The best bound from a few pairs of small volumes.
    fn least_at_most(&self, list: &mut [Item]) -> Option<f64> {
        let size = |tree: &VolumeTree<V>, n: u32| tree.volumes[n as usize].measure(Measure::Diameter);
        let both = |item: &Item| size(self.a, item.a) + size(self.b, item.b);
        list.sort_by(|x, y| both(x).total_cmp(&both(y)));
        list.iter().take(4).filter_map(|item| self.at_most(item.a, item.b)).min_by(f64::total_cmp)
    }

    /// Returns an upper bound on the distance of the faces of two nodes whose volumes were found to intersect.
    /// Each volume point is near a face of its own node. `None` where volumes found to overlap may still be
    /// separated, as k-DOPs may.
    fn at_most(&self, a: u32, b: u32) -> Option<f64> {
        let exact = |tree: &VolumeTree<V>, n: u32| tree.volumes[n as usize].kind() != VolumeKind::Kdop;
        if !exact(self.a, a) || !exact(self.b, b) {
            return None;
        }
        let size = |tree: &VolumeTree<V>, n: u32| tree.volumes[n as usize].measure(Measure::Diameter);
        let far = self.frame.pose().translation.abs().max_element();
        // Boxes whose edges are nearly parallel may pass for overlapping although this share of their size is
        // between them.
        let rounding = 1e-6 * (size(self.a, a) + size(self.b, b)) + 1e-12 * far;
        Some(self.a.reach_beyond(a)? + self.b.reach_beyond(b)? + rounding)
    }
}

/// Fills one of the four-by-four blocks that a pair opens to, by the rank of intersecting nodes; returns
/// `false` if there are no more.
pub(super) fn fill(
    (nodes_a, nodes_b): (Range<u32>, Range<u32>),
    part: usize,
    block: &mut Block,
    rank: impl FnMut(u32, u32) -> Option<f32>,
) -> bool {
    let blocks_b = nodes_b.len().div_ceil(4);
    let (first_a, first_b) = (4 * (part / blocks_b) as u32, 4 * (part % blocks_b) as u32);
    if nodes_a.start + first_a >= nodes_a.end {
        return false;
    }
    block.fill(nodes_a.start + first_a..nodes_a.end, nodes_b.start + first_b..nodes_b.end, rank);
    true
}

impl<V: FitVolume> NodeTest for VolumePairs<'_, V> {
    const SORTED: bool = false;

    fn is_leaf(&self, a: u32, b: u32) -> (bool, bool) {
        (self.a.is_leaf(a), self.b.is_leaf(b))
    }

    fn expand(&self, a: u32, b: u32, _: f32, block: &mut Block) {
        self.fill(a, b, 0, block);
    }

    fn expand_more(&self, a: u32, b: u32, part: usize, block: &mut Block) -> bool {
        self.fill(a, b, part, block)
    }

    fn order(&self) -> Order {
        self.options.order
    }
}

struct FacePairs<'p, 'v, V> {
    pair: &'p VolumePairs<'v, V>,
    met: Vec<(u32, u32)>,
    /// Pairs of faces tested, where a pair may come again and is not to be tested again.
    tested: Option<HashSet<(u32, u32)>>,
}

impl<V: FitVolume> Visit for FacePairs<'_, '_, V> {
    fn leaves(&mut self, a: u32, b: u32, _: &mut Meter<'_>, _: &mut impl Trace) -> ControlFlow<Ended> {
        let VolumePairs { a: tree_a, b: tree_b, frame, options, tests } = self.pair;
        for (face_a, number_a) in tree_a.faces(a).iter().zip(tree_a.face_numbers(a)) {
            for (face_b, number_b) in tree_b.faces(b).iter().zip(tree_b.face_numbers(b)) {
                if self.tested.as_mut().is_some_and(|tested| !tested.insert((*number_a, *number_b))) {
                    continue;
                }
                tests.borrow_mut().faces += 1;
                let meet = match options.base {
                    BaseTest::Exact => TrianglePair::new(face_a, face_b, frame).overlaps(),
                    BaseTest::Edges => {
                        let pose = frame.pose();
                        let placed = Triangle { vertices: face_b.vertices.map(|p| pose.transform_point(p)) };
                        let (meet, count) = faces_by_edges(face_a, &placed, FORGIVEN);
                        tests.borrow_mut().edge_faces += u64::from(count);
                        meet
                    }
                };
                if meet {
                    self.met.push((*number_a, *number_b));
                    if !options.all {
                        return ControlFlow::Break(Ended::Answered);
                    }
                }
            }
        }
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{AnyVolume, TreeOptions};

    /// Of any list of pairs, at any position, the indicator is the one of least sum; without reaches there is
    /// none.
    #[test]
    fn the_indicator_is_the_least_of_any_list() {
        let set = noli_scenes::bumpy_sphere(3, 0.3);
        let mesh = noli::Mesh::from_triangles(set.vertices, set.triangles, &Default::default()).unwrap();
        let tree = VolumeTree::<AnyVolume>::new(&mesh, &TreeOptions::workshop());
        let with = tree.clone().with_reaches();
        let frame = PairFrame::new(&RelativePose::identity());
        let options = WalkOptions::default();
        let pairs = |tree| VolumePairs {
            a: tree,
            b: tree,
            frame: &frame,
            options: &options,
            tests: RefCell::default(),
        };
        let mut random = noli_scenes::SplitMix64::new(97);
        let count = with.tree.nodes.len() as f64;
        for _ in 0..50 {
            let mut node = || random.between(0.0, count) as u32;
            let list: Vec<Item> = (0..9).map(|_| Item { key: 0.0, a: node(), b: node() }).collect();
            let reach = |n: u32| with.reach_beyond(n).unwrap();
            let sum = |(a, b): (u32, u32)| reach(a) + reach(b);
            let found = pairs(&with).indicator(&list).unwrap();
            assert!(list.iter().all(|item| sum(found) <= sum((item.a, item.b)) + 1e-12));
            assert!(list.iter().any(|item| sum(found) < sum((item.a, item.b))), "all alike");
            assert_eq!(pairs(&tree).indicator(&list), None);
        }
        assert_eq!(pairs(&with).indicator(&[]), None);
    }
}
