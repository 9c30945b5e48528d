//! Meshes made from formulas, as plain lists that tests can bend and merge before they are checked. Faces
//! are counter-clockwise seen from outside; closed ones share all their vertices. The common solids are
//! those of [`Mesh`]; a size that is not positive gives no faces.

use glam::DVec3;
use noli_geom::Mesh;
use std::f64::consts::{PI, TAU};

/// Vertices, and triangles as indices into them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TriangleSet {
    /// Vertex positions.
    pub vertices: Vec<DVec3>,
    /// Vertices of each face.
    pub triangles: Vec<[u32; 3]>,
}

impl TriangleSet {
    /// The same faces with every vertex moved.
    pub fn map_vertices(mut self, mut place: impl FnMut(DVec3) -> DVec3) -> Self {
        self.vertices.iter_mut().for_each(|vertex| *vertex = place(*vertex));
        self
    }

    /// Two triangles for a quadrilateral given counter-clockwise.
    pub(crate) fn push_quad(&mut self, [a, b, c, d]: [u32; 4]) {
        self.triangles.extend([[a, b, c], [a, c, d]]);
    }
}

impl From<&Mesh> for TriangleSet {
    fn from(mesh: &Mesh) -> Self {
        Self { vertices: mesh.vertices().to_vec(), triangles: mesh.triangles().to_vec() }
    }
}

/// The faces of a solid, if its sizes make one.
fn faces<E>(mesh: Result<Mesh, E>) -> TriangleSet {
    mesh.as_ref().map_or_else(|_| TriangleSet::default(), TriangleSet::from)
}

/// The box with these half extents about the origin: 8 vertices, 12 faces.
pub fn cuboid(half: DVec3) -> TriangleSet {
    faces(Mesh::cuboid(2.0 * half))
}

/// The regular tetrahedron on four vertices of the cube [−1, 1]³.
pub fn tetrahedron() -> TriangleSet {
    (&Mesh::tetrahedron()).into()
}

/// The square [−half, half]² at z = 0, facing up, cut into `cells` × `cells` squares (at least one)
/// of two triangles each. Open.
pub fn grid_plane(half: f64, cells: u32) -> TriangleSet {
    let cells = cells.max(1);
    // Symmetric by construction: coordinate i is the exact negative of coordinate cells − i.
    let coordinate = |i: u32| half * (f64::from(2 * i) - f64::from(cells)) / f64::from(cells);
    let mut set = TriangleSet::default();
    for j in 0..=cells {
        set.vertices.extend((0..=cells).map(|i| DVec3::new(coordinate(i), coordinate(j), 0.0)));
    }
    for (i, j) in (0..cells).flat_map(|j| (0..cells).map(move |i| (i, j))) {
        let first = j * (cells + 1) + i;
        set.push_quad([first, first + 1, first + cells + 2, first + cells + 1]);
    }
    set
}

/// The unit sphere by latitude and longitude: `stacks` rings of faces (at least 2) of `slices`
/// (at least 3), pole to pole.
pub fn uv_sphere(stacks: u32, slices: u32) -> TriangleSet {
    let (stacks, slices) = (stacks.max(2), slices.max(3));
    let mut set = TriangleSet { vertices: vec![DVec3::NEG_Z], triangles: Vec::new() };
    for stack in 1..stacks {
        let latitude = PI * (f64::from(stack) / f64::from(stacks) - 0.5);
        set.vertices.extend(ring(slices).map(|side| side * latitude.cos() + DVec3::Z * latitude.sin()));
    }
    let top = set.vertices.len() as u32;
    set.vertices.push(DVec3::Z);
    let vertex = |stack: u32, slice: u32| 1 + (stack - 1) * slices + slice % slices;
    for slice in 0..slices {
        set.triangles.push([0, vertex(1, slice + 1), vertex(1, slice)]);
        for stack in 1..stacks - 1 {
            let (low, high) = (|side| vertex(stack, side), |side| vertex(stack + 1, side));
            set.push_quad([low(slice), low(slice + 1), high(slice + 1), high(slice)]);
        }
        set.triangles.push([top, vertex(stacks - 1, slice), vertex(stacks - 1, slice + 1)]);
    }
    set
}

/// The torus about z: a tube of radius `minor` whose core is a circle of radius `major`, with
/// `around` tube sections (at least 3) of `along` vertices (at least 3).
pub fn torus(major: f64, minor: f64, around: u32, along: u32) -> TriangleSet {
    faces(Mesh::torus(major, minor, around, along))
}

/// The unit sphere as an icosahedron whose edges are halved `levels` times: 20·4^levels faces.
/// The same as [`geodesic`] at a power of two. `levels` beyond 12 count as 12.
pub fn icosphere(levels: u32) -> TriangleSet {
    geodesic(1 << levels.min(12))
}

