//! How do two meshes stand to each other?

use super::inside::{contained, locate};
use super::meetings::{Copies, meetings};
use super::{Pair, Start, start};
use crate::answer::{Location, Relation};
use crate::budget::Meter;
use crate::context::Ask;
use crate::model::MeshAt;
use crate::tree::walk::Ended;
use noli_geom::Relation as FaceRelation;
use std::ops::ControlFlow;

pub(crate) fn relation(a: &MeshAt<'_>, b: &MeshAt<'_>, ask: &mut Ask<'_>) -> Relation {
    let pair = match start(a, b) {
        Start::Empty => return Relation::Apart,
        Start::BadPose => return Relation::Unknown,
        Start::Ready(pair) => pair,
    };
    let (mut worst, mut touching) = (FaceRelation::Apart, ask.scratch.take_pairs());
    let ended = meetings(&pair, Copies::One, ask, &mut |x, y, relation| {
        worst = worst.max(relation);
        if touching.len() < LOOKED_AT {
            touching.push((x, y));
        }
        if relation == FaceRelation::Crossing { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    let relation = match (ended, worst) {
        (Ended::OutOfBudget, _) => Relation::Unknown,
        (_, FaceRelation::Apart) => match contained(a, b, ask) {
            Some(true) => Relation::Inside,
            Some(false) => Relation::Apart,
            None => Relation::Unknown,
        },
        (_, FaceRelation::Touching) => {
            touching_solids(&pair, a, b, &touching, ask).unwrap_or(Relation::Unknown)
        }
        (_, relation) => relation.into(),
    };
    ask.scratch.put_pairs(touching);
    relation
}

/// How many touching pairs are looked at to see whether solids reach into each other.
const LOOKED_AT: usize = 128;

/// The relation of bodies of which faces touch and none passes through another: for solids, the corners
/// near the contact tell whether one reaches into the other, and coincident faces whether both lie on the
/// same side of them. `None` if the budget ran out.
fn touching_solids(
    pair: &Pair<'_>,
    a: &MeshAt<'_>,
    b: &MeshAt<'_>,
    touching: &[(u32, u32)],
    ask: &mut Ask<'_>,
) -> Option<Relation> {
    let (form_a, form_b) = (a.model, b.model);
    if !form_a.is_solid() && !form_b.is_solid() {
        return Some(Relation::Touching);
    }
    let (faces_a, faces_b): (Vec<u32>, Vec<u32>) =
        touching.iter().map(|&(x, y)| pair.in_given_order(x, y)).unzip();
    let of_a = Corners::of(&faces_a, a, b, ask)?;
    let of_b = Corners::of(&faces_b, b, a, ask)?;
    let same_side = form_a.is_solid() && form_b.is_solid() && {
        let turning = (form_a.mesh.signed_volume() * form_b.mesh.signed_volume()).signum();
        coincide(pair, touching, turning, &mut ask.meter)?
    };
    Some(match (of_a.inside || of_b.inside || same_side, of_a.outside && of_b.outside) {
        (false, _) => Relation::Touching,
        (true, true) => Relation::Crossing,
        (true, false) => Relation::Inside,
    })
}

/// Whether any touching faces share a region and wind like this in it; `None` if the budget ran out.
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
    fn of(faces: &[u32], body: &MeshAt<'_>, other: &MeshAt<'_>, ask: &mut Ask<'_>) -> Option<Self> {
        let mesh = &body.model.mesh;
        let mut vertices: Vec<u32> = faces.iter().flat_map(|&face| mesh.triangles()[face as usize]).collect();
        vertices.sort_unstable();
        vertices.dedup();
        let solid = other.model.is_solid();
        let mut seen = Self::default();
        for vertex in vertices {
            let corner = mesh.vertices()[vertex as usize];
            match locate(corner, &body.world_from_self, other, ask) {
                Location::Unknown => return None,
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
