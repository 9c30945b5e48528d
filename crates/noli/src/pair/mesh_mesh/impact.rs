//! Time of impact of two moving meshes.
//!
//! Conservative advancement (Mirtich 1996) over two trees, with a bound for every pair of boxes
//! (Tang, Kim and Manocha 2009). Chords become exact as steps get short, so that the last steps
//! converge like Newton's method.

use super::nearest::{Search, nearest};
use super::step::{self, Limit, StepMotion};
use super::within_distance::overlap_of;
use super::{Pair, start};
use crate::answer::{Feature, Impact, Overlap, SurfacePoint, TimeOfImpact, Touch};
use crate::context::QueryContext;
use crate::model::{MeshAt, MeshModel, Moving};
use crate::pair::start::Start;
use crate::pair::{ImpactFound, ImpactGiven, ImpactLimits};
use crate::tree::packed::{Drift, LONGEST_DRIFT, PackedTree};
use crate::tree::walk::{Ended, Item};
use glam::{DMat3, DVec3};
use noli_geom::{Motion, RelativePose, Sphere, UNIT_ROUNDOFF};

/// A mesh in motion.
#[derive(Clone, Copy)]
struct MovingMesh<'a> {
    model: &'a MeshModel,
    motion: &'a dyn Motion,
}

impl<'a> MovingMesh<'a> {
    fn new(moving: &Moving<'a>) -> Option<Self> {
        Some(Self { model: moving.model.faces()?, motion: moving.motion })
    }

    fn at(&self, t: f64) -> MeshAt<'a> {
        MeshAt { model: self.model, world_from_self: self.motion.pose(t) }
    }

    fn sphere(&self) -> Sphere {
        self.model.sphere
    }

    /// Returns the largest travel of any of its points.
    fn travel(&self, t0: f64, t1: f64) -> f64 {
        most(self.model.cover().iter().map(|sphere| self.motion.travel(sphere, t0, t1)))
    }

    /// Returns the largest deviation of its points from their chords.
    fn deviation(&self, t0: f64, t1: f64) -> f64 {
        most(self.model.cover().iter().map(|sphere| self.motion.chord_deviation(sphere, t0, t1)))
    }
}

/// Returns the largest length; NaN stays NaN.
fn most(lengths: impl Iterator<Item = f64>) -> f64 {
    lengths.fold(0.0, |most, length| if most.is_nan() || length <= most { most } else { length })
}

/// Computes the time at which the meshes first touch within the limits.
pub(crate) fn time_of_impact(
    a: &Moving<'_>,
    b: &Moving<'_>,
    limits: &ImpactLimits,
    context: &mut QueryContext<'_>,
    found: &mut ImpactFound,
) -> Impact<Touch> {
    let &ImpactLimits { from, until, given, .. } = limits;
    let (Some(a), Some(b)) = (MovingMesh::new(a), MovingMesh::new(b)) else {
        return Impact::Unknown { safe_until: from };
    };
    if a.model.mesh.is_empty() || b.model.mesh.is_empty() {
        return Impact::Free;
    }
    found.volumes_until = found.volumes_until.max(from);
    let mut flight = Flight { a, b, limits, until, context, found };
    match if given.separated { Overlap::Free } else { flight.within_margin(from) } {
        Overlap::Free => {
            flight.found.separated = true;
            flight.advance(from)
        }
        Overlap::Hit => Impact::AtStart(flight.first_touch(from)),
        Overlap::Unknown => {
            if given.wants_smallest {
                flight.found.smallest = Some([0, 0]);
            }
            Impact::Unknown { safe_until: from }
        }
    }
}

/// Computes the contact of two meshes that overlap at a time, as far as the budget suffices.
pub(crate) fn touch_at(a: &Moving<'_>, b: &Moving<'_>, t: f64, context: &mut QueryContext<'_>) -> Touch {
    let (Some(a), Some(b)) = (MovingMesh::new(a), MovingMesh::new(b)) else { return Touch::SOMEWHERE };
    let given = ImpactGiven::default();
    let limits = &ImpactLimits { from: t, until: 1.0, margin: 0.0, tolerance: 0.0, given };
    Flight { a, b, limits, until: 1.0, context, found: &mut ImpactFound::default() }.first_touch(t)
}

