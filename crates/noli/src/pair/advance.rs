//! When two moving bodies that are not both meshes first touch: conservative advancement (Mirtich 1996).
//!
//! The gap is known from below, and so is how far any point can come nearer until some time; as long as that is less,
//! nothing touches.

use super::{self as pair, Advance, ImpactLimits, Limits, Progress, directed};
use crate::answer::{Clearance, Impact, Overlap, TimeOfImpact, Touch};
use crate::context::Ask;
use crate::model::Moving;
use noli_geom::{Pose, Sphere};

/// Shares of the way to the expected contact at which a proof of it is tried, beyond it.
const BEYOND: [f64; 5] = [1e-3, 1e-2, 1e-1, 1.0, 4.0];
/// How well a gap must be known for a step, as a share of what it exceeds the margin by.
const ROUGH: f64 = 0.125;
/// A bracket wider than this share of the larger body tells that a search was given up.
const WIDE: f64 = 1e-5;

pub(super) fn time_of_impact(
    a: &Moving<'_>,
    b: &Moving<'_>,
    limits: &ImpactLimits,
    ask: &mut Ask<'_>,
    progress: &mut Progress,
) -> Impact<Touch> {
    let &ImpactLimits { from, until, tolerance, .. } = limits;
    let margin = limits.margin.max(0.0);
    let advance = Some(Advance { margin, tolerance, share: ROUGH });
    let limits = Limits { max_distance: f64::INFINITY, tolerance: 0.0, advance };
    let (mut t, mut step) = (from, until - from);
    loop {
        progress.volumes_until = progress.volumes_until.max(t);
        let found = pair::clearance(&a.at(t), &b.at(t), &limits, ask);
        let gap = found.gap;
        progress.gap_at_most = progress.gap_at_most.min(gap.at_most);
        if gap.at_least == f64::INFINITY {
            return Impact::Free;
        }
        if !(a.motion.pose(t).is_valid() && b.motion.pose(t).is_valid()) || gap.at_most == f64::INFINITY {
            return Impact::Unknown { safe_until: t };
        }
        let free = gap.at_least - margin;
        if t == from && gap.at_most <= margin {
            return Impact::AtStart(touch(&found, true));
        }
        // A bracket is never wider than this without a budget: nothing is gained by going nearer.
        let rounding = 4.0 * gap.width();
        if free <= tolerance.max(rounding) {
            if progress.only_free {
                return Impact::Unknown { safe_until: t };
            }
            return touching(a, b, &Approach { margin, tolerance, t, until, step, found }, ask);
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
            None => return touching(a, b, &Approach { margin, tolerance, t, until, step, found }, ask),
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
    let balls = balls(a, b, t)?;
    let travel = |end: f64| a.motion.travel(&balls[0], t, end) + b.motion.travel(&balls[1], t, end);
    let mut end = (t + 2.0 * guess).max(t.next_up()).min(until);
    loop {
        let way = travel(end);
        if way < free {
            return Some(end);
        }
        let share = (0.98 * free / way).min(0.98);
        if end <= t.next_up() {
            return None;
        }
        let shorter = t + (end - t) * if share > 0.0 { share } else { 0.5 };
        // Not a NaN.
        end = shorter.min(end.next_down()).max(t.next_up());
    }
}

/// Balls of points whose travel bounds how the gap changes. Seen from a body without bounds, only the other's points
/// move; they take its motion with them.
fn balls(a: &Moving<'_>, b: &Moving<'_>, t: f64) -> Option<[Sphere; 2]> {
    let (ball_a, ball_b) = (a.ball(), b.ball());
    let seen = |from: Pose, of: Pose, ball: &Sphere| {
        let center = (from.inverse() * of).transform_point(ball.center);
        let far = from.translation.length() + of.translation.length() + center.length() + ball.radius;
        Sphere { center, radius: ball.radius + 1e-13 * far }
    };
    let (pose_a, pose_b) = (a.motion.pose(t), b.motion.pose(t));
    match (ball_a.radius.is_finite(), ball_b.radius.is_finite()) {
        (true, true) => Some([ball_a, ball_b]),
        (false, true) => Some([seen(pose_a, pose_b, &ball_b), ball_b]),
        (true, false) => Some([ball_a, seen(pose_b, pose_a, &ball_a)]),
        (false, false) => None,
    }
}

/// Where an advance ended: free until `t`, and too near to go on.
struct Approach {
    margin: f64,
    tolerance: f64,
    t: f64,
    until: f64,
    step: f64,
    found: Clearance,
}

/// The answer for bodies within the tolerance at `t`; soon after they may be seen to overlap, which proves it.
fn touching(a: &Moving<'_>, b: &Moving<'_>, end: &Approach, ask: &mut Ask<'_>) -> Impact<Touch> {
    let &Approach { margin, tolerance, t, until, step, ref found } = end;
    for share in BEYOND {
        let by = (t + share * step.max(1e-9)).min(until);
        if pair::closer_than(&a.at(by), &b.at(by), margin, ask) == Overlap::Hit {
            let time = TimeOfImpact { safe_until: t, touching_by: by };
            return Impact::At { time, touch: touch(found, true) };
        }
    }
    // Bodies whose gap stayed open are not known to be near.
    let radii = [a, b].map(|body| body.ball().radius).into_iter().filter(|radius| radius.is_finite());
    let size = radii.fold(0.0, f64::max);
    if found.gap.width() > tolerance.max(WIDE * size) {
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
