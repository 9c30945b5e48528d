//! When do two moving meshes first touch?
//!
//! Conservative advancement (Mirtich 1996) over two trees, with a bound for every pair of boxes
//! (Tang, Kim and Manocha 2009), on chords that grow exact as steps get short, so that the last steps
//! converge like Newton's.

use super::closer_than::overlap_of;
use super::nearest::{Search, nearest};
use super::step::{self, Limit, StepMotion};
use super::{Pair, Start, start};
use crate::answer::{Feature, Impact, Overlap, Spot, TimeOfImpact, Touch};
use crate::context::Ask;
use crate::model::{MeshAt, MeshModel, Moving};
use crate::pair::{ImpactLimits, Progress};
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

    fn ball(&self) -> Sphere {
        self.model.ball
    }

    /// How far any point of it goes.
    fn travel(&self, t0: f64, t1: f64) -> f64 {
        most(self.model.cover().iter().map(|ball| self.motion.travel(ball, t0, t1)))
    }

    /// How far any point of it strays from its chord.
    fn deviation(&self, t0: f64, t1: f64) -> f64 {
        most(self.model.cover().iter().map(|ball| self.motion.chord_deviation(ball, t0, t1)))
    }
}

/// The largest; what is no number stays none.
fn most(lengths: impl Iterator<Item = f64>) -> f64 {
    lengths.fold(0.0, |most, length| if most.is_nan() || length <= most { most } else { length })
}

/// When the meshes first touch within the limits.
pub(crate) fn time_of_impact(
    a: &Moving<'_>,
    b: &Moving<'_>,
    limits: &ImpactLimits,
    ask: &mut Ask<'_>,
    progress: &mut Progress,
) -> Impact<Touch> {
    let &ImpactLimits { from, until, .. } = limits;
    let (Some(a), Some(b)) = (MovingMesh::new(a), MovingMesh::new(b)) else {
        return Impact::Unknown { safe_until: from };
    };
    if a.model.mesh.is_empty() || b.model.mesh.is_empty() {
        return Impact::Free;
    }
    progress.volumes_until = progress.volumes_until.max(from);
    let mut flight = Flight { a, b, limits, until, ask, progress };
    match if flight.progress.apart { Overlap::Free } else { flight.within_margin(from) } {
        Overlap::Free => {
            flight.progress.apart = true;
            flight.advance(from)
        }
        Overlap::Hit => Impact::AtStart(flight.first_touch(from)),
        Overlap::Unknown => {
            if flight.progress.wants_smallest {
                flight.progress.smallest = Some([0, 0]);
            }
            Impact::Unknown { safe_until: from }
        }
    }
}

/// How two meshes that overlap at a time touch then, as far as the budget suffices to tell.
pub(crate) fn touch_at(a: &Moving<'_>, b: &Moving<'_>, t: f64, ask: &mut Ask<'_>) -> Touch {
    let (Some(a), Some(b)) = (MovingMesh::new(a), MovingMesh::new(b)) else { return Touch::SOMEWHERE };
    let limits = &ImpactLimits { from: t, until: 1.0, margin: 0.0, tolerance: 0.0 };
    Flight { a, b, limits, until: 1.0, ask, progress: &mut Progress::default() }.first_touch(t)
}

/// A query on its way.
struct Flight<'q, 'm, 'a> {
    a: MovingMesh<'m>,
    b: MovingMesh<'m>,
    limits: &'q ImpactLimits,
    until: f64,
    ask: &'q mut Ask<'a>,
    progress: &'q mut Progress,
}

/// Steps beyond the tolerance that sharpen the answer.
const SHARPENING: u32 = 2;
/// How often a proof of contact is looked for, each time four times as long after the expected contact.
const LOOKS_AHEAD: u32 = 8;
/// How often the time before it is halved.
const LOOKS_BETWEEN: u32 = 12;

