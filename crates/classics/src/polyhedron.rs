//! A mesh with the data needed by the classics, and exact tests without any hierarchy.

use super::work::Tally;
use glam::DVec3;
use noli_geom::{
    Aabb, Mesh, MeshKind, MeshOptions, PairFrame, Pose, RelativePose, Sphere, Triangle, TrianglePair,
    UNIT_ROUNDOFF,
};

/// A mesh with its edges, each once, and a sphere and a box around it.
#[derive(Clone, Debug)]
pub struct Polyhedron {
    mesh: Mesh,
    edges: Vec<[u32; 2]>,
    /// One vertex of each connected part.
    probes: Vec<DVec3>,
    boxes: Vec<Aabb>,
    bounds: Aabb,
    sphere: Sphere,
}

impl Polyhedron {
    /// Prepare a mesh. Triangles keep their numbers.
    pub fn new(mesh: &Mesh) -> Self {
        let (vertices, triangles) = (mesh.vertices().to_vec(), mesh.triangles().to_vec());
        // Welding merges equal positions only, so what was a valid mesh stays one.
        let mesh = Mesh::from_triangles(vertices, triangles, &MeshOptions { weld: true })
            .map_or_else(|_| mesh.clone(), |welded| welded.with_kind(mesh.kind()));
        let adjacency = mesh.adjacency();
        let ends = |edge| adjacency.sides(edge)[0].vertices(&mesh);
        let edges = (0..adjacency.edge_count() as u32).map(ends).collect();
        let parts = adjacency.parts().first_triangles();
        let probes = parts.iter().map(|&triangle| mesh.triangle(triangle).vertices[0]).collect();
        let boxes = mesh.iter_triangles().map(|triangle| triangle.aabb()).collect();
        let bounds = mesh.aabb();
        let center = if bounds.is_empty() { DVec3::ZERO } else { bounds.center() };
        let radius = mesh.iter_triangles().flat_map(|t| t.vertices).map(|p| p.distance(center));
        let radius = radius.fold(0.0, f64::max) * (1.0 + 8.0 * UNIT_ROUNDOFF);
        Self { mesh, edges, probes, boxes, bounds, sphere: Sphere { center, radius } }
    }

    /// Its faces, equal vertices merged.
    pub fn mesh(&self) -> &Mesh {
        &self.mesh
    }

    /// Its edges as vertex numbers of [`Polyhedron::mesh`].
    pub fn edges(&self) -> &[[u32; 2]] {
        &self.edges
    }

    /// The smallest box around it, in its own frame.
    pub fn bounds(&self) -> &Aabb {
        &self.bounds
    }

    /// A sphere around it, in its own frame.
    pub fn sphere(&self) -> &Sphere {
        &self.sphere
    }

    /// Returns the bytes held in addition to the mesh.
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&self.edges[..]) + size_of_val(&self.probes[..]) + size_of_val(&self.boxes[..])
    }

    /// Returns `true` if points inside belong to it.
    pub(crate) fn is_solid(&self) -> bool {
        self.mesh.kind() == MeshKind::Solid
    }

    pub(crate) fn vertex(&self, vertex: u32) -> DVec3 {
        self.mesh.vertices()[vertex as usize]
    }

    /// The smallest box around each face.
    pub(crate) fn boxes(&self) -> &[Aabb] {
        &self.boxes
    }

    /// The largest magnitude of a coordinate.
    pub(crate) fn bounding_radius(&self) -> f64 {
        if self.bounds.is_empty() {
            return 0.0;
        }
        self.bounds.min.abs().max(self.bounds.max.abs()).max_element()
    }
}

/// A polyhedron in its place.
#[derive(Clone, Copy)]
pub(crate) struct Stood<'a> {
    pub(crate) body: &'a Polyhedron,
    pub(crate) pose: &'a Pose,
}

/// The box of a body as seen from another frame, rounded outward: the minimax box of its basic axes, made
/// without visiting its eight vertices.
pub(crate) fn minimax(bounds: &Aabb, pose: &RelativePose) -> Aabb {
    let origin = pose.transform_point(bounds.min);
    let size = bounds.size();
    let (mut low, mut high) = (origin, origin);
    let mut lengths = origin.abs();
    for k in 0..3 {
        let edge = pose.rotation.col(k) * size[k];
        low += edge.min(DVec3::ZERO);
        high += edge.max(DVec3::ZERO);
        lengths += edge.abs();
    }
    // The vertex and three edges, each with the error of a point, and the rounding of their sums.
    let reach = bounds.min.abs().max(bounds.max.abs()).max_element();
    let margin = 4.0 * pose.point_error(reach) + 16.0 * UNIT_ROUNDOFF * lengths.max_element();
    Aabb { min: low - margin, max: high + margin }
}

/// The box of a placed body in the world, rounded outward.
pub(crate) fn world_box(stood: &Stood<'_>) -> Aabb {
    minimax(&stood.body.bounds, &RelativePose::new(&Pose::IDENTITY, stood.pose))
}

/// Returns `true` if the bounding spheres, or the world boxes, of two bodies are separated.
pub(crate) fn bounds_separated(a: &Stood<'_>, b: &Stood<'_>, tally: &mut Tally<'_>) -> bool {
    tally.work.volumes += 1;
    let place = |s: &Stood<'_>| s.pose.transform_point(s.body.sphere.center);
    let noise = 64.0 * UNIT_ROUNDOFF;
    let lengths = |s: &Stood<'_>| s.pose.translation.length() + s.body.sphere.center.length();
    let reach = a.body.sphere.radius + b.body.sphere.radius;
    if place(a).distance(place(b)) > reach + noise * (reach + lengths(a) + lengths(b)) {
        return true;
    }
    tally.work.volumes += 1;
    !world_box(a).overlaps(&world_box(b))
}

