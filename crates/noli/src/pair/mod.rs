//! The table of pairs: one exhaustive `match` per question, one file per pair of forms.
//!
//! Every question about two bodies enters here, with what it may use in an [`Ask`], and leaves as plain data.
//! A missing pair does not compile.

mod advance;
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

pub(crate) use contacts::{contacts, contacts_of_all};
pub(crate) use manifold::manifold;
pub(crate) use parting::{Parting, parting};
pub(crate) use ray::ray_hits;

use crate::answer::{
    Bracket, Clearance, Contact, Coverage, Impact, Location, Nesting, Overlap, Relation, Sink, Touch, Verdict,
};
use crate::context::Ask;
use crate::model::{Form, Model, Moving, Placed};
use crate::query::{ClearanceQuery, CrossingsQuery, ImpactQuery, Tolerance};
use glam::DVec3;
use noli_geom::{Convex, Pose, RelativePose, UNIT_ROUNDOFF};
use noli_implicit::Field;

/// What is asked of a gap.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Nothing further apart is of interest.
    pub(crate) max_distance: f64,
    /// How wide the bracket may be beyond rounding, as a length.
    pub(crate) tolerance: f64,
    /// What the answer is for, if no more than this is needed.
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

/// An advance in time: roughly by how much the gap exceeds the margin, or that it is within the tolerance of it. Only
/// pairs for which a narrow bracket is slow to find make use of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Advance {
    pub(crate) margin: f64,
    pub(crate) tolerance: f64,
    /// How roughly.
    pub(crate) share: f64,
}

/// What is asked of a motion.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ImpactLimits {
    pub(crate) from: f64,
    pub(crate) until: f64,
    pub(crate) margin: f64,
    /// A length.
    pub(crate) tolerance: f64,
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

/// What a relative tolerance is relative to: the unit of the packed tree of a mesh, else the longest edge
/// of the box; 0 for a half-space.
fn size(model: &Model) -> f64 {
    if let Form::Mesh(mesh) = model.form() {
        return mesh.packed.unit;
    }
    let size = model.aabb().size().max_element();
    if size.is_finite() { size.max(0.0) } else { 0.0 }
}

/// What is known of a pair beside the answer: before a question about a motion, which it may shorten, and after one
/// that was stopped.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Progress {
    /// They are proven to be further apart than the margin at the start of the span.
    pub(crate) apart: bool,
    /// Only how long they are free is of interest, not a proof of what ends it.
    pub(crate) only_free: bool,
    /// Free until here by the volumes that were still to be looked into.
    pub(crate) volumes_until: f64,
    /// Bound from above on the smallest gap until then.
    pub(crate) gap_at_most: f64,
    /// Whether `smallest` is of interest.
    pub(crate) wants_smallest: bool,
    /// Of the pairs of boxes still to be looked into, the smallest, by their slots in the packed trees.
    pub(crate) smallest: Option<[u32; 2]>,
}

impl Default for Progress {
    fn default() -> Self {
        let (volumes_until, gap_at_most) = (0.0, f64::INFINITY);
        Self {
            apart: false,
            only_free: false,
            volumes_until,
            gap_at_most,
            wants_smallest: false,
            smallest: None,
        }
    }
}

/// What can be said without looking at shapes.
enum Start {
    Empty,
    BadPose,
    Ready,
}

#[inline]
fn start(a: &Placed<'_>, b: &Placed<'_>) -> Start {
    if a.model.is_empty() || b.model.is_empty() {
        Start::Empty
    } else if a.world_from_self.is_valid() && b.world_from_self.is_valid() {
        Start::Ready
    } else {
        Start::BadPose
    }
}

