//! Sine and cosine that are the same to the last bit on every platform.
//!
//! The angle is reduced by multiples of π/2 in three parts (Cody and Waite 1980), the first two short enough
//! that their products are exact; what remains is at most π/4 and goes through Taylor's series, whose
//! remainder has a bound anyone can check. No branches, no tables, no fused arithmetic: a compiler may put
//! sixteen of them side by side without changing a bit.

/// Bound on the absolute error of [`sin_cos`], each: 2⁻⁵³.
///
/// The reduced angle errs by less than 2⁻⁸⁰ (the omitted part of π/2 is 2⁻¹¹⁴, times 2²⁵; products
/// with the third part round at 2⁻⁸⁶). Remainders of the series at π/4: 8.4e-20 for the sine after r¹⁷,
/// 2.1e-18 for the cosine after r¹⁶. The last addition rounds by at most 2⁻⁵⁴. The term added there is at most
/// 0.081 for the sine (four roundings). For the cosine it is 0.017, added to `1 - r²/2`, whose rounding is
/// compensated.
pub const SINE_ERROR: f64 = f64::EPSILON / 2.0;

/// Largest magnitude of an angle, about five million turns. Beyond it sine and cosine are NaN.
pub const MAX_ANGLE: f64 = 33_554_432.0;

/// π/2: 28 bits, the next 28 bits, the next 53 bits.
const QUARTER: [f64; 3] = [
    f64::from_bits(0x3ff9_21fb_5400_0000),
    f64::from_bits(0x3e11_0b46_1000_0000),
    f64::from_bits(0x3c5a_6263_3145_c06e),
];

/// Adding it rounds to an integer, which is then in the lowest bits.
const ROUNDER: f64 = 6_755_399_441_055_744.0;

/// Sine and cosine, each within [`SINE_ERROR`]; NaN if the angle is NaN or beyond [`MAX_ANGLE`].
///
/// ```
/// let (sin, cos) = noli_robot::sin_cos(std::f64::consts::FRAC_PI_6);
/// assert!((sin - 0.5).abs() <= noli_robot::SINE_ERROR && (cos * cos - 0.75).abs() < 1e-15);
/// ```
#[inline(always)]
pub fn sin_cos(angle: f64) -> (f64, f64) {
    let x = if angle.abs() <= MAX_ANGLE { angle } else { f64::NAN };
    let rounded = x * std::f64::consts::FRAC_2_PI + ROUNDER;
    let quarters = rounded - ROUNDER;
    // Exact: a multiple of the last bit of both that is at most 1.
    let near = x - quarters * QUARTER[0];
    let second = quarters * QUARTER[1];
    // The error of a sum (Knuth 1969).
    let b = near - second;
    let back = b - near;
    let lost = (near - (b - back)) - (second + back);
    let tail = lost - quarters * QUARTER[2];
    let r = b + tail;
    let rest = (b - r) + tail;

    let z = r * r;
    let sin = r + (r * z * sine_series(z) + rest * (1.0 - 0.5 * z));
    let half = 0.5 * z;
    let w = 1.0 - half;
    let cos = w + (((1.0 - w) - half) + (z * z * cosine_series(z) - r * rest));

    let turns = rounded.to_bits();
    let odd = turns & 1 == 1;
    let (one, other) = if odd { (cos, sin) } else { (sin, cos) };
    let flip = |value: f64, bit: u64| f64::from_bits(value.to_bits() ^ ((bit & 2) << 62));
    (flip(one, turns), flip(other, turns.wrapping_add(1)))
}

/// `(sin r - r) / r³` in `z = r²`.
#[inline(always)]
fn sine_series(z: f64) -> f64 {
    const C: [f64; 8] = [
        -1.0 / 6.0,
        1.0 / 120.0,
        -1.0 / 5_040.0,
        1.0 / 362_880.0,
        -1.0 / 39_916_800.0,
        1.0 / 6_227_020_800.0,
        -1.0 / 1_307_674_368_000.0,
        1.0 / 355_687_428_096_000.0,
    ];
    horner(&C, z)
}

/// `(cos r - 1 + r²/2) / r⁴` in `z = r²`.
#[inline(always)]
fn cosine_series(z: f64) -> f64 {
    const C: [f64; 7] = [
        1.0 / 24.0,
        -1.0 / 720.0,
        1.0 / 40_320.0,
        -1.0 / 3_628_800.0,
        1.0 / 479_001_600.0,
        -1.0 / 87_178_291_200.0,
        1.0 / 20_922_789_888_000.0,
    ];
    horner(&C, z)
}

