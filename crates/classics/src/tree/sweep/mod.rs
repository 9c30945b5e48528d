//! Trees of volumes against each other while they move: the dynamic detection of Eckstein's thesis (1998, chapters 4 and 5)
//! as one thing.
//!
//! Every pair of nodes is tested by volumes around their places during the step, every pair of faces in two leaves by a finder.
//! What is promised depends on the choices: with mended volumes and [`FaceTest::Inclusion`] no contact is missed; all else is
//! approximate and has the misses of its [`Finder`](noli_geom::Finder).

mod cut_short;
mod enclose;

pub use cut_short::{CutShort, SweptWithin, approximating_faces};
pub use enclose::{Enclosing, SweptVolume};

use super::expansion::opened;
use super::meet::fill;
use super::{Expansion, FitVolume, Tests, VolumeTree, WalkOptions};
use glam::DVec3;
use noli::trace::{NoTrace, Trace};
use noli::tree::walk::{self, Block, Ended, Item, Meter, NodeTest, Order, Visit};
use noli::{Budget, Guarantee};
use noli_geom::{
    AnyVolume, ApproximateQuery, FeatureKind, FeatureQuery, Impact, MixedImpact, Motion, Pose, RelativePose,
    RigidFeatures, Triangle, Volume, approximate_impact, mixed_impact,
};
use std::cell::RefCell;
use std::ops::ControlFlow;

/// Test of the faces of two leaves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FaceTest {
    /// Approximate: one of the five finders on every pair of features.
    Finder(ApproximateQuery),
    /// Inclusion on every pair of features, which misses nothing.
    Inclusion(FeatureQuery),
}

impl Default for FaceTest {
    fn default() -> Self {
        Self::Finder(ApproximateQuery::default())
    }
}

/// Options of the traversal of two trees in motion.
#[derive(Clone, Copy, Debug, Default)]
pub struct SweepOptions<'a> {
    /// Enclosure of the nodes.
    pub volumes: SweptVolume,
    /// Test of the faces.
    pub faces: FaceTest,
    /// Nodes of a pair that are opened.
    pub expansion: Expansion,
    /// Order in which pairs are tested.
    pub order: Order,
    /// Budget of the traversal.
    pub budget: Budget<'a>,
}

impl SweepOptions<'_> {
    /// Returns the guarantee of the answer.
    pub fn guarantee(&self) -> Guarantee {
        match self.faces {
            FaceTest::Inclusion(_) if !self.volumes.as_printed => Guarantee::Conservative,
            _ => Guarantee::Approximate,
        }
    }
}

/// The first contact of two moving trees that was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SweepContact {
    /// Time of contact, within [0, 1].
    pub time: f64,
    /// The faces, as their meshes number them.
    pub faces: (u32, u32),
}

/// Result of a traversal of two moving trees.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Swept {
    /// The earliest contact found; none where none was.
    pub first: Option<SweepContact>,
    /// `true` if the budget ran out before all pairs were tested.
    pub unfinished: bool,
    /// Tests made; a pair of faces is six tests of a vertex and a face and nine of two edges.
    pub tests: Tests,
}

/// Result of the mixed test through trees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MixedSweep {
    /// No faces overlap at the end. Contacts earlier in the motion are possible.
    NoEndOverlap,
    /// The earliest contact of features that overlap at the end.
    At(SweepContact),
    /// Faces overlap at the end and no contact was found during the motion. The poses up to this time, found by
    /// halving towards the end of the last collision-free interval, were collision-free where tested. The
    /// printed answer is "no collision".
    Undated {
        /// The last time found free.
        free_at: f64,
    },
}

impl<V: FitVolume> VolumeTree<V> {
    /// Computes the first contact of the faces during the time span [0, 1].
    pub fn sweep(
        &self,
        motion: &dyn Motion,
        other: &Self,
        other_motion: &dyn Motion,
        options: &SweepOptions<'_>,
    ) -> Swept {
        if self.tree.nodes.is_empty() || other.tree.nodes.is_empty() {
            return Swept::default();
        }
        let sides = [Side::new(self, motion), Side::new(other, other_motion)];
        let test =
            SweptNodes { sides, options, identity: RelativePose::identity(), tests: RefCell::default() };
        let (first, list) = test.walk();
        Swept { first, unfinished: !list.is_empty(), tests: test.tests.into_inner() }
    }
}

