//! Number types that a [`Tape`](crate::Tape) can be evaluated over, and the two simplest kinds: points and
//! intervals.

use super::noise;
use crate::expression::op::{Binary, Unary};
use noli_geom::Interval;

/// A kind of number on which every operation of an expression is defined.
pub trait Number: Copy {
    /// A number that does not depend on the point.
    fn constant(c: f64) -> Self;
    /// A function of one number.
    fn unary(&self, function: Unary) -> Self;
    /// A function of two numbers.
    fn binary(&self, function: Binary, other: &Self) -> Self;
    /// Lattice noise.
    fn noise(at: [&Self; 3]) -> Self;
    /// For which lanes it is certain that `self <= other`, as bits; no bit if it is not known.
    fn certainly_at_most(&self, _other: &Self) -> u8 {
        0
    }
}

impl Number for f64 {
    fn constant(c: f64) -> Self {
        c
    }

    #[inline]
    fn unary(&self, function: Unary) -> Self {
        let a = *self;
        match function {
            Unary::Neg => -a,
            Unary::Abs => a.abs(),
            Unary::Square => a * a,
            Unary::Sqrt => a.max(0.0).sqrt(),
            Unary::Exp => a.exp(),
            Unary::Ln => a.max(f64::from_bits(1)).ln(),
            Unary::Sin => a.sin(),
            Unary::Cos => a.cos(),
            Unary::Floor => a.floor(),
            Unary::Power(n) => a.powi(n),
            Unary::Plus(c) => a + c,
            Unary::Times(c) => a * c,
        }
    }

    #[inline]
    fn binary(&self, function: Binary, other: &Self) -> Self {
        let (a, b) = (*self, *other);
        match function {
            Binary::Add => a + b,
            Binary::Sub => a - b,
            Binary::Mul => a * b,
            Binary::Div => a / b,
            Binary::Min => a.min(b),
            Binary::Max => a.max(b),
            Binary::SmoothMin => a + b - (a * a + b * b).sqrt(),
            Binary::SmoothMax => a + b + (a * a + b * b).sqrt(),
            Binary::Atan2 => a.atan2(b),
        }
    }

    fn noise([x, y, z]: [&Self; 3]) -> Self {
        noise::at([*x, *y, *z])
    }

    fn certainly_at_most(&self, other: &Self) -> u8 {
        u8::from(self <= other)
    }
}

impl Number for Interval {
    fn constant(c: f64) -> Self {
        c.into()
    }

    fn unary(&self, function: Unary) -> Self {
        match function {
            Unary::Neg => -*self,
            Unary::Abs => self.abs(),
            Unary::Square => self.square(),
            Unary::Sqrt => self.sqrt(),
            Unary::Exp => self.exp(),
            Unary::Ln => self.ln(),
            Unary::Sin => self.sin(),
            Unary::Cos => self.cos(),
            Unary::Floor => self.floor(),
            Unary::Power(n) => self.powi(n),
            Unary::Plus(c) => *self + Self::from(c),
            Unary::Times(c) => *self * Self::from(c),
        }
    }

    fn binary(&self, function: Binary, other: &Self) -> Self {
        let (a, b) = (*self, *other);
        match function {
            Binary::Add => a + b,
            Binary::Sub => a - b,
            Binary::Mul => a * b,
            Binary::Div => a / b,
            Binary::Min => a.min(b),
            Binary::Max => a.max(b),
            // Both are monotone in both operands.
            Binary::SmoothMin => monotone(a, b, |a, b| a + b - norm(a, b)),
            Binary::SmoothMax => monotone(a, b, |a, b| a + b + norm(a, b)),
            Binary::Atan2 => a.atan2(b),
        }
    }

    fn noise([x, y, z]: [&Self; 3]) -> Self {
        noise::range([*x, *y, *z])
    }

    fn certainly_at_most(&self, other: &Self) -> u8 {
        u8::from(self.hi() <= other.lo())
    }
}

/// `√(a² + b²)`, also where the squares would overflow.
fn norm(a: Interval, b: Interval) -> Interval {
    if a.magnitude().max(b.magnitude()) < 1e150 {
        return (a.square() + b.square()).sqrt();
    }
    let (small, large) = (Interval::from(2f64.powi(-600)), Interval::from(2f64.powi(600)));
    ((a * small).square() + (b * small).square()).sqrt() * large
}

/// The range of a function that does not decrease in either operand, from its values at the ends.
fn monotone(a: Interval, b: Interval, f: impl Fn(Interval, Interval) -> Interval) -> Interval {
    let least = f(a.lo().into(), b.lo().into());
    let greatest = f(a.hi().into(), b.hi().into());
    Interval::new(least.lo(), greatest.hi())
}
