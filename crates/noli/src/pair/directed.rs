//! Time for which two bodies stay separated along one direction. A body that slides or rolls on another can
//! then advance by more than their clearance at a time.
//!
//! Points that move straight at constant speed have a height along a direction that is linear in time. So the
//! highest point of one body always lies below the line between its heights at both ends. The lowest point of
//! the other lies above its line. Bodies separated along the direction at both ends, by more than the deviation
//! of their points from straight lines, are separated throughout.
#![allow(clippy::neg_cmp_op_on_partial_ord, reason = "what is no number must not pass")]

use crate::answer::Clearance;
use crate::model::{Form, Moving, Placed};
use glam::DVec3;
use noli_geom::{Convex, Sphere, UNIT_ROUNDOFF};

/// Number of shorter spans that are tried.
const TRIES: u32 = 24;

/// Returns a time up to which the bodies stay more than `margin` from each other along the direction of their
/// current nearest points. `None` if there is none.
pub(super) fn longest_step(
    a: &Moving<'_>,
    b: &Moving<'_>,
    (t, until): (f64, f64),
    found: &Clearance,
    margin: f64,
) -> Option<f64> {
    let (flat_a, flat_b) = (Extent::new(a)?, Extent::new(b)?);
    let up = |floor: &Moving<'_>| floor.at(t).world_from_self.transform_vector(DVec3::Z).try_normalize();
    let direction = match (&flat_a, &flat_b) {
        // Only its own normal bounds a half-space.
        (Extent::Floor, Extent::Floor) => return None,
        (Extent::Floor, _) => up(a)?,
        (_, Extent::Floor) => -up(b)?,
        _ => {
            let witness = found.witness?;
            (witness.on_b.point - witness.on_a.point).try_normalize()?
        }
    };
    let now = flat_b.low(&b.at(t), direction) - flat_a.high(&a.at(t), direction);
    let room = now - margin;
    if !(room > 0.0) {
        return None;
    }
    let mut end = until;
    for _ in 0..TRIES {
        let then = flat_b.low(&b.at(end), direction) - flat_a.high(&a.at(end), direction);
        let stray = flat_a.stray(a, t, end) + flat_b.stray(b, t, end);
        if now.min(then) - stray > margin {
            return Some(end);
        }
        // The stray grows with the square of the time, the approach with the time.
        let (by_way, by_stray) = (room / (now - then).max(0.0), (room / stray).sqrt());
        let share = (0.45 * by_way).min(0.7 * by_stray).clamp(1e-3, 0.7);
        let shorter = t + (end - t) * share;
        if !(shorter > t && shorter < end) {
            return None;
        }
        end = shorter;
    }
    None
}

/// A body by how far it reaches in a direction.
enum Extent<'a> {
    /// The core of a convex body, and the radius about it, which no turn changes.
    Convex(&'a Convex, Sphere),
    /// All below a plane, which rests.
    Floor,
}

impl<'a> Extent<'a> {
    fn new(body: &Moving<'a>) -> Option<Self> {
        match body.model.form() {
            Form::HalfSpace => {
                let unit = Sphere { center: DVec3::ZERO, radius: 1.0 };
                (body.motion.travel(&unit, 0.0, 1.0) == 0.0).then_some(Self::Floor)
            }
            _ => {
                let convex = body.model.outer_hull()?;
                let sphere = convex.bounding_sphere();
                let radius = (sphere.radius - convex.radius()).max(0.0) * (1.0 + 1e-12);
                Some(Self::Convex(convex, Sphere { center: sphere.center, radius }))
            }
        }
    }

    /// Returns the largest deviation of points from straight lines.
    fn stray(&self, body: &Moving<'_>, t: f64, end: f64) -> f64 {
        match self {
            Self::Floor => 0.0,
            Self::Convex(_, sphere) => body.motion.chord_deviation(sphere, t, end),
        }
    }

    /// The largest height along a direction of unit length, rounded up.
    fn high(&self, placed: &Placed<'_>, direction: DVec3) -> f64 {
        let pose = &placed.world_from_self;
        match self {
            Self::Floor => direction.dot(pose.translation) + 64.0 * UNIT_ROUNDOFF * pose.translation.length(),
            Self::Convex(convex, _) => {
                let own = pose.inverse().transform_vector(direction);
                let furthest = convex.core().support_point(own);
                let (reach, error) = (convex.core().bounding_radius(), convex.core().error());
                let rounding = 64.0 * UNIT_ROUNDOFF * (reach + pose.translation.length() + convex.radius());
                direction.dot(pose.transform_point(furthest)) + convex.radius() + 2.0 * error + rounding
            }
        }
    }

    fn low(&self, placed: &Placed<'_>, direction: DVec3) -> f64 {
        -self.high(placed, -direction)
    }
}
