//! A plane with one body on each side.

use super::Pair;
use crate::model::MeshAt;
use noli_geom::{PairFrame, Pose, RelativePose, Triangle, TrianglePair};

/// Returns `true` if two meshes of one frame, as in a building model, lie on two sides of an axis-aligned
/// plane, or in it. Their boxes decide. Then no face passes through another, and solids share no volume.
pub(super) fn by_their_boxes(pair: &Pair<'_>, a: &MeshAt<'_>, b: &MeshAt<'_>) -> bool {
    let (x, y) = (&a.model.bounds, &b.model.bounds);
    pair.frame.pose().is_identity() && (x.max.cmple(y.min) | y.max.cmple(x.min)).any()
}

/// Number of touching faces whose planes are tried.
const PLANES: usize = 4;
/// Meshes with more vertices are hardly ever separated by a face plane, and testing all vertices would exceed a
/// deadline.
const MOST_CORNERS: usize = 4096;

/// Returns `true` if the plane of a touching face separates the two meshes. A solid lies within the hull of its
/// vertices, so the solids then share no volume, for any shape of the contact. Cheap, and true of most contacts
/// of walls, plates and boxes.
pub(super) fn by_a_face(pair: &Pair<'_>, touching: &[(u32, u32)]) -> bool {
    if [&pair.a, &pair.b].iter().any(|side| side.vertices().size_hint().0 > MOST_CORNERS / 3) {
        return false;
    }
    let own_frame = PairFrame::new(&RelativePose::new(&Pose::IDENTITY, &Pose::IDENTITY));
    let some = touching.iter().step_by(touching.len().div_ceil(PLANES).max(1));
    some.into_iter().any(|&(x, y)| [(0, x), (1, y)].into_iter().any(|plane| parts(pair, &own_frame, plane)))
}

fn parts(pair: &Pair<'_>, own_frame: &PairFrame, (owner, face): (usize, u32)) -> bool {
    let sides = [&pair.a, &pair.b];
    let plane = sides[owner].triangle(face);
    // The owner of a plane is on one side of it more seldom than it is not: it is asked first.
    let Some(own) =
        one_side(sides[owner].vertices(), |three| TrianglePair::new(&plane, three, own_frame).sides_of_b())
    else {
        return false;
    };
    let other = one_side(sides[1 - owner].vertices(), |three| {
        if owner == 0 {
            TrianglePair::new(&plane, three, &pair.frame).sides_of_b()
        } else {
            TrianglePair::new(three, &plane, &pair.frame).sides_of_a()
        }
    });
    // All in the plane: a face without area, or a body without volume.
    own != 0 && other.is_some_and(|other| other == -own)
}

/// The side on which all vertices are, or in the plane: 0 where all are in it; `None` if there are some on both.
fn one_side(vertices: impl Iterator<Item = Triangle>, sides: impl Fn(&Triangle) -> [i8; 3]) -> Option<i8> {
    let mut found = 0;
    for three in vertices {
        for side in sides(&three) {
            if side * found < 0 {
                return None;
            }
            if side != 0 {
                found = side;
            }
        }
    }
    Some(found)
}
