//! Intervals between doubles, rounded outward.

use crate::dyadic::Dyadic;
use crate::interval::{Enclosure, Interval};

/// An interval between doubles. The results of operations are rounded outward; an end beyond the range of doubles is
/// infinite or no number, and nothing is certain then.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    pub(crate) low: f64,
    pub(crate) high: f64,
}

impl Enclosure for Span {
    fn of(value: &Dyadic) -> Self {
        Self { low: value.to_double_down(), high: up(value) }
    }

    fn plus(&self, other: &Self) -> Self {
        Self::around(self.low + other.low, self.high + other.high)
    }

    fn times(&self, other: &Self) -> Self {
        let [a, b] = [self.low * other.low, self.low * other.high];
        let [c, d] = [self.high * other.low, self.high * other.high];
        // The sum is finite only if all are: no minimum passes over what is no number.
        if !(a.abs() + b.abs() + c.abs() + d.abs()).is_finite() {
            return Self { low: f64::NEG_INFINITY, high: f64::INFINITY };
        }
        Self::around(a.min(b).min(c.min(d)), a.max(b).max(c.max(d)))
    }

    fn negated(&self) -> Self {
        Self { low: -self.high, high: -self.low }
    }

    fn rounded(self) -> Self {
        self
    }
}

impl Span {
    pub(crate) const fn point(value: f64) -> Self {
        Self { low: value, high: value }
    }

    /// The interval between two results, with more than their rounding: 2^-53 of each, or half of the smallest double.
    pub(crate) fn around(low: f64, high: f64) -> Self {
        let rounding = |result: f64| result.abs() * (2.0 * f64::EPSILON) + f64::MIN_POSITIVE;
        Self { low: low - rounding(low), high: high + rounding(high) }
    }

    pub(crate) fn of_interval(value: &Interval) -> Self {
        Self { low: value.low.to_double_down(), high: up(&value.high) }
    }

    /// Returns `true` if no number has a magnitude greater than any of `size`.
    pub(crate) fn is_within(&self, size: &Self) -> bool {
        -size.low <= self.low && self.high <= size.low
    }

    pub(crate) fn middle(self) -> f64 {
        0.5 * (self.low + self.high)
    }

    /// A bound on the distance of its numbers from the middle.
    pub(crate) fn width(self) -> f64 {
        (self.high - self.low).next_up()
    }
}

/// The smallest double that is not below a number.
pub(crate) fn up(value: &Dyadic) -> f64 {
    -(-value).to_double_down()
}
