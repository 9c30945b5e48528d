//! Two triangles in one frame and the signs everything about them follows from.
//!
//! Each sign is first tried in `f64` against an error bound that includes the rounding of the
//! relative pose. What the bound leaves open is decided by expansions where all six points are `f64`
//! in A's frame, otherwise by double-double numbers and at last by integers. Finer coordinates are
//! made on first need and kept.

use crate::number::double_double::DoubleDouble;
use crate::number::exact::{self, IntegerPoint};
use crate::number::predicates;
use crate::number::real::Real;
use crate::number::ring::{cross, dot, minus};
use crate::number::round;
use crate::pose::{ExactPose, FinePose};
use crate::{RelativePose, Triangle};
use glam::DVec3;
use std::cell::OnceCell;
use std::cmp::Ordering;
use std::sync::OnceLock;

/// The relative pose of one query, with finer forms of it that are made when first needed.
///
/// Make one per query and lend it to every [`TrianglePair`]; making it costs a copy of the pose.
#[derive(Debug)]
pub struct PairFrame {
    pose: RelativePose,
    exact: OnceLock<Box<ExactPose>>,
    fine: OnceLock<Box<FinePose>>,
}

impl PairFrame {
    /// The frame of a query.
    #[inline]
    pub fn new(pose: &RelativePose) -> Self {
        Self { pose: *pose, exact: OnceLock::new(), fine: OnceLock::new() }
    }

    /// The rounded relative pose.
    #[inline]
    pub fn pose(&self) -> &RelativePose {
        &self.pose
    }

    /// Compares the height (z) of a point of B in A's frame with a number. Exact.
    pub fn compare_height(&self, point: DVec3, height: f64) -> Ordering {
        let level = DVec3::new(0.0, 0.0, height);
        let placed = self.exact().place(&[level; 3], &[point; 3]);
        placed.points[3][2].cmp(&placed.points[0][2])
    }

    /// Returns `true` if B's z axis is exactly opposite to A's.
    pub fn opposes_z(&self) -> bool {
        let [.., zero, z, _] =
            self.exact().place(&[DVec3::ZERO; 3], &[DVec3::ZERO, DVec3::Z, DVec3::Z]).points;
        z[0] == zero[0] && z[1] == zero[1] && z[2] < zero[2]
    }

    pub(crate) fn exact(&self) -> &ExactPose {
        self.exact.get_or_init(|| Box::new(ExactPose::new(&self.pose)))
    }

    pub(crate) fn fine(&self) -> &FinePose {
        self.fine.get_or_init(|| Box::new(FinePose::new(&self.pose)))
    }
}

/// A vertex of either triangle: 0–2 are A's, 3–5 are B's.
pub(crate) type Vertex = usize;

/// Vertices of A.
pub(crate) const A: [Vertex; 3] = [0, 1, 2];
/// Vertices of B.
pub(crate) const B: [Vertex; 3] = [3, 4, 5];

/// A triangle of A and a triangle of B, placed.
///
/// ```
/// use noli_geom::{Pose, PairFrame, Relation, RelativePose, Triangle, TrianglePair};
/// use glam::{DQuat, DVec3};
/// let floor = Triangle::new(DVec3::ZERO, DVec3::X, DVec3::Y);
/// let a = Pose::IDENTITY;
/// let b = Pose::new(DQuat::from_xyzw(0.1, 0.0, 0.0, 0.1), DVec3::new(0.1, 0.1, 0.0));
/// let frame = PairFrame::new(&RelativePose::new(&a, &b));
/// // A quarter turn about x makes a wall that stands on the floor.
/// assert_eq!(TrianglePair::new(&floor, &floor, &frame).relation(), Relation::Touching);
/// ```
#[doc(alias("triangle-triangle intersection", "separating axis"))]
#[derive(Debug)]
pub struct TrianglePair<'f> {
    pub(crate) frame: &'f PairFrame,
    pub(crate) a: [DVec3; 3],
    /// B's vertices as given, in B's frame.
    pub(crate) b: [DVec3; 3],
    /// All vertices in A's frame; A's are exact.
    pub(crate) points: [DVec3; 6],
    /// Bound on the error of each coordinate of B's `points`.
    pub(crate) error: f64,
    fine: OnceCell<Option<Box<Fine>>>,
    exact: OnceCell<Exact>,
}

/// All vertices in A's frame without error, in the cheapest numbers that hold them.
#[derive(Debug)]
enum Exact {
    Floats([DVec3; 6]),
    Integers(Box<[IntegerPoint; 6]>),
}

