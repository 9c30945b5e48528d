//! Functionally defined objects against bodies made of convex pieces: meshes, hulls, anything with a support function.

use crate::clearance::FieldClearance;
use crate::overlap::{FieldOverlap, FieldQuery, FieldVerdict, PlacedField};
use crate::pairs::{PairSearch, Side, Stopped};
use glam::DVec3;
use noli_geom::{Aabb, Pose, RelativePose};

/// A body as a hierarchy of pieces. Piece 0 is all of it; pieces without parts are convex.
///
/// Answers are only as good as these bounds: `bounds` and `support` must round outward.
pub trait Pieces {
    /// A box around the piece.
    fn bounds(&self, piece: u32) -> Aabb;
    /// Add the pieces that it consists of; none where it is a convex piece itself.
    fn parts(&self, piece: u32, parts: &mut Vec<u32>);
    /// At least the greatest `direction·x` of its points.
    fn support(&self, piece: u32, direction: DVec3) -> f64;
    /// A point of a convex piece near the target, and how far it may be from the piece by rounding.
    fn point_near(&self, piece: u32, target: DVec3) -> Option<(DVec3, f64)>;
}

/// Whether an object and a body share a point; see [`field_overlap`](crate::field_overlap).
pub fn field_pieces_overlap(
    a: &PlacedField<'_>,
    b: &dyn Pieces,
    world_from_b: &Pose,
    query: &FieldQuery,
) -> FieldOverlap {
    let Some(mut search) = start(a, b, world_from_b) else {
        return FieldOverlap { verdict: FieldVerdict::Unknown { within: a.field.bounds() }, cells: 0 };
    };
    let stopped = search.run(0.0, 0.0, query);
    let verdict = match (search.common_point(), stopped) {
        (Some(point), _) => FieldVerdict::Hit { point },
        (None, Stopped::Settled(at_least)) if at_least > 0.0 => FieldVerdict::Free,
        _ => FieldVerdict::Unknown { within: search.open_cells() },
    };
    FieldOverlap { verdict, cells: search.pairs }
}

/// How far an object and a body are apart; see [`field_clearance`](crate::field_clearance).
pub fn field_pieces_clearance(
    a: &PlacedField<'_>,
    b: &dyn Pieces,
    world_from_b: &Pose,
    tolerance: f64,
    query: &FieldQuery,
) -> FieldClearance {
    let unknown = FieldClearance { at_least: 0.0, at_most: f64::INFINITY, witness: None, pairs: 0 };
    let Some(mut search) = start(a, b, world_from_b) else { return unknown };
    if search.is_empty() {
        return FieldClearance { at_least: f64::INFINITY, ..unknown };
    }
    let size = a.field.bounds().size().max_element().min(b.bounds(0).size().max_element());
    let (Stopped::Settled(at_least) | Stopped::Early(at_least)) =
        search.run(f64::INFINITY, tolerance.max(0.0) * size, query);
    search.clearance(at_least, &a.world_from_field, world_from_b)
}

fn start<'a>(
    a: &PlacedField<'a>,
    b: &'a dyn Pieces,
    world_from_b: &Pose,
) -> Option<PairSearch<'a, Body<'a>>> {
    let valid = a.world_from_field.is_valid() && world_from_b.is_valid();
    let a_from_b = RelativePose::new(&a.world_from_field, world_from_b);
    valid.then(|| PairSearch::new(a.field, Body(b), a_from_b, true))
}

/// The body as one side of a search for near pairs.
pub(crate) struct Body<'a>(&'a dyn Pieces);

impl Side for Body<'_> {
    fn bounds(&self, piece: u32) -> Aabb {
        self.0.bounds(piece)
    }

    fn parts(&mut self, piece: u32) -> Vec<u32> {
        let mut parts = Vec::new();
        self.0.parts(piece, &mut parts);
        parts
    }

    fn support(&self, piece: u32, direction: DVec3) -> f64 {
        self.0.support(piece, direction)
    }

    fn point_near(&self, piece: u32, target: DVec3) -> Option<(DVec3, f64)> {
        self.0.point_near(piece, target)
    }
}

/// All points within `radius` of the hull of some points: boxes, hulls, balls, capsules.
///
/// ```
/// use noli_geom::Pose;
/// use noli_implicit::{Field, RoundedHull, field_pieces_clearance};
/// let ring = Field::parse("(sqrt(x^2 + y^2) - 3)^2 + z^2 <= 0.25")?;
/// let rod = RoundedHull { points: vec![glam::dvec3(0.0, 0.0, -5.0), glam::dvec3(0.0, 0.0, 5.0)], radius: 1.0 };
/// let gap = field_pieces_clearance(&ring.at(Pose::IDENTITY), &rod, &Pose::IDENTITY, 1e-3, &Default::default());
/// assert!(gap.at_least <= 1.5 && 1.5 <= gap.at_most && gap.at_most - gap.at_least < 0.02, "{gap:?}");
/// # Ok::<(), noli_implicit::FormulaError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct RoundedHull {
    /// At least one point.
    pub points: Vec<DVec3>,
    /// At least 0.
    pub radius: f64,
}

impl RoundedHull {
    fn reach(&self) -> f64 {
        self.points.iter().map(|p| p.abs().max_element()).fold(0.0, f64::max) + self.radius
    }
}

impl Pieces for RoundedHull {
    fn bounds(&self, _: u32) -> Aabb {
        let hull = Aabb::around(self.points.iter().copied());
        let grown = |x: f64, by: f64| if by < 0.0 { (x + by).next_down() } else { (x + by).next_up() };
        Aabb { min: hull.min.map(|x| grown(x, -self.radius)), max: hull.max.map(|x| grown(x, self.radius)) }
    }

    fn parts(&self, _: u32, _: &mut Vec<u32>) {}

    fn support(&self, _: u32, direction: DVec3) -> f64 {
        let farthest = self.points.iter().map(|p| p.dot(direction)).fold(f64::NEG_INFINITY, f64::max);
        let length = direction.length() * (1.0 + 4.0 * f64::EPSILON);
        farthest + self.radius * length + 8.0 * f64::EPSILON * self.reach() * length
    }

    /// The hull's point by Gilbert's steps towards the target, then the radius.
    fn point_near(&self, _: u32, target: DVec3) -> Option<(DVec3, f64)> {
        let mut near = *self.points.first()?;
        for _ in 0..32 {
            let towards = target - near;
            let best =
                self.points.iter().copied().max_by(|p, q| p.dot(towards).total_cmp(&q.dot(towards)))?;
            let step = best - near;
            let share = (towards.dot(step) / step.length_squared()).clamp(0.0, 1.0);
            if share.is_nan() || share == 0.0 {
                break;
            }
            near = near.lerp(best, share);
        }
        let rest = target - near;
        let point = near + rest * (self.radius / rest.length()).min(1.0);
        let point = if point.is_finite() { point } else { near };
        // Every step mixes points of the hull, off by a few roundings.
        Some((point, 256.0 * f64::EPSILON * self.reach()))
    }
}
