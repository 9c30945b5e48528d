//! Clash management: kinds, identity across reruns, users' notes and changes.
//!
//! A [`CheckReport`](crate::report::CheckReport) gives the relations of bodies; this module turns them into
//! review items. `pairs → kinds → exclusions and tolerances (counted clashes) → statuses kept over reruns →
//! groups → changes`. Every step is exact bookkeeping on the results proven by the check: only lengths given by
//! the user are compared.

mod check_report;
mod curved;
mod curved_findings;
#[allow(clippy::indexing_slicing, reason = "numbers of pairs of a list, and of bodies that were found in it")]
mod grouping;
mod judge;
#[allow(clippy::indexing_slicing, reason = "numbers of pairs and exclusions of lists of its own")]
mod lifecycle;
mod results;
mod tessellated;

pub use crate::data::clash::{ClashKind, ClashStatus, Excluded, Exclusion, PatternGroup};
pub use crate::report::clash::{AgainstReport, BodyChanges, ClashLine, ExclusionReport, GroupReport};
pub use crate::stage::body_identity::{ifc_guid, is_ifc_guid};
pub use crate::stage::penetration_kind::Manner;
pub use grouping::Grouping;
pub use judge::{Judgement, judge};
pub use lifecycle::{ClashOptions, Tolerance};
pub use results::{ClashResults, KnownBody, KnownClash};
