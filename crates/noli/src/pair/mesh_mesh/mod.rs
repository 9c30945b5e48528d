//! Two meshes: every question about them is the one walk with another visitor.
//!
//! `meetings` finds faces that share a point and `nearest` the faces that are nearest; the questions are built on
//! these two, one file each. Points and rays are triangles without area and take the same path.

mod clearance;
mod coherence;
mod contacts;
mod impact;
mod inner_spheres;
mod inside;
mod intersecting_faces;
mod intersections;
mod leaf;
mod leaf_distance;
mod near_faces;
mod nearest;
mod passing_parts;
mod ray;
mod relation;
mod self_pairs;
mod separating_plane;
mod shared;
mod step;
mod touch;
mod touching_outline;
mod wedge;
mod winding;
mod within_distance;

pub(crate) use clearance::clearance;
pub(crate) use contacts::{LEAN, Near, contacts, contacts_of_all, nearest_on_triangle};
pub(crate) use impact::{time_of_impact, touch_at};
pub(crate) use inner_spheres::{depth_at_least, inner_spheres};
pub(crate) use inside::{contained, locate_point, nearest_face, nearest_face_from, surface_distance};
pub(crate) use intersections::{
    count_intersections, count_self_intersections, intersections, self_intersections,
};
pub(crate) use near_faces::near_faces;
pub(crate) use ray::ray_cast;
pub(crate) use relation::{containment, relation};
pub(crate) use winding::winds_once;
pub(crate) use within_distance::{point_within, surfaces_within, within_distance};

use crate::context::QueryContext;
use crate::model::{MeshAt, MeshModel};
use crate::pair::start::Start;
use crate::tree::packed::{Frames, PackedTree};
use glam::DVec3;
use noli_geom::{ExactDistance, PairFrame, Pose, RelativePose, Segment, Triangle, TrianglePair};

/// One side of a pair: packed boxes and their triangles.
#[derive(Clone, Copy)]
struct Side<'a> {
    packed: &'a PackedTree,
    triangles: Triangles<'a>,
}

#[derive(Clone, Copy)]
enum Triangles<'a> {
    Mesh(&'a MeshModel),
    /// A point or segment, as a triangle without area.
    Probe(&'a Triangle),
}

impl<'a> Side<'a> {
    fn mesh(model: &'a MeshModel) -> Self {
        Self { packed: &model.packed, triangles: Triangles::Mesh(model) }
    }

    /// A tree of one triangle.
    fn probe(packed: &'a PackedTree, triangle: &'a Triangle) -> Self {
        Self { packed, triangles: Triangles::Probe(triangle) }
    }

    fn count(&self) -> usize {
        match self.triangles {
            Triangles::Mesh(model) => model.mesh.triangle_count(),
            Triangles::Probe(_) => 1,
        }
    }

    /// All vertices, three at a time; the last may come twice.
    fn vertices(&self) -> impl Iterator<Item = Triangle> + 'a {
        let (vertices, probe) = match self.triangles {
            Triangles::Mesh(model) => (model.mesh.vertices(), None),
            Triangles::Probe(triangle) => (&[][..], Some(*triangle)),
        };
        let three = |some: &[DVec3]| Triangle::new(some[0], some[some.len() / 2], some[some.len() - 1]);
        vertices.chunks(3).map(three).chain(probe)
    }

    fn triangle(&self, index: u32) -> Triangle {
        match self.triangles {
            Triangles::Mesh(model) => model.mesh.triangle(index),
            Triangles::Probe(triangle) => *triangle,
        }
    }
}

/// Two meshes and the pose between them. The one with the larger unit comes first, which is what
/// packed tests need; answers are turned round where that swapped them.
struct Pair<'a> {
    a: Side<'a>,
    b: Side<'a>,
    frame: PairFrame,
    frames: Frames,
    world_from_a: Pose,
    /// `true` if `a` is the second of the given bodies.
    swapped: bool,
}

impl<'a> Pair<'a> {
    /// `None` if a pose is invalid. Both sides must have faces.
    fn new(a: (Side<'a>, &Pose), b: (Side<'a>, &Pose)) -> Option<Self> {
        if !a.1.is_valid() || !b.1.is_valid() {
            return None;
        }
        let swapped = b.0.packed.unit > a.0.packed.unit;
        let ((a, world_from_a), (b, world_from_b)) = if swapped { (b, a) } else { (a, b) };
        let a_from_b = RelativePose::new(world_from_a, world_from_b);
        let frames = Frames::new(a.packed, b.packed, &a_from_b);
        Some(Self { a, b, frame: PairFrame::new(&a_from_b), frames, world_from_a: *world_from_a, swapped })
    }

    /// The exact test of a triangle of `a` and one of `b`.
    fn triangles(&self, a: u32, b: u32) -> TrianglePair<'_> {
        TrianglePair::new(&self.a.triangle(a), &self.b.triangle(b), &self.frame)
    }

    /// The distance of a triangle of `a` and one of `b`, to be compared exactly.
    fn exact_distance(&self, a: u32, b: u32) -> ExactDistance {
        let pose = self.frame.pose();
        let (a, b) = (self.a.triangle(a), self.b.triangle(b));
        ExactDistance::new(&a, &b, &pose.world_from_a, &pose.world_from_b)
    }

    /// Returns the common segment of two intersecting triangles, in world coordinates. Its ends are the two most
    /// distant points of their intersection.
    fn segment(&self, a: u32, b: u32) -> Option<Segment> {
        let shared = self.triangles(a, b).intersection();
        let points = shared.points();
        let pairs = points.iter().flat_map(|&p| points.iter().map(move |&q| (p, q)));
        let (start, end) =
            pairs.max_by(|x, y| x.0.distance_squared(x.1).total_cmp(&y.0.distance_squared(y.1)))?;
        let [start, end] = [start, end].map(|p| self.world_from_a.transform_point(p));
        Some(Segment { start, end })
    }

    /// The faces that decided the last question, as far as these meshes have them.
    fn hinted_faces(&self, context: &QueryContext<'_>) -> Option<(u32, u32)> {
        let [a, b] = context.hinted_faces()?;
        let (a, b) = self.in_given_order(a, b);
        ((a as usize) < self.a.count() && (b as usize) < self.b.count()).then_some((a, b))
    }

    /// A pair of numbers in the order in which the bodies were given; or, given in that order, in the pair's own.
    fn in_given_order<N>(&self, a: N, b: N) -> (N, N) {
        if self.swapped { (b, a) } else { (a, b) }
    }
}

/// Returns the pair of two meshes that can be tested.
fn start<'a>(a: &MeshAt<'a>, b: &MeshAt<'a>) -> Start<Pair<'a>> {
    if a.model.mesh.is_empty() || b.model.mesh.is_empty() {
        return Start::Empty;
    }
    match Pair::new((Side::mesh(a.model), &a.world_from_self), (Side::mesh(b.model), &b.world_from_self)) {
        Some(pair) => Start::Ready(pair),
        None => Start::BadPose,
    }
}

/// The numbers of the bits that are set.
#[inline(always)]
fn bits(mut mask: u16) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = mask.trailing_zeros() as usize;
        mask &= mask.wrapping_sub(1);
        (lane < 16).then_some(lane)
    })
}
