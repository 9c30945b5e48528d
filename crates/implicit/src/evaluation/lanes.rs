//! Eight points or eight cells at a time, in loops that the compiler turns into vector instructions.
//!
//! Cells round outward by Rump's formula (Rump, Zimmermann, Boldo & Melquiond 2009): `x ∓ (φ|x| + η)` with
//! `φ = u(1 + 2u)` lies at or beyond the neighbour of `x`, without a branch. So a result is up to one
//! unit wider than that of [`Interval`]; where ends stop being finite they become unbounded.

use super::number::Number;
use crate::expression::op::{Binary, Unary};
use noli_geom::Interval;
use std::array::from_fn;

/// Number of values evaluated together.
pub const LANES: usize = 8;

/// One number for each lane.
pub type Lanes = [f64; LANES];

impl Number for Lanes {
    fn constant(c: f64) -> Self {
        [c; LANES]
    }

    #[inline]
    fn unary(&self, function: Unary) -> Self {
        match function {
            Unary::Neg => self.map(|a| -a),
            Unary::Abs => self.map(f64::abs),
            Unary::Square => self.map(|a| a * a),
            Unary::Sqrt => self.map(|a| larger(a, 0.0).sqrt()),
            Unary::Plus(c) => self.map(|a| a + c),
            Unary::Times(c) => self.map(|a| a * c),
            _ => self.map(|a| a.unary(function)),
        }
    }

    #[inline]
    fn binary(&self, function: Binary, other: &Self) -> Self {
        match function {
            Binary::Add => from_fn(|k| self[k] + other[k]),
            Binary::Sub => from_fn(|k| self[k] - other[k]),
            Binary::Mul => from_fn(|k| self[k] * other[k]),
            Binary::Div => from_fn(|k| self[k] / other[k]),
            Binary::Min => from_fn(|k| smaller(self[k], other[k])),
            Binary::Max => from_fn(|k| larger(self[k], other[k])),
            _ => from_fn(|k| self[k].binary(function, &other[k])),
        }
    }

    fn noise([x, y, z]: [&Self; 3]) -> Self {
        from_fn(|k| f64::noise([&x[k], &y[k], &z[k]]))
    }

    fn certainly_at_most(&self, other: &Self) -> u8 {
        mask(|k| self[k] <= other[k])
    }
}

/// One interval for each lane.
#[derive(Clone, Copy, Debug)]
pub struct Cells {
    lo: Lanes,
    hi: Lanes,
}

impl Cells {
    /// Intervals, lane by lane.
    pub fn new(intervals: [Interval; LANES]) -> Self {
        Self { lo: intervals.map(Interval::lo), hi: intervals.map(Interval::hi) }
    }

    /// The interval of a lane.
    pub fn lane(&self, k: usize) -> Interval {
        Interval::new(self.lo[k], self.hi[k])
    }

    fn each(&self, f: impl Fn(Interval) -> Interval) -> Self {
        Self::new(from_fn(|k| f(self.lane(k))))
    }

    /// The lanes in which every number is positive, as bits.
    pub(crate) fn positive(&self) -> u8 {
        mask(|k| self.lo[k] > 0.0)
    }
}

fn mask(holds: impl Fn(usize) -> bool) -> u8 {
    (0..LANES).fold(0, |bits, k| bits | u8::from(holds(k)) << k)
}

impl Number for Cells {
    fn constant(c: f64) -> Self {
        Self::new([Interval::from(c); LANES])
    }

    #[inline]
    fn unary(&self, function: Unary) -> Self {
        match function {
            Unary::Neg => Self { lo: self.hi.map(|x| -x), hi: self.lo.map(|x| -x) },
            Unary::Abs => {
                let (lo, hi) = (&self.lo, &self.hi);
                Self {
                    lo: from_fn(|k| larger(larger(lo[k], -hi[k]), 0.0)),
                    hi: from_fn(|k| larger(-lo[k], hi[k])),
                }
            }
            Unary::Square => {
                let magnitudes = self.unary(Unary::Abs);
                Self {
                    lo: magnitudes.lo.map(|x| larger(down(x * x), 0.0)),
                    hi: magnitudes.hi.map(|x| up(x * x)),
                }
            }
            Unary::Sqrt => Self {
                lo: self.lo.map(|x| larger(down(larger(x, 0.0).sqrt()), 0.0)),
                hi: self.hi.map(|x| up(larger(x, 0.0).sqrt())),
            },
            Unary::Plus(c) => Self { lo: self.lo.map(|x| down(x + c)), hi: self.hi.map(|x| up(x + c)) },
            Unary::Times(c) if c >= 0.0 => {
                Self { lo: self.lo.map(|x| down(x * c)), hi: self.hi.map(|x| up(x * c)) }
            }
            Unary::Times(c) => Self { lo: self.hi.map(|x| down(x * c)), hi: self.lo.map(|x| up(x * c)) },
            _ => self.each(|x| x.unary(function)),
        }
    }

