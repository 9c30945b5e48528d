//! Numbers with [`PLACES`] binary places in unbounded integers: what [`Interval`](crate::Interval) is
//! compared with. Series are summed until their terms vanish; every result is within [`Fixed::slack`] of
//! the truth for arguments of moderate size.

use crate::number::exact::integer;
use dashu_int::IBig;
use dashu_int::ops::{BitTest, SquareRoot};
use std::ops::{Add, Div, Mul, Neg, Sub};

/// Binary places after the point.
const PLACES: usize = 256;

/// A number rounded to a multiple of `2^-256`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fixed(IBig);

impl Fixed {
    /// The number itself if it is a multiple of `2^-256`, cut off otherwise. NaN and infinities have no
    /// meaning here.
    pub fn new(x: f64) -> Self {
        // 1074 places hold every f64.
        Self(integer(x, -1074) >> (1074 - PLACES))
    }

    /// `2^-190`: more than all errors of a result together.
    pub fn slack() -> Self {
        Self(IBig::ONE << (PLACES - 190))
    }

    /// Returns `true` if the number lies in the interval, within [`slack`](Self::slack).
    pub fn is_in(&self, interval: crate::Interval) -> bool {
        let (lo, hi) = (interval.lo(), interval.hi());
        (lo == f64::NEG_INFINITY || Self::new(lo) - Self::slack() <= *self)
            && (hi == f64::INFINITY || *self <= Self::new(hi) + Self::slack())
    }

    /// The magnitude.
    pub fn abs(self) -> Self {
        if self.0 < IBig::ZERO { -self } else { self }
    }

    /// The largest integer that is not greater.
    pub fn floor(&self) -> Self {
        // Shifts of negative integers round towards −∞.
        Self((&self.0 >> PLACES) << PLACES)
    }

    /// The square root; zero for negative numbers.
    pub fn sqrt(&self) -> Self {
        if self.0 <= IBig::ZERO {
            return Self(IBig::ZERO);
        }
        let (_, magnitude) = (&self.0 << PLACES).into_parts();
        Self(magnitude.sqrt().into())
    }

    /// π, by Machin's formula.
    pub fn pi() -> Self {
        Self(inverse_atan(5) * IBig::from(16) - inverse_atan(239) * IBig::from(4))
    }

    /// `e^self`, by halving the argument and squaring the series.
    pub fn exp(&self) -> Self {
        const HALVINGS: usize = 16;
        let k = (self.clone() / Self::ln2()).floor();
        let rest = self.clone() - k.clone() * Self::ln2();
        let small = Self(rest.0 >> HALVINGS);
        let mut sum = Self::new(1.0);
        let mut term = Self::new(1.0);
        for n in 1.. {
            term = Self((term * small.clone()).0 / IBig::from(n));
            if term.0 == IBig::ZERO || term.0 == -IBig::ONE {
                break;
            }
            sum = sum + term.clone();
        }
        for _ in 0..HALVINGS {
            sum = sum.clone() * sum;
        }
        let shift = i64::try_from(&(k.0 >> PLACES)).unwrap_or(0);
        Self(if shift >= 0 { sum.0 << shift as usize } else { sum.0 >> shift.unsigned_abs() as usize })
    }

    /// The natural logarithm of a positive number, by `2·artanh((m−1)/(m+1))` of its mantissa.
    pub fn ln(&self) -> Self {
        let exponent = self.0.bit_len() as i64 - 1 - PLACES as i64;
        let mantissa = if exponent >= 0 {
            Self(&self.0 >> exponent as usize)
        } else {
            Self(&self.0 << exponent.unsigned_abs() as usize)
        };
        Self(Self::twice_artanh(&mantissa).0 + Self::ln2().0 * IBig::from(exponent))
    }

    fn ln2() -> Self {
        Self::twice_artanh(&Self::new(2.0))
    }

    fn twice_artanh(m: &Self) -> Self {
        let one = Self::new(1.0);
        let z = (m.clone() - one.clone()) / (m.clone() + one);
        Self(odd_series(&z, false).0 << 1usize)
    }

