//! A plane with one body on each side.

use super::Pair;
use crate::model::MeshAt;
use noli_geom::{PairFrame, Pose, RelativePose, Triangle, TrianglePair};

/// Whether two meshes of one frame, as those of a building are, lie on two sides of a plane across an axis, or in it: their
/// boxes tell. Then no face passes through another, and solids share no volume.
pub(super) fn by_their_boxes(pair: &Pair<'_>, a: &MeshAt<'_>, b: &MeshAt<'_>) -> bool {
    let (x, y) = (&a.model.bounds, &b.model.bounds);
    pair.frame.pose().is_identity() && (x.max.cmple(y.min) | y.max.cmple(x.min)).any()
}

/// How many of the touching faces lend their plane.
const PLANES: usize = 4;
/// Meshes with more corners are hardly ever parted by a face, and looking at all of them would outlast a deadline.
const MOST_CORNERS: usize = 4096;

/// Whether the plane of a touching face has all of one mesh on one side and all of the other on the other. A solid lies
/// within the hull of its corners, so they then share no volume, whatever the contact looks like. Cheap, and true of most
/// contacts of walls, plates and boxes.
pub(super) fn by_a_face(pair: &Pair<'_>, touching: &[(u32, u32)]) -> bool {
    if [&pair.a, &pair.b].iter().any(|side| side.corners().size_hint().0 > MOST_CORNERS / 3) {
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
        one_side(sides[owner].corners(), |three| TrianglePair::new(&plane, three, own_frame).sides_of_b())
    else {
        return false;
    };
    let other = one_side(sides[1 - owner].corners(), |three| {
        if owner == 0 {
            TrianglePair::new(&plane, three, &pair.frame).sides_of_b()
        } else {
            TrianglePair::new(three, &plane, &pair.frame).sides_of_a()
        }
    });
    // All in the plane: a face without area, or a body without volume.
    own != 0 && other.is_some_and(|other| other == -own)
}

/// The side on which all corners are, or in the plane: 0 where all are in it; `None` if there are some on both.
fn one_side(corners: impl Iterator<Item = Triangle>, sides: impl Fn(&Triangle) -> [i8; 3]) -> Option<i8> {
    let mut found = 0;
    for three in corners {
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