impl<'m> Flight<'_, 'm, '_> {
    /// Whether the bodies are within the margin at a time, decided exactly for the rounded poses.
    fn within_margin(&mut self, t: f64) -> Overlap {
        let (a, b) = (self.a.at(t), self.b.at(t));
        let Start::Ready(pair) = start(&a, &b) else { return Overlap::Unknown };
        let overlap = overlap_of(&pair, &a, &b, self.ask);
        if overlap != Overlap::Free || self.limits.margin <= 0.0 {
            return overlap;
        }
        match nearest(&pair, &Search::any_within(self.limits.margin), self.ask).ended {
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

    /// Faces that met before do not seed the first step: how far a step goes depends in its last digits on the faces
    /// that it begins with, and what is remembered must not change when bodies are said to touch.
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
            let found = step::advance(&pair, &step.motion, hint, self.ask);
            if found.ended == Ended::OutOfBudget {
                let volumes = later(t, (end - t) * found.limit.free.min(1.0));
                self.progress.volumes_until = self.progress.volumes_until.max(volumes);
                if self.progress.wants_smallest {
                    self.progress.smallest = smallest(&pair, self.ask.scratch.list());
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
            self.progress.gap_at_most = self.progress.gap_at_most.min(limit.gap);
            let gap = (limit.gap - self.limits.margin).max(0.0);
            if gap == 0.0 && self.progress.only_free {
                return Impact::Unknown { safe_until: t };
            }
            let is_coarse = step.motion.deviation > 0.25 * gap && step.motion.deviation > 2.0 * step.rounding;
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
            if gap <= step.tolerance {
                if self.progress.only_free {
                    return Impact::Unknown { safe_until: later(t, ahead) };
                }
                sharpened += 1;
                if sharpened > SHARPENING || gap <= 64.0 * step.rounding || limit.free == 0.0 {
                    // No gap closes faster than this.
                    let least = (end - t) * gap / step.motion.approach;
                    return self.meeting(t, later(t, ahead), t + contact.max(least), &limit);
                }
            }
            span = step.next_span(end - t, &limit, gap).max(2.0 * (contact - ahead));
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
        let (ball_a, ball_b) = (a.ball(), b.ball());
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
            placing + a.motion.chord_deviation(&ball_a, t, t) + b.motion.chord_deviation(&ball_b, t, t);
        let deviation = placing + a.deviation(t, end) + b.deviation(t, end);
        let approach = a.travel(t, end) + b.travel(t, end) + placing;
        let margin = self.limits.margin.max(0.0);
        let motion = StepMotion { drift: [drift_a, drift_b], deviation, approach, margin };
        Some(StepOfTwo { motion, rounding, tolerance: self.limits.tolerance.max(16.0 * rounding) })
    }

    /// The answer for triangles that are within the tolerance at `t`, free until `safe` and expected to meet
    /// at `contact`. A moment later they may be seen to overlap, which proves the contact.
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
        nearest(&pair, &search, self.ask);
        match self.ask.scratch.candidates().iter().min_by(|x, y| x.at_most.total_cmp(&y.at_most)) {
            Some(&nearest) => self.touch_of(&pair, (nearest.a, nearest.b), true),
            None => Touch::SOMEWHERE,
        }
    }

    /// The touch of a triangle of the pair's A and one of its B, told in the order of the bodies given.
    fn touch_of(&mut self, pair: &Pair<'_>, (x, y): (u32, u32), proven: bool) -> Touch {
        let triangles = pair.triangles(x, y);
        let distance = triangles.distance();
        let (corners_x, corners_y) = triangles.nearest_features();
        let point = |p: DVec3| pair.world_from_a.transform_point(p);
        let (on_a, on_b) = pair.in_given_order(point(distance.witness_a), point(distance.witness_b));
        let (triangle_a, triangle_b) = pair.in_given_order(x, y);
        self.ask.remember_faces([triangle_a, triangle_b]);
        let (corners_a, corners_b) = pair.in_given_order(corners_x, corners_y);
        let (of_a, of_b) =
            features([(self.a.model, triangle_a, corners_a), (self.b.model, triangle_b, corners_b)]);
        Touch::between(Spot::on(on_a, of_a), Spot::on(on_b, of_b), proven)
    }
}

/// What of two triangles is nearest, from the corners that span it: two edges, or the vertex of one and the face of
/// the other.
fn features(sides: [(&MeshModel, u32, [bool; 3]); 2]) -> (Feature, Feature) {
    let corners = sides.map(|(model, triangle, chosen)| {
        let indices = model.mesh.triangles()[triangle as usize];
        let mut nearest = (0..3).filter(|&k| chosen[k]).map(|k| model.mesh.user_vertex(indices[k]));
        let first = nearest.next().unwrap_or(model.mesh.user_vertex(indices[0]));
        [first, nearest.next().unwrap_or(first)]
    });
    let count = sides.map(|(_, _, chosen)| chosen.iter().filter(|&&c| c).count());
    let face = |k: usize| Feature::Face(sides[k].0.mesh.user_face(sides[k].1));
    match count {
        [2, 2] => (Feature::Edge(corners[0]), Feature::Edge(corners[1])),
        [n, m] if n <= m => (Feature::Vertex(corners[0][0]), face(1)),
        _ => (face(0), Feature::Vertex(corners[1][0])),
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
    /// How long the next step may be for its deviation, which grows with the square of its length, to stay
    /// a small part of the gap that is left.
    fn next_span(&self, span: f64, limit: &Limit, gap: f64) -> f64 {
        let left = if limit.expected > 0.0 { 1.0 - limit.free / limit.expected } else { 0.0 };
        let wanted = 0.05 * (gap * left).max(16.0 * self.rounding);
        let deviation = (self.motion.deviation - self.rounding).max(1e-3 * self.rounding);
        span * (wanted / deviation).sqrt()
    }
}

/// A time after `t`, rounded down.
fn later(t: f64, by: f64) -> f64 {
    let sum = t + by;
    if sum - t > by { sum.next_down().max(t) } else { sum }
}