    /// The sine.
    pub fn sin(&self) -> Self {
        let turn = Self(Self::pi().0 << 1usize);
        let rest = self.clone() - (self.clone() / turn.clone()).floor() * turn;
        let square = rest.clone() * rest.clone();
        let (mut term, mut sum) = (rest.clone(), rest);
        for n in 1.. {
            term = -Self((term * square.clone()).0 / IBig::from(2 * n * (2 * n + 1)));
            if term.0 == IBig::ZERO || term.0 == -IBig::ONE {
                return sum;
            }
            sum = sum + term.clone();
        }
        sum
    }

    /// The cosine.
    pub fn cos(&self) -> Self {
        (self.clone() + Self(Self::pi().0 >> 1usize)).sin()
    }

    /// The angle of the point `(x, self)`, which is not the origin, from the positive x axis.
    pub fn atan2(&self, x: &Self) -> Self {
        let zero = Self(IBig::ZERO);
        if x.clone().abs() < self.clone().abs() {
            let quarter = Self(Self::pi().0 >> 1usize);
            let from_y_axis = (x.clone() / self.clone()).atan();
            return if *self > zero { quarter - from_y_axis } else { -quarter - from_y_axis };
        }
        let angle = (self.clone() / x.clone()).atan();
        match (*x < zero, *self < zero) {
            (false, _) => angle,
            (true, false) => angle + Self::pi(),
            (true, true) => angle - Self::pi(),
        }
    }

    /// The arc tangent of a number in [−1, 1], by halving the angle three times.
    fn atan(self) -> Self {
        let one = Self::new(1.0);
        let mut t = self;
        for _ in 0..3 {
            let root = (one.clone() + t.clone() * t.clone()).sqrt();
            t = t / (one.clone() + root);
        }
        Self(odd_series(&t, true).0 << 3usize)
    }
}

/// `z ± z³/3 + z⁵/5 ± ...`
fn odd_series(z: &Fixed, alternating: bool) -> Fixed {
    let square = z.clone() * z.clone();
    let (mut power, mut sum) = (z.clone(), z.clone());
    for n in 1.. {
        power = power * square.clone();
        if alternating {
            power = -power;
        }
        let term = &power.0 / IBig::from(2 * n + 1);
        if term == IBig::ZERO || term == -IBig::ONE {
            break;
        }
        sum = Fixed(sum.0 + term);
    }
    sum
}

/// `atan(1/n)`, scaled.
fn inverse_atan(n: i32) -> IBig {
    odd_series(&(Fixed::new(1.0) / Fixed::new(f64::from(n))), true).0
}

impl Add for Fixed {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl Sub for Fixed {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

impl Neg for Fixed {
    type Output = Self;
    fn neg(self) -> Self {
        Self(-self.0)
    }
}

impl Mul for Fixed {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Self((self.0 * other.0) >> PLACES)
    }
}

impl Div for Fixed {
    type Output = Self;
    /// The divisor is not zero.
    fn div(self, other: Self) -> Self {
        Self((self.0 << PLACES) / other.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_agree_with_the_library() {
        let near = |fixed: Fixed, x: f64| {
            let error = (fixed - Fixed::new(x)).abs();
            assert!(error <= Fixed::new(x.abs() * 1e-15 + 1e-300), "{x}");
        };
        near(Fixed::pi(), std::f64::consts::PI);
        for x in [-30.0, -2.5, -0.1, 0.3, 1.0, 7.0, 100.0] {
            let f = Fixed::new(x);
            near(f.exp(), x.exp());
            near(f.sin(), x.sin());
            near(f.cos(), x.cos());
            near(f.clone().abs().sqrt(), x.abs().sqrt());
            near(f.clone().abs().ln(), x.abs().ln());
            near(f.floor(), x.floor());
            for y in [-3.0, -0.2, 0.7, 50.0] {
                near(Fixed::new(y).atan2(&f), y.atan2(x));
            }
        }
    }
}