impl<V: FitVolume> SweptNodes<'_, V> {
    /// The earliest contact, and the pairs that the budget did not suffice for.
    fn walk(&self) -> (Option<SweepContact>, Vec<Item>) {
        let mut visit = FaceFinder { test: self, first: None };
        let mut list = if self.test(0, 0) { vec![Item::ROOTS] } else { Vec::new() };
        let ended = walk::walk(self, &mut visit, &mut list, &mut self.options.budget.meter(), &mut NoTrace);
        if ended != Ended::OutOfBudget {
            list.clear();
        }
        (visit.first, list)
    }
}

impl<V: FitVolume> VolumeTree<V> {
    /// **Approximate**: dynamic work only for the faces that overlap at the end, found by static trees (Eckstein 1998,
    /// section 5.4). Misses what is over by then. An overlap that no finder dates is followed back by halving the step
    /// until the last free pose is known to within `tolerance`.
    pub fn sweep_mixed(
        &self,
        motion: &dyn Motion,
        other: &Self,
        other_motion: &dyn Motion,
        query: &ApproximateQuery,
        tolerance: f64,
    ) -> (MixedSweep, Tests) {
        let walk = WalkOptions { all: true, ..WalkOptions::default() };
        let mut tests = Tests::default();
        let mut met = |t: f64| {
            let met = self.meet(&motion.pose(t), other, &other_motion.pose(t), &walk);
            tests += met.tests;
            met.faces
        };
        let pairs = met(1.0);
        if pairs.is_empty() {
            return (MixedSweep::NoEndOverlap, tests);
        }
        let dated = pairs.iter().filter_map(|&(a, b)| {
            let (of_a, of_b) = ([self.face(a)?], [other.face(b)?]);
            match mixed_impact((&of_a, motion), (&of_b, other_motion), query) {
                MixedImpact::At { time, .. } => Some(SweepContact { time, faces: (a, b) }),
                _ => None,
            }
        });
        if let Some(first) = dated.min_by(|p, q| p.time.total_cmp(&q.time)) {
            return (MixedSweep::At(first), tests);
        }
        let (mut free, mut hit) = (0.0, 1.0);
        if !met(0.0).is_empty() {
            return (MixedSweep::Undated { free_at: 0.0 }, tests);
        }
        while hit - free > tolerance.max(f64::EPSILON) {
            let middle = 0.5 * (free + hit);
            let clear = met(middle).is_empty();
            (free, hit) = if clear { (middle, hit) } else { (free, middle) };
        }
        (MixedSweep::Undated { free_at: free }, tests)
    }

    /// A face by the number its mesh gives it.
    fn face(&self, number: u32) -> Option<Triangle> {
        let place = self.tree.faces.iter().position(|&face| face == number)?;
        self.triangle(place)
    }
}

/// A tree in motion; volumes around motions are computed on first use.
struct Side<'t, V> {
    tree: &'t VolumeTree<V>,
    motion: &'t dyn Motion,
    ends: [Pose; 2],
    swept: RefCell<Vec<Option<AnyVolume>>>,
}

impl<'t, V: FitVolume> Side<'t, V> {
    fn new(tree: &'t VolumeTree<V>, motion: &'t dyn Motion) -> Self {
        let swept = RefCell::new(vec![None; tree.tree.nodes.len()]);
        Self { tree, motion, ends: [0.0, 1.0].map(|t| motion.pose(t)), swept }
    }

    fn volume(&self, node: u32, how: &SweptVolume) -> AnyVolume {
        let mut swept = self.swept.borrow_mut();
        *swept[node as usize].get_or_insert_with(|| {
            how.around(&self.tree.volumes[node as usize].any(), self.motion, (0.0, 1.0))
        })
    }

    /// The pose at a time; both ends are known.
    fn pose(&self, t: f64) -> Pose {
        match t {
            0.0 => self.ends[0],
            1.0 => self.ends[1],
            _ => self.motion.pose(t),
        }
    }
}

struct SweptNodes<'t, V> {
    sides: [Side<'t, V>; 2],
    options: &'t SweepOptions<'t>,
    identity: RelativePose,
    tests: RefCell<Tests>,
}

