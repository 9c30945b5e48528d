//! Affine forms over a cell: `center + Σ slope_k·ε_k ± error`, `ε_k ∈ [−1, 1]` (Comba & Stolfi 1993). They
//! have one error term as in Messine's and Vu's reduced forms. Each is paired with an interval; each
//! narrows the other.
//!
//! The ε represent the position in the cell. So linear terms of two functions cancel when they are
//! combined, and errors shrink with the square of the cell. Functions of one variable are replaced by a
//! line within a given distance on the range of the argument. All rounding goes into `error`.

use super::number::Number;
use crate::expression::op::{Binary, Unary};
use noli_geom::number::{LIBRARY_ERROR, round};
use noli_geom::{Aabb, Interval};

/// Covers what underflow hides.
const TINY: f64 = f64::MIN_POSITIVE;

/// A function on a cell: a line that follows it, and all its values.
#[derive(Clone, Copy, Debug)]
pub struct Affine {
    /// The value of the line in the middle of the cell.
    pub center: f64,
    /// Change of the line from the middle to each side of the cell.
    pub slopes: [f64; 3],
    /// No value is further from the line; infinite where there is none.
    pub error: f64,
    /// Holds all values.
    pub range: Interval,
}

impl Affine {
    /// A function of which only the range is known.
    pub fn from_range(range: Interval) -> Self {
        let center = range.middle();
        let error = if range.is_bounded() {
            round::up((range.hi() - center).max(center - range.lo()), 8) + TINY
        } else {
            f64::INFINITY
        };
        Self { center, slopes: [0.0; 3], error, range }
    }

    /// A line with a known error.
    pub fn line(center: f64, slopes: [f64; 3], error: f64) -> Self {
        Self { center, slopes, error, range: Interval::EVERYTHING }.narrowed(Interval::EVERYTHING)
    }

    /// Returns the box of the form's cell that can contain values that are not positive. The line bounds its
    /// extent along each side.
    pub(crate) fn possible(&self, cell: &Aabb) -> Aabb {
        let mut rest = *cell;
        let all: f64 = self.slopes.iter().map(|slope| slope.abs()).sum();
        for k in 0..3 {
            // center + slope·ε − error − what the other sides can do <= 0
            let slope = self.slopes[k].abs();
            let reach = round::up(all - slope + self.error - self.center, 8)
                + round::off(all + self.center.abs(), 16);
            let reach = round::up(reach / slope, 8);
            if reach.is_nan() || reach >= 1.0 {
                continue;
            }
            let (middle, half) = middle_and_half(cell.min[k], cell.max[k]);
            let room = round::off(middle.abs() + half, 8);
            if self.slopes[k] > 0.0 {
                rest.max[k] = rest.max[k].min(middle + half * reach + room);
            } else {
                rest.min[k] = rest.min[k].max(middle - half * reach - room);
            }
        }
        if rest.is_empty() { *cell } else { rest }
    }

    /// Returns the largest distance of values from the center.
    fn radius(&self) -> f64 {
        let [a, b, c] = self.slopes;
        round::up(a.abs() + b.abs() + c.abs() + self.error, 8)
    }

    /// The same with what else is known about its values.
    fn narrowed(self, range: Interval) -> Self {
        let radius = self.radius();
        // False for NaN too.
        let is_number = self.center.abs() + radius <= f64::MAX;
        if !is_number {
            return Self::from_range(range);
        }
        let line_range = Interval::around(self.center, radius);
        // Both hold all values; should rounding say otherwise, the wider tells no lie.
        Self { range: range.intersection(line_range).unwrap_or(range), ..self }
    }

    /// `factor·self + shift`, off by at most `error` more.
    fn mapped(&self, factor: f64, shift: f64, error: f64) -> Self {
        let center = factor * self.center + shift;
        let slopes = self.slopes.map(|slope| factor * slope);
        let rounding = size(center, slopes) + (factor * self.center).abs() + shift.abs();
        let error = round::up(factor.abs() * self.error + error + round::off(rounding, 4), 16) + TINY;
        Self { center, slopes, error, range: Interval::EVERYTHING }
    }

    fn plus(&self, other: &Self, sign: f64) -> Self {
        let center = self.center + sign * other.center;
        let slopes = std::array::from_fn(|k| self.slopes[k] + sign * other.slopes[k]);
        let error = round::up(self.error + other.error + round::off(size(center, slopes), 2), 16) + TINY;
        Self { center, slopes, error, range: Interval::EVERYTHING }
    }

    fn times(&self, other: &Self) -> Self {
        let (a, b) = (self, other);
        let center = a.center * b.center;
        let mut terms = center.abs();
        let slopes = std::array::from_fn(|k| {
            let (p, q) = (a.center * b.slopes[k], b.center * a.slopes[k]);
            terms += p.abs() + q.abs();
            p + q
        });
        let mixed = a.center.abs() * b.error + b.center.abs() * a.error + a.radius() * b.radius();
        let error = round::up(mixed + round::off(terms, 4), 32) + TINY;
        Self { center, slopes, error, range: Interval::EVERYTHING }
    }

