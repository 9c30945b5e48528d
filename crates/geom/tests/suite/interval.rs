//! Interval arithmetic against unbounded integers, and where numbers end.

use crate::intervals;
use crate::support::Random;
use noli_geom::Interval;

#[test]
fn every_operation_holds_the_exact_value() {
    let mut rng = Random::new(11);
    (0..20_000).for_each(|_| intervals::check_moderate(&mut rng));
}

#[test]
fn arithmetic_holds_the_exact_value_at_any_exponent() {
    let mut rng = Random::new(12);
    (0..20_000).for_each(|_| intervals::check_extreme(&mut rng));
}

#[test]
fn exact_results_stay_points() {
    let i = Interval::from;
    assert_eq!(i(0.5) + i(0.25), i(0.75));
    assert_eq!(i(1.5) * i(-3.0), i(-4.5));
    assert_eq!(i(3.0) / i(-4.0), i(-0.75));
    assert_eq!(i(6.25).sqrt(), i(2.5));
    assert_eq!(i(-3.0).powi(3), i(-27.0));
    assert_eq!(i(0.0).exp(), Interval::ONE);
    assert_eq!(i(1.0).ln(), Interval::ZERO);
}

#[test]
fn ends_are_numbers_whatever_is_asked() {
    let values =
        [0.0, -0.0, 1.0, -1.0, f64::MAX, f64::MIN, f64::MIN_POSITIVE, 5e-324, -5e-324, 1e300, 1e-300];
    let mut all = vec![Interval::EVERYTHING, Interval::from(f64::NAN), Interval::from(f64::INFINITY)];
    all.push(Interval::from(f64::NEG_INFINITY));
    for a in values {
        all.push(Interval::new(f64::NEG_INFINITY, a));
        all.push(Interval::new(a, f64::INFINITY));
        all.extend(values.map(|b| Interval::new(a, b)));
    }
    let sound = |x: Interval| {
        assert!(x.lo() <= x.hi() && x.lo() < f64::INFINITY && x.hi() > f64::NEG_INFINITY, "{x:?}");
        assert!(x.middle().is_finite() && x.contains(x.middle()) && !x.width().is_nan(), "{x:?}");
    };
    for &x in &all {
        [x.sqrt(), x.square(), x.abs(), x.floor(), x.exp(), x.ln(), x.sin(), x.cos(), -x]
            .into_iter()
            .for_each(sound);
        [-7, -2, -1, 0, 1, 2, 3, 1000, i32::MAX, i32::MIN].into_iter().for_each(|n| sound(x.powi(n)));
        for &y in &all {
            [x + y, x - y, x * y, x / y, x.min(y), x.max(y), x.atan2(y), x.hull(y)]
                .into_iter()
                .for_each(sound);
        }
    }
}

#[test]
fn division_by_zero_leaves_what_is_known() {
    let positive = Interval::ONE / Interval::new(0.0, 4.0);
    assert_eq!((positive.lo(), positive.hi()), (0.25, f64::INFINITY));
    let negative = Interval::ONE / Interval::new(-4.0, 0.0);
    assert_eq!((negative.lo(), negative.hi()), (f64::NEG_INFINITY, -0.25));
    assert_eq!(Interval::ONE / Interval::ZERO, Interval::EVERYTHING);
    assert_eq!(Interval::ZERO / Interval::new(0.0, 1.0), Interval::EVERYTHING);
}

#[test]
fn waves_know_their_extrema() {
    use std::f64::consts::PI;
    assert_eq!(Interval::new(0.1, 3.0).sin().hi(), 1.0);
    assert_eq!(Interval::new(3.0, 3.3).cos().lo(), -1.0);
    assert_eq!(Interval::new(-1e300, 7.0).sin(), Interval::new(-1.0, 1.0));
    assert!(Interval::new(0.1, 1.5).sin().hi() < 1.0);
    for k in -20..20 {
        let x = f64::from(k) * PI / 4.0 + 0.1;
        let narrow = Interval::new(x, x + 1e-6);
        assert!(narrow.sin().width() < 2e-6 && narrow.cos().width() < 2e-6);
    }
}
