//! The table of pairs: one exhaustive `match` per question, one file per pair of forms.
//!
//! Every query on two bodies enters here with a [`QueryContext`] and returns plain data.
//! A missing pair does not compile.

mod advance;
mod cloud;
mod compound;
mod contacts;
mod convex_convex;
mod directed;
mod field;
mod field_convex;
mod field_mesh;
mod half_space;
mod manifold;
mod mesh_convex;
pub(crate) mod mesh_mesh;
mod parting;
mod ray;
mod start;

pub(crate) use contacts::{contacts, contacts_of_all};
pub(crate) use manifold::manifold;
pub(crate) use parting::{Parting, parting};
pub(crate) use ray::ray_cast;

use crate::answer::{
    Bracket, Clearance, Completeness, Contact, Containment, Impact, Location, Overlap, Relation, Sink, Touch,
    Verdict,
};
use crate::context::QueryContext;
use crate::model::{Form, Model, Moving, Placed, Scale};
use crate::query::{ClearanceQuery, ImpactQuery, IntersectionsQuery, Tolerance};
use glam::DVec3;
use noli_geom::{Convex, Pose, RelativePose, UNIT_ROUNDOFF};
use noli_implicit::Field;
use start::{Start, start};

/// Limits of a clearance query.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Largest distance of interest.
    pub(crate) max_distance: f64,
    /// Largest width of the bracket beyond rounding, as a length.
    pub(crate) tolerance: f64,
    /// Purpose of the answer, if an advance in time is all it is needed for.
    pub(crate) advance: Option<Advance>,
}

impl Limits {
    /// As narrow a bracket as there is.
    pub(crate) const NARROW: Self = Self { max_distance: f64::INFINITY, tolerance: 0.0, advance: None };

    pub(crate) fn new(query: &ClearanceQuery, a: &Model, b: &Model) -> Self {
        let (max_distance, tolerance) = (query.max_distance.max(0.0), query.tolerance.of(a, b));
        Self { max_distance, tolerance, ..Self::NARROW }
    }
}

/// An advance in time: roughly by how much the clearance exceeds the margin, or that it is within the tolerance of it. Only
/// pairs for which a narrow bracket is slow to find make use of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Advance {
    pub(crate) margin: f64,
    pub(crate) tolerance: f64,
    /// Accepted error, as a fraction.
    pub(crate) share: f64,
}

/// Limits of a motion query.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ImpactLimits {
    pub(crate) from: f64,
    pub(crate) until: f64,
    pub(crate) margin: f64,
    /// A length.
    pub(crate) tolerance: f64,
    pub(crate) given: ImpactGiven,
}

impl Tolerance {
    /// The length that it means for two bodies.
    fn of(self, a: &Model, b: &Model) -> f64 {
        let length = match self {
            Self::Length(length) => length,
            Self::Relative(share) => share * size(a).max(size(b)),
        };
        length.max(0.0)
    }
}

/// Returns the reference length of a relative tolerance: the unit of a mesh's packed tree, else the longest
/// edge of the box. 0 for a half-space.
fn size(model: &Model) -> f64 {
    if let Form::Mesh(mesh) = model.form() {
        return mesh.packed.unit;
    }
    let size = model.aabb().size().max_element();
    if size.is_finite() { size.max(0.0) } else { 0.0 }
}

/// Conditions of a time-of-impact search.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ImpactGiven {
    /// The bodies are proven to be separated by more than the margin at the start of the span.
    pub(crate) separated: bool,
    /// Only the length of the collision-free time is needed, without a proof of the contact that ends it.
    pub(crate) only_free: bool,
    /// [`ImpactFound::smallest`] is needed.
    pub(crate) wants_smallest: bool,
}

/// Partial results of time-of-impact searches; searches of the same pair add to them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ImpactFound {
    /// The last search proved the bodies to be separated by more than the margin at the start of its span.
    pub(crate) separated: bool,
    /// Time until which the volumes that were left are separated.
    pub(crate) volumes_until: f64,
    /// Upper bound on the smallest clearance until then.
    pub(crate) clearance_at_most: f64,
    /// The smallest pair of boxes that was left, by their slots in the packed trees.
    pub(crate) smallest: Option<[u32; 2]>,
}

impl Default for ImpactFound {
    fn default() -> Self {
        Self { separated: false, volumes_until: 0.0, clearance_at_most: f64::INFINITY, smallest: None }
    }
}

