//! Two double trees against each other, through the one walk.

use super::{DoubleNode, DoubleTree};
use crate::goldman::edge_meets_face;
use glam::DVec3;
use noli::Budget;
use noli::seams::contained;
use noli::trace::{NoTrace, Trace};
use noli::tree::walk::{self, Block, Ended, Item, Meter, NodeTest, Visit};
use noli_geom::{AnyVolume, Obb, PairFrame, Pose, RelativePose, Triangle, TrianglePair, Volume};
use std::cell::Cell;
use std::ops::ControlFlow;

/// Proof that two bodies share a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HitBy {
    /// Inner volumes intersect.
    InnerVolumes,
    /// Faces intersect.
    Faces,
    /// One body is inside the other.
    Containment,
}

/// Number of tests of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DoubleTests {
    /// Of outer volumes.
    pub outer: u64,
    /// Of inner volumes.
    pub inner: u64,
    /// Of faces.
    pub faces: u64,
}

/// Result of a traversal of two double trees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DoubleVerdict {
    /// Proof that the bodies share a point; `None` if they do not. Exact.
    pub hit: Option<HitBy>,
    /// The nodes whose volumes or faces proved it; nothing where they did not.
    pub nodes: Option<[u32; 2]>,
    /// A point that both bodies share, in the world, rounded; nothing where they do not.
    pub point: Option<DVec3>,
    /// `true` if that is final; `false` if the budget ran out before a contact was found.
    pub decided: bool,
    /// Tests made.
    pub tests: DoubleTests,
}

impl DoubleTree {
    /// Tests if two convex bodies share a point. With `inner` false, inner volumes are not tested. The poses
    /// must be valid.
    pub fn overlap(
        &self,
        world_from_self: &Pose,
        other: &Self,
        world_from_other: &Pose,
        inner: bool,
    ) -> DoubleVerdict {
        self.overlap_within(world_from_self, other, world_from_other, inner, &Budget::UNLIMITED)
    }

    /// The same under a budget: a contact that was found is one, and where none was found in time nothing is
    /// decided.
    pub fn overlap_within(
        &self,
        world_from_self: &Pose,
        other: &Self,
        world_from_other: &Pose,
        inner: bool,
        budget: &Budget<'_>,
    ) -> DoubleVerdict {
        let frame = PairFrame::new(&RelativePose::new(world_from_self, world_from_other));
        let counts = Cell::new(DoubleTests::default());
        let pair = Pieces { a: self, b: other, frame: &frame, counts: &counts };
        let mut visit = Proofs { pair: &pair, inner, hit: None, nodes: None, point: None };
        let mut list = match pair.separated(0, 0) {
            true => Vec::new(),
            false => vec![Item::ROOTS],
        };
        let ended = walk::walk(&pair, &mut visit, &mut list, &mut budget.meter(), &mut NoTrace);
        let (mut hit, nodes, mut point) = (visit.hit, visit.nodes, visit.point);
        let decided = hit.is_some() || ended != Ended::OutOfBudget;
        if decided && hit.is_none() && !pair.separated(0, 0) {
            let (a, b) = (self.model.at(*world_from_self), other.model.at(*world_from_other));
            hit = (contained(&a, &b) == Some(true)).then_some(HitBy::Containment);
            point = hit.and_then(|_| pair.vertex_inside());
        }
        let point = point.map(|p| world_from_self.transform_point(p));
        DoubleVerdict { hit, nodes, point, decided, tests: counts.get() }
    }
}

#[derive(Clone, Copy)]
struct Pieces<'a> {
    a: &'a DoubleTree,
    b: &'a DoubleTree,
    frame: &'a PairFrame,
    counts: &'a Cell<DoubleTests>,
}

impl Pieces<'_> {
    fn pair(&self, a: u32, b: u32) -> (&DoubleNode, &DoubleNode) {
        (&self.a.nodes[a as usize], &self.b.nodes[b as usize])
    }

    fn count(&self, add: impl FnOnce(&mut DoubleTests)) {
        let mut tests = self.counts.get();
        add(&mut tests);
        self.counts.set(tests);
    }

    fn separated(&self, a: u32, b: u32) -> bool {
        self.count(|tests| tests.outer += 1);
        let (a, b) = self.pair(a, b);
        a.outer.distance_bound(&b.outer, self.frame.pose()) > 0.0
    }

    /// Returns the distance of the inner volumes: the closest pair is tested first, which yields more contacts
    /// by them.
    fn rank(&self, a: u32, b: u32) -> f32 {
        let (a, b) = self.pair(a, b);
        let center = |node: &DoubleNode| node.inner.as_ref().unwrap_or(&node.outer).center();
        self.frame.pose().transform_point(center(b)).distance(center(a)) as f32
    }
}

impl Pieces<'_> {
    /// A vertex of one body that is in the other, in the frame of A.
    fn vertex_inside(&self) -> Option<DVec3> {
        let pose = self.frame.pose();
        let into_b = |p: DVec3| pose.rotation.transpose() * (p - pose.translation);
        let (a, b) = self.pair(0, 0);
        let of_a = a.piece.vertices.iter().copied().find(|&p| b.piece.holds(into_b(p)));
        of_a.or_else(|| b.piece.vertices.iter().map(|&p| pose.transform_point(p)).find(|&p| a.piece.holds(p)))
    }
}