/// Returns `true` if a part of one of two bodies whose surfaces do not intersect lies inside the other.
/// Exact; `None` if the budget ran out.
pub(crate) fn contained(a: &Stood<'_>, b: &Stood<'_>, tally: &mut Tally<'_>) -> Option<bool> {
    let holds = |solid: &Stood<'_>, other: &Stood<'_>, tally: &mut Tally<'_>| {
        if solid.body.is_solid() { holds_part_of(solid, other, tally) } else { Some(false) }
    };
    Some(holds(a, b, tally)? || holds(b, a, tally)?)
}

/// Returns `true` if a closed body winds around a part of another that does not intersect its surface.
pub(crate) fn holds_part_of(solid: &Stood<'_>, other: &Stood<'_>, tally: &mut Tally<'_>) -> Option<bool> {
    for &probe in &other.body.probes {
        if inside(probe, other.pose, solid, tally)? {
            return Some(true);
        }
    }
    Some(false)
}

/// Largest number of rays tried; each fails only if it passes exactly through an edge.
const ATTEMPTS: u32 = 64;

/// Returns `true` if a point of the frame `world_from_point` is on or inside a closed body. Boyse's ray
/// test, with the winding number in place of the nearest face. Exact.
pub(crate) fn inside(
    point: DVec3,
    world_from_point: &Pose,
    solid: &Stood<'_>,
    tally: &mut Tally<'_>,
) -> Option<bool> {
    let frame = PairFrame::new(&RelativePose::new(solid.pose, world_from_point));
    for attempt in 0..ATTEMPTS {
        let end = point + outward(point, world_from_point, solid, attempt);
        let mut winding = Some(0i64);
        for face in solid.body.mesh.iter_triangles() {
            tally.exact()?;
            let pair = TrianglePair::new(&face, &Triangle::new(point, end, end), &frame);
            if pair.overlaps() {
                let side = pair.edge_of_b_through_a(0);
                winding = winding.zip(side).map(|(winding, side)| winding + i64::from(side));
            }
            if winding.is_none() {
                break;
            }
        }
        if let Some(winding) = winding {
            return Some(winding != 0);
        }
        if on_surface(point, &frame, solid, tally)? {
            return Some(true);
        }
    }
    None
}

fn on_surface(point: DVec3, frame: &PairFrame, solid: &Stood<'_>, tally: &mut Tally<'_>) -> Option<bool> {
    let probe = Triangle::new(point, point, point);
    for face in solid.body.mesh.iter_triangles() {
        tally.exact()?;
        if TrianglePair::new(&face, &probe, frame).overlaps() {
            return Some(true);
        }
    }
    Some(false)
}

/// From a point to somewhere beyond the body, in another direction at every attempt.
fn outward(point: DVec3, world_from_point: &Pose, solid: &Stood<'_>, attempt: u32) -> DVec3 {
    let center = (world_from_point.inverse() * *solid.pose).transform_point(solid.body.sphere.center);
    let far = 4.0 * (point.distance(center) + solid.body.sphere.radius) + f64::MIN_POSITIVE;
    // Irrational turns cover the sphere evenly and meet no axis or diagonal.
    let k = f64::from(attempt) + 0.38;
    let z = 1.0 - 2.0 * (k * 0.754_877_666_246_692_8).fract();
    let angle = std::f64::consts::TAU * (k * 0.569_840_290_998_053_2).fract();
    let flat = (1.0 - z * z).sqrt();
    DVec3::new(flat * angle.cos(), flat * angle.sin(), z) * far
}

#[cfg(test)]
mod tests {
    use super::*;
    use noli_scenes::SplitMix64;

    /// The box made of the basic axes is that of the eight vertices, up to the rounding it covers. The six
    /// conditions do not depend on the order of the bodies.
    #[test]
    fn minimax_boxes_are_those_of_the_vertices() {
        let (mut random, mut meet) = (SplitMix64::new(51), 0);
        for _ in 0..500 {
            let mut boxed = || {
                let vertex = random.direction() * random.between(0.0, 2.0);
                let size = random.direction().abs() * random.between(0.0, 3.0);
                let pose = Pose::new(random.rotation(), random.direction() * random.between(0.0, 3.0));
                (Aabb { min: vertex, max: vertex + size }, RelativePose::new(&Pose::IDENTITY, &pose))
            };
            let [one, two] = [boxed(), boxed()].map(|(bounds, pose)| {
                let found = minimax(&bounds, &pose);
                let vertices =
                    Aabb::from_points(bounds.vertices().map(|vertex| pose.transform_point(vertex)));
                assert!(found.min.cmple(vertices.min).all() && found.max.cmpge(vertices.max).all());
                assert!((found.min - vertices.min).abs().max_element() < 1e-12);
                assert!((found.max - vertices.max).abs().max_element() < 1e-12);
                found
            });
            let separated = |a: &Aabb, b: &Aabb| (0..3).any(|k| a.min[k] > b.max[k] || b.min[k] > a.max[k]);
            assert_eq!(one.overlaps(&two), two.overlaps(&one));
            assert_eq!(one.overlaps(&two), !separated(&one, &two));
            meet += usize::from(one.overlaps(&two));
        }
        assert!((50..450).contains(&meet), "{meet}");
    }
}
