//! The exact decision in `f64` with proven error bounds; it returns only certain answers.
//!
//! The time span is subdivided until each interval is decided. Either the volume certainly has no root, or
//! the features are certainly separated. Otherwise the volume has one root at which the contact conditions
//! are certainly true or false.
//!
//! Bounds, with `D_k` the largest component `k` of any vector and `u` the unit roundoff. Polar coefficients
//! are those of the form over its binomials, and all weights sum to 1. The volume: a polar coefficient is a
//! mean of determinants, at most `6·D_0·D_1·D_2`. Its products of three rounded differences have 10
//! roundings each, so it errs by `66u` of `D_0·D_1·D_2`. Evaluation adds 8 roundings of at most 6: together
//! below `128u`. A quadratic form: products of two with 5 roundings each, at most 3 areas of at most
//! `2·D_i·D_j` added: `42u`. Evaluation adds 6 roundings of at most 6: together below `96u` of `D_i·D_j`.
//! Rounding `1 − t` moves the time of evaluation by a last place; the bracket covers that.

use super::conditions::{Conditions, Quadratic};
use super::{FeaturePair, power_of_two_below};
use crate::number::predicates::sign;
use crate::number::round;
use crate::{Impact, TimeOfImpact};

/// Time intervals shorter than this are left to integer arithmetic.
const SHORTEST: f64 = 1.0 / (1 << 20) as f64;

/// Brackets wider than this are left to integers.
const WIDEST: f64 = 1.0 / (1u64 << 28) as f64;

/// Returns the first contact of a valid pair, if it can be decided in `f64`.
pub(super) fn impact(pair: &FeaturePair) -> Option<Impact> {
    impact_after(pair, 0.0)
}

/// Returns the first contact of a pair proven collision-free before `time`, if it can be decided in `f64`.
pub(super) fn impact_after(pair: &FeaturePair, time: f64) -> Option<Impact> {
    let filter = Filter::new(pair)?;
    let mut spans = [(0.0, 0.0); 24];
    let mut count = 1;
    spans[0] = (time, 1.0);
    while count > 0 {
        count -= 1;
        let (from, to) = spans[count];
        match filter.look(from, to) {
            Look::Free => {}
            Look::Root(time) => match filter.side(time.safe_until, time.touching_by) {
                Side::Outside => {}
                Side::Inside => return Some(Impact::At { time: widened(time), touch: () }),
                Side::Unsure => return None,
            },
            Look::Unsure if to - from <= SHORTEST || count + 2 > spans.len() => return None,
            Look::Unsure => {
                let middle = 0.5 * (from + to);
                spans[count] = (middle, to);
                spans[count + 1] = (from, middle);
                count += 2;
            }
        }
    }
    Some(Impact::Free)
}

/// Content of a time interval.
enum Look {
    /// No contact.
    Free,
    /// Exactly one root of the volume, within these times.
    Root(TimeOfImpact),
    Unsure,
}

enum Side {
    Inside,
    Outside,
    Unsure,
}

struct Filter {
    /// Polar coefficients of the volume: those of the form over 1, 3, 3, 1.
    volume: [f64; 4],
    volume_error: f64,
    /// Normal and parts, by component.
    sides: [(Quadratic<f64>, [Quadratic<f64>; 4]); 3],
    side_errors: [f64; 3],
}

impl Filter {
    fn new(pair: &FeaturePair) -> Option<Self> {
        let start = pair.start.map(|p| p.to_array());
        let end = pair.end.map(|p| p.to_array());
        let mut conditions = Conditions::new(pair.kind, &start, &end);
        let mut reach = [0.0f64; 3];
        for v in &conditions.vectors {
            for k in 0..3 {
                reach[k] = reach[k].max(v[k][0].abs()).max(v[k][1].abs());
            }
        }
        let largest = reach[0].max(reach[1]).max(reach[2]);
        // Flat or nearly flat: the volume is (nearly) always zero, and products could underflow.
        if reach.iter().any(|r| *r != 0.0 && *r <= largest * 2.0f64.powi(-150)) || largest == 0.0 {
            return None;
        }
        if !(2.0f64.powi(-100)..2.0f64.powi(100)).contains(&largest) {
            let factor = power_of_two_below(largest).recip();
            let scaled = |v: [[f64; 2]; 3]| v.map(|c| c.map(|x| x * factor));
            conditions.vectors = conditions.vectors.map(scaled);
            reach = reach.map(|r| r * factor);
        }
        let [a, b, c, d] = conditions.volume();
        let side_errors = [0, 1, 2].map(|k| round::off(reach[(k + 1) % 3], 96) * reach[(k + 2) % 3]);
        Some(Self {
            volume: [a, b / 3.0, c / 3.0, d],
            volume_error: round::off(reach[0], 128) * reach[1] * reach[2],
            sides: [0, 1, 2].map(|k| conditions.sides(k)),
            side_errors,
        })
    }

