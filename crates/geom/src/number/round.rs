//! Counted outward rounding: every allowance states the number of roundings it covers.
//!
//! One operation on `f64` errs by at most `u =` [`UNIT_ROUNDOFF`] of its result. A value from fewer than
//! `k` operations, all of one sign, is off by at most `k·u` of itself, as long as `k` is small. The count
//! given should include the multiplication done here. None of this covers underflow: where products may
//! vanish, add `f64::MIN_POSITIVE`.

use crate::UNIT_ROUNDOFF;

/// `x` and what `k` roundings of it may have taken away: not less than the exact value.
#[inline(always)]
#[must_use]
pub fn up(x: f64, k: u32) -> f64 {
    let room = f64::from(k) * UNIT_ROUNDOFF;
    x * if x < 0.0 { 1.0 - room } else { 1.0 + room }
}

/// `x` without what `k` roundings of it may have added: not more than the exact value.
#[inline(always)]
#[must_use]
pub fn down(x: f64, k: u32) -> f64 {
    let room = f64::from(k) * UNIT_ROUNDOFF;
    x * if x < 0.0 { 1.0 + room } else { 1.0 - room }
}

/// Returns the largest sum of `k` roundings of numbers of this magnitude: `k·u·size`.
#[inline(always)]
#[must_use]
pub fn off(size: f64, k: u32) -> f64 {
    f64::from(k) * UNIT_ROUNDOFF * size
}

/// The range from `least` to `most` with `k` roundings of each end allowed for.
#[inline(always)]
#[must_use]
pub fn widen(least: f64, most: f64, k: u32) -> [f64; 2] {
    [down(least, k), up(most, k)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_move_outward_whatever_their_sign() {
        for x in [1.0, 1e-300, -1.0, -0.1, 1e300] {
            for k in [2, 8, 64] {
                let [low, high] = widen(x, x, k);
                assert!(low < x && x < high, "{x} {k}");
                assert!(high - low <= 2.0 * off(x.abs(), k + 2), "{x} {k}");
            }
        }
        assert_eq!(widen(0.0, f64::INFINITY, 4), [0.0, f64::INFINITY]);
        assert_eq!(off(3.0, 8), 3.0 * 4.0 * f64::EPSILON);
    }

    /// A sum of `n` products is within `n + 1` roundings, its own included.
    #[test]
    fn a_sum_of_squares_is_covered() {
        let terms: Vec<f64> = (1..50).map(|k| 1.0 / f64::from(k)).collect();
        let sum: f64 = terms.iter().map(|x| x * x).sum();
        let reversed: f64 = terms.iter().rev().map(|x| x * x).sum();
        let [low, high] = widen(sum, sum, 51);
        assert!(sum != reversed && low <= reversed && reversed <= high);
    }
}
