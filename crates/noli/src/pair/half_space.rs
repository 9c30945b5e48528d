//! A half-space (`z <= 0` in its frame, here always A) and anything else: how low does it reach?

use super::convex_convex::Length;
use crate::answer::{Bracket, Clearance, Contact, Overlap, Relation, Verdict, Witness};
use crate::model::{Form, Placed};
use glam::DVec3;
use noli_geom::{Mesh, PairFrame, RelativePose, UNIT_ROUNDOFF};
use std::cmp::Ordering;

/// The lowest and highest points of a body above a floor.
struct Heights<'a> {
    frame: PairFrame,
    /// The points whose heights matter, where the core is a polyhedron.
    vertices: &'a [DVec3],
    radius: f64,
    /// Heights of the core, rounded.
    low: f64,
    high: f64,
    /// Bound on the rounding of both.
    error: f64,
    /// The lowest point of the core in the floor's frame.
    lowest: DVec3,
}

impl<'a> Heights<'a> {
    fn new(floor: &Placed<'_>, body: &Placed<'a>) -> Self {
        let frame = PairFrame::new(&RelativePose::new(&floor.world_from_self, &body.world_from_self));
        let pose = frame.pose();
        let mesh = body.model.faces().map(|faces| &faces.mesh);
        let (radius, round) = match body.model.form() {
            Form::Convex(model) if mesh.is_some() => (model.convex.radius(), None),
            Form::Convex(model) => (model.convex.radius(), Some(model.convex.core())),
            _ => (0.0, None),
        };
        let vertices = mesh.map_or(&[][..], Mesh::vertices);
        let up = pose.rotation.transpose() * DVec3::Z;
        let (mut low, mut high, mut lowest) = (f64::INFINITY, f64::NEG_INFINITY, DVec3::ZERO);
        let mut take = |vertex: DVec3| {
            let placed = pose.transform_point(vertex);
            if placed.z < low {
                (low, lowest) = (placed.z, placed);
            }
            high = high.max(placed.z);
        };
        let error = match round {
            Some(core) => {
                take(core.support_point(-up));
                take(core.support_point(up));
                let turned = 2.0 * core.bounding_radius() * (3.0 * pose.rotation_error + 6.0 * UNIT_ROUNDOFF);
                core.error() * 2.0 + pose.point_error(core.bounding_radius()) + turned
            }
            None => {
                // Vertices that no face uses do not count.
                let used = mesh.map_or(&[][..], |mesh| mesh.triangles().as_flattened());
                used.iter().for_each(|&v| take(vertices[v as usize]));
                let reach = vertices.iter().fold(0.0, |m: f64, p| m.max(p.abs().max_element()));
                pose.point_error(reach)
            }
        };
        Self { frame, vertices, radius, low, high, error, lowest }
    }

    /// Compares the lowest point, or the highest, with a height. `None` if the difference is within rounding and
    /// the core is round.
    fn compare(&self, height: f64, lowest: bool) -> Option<Ordering> {
        let value = if lowest { self.low } else { self.high };
        if (value - height).abs()
            > self.error * 1.000_001 + 4.0 * UNIT_ROUNDOFF * (value.abs() + height.abs())
        {
            return value.partial_cmp(&height);
        }
        let near = |p: &&DVec3| {
            (self.frame.pose().transform_point(**p).z - value).abs()
                <= 4.0 * self.error + 8.0 * UNIT_ROUNDOFF * value.abs()
        };
        let exact = self.vertices.iter().filter(near).map(|&p| self.frame.compare_height(p, height));
        if lowest { exact.min() } else { exact.max() }
    }
}

pub(super) fn within_distance(floor: &Placed<'_>, body: &Placed<'_>, margin: f64) -> Overlap {
    let heights = Heights::new(floor, body);
    let limit = Length::sum([heights.radius, margin, 0.0]);
    match heights.compare(limit.high, true) {
        Some(Ordering::Greater) => Overlap::Free,
        _ => Overlap::Hit,
    }
}

pub(super) fn clearance(floor: &Placed<'_>, body: &Placed<'_>) -> Clearance {
    let heights = Heights::new(floor, body);
    let tip = heights.lowest - DVec3::Z * heights.radius;
    let [on_a, on_b] = [tip.with_z(0.0), tip].map(|p| floor.world_from_self.transform_point(p));
    let witness = Some(Witness::points(on_a, on_b));
    if within_distance(floor, body, 0.0) == Overlap::Hit {
        return Clearance { witness, ..Clearance::NONE };
    }
    let gap = heights.low - heights.radius;
    let error = heights.error + 4.0 * UNIT_ROUNDOFF * (heights.low.abs() + heights.radius);
    Clearance::new((gap - error).max(0.0), (gap + error).next_up(), witness)
}

