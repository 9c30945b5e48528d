//! Two convex bodies.
//!
//! The search over support functions answers nearly always. Where its bracket leaves a verdict open and both cores are
//! polyhedra, the faces of the cores are compared exactly; round cores count as touching then.

use super::{Limits, mesh_mesh};
use crate::answer::{Bracket, Clearance, Contact, Nesting, Overlap, Relation, Verdict, Witness};
use crate::context::Ask;
use crate::convex::{self, Bodies, Depth, Gap, Goal, Hint, Polytope, Simplex};
use crate::model::{ConvexModel, MeshAt, Placed};
use glam::DVec3;
use noli_geom::internals::Balls;
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

pub(super) fn closer_than(a: Side<'_, '_>, b: Side<'_, '_>, margin: f64, ask: &mut Ask<'_>) -> Overlap {
    let frame = frame(a.0, b.0);
    match by_balls(&a.1.balls, &b.1.balls, frame.pose(), margin) {
        Balled::Apart => return Overlap::Free,
        Balled::Meet(_) => return Overlap::Hit,
        Balled::Unsure => {}
    }
    let bodies = bodies(a, b, &frame, ask);
    let limit = Length::sum([bodies.a.radius(), bodies.b.radius(), margin]);
    let goal = Goal { apart: limit.high, near: limit.low, tolerance: 0.0 };
    let gap = gap(a, b, &bodies, &goal, ask);
    verdict(a, b, &gap, limit, ask)
}

/// The pair as the search sees it.
#[inline]
fn bodies<'f>(a: Side<'f, '_>, b: Side<'f, '_>, frame: &'f PairFrame, ask: &Ask<'_>) -> Bodies<'f> {
    Bodies { instructions: ask.scratch.instructions(), ..Bodies::new(&a.1.convex, &b.1.convex, frame) }
}

/// The gap of two cores, remembered for the next time; every support point that the search looks at is a step.
fn gap(a: Side<'_, '_>, b: Side<'_, '_>, bodies: &Bodies<'_>, goal: &Goal, ask: &mut Ask<'_>) -> Gap {
    let hint = ask.hint().about([a.1.number, b.1.number]);
    let gap = convex::gap(bodies, goal, hint);
    let steps = u64::from(hint.steps());
    ask.meter.spend(steps);
    gap
}

/// What balls around and within two bodies say.
enum Balled {
    /// Further apart than the margin.
    Apart,
    /// Within the margin; if that is 0, with a common point.
    Meet(DVec3),
    Unsure,
}

/// Compare the distance of the middles with the balls about them, in A's frame.
#[inline]
fn by_balls(a: &Balls, b: &Balls, pose: &RelativePose, margin: f64) -> Balled {
    let middle = pose.transform_point(b.center);
    let distance = middle.distance(a.center);
    let placed = 2.0 * pose.point_error(b.center.abs().max_element());
    let error = placed + 8.0 * UNIT_ROUNDOFF * (distance + a.center.abs().max_element());
    let up = 1.0 + 8.0 * UNIT_ROUNDOFF;
    let within = a.inner + b.inner;
    if distance - error > (a.outer + b.outer + margin) * up {
        Balled::Apart
    } else if (distance + error) * up < within + margin {
        Balled::Meet(a.center.lerp(middle, (a.inner / within).clamp(0.0, 1.0)))
    } else {
        Balled::Unsure
    }
}

/// Whether the gap of the cores is within a limit.
fn verdict(a: Side<'_, '_>, b: Side<'_, '_>, gap: &Gap, limit: Length, ask: &mut Ask<'_>) -> Overlap {
    if gap.at_least > limit.high {
        Overlap::Free
    } else if gap.overlaps || gap.at_most <= limit.low {
        Overlap::Hit
    } else {
        settle(a, b, limit, ask)
    }
}