/// A running query.
struct Flight<'q, 'm, 'a> {
    a: MovingMesh<'m>,
    b: MovingMesh<'m>,
    limits: &'q ImpactLimits,
    until: f64,
    context: &'q mut QueryContext<'a>,
    found: &'q mut ImpactFound,
}

/// Steps beyond the tolerance that sharpen the answer.
const SHARPENING: u32 = 2;
/// Number of tests for a proof of contact, each four times as long after the expected contact as the last.
const LOOKS_AHEAD: u32 = 8;
/// Number of bisections of the time before it.
const LOOKS_BETWEEN: u32 = 12;

impl<'m> Flight<'_, 'm, '_> {
    /// Tests whether the bodies are within the margin at a time; exact for the rounded poses.
    fn within_margin(&mut self, t: f64) -> Overlap {
        let (a, b) = (self.a.at(t), self.b.at(t));
        let Start::Ready(pair) = start(&a, &b) else { return Overlap::Unknown };
        let overlap = overlap_of(&pair, &a, &b, self.context);
        if overlap != Overlap::Free || self.limits.margin <= 0.0 {
            return overlap;
        }
        match nearest(&pair, &Search::any_within(self.limits.margin), self.context).ended {
            Ended::Answered => Overlap::Hit,
            Ended::OutOfBudget => Overlap::Unknown,
            Ended::Exhausted => Overlap::Free,
        }
    }

