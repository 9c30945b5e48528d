//! A functionally defined object (here always A) and anything but a compound: proofs by cutting space into cells.
//!
//! Every verdict is proven with outward rounding, or it is unknown: what stays open at the resolution (exact tangency in
//! numbers that a computer does not have, most parts without thickness) is never guessed.

use super::Limits;
use super::convex_convex::{self, depth_of_hulls};
use super::field_convex::ConvexPiece;
use super::field_mesh::Faces;
use crate::answer::{
    Bracket, Clearance, Contact, Containment, Overlap, Relation, SurfacePoint, Verdict, Witness,
};
use crate::context::QueryContext;
use crate::model::{FieldModel, Form, Placed};
use glam::DVec3;
use noli_geom::{Aabb, Convex, Pose};
use noli_implicit::{
    DistanceGoal, FieldClearance, FieldOverlap, FieldQuery, FieldVerdict, PlacedField, field_distance,
    field_overlap, field_pieces_distance, field_pieces_overlap,
};

/// Width of the clearance bracket as a fraction of the smaller body, if no tolerance is given.
const FINE: f64 = 1.0 / (1u32 << 20) as f64;
/// Pairs of cells that a bracket is worth, where many are equally near (a sphere on the axis of a ring); a rough one less.
const MOST_PAIRS: u64 = 1 << 17;
const MOST_ROUGH: u64 = 1 << 15;
/// Bodies that reach this share of the object into each other do more than touch.
const DEEP: f64 = 1.0 / (1u64 << 40) as f64;

