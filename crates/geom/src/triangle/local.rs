//! Exact local structure of two meshes at a point of both surfaces.
//!
//! Around such a point each mesh is a cone: its faces intersect a small sphere in arcs of great circles.
//! Winding numbers decide if a cell of the sphere between arcs is inside or outside each solid. Every cell
//! has an end of an arc, or an intersection of two, on its rim. So the directions next to those cover all
//! cells. A direction is symbolic: `r + ε·t + ε²·n` for a ray `r` in a plane with normal `n` and
//! `t = ±n × r`. The three are independent, so the first nonzero one decides every linear sign. Nothing is
//! ever constructed or rounded.

use super::pair::{A, B, PairFrame, TrianglePair, Vertex};
use super::relation::Hull;
use crate::number::exact::{IntegerPoint, sign};
use crate::number::ring;
use crate::{Triangle, UNIT_ROUNDOFF};
use dashu_int::IBig;
use dashu_int::ops::BitTest;
use glam::DVec3;
use std::cell::LazyCell;

/// A point that two placed meshes have in common, named by what it is given by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CommonPoint {
    /// A point in A's frame.
    OfA(DVec3),
    /// A point in B's frame.
    OfB(DVec3),
    /// Intersection of an edge of A and an edge of B that are not parallel, each in its body's frame.
    Edges([DVec3; 2], [DVec3; 2]),
}

/// The vertices of the common part of two faces, by what they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CommonVertices {
    /// Vertices of A that lie in B.
    pub of_a: [bool; 3],
    /// Vertices of B that lie in A and at none of its vertices.
    pub of_b: [bool; 3],
    /// Edges of A (first index, from that vertex to the next) and of B that intersect inside both.
    pub edges: [[bool; 3]; 3],
}

impl TrianglePair<'_> {
    /// Returns the `wanted` vertices of the intersection of two faces; none if one of them has no area. Exact.
    pub fn common_vertices(&self, wanted: &CommonVertices) -> CommonVertices {
        let mut found = CommonVertices::default();
        if *wanted == found {
            return found;
        }
        let (sides_a, sides_b) = (self.sides(B, A), self.sides(A, B));
        let [axis_a, axis_b] = [A, B].map(|face| LazyCell::new(move || self.projection(&[face])));
        // Whose plane has something on a side has an area.
        if sides_b == [0; 3] && axis_a.is_none() || sides_a == [0; 3] && axis_b.is_none() {
            return found;
        }
        let holds = |face: [Vertex; 3], axis: &Option<usize>, c: Vertex| {
            axis.is_some_and(|axis| self.flat_contains(&Hull::face(face), c, axis))
        };
        found.of_a = [0, 1, 2].map(|k| wanted.of_a[k] && sides_a[k] == 0 && holds(B, &axis_b, A[k]));
        found.of_b = [0, 1, 2].map(|k| {
            let is_new = |c: Vertex| sides_a[c] != 0 || self.compare_lexicographic(c, B[k]).is_ne();
            wanted.of_b[k] && sides_b[k] == 0 && A.into_iter().all(is_new) && holds(A, &axis_a, B[k])
        });
        let flat = sides_a == [0; 3];
        for i in 0..3 {
            for j in (0..3).filter(|&j| wanted.edges[i][j]) {
                let (next_i, next_j) = ((i + 1) % 3, (j + 1) % 3);
                let misses = sides_a[i] * sides_a[next_i] > 0 || sides_b[j] * sides_b[next_j] > 0;
                let ends: [Vertex; 4] = [A[i], A[next_i], B[j], B[next_j]];
                let axis = if flat { *axis_a } else { None };
                found.edges[i][j] = !misses && self.cross_inside(ends, axis);
            }
        }
        found
    }

    fn cross_inside(&self, [p, q, r, s]: [Vertex; 4], axis: Option<usize>) -> bool {
        let axis = axis.or_else(|| {
            let level = self.orient3d([p, q, r, s]) == 0;
            if level { self.projection(&[[p, q, r], [p, q, s]]) } else { None }
        });
        axis.is_some_and(|axis| self.edges_cross([p, q], [r, s], axis))
    }
}

/// An exact vector of any length, and the same rounded with its largest coordinate near 1.
#[derive(Clone, Debug)]
struct Vector {
    exact: IntegerPoint,
    rounded: DVec3,
}

