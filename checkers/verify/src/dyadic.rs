//! Dyadic rationals, and bounds of their quotients and square roots.

use dashu_int::IBig;
use dashu_int::ops::{BitTest, DivEuclid, SquareRoot};
use std::cmp::Ordering;
use std::ops::{Add, Mul, Neg, Sub};

/// Bits of rounded quotients and roots.
const BITS: i64 = 160;

/// The number `mantissa · 2^exponent`.
#[derive(Clone, Debug)]
pub(crate) struct Dyadic {
    mantissa: IBig,
    exponent: i64,
}

impl Dyadic {
    pub(crate) const ZERO: Self = Self { mantissa: IBig::ZERO, exponent: 0 };

    pub(crate) fn new(mantissa: IBig, exponent: i64) -> Self {
        if mantissa.is_zero() { Self::ZERO } else { Self { mantissa, exponent } }
    }

    pub(crate) fn integer(value: i64) -> Self {
        Self::new(value.into(), 0)
    }

    /// Returns the exact value of a finite double.
    pub(crate) fn double(value: f64) -> Self {
        let bits = value.to_bits();
        let (biased, fraction) = ((bits >> 52 & 0x7ff) as i64, bits & ((1 << 52) - 1));
        let mantissa = if biased == 0 { fraction } else { fraction | 1 << 52 };
        let mantissa = if value < 0.0 { -IBig::from(mantissa) } else { IBig::from(mantissa) };
        Self::new(mantissa, biased.max(1) - 1075)
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.mantissa.is_zero()
    }

    pub(crate) fn is_positive(&self) -> bool {
        self.mantissa > IBig::ZERO
    }

    pub(crate) fn is_negative(&self) -> bool {
        self.mantissa < IBig::ZERO
    }

    pub(crate) fn abs(&self) -> Self {
        if self.is_negative() { -self } else { self.clone() }
    }

    pub(crate) fn half(&self) -> Self {
        self.times_power(-1)
    }

    /// Returns the number times `2^power`.
    pub(crate) fn times_power(&self, power: i64) -> Self {
        Self::new(self.mantissa.clone(), self.exponent + power)
    }

    pub(crate) fn squared(&self) -> Self {
        self * self
    }

    /// Returns the largest integer of which the number is at least `2^-scale` times.
    pub(crate) fn floor_at(&self, scale: i64) -> IBig {
        let shift = self.exponent + scale;
        if shift >= 0 { &self.mantissa << shift as usize } else { &self.mantissa >> (-shift) as usize }
    }

    /// Returns the floor of `self / divisor · 2^scale`; the divisor is positive.
    pub(crate) fn quotient_floor(&self, divisor: &Self, scale: i64) -> IBig {
        let shift = scale + self.exponent - divisor.exponent;
        if shift >= 0 {
            (&self.mantissa << shift as usize).div_euclid(&divisor.mantissa)
        } else {
            self.mantissa.clone().div_euclid(&divisor.mantissa << (-shift) as usize)
        }
    }

    /// Returns a lower bound of the quotient of two numbers, the second positive.
    pub(crate) fn divided_down(&self, divisor: &Self) -> Self {
        let scale = BITS + self.binades_below(divisor);
        Self::new(self.quotient_floor(divisor, scale), -scale)
    }

    pub(crate) fn divided_up(&self, divisor: &Self) -> Self {
        -&(-self).divided_down(divisor)
    }

    /// Returns how many powers of two the quotient is below 1, about.
    fn binades_below(&self, divisor: &Self) -> i64 {
        divisor.bits() + divisor.exponent - self.bits() - self.exponent
    }

    fn bits(&self) -> i64 {
        self.mantissa.bit_len() as i64
    }

    /// Returns an upper bound of the square root of a number that is not negative; exact if the root is dyadic.
    pub(crate) fn root_up(&self) -> Self {
        if !self.is_positive() {
            return Self::ZERO;
        }
        let mut shift = (2 * BITS - self.bits()).max(0);
        shift += (self.exponent - shift).rem_euclid(2);
        let widened = &self.mantissa << shift as usize;
        let root = widened.sqrt();
        let root = IBig::from(root);
        let is_exact = &root * &root == widened;
        Self::new(if is_exact { root } else { root + IBig::ONE }, (self.exponent - shift) / 2)
    }

