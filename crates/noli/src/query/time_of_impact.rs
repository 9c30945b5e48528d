//! When do two moving bodies first touch?

use super::overlap::overlap_metered;
use super::{Overlap, Start, Tolerance, impact_of_forms, start, with_scratch};
use crate::budget::{Budget, Meter};
use crate::convex::Hint;
use crate::model::{MeshModel, Moving};
use crate::pair::general::Means;
use crate::pair::mesh_distance::{self, Search};
use crate::pair::mesh_mesh::Pair;
use crate::pair::mesh_motion::{self, Limit, StepMotion};
use crate::scratch::Scratch;
use crate::trace::{NoTrace, Trace};
use crate::tree::packed::{Drift, LONGEST_DRIFT, PackedTree};
use crate::tree::walk::{Ended, Item};
use glam::{DMat3, DVec3};
use noli_geom::{Features, Impact, RelativePose, TimeOfImpact, UNIT_ROUNDOFF};

/// Where and how two bodies touch, in world coordinates at the time they do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch {
    /// The vertex and face, or the two edges; vertex 0 and face 0 where a body is no mesh.
    pub features: Features,
    /// The triangle of A they belong to.
    pub triangle_a: u32,
    /// The triangle of B they belong to.
    pub triangle_b: u32,
    /// The point of A that is nearest to B, rounded.
    pub on_a: DVec3,
    /// The point of B that is nearest to A, rounded.
    pub on_b: DVec3,
    /// Unit vector from A to B; zero where overlap at the start leaves it open.
    pub normal: DVec3,
    /// Whether the bodies are proven to overlap at `touching_by`; else they are only proven to be within the
    /// tolerance of each other there, as where they graze.
    pub proven: bool,
}

/// How to ask for [`time_of_impact`].
#[derive(Clone, Copy, Debug)]
pub struct ImpactQuery<'a> {
    /// The span of time asked about, within [0, 1].
    pub span: (f64, f64),
    /// Bodies this close count as touching. Zero by default.
    pub margin: f64,
    /// How near bodies may pass, beyond the margin, and still be reported. A millionth of the larger body by
    /// default; never less than rounding allows.
    pub tolerance: Tolerance,
    /// When to give up: what is known until then is kept.
    pub budget: Budget<'a>,
}

impl Default for ImpactQuery<'_> {
    fn default() -> Self {
        Self {
            span: (0.0, 1.0),
            margin: 0.0,
            tolerance: Tolerance::Relative(1e-6),
            budget: Budget::default(),
        }
    }
}

/// When two moving bodies first touch, during the time from 0 to 1. Never misses a contact: nothing touches
/// before `safe_until`, whatever the motions do, and where the answer is `Free` nothing touches at all.
///
/// Conservative advancement (Mirtich 1996) over two trees, with a bound for every pair of boxes
/// (Tang, Kim and Manocha 2009), on chords that grow exact as steps get short, so that the last steps
/// converge like Newton's.
///
/// ```
/// use noli::{Impact, Model, Pose, RigidMotion, Still, time_of_impact};
/// use glam::DVec3;
/// let cube = noli_scenes::cuboid(DVec3::ONE);
/// let cube = noli::Mesh::from_triangles(cube.vertices, cube.triangles, &Default::default())?;
/// let cube = Model::new(&cube, &Default::default());
/// let away = Pose::from_translation(DVec3::new(10.0, 0.0, 0.0));
/// let fly = RigidMotion::with_velocities(&away, DVec3::new(-20.0, 0.0, 0.0), DVec3::X, DVec3::ZERO);
/// let Impact::At { time, .. } = time_of_impact(&cube.moving(&Still::default()), &cube.moving(&fly)) else {
///     panic!("it flies right through");
/// };
/// assert!(time.safe_until <= 0.4 && 0.4 <= time.touching_by + 1e-7);
/// # Ok::<(), noli::MeshError>(())
/// ```
pub fn time_of_impact(a: &Moving<'_>, b: &Moving<'_>) -> Impact<Touch> {
    with_scratch(|scratch| time_of_impact_in(a, b, &ImpactQuery::default(), scratch))
}

