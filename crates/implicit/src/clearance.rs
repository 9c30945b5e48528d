//! How far two functionally defined objects are apart: a bracket.

use crate::cell_tree::CellTree;
use crate::overlap::{FieldQuery, FieldVerdict, PlacedField, field_overlap};
use crate::pairs::{GapGoal, PairSearch};
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

impl FieldClearance {
    pub(crate) const UNKNOWN: Self = Self { at_least: 0.0, at_most: f64::INFINITY, witness: None, pairs: 0 };
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
    query: &FieldQuery<'_>,
) -> FieldClearance {
    if let FieldVerdict::Hit { point } = field_overlap(a, b, query).verdict {
        let world = a.world_from_field.transform_point(point);
        return FieldClearance { at_least: 0.0, at_most: 0.0, witness: Some([world; 2]), pairs: 0 };
    }
    let [size_a, size_b] = [a, b].map(|side| side.field.bounds().size().max_element());
    field_gap(a, b, &GapGoal::narrow(tolerance * size_a.min(size_b)), query)
}

/// How far two objects are apart by pairs of their cells, without a search for a common point before: the bracket of
/// objects that overlap may stay open above 0.
pub fn field_gap(
    a: &PlacedField<'_>,
    b: &PlacedField<'_>,
    goal: &GapGoal,
    query: &FieldQuery<'_>,
) -> FieldClearance {
    if !a.world_from_field.is_valid() || !b.world_from_field.is_valid() {
        return FieldClearance::UNKNOWN;
    }
    let a_from_b = RelativePose::new(&a.world_from_field, &b.world_from_field);
    let [tree_a, tree_b] = [a, b].map(|side| CellTree::new(side.field, query.depth));
    let search = PairSearch::new(tree_a, tree_b, a_from_b, false);
    search.bracket(goal, query, &a.world_from_field, &b.world_from_field)
}
