//! Oracles: the same questions as [`TrianglePair`](crate::TrianglePair) answers, by unbounded
//! integers only and by other algorithms, written to be obviously right. Slow.
//!
//! Everything is placed in the world frame with one common factor; the relation comes from clipping
//! A's polygon with the half-spaces whose intersection is B (Sutherland & Hodgman), the distance from
//! enumerating all pairs of features.

mod fixed;
mod shared;

pub use fixed::Fixed;
pub use shared::meets_beyond_shared;

use crate::number::exact::{common_exponent, integer};
use crate::number::ring::{cross, dot, minus};
use crate::{Pose, Relation, Triangle};
use dashu_int::IBig;
use std::cmp::Ordering;

type Vector = [IBig; 3];

/// Two triangles in the world: vertices times `factor / 2^exponent`.
struct Placed {
    a: [Vector; 3],
    b: [Vector; 3],
    factor: IBig,
    exponent: i32,
}

fn placed(a: &Triangle, b: &Triangle, world_from_a: &Pose, world_from_b: &Pose) -> Placed {
    let translations = [world_from_a.translation, world_from_b.translation];
    let values = a.vertices.iter().chain(&b.vertices).chain(&translations).flat_map(|p| p.to_array());
    let exponent = common_exponent(values).unwrap_or(0);
    let vector = |p: glam::DVec3| p.to_array().map(|c| integer(c, exponent));
    let quaternion = |pose: &Pose| {
        let q = pose.rotation.to_array();
        let e = common_exponent(q).unwrap_or(0);
        q.map(|c| integer(c, e))
    };
    let (qa, qb) = (quaternion(world_from_a), quaternion(world_from_b));
    let (na, nb) = (norm_sq4(&qa), norm_sq4(&qb));
    let factor = &na * &nb;
    let place = |q: &[IBig; 4], other: &IBig, t: glam::DVec3, p: glam::DVec3| {
        let (rotated, t) = (sandwich(q, &vector(p)), vector(t));
        std::array::from_fn(|k| &rotated[k] * other + &t[k] * &factor)
    };
    Placed {
        a: a.vertices.map(|p| place(&qa, &nb, world_from_a.translation, p)),
        b: b.vertices.map(|p| place(&qb, &na, world_from_b.translation, p)),
        factor,
        exponent,
    }
}

fn norm_sq4(q: &[IBig; 4]) -> IBig {
    q.iter().map(|c| c * c).sum()
}

/// Hamilton's product of quaternions `[x, y, z, w]`.
fn product(p: &[IBig; 4], q: &[IBig; 4]) -> [IBig; 4] {
    [
        &p[3] * &q[0] + &p[0] * &q[3] + &p[1] * &q[2] - &p[2] * &q[1],
        &p[3] * &q[1] - &p[0] * &q[2] + &p[1] * &q[3] + &p[2] * &q[0],
        &p[3] * &q[2] + &p[0] * &q[1] - &p[1] * &q[0] + &p[2] * &q[3],
        &p[3] * &q[3] - &p[0] * &q[0] - &p[1] * &q[1] - &p[2] * &q[2],
    ]
}

/// `q·v·conj(q)`, which is `|q|²` times the rotated vector.
fn sandwich(q: &[IBig; 4], v: &Vector) -> Vector {
    let [x, y, z] = v.clone();
    let conjugate = [-&q[0], -&q[1], -&q[2], q[3].clone()];
    let [x, y, z, _] = product(&product(q, &[x, y, z, IBig::ZERO]), &conjugate);
    [x, y, z]
}

fn is_zero(v: &Vector) -> bool {
    v.iter().all(|c| *c == IBig::ZERO)
}

fn normal(t: &[Vector; 3]) -> Vector {
    cross(&minus(&t[1], &t[0]), &minus(&t[2], &t[0]))
}

/// `numerator / weight` with `weight > 0`.
struct Homogeneous {
    numerator: Vector,
    weight: IBig,
}