/// Tests whether the distance of the bodies is at most `margin`.
pub(crate) fn within_distance(
    a: &Placed<'_>,
    b: &Placed<'_>,
    margin: f64,
    context: &mut QueryContext<'_>,
) -> Overlap {
    let forms = match start(a, b) {
        Start::Empty => return Overlap::Free,
        Start::BadPose => return Overlap::Unknown,
        Start::Ready(_) if margin.is_nan() => return Overlap::Unknown,
        Start::Ready(_) if margin < 0.0 => return Overlap::Free,
        Start::Ready(forms) => forms,
    };
    match forms {
        (Form::Mesh(x), Form::Mesh(y)) => mesh_mesh::within_distance(&a.with(x), &b.with(y), margin, context),
        // Walks of two meshes count their own steps.
        _ if !context.meter.step() => Overlap::Unknown,
        (Form::Compound(compound), _) => compound::within_distance(compound, a, b, margin, context),
        (_, Form::Compound(compound)) => compound::within_distance(compound, b, a, margin, context),
        (Form::Cloud(x), _) => cloud::within_distance(x, a, b, margin, context),
        (_, Form::Cloud(y)) => cloud::within_distance(y, b, a, margin, context),
        (Form::Field(x), _) => field::within_distance((a, x), b, margin, context),
        (_, Form::Field(y)) => field::within_distance((b, y), a, margin, context),
        (Form::HalfSpace, Form::HalfSpace) => half_space::two_closer_than(a, b, margin),
        (Form::HalfSpace, Form::Mesh(_) | Form::Convex(_)) => half_space::within_distance(a, b, margin),
        (Form::Mesh(_) | Form::Convex(_), Form::HalfSpace) => half_space::within_distance(b, a, margin),
        (Form::Convex(x), Form::Convex(y)) => convex_convex::within_distance((a, x), (b, y), margin, context),
        (Form::Mesh(x), Form::Convex(y)) => mesh_convex::within_distance(&a.with(x), (b, y), margin, context),
        (Form::Convex(x), Form::Mesh(y)) => mesh_convex::within_distance(&b.with(y), (a, x), margin, context),
    }
}

/// Computes the distance of the bodies.
pub(crate) fn clearance(
    a: &Placed<'_>,
    b: &Placed<'_>,
    limits: &Limits,
    context: &mut QueryContext<'_>,
) -> Clearance {
    let guarantee = a.model.guarantee(b.model);
    let found = match start(a, b) {
        Start::Empty => Clearance::INFINITE,
        Start::BadPose => Clearance::UNKNOWN,
        Start::Ready(forms) => clearance_of_forms(a, b, forms, limits, context),
    };
    Clearance { guarantee, ..found }
}

fn clearance_of_forms(
    a: &Placed<'_>,
    b: &Placed<'_>,
    forms: (&Form, &Form),
    limits: &Limits,
    context: &mut QueryContext<'_>,
) -> Clearance {
    match forms {
        (Form::Mesh(x), Form::Mesh(y)) => mesh_mesh::clearance(&a.with(x), &b.with(y), limits, context),
        _ if !context.meter.step() => Clearance::UNKNOWN,
        (Form::Compound(compound), _) => compound::clearance(compound, a, b, limits, context),
        (_, Form::Compound(compound)) => compound::clearance(compound, b, a, limits, context).swapped(),
        (Form::Cloud(x), _) => cloud::clearance(x, a, b, limits, context),
        (_, Form::Cloud(y)) => cloud::clearance(y, b, a, limits, context).swapped(),
        (Form::Field(x), _) => field::clearance((a, x), b, limits, context),
        (_, Form::Field(y)) => field::clearance((b, y), a, limits, context).swapped(),
        (Form::HalfSpace, Form::HalfSpace) => half_space::two_clearance(a, b),
        (Form::HalfSpace, Form::Mesh(_) | Form::Convex(_)) => half_space::clearance(a, b),
        (Form::Mesh(_) | Form::Convex(_), Form::HalfSpace) => half_space::clearance(b, a).swapped(),
        (Form::Convex(x), Form::Convex(y)) => convex_convex::clearance((a, x), (b, y), limits, context),
        (Form::Mesh(x), Form::Convex(y)) => mesh_convex::clearance(&a.with(x), (b, y), limits, context),
        (Form::Convex(x), Form::Mesh(y)) => {
            mesh_convex::clearance(&b.with(y), (a, x), limits, context).swapped()
        }
    }
}

