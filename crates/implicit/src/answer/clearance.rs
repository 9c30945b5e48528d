//! How far two functionally defined objects are apart: a bracket.

use super::overlap::field_overlap;
use crate::search::cell_tree::CellTree;
use crate::search::pairs::PairSearch;
use crate::search::question::{FieldClearance, FieldQuery, FieldVerdict, GapGoal, PlacedField};
use noli_geom::RelativePose;

/// How far two objects are apart, until the bracket is narrower than `tolerance` times the size of the
/// smaller object or the query's cells are used up; 0 where they share a point.
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

/// How far two objects are apart by pairs of their cells, without a search for a common point before: the
/// bracket of objects that overlap may stay open above 0.
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
