//! When do two moving functionally defined objects first meet?
//!
//! Time is cut like space: over a span of time every point stays within its travel of where it starts, so a
//! search with coordinates widened by the travel proves the whole span free. Spans that cannot be proven are
//! halved, the earliest first. Conservative: nothing touches before `safe_until`.

use super::clearance::field_clearance;
use super::overlap::{field_overlap, overlap_widened};
use crate::search::field::Field;
use crate::search::question::{FieldQuery, FieldVerdict};
use glam::DVec3;
use noli_geom::number::round;
use noli_geom::{Aabb, Impact, Motion, RelativePose, Sphere, TimeOfImpact};

/// How to search in time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FieldImpactQuery {
    /// How wide the bracket on the time may be. By default 2^-16.
    pub tolerance: f64,
    /// The most cells to look at for each span of time.
    pub cells_a_span: u64,
    /// The most spans of time.
    pub spans: u64,
}

impl Default for FieldImpactQuery {
    fn default() -> Self {
        Self { tolerance: 2f64.powi(-16), cells_a_span: 20_000, spans: 10_000 }
    }
}

/// An object and how it moves.
#[derive(Clone, Copy, Debug)]
pub struct MovingField<'a> {
    /// The object in its own frame.
    pub field: &'a Field,
    /// Where its frame is at every time in [0, 1].
    pub motion: &'a dyn Motion,
}

impl Field {
    /// The object in motion.
    pub fn moving<'a>(&'a self, motion: &'a dyn Motion) -> MovingField<'a> {
        MovingField { field: self, motion }
    }
}

/// When two moving objects first meet. Conservative: no contact before `safe_until`; at `touching_by` they
/// are proven to share the point given (in world coordinates), or, without a point, to be so close that their
/// travel within the tolerance could bring them together.
///
/// ```
/// use noli_geom::{Impact, Pose, RigidMotion, Still};
/// use noli_implicit::{Field, field_time_of_impact};
/// let ball = Field::parse("x^2 + y^2 + z^2 <= 1")?;
/// let to = |x| Pose::from_translation(glam::dvec3(x, 0.5, 0.0));
/// let flight = RigidMotion::between(&to(-5.0), &to(5.0), glam::DVec3::ZERO);
/// let rest = Still(Pose::IDENTITY);
/// let impact = field_time_of_impact(&ball.moving(&rest), &ball.moving(&flight), &Default::default());
/// let Impact::At { time, .. } = impact else { panic!("{impact:?}") };
/// let exact = (5.0 - 3.75f64.sqrt()) / 10.0;
/// assert!(time.safe_until <= exact && exact <= time.touching_by && time.width() < 1e-3);
/// # Ok::<(), noli_implicit::FormulaError>(())
/// ```
pub fn field_time_of_impact(
    a: &MovingField<'_>,
    b: &MovingField<'_>,
    query: &FieldImpactQuery,
) -> Impact<Option<DVec3>> {
    let cells = FieldQuery { cells: query.cells_a_span, ..Default::default() };
    let meeting = |t: f64| {
        let (pose_a, pose_b) = (a.motion.pose(t), b.motion.pose(t));
        match field_overlap(&a.field.at(pose_a), &b.field.at(pose_b), &cells).verdict {
            FieldVerdict::Hit { point } => Some(pose_a.transform_point(point)),
            _ => None,
        }
    };
    if !(a.motion.pose(0.0).is_valid() && b.motion.pose(0.0).is_valid()) {
        return Impact::Unknown { safe_until: 0.0 };
    }
    if let Some(point) = meeting(0.0) {
        return Impact::AtStart(Some(point));
    }
    let (mut safe_until, mut span) = (0.0, 1.0);
    let shortest = query.tolerance.max(f64::EPSILON);
    for _ in 0..query.spans {
        let bend = a.motion.next_bend(safe_until).min(b.motion.next_bend(safe_until));
        let until = (safe_until + span).min(bend).min(1.0);
        if is_free(a, b, safe_until, until, &cells) {
            if until >= 1.0 {
                return Impact::Free;
            }
            safe_until = until;
            span = (2.0 * span).min(1.0);
        } else if until - safe_until > shortest {
            span = 0.25 * (until - safe_until);
        } else {
            return at_resolution(a, b, safe_until, until, &meeting);
        }
    }
    Impact::Unknown { safe_until }
}

