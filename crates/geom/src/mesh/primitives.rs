//! Boxes, spheres, rings and the like as meshes about the origin. Faces are counter-clockwise seen from
//! outside; all are closed and share their vertices. They are surfaces until [`Mesh::into_solid`].

use super::{Mesh, MeshError, Topology, check_triangle_count};
use crate::{Aabb, MAX_COORDINATE};
use glam::DVec3;
use std::collections::HashMap;
use std::f64::consts::TAU;

impl Mesh {
    /// The box with these edge lengths: 8 vertices, 12 faces.
    ///
    /// ```
    /// # use noli_geom::Mesh;
    /// # use glam::dvec3;
    /// let plank = Mesh::cuboid(dvec3(2.0, 0.3, 0.1))?.into_solid();
    /// assert!(plank.report().closed);
    /// # Ok::<(), noli_geom::MeshError>(())
    /// ```
    pub fn cuboid(size: DVec3) -> Result<Self, MeshError> {
        let size = DVec3::new(
            length("size along x", size.x)?,
            length("size along y", size.y)?,
            length("size along z", size.z)?,
        );
        let vertices = Aabb { min: size * -0.5, max: size * 0.5 }.vertices();
        let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
        Ok(Self::checked(vertices.to_vec(), quads.into_iter().flat_map(halves).collect()))
    }

    /// The regular tetrahedron on four vertices of the cube [−1, 1]³.
    pub fn tetrahedron() -> Self {
        let vertices = [[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]];
        let triangles = vec![[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]];
        Self::checked(vertices.map(DVec3::from_array).to_vec(), triangles)
    }

    /// The geodesic sphere of this radius: an icosahedron whose faces are cut flat and evenly into
    /// `cuts`² triangles and pushed out (class I): 20·cuts² faces, inscribed. 0 cuts count as 1.
    pub fn sphere(radius: f64, cuts: u32) -> Result<Self, MeshError> {
        Self::geodesic(DVec3::splat(length("radius", radius)?), cuts)
    }

    /// The ellipsoid with these half axes: a stretched [`Mesh::sphere`].
    pub fn ellipsoid(radii: DVec3, cuts: u32) -> Result<Self, MeshError> {
        let radii = DVec3::new(
            length("half axis along x", radii.x)?,
            length("half axis along y", radii.y)?,
            length("half axis along z", radii.z)?,
        );
        Self::geodesic(radii, cuts)
    }

    /// The cylinder of this height about z, inscribed, with so many flat sides; fewer than 3 count as 3.
    pub fn cylinder(height: f64, radius: f64, slices: u32) -> Result<Self, MeshError> {
        let (half, radius) = (0.5 * length("height", height)?, length("radius", radius)?);
        let slices = slices.max(3);
        check_triangle_count(4 * slices as usize)?;
        let rim = |z: f64| ring(slices).map(move |side| side * radius + DVec3::Z * z);
        let vertices =
            [DVec3::Z * -half].into_iter().chain(rim(-half)).chain(rim(half)).chain([DVec3::Z * half]);
        let (low, high) = (|slice: u32| 1 + slice % slices, |slice: u32| 1 + slices + slice % slices);
        let all = || 0..slices;
        let wall = |slice| halves([low(slice), low(slice + 1), high(slice + 1), high(slice)]);
        let bottom = all().map(|slice| [0, low(slice + 1), low(slice)]);
        let top = all().map(|slice| [high(slice), high(slice + 1), 2 * slices + 1]);
        let triangles = bottom.chain(all().flat_map(wall)).chain(top).collect();
        Ok(Self::checked(vertices.collect(), triangles))
    }

    /// The cone of this height about z, inscribed: its tip up, its middle height at the origin, so many flat
    /// sides; fewer than 3 count as 3.
    pub fn cone(height: f64, radius: f64, slices: u32) -> Result<Self, MeshError> {
        let (half, radius) = (0.5 * length("height", height)?, length("radius", radius)?);
        let slices = slices.max(3);
        check_triangle_count(2 * slices as usize)?;
        let rim = ring(slices).map(|side| side * radius - DVec3::Z * half);
        let bottom = (2..slices).map(|slice| [0, slice, slice - 1]);
        let side = (0..slices).map(|slice| [slice, (slice + 1) % slices, slices]);
        Ok(Self::checked(rim.chain([DVec3::Z * half]).collect(), bottom.chain(side).collect()))
    }

