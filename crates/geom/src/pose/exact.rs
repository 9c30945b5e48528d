//! Exact placement of one body in another's frame, in homogeneous integers.
//!
//! `R(q)` is rational in `q`, so after multiplying by one common denominator and one power of two every
//! placed point is a vector of integers.

use super::{Pose, RelativePose};
use crate::UNIT_ROUNDOFF;
use crate::number::double_double::DoubleDouble;
use crate::number::exact::{IntegerPoint, common_exponent, coordinates, integer};
use crate::number::ring;
use dashu_int::IBig;
use dashu_int::ops::{BitTest, Gcd};
use glam::{DMat3, DQuat, DVec3};

/// A rational rotation: `matrix / denominator`, in lowest terms.
struct Rotation {
    rows: [[IBig; 3]; 3],
    denominator: IBig,
}

impl Rotation {
    /// `R(q)` of a quaternion `[x, y, z, w]`; the meaningless zero quaternion moves nothing.
    fn new(q: [IBig; 4]) -> Self {
        let (norm_sq, columns) = ring::rotation(&divided_by_gcd(q));
        let [[a, d, g], [b, e, h], [c, f, i]] = ring::scaled_rotation(&norm_sq, &IBig::from(2), &columns);
        let entries = [norm_sq, a, b, c, d, e, f, g, h, i];
        let [denominator, a, b, c, d, e, f, g, h, i] = divided_by_gcd(entries);
        Self { rows: [[a, b, c], [d, e, f], [g, h, i]], denominator }
    }

    fn scaled(self, factor: &IBig) -> [[IBig; 3]; 3] {
        self.rows.map(|row| row.map(|entry| entry * factor))
    }
}

/// All values divided by their greatest common divisor; if all are zero, the last becomes 1.
fn divided_by_gcd<const N: usize>(mut values: [IBig; N]) -> [IBig; N] {
    let gcd = values.iter().fold(IBig::ZERO, |g, v| {
        if g == IBig::ZERO {
            v.clone()
        } else if *v == IBig::ZERO || g == IBig::ONE {
            g
        } else {
            IBig::from((&g).gcd(v))
        }
    });
    let gcd = if gcd < IBig::ZERO { -gcd } else { gcd };
    if gcd == IBig::ZERO {
        values[N - 1] = IBig::ONE;
    } else if gcd != IBig::ONE {
        values = values.map(|v| v / &gcd);
    }
    values
}

/// The integers proportional to a quaternion.
fn integer_quaternion(q: DQuat) -> [IBig; 4] {
    let exponent = common_exponent(q.to_array()).unwrap_or(0);
    q.to_array().map(|c| integer(c, exponent))
}

fn times(rows: &[[IBig; 3]; 3], v: &IntegerPoint) -> IntegerPoint {
    rows.each_ref().map(|row| ring::dot(row, v))
}

/// `a_from_b` without rounding: `y ↦ (matrix·y + translation·2^exponent) / denominator`.
#[derive(Debug)]
pub(crate) struct ExactPose {
    matrix: [[IBig; 3]; 3],
    translation: IntegerPoint,
    exponent: Option<i32>,
    denominator: IBig,
    lattice: Option<LatticePose>,
}

/// Six points in A's frame, times the pose's denominator and divided by `2^exponent`.
#[derive(Debug)]
pub(crate) struct PlacedIntegers {
    pub(crate) points: [IntegerPoint; 6],
    pub(crate) exponent: i32,
}

impl PlacedIntegers {
    /// As `f64` with the largest coordinate near 1, each within one rounding of itself; the exponent that
    /// takes them back; a bound on the error of each coordinate.
    pub(crate) fn normalised(&self, pose: &ExactPose) -> ([DVec3; 6], i64, f64) {
        let bits = self.points.iter().flatten().map(|c| c.bit_len()).max().unwrap_or(0);
        let exponent = bits as i32 - pose.denominator.bit_len() as i32;
        let points = self.points.each_ref().map(|p| {
            DVec3::from_array(p.each_ref().map(|c| DoubleDouble::ratio(c, &pose.denominator, -exponent).hi))
        });
        let largest = points.iter().fold(0.0, |m: f64, p| m.max(p.abs().max_element()));
        let error = 1.001 * UNIT_ROUNDOFF * largest;
        (points, i64::from(exponent + self.exponent), error)
    }
}

/// A placement that maps axes to axes and has a representable translation.
#[derive(Debug)]
struct LatticePose {
    rotation: DMat3,
    translation: DVec3,
}

