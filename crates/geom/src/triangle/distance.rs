//! The distance between two triangles, as a bracket.
//!
//! The nearest features are found by plain floating-point enumeration (after Ericson 2005 and the
//! nearest-vertex test of Larsen et al.'s PQP), which may be inaccurate; the bracket is then proven:
//! two points of the triangles bound the distance from above, two parallel support planes from below.
//! If the bracket is too wide the same is done in double-double numbers, and at last by exact
//! enumeration. All of it happens at a size near 1, so scaling by a power of two changes nothing.

use super::exact_distance::ExactDistance;
use super::nearest::{Nearest, nearest};
use super::pair::TrianglePair;
use crate::number::double_double::{DoubleDouble, times_power_of_two};
use crate::number::real::Real;
use crate::number::ring::{dot, minus};
use crate::number::round;
use crate::{Distance, UNIT_ROUNDOFF};
use glam::DVec3;

/// The promised width of a bracket, as a factor of the largest coordinate.
const WIDTH: f64 = 32.0 * UNIT_ROUNDOFF;

/// A little more than √3.
const SQRT_3: f64 = 1.732_051;

/// Six points in A's frame divided by `2^exponent`, so that the largest coordinate is near 1.
#[derive(Debug)]
struct Normalised {
    points: [DVec3; 6],
    exponent: i64,
    /// Bound on the error of each coordinate of B's points.
    error: f64,
}

/// A proven bracket on the distance of normalised triangles.
struct Bracket {
    at_least: f64,
    at_most: f64,
    witness_a: DVec3,
    witness_b: DVec3,
    /// Along which the lower end was proven, of any length.
    direction: DVec3,
}

impl Bracket {
    fn is_narrow(&self, largest: f64) -> bool {
        self.at_most - self.at_least.max(0.0) <= WIDTH * largest
    }
}

impl TrianglePair<'_> {
    /// The distance, with witnesses in A's frame.
    ///
    /// The bracket is at most `32·2^-53` of the largest coordinate of the triangles in A's frame wide, and
    /// `at_most == 0` exactly when they overlap. Multiplying all lengths by a power of two multiplies
    /// the answer (short of subnormal numbers).
    pub fn distance(&self) -> Distance {
        self.distance_and_direction().0
    }

    /// [`distance`](Self::distance), and the direction from A to B across it, of any length, in A's frame:
    /// zero where they overlap. Each coordinate is right to a last bit of the largest, unless even integers
    /// could only narrow the bracket.
    pub fn distance_and_direction(&self) -> (Distance, DVec3) {
        let placed = self.normalised();
        let largest = placed.points.iter().fold(0.0, |m: f64, p| m.max(p.abs().max_element()));
        let (found, quick) = quick_bracket(&placed, largest);
        if quick.at_least > 0.0 && quick.is_narrow(largest) {
            return self.clearance(quick, &placed);
        }
        // A positive lower end proves them apart; otherwise that is for exact signs to say.
        if quick.at_least <= 0.0
            && let Some(&common) = self.intersection().points().first()
        {
            let touching = Distance { at_least: 0.0, at_most: 0.0, witness_a: common, witness_b: common };
            return (touching, DVec3::ZERO);
        }
        let exact_points = offsets::<DoubleDouble>(&placed.points, DVec3::ZERO);
        let proven = bracket(&exact_points, &found.refined(), placed.error);
        if proven.is_narrow(largest) {
            return self.clearance(proven, &placed);
        }
        let fine = bracket(&exact_points, &nearest(&exact_points), placed.error);
        if fine.is_narrow(largest) {
            return self.clearance(fine, &placed);
        }
        self.clearance(self.exact_bracket(fine, &placed, largest), &placed)
    }

    /// Returns the vertices of A and of B that span the nearest features, as found in `f64`. They form one
    /// vertex, an edge or the whole face of each.
    pub fn nearest_features(&self) -> ([bool; 3], [bool; 3]) {
        let placed = self.normalised();
        let largest = placed.points.iter().fold(0.0, |m: f64, p| m.max(p.abs().max_element()));
        quick_bracket(&placed, largest).0.vertices()
    }

    /// Back at the given size; where that is subnormal, rounded outwards.
    fn clearance(&self, bracket: Bracket, placed: &Normalised) -> (Distance, DVec3) {
        let back = |x: f64| times_power_of_two(x, placed.exponent);
        let (at_least, at_most) = (back(bracket.at_least.max(0.0)), back(bracket.at_most));
        let point = |p: DVec3| DVec3::from_array(p.to_array().map(back));
        let across = bracket.witness_b - bracket.witness_a;
        let forward =
            if bracket.direction.dot(across) < 0.0 { -bracket.direction } else { bracket.direction };
        let distance = Distance {
            at_least: if at_least.is_subnormal() { at_least.next_down() } else { at_least },
            at_most: if at_most.is_normal() { at_most } else { at_most.next_up() },
            witness_a: point(bracket.witness_a),
            witness_b: point(bracket.witness_b),
        };
        (distance, forward)
    }

    fn normalised(&self) -> Normalised {
        if self.error == 0.0 {
            return Normalised::new(self.points, 0.0);
        }
        let fine = self.frame.fine().place(&self.b);
        if let Some((b, error)) = fine {
            let rounded = |p: [DoubleDouble; 3]| DVec3::new(p[0].hi, p[1].hi, p[2].hi);
            let points = [self.a[0], self.a[1], self.a[2], rounded(b[0]), rounded(b[1]), rounded(b[2])];
            let largest = points.iter().fold(0.0, |m: f64, p| m.max(p.abs().max_element()));
            if error <= UNIT_ROUNDOFF / 4.0 * largest {
                return Normalised::new(points, error + round::off(largest, 1));
            }
        }
        let exact = self.frame.exact();
        let (points, exponent, error) = exact.place(&self.a, &self.b).normalised(exact);
        Normalised { points, exponent, error }
    }

    /// The narrowest bracket that exact comparison allows, around an estimate.
    fn exact_bracket(&self, estimate: Bracket, placed: &Normalised, largest: f64) -> Bracket {
        let distance = ExactDistance::of_disjoint(self.frame.exact(), &self.a, &self.b);
        let exceeds = |x: f64| distance.compare(times_power_of_two(x, placed.exponent)).is_gt();
        let (mut low, mut high) = (0.0, estimate.at_most);
        while high - low > WIDTH / 2.0 * largest {
            let middle = low + (high - low) / 2.0;
            if exceeds(middle) {
                low = middle;
            } else {
                high = middle;
            }
        }
        Bracket { at_least: low, at_most: high, ..estimate }
    }
}