impl NodeTest for Pieces<'_> {
    const SORTED: bool = false;

    fn is_leaf(&self, a: u32, b: u32) -> (bool, bool) {
        let (a, b) = self.pair(a, b);
        (a.children.is_empty(), b.children.is_empty())
    }

    /// Opens the larger of two nodes. An interior leaf stays against the children of the other: its inner
    /// volume may yet intersect theirs.
    fn expand(&self, a: u32, b: u32, _: f32, block: &mut Block) {
        let (node_a, node_b) = self.pair(a, b);
        let open_a =
            node_b.children.is_empty() || (!node_a.children.is_empty() && node_a.size >= node_b.size);
        let (nodes_a, nodes_b) =
            if open_a { (node_a.children.clone(), b..b + 1) } else { (a..a + 1, node_b.children.clone()) };
        block.fill(nodes_a, nodes_b, |a, b| (!self.separated(a, b)).then(|| self.rank(a, b)));
    }
}

struct Proofs<'p> {
    pair: &'p Pieces<'p>,
    inner: bool,
    hit: Option<HitBy>,
    nodes: Option<[u32; 2]>,
    /// In the frame of A.
    point: Option<DVec3>,
}

impl Visit for Proofs<'_> {
    fn enter(&mut self, a: u32, b: u32) -> ControlFlow<()> {
        let nodes = [a, b];
        let (a, b) = self.pair.pair(a, b);
        let (true, Some(a), Some(b)) = (self.inner, &a.inner, &b.inner) else {
            return ControlFlow::Continue(());
        };
        self.pair.count(|tests| tests.inner += 1);
        if surely_meet(a, b, self.pair.frame.pose()) {
            (self.hit, self.nodes) = (Some(HitBy::InnerVolumes), Some(nodes));
            self.point = Some(common_point(a, b, self.pair.frame.pose()));
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    fn leaves(&mut self, a: u32, b: u32, _: &mut Meter<'_>, _: &mut impl Trace) -> ControlFlow<Ended> {
        let Pieces { a: tree_a, b: tree_b, frame, .. } = self.pair;
        let nodes = [a, b];
        let (a, b) = self.pair.pair(a, b);
        for &face_a in &a.faces {
            for &face_b in &b.faces {
                self.pair.count(|tests| tests.faces += 1);
                let (s, t) = (&tree_a.triangles[face_a as usize], &tree_b.triangles[face_b as usize]);
                if TrianglePair::new(s, t, frame).overlaps() {
                    (self.hit, self.nodes) = (Some(HitBy::Faces), Some(nodes));
                    self.point = Some(point_of_faces(s, t, frame.pose()));
                    return ControlFlow::Break(Ended::Answered);
                }
            }
        }
        ControlFlow::Continue(())
    }
}

pub(super) fn surely_meet(a: &AnyVolume, b: &AnyVolume, a_from_b: &RelativePose) -> bool {
    match (a, b) {
        (AnyVolume::Sphere(a), AnyVolume::Sphere(b)) => a.surely_meets(b, a_from_b),
        (AnyVolume::Obb(a), AnyVolume::Obb(b)) => a.surely_meets(b, a_from_b),
        _ => false,
    }
}

/// Returns a point of two intersecting volumes, in the frame of A. It lies between two centres, or is
/// projected from one box to the other and back until both contain it.
fn common_point(a: &AnyVolume, b: &AnyVolume, pose: &RelativePose) -> DVec3 {
    let into_b = |p: DVec3| pose.rotation.transpose() * (p - pose.translation);
    match (a, b) {
        (AnyVolume::Sphere(a), AnyVolume::Sphere(b)) => {
            let other = pose.transform_point(b.center);
            let path = other - a.center;
            let (separated, reach) = (path.length(), a.radius + b.radius);
            // In proportion to the radii, so that it is within both.
            if reach > 0.0 && separated > 0.0 { a.center + path * (a.radius / reach) } else { a.center }
        }
        (AnyVolume::Obb(a), AnyVolume::Obb(b)) => {
            let nearest = |obb: &Obb, p: DVec3| {
                let own = obb.axes.transpose() * (p - obb.center);
                obb.center + obb.axes * own.clamp(-obb.half_extents, obb.half_extents)
            };
            let mut point = a.center;
            // Boxes that meet share a point, to which nearest points go by turns (Bregman 1965).
            for _ in 0..200 {
                let on_b = pose.transform_point(nearest(b, into_b(point)));
                let next = nearest(a, on_b);
                let moved = next.distance(point);
                point = next;
                if moved <= 1e-15 * a.half_extents.length() {
                    break;
                }
            }
            point
        }
        _ => a.center(),
    }
}

/// Returns a point of two intersecting triangles, in the frame of A, rounded: where an edge of one
/// intersects the other.
fn point_of_faces(s: &Triangle, t: &Triangle, pose: &RelativePose) -> DVec3 {
    let placed = Triangle { vertices: t.vertices.map(|p| pose.transform_point(p)) };
    let edges = |t: &Triangle| [0, 1, 2].map(|k| [t.vertices[k], t.vertices[(k + 1) % 3]]);
    let passed = |edge: [DVec3; 2], face: &Triangle| edge_meets_face(edge, face);
    let of_s = edges(s).into_iter().find_map(|edge| passed(edge, &placed));
    let found = of_s.or_else(|| edges(&placed).into_iter().find_map(|edge| passed(edge, s)));
    // Rounding of the pose may part what only touches.
    found.unwrap_or_else(|| s.closest_to(placed.vertices[0]))
}
