//! Every pair of forms: one exhaustive `match` per question.
//!
//! Two meshes are the business of the queries themselves; this is where all other pairs go.

use super::{compound, convex_convex, field, half_space, mesh_convex};
use crate::budget::Meter;
use crate::convex::Hint;
use crate::model::{Form, Model, Placed};
use crate::query::{
    Clearance, Contact, Overlap, mesh_clearance, mesh_closer_than, mesh_contact, mesh_relation,
};
use crate::scratch::Scratch;
use noli_geom::{Convex, Relation};

/// What a question may use.
pub(crate) struct Means<'m, 'b> {
    pub(crate) meter: &'m mut Meter<'b>,
    pub(crate) scratch: &'m mut Scratch,
    pub(crate) hint: &'m mut Hint,
}

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

/// An advance in time: roughly by how much the gap exceeds the margin, or that it is within the tolerance of it. Only
/// pairs for which a narrow bracket is slow to find make use of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Advance {
    pub(crate) margin: f64,
    pub(crate) tolerance: f64,
    /// How roughly.
    pub(crate) share: f64,
}

impl Model {
    /// Whether it was made of a mesh; then answers can tell which of its vertices, edges and faces they are about.
    pub fn is_mesh(&self) -> bool {
        matches!(self.form(), Form::Mesh(_))
    }

    /// Whether its surface is that of [`faces`](Self::faces).
    pub(crate) fn is_made_of_faces(&self) -> bool {
        match self.form() {
            Form::Mesh(_) => true,
            Form::Convex(model) => model.convex.radius() == 0.0 && model.convex.core().is_polyhedral(),
            Form::HalfSpace | Form::Compound(_) | Form::Field(_) => false,
        }
    }

    /// A convex body that holds it; none for what has no end or no faces, and for compounds.
    pub(super) fn outer_hull(&self) -> Option<&Convex> {
        match self.form() {
            Form::Mesh(model) => model.hull(),
            Form::Convex(model) => Some(&model.convex),
            Form::Field(model) => model.hull(),
            Form::HalfSpace | Form::Compound(_) => None,
        }
    }

