//! The order of a best-first search.

use std::cmp::Ordering;

/// Something to be searched, nearest first.
pub(crate) struct Candidate<T> {
    pub(crate) at_least: f64,
    /// Of equally near ones the smaller goes first.
    pub(crate) size: f64,
    pub(crate) item: T,
}

impl<T> PartialEq for Candidate<T> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<T> Eq for Candidate<T> {}

impl<T> PartialOrd for Candidate<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> Ord for Candidate<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        other.at_least.total_cmp(&self.at_least).then(other.size.total_cmp(&self.size))
    }
}
