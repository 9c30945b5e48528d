//! The deepest vertex of one body inside the other.

use super::depth_at_point::Rooms;
use crate::answer::Bracket;
use crate::context::QueryContext;
use crate::model::{Placed, Scale};
use glam::DVec3;

pub(super) fn max_vertex_depth(a: &Placed<'_>, b: &Placed<'_>, context: &mut QueryContext<'_>) -> Bracket {
    match Scale::of(a, b) {
        Scale::Ordinary => measured(a, b, context),
        Scale::Tiny(enlarged) => {
            let [a, b] = enlarged.bodies();
            enlarged.length(measured(&a, &b, context))
        }
        Scale::Unsuited => Bracket::OPEN,
    }
}

fn measured(a: &Placed<'_>, b: &Placed<'_>, context: &mut QueryContext<'_>) -> Bracket {
    let mut deepest = Bracket::ZERO;
    for (holder, guest) in [(a, b), (b, a)] {
        let Some(faces) = guest.all_faces() else { continue };
        let rooms = Rooms::new(holder, guest);
        if !rooms.a.is_known() {
            continue;
        }
        let mesh = &faces.model.mesh;
        // Vertices that no face has are none of the body.
        let mut used = vec![false; mesh.vertices().len()];
        mesh.triangles().iter().flatten().for_each(|&vertex| used[vertex as usize] = true);
        let around = rooms.common(DVec3::ZERO);
        let inside = |p: DVec3| p.cmpge(around.min).all() && p.cmple(around.max).all();
        let places = mesh.vertices().iter().zip(used).filter(|(_, used)| *used);
        for place in places.map(|(vertex, _)| rooms.in_a(*vertex)).filter(|place| inside(*place)) {
            match rooms.depth_in_a(place, context) {
                None => return Bracket { at_most: f64::INFINITY, ..deepest },
                Some(found) => {
                    deepest.at_least = deepest.at_least.max(found.at_least);
                    deepest.at_most = deepest.at_most.max(found.at_most);
                }
            }
        }
    }
    deepest
}
