//! Real roots of a form within the time span, each known exactly.
//!
//! Isolated by bisection until Descartes' rule (changes of sign of the Bernstein coefficients) leaves one;
//! narrowed by a rounded guess that exact signs confirm.

use super::form::{Form, Instant, Signs, gcd};
use crate::TimeOfImpact;
use crate::number::exact::sign;
use dashu_int::IBig;
use dashu_int::ops::BitTest;

/// A time at which a form vanishes.
#[derive(Clone, Debug)]
pub(super) enum Root {
    /// Exactly this time.
    Point(Instant),
    /// The only root of `form` between the two times, and a simple one. The times have the same
    /// denominator `x + y`, a power of two.
    Between { form: Form, from: Instant, to: Instant },
}

impl Root {
    pub(super) fn start() -> Self {
        Root::Point([IBig::ONE, IBig::ZERO])
    }

    /// The roots of `form` in the closed span, in order; none for the form that is zero.
    pub(super) fn all(form: &Form) -> Vec<Root> {
        let mut roots = Vec::new();
        let Some(inner) = form.without_ends() else { return roots };
        if sign(&form.0[0]) == 0 {
            roots.push(Root::start());
        }
        isolate(&inner, &mut roots);
        if form.0.last().is_some_and(|c| *c == IBig::ZERO) {
            roots.push(Root::Point([IBig::ZERO, IBig::ONE]));
        }
        roots
    }

    /// The sign of another form at this time.
    pub(super) fn sign_of(&mut self, other: &Form) -> i8 {
        let mut compared = false;
        loop {
            match self {
                Root::Point(at) => return other.sign_at(at),
                Root::Between { form, from, to } => match other.between(from, to).signs() {
                    Signs::Zero => return 0,
                    Signs::Same(s) => return s,
                    Signs::Changes(_) if !compared => {
                        compared = true;
                        let shared = gcd(form, other);
                        // It divides `form`, so its only root here would be the one in question.
                        if shared.sign_at(from) * shared.sign_at(to) < 0 {
                            return 0;
                        }
                    }
                    Signs::Changes(_) => self.narrow(),
                },
            }
        }
    }

    /// Returns a bracket as narrow as `f64` allows, within a few units in the last place.
    pub(super) fn bracket(&mut self) -> TimeOfImpact {
        loop {
            let (from, to) = match self {
                Root::Point(at) => (at as &Instant, at as &Instant),
                Root::Between { from, to, .. } => (from as &Instant, to as &Instant),
            };
            let time = TimeOfImpact { safe_until: round_down(from), touching_by: round_up(to) };
            let narrow = time.width() <= 4.0 * f64::EPSILON * time.touching_by;
            if from == to || narrow || time.touching_by < 2.0f64.powi(TINY_EXPONENT + 60) {
                return time;
            }
            self.narrow();
        }
    }

    fn narrow(&mut self) {
        let Root::Between { form, from, to } = self else { return };
        let part = form.between(from, to);
        let before = sign(&part.0[0]);
        // Where the part vanishes, to 40 bits; right but for nearly multiple roots.
        let guess = (rounded_root(&part) * 2.0f64.powi(GUESS_BITS as i32)) as u64;
        let cuts = [fraction(guess.saturating_sub(1), GUESS_BITS), fraction(guess + 2, GUESS_BITS)];
        let middle = fraction(1, 1);
        let mut ends = [fraction(0, 1), fraction(2, 1)];
        for cut in [&cuts[0], &cuts[1], &middle] {
            if sign(&cut[0]) < 0 || !is_between(cut, &ends) {
                continue;
            }
            match part.sign_at(cut) * before {
                0 => return *self = Root::Point(combine(from, to, cut)),
                1 => ends[0] = cut.clone(),
                _ => ends[1] = cut.clone(),
            }
        }
        // One denominator for both.
        let total = |[x, y]: &Instant| (x + y).bit_len();
        let longest = total(&ends[0]).max(total(&ends[1]));
        let [low, high] = ends.map(|e| {
            let shift = longest - total(&e);
            e.map(|c| c << shift)
        });
        (*from, *to) = (combine(from, to, &low), combine(from, to, &high));
    }
}

/// Bits of a guessed root that are tried at once.
const GUESS_BITS: usize = 40;

