//! Arithmetic that gives the same bits everywhere: additions, products, quotients and roots only, none of them fused.

/// ln 2 in two parts: 32 bits, so that products with exponents are exact, and the rest.
const LN_2: [f64; 2] = [f64::from_bits(0x3fe6_2e42_fee0_0000), f64::from_bits(0x3dea_39ef_3579_3c76)];

/// The natural logarithm of a positive normal number, within 2 units in the last place; NaN for any other.
///
/// The number is `m·2ᵉ` with `m` between √½ and √2; `ln m` is twice the series of artanh at `(m − 1)/(m + 1)`, at most
/// 0.1716, whose first omitted term is below 2⁻⁵⁶ of the sum.
pub fn ln(x: f64) -> f64 {
    if !(x >= f64::MIN_POSITIVE && x.is_finite()) {
        return f64::NAN;
    }
    let bits = x.to_bits();
    let mut exponent = (bits >> 52) as i64 - 1023;
    let mut m = f64::from_bits((bits & 0x000f_ffff_ffff_ffff) | 0x3ff0_0000_0000_0000);
    if m > std::f64::consts::SQRT_2 {
        m *= 0.5;
        exponent += 1;
    }
    let f = (m - 1.0) / (m + 1.0);
    let z = f * f;
    let mut series = 1.0 / 21.0;
    for denominator in [19.0, 17.0, 15.0, 13.0, 11.0, 9.0, 7.0, 5.0, 3.0] {
        series = series * z + 1.0 / denominator;
    }
    let e = exponent as f64;
    let near = 2.0 * f;
    e * LN_2[0] + (near + (near * z * series + e * LN_2[1]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_are_right_to_the_last_bits() {
        let mut x = 1e-300;
        while x < 1e300 {
            let (ours, theirs) = (ln(x), x.ln());
            assert!(
                (ours - theirs).abs() <= 2.0 * f64::EPSILON * theirs.abs().max(1e-3),
                "{x}: {ours} {theirs}"
            );
            x *= 1.000_73;
            x *= 1.01;
        }
        assert_eq!(ln(1.0), 0.0);
        for none in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(ln(none).is_nan());
        }
    }
}
