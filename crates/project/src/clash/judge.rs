//! Decision on hits: the one place where relation, tolerance, exclusions, approvals and touching are
//! combined.

use crate::data::clash::ClashStatus;
use crate::report::pair::{PairRelation, PairReport};

/// Judgement of a pair under the rules of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// It counts: in collision, or closer than the margin.
    Hit,
    /// Separated beyond the margin, or in a contact that is ignored.
    Free,
    /// Proven to overlap no deeper than is permitted.
    WithinTolerance,
    /// Excluded, by the number of the exclusion.
    ByDesign(usize),
    /// Approved by a user, and unchanged since.
    Approved,
    /// The budget did not suffice.
    Undecided,
}

/// Judges a pair whose kind of clash, tolerance, status and exclusion are known. A pair with a status is a clash.
pub fn judge(pair: &PairReport) -> Judgement {
    match (pair.relation, pair.status, pair.excluded_by) {
        _ if pair.within_tolerance => Judgement::WithinTolerance,
        (PairRelation::Undecided, ..) => Judgement::Undecided,
        (_, None, _) => Judgement::Free,
        (_, Some(_), Some(rule)) => Judgement::ByDesign(rule),
        (_, Some(ClashStatus::Approved), None) => Judgement::Approved,
        (_, Some(_), None) => Judgement::Hit,
    }
}
