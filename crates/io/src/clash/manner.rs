//! How solids that share volume go into each other, in the words of clash tools.

use crate::Staged;
use noli::answer::Location;
use noli::world::BodyId;
use noli::{Mesh, Pose, locate};
use noli_geom::MeshKind;
use serde::{Deserialize, Serialize};

/// Corners of each body that are looked at; beyond that nothing is said.
const MOST_CORNERS: usize = 500;

/// How two solids go into each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Manner {
    /// A corner of one lies inside the other.
    Protruding,
    /// One goes through the other: no corner lies inside.
    Piercing,
}

/// The manner of two solids that cross; `None` if one is no solid or has too many corners near the other. Exact where
/// both stand as their files have them; else corners are rounded to the world once.
pub(crate) fn manner(staged: &Staged, pair: [BodyId; 2]) -> Option<Manner> {
    let bodies = pair.map(|id| staged.world.body(id).ok());
    let [Some(a), Some(b)] = bodies else { return None };
    let solid = |mesh: &&Mesh| mesh.kind() == MeshKind::Solid;
    let meshes = [a.model().mesh().filter(solid)?, b.model().mesh().filter(solid)?];
    // At one pose, corners are compared where they are given.
    let is_plain = a.pose() == b.pose();
    let pose = |body: &noli::world::Body| if is_plain { Pose::IDENTITY } else { body.pose() };
    for [own, other] in [[0, 1], [1, 0]] {
        let bodies = [a, b];
        let placed = bodies[other].model().at(pose(bodies[other]));
        let near = if is_plain { meshes[other].aabb() } else { bodies[other].bounds() };
        let mut asked = 0;
        for vertex in meshes[own].vertices() {
            let corner = if is_plain { *vertex } else { bodies[own].pose().transform_point(*vertex) };
            if !(corner.cmpge(near.min).all() && corner.cmple(near.max).all()) {
                continue;
            }
            asked += 1;
            match locate(&placed, corner) {
                Location::Inside => return Some(Manner::Protruding),
                Location::Unknown => return None,
                _ if asked == MOST_CORNERS => return None,
                Location::Outside | Location::OnSurface => {}
            }
        }
    }
    Some(Manner::Piercing)
}