    fn look(&self, from: f64, to: f64) -> Look {
        let (l, r) = (weights(from), weights(to));
        let signs = [(l, l, l), (l, l, r), (l, r, r), (r, r, r)].map(|(p, q, s)| {
            let v = self.volume_polar(p, q, s);
            if v.abs() > self.volume_error { sign(v) } else { 0 }
        });
        let [a, b, c, d] = signs;
        if (a != 0 && a == b && a == c && a == d) || matches!(self.side(from, to), Side::Outside) {
            return Look::Free;
        }
        // Descartes: one change of sign, whatever the uncertain coefficients are.
        if a * d < 0 && (b == a || c == d) { self.root(from, to, a) } else { Look::Unsure }
    }

    /// The only root between two times; `before` is the sign of the volume at the first.
    fn root(&self, from: f64, to: f64, before: i8) -> Look {
        let value = |t: f64| {
            let w = weights(t);
            self.volume_polar(w, w, w)
        };
        let guess = super::bisected(value, from, to);
        let mut reach = round::off(guess, 2);
        while reach < WIDEST {
            let (low, high) = ((guess - reach).max(from), (guess + reach).min(to));
            let (at_low, at_high) = (value(low) * f64::from(before), value(high) * f64::from(before));
            if at_low > self.volume_error && at_high < -self.volume_error {
                return Look::Root(TimeOfImpact { safe_until: low, touching_by: high });
            }
            reach *= 4.0;
        }
        Look::Unsure
    }

    /// Returns the relative position of the features for all times between two, as if they were coplanar.
    fn side(&self, from: f64, to: f64) -> Side {
        let (l, r) = (weights(from), weights(to));
        for ((normal, parts), error) in self.sides.iter().zip(self.side_errors) {
            let certain = |q: &Quadratic<f64>| {
                let [a, b, c] = [(l, l), (l, r), (r, r)].map(|(p, s)| polar(q, p, s));
                let least = a.abs().min(b.abs()).min(c.abs());
                let same = (a > 0.0) == (b > 0.0) && (b > 0.0) == (c > 0.0);
                if same && least > error { sign(a) } else { 0 }
            };
            let up = certain(normal);
            if up == 0 {
                continue;
            }
            let signs = parts.each_ref().map(certain);
            if signs.contains(&-up) {
                return Side::Outside;
            }
            if signs.iter().all(|&s| s == up) {
                return Side::Inside;
            }
        }
        Side::Unsure
    }

    #[inline(always)]
    fn volume_polar(&self, [px, py]: [f64; 2], [qx, qy]: [f64; 2], [sx, sy]: [f64; 2]) -> f64 {
        let [a, b, c, d] = self.volume;
        let (xx, yy, xy) = (px * qx, py * qy, px * qy + py * qx);
        a * (xx * sx) + b * (xx * sy + xy * sx) + c * (xy * sy + yy * sx) + d * (yy * sy)
    }
}

#[inline(always)]
fn weights(t: f64) -> [f64; 2] {
    [1.0 - t, t]
}

#[inline(always)]
fn polar([a, b, c]: &Quadratic<f64>, [px, py]: [f64; 2], [qx, qy]: [f64; 2]) -> f64 {
    a * (px * qx) + 0.5 * b * (px * qy + py * qx) + c * (py * qy)
}

/// Makes up for the rounding of `1 − t`.
fn widened(time: TimeOfImpact) -> TimeOfImpact {
    TimeOfImpact {
        safe_until: round::down(time.safe_until, 4).max(0.0),
        touching_by: round::up(time.touching_by, 4).min(1.0),
    }
}