#[inline(always)]
fn horner<const N: usize>(c: &[f64; N], z: f64) -> f64 {
    let mut sum = c[N - 1];
    for k in (0..N - 1).rev() {
        sum = sum * z + c[k];
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use dashu_int::IBig;
    use noli_geom::random::SplitMix64;

    const BITS: usize = 256;

    fn one() -> IBig {
        IBig::from(1) << BITS
    }

    /// π by Machin's formula.
    fn pi() -> IBig {
        let arctan = |n: i64| {
            let (mut term, mut sum, mut k, mut sign) = (one() / n, one() / n, 1i64, 1i64);
            while term != IBig::ZERO {
                term /= n * n;
                k += 2;
                sign = -sign;
                sum += IBig::from(sign) * &term / k;
            }
            sum
        };
        (arctan(5) * 4 - arctan(239)) * 4
    }

    fn fixed(x: f64) -> IBig {
        let bits = x.to_bits();
        let exponent = ((bits >> 52) & 0x7ff) as i64;
        let mantissa = (bits & ((1 << 52) - 1)) | if exponent == 0 { 0 } else { 1 << 52 };
        let shift = BITS as i64 + exponent.max(1) - 1075;
        let magnitude = IBig::from(mantissa);
        let magnitude = if shift >= 0 { magnitude << shift as usize } else { magnitude >> (-shift) as usize };
        if x < 0.0 { -magnitude } else { magnitude }
    }

    /// Sine and cosine by the series after reduction to a full turn, all in whole numbers of 2⁻²⁵⁶.
    fn oracle(x: f64, pi: &IBig) -> (IBig, IBig) {
        let turn = pi * 2;
        let mut r = fixed(x) % &turn;
        if r > *pi {
            r -= &turn;
        }
        let (mut term, mut k) = (one(), 0i64);
        let (mut sin, mut cos) = (IBig::ZERO, IBig::ZERO);
        while term != IBig::ZERO {
            let sum = if k % 2 == 0 { &mut cos } else { &mut sin };
            if k % 4 < 2 {
                *sum += &term
            } else {
                *sum -= &term
            }
            k += 1;
            term = ((term * &r) >> BITS) / k;
            if term == IBig::from(-1) {
                break;
            }
        }
        (sin, cos)
    }

    fn errors(x: f64, pi: &IBig) -> f64 {
        let (sin, cos) = sin_cos(x);
        let truth = oracle(x, pi);
        let unit = IBig::from(1) << (BITS - 80);
        let off = |value: f64, truth: &IBig| {
            let diff = (fixed(value) - truth) / &unit;
            f64::from(i32::try_from(diff).unwrap()).abs() * 2f64.powi(-80)
        };
        off(sin, &truth.0).max(off(cos, &truth.1))
    }

    #[test]
    fn within_the_stated_error_of_whole_number_arithmetic() {
        let pi = pi();
        let mut random = SplitMix64::new(1);
        let mut worst = 0.0f64;
        for i in 0..60_000 {
            let share = random.unit();
            let sign = if i % 2 == 0 { 1.0 } else { -1.0 };
            let x = sign
                * match i % 4 {
                    0 => share * 0.8,
                    1 => share * 7.0,
                    2 => share * MAX_ANGLE,
                    // All magnitudes alike.
                    _ => 2f64.powf(share * 65.0 - 40.0),
                };
            worst = worst.max(errors(x, &pi));
        }
        assert!(worst <= SINE_ERROR, "{worst:e}");
        eprintln!("worst {:.3} of the bound", worst / SINE_ERROR);
    }

    /// Around every eighth of a turn up to the largest angle in ever larger steps, both neighbours too.
    #[test]
    fn near_multiples_of_an_eighth_of_a_turn() {
        let pi = pi();
        let mut k = 1u64;
        while (k as f64) < MAX_ANGLE / std::f64::consts::FRAC_PI_4 {
            let x = k as f64 * std::f64::consts::FRAC_PI_4;
            for x in [x.next_down(), x, x.next_up(), -x] {
                let error = errors(x, &pi);
                assert!(error <= SINE_ERROR, "{x:e}: {error:e}");
            }
            k += 1 + k / 2000;
        }
    }

    #[test]
    fn the_platform_agrees_within_its_own_error() {
        let mut random = SplitMix64::new(7);
        for _ in 0..3_000_000 {
            let x = (random.unit() - 0.5) * 100.0;
            let (sin, cos) = sin_cos(x);
            assert!((sin - x.sin()).abs() <= f64::EPSILON && (cos - x.cos()).abs() <= f64::EPSILON, "{x}");
        }
    }

    #[test]
    fn ends_of_the_range() {
        assert_eq!(sin_cos(0.0), (0.0, 1.0));
        assert!(sin_cos(MAX_ANGLE).0.is_finite());
        for x in [MAX_ANGLE.next_up(), -MAX_ANGLE.next_up(), f64::INFINITY, f64::NAN, f64::MAX] {
            let (sin, cos) = sin_cos(x);
            assert!(sin.is_nan() && cos.is_nan(), "{x}");
        }
        assert_eq!(sin_cos(f64::MIN_POSITIVE).0, f64::MIN_POSITIVE);
    }
}
