//! The same questions about the same two bodies again and again, each a little moved: starting where the last
//! search ended is several times faster for convex bodies. A hint changes what an answer costs, never a verdict;
//! pairs without a use for it ignore it.

use super::{Clearance, ClearanceQuery, Contact, Overlap, OverlapQuery};
use crate::convex::Hint;
use crate::model::Placed;
use crate::pair::general::{self, Means};
use crate::scratch::Scratch;

/// [`overlap`](super::overlap) from where the last question about these bodies ended.
///
/// ```
/// use noli::{Convex, Hint, Model, Overlap, OverlapQuery, Pose, Scratch, overlap_hinted};
/// let cone = Model::convex(Convex::cone(2.0, 1.0)?);
/// let (mut hint, mut scratch) = (Hint::default(), Scratch::default());
/// let hits = (0..100).filter(|&step| {
///     let there = Pose::from_translation(glam::dvec3(0.05 * f64::from(step), 0.0, 0.0));
///     let query = OverlapQuery::default();
///     overlap_hinted(&cone.at(Pose::IDENTITY), &cone.at(there), &query, &mut hint, &mut scratch) == Overlap::Hit
/// });
/// assert_eq!(hits.count(), 41);
/// # Ok::<(), noli::ShapeError>(())
/// ```
pub fn overlap_hinted(
    a: &Placed<'_>,
    b: &Placed<'_>,
    query: &OverlapQuery<'_>,
    hint: &mut Hint,
    scratch: &mut Scratch,
) -> Overlap {
    let meter = &mut query.budget.meter();
    general::closer_than(a, b, 0.0, &mut Means { meter, scratch, hint })
}

/// [`clearance`](super::clearance) from where the last question about these bodies ended.
pub fn clearance_hinted(
    a: &Placed<'_>,
    b: &Placed<'_>,
    query: &ClearanceQuery<'_>,
    hint: &mut Hint,
    scratch: &mut Scratch,
) -> Clearance {
    let meter = &mut query.budget.meter();
    general::clearance(a, b, &query.limits(a, b), &mut Means { meter, scratch, hint })
}

/// [`contact`](super::contact) from where the last question about these bodies ended.
pub fn contact_hinted(
    a: &Placed<'_>,
    b: &Placed<'_>,
    hint: &mut Hint,
    scratch: &mut Scratch,
) -> Option<Contact> {
    let meter = &mut crate::Budget::UNLIMITED.meter();
    general::contact(a, b, &mut Means { meter, scratch, hint })
}
