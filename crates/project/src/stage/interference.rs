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
/// Limit on the steps of the test of a tolerance: about a second for two meshes of a building.
const WITHIN_STEPS: u64 = 4_000_000;
/// Limit on the steps of each test of a length that was not requested.
const FEW_STEPS: u64 = 1_000_000;
/// An overlap is thin if its deepest vertex is less than this share of the smallest extent of a body.
const THIN: f64 = 0.05;
/// Maximum number of lengths tested for a thin overlap.
const TESTS: usize = 5;
/// Length to test next, as a multiple of a depth that is proven to occur.
const ABOVE: f64 = 1.1;
/// Share of the size of both bodies below which lengths are lost in rounding.
const ROUNDING: f64 = 4e-9;

/// Returns a bracket on the interference of two colliding bodies of this penetration depth; `None` if one is not
/// a solid mesh. Beyond thin overlaps the upper end is that of the depth.
pub(crate) fn interference(
    staged: &Staged,
    pair: [BodyId; 2],
    depth: Bracket,
    budget: Budget<'_>,
) -> Option<Bracket> {
    let [a, b] = pair.map(|id| staged.world.body(id).ok());
    let (a, b) = a.zip(b)?;
    let is_solid = |mesh: &&Mesh| mesh.kind() == MeshKind::Solid;
    a.model().mesh().filter(is_solid).zip(b.model().mesh().filter(is_solid))?;
    let placed = [a, b].map(|body| body.model().at(body.pose()));
    let mut scratch = Scratch::default();
    let mut context = QueryContext::new(&mut scratch).with_budget(budget.steps(VERTEX_STEPS));
    let vertex = context.max_vertex_depth(&placed[0], &placed[1]);
    let mut found = Bracket { at_least: vertex.at_least, at_most: depth.at_most.max(vertex.at_least) };
    let sizes = [a, b].map(|body| body.bounds().size());
    // A cylinder has vertices at its ends only, which may lie beyond the hole or flush with its rim.
    let is_known = vertex.at_least > 0.0 && vertex.at_most <= 2.0 * vertex.at_least;
    let guess = if is_known { ABOVE * vertex.at_most } else { depth.at_least.max(vertex.at_least) };
    if guess > THIN * sizes[0].min_element().min(sizes[1].min_element()) {
        return Some(found);
    }
    let least = ROUNDING * (sizes[0].length() + sizes[1].length());
    let (mut within, mut is_proven) = (guess.max(least), false);
    for _ in 0..TESTS {
        if within >= found.at_most || within <= found.at_least {
            break;
        }
        let tested = penetration_in_steps(staged, pair, within, budget.steps(FEW_STEPS))?;
        found.at_least = found.at_least.max(tested.at_least);
        if tested.at_most.is_finite() {
            (found.at_most, is_proven) = (tested.at_most, true);
            within *= 0.5;
        } else if tested.at_least > 0.0 {
            within = ABOVE * tested.at_least;
        } else {
            within *= if is_proven { 0.5 } else { 2.0 };
        }
        if found.at_least >= 0.5 * found.at_most || within < least {
            break;
        }
    }
    Some(found)
}

/// Tests that no point of one body lies deeper in the other than a length, within a limited number of steps;
/// `None` if one is missing.
pub(crate) fn penetration_within(
    staged: &Staged,
    pair: [BodyId; 2],
    within: f64,
    budget: Budget<'_>,
) -> Option<Bracket> {
    penetration_in_steps(staged, pair, within, budget.steps(WITHIN_STEPS))
}

fn penetration_in_steps(
    staged: &Staged,
    pair: [BodyId; 2],
    within: f64,
    budget: Budget<'_>,
) -> Option<Bracket> {
    let [a, b] = pair.map(|id| staged.world.body(id).ok());
    let (a, b) = a.zip(b)?;
    let mut scratch = Scratch::default();
    let mut context = QueryContext::new(&mut scratch).with_budget(budget);
    Some(context.max_penetration_within(&a.model().at(a.pose()), &b.model().at(b.pose()), within))
}
