//! Functionally defined objects against meshes: cells of the object and boxes of the mesh's tree, down to
//! triangles, nearest first; solids also by whether boxes without faces lie inside.

use crate::model::{Model, Placed};
use crate::query::{Location, locate};
use crate::tree::{Tree, TreeOptions};
use glam::DVec3;
use noli_geom::{Aabb, Interval, MeshKind, Pose, RelativePose, Triangle};
use noli_implicit::{
    FieldClearance, FieldOverlap, FieldQuery, FieldVerdict, Filling, Pieces, PlacedField,
    field_filling_overlap, field_pieces_clearance, field_pieces_overlap,
};

/// A mesh prepared for questions about functionally defined objects.
///
/// ```
/// use noli::{FieldTarget, Mesh, MeshKind, Model, Pose};
/// use noli_implicit::{Field, FieldVerdict};
/// let cube = noli_scenes::cuboid(glam::DVec3::ONE);
/// let cube = Mesh::from_triangles(cube.vertices, cube.triangles, &Default::default())?.with_kind(MeshKind::Solid);
/// let cube = FieldTarget::new(&Model::new(&cube, &Default::default()));
/// let ball = Field::parse("x^2 + y^2 + z^2 <= 0.01")?;
/// let at = |x| Pose::from_translation(glam::dvec3(x, 0.0, 0.0));
/// let meet = |x| cube.overlap(&Pose::IDENTITY, &ball.at(at(x)), &Default::default()).verdict;
/// assert!(matches!(meet(0.3), FieldVerdict::Hit { .. })); // inside the solid
/// assert!(matches!(meet(1.05), FieldVerdict::Hit { .. }));
/// assert_eq!(meet(1.1001), FieldVerdict::Free);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct FieldTarget {
    model: Model,
    tree: Tree,
    /// One for each node.
    boxes: Vec<Aabb>,
    /// In the order of the tree.
    triangles: Vec<Triangle>,
}

impl FieldTarget {
    /// Prepare a mesh.
    pub fn new(model: &Model) -> Self {
        let mesh = model.mesh();
        let all: Vec<Triangle> = (0..mesh.triangle_count() as u32).map(|i| mesh.triangle(i)).collect();
        let tree = Tree::build(&all, &TreeOptions { leaf_faces: 1, ..Default::default() });
        let triangles: Vec<Triangle> = tree.faces.iter().map(|&face| all[face as usize]).collect();
        let around = |faces: &std::ops::Range<u32>| {
            let held = &triangles[faces.start as usize..faces.end as usize];
            Aabb::around(held.iter().flat_map(|triangle| triangle.corners))
        };
        let boxes = tree.nodes.iter().map(|node| around(&node.faces)).collect();
        Self { model: model.clone(), tree, boxes, triangles }
    }

