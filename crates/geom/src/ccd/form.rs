//! Homogeneous polynomials in `(x, y) = (1 − t, t)` with integer coefficients.
//!
//! A coordinate that runs from `a` to `b` is the form `a·x + b·y`, so every condition on moving points is a
//! form, its coefficients are those of the Bernstein basis up to binomials, and by Descartes' rule their
//! changes of sign bound the roots inside (0, 1).

use crate::number::exact::sign;
use dashu_int::IBig;

/// `Σ c[k]·x^(d−k)·y^k`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Form(pub(super) Vec<IBig>);

/// A time as `(x, y)`, up to a positive factor.
pub(super) type Instant = [IBig; 2];

/// Sign changes of the coefficients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Signs {
    /// All are zero.
    Zero,
    /// Those that are not zero have this sign: so has the form at every inner time.
    Same(i8),
    /// So many changes.
    Changes(usize),
}

impl Form {
    pub(super) fn signs(&self) -> Signs {
        let (mut last, mut changes) = (0, 0);
        for s in self.0.iter().map(sign).filter(|&s| s != 0) {
            changes += usize::from(last == -s);
            last = s;
        }
        match (last, changes) {
            (0, _) => Signs::Zero,
            (last, 0) => Signs::Same(last),
            (_, changes) => Signs::Changes(changes),
        }
    }

    pub(super) fn is_zero(&self) -> bool {
        self.0.iter().all(|c| *c == IBig::ZERO)
    }

    /// The sign at a time.
    pub(super) fn sign_at(&self, [x, y]: &Instant) -> i8 {
        let mut powers = IBig::ONE;
        let mut sum = IBig::ZERO;
        for c in &self.0 {
            sum = sum * x + c * &powers;
            powers *= y;
        }
        sign(&sum)
    }

    /// The same form on the span from `l` to `r`: `x·l + y·r` put for `(x, y)`.
    pub(super) fn between(&self, l: &Instant, r: &Instant) -> Form {
        let mut power = vec![IBig::ONE];
        let mut sum = vec![IBig::ZERO];
        let (at_x, at_y) = ([&l[0], &r[0]], [&l[1], &r[1]]);
        for (k, c) in self.0.iter().enumerate() {
            if k > 0 {
                sum = times_linear(&sum, at_x);
                power = times_linear(&power, at_y);
            }
            for (s, p) in sum.iter_mut().zip(&power) {
                *s += c * p;
            }
        }
        Form(sum)
    }

    /// Without the factors `x` and `y`, that is the roots at the ends of the span; none for zero.
    pub(super) fn without_ends(&self) -> Option<Form> {
        let first = self.0.iter().position(|c| *c != IBig::ZERO)?;
        let last = self.0.iter().rposition(|c| *c != IBig::ZERO)?;
        Some(Form(self.0[first..=last].to_vec()))
    }

    /// The form with every multiple root made simple; no root at the ends of the span is expected.
    pub(super) fn square_free(self) -> Form {
        if self.0.len() <= 2 {
            return self;
        }
        let derivative = self.0.iter().enumerate().skip(1).map(|(k, c)| c * IBig::from(k)).collect();
        let shared = gcd(&self, &Form(derivative));
        if shared.0.len() == 1 { self } else { quotient(self.0, &shared.0) }
    }
}

fn times_linear(form: &[IBig], [a, b]: [&IBig; 2]) -> Vec<IBig> {
    let mut product = vec![IBig::ZERO; form.len() + 1];
    for (k, c) in form.iter().enumerate() {
        product[k] += c * a;
        product[k + 1] += c * b;
    }
    product
}

/// The greatest common divisor as polynomials in `y/x`, up to a factor and without roots at the ends.
pub(super) fn gcd(p: &Form, q: &Form) -> Form {
    let (mut a, mut b) = (p.0.clone(), q.0.clone());
    trim(&mut a);
    trim(&mut b);
    while !b.is_empty() {
        if a.len() >= b.len() {
            let top = b.len() - 1;
            while a.len() >= b.len() {
                let shift = a.len() - b.len();
                let (lead_a, lead_b) = (a[a.len() - 1].clone(), b[top].clone());
                for c in &mut a {
                    *c *= &lead_b;
                }
                for (k, c) in b.iter().enumerate() {
                    a[shift + k] -= c * &lead_a;
                }
                trim(&mut a);
            }
        }
        std::mem::swap(&mut a, &mut b);
    }
    Form(a).without_ends().unwrap_or(Form(vec![IBig::ONE]))
}

/// Removes leading zeros.
fn trim(p: &mut Vec<IBig>) {
    while p.last().is_some_and(|c| *c == IBig::ZERO) {
        p.pop();
    }
}

/// `p/q` up to a factor, where `q` divides `p`.
fn quotient(mut p: Vec<IBig>, q: &[IBig]) -> Form {
    let top = q.len() - 1;
    let mut result = vec![IBig::ZERO; p.len() - top];
    for at in (0..result.len()).rev() {
        // Kept whole by scaling everything so far.
        let lead = p[at + top].clone();
        for c in p.iter_mut().chain(&mut result) {
            *c *= &q[top];
        }
        for (k, c) in q.iter().enumerate() {
            p[at + k] -= c * &lead;
        }
        result[at] = lead;
    }
    Form(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(coefficients: &[i32]) -> Form {
        Form(coefficients.iter().map(|&c| IBig::from(c)).collect())
    }

    fn proportional(p: &Form, q: &Form) -> bool {
        p.0.len() == q.0.len() && (0..p.0.len()).all(|k| &p.0[k] * &q.0[0] == &q.0[k] * &p.0[0])
    }

    #[test]
    fn common_divisors_and_multiple_roots() {
        // (s − 1)²(s − 2) in powers of s = y/x, lowest first.
        let p = form(&[-2, 5, -4, 1]);
        assert!(proportional(&p.clone().square_free(), &form(&[2, -3, 1])));
        assert!(proportional(&gcd(&p, &form(&[-2, 1])), &form(&[-2, 1])));
        assert_eq!(gcd(&p, &form(&[-3, 1])).0.len(), 1);
        assert!(proportional(&form(&[-1, 3, -3, 1]).square_free(), &form(&[-1, 1])));
        assert!(proportional(&gcd(&p, &form(&[0, 0, 0])), &p));
        assert!(proportional(&gcd(&form(&[0, -1, 1]), &form(&[0, -2, 1])), &form(&[7])));
    }

    #[test]
    fn a_part_of_the_span_has_the_values_of_the_whole() {
        let p = form(&[3, -7, 2, 5]);
        let at = |x: i32, y: i32| [IBig::from(x), IBig::from(y)];
        let (l, r) = (at(3, 1), at(1, 3));
        let part = p.between(&l, &r);
        for (x, y) in [(1, 0), (0, 1), (2, 3), (5, 1)] {
            let outer = at(3 * x + y, x + 3 * y);
            assert_eq!(part.sign_at(&at(x, y)), p.sign_at(&outer));
        }
        assert_eq!(part.0[0], IBig::from(3 * 27 - 7 * 9 + 2 * 3 + 5));
    }
}