pub(super) fn within_distance(
    a: (&Placed<'_>, &FieldModel),
    b: &Placed<'_>,
    margin: f64,
    context: &mut QueryContext<'_>,
) -> Overlap {
    let Some(couple) = Couple::new(a, b) else { return Overlap::Unknown };
    if margin > 0.0 {
        let goal = DistanceGoal { within: margin, enough: margin, ..DistanceGoal::narrow(0.0) };
        let clearance = couple.clearance(&goal, context);
        if clearance.at_most <= margin {
            return Overlap::Hit;
        } else if clearance.at_least <= margin {
            return Overlap::Unknown;
        } else if !couple.other.is_solid_mesh() {
            return Overlap::Free;
        }
    }
    match couple.overlap(0.0, context) {
        FieldVerdict::Free => Overlap::Free,
        FieldVerdict::Hit { .. } => Overlap::Hit,
        FieldVerdict::Unknown { .. } => Overlap::Unknown,
    }
}

pub(super) fn clearance(
    a: (&Placed<'_>, &FieldModel),
    b: &Placed<'_>,
    limits: &Limits,
    context: &mut QueryContext<'_>,
) -> Clearance {
    let Some(couple) = Couple::new(a, b) else { return Clearance::UNKNOWN };
    let verdict = couple.overlap(0.0, context);
    if let FieldVerdict::Hit { point } = verdict {
        let point = a.0.world_from_self.transform_point(point);
        return Clearance { witness: Some(witness([point; 2])), ..Clearance::NONE };
    }
    let goal = match limits.advance {
        Some(advance) => DistanceGoal {
            enough: advance.margin,
            share: advance.share,
            ..couple.goal(0.125 * advance.tolerance)
        },
        None => DistanceGoal { within: limits.max_distance, ..couple.goal(limits.tolerance) },
    };
    let gap = couple.clearance(&goal, context);
    // Surfaces may be apart although the object lies in a solid.
    let known = verdict == FieldVerdict::Free || !couple.other.is_solid_mesh();
    Clearance::new(if known { gap.at_least } else { 0.0 }, gap.at_most, gap.witness.map(witness))
}

fn witness([on_a, on_b]: [DVec3; 2]) -> Witness {
    Witness::points(on_a, on_b)
}

/// Touching where a common point is proven but none with room around it.
pub(super) fn relation(
    a: (&Placed<'_>, &FieldModel),
    b: &Placed<'_>,
    context: &mut QueryContext<'_>,
) -> Relation {
    let Some(couple) = Couple::new(a, b) else { return Relation::Unknown };
    match couple.overlap(DEEP * couple.model.size(), context) {
        FieldVerdict::Free => return Relation::Separated,
        FieldVerdict::Hit { .. } if couple.is_one_inside(a.0, b, context) => return Relation::Inside,
        // What was not seen to lie inside may do so all the same if that search was stopped.
        FieldVerdict::Hit { .. } if !context.meter.allows_more() => return Relation::Unknown,
        FieldVerdict::Hit { .. } => return Relation::Intersecting,
        FieldVerdict::Unknown { .. } => {}
    }
    match couple.overlap(0.0, context) {
        FieldVerdict::Free => Relation::Separated,
        FieldVerdict::Hit { .. } => Relation::Touching,
        FieldVerdict::Unknown { .. } => Relation::Unknown,
    }
}

/// Returns the containment of two bodies that are inside each other, if it is proven: an object may have parts
/// elsewhere.
pub(super) fn containment(
    a: (&Placed<'_>, &FieldModel),
    b: &Placed<'_>,
    context: &mut QueryContext<'_>,
) -> Option<Containment> {
    let couple = Couple::new(a, b)?;
    if couple.fills_other(a.0, b, context) {
        return Some(Containment::BInA);
    }
    let is_held = match (&couple.other, b.model.form()) {
        (Other::Field(other), _) => {
            Couple::new((b, other), a.0).is_some_and(|back| back.fills_other(b, a.0, context))
        }
        (Other::Floor(floor), _) => couple.is_sunk(floor, context),
        (Other::Convex(_), Form::Convex(outer)) => couple.has_box_in(a.0, (b, &outer.convex)),
        _ => false,
    };
    is_held.then_some(Containment::AInB)
}

/// Computes a contact. The depth is bounded from above by a box around the object, except against a floor; both
/// points are a common one.
pub(super) fn contact(
    a: (&Placed<'_>, &FieldModel),
    b: &Placed<'_>,
    context: &mut QueryContext<'_>,
) -> Verdict<Contact> {
    let Some(couple) = Couple::new(a, b) else { return Verdict::Unknown };
    let point = match couple.overlap(0.0, context) {
        FieldVerdict::Free => return Verdict::Free,
        FieldVerdict::Unknown { .. } => return Verdict::Unknown,
        FieldVerdict::Hit { point } => a.0.world_from_self.transform_point(point),
    };
    let by_floor = if let Other::Floor(_) = couple.other { couple.floor_contact(context) } else { None };
    Verdict::Hit(by_floor.unwrap_or_else(|| {
        let hulls = a.1.hull().zip(b.model.outer_hull());
        let on_surface = SurfacePoint::at(point);
        match hulls {
            Some((own, other)) => {
                let depth = depth_of_hulls((a.0, own), (b, other)).placed(&a.0.world_from_self);
                let bracket = Bracket { at_least: 0.0, ..depth.depth };
                Contact { on_a: on_surface, on_b: on_surface, depth: bracket, ..depth }
            }
            None => Contact::new(point, point, DVec3::Z, Bracket::OPEN),
        }
    }))
}

/// Body that the object is compared with, in its own frame.
enum Other<'p> {
    Field(&'p FieldModel),
    Mesh(Faces<'p>),
    Convex(ConvexPiece<'p>),
    /// Relevant part of a half-space: all of it below the object, to a depth that the object does not reach.
    Floor(Aabb),
}

impl Other<'_> {
    fn is_solid_mesh(&self) -> bool {
        matches!(self, Other::Mesh(faces) if faces.is_solid())
    }
}

/// An object and something else.
struct Couple<'p> {
    model: &'p FieldModel,
    field: PlacedField<'p>,
    other: Other<'p>,
    world_from_other: Pose,
}

impl<'p> Couple<'p> {
    /// Returns `None` for a compound, whose parts are tested one by one.
    fn new((a, model): (&Placed<'_>, &'p FieldModel), b: &Placed<'p>) -> Option<Self> {
        let other = match b.model.form() {
            Form::Field(other) => Other::Field(other),
            Form::Mesh(faces) => Other::Mesh(Faces::new(faces)),
            Form::Convex(convex) => Other::Convex(ConvexPiece::new(&convex.convex)),
            Form::HalfSpace => Other::Floor(floor(a, b)),
            Form::Compound(_) | Form::Cloud(_) => return None,
        };
        let (field, world_from_other) = (model.field.at(a.world_from_self), b.world_from_self);
        Some(Self { model, field, other, world_from_other })
    }

    /// Tests whether they share a point, in the frame of the object, such that the object contains all points
    /// within `depth` of it.
    fn overlap(&self, depth: f64, context: &mut QueryContext<'_>) -> FieldVerdict {
        self.overlap_of(&self.field, depth, context)
    }

    fn overlap_of(
        &self,
        field: &PlacedField<'_>,
        depth: f64,
        context: &mut QueryContext<'_>,
    ) -> FieldVerdict {
        let pose = &self.world_from_other;
        let found = self.searching(context, |query| {
            let query = &FieldQuery { depth, ..*query };
            let found: FieldOverlap = match &self.other {
                Other::Field(other) => field_overlap(field, &other.field.at(*pose), query),
                Other::Mesh(faces) => faces.overlap(field, pose, query),
                Other::Convex(piece) => field_pieces_overlap(field, piece, pose, query),
                Other::Floor(floor) => field_pieces_overlap(field, floor, pose, query),
            };
            (found, found.cells)
        });
        found.verdict
    }

    /// Computes the distance of the surfaces.
    fn clearance(&self, goal: &DistanceGoal, context: &mut QueryContext<'_>) -> FieldClearance {
        let (field, pose) = (&self.field, &self.world_from_other);
        let most = if goal.share > 0.0 { MOST_ROUGH } else { MOST_PAIRS };
        self.searching(context, |query| {
            let query = &FieldQuery { cells: query.cells.min(most), ..*query };
            let found = match &self.other {
                Other::Field(other) => field_distance(field, &other.field.at(*pose), goal, query),
                Other::Mesh(faces) => field_pieces_distance(field, faces, pose, goal, query),
                Other::Convex(piece) => field_pieces_distance(field, piece, pose, goal, query),
                Other::Floor(floor) => field_pieces_distance(field, floor, pose, goal, query),
            };
            (found, found.pairs)
        })
    }

    /// Searches with the remaining budget, of which longer formulas spend more for each cell. `search` also returns
    /// the number of cells it visited.
    fn searching<R>(
        &self,
        context: &mut QueryContext<'_>,
        search: impl FnOnce(&FieldQuery<'_>) -> (R, u64),
    ) -> R {
        let objects =
            [Some(self.model), if let Other::Field(other) = &self.other { Some(*other) } else { None }];
        let objects = || objects.into_iter().flatten();
        let steps: u64 = objects().map(FieldModel::steps_per_cell).max().unwrap_or(1);
        let bytes: usize = objects().map(FieldModel::bytes_per_cell).sum();
        let budget = context.meter.budget();
        let stop = || budget.is_over();
        let fitting = budget.memory_limit().map_or(u64::MAX, |most| (most / bytes) as u64);
        let query = FieldQuery {
            cells: self.model.most_cells().min(context.meter.left() / steps).min(fitting),
            stop: budget.is_limited().then_some(&stop as &dyn Fn() -> bool),
            ..Default::default()
        };
        let (answer, cells) = search(&query);
        context.meter.spend(cells.saturating_mul(steps));
        answer
    }

    /// Returns a goal for a bracket of the given width, or of the width that is worth the time.
    fn goal(&self, tolerance: f64) -> DistanceGoal {
        let own = self.model.size();
        let other = match &self.other {
            Other::Field(other) => other.size(),
            Other::Mesh(faces) => faces.size(),
            Other::Convex(piece) => piece.size(),
            Other::Floor(_) => own,
        };
        // A point has no size.
        let smaller = if other > 0.0 { own.min(other) } else { own };
        DistanceGoal::narrow(if tolerance > 0.0 { tolerance } else { FINE * smaller })
    }

    /// Returns `true` if one of two overlapping bodies is proven to lie within the other.
    fn is_one_inside(&self, a: &Placed<'p>, b: &Placed<'p>, context: &mut QueryContext<'_>) -> bool {
        self.holds_other(a, b, context)
            || match &self.other {
                Other::Field(other) => {
                    Couple::new((b, other), a).is_some_and(|back| back.holds_other(b, a, context))
                }
                Other::Mesh(faces) => faces.is_solid() && self.is_off_faces(&self.field, faces, context),
                Other::Convex(_) => self.is_in_convex(a, b, context),
                Other::Floor(floor) => self.is_sunk(floor, context),
            }
    }

    /// Returns `true` if all of the other, or all its faces, lie within the object: then no surface passes through
    /// another.
    fn holds_other(&self, a: &Placed<'_>, b: &Placed<'_>, context: &mut QueryContext<'_>) -> bool {
        match &self.other {
            Other::Mesh(faces) if self.has_room_for(a, b) => {
                let outside = self.model.outside().at(self.field.world_from_field);
                self.is_off_faces(&outside, faces, context)
            }
            _ => self.fills_other(a, b, context),
        }
    }

    /// Returns `true` if all of the other lies within the object, that is, if it does not intersect the complement.
    fn fills_other(&self, a: &Placed<'_>, b: &Placed<'_>, context: &mut QueryContext<'_>) -> bool {
        let outside = self.model.outside().at(self.field.world_from_field);
        self.has_room_for(a, b) && self.overlap_of(&outside, 0.0, context) == FieldVerdict::Free
    }

    /// Returns `true` if the other's box lies in the object's.
    fn has_room_for(&self, a: &Placed<'_>, b: &Placed<'_>) -> bool {
        let (room, own) = (relative_box(b, a), self.model.field.bounds());
        own.min.cmplt(room.min).all() && room.max.cmplt(own.max).all()
    }

    /// Returns `true` if a box around the object lies in a convex body.
    fn has_box_in(&self, a: &Placed<'_>, (b, outer): (&Placed<'_>, &Convex)) -> bool {
        let held = |hull| convex_convex::is_held((&b.world_from_self, outer), (&a.world_from_self, hull));
        self.model.hull().is_some_and(held)
    }

    /// Returns `true` if a box around the object, or the faces of a polyhedron, prove containment in a convex body.
    fn is_in_convex(&self, a: &Placed<'_>, b: &Placed<'_>, context: &mut QueryContext<'_>) -> bool {
        let Form::Convex(outer) = b.model.form() else { return false };
        let by_box = self.has_box_in(a, (b, &outer.convex));
        let faces = if outer.convex.radius() == 0.0 { outer.faces() } else { None };
        by_box || faces.is_some_and(|faces| self.is_off_faces(&self.field, &Faces::new(faces), context))
    }

    /// Returns `true` if an object intersects no face.
    fn is_off_faces(
        &self,
        field: &PlacedField<'_>,
        faces: &Faces<'_>,
        context: &mut QueryContext<'_>,
    ) -> bool {
        self.searching(context, |query| {
            let found = field_pieces_overlap(field, faces, &self.world_from_other, query);
            (found.verdict == FieldVerdict::Free, found.cells)
        })
    }

    /// Returns `true` if no point of the object is above the floor.
    fn is_sunk(&self, floor: &Aabb, context: &mut QueryContext<'_>) -> bool {
        let above = Aabb { min: floor.min.with_z(0.0), max: floor.max.with_z(-floor.min.z) };
        let over = Couple { other: Other::Floor(above), ..*self };
        over.overlap(0.0, context) == FieldVerdict::Free
    }

    /// Computes the depth below a floor from the clearance to a lower one, which the object does not reach.
    fn floor_contact(&self, context: &mut QueryContext<'_>) -> Option<Contact> {
        let Other::Floor(floor) = &self.other else { return None };
        let level = floor.min.z;
        let lower = Aabb { min: floor.min.with_z(2.0 * level), max: floor.max.with_z(level) };
        let below = Couple { other: Other::Floor(lower), ..*self };
        let clearance = below.clearance(&self.goal(0.0), context);
        let [tip, _] = clearance.witness?;
        let tip = self.world_from_other.inverse().transform_point(tip);
        let depth = |clearance: f64| -(level + clearance);
        let rounding = 4.0 * f64::EPSILON * level.abs();
        let depth = Bracket {
            at_least: (depth(clearance.at_most) - rounding).max(0.0),
            at_most: depth(clearance.at_least) + rounding,
        };
        let contact = Contact::new(tip, tip.with_z(0.0), DVec3::NEG_Z, depth);
        Some(contact.placed(&self.world_from_other))
    }
}

/// A box around a body in the frame of another, rounded outward.
fn relative_box(body: &Placed<'_>, frame: &Placed<'_>) -> Aabb {
    let pose = frame.world_from_self.inverse() * body.world_from_self;
    let moved = body.model.aabb().transformed(&pose);
    let far = frame.world_from_self.translation.length() + body.world_from_self.translation.length();
    // The product of two poses is rounded.
    moved.expanded(1e-13 * (far + moved.min.abs().max(moved.max.abs()).length()))
}

fn floor(body: &Placed<'_>, floor: &Placed<'_>) -> Aabb {
    let above = relative_box(body, floor);
    let level = above.min.z.min(0.0) - above.size().max_element();
    Aabb { min: above.min.with_z(level), max: above.max.with_z(0.0) }
}
