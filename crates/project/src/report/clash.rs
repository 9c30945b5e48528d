//! Reports about clashes over reruns: groups, exclusions, changes.

use crate::data::clash::{ClashKind, ClashStatus};
use serde::{Deserialize, Serialize};

/// Effect of an exclusion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExclusionReport {
    /// Description of the pairs.
    pub what: String,
    /// Reason.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// Number of covered clashes. If several cover one, it counts for the first.
    pub pairs: usize,
    /// The ids of those that were not there before.
    pub new: Vec<String>,
}

/// A group of clashes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroupReport {
    /// Its name, which pairs give as `group`.
    pub name: String,
    /// Its id: that of its topic in BCF.
    pub id: String,
    /// The worst status of its clashes.
    pub status: ClashStatus,
    /// Number of its clashes.
    pub clashes: usize,
    /// Number of those that count.
    pub hits: usize,
}

/// A clash in a list of changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClashLine {
    /// Its id.
    pub id: String,
    /// The name of A.
    pub a: String,
    /// The name of B.
    pub b: String,
    /// Its current or former kind.
    pub kind: ClashKind,
    /// Its status.
    pub status: ClashStatus,
}

/// Bodies that are not what or where they were, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BodyChanges {
    /// Not there before.
    pub added: Vec<String>,
    /// Not there any more.
    pub removed: Vec<String>,
    /// Of another shape, or elsewhere.
    pub changed: Vec<String>,
}

/// Changes since an earlier check.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgainstReport {
    /// Clashes that were not there.
    pub new: Vec<ClashLine>,
    /// Clashes that were there and are.
    pub still: Vec<ClashLine>,
    /// Of those, the ones whose bodies or kind changed.
    pub changed: Vec<ClashLine>,
    /// Clashes that were there and are proven not to be any more.
    pub gone: Vec<ClashLine>,
    /// Earlier clashes that this check did not test or decide.
    pub not_asked: Vec<ClashLine>,
    /// The bodies that changed.
    pub bodies: BodyChanges,
}
