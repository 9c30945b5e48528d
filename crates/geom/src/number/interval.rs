//! Interval arithmetic with outward rounding (Moore 1966).
//!
//! An [`Interval`] contains at least every value of its operation on the given intervals; it never contains
//! NaN. Sums, products, quotients and square roots are as narrow as `f64` allows. Error-free
//! transformations (Dekker 1971) decide if a rounded end point must move outward. The functions of the
//! platform's mathematical library are trusted within [`LIBRARY_ERROR`] and widened by it.

use super::double_double::DoubleDouble;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// Bound on the relative error of the platform's `exp`, `ln`, `sin`, `cos` and `atan2`: four units in the
/// last place. The libraries in use state at most one.
pub const LIBRARY_ERROR: f64 = 4.0 * f64::EPSILON;

/// All numbers from [`lo`](Self::lo) to [`hi`](Self::hi); an infinite end means that no bound is available.
///
/// ```
/// use noli_geom::Interval;
/// let x = Interval::new(-1.0, 2.0);
/// assert_eq!(x.square(), Interval::new(0.0, 4.0));
/// assert_eq!(x * x, Interval::new(-2.0, 4.0)); // two numbers from x, not the same twice
/// assert_eq!(Interval::ONE / x, Interval::EVERYTHING);
/// let tenth = Interval::ONE / Interval::from(10.0);
/// assert!(tenth.contains(0.1) && tenth.width() > 0.0); // 0.1 is not an f64
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    lo: f64,
    hi: f64,
}

impl Interval {
    /// Just zero.
    pub const ZERO: Self = Self { lo: 0.0, hi: 0.0 };
    /// Just one.
    pub const ONE: Self = Self { lo: 1.0, hi: 1.0 };
    /// All numbers: nothing is known.
    pub const EVERYTHING: Self = Self { lo: f64::NEG_INFINITY, hi: f64::INFINITY };
    /// π.
    pub const PI: Self = Self { lo: std::f64::consts::PI, hi: std::f64::consts::PI.next_up() };
    /// π / 2.
    pub const FRAC_PI_2: Self =
        Self { lo: std::f64::consts::FRAC_PI_2, hi: std::f64::consts::FRAC_PI_2.next_up() };

    /// Creates the interval between two ends, given in any order. NaN means unknown and gives everything.
    pub fn new(one: f64, other: f64) -> Self {
        if one.is_nan() || other.is_nan() {
            return Self::EVERYTHING;
        }
        // No end lies beyond all numbers.
        Self { lo: one.min(other).min(f64::MAX), hi: one.max(other).max(f64::MIN) }
    }

    /// All numbers within `radius` of `center`.
    pub fn around(center: f64, radius: f64) -> Self {
        Self::from(center) + Self::new(-radius, radius)
    }

    /// No number is less.
    #[inline]
    pub fn lo(self) -> f64 {
        self.lo
    }

    /// No number is greater.
    #[inline]
    pub fn hi(self) -> f64 {
        self.hi
    }

    /// Returns `true` if the interval contains the number.
    pub fn contains(self, x: f64) -> bool {
        self.lo <= x && x <= self.hi
    }

    /// Returns `true` if it is a single number.
    pub fn is_point(self) -> bool {
        self.lo == self.hi
    }

    /// Returns `true` if both ends are finite.
    pub fn is_bounded(self) -> bool {
        self.lo > f64::NEG_INFINITY && self.hi < f64::INFINITY
    }

    /// The length, rounded up.
    pub fn width(self) -> f64 {
        sum_up(self.hi, -self.lo)
    }

    /// A number near the middle, always finite and one of them.
    pub fn middle(self) -> f64 {
        match (self.lo == f64::NEG_INFINITY, self.hi == f64::INFINITY) {
            (true, true) => 0.0,
            (true, false) => self.hi.min(0.0),
            (false, true) => self.lo.max(0.0),
            // Halved first: the sum of two huge ends must not overflow.
            (false, false) => (0.5 * self.lo + 0.5 * self.hi).clamp(self.lo, self.hi),
        }
    }