    /// The square of the deviation is never negative, which halves the error.
    fn squared(&self) -> Self {
        let deviation = self.radius();
        let half = 0.5 * deviation * deviation;
        let double = 2.0 * self.center;
        let center = self.center * self.center + half;
        let slopes = self.slopes.map(|slope| double * slope);
        let rounding = size(center, slopes) + self.center * self.center;
        let error = round::up(double.abs() * self.error + half + round::off(rounding, 4), 32) + TINY;
        Self { center, slopes, error, range: Interval::EVERYTHING }
    }

    /// A line of the given slope through a function whose difference from `slope·x` lies between two bounds.
    fn along(&self, slope: f64, least: f64, greatest: f64, rounding: f64) -> Self {
        let middle = 0.5 * (least + greatest);
        let half = (greatest - middle).max(middle - least);
        self.mapped(slope, middle, half + rounding)
    }

    fn sqrt(&self) -> Self {
        let (lo, hi) = (self.range.lo().max(0.0), self.range.hi().max(0.0));
        let (root_lo, root_hi) = (lo.sqrt(), hi.sqrt());
        let slope = 1.0 / (root_lo + root_hi);
        // √x − slope·x is concave: least at the ends, nowhere above 1/(4·slope).
        let ends = (root_lo - slope * lo).min(root_hi - slope * hi);
        // The line must also hold where negative arguments count as zero.
        let ends = if self.range.lo() < 0.0 { ends.min(0.0) } else { ends };
        let below_zero = if self.range.lo() < 0.0 { -slope * self.range.lo() } else { 0.0 };
        let greatest = (0.25 / slope).max(below_zero);
        self.along(slope, ends, greatest, round::off(root_hi + slope * hi + below_zero, 16))
    }

    fn inverse(&self) -> Self {
        let (lo, hi) = (self.range.lo(), self.range.hi());
        if lo > 0.0 {
            let slope = -1.0 / (lo * hi);
            // 1/x − slope·x is convex: greatest at the ends, nowhere below 2√−slope.
            let ends = (1.0 / lo - slope * lo).max(1.0 / hi - slope * hi);
            self.along(slope, 2.0 * (-slope).sqrt(), ends, round::off(1.0 / lo - slope * hi, 32))
        } else if hi < 0.0 {
            self.mapped(-1.0, 0.0, 0.0).narrowed(-self.range).inverse().mapped(-1.0, 0.0, 0.0)
        } else {
            Self::from_range(Interval::EVERYTHING)
        }
    }

    fn abs(&self) -> Self {
        let (lo, hi) = (self.range.lo(), self.range.hi());
        if lo >= 0.0 {
            *self
        } else if hi <= 0.0 {
            self.mapped(-1.0, 0.0, 0.0)
        } else {
            let slope = (hi + lo) / (hi - lo);
            let ends = (-lo - slope * lo).max(hi - slope * hi);
            self.along(slope, 0.0, ends, round::off(hi - lo, 16))
        }
    }

    fn exp(&self) -> Self {
        let (lo, hi) = (self.range.lo(), self.range.hi());
        let (exp_lo, exp_hi) = (lo.exp(), hi.exp());
        let slope = (exp_hi - exp_lo) / (hi - lo);
        // Convex; nowhere below slope·(1 − ln slope).
        let ends = (exp_lo - slope * lo).max(exp_hi - slope * hi);
        let least = slope * (1.0 - slope.ln());
        let terms = exp_hi + slope * (lo.abs() + hi.abs() + slope.ln().abs() + 1.0);
        self.along(slope, least, ends, 4.0 * LIBRARY_ERROR * terms)
    }

    fn ln(&self) -> Self {
        let (lo, hi) = (self.range.lo(), self.range.hi());
        if lo <= 0.0 {
            return Self::from_range(Interval::EVERYTHING);
        }
        let slope = (hi.ln() - lo.ln()) / (hi - lo);
        // Concave; nowhere above −ln slope − 1.
        let ends = (lo.ln() - slope * lo).min(hi.ln() - slope * hi);
        let greatest = -slope.ln() - 1.0;
        let terms = lo.ln().abs() + hi.ln().abs() + slope * hi + slope.ln().abs() + 1.0;
        self.along(slope, ends, greatest, 4.0 * LIBRARY_ERROR * terms)
    }

    /// A wave: its tangent in the middle of the range, off by at most half the square of the distance.
    fn wave(&self, value: fn(f64) -> f64, slope: fn(f64) -> f64) -> Self {
        let middle = self.range.middle();
        let reach = round::up((self.range.hi() - middle).max(middle - self.range.lo()), 4);
        if reach >= 2.0 || middle.abs() > 1e9 {
            return Self::from_range(Interval::EVERYTHING);
        }
        let (y, tangent) = (value(middle), slope(middle));
        let rounding = 4.0 * LIBRARY_ERROR * (1.0 + middle.abs());
        self.mapped(tangent, y - tangent * middle, 0.5 * reach * reach + rounding)
    }

