//! A mesh (always A) and a convex body.
//!
//! A polyhedral core has faces, and the two meshes are compared exactly, with the radius as a margin. For a round core
//! the mesh's tree is searched depth first, nearer children first, boxes and triangles alike by support functions.

use super::convex_convex::{Length, is_held};
use super::{Limits, mesh_mesh};
use crate::answer::{
    Bracket, Clearance, Containment, Feature, Location, Overlap, Relation, SurfacePoint, Witness,
};
use crate::context::QueryContext;
use crate::convex::{self, Bodies, CoreDistance, Goal};
use crate::model::{ConvexModel, MeshAt, Placed};
use glam::DVec3;
use noli_geom::{Aabb, Convex, PairFrame, Pose, RelativePose, UNIT_ROUNDOFF};

type Side<'p, 'a> = (&'p Placed<'a>, &'p ConvexModel);

/// Returns the faces of the core at the body's pose; `None` if it is round.
fn core_faces<'p>((body, convex): Side<'p, '_>) -> Option<MeshAt<'p>> {
    convex.faces().map(|model| MeshAt { model, world_from_self: body.world_from_self })
}

pub(super) fn within_distance(
    mesh: &MeshAt<'_>,
    body: Side<'_, '_>,
    margin: f64,
    context: &mut QueryContext<'_>,
) -> Overlap {
    let limit = Length::sum([body.1.convex.radius(), margin, 0.0]);
    if let Some(faces) = core_faces(body) {
        return mesh_mesh::within_distance(mesh, &faces, limit.high, context);
    }
    match holds_middle(mesh, body, context) {
        None => return Overlap::Unknown,
        Some(true) => return Overlap::Hit,
        Some(false) => {}
    }
    let search = Search { within: limit.high, enough: limit.low, tolerance: 0.0 };
    let found = nearest(mesh, body, &search, context);
    if found.clearance.at_least > limit.high {
        Overlap::Free
    } else if found.complete || found.clearance.at_most <= limit.low {
        Overlap::Hit
    } else {
        Overlap::Unknown
    }
}

pub(super) fn clearance(
    mesh: &MeshAt<'_>,
    body: Side<'_, '_>,
    limits: &Limits,
    context: &mut QueryContext<'_>,
) -> Clearance {
    let radius = body.1.convex.radius();
    let within = Length::sum([limits.max_distance, radius, 0.0]).high;
    if let Some(faces) = core_faces(body) {
        let of_core =
            mesh_mesh::clearance(mesh, &faces, &Limits { max_distance: within, ..*limits }, context);
        let hit = radius > 0.0
            && of_core.distance.at_least <= radius
            && within_distance(mesh, body, 0.0, context) == Overlap::Hit;
        let witness = of_core.witness.map(|w| Witness { on_b: SurfacePoint::at(w.on_b.point), ..w });
        return Clearance { witness, ..of_core }.less(radius, hit);
    }
    match holds_middle(mesh, body, context) {
        None => return Clearance::UNKNOWN,
        Some(true) => return Clearance::NONE,
        Some(false) => {}
    }
    let search = Search { within, enough: radius, tolerance: limits.tolerance };
    let found = nearest(mesh, body, &search, context);
    let witness = found.witness.map(|(face, [on_a, on_b])| Witness {
        on_a: SurfacePoint::on(on_a, Feature::Face(mesh.model.mesh.user_face(face))),
        on_b: SurfacePoint::at(on_b),
    });
    // Round bodies count as touching within rounding, which is all that a search to its end leaves open.
    let hit = found.clearance.at_most <= radius || found.complete && found.clearance.at_least <= radius;
    let gap = Clearance::new(found.clearance.at_least, found.clearance.at_most, witness);
    gap.placed(&mesh.world_from_self).less(radius, hit)
}

pub(super) fn relation(mesh: &MeshAt<'_>, body: Side<'_, '_>, context: &mut QueryContext<'_>) -> Relation {
    let radius = body.1.convex.radius();
    if let Some(faces) = core_faces(body)
        && radius == 0.0
    {
        return mesh_mesh::relation(mesh, &faces, context);
    }
    match within_distance(mesh, body, 0.0, context) {
        Overlap::Free => return Relation::Separated,
        Overlap::Unknown => return Relation::Unknown,
        Overlap::Hit => {}
    }
    if holds_mesh(mesh, body) {
        return Relation::Inside;
    }
    let found = nearest(mesh, body, &Search::FULL, context);
    if found.clearance.at_least > radius {
        Relation::Inside
    } else if found.clearance.at_most < radius || found.clearance.at_most == 0.0 {
        Relation::Intersecting
    } else if found.complete {
        Relation::Touching
    } else {
        Relation::Unknown
    }
}

/// Returns the containment of two bodies that are inside each other, for a body with round edges. Faces that do
/// not touch the body leave all of it on one side.
pub(super) fn containment(mesh: &MeshAt<'_>, body: Side<'_, '_>) -> Containment {
    if holds_mesh(mesh, body) { Containment::AInB } else { Containment::BInA }
}

/// Returns `true` if the mesh certainly lies within the body because its hull does.
fn holds_mesh(mesh: &MeshAt<'_>, (body, convex): Side<'_, '_>) -> bool {
    let hull = mesh.model.hull();
    hull.is_some_and(|hull| is_held((&body.world_from_self, &convex.convex), (&mesh.world_from_self, hull)))
}

/// Returns `true` if a solid mesh contains a point of the core; `None` if the budget ran out.
fn holds_middle(
    mesh: &MeshAt<'_>,
    (body, convex): Side<'_, '_>,
    context: &mut QueryContext<'_>,
) -> Option<bool> {
    if !mesh.model.is_solid() {
        return Some(false);
    }
    let middle = convex.convex.core().support_point(DVec3::X);
    match mesh_mesh::locate_point(middle, &body.world_from_self, mesh, context) {
        Location::Unknown => None,
        place => Some(place != Location::Outside),
    }
}

/// Goal of the search; lengths are between a face and the core.
struct Search {
    within: f64,
    enough: f64,
    tolerance: f64,
}

impl Search {
    const FULL: Self = Self { within: f64::INFINITY, enough: 0.0, tolerance: 0.0 };
}

/// A bracket on the clearance of a core and the faces.
struct Found {
    clearance: Bracket,
    /// A face, and the points at distance `clearance.at_most`, in the mesh's frame.
    witness: Option<(u32, [DVec3; 2])>,
    /// `true` if the search finished; otherwise the bracket is as wide as the budget left it.
    complete: bool,
}

/// Depth first over the mesh's tree, nearer children first.
fn nearest(mesh: &MeshAt<'_>, body: Side<'_, '_>, search: &Search, context: &mut QueryContext<'_>) -> Found {
    let frame = PairFrame::new(&RelativePose::new(&mesh.world_from_self, &body.0.world_from_self));
    let core = Core { mesh, frame, body: body.0, convex: &body.1.convex };
    let (tree, boxes) = (mesh.model.tree(), mesh.model.boxes());
    let mut list: Vec<(f64, u32)> = vec![(0.0, 0)];
    let mut found = Found { clearance: Bracket::INFINITE, witness: None, complete: true };
    let mut rest_at_least = f64::INFINITY;
    while let Some((bound, node)) = list.pop() {
        let cutoff = (found.clearance.at_most - search.tolerance).min(search.within);
        if bound > cutoff {
            rest_at_least = rest_at_least.min(bound);
            continue;
        }
        if found.clearance.at_most <= search.enough {
            break;
        }
        if !context.meter.step() {
            found.complete = false;
            rest_at_least = list.iter().fold(rest_at_least.min(bound), |least, (bound, _)| least.min(*bound));
            break;
        }
        let node = &tree.nodes[node as usize];
        if node.children.is_empty() {
            for &face in tree.faces_of(node) {
                found.take(face, &core.clearance_of_face(face, found.clearance.at_most));
            }
            continue;
        }
        let first = list.len();
        list.extend(
            node.children.clone().map(|child| (core.bound_of_box(&boxes[child as usize], cutoff), child)),
        );
        list[first..].sort_by(|x, y| y.0.total_cmp(&x.0));
    }
    found.clearance.at_least = found.clearance.at_least.min(rest_at_least).min(found.clearance.at_most);
    found
}

impl Found {
    fn take(&mut self, face: u32, clearance: &CoreDistance) {
        self.clearance.at_least = self.clearance.at_least.min(clearance.at_least);
        let at_most = if clearance.overlaps { 0.0 } else { clearance.at_most };
        if at_most < self.clearance.at_most {
            self.clearance.at_most = at_most;
            self.witness = Some((face, clearance.witness));
        }
    }
}

/// The core of a convex body, to be held against parts of a mesh in the mesh's frame.
struct Core<'p, 'a> {
    mesh: &'p MeshAt<'a>,
    frame: PairFrame,
    body: &'p Placed<'a>,
    convex: &'p Convex,
}

impl Core<'_, '_> {
    fn clearance_of_face(&self, face: u32, cutoff: f64) -> CoreDistance {
        // Its vertices were checked when the mesh was made.
        let triangle = Convex::triangle(self.mesh.model.mesh.triangle(face))
            .unwrap_or_else(|_| unreachable!("a checked mesh"));
        let bodies = Bodies::new(&triangle, self.convex, &self.frame);
        let goal = Goal { separated: cutoff, near: 0.0, tolerance: 0.0 };
        convex::core_distance(&bodies, &goal, &mut Default::default())
    }

    /// A lower bound on the clearance to anything in a box.
    fn bound_of_box(&self, b: &Aabb, cutoff: f64) -> f64 {
        let (center, half) = (b.center(), b.size() * 0.5);
        let size = center.length() + half.length() + self.mesh.world_from_self.translation.length();
        let room = 64.0 * UNIT_ROUNDOFF * size + f64::MIN_POSITIVE;
        let Ok(cell) = Convex::cuboid(half * 2.0 + DVec3::splat(2.0 * room)) else { return 0.0 };
        let place =
            Pose::new(self.mesh.world_from_self.rotation, self.mesh.world_from_self.transform_point(center));
        let frame = PairFrame::new(&RelativePose::new(&place, &self.body.world_from_self));
        let bodies = Bodies::new(&cell, self.convex, &frame);
        convex::core_distance(
            &bodies,
            &Goal { separated: cutoff, near: 0.0, tolerance: 1e-3 * half.length() },
            &mut Default::default(),
        )
        .at_least
    }
}