    /// The largest magnitude.
    pub fn magnitude(self) -> f64 {
        self.lo.abs().max(self.hi.abs())
    }

    /// The smallest interval around both.
    pub fn hull(self, other: Self) -> Self {
        Self { lo: self.lo.min(other.lo), hi: self.hi.max(other.hi) }
    }

    /// Returns the intersection of both, if not empty.
    pub fn intersection(self, other: Self) -> Option<Self> {
        let (lo, hi) = (self.lo.max(other.lo), self.hi.min(other.hi));
        (lo <= hi).then_some(Self { lo, hi })
    }

    /// The smaller of a number of each.
    pub fn min(self, other: Self) -> Self {
        Self { lo: self.lo.min(other.lo), hi: self.hi.min(other.hi) }
    }

    /// The larger of a number of each.
    pub fn max(self, other: Self) -> Self {
        Self { lo: self.lo.max(other.lo), hi: self.hi.max(other.hi) }
    }

    /// Magnitudes.
    pub fn abs(self) -> Self {
        if self.lo >= 0.0 {
            self
        } else if self.hi <= 0.0 {
            -self
        } else {
            Self { lo: 0.0, hi: self.magnitude() }
        }
    }

    /// The largest integers that are not greater.
    pub fn floor(self) -> Self {
        Self { lo: self.lo.floor(), hi: self.hi.floor() }
    }

    /// Squares.
    pub fn square(self) -> Self {
        let magnitudes = self.abs();
        Self { lo: product_down(magnitudes.lo, magnitudes.lo), hi: product_up(magnitudes.hi, magnitudes.hi) }
    }

    /// Integer powers; the power 0 is 1 everywhere.
    pub fn powi(self, exponent: i32) -> Self {
        let n = exponent.unsigned_abs();
        let power = if n.is_multiple_of(2) {
            power_of_magnitudes(self.abs(), n)
        } else if self.lo >= 0.0 {
            power_of_magnitudes(self, n)
        } else if self.hi <= 0.0 {
            -power_of_magnitudes(-self, n)
        } else {
            let below = power_of_magnitudes(Self { lo: 0.0, hi: -self.lo }, n);
            let above = power_of_magnitudes(Self { lo: 0.0, hi: self.hi }, n);
            Self { lo: -below.hi, hi: above.hi }
        };
        if exponent < 0 { Self::ONE / power } else { power }
    }

    /// Square roots. What is negative counts as zero, so that rounding below zero does no harm.
    pub fn sqrt(self) -> Self {
        Self { lo: root_down(self.lo.max(0.0)), hi: root_up(self.hi.max(0.0)) }
    }

    /// Exponentials.
    pub fn exp(self) -> Self {
        let exp = |x: f64| if x == 0.0 { Self::ONE } else { library(x.exp()) };
        Self { lo: exp(self.lo).lo.max(0.0), hi: exp(self.hi).hi }
    }

    /// Natural logarithms. What is not positive counts as the smallest positive `f64`, whose logarithm is
    /// about −744.4: so the logarithm is a number everywhere.
    pub fn ln(self) -> Self {
        let smallest = f64::from_bits(1);
        let ln = |x: f64| if x == 1.0 { Self::ZERO } else { library(x.max(smallest).ln()) };
        Self { lo: ln(self.lo).lo, hi: ln(self.hi).hi }
    }

    /// Sines.
    pub fn sin(self) -> Self {
        // sin has its extrema at odd multiples of π/2: +1 at 1, 5, ..., −1 at 3, 7, ...
        self.wave(f64::sin, 1)
    }

    /// Cosines.
    pub fn cos(self) -> Self {
        self.wave(f64::cos, 0)
    }

