//! Two convex bodies.
//!
//! The search over support functions answers nearly always. Where its bracket leaves a verdict open and both cores are
//! polyhedra, the faces of the cores are compared exactly; round cores count as touching then.

use super::{Limits, mesh_mesh};
use crate::answer::{Bracket, Clearance, Contact, Containment, Overlap, Relation, Verdict, Witness};
use crate::context::QueryContext;
use crate::convex::{self, Bodies, CoreDistance, Depth, Goal, Polytope, SearchEnd, Simplex};
use crate::model::{ConvexModel, MeshAt, Placed};
use glam::DVec3;
use noli_geom::internals::Spheres;
use noli_geom::{Convex, PairFrame, Pose, RelativePose, UNIT_ROUNDOFF};

type Side<'p, 'a> = (&'p Placed<'a>, &'p ConvexModel);

#[inline]
fn frame(a: &Placed<'_>, b: &Placed<'_>) -> PairFrame {
    PairFrame::new(&RelativePose::new(&a.world_from_self, &b.world_from_self))
}

/// A length between two bounds that differ by rounding only.
#[derive(Clone, Copy)]
pub(super) struct Length {
    pub(super) low: f64,
    pub(super) high: f64,
}

impl Length {
    /// The sum of some lengths; both bounds are the same where nothing rounds.
    pub(super) fn sum(lengths: [f64; 3]) -> Self {
        let [x, y, z] = lengths;
        let (first, second) = (x + y, x + y + z);
        let rest = |s: f64, p: f64, q: f64| (p - (s - (s - p))) + (q - (s - p));
        if rest(first, x, y) == 0.0 && rest(second, first, z) == 0.0 || second.is_infinite() {
            return Self { low: second, high: second };
        }
        Self { low: second * (1.0 - 4e-16), high: second * (1.0 + 4e-16) }
    }
}

pub(super) fn within_distance(
    a: Side<'_, '_>,
    b: Side<'_, '_>,
    margin: f64,
    context: &mut QueryContext<'_>,
) -> Overlap {
    let frame = frame(a.0, b.0);
    match by_spheres(&a.1.spheres, &b.1.spheres, frame.pose(), margin) {
        Covered::Separated => return Overlap::Free,
        Covered::Meet(_) => return Overlap::Hit,
        Covered::Unsure => {}
    }
    let bodies = bodies(a, b, &frame, context);
    let limit = Length::sum([bodies.a.radius(), bodies.b.radius(), margin]);
    let goal = Goal { separated: limit.high, near: limit.low, tolerance: 0.0 };
    let clearance = core_distance(a, b, &bodies, &goal, context);
    verdict(a, b, &clearance, limit, context)
}

/// The pair as the search sees it.
#[inline]
fn bodies<'f>(
    a: Side<'f, '_>,
    b: Side<'f, '_>,
    frame: &'f PairFrame,
    context: &QueryContext<'_>,
) -> Bodies<'f> {
    Bodies { simd: context.scratch.simd(), ..Bodies::new(&a.1.convex, &b.1.convex, frame) }
}

/// Computes the clearance of two cores and stores the hint. Every evaluated support point is a step.
fn core_distance(
    a: Side<'_, '_>,
    b: Side<'_, '_>,
    bodies: &Bodies<'_>,
    goal: &Goal,
    context: &mut QueryContext<'_>,
) -> CoreDistance {
    let hint = context.search_end().about([a.1.number, b.1.number]);
    let clearance = convex::core_distance(bodies, goal, hint);
    let steps = u64::from(hint.steps());
    context.meter.spend(steps);
    clearance
}

/// Verdict of the bounding and inscribed spheres of two bodies.
enum Covered {
    /// Separated by more than the margin.
    Separated,
    /// Within the margin; if that is 0, with a common point.
    Meet(DVec3),
    Unsure,
}