/// `{x : normal·x <= offset}`.
struct HalfSpace {
    normal: Vector,
    offset: IBig,
}

impl HalfSpace {
    /// The half-space behind a point.
    fn behind(normal: Vector, point: &Vector) -> Self {
        let offset = dot(&normal, point);
        Self { normal, offset }
    }

    fn excess(&self, p: &Homogeneous) -> IBig {
        dot(&self.normal, &p.numerator) - &self.offset * &p.weight
    }
}

/// Half-spaces whose intersection is the plane through a point.
fn plane(normal: Vector, point: &Vector) -> [HalfSpace; 2] {
    let opposite = normal.each_ref().map(|c| -c);
    [HalfSpace::behind(normal, point), HalfSpace::behind(opposite, point)]
}

/// Half-spaces whose intersection is the triangle.
fn half_spaces(t: &[Vector; 3]) -> Vec<HalfSpace> {
    let n = normal(t);
    if !is_zero(&n) {
        let mut spaces = Vec::from(plane(n.clone(), &t[0]));
        for k in 0..3 {
            let edge = minus(&t[(k + 1) % 3], &t[k]);
            spaces.push(HalfSpace::behind(cross(&edge, &n), &t[k]));
        }
        return spaces;
    }
    let edges = [(0, 1), (1, 2), (2, 0)];
    let Some(direction) = edges.iter().map(|&(i, j)| minus(&t[j], &t[i])).find(|d| !is_zero(d)) else {
        return (0..3).flat_map(|k| plane(unit(k), &t[0])).collect();
    };
    let mut spaces: Vec<_> =
        (0..3).map(|k| cross(&direction, &unit(k))).flat_map(|n| plane(n, &t[0])).collect();
    let by_height = |p: &&Vector, q: &&Vector| dot(&direction, p).cmp(&dot(&direction, q));
    if let (Some(low), Some(high)) = (t.iter().min_by(by_height), t.iter().max_by(by_height)) {
        spaces.push(HalfSpace::behind(direction.clone(), high));
        spaces.push(HalfSpace::behind(direction.each_ref().map(|c| -c), low));
    }
    spaces
}

fn unit(k: usize) -> Vector {
    std::array::from_fn(|i| IBig::from((i == k) as u8))
}

/// The part of a convex polygon, given by vertices in order, that lies in a half-space.
fn clip(polygon: &[Homogeneous], space: &HalfSpace) -> Vec<Homogeneous> {
    let excess: Vec<IBig> = polygon.iter().map(|p| space.excess(p)).collect();
    let mut kept = Vec::new();
    for (i, p) in polygon.iter().enumerate() {
        let j = (i + 1) % polygon.len();
        if excess[i] <= IBig::ZERO {
            kept.push(Homogeneous { numerator: p.numerator.clone(), weight: p.weight.clone() });
        }
        let signs = (excess[i].cmp(&IBig::ZERO), excess[j].cmp(&IBig::ZERO));
        if let (Ordering::Less, Ordering::Greater) | (Ordering::Greater, Ordering::Less) = signs {
            kept.push(meet(p, &excess[i], &polygon[j], &excess[j]));
        }
    }
    kept
}

/// The point of `pq` where an affine function with opposite values there is zero.
fn meet(p: &Homogeneous, at_p: &IBig, q: &Homogeneous, at_q: &IBig) -> Homogeneous {
    let (p_share, q_share) = if *at_p < IBig::ZERO { (at_q.clone(), -at_p) } else { (-at_q, at_p.clone()) };
    Homogeneous {
        numerator: std::array::from_fn(|k| &p.numerator[k] * &p_share + &q.numerator[k] * &q_share),
        weight: &p.weight * &p_share + &q.weight * &q_share,
    }
}

fn same_point(p: &Homogeneous, q: &Homogeneous) -> bool {
    (0..3).all(|k| &p.numerator[k] * &q.weight == &q.numerator[k] * &p.weight)
}

