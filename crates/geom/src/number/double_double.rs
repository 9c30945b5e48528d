//! Numbers of about 106 bits as unevaluated sums of two `f64` (Dekker 1971; operations and error
//! bounds after Joldes, Muller & Popescu 2017). No fused multiply-add, so every machine agrees.

use dashu_int::IBig;
use dashu_int::ops::BitTest;
use std::ops::{Add, Div, Mul, Sub};

/// `hi + lo` with `|lo|` at most half a unit in the last place of `hi`.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub(crate) struct DoubleDouble {
    pub(crate) hi: f64,
    pub(crate) lo: f64,
}

impl DoubleDouble {
    pub(crate) const ZERO: Self = Self { hi: 0.0, lo: 0.0 };

    /// `numerator / denominator · 2^exponent` for a positive denominator, within `2^-105` of itself.
    pub(crate) fn ratio(numerator: &IBig, denominator: &IBig, exponent: i32) -> Self {
        if *numerator == IBig::ZERO {
            return Self::ZERO;
        }
        let shift = 112 + denominator.bit_len() as i64 - numerator.bit_len() as i64;
        let quotient = if shift >= 0 {
            (numerator << shift as usize) / denominator
        } else {
            numerator / (denominator << -shift as usize)
        };
        let quotient = i128::try_from(&quotient).unwrap_or(0);
        let hi = quotient as f64;
        let lo = (quotient - hi as i128) as f64;
        let scale = i64::from(exponent) - shift;
        Self { hi: times_power_of_two(hi, scale), lo: times_power_of_two(lo, scale) }
    }

    /// `x·y` for two `f64`, exact.
    pub(crate) fn product(x: f64, y: f64) -> Self {
        let hi = x * y;
        let ((x1, x2), (y1, y2)) = (split(x), split(y));
        Self { hi, lo: ((x1 * y1 - hi) + x1 * y2 + x2 * y1) + x2 * y2 }
    }
}

/// `x·2^exponent`, rounded only where the result is subnormal.
pub(crate) fn times_power_of_two(x: f64, exponent: i64) -> f64 {
    let step = exponent.clamp(-1000, 1000);
    let y = x * 2.0f64.powi(step as i32);
    if step == exponent || y == 0.0 || y.is_infinite() { y } else { times_power_of_two(y, exponent - step) }
}

/// Halves of 26 bits (Veltkamp).
pub(crate) fn split(x: f64) -> (f64, f64) {
    let c = 134_217_729.0 * x;
    let high = c - (c - x);
    (high, x - high)
}

fn two_sum(x: f64, y: f64) -> DoubleDouble {
    let hi = x + y;
    let y_part = hi - x;
    DoubleDouble { hi, lo: (x - (hi - y_part)) + (y - y_part) }
}

/// Needs `|x| >= |y|` or `x = 0`.
fn fast_two_sum(x: f64, y: f64) -> DoubleDouble {
    let hi = x + y;
    DoubleDouble { hi, lo: y - (hi - x) }
}

impl From<f64> for DoubleDouble {
    fn from(x: f64) -> Self {
        Self { hi: x, lo: 0.0 }
    }
}

impl Add for DoubleDouble {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let (s, t) = (two_sum(self.hi, other.hi), two_sum(self.lo, other.lo));
        let v = fast_two_sum(s.hi, s.lo + t.hi);
        fast_two_sum(v.hi, t.lo + v.lo)
    }
}

impl Sub for DoubleDouble {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + Self { hi: -other.hi, lo: -other.lo }
    }
}

impl Mul for DoubleDouble {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let p = Self::product(self.hi, other.hi);
        fast_two_sum(p.hi, p.lo + (self.hi * other.lo + self.lo * other.hi))
    }
}

impl Div for DoubleDouble {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        let first = self.hi / other.hi;
        let rest = self - other * Self::from(first);
        let second = rest.hi / other.hi;
        let rest = rest - other * Self::from(second);
        fast_two_sum(first, second) + Self::from(rest.hi / other.hi)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_third_is_known_to_106_bits() {
        let third = DoubleDouble::ratio(&IBig::from(1), &IBig::from(3), 0);
        assert_eq!(third.hi, 1.0 / 3.0);
        let one = third * DoubleDouble::from(3.0);
        assert!((one - DoubleDouble::from(1.0)).hi.abs() < 2.0f64.powi(-104));
        let quotient = DoubleDouble::from(1.0) / DoubleDouble::from(3.0);
        assert!((quotient - third).hi.abs() < 2.0f64.powi(-104));
    }

    #[test]
    fn ratios_reach_any_exponent() {
        let huge = IBig::from(-5) << 4000usize;
        assert_eq!(DoubleDouble::ratio(&huge, &IBig::from(1), -4000).hi, -5.0);
        let small = IBig::from(3) << 4000usize;
        assert_eq!(DoubleDouble::ratio(&IBig::from(3), &small, 4000 - 1074).hi, f64::from_bits(1));
    }
}
