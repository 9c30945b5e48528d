//! Bracket on the distance of two functionally defined objects.

use crate::search::cell_tree::CellTree;
use crate::search::pairs::PairSearch;
use crate::search::question::{DistanceGoal, FieldClearance, FieldQuery, PlacedField};
use noli_geom::RelativePose;

/// Computes the distance of two objects by pairs of their cells, without searching for a common point
/// first. The bracket of objects that overlap may stay open above 0.
pub fn field_distance(
    a: &PlacedField<'_>,
    b: &PlacedField<'_>,
    goal: &DistanceGoal,
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