/// Whether nothing touches in a span of time.
fn is_free(a: &MovingField<'_>, b: &MovingField<'_>, from: f64, until: f64, query: &FieldQuery<'_>) -> bool {
    let (pose_a, pose_b) = (a.motion.pose(from), b.motion.pose(from));
    if !pose_a.is_valid() || !pose_b.is_valid() {
        return false;
    }
    let a_from_b = RelativePose::new(&pose_a, &pose_b);
    let widening = travel(a, b, &a_from_b, from, until);
    let placed = [a.field.at(pose_a), b.field.at(pose_b)];
    widening.is_finite()
        && overlap_widened(&placed[0], &placed[1], widening, query).verdict == FieldVerdict::Free
}

/// How far points of one object move at most as seen from the other.
fn travel(a: &MovingField<'_>, b: &MovingField<'_>, a_from_b: &RelativePose, from: f64, until: f64) -> f64 {
    let own = ball_around(&a.field.bounds());
    let center = a_from_b.inverse().transform_point(own.center);
    // What matters of B lies where A's box is, and no further than both travel.
    let reach = own.radius + a_from_b.inverse().point_error(own.center.abs().max_element() + own.radius);
    let other = ball_around(&b.field.bounds());
    let near = Sphere { center, radius: reach };
    let ball_b = if near.radius < other.radius { near } else { other };
    let by_a = a.motion.travel(&own, from, until);
    // A point that meets A's box is seen from B no further out than A's own travel allows.
    let ball_b = Sphere { radius: (ball_b.radius + by_a).next_up(), ..ball_b };
    round::up(by_a + b.motion.travel(&ball_b, from, until), 8).next_up()
}

fn ball_around(bounds: &Aabb) -> Sphere {
    let center = bounds.center();
    let half = (bounds.max - center).max(center - bounds.min).max(DVec3::ZERO);
    Sphere { center, radius: round::up(half.length(), 8).next_up() }
}

/// How many times the span is doubled to find a time of proven contact.
const DOUBLINGS: i32 = 6;

/// What to say of a span that is too short to be cut.
fn at_resolution(
    a: &MovingField<'_>,
    b: &MovingField<'_>,
    safe_until: f64,
    touching_by: f64,
    meeting: &dyn Fn(f64) -> Option<DVec3>,
) -> Impact<Option<DVec3>> {
    let span = touching_by - safe_until;
    for doubling in 0..DOUBLINGS {
        let touching_by = (safe_until + span * 2f64.powi(doubling)).min(1.0);
        if let Some(point) = meeting(touching_by) {
            return Impact::At { time: TimeOfImpact { safe_until, touching_by }, touch: Some(point) };
        }
    }
    let time = TimeOfImpact { safe_until, touching_by };
    // Not proven to touch: is it at least so close that the span's travel could close the gap?
    let (pose_a, pose_b) = (a.motion.pose(safe_until), b.motion.pose(safe_until));
    let a_from_b = RelativePose::new(&pose_a, &pose_b);
    let reach = travel(a, b, &a_from_b, safe_until, touching_by);
    let query = FieldQuery { cells: 100_000, ..Default::default() };
    let gap = field_clearance(&a.field.at(pose_a), &b.field.at(pose_b), 1e-6, &query);
    if gap.at_least <= 2.0 * reach && gap.at_most <= 16.0 * reach {
        Impact::At { time, touch: None }
    } else {
        Impact::Unknown { safe_until }
    }
}
