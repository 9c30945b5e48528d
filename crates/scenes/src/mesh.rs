//! Meshes made from formulas. Faces are counter-clockwise seen from outside; closed ones share all
//! their vertices.

use glam::DVec3;
use std::collections::HashMap;
use std::f64::consts::{PI, TAU};

/// Vertices, and triangles as indices into them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TriangleSet {
    /// Corner positions.
    pub vertices: Vec<DVec3>,
    /// Corners of each face.
    pub triangles: Vec<[u32; 3]>,
}

impl TriangleSet {
    /// The same faces with every vertex moved.
    pub fn map_vertices(mut self, mut place: impl FnMut(DVec3) -> DVec3) -> Self {
        self.vertices.iter_mut().for_each(|vertex| *vertex = place(*vertex));
        self
    }

    /// Two triangles for a quadrilateral given counter-clockwise.
    fn push_quad(&mut self, [a, b, c, d]: [u32; 4]) {
        self.triangles.extend([[a, b, c], [a, c, d]]);
    }
}

/// The box with these half extents about the origin: 8 vertices, 12 faces.
pub fn cuboid(half: DVec3) -> TriangleSet {
    let side = |number: u32, bit: u32| if number >> bit & 1 == 1 { 1.0 } else { -1.0 };
    let corner = |number| half * DVec3::new(side(number, 0), side(number, 1), side(number, 2));
    let mut set = TriangleSet { vertices: (0..8).map(corner).collect(), triangles: Vec::new() };
    for quad in [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]] {
        set.push_quad(quad);
    }
    set
}

/// The regular tetrahedron on four corners of the cube [−1, 1]³.
pub fn tetrahedron() -> TriangleSet {
    let corners = [[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]];
    TriangleSet {
        vertices: corners.map(DVec3::from_array).to_vec(),
        triangles: vec![[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]],
    }
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
    let (around, along) = (around.max(3), along.max(3));
    let mut set = TriangleSet::default();
    for outward in ring(around) {
        let on_tube = |side: DVec3| outward * (major + minor * side.x) + DVec3::Z * (minor * side.y);
        set.vertices.extend(ring(along).map(on_tube));
    }
    let vertex = |section: u32, side: u32| (section % around) * along + side % along;
    for (section, side) in (0..around).flat_map(|section| (0..along).map(move |side| (section, side))) {
        set.push_quad([
            vertex(section, side),
            vertex(section + 1, side),
            vertex(section + 1, side + 1),
            vertex(section, side + 1),
        ]);
    }
    set
}

/// The unit sphere as an icosahedron whose edges are halved `levels` times: 20·4^levels faces.
/// The same as [`geodesic`] at a power of two. `levels` beyond 12 count as 12.
pub fn icosphere(levels: u32) -> TriangleSet {
    geodesic(1 << levels.min(12))
}

/// The unit sphere as an icosahedron with each face cut into `frequency`² triangles (class I:
/// cut flat and evenly, then pushed out): 20·f² faces, 10·f² + 2 vertices. A frequency of 0
/// counts as 1.
pub fn geodesic(frequency: u32) -> TriangleSet {
    let frequency = frequency.max(1);
    let corners = icosahedron_vertices();
    let mut set = TriangleSet::default();
    let mut known = HashMap::new();
    for face in ICOSAHEDRON {
        // Grid point (i, j) of the face: i steps towards its second corner, j towards its third.
        let mut vertex = |i: u32, j: u32| {
            let key = grid_key(face, [frequency - i - j, i, j]);
            *known.entry(key).or_insert_with(|| {
                let flat: DVec3 = key.iter().map(|&(corner, steps)| corners[corner] * f64::from(steps)).sum();
                set.vertices.push(flat.normalize());
                set.vertices.len() as u32 - 1
            })
        };
        for (i, j) in (0..frequency).flat_map(|i| (0..frequency - i).map(move |j| (i, j))) {
            let (right, up) = (vertex(i + 1, j), vertex(i, j + 1));
            set.triangles.push([vertex(i, j), right, up]);
            if i + j + 2 <= frequency {
                set.triangles.push([right, vertex(i + 1, j + 1), up]);
            }
        }
    }
    set
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

/// What a grid point is called by every face that has it: its corners and their weights, those of
/// weight zero left out of account, in the order of the corners.
fn grid_key(face: [usize; 3], weights: [u32; 3]) -> [(usize, u32); 3] {
    let mut key = [0, 1, 2].map(|i| if weights[i] == 0 { (0, 0) } else { (face[i], weights[i]) });
    key.sort_unstable();
    key
}

/// Three golden rectangles, one in each coordinate plane.
fn icosahedron_vertices() -> [DVec3; 12] {
    let golden = (1.0 + 5.0f64.sqrt()) / 2.0;
    let (a, b) = (1.0, golden);
    [
        DVec3::new(-a, b, 0.0),
        DVec3::new(a, b, 0.0),
        DVec3::new(-a, -b, 0.0),
        DVec3::new(a, -b, 0.0),
        DVec3::new(0.0, -a, b),
        DVec3::new(0.0, a, b),
        DVec3::new(0.0, -a, -b),
        DVec3::new(0.0, a, -b),
        DVec3::new(b, 0.0, -a),
        DVec3::new(b, 0.0, a),
        DVec3::new(-b, 0.0, -a),
        DVec3::new(-b, 0.0, a),
    ]
}

#[rustfmt::skip]
const ICOSAHEDRON: [[usize; 3]; 20] = [
    [0, 11, 5], [0, 5, 1], [0, 1, 7], [0, 7, 10], [0, 10, 11],
    [1, 5, 9], [5, 11, 4], [11, 10, 2], [10, 7, 6], [7, 1, 8],
    [3, 9, 4], [3, 4, 2], [3, 2, 6], [3, 6, 8], [3, 8, 9],
    [4, 9, 5], [2, 4, 11], [6, 2, 10], [8, 6, 7], [9, 8, 1],
];

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
        let corners = |face: &[u32; 3]| face.map(|vertex| set.vertices[vertex as usize]);
        set.triangles.iter().map(corners).map(|[a, b, c]| a.dot(b.cross(c)) / 6.0).sum()
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
        let ball = 4.0 / 3.0 * PI;
        assert_solid(&cuboid(DVec3::new(1.0, 2.0, 3.0)), 2, 48.0, 1e-15);
        assert_solid(&tetrahedron(), 2, 8.0 / 3.0, 1e-15);
        assert_solid(&uv_sphere(64, 128), 2, ball, 0.01);
        assert_solid(&torus(2.0, 0.5, 128, 64), 0, 2.0 * PI * PI * 2.0 * 0.25, 0.01);
        assert_solid(&icosphere(4), 2, ball, 0.01);
        for frequency in 1..8 {
            let set = geodesic(frequency);
            assert_eq!(set.triangles.len() as u32, 20 * frequency * frequency);
            assert_solid(&set, 2, ball, 0.4);
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