impl Vector {
    fn new(exact: IntegerPoint) -> Self {
        let bits = exact.iter().map(|c| c.bit_len()).max().unwrap_or(0);
        let scale = 2.0f64.powi(-(bits.min(512) as i32));
        let shift = bits.saturating_sub(512);
        let round = |c: &IBig| if shift == 0 { c.to_f64().value() } else { (c >> shift).to_f64().value() };
        let rounded = DVec3::from_array(exact.each_ref().map(|c| round(c) * scale));
        Self { exact, rounded }
    }

    fn is_zero(&self) -> bool {
        self.exact.iter().all(|c| *c == IBig::ZERO)
    }

    fn cross(&self, other: &Self) -> Self {
        Self::new(ring::cross(&self.exact, &other.exact))
    }

    /// Sign of the scalar product. Coordinates are at most 1 and each within a roundoff: three products with
    /// two roundings of factors, and three operations, err by less than 16 roundoffs.
    fn side(&self, other: &Self) -> i8 {
        let value = self.rounded.dot(other.rounded);
        if value.abs() > 16.0 * UNIT_ROUNDOFF {
            return if value > 0.0 { 1 } else { -1 };
        }
        sign(&ring::dot(&self.exact, &other.exact))
    }

    /// Returns 1 if the other has the same direction, -1 if the opposite direction, 0 if neither.
    fn parallel(&self, other: &Self) -> i8 {
        // Parallel up to roundoffs of factors near 1, or not at all.
        if self.rounded.cross(other.rounded).abs().max_element() > 1e-12 {
            return 0;
        }
        let cross = ring::cross(&self.exact, &other.exact);
        if cross.iter().any(|c| *c != IBig::ZERO) { 0 } else { self.side(other) }
    }
}

/// The trace of a face on the sphere: from one ray to another, less than half a circle.
#[derive(Clone, Copy, Debug)]
struct Arc {
    /// 0 for A, 1 for B.
    body: usize,
    plane: usize,
    /// 1 if the plane's normal is the face's, -1 if it is the opposite.
    turn: i8,
    ends: [usize; 2],
}

/// Directions around a point that lie in one body and not in the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shares {
    /// Some lie in both interiors.
    pub both: bool,
    /// Some lie in A and outside B.
    pub only_a: bool,
    /// Some lie in B and outside A.
    pub only_b: bool,
}

impl std::ops::BitOrAssign for Shares {
    fn bitor_assign(&mut self, other: Self) {
        self.both |= other.both;
        self.only_a |= other.only_a;
        self.only_b |= other.only_b;
    }
}

/// Two meshes as they look from a common point. Exact.
///
/// ```
/// use glam::DVec3;
/// use noli_geom::{CommonPoint, VertexNeighborhood, PairFrame, Pose, RelativePose, Triangle};
/// // A floor seen from one of its points, and the vertex of a tetrahedron that stands on it.
/// let floor = [Triangle::new(DVec3::NEG_X + DVec3::NEG_Y, DVec3::X * 3.0, DVec3::Y * 3.0)];
/// let [o, x, y, z] = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
/// let tip = [Triangle::new(o, y, x), Triangle::new(o, x, z), Triangle::new(o, z, y)];
/// let frame = PairFrame::new(&RelativePose::new(&Pose::IDENTITY, &Pose::IDENTITY));
/// let picture = VertexNeighborhood::new(&frame, &CommonPoint::OfA(o), [&floor, &tip]);
/// // Seen from high above, where neither winds around anything.
/// let shares = picture.shares(DVec3::new(-1.0, -2.0, 7.0), [Some(0), Some(0)], [true, true]).unwrap();
/// assert!(!shares.both && shares.only_a && shares.only_b);
/// ```
#[derive(Debug)]
pub struct VertexNeighborhood<'f> {
    frame: &'f PairFrame,
    at: CommonPoint,
    rays: Vec<Vector>,
    planes: Vec<Vector>,
    arcs: Vec<Arc>,
    holds: [Vec<bool>; 2],
}

impl<'f> VertexNeighborhood<'f> {
    /// The picture by those of A's and of B's faces that hold the point; the others are left out.
    pub fn new(frame: &'f PairFrame, at: &CommonPoint, faces: [&[Triangle]; 2]) -> Self {
        let (rays, planes, arcs, holds) = Default::default();
        let mut picture = Self { frame, at: *at, rays, planes, arcs, holds };
        let [a, b] = faces.map(|faces| faces.iter().flat_map(|face| face.vertices).collect::<Vec<_>>());
        let vertices = picture.offsets(&a, &b);
        let (of_a, of_b) = vertices.split_at(a.len());
        for (body, vertices) in [of_a, of_b].into_iter().enumerate() {
            for face in vertices.chunks_exact(3) {
                let [p, q, r] = [0, 1, 2].map(|k| Vector::new(face[k].clone()));
                let held = picture.add(body, [&p, &q, &r]);
                picture.holds[body].push(held);
            }
        }
        picture
    }

