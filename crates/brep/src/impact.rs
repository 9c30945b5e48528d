//! Time of impact of two moving bodies, by conservative advancement on the distance of their surfaces (Mirtich 1996).
//!
//! Faces that a translation, or a motion about a line, keeps from each other ([`Slide`]) do not limit a step.

use crate::body::Brep;
use crate::pair::{Options, Slide, relation, surface_distance};
use crate::turning::{Turning, turning};
use glam::DVec3;
use noli_geom::{Motion, Pose, Relation, RelativePose, Sphere};

/// Most evaluations of the distance.
const MAX_STEPS: usize = 400;
/// Precision of the first distance, relative to the size of the bodies.
const PRECISION: f64 = 1e-2;
/// Precision of a distance, relative to the last one: a step needs only a share of the clearance.
const SHARE: f64 = 0.1;
/// Budget of all distances together, in budgets of one.
const BUDGETS: usize = 10;
/// Most shorter spans that are tried for one step, the share of the last one that each takes, and the distance from which on
/// none is tried, relative to the size of the bodies.
const SPANS: usize = 4;
const SHORTER: f64 = 0.25;
const NEAR: f64 = 1e-2;
/// Tolerance of a contact, relative to the size of the bodies.
const TOLERANCE: f64 = 1e-6;

/// First contact of two moving bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
#[must_use]
pub struct Impact {
    /// They are separated before this time; solids that touch at the start do not intersect before it.
    pub safe_until: f64,
    /// They are within the tolerance at this time; of solids that touch at the start, other faces than those that slide
    /// or separate. `None` if they stay separated until time 1, or if the steps did not suffice (then `safe_until` is
    /// less than 1).
    pub touching_by: Option<f64>,
    /// Relation at time 0; `None` if it was not decided.
    pub at_start: Option<Relation>,
    /// Points of both bodies in contact, in world coordinates, at `safe_until`.
    pub points: Option<[DVec3; 2]>,
}

/// Computes the first time from 0 to 1 at which two bodies come within a margin of each other.
///
/// The motions are those of A and B in the world. The tolerance is that of the options, or a millionth of the size; the
/// budget is that of one distance; all together may take ten times as much.
///
/// ```
/// use glam::DVec3;
/// use noli_brep::{Brep, Options, time_of_impact};
/// use noli_geom::{Pose, RigidMotion, Still};
/// let (pin, bush) = (Brep::cylinder(8.0, 30.0), Brep::bush(8.0075, 16.0, 20.0));
/// let end = Pose::from_translation(DVec3::new(0.0, 0.0, 50.0));
/// let drawn = RigidMotion::between(&Pose::IDENTITY, &end, DVec3::ZERO);
/// let found = time_of_impact(&bush, &pin, [&Still(Pose::IDENTITY), &drawn], 0.0, &Options::default());
/// assert!(found.safe_until == 1.0 && found.touching_by.is_none());
/// ```
#[doc(alias = "ccd")]
pub fn time_of_impact(
    a: &Brep,
    b: &Brep,
    motions: [&dyn Motion; 2],
    margin: f64,
    options: &Options,
) -> Impact {
    let size = a.size().max(b.size());
    let tolerance = options.tolerance.unwrap_or(TOLERANCE * size);
    let moving = Moving { bodies: [a, b], motions, spheres: [sphere(a), sphere(b)], margin, tolerance };
    let poses = moving.poses(0.0);
    let centers = [0, 1].map(|k| poses[k].transform_point(moving.spheres[k].center));
    let between =
        centers[0].distance(centers[1]) - moving.spheres[0].radius - moving.spheres[1].radius - margin;
    if between > tolerance && moving.step([0.0, 1.0], None, between) >= 1.0 {
        return Impact::free(Relation::Separated);
    }
    // How far separated bodies are is asked by the steps, as closely as these need it.
    let precision = Some(options.precision.unwrap_or(0.0).max(PRECISION * size));
    let start = relation(a, b, &poses[0], &poses[1], &Options { precision, ..*options });
    if !start.is_certain {
        return Impact { safe_until: 0.0, touching_by: None, at_start: None, points: start.points };
    }
    let are_solids = a.is_solid() && b.is_solid();
    let is_close = start.clearance.at_most <= margin + tolerance;
    let may_touch = is_close && start.relation == Relation::Touching && margin == 0.0 && are_solids;
    if is_close && !may_touch {
        let at_start = Some(start.relation);
        return Impact { safe_until: 0.0, touching_by: Some(0.0), at_start, points: start.points };
    }
    Impact { at_start: Some(start.relation), ..moving.follow(may_touch, options) }
}

impl Impact {
    fn free(at_start: Relation) -> Self {
        Self { safe_until: 1.0, touching_by: None, at_start: Some(at_start), points: None }
    }
}

