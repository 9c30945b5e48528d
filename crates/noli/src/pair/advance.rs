//! Time of impact of two moving bodies that are not both meshes: conservative advancement (Mirtich 1996).
//!
//! A lower bound on the clearance and an upper bound on the approach of any point until some time are known. As
//! long as the approach is smaller, the bodies do not touch.

use super::{self as pair, Advance, ImpactFound, ImpactLimits, Limits, directed};
use crate::answer::{Clearance, Impact, Overlap, TimeOfImpact, Touch};
use crate::context::QueryContext;
use crate::model::Moving;
use noli_geom::{Pose, Sphere};

/// Fractions of the step to the expected contact by which the tested times lie beyond it, to prove the contact.
const BEYOND: [f64; 5] = [1e-3, 1e-2, 1e-1, 1.0, 4.0];
/// Required accuracy of a clearance for a step, as a fraction of its excess over the margin.
const ROUGH: f64 = 0.125;
/// A bracket wider than this fraction of the larger body indicates an abandoned search.
const WIDE: f64 = 1e-5;

pub(super) fn time_of_impact(
    a: &Moving<'_>,
    b: &Moving<'_>,
    limits: &ImpactLimits,
    context: &mut QueryContext<'_>,
    result: &mut ImpactFound,
) -> Impact<Touch> {
    let &ImpactLimits { from, until, tolerance, given, .. } = limits;
    let margin = limits.margin.max(0.0);
    let advance = Some(Advance { margin, tolerance, share: ROUGH });
    let limits = Limits { max_distance: f64::INFINITY, tolerance: 0.0, advance };
    let (mut t, mut step) = (from, until - from);
    loop {
        result.volumes_until = result.volumes_until.max(t);
        let found = pair::clearance(&a.at(t), &b.at(t), &limits, context);
        let clearance = found.distance;
        result.clearance_at_most = result.clearance_at_most.min(clearance.at_most);
        if clearance.at_least == f64::INFINITY {
            return Impact::Free;
        }
        if !(a.motion.pose(t).is_valid() && b.motion.pose(t).is_valid()) || clearance.at_most == f64::INFINITY
        {
            return Impact::Unknown { safe_until: t };
        }
        let free = clearance.at_least - margin;
        if t == from && clearance.at_most <= margin {
            return Impact::AtStart(touch(&found, true));
        }
        // A bracket is never wider than this without a budget: nothing is gained by going nearer.
        let rounding = 4.0 * clearance.width();
        if free <= tolerance.max(rounding) {
            if given.only_free {
                return Impact::Unknown { safe_until: t };
            }
            return touching(a, b, &Approach { margin, tolerance, t, until, step, found }, context);
        }
        let plain = longest_step(a, b, (t, until), step, free);
        let along = if plain.is_some_and(|end| end >= until) {
            None
        } else {
            directed::longest_step(a, b, (t, until), &found, margin)
        };
        // NaN and `None` are less than any time.
        match plain.into_iter().chain(along).reduce(f64::max) {
            Some(end) if end >= until => return Impact::Free,
            Some(end) => (t, step) = (end, 2.0 * (end - t)),
            // No time is left between now and contact.
            None => return touching(a, b, &Approach { margin, tolerance, t, until, step, found }, context),
        }
    }
}

/// A time up to which no point comes nearer by `free`; `None` if even the shortest step is too long.
fn longest_step(
    a: &Moving<'_>,
    b: &Moving<'_>,
    (t, until): (f64, f64),
    guess: f64,
    free: f64,
) -> Option<f64> {
    let spheres = spheres(a, b, t)?;
    let travel = |end: f64| a.motion.travel(&spheres[0], t, end) + b.motion.travel(&spheres[1], t, end);
    let mut end = (t + 2.0 * guess).max(t.next_up()).min(until);
    loop {
        let path = travel(end);
        if path < free {
            return Some(end);
        }
        let share = (0.98 * free / path).min(0.98);
        if end <= t.next_up() {
            return None;
        }
        let shorter = t + (end - t) * if share > 0.0 { share } else { 0.5 };
        // Not a NaN.
        end = shorter.min(end.next_down()).max(t.next_up());
    }
}

/// Spheres of points whose travel bounds how the clearance changes. Seen from a body without bounds, only the other's points
/// move; they take its motion with them.
fn spheres(a: &Moving<'_>, b: &Moving<'_>, t: f64) -> Option<[Sphere; 2]> {
    let (sphere_a, sphere_b) = (a.sphere(), b.sphere());
    let seen = |from: Pose, of: Pose, sphere: &Sphere| {
        let center = (from.inverse() * of).transform_point(sphere.center);
        let far = from.translation.length() + of.translation.length() + center.length() + sphere.radius;
        Sphere { center, radius: sphere.radius + 1e-13 * far }
    };
    let (pose_a, pose_b) = (a.motion.pose(t), b.motion.pose(t));
    match (sphere_a.radius.is_finite(), sphere_b.radius.is_finite()) {
        (true, true) => Some([sphere_a, sphere_b]),
        (false, true) => Some([seen(pose_a, pose_b, &sphere_b), sphere_b]),
        (true, false) => Some([sphere_a, seen(pose_b, pose_a, &sphere_a)]),
        (false, false) => None,
    }
}

/// End of an advance: collision-free until `t`, and too near to continue.
struct Approach {
    margin: f64,
    tolerance: f64,
    t: f64,
    until: f64,
    step: f64,
    found: Clearance,
}

/// The answer for bodies within the tolerance at `t`; soon after they may be seen to overlap, which proves it.
fn touching(a: &Moving<'_>, b: &Moving<'_>, end: &Approach, context: &mut QueryContext<'_>) -> Impact<Touch> {
    let &Approach { margin, tolerance, t, until, step, ref found } = end;
    for share in BEYOND {
        let by = (t + share * step.max(1e-9)).min(until);
        if pair::within_distance(&a.at(by), &b.at(by), margin, context) == Overlap::Hit {
            let time = TimeOfImpact { safe_until: t, touching_by: by };
            return Impact::At { time, touch: touch(found, true) };
        }
    }
    // Bodies whose clearance stayed open are not known to be near.
    let radii = [a, b].map(|body| body.sphere().radius).into_iter().filter(|radius| radius.is_finite());
    let size = radii.fold(0.0, f64::max);
    if found.distance.width() > tolerance.max(WIDE * size) {
        return Impact::Unknown { safe_until: t };
    }
    let time = TimeOfImpact { safe_until: t, touching_by: t };
    Impact::At { time, touch: touch(found, false) }
}

fn touch(found: &Clearance, proven: bool) -> Touch {
    match found.witness {
        Some(witness) => Touch::between(witness.on_a, witness.on_b, proven),
        None => Touch { proven, ..Touch::SOMEWHERE },
    }
}
