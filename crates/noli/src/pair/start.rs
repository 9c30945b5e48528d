//! Cases of a query that are decided before any geometry is tested.

use crate::model::{Form, Placed};

/// The state of a query before any geometry is tested.
pub(super) enum Start<T> {
    /// One of the bodies is empty.
    Empty,
    /// A pose is invalid.
    BadPose,
    /// Input of the test.
    Ready(T),
}

/// Returns the forms of two bodies that can be tested.
#[inline]
pub(super) fn start<'a>(a: &Placed<'a>, b: &Placed<'a>) -> Start<(&'a Form, &'a Form)> {
    if a.model.is_empty() || b.model.is_empty() {
        Start::Empty
    } else if a.world_from_self.is_valid() && b.world_from_self.is_valid() {
        Start::Ready((a.model.form(), b.model.form()))
    } else {
        Start::BadPose
    }
}
