//! The questions.
//!
//! Each comes in two forms: `question(a, b)` with defaults, and `question_in` with options, budget and
//! a [`Scratch`] to reuse; `question_traced` also tells a [`Trace`](crate::Trace) what was looked at.

mod along;
mod batch;
mod clearance;
mod contact;
mod crossings;
mod guarantee;
mod hinted;
mod impact_of_forms;
mod inner;
mod overlap;
mod point;
mod ray;
mod ray_of_forms;
mod relation;
mod self_crossings;
mod swept_pairs;
mod time_of_impact;

pub use along::{
    ApproachQuery, ClosestApproach, ContactSpan, closest_approach, closest_approach_in, contact_spans,
};
pub use batch::{WrongLength, batch, clearance_pairs, clearance_poses, overlap_pairs, overlap_poses};
pub(crate) use clearance::closer_than_metered;
pub use clearance::{
    Clearance, ClearanceQuery, Tolerance, Witness, clearance, clearance_in, clearance_traced, closer_than,
    closer_than_in,
};
pub use contact::{Contact, Manifold, contact, contact_in, manifold, manifold_in};
pub use crossings::{
    Count, Crossing, CrossingsQuery, First, Next, Sink, count_crossings, crossings, crossings_in,
    crossings_traced, first_crossing,
};
pub use guarantee::Guarantee;
pub use hinted::{clearance_hinted, contact_hinted, overlap_hinted};
pub use inner::depth_at_least;
pub use overlap::{Overlap, OverlapQuery, overlap, overlap_in, overlap_traced};
pub(crate) use point::contained;
pub use point::{Location, locate, locate_in};
pub use ray::{Ray, RayError, RayHit, RayQuery, RaySide, first_ray_hit, ray_hits, ray_hits_in};
pub use relation::{RelationQuery, relation, relation_in, relation_traced};
pub use self_crossings::{self_crossings, self_crossings_in, self_crossings_traced};
pub use swept_pairs::swept_pairs;
pub use time_of_impact::{ImpactQuery, Touch, time_of_impact, time_of_impact_in, time_of_impact_traced};
pub(crate) use time_of_impact::{Known, time_of_impact_metered, touch_at};

pub(crate) use clearance::{mesh_clearance, mesh_closer_than};
pub(crate) use contact::mesh_contact;
pub(crate) use point::locate_from;
pub(crate) use relation::mesh_relation;

use crate::model::Placed;
use crate::pair::mesh_mesh::{Pair, Side};
use crate::scratch::Scratch;
use std::cell::RefCell;

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::new(Scratch::default());
}

/// Run a question with this thread's scratch, or a new one where it is in use (a sink that asks).
pub(crate) fn with_scratch<R>(ask: impl FnOnce(&mut Scratch) -> R) -> R {
    SCRATCH.with(|shared| match shared.try_borrow_mut() {
        Ok(mut scratch) => ask(&mut scratch),
        Err(_) => ask(&mut Scratch::default()),
    })
}

/// What can be said of two placed models before looking at any face.
#[expect(clippy::large_enum_variant, reason = "lives on the stack of one query")]
enum Start<'a> {
    /// One of them is empty.
    Empty,
    /// A pose is not a pose.
    BadPose,
    Ready(Pair<'a>),
}

fn start<'a>(a: &Placed<'a>, b: &Placed<'a>) -> Start<'a> {
    let (form_a, form_b) = (a.model.faces(), b.model.faces());
    if form_a.mesh.is_empty() || form_b.mesh.is_empty() {
        return Start::Empty;
    }
    match Pair::new((Side::mesh(form_a), &a.world_from_self), (Side::mesh(form_b), &b.world_from_self)) {
        Some(pair) => Start::Ready(pair),
        None => Start::BadPose,
    }
}
