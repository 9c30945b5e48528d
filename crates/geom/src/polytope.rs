//! Convex polyhedra by their faces, and halves of them.

use crate::internals::sort_by;
use crate::volume::length;
use crate::{Aabb, Kdop};
use glam::DVec3;
use std::collections::HashMap;

/// A face of a [`Polytope`]: a convex polygon in the plane `normal · x = offset`.
#[derive(Clone, Debug, PartialEq)]
pub struct PolytopeFace {
    /// Unit normal, outward.
    pub normal: DVec3,
    /// Distance of the plane from the origin along the normal.
    pub offset: f64,
    /// Positions in [`Polytope::vertices`], counter-clockwise seen from outside.
    pub vertices: Vec<u32>,
    /// The number of the face it was part of before cuts; `None` for a cut.
    pub origin: Option<u32>,
}

/// A convex polyhedron with positive volume, up to rounding.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Polytope {
    /// The vertices.
    pub vertices: Vec<DVec3>,
    /// The faces.
    pub faces: Vec<PolytopeFace>,
}

/// Vertices nearer to a cutting plane than this share of the size lie on it.
const ON_PLANE: f64 = 1e-12;

impl Polytope {
    /// From vertices and faces given counter-clockwise seen from outside. Faces must be flat and the whole
    /// convex, both up to rounding; `None` if a face has no area.
    pub fn new(vertices: Vec<DVec3>, faces: &[Vec<u32>]) -> Option<Self> {
        let face = |(index, corners): (usize, &Vec<u32>)| {
            let at = |k: usize| vertices[corners[k % corners.len()] as usize];
            let normal: DVec3 = (0..corners.len()).map(|k| (at(k) - at(0)).cross(at(k + 1) - at(0))).sum();
            let normal = normal.try_normalize()?;
            // The outermost vertex: the piece lies below its planes.
            let offset =
                corners.iter().map(|&v| normal.dot(vertices[v as usize])).fold(f64::NEG_INFINITY, f64::max);
            Some(PolytopeFace { normal, offset, vertices: corners.clone(), origin: Some(index as u32) })
        };
        let faces: Option<Vec<_>> = faces.iter().enumerate().map(face).collect();
        Some(Self { faces: faces?, vertices })
    }

    /// Creates the solid with these vertices by testing every plane through three of them: `O(n⁴)`, for known
    /// solids. Unlike an exact [`Hull`](crate::Hull), it tolerates rounding. Vertices off a plane by up to a
    /// billionth of the size belong to its face. `None` if all are coplanar.
    pub fn around(points: &[DVec3]) -> Option<Self> {
        let size = Aabb::from_points(points.iter().copied()).size().max_element();
        let mut faces: Vec<Vec<u32>> = Vec::new();
        let count = points.len();
        for i in 0..count {
            for j in i + 1..count {
                for k in j + 1..count {
                    let (a, b, c) = (points[i], points[j], points[k]);
                    let Some(normal) = (b - a).cross(c - a).try_normalize() else { continue };
                    if let Some(vertices) = supporting(points, normal, normal.dot(a), 1e-9 * size) {
                        let sorted = |face: &[u32]| {
                            let mut face = face.to_vec();
                            face.sort_unstable();
                            face
                        };
                        if !faces.iter().any(|known| sorted(known) == sorted(&vertices)) {
                            faces.push(vertices);
                        }
                    }
                }
            }
        }
        if faces.len() < 4 { None } else { Self::new(points.to_vec(), &faces) }
    }

    /// A box; `None` if it is flat.
    pub fn cuboid(bounds: &Aabb) -> Option<Self> {
        if bounds.is_empty() || bounds.size().min_element() <= 0.0 {
            return None;
        }
        let faces = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
        Self::new(bounds.vertices().to_vec(), &faces.map(Vec::from))
    }

    /// The part with `normal · x <= offset`, for a unit normal; the new face has this origin. `None` if
    /// no volume is left.
    pub fn below(&self, normal: DVec3, offset: f64, origin: Option<u32>) -> Option<Self> {
        let size = self.aabb().size().max_element();
        let near = ON_PLANE * size;
        let height: Vec<f64> = self.vertices.iter().map(|v| normal.dot(*v) - offset).collect();
        if !height.iter().any(|h| *h < -near) {
            return None;
        }
        if !height.iter().any(|h| *h > near) {
            return Some(self.clone());
        }
        let mut cut = Cut { body: self, height: &height, near, vertices: Vec::new(), kept: HashMap::new() };
        let mut faces: Vec<PolytopeFace> = self.faces.iter().filter_map(|face| cut.clip(face)).collect();
        let rim = cut.rim();
        let vertices = cut.vertices;
        if rim.len() >= 3 {
            let corners = around_axis(&vertices, rim, normal);
            faces.push(PolytopeFace { normal, offset, vertices: corners, origin });
        }
        Some(Self { vertices, faces })
    }

    /// Both halves of a cut; `None` if one would be empty.
    pub fn halves(&self, normal: DVec3, offset: f64) -> Option<[Self; 2]> {
        Some([self.below(normal, offset, None)?, self.below(-normal, -offset, None)?])
    }

    /// The smallest axis-aligned box around it.
    pub fn aabb(&self) -> Aabb {
        Aabb::from_points(self.vertices.iter().copied())
    }

    /// Planes as normals and offsets; the polytope is what lies below all.
    pub fn planes(&self) -> Vec<(DVec3, f64)> {
        self.faces.iter().map(|face| (face.normal, face.offset)).collect()
    }

