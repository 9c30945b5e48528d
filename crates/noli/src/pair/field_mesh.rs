//! Functionally defined objects against meshes: cells of the object and boxes of the mesh's tree, down to
//! triangles, nearest first; solids also by whether boxes without faces lie inside.

use super::mesh_mesh;
use crate::answer::Location;
use crate::context::QueryContext;
use crate::model::{MeshAt, MeshModel};
use crate::scratch::Scratch;
use glam::DVec3;
use noli_geom::{Aabb, Interval, Pose, RelativePose, Triangle};
use noli_implicit::{
    FieldOverlap, FieldQuery, FieldVerdict, Filling, Pieces, PlacedField, field_filling_overlap,
    field_pieces_overlap,
};
use std::cell::RefCell;

/// The faces of a mesh as parts for field queries: first the nodes of its tree, then its triangles in the
/// tree's order.
pub(super) struct Faces<'a> {
    model: &'a MeshModel,
}

impl<'a> Faces<'a> {
    pub(super) fn new(model: &'a MeshModel) -> Self {
        Self { model }
    }

    pub(super) fn is_solid(&self) -> bool {
        self.model.is_solid() && !self.model.mesh.is_empty()
    }

    pub(super) fn size(&self) -> f64 {
        self.model.bounds.size().max_element()
    }

    /// Tests whether the mesh and an object share a point, in the frame of the object.
    pub(super) fn overlap(
        &self,
        field: &PlacedField<'_>,
        world_from_mesh: &Pose,
        query: &FieldQuery<'_>,
    ) -> FieldOverlap {
        let surface = field_pieces_overlap(field, self, world_from_mesh, query);
        if surface.verdict != FieldVerdict::Free || !self.is_solid() {
            return surface;
        }
        let scratch = RefCell::new(Scratch::default());
        let filling = |cell: &Aabb| self.filling(cell, &mut scratch.borrow_mut());
        let query = FieldQuery { cells: query.cells.saturating_sub(surface.cells), ..*query };
        let inside = field_filling_overlap(field, &filling, &self.model.bounds, world_from_mesh, &query);
        let field_from_mesh = RelativePose::new(&field.world_from_field, world_from_mesh);
        let verdict = match inside.verdict {
            FieldVerdict::Free => FieldVerdict::Free,
            FieldVerdict::Hit { point } => {
                FieldVerdict::Hit { point: field_from_mesh.transform_point(point) }
            }
            FieldVerdict::Unknown { within } => {
                FieldVerdict::Unknown { within: image_of_box(&field_from_mesh, &within) }
            }
        };
        FieldOverlap { verdict, cells: surface.cells + inside.cells }
    }

    /// Classifies a box in the frame of the mesh against the solid: all on one side if no face intersects it.
    fn filling(&self, cell: &Aabb, scratch: &mut Scratch) -> Filling {
        let (tree, boxes) = (self.model.tree(), self.model.boxes());
        let mut pending = vec![0u32];
        while let Some(node) = pending.pop() {
            if !boxes[node as usize].overlaps(cell) {
                continue;
            }
            let node = &tree.nodes[node as usize];
            if !node.children.is_empty() {
                pending.extend(node.children.clone());
            } else if tree.faces_of(node).iter().any(|&face| may_meet(&self.model.mesh.triangle(face), cell))
            {
                return Filling::Mixed;
            }
        }
        let own = MeshAt { model: self.model, world_from_self: Pose::IDENTITY };
        match mesh_mesh::locate_point(cell.center(), &Pose::IDENTITY, &own, &mut QueryContext::new(scratch)) {
            Location::Outside => Filling::Outside,
            Location::Inside => Filling::Inside,
            Location::OnSurface | Location::Unknown => Filling::Mixed,
        }
    }

    /// Returns the triangle of a number beyond the nodes.
    fn triangle(&self, piece: u32) -> Option<Triangle> {
        let tree = self.model.tree();
        let place = (piece as usize).checked_sub(tree.nodes.len())?;
        tree.faces.get(place).map(|&face| self.model.mesh.triangle(face))
    }
}

