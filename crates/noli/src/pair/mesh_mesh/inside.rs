//! Location of a point relative to a mesh.
//!
//! A point or a segment is a triangle without area, so these queries use the same traversal and the same exact
//! tests as all others.

use super::intersecting_faces::{Copies, meetings};
use super::nearest::{Search, nearest};
use super::{Pair, Side};
use crate::answer::Location;
use crate::context::QueryContext;
use crate::model::MeshAt;
use crate::tree::walk::Ended;
use glam::DVec3;
use noli_geom::{Bracket, Pose, RelativePose, Triangle};
use std::ops::ControlFlow;

/// Returns `true` if a part of one body lies inside the other, given that their surfaces do not intersect;
/// `None` if the budget ran out.
pub(crate) fn contained(a: &MeshAt<'_>, b: &MeshAt<'_>, context: &mut QueryContext<'_>) -> Option<bool> {
    Some(holds_part_of(a, b, context)? || holds_part_of(b, a, context)?)
}

fn holds_part_of(solid: &MeshAt<'_>, other: &MeshAt<'_>, context: &mut QueryContext<'_>) -> Option<bool> {
    if !solid.model.is_solid() {
        return Some(false);
    }
    let seen = RelativePose::new(&solid.world_from_self, &other.world_from_self);
    let closed = solid.model.is_closed();
    for (&probe, far_vertices) in other.model.probes().iter().zip(other.model.far_vertices()) {
        if closed && far_vertices.iter().any(|&vertex| surely_beyond(vertex, &seen, solid)) {
            continue;
        }
        // Given in the other's frame, so that no rounding of a world position comes in.
        match locate_point(probe, &other.world_from_self, solid, context) {
            Location::Unknown => return None,
            Location::Outside => {}
            Location::Inside | Location::OnSurface => return Some(true),
        }
    }
    Some(false)
}

/// Returns `true` if a point, by the pose of its frame relative to the solid, is certainly outside the solid's
/// box.
fn surely_beyond(point: DVec3, seen: &RelativePose, solid: &MeshAt<'_>) -> bool {
    let error = seen.point_error(point.abs().max_element());
    let (p, bounds) = (seen.transform_point(point), &solid.model.bounds);
    (p.cmplt(bounds.min - error) | p.cmpgt(bounds.max + error)).any()
}

/// Largest number of rays that are tried; each fails only if it passes exactly through an edge.
const ATTEMPTS: u32 = 64;

/// Returns the location of a point of the frame `world_from_point`.
pub(crate) fn locate_point(
    point: DVec3,
    world_from_point: &Pose,
    body: &MeshAt<'_>,
    context: &mut QueryContext<'_>,
) -> Location {
    for attempt in 0..ATTEMPTS {
        let end = far_end(point, world_from_point, std::slice::from_ref(body), attempt);
        match winding(&Triangle::new(point, end, end), world_from_point, body, context) {
            Winding::Number(0) => return Location::Outside,
            Winding::Number(_) => return Location::Inside,
            Winding::OutOfBudget => return Location::Unknown,
            Winding::MetAnEdge => match on_surface(point, world_from_point, body, context) {
                Some(true) => return Location::OnSurface,
                Some(false) => {}
                None => return Location::Unknown,
            },
        }
    }
    Location::Unknown
}

/// Winding at the start of a segment, from the faces along it.
enum Winding {
    /// Winding number of the mesh around it.
    Number(i64),
    /// The segment intersects an edge, a vertex or a face without area, so its intersections are inconclusive.
    MetAnEdge,
    OutOfBudget,
}