/// All vertices in A's frame, B's within `error` in each coordinate.
#[derive(Debug)]
struct Fine {
    points: [[DoubleDouble; 3]; 6],
    error: f64,
}

impl<'f> TrianglePair<'f> {
    /// A triangle in A's frame and one in B's.
    pub fn new(a: &Triangle, b: &Triangle, frame: &'f PairFrame) -> Self {
        let ([a0, a1, a2], [b0, b1, b2]) = (a.vertices, b.vertices);
        let pose = frame.pose();
        let (placed, error) = if pose.is_identity() {
            ([b0, b1, b2], 0.0)
        } else {
            let reach = b0.abs().max(b1.abs()).max(b2.abs()).max_element();
            let place = |p: DVec3| pose.transform_point(p);
            ([place(b0), place(b1), place(b2)], pose.point_error(reach))
        };
        let points = [a0, a1, a2, placed[0], placed[1], placed[2]];
        Self {
            frame,
            a: a.vertices,
            b: b.vertices,
            points,
            error,
            fine: OnceCell::new(),
            exact: OnceCell::new(),
        }
    }

    fn exact(&self) -> &Exact {
        self.exact.get_or_init(|| {
            if self.error == 0.0 && predicates::in_range(&self.points) {
                return Exact::Floats(self.points);
            }
            let pose = self.frame.exact();
            if let Some([b0, b1, b2]) = pose.place_without_rounding(&self.b) {
                let [a0, a1, a2] = self.a;
                let points = [a0, a1, a2, b0, b1, b2];
                if predicates::in_range(&points) {
                    return Exact::Floats(points);
                }
            }
            Exact::Integers(Box::new(pose.place(&self.a, &self.b).points))
        })
    }

    /// For a pose that rounds: vertices good enough to settle all but exact contacts.
    fn fine(&self) -> Option<&Fine> {
        let make = || {
            if self.error == 0.0 || self.frame.exact().place_without_rounding(&self.b).is_some() {
                return None;
            }
            let (b, error) = self.frame.fine().place(&self.b)?;
            let a = |k: usize| DoubleDouble::offset(self.a[k], DVec3::ZERO);
            Some(Box::new(Fine { points: [a(0), a(1), a(2), b[0], b[1], b[2]], error }))
        };
        self.fine.get_or_init(make).as_deref()
    }

    /// The same pair with B's vertices correctly rounded, up to a little more than half a unit in the last
    /// place of the largest; `None` if the pose does not round.
    pub(crate) fn sharpened(&self) -> Option<Self> {
        let fine = self.fine()?;
        let points = fine.points.map(|p| DVec3::from_array(p.map(|x| x.hi)));
        let largest = points.iter().fold(0.0, |m: f64, p| m.max(p.abs().max_element()));
        let error = round::off(largest, 2) + fine.error;
        let (frame, a, b) = (self.frame, self.a, self.b);
        Some(Self { frame, a, b, points, error, fine: OnceCell::new(), exact: OnceCell::new() })
    }

    /// Bound on the error of each coordinate of `points[p] − points[q]` before that is rounded.
    fn offset_error(&self, p: Vertex, q: Vertex) -> f64 {
        f64::from((p / 3 + q / 3) as u8) * self.error
    }

    /// Sign of `det(b − a, c − a, d − a)`: positive if `d` sees `abc` counter-clockwise.
    pub(crate) fn orient3d(&self, [a, b, c, d]: [Vertex; 4]) -> i8 {
        let side = self.plane([a, b, c]).side(self.points[d], self.offset_error(a, d));
        side.unwrap_or_else(|| self.orient3d_exact([a, b, c, d]))
    }

    /// Returns `true` if two of the vertices are one point of one triangle, as given. Points and segments are
    /// triangles with equal vertices; their zeros need no exact arithmetic. Where nothing is rounded, `points`
    /// shows it.
    fn repeats(&self, vertices: &[Vertex]) -> bool {
        let given = |c: Vertex| if c < 3 { self.a[c] } else { self.b[c - 3] };
        vertices
            .iter()
            .enumerate()
            .any(|(i, &p)| vertices[..i].iter().any(|&q| p == q || p / 3 == q / 3 && given(p) == given(q)))
    }

    fn orient3d_exact(&self, vertices: [Vertex; 4]) -> i8 {
        if self.error == 0.0 {
            if predicates::are_level(vertices.map(|c| self.points[c])) {
                return 0;
            }
        } else if self.repeats(&vertices) {
            return 0;
        }
        if let Some(sign) = self.fine().and_then(|fine| fine.orient3d(vertices)) {
            return sign;
        }
        match self.exact() {
            Exact::Floats(points) => predicates::orient3d(vertices.map(|c| points[c])),
            Exact::Integers(points) => exact::orient3d(vertices.map(|c| &points[c])),
        }
    }