impl<V: FitVolume> SweptNodes<'_, V> {
    /// Tests if the volumes of two nodes intersect, and counts the test.
    fn test(&self, a: u32, b: u32) -> bool {
        let volumes = &self.options.volumes;
        let (a, b) = (self.sides[0].volume(a, volumes), self.sides[1].volume(b, volumes));
        self.tests.borrow_mut().volumes[a.kind() as usize][b.kind() as usize] += 1;
        a.distance_bound(&b, &self.identity) <= 0.0
    }

    fn fill(&self, a: u32, b: u32, part: usize, block: &mut Block) -> bool {
        let nodes = opened(self.sides[0].tree, self.sides[1].tree, a, b, self.options.expansion);
        fill(nodes, part, block, |a, b| self.test(a, b).then_some(0.0))
    }
}

impl<V: FitVolume> NodeTest for SweptNodes<'_, V> {
    const SORTED: bool = false;

    fn is_leaf(&self, a: u32, b: u32) -> (bool, bool) {
        (self.sides[0].tree.is_leaf(a), self.sides[1].tree.is_leaf(b))
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

struct FaceFinder<'p, 't, V> {
    test: &'p SweptNodes<'t, V>,
    first: Option<SweepContact>,
}

impl<V: FitVolume> Visit for FaceFinder<'_, '_, V> {
    fn leaves(&mut self, a: u32, b: u32, _: &mut Meter<'_>, _: &mut impl Trace) -> ControlFlow<Ended> {
        let [side_a, side_b] = &self.test.sides;
        for (face_a, &number_a) in side_a.tree.faces(a).iter().zip(side_a.tree.face_numbers(a)) {
            for (face_b, &number_b) in side_b.tree.faces(b).iter().zip(side_b.tree.face_numbers(b)) {
                self.test.tests.borrow_mut().faces += 1;
                let found = self.test.first_of(face_a, face_b);
                if let Some(time) = found.filter(|t| self.first.is_none_or(|first| *t < first.time)) {
                    self.first = Some(SweepContact { time, faces: (number_a, number_b) });
                }
            }
        }
        ControlFlow::Continue(())
    }
}

impl<V: FitVolume> SweptNodes<'_, V> {
    /// The first contact of two faces: six tests of a vertex and a face, nine of two edges.
    fn first_of(&self, a: &Triangle, b: &Triangle) -> Option<f64> {
        let mut first: Option<f64> = None;
        for features in features(a, b) {
            let found = self.contact(&features);
            first = first.into_iter().chain(found).min_by(f64::total_cmp);
        }
        first
    }

    fn contact(&self, features: &Features) -> Option<f64> {
        let Features { kind, points, first } = *features;
        let (one, two) = (&self.sides[first], &self.sides[1 - first]);
        let count = if kind == FeatureKind::VertexFace { 1 } else { 2 };
        match &self.options.faces {
            FaceTest::Finder(query) => {
                let place = |t: f64| -> [DVec3; 4] {
                    let poses = [one.pose(t), two.pose(t)];
                    std::array::from_fn(|k| poses[usize::from(k >= count)].transform_point(points[k]))
                };
                approximate_impact(kind, &place, query)
            }
            FaceTest::Inclusion(query) => {
                let pair = RigidFeatures { kind, points, a: one.motion, b: two.motion };
                match pair.impact(query) {
                    Impact::Free => None,
                    Impact::At { time, .. } => Some(time.safe_until),
                    Impact::AtStart(_) => Some(0.0),
                    Impact::Unknown { safe_until } => Some(safe_until),
                }
            }
        }
    }
}

/// Two features and whose points come first.
#[derive(Clone, Copy)]
struct Features {
    kind: FeatureKind,
    points: [DVec3; 4],
    first: usize,
}

fn features(a: &Triangle, b: &Triangle) -> impl Iterator<Item = Features> {
    let vertices = [a.vertices, b.vertices];
    let vertex_face = (0..6).map(move |k| {
        let (first, vertex) = (k / 3, vertices[k / 3][k % 3]);
        let [p, q, r] = vertices[1 - first];
        Features { kind: FeatureKind::VertexFace, points: [vertex, p, q, r], first }
    });
    let edge_edge = (0..9).map(move |k| {
        let (i, j) = (k / 3, k % 3);
        let points = [vertices[0][i], vertices[0][(i + 1) % 3], vertices[1][j], vertices[1][(j + 1) % 3]];
        Features { kind: FeatureKind::EdgeEdge, points, first: 0 }
    });
    vertex_face.chain(edge_edge)
}
