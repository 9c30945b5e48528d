//! Every edge against every face (Boyse 1979).
//!
//! Surfaces of bodies with flat faces intersect exactly where an edge of one intersects a face of the
//! other. If none does, one vertex of each connected part decides if it lies inside. Differs from the
//! print: edges and faces are compared exactly, so that nothing depends on a tolerance; every connected
//! part is tested. Cost: all pairs of edges and faces whose boxes overlap, after one sphere and one box
//! test.

mod loops;
mod sweep;

pub use loops::{FaceLoops, LoopError, mesh_of_loops};
pub use sweep::{Trajectory, rotation_contact, translation_contact};

use super::polyhedron::{Polyhedron, Stood, bounds_separated, contained, holds_part_of};
use super::work::{Tally, Work};
use glam::DVec3;
use noli::Budget;
use noli_geom::{Aabb, PairFrame, Pose, RelativePose, Triangle, TrianglePair, UNIT_ROUNDOFF};

/// Relation of two point sets, in Boyse's terms. One inside the other is an interference or not depending
/// on the outer one: not with a surface or a container.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Interference {
    /// They share no point, and neither is around the other.
    Disjoint,
    /// A part of A lies within B without meeting its surface.
    AInsideB,
    /// A part of B lies within A without meeting its surface.
    BInsideA,
    /// An edge of one intersects a face of the other.
    Meeting {
        /// The vertices of the edge.
        edge: [u32; 2],
        /// The face.
        face: u32,
        /// `true` if the edge is A's and the face B's; otherwise the reverse.
        edge_of_a: bool,
        /// A point of the edge on the face, in the world, rounded.
        point: DVec3,
    },
}

/// Meaning of the points inside a closed surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BodyKind {
    /// The body's own: nothing else may be there.
    Solid,
    /// Nothing: the surface alone is the body.
    Surface,
    /// Room for others, as in a box or a hall.
    Container,
}

impl Interference {
    /// Returns `true` if two bodies of these kinds collide: surfaces intersect, or one is inside a solid.
    ///
    /// ```
    /// use noli_classics::{BodyKind, Interference};
    /// let inside = Interference::AInsideB;
    /// assert!(inside.is_collision([BodyKind::Solid, BodyKind::Solid]));
    /// assert!(!inside.is_collision([BodyKind::Solid, BodyKind::Container]));
    /// ```
    pub fn is_collision(self, [a, b]: [BodyKind; 2]) -> bool {
        match self {
            Self::Disjoint => false,
            Self::AInsideB => b == BodyKind::Solid,
            Self::BInsideA => a == BodyKind::Solid,
            Self::Meeting { .. } => true,
        }
    }
}

/// Computes the interference of two bodies, with the tests it took. Exact for closed bodies of any kind;
/// `None` if the budget ran out or a pose is invalid.
pub fn interference(
    (a, pose_a): (&Polyhedron, &Pose),
    (b, pose_b): (&Polyhedron, &Pose),
    budget: &Budget<'_>,
) -> Option<(Interference, Work)> {
    if !pose_a.is_valid() || !pose_b.is_valid() {
        return None;
    }
    let mut tally = Tally::new(budget);
    let (a, b) = (Stood { body: a, pose: pose_a }, Stood { body: b, pose: pose_b });
    let answer = if bounds_separated(&a, &b, &mut tally) {
        Interference::Disjoint
    } else if let Some(meeting) = meeting(&a, &b, &mut tally)? {
        meeting
    } else if holds_part_of(&b, &a, &mut tally)? {
        Interference::AInsideB
    } else if holds_part_of(&a, &b, &mut tally)? {
        Interference::BInsideA
    } else {
        Interference::Disjoint
    };
    Some((answer, tally.work))
}

/// Returns `true` if two bodies share a point; `None` if the budget ran out.
pub(super) fn overlap(a: &Stood<'_>, b: &Stood<'_>, tally: &mut Tally<'_>) -> Option<bool> {
    tally.step()?;
    if bounds_separated(a, b, tally) {
        return Some(false);
    }
    Some(meeting(a, b, tally)?.is_some() || contained(a, b, tally)?)
}

pub(super) fn meeting(a: &Stood<'_>, b: &Stood<'_>, tally: &mut Tally<'_>) -> Option<Option<Interference>> {
    for (edges, faces, edge_of_a) in [(a, b, true), (b, a, false)] {
        let view = EdgeView::new(edges, faces);
        for &edge in edges.body.edges() {
            if let Some(face) = view.face_met(edge, tally)? {
                let point = common_point((edges, edge), (faces, face));
                return Some(Some(Interference::Meeting { edge, face, edge_of_a, point }));
            }
        }
    }
    Some(None)
}

/// Returns the point where an edge intersects a face, in the world.
fn common_point((edges, edge): (&Stood<'_>, [u32; 2]), (faces, face): (&Stood<'_>, u32)) -> DVec3 {
    let [p, q] = edge.map(|v| edges.body.vertex(v));
    let frame = PairFrame::new(&RelativePose::new(edges.pose, faces.pose));
    let pair = TrianglePair::new(&Triangle::new(p, q, q), &faces.body.mesh().triangle(face), &frame);
    let at = pair.edge_of_a_meets_b(0).map_or(0.0, |passage| passage.at);
    edges.pose.transform_point(p.lerp(q, at))
}

/// The edges of one body as the faces of another see them.
pub(super) struct EdgeView<'a> {
    edges: &'a Polyhedron,
    faces: &'a Polyhedron,
    frame: PairFrame,
    /// Bound on the rounding of a placed vertex.
    pub(super) error: f64,
}

impl<'a> EdgeView<'a> {
    pub(super) fn new(edges: &Stood<'a>, faces: &Stood<'a>) -> Self {
        let frame = PairFrame::new(&RelativePose::new(faces.pose, edges.pose));
        let error = frame.pose().point_error(edges.body.bounding_radius()) * (1.0 + 4.0 * UNIT_ROUNDOFF);
        Self { edges: edges.body, faces: faces.body, frame, error }
    }

    /// Both ends of an edge in the frame of the faces, within `error`.
    pub(super) fn ends(&self, edge: [u32; 2]) -> [DVec3; 2] {
        edge.map(|v| self.frame.pose().transform_point(self.edges.vertex(v)))
    }

    /// Returns a face that an edge intersects. Exact; `None` if the budget ran out.
    pub(super) fn face_met(&self, edge: [u32; 2], tally: &mut Tally<'_>) -> Option<Option<u32>> {
        tally.step()?;
        let Aabb { min, max } = Aabb::from_points(self.ends(edge));
        let around = Aabb { min: min - self.error, max: max + self.error };
        let [p, q] = edge.map(|v| self.edges.vertex(v));
        tally.work.volumes += self.faces.boxes().len() as u64;
        for (face, bounds) in self.faces.boxes().iter().enumerate() {
            if !bounds.overlaps(&around) {
                continue;
            }
            tally.work.face_pairs += 1;
            tally.exact()?;
            let triangle = self.faces.mesh().triangle(face as u32);
            if TrianglePair::new(&triangle, &Triangle::new(p, q, q), &self.frame).overlaps() {
                return Some(Some(face as u32));
            }
        }
        Some(None)
    }
}
