//! Every way to evaluate a function on a cell holds its exact values there.

use crate::support::{Random, check_enclosures};
use noli_geom::Interval;
use noli_implicit::{Expr, Field, Tape};

#[test]
fn enclosures_hold_the_exact_value() {
    let mut rng = Random::new(7);
    let compared: usize = (0..30_000).map(|_| check_enclosures(&mut rng, 3)).sum();
    assert!(compared > 40_000, "{compared}");
}

#[test]
fn affine_errors_shrink_with_the_square_of_the_cell() {
    let field = Field::parse("x*y*z + sin(x*y) + exp(z/2) - sqrt(4 + x*z)").unwrap();
    let width = |half: f64| {
        let center = glam::dvec3(0.4, 0.7, -0.3);
        let cell = noli_geom::Aabb { min: center - half, max: center + half };
        let sides = [0, 1, 2].map(|k| Interval::new(cell.min[k], cell.max[k]));
        // What is beyond the true range, about.
        let slope: f64 =
            field.gradient(sides.map(|s| Interval::from(s.middle()))).iter().map(|g| g.middle().abs()).sum();
        field.range_on(&cell).width() - 2.0 * half * slope
    };
    let (coarse, fine) = (width(0.01), width(0.001));
    assert!(fine < coarse / 50.0, "{coarse} {fine}");
}

#[test]
fn huge_and_undefined_values_never_poison() {
    for formula in [
        "1/x",
        "ln(x)",
        "sqrt(x)",
        "exp(exp(exp(x*100)))",
        "x/(x-x)",
        "1e300*x*1e300*y",
        "(1/x)-(1/x)*2",
        "sin(1e308*x*1e10)",
        "atan2(x,y)/x",
        "x^-3",
        "noise(1e300*x,y,1/z)",
    ] {
        let field = Field::parse(formula).unwrap();
        for cell in [[-1.0, 1.0], [0.0, 0.0], [-1e300, 1e300], [1.0, 1e-300], [0.0, 5e-324]] {
            let side = Interval::new(cell[0], cell[1]);
            let range = field.range([side; 3]);
            assert!(range.lo() <= range.hi(), "{formula} {range:?}");
            let cell =
                noli_geom::Aabb { min: glam::DVec3::splat(side.lo()), max: glam::DVec3::splat(side.hi()) };
            let affine = field.range_on(&cell);
            assert!(affine.lo() <= affine.hi(), "{formula} {affine:?}");
            assert!(!field.lipschitz([side; 3]).is_nan());
        }
    }
}

#[test]
fn simplification_shares_and_folds() {
    let length = |formula: &str| Field::parse(formula).unwrap().operations();
    assert_eq!(length("x"), 1);
    assert_eq!(length("x + 0*y - (y - y)"), 1);
    assert_eq!(length("(x+1)*(x+1)"), length("(1+x)^2"));
    assert_eq!(length("2*3 + 4"), 1);
    assert_eq!(length("--x"), 1);
    assert_eq!(length("sqrt(x^2)"), length("abs(x)"));
    assert_eq!(length("min(x, x)"), 1);
    // 0.1 + 0.2 is no f64: its exact value is kept.
    assert_eq!(length("0.1 + 0.2"), 2);
}

#[test]
fn decided_branches_fall_away() {
    let [x, y, _] = Expr::xyz();
    let many = (0..100).fold(x.clone(), |all, i| all.min(&(&x + f64::from(i) * 3.0 + y.square())));
    let tape = Tape::new(&many);
    let mut choices = Default::default();
    let side = Interval::new(0.0, 0.5);
    tape.evaluate_choosing(&[side; 3], &mut Vec::new(), &mut choices);
    let short = tape.shortened(&choices, 1).unwrap();
    assert!(short.len() < 10, "{}", short.len());
}