    /// The torus about z: a tube of radius `minor` whose core is a circle of radius `major`, with
    /// `around` tube sections of `along` vertices; fewer than 3 count as 3. A tube wider than its core
    /// crosses itself.
    pub fn torus(major: f64, minor: f64, around: u32, along: u32) -> Result<Self, MeshError> {
        let (major, minor) = (length("radius of the core", major)?, length("radius of the tube", minor)?);
        let (around, along) = (around.max(3), along.max(3));
        check_triangle_count((around as usize).saturating_mul(along as usize).saturating_mul(2))?;
        let section = |outward: DVec3| {
            ring(along).map(move |side| outward * (major + minor * side.x) + DVec3::Z * (minor * side.y))
        };
        let vertex = |section: u32, side: u32| (section % around) * along + side % along;
        let quad = |(section, side)| {
            halves([
                vertex(section, side),
                vertex(section + 1, side),
                vertex(section + 1, side + 1),
                vertex(section, side + 1),
            ])
        };
        let places = (0..around).flat_map(|section| (0..along).map(move |side| (section, side)));
        Ok(Self::checked(ring(around).flat_map(section).collect(), places.flat_map(quad).collect()))
    }

    fn geodesic(radii: DVec3, cuts: u32) -> Result<Self, MeshError> {
        let cuts = cuts.max(1);
        check_triangle_count((cuts as usize).saturating_mul(cuts as usize).saturating_mul(20))?;
        let corners = icosahedron_vertices();
        let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
        let mut known = HashMap::new();
        for face in ICOSAHEDRON {
            // Grid point (i, j) of the face: i steps towards its second vertex, j towards its third.
            let mut vertex = |i: u32, j: u32| {
                let key = grid_key(face, [cuts - i - j, i, j]);
                *known.entry(key).or_insert_with(|| {
                    let flat: DVec3 =
                        key.iter().map(|&(corner, steps)| corners[corner] * f64::from(steps)).sum();
                    vertices.push(flat.normalize() * radii);
                    vertices.len() as u32 - 1
                })
            };
            for (i, j) in (0..cuts).flat_map(|i| (0..cuts - i).map(move |j| (i, j))) {
                let (right, up) = (vertex(i + 1, j), vertex(i, j + 1));
                triangles.push([vertex(i, j), right, up]);
                if i + j + 2 <= cuts {
                    triangles.push([right, vertex(i + 1, j + 1), up]);
                }
            }
        }
        Ok(Self::checked(vertices, triangles))
    }

    /// Vertices in range and faces that name them, by construction.
    fn checked(vertices: Vec<DVec3>, triangles: Vec<[u32; 3]>) -> Self {
        Self::from_parts(vertices, Topology { triangles, ..Default::default() })
    }
}

/// A length that a mesh can have. Half the largest coordinate leaves room for sums of two lengths.
fn length(what: &'static str, value: f64) -> Result<f64, MeshError> {
    let fits = value > 0.0 && value <= 0.5 * MAX_COORDINATE;
    if fits { Ok(value) } else { Err(MeshError::BadLength { what, value }) }
}

/// Two triangles for a quadrilateral given counter-clockwise.
fn halves([a, b, c, d]: [u32; 4]) -> [[u32; 3]; 2] {
    [[a, b, c], [a, c, d]]
}

/// `count` unit vectors in the xy plane, counter-clockwise from x.
fn ring(count: u32) -> impl Iterator<Item = DVec3> {
    (0..count).map(move |i| {
        let (y, x) = (TAU * f64::from(i) / f64::from(count)).sin_cos();
        DVec3::new(x, y, 0.0)
    })
}