/// Add up from which sides a segment passes through faces.
fn winding(
    segment: &Triangle,
    world_from_segment: &Pose,
    body: &MeshAt<'_>,
    context: &mut QueryContext<'_>,
) -> Winding {
    let found = with_probe(segment, world_from_segment, body, context, |pair, context| {
        let mut sum = Some(0);
        let ended = meetings(pair, Copies::Each, context, &mut |a, b, _| {
            let triangles = pair.triangles(a, b);
            let side = if pair.swapped {
                triangles.edge_of_a_through_b(0)
            } else {
                triangles.edge_of_b_through_a(0)
            };
            sum = sum.zip(side).map(|(sum, side)| sum + i64::from(side));
            if sum.is_some() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        (ended, sum)
    });
    match found {
        None | Some((Ended::OutOfBudget, _)) => Winding::OutOfBudget,
        Some((_, Some(number))) => Winding::Number(number),
        Some((_, None)) => Winding::MetAnEdge,
    }
}

/// Somewhere outside the bodies as seen from a point, in another direction at every attempt.
pub(super) fn far_end(point: DVec3, world_from_point: &Pose, bodies: &[MeshAt<'_>], attempt: u32) -> DVec3 {
    let far = |body: &MeshAt<'_>| {
        let point_from_body = world_from_point.inverse() * body.world_from_self;
        let reach = 4.0 * body.model.packed.reach + f64::MIN_POSITIVE;
        reach + 2.0 * (point - point_from_body.translation).length()
    };
    // Irrational turns cover the sphere evenly and meet no axis or diagonal.
    let k = f64::from(attempt) + 0.38;
    let z = 1.0 - 2.0 * (k * 0.754_877_666_246_692_8).fract();
    let angle = std::f64::consts::TAU * (k * 0.569_840_290_998_053_2).fract();
    let flat = (1.0 - z * z).sqrt();
    let direction = DVec3::new(flat * angle.cos(), flat * angle.sin(), z);
    point + direction * bodies.iter().map(far).fold(0.0, f64::max)
}

/// All faces of a body that hold a point of its own frame; `None` if the budget ran out.
pub(super) fn faces_at(point: DVec3, body: &MeshAt<'_>, context: &mut QueryContext<'_>) -> Option<Vec<u32>> {
    let probe = Triangle::new(point, point, point);
    with_probe(&probe, &body.world_from_self, body, context, |pair, context| {
        let mut faces = Vec::new();
        let ended = meetings(pair, Copies::Each, context, &mut |a, b, _| {
            faces.push(if pair.swapped { b } else { a });
            ControlFlow::Continue(())
        });
        (ended != Ended::OutOfBudget).then_some(faces)
    })?
}

/// No face is nearer than this to a point in the body's own frame; `None` if a pose is invalid.
pub(super) fn surface_at_least(
    point: DVec3,
    body: &MeshAt<'_>,
    context: &mut QueryContext<'_>,
) -> Option<f64> {
    let probe = Triangle::new(point, point, point);
    with_probe(&probe, &body.world_from_self, body, context, |pair, context| {
        let found = nearest(pair, &Search::NEAREST, context);
        let candidates = context.scratch.candidates().iter();
        let pairs = candidates.map(|c| pair.triangles(c.a, c.b).distance().at_least);
        pairs.fold(found.rest_at_least, f64::min)
    })
}

/// The face of a body that is nearest to a point, segment or triangle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NearestFace {
    pub(crate) distance: Bracket,
    pub(crate) face: u32,
    /// Nearest points, rounded: of the probe, in its frame, and of the body, in the body's.
    pub(crate) on_probe: DVec3,
    pub(crate) on_body: DVec3,
}

/// The nearest face to a point, segment or triangle of the frame `world_from_probe`; `None` if a pose is invalid or the
/// budget ran out before any face was found.
pub(crate) fn nearest_face(
    probe: &Triangle,
    world_from_probe: &Pose,
    body: &MeshAt<'_>,
    context: &mut QueryContext<'_>,
) -> Option<NearestFace> {
    nearest_face_from(probe, world_from_probe, body, None, context)
}

/// The same, beginning with a face that is likely to be near; of faces that are equally near it may be another.
pub(crate) fn nearest_face_from(
    probe: &Triangle,
    world_from_probe: &Pose,
    body: &MeshAt<'_>,
    seed: Option<u32>,
    context: &mut QueryContext<'_>,
) -> Option<NearestFace> {
    with_probe(probe, world_from_probe, body, context, |pair, context| {
        let seed = seed.map(|face| if pair.swapped { (0, face) } else { (face, 0) });
        let found = nearest(pair, &Search { seed, ..Search::NEAREST }, context);
        let mut at_least = found.rest_at_least;
        let mut best: Option<(f64, u32, (DVec3, DVec3))> = None;
        for candidate in context.scratch.candidates().iter() {
            let own = pair.triangles(candidate.a, candidate.b).distance();
            at_least = at_least.min(own.at_least);
            if best.is_none_or(|(at_most, ..)| own.at_most < at_most) {
                let (face, _) = pair.in_given_order(candidate.a, candidate.b);
                best = Some((own.at_most, face, pair.in_given_order(own.witness_a, own.witness_b)));
            }
            if own.at_most == 0.0 {
                break;
            }
        }
        best.map(|(at_most, face, (on_body, on_probe))| {
            let back = |pose: &Pose, point: DVec3| {
                if *pose == pair.world_from_a {
                    return point;
                }
                pose.inverse().transform_point(pair.world_from_a.transform_point(point))
            };
            NearestFace {
                distance: Bracket { at_least, at_most },
                face,
                on_probe: back(world_from_probe, on_probe),
                on_body: back(&body.world_from_self, on_body),
            }
        })
    })?
}

/// Returns the distance of the nearest face from a point in the body's own frame, and its nearest point,
/// rounded. `None` if a pose is invalid or the budget ran out before any face was found.
pub(crate) fn surface_distance(
    point: DVec3,
    body: &MeshAt<'_>,
    context: &mut QueryContext<'_>,
) -> Option<(Bracket, DVec3)> {
    let probe = Triangle::new(point, point, point);
    nearest_face(&probe, &body.world_from_self, body, context).map(|found| (found.distance, found.on_body))
}

/// `None` if the budget ran out.
fn on_surface(
    point: DVec3,
    world_from_point: &Pose,
    body: &MeshAt<'_>,
    context: &mut QueryContext<'_>,
) -> Option<bool> {
    let probe = Triangle::new(point, point, point);
    with_probe(&probe, world_from_point, body, context, |pair, context| {
        match meetings(pair, Copies::One, context, &mut |_, _, _| ControlFlow::Break(())) {
            Ended::Answered => Some(true),
            Ended::Exhausted => Some(false),
            Ended::OutOfBudget => None,
        }
    })?
}

/// QueryContext something of a body (the first of the pair) and a point or segment; `None` if a pose is invalid.
pub(super) fn with_probe<'m, R>(
    probe: &Triangle,
    world_from_probe: &Pose,
    body: &MeshAt<'_>,
    context: &mut QueryContext<'m>,
    question: impl FnOnce(&Pair<'_>, &mut QueryContext<'m>) -> R,
) -> Option<R> {
    let mut packed = context.scratch.take_probe();
    packed.set_single(probe);
    let pair = Pair::new(
        (Side::mesh(body.model), &body.world_from_self),
        (Side::probe(&packed, probe), world_from_probe),
    );
    let answer = pair.map(|pair| question(&pair, context));
    context.scratch.put_probe(packed);
    answer
}
