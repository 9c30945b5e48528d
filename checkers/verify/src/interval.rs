//! Enclosures between dyadic rationals: rounded ones for chains of joints, exact ones for witnesses.

use crate::dyadic::{Dyadic, Vector};
use dashu_int::IBig;

/// Enclosed numbers: a result holds all results of the numbers in its operands.
pub(crate) trait Enclosure: Clone {
    fn of(value: &Dyadic) -> Self;
    fn plus(&self, other: &Self) -> Self;
    fn times(&self, other: &Self) -> Self;
    fn negated(&self) -> Self;

    /// The same or a wider one, of few digits.
    fn rounded(self) -> Self;

    fn minus(&self, other: &Self) -> Self {
        self.plus(&other.negated())
    }
}

pub(crate) fn difference<T: Enclosure>(a: &[T; 3], b: &[T; 3]) -> [T; 3] {
    std::array::from_fn(|k| a[k].minus(&b[k]))
}

pub(crate) fn inner<T: Enclosure>(a: &[T; 3], b: &[T; 3]) -> T {
    a[0].times(&b[0]).plus(&a[1].times(&b[1])).plus(&a[2].times(&b[2]))
}

pub(crate) fn cross<T: Enclosure>(v: &[T; 3], w: &[T; 3]) -> [T; 3] {
    let part = |i: usize, j: usize| v[i].times(&w[j]).minus(&v[j].times(&w[i]));
    [part(1, 2), part(2, 0), part(0, 1)]
}

/// `det(d, v1 − p, v2 − p)` and so on around a triangle.
pub(crate) fn turns<T: Enclosure>(d: &[T; 3], p: &[T; 3], v: &[[T; 3]; 3]) -> [T; 3] {
    let v = v.each_ref().map(|vertex| difference(vertex, p));
    [(0, 1), (1, 2), (2, 0)].map(|(i, j)| inner(d, &cross(&v[i], &v[j])))
}

/// `det(v2 − v1, v3 − v1, x − v1)`: the side of the plane of a triangle.
pub(crate) fn side<T: Enclosure>(v: &[[T; 3]; 3], x: &[T; 3]) -> T {
    inner(&difference(&v[1], &v[0]), &cross(&difference(&v[2], &v[0]), &difference(x, &v[0])))
}

/// Binary places of rounded enclosures.
pub(crate) const SCALE: i64 = 160;
const GUARD: i64 = 64;

/// Encloses sine and cosine of a number of magnitude at most 64.
///
/// The Taylor series at x/2^9, with 34 terms, and nine doublings of the angle in interval arithmetic: each makes errors
/// at most four times as large, so 2^-217 grows to less than 2^-196.
pub(crate) fn sine_cosine(x: &Dyadic) -> (Interval, Interval) {
    const HALVINGS: i64 = 9;
    const TERMS: u32 = 34;
    let scale = SCALE + GUARD;
    let small = x.times_power(-HALVINGS).floor_at(scale);
    let one = IBig::ONE << scale as usize;
    let (mut term, mut sums) = (one.clone(), [one.clone(), IBig::ZERO]);
    for n in 1..=TERMS {
        term = ((term * &small) >> scale as usize) / IBig::from(n);
        let total = &mut sums[n as usize % 2];
        if n % 4 < 2 { *total += &term } else { *total -= &term }
    }
    // |x|/2^9 is at most 1/8: the rest of the series is below 8^-35/35!, less than 2^-230. Each term is off by three units.
    let around = |value: &IBig| Interval {
        low: Dyadic::new(value - IBig::from(128), -scale),
        high: Dyadic::new(value + IBig::from(128), -scale),
    };
    let ([mut c, mut s], one) = (sums.each_ref().map(around), Interval::of(&Dyadic::integer(1)));
    for _ in 0..HALVINGS {
        let (across, square) = (s.times(&c).rounded_at(scale), c.times(&c).rounded_at(scale));
        s = across.plus(&across);
        c = square.plus(&square).minus(&one);
    }
    (s.rounded(), c.rounded())
}

/// An interval between two dyadic rationals.
#[derive(Clone, Debug)]
pub(crate) struct Interval {
    pub(crate) low: Dyadic,
    pub(crate) high: Dyadic,
}

