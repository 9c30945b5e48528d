//! Edges and faces of bodies at rest in exact arithmetic, for collisions by a mere touch.

use dashu_int::IBig;
use glam::DVec3;
use noli::Pose;
use std::ops::{Add, Mul, Sub};

/// The number `mantissa · 2^exponent`.
#[derive(Clone, Debug)]
struct Exact {
    mantissa: IBig,
    exponent: i32,
}

impl From<f64> for Exact {
    fn from(value: f64) -> Self {
        let bits = value.to_bits();
        let (biased, fraction) = ((bits >> 52 & 0x7ff) as i32, bits & ((1 << 52) - 1));
        let size = IBig::from(if biased == 0 { fraction } else { fraction | 1 << 52 });
        Self { mantissa: if value < 0.0 { -size } else { size }, exponent: biased.max(1) - 1075 }
    }
}

impl Exact {
    fn sign(&self) -> i32 {
        i32::from(self.mantissa > IBig::ZERO) - i32::from(self.mantissa < IBig::ZERO)
    }

    fn shifted(&self, exponent: i32) -> IBig {
        &self.mantissa << (self.exponent - exponent) as usize
    }
}

impl Add for &Exact {
    type Output = Exact;

    fn add(self, other: Self) -> Exact {
        let exponent = self.exponent.min(other.exponent);
        Exact { mantissa: self.shifted(exponent) + other.shifted(exponent), exponent }
    }
}

impl Sub for &Exact {
    type Output = Exact;

    fn sub(self, other: Self) -> Exact {
        let exponent = self.exponent.min(other.exponent);
        Exact { mantissa: self.shifted(exponent) - other.shifted(exponent), exponent }
    }
}

impl Mul for &Exact {
    type Output = Exact;

    fn mul(self, other: Self) -> Exact {
        Exact { mantissa: &self.mantissa * &other.mantissa, exponent: self.exponent + other.exponent }
    }
}

type Point = [Exact; 3];

fn minus(a: &Point, b: &Point) -> Point {
    std::array::from_fn(|k| &a[k] - &b[k])
}

fn det(u: &Point, v: &Point, w: &Point) -> i32 {
    let part = |i: usize, j: usize| &(&v[i] * &w[j]) - &(&v[j] * &w[i]);
    let sum = &(&(&u[0] * &part(1, 2)) + &(&u[1] * &part(2, 0))) + &(&u[2] * &part(0, 1));
    sum.sign()
}

/// A pose over the squared length of its quaternion, as the format has it.
struct Place {
    rows: [Point; 3],
    translation: Point,
    over: Exact,
}

impl Place {
    fn new(pose: &Pose) -> Self {
        let [x, y, z, w] = pose.rotation.to_array().map(Exact::from);
        let [xx, yy, zz, ww] = [&x * &x, &y * &y, &z * &z, &w * &w];
        let twice = |a: &Exact| a + a;
        let diagonal = |plus: &Exact, minus: [&Exact; 2]| &(&(&ww + plus) - minus[0]) - minus[1];
        let rows = [
            [diagonal(&xx, [&yy, &zz]), twice(&(&(&x * &y) - &(&w * &z))), twice(&(&(&x * &z) + &(&w * &y)))],
            [twice(&(&(&x * &y) + &(&w * &z))), diagonal(&yy, [&xx, &zz]), twice(&(&(&y * &z) - &(&w * &x)))],
            [twice(&(&(&x * &z) - &(&w * &y))), twice(&(&(&y * &z) + &(&w * &x))), diagonal(&zz, [&xx, &yy])],
        ];
        let over = &(&(&xx + &yy) + &zz) + &ww;
        Self { rows, translation: pose.translation.to_array().map(Exact::from), over }
    }

    /// The place of a point times the denominators of both bodies.
    fn place(&self, point: DVec3, other: &Self) -> Point {
        let point = point.to_array().map(Exact::from);
        std::array::from_fn(|i| {
            let row = &self.rows[i];
            let turned = &(&(&row[0] * &point[0]) + &(&row[1] * &point[1])) + &(&row[2] * &point[2]);
            &(&turned + &(&self.translation[i] * &self.over)) * &other.over
        })
    }
}

/// The first edge of one face that has a point of the other: the side, 0 or 1, and its number.
pub(crate) fn common_point(faces: [&[DVec3; 3]; 2], poses: [&Pose; 2]) -> Option<(usize, usize)> {
    let places = poses.map(Place::new);
    let points: [[Point; 3]; 2] =
        std::array::from_fn(|side| faces[side].map(|v| places[side].place(v, &places[1 - side])));
    (0..2).flat_map(|side| (0..3).map(move |k| (side, k))).find(|&(side, k)| {
        let (p, q) = (&points[side][k], &points[side][(k + 1) % 3]);
        meets(p, q, &points[1 - side])
    })
}

/// The rule of the format for an edge and a triangle, without intervals.
fn meets(p: &Point, q: &Point, v: &[Point; 3]) -> bool {
    let (d, r) = (minus(q, p), v.each_ref().map(|vertex| minus(vertex, p)));
    let turns = [(0, 1), (1, 2), (2, 0)].map(|(i, j)| det(&d, &r[i], &r[j]));
    let (u, w) = (minus(&v[1], &v[0]), minus(&v[2], &v[0]));
    let [g, h] = [p, q].map(|end| det(&u, &w, &minus(end, &v[0])));
    let one_side = turns.iter().all(|&s| s >= 0) || turns.iter().all(|&s| s <= 0);
    one_side && g * h <= 0 && (g, h) != (0, 0)
}
