//! Relative motions about a line: rotations and screws, found in the poses of two bodies and proven by the bounds of their
//! motions.

use glam::DVec3;
use noli_geom::{Motion, Pose, Sphere};

/// Share of the time after which the line is looked for: a full turn would leave it open at its end.
const SHARE: f64 = 0.31;
/// Least sine of half the angle turned by then.
const LEAST_SINE: f64 = 1e-4;
/// Largest travel of a body that rests, relative to the size.
const AT_REST: f64 = 1e-9;
/// Room for rounding, relative to the reach.
const ROUNDING: f64 = 1.0 / (1u64 << 46) as f64;

/// A line about which B turns relative to A, in the frame of A.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Axis {
    /// A point of the line.
    pub(crate) point: DVec3,
    /// Its direction, of unit length.
    pub(crate) direction: DVec3,
    /// No point of a body is further from `point`, before or after the motion.
    pub(crate) reach: f64,
}

/// A motion of B relative to A about and along a line.
pub(crate) struct Turning {
    pub(crate) axis: Axis,
    /// The displacement along the line at the end, in the frame of A.
    pub(crate) shift: DVec3,
    /// Bound on the distance of points from such a motion.
    pub(crate) deviation: f64,
}

impl Axis {
    /// Bound on the change of the distance of a point from the line with this origin and direction while it turns.
    pub(crate) fn change_about(&self, origin: DVec3, direction: DVec3) -> f64 {
        let from = origin - self.point;
        let offset = (from - self.direction * from.dot(self.direction)).length();
        let tilt = self.direction.cross(direction).length();
        2.0 * (offset + tilt * (self.reach + from.length())) + ROUNDING * (self.reach + from.length())
    }

    /// Bound on the change of the distance of a point from a plane with this normal while it turns.
    pub(crate) fn change_over(&self, normal: DVec3) -> f64 {
        2.0 * self.reach * self.direction.cross(normal).length() + ROUNDING * self.reach
    }
}

/// The line about which one of two bodies turns between two times while the other rests; `None` if there is none.
pub(crate) fn turning(
    motions: [&dyn Motion; 2],
    spheres: &[Sphere; 2],
    [from, end]: [f64; 2],
) -> Option<Turning> {
    let size = spheres[0].radius.max(spheres[1].radius);
    let travel = [0, 1].map(|k: usize| motions[k].travel(&spheres[k], from, end));
    let moving = usize::from(travel[0] <= travel[1]);
    let rest = travel[1 - moving];
    if rest > AT_REST * size {
        return None;
    }
    let motion = motions[moving];
    let [start, middle, stop] = [from, from + SHARE * (end - from), end].map(|t| motion.pose(t));
    let (point, direction) = line(&start, &middle)?;
    let centers = [0, 1].map(|k: usize| motions[k].pose(from).transform_point(spheres[k].center));
    let (center, radius) = (centers[moving], spheres[moving].radius);
    let point = point + direction * direction.dot(center - point);
    let across = |v: DVec3| (v - direction * v.dot(direction)).length();
    let (mut off, mut along) = (0.0f64, 0.0);
    for place in [point - direction * radius, point + direction * radius] {
        let own = start.inverse().transform_point(place);
        let (here, there) = (start.transform_point(own), stop.transform_point(own));
        let stray = motion.chord_deviation(&Sphere { center: own, radius: 0.0 }, from, end);
        off = off.max(stray + across(there - here) + here.distance(place));
        along += 0.5 * direction.dot(there - here);
    }
    let lever = center.distance(point) + radius;
    let deviation = off * (2.0 + 2.0 * lever / radius) + rest;
    let reach =
        (0..2).map(|k| centers[k].distance(point) + spheres[k].radius).fold(0.0, f64::max) + along.abs();
    let a_from_world = motions[0].pose(from).inverse();
    let back = if moving == 1 { along } else { -along };
    let direction = a_from_world.transform_vector(direction);
    Some(Turning {
        axis: Axis { point: a_from_world.transform_point(point), direction, reach },
        shift: direction * back,
        deviation,
    })
}

/// The line of the screw from one pose to another; `None` if it hardly turns.
fn line(start: &Pose, middle: &Pose) -> Option<(DVec3, DVec3)> {
    let turn = middle.rotation.normalize() * start.rotation.normalize().conjugate();
    let vector = DVec3::new(turn.x, turn.y, turn.z);
    let sine = vector.length();
    if sine.is_nan() || sine <= LEAST_SINE {
        return None;
    }
    let direction = vector / sine;
    let shift = middle.translation - turn * start.translation;
    let across = shift - direction * shift.dot(direction);
    Some((0.5 * (across + turn.w / sine * direction.cross(across)), direction))
}