/// Returns `true` if vertices of `t` lie strictly on both sides of the plane of `face`.
fn straddles(t: &[Vector; 3], face: &[Vector; 3]) -> bool {
    let n = normal(face);
    let sides = t.each_ref().map(|p| dot(&n, &minus(p, &face[0])).cmp(&IBig::ZERO));
    sides.contains(&Ordering::Less) && sides.contains(&Ordering::Greater)
}

/// [`TrianglePair::relation`](crate::TrianglePair::relation) by clipping.
pub fn relation(a: &Triangle, b: &Triangle, world_from_a: &Pose, world_from_b: &Pose) -> Relation {
    relation_of(&placed(a, b, world_from_a, world_from_b))
}

/// Returns the number of vertices of the intersection: 0 if separated, 1 for a point, 2 for a segment, else
/// those of a polygon.
pub fn common_vertices(a: &Triangle, b: &Triangle, world_from_a: &Pose, world_from_b: &Pose) -> usize {
    let mut vertices = common_part(&placed(a, b, world_from_a, world_from_b));
    let mut k = 0;
    while k < vertices.len() {
        if vertices[..k].iter().any(|p| same_point(p, &vertices[k])) {
            vertices.remove(k);
        } else {
            k += 1;
        }
    }
    let n = vertices.len();
    let bends = |k: usize| !collinear([&vertices[(k + n - 1) % n], &vertices[k], &vertices[(k + 1) % n]]);
    match (0..n).filter(|&k| bends(k)).count() {
        0 => n.min(2),
        vertices => vertices,
    }
}

fn collinear([p, q, r]: [&Homogeneous; 3]) -> bool {
    let offset = |s: &Homogeneous| -> Vector {
        std::array::from_fn(|k| &s.numerator[k] * &p.weight - &p.numerator[k] * &s.weight)
    };
    is_zero(&cross(&offset(q), &offset(r)))
}

/// The vertices of the part of A in B, in order, possibly with repetitions.
fn common_part(placed: &Placed) -> Vec<Homogeneous> {
    let mut common: Vec<_> =
        placed.a.iter().map(|p| Homogeneous { numerator: p.clone(), weight: IBig::ONE }).collect();
    for space in half_spaces(&placed.b) {
        common = clip(&common, &space);
        if common.is_empty() {
            break;
        }
    }
    common
}

fn relation_of(placed: &Placed) -> Relation {
    let (a, b) = (&placed.a, &placed.b);
    let common = common_part(placed);
    if common.is_empty() {
        return Relation::Separated;
    }
    let planes_cross = !is_zero(&cross(&normal(a), &normal(b)));
    let has_length = common.iter().any(|p| !same_point(p, &common[0]));
    if planes_cross && has_length && straddles(a, b) && straddles(b, a) {
        Relation::Intersecting
    } else {
        Relation::Touching
    }
}

/// Exact distance of two triangles, as a reference for `f64`. Placement and verdict are those of this
/// module; separation decides which enumeration follows.
pub struct ExactDistance(crate::ExactDistance);

impl ExactDistance {
    /// Computes the distance: 0 if they intersect, else the smallest of vertex–vertex, vertex–edge and
    /// vertex–face with the foot inside, edge–edge with both feet inside.
    pub fn new(a: &Triangle, b: &Triangle, world_from_a: &Pose, world_from_b: &Pose) -> Self {
        let placed = placed(a, b, world_from_a, world_from_b);
        let meets = relation_of(&placed) != Relation::Separated;
        let Placed { a, b, factor, exponent } = placed;
        Self(crate::ExactDistance::of_integers(meets, [&a, &b], factor, exponent))
    }

    /// Compares the distance with a non-negative finite number.
    pub fn compare(&self, length: f64) -> Ordering {
        self.0.compare(length)
    }
}