/// Ask the faces of the cores, if both have some. A limit that is known only up to rounding is not missed.
#[cold]
fn settle(a: Side<'_, '_>, b: Side<'_, '_>, limit: Length, ask: &mut Ask<'_>) -> Overlap {
    match faces(a, b) {
        Some((a, b)) => mesh_mesh::closer_than(&a, &b, limit.high, ask),
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

pub(super) fn clearance(a: Side<'_, '_>, b: Side<'_, '_>, limits: &Limits, ask: &mut Ask<'_>) -> Clearance {
    let frame = frame(a.0, b.0);
    if let Balled::Meet(point) = by_balls(&a.1.balls, &b.1.balls, frame.pose(), 0.0) {
        return meeting(a.0, point);
    }
    let bodies = bodies(a, b, &frame, ask);
    let radii = Length::sum([bodies.a.radius(), bodies.b.radius(), 0.0]);
    let apart = Length::sum([radii.high, limits.max_distance, 0.0]).high;
    let goal = Goal { apart, near: radii.low, tolerance: limits.tolerance };
    let gap = gap(a, b, &bodies, &goal, ask);
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
        match verdict(a, b, &gap, radii, ask) {
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
fn surfaces(bodies: &Bodies<'_>, gap: &Gap) -> (DVec3, DVec3, DVec3) {
    let along = gap.direction.try_normalize().unwrap_or(DVec3::Z);
    let [on_a, on_b] = gap.witness;
    (on_a + along * bodies.a.radius(), on_b - along * bodies.b.radius(), along)
}

pub(super) fn relation(a: Side<'_, '_>, b: Side<'_, '_>, ask: &mut Ask<'_>) -> Relation {
    let frame = frame(a.0, b.0);
    if let Balled::Apart = by_balls(&a.1.balls, &b.1.balls, frame.pose(), 0.0) {
        return Relation::Apart;
    }
    let bodies = bodies(a, b, &frame, ask);
    let radii = Length::sum([bodies.a.radius(), bodies.b.radius(), 0.0]);
    let gap = gap(a, b, &bodies, &Goal { apart: radii.high, near: 0.0, tolerance: 0.0 }, ask);
    if gap.at_least > radii.high {
        return Relation::Apart;
    }
    let faces = faces(a, b);
    if let Some((a, b)) = &faces
        && radii.high == 0.0
    {
        return mesh_mesh::relation(a, b, ask);
    }
    let deep = gap.overlaps || gap.at_most < radii.low;
    if deep {
        let inside = nesting(a, b).is_some();
        return if inside { Relation::Inside } else { Relation::Crossing };
    }
    let Some((a, b)) = &faces else { return Relation::Touching };
    let mut closer = |limit: f64| mesh_mesh::closer_than(a, b, limit, ask);
    match (closer(radii.high), closer(radii.low.next_down())) {
        (Overlap::Free, _) => Relation::Apart,
        (Overlap::Hit, Overlap::Free) => Relation::Touching,
        (Overlap::Hit, Overlap::Hit) => Relation::Crossing,
        _ => Relation::Unknown,
    }
}

/// Which of two bodies lies in which for certain.
pub(super) fn nesting(a: Side<'_, '_>, b: Side<'_, '_>) -> Option<Nesting> {
    let frame = frame(a.0, b.0);
    if a.0.world_from_self == b.0.world_from_self && a.1.convex == b.1.convex {
        Some(Nesting::Same)
    } else if holds(&Bodies::new(&a.1.convex, &b.1.convex, &frame)) {
        Some(Nesting::BInA)
    } else {
        let back = PairFrame::new(&frame.pose().inverse());
        holds(&Bodies::new(&b.1.convex, &a.1.convex, &back)).then_some(Nesting::AInB)
    }
}

const FULLY: Goal = Goal { apart: f64::INFINITY, near: 0.0, tolerance: 0.0 };

/// Whether B lies within A for certain: every corner of its core, or else a ball around it, is as deep in A as B's
/// radius.
fn holds(bodies: &Bodies<'_>) -> bool {
    let (core, radius) = (bodies.b.core(), bodies.b.radius());
    let pose = *bodies.frame.pose();
    let deep = |corner: DVec3, radius: f64| {
        let Ok(point) = Convex::sphere(0.0) else { return false };
        let place = Pose::new(pose.world_from_b.rotation, pose.world_from_b.transform_point(corner));
        let moved = 64.0 * UNIT_ROUNDOFF * (bodies.size + pose.world_from_b.translation.length());
        let frame = PairFrame::new(&RelativePose::new(&pose.world_from_a, &place));
        let bodies = Bodies::new(bodies.a, &point, &frame);
        let mut hint = Hint::default();
        let gap = convex::gap(&bodies, &FULLY, &mut hint);
        let at_least = if gap.overlaps {
            convex::depth(&bodies, &hint.simplex, gap.direction, 0.0, &mut Polytope::default()).at_least
                + bodies.a.radius()
        } else {
            bodies.a.radius() - gap.at_most
        };
        at_least > radius + moved
    };
    match core.to_hull() {
        Some(hull) => hull.vertices().iter().all(|&corner| deep(corner, radius)),
        None => deep(DVec3::ZERO, bodies.b.reach()),
    }
}

/// Whether B lies within A for certain.
pub(super) fn is_held(a: (&Pose, &Convex), b: (&Pose, &Convex)) -> bool {
    holds(&Bodies::new(a.1, b.1, &PairFrame::new(&RelativePose::new(a.0, b.0))))
}

pub(super) fn contact(a: Side<'_, '_>, b: Side<'_, '_>, ask: &mut Ask<'_>) -> Verdict<Contact> {
    let frame = frame(a.0, b.0);
    if let Balled::Apart = by_balls(&a.1.balls, &b.1.balls, frame.pose(), 0.0) {
        return Verdict::Free;
    }
    let bodies = bodies(a, b, &frame, ask);
    let radii = Length::sum([bodies.a.radius(), bodies.b.radius(), 0.0]);
    let gap = gap(a, b, &bodies, &Goal { apart: radii.high, near: 0.0, tolerance: 0.0 }, ask);
    match verdict(a, b, &gap, radii, ask) {
        Overlap::Free => return Verdict::Free,
        Overlap::Unknown => return Verdict::Unknown,
        Overlap::Hit => {}
    }
    let simplex = ask.hint().simplex;
    let contact = contact_of(&bodies, &gap, &simplex, radii, ask.scratch.polytope());
    Verdict::Hit(contact.placed(&a.0.world_from_self))
}

/// The contact of two bodies that overlap, in A's frame.
fn contact_of(
    bodies: &Bodies<'_>,
    gap: &Gap,
    simplex: &Simplex,
    radii: Length,
    polytope: &mut Polytope,
) -> Contact {
    if gap.at_least > 0.0 {
        let (on_a, on_b, normal) = surfaces(bodies, gap);
        let at_least = (radii.low - gap.at_most).next_down().max(0.0);
        let at_most = (radii.high - gap.at_least).next_up().max(0.0);
        return Contact::new(on_a, on_b, normal, Bracket { at_least, at_most });
    }
    let Depth { at_least, at_most, normal, witness: [on_a, on_b] } =
        convex::depth(bodies, simplex, gap.direction, 0.0, polytope);
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
    let mut hint = Hint::default();
    let gap = convex::gap(&bodies, &Goal { apart: radii.high, near: 0.0, tolerance: 0.0 }, &mut hint);
    contact_of(&bodies, &gap, &hint.simplex, radii, &mut Polytope::default())
}

/// The corners of the features of two bodies that face each other along a normal in A's frame, in A's frame.
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
