//! Joint values that a proof is about.
//!
//! A joint without limits has one period of all that turns with it between two parts: the smallest change of it that
//! turns each of them by whole turns. Ratios of the joints that follow it are taken as fractions of small whole numbers;
//! what their rounding adds within [`MAX_ANGLE`] is part of the [`slack`](Move::slack) of a search.

use crate::MAX_ANGLE;
use crate::tree::{JointAxisKind, Variable};
use noli_geom::UNIT_ROUNDOFF;
use std::f64::consts::TAU;
use std::fmt::Write as _;

/// Joint values that a proof is about: a range for each independent variable that moves one of two parts against the
/// other. Others may have any value.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Domain {
    ranges: Vec<DomainRange>,
}

/// The range of a variable in a [`Domain`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DomainRange {
    /// The variable, by its number in a configuration of all robots.
    pub value: usize,
    /// Lower and upper end.
    pub range: [f64; 2],
    /// Where the range comes from.
    pub origin: RangeOrigin,
}

/// Origin of the range of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RangeOrigin {
    /// The limits of the joint.
    Limits,
    /// A joint without limits: one period of it and of the joints that follow it, and so every pose of theirs.
    Period,
    /// A joint without limits: every value that a configuration may have.
    AllValues,
    /// The caller's assumption: the joint has further values.
    Assumption,
}

impl RangeOrigin {
    /// As it is written.
    pub fn word(self) -> &'static str {
        match self {
            Self::Limits => "limits",
            Self::Period => "period",
            Self::AllValues => "all-values",
            Self::Assumption => "assumption",
        }
    }
}

impl Domain {
    pub(in crate::cell) fn new(ranges: Vec<DomainRange>) -> Self {
        Self { ranges }
    }

    /// The ranges, each of another variable.
    pub fn ranges(&self) -> &[DomainRange] {
        &self.ranges
    }

    /// The range of a variable; `None` for one that does not move the parts against each other.
    pub fn range(&self, value: usize) -> Option<[f64; 2]> {
        self.ranges.iter().find(|own| own.value == value).map(|own| own.range)
    }

    /// Returns `true` if the joints have no value outside of it. Only then do *never* and *always* hold for the robot,
    /// and may a pair be disabled for them.
    pub fn is_everything(&self) -> bool {
        self.assumed().next().is_none()
    }

    /// The ranges that are assumptions.
    pub fn assumed(&self) -> impl Iterator<Item = &DomainRange> {
        self.ranges.iter().filter(|own| own.origin == RangeOrigin::Assumption)
    }

    /// The assumptions in words, after a claim: ` within p in [-1, 1]`; empty if the domain is everything.
    pub fn words<'n>(&self, name: impl Fn(usize) -> &'n str) -> String {
        let mut text = String::new();
        for DomainRange { value, range: [low, high], .. } in self.assumed() {
            let before = if text.is_empty() { " within" } else { " and" };
            let _ = write!(text, "{before} {} in [{low}, {high}]", name(*value));
        }
        text
    }
}

/// What an independent variable moves between two parts: itself, or a variable that follows it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Move {
    pub(super) movement: JointAxisKind,
    pub(super) factor: f64,
    pub(super) offset: f64,
    pub(super) follows: bool,
}

impl Move {
    /// How far the value may be from its law, or from where the period of the variable has it: what the rounding of the
    /// law and of its ratio adds, within the values that a configuration may have.
    pub(super) fn slack(&self, origin: RangeOrigin) -> f64 {
        let rounds = self.follows && origin == RangeOrigin::Period;
        if rounds { 16.0 * UNIT_ROUNDOFF * (MAX_ANGLE + self.offset.abs()) } else { 0.0 }
    }
}

/// The values of an independent variable that a proof has to look at, by what it moves, and where they come from.
pub(super) fn domain_of(
    variable: &Variable,
    moves: &[Move],
    assumed: Option<[f64; 2]>,
) -> ([f64; 2], RangeOrigin) {
    let (range, origin) = match variable.limits.range {
        Some(range) => (range, RangeOrigin::Limits),
        None => without_limits(variable, moves),
    };
    // A period is a part of what a joint without limits may be assumed to have.
    let all = if variable.limits.range.is_some() { range } else { [f64::NEG_INFINITY, f64::INFINITY] };
    match assumed {
        Some([low, high]) if low > all[0] || high < all[1] => ([low, high], RangeOrigin::Assumption),
        _ => (range, origin),
    }
}

fn without_limits(variable: &Variable, moves: &[Move]) -> ([f64; 2], RangeOrigin) {
    let moving = || moves.iter().filter(|each| each.factor != 0.0);
    let turns = moving().all(|each| each.movement == JointAxisKind::Turn);
    let own = variable.movement.largest_value();
    let half = period(moving()).map(|period| 0.5 * period * (1.0 + 8.0 * UNIT_ROUNDOFF));
    if let Some(half) = half.filter(|half| turns && *half <= own) {
        return ([-half, half], RangeOrigin::Period);
    }
    let least = |most: f64, each: &Move| {
        most.min((each.movement.largest_value() + each.offset.abs()) / each.factor.abs())
    };
    let half = moving().fold(own, least) * (1.0 + 8.0 * UNIT_ROUNDOFF);
    ([-half, half], RangeOrigin::AllValues)
}

/// The change of a variable that turns all it moves by whole turns; `None` if the ratios are no fractions of small whole
/// numbers.
fn period<'m>(mut moves: impl Iterator<Item = &'m Move> + Clone) -> Option<f64> {
    // The variable itself, if it is one of them, is not rounded.
    let first = moves.clone().find(|each| !each.follows).or_else(|| moves.next())?.factor.abs();
    let mut turns = 1u64;
    for each in moves {
        let denominator = denominator(each.factor.abs() / first)?;
        turns = turns / greatest_divisor(turns, denominator) * denominator;
        if turns > MOST_TURNS {
            return None;
        }
    }
    Some(TAU * turns as f64 / first)
}

/// Turns of a variable that are searched; more are treated as a ratio that never repeats.
const MOST_TURNS: u64 = 1024;

/// The denominator of a ratio that is a fraction of small whole numbers, up to rounding.
fn denominator(ratio: f64) -> Option<u64> {
    let is_whole = |x: f64| (x - x.round()).abs() <= 4.0 * UNIT_ROUNDOFF * x && x.round() >= 1.0;
    (1..=MOST_TURNS).find(|&of| is_whole(ratio * of as f64))
}

fn greatest_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { greatest_divisor(b, a % b) }
}