impl Pieces for Faces<'_> {
    fn bounds(&self, piece: u32) -> Aabb {
        match self.triangle(piece) {
            Some(triangle) => triangle.aabb(),
            None => self.model.boxes().get(piece as usize).copied().unwrap_or(Aabb::EMPTY),
        }
    }

    fn parts(&self, piece: u32, parts: &mut Vec<u32>) {
        let nodes = &self.model.tree().nodes;
        let Some(node) = nodes.get(piece as usize) else { return };
        if node.children.is_empty() {
            let first = nodes.len() as u32;
            parts.extend(node.faces.clone().map(|face| first + face));
        } else {
            parts.extend(node.children.clone());
        }
    }

    fn support(&self, piece: u32, direction: DVec3) -> f64 {
        let Some(triangle) = self.triangle(piece) else { return self.bounds(piece).support(0, direction) };
        let dot = |p: DVec3| {
            let term = |k: usize| Interval::from(p[k]) * Interval::from(direction[k]);
            (term(0) + term(1) + term(2)).hi()
        };
        triangle.vertices.into_iter().map(dot).fold(f64::NEG_INFINITY, f64::max)
    }

    fn point_near(&self, piece: u32, target: DVec3) -> Option<(DVec3, f64)> {
        let triangle = self.triangle(piece)?;
        let reach = triangle.vertices.iter().map(|c| c.abs().max_element()).fold(0.0, f64::max);
        // A mixture of the vertices by weights that add up to one within a few roundings.
        Some((nearest_point(&triangle.vertices, target), 16.0 * f64::EPSILON * reach))
    }
}

/// Returns `true` unless a triangle and a box have a separating axis. Axes are the sides of the box, the
/// triangle's normal, and cross products of an edge of each (Gottschalk, Lin & Manocha 1996). `false` is always
/// correct.
fn may_meet(triangle: &Triangle, cell: &Aabb) -> bool {
    if !triangle.aabb().overlaps(cell) {
        return false;
    }
    let (center, half) = (cell.center(), 0.5 * cell.size());
    let [a, b, c] = triangle.vertices.map(|vertex| vertex - center);
    let reach = [a, b, c].iter().fold(center.abs().max(half), |reach, vertex| reach.max(vertex.abs()));
    let is_separated = |axis: DVec3| {
        let [p, q, r] = [a, b, c].map(|vertex| vertex.dot(axis));
        let room =
            half.dot(axis.abs()) + 32.0 * f64::EPSILON * reach.element_sum() * axis.abs().element_sum();
        p.min(q).min(r) > room || p.max(q).max(r) < -room
    };
    let edges = [b - a, c - b, a - c];
    let across = edges.into_iter().flat_map(|edge| DVec3::AXES.map(|side| edge.cross(side)));
    !std::iter::once(edges[0].cross(edges[1])).chain(across).any(is_separated)
}

/// A box around the image of a box.
fn image_of_box(pose: &RelativePose, cell: &Aabb) -> Aabb {
    let error = pose.point_error(cell.min.abs().max(cell.max.abs()).max_element());
    let image = Aabb::from_points(cell.vertices().into_iter().map(|vertex| pose.transform_point(vertex)));
    Aabb { min: (image.min - error).map(f64::next_down), max: (image.max + error).map(f64::next_up) }
}

/// The point of a triangle that is nearest to another, as a mixture of its vertices: unlike `Triangle::closest_to` it
/// errs by roundings of the vertices, however far the other point is.
fn nearest_point(&[a, b, c]: &[DVec3; 3], target: DVec3) -> DVec3 {
    let on_edge = |p: DVec3, q: DVec3| {
        let share = (target - p).dot(q - p) / (q - p).length_squared();
        if share.is_nan() { p } else { p + (q - p) * share.clamp(0.0, 1.0) }
    };
    let edges = [on_edge(a, b), on_edge(b, c), on_edge(c, a)];
    let normal = (b - a).cross(c - a);
    let inverse = 1.0 / normal.length_squared();
    let weight = |p: DVec3, q: DVec3| (q - p).cross(target - p).dot(normal) * inverse;
    let (to_c, to_a) = (weight(a, b), weight(b, c));
    let to_b = 1.0 - to_c - to_a;
    if to_a >= 0.0 && to_b >= 0.0 && to_c >= 0.0 && inverse.is_finite() {
        return a + (b - a) * to_b + (c - a) * to_c;
    }
    let nearer = |p: &DVec3, q: &DVec3| p.distance_squared(target).total_cmp(&q.distance_squared(target));
    edges.into_iter().min_by(nearer).unwrap_or(a)
}
