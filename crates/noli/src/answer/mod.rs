//! Answers: plain data, independent of any engine.
//!
//! Undecided results are explicit in the answer: `Unknown`, an open [`Bracket`], [`Completeness::Partial`]. No
//! special number represents "none".

mod clearance;
mod contact;
mod display;
mod feature_contact;
mod guarantee;
mod impact;
mod listed;
mod penetration;
mod ray;
mod spot;
mod verdict;

pub use clearance::Clearance;
pub use contact::{Contact, Manifold};
pub use feature_contact::{ContactId, FeatureContact};
pub use guarantee::Guarantee;
pub use impact::{ClosestApproach, ContactSpan, Touch};
pub use listed::{Complete, Completeness, Count, FaceCounts, First, Intersection, Next, Sink};
pub use noli_geom::{Bracket, Impact, TimeOfImpact};
pub use penetration::Penetration;
pub use ray::{RayHit, RaySide};
pub use spot::{Feature, SurfacePoint, Witness};
pub use verdict::{Containment, Location, Overlap, Relation, Verdict};