/// Compare the distance of the middles with the spheres about them, in A's frame.
#[inline]
fn by_spheres(a: &Spheres, b: &Spheres, pose: &RelativePose, margin: f64) -> Covered {
    let middle = pose.transform_point(b.center);
    let distance = middle.distance(a.center);
    let placed = 2.0 * pose.point_error(b.center.abs().max_element());
    let error = placed + 8.0 * UNIT_ROUNDOFF * (distance + a.center.abs().max_element());
    let up = 1.0 + 8.0 * UNIT_ROUNDOFF;
    let within = a.inner + b.inner;
    if distance - error > (a.outer + b.outer + margin) * up {
        Covered::Separated
    } else if (distance + error) * up < within + margin {
        Covered::Meet(a.center.lerp(middle, (a.inner / within).clamp(0.0, 1.0)))
    } else {
        Covered::Unsure
    }
}

/// Tests whether the clearance of the cores is within a limit.
fn verdict(
    a: Side<'_, '_>,
    b: Side<'_, '_>,
    clearance: &CoreDistance,
    limit: Length,
    context: &mut QueryContext<'_>,
) -> Overlap {
    if clearance.at_least > limit.high {
        Overlap::Free
    } else if clearance.overlaps || clearance.at_most <= limit.low {
        Overlap::Hit
    } else {
        settle(a, b, limit, context)
    }
}

/// Tests the faces of the cores, if both have faces. A limit known only up to rounding is never missed.
#[cold]
fn settle(a: Side<'_, '_>, b: Side<'_, '_>, limit: Length, context: &mut QueryContext<'_>) -> Overlap {
    match faces(a, b) {
        Some((a, b)) => mesh_mesh::within_distance(&a, &b, limit.high, context),
        None => Overlap::Hit,
    }
}

/// The faces of both cores; `None` if one is round.
fn faces<'p>(a: Side<'p, '_>, b: Side<'p, '_>) -> Option<(MeshAt<'p>, MeshAt<'p>)> {
    let at = |side: Side<'p, '_>| {
        let model = side.1.faces()?;
        Some(MeshAt { model, world_from_self: side.0.world_from_self })
    };
    Some((at(a)?, at(b)?))
}

pub(super) fn clearance(
    a: Side<'_, '_>,
    b: Side<'_, '_>,
    limits: &Limits,
    context: &mut QueryContext<'_>,
) -> Clearance {
    let frame = frame(a.0, b.0);
    if let Covered::Meet(point) = by_spheres(&a.1.spheres, &b.1.spheres, frame.pose(), 0.0) {
        return meeting(a.0, point);
    }
    let bodies = bodies(a, b, &frame, context);
    let radii = Length::sum([bodies.a.radius(), bodies.b.radius(), 0.0]);
    let separated = Length::sum([radii.high, limits.max_distance, 0.0]).high;
    let goal = Goal { separated, near: radii.low, tolerance: limits.tolerance };
    let gap = core_distance(a, b, &bodies, &goal, context);
    if gap.overlaps {
        return meeting(a.0, gap.witness[0]);
    }
    let at_least =
        if gap.at_least > radii.high { (gap.at_least - radii.high).next_down().max(0.0) } else { 0.0 };
    if at_least > limits.max_distance {
        return Clearance::new(at_least, f64::INFINITY, None);
    }
    let (on_a, on_b, _) = surfaces(&bodies, &gap);
    let turn = a.0.world_from_self.rotation_matrix();
    let place = |p: DVec3| turn * p + a.0.world_from_self.translation;
    let witness = Some(Witness::points(place(on_a), place(on_b)));
    if at_least == 0.0 {
        match verdict(a, b, &gap, radii, context) {
            Overlap::Hit => return Clearance { witness, ..Clearance::NONE },
            Overlap::Unknown => return Clearance::UNKNOWN,
            Overlap::Free => {}
        }
    }
    let at_most = (gap.at_most - radii.low).next_up().max(f64::MIN_POSITIVE);
    Clearance::new(at_least, at_most, witness)
}

/// No clearance, by a common point in A's frame.
#[inline]
fn meeting(a: &Placed<'_>, point: DVec3) -> Clearance {
    let point = a.world_from_self.transform_point(point);
    Clearance { witness: Some(Witness::points(point, point)), ..Clearance::NONE }
}