    fn power(&self, n: u32) -> Self {
        let (mut result, mut square, mut rest): (Option<Self>, Self, u32) = (None, *self, n);
        while rest > 0 {
            if rest % 2 == 1 {
                result = Some(result.map_or(square, |r| r.binary(Binary::Mul, &square)));
            }
            rest /= 2;
            if rest > 0 {
                square = square.unary(Unary::Square);
            }
        }
        result.unwrap_or(Self::constant(1.0))
    }

    /// `(a + b ∓ |a − b|) / 2`, keeping what both have in common.
    fn extreme(&self, other: &Self, sign: f64) -> Self {
        let difference = self.plus(other, -1.0).narrowed(self.range - other.range).abs();
        self.plus(other, 1.0).plus(&difference, sign).mapped(0.5, 0.0, 0.0)
    }
}

/// The middle of an extent and half its length, rounded up.
pub(crate) fn middle_and_half(lo: f64, hi: f64) -> (f64, f64) {
    let middle = 0.5 * lo + 0.5 * hi;
    (middle, (hi - middle).max(middle - lo).next_up())
}

/// The coordinates on a box as affine forms.
pub(crate) fn cell_coordinates(cell: &Aabb) -> [Affine; 3] {
    std::array::from_fn(|axis| {
        let (lo, hi) = (cell.min[axis], cell.max[axis]);
        if lo == hi {
            return Affine { center: lo, slopes: [0.0; 3], error: 0.0, range: lo.into() };
        }
        let (center, half) = middle_and_half(lo, hi);
        let mut slopes = [0.0; 3];
        slopes[axis] = half;
        Affine { center, slopes, error: 0.0, range: Interval::new(lo, hi) }
    })
}

fn size(center: f64, slopes: [f64; 3]) -> f64 {
    center.abs() + slopes[0].abs() + slopes[1].abs() + slopes[2].abs()
}

impl Number for Affine {
    fn constant(c: f64) -> Self {
        Self { center: c, slopes: [0.0; 3], error: 0.0, range: c.into() }.narrowed(c.into())
    }

    fn unary(&self, function: Unary) -> Self {
        let range = self.range.unary(function);
        let line = match function {
            Unary::Neg => Self {
                center: -self.center,
                slopes: self.slopes.map(|slope| -slope),
                error: self.error,
                range: -self.range,
            },
            Unary::Abs => self.abs(),
            Unary::Square => self.squared(),
            Unary::Sqrt => self.sqrt(),
            Unary::Exp => self.exp(),
            Unary::Ln => self.ln(),
            Unary::Sin => self.wave(f64::sin, f64::cos),
            Unary::Cos => self.wave(f64::cos, |x| -x.sin()),
            Unary::Floor => Self::from_range(range),
            Unary::Power(n @ 3..) => self.power(n as u32),
            Unary::Power(_) => Self::from_range(range),
            Unary::Plus(c) => self.mapped(1.0, c, 0.0),
            Unary::Times(c) => self.mapped(c, 0.0, 0.0),
        };
        line.narrowed(range)
    }

    fn binary(&self, function: Binary, other: &Self) -> Self {
        let (a, b) = (self, other);
        let range = a.range.binary(function, &b.range);
        let line = match function {
            Binary::Add => a.plus(b, 1.0),
            Binary::Sub => a.plus(b, -1.0),
            Binary::Mul => a.times(b),
            Binary::Div => a.times(&b.inverse().narrowed(Interval::ONE / b.range)),
            Binary::Min if a.range.hi() <= b.range.lo() => *a,
            Binary::Min if b.range.hi() <= a.range.lo() => *b,
            Binary::Max if a.range.hi() <= b.range.lo() => *b,
            Binary::Max if b.range.hi() <= a.range.lo() => *a,
            Binary::Min => a.extreme(b, -1.0),
            Binary::Max => a.extreme(b, 1.0),
            Binary::SmoothMin | Binary::SmoothMax => {
                let sign = if function == Binary::SmoothMin { -1.0 } else { 1.0 };
                let squares = a.unary(Unary::Square).binary(Binary::Add, &b.unary(Unary::Square));
                a.plus(b, 1.0).plus(&squares.unary(Unary::Sqrt), sign)
            }
            Binary::Atan2 => Self::from_range(range),
        };
        line.narrowed(range)
    }

    fn noise([x, y, z]: [&Self; 3]) -> Self {
        Self::from_range(Interval::noise([&x.range, &y.range, &z.range]))
    }

    fn certainly_at_most(&self, other: &Self) -> u8 {
        u8::from(self.range.hi() <= other.range.lo())
    }
}