    /// On which side of a plane through three vertices two others lie.
    pub(crate) fn two_sides(&self, [a, b, c]: [Vertex; 3], others: [Vertex; 2]) -> [i8; 2] {
        let plane = self.plane([a, b, c]);
        others.map(|d| {
            let side = plane.side(self.points[d], self.offset_error(a, d));
            side.unwrap_or_else(|| self.orient3d_exact([a, b, c, d]))
        })
    }

    /// On which side of a plane through three vertices three others lie.
    pub(crate) fn sides(&self, [a, b, c]: [Vertex; 3], others: [Vertex; 3]) -> [i8; 3] {
        let plane = self.plane([a, b, c]);
        let side = |d: Vertex| {
            let side = plane.side(self.points[d], self.offset_error(a, d));
            side.unwrap_or_else(|| self.orient3d_exact([a, b, c, d]))
        };
        [side(others[0]), side(others[1]), side(others[2])]
    }

    fn plane(&self, [a, b, c]: [Vertex; 3]) -> PlaneFilter {
        let (origin, error) = (self.points[a], [self.offset_error(a, b), self.offset_error(a, c)]);
        PlaneFilter::new(origin, self.points[b] - origin, self.points[c] - origin, error)
    }

    /// Sign of the doubled area of three vertices seen along an axis.
    pub(crate) fn orient2d(&self, vertices: [Vertex; 3], axis: usize) -> i8 {
        let (value, bound) = self.doubled_area(vertices, axis);
        if value.abs() > bound {
            return predicates::sign(value);
        }
        if self.error > 0.0 && self.repeats(&vertices) {
            return 0;
        }
        if let Some(sign) = self.fine().and_then(|fine| fine.orient2d(vertices, axis)) {
            return sign;
        }
        match self.exact() {
            Exact::Floats(points) => predicates::orient2d(vertices.map(|c| points[c]), axis),
            Exact::Integers(points) => exact::sign(&exact::area(vertices.map(|c| &points[c]), axis)),
        }
    }

    /// The doubled area of three vertices seen along an axis, and a bound on its error: that of
    /// [`PlaneFilter`] with two factors, which are two products with two roundings each.
    pub(crate) fn doubled_area(&self, [a, b, c]: [Vertex; 3], axis: usize) -> (f64, f64) {
        let (x, y) = ((axis + 1) % 3, (axis + 2) % 3);
        let (u, v) = (self.points[b] - self.points[a], self.points[c] - self.points[a]);
        let value = u[x] * v[y] - u[y] * v[x];
        let u = Extent::new(u[x].abs().max(u[y].abs()), self.offset_error(a, b));
        let v = Extent::new(v[x].abs().max(v[y].abs()), self.offset_error(a, c));
        let bound = 2.0 * u.product_error(&v) + round::off(u.size, 5) * v.size;
        (value, bound * SLACK + UNDERFLOW)
    }

    /// `det(b − a, c − a, d − a)` and a bound on its error.
    pub(crate) fn height(&self, [a, b, c]: [Vertex; 3], d: Vertex) -> (f64, f64) {
        self.plane([a, b, c]).height(self.points[d], self.offset_error(a, d))
    }

    /// Order of two vertices along an axis.
    pub(crate) fn compare(&self, p: Vertex, q: Vertex, axis: usize) -> Ordering {
        let offset = self.points[p][axis] - self.points[q][axis];
        if offset.abs() > self.offset_error(p, q) * SLACK {
            return offset.total_cmp(&0.0);
        }
        if self.repeats(&[p, q]) {
            return Ordering::Equal;
        }
        match self.exact() {
            Exact::Floats(points) => points[p][axis].partial_cmp(&points[q][axis]).unwrap_or(Ordering::Equal),
            Exact::Integers(points) => points[p][axis].cmp(&points[q][axis]),
        }
    }

    /// Order of two vertices by x, then y, then z.
    pub(crate) fn compare_lexicographic(&self, p: Vertex, q: Vertex) -> Ordering {
        (0..3).map(|axis| self.compare(p, q, axis)).find(|o| o.is_ne()).unwrap_or(Ordering::Equal)
    }
}

/// Covers the rounding of an error bound's own evaluation.
const SLACK: f64 = 1.0 + 1e-9;

