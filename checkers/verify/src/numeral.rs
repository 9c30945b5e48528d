//! Numbers in texts: one spelling (section 11).

use dashu_int::IBig;

const LONGEST: usize = 128;

/// The words of a list.
pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split([' ', '\t', '\n', '\r']).filter(|word| !word.is_empty())
}

/// The parts of a numeral: whether it is negative, digits before and after the point, and the power of ten.
fn parts(word: &str) -> Option<(bool, &str, &str, i64)> {
    let unsigned = word.strip_prefix(['+', '-']).unwrap_or(word);
    let (size, power) = match unsigned.split_once(['e', 'E']) {
        None => (unsigned, 0),
        Some((size, power)) => {
            let digits = power.strip_prefix(['+', '-']).unwrap_or(power);
            let right = (1..=3).contains(&digits.len()) && is_digits(digits);
            (size, power.parse().ok().filter(|_| right)?)
        }
    };
    let (whole, fraction) = size.split_once('.').unwrap_or((size, ""));
    let right = is_digits(whole) && is_digits(fraction) && !(whole.is_empty() && fraction.is_empty());
    (word.len() <= LONGEST && right).then_some((word.starts_with('-'), whole, fraction, power))
}

fn is_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The double nearest to a numeral.
pub(crate) fn double(word: &str) -> Option<f64> {
    parts(word)?;
    word.parse().ok().filter(|value: &f64| value.is_finite())
}

/// A list of doubles.
pub(crate) fn doubles<const N: usize>(text: &str) -> Option<[f64; N]> {
    words(text).map(double).collect::<Option<Vec<f64>>>()?.try_into().ok()
}

/// An index with a sign.
pub(crate) fn index(word: &str) -> Option<i64> {
    let digits = word.strip_prefix(['+', '-']).unwrap_or(word);
    let right = (1..=18).contains(&digits.len()) && is_digits(digits);
    word.parse().ok().filter(|_| right)
}

/// The number `mantissa · 10^exponent`.
#[derive(Clone, Debug)]
pub(crate) struct Decimal {
    mantissa: IBig,
    exponent: i64,
}

#[allow(
    clippy::arithmetic_side_effects,
    reason = "exponents are sums of a few of three digits and of lengths"
)]
impl Decimal {
    /// The number that a numeral stands for, without rounding.
    pub(crate) fn new(word: &str) -> Option<Self> {
        let (is_negative, whole, fraction, power) = parts(word)?;
        let digits = format!("{whole}{fraction}").parse::<IBig>().ok()?;
        let exponent = power - i64::try_from(fraction.len()).ok()?;
        let mantissa = if is_negative { -digits } else { digits };
        double(word).map(|_| Self { mantissa, exponent })
    }

    pub(crate) fn integer(value: i64) -> Self {
        Self { mantissa: value.into(), exponent: 0 }
    }

    pub(crate) fn times(&self, other: &Self) -> Self {
        Self { mantissa: &self.mantissa * &other.mantissa, exponent: self.exponent + other.exponent }
    }

    pub(crate) fn plus(&self, other: &Self) -> Self {
        let exponent = self.exponent.min(other.exponent);
        let scaled = |x: &Self| &x.mantissa * power_of_ten(x.exponent - exponent);
        Self { mantissa: scaled(self) + scaled(other), exponent }
    }

    pub(crate) fn is_integer(&self) -> bool {
        self.exponent >= 0 || (&self.mantissa % power_of_ten(-self.exponent)).is_zero()
    }

    /// The nearest double; infinite beyond their range.
    pub(crate) fn nearest(&self) -> f64 {
        format!("{}e{}", self.mantissa, self.exponent).parse().unwrap_or(f64::INFINITY)
    }
}

fn power_of_ten(exponent: i64) -> IBig {
    IBig::from(10).pow(usize::try_from(exponent).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_one_spelling() {
        let right = [
            ("1", 1.0),
            ("-.5", -0.5),
            ("+5.", 5.0),
            ("007", 7.0),
            ("1e-3", 1e-3),
            ("2E+003", 2e3),
            ("-0", 0.0),
            ("1e-999", 0.0),
        ];
        for (word, value) in right {
            assert_eq!(double(word), Some(value), "{word}");
        }
        let long = "1".repeat(129);
        let wrong = [
            "", ".", "+", "e5", "1e", "1e+", "1e0005", "inf", "-inf", "nan", "infinity", "0x10", "1_0",
            "1,5", "1e400", "--1", "+-1", "1e5.0", "1 2", " 1", "\u{661}", "1f", &long,
        ];
        for word in wrong {
            assert_eq!(double(word), None, "{word}");
        }
        assert_eq!(["+3", "-1", "000012"].map(index), [Some(3), Some(-1), Some(12)]);
        assert_eq!(["", "+", "1.0", "1_0", "1234567890123456789"].map(index), [None; 5]);
        assert_eq!(doubles::<3>("1 \t2\r\n 3"), Some([1.0, 2.0, 3.0]));
        assert_eq!(doubles::<3>("1 2\u{a0}3"), None);
        assert_eq!(doubles::<3>("1 2 3 4"), None);
    }

    #[test]
    fn decimals_are_exact() {
        let decimal = |word| Decimal::new(word).unwrap();
        let tenth = decimal("0.1");
        assert!(!tenth.is_integer() && tenth.times(&Decimal::integer(10)).is_integer());
        assert!(decimal("-2.50e1").is_integer() && decimal("1e300").is_integer());
        assert_eq!(tenth.plus(&decimal("0.2")).nearest(), 0.3);
        assert_eq!(tenth.times(&decimal("-25e-1")).nearest(), -0.25);
    }
}