    #[inline]
    fn binary(&self, function: Binary, other: &Self) -> Self {
        let (a, b) = (self, other);
        match function {
            Binary::Add => {
                Self { lo: from_fn(|k| down(a.lo[k] + b.lo[k])), hi: from_fn(|k| up(a.hi[k] + b.hi[k])) }
            }
            Binary::Sub => {
                Self { lo: from_fn(|k| down(a.lo[k] - b.hi[k])), hi: from_fn(|k| up(a.hi[k] - b.lo[k])) }
            }
            Binary::Mul => a.times(b),
            Binary::Min => Self {
                lo: from_fn(|k| smaller(a.lo[k], b.lo[k])),
                hi: from_fn(|k| smaller(a.hi[k], b.hi[k])),
            },
            Binary::Max => {
                Self { lo: from_fn(|k| larger(a.lo[k], b.lo[k])), hi: from_fn(|k| larger(a.hi[k], b.hi[k])) }
            }
            _ => Self::new(from_fn(|k| a.lane(k).binary(function, &b.lane(k)))),
        }
    }

    fn noise([x, y, z]: [&Self; 3]) -> Self {
        Self::new(from_fn(|k| Interval::noise([&x.lane(k), &y.lane(k), &z.lane(k)])))
    }

    #[inline]
    fn certainly_at_most(&self, other: &Self) -> u8 {
        mask(|k| self.hi[k] <= other.lo[k])
    }
}

impl Cells {
    #[inline]
    fn times(&self, other: &Self) -> Self {
        let mut result = *self;
        for k in 0..LANES {
            let (a, b, c, d) = (self.lo[k], self.hi[k], other.lo[k], other.hi[k]);
            let products = [a * c, a * d, b * c, b * d];
            let least = smaller(smaller(products[0], products[1]), smaller(products[2], products[3]));
            let greatest = larger(larger(products[0], products[1]), larger(products[2], products[3]));
            // NaN where zero met infinity: the sum tells.
            let sum = (products[0] + products[1]) + (products[2] + products[3]);
            let known = sum.abs() <= f64::MAX;
            let floor = if (a >= 0.0) & (c >= 0.0) { 0.0 } else { f64::NEG_INFINITY };
            result.lo[k] = if known { larger(down(least), floor) } else { f64::NEG_INFINITY };
            result.hi[k] = if known { up(greatest) } else { f64::INFINITY };
        }
        result
    }
}

// Comparisons instead of `f64::min`, which would look for NaN: one instruction each.

#[inline(always)]
fn smaller(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

#[inline(always)]
fn larger(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

const PHI: f64 = f64::EPSILON / 2.0 * (1.0 + f64::EPSILON);
const ETA: f64 = f64::from_bits(1);

/// A number that is not greater than any that rounds to `x`; `−∞` for infinities and NaN.
#[inline(always)]
fn down(x: f64) -> f64 {
    let lower = x - (PHI * x.abs() + ETA);
    if x.abs() <= f64::MAX { lower } else { f64::NEG_INFINITY }
}

/// A number that is not less than any that rounds to `x`; `+∞` for infinities and NaN.
#[inline(always)]
fn up(x: f64) -> f64 {
    let upper = x + (PHI * x.abs() + ETA);
    if x.abs() <= f64::MAX { upper } else { f64::INFINITY }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moving_outward_reaches_the_neighbour() {
        let mut bits = 1u64;
        for _ in 0..200_000 {
            bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let x = f64::from_bits(bits);
            if x.is_finite() {
                assert!(down(x) <= x.next_down() && up(x) >= x.next_up(), "{x:e}");
                assert!(x.abs() < 1e-300 || (up(x) - x) <= 4.0 * (x.next_up() - x), "{x:e}");
            }
        }
        for x in [0.0, -0.0, f64::MAX, f64::MIN, f64::MIN_POSITIVE, 5e-324, 1.0, -1.0, 2.0] {
            assert!(down(x) <= x.next_down() && up(x) >= x.next_up(), "{x:e}");
        }
    }
}