/// Returns the key of a grid point, equal for every face that contains it: its vertices and their weights.
/// Zero weights are omitted, and vertices are in order.
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
    use glam::dvec3;
    use std::f64::consts::PI;

    fn assert_solid(mesh: Mesh, genus: i64, volume: f64, tolerance: f64) {
        let report = mesh.report();
        assert!(report.closed && report.oriented, "{report:?}");
        assert_eq!((report.zero_area_triangles, report.non_manifold_edges, report.parts), (0, 0, 1));
        let euler = mesh.vertices().len() as i64 - mesh.triangle_count() as i64 / 2;
        assert_eq!(euler, 2 - 2 * genus);
        let relative = report.signed_volume / volume - 1.0;
        assert!(relative.abs() <= tolerance, "volume {} is not {volume}", report.signed_volume);
    }

    #[test]
    fn primitives_are_closed_and_have_their_volume() {
        let sphere = 4.0 / 3.0 * PI;
        assert_solid(Mesh::cuboid(dvec3(2.0, 4.0, 6.0)).unwrap(), 0, 48.0, 1e-15);
        assert_solid(Mesh::tetrahedron(), 0, 8.0 / 3.0, 1e-15);
        assert_solid(Mesh::sphere(2.0, 16).unwrap(), 0, 8.0 * sphere, 0.01);
        assert_solid(Mesh::ellipsoid(dvec3(1.0, 2.0, 3.0), 16).unwrap(), 0, 6.0 * sphere, 0.01);
        assert_solid(Mesh::cylinder(5.0, 2.0, 64).unwrap(), 0, 20.0 * PI, 0.01);
        assert_solid(Mesh::cone(6.0, 2.0, 64).unwrap(), 0, 8.0 * PI, 0.01);
        assert_solid(Mesh::torus(2.0, 0.5, 128, 64).unwrap(), 1, 2.0 * PI * PI * 2.0 * 0.25, 0.01);
        for cuts in 1..8 {
            let mesh = Mesh::sphere(1.0, cuts).unwrap();
            assert_eq!(mesh.triangle_count() as u32, 20 * cuts * cuts);
            assert_solid(mesh, 0, sphere, 0.4);
        }
    }

    #[test]
    fn smallest_counts_are_raised_and_huge_ones_refused() {
        assert_eq!(Mesh::sphere(1.0, 0), Mesh::sphere(1.0, 1));
        assert_eq!(Mesh::cylinder(1.0, 1.0, 0), Mesh::cylinder(1.0, 1.0, 3));
        assert_eq!(Mesh::cone(1.0, 1.0, 0), Mesh::cone(1.0, 1.0, 3));
        assert_eq!(Mesh::torus(2.0, 0.5, 0, 0), Mesh::torus(2.0, 0.5, 3, 3));
        for mesh in [
            Mesh::sphere(1.0, u32::MAX),
            Mesh::cylinder(1.0, 1.0, u32::MAX),
            Mesh::cone(1.0, 1.0, u32::MAX),
            Mesh::torus(2.0, 0.5, u32::MAX, u32::MAX),
        ] {
            assert!(matches!(mesh, Err(MeshError::TooMany { .. })));
        }
    }

    #[test]
    fn lengths_are_positive_and_within_range() {
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY, MAX_COORDINATE] {
            for mesh in [
                Mesh::cuboid(dvec3(1.0, bad, 1.0)),
                Mesh::sphere(bad, 4),
                Mesh::ellipsoid(dvec3(1.0, 1.0, bad), 4),
                Mesh::cylinder(bad, 1.0, 8),
                Mesh::cone(1.0, bad, 8),
                Mesh::torus(1.0, bad, 8, 8),
            ] {
                assert!(matches!(mesh, Err(MeshError::BadLength { .. })), "{bad}: {mesh:?}");
            }
        }
        let largest = 0.5 * MAX_COORDINATE;
        let ring = Mesh::torus(largest, largest, 8, 8).unwrap();
        assert!(ring.vertices().iter().all(|v| v.is_finite() && v.abs().max_element() <= MAX_COORDINATE));
    }
}
