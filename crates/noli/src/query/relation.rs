//! How do two bodies stand to each other?

use super::point::{Location, contained, locate_from};
use super::{Start, start, with_scratch};
use crate::budget::{Budget, Meter};
use crate::convex::Hint;
use crate::model::Placed;
use crate::pair::general::{self, Means};
use crate::pair::mesh_mesh::{self, Meetings, Pair};
use crate::scratch::Scratch;
use crate::trace::{NoTrace, Trace};
use crate::tree::walk::Ended;
use noli_geom::Relation;
use std::ops::ControlFlow;

/// How to ask for a [`Relation`].
#[derive(Clone, Copy, Debug, Default)]
pub struct RelationQuery<'a> {
    /// When to give up.
    pub budget: Budget<'a>,
}

/// How the bodies stand to each other. Nothing only where a pose is not a pose, or nothing is proven about a field.
///
/// `Crossing` where two faces pass through each other; `Touching` where faces share points but none
/// passes through another: walls that share a plane are not a clash. For solids, `Inside` where surfaces do
/// not pass through each other and a part of one body lies within the other. Only what is proven is said:
/// solids whose interiors meet although no face passes through another and no corner near the contact lies
/// inside count as touching.
pub fn relation(a: &Placed<'_>, b: &Placed<'_>) -> Option<Relation> {
    with_scratch(|scratch| relation_in(a, b, &RelationQuery::default(), scratch))
}

/// [`relation`] with a budget and lent memory; nothing where the budget ran out.
pub fn relation_in(
    a: &Placed<'_>,
    b: &Placed<'_>,
    query: &RelationQuery<'_>,
    scratch: &mut Scratch,
) -> Option<Relation> {
    relation_traced(a, b, query, scratch, &mut NoTrace)
}

/// [`relation_in`] that tells what it looked at.
pub fn relation_traced(
    a: &Placed<'_>,
    b: &Placed<'_>,
    query: &RelationQuery<'_>,
    scratch: &mut Scratch,
    trace: &mut impl Trace,
) -> Option<Relation> {
    let mut meter = query.budget.meter();
    if !(a.model.is_mesh() && b.model.is_mesh()) {
        return general::relation(
            a,
            b,
            &mut Means { meter: &mut meter, scratch, hint: &mut Hint::default() },
        );
    }
    relation_metered(a, b, &mut meter, scratch, trace)
}

/// The question about the faces of two models.
pub(crate) fn mesh_relation(
    a: &Placed<'_>,
    b: &Placed<'_>,
    meter: &mut Meter<'_>,
    scratch: &mut Scratch,
) -> Option<Relation> {
    relation_metered(a, b, meter, scratch, &mut NoTrace)
}

fn relation_metered(
    a: &Placed<'_>,
    b: &Placed<'_>,
    meter: &mut Meter<'_>,
    scratch: &mut Scratch,
    trace: &mut impl Trace,
) -> Option<Relation> {
    let pair = match start(a, b) {
        Start::Empty => return Some(Relation::Apart),
        Start::BadPose => return None,
        Start::Ready(pair) => pair,
    };
    let mut worst = Worst { relation: Relation::Apart, touching: scratch.take_pairs() };
    let ended = mesh_mesh::meetings(&pair, &mut worst, meter, scratch, trace);
    let relation = match (ended, worst.relation) {
        (Ended::OutOfBudget, _) => None,
        (_, Relation::Apart) => contained(a, b, meter, scratch)
            .map(|inside| if inside { Relation::Inside } else { Relation::Apart }),
        (_, Relation::Touching) => touching_solids(&pair, a, b, &worst.touching, meter, scratch),
        (_, relation) => Some(relation),
    };
    scratch.put_pairs(worst.touching);
    relation
}

/// How many touching pairs are looked at to see whether solids reach into each other.
const LOOKED_AT: usize = 128;

/// Remembers touching, stops at crossing.
struct Worst {
    relation: Relation,
    touching: Vec<(u32, u32)>,
}

impl Meetings for Worst {
    const EVERY_COPY: bool = false;

    #[inline(always)]
    fn meet(&mut self, a: u32, b: u32, relation: Relation) -> ControlFlow<()> {
        self.relation = self.relation.max(relation);
        if self.touching.len() < LOOKED_AT {
            self.touching.push((a, b));
        }
        if relation == Relation::Crossing { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// The relation of bodies of which faces touch and none passes through another: for solids, the corners
/// near the contact tell whether one reaches into the other, and coincident faces whether both lie on the
/// same side of them. Nothing where the budget ran out.
fn touching_solids(
    pair: &Pair<'_>,
    a: &Placed<'_>,
    b: &Placed<'_>,
    touching: &[(u32, u32)],
    meter: &mut Meter<'_>,
    scratch: &mut Scratch,
) -> Option<Relation> {
    let (form_a, form_b) = (a.model.faces(), b.model.faces());
    if !form_a.is_solid() && !form_b.is_solid() {
        return Some(Relation::Touching);
    }
    let (faces_a, faces_b): (Vec<u32>, Vec<u32>) =
        touching.iter().map(|&(x, y)| pair.in_given_order(x, y)).unzip();
    let of_a = Corners::of(&faces_a, a, b, meter, scratch)?;
    let of_b = Corners::of(&faces_b, b, a, meter, scratch)?;
    let same_side = form_a.is_solid() && form_b.is_solid() && {
        let turning = (form_a.mesh.signed_volume() * form_b.mesh.signed_volume()).signum();
        coincide(pair, touching, turning, meter)?
    };
    Some(match (of_a.inside || of_b.inside || same_side, of_a.outside && of_b.outside) {
        (false, _) => Relation::Touching,
        (true, true) => Relation::Crossing,
        (true, false) => Relation::Inside,
    })
}

/// Whether any touching faces share a region and wind like this in it; nothing where the budget ran out.
fn coincide(pair: &Pair<'_>, touching: &[(u32, u32)], turning: f64, meter: &mut Meter<'_>) -> Option<bool> {
    for &(x, y) in touching {
        if !meter.allows_costly() {
            return None;
        }
        if pair.coincidence(x, y) == Some(turning) {
            return Some(true);
        }
    }
    Some(false)
}

/// Where the corners of one body's touching faces lie, as seen from the other.
#[derive(Default)]
struct Corners {
    inside: bool,
    outside: bool,
}

impl Corners {
    fn of(
        faces: &[u32],
        body: &Placed<'_>,
        other: &Placed<'_>,
        meter: &mut Meter<'_>,
        scratch: &mut Scratch,
    ) -> Option<Self> {
        let mesh = body.model.mesh();
        let mut vertices: Vec<u32> = faces.iter().flat_map(|&face| mesh.triangles()[face as usize]).collect();
        vertices.sort_unstable();
        vertices.dedup();
        let solid = other.model.faces().is_solid();
        let mut seen = Self::default();
        for vertex in vertices {
            let corner = mesh.vertices()[vertex as usize];
            match locate_from(corner, &body.world_from_self, other, meter, scratch)? {
                Location::OnSurface => {}
                Location::Inside if solid => seen.inside = true,
                Location::Inside | Location::Outside => seen.outside = true,
            }
            if seen.inside && seen.outside {
                break;
            }
        }
        Some(seen)
    }
}