    fn pair(&self, t: f64) -> Option<Pair<'m>> {
        match start(&self.a.at(t), &self.b.at(t)) {
            Start::Ready(pair) => Some(pair),
            _ => None,
        }
    }

    /// Advances without seeding the first step with faces of an earlier contact. The last digits of a step's length
    /// depend on its initial faces, and a hint must not change the reported time of contact.
    fn advance(&mut self, from: f64) -> Impact<Touch> {
        let (mut t, mut span, mut hint, mut sharpened) = (from, self.until - from, None, 0);
        loop {
            let end = self.end_of_step(t, span);
            let Some(pair) = self.pair(t) else { return Impact::Unknown { safe_until: t } };
            let Some(step) = self.step(&pair, t, end) else { return Impact::Unknown { safe_until: t } };
            let longest = LONGEST_DRIFT * pair.a.packed.unit;
            let is_bounded = step.motion.approach <= longest && step.motion.deviation.is_finite();
            if !is_bounded {
                if end <= t.next_up() {
                    return Impact::Unknown { safe_until: t };
                }
                span = (end - t) / 16.0;
                continue;
            }
            let found = step::advance(&pair, &step.motion, hint, self.context);
            if found.ended == Ended::OutOfBudget {
                let volumes = later(t, (end - t) * found.limit.free.min(1.0));
                self.found.volumes_until = self.found.volumes_until.max(volumes);
                if self.limits.given.wants_smallest {
                    self.found.smallest = smallest(&pair, self.context.scratch.list());
                }
                return Impact::Unknown { safe_until: t };
            }
            let limit = found.limit;
            if limit.free >= 1.0 {
                if end >= self.until {
                    return Impact::Free;
                }
                span = 4.0 * (end - t);
                t = end;
                continue;
            }
            hint = Some((limit.a, limit.b));
            self.found.clearance_at_most = self.found.clearance_at_most.min(limit.clearance);
            let clearance = (limit.clearance - self.limits.margin).max(0.0);
            if clearance == 0.0 && self.limits.given.only_free {
                return Impact::Unknown { safe_until: t };
            }
            let is_coarse =
                step.motion.deviation > 0.25 * clearance && step.motion.deviation > 2.0 * step.rounding;
            if is_coarse && limit.free < 0.5 {
                // A motion of the user's whose bounds do not shrink with time.
                if end <= t.next_up() {
                    return Impact::Unknown { safe_until: t };
                }
                span = (end - t) / 8.0;
                t = later(t, (end - t) * limit.free);
                continue;
            }
            let (ahead, contact) = ((end - t) * limit.free, (end - t) * limit.expected);
            if clearance <= step.tolerance {
                if self.limits.given.only_free {
                    return Impact::Unknown { safe_until: later(t, ahead) };
                }
                sharpened += 1;
                if sharpened > SHARPENING || clearance <= 64.0 * step.rounding || limit.free == 0.0 {
                    // No clearance closes faster than this.
                    let least = (end - t) * clearance / step.motion.approach;
                    return self.meeting(t, later(t, ahead), t + contact.max(least), &limit);
                }
            }
            span = step.next_span(end - t, &limit, clearance).max(2.0 * (contact - ahead));
            t = later(t, ahead);
        }
    }

    /// Steps end where a motion bends, so that chords stay close.
    fn end_of_step(&self, t: f64, span: f64) -> f64 {
        let bend = |moving: &MovingMesh<'_>| {
            let at = moving.motion.next_bend(t);
            if at > t { at } else { 1.0 }
        };
        // The shortest step that is a step.
        (t + span).max(t.next_up()).min(bend(&self.a)).min(bend(&self.b)).min(self.until)
    }

    /// The chords of both bodies over [t, end], in the frame of the pair's A at `t`.
    fn step(&self, pair: &Pair<'m>, t: f64, end: f64) -> Option<StepOfTwo> {
        let (a, b) = pair.in_given_order(self.a, self.b);
        let (sphere_a, sphere_b) = (a.sphere(), b.sphere());
        let world_from_a = a.motion.pose(t);
        let (end_a, end_b) = (a.motion.pose(end), b.motion.pose(end));
        if !end_a.is_valid() || !end_b.is_valid() {
            return None;
        }
        let start_b = pair.frame.pose();
        let (rel_a, rel_b) =
            (RelativePose::new(&world_from_a, &end_a), RelativePose::new(&world_from_a, &end_b));
        let drift_a = Drift { matrix: rel_a.rotation - DMat3::IDENTITY, shift: rel_a.translation };
        let drift_b = Drift {
            matrix: rel_b.rotation - start_b.rotation,
            shift: rel_b.translation - start_b.translation,
        };
        let reach = |model: &MeshModel| 1.001 * model.packed.reach;
        let (reach_a, reach_b) = (reach(a.model), reach(b.model));
        // Each point of the chords is placed at both ends; coordinates round to lengths by √3.
        let placing =
            2.0 * (rel_a.point_error(reach_a) + rel_b.point_error(reach_b) + start_b.point_error(reach_b));
        let rounding =
            placing + a.motion.chord_deviation(&sphere_a, t, t) + b.motion.chord_deviation(&sphere_b, t, t);
        let deviation = placing + a.deviation(t, end) + b.deviation(t, end);
        let approach = a.travel(t, end) + b.travel(t, end) + placing;
        let margin = self.limits.margin.max(0.0);
        let motion = StepMotion { drift: [drift_a, drift_b], deviation, approach, margin };
        Some(StepOfTwo { motion, rounding, tolerance: self.limits.tolerance.max(16.0 * rounding) })
    }

    /// Returns the answer for triangles that are within the tolerance at `t`, free until `safe` and expected to
    /// touch at `contact`. An overlap shortly after that proves the contact.
    fn meeting(&mut self, t: f64, safe: f64, contact: f64, limit: &Limit) -> Impact<Touch> {
        let moment = (1e-2 * (contact - t)).max(4.0 * UNIT_ROUNDOFF);
        match self.overlap_after(safe, contact, moment) {
            Some(by) => {
                let time = TimeOfImpact { safe_until: safe, touching_by: by };
                Impact::At { time, touch: self.touch(t, limit, true) }
            }
            None => {
                let time = TimeOfImpact { safe_until: t, touching_by: t };
                Impact::At { time, touch: self.touch(t, limit, false) }
            }
        }
    }

    /// A time soon after `contact` at which the bodies overlap, as early as a few tries find it.
    fn overlap_after(&mut self, safe: f64, contact: f64, moment: f64) -> Option<f64> {
        let (mut free, mut hit) = (safe, None);
        let mut wait = moment;
        for _ in 0..LOOKS_AHEAD {
            let by = (contact + wait).min(self.until);
            if self.within_margin(by) == Overlap::Hit {
                hit = Some(by);
                break;
            }
            (free, wait) = (by, 4.0 * wait);
        }
        let mut hit = hit?;
        for _ in 0..LOOKS_BETWEEN {
            let middle = 0.5 * (free + hit);
            if hit - free <= moment || middle <= free || middle >= hit {
                break;
            }
            if self.within_margin(middle) == Overlap::Hit { hit = middle } else { free = middle }
        }
        Some(hit)
    }

    fn touch(&mut self, t: f64, limit: &Limit, proven: bool) -> Touch {
        match self.pair(t) {
            Some(pair) => self.touch_of(&pair, (limit.a, limit.b), proven),
            None => Touch::SOMEWHERE,
        }
    }

    /// The first touching triangles at a time when the bodies overlap.
    fn first_touch(&mut self, t: f64) -> Touch {
        let Some(pair) = self.pair(t) else { return Touch::SOMEWHERE };
        let search =
            Search { enough: self.limits.margin.max(0.0), tolerance: f64::INFINITY, ..Search::NEAREST };
        nearest(&pair, &search, self.context);
        match self.context.scratch.candidates().iter().min_by(|x, y| x.at_most.total_cmp(&y.at_most)) {
            Some(&nearest) => self.touch_of(&pair, (nearest.a, nearest.b), true),
            None => Touch::SOMEWHERE,
        }
    }

    /// Returns the touch of a triangle of the pair's A and one of its B, in the order of the given bodies.
    fn touch_of(&mut self, pair: &Pair<'_>, (x, y): (u32, u32), proven: bool) -> Touch {
        let triangles = pair.triangles(x, y);
        let distance = triangles.distance();
        let (vertices_x, vertices_y) = triangles.nearest_features();
        let point = |p: DVec3| pair.world_from_a.transform_point(p);
        let (on_a, on_b) = pair.in_given_order(point(distance.witness_a), point(distance.witness_b));
        let (triangle_a, triangle_b) = pair.in_given_order(x, y);
        self.context.remember_faces([triangle_a, triangle_b]);
        let (vertices_a, vertices_b) = pair.in_given_order(vertices_x, vertices_y);
        let (of_a, of_b) =
            features([(self.a.model, triangle_a, vertices_a), (self.b.model, triangle_b, vertices_b)]);
        Touch::between(SurfacePoint::on(on_a, of_a), SurfacePoint::on(on_b, of_b), proven)
    }
}