    /// Returns `true` for each given face that contains the point; a face without area never does.
    pub fn holds(&self, body: usize) -> &[bool] {
        &self.holds[body]
    }

    /// Returns `true` if all faces lie in planes through one line. Closed meshes then have the same structure
    /// at all nearby points of that line.
    pub fn is_prism(&self) -> bool {
        let [first, second, others @ ..] = self.planes.as_slice() else { return true };
        let line = first.cross(second);
        others.iter().all(|plane| plane.side(&line) == 0)
    }

    /// From the point to others, all times one positive number.
    fn offsets(&self, a: &[DVec3], b: &[DVec3]) -> Vec<IntegerPoint> {
        let pose = self.frame.exact();
        let (more_a, more_b): (&[DVec3], &[DVec3]) = match &self.at {
            CommonPoint::OfA(point) => (std::slice::from_ref(point), &[]),
            CommonPoint::OfB(point) => (&[], std::slice::from_ref(point)),
            CommonPoint::Edges(a, b) => (a, b),
        };
        let placed = pose.place_all([a, b, more_a, more_b]);
        let (points, given) = placed.split_at(a.len() + b.len());
        match given {
            [point] => points.iter().map(|p| ring::minus(p, point)).collect(),
            [start, end, other, far] => {
                let [u, v, w] = [ring::minus(end, start), ring::minus(far, other), ring::minus(other, start)];
                let (whole, part) = (ring::cross(&u, &v), ring::cross(&w, &v));
                // `start + u·part/whole`, by a coordinate that differs.
                let axis = (0..3).find(|&k| whole[k] != IBig::ZERO).unwrap_or(0);
                let (whole, part) = if whole[axis] < IBig::ZERO {
                    (-&whole[axis], -&part[axis])
                } else {
                    (whole[axis].clone(), part[axis].clone())
                };
                let offset = |p: &IntegerPoint| -> IntegerPoint {
                    std::array::from_fn(|k| (&p[k] - &start[k]) * &whole - &u[k] * &part)
                };
                points.iter().map(offset).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Adds a face if it holds the point.
    fn add(&mut self, body: usize, vertices: [&Vector; 3]) -> bool {
        let Some(normals) = normals_around(vertices) else { return false };
        let Some(normal) = normals.iter().find(|normal| !normal.is_zero()) else { return false };
        let (plane, turn) = found_or_added(&mut self.planes, normal, true);
        for (k, normal) in normals.iter().enumerate() {
            if !normal.is_zero() {
                let ends = [k, (k + 1) % 3].map(|k| found_or_added(&mut self.rays, vertices[k], false).0);
                self.arcs.push(Arc { body, plane, turn, ends });
            }
        }
        true
    }

    /// Returns the side from which a ray passes through a face: 1 from where its vertices turn
    /// counter-clockwise. 0 if it misses or the face contains the point, `None` if it intersects an edge. The
    /// ray's end is in the frame in which the point was given.
    pub fn passes(&self, end: DVec3, face: &Triangle, of_b: bool) -> Option<i8> {
        let end_of_b = matches!(self.at, CommonPoint::OfB(_));
        let (mut a, mut b) = (Vec::with_capacity(4), Vec::with_capacity(4));
        if of_b { &mut b } else { &mut a }.extend(face.vertices);
        if end_of_b { &mut b } else { &mut a }.push(end);
        let mut offsets: Vec<Vector> = self.offsets(&a, &b).into_iter().map(Vector::new).collect();
        if !end_of_b && of_b {
            offsets.rotate_left(1);
        }
        let [p, q, r, ray] = offsets.as_slice() else { return Some(0) };
        let [pq, qr, rp] = [p.cross(q), q.cross(r), r.cross(p)];
        let (height, turns) = (pq.side(r), [pq.side(ray), qr.side(ray), rp.side(ray)]);
        if height == 0 {
            // Where the face holds the point it counts elsewhere; a ray in its plane may run along it.
            let area = (0..3).any(|k| &pq.exact[k] + &qr.exact[k] + &rp.exact[k] != IBig::ZERO);
            return (!area || turns != [0; 3]).then_some(0);
        }
        if turns.contains(&-height) {
            return Some(0);
        }
        (!turns.contains(&0)).then_some(-height)
    }

    /// Returns the directions around the point. `far` are sums of [`VertexNeighborhood::passes`] over all faces
    /// of each body along the ray to `end`. A body with a face at the point that winds around every point once
    /// or not at all needs none. Of a body that is not `solid` only its faces count. `None` if the ray lies in
    /// the plane of a face at the point: then use another ray.
    pub fn shares(&self, end: DVec3, far: [Option<i64>; 2], solid: [bool; 2]) -> Option<Shares> {
        let ray = match self.at {
            CommonPoint::OfB(_) => self.offsets(&[], &[end]),
            CommonPoint::OfA(_) | CommonPoint::Edges(..) => self.offsets(&[end], &[]),
        };
        let ray = Vector::new(ray.into_iter().next()?);
        let look = Look {
            picture: self,
            solid,
            facing: self.planes.iter().map(|plane| plane.side(&ray)).collect(),
            sides: self.planes.iter().cloned().chain(self.rays.iter().map(|end| ray.cross(end))).collect(),
            rims: self
                .arcs
                .iter()
                .map(|arc| if solid[arc.body] { None } else { Some(self.rim(arc)) })
                .collect(),
        };
        if look.facing.contains(&0) {
            return None;
        }
        let mut seen = Vec::new();
        for start in &self.rays {
            look.around(start, &mut seen);
        }
        for start in self.intersections() {
            look.around(&start, &mut seen);
        }
        // Both sides of a face are next to the point. Rays leave a body through faces that look along them, and count
        // them as -1: so much outside is more than inside.
        let most =
            |body: usize| seen.iter().flat_map(|next| next.windings).map(|winding| winding[body]).max();
        let far = [0, 1].map(|body| far[body].unwrap_or_else(|| -most(body).unwrap_or(0)));
        let mut found = Shares::default();
        seen.iter().for_each(|next| next.count(far, solid, &mut found));
        Some(found)
    }

    /// Normals, within its plane, of the ends of an arc.
    fn rim(&self, arc: &Arc) -> [Vector; 2] {
        arc.ends.map(|end| self.planes[arc.plane].cross(&self.rays[end]))
    }

    /// Returns the points at which arcs intersect inside both.
    fn intersections(&self) -> Vec<Vector> {
        let count = self.rays.len();
        let sides = self.planes.iter().flat_map(|plane| self.rays.iter().map(|ray| plane.side(ray)));
        let sides: Vec<i8> = sides.collect();
        let on = |arc: &Arc, other: &Arc| other.ends.map(|end| arc.turn * sides[arc.plane * count + end]);
        let mut found = Vec::new();
        for (i, arc) in self.arcs.iter().enumerate() {
            for other in self.arcs[..i].iter().filter(|other| other.plane != arc.plane) {
                let of_other = on(arc, other);
                if of_other[0] * of_other[1] >= 0 {
                    continue;
                }
                let of_arc = on(other, arc);
                // With normals m, n and ends u, v: m × n = v(u·n) − u(v·n), and the same for the other arc.
                if of_arc[0] == of_other[1] && of_arc[1] == of_other[0] && of_arc[0] != 0 {
                    let turn = of_arc[0] * arc.turn * other.turn;
                    let [m, n] = [arc.plane, other.plane].map(|plane| &self.planes[plane]);
                    found.push(if turn > 0 { m.cross(n) } else { n.cross(m) });
                }
            }
        }
        found
    }
}

/// Normals of the triangles from the point to each edge of a face; `None` if the face does not hold the
/// point.
fn normals_around([p, q, r]: [&Vector; 3]) -> Option<[Vector; 3]> {
    // Coordinates are at most 1 and within a roundoff: six products of three and their sum err by less than 64.
    if p.rounded.cross(q.rounded).dot(r.rounded).abs() > 64.0 * UNIT_ROUNDOFF {
        return None;
    }
    let pq = p.cross(q);
    if pq.side(r) != 0 {
        return None;
    }
    let normals = [pq, q.cross(r), r.cross(p)];
    let within = (0..3).all(|k| normals[k].side(&normals[(k + 1) % 3]) >= 0);
    // Two opposite edges through the point leave one normal; outside, on the line of an edge, two that
    // cancel.
    within.then_some(normals)
}

/// Returns the index of a vector in a list of different ones, and 1 or -1 for the same or the opposite
/// direction.
fn found_or_added(list: &mut Vec<Vector>, vector: &Vector, either_way: bool) -> (usize, i8) {
    for (number, known) in list.iter().enumerate() {
        let turn = known.parallel(vector);
        if turn > 0 || either_way && turn < 0 {
            return (number, turn);
        }
    }
    list.push(vector.clone());
    (list.len() - 1, 1)
}

/// A picture with all that is the same for every direction.
struct Look<'p> {
    picture: &'p VertexNeighborhood<'p>,
    solid: [bool; 2],
    /// On which side of each plane the ray runs.
    facing: Vec<i8>,
    /// Normals of the planes, then of the planes through the ray and each end of an arc.
    sides: Vec<Vector>,
    /// The ends of arcs of surfaces, by normals within their planes.
    rims: Vec<Option<[Vector; 2]>>,
}

/// The signs of all sides in a direction, by its three parts.
struct Signs {
    start: Vec<i8>,
    along: Vec<i8>,
    off: Vec<i8>,
}

/// The two sides of a plane next to one direction in it.
struct Next {
    /// Winding number of each body around a side minus that around the ray's end.
    windings: [[i64; 2]; 2],
    /// `true` for each body that is a surface with a face there.
    covered: [bool; 2],
}

impl Next {
    fn count(&self, far: [i64; 2], solid: [bool; 2], found: &mut Shares) {
        let within = self.windings.map(|winding| [0, 1].map(|body| winding[body] + far[body] != 0));
        if solid == [true, true] {
            within.into_iter().for_each(|bodies| found.count(bodies));
        }
        for surface in (0..2).filter(|&body| self.covered[body]) {
            // A piece of the surface is inside where the solid is on both its sides.
            let sides = within.map(|bodies| bodies[1 - surface]);
            let mut inside = [true; 2];
            inside[1 - surface] = sides[0];
            if sides[0] == sides[1] {
                found.count(inside);
            }
        }
    }
}

impl Look<'_> {
    /// All directions next to one.
    fn around(&self, start: &Vector, seen: &mut Vec<Next>) {
        let signs: Vec<i8> = self.sides.iter().map(|side| side.side(start)).collect();
        let unsettled = |signs: &[i8], vector: &Vector| -> Vec<i8> {
            let each = self.sides.iter().zip(signs);
            each.map(|(side, &sign)| if sign == 0 { side.side(vector) } else { 0 }).collect()
        };
        for (number, plane) in self.picture.planes.iter().enumerate().filter(|(k, _)| signs[*k] == 0) {
            let along = plane.cross(start);
            let along_signs = unsettled(&signs, &along);
            let settled: Vec<i8> = signs.iter().zip(&along_signs).map(|(x, y)| x | y).collect();
            let off = unsettled(&settled, plane);
            let signs = Signs { start: signs.clone(), along: along_signs, off };
            for forward in [1, -1] {
                let windings = [1, -1].map(|up| self.winding(&signs, forward, up));
                let covered = [0, 1]
                    .map(|body| !self.solid[body] && self.is_covered(body, number, (start, &along, forward)));
                seen.push(Next { windings, covered });
            }
        }
    }

    /// Returns `true` if a face of a surface in this plane contains the direction.
    fn is_covered(&self, body: usize, plane: usize, (start, along, forward): (&Vector, &Vector, i8)) -> bool {
        self.picture.arcs.iter().zip(&self.rims).any(|(arc, rim)| {
            let Some([from, to]) = rim else { return false };
            let ahead = |side: &Vector, turn: i8| {
                let sign = side.side(start);
                turn * (if sign != 0 { sign } else { forward * side.side(along) }) > 0
            };
            arc.body == body && arc.plane == plane && ahead(from, arc.turn) && ahead(to, -arc.turn)
        })
    }

    /// Returns the winding number of each body around a direction minus that around the ray's end. Counts the
    /// faces crossed on the path to the ray.
    fn winding(&self, signs: &Signs, forward: i8, up: i8) -> [i64; 2] {
        let sign = |k: usize| match (signs.start[k], signs.along[k]) {
            (0, 0) => up * signs.off[k],
            (0, along) => forward * along,
            (start, _) => start,
        };
        let planes = self.picture.planes.len();
        let mut winding = [0; 2];
        for arc in &self.picture.arcs {
            let (facing, side) = (arc.turn * self.facing[arc.plane], arc.turn * sign(arc.plane));
            let [from, to] = arc.ends.map(|end| sign(planes + end));
            if side == -facing && from == facing && to == -facing {
                winding[arc.body] += i64::from(side);
            }
        }
        winding
    }
}

impl Shares {
    fn count(&mut self, [a, b]: [bool; 2]) {
        self.both |= a && b;
        self.only_a |= a && !b;
        self.only_b |= b && !a;
    }
}