    /// A wave of amplitude 1 and period 2π that peaks at `peak · π/2`.
    fn wave(self, f: fn(f64) -> f64, peak: i64) -> Self {
        let unit = Self { lo: -1.0, hi: 1.0 };
        // Beyond this, quarters of the period are no longer told apart.
        if self.magnitude() > 1e9 {
            return unit;
        }
        let quarter = |x: f64| (Self::from(x) / Self::FRAC_PI_2).floor();
        let (first, last) = (quarter(self.lo).lo as i64, quarter(self.hi).hi as i64);
        // Whether a multiple `m ≡ phase (mod 4)` of π/2 may lie inside: `first < m <= last`.
        let passes = |phase: i64| (last - phase).div_euclid(4) > (first - phase).div_euclid(4);
        let (a, b) = (library(f(self.lo)), library(f(self.hi)));
        let ends = a.hull(b);
        Self {
            lo: if passes(peak + 2) { -1.0 } else { ends.lo.max(-1.0) },
            hi: if passes(peak) { 1.0 } else { ends.hi.min(1.0) },
        }
    }

    /// Angles of the points `(x, y)` from the positive x axis, in [−π, π]; `self` is y. The origin has any
    /// angle.
    pub fn atan2(self, x: Self) -> Self {
        let y = self;
        let crosses_cut = y.lo < 0.0 && y.hi >= 0.0 && x.lo < 0.0;
        let holds_origin = y.contains(0.0) && x.contains(0.0);
        if crosses_cut || holds_origin {
            return Self { lo: -Self::PI.hi, hi: Self::PI.hi };
        }
        // Adding zero turns −0 into 0, which lies on the upper side of the cut.
        let angle = |y: f64, x: f64| {
            let angle = (y + 0.0).atan2(x + 0.0);
            if angle == 0.0 { Self::ZERO } else { library(angle) }
        };
        let vertices = [angle(y.lo, x.lo), angle(y.lo, x.hi), angle(y.hi, x.lo), angle(y.hi, x.hi)];
        vertices.into_iter().reduce(Self::hull).unwrap_or(Self::EVERYTHING)
    }
}

impl From<f64> for Interval {
    /// Just this number; everything for NaN.
    fn from(x: f64) -> Self {
        Self::new(x, x)
    }
}

impl Neg for Interval {
    type Output = Self;
    fn neg(self) -> Self {
        Self { lo: -self.hi, hi: -self.lo }
    }
}

impl Add for Interval {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self { lo: sum_down(self.lo, other.lo), hi: sum_up(self.hi, other.hi) }
    }
}

impl Sub for Interval {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Interval {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let ([a, b], [c, d]) = ([self.lo, self.hi], [other.lo, other.hi]);
        let (least, greatest) = if a >= 0.0 {
            (if c >= 0.0 { (a, c) } else { (b, c) }, if d >= 0.0 { (b, d) } else { (a, d) })
        } else if b <= 0.0 {
            (if d >= 0.0 { (a, d) } else { (b, d) }, if c >= 0.0 { (b, c) } else { (a, c) })
        } else if c >= 0.0 {
            ((a, d), (b, d))
        } else if d <= 0.0 {
            ((b, c), (a, c))
        } else {
            return Self {
                lo: product_down(a, d).min(product_down(b, c)),
                hi: product_up(a, c).max(product_up(b, d)),
            };
        };
        Self { lo: product_down(least.0, least.1), hi: product_up(greatest.0, greatest.1) }
    }
}

impl Div for Interval {
    type Output = Self;
    /// Everything where the divisor may be zero and either sign of the quotient is possible.
    fn div(self, other: Self) -> Self {
        let ([a, b], [c, d]) = ([self.lo, self.hi], [other.lo, other.hi]);
        if d <= 0.0 {
            return if c == 0.0 { Self::EVERYTHING } else { -self / -other };
        }
        if c < 0.0 || (c == 0.0 && a <= 0.0 && b >= 0.0) {
            return Self::EVERYTHING;
        }
        // From here 0 <= c < d or 0 < c = d; a zero divisor leaves one side open.
        Self {
            lo: match a >= 0.0 {
                true => quotient_down(a, d),
                false if c == 0.0 => f64::NEG_INFINITY,
                false => quotient_down(a, c),
            },
            hi: match b <= 0.0 {
                true => quotient_up(b, d),
                false if c == 0.0 => f64::INFINITY,
                false => quotient_up(b, c),
            },
        }
    }
}