/// Touching only where the lowest point is exactly on the floor; round cores touch within rounding.
pub(super) fn relation(floor: &Placed<'_>, body: &Placed<'_>) -> Relation {
    let heights = Heights::new(floor, body);
    let limit = Length::sum([heights.radius, 0.0, 0.0]);
    match (heights.compare(limit.high, true), heights.compare(-limit.high, false)) {
        (Some(Ordering::Greater), _) => Relation::Separated,
        (Some(Ordering::Equal) | None, _) => Relation::Touching,
        (Some(Ordering::Less), Some(Ordering::Greater) | None) => Relation::Intersecting,
        (Some(Ordering::Less), _) => Relation::Inside,
    }
}

pub(super) fn contact(floor: &Placed<'_>, body: &Placed<'_>) -> Verdict<Contact> {
    if within_distance(floor, body, 0.0) != Overlap::Hit {
        return Verdict::Free;
    }
    let heights = Heights::new(floor, body);
    let tip = heights.lowest - DVec3::Z * heights.radius;
    let depth = heights.radius - heights.low;
    let error = heights.error + 4.0 * UNIT_ROUNDOFF * (heights.low.abs() + heights.radius);
    let depth = Bracket { at_least: (depth - error).max(0.0), at_most: (depth + error).max(0.0) };
    let contact = Contact::new(tip.with_z(0.0), tip, DVec3::Z, depth);
    Verdict::Hit(contact.placed(&floor.world_from_self))
}

/// Returns the frame of two half-spaces that face each other exactly, for their distance in A's frame; `None`
/// if they overlap.
fn opposite(a: &Placed<'_>, b: &Placed<'_>) -> Option<PairFrame> {
    let frame = PairFrame::new(&RelativePose::new(&a.world_from_self, &b.world_from_self));
    let axis = frame.pose().rotation * DVec3::Z;
    (axis.z < -0.9 && frame.opposes_z()).then_some(frame)
}

pub(super) fn two_closer_than(a: &Placed<'_>, b: &Placed<'_>, margin: f64) -> Overlap {
    match opposite(a, b).map(|frame| frame.compare_height(DVec3::ZERO, margin)) {
        Some(Ordering::Greater) => Overlap::Free,
        _ => Overlap::Hit,
    }
}

pub(super) fn two_relation(a: &Placed<'_>, b: &Placed<'_>) -> Relation {
    match opposite(a, b).map(|frame| frame.compare_height(DVec3::ZERO, 0.0)) {
        Some(Ordering::Greater) => Relation::Separated,
        Some(Ordering::Equal) => Relation::Touching,
        Some(Ordering::Less) | None => Relation::Intersecting,
    }
}

pub(super) fn two_clearance(a: &Placed<'_>, b: &Placed<'_>) -> Clearance {
    let Some(frame) = opposite(a, b) else { return Clearance::NONE };
    if frame.compare_height(DVec3::ZERO, 0.0) != Ordering::Greater {
        return Clearance::NONE;
    }
    let pose = frame.pose();
    let (clearance, error) = (pose.translation.z, pose.translation_error);
    let [on_a, on_b] =
        [pose.translation.with_z(0.0), pose.translation].map(|p| a.world_from_self.transform_point(p));
    let witness = Some(Witness::points(on_a, on_b));
    Clearance::new((clearance - error).max(0.0), (clearance + error).next_up(), witness)
}

/// Computes the contact of two half-spaces. Those that do not face each other cannot be separated: their depth
/// is infinite.
pub(super) fn two_contact(a: &Placed<'_>, b: &Placed<'_>) -> Verdict<Contact> {
    let Some(frame) = opposite(a, b) else {
        let pose = RelativePose::new(&a.world_from_self, &b.world_from_self);
        let depth = Bracket::INFINITE;
        let contact = Contact::new(pose.translation, pose.translation, DVec3::Z, depth);
        return Verdict::Hit(contact.placed(&a.world_from_self));
    };
    if frame.compare_height(DVec3::ZERO, 0.0) == Ordering::Greater {
        return Verdict::Free;
    }
    let pose = frame.pose();
    let (depth, error) = (-pose.translation.z, pose.translation_error);
    let depth = Bracket { at_least: (depth - error).max(0.0), at_most: (depth + error).max(0.0) };
    let contact = Contact::new(pose.translation.with_z(0.0), pose.translation, DVec3::Z, depth);
    Verdict::Hit(contact.placed(&a.world_from_self))
}