/// Whether the bodies are at most `margin` apart.
pub(crate) fn closer_than(a: &Placed<'_>, b: &Placed<'_>, margin: f64, ask: &mut Ask<'_>) -> Overlap {
    if let (Form::Mesh(x), Form::Mesh(y)) = (a.model.form(), b.model.form()) {
        return mesh_mesh::closer_than(&a.with(x), &b.with(y), margin, ask);
    }
    match start(a, b) {
        Start::Empty => return Overlap::Free,
        Start::BadPose => return Overlap::Unknown,
        Start::Ready if !ask.meter.step() || margin.is_nan() => return Overlap::Unknown,
        Start::Ready if margin < 0.0 => return Overlap::Free,
        Start::Ready => {}
    }
    match (a.model.form(), b.model.form()) {
        (Form::Compound(compound), _) => compound::closer_than(compound, a, b, margin, ask),
        (_, Form::Compound(compound)) => compound::closer_than(compound, b, a, margin, ask),
        (Form::Field(x), _) => field::closer_than((a, x), b, margin, ask),
        (_, Form::Field(y)) => field::closer_than((b, y), a, margin, ask),
        (Form::HalfSpace, Form::HalfSpace) => half_space::two_closer_than(a, b, margin),
        (Form::HalfSpace, Form::Mesh(_) | Form::Convex(_)) => half_space::closer_than(a, b, margin),
        (Form::Mesh(_) | Form::Convex(_), Form::HalfSpace) => half_space::closer_than(b, a, margin),
        (Form::Convex(x), Form::Convex(y)) => convex_convex::closer_than((a, x), (b, y), margin, ask),
        (Form::Mesh(x), Form::Convex(y)) => mesh_convex::closer_than(&a.with(x), (b, y), margin, ask),
        (Form::Convex(x), Form::Mesh(y)) => mesh_convex::closer_than(&b.with(y), (a, x), margin, ask),
        (Form::Mesh(x), Form::Mesh(y)) => mesh_mesh::closer_than(&a.with(x), &b.with(y), margin, ask),
    }
}

/// How far the bodies are apart.
pub(crate) fn clearance(a: &Placed<'_>, b: &Placed<'_>, limits: &Limits, ask: &mut Ask<'_>) -> Clearance {
    let guarantee = a.model.guarantee(b.model);
    let found = match start(a, b) {
        Start::Empty => Clearance::INFINITE,
        Start::BadPose => Clearance::UNKNOWN,
        Start::Ready => clearance_of_forms(a, b, limits, ask),
    };
    Clearance { guarantee, ..found }
}

fn clearance_of_forms(a: &Placed<'_>, b: &Placed<'_>, limits: &Limits, ask: &mut Ask<'_>) -> Clearance {
    if let (Form::Mesh(x), Form::Mesh(y)) = (a.model.form(), b.model.form()) {
        return mesh_mesh::clearance(&a.with(x), &b.with(y), limits, ask);
    }
    if !ask.meter.step() {
        return Clearance::UNKNOWN;
    }
    match (a.model.form(), b.model.form()) {
        (Form::Compound(compound), _) => compound::clearance(compound, a, b, limits, ask),
        (_, Form::Compound(compound)) => compound::clearance(compound, b, a, limits, ask).swapped(),
        (Form::Field(x), _) => field::clearance((a, x), b, limits, ask),
        (_, Form::Field(y)) => field::clearance((b, y), a, limits, ask).swapped(),
        (Form::HalfSpace, Form::HalfSpace) => half_space::two_clearance(a, b),
        (Form::HalfSpace, Form::Mesh(_) | Form::Convex(_)) => half_space::clearance(a, b),
        (Form::Mesh(_) | Form::Convex(_), Form::HalfSpace) => half_space::clearance(b, a).swapped(),
        (Form::Convex(x), Form::Convex(y)) => convex_convex::clearance((a, x), (b, y), limits, ask),
        (Form::Mesh(x), Form::Convex(y)) => mesh_convex::clearance(&a.with(x), (b, y), limits, ask),
        (Form::Convex(x), Form::Mesh(y)) => mesh_convex::clearance(&b.with(y), (a, x), limits, ask).swapped(),
        (Form::Mesh(x), Form::Mesh(y)) => mesh_mesh::clearance(&a.with(x), &b.with(y), limits, ask),
    }
}

