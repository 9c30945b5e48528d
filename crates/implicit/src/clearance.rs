//! How far two functionally defined objects are apart: a bracket.

use crate::overlap::{FieldQuery, FieldVerdict, PlacedField, field_overlap};
use crate::pairs::{CellTree, PairSearch, Stopped};
use glam::DVec3;
use noli_geom::RelativePose;

/// A bracket on the gap: `at_least <= gap <= at_most`, all rounding included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FieldClearance {
    /// No two points of the objects are closer than this.
    pub at_least: f64,
    /// Some two points are at most this far apart; infinite where none are known.
    pub at_most: f64,
    /// Two points that are this close, in world coordinates, rounded.
    pub witness: Option<[DVec3; 2]>,
    /// How many pairs of cells were looked at, after the cells of the search for a common point.
    pub pairs: u64,
}

/// How far two objects are apart, until the bracket is narrower than `tolerance` times the size of the smaller
/// object or the query's cells are used up; 0 where they share a point.
///
/// ```
/// use noli_geom::Pose;
/// use noli_implicit::{Field, field_clearance};
/// let ball = Field::parse("x^2 + y^2 + z^2 <= 1")?;
/// let there = Pose::from_translation(glam::dvec3(2.0, 2.0, 1.0)); // 3 away
/// let gap = field_clearance(&ball.at(Pose::IDENTITY), &ball.at(there), 1e-3, &Default::default());
/// assert!(gap.at_least <= 1.0 && 1.0 <= gap.at_most && gap.at_most - gap.at_least < 0.01);
/// # Ok::<(), noli_implicit::FormulaError>(())
/// ```
pub fn field_clearance(
    a: &PlacedField<'_>,
    b: &PlacedField<'_>,
    tolerance: f64,
    query: &FieldQuery,
) -> FieldClearance {
    let answer = |at_least, at_most, witness| FieldClearance { at_least, at_most, witness, pairs: 0 };
    if !a.world_from_field.is_valid() || !b.world_from_field.is_valid() {
        return answer(0.0, f64::INFINITY, None);
    }
    if let FieldVerdict::Hit { point } = field_overlap(a, b, query).verdict {
        let world = a.world_from_field.transform_point(point);
        return answer(0.0, 0.0, Some([world; 2]));
    }
    let a_from_b = RelativePose::new(&a.world_from_field, &b.world_from_field);
    let mut search = PairSearch::new(a.field, CellTree::new(b.field), a_from_b, false);
    if search.is_empty() {
        return answer(f64::INFINITY, f64::INFINITY, None);
    }
    let [size_a, size_b] = [a, b].map(|side| side.field.bounds().size().max_element());
    let (Stopped::Settled(at_least) | Stopped::Early(at_least)) =
        search.run(f64::INFINITY, tolerance.max(0.0) * size_a.min(size_b), query);
    search.clearance(at_least, &a.world_from_field, &b.world_from_field)
}