impl Normalised {
    fn new(points: [DVec3; 6], error: f64) -> Self {
        let largest = points.iter().fold(0.0, |m: f64, p| m.max(p.abs().max_element()));
        let exponent = exponent_of(largest);
        let scale = |x: f64| times_power_of_two(x, -exponent);
        let factor = scale(1.0);
        let points = if factor.is_normal() {
            points.map(|p| p * factor)
        } else {
            points.map(|p| DVec3::from_array(p.to_array().map(scale)))
        };
        // Where coordinates become subnormal by this, they lose less than half a smallest number.
        let error = if error == 0.0 { 0.0 } else { scale(error) };
        Self { points, exponent, error }
    }
}

/// `e` with `2^e <= x < 2^(e+1)`, for a positive finite number.
fn exponent_of(x: f64) -> i64 {
    let exponent = |x: f64| (x.to_bits() >> 52) as i64 - 1023;
    if x.is_normal() {
        exponent(x)
    } else if x > 0.0 {
        exponent(x * 2.0f64.powi(100)) - 100
    } else {
        0
    }
}

/// The nearest features in `f64`, about the middle of the triangles if that is worth a rounding of
/// each point, and what they prove in `f64`.
fn quick_bracket(placed: &Normalised, largest: f64) -> (Nearest<f64>, Bracket) {
    let (low, high) =
        placed.points.iter().fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(l, h), p| (l.min(*p), h.max(*p)));
    let half = (high - low) * 0.5;
    let (origin, moves) = if half.max_element() < 0.5 * largest {
        ((low + high) * 0.5, UNIT_ROUNDOFF * 1.001 * half.max_element())
    } else {
        (DVec3::ZERO, 0.0)
    };
    let points = offsets::<f64>(&placed.points, origin);
    let found = nearest(&points);
    let mut proven = bracket(&points, &found, 2.0 * moves + placed.error);
    proven.witness_a += origin;
    proven.witness_b += origin;
    (found, proven)
}