/// How the bodies stand to each other.
pub(crate) fn relation(a: &Placed<'_>, b: &Placed<'_>, ask: &mut Ask<'_>) -> Relation {
    if let (Form::Mesh(x), Form::Mesh(y)) = (a.model.form(), b.model.form()) {
        return mesh_mesh::relation(&a.with(x), &b.with(y), ask);
    }
    match start(a, b) {
        Start::Empty => return Relation::Apart,
        Start::BadPose => return Relation::Unknown,
        Start::Ready if !ask.meter.step() => return Relation::Unknown,
        Start::Ready => {}
    }
    match (a.model.form(), b.model.form()) {
        (Form::Compound(compound), _) => compound::relation(compound, a, b, ask),
        (_, Form::Compound(compound)) => compound::relation(compound, b, a, ask),
        (Form::Field(x), _) => field::relation((a, x), b, ask),
        (_, Form::Field(y)) => field::relation((b, y), a, ask),
        (Form::HalfSpace, Form::HalfSpace) => half_space::two_relation(a, b),
        (Form::HalfSpace, Form::Mesh(_) | Form::Convex(_)) => half_space::relation(a, b),
        (Form::Mesh(_) | Form::Convex(_), Form::HalfSpace) => half_space::relation(b, a),
        (Form::Convex(x), Form::Convex(y)) => convex_convex::relation((a, x), (b, y), ask),
        (Form::Mesh(x), Form::Convex(y)) => mesh_convex::relation(&a.with(x), (b, y), ask),
        (Form::Convex(x), Form::Mesh(y)) => mesh_convex::relation(&b.with(y), (a, x), ask),
        (Form::Mesh(x), Form::Mesh(y)) => mesh_mesh::relation(&a.with(x), &b.with(y), ask),
    }
}

/// Which body lies in which: exact where both are bounded by faces, else where that is certain.
pub(crate) fn nesting(a: &Placed<'_>, b: &Placed<'_>, ask: &mut Ask<'_>) -> Option<Nesting> {
    if let Some((a, b)) = a.all_faces().zip(b.all_faces()) {
        return mesh_mesh::nesting(&a, &b, ask);
    }
    match (a.model.form(), b.model.form()) {
        (Form::Compound(compound), _) => return compound::nesting(compound, a, b, ask),
        (_, Form::Compound(compound)) => {
            return compound::nesting(compound, b, a, ask).map(Nesting::swapped);
        }
        _ if relation(a, b, ask) != Relation::Inside => return None,
        _ => {}
    }
    match (a.model.form(), b.model.form()) {
        (Form::Field(x), _) => field::nesting((a, x), b, ask),
        (_, Form::Field(y)) => field::nesting((b, y), a, ask).map(Nesting::swapped),
        (Form::HalfSpace, _) => Some(Nesting::BInA),
        (_, Form::HalfSpace) => Some(Nesting::AInB),
        (Form::Convex(x), Form::Convex(y)) => convex_convex::nesting((a, x), (b, y)),
        (Form::Mesh(x), Form::Convex(y)) => Some(mesh_convex::nesting(&a.with(x), (b, y))),
        (Form::Convex(x), Form::Mesh(y)) => Some(mesh_convex::nesting(&b.with(y), (a, x)).swapped()),
        (Form::Mesh(_), Form::Mesh(_)) | (Form::Compound(_), _) | (_, Form::Compound(_)) => None,
    }
}

/// Where and how deep the bodies overlap.
pub(crate) fn contact(a: &Placed<'_>, b: &Placed<'_>, ask: &mut Ask<'_>) -> Verdict<Contact> {
    let guarantee = a.model.guarantee(b.model);
    let found = match start(a, b) {
        Start::Empty => Verdict::Free,
        Start::BadPose => Verdict::Unknown,
        Start::Ready if !ask.meter.step() => Verdict::Unknown,
        Start::Ready => contact_of_forms(a, b, ask),
    };
    found.map(|contact| Contact { guarantee, ..contact })
}

fn contact_of_forms(a: &Placed<'_>, b: &Placed<'_>, ask: &mut Ask<'_>) -> Verdict<Contact> {
    match (a.model.form(), b.model.form()) {
        (Form::Compound(compound), _) => compound::contact(compound, a, b, ask),
        (_, Form::Compound(compound)) => compound::contact(compound, b, a, ask).map(Contact::swapped),
        (Form::Field(x), _) => field::contact((a, x), b, ask),
        (_, Form::Field(y)) => field::contact((b, y), a, ask).map(Contact::swapped),
        (Form::HalfSpace, Form::HalfSpace) => half_space::two_contact(a, b),
        (Form::HalfSpace, Form::Mesh(_) | Form::Convex(_)) => half_space::contact(a, b),
        (Form::Mesh(_) | Form::Convex(_), Form::HalfSpace) => half_space::contact(b, a).map(Contact::swapped),
        (Form::Convex(x), Form::Convex(y)) => convex_convex::contact((a, x), (b, y), ask),
        (Form::Mesh(_), Form::Mesh(_) | Form::Convex(_)) | (Form::Convex(_), Form::Mesh(_)) => {
            contact_of_hulls(a, b, ask)
        }
    }
}

