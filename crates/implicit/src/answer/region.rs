//! Functionally defined objects against bodies that can classify boxes as filled or empty: solids bounded
//! by meshes, voxels.

use crate::search::bounds::eighths;
use crate::search::frame::{Part, Seen};
use crate::search::question::{FieldOverlap, FieldQuery, FieldVerdict, PlacedField};
use glam::DVec3;
use noli_geom::number::round;
use noli_geom::{Aabb, Pose, RelativePose};

/// Position of a box relative to a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Filling {
    /// No point of the box is in the body.
    Outside,
    /// All points of the box are.
    Inside,
    /// Some may be.
    Mixed,
}

/// Tests if an object and a body share a point. The body is given by its classification of boxes in its
/// frame.
///
/// `Free` may need boxes that are smaller than the distance. So use this where the surfaces are proven
/// separated, or for bodies made of boxes. Points are given in the frame of the body.
pub fn field_filling_overlap(
    field: &PlacedField<'_>,
    body: &dyn Fn(&Aabb) -> Filling,
    bounds: &Aabb,
    world_from_body: &Pose,
    query: &FieldQuery<'_>,
) -> FieldOverlap {
    let answer = |verdict, cells| FieldOverlap { verdict, cells };
    if !field.world_from_field.is_valid() || !world_from_body.is_valid() {
        return answer(FieldVerdict::Unknown { within: *bounds }, 0);
    }
    let body_from_field = RelativePose::new(world_from_body, &field.world_from_field);
    let mut seen = Seen::new(field.field, &body_from_field.inverse()).deep(query.depth);
    let reach = seen.bounds_in(&body_from_field);
    let start = bounds.intersection(reach);
    let smallest = query.resolution * start.size().max_element();
    let mut stack: Vec<(Aabb, Part)> = Vec::new();
    if !start.is_empty() {
        stack.push((start, seen.whole()));
    }
    let (mut open, mut cells) = (Aabb::EMPTY, 0);
    while let Some((cell, part)) = stack.pop() {
        if query.is_over(cells) {
            open = stack.iter().map(|(cell, _)| *cell).fold(open.union(cell), Aabb::union);
            break;
        }
        let children = eighths(&cell);
        cells += children.len() as u64;
        let live = !seen.empty_cells(&part, &children);
        let part = seen.shortened(&part, live);
        for (_, child) in children.iter().enumerate().filter(|(k, _)| live >> k & 1 == 1) {
            let form = seen.affine(&part, child);
            let filling = if form.range.lo() > 0.0 { Filling::Outside } else { body(&form.possible(child)) };
            let found = match filling {
                Filling::Outside => continue,
                Filling::Inside => seen.surface_point(&part, child, &form, child.center()),
                Filling::Mixed => None,
            };
            if let Some(point) = found {
                return answer(FieldVerdict::Hit { point }, cells);
            }
            if child.size().max_element() > smallest && !is_shortest(child) {
                stack.push((*child, part.clone()));
            } else {
                open = open.union(*child);
            }
        }
    }
    let verdict = if open.is_empty() { FieldVerdict::Free } else { FieldVerdict::Unknown { within: open } };
    answer(verdict, cells)
}

/// Returns `true` if halving would reach the spacing of numbers.
fn is_shortest(cell: &Aabb) -> bool {
    let ends: DVec3 = cell.min.abs().max(cell.max.abs());
    cell.size().max_element() <= round::off(ends.max_element(), 16)
}
