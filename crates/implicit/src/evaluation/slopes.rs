//! Gradients over cells: forward differentiation in intervals (Moore 1966).

use super::noise::STEEPEST;
use super::number::Number;
use crate::expression::op::{Binary, Unary};
use noli_geom::Interval;

/// All values of a function on a cell, and all its partial derivatives.
///
/// At kinks the derivative is everything between those of both sides, so bounds on it bound differences.
#[derive(Clone, Copy, Debug)]
pub struct Slopes {
    /// All values.
    pub value: Interval,
    /// All derivatives in x, y and z.
    pub gradient: [Interval; 3],
}

impl Slopes {
    /// The coordinate of an axis.
    pub fn coordinate(axis: usize, range: Interval) -> Self {
        let mut gradient = [Interval::ZERO; 3];
        gradient[axis] = Interval::ONE;
        Self { value: range, gradient }
    }

    fn chained(&self, value: Interval, derivative: Interval) -> Self {
        Self { value, gradient: self.gradient.map(|slope| derivative * slope) }
    }

    fn combined(&self, other: &Self, value: Interval, by_a: Interval, by_b: Interval) -> Self {
        let slope = |k: usize| by_a * self.gradient[k] + by_b * other.gradient[k];
        Self { value, gradient: std::array::from_fn(slope) }
    }
}

impl Number for Slopes {
    fn constant(c: f64) -> Self {
        Self { value: c.into(), gradient: [Interval::ZERO; 3] }
    }

    fn unary(&self, function: Unary) -> Self {
        let v = self.value;
        let value = v.unary(function);
        let derivative = match function {
            Unary::Neg => -Interval::ONE,
            Unary::Abs if v.lo() >= 0.0 => Interval::ONE,
            Unary::Abs if v.hi() <= 0.0 => -Interval::ONE,
            Unary::Abs => Interval::new(-1.0, 1.0),
            Unary::Square => v * Interval::from(2.0),
            Unary::Sqrt if v.hi() <= 0.0 => Interval::ZERO,
            Unary::Sqrt => {
                let steep = Interval::from(0.5) / value;
                if v.lo() < 0.0 { steep.hull(Interval::ZERO) } else { steep }
            }
            Unary::Exp => value,
            Unary::Ln if v.lo() > 0.0 => Interval::ONE / v,
            Unary::Ln if v.hi() <= 0.0 => Interval::ZERO,
            Unary::Ln => Interval::EVERYTHING,
            Unary::Sin => v.cos(),
            Unary::Cos => -v.sin(),
            Unary::Floor if value.is_point() => Interval::ZERO,
            Unary::Floor => Interval::EVERYTHING,
            Unary::Power(n) => v.powi(n.saturating_sub(1)) * Interval::from(f64::from(n)),
            Unary::Plus(_) => Interval::ONE,
            Unary::Times(c) => c.into(),
        };
        self.chained(value, derivative)
    }

    fn binary(&self, function: Binary, other: &Self) -> Self {
        let (a, b) = (self.value, other.value);
        let value = a.binary(function, &b);
        let (one, zero, share) = (Interval::ONE, Interval::ZERO, Interval::new(0.0, 1.0));
        let (by_a, by_b) = match function {
            Binary::Add => (one, one),
            Binary::Sub => (one, -one),
            Binary::Mul => (b, a),
            Binary::Div => (one / b, -(value / b)),
            Binary::Min | Binary::Max => {
                let (first, second) = if function == Binary::Min { (a, b) } else { (b, a) };
                if first.hi() < second.lo() {
                    (one, zero)
                } else if second.hi() < first.lo() {
                    (zero, one)
                } else {
                    // A mixture of both gradients: their hull.
                    return Self {
                        value,
                        gradient: std::array::from_fn(|k| self.gradient[k].hull(other.gradient[k])),
                    };
                }
            }
            Binary::SmoothMin | Binary::SmoothMax => {
                let unit = Interval::new(-1.0, 1.0);
                let norm = (a.square() + b.square()).sqrt();
                let part = |x: Interval| (x / norm).intersection(unit).unwrap_or(unit);
                let double = |x: Interval| x.intersection(share + share).unwrap_or(x);
                if function == Binary::SmoothMin {
                    (double(one - part(a)), double(one - part(b)))
                } else {
                    (double(one + part(a)), double(one + part(b)))
                }
            }
            // The angle jumps there.
            Binary::Atan2 if a.lo() < 0.0 && a.hi() >= 0.0 && b.lo() < 0.0 => {
                return Self { value, gradient: [Interval::EVERYTHING; 3] };
            }
            Binary::Atan2 => {
                let norm_sq = a.square() + b.square();
                (b / norm_sq, -(a / norm_sq))
            }
        };
        self.combined(other, value, by_a, by_b)
    }

    fn noise(at: [&Self; 3]) -> Self {
        let value = Interval::noise(at.map(|x| &x.value));
        let slope = Interval::new(-STEEPEST, STEEPEST);
        let sum = |k: usize| at.iter().fold(Interval::ZERO, |sum, x| sum + slope * x.gradient[k]);
        Self { value, gradient: std::array::from_fn(sum) }
    }
}
