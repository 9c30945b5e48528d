//! Regions of the surface of a volume, their samples and correction terms.

use super::{Correction, far_on_sphere};
use glam::{DMat3, DVec3};
use noli_geom::internals::Faces;
use noli_geom::{Aabb, AnyVolume, Obb, Sphere, Triangle};

/// A region of a surface.
#[derive(Clone, Copy, Debug)]
pub(super) enum Region {
    Rectangle([DVec3; 4]),
    Arch([DVec3; 3], Sphere),
}

impl Region {
    /// Twenty arches of a sphere, the sides of a box that have an area; all sides where none has.
    pub(super) fn cover(volume: &AnyVolume) -> Option<Vec<Self>> {
        let obb = match volume {
            AnyVolume::Sphere(sphere) => {
                let place = |vertex: DVec3| sphere.center + vertex * sphere.radius;
                return Some(icosahedron().into_iter().map(|t| Self::Arch(t.map(place), *sphere)).collect());
            }
            AnyVolume::Aabb(aabb) => Obb::from(*aabb),
            AnyVolume::Obb(obb) => *obb,
            AnyVolume::Kdop(_) => return None,
        };
        let own = Aabb { min: -obb.half_extents, max: obb.half_extents };
        let vertices = own.vertices().map(|vertex| obb.center + obb.axes * vertex);
        let quads = [[0, 2, 6, 4], [1, 5, 7, 3], [0, 4, 5, 1], [2, 3, 7, 6], [0, 1, 3, 2], [4, 6, 7, 5]];
        let sides = quads.map(|quad: [usize; 4]| quad.map(|k| vertices[k]));
        let area = |[a, b, _, d]: &[DVec3; 4]| (*b - *a).cross(*d - *a).length();
        let all_flat = sides.iter().all(|side| area(side) == 0.0);
        Some(sides.into_iter().filter(|side| all_flat || area(side) > 0.0).map(Self::Rectangle).collect())
    }

    pub(super) fn vertices(&self) -> &[DVec3] {
        match self {
            Self::Rectangle(vertices) => vertices,
            Self::Arch(vertices, _) => vertices,
        }
    }

    /// The point from which the farthest is nearest.
    pub(super) fn middle(&self) -> DVec3 {
        match self {
            Self::Rectangle(vertices) => vertices.iter().sum::<DVec3>() / 4.0,
            Self::Arch([a, b, c], sphere) => {
                let normal = (b - a).cross(c - b);
                let rows = DMat3::from_cols(b - a, c - b, normal).transpose();
                let right = DVec3::new(
                    0.5 * (b.length_squared() - a.length_squared()),
                    0.5 * (c.length_squared() - b.length_squared()),
                    normal.dot(*a),
                );
                let around = rows.inverse() * right;
                let obtuse = |p: &DVec3, q: &DVec3, r: &DVec3| (q - p).dot(r - p) < 0.0;
                let flat = match (obtuse(a, b, c), obtuse(b, c, a), obtuse(c, a, b)) {
                    (true, ..) => b.midpoint(*c),
                    (_, true, _) => c.midpoint(*a),
                    (.., true) => a.midpoint(*b),
                    _ if around.is_finite() => around,
                    _ => (a + b + c) / 3.0,
                };
                on_sphere(sphere, flat)
            }
        }
    }

    /// Returns the distance of a point to the farthest point of the region.
    pub(super) fn farthest(&self, point: DVec3) -> f64 {
        match self {
            Self::Rectangle(vertices) => vertices.iter().map(|c| c.distance(point)).fold(0.0, f64::max),
            Self::Arch(vertices, sphere) => far_on_sphere(point, *vertices, sphere),
        }
    }

    /// A lower and an upper bound of the largest distance of the region from the faces.
    pub(super) fn bounds(&self, faces: &(impl Faces + ?Sized), correction: Correction) -> Option<(f64, f64)> {
        // The region's own vertices would share their samples with neighbours; the middle serves all terms.
        let sample = self.middle();
        let face = faces.nearest(sample)?;
        let foot = face.closest_to(sample);
        let distance = foot.distance(sample);
        Some((distance, distance + self.term(correction, sample, &face, foot, distance)))
    }

    pub(super) fn term(
        &self,
        correction: Correction,
        sample: DVec3,
        face: &Triangle,
        foot: DVec3,
        distance: f64,
    ) -> f64 {
        match correction {
            Correction::Sample => self.vertices().iter().map(|c| c.distance(sample)).fold(0.0, f64::max),
            Correction::Foot => (self.farthest(foot) - distance).max(0.0),
            Correction::Face => {
                let vertices = self.vertices().iter().map(|c| face.closest_to(*c).distance(*c));
                (vertices.fold(0.0, f64::max) + self.arch() - distance).max(0.0)
            }
        }
    }

    /// Returns the height of the region above the plane of its vertices.
    pub(super) fn arch(&self) -> f64 {
        let Self::Arch([a, b, c], sphere) = self else { return 0.0 };
        let normal = (b - a).cross(c - a).normalize_or_zero();
        (sphere.radius - normal.dot(a - sphere.center).abs()).max(0.0)
    }

    pub(super) fn parts(&self) -> Vec<Self> {
        match self {
            Self::Rectangle([a, b, c, d]) => {
                let middle = (a + b + c + d) / 4.0;
                let [ab, bc, cd, da] = [a.midpoint(*b), b.midpoint(*c), c.midpoint(*d), d.midpoint(*a)];
                let parts =
                    [[*a, ab, middle, da], [*b, bc, middle, ab], [*c, cd, middle, bc], [*d, da, middle, cd]];
                parts.map(Self::Rectangle).to_vec()
            }
            Self::Arch(vertices, sphere) => {
                let side = |k: usize| vertices[k].distance_squared(vertices[(k + 1) % 3]);
                let longest = (0..3).max_by(|&i, &j| side(i).total_cmp(&side(j))).unwrap_or(0);
                let [a, b, c] = [0, 1, 2].map(|k| vertices[(longest + k) % 3]);
                let middle = on_sphere(sphere, a.midpoint(b));
                [[a, middle, c], [b, c, middle]].map(|part| Self::Arch(part, *sphere)).to_vec()
            }
        }
    }
}

pub(super) fn on_sphere(sphere: &Sphere, point: DVec3) -> DVec3 {
    sphere.center + (point - sphere.center).normalize_or(DVec3::X) * sphere.radius
}

/// The sides of the icosahedron in the unit sphere, counter-clockwise from outside.
pub(super) fn icosahedron() -> Vec<[DVec3; 3]> {
    let golden = 0.5 * (1.0 + 5f64.sqrt());
    let signs = [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)];
    let vertices: Vec<DVec3> = signs
        .into_iter()
        .flat_map(|(s, t)| {
            let long = t * golden;
            [DVec3::new(0.0, s, long), DVec3::new(s, long, 0.0), DVec3::new(long, 0.0, s)]
        })
        .collect();
    let near = |i: usize, j: usize| vertices[i].distance_squared(vertices[j]) < 4.1;
    let mut sides = Vec::new();
    for i in 0..12 {
        for j in i + 1..12 {
            for k in (j + 1..12).filter(|&k| near(i, j) && near(j, k) && near(k, i)) {
                let [a, b, c] = [i, j, k].map(|n| vertices[n].normalize());
                sides.push(if a.cross(b).dot(c) > 0.0 { [a, b, c] } else { [a, c, b] });
            }
        }
    }
    sides
}
