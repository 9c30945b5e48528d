//! Kinds of penetration between solids that share volume, in the terms of clash tools.

use super::scene::Staged;
use noli::answer::Location;
use noli::world::BodyId;
use noli::{Mesh, Pose, locate_point};
use noli_geom::MeshKind;
use serde::{Deserialize, Serialize};

/// Maximum number of tested vertices of each body; beyond that no result is given.
const MOST_CORNERS: usize = 500;

/// Kind of penetration of two solids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Manner {
    /// A vertex of one lies inside the other.
    Protruding,
    /// One goes through the other: no vertex lies inside.
    Piercing,
}

/// Returns the manner of two intersecting solids; `None` if one is not a solid or has too many vertices near
/// the other. Exact if both have the same pose; otherwise vertices are rounded to world coordinates once.
pub(crate) fn manner(staged: &Staged, pair: [BodyId; 2]) -> Option<Manner> {
    let bodies = pair.map(|id| staged.world.body(id).ok());
    let [Some(a), Some(b)] = bodies else { return None };
    let solid = |mesh: &&Mesh| mesh.kind() == MeshKind::Solid;
    let meshes = [a.model().mesh().filter(solid)?, b.model().mesh().filter(solid)?];
    // At one pose, vertices are compared where they are given.
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
            match locate_point(&placed, corner) {
                Location::Inside => return Some(Manner::Protruding),
                Location::Unknown => return None,
                _ if asked == MOST_CORNERS => return None,
                Location::Outside | Location::OnSurface => {}
            }
        }
    }
    Some(Manner::Piercing)
}