impl Interval {
    pub(crate) fn squared(&self) -> Self {
        let (a, b) = (self.low.squared(), self.high.squared());
        let (least, high) = if a < b { (a, b) } else { (b, a) };
        let has_zero = self.low.is_negative() && self.high.is_positive();
        Self { low: if has_zero { Dyadic::ZERO } else { least }, high }
    }

    /// Rounds outward to multiples of `2^-scale`.
    fn rounded_at(&self, scale: i64) -> Self {
        let down = |x: &Dyadic| Dyadic::new(x.floor_at(scale), -scale);
        Self { low: down(&self.low), high: -&down(&-&self.high) }
    }

    /// Encloses a quotient; the divisor is positive.
    pub(crate) fn quotient(value: &Dyadic, divisor: &Dyadic) -> Self {
        let down = |value: &Dyadic| Dyadic::new(value.quotient_floor(divisor, SCALE), -SCALE);
        Self { low: down(value), high: -&down(&-value) }
    }

    /// Returns the middle of the interval.
    pub(crate) fn middle(&self) -> Dyadic {
        (&self.low + &self.high).half()
    }

    /// Returns half its width.
    pub(crate) fn radius(&self) -> Dyadic {
        (&self.high - &self.low).half()
    }

    /// Returns 1 or -1 if the sign is certain and not 0, else 0.
    pub(crate) fn sign(&self) -> i32 {
        i32::from(self.low.is_positive()) - i32::from(self.high.is_negative())
    }
}

impl Enclosure for Interval {
    fn of(value: &Dyadic) -> Self {
        Self { low: value.clone(), high: value.clone() }
    }

    fn plus(&self, other: &Self) -> Self {
        Self { low: &self.low + &other.low, high: &self.high + &other.high }
    }

    fn times(&self, other: &Self) -> Self {
        let [a, b] = [&self.low, &self.high].map(|end| [end * &other.low, end * &other.high]);
        let ends = || a.iter().chain(&b).cloned();
        Self { low: ends().fold(a[0].clone(), Ord::min), high: ends().fold(a[0].clone(), Ord::max) }
    }

    fn negated(&self) -> Self {
        Self { low: -&self.high, high: -&self.low }
    }

    fn rounded(self) -> Self {
        self.rounded_at(SCALE)
    }
}

/// Coordinates in intervals.
pub(crate) type Region = [Interval; 3];

pub(crate) fn around(point: &Vector, error: &Dyadic) -> Region {
    point.each_ref().map(|x| Interval { low: x - error, high: x + error })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sine_and_cosine_are_enclosed_narrowly() {
        let mut x = -64.0;
        while x <= 64.0 {
            let (s, c) = sine_cosine(&Dyadic::double(x));
            for (found, expected) in [(s, f64::sin(x)), (c, f64::cos(x))] {
                assert!((found.middle().to_double_down() - expected).abs() < 1e-15, "{x}");
                assert!(found.radius() < Dyadic::new(IBig::ONE, -100), "{x}");
            }
            x += 0.371;
        }
    }

    #[test]
    fn sine_and_cosine_agree_with_the_plain_series() {
        // The method of section 7: in integers scaled by 2^256, without halving.
        for x in [-64.0, -1.5, -1e-9, 0.0, 0.1, 3.0, 37.25, 64.0] {
            let scaled = Dyadic::double(x).floor_at(256);
            let (mut term, mut sums) = (IBig::ONE << 256, [IBig::ONE << 256, IBig::ZERO]);
            for n in 1..400u32 {
                term = ((term * &scaled) >> 256) / IBig::from(n);
                if n % 4 < 2 { sums[n as usize % 2] += &term } else { sums[n as usize % 2] -= &term }
            }
            let (s, c) = sine_cosine(&Dyadic::double(x));
            for (found, series) in [(c, &sums[0]), (s, &sums[1])] {
                let value = Dyadic::new(series.clone(), -256);
                let Interval { low, high } = found;
                let slack = Dyadic::new(IBig::ONE, if x.abs() > 4.0 { -150 } else { -190 });
                assert!(&low - &slack < value && value < &high + &slack, "{x}");
                assert!(low <= &value + &slack && high >= &value - &slack, "{x}");
            }
        }
    }
}
