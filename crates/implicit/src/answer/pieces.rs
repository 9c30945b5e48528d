//! Functionally defined objects against bodies made of convex parts: meshes, hulls, anything with a support
//! function.

use crate::search::cell_tree::CellTree;
use crate::search::pairs::{PairSearch, Stopped};
use crate::search::question::{
    DistanceGoal, FieldClearance, FieldOverlap, FieldQuery, FieldVerdict, PlacedField,
};
use crate::search::side::Side;
use glam::DVec3;
use noli_geom::number::round;
use noli_geom::{Aabb, Interval, Pose, RelativePose};

/// A body as a hierarchy of parts. Part 0 is the whole body; parts without subparts are convex.
///
/// Answers are only as good as these bounds: `bounds` and `support` must round outward.
pub trait Pieces {
    /// Returns a bounding box of the part.
    fn bounds(&self, piece: u32) -> Aabb;
    /// Adds the subparts; nothing for a convex part.
    fn parts(&self, piece: u32, parts: &mut Vec<u32>);
    /// At least the greatest `direction·x` of its points.
    fn support(&self, piece: u32, direction: DVec3) -> f64;
    /// Returns a point of a convex part near the target, and its largest distance from the part by rounding.
    fn point_near(&self, piece: u32, target: DVec3) -> Option<(DVec3, f64)>;
}

/// Tests if an object and a body share a point; see [`field_overlap`](crate::field_overlap).
pub fn field_pieces_overlap(
    a: &PlacedField<'_>,
    b: &dyn Pieces,
    world_from_b: &Pose,
    query: &FieldQuery<'_>,
) -> FieldOverlap {
    let Some(mut search) = start(a, b, world_from_b, query) else {
        return FieldOverlap { verdict: FieldVerdict::Unknown { within: a.field.bounds() }, cells: 0 };
    };
    let stopped = search.run(&DistanceGoal { within: 0.0, ..DistanceGoal::narrow(0.0) }, query);
    let verdict = match (search.common_point(), stopped) {
        (Some(point), _) => FieldVerdict::Hit { point },
        (None, Stopped::Settled(at_least)) if at_least > 0.0 => FieldVerdict::Free,
        _ => FieldVerdict::Unknown { within: search.open_cells() },
    };
    FieldOverlap { verdict, cells: search.pairs }
}

/// A bracket on the distance between an object and a body; open above 0 where they overlap.
pub fn field_pieces_distance(
    a: &PlacedField<'_>,
    b: &dyn Pieces,
    world_from_b: &Pose,
    goal: &DistanceGoal,
    query: &FieldQuery<'_>,
) -> FieldClearance {
    match start(a, b, world_from_b, query) {
        Some(search) => search.bracket(goal, query, &a.world_from_field, world_from_b),
        None => FieldClearance::UNKNOWN,
    }
}

fn start<'a>(
    a: &PlacedField<'a>,
    b: &'a dyn Pieces,
    world_from_b: &Pose,
    query: &FieldQuery<'_>,
) -> Option<PairSearch<'a, Body<'a>>> {
    let valid = a.world_from_field.is_valid() && world_from_b.is_valid();
    let a_from_b = RelativePose::new(&a.world_from_field, world_from_b);
    valid.then(|| PairSearch::new(CellTree::new(a.field, query.depth), Body(b), a_from_b, true))
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

    fn point_near(&mut self, piece: u32, target: DVec3) -> Option<(DVec3, f64)> {
        self.0.point_near(piece, target)
    }
}

/// All points within `radius` of the hull of some points: boxes, hulls, spheres, capsules.
///
/// ```
/// use noli_geom::Pose;
/// use noli_implicit::{Field, DistanceGoal, RoundedHull, field_pieces_distance};
/// let ring = Field::parse("(sqrt(x^2 + y^2) - 3)^2 + z^2 <= 0.25")?;
/// let rod = RoundedHull { points: [-5.0, 5.0].map(|z| glam::dvec3(0.0, 0.0, z)).to_vec(), radius: 1.0 };
/// let (ring, here) = (ring.at(Pose::IDENTITY), Pose::IDENTITY);
/// let distance = field_pieces_distance(&ring, &rod, &here, &DistanceGoal::narrow(2e-3), &Default::default());
/// assert!(distance.at_least <= 1.5 && 1.5 <= distance.at_most && distance.at_most - distance.at_least < 0.02, "{distance:?}");
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
    fn bounding_radius(&self) -> f64 {
        self.points.iter().map(|p| p.abs().max_element()).fold(0.0, f64::max) + self.radius
    }
}

impl Pieces for RoundedHull {
    fn bounds(&self, _: u32) -> Aabb {
        let hull = Aabb::from_points(self.points.iter().copied());
        let grown = |x: f64, by: f64| if by < 0.0 { (x + by).next_down() } else { (x + by).next_up() };
        Aabb { min: hull.min.map(|x| grown(x, -self.radius)), max: hull.max.map(|x| grown(x, self.radius)) }
    }

    fn parts(&self, _: u32, _: &mut Vec<u32>) {}

    fn support(&self, _: u32, direction: DVec3) -> f64 {
        let farthest = self.points.iter().map(|p| p.dot(direction)).fold(f64::NEG_INFINITY, f64::max);
        let length = round::up(direction.length(), 8);
        farthest + self.radius * length + round::off(self.bounding_radius(), 16) * length
    }

    fn point_near(&self, _: u32, target: DVec3) -> Option<(DVec3, f64)> {
        let furthest = |direction: DVec3| {
            let along = |p: &&DVec3| p.dot(direction);
            self.points.iter().max_by(|p, q| along(p).total_cmp(&along(q))).copied()
        };
        let near = stepped_towards(target, furthest)?;
        let rest = target - near;
        let point = near + rest * (self.radius / rest.length()).min(1.0);
        let point = if point.is_finite() { point } else { near };
        Some((point, STEPS_ERROR * self.bounding_radius()))
    }
}

/// A box is one convex part: its vertices are exact.
impl Pieces for Aabb {
    fn bounds(&self, _: u32) -> Aabb {
        *self
    }

    fn parts(&self, _: u32, _: &mut Vec<u32>) {}

    fn support(&self, _: u32, direction: DVec3) -> f64 {
        let vertex = DVec3::select(direction.cmplt(DVec3::ZERO), self.min, self.max);
        let term = |k: usize| Interval::from(vertex[k]) * Interval::from(direction[k]);
        (term(0) + term(1) + term(2)).hi()
    }

    fn point_near(&self, _: u32, target: DVec3) -> Option<(DVec3, f64)> {
        (!self.is_empty()).then(|| (target.clamp(self.min, self.max), 0.0))
    }
}

/// Every step mixes points of the body, off by a few roundings.
const STEPS_ERROR: f64 = 256.0 * f64::EPSILON;

/// A point of a convex body near the target: Gilbert's steps (1966) towards the furthest points.
fn stepped_towards(target: DVec3, furthest: impl Fn(DVec3) -> Option<DVec3>) -> Option<DVec3> {
    let mut near = furthest(target).or_else(|| furthest(DVec3::X))?;
    for _ in 0..32 {
        let towards = target - near;
        let Some(best) = furthest(towards) else { break };
        let step = best - near;
        let share = (towards.dot(step) / step.length_squared()).clamp(0.0, 1.0);
        if share.is_nan() || share == 0.0 {
            break;
        }
        near = near.lerp(best, share);
    }
    Some(near)
}
