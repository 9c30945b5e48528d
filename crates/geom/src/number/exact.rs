//! Finite `f64` as integers: each is an integer times a power of two, so points become vectors of integers
//! with one common power. Predicates are signs of homogeneous polynomials: the common factor does not matter.
//! Integers are unbounded, so nothing overflows or underflows; extreme exponents only cost time.

use super::ring;
use dashu_int::IBig;
use glam::DVec3;

/// A point times a common positive factor.
pub(crate) type IntegerPoint = [IBig; 3];

/// `x = m·2^e` with `m` odd, or zero.
fn decompose(x: f64) -> Option<(i64, i32)> {
    let bits = x.to_bits();
    let biased = (bits >> 52 & 0x7ff) as i32;
    let fraction = (bits & ((1 << 52) - 1)) as i64;
    let magnitude = if biased == 0 { fraction } else { fraction | 1 << 52 };
    if magnitude == 0 {
        return None;
    }
    let zeros = magnitude.trailing_zeros();
    let odd = magnitude >> zeros;
    Some((if x < 0.0 { -odd } else { odd }, biased.max(1) - 1075 + zeros as i32))
}

/// The largest `e` for which every value is an integer times `2^e`.
pub(crate) fn common_exponent(values: impl IntoIterator<Item = f64>) -> Option<i32> {
    values.into_iter().filter_map(decompose).map(|(_, exponent)| exponent).min()
}

/// `x / 2^exponent`; the exponent comes from [`common_exponent`] or is smaller.
pub(crate) fn integer(x: f64, exponent: i32) -> IBig {
    decompose(x).map_or(IBig::ZERO, |(m, e)| IBig::from(m) << (e - exponent).max(0) as usize)
}

/// All coordinates, point by point.
pub(crate) fn coordinates(points: &[DVec3]) -> impl Iterator<Item = f64> {
    points.iter().flat_map(|p| p.to_array())
}

/// Sign of `det(b − a, c − a, d − a)`.
pub(crate) fn orient3d([a, b, c, d]: [&IntegerPoint; 4]) -> i8 {
    let level = (0..3).any(|k| a[k] == b[k] && a[k] == c[k] && a[k] == d[k]);
    if level { 0 } else { sign(&volume([a, b, c, d])) }
}

/// `det(b − a, c − a, d − a)`.
pub(crate) fn volume([a, b, c, d]: [&IntegerPoint; 4]) -> IBig {
    let [u, v, w] = [b, c, d].map(|p| ring::minus(p, a));
    ring::dot(&ring::cross(&u, &v), &w)
}

/// The doubled area of `abc` seen along `axis`.
pub(crate) fn area([a, b, c]: [&IntegerPoint; 3], axis: usize) -> IBig {
    let (x, y) = ((axis + 1) % 3, (axis + 2) % 3);
    (&b[x] - &a[x]) * (&c[y] - &a[y]) - (&b[y] - &a[y]) * (&c[x] - &a[x])
}

pub(crate) fn sign(x: &IBig) -> i8 {
    x.cmp(&IBig::ZERO) as i8
}