/// The nearest points of the bodies and the unit vector between them, from those of the cores.
fn surfaces(bodies: &Bodies<'_>, clearance: &CoreDistance) -> (DVec3, DVec3, DVec3) {
    let along = clearance.direction.try_normalize().unwrap_or(DVec3::Z);
    let [on_a, on_b] = clearance.witness;
    (on_a + along * bodies.a.radius(), on_b - along * bodies.b.radius(), along)
}

pub(super) fn relation(a: Side<'_, '_>, b: Side<'_, '_>, context: &mut QueryContext<'_>) -> Relation {
    let frame = frame(a.0, b.0);
    if let Covered::Separated = by_spheres(&a.1.spheres, &b.1.spheres, frame.pose(), 0.0) {
        return Relation::Separated;
    }
    let bodies = bodies(a, b, &frame, context);
    let radii = Length::sum([bodies.a.radius(), bodies.b.radius(), 0.0]);
    let clearance =
        core_distance(a, b, &bodies, &Goal { separated: radii.high, near: 0.0, tolerance: 0.0 }, context);
    if clearance.at_least > radii.high {
        return Relation::Separated;
    }
    let faces = faces(a, b);
    if let Some((a, b)) = &faces
        && radii.high == 0.0
    {
        return mesh_mesh::relation(a, b, context);
    }
    let deep = clearance.overlaps || clearance.at_most < radii.low;
    if deep {
        let inside = containment(a, b).is_some();
        return if inside { Relation::Inside } else { Relation::Intersecting };
    }
    let Some((a, b)) = &faces else { return Relation::Touching };
    let mut closer = |limit: f64| mesh_mesh::within_distance(a, b, limit, context);
    match (closer(radii.high), closer(radii.low.next_down())) {
        (Overlap::Free, _) => Relation::Separated,
        (Overlap::Hit, Overlap::Free) => Relation::Touching,
        (Overlap::Hit, Overlap::Hit) => Relation::Intersecting,
        _ => Relation::Unknown,
    }
}

/// Returns the containment of two bodies if it is certain.
pub(super) fn containment(a: Side<'_, '_>, b: Side<'_, '_>) -> Option<Containment> {
    let frame = frame(a.0, b.0);
    if a.0.world_from_self == b.0.world_from_self && a.1.convex == b.1.convex {
        Some(Containment::Same)
    } else if holds(&Bodies::new(&a.1.convex, &b.1.convex, &frame)) {
        Some(Containment::BInA)
    } else {
        let back = PairFrame::new(&frame.pose().inverse());
        holds(&Bodies::new(&b.1.convex, &a.1.convex, &back)).then_some(Containment::AInB)
    }
}

const FULLY: Goal = Goal { separated: f64::INFINITY, near: 0.0, tolerance: 0.0 };

/// Returns `true` if B certainly lies within A. Every vertex of its core, or else its bounding sphere, must be
/// as deep in A as B's radius.
fn holds(bodies: &Bodies<'_>) -> bool {
    let (core, radius) = (bodies.b.core(), bodies.b.radius());
    let pose = *bodies.frame.pose();
    let deep = |vertex: DVec3, radius: f64| {
        let Ok(point) = Convex::sphere(0.0) else { return false };
        let place = Pose::new(pose.world_from_b.rotation, pose.world_from_b.transform_point(vertex));
        let moved = 64.0 * UNIT_ROUNDOFF * (bodies.size + pose.world_from_b.translation.length());
        let frame = PairFrame::new(&RelativePose::new(&pose.world_from_a, &place));
        let bodies = Bodies::new(bodies.a, &point, &frame);
        let mut hint = SearchEnd::default();
        let clearance = convex::core_distance(&bodies, &FULLY, &mut hint);
        let at_least = if clearance.overlaps {
            convex::depth(&bodies, &hint.simplex, clearance.direction, 0.0, &mut Polytope::default()).at_least
                + bodies.a.radius()
        } else {
            bodies.a.radius() - clearance.at_most
        };
        at_least > radius + moved
    };
    match core.to_hull() {
        Some(hull) => hull.vertices().iter().all(|&vertex| deep(vertex, radius)),
        None => deep(DVec3::ZERO, bodies.b.bounding_radius()),
    }
}

