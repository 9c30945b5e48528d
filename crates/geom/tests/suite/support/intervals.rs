//! Operations on random intervals, compared with unbounded integers.

use crate::support::Random;
use dashu_int::IBig;
use noli_geom::Interval;
use noli_geom::naive::Fixed;

/// One random operation on numbers of moderate size; panics where the result misses the exact value of a
/// point.
pub(crate) fn check_moderate(rng: &mut Random) {
    let (x, p) = interval_and_point(rng);
    let (y, q) = interval_and_point(rng);
    let (fp, fq) = (Fixed::new(p), Fixed::new(q));
    let (name, range, value) = match rng.below(17) {
        0 => ("+", x + y, fp + fq),
        1 => ("-", x - y, fp - fq),
        2 => ("*", x * y, fp * fq),
        3 if q != 0.0 => ("/", x / y, fp / fq),
        4 => ("sqrt", x.sqrt(), fp.sqrt()),
        5 => ("square", x.square(), fp.clone() * fp),
        6 => ("powi", x.powi(5), fp.clone() * fp.clone() * fp.clone() * fp.clone() * fp),
        7 => ("abs", x.abs(), fp.abs()),
        8 => ("min", x.min(y), fp.min(fq)),
        9 => ("max", x.max(y), fp.max(fq)),
        10 if p < 60.0 => ("exp", x.exp(), fp.exp()),
        11 if p > 0.0 => ("ln", x.ln(), fp.ln()),
        12 => ("sin", x.sin(), fp.sin()),
        13 => ("cos", x.cos(), fp.cos()),
        14 if p != 0.0 || q != 0.0 => ("atan2", x.atan2(y), fp.atan2(&fq)),
        15 => ("floor", x.floor(), fp.floor()),
        16 if q != 0.0 => ("powi", y.powi(-2), Fixed::new(1.0) / (fq.clone() * fq)),
        _ => return,
    };
    assert!(value.is_in(range), "{name} of {x:?} and {y:?} at {p:e}, {q:e}: {range:?} misses the value");
}

/// One random arithmetic operation on numbers of any exponent.
pub(crate) fn check_extreme(rng: &mut Random) {
    let (x, y) = (any_f64(rng), any_f64(rng));
    let (ix, iy) = (Interval::from(x), Interval::from(y));
    let (bx, by) = (big(x), big(y));
    let scaled = |v: &IBig| v << 1074usize;
    let within = |range: Interval, at_least: &dyn Fn(IBig) -> bool, at_most: &dyn Fn(IBig) -> bool| {
        (range.lo() == f64::NEG_INFINITY || at_least(big(range.lo())))
            && (range.hi() == f64::INFINITY || at_most(big(range.hi())))
    };
    let (sum, product) = (&bx + &by, &bx * &by);
    assert!(within(ix + iy, &|lo| lo <= sum, &|hi| sum <= hi), "{x:e} + {y:e}");
    assert!(within(ix * iy, &|lo| scaled(&lo) <= product, &|hi| product <= scaled(&hi)), "{x:e} * {y:e}");
    if y > 0.0 {
        let x_scaled = scaled(&bx);
        assert!(within(ix / iy, &|lo| lo * &by <= x_scaled, &|hi| x_scaled <= hi * &by), "{x:e} / {y:e}");
    }
    if x >= 0.0 {
        let x_scaled = scaled(&bx);
        let square = |v: IBig| &v * &v;
        let root = ix.sqrt();
        assert!(root.lo() >= 0.0);
        assert!(within(root, &|lo| square(lo) <= x_scaled, &|hi| x_scaled <= square(hi)), "sqrt {x:e}");
    }
}

/// `x · 2^1074`.
fn big(x: f64) -> IBig {
    let bits = x.to_bits();
    let exponent = (bits >> 52 & 0x7ff) as usize;
    let fraction = bits & ((1 << 52) - 1);
    let magnitude =
        if exponent == 0 { IBig::from(fraction) } else { IBig::from(fraction | 1 << 52) << (exponent - 1) };
    if x < 0.0 { -magnitude } else { magnitude }
}

fn any_f64(rng: &mut Random) -> f64 {
    loop {
        let x = match rng.below(4) {
            0 => rng.integer(9),
            1 => 2f64.powi(rng.integer(1073) as i32),
            _ => f64::from_bits(rng.bits()),
        };
        if x.is_finite() {
            return x;
        }
    }
}

/// An interval and a number in it: often an end, zero or a small integer.
fn interval_and_point(rng: &mut Random) -> (Interval, f64) {
    let mut end = || match rng.below(5) {
        0 => rng.integer(4),
        1 => rng.real() * 0.01,
        2 => rng.real() * 60.0,
        _ => rng.real() * 4.0,
    };
    let (a, b) = (end(), end());
    let range = if rng.one_in(8) { Interval::from(a) } else { Interval::new(a, b) };
    let point = match rng.below(4) {
        0 => range.lo(),
        1 => range.hi(),
        _ => (range.lo() + (range.hi() - range.lo()) * rng.real().abs()).clamp(range.lo(), range.hi()),
    };
    (range, point)
}
