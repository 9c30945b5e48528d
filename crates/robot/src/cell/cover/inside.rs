//! Spheres inside a solid.

use super::cut::Cell;
use crate::cell::LANES;
use glam::DVec3;
use noli::answer::Location;
use noli::model::MeshKind;
use noli::{Convex, Model, Pose, clearance};
use noli_geom::internals::sort_by;
use noli_geom::{Aabb, Core, Sphere};
use std::cmp::Reverse;

/// Spheres inside a capsule, a drum or a box, side by side along its longest axis; none for other bodies.
fn along_axis(convex: &Convex) -> Vec<Sphere> {
    let (half, axis, inside) = match *convex.core() {
        Core::Segment { half_length } => (half_length, DVec3::Z, 0.0),
        Core::Cylinder { half_height, radius } => {
            let inside = radius.min(half_height);
            (half_height - inside, DVec3::Z, inside)
        }
        Core::Box { half_extents } => {
            let inside = half_extents.min_element();
            let axes = [DVec3::X, DVec3::Y, DVec3::Z];
            let longest = (0..3).max_by(|&i, &j| half_extents[i].total_cmp(&half_extents[j])).unwrap_or(0);
            (half_extents[longest] - inside, axes[longest], inside)
        }
        _ => return Vec::new(),
    };
    let count = if half > 0.0 { LANES } else { 1 };
    let place = |k: usize| half * (2.0 * k as f64 / (LANES - 1) as f64 - 1.0);
    let radius = inside + convex.radius();
    // The middle ones first: the first is tried before all others.
    let mut places: Vec<f64> = (0..count).map(|k| if count == 1 { 0.0 } else { place(k) }).collect();
    sort_by(&mut places, |a, b| a.abs().total_cmp(&b.abs()));
    places.into_iter().map(|place| Sphere { center: axis * place, radius }).collect()
}

/// Points tried as centres of spheres inside a solid.
const TRIED: f64 = 700.0;

/// The spheres whose centres are in a cell, the largest first.
pub(super) fn in_cell(spheres: &[Sphere], cell: &Cell) -> Vec<Sphere> {
    let mut own: Vec<Sphere> =
        spheres.iter().copied().filter(|sphere| cell.room.bounds.contains(sphere.center)).collect();
    sort_by(&mut own, |a, b| b.radius.total_cmp(&a.radius));
    own
}

/// Spheres inside a solid, about points of a grid, as large as the nearest face allows; for plain bodies the
/// best sixteen.
pub(super) fn spheres_inside(model: &Model, cells: &[Cell]) -> Vec<Sphere> {
    if let Some(convex) = model.convex() {
        return along_axis(convex);
    }
    let Some(mesh) = model.mesh().filter(|mesh| mesh.kind() == MeshKind::Solid && mesh.is_closed()) else {
        return Vec::new();
    };
    let mut found: Vec<Sphere> = model.inner_spheres().to_vec();
    // From inside, the way to the nearest face is the clearance to the faces alone.
    let Aabb { min, max } = mesh.aabb();
    let sizes = max - min;
    let faces = model.to_surface();
    let Ok(Ok(dot)) = Convex::sphere(1e-9 * sizes.max_element()).map(Model::new) else { return found };
    let mut centers: Vec<DVec3> =
        cells.iter().flat_map(|cell| [cell.sphere.center, cell.room.around.center()]).collect();
    let step = (sizes.x * sizes.y * sizes.z / TRIED).cbrt();
    let counts = (sizes / step).to_array().map(|count| (count as u32).clamp(1, 32));
    for x in 0..counts[0] {
        for y in 0..counts[1] {
            for z in 0..counts[2] {
                let share = [x, y, z].map(|k| f64::from(k) + 0.5);
                centers
                    .push(min + sizes * DVec3::from_array(share) / DVec3::from_array(counts.map(f64::from)));
            }
        }
    }
    // Most points lie in the sphere about a point before, which is less than its location costs.
    let certain = |sphere: &Sphere| sphere.radius * sphere.radius * (1.0 - 1e-9);
    for center in centers {
        let is_held = found.iter().any(|sphere| sphere.center.distance_squared(center) < certain(sphere));
        if is_held || model.locate_point(center) == Location::Inside {
            let here = dot.at(Pose::from_translation(center));
            let radius = clearance(&faces.at(Pose::IDENTITY), &here).distance.at_least;
            found.push(Sphere { center, radius });
        }
    }
    found
}

/// Sixteen of the spheres inside a solid that fill it well, the largest first: always the one that holds most
/// centres that no other does.
pub(super) fn filling(mut found: Vec<Sphere>) -> Vec<Sphere> {
    sort_by(&mut found, |a, b| b.radius.total_cmp(&a.radius));
    let holds = |sphere: &Sphere, point: &Sphere| {
        sphere.center.distance_squared(point.center) < sphere.radius * sphere.radius
    };
    // The centres that each holds and no kept sphere does.
    let own = |sphere: &Sphere| (0..found.len()).filter(|&k| holds(sphere, &found[k])).collect();
    let mut held: Vec<Vec<usize>> = found.iter().map(own).collect();
    let mut kept: Vec<usize> = Vec::new();
    while kept.len() < LANES.min(found.len()) {
        // The largest of all comes first: it is tried before all others.
        let worth = |number: usize| if kept.is_empty() { 0 } else { held[number].len() };
        let left = (0..found.len()).filter(|number| !kept.contains(number));
        let Some(best) = left.min_by_key(|&number| Reverse(worth(number))) else { break };
        let gone = std::mem::take(&mut held[best]);
        held.iter_mut().for_each(|own| own.retain(|point| gone.binary_search(point).is_err()));
        kept.push(best);
    }
    let mut kept: Vec<Sphere> = kept.into_iter().map(|number| found[number]).collect();
    sort_by(&mut kept, |a, b| b.radius.total_cmp(&a.radius));
    kept
}