/// Returns `true` if B certainly lies within A.
pub(super) fn is_held(a: (&Pose, &Convex), b: (&Pose, &Convex)) -> bool {
    holds(&Bodies::new(a.1, b.1, &PairFrame::new(&RelativePose::new(a.0, b.0))))
}

pub(super) fn contact(a: Side<'_, '_>, b: Side<'_, '_>, context: &mut QueryContext<'_>) -> Verdict<Contact> {
    let frame = frame(a.0, b.0);
    if let Covered::Separated = by_spheres(&a.1.spheres, &b.1.spheres, frame.pose(), 0.0) {
        return Verdict::Free;
    }
    let bodies = bodies(a, b, &frame, context);
    let radii = Length::sum([bodies.a.radius(), bodies.b.radius(), 0.0]);
    let clearance =
        core_distance(a, b, &bodies, &Goal { separated: radii.high, near: 0.0, tolerance: 0.0 }, context);
    match verdict(a, b, &clearance, radii, context) {
        Overlap::Free => return Verdict::Free,
        Overlap::Unknown => return Verdict::Unknown,
        Overlap::Hit => {}
    }
    let simplex = context.search_end().simplex;
    let contact = contact_of(&bodies, &clearance, &simplex, radii, context.scratch.polytope());
    Verdict::Hit(contact.placed(&a.0.world_from_self))
}

/// The contact of two bodies that overlap, in A's frame.
fn contact_of(
    bodies: &Bodies<'_>,
    clearance: &CoreDistance,
    simplex: &Simplex,
    radii: Length,
    polytope: &mut Polytope,
) -> Contact {
    if clearance.at_least > 0.0 {
        let (on_a, on_b, normal) = surfaces(bodies, clearance);
        let at_least = (radii.low - clearance.at_most).next_down().max(0.0);
        let at_most = (radii.high - clearance.at_least).next_up().max(0.0);
        return Contact::new(on_a, on_b, normal, Bracket { at_least, at_most });
    }
    let Depth { at_least, at_most, normal, witness: [on_a, on_b] } =
        convex::depth(bodies, simplex, clearance.direction, 0.0, polytope);
    let depth = Bracket {
        at_least: (at_least + radii.low).next_down().max(0.0),
        at_most: (at_most + radii.high).next_up(),
    };
    let (on_a, on_b) = (on_a + normal * bodies.a.radius(), on_b - normal * bodies.b.radius());
    Contact::new(on_a, on_b, normal, depth)
}

/// The depth of the hulls of two bodies that overlap, in A's frame: no less than that of the bodies.
pub(super) fn depth_of_hulls(a: (&Placed<'_>, &Convex), b: (&Placed<'_>, &Convex)) -> Contact {
    let frame = frame(a.0, b.0);
    let bodies = Bodies::new(a.1, b.1, &frame);
    let radii = Length::sum([bodies.a.radius(), bodies.b.radius(), 0.0]);
    let mut hint = SearchEnd::default();
    let clearance =
        convex::core_distance(&bodies, &Goal { separated: radii.high, near: 0.0, tolerance: 0.0 }, &mut hint);
    contact_of(&bodies, &clearance, &hint.simplex, radii, &mut Polytope::default())
}

/// The vertices of the features of two bodies that face each other along a normal in A's frame, in A's frame.
pub(super) fn facing(a: (&Placed<'_>, &Convex), b: (&Placed<'_>, &Convex), normal: DVec3) -> [Vec<DVec3>; 2] {
    let pose = RelativePose::new(&a.0.world_from_self, &b.0.world_from_self);
    let mut of_a = Vec::new();
    convex::features(a.1.core(), normal, &mut of_a);
    let mut of_b = Vec::new();
    convex::features(b.1.core(), -(pose.rotation.transpose() * normal), &mut of_b);
    of_a.iter_mut().for_each(|p| *p += normal * a.1.radius());
    of_b.iter_mut().for_each(|p| *p = pose.transform_point(*p) - normal * b.1.radius());
    [of_a, of_b]
}