/// Covers products that underflow: at most six, each off by `2^-1075` and multiplied by at most
/// `2^303`. Decides only who settles the sign, not the sign.
const UNDERFLOW: f64 = f64::from_bits((1023 - 700) << 52);

impl Fine {
    /// As [`PlaneFilter`], with the finer roundoff.
    fn orient3d(&self, [a, b, c, d]: [Vertex; 4]) -> Option<i8> {
        let [u, v, w] = [b, c, d].map(|p| minus(&self.points[p], &self.points[a]));
        let value = dot(&cross(&u, &v), &w).hi;
        let [u, v, w] = [u, v, w].map(|o| self.extent(o[0].hi.abs().max(o[1].hi.abs()).max(o[2].hi.abs())));
        let area = u.size * v.size;
        let bound = 6.0 * (u.product_error(&v) * w.size + area * w.error)
            + 31.0 * DoubleDouble::ROUNDOFF * area * w.size;
        (value.abs() > bound * SLACK + UNDERFLOW).then(|| predicates::sign(value))
    }

    fn orient2d(&self, [a, b, c]: [Vertex; 3], axis: usize) -> Option<i8> {
        let (x, y) = ((axis + 1) % 3, (axis + 2) % 3);
        let [u, v] = [b, c].map(|p| minus(&self.points[p], &self.points[a]));
        let value = (u[x] * v[y] - u[y] * v[x]).hi;
        let [u, v] = [u, v].map(|o| self.extent(o[x].hi.abs().max(o[y].hi.abs())));
        let bound = 2.0 * u.product_error(&v) + 5.0 * DoubleDouble::ROUNDOFF * u.size * v.size;
        (value.abs() > bound * SLACK + UNDERFLOW).then(|| predicates::sign(value))
    }

    fn extent(&self, size: f64) -> Extent {
        let size = size * SLACK;
        Extent::with_error(size, DoubleDouble::ROUNDOFF * size + 2.0 * self.error)
    }
}

/// The largest coordinate of an offset, rounding included, and the bound on that rounding.
struct Extent {
    size: f64,
    error: f64,
}

impl Extent {
    /// From the computed offset, whose exact operands err by `error` together: the subtraction
    /// adds one rounding. The smallest normal number keeps the bound true when `u·size` underflows.
    fn new(size: f64, error: f64) -> Self {
        Self::with_error(size, round::off(size, 1) + error)
    }

    fn with_error(size: f64, error: f64) -> Self {
        let error = error + f64::MIN_POSITIVE;
        Self { size: size + error, error }
    }

    /// Bound on the error of a product of two coordinates, telescoped:
    /// `(x+e)(y+f) − xy = e(y+f) + x·f`.
    fn product_error(&self, other: &Self) -> f64 {
        self.error * other.size + self.size * other.error
    }
}

/// The plane through a point and two offsets `u`, `v`, with the data to bound the error of
/// `det(u, v, w) = (u × v)·w`.
///
/// Let `U, V, W` be the largest coordinates (errors included) and `e, f, g` their error bounds. The six
/// products of the determinant then change by at most `6(eVW + UfW + UVg)` in all. Evaluation rounds each
/// product five times (product, difference, product, two sums): `31u·UVW`. With `g = u·W + δ` the sum is at
/// most `(6(eV + Uf) + 37u·UV)·W + 6UV·δ`.
pub(crate) struct PlaneFilter {
    origin: DVec3,
    normal: DVec3,
    per_extent: f64,
    per_error: f64,
}

impl PlaneFilter {
    fn new(origin: DVec3, u: DVec3, v: DVec3, error: [f64; 2]) -> Self {
        let normal = u.cross(v);
        let u = Extent::new(u.abs().max_element(), error[0]);
        let v = Extent::new(v.abs().max_element(), error[1]);
        let area = u.size * v.size;
        let per_extent = (6.0 * u.product_error(&v) + round::off(area, 37)) * SLACK;
        Self { origin, normal, per_extent, per_error: 6.0 * area * SLACK }
    }

    fn side(&self, point: DVec3, error: f64) -> Option<i8> {
        let (value, bound) = self.height(point, error);
        (value.abs() > bound).then(|| predicates::sign(value))
    }

    fn height(&self, point: DVec3, error: f64) -> (f64, f64) {
        let w = point - self.origin;
        let value = self.normal.dot(w);
        let extent = Extent::new(w.abs().max_element(), error);
        let bound = self.per_extent * extent.size + self.per_error * error + UNDERFLOW;
        (value, bound)
    }
}
