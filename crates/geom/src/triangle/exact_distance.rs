//! The distance of two triangles without rounding, by enumerating all pairs of features in integers. Slow:
//! the last resort of [`TrianglePair::distance`] and of comparisons that must not err.

use super::{PairFrame, Triangle, TrianglePair};
use crate::number::exact::{IntegerPoint, common_exponent, integer};
use crate::number::ring::{cross, dot, minus};
use crate::pose::ExactPose;
use crate::{Pose, RelativePose};
use dashu_int::IBig;
use glam::DVec3;
use std::cmp::Ordering;

/// A non-negative fraction.
#[derive(Debug)]
struct Fraction {
    numerator: IBig,
    denominator: IBig,
}

impl Fraction {
    fn new(numerator: IBig, denominator: IBig) -> Self {
        Self { numerator, denominator }
    }

    fn cmp(&self, other: &Self) -> Ordering {
        (&self.numerator * &other.denominator).cmp(&(&other.numerator * &self.denominator))
    }
}

/// The exact distance of two triangles, to compare `f64` with.
///
/// ```
/// use noli_geom::{ExactDistance, Pose, Triangle};
/// use glam::DVec3;
/// let flat = Triangle::new(DVec3::ZERO, DVec3::X, DVec3::Y);
/// let over = Pose::from_translation(DVec3::Z * 0.1);
/// let distance = ExactDistance::new(&flat, &flat, &Pose::IDENTITY, &over);
/// assert!(distance.compare(0.1).is_eq() && distance.compare(0.1f64.next_up()).is_lt());
/// ```
#[derive(Debug)]
pub struct ExactDistance {
    /// The square of the distance, times that of `factor / 2^exponent`.
    scaled_sq: Fraction,
    factor: IBig,
    exponent: i32,
}

impl ExactDistance {
    /// The distance of two triangles in their places.
    pub fn new(a: &Triangle, b: &Triangle, world_from_a: &Pose, world_from_b: &Pose) -> Self {
        let frame = PairFrame::new(&RelativePose::new(world_from_a, world_from_b));
        let meets = TrianglePair::new(a, b, &frame).relation().overlaps();
        Self::placed(meets, frame.exact(), &a.vertices, &b.vertices)
    }

    /// The distance of two triangles that share no point.
    pub(super) fn of_disjoint(pose: &ExactPose, a: &[DVec3; 3], b: &[DVec3; 3]) -> Self {
        Self::placed(false, pose, a, b)
    }

    fn placed(meets: bool, pose: &ExactPose, a: &[DVec3; 3], b: &[DVec3; 3]) -> Self {
        let placed = pose.place(a, b);
        let [a0, a1, a2, b0, b1, b2] = placed.points;
        Self::of_integers(meets, [&[a0, a1, a2], &[b0, b1, b2]], pose.denominator().clone(), placed.exponent)
    }

    /// From vertices times `factor / 2^exponent`, and whether the triangles share a point.
    pub(crate) fn of_integers(
        meets: bool,
        [a, b]: [&[IntegerPoint; 3]; 2],
        factor: IBig,
        exponent: i32,
    ) -> Self {
        let scaled_sq = if meets { Fraction::new(IBig::ZERO, IBig::ONE) } else { distance_sq(a, b) };
        Self { scaled_sq, factor, exponent }
    }

    /// Compares the distance with a non-negative finite number.
    pub fn compare(&self, length: f64) -> Ordering {
        let own = common_exponent([length]).unwrap_or(self.exponent);
        let exponent = own.min(self.exponent);
        let length = integer(length, exponent) * &self.factor;
        let shift = 2 * (self.exponent - exponent) as usize;
        (&self.scaled_sq.numerator << shift).cmp(&(&length * &length * &self.scaled_sq.denominator))
    }
}

fn distance_sq(a: &[IntegerPoint; 3], b: &[IntegerPoint; 3]) -> Fraction {
    let first = minus(&a[0], &b[0]);
    let mut best = Fraction::new(dot(&first, &first), IBig::ONE);
    let mut take = |candidate: Option<Fraction>| {
        if let Some(c) = candidate
            && c.cmp(&best).is_lt()
        {
            best = c;
        }
    };
    for (s, t) in [(a, b), (b, a)] {
        for p in s {
            take(vertex_face(p, t));
            for k in 0..3 {
                let to_vertex = minus(p, &t[k]);
                take(Some(Fraction::new(dot(&to_vertex, &to_vertex), IBig::ONE)));
                take(vertex_edge(p, &t[k], &t[(k + 1) % 3]));
            }
        }
    }
    for i in 0..3 {
        for j in 0..3 {
            take(edge_edge([&a[i], &a[(i + 1) % 3]], [&b[j], &b[(j + 1) % 3]]));
        }
    }
    best
}

fn vertex_edge(p: &IntegerPoint, start: &IntegerPoint, end: &IntegerPoint) -> Option<Fraction> {
    let (edge, to_p) = (minus(end, start), minus(p, start));
    let (along, length_sq) = (dot(&edge, &to_p), dot(&edge, &edge));
    let perpendicular = cross(&edge, &to_p);
    (along > IBig::ZERO && along < length_sq)
        .then(|| Fraction::new(dot(&perpendicular, &perpendicular), length_sq))
}

fn vertex_face(p: &IntegerPoint, face: &[IntegerPoint; 3]) -> Option<Fraction> {
    let n = normal(face);
    let inside = (0..3).all(|k| {
        let edge = minus(&face[(k + 1) % 3], &face[k]);
        dot(&cross(&n, &edge), &minus(p, &face[k])) >= IBig::ZERO
    });
    let height = dot(&n, &minus(p, &face[0]));
    (inside && !is_zero(&n)).then(|| Fraction::new(&height * &height, dot(&n, &n)))
}

fn edge_edge([p, q]: [&IntegerPoint; 2], [r, s]: [&IntegerPoint; 2]) -> Option<Fraction> {
    let (d, e, offset) = (minus(q, p), minus(s, r), minus(r, p));
    let n = cross(&d, &e);
    let n_sq = dot(&n, &n);
    let within = |x: IBig| x >= IBig::ZERO && x <= n_sq;
    // Feet p + t·d and r + v·e of the common perpendicular, t and v times |n|².
    let (t, v) = (dot(&cross(&offset, &e), &n), dot(&cross(&offset, &d), &n));
    let height = dot(&n, &offset);
    (n_sq != IBig::ZERO && within(t) && within(v)).then(|| Fraction::new(&height * &height, n_sq.clone()))
}

/// Twice the area of a triangle, along its normal.
fn normal(t: &[IntegerPoint; 3]) -> IntegerPoint {
    cross(&minus(&t[1], &t[0]), &minus(&t[2], &t[0]))
}

fn is_zero(v: &IntegerPoint) -> bool {
    v.iter().all(|c| *c == IBig::ZERO)
}