    /// Whether there is nothing to meet.
    #[inline]
    fn is_empty(&self) -> bool {
        match self.form() {
            Form::Mesh(model) => model.mesh.is_empty(),
            Form::Convex(_) | Form::HalfSpace => false,
            Form::Field(model) => model.field.bounds().is_empty(),
            Form::Compound(compound) => compound.parts.iter().all(|part| part.model.is_empty()),
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
pub(crate) fn closer_than(a: &Placed<'_>, b: &Placed<'_>, margin: f64, means: &mut Means<'_, '_>) -> Overlap {
    match start(a, b) {
        Start::Empty => return Overlap::Free,
        Start::BadPose => return Overlap::Unknown,
        Start::Ready if !means.meter.step() || margin.is_nan() => return Overlap::Unknown,
        Start::Ready if margin < 0.0 => return Overlap::Free,
        Start::Ready => {}
    }
    match (a.model.form(), b.model.form()) {
        (Form::Mesh(_), Form::Mesh(_)) => mesh_closer_than(a, b, margin, means.meter, means.scratch),
        (Form::Compound(compound), _) => compound::closer_than(compound, a, b, margin, means),
        (_, Form::Compound(compound)) => compound::closer_than(compound, b, a, margin, means),
        (Form::Field(x), _) => field::closer_than((a, x), b, margin, means),
        (_, Form::Field(y)) => field::closer_than((b, y), a, margin, means),
        (Form::HalfSpace, Form::HalfSpace) => half_space::two_closer_than(a, b, margin),
        (Form::HalfSpace, Form::Mesh(_) | Form::Convex(_)) => half_space::closer_than(a, b, margin),
        (Form::Mesh(_) | Form::Convex(_), Form::HalfSpace) => half_space::closer_than(b, a, margin),
        (Form::Convex(x), Form::Convex(y)) => convex_convex::closer_than((a, x), (b, y), margin, means),
        (Form::Mesh(_), Form::Convex(y)) => mesh_convex::closer_than(a, (b, y), margin, means),
        (Form::Convex(x), Form::Mesh(_)) => mesh_convex::closer_than(b, (a, x), margin, means),
    }
}

/// How far the bodies are apart.
pub(crate) fn clearance(
    a: &Placed<'_>,
    b: &Placed<'_>,
    limits: &Limits,
    means: &mut Means<'_, '_>,
) -> Clearance {
    match start(a, b) {
        Start::Empty => return Clearance::INFINITE,
        Start::BadPose => return Clearance::UNKNOWN,
        Start::Ready if !means.meter.step() => return Clearance::UNKNOWN,
        Start::Ready => {}
    }
    match (a.model.form(), b.model.form()) {
        (Form::Mesh(_), Form::Mesh(_)) => mesh_clearance(a, b, limits, means.meter, means.scratch),
        (Form::Compound(compound), _) => compound::clearance(compound, a, b, limits, means),
        (_, Form::Compound(compound)) => compound::clearance(compound, b, a, limits, means).swapped(),
        (Form::Field(x), _) => field::clearance((a, x), b, limits, means),
        (_, Form::Field(y)) => field::clearance((b, y), a, limits, means).swapped(),
        (Form::HalfSpace, Form::HalfSpace) => half_space::two_clearance(a, b),
        (Form::HalfSpace, Form::Mesh(_) | Form::Convex(_)) => half_space::clearance(a, b),
        (Form::Mesh(_) | Form::Convex(_), Form::HalfSpace) => half_space::clearance(b, a).swapped(),
        (Form::Convex(x), Form::Convex(y)) => convex_convex::clearance((a, x), (b, y), limits, means),
        (Form::Mesh(_), Form::Convex(y)) => mesh_convex::clearance(a, (b, y), limits, means),
        (Form::Convex(x), Form::Mesh(_)) => mesh_convex::clearance(b, (a, x), limits, means).swapped(),
    }
}

/// How the bodies stand to each other; nothing where a pose is none or the budget ran out.
pub(crate) fn relation(a: &Placed<'_>, b: &Placed<'_>, means: &mut Means<'_, '_>) -> Option<Relation> {
    match start(a, b) {
        Start::Empty => return Some(Relation::Apart),
        Start::BadPose => return None,
        Start::Ready if !means.meter.step() => return None,
        Start::Ready => {}
    }
    match (a.model.form(), b.model.form()) {
        (Form::Mesh(_), Form::Mesh(_)) => mesh_relation(a, b, means.meter, means.scratch),
        (Form::Compound(compound), _) => compound::relation(compound, a, b, means),
        (_, Form::Compound(compound)) => compound::relation(compound, b, a, means),
        (Form::Field(x), _) => field::relation((a, x), b, means),
        (_, Form::Field(y)) => field::relation((b, y), a, means),
        (Form::HalfSpace, Form::HalfSpace) => Some(half_space::two_relation(a, b)),
        (Form::HalfSpace, Form::Mesh(_) | Form::Convex(_)) => Some(half_space::relation(a, b)),
        (Form::Mesh(_) | Form::Convex(_), Form::HalfSpace) => Some(half_space::relation(b, a)),
        (Form::Convex(x), Form::Convex(y)) => convex_convex::relation((a, x), (b, y), means),
        (Form::Mesh(_), Form::Convex(y)) => mesh_convex::relation(a, (b, y), means),
        (Form::Convex(x), Form::Mesh(_)) => mesh_convex::relation(b, (a, x), means),
    }
}

/// Where and how deep the bodies overlap; nothing where they do not, as far as that is known.
pub(crate) fn contact(a: &Placed<'_>, b: &Placed<'_>, means: &mut Means<'_, '_>) -> Option<Contact> {
    if !matches!(start(a, b), Start::Ready) || !means.meter.step() {
        return None;
    }
    match (a.model.form(), b.model.form()) {
        (Form::Compound(compound), _) => compound::contact(compound, a, b, means),
        (_, Form::Compound(compound)) => compound::contact(compound, b, a, means).map(Contact::swapped),
        (Form::Field(x), _) => field::contact((a, x), b, means),
        (_, Form::Field(y)) => field::contact((b, y), a, means).map(Contact::swapped),
        (Form::HalfSpace, Form::HalfSpace) => half_space::two_contact(a, b),
        (Form::HalfSpace, Form::Mesh(_) | Form::Convex(_)) => half_space::contact(a, b),
        (Form::Mesh(_) | Form::Convex(_), Form::HalfSpace) => half_space::contact(b, a).map(Contact::swapped),
        (Form::Convex(x), Form::Convex(y)) => convex_convex::contact((a, x), (b, y), means),
        (Form::Mesh(x), Form::Mesh(y)) => mesh_contact(a, b, (x.hull()?, y.hull()?), means),
        (Form::Mesh(x), Form::Convex(y)) => mesh_contact(a, b, (x.hull()?, &y.convex), means),
        (Form::Convex(x), Form::Mesh(y)) => mesh_contact(a, b, (&x.convex, y.hull()?), means),
    }
}
