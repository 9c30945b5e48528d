//! A mesh (always A) and a convex body.
//!
//! A polyhedral core has faces, and the two meshes are compared exactly, with the radius as a margin. For a round core the mesh's
//! tree is searched best first, boxes and triangles alike by support functions.

use super::convex_convex::Length;
use super::general::{Limits, Means};
use crate::convex::{self, Bodies, Gap, Goal};
use crate::model::{ConvexModel, Form, MeshModel, Placed};
use crate::query::{
    Clearance, Location, Overlap, Witness, locate_from, mesh_clearance, mesh_closer_than, mesh_relation,
};
use glam::DVec3;
use noli_geom::{Aabb, Convex, PairFrame, Pose, Relation, RelativePose, UNIT_ROUNDOFF};

pub(super) fn closer_than(
    mesh: &Placed<'_>,
    (body, convex): (&Placed<'_>, &ConvexModel),
    margin: f64,
    means: &mut Means<'_, '_>,
) -> Overlap {
    let limit = Length::sum([convex.convex.radius(), margin, 0.0]);
    if convex.faces().is_some() {
        return mesh_closer_than(mesh, body, limit.high, means.meter, means.scratch);
    }
    if holds_middle(mesh, body, means) != Some(false) {
        return Overlap::Hit;
    }
    let search = Search { within: limit.high, enough: limit.low, tolerance: 0.0 };
    match nearest(mesh, body, convex, &search, means) {
        None => Overlap::Unknown,
        Some(found) if found.at_least > limit.high => Overlap::Free,
        Some(_) => Overlap::Hit,
    }
}

pub(super) fn clearance(
    mesh: &Placed<'_>,
    (body, convex): (&Placed<'_>, &ConvexModel),
    limits: &Limits,
    means: &mut Means<'_, '_>,
) -> Clearance {
    let radius = convex.convex.radius();
    let within = Length::sum([limits.max_distance, radius, 0.0]).high;
    if convex.faces().is_some() {
        let of_core = mesh_clearance(
            mesh,
            body,
            &Limits { max_distance: within, ..*limits },
            means.meter,
            means.scratch,
        );
        let hit = radius > 0.0
            && of_core.at_least <= radius
            && closer_than(mesh, (body, convex), 0.0, means) == Overlap::Hit;
        return of_core.less(radius, hit);
    }
    match holds_middle(mesh, body, means) {
        None => return Clearance::UNKNOWN,
        Some(true) => return Clearance { at_least: 0.0, at_most: 0.0, witness: None },
        Some(false) => {}
    }
    let search = Search { within, enough: radius, tolerance: limits.tolerance };
    let Some(found) = nearest(mesh, body, convex, &search, means) else { return Clearance::UNKNOWN };
    let witness = found.witness.map(|(triangle, [on_a, on_b])| {
        let [on_a, on_b] = [on_a, on_b].map(|p| mesh.world_from_self.transform_point(p));
        Witness { on_a, on_b, triangle_a: triangle, triangle_b: 0 }
    });
    let hit = found.at_least <= radius;
    Clearance { at_least: found.at_least, at_most: found.at_most, witness }.less(radius, hit)
}

pub(super) fn relation(
    mesh: &Placed<'_>,
    (body, convex): (&Placed<'_>, &ConvexModel),
    means: &mut Means<'_, '_>,
) -> Option<Relation> {
    if convex.faces().is_some() && convex.convex.radius() == 0.0 {
        return mesh_relation(mesh, body, means.meter, means.scratch);
    }
    match closer_than(mesh, (body, convex), 0.0, means) {
        Overlap::Free => return Some(Relation::Apart),
        Overlap::Unknown => return None,
        Overlap::Hit => {}
    }
    let limits = Limits { max_distance: f64::INFINITY, tolerance: 0.0, advance: None };
    let radius = convex.convex.radius();
    let surface = MeshSurface { mesh, body };
    let gap = surface.gap_of_core(convex, &limits, means)?;
    Some(if gap.at_least > radius {
        Relation::Inside
    } else if gap.at_most < radius || gap.at_most == 0.0 {
        Relation::Crossing
    } else {
        Relation::Touching
    })
}

/// The faces of a mesh, whatever they enclose.
struct MeshSurface<'p, 'a> {
    mesh: &'p Placed<'a>,
    body: &'p Placed<'a>,
}

impl MeshSurface<'_, '_> {
    /// How far the core is from the nearest face; 0 where it passes through one.
    fn gap_of_core(
        &self,
        convex: &ConvexModel,
        limits: &Limits,
        means: &mut Means<'_, '_>,
    ) -> Option<Clearance> {
        let search = Search { within: limits.max_distance, enough: 0.0, tolerance: 0.0 };
        let found = nearest(self.mesh, self.body, convex, &search, means)?;
        Some(Clearance { at_least: found.at_least, at_most: found.at_most, witness: None })
    }
}

/// Whether a solid mesh holds the body's origin, a point of every round core; nothing where the budget ran out.
fn holds_middle(mesh: &Placed<'_>, body: &Placed<'_>, means: &mut Means<'_, '_>) -> Option<bool> {
    if !mesh.model.faces().is_solid() {
        return Some(false);
    }
    let middle = match body.model.form() {
        Form::Convex(model) => model.convex.core().furthest(DVec3::X),
        _ => DVec3::ZERO,
    };
    let place = locate_from(middle, &body.world_from_self, mesh, means.meter, means.scratch)?;
    Some(place != Location::Outside)
}

/// What is looked for; lengths are between a face and the core.
struct Search {
    within: f64,
    enough: f64,
    tolerance: f64,
}

/// A bracket on the gap of a core and the faces.
struct Found {
    at_least: f64,
    at_most: f64,
    witness: Option<(u32, [DVec3; 2])>,
}

/// Best first over the mesh's tree; nothing where the budget ran out.
fn nearest(
    mesh: &Placed<'_>,
    body: &Placed<'_>,
    convex: &ConvexModel,
    search: &Search,
    means: &mut Means<'_, '_>,
) -> Option<Found> {
    let model = mesh.model.faces();
    let core = Core { model, mesh, body, convex: &convex.convex };
    let (tree, boxes) = (model.tree(), model.boxes());
    let mut list: Vec<(f64, u32)> = vec![(0.0, 0)];
    let mut found = Found { at_least: f64::INFINITY, at_most: f64::INFINITY, witness: None };
    let mut passed_over = f64::INFINITY;
    while let Some((bound, node)) = list.pop() {
        let cutoff = (found.at_most - search.tolerance).min(search.within);
        if bound > cutoff {
            passed_over = passed_over.min(bound);
            continue;
        }
        if found.at_most <= search.enough {
            break;
        }
        if !means.meter.step() {
            return None;
        }
        let node = &tree.nodes[node as usize];
        if node.children.is_empty() {
            for &face in &tree.faces[node.faces.start as usize..node.faces.end as usize] {
                found.take(face, &core.gap_of_face(face, found.at_most));
            }
            continue;
        }
        let first = list.len();
        list.extend(
            node.children.clone().map(|child| (core.bound_of_box(&boxes[child as usize], cutoff), child)),
        );
        list[first..].sort_by(|x, y| y.0.total_cmp(&x.0));
    }
    found.at_least = found.at_least.min(passed_over).min(found.at_most);
    Some(found)
}

impl Found {
    fn take(&mut self, face: u32, gap: &Gap) {
        self.at_least = self.at_least.min(gap.at_least);
        let at_most = if gap.overlaps { 0.0 } else { gap.at_most };
        if at_most < self.at_most {
            self.at_most = at_most;
            self.witness = Some((face, gap.witness));
        }
    }
}

/// The core of a convex body, to be held against parts of a mesh in the mesh's frame.
struct Core<'p, 'a> {
    model: &'p MeshModel,
    mesh: &'p Placed<'a>,
    body: &'p Placed<'a>,
    convex: &'p Convex,
}

impl Core<'_, '_> {
    fn gap_of_face(&self, face: u32, cutoff: f64) -> Gap {
        let frame =
            PairFrame::new(&RelativePose::new(&self.mesh.world_from_self, &self.body.world_from_self));
        // Its corners were checked when the mesh was made.
        let triangle = Convex::triangle(self.model.mesh.triangle(face))
            .unwrap_or_else(|_| unreachable!("a checked mesh"));
        let bodies = Bodies::new(&triangle, self.convex, &frame);
        let goal = Goal { apart: cutoff, near: 0.0, tolerance: 0.0 };
        convex::gap(&bodies, &goal, &mut Default::default())
    }

    /// A lower bound on the gap to anything in a box.
    fn bound_of_box(&self, b: &Aabb, cutoff: f64) -> f64 {
        let (center, half) = (b.center(), b.size() * 0.5);
        let size = center.length() + half.length() + self.mesh.world_from_self.translation.length();
        let room = 64.0 * UNIT_ROUNDOFF * size + f64::MIN_POSITIVE;
        let Ok(cell) = Convex::cuboid(half * 2.0 + DVec3::splat(2.0 * room)) else { return 0.0 };
        let place =
            Pose::new(self.mesh.world_from_self.rotation, self.mesh.world_from_self.transform_point(center));
        let frame = PairFrame::new(&RelativePose::new(&place, &self.body.world_from_self));
        let bodies = Bodies::new(&cell, self.convex, &frame);
        convex::gap(
            &bodies,
            &Goal { apart: cutoff, near: 0.0, tolerance: 1e-3 * half.length() },
            &mut Default::default(),
        )
        .at_least
    }
}