/// Meshes overlap exactly or not at all; how deep is known only from above, by their hulls.
fn contact_of_hulls(a: &Placed<'_>, b: &Placed<'_>, ask: &mut Ask<'_>) -> Verdict<Contact> {
    match closer_than(a, b, 0.0, ask) {
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

/// How deep the hulls of two bodies reach into each other, in world coordinates; `None` where one has no hull.
pub(crate) fn contact_of_outer_hulls(a: &Placed<'_>, b: &Placed<'_>) -> Option<Contact> {
    let (hull_a, hull_b) = a.model.outer_hull().zip(b.model.outer_hull())?;
    Some(convex_convex::depth_of_hulls((a, hull_a), (b, hull_b)).placed(&a.world_from_self))
}

/// Hand every pair of faces that meets to `sink`; bodies without faces have none.
pub(crate) fn crossings(
    a: &Placed<'_>,
    b: &Placed<'_>,
    query: &CrossingsQuery,
    ask: &mut Ask<'_>,
    sink: &mut dyn Sink,
) -> Coverage {
    match (a.core_faces(), b.core_faces()) {
        (Some(x), Some(y)) => mesh_mesh::crossings(&x, &y, query, ask, sink),
        _ => Coverage::Whole,
    }
}

/// When two moving bodies first touch, within a span of time.
pub(crate) fn time_of_impact(
    a: &Moving<'_>,
    b: &Moving<'_>,
    query: &ImpactQuery,
    ask: &mut Ask<'_>,
    progress: &mut Progress,
) -> Impact<Touch> {
    let (from, until) = (query.span.0.max(0.0), query.span.1.min(1.0));
    if from > until || from.is_nan() || until.is_nan() || query.margin.is_nan() {
        return Impact::Unknown { safe_until: from };
    }
    let tolerance = query.tolerance.of(a.model, b.model);
    let limits = ImpactLimits { from, until, margin: query.margin, tolerance };
    match (a.model.form(), b.model.form()) {
        (Form::Mesh(_), Form::Mesh(_)) => mesh_mesh::time_of_impact(a, b, &limits, ask, progress),
        _ => advance::time_of_impact(a, b, &limits, ask, progress),
    }
}

/// How two bodies that overlap at a time touch then, as far as the budget suffices to tell.
pub(crate) fn touch_at(a: &Moving<'_>, b: &Moving<'_>, t: f64, ask: &mut Ask<'_>) -> Touch {
    match (a.model.form(), b.model.form()) {
        (Form::Mesh(_), Form::Mesh(_)) => mesh_mesh::touch_at(a, b, t, ask),
        _ => match clearance(&a.at(t), &b.at(t), &Limits::NARROW, ask).witness {
            Some(witness) => Touch::between(witness.on_a, witness.on_b, true),
            None => Touch { proven: true, ..Touch::SOMEWHERE },
        },
    }
}

/// Where a point given in world coordinates lies. The point is finite and the pose valid.
pub(crate) fn locate(point: DVec3, body: &Placed<'_>, ask: &mut Ask<'_>) -> Location {
    match body.model.form() {
        Form::Mesh(mesh) if mesh.mesh.is_empty() => Location::Outside,
        Form::Mesh(mesh) => mesh_mesh::locate(point, &Pose::IDENTITY, &body.with(mesh), ask),
        Form::Field(model) => locate_in_field(point, &body.world_from_self, &model.field),
        Form::Convex(_) | Form::HalfSpace | Form::Compound(_) => {
            // A point is a ball without radius; how it stands to the body tells where it lies.
            match relation(&Model::point().at(Pose::from_translation(point)), body, ask) {
                Relation::Apart => Location::Outside,
                Relation::Touching => Location::OnSurface,
                Relation::Crossing | Relation::Inside => Location::Inside,
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
    /// A convex body that holds it; `None` for what has no end or no faces, and for compounds.
    fn outer_hull(&self) -> Option<&Convex> {
        match self.form() {
            Form::Mesh(model) => model.hull(),
            Form::Convex(model) => Some(&model.convex),
            Form::Field(model) => model.hull(),
            Form::HalfSpace | Form::Compound(_) => None,
        }
    }
}
