//! Rational numbers and intervals of them.

use dashu_int::IBig;
use dashu_int::ops::{BitTest, Gcd, SquareRoot, UnsignedAbs};
use std::cmp::Ordering;
use std::ops::{Add, Mul, Neg, Sub};

/// A rational number in lowest terms, the denominator positive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Q {
    num: IBig,
    den: IBig,
}

impl Q {
    pub(crate) fn ratio(num: IBig, den: IBig) -> Self {
        assert!(den != IBig::ZERO);
        let (num, den) = if den < IBig::ZERO { (-num, -den) } else { (num, den) };
        if num == IBig::ZERO {
            return Self { num, den: IBig::ONE };
        }
        let gcd = IBig::from((&num).gcd(&den));
        Self { num: num / &gcd, den: den / gcd }
    }

    pub(crate) fn int(value: i64) -> Self {
        Self { num: IBig::from(value), den: IBig::ONE }
    }

    pub(crate) fn zero() -> Self {
        Self::int(0)
    }

    pub(crate) fn from_f64(value: f64) -> Self {
        let bits = value.to_bits();
        let exponent = (bits >> 52 & 0x7ff) as i32;
        let fraction = (bits & ((1 << 52) - 1)) as i64;
        let mantissa = if exponent == 0 { fraction } else { fraction | 1 << 52 };
        let sign = if value < 0.0 { -1 } else { 1 };
        Self::int(sign * mantissa) * Self::power_of_two(exponent.max(1) - 1075)
    }

    pub(crate) fn power_of_two(exponent: i32) -> Self {
        let power = IBig::ONE << exponent.unsigned_abs() as usize;
        if exponent < 0 { Self { num: IBig::ONE, den: power } } else { Self { num: power, den: IBig::ONE } }
    }

    pub(crate) fn abs(&self) -> Self {
        if self.sign() < 0 { -self.clone() } else { self.clone() }
    }

    pub(crate) fn sign(&self) -> i32 {
        match self.num.cmp(&IBig::ZERO) {
            Ordering::Less => -1,
            Ordering::Equal => 0,
            Ordering::Greater => 1,
        }
    }

    pub(crate) fn inverse(&self) -> Self {
        Self::ratio(self.den.clone(), self.num.clone())
    }

    pub(crate) fn half(&self) -> Self {
        self.clone() * Self::power_of_two(-1)
    }

    fn floor_div(num: &IBig, den: &IBig) -> IBig {
        let quotient = num / den;
        if &quotient * den > *num { quotient - IBig::ONE } else { quotient }
    }

    /// The largest multiple of 2^-112 that is not larger.
    fn down(&self) -> Self {
        if self.den.bit_len() <= 113 && self.den == IBig::ONE << self.den.trailing_zeros().unwrap_or(0) {
            return self.clone();
        }
        Self::ratio(Self::floor_div(&(&self.num << 112), &self.den), IBig::ONE << 112)
    }

    /// Bounds of the square root, exact where it is rational.
    pub(crate) fn sqrt(&self) -> I {
        let roots = [&self.num, &self.den].map(|part| part.clone().unsigned_abs().sqrt());
        let squares = roots.each_ref().map(|root| IBig::from(root * root));
        if squares == [self.num.clone(), self.den.clone()] {
            let [num, den] = roots.map(IBig::from);
            return I::point(Self::ratio(num, den));
        }
        let shift = 128 + self.den.bit_len() / 2 * 2;
        let scaled = (&self.num << (2 * shift)) / &self.den;
        let root = IBig::from(scaled.unsigned_abs().sqrt());
        let unit = IBig::ONE << shift;
        I { lo: Self::ratio(root.clone(), unit.clone()), hi: Self::ratio(root + IBig::ONE, unit) }
    }

    /// Bounds of sine and cosine.
    pub(crate) fn sin_cos(&self) -> [I; 2] {
        if self.sign() == 0 {
            return [I::point(Self::zero()), I::point(Self::int(1))];
        }
        let one = IBig::ONE << 256;
        let x = Self::floor_div(&(&self.num << 256), &self.den);
        let (mut sums, mut term) = ([IBig::ZERO, IBig::ZERO], one.clone());
        for n in 0..400 {
            let part = if n % 4 < 2 { term.clone() } else { -term.clone() };
            sums[(n + 1) % 2] += part;
            term = &term * &x / &one / IBig::from(n + 1);
        }
        let error = Self::power_of_two(-100);
        sums.map(|sum| {
            let middle = Self::ratio(sum, one.clone());
            I { lo: middle.clone() - error.clone(), hi: middle + error.clone() }
        })
    }
}

impl PartialOrd for Q {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Q {
    fn cmp(&self, other: &Self) -> Ordering {
        (&self.num * &other.den).cmp(&(&other.num * &self.den))
    }
}

impl Neg for Q {
    type Output = Self;
    fn neg(self) -> Self {
        Self { num: -self.num, den: self.den }
    }
}

impl Add for Q {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self::ratio(&self.num * &other.den + &other.num * &self.den, self.den * other.den)
    }
}

impl Sub for Q {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Q {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Self::ratio(self.num * other.num, self.den * other.den)
    }
}

/// A closed interval.
#[derive(Clone, Debug)]
pub(crate) struct I {
    pub(crate) lo: Q,
    pub(crate) hi: Q,
}

impl I {
    pub(crate) fn point(value: Q) -> Self {
        Self { lo: value.clone(), hi: value }
    }

    pub(crate) fn around(middle: &Q, radius: &Q) -> Self {
        Self { lo: middle.clone() - radius.clone(), hi: middle.clone() + radius.clone() }
    }

    pub(crate) fn middle(&self) -> Q {
        (self.lo.clone() + self.hi.clone()).half()
    }

    pub(crate) fn radius(&self) -> Q {
        (self.hi.clone() - self.lo.clone()).half()
    }

    /// Rounded outward, unless it is a point.
    pub(crate) fn rounded(self) -> Self {
        if self.lo == self.hi { self } else { Self { lo: self.lo.down(), hi: -(-self.hi).down() } }
    }

    /// Upper bound of the magnitude.
    pub(crate) fn most(&self) -> Q {
        self.lo.abs().max(self.hi.abs())
    }

    pub(crate) fn square(&self) -> Self {
        let [lo, hi] = [self.lo.clone(), self.hi.clone()];
        let [a, b] = [lo.clone() * lo.clone(), hi.clone() * hi.clone()];
        let least = if lo.sign() <= 0 && hi.sign() >= 0 { Q::zero() } else { a.clone().min(b.clone()) };
        Self { lo: least, hi: a.max(b) }
    }
}

impl Neg for I {
    type Output = Self;
    fn neg(self) -> Self {
        Self { lo: -self.hi, hi: -self.lo }
    }
}

impl Add for I {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self { lo: self.lo + other.lo, hi: self.hi + other.hi }
    }
}

impl Sub for I {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for I {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        if self.lo == self.hi && other.lo == other.hi {
            return Self::point(self.lo * other.lo);
        }
        let ends = |x: &Q| [x.clone() * other.lo.clone(), x.clone() * other.hi.clone()];
        let all = [ends(&self.lo), ends(&self.hi)].concat();
        let lo = all.iter().min().cloned().unwrap_or(Q::zero());
        Self { lo, hi: all.into_iter().max().unwrap_or(Q::zero()) }
    }
}