/// Computes the relation of the bodies.
pub(crate) fn relation(a: &Placed<'_>, b: &Placed<'_>, context: &mut QueryContext<'_>) -> Relation {
    let forms = match start(a, b) {
        Start::Empty => return Relation::Separated,
        Start::BadPose => return Relation::Unknown,
        Start::Ready(forms) => forms,
    };
    match forms {
        (Form::Mesh(x), Form::Mesh(y)) => mesh_mesh::relation(&a.with(x), &b.with(y), context),
        _ if !context.meter.step() => Relation::Unknown,
        (Form::Compound(compound), _) => compound::relation(compound, a, b, context),
        (_, Form::Compound(compound)) => compound::relation(compound, b, a, context),
        (Form::Cloud(x), _) => cloud::relation(x, a, b, context),
        (_, Form::Cloud(y)) => cloud::relation(y, b, a, context),
        (Form::Field(x), _) => field::relation((a, x), b, context),
        (_, Form::Field(y)) => field::relation((b, y), a, context),
        (Form::HalfSpace, Form::HalfSpace) => half_space::two_relation(a, b),
        (Form::HalfSpace, Form::Mesh(_) | Form::Convex(_)) => half_space::relation(a, b),
        (Form::Mesh(_) | Form::Convex(_), Form::HalfSpace) => half_space::relation(b, a),
        (Form::Convex(x), Form::Convex(y)) => convex_convex::relation((a, x), (b, y), context),
        (Form::Mesh(x), Form::Convex(y)) => mesh_convex::relation(&a.with(x), (b, y), context),
        (Form::Convex(x), Form::Mesh(y)) => mesh_convex::relation(&b.with(y), (a, x), context),
    }
}

/// Computes which body lies in which: exact where both are bounded by faces, else where that is certain.
pub(crate) fn containment(
    a: &Placed<'_>,
    b: &Placed<'_>,
    context: &mut QueryContext<'_>,
) -> Verdict<Containment> {
    if let Some((a, b)) = a.all_faces().zip(b.all_faces()) {
        return mesh_mesh::containment(&a, &b, context);
    }
    match (a.model.form(), b.model.form()) {
        (Form::Compound(compound), _) => return compound::containment(compound, a, b, context),
        (_, Form::Compound(compound)) => {
            return compound::containment(compound, b, a, context).map(Containment::swapped);
        }
        (Form::Cloud(x), _) => return cloud::containment(x, a, b, context),
        (_, Form::Cloud(y)) => return cloud::containment(y, b, a, context).map(Containment::swapped),
        _ => {}
    }
    match relation(a, b, context) {
        Relation::Inside => containment_of_inside(a, b, context).map_or(Verdict::Unknown, Verdict::Hit),
        Relation::Unknown => Verdict::Unknown,
        Relation::Separated | Relation::Touching | Relation::Intersecting => Verdict::Free,
    }
}

/// Computes which of two bodies that are inside each other lies in which; `None` where neither is certain.
fn containment_of_inside(
    a: &Placed<'_>,
    b: &Placed<'_>,
    context: &mut QueryContext<'_>,
) -> Option<Containment> {
    match (a.model.form(), b.model.form()) {
        (Form::Compound(_) | Form::Cloud(_), _) | (_, Form::Compound(_) | Form::Cloud(_)) => None,
        (Form::Field(x), _) => field::containment((a, x), b, context),
        (_, Form::Field(y)) => field::containment((b, y), a, context).map(Containment::swapped),
        (Form::HalfSpace, _) => Some(Containment::BInA),
        (_, Form::HalfSpace) => Some(Containment::AInB),
        (Form::Convex(x), Form::Convex(y)) => convex_convex::containment((a, x), (b, y)),
        (Form::Mesh(x), Form::Convex(y)) => Some(mesh_convex::containment(&a.with(x), (b, y))),
        (Form::Convex(x), Form::Mesh(y)) => Some(mesh_convex::containment(&b.with(y), (a, x)).swapped()),
        (Form::Mesh(_), Form::Mesh(_)) => None,
    }
}

