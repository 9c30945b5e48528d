//! Interference of two solids: the depth of the deepest point of one in the other.
//!
//! For a shaft that is too thick for its hole this is the radial oversize, while the penetration depth is the
//! length of the hole. The deepest vertex is a lower bound. For thin overlaps, such as fits, an upper bound
//! slightly above it is proven.

use super::scene::Staged;
use noli::answer::Bracket;
use noli::world::BodyId;
use noli::{Budget, Mesh, QueryContext, Scratch};
use noli_geom::MeshKind;

/// Limit on the steps for the deepest vertex of a pair.
const VERTEX_STEPS: u64 = 400_000;
/// Limit on the steps of each test of a length: about a second for two meshes of a building.
const WITHIN_STEPS: u64 = 4_000_000;
/// An overlap is thin if its deepest vertex is less than this share of the smallest extent of a body.
const THIN: f64 = 0.05;
/// Lengths tested for thin overlaps, as multiples of the depth of the deepest vertex.
const FACTORS: [f64; 2] = [1.1, 1.5];
/// Share of the size of both bodies below which lengths are lost in rounding.
const ROUNDING: f64 = 4e-9;

/// Returns a bracket on the interference of two colliding bodies; `None` if one is not a solid mesh. The upper
/// end is proven for thin overlaps only; `depth_at_most` is the upper end otherwise.
pub(crate) fn interference(staged: &Staged, pair: [BodyId; 2], depth_at_most: f64) -> Option<Bracket> {
    let [a, b] = pair.map(|id| staged.world.body(id).ok());
    let (a, b) = a.zip(b)?;
    let is_solid = |mesh: &&Mesh| mesh.kind() == MeshKind::Solid;
    a.model().mesh().filter(is_solid).zip(b.model().mesh().filter(is_solid))?;
    let placed = [a, b].map(|body| body.model().at(body.pose()));
    let mut scratch = Scratch::default();
    let mut context = QueryContext::new(&mut scratch).with_budget(Budget::UNLIMITED.steps(VERTEX_STEPS));
    let vertex = context.max_vertex_depth(&placed[0], &placed[1]);
    let mut found = Bracket { at_least: vertex.at_least, at_most: depth_at_most.max(vertex.at_least) };
    let sizes = [a, b].map(|body| body.bounds().size());
    let smallest = sizes[0].min_element().min(sizes[1].min_element());
    if vertex.at_most > THIN * smallest {
        return Some(found);
    }
    let least = ROUNDING * (sizes[0].length() + sizes[1].length());
    for factor in FACTORS {
        let within = (factor * vertex.at_most).max(least);
        // A removal path that short says as much.
        if within >= found.at_most {
            break;
        }
        let tested = penetration_within(staged, pair, within)?;
        found.at_least = found.at_least.max(tested.at_least);
        if tested.at_most.is_finite() {
            found.at_most = tested.at_most;
            break;
        }
    }
    Some(found)
}

/// Tests that no point of one body lies deeper in the other than a length, within a limited number of steps;
/// `None` if one is missing.
pub(crate) fn penetration_within(staged: &Staged, pair: [BodyId; 2], within: f64) -> Option<Bracket> {
    let [a, b] = pair.map(|id| staged.world.body(id).ok());
    let (a, b) = a.zip(b)?;
    let mut scratch = Scratch::default();
    let mut context = QueryContext::new(&mut scratch).with_budget(Budget::UNLIMITED.steps(WITHIN_STEPS));
    Some(context.max_penetration_within(&a.model().at(a.pose()), &b.model().at(b.pose()), within))
}