/// The unit sphere as [`Mesh::sphere`] makes it: 20·f² faces, 10·f² + 2 vertices.
pub fn geodesic(frequency: u32) -> TriangleSet {
    faces(Mesh::sphere(1.0, frequency))
}

/// The body of workload W1: a [`geodesic`] unit sphere with two waves of bumps on it, which
/// `phase` shifts. Frequency 59 gives 69,620 faces.
pub fn bumpy_sphere(frequency: u32, phase: f64) -> TriangleSet {
    let wave = |d: DVec3, pitch: f64| {
        (pitch * d.x + phase).sin() * (pitch * d.y + 2.0 * phase).sin() * (pitch * d.z + 3.0 * phase).sin()
    };
    geodesic(frequency).map_vertices(|d| d * (1.0 + 0.08 * wave(d, 5.0) + 0.02 * wave(d, 17.0)))
}

/// `count` unit vectors in the xy plane, counter-clockwise from x.
fn ring(count: u32) -> impl Iterator<Item = DVec3> {
    (0..count).map(move |i| {
        let (y, x) = (TAU * f64::from(i) / f64::from(count)).sin_cos();
        DVec3::new(x, y, 0.0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    /// Every directed edge occurs once, and so does its reverse.
    fn is_closed(set: &TriangleSet) -> bool {
        let edges: Vec<_> = set.triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]).collect();
        let distinct: HashSet<_> = edges.iter().copied().collect();
        distinct.len() == edges.len() && edges.iter().all(|&[a, b]| distinct.contains(&[b, a]))
    }

    fn volume(set: &TriangleSet) -> f64 {
        let vertices = |face: &[u32; 3]| face.map(|vertex| set.vertices[vertex as usize]);
        set.triangles.iter().map(vertices).map(|[a, b, c]| a.dot(b.cross(c)) / 6.0).sum()
    }

    fn euler(set: &TriangleSet) -> i64 {
        set.vertices.len() as i64 - set.triangles.len() as i64 / 2
    }

    fn assert_solid(set: &TriangleSet, euler_characteristic: i64, expected_volume: f64, tolerance: f64) {
        assert!(is_closed(set));
        assert_eq!(euler(set), euler_characteristic);
        let relative = volume(set) / expected_volume - 1.0;
        assert!(relative.abs() <= tolerance, "volume {} is not {expected_volume}", volume(set));
    }

    #[test]
    fn w1_has_the_published_size() {
        let set = bumpy_sphere(59, 0.3);
        assert_eq!((set.vertices.len(), set.triangles.len()), (34_812, 69_620));
        assert_solid(&set, 2, 4.0 / 3.0 * PI, 0.02);
        let radii = || set.vertices.iter().map(|vertex| vertex.length());
        assert!(radii().all(|radius| (0.9..=1.1).contains(&radius)));
    }

    #[test]
    fn solids_are_closed_and_face_outward() {
        let sphere = 4.0 / 3.0 * PI;
        assert_solid(&cuboid(DVec3::new(1.0, 2.0, 3.0)), 2, 48.0, 1e-15);
        assert_solid(&tetrahedron(), 2, 8.0 / 3.0, 1e-15);
        assert_solid(&uv_sphere(64, 128), 2, sphere, 0.01);
        assert_solid(&torus(2.0, 0.5, 128, 64), 0, 2.0 * PI * PI * 2.0 * 0.25, 0.01);
        assert_solid(&icosphere(4), 2, sphere, 0.01);
        for frequency in 1..8 {
            let set = geodesic(frequency);
            assert_eq!(set.triangles.len() as u32, 20 * frequency * frequency);
            assert_solid(&set, 2, sphere, 0.4);
        }
    }

    #[test]
    fn smallest_sizes_are_raised_to_sensible_ones() {
        assert_eq!(geodesic(0), geodesic(1));
        assert_eq!(grid_plane(1.0, 0).triangles.len(), 2);
        assert!(is_closed(&uv_sphere(0, 0)) && is_closed(&torus(2.0, 0.5, 0, 0)));
    }

    #[test]
    fn grid_plane_faces_up_and_has_its_area() {
        let set = grid_plane(1.5, 7);
        let doubled_area = |[a, b, c]: [u32; 3]| {
            let [a, b, c] = [a, b, c].map(|vertex| set.vertices[vertex as usize]);
            (b - a).cross(c - a).z
        };
        assert!(set.triangles.iter().all(|&face| doubled_area(face) > 0.0));
        let area: f64 = set.triangles.iter().map(|&face| doubled_area(face) / 2.0).sum();
        assert!((area - 9.0).abs() < 1e-12);
    }
}