/// Computes a contact of the bodies and its penetration depth.
pub(crate) fn contact(a: &Placed<'_>, b: &Placed<'_>, context: &mut QueryContext<'_>) -> Verdict<Contact> {
    let guarantee = a.model.guarantee(b.model);
    let found = match start(a, b) {
        Start::Empty => Verdict::Free,
        Start::BadPose => Verdict::Unknown,
        Start::Ready(_) if !context.meter.step() => Verdict::Unknown,
        Start::Ready(forms) => match Scale::of(a, b) {
            Scale::Ordinary | Scale::Unsuited => contact_of_forms(a, b, forms, context),
            Scale::Tiny(enlarged) => {
                let [x, y] = enlarged.bodies();
                let found = contact_of_forms(&x, &y, (x.model.form(), y.model.form()), context);
                found.map(|contact| enlarged.contact(contact, a))
            }
        },
    };
    found.map(|contact| Contact { guarantee, ..contact })
}

fn contact_of_forms(
    a: &Placed<'_>,
    b: &Placed<'_>,
    forms: (&Form, &Form),
    context: &mut QueryContext<'_>,
) -> Verdict<Contact> {
    match forms {
        (Form::Compound(compound), _) => compound::contact(compound, a, b, context),
        (_, Form::Compound(compound)) => compound::contact(compound, b, a, context).map(Contact::swapped),
        (Form::Cloud(x), _) => cloud::contact(x, a, b, context),
        (_, Form::Cloud(y)) => cloud::contact(y, b, a, context).map(Contact::swapped),
        (Form::Field(x), _) => field::contact((a, x), b, context),
        (_, Form::Field(y)) => field::contact((b, y), a, context).map(Contact::swapped),
        (Form::HalfSpace, Form::HalfSpace) => half_space::two_contact(a, b),
        (Form::HalfSpace, Form::Mesh(_) | Form::Convex(_)) => half_space::contact(a, b),
        (Form::Mesh(_) | Form::Convex(_), Form::HalfSpace) => half_space::contact(b, a).map(Contact::swapped),
        (Form::Convex(x), Form::Convex(y)) => convex_convex::contact((a, x), (b, y), context),
        (Form::Mesh(_), Form::Mesh(_) | Form::Convex(_)) | (Form::Convex(_), Form::Mesh(_)) => {
            contact_of_hulls(a, b, context)
        }
    }
}

/// Meshes overlap exactly or not at all; how deep is known only from above, by their hulls.
fn contact_of_hulls(a: &Placed<'_>, b: &Placed<'_>, context: &mut QueryContext<'_>) -> Verdict<Contact> {
    match within_distance(a, b, 0.0, context) {
        Overlap::Free => return Verdict::Free,
        Overlap::Unknown => return Verdict::Unknown,
        Overlap::Hit => {}
    }
    let Some((hull_a, hull_b)) = a.model.outer_hull().zip(b.model.outer_hull()) else {
        return Verdict::Unknown;
    };
    let contact = convex_convex::depth_of_hulls((a, hull_a), (b, hull_b));
    let depth = Bracket { at_least: 0.0, ..contact.depth };
    Verdict::Hit(Contact { depth, ..contact }.placed(&a.world_from_self))
}

/// Computes the penetration depth of the hulls of two bodies, in world coordinates; `None` if one has no hull.
pub(crate) fn contact_of_outer_hulls(a: &Placed<'_>, b: &Placed<'_>) -> Option<Contact> {
    let (hull_a, hull_b) = a.model.outer_hull().zip(b.model.outer_hull())?;
    Some(convex_convex::depth_of_hulls((a, hull_a), (b, hull_b)).placed(&a.world_from_self))
}

/// Passes every pair of intersecting faces to `sink`; bodies without faces have none.
pub(crate) fn intersections(
    a: &Placed<'_>,
    b: &Placed<'_>,
    query: &IntersectionsQuery,
    context: &mut QueryContext<'_>,
    sink: &mut dyn Sink,
) -> Completeness {
    match (a.core_faces(), b.core_faces()) {
        (Some(x), Some(y)) => mesh_mesh::intersections(&x, &y, query, context, sink),
        _ => Completeness::Complete,
    }
}