/// A library function's value with its error.
fn library(value: f64) -> Interval {
    if value.is_infinite() {
        return Interval::from(value);
    }
    let error = value.abs() * LIBRARY_ERROR;
    Interval { lo: (value - error).next_down(), hi: (value + error).next_up() }
}

/// `x^n` of numbers that are not negative, by repeated squaring.
fn power_of_magnitudes(x: Interval, n: u32) -> Interval {
    let power = |x: f64, times: fn(f64, f64) -> f64| {
        let (mut result, mut square, mut rest) = (1.0, x, n);
        while rest > 0 {
            if rest % 2 == 1 {
                result = times(result, square);
            }
            rest /= 2;
            if rest > 0 {
                square = times(square, square);
            }
        }
        result
    };
    Interval { lo: power(x.lo, product_down), hi: power(x.hi, product_up) }
}

/// The greatest `f64` that is not greater than `x + y`. Neither is `+∞`.
#[inline]
fn sum_down(x: f64, y: f64) -> f64 {
    let sum = x + y;
    // The error is NaN after an overflow, which then counts as "too high".
    if sum_error(x, y, sum) >= 0.0 { sum } else { sum.next_down() }
}

/// The least `f64` that is not less than `x + y`. Neither is `−∞`.
#[inline]
fn sum_up(x: f64, y: f64) -> f64 {
    -sum_down(-x, -y)
}

/// Returns the rounding error of a sum (Knuth's two-sum).
#[inline]
fn sum_error(x: f64, y: f64, sum: f64) -> f64 {
    let y_part = sum - x;
    (x - (sum - y_part)) + (y - y_part)
}

/// The greatest `f64` that is not greater than `x·y`, or next to it near the ends of the exponent range.
/// Nothing times something unbounded is nothing: zero is a number, infinity is a bound.
#[inline]
fn product_down(x: f64, y: f64) -> f64 {
    if x == 0.0 || y == 0.0 {
        return 0.0;
    }
    let product = x * y;
    match product_error(x, y, product) {
        Some(error) if error >= 0.0 => product,
        _ => product.next_down(),
    }
}

/// The least `f64` that is not less than `x·y`, likewise.
#[inline]
fn product_up(x: f64, y: f64) -> f64 {
    -product_down(-x, y)
}

/// Returns the rounding error of a product, where Dekker's product is exact.
#[inline]
fn product_error(x: f64, y: f64, product: f64) -> Option<f64> {
    const SMALL: f64 = f64::from_bits((1023 - 900) << 52);
    const LARGE: f64 = f64::from_bits((1023 + 900) << 52);
    let safe = product.abs() > SMALL && product.abs() < LARGE && x.abs() < LARGE && y.abs() < LARGE;
    safe.then(|| DoubleDouble::product(x, y).lo)
}

/// A lower bound of `x / y` for `y > 0`, equal to it where it is an `f64`.
fn quotient_down(x: f64, y: f64) -> f64 {
    if x == 0.0 || y == f64::INFINITY {
        return if x >= 0.0 { 0.0 } else { -f64::from_bits(1) };
    }
    let quotient = x / y;
    let back = quotient * y;
    let exact = back == x && product_error(quotient, y, back) == Some(0.0);
    if exact { quotient } else { quotient.next_down() }
}

fn quotient_up(x: f64, y: f64) -> f64 {
    -quotient_down(-x, y)
}

fn root_down(x: f64) -> f64 {
    let root = x.sqrt();
    if root_excess(x, root).is_some_and(|excess| excess <= 0.0) { root } else { root.next_down().max(0.0) }
}

fn root_up(x: f64) -> f64 {
    let root = x.sqrt();
    if root_excess(x, root).is_some_and(|excess| excess >= 0.0) { root } else { root.next_up() }
}

/// Returns the sign of `root² − x` where it can be decided.
fn root_excess(x: f64, root: f64) -> Option<f64> {
    if x == 0.0 {
        return Some(0.0);
    }
    let square = root * root;
    product_error(root, root, square).map(|error| (square - x) + error)
}