/// Returns the bracket proven by a pair of points and the direction between them, in numbers with roundoff
/// `U`. The vertices of the triangles err by `error` in each coordinate, summed over both.
///
/// - the error changes the distance by at most √3 times as much;
/// - the witness points are off their triangles by `roundings·U·D`, where `D` holds the largest magnitude
///   of each coordinate;
/// - `n·p` errs by at most `3U·D·|n|`, coordinate by coordinate.
///
/// At most ten roundings of the result itself remain.
fn bracket<T: Real>(points: &[[T; 3]; 6], found: &Nearest<T>, error: f64) -> Bracket {
    let extents = points.iter().fold(DVec3::ZERO, |m, p| m.max(vector(p).abs()));
    let displaced = SQRT_3 * error;

    let (witness_a, witness_b) = found.witnesses(points);
    let separated = minus(&witness_b, &witness_a);
    let off = 1.000_001 * found.roundings * T::ROUNDOFF * extents.length() + displaced;
    let distance = dot(&separated, &separated).sqrt();
    let upper = distance + distance * T::from_f64(10.0 * T::ROUNDOFF) + T::from_f64(off);

    let (mut lower, mut direction) = (f64::NEG_INFINITY, vector(&separated));
    for n in [found.normal(points), Some(separated)].iter().flatten() {
        let off = 6.001 * T::ROUNDOFF * vector(n).abs().dot(extents);
        let slab = support_distance(points, n, off, displaced);
        if slab > lower {
            (lower, direction) = (slab, vector(n));
        }
        if upper.to_f64() - lower.max(0.0) <= WIDTH / 2.0 {
            break;
        }
    }
    Bracket {
        at_least: lower,
        at_most: upper.round_up(),
        witness_a: vector(&witness_a),
        witness_b: vector(&witness_b),
        direction,
    }
}

fn offsets<T: Real>(points: &[DVec3; 6], origin: DVec3) -> [[T; 3]; 6] {
    let mut offsets = [[T::from_f64(0.0); 3]; 6];
    for (offset, p) in offsets.iter_mut().zip(points) {
        *offset = T::offset(*p, origin);
    }
    offsets
}

fn vector<T: Real>(v: &[T; 3]) -> DVec3 {
    DVec3::new(v[0].to_f64(), v[1].to_f64(), v[2].to_f64())
}

/// A lower bound on the width of the slab across `n` that parts the triangles, given the error `off` of
/// two values `n·p` and less what the triangles are displaced by; negative if it does not part them.
fn support_distance<T: Real>(points: &[[T; 3]; 6], n: &[T; 3], off: f64, displaced: f64) -> f64 {
    let ((a_least, a_most), (b_least, b_most)) = (span(&points[..3], n), span(&points[3..], n));
    let (ahead, behind) = (b_least - a_most, a_least - b_most);
    let slab = if ahead > behind { ahead } else { behind };
    let length = dot(n, n).sqrt();
    // Squares of anything shorter could underflow.
    if length.to_f64() < 1e-140 {
        return f64::NEG_INFINITY;
    }
    let distance = (slab - T::from_f64(off)) / length;
    (distance - distance * T::from_f64(10.0 * T::ROUNDOFF) - T::from_f64(displaced)).round_down()
}

/// The least and the greatest `n·p`.
fn span<T: Real>(points: &[[T; 3]], n: &[T; 3]) -> (T, T) {
    let first = dot(n, &points[0]);
    points[1..].iter().fold((first, first), |(least, most), p| {
        let height = dot(n, p);
        (if height < least { height } else { least }, if height > most { height } else { most })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{PairFrame, RelativePose, Triangle};

    /// No pair is known that gets past the double-double stage, so the last stage is called here.
    #[test]
    fn exact_enumeration_narrows_any_bracket() {
        let frame = PairFrame::new(&RelativePose::identity());
        let a = Triangle::new(DVec3::ZERO, DVec3::X, DVec3::Y);
        let b = Triangle { vertices: a.vertices.map(|p| p + DVec3::new(0.25, 0.25, 1.0 / 3.0)) };
        let pair = TrianglePair::new(&a, &b, &frame);
        let placed = pair.normalised();
        let wide = Bracket {
            at_least: 0.0,
            at_most: 9.0,
            witness_a: DVec3::ZERO,
            witness_b: DVec3::ZERO,
            direction: DVec3::Z,
        };
        let narrow = pair.exact_bracket(wide, &placed, 1.0);
        let distance = times_power_of_two(1.0 / 3.0, -placed.exponent);
        assert!(narrow.is_narrow(1.0) && narrow.at_least <= distance && distance <= narrow.at_most);
    }

    #[test]
    fn touching_is_zero_and_the_next_number_is_not() {
        let frame = PairFrame::new(&RelativePose::identity());
        let a = Triangle::new(DVec3::ZERO, DVec3::X, DVec3::Y);
        let over = |z: f64| Triangle { vertices: a.vertices.map(|p| p * 0.5 + DVec3::new(0.1, 0.1, z)) };
        assert_eq!(TrianglePair::new(&a, &over(0.0), &frame).distance().at_most, 0.0);
        let tiny = TrianglePair::new(&a, &over(f64::from_bits(1)), &frame).distance();
        assert!(tiny.at_least == 0.0 && tiny.at_most > 0.0);
    }
}