/// Adds the numbers of the points of a cloud whose spheres are within a distance of a body; other forms have none.
pub(crate) fn points_within(
    a: &Placed<'_>,
    b: &Placed<'_>,
    margin: f64,
    context: &mut QueryContext<'_>,
    found: &mut Vec<u32>,
) -> Completeness {
    match start(a, b) {
        Start::Empty => Completeness::Complete,
        Start::BadPose => Completeness::Partial,
        Start::Ready(_) if margin.is_nan() => Completeness::Partial,
        Start::Ready(_) if margin < 0.0 => Completeness::Complete,
        Start::Ready((Form::Cloud(x), _)) => cloud::points_within((x, a), b, margin, context, found),
        Start::Ready(_) => Completeness::Complete,
    }
}

/// Computes the time at which two moving bodies first touch, within a span of time.
pub(crate) fn time_of_impact(
    a: &Moving<'_>,
    b: &Moving<'_>,
    query: &ImpactQuery,
    given: &ImpactGiven,
    context: &mut QueryContext<'_>,
    found: &mut ImpactFound,
) -> Impact<Touch> {
    let (from, until) = (query.span.0.max(0.0), query.span.1.min(1.0));
    if from > until || from.is_nan() || until.is_nan() || query.margin.is_nan() {
        return Impact::Unknown { safe_until: from };
    }
    let tolerance = query.tolerance.of(a.model, b.model);
    let limits = ImpactLimits { from, until, margin: query.margin, tolerance, given: *given };
    found.separated = given.separated;
    match (a.model.form(), b.model.form()) {
        (Form::Mesh(_), Form::Mesh(_)) => mesh_mesh::time_of_impact(a, b, &limits, context, found),
        _ => advance::time_of_impact(a, b, &limits, context, found),
    }
}

/// Computes the contact of two bodies that overlap at a time, as far as the budget suffices.
pub(crate) fn touch_at(a: &Moving<'_>, b: &Moving<'_>, t: f64, context: &mut QueryContext<'_>) -> Touch {
    match (a.model.form(), b.model.form()) {
        (Form::Mesh(_), Form::Mesh(_)) => mesh_mesh::touch_at(a, b, t, context),
        _ => match clearance(&a.at(t), &b.at(t), &Limits::NARROW, context).witness {
            Some(witness) => Touch::between(witness.on_a, witness.on_b, true),
            None => Touch { proven: true, ..Touch::SOMEWHERE },
        },
    }
}

/// Returns the location of a point given in world coordinates. The point is finite and the pose valid.
pub(crate) fn locate_point(point: DVec3, body: &Placed<'_>, context: &mut QueryContext<'_>) -> Location {
    match body.model.form() {
        Form::Mesh(mesh) if mesh.mesh.is_empty() => Location::Outside,
        Form::Mesh(mesh) => mesh_mesh::locate_point(point, &Pose::IDENTITY, &body.with(mesh), context),
        Form::Field(model) => locate_in_field(point, &body.world_from_self, &model.field),
        Form::Convex(_) | Form::HalfSpace | Form::Compound(_) | Form::Cloud(_) => {
            // A point is a sphere without radius; its relation to the body is its location.
            match relation(&Model::point().at(Pose::from_translation(point)), body, context) {
                Relation::Separated => Location::Outside,
                Relation::Touching => Location::OnSurface,
                Relation::Intersecting | Relation::Inside => Location::Inside,
                Relation::Unknown => Location::Unknown,
            }
        }
    }
}

/// The surface is as thick as rounding.
fn locate_in_field(point: DVec3, world_from_field: &Pose, field: &Field) -> Location {
    let field_from_world = RelativePose::new(world_from_field, &Pose::IDENTITY);
    let image = field_from_world.transform_point(point);
    let rounding = 4.0 * UNIT_ROUNDOFF * image.abs().max_element();
    match field.holds_cube(image, field_from_world.point_error(point.abs().max_element()) + rounding) {
        Some(true) => Location::Inside,
        Some(false) => Location::Outside,
        None => Location::OnSurface,
    }
}

impl Model {
    /// A convex body that holds it; `None` for what has no end or no faces, and for compounds
    /// and point clouds.
    fn outer_hull(&self) -> Option<&Convex> {
        match self.form() {
            Form::Mesh(model) => model.hull(),
            Form::Convex(model) => Some(&model.convex),
            Form::Field(model) => model.hull(),
            Form::HalfSpace | Form::Compound(_) | Form::Cloud(_) => None,
        }
    }
}