    /// Returns the largest double that is not above the number; magnitudes beyond the range of doubles are cut.
    pub(crate) fn to_double_down(&self) -> f64 {
        // What is below the last bit of a double is cut, towards minus infinity.
        let excess = (self.bits() - 53).max(-1074 - self.exponent).max(0);
        let exponent = self.exponent + excess;
        let mantissa = (&self.mantissa >> excess as usize).to_f64().value();
        if exponent > 970 {
            return if mantissa < 0.0 { f64::NEG_INFINITY } else { f64::MAX };
        }
        // In two steps, as 2^-1074 is no normal number.
        let part = exponent / 2;
        mantissa * 2f64.powi(part as i32) * 2f64.powi((exponent - part) as i32)
    }
}

impl Add for &Dyadic {
    type Output = Dyadic;

    fn add(self, other: Self) -> Dyadic {
        if self.is_zero() {
            return other.clone();
        }
        if other.is_zero() {
            return self.clone();
        }
        let exponent = self.exponent.min(other.exponent);
        let sum = self.floor_at(-exponent) + other.floor_at(-exponent);
        Dyadic::new(sum, exponent)
    }
}

impl Sub for &Dyadic {
    type Output = Dyadic;

    fn sub(self, other: Self) -> Dyadic {
        self + &-other
    }
}

impl Mul for &Dyadic {
    type Output = Dyadic;

    fn mul(self, other: Self) -> Dyadic {
        Dyadic::new(&self.mantissa * &other.mantissa, self.exponent + other.exponent)
    }
}

impl Neg for &Dyadic {
    type Output = Dyadic;

    fn neg(self) -> Dyadic {
        Dyadic::new(-&self.mantissa, self.exponent)
    }
}

impl PartialEq for Dyadic {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Dyadic {}

impl PartialOrd for Dyadic {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Dyadic {
    fn cmp(&self, other: &Self) -> Ordering {
        (self - other).mantissa.cmp(&IBig::ZERO)
    }
}

/// A point or direction.
pub(crate) type Vector = [Dyadic; 3];

pub(crate) fn dot(a: &Vector, b: &Vector) -> Dyadic {
    &(&(&a[0] * &b[0]) + &(&a[1] * &b[1])) + &(&a[2] * &b[2])
}

pub(crate) fn cross(a: &Vector, b: &Vector) -> Vector {
    let part = |i: usize, j: usize| &(&a[i] * &b[j]) - &(&a[j] * &b[i]);
    [part(1, 2), part(2, 0), part(0, 1)]
}

pub(crate) fn sum(numbers: impl IntoIterator<Item = Dyadic>) -> Dyadic {
    numbers.into_iter().fold(Dyadic::ZERO, |total, number| &total + &number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles_are_exact() {
        for value in [0.0, 1.0, -0.1, 1e300, -5e-324, 3.5e-310] {
            assert_eq!(
                Dyadic::double(value).to_double_down(),
                if value == -0.0 { 0.0 } else { value },
                "{value}"
            );
        }
        assert_eq!(&Dyadic::double(0.5) + &Dyadic::double(0.25), Dyadic::double(0.75));
        assert!(Dyadic::double(-2.0) < Dyadic::double(1e-300));
    }

    #[test]
    fn quotients_and_roots_bound() {
        let (one, three) = (Dyadic::integer(1), Dyadic::integer(3));
        let (low, high) = (one.divided_down(&three), one.divided_up(&three));
        assert!(&low * &three < one && one < &high * &three);
        assert!((&high - &low).to_double_down() < 1e-40);
        assert_eq!(Dyadic::double(6.25).root_up(), Dyadic::double(2.5));
        let root = Dyadic::integer(2).root_up();
        assert!(root.squared() > Dyadic::integer(2) && (root.to_double_down() - 2f64.sqrt()).abs() < 1e-15);
        assert_eq!(Dyadic::new(IBig::from(-3), -1).floor_at(0), IBig::from(-2));
    }
}