impl ExactPose {
    pub(crate) fn new(pose: &RelativePose) -> Self {
        let (a, b): (&Pose, &Pose) = (&pose.world_from_a, &pose.world_from_b);
        let qa = integer_quaternion(a.rotation);
        let relative = Rotation::new(ring::conjugate_product(&qa, &integer_quaternion(b.rotation)));
        let of_a = Rotation::new(qa);

        let exponent = common_exponent(coordinates(&[a.translation, b.translation]));
        let e = exponent.unwrap_or(0);
        let offset: IntegerPoint =
            std::array::from_fn(|k| integer(b.translation[k], e) - integer(a.translation[k], e));
        let [p, q, r] = &of_a.rows;
        let columns: [[IBig; 3]; 3] = std::array::from_fn(|k| [p[k].clone(), q[k].clone(), r[k].clone()]);

        let shared = IBig::from((&relative.denominator).gcd(&of_a.denominator));
        let to_relative = &of_a.denominator / &shared;
        let to_a = &relative.denominator / &shared;
        let denominator = &relative.denominator * &to_relative;
        let matrix = relative.scaled(&to_relative);
        let translation = times(&columns, &offset).map(|t| t * &to_a);
        let lattice =
            if denominator == IBig::ONE { LatticePose::new(&matrix, &translation, e) } else { None };
        Self { matrix, translation, exponent, denominator, lattice }
    }

    /// B's points in A's frame as `f64`, if no rounding is needed for any.
    pub(crate) fn place_without_rounding(&self, points: &[DVec3; 3]) -> Option<[DVec3; 3]> {
        let lattice = self.lattice.as_ref()?;
        let rotated = points.map(|p| lattice.rotation * p);
        let placed = rotated.map(|p| p + lattice.translation);
        let exact = rotated.iter().zip(&placed).all(|(p, sum)| sum_is_exact(*p, lattice.translation, *sum));
        exact.then_some(placed)
    }

    /// The image of a point of B, within `2^-105` of itself.
    #[cfg(test)]
    pub(crate) fn place_finely(&self, point: DVec3) -> [DoubleDouble; 3] {
        let placed = self.place(&[DVec3::ZERO; 3], &[point; 3]);
        placed.points[3].each_ref().map(|c| DoubleDouble::ratio(c, &self.denominator, placed.exponent))
    }

    /// The common denominator of all placed points.
    pub(crate) fn denominator(&self) -> &IBig {
        &self.denominator
    }

    /// The points of A and of B in A's frame.
    pub(crate) fn place(&self, a: &[DVec3; 3], b: &[DVec3; 3]) -> PlacedIntegers {
        let exponent = self.exponent_for(coordinates(a).chain(coordinates(b)));
        let (from_a, from_b) = (|p: DVec3| self.place_a(p, exponent), |p: DVec3| self.place_b(p, exponent));
        let ([a0, a1, a2], [b0, b1, b2]) = (*a, *b);
        let points = [from_a(a0), from_a(a1), from_a(a2), from_b(b0), from_b(b1), from_b(b2)];
        PlacedIntegers { points, exponent }
    }

    /// Points of A, of B, of A and of B in A's frame, one after the other, all times one positive number.
    pub(crate) fn place_all(&self, points: [&[DVec3]; 4]) -> Vec<IntegerPoint> {
        let exponent = self.exponent_for(points.iter().flat_map(|points| coordinates(points)));
        let mut placed = Vec::with_capacity(points.iter().map(|points| points.len()).sum());
        for (k, points) in points.into_iter().enumerate() {
            let place = |&p: &DVec3| {
                if k % 2 == 0 { self.place_a(p, exponent) } else { self.place_b(p, exponent) }
            };
            placed.extend(points.iter().map(place));
        }
        placed
    }

    /// The largest exponent for which the placed points are integers.
    fn exponent_for(&self, coordinates: impl Iterator<Item = f64>) -> i32 {
        common_exponent(coordinates).into_iter().chain(self.exponent).min().unwrap_or(0)
    }

    fn place_a(&self, p: DVec3, exponent: i32) -> IntegerPoint {
        p.to_array().map(|c| integer(c, exponent) * &self.denominator)
    }

    fn place_b(&self, p: DVec3, exponent: i32) -> IntegerPoint {
        let shift = (self.exponent.unwrap_or(exponent) - exponent).max(0) as usize;
        let rotated = times(&self.matrix, &p.to_array().map(|c| integer(c, exponent)));
        std::array::from_fn(|k| &rotated[k] + (&self.translation[k] << shift))
    }
}

impl LatticePose {
    fn new(matrix: &[[IBig; 3]; 3], translation: &IntegerPoint, exponent: i32) -> Option<Self> {
        let rows = matrix.each_ref().map(|row| DVec3::from_array(row.each_ref().map(|m| m.to_f64().value())));
        let rotation = DMat3::from_cols(rows[0], rows[1], rows[2]).transpose();
        let mut shift = DVec3::ZERO;
        for k in 0..3 {
            let mantissa: i64 = (&translation[k]).try_into().ok()?;
            // Conservative: 53 bits and a normal result, so neither step rounds.
            let exact = mantissa.unsigned_abs() <= 1 << 53 && (-1000..900).contains(&exponent);
            shift[k] = exact.then(|| mantissa as f64 * 2.0f64.powi(exponent))?;
        }
        Some(Self { rotation, translation: shift })
    }
}

/// Returns `true` if `sum = fl(a + b)` is `a + b` (Knuth's two-sum: the error is computed exactly).
fn sum_is_exact(a: DVec3, b: DVec3, sum: DVec3) -> bool {
    let b_part = sum - a;
    let a_part = sum - b_part;
    (a - a_part) + (b - b_part) == DVec3::ZERO
}