/// [`time_of_impact`] with options, budget and lent memory.
pub fn time_of_impact_in(
    a: &Moving<'_>,
    b: &Moving<'_>,
    query: &ImpactQuery<'_>,
    scratch: &mut Scratch,
) -> Impact<Touch> {
    time_of_impact_traced(a, b, query, scratch, &mut NoTrace)
}

/// [`time_of_impact_in`] that tells what it looked at.
pub fn time_of_impact_traced(
    a: &Moving<'_>,
    b: &Moving<'_>,
    query: &ImpactQuery<'_>,
    scratch: &mut Scratch,
    trace: &mut impl Trace,
) -> Impact<Touch> {
    let mut means = Means { meter: &mut query.budget.meter(), scratch, hint: &mut Hint::default() };
    impact(a, b, query, &mut means, trace, &mut Known::default())
}

/// What is known of a pair beside the answer: before a query, which it may shorten, and after one that was stopped.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known {
    /// They are proven to be further apart than the margin at the start of the span.
    pub(crate) apart: bool,
    /// Free until here by the volumes that were still to be looked into.
    pub(crate) volumes_until: f64,
    /// Bound from above on the smallest gap until then.
    pub(crate) gap_at_most: f64,
    /// Whether `smallest` is of interest.
    pub(crate) wants_smallest: bool,
    /// Of the pairs of boxes still to be looked into, the smallest, by their slots in the packed trees.
    pub(crate) smallest: Option<[u32; 2]>,
}

impl Default for Known {
    fn default() -> Self {
        let (volumes_until, gap_at_most) = (0.0, f64::INFINITY);
        Self { apart: false, volumes_until, gap_at_most, wants_smallest: false, smallest: None }
    }
}

/// [`time_of_impact_in`] as part of work that goes on; the budget of the query is not looked at.
pub(crate) fn time_of_impact_metered(
    a: &Moving<'_>,
    b: &Moving<'_>,
    query: &ImpactQuery<'_>,
    means: &mut Means<'_, '_>,
    known: &mut Known,
) -> Impact<Touch> {
    impact(a, b, query, means, &mut NoTrace, known)
}

/// How two bodies that overlap at a time touch then, as far as the budget suffices to tell.
pub(crate) fn touch_at(
    a: &Moving<'_>,
    b: &Moving<'_>,
    t: f64,
    meter: &mut Meter<'_>,
    scratch: &mut Scratch,
) -> Touch {
    let (query, known) = (ImpactQuery::default(), &mut Known::default());
    Flight { a, b, query: &query, until: 1.0, meter, scratch, known }.first_touch(t)
}

fn impact(
    a: &Moving<'_>,
    b: &Moving<'_>,
    query: &ImpactQuery<'_>,
    means: &mut Means<'_, '_>,
    trace: &mut impl Trace,
    known: &mut Known,
) -> Impact<Touch> {
    let (from, until) = (query.span.0.max(0.0), query.span.1.min(1.0));
    if from > until || from.is_nan() || until.is_nan() || query.margin.is_nan() {
        return Impact::Unknown { safe_until: from };
    }
    if !(a.model.is_mesh() && b.model.is_mesh()) {
        return impact_of_forms::time_of_impact(a, b, query, (from, until), means, known);
    }
    if a.model.mesh().is_empty() || b.model.mesh().is_empty() {
        return Impact::Free;
    }
    known.volumes_until = known.volumes_until.max(from);
    let Means { meter, scratch, .. } = means;
    let mut flight = Flight { a, b, query, until, meter, scratch, known };
    match if flight.known.apart { Overlap::Free } else { flight.at_start(from) } {
        Overlap::Free => {
            flight.known.apart = true;
            flight.advance(from, trace)
        }
        Overlap::Hit => Impact::AtStart(flight.first_touch(from)),
        Overlap::Unknown => {
            if flight.known.wants_smallest {
                flight.known.smallest = Some([0, 0]);
            }
            Impact::Unknown { safe_until: from }
        }
    }
}