/// Returns the nearest features of two triangles from their spanning vertices: two edges, or the vertex of one
/// and the face of the other.
fn features(sides: [(&MeshModel, u32, [bool; 3]); 2]) -> (Feature, Feature) {
    let vertices = sides.map(|(model, triangle, chosen)| {
        let indices = model.mesh.triangles()[triangle as usize];
        let mut nearest = (0..3).filter(|&k| chosen[k]).map(|k| model.mesh.user_vertex(indices[k]));
        let first = nearest.next().unwrap_or(model.mesh.user_vertex(indices[0]));
        [first, nearest.next().unwrap_or(first)]
    });
    let count = sides.map(|(_, _, chosen)| chosen.iter().filter(|&&c| c).count());
    let face = |k: usize| Feature::Face(sides[k].0.mesh.user_face(sides[k].1));
    match count {
        [2, 2] => (Feature::Edge(vertices[0]), Feature::Edge(vertices[1])),
        [n, m] if n <= m => (Feature::Vertex(vertices[0][0]), face(1)),
        _ => (face(0), Feature::Vertex(vertices[1][0])),
    }
}

/// The smallest pair of boxes on the list of a walk, in the order of the bodies given.
fn smallest(pair: &Pair<'_>, list: &[Item]) -> Option<[u32; 2]> {
    let size = |tree: &PackedTree, slot: u32| tree.node_box(slot).half_extents.length();
    let size = |item: &&Item| size(pair.a.packed, item.a) + size(pair.b.packed, item.b);
    let Item { a, b, .. } = list.iter().min_by(|x, y| size(x).total_cmp(&size(y)))?;
    Some(pair.in_given_order(*a, *b).into())
}

struct StepOfTwo {
    motion: StepMotion,
    /// The part of the deviation that shorter steps do not lessen.
    rounding: f64,
    tolerance: f64,
}

impl StepOfTwo {
    /// Returns the longest next step whose deviation, which grows with the square of its length, stays a small part
    /// of the remaining clearance.
    fn next_span(&self, span: f64, limit: &Limit, clearance: f64) -> f64 {
        let left = if limit.expected > 0.0 { 1.0 - limit.free / limit.expected } else { 0.0 };
        let wanted = 0.05 * (clearance * left).max(16.0 * self.rounding);
        let deviation = (self.motion.deviation - self.rounding).max(1e-3 * self.rounding);
        span * (wanted / deviation).sqrt()
    }
}

/// A time after `t`, rounded down.
fn later(t: f64, by: f64) -> f64 {
    let sum = t + by;
    if sum - t > by { sum.next_down().max(t) } else { sum }
}