    /// Whether the mesh and an object share a point: proven either way, or `Unknown`. Points and boxes are in the
    /// frame of the object; a point that the object has inside a solid is rounded there.
    pub fn overlap(
        &self,
        world_from_mesh: &Pose,
        field: &PlacedField<'_>,
        query: &FieldQuery,
    ) -> FieldOverlap {
        let surface = field_pieces_overlap(field, self, world_from_mesh, query);
        let solid = self.model.mesh().kind() == MeshKind::Solid;
        if surface.verdict != FieldVerdict::Free || !solid || self.triangles.is_empty() {
            return surface;
        }
        let own = self.model.at(Pose::IDENTITY);
        let filling = |cell: &Aabb| self.filling(cell, &own);
        let inside = field_filling_overlap(field, &filling, &self.boxes[0], world_from_mesh, query);
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

    /// How far the mesh and an object are apart, to `tolerance` times the size of the smaller; 0 where the object lies
    /// inside a solid.
    pub fn clearance(
        &self,
        world_from_mesh: &Pose,
        field: &PlacedField<'_>,
        tolerance: f64,
        query: &FieldQuery,
    ) -> FieldClearance {
        let gap = field_pieces_clearance(field, self, world_from_mesh, tolerance, query);
        let solid = self.model.mesh().kind() == MeshKind::Solid;
        if gap.at_least > 0.0 && solid {
            match self.overlap(world_from_mesh, field, query).verdict {
                FieldVerdict::Free => {}
                FieldVerdict::Hit { .. } => return FieldClearance { at_least: 0.0, at_most: 0.0, ..gap },
                FieldVerdict::Unknown { .. } => return FieldClearance { at_least: 0.0, ..gap },
            }
        }
        gap
    }

    /// How a box in the frame of the mesh lies to the solid: all on one side where no face's box meets it.
    fn filling(&self, cell: &Aabb, own: &Placed<'_>) -> Filling {
        let mut pending = vec![0u32];
        while let Some(node) = pending.pop() {
            if self.boxes[node as usize].overlaps(cell) {
                let children = self.tree.nodes[node as usize].children.clone();
                if children.is_empty() {
                    return Filling::Mixed;
                }
                pending.extend(children);
            }
        }
        match locate(cell.center(), own) {
            Some(Location::Outside) => Filling::Outside,
            Some(Location::Inside) => Filling::Inside,
            _ => Filling::Mixed,
        }
    }

    /// The triangle that a number beyond the nodes stands for.
    fn triangle(&self, piece: u32) -> Option<&Triangle> {
        (piece as usize).checked_sub(self.boxes.len()).map(|i| &self.triangles[i])
    }
}

impl Pieces for FieldTarget {
    fn bounds(&self, piece: u32) -> Aabb {
        match self.triangle(piece) {
            _ if self.boxes.is_empty() => Aabb::EMPTY,
            Some(triangle) => Aabb::around(triangle.corners),
            None => self.boxes[piece as usize],
        }
    }

    fn parts(&self, piece: u32, parts: &mut Vec<u32>) {
        if (piece as usize) < self.boxes.len() {
            let node = &self.tree.nodes[piece as usize];
            if node.children.is_empty() {
                let first = self.boxes.len() as u32;
                parts.extend(node.faces.clone().map(|face| first + face));
            } else {
                parts.extend(node.children.clone());
            }
        }
    }

    fn support(&self, piece: u32, direction: DVec3) -> f64 {
        let dot = |p: DVec3| {
            let term = |k: usize| Interval::from(p[k]) * Interval::from(direction[k]);
            (term(0) + term(1) + term(2)).hi()
        };
        match self.triangle(piece) {
            Some(triangle) => triangle.corners.into_iter().map(dot).fold(f64::NEG_INFINITY, f64::max),
            None => {
                let Aabb { min, max } = self.boxes[piece as usize];
                dot(DVec3::select(direction.cmplt(DVec3::ZERO), min, max))
            }
        }
    }

    fn point_near(&self, piece: u32, target: DVec3) -> Option<(DVec3, f64)> {
        let triangle = self.triangle(piece)?;
        let reach = triangle.corners.iter().map(|c| c.abs().max_element()).fold(0.0, f64::max);
        // A mixture of the corners by weights that add up to one within a few roundings.
        Some((nearest_point(&triangle.corners, target), 16.0 * f64::EPSILON * reach))
    }
}

/// A box around the image of a box.
fn image_of_box(pose: &RelativePose, cell: &Aabb) -> Aabb {
    let corner = |k: usize| {
        DVec3::from_array(
            [0, 1, 2].map(|axis| if k >> axis & 1 == 0 { cell.min[axis] } else { cell.max[axis] }),
        )
    };
    let error = pose.point_error(cell.min.abs().max(cell.max.abs()).max_element());
    let image = Aabb::around((0..8).map(|k| pose.transform_point(corner(k))));
    Aabb { min: (image.min - error).map(f64::next_down), max: (image.max + error).map(f64::next_up) }
}

/// The point of a triangle that is nearest to another, rounded.
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