    /// The faces cut into triangles, with the number of the face.
    pub fn triangles(&self) -> impl Iterator<Item = (usize, [DVec3; 3])> {
        let vertex = |v: &u32| self.vertices[*v as usize];
        self.faces.iter().enumerate().flat_map(move |(index, face)| {
            let first = vertex(&face.vertices[0]);
            face.vertices[1..].windows(2).map(move |w| (index, [first, vertex(&w[0]), vertex(&w[1])]))
        })
    }

    /// The volume, up to rounding.
    pub fn volume(&self) -> f64 {
        let middle = self.aabb().center();
        let parts = self.triangles().map(|(_, t)| {
            let [a, b, c] = t.map(|v| v - middle);
            a.dot(b.cross(c))
        });
        parts.sum::<f64>() / 6.0
    }

    /// The area of the surface, up to rounding.
    pub fn area(&self) -> f64 {
        self.triangles().map(|(_, [a, b, c])| 0.5 * (b - a).cross(c - a).length()).sum()
    }

    /// The largest distance of two vertices.
    pub fn diameter(&self) -> f64 {
        let from = |v: &DVec3| self.vertices.iter().map(|w| v.distance_squared(*w)).fold(0.0, f64::max);
        self.vertices.iter().map(from).fold(0.0, f64::max).sqrt()
    }

    /// Returns `true` if a point is below all planes.
    pub fn holds(&self, point: DVec3) -> bool {
        self.faces.iter().all(|face| face.normal.dot(point) <= face.offset)
    }
}

/// The points of a plane, in order around its normal, if all others lie below it or all above.
fn supporting(points: &[DVec3], normal: DVec3, offset: f64, near: f64) -> Option<Vec<u32>> {
    let (mut above, mut below, mut on) = (false, false, Vec::new());
    for (index, point) in (0u32..).zip(points) {
        let height = normal.dot(*point) - offset;
        if height.abs() <= near {
            on.push(index);
        } else if height > 0.0 {
            above = true;
        } else {
            below = true;
        }
        if above && below {
            return None;
        }
    }
    Some(around_axis(points, on, if above { -normal } else { normal }))
}

/// Vertices of a convex polygon in counter-clockwise order about an axis.
fn around_axis(vertices: &[DVec3], mut corners: Vec<u32>, axis: DVec3) -> Vec<u32> {
    let middle = corners.iter().map(|&v| vertices[v as usize]).sum::<DVec3>() / corners.len() as f64;
    let u = axis.any_orthonormal_vector();
    let v = axis.cross(u);
    let angle = |&c: &u32| {
        let d = vertices[c as usize] - middle;
        d.dot(v).atan2(d.dot(u))
    };
    sort_by(&mut corners, |a, b| angle(a).total_cmp(&angle(b)));
    corners
}

/// A polytope being cut. Heights and edge points are computed once for each vertex and edge, so neighbours
/// agree.
struct Cut<'a> {
    body: &'a Polytope,
    height: &'a [f64],
    near: f64,
    vertices: Vec<DVec3>,
    /// New numbers of old vertices (both ends equal) and of points on old edges.
    kept: HashMap<(u32, u32), u32>,
}

impl Cut<'_> {
    fn clip(&mut self, face: &PolytopeFace) -> Option<PolytopeFace> {
        let mut vertices = Vec::with_capacity(face.vertices.len() + 1);
        let mut proper = false;
        for (k, &v) in face.vertices.iter().enumerate() {
            let next = face.vertices[(k + 1) % face.vertices.len()];
            let (here, there) = (self.side(v), self.side(next));
            proper |= here < 0;
            if here <= 0 {
                vertices.push(self.number(v, v));
            }
            if here * there < 0 {
                vertices.push(self.number(v.min(next), v.max(next)));
            }
        }
        (proper && vertices.len() >= 3).then(|| PolytopeFace { vertices, ..face.clone() })
    }

    /// −1 below the plane, 0 on it, 1 above.
    fn side(&self, v: u32) -> i32 {
        let height = self.height[v as usize];
        if height.abs() <= self.near { 0 } else { height.signum() as i32 }
    }

    fn number(&mut self, a: u32, b: u32) -> u32 {
        let (body, height, vertices) = (self.body, self.height, &mut self.vertices);
        *self.kept.entry((a, b)).or_insert_with(|| {
            let (p, q) = (body.vertices[a as usize], body.vertices[b as usize]);
            let (hp, hq) = (height[a as usize], height[b as usize]);
            vertices.push(if a == b { p } else { p + (q - p) * (hp / (hp - hq)) });
            vertices.len() as u32 - 1
        })
    }

    /// The kept vertices that lie on the plane.
    fn rim(&self) -> Vec<u32> {
        let on = self.kept.iter().filter(|((a, b), _)| a != b || self.side(*a) == 0);
        let mut rim: Vec<u32> = on.map(|(_, number)| *number).collect();
        rim.sort_unstable();
        rim
    }
}

impl Kdop {
    /// The same set by its faces; `None` if it is flat.
    pub fn polytope(&self) -> Option<Polytope> {
        let mut body = Polytope::cuboid(&self.aabb())?;
        for ([low, high], direction) in self.slabs[3..].iter().zip(&Self::DIRECTIONS[3..]) {
            let (unit, norm) = (direction.normalize(), length(*direction));
            body = body.below(unit, high / norm, None)?;
            body = body.below(-unit, -low / norm, None)?;
        }
        Some(body)
    }
}
