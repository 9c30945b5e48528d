//! Answers: plain data, without any engine behind it.
//!
//! What is not known says so in the answer itself: `Unknown`, an open [`Bracket`], [`Coverage::Part`]. Nothing in
//! here stands for "none" by a special number.

mod contact;
mod feature_contact;
mod gap;
mod guarantee;
mod impact;
mod listed;
mod penetration;
mod ray;
mod spot;
mod verdict;

pub use contact::{Contact, Manifold};
pub use feature_contact::{ContactId, FeatureContact};
pub use gap::Clearance;
pub use guarantee::Guarantee;
pub use impact::{ClosestApproach, ContactSpan, Touch};
pub use listed::{Count, Coverage, Crossing, First, Listed, Next, Sink};
pub use noli_geom::{Bracket, Impact, TimeOfImpact};
pub use penetration::Penetration;
pub use ray::{RayHit, RaySide};
pub use spot::{Feature, Spot, Witness};
pub use verdict::{Location, Nesting, Overlap, Relation, Verdict};