/// The time `a / 2^bits`.
fn fraction(a: u64, bits: usize) -> Instant {
    [(IBig::ONE << bits) - IBig::from(a), IBig::from(a)]
}

fn is_between(at: &Instant, ends: &[Instant; 2]) -> bool {
    let less = |a: &Instant, b: &Instant| &a[1] * (&b[0] + &b[1]) < &b[1] * (&a[0] + &a[1]);
    less(&ends[0], at) && less(at, &ends[1])
}

/// `from·x + to·y`.
fn combine(from: &Instant, to: &Instant, [x, y]: &Instant) -> Instant {
    [&from[0] * x + &to[0] * y, &from[1] * x + &to[1] * y]
}

/// Adds the roots inside the open span; `form` vanishes at neither end.
fn isolate(form: &Form, roots: &mut Vec<Root>) {
    let (from, to) = ([IBig::ONE, IBig::ZERO], [IBig::ZERO, IBig::ONE]);
    match form.signs() {
        Signs::Zero | Signs::Same(_) => return,
        // The usual case: nothing can be multiple.
        Signs::Changes(1) => return roots.push(Root::Between { form: form.clone(), from, to }),
        Signs::Changes(_) => {}
    }
    let form = form.clone().square_free();
    let mut spans = vec![(from, to)];
    while let Some((from, to)) = spans.pop() {
        match form.between(&from, &to).signs() {
            Signs::Zero | Signs::Same(_) => {}
            Signs::Changes(1) => roots.push(Root::Between { form: form.clone(), from, to }),
            Signs::Changes(_) => {
                let (cut, bits) = cut_between(&form, &from, &to);
                let scaled = |at: Instant| at.map(|c| c << bits);
                spans.push((cut.clone(), scaled(to)));
                spans.push((scaled(from), cut));
            }
        }
    }
}

/// A time between two others at which the form does not vanish, and by how many bits its denominator is
/// longer. A form of degree three has no four roots.
fn cut_between(form: &Form, from: &Instant, to: &Instant) -> (Instant, usize) {
    let cuts = [(1, 1), (3, 3), (5, 3), (7, 4)];
    let cuts = cuts.map(|(a, bits)| (a, bits, combine(from, to, &fraction(a, bits))));
    let good = cuts.into_iter().find(|(_, _, at)| form.sign_at(at) != 0);
    let (_, bits, at) = good.expect("at most three roots");
    (at, bits)
}

/// Roughly where a form vanishes that has different signs at the ends of the span, from 0 to below 1.
fn rounded_root(form: &Form) -> f64 {
    let bits = form.0.iter().map(|c| c.bit_len()).max().unwrap_or(0);
    let rounded: Vec<f64> = form.0.iter().map(|c| top_bits(c, bits)).collect();
    let value = |t: f64| {
        let (mut sum, mut power) = (0.0, 1.0);
        for c in &rounded {
            sum = sum * (1.0 - t) + c * power;
            power *= t;
        }
        sum
    };
    super::bisected(value, 0.0, 1.0).min(1.0f64.next_down())
}

/// `c / 2^(bits − 60)`, cut off.
fn top_bits(c: &IBig, bits: usize) -> f64 {
    let cut = if bits > 60 { c >> (bits - 60) } else { c.clone() };
    cut.to_f64().value()
}

/// The greatest `f64` not after a time whose denominator is a power of two; 0 for tiny ones.
fn round_down(at: &Instant) -> f64 {
    let (low, _, exponent) = mantissa(at);
    if exponent < TINY_EXPONENT { 0.0 } else { low.to_f64().value() * 2.0f64.powi(exponent) }
}

/// The least `f64` not before a time; something tiny for tiny ones.
fn round_up(at: &Instant) -> f64 {
    let (low, whole, exponent) = mantissa(at);
    let high = if whole { low } else { low + IBig::ONE };
    high.to_f64().value() * 2.0f64.powi(exponent.max(TINY_EXPONENT))
}

/// Times below this times `2^53` are not distinguished from 0.
const TINY_EXPONENT: i32 = -960;

/// `y / (x + y)` cut off to 53 bits, whether that lost nothing, and its exponent.
fn mantissa([x, y]: &Instant) -> (IBig, bool, i32) {
    let shift = y.bit_len().saturating_sub(53);
    let low = y >> shift;
    let whole = &low << shift == *y;
    (low, whole, shift as i32 - ((x + y).bit_len() as i32 - 1))
}
