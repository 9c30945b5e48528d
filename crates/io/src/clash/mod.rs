//! The life of a clash: what kind it is, who it is over reruns, what people said about it, and what changed.
//!
//! A [`CheckReport`](crate::report::CheckReport) says how bodies stand to each other; here that becomes work for
//! people. `pairs → kinds → exclusions and tolerances (who counts) → statuses kept over reruns → groups → what
//! changed`. Every step is exact bookkeeping on what the check proved: no lengths are compared but those that the
//! user named.

mod exclusion;
mod group;
mod identity;
mod life;
mod manner;
mod results;

pub use exclusion::{Excluded, Exclusion, ExclusionReport};
pub use group::{GroupReport, Grouping, PatternGroup};
pub use identity::{ifc_guid, is_ifc_guid};
pub use life::{AgainstReport, BodyChanges, ClashLine, ClashOptions, Tolerance};
pub use manner::Manner;
pub use results::{ClashResults, KnownBody, KnownClash};

pub(crate) use manner::manner;

pub(crate) use identity::{BodyIdentity, clash_id, identities, uuid_of};

use serde::{Deserialize, Serialize};

/// What people call a clash. Told by exact relations alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ClashKind {
    /// Copies of one mesh at one place.
    Duplicate,
    /// Faces pass through each other, or solids share volume.
    Hard,
    /// One lies inside the other.
    Inside,
    /// They share points, but no volume.
    Touching,
    /// Apart, but closer than the required clearance.
    Clearance,
}

impl ClashKind {
    /// All of them, the worst first.
    pub const ALL: [Self; 5] = [Self::Duplicate, Self::Hard, Self::Inside, Self::Touching, Self::Clearance];

    /// As it is written.
    pub fn word(self) -> &'static str {
        match self {
            Self::Duplicate => "duplicate",
            Self::Hard => "hard",
            Self::Inside => "inside",
            Self::Touching => "touching",
            Self::Clearance => "clearance",
        }
    }
}

/// Where a clash stands in its life. In order of severity, the worst first: a group is as bad as its worst member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ClashStatus {
    /// Seen for the first time.
    New,
    /// Seen before and not dealt with, or dealt with and come back.
    Active,
    /// Somebody looked at it; it still counts.
    Reviewed,
    /// Somebody accepted it: it does not count while it stays as it is.
    Approved,
    /// It is gone.
    Resolved,
}

impl ClashStatus {
    /// All of them, the worst first.
    pub const ALL: [Self; 5] = [Self::New, Self::Active, Self::Reviewed, Self::Approved, Self::Resolved];

    /// As it is written.
    pub fn word(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Active => "active",
            Self::Reviewed => "reviewed",
            Self::Approved => "approved",
            Self::Resolved => "resolved",
        }
    }

    /// The status of this name, in whatever case.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.word().eq_ignore_ascii_case(word.trim()))
    }
}