/// A sphere around a body.
fn sphere(body: &Brep) -> Sphere {
    let bounds = body.bounds();
    if bounds.is_empty() {
        return Sphere { center: DVec3::ZERO, radius: 0.0 };
    }
    let center = bounds.center();
    let radius = (0.5 * bounds.size().length()).max(bounds.max.distance(center));
    Sphere { center, radius: radius + body.rounding + body.gap() }
}

/// Two bodies in motion.
struct Moving<'m> {
    bodies: [&'m Brep; 2],
    motions: [&'m dyn Motion; 2],
    /// Spheres around the bodies, in their frames.
    spheres: [Sphere; 2],
    margin: f64,
    tolerance: f64,
}

impl Moving<'_> {
    fn poses(&self, time: f64) -> [Pose; 2] {
        self.motions.map(|motion| motion.pose(time))
    }

    /// Follows bodies that are separated, or touch, at the start.
    fn follow(&self, may_touch: bool, options: &Options) -> Impact {
        let size = self.bodies[0].size().max(self.bodies[1].size());
        let mut precision = PRECISION * size;
        let mut time = 0.0f64;
        let mut budget = BUDGETS.saturating_mul(options.budget);
        let mut points = None;
        // Faces that stay apart for a shorter time than until the end do not limit a step of that time.
        let (mut span, mut tried, mut farthest) = (1.0f64, 0, 0.0f64);
        let stopped = |safe_until: f64, touching_by: Option<f64>, points: Option<[DVec3; 2]>| Impact {
            safe_until,
            touching_by,
            at_start: None,
            points,
        };
        for _ in 0..MAX_STEPS {
            let bend = self.motions[0].next_bend(time).min(self.motions[1].next_bend(time)).min(1.0);
            let end = if time + span > time { bend.min(time + span) } else { bend };
            let slide = self.slide([time, end], may_touch);
            let asked =
                Options { precision: Some(precision), budget: budget.min(options.budget), ..*options };
            let found = surface_distance(self.bodies, self.poses(time), &asked, slide);
            (budget, points) = (budget - (asked.budget - found.budget), found.points);
            if found.distance.at_most <= self.margin + self.tolerance {
                return stopped(time, Some(time), points);
            }
            let room = found.distance.at_least - self.margin;
            let finest = 0.1 * self.tolerance;
            if room <= 0.5 * self.tolerance {
                if precision <= finest || budget == 0 {
                    break;
                }
                precision = (SHARE * precision).max(finest);
                continue;
            }
            let next = self.step([time, end], slide.as_ref(), room).max(farthest);
            if next >= 1.0 {
                return Impact::free(Relation::Separated);
            }
            let may_gain = slide.is_some() && room < NEAR * size && tried < SPANS;
            if may_gain && next - time < SHORTER * (end - time) {
                (farthest, span, tried) = (next, SHORTER * (end - time), tried + 1);
                continue;
            }
            if next <= time {
                break;
            }
            (span, tried, farthest) = (4.0 * (next - time) / SHORTER, 0, 0.0);
            time = next;
            precision = (SHARE * room).clamp(finest, PRECISION * size);
        }
        stopped(time, None, points)
    }

    /// The motion of B relative to A from one time to another: a translation if neither turns, else one about a line.
    fn slide(&self, [from, end]: [f64; 2], may_touch: bool) -> Option<Slide> {
        let apart = self.margin + self.tolerance;
        let [start, stop] = [self.poses(from), self.poses(end)];
        if let Some(found) = turning(self.motions, &self.spheres, [from, end]) {
            let Turning { axis, shift, deviation } = found;
            return Some(Slide { axis: Some(axis), shift, deviation, apart, may_touch });
        }
        if (0..2).any(|k| start[k].rotation != stop[k].rotation) {
            return None;
        }
        let [before, after] = [start, stop].map(|[a, b]| RelativePose::new(&a, &b).translation);
        let deviations =
            (0..2).map(|k| self.motions[k].chord_deviation(&self.spheres[k], from, end)).sum::<f64>();
        Some(Slide { axis: None, shift: after - before, deviation: deviations, apart, may_touch })
    }

    /// A time up to which no point of B comes nearer to one of A by `room`.
    fn step(&self, [from, end]: [f64; 2], slide: Option<&Slide>, room: f64) -> f64 {
        /// Most trials.
        const TRIALS: usize = 60;
        let travel = |to: f64| {
            let each = |k: usize| self.motions[k].travel(&self.spheres[k], from, to);
            let apart = each(0) + each(1);
            let shifted = slide.filter(|slide| slide.axis.is_none());
            shifted.map_or(apart, |slide| {
                apart.min(slide.shift.length() * (to - from) / (end - from) + 2.0 * slide.deviation)
            })
        };
        let mut to = end;
        for _ in 0..TRIALS {
            let found = travel(to);
            if found < room {
                return to;
            }
            to = from + (to - from) * (0.99 * room / found).clamp(0.05, 0.9);
        }
        from
    }
}