/// A query on its way.
struct Flight<'q, 'm, 'b, 'c> {
    a: &'q Moving<'m>,
    b: &'q Moving<'m>,
    query: &'q ImpactQuery<'b>,
    until: f64,
    meter: &'q mut Meter<'c>,
    scratch: &'q mut Scratch,
    known: &'q mut Known,
}

/// Steps beyond the tolerance that sharpen the answer.
const SHARPENING: u32 = 2;
/// How often a proof of contact is looked for, each time four times as long after the expected contact.
const LOOKS_AHEAD: u32 = 8;
/// How often the time before it is halved.
const LOOKS_BETWEEN: u32 = 12;

impl<'m> Flight<'_, 'm, '_, '_> {
    /// Whether the bodies are within the margin at a time, decided exactly for the rounded poses.
    fn at_start(&mut self, t: f64) -> Overlap {
        let (a, b) = (self.a.at(t), self.b.at(t));
        let Start::Ready(pair) = start(&a, &b) else { return Overlap::Unknown };
        let overlap = overlap_metered(&pair, &a, &b, self.meter, self.scratch, &mut NoTrace);
        if overlap != Overlap::Free || self.query.margin <= 0.0 {
            return overlap;
        }
        let margin = self.query.margin;
        let search = Search { within: margin, enough: margin, tolerance: 0.0 };
        let found = mesh_distance::nearest(&pair, &search, self.meter, self.scratch, &mut NoTrace);
        match found.ended {
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

    fn advance(&mut self, from: f64, trace: &mut impl Trace) -> Impact<Touch> {
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
            let found = mesh_motion::advance(&pair, &step.motion, hint, self.meter, self.scratch, trace);
            if found.ended == Ended::OutOfBudget {
                let volumes = later(t, (end - t) * found.limit.free.min(1.0));
                self.known.volumes_until = self.known.volumes_until.max(volumes);
                if self.known.wants_smallest {
                    self.known.smallest = smallest(&pair, self.scratch.list());
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
            self.known.gap_at_most = self.known.gap_at_most.min(limit.gap);
            let gap = (limit.gap - self.query.margin).max(0.0);
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
                sharpened += 1;
                if sharpened > SHARPENING || gap <= 64.0 * step.rounding || limit.free == 0.0 {
                    // No gap closes faster than this.
                    let least = (end - t) * gap / step.motion.approach;
                    return self.touch_at(t, later(t, ahead), t + contact.max(least), &limit);
                }
            }
            span = step.next_span(end - t, &limit, gap).max(2.0 * (contact - ahead));
            t = later(t, ahead);
        }
    }

    /// Steps end where a motion bends, so that chords stay close.
    fn end_of_step(&self, t: f64, span: f64) -> f64 {
        let bend = |moving: &Moving<'_>| {
            let at = moving.motion.next_bend(t);
            if at > t { at } else { 1.0 }
        };
        // The shortest step that is a step.
        (t + span).max(t.next_up()).min(bend(self.a)).min(bend(self.b)).min(self.until)
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
        let (reach_a, reach_b) = (reach(a.model.faces()), reach(b.model.faces()));
        // Each point of the chords is placed at both ends; coordinates round to lengths by √3.
        let placing =
            2.0 * (rel_a.point_error(reach_a) + rel_b.point_error(reach_b) + start_b.point_error(reach_b));
        let rounding =
            placing + a.motion.chord_deviation(&ball_a, t, t) + b.motion.chord_deviation(&ball_b, t, t);
        let deviation =
            placing + a.motion.chord_deviation(&ball_a, t, end) + b.motion.chord_deviation(&ball_b, t, end);
        let approach = a.motion.travel(&ball_a, t, end) + b.motion.travel(&ball_b, t, end) + placing;
        let tolerance = match self.query.tolerance {
            Tolerance::Length(length) => length,
            Tolerance::Relative(share) => share * pair.a.packed.unit,
        };
        let margin = self.query.margin.max(0.0);
        let motion = StepMotion { drift: [drift_a, drift_b], deviation, approach, margin };
        Some(StepOfTwo { motion, rounding, tolerance: tolerance.max(16.0 * rounding) })
    }

    /// The answer for triangles that are within the tolerance at `t`, free until `safe` and expected to meet
    /// at `contact`. A moment later they may be seen to overlap, which proves the contact.
    fn touch_at(&mut self, t: f64, safe: f64, contact: f64, limit: &Limit) -> Impact<Touch> {
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
            if self.at_start(by) == Overlap::Hit {
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
            if self.at_start(middle) == Overlap::Hit { hit = middle } else { free = middle }
        }
        Some(hit)
    }

    fn touch(&self, t: f64, limit: &Limit, proven: bool) -> Touch {
        match self.pair(t) {
            Some(pair) => touch(&pair, self.a, self.b, limit.a, limit.b, proven),
            None => Touch::UNKNOWN,
        }
    }

    /// The first touching triangles at a time when the bodies overlap.
    fn first_touch(&mut self, t: f64) -> Touch {
        let Some(pair) = self.pair(t) else { return Touch::UNKNOWN };
        let search =
            Search { within: f64::INFINITY, enough: self.query.margin.max(0.0), tolerance: f64::INFINITY };
        mesh_distance::nearest(&pair, &search, self.meter, self.scratch, &mut NoTrace);
        match self.scratch.candidates().iter().min_by(|x, y| x.at_most.total_cmp(&y.at_most)) {
            Some(nearest) => touch(&pair, self.a, self.b, nearest.a, nearest.b, true),
            None => Touch::UNKNOWN,
        }
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

impl Touch {
    pub(super) const UNKNOWN: Self = Self {
        features: Features::VertexFace { vertex: 0, face: 0 },
        triangle_a: 0,
        triangle_b: 0,
        on_a: DVec3::ZERO,
        on_b: DVec3::ZERO,
        normal: DVec3::ZERO,
        proven: false,
    };
}

/// The touch of a triangle of the pair's A and one of its B, told in the order of the bodies given.
fn touch(pair: &Pair<'_>, a: &Moving<'_>, b: &Moving<'_>, x: u32, y: u32, proven: bool) -> Touch {
    let triangles = pair.triangles(x, y);
    let distance = triangles.distance();
    let (corners_x, corners_y) = triangles.nearest_features();
    let point = |p: DVec3| pair.world_from_a.transform_point(p);
    let (on_a, on_b) = pair.in_given_order(point(distance.witness_a), point(distance.witness_b));
    let (triangle_a, triangle_b) = pair.in_given_order(x, y);
    let (corners_a, corners_b) = pair.in_given_order(corners_x, corners_y);
    let corner = |of: &Moving<'_>, triangle: u32, corners: [bool; 3]| {
        let indices = of.model.mesh().triangles()[triangle as usize];
        let mut chosen = (0..3).filter(move |&k| corners[k]).map(move |k| indices[k]);
        [chosen.next().unwrap_or(indices[0]), chosen.next().unwrap_or(indices[0])]
    };
    let count = |corners: [bool; 3]| corners.iter().filter(|&&c| c).count();
    let (in_a, in_b) = (corner(a, triangle_a, corners_a), corner(b, triangle_b, corners_b));
    let features = match (count(corners_a), count(corners_b)) {
        (2, 2) => Features::EdgeEdge { a: in_a, b: in_b },
        (n, m) if n <= m => Features::VertexFace { vertex: in_a[0], face: triangle_b },
        _ => Features::FaceVertex { face: triangle_a, vertex: in_b[0] },
    };
    let normal = (on_b - on_a).normalize_or_zero();
    Touch { features, triangle_a, triangle_b, on_a, on_b, normal, proven }
}
