//! Formulas and `.vm` texts: meaning, errors that point, and size.

use glam::dvec3;
use noli_implicit::{Expr, Field, parse_formula, parse_vm};
use noli_testing::PATIENCE;
use std::fmt::Write as _;
use std::time::Instant;

fn value(formula: &str) -> f64 {
    let field = Field::parse(formula).unwrap_or_else(|error| panic!("{formula}\n{error}"));
    field.value(dvec3(2.0, 3.0, 5.0))
}

#[test]
fn formulas_mean_what_they_say() {
    let cases = [
        ("1 + 2*x^2 - z/5", 8.0),
        ("-x^2", -4.0),
        ("2^3^2 - 512", 0.0),
        ("2^-1", 0.5),
        ("(x + y)*(z - 1)", 20.0),
        ("x - y - z", -6.0),
        ("x/y/z*15", 2.0),
        ("--x", 2.0),
        ("x**2 + +y", 7.0),
        ("min(x, y, z) + max(x, y, z)", 7.0),
        ("abs(x - z) + sqrt(4)", 5.0),
        ("r = 2; s = r*x\n s + r # a comment\n", 6.0),
        ("x + \n y", 5.0),
        ("max(x,\n y)", 3.0),
        ("x^2 + y^2 <= z", 8.0),
        ("x >= 7", 5.0),
        ("ln(exp(x))", 2.0),
        ("atan2(0*x, 1 + y)", 0.0),
        ("mod(z, y)", 2.0),
        ("length(x - 2, y - 3, 4)", 4.0),
        ("1.5e1 + .5 + 2.", 17.5),
        ("move(x, 1, 0, 0)", 1.0),
        ("scale(x, 2)", 1.0),
        ("pow(x, 3)", 8.0),
        ("x^0.5 - sqrt(x)", 0.0),
        ("floor(z/2)", 2.0),
    ];
    for (formula, expected) in cases {
        assert!((value(formula) - expected).abs() < 1e-12, "{formula}: {}", value(formula));
    }
    assert!((value("turn_z(x, pi/2)") - 3.0).abs() < 1e-12);
    assert!((value("tan(x) - sin(x)/cos(x)")).abs() < 1e-12);
}

#[test]
fn errors_point_at_the_place() {
    let cases = [
        ("x^2 + foo(y)", 1, 7, "no function `foo`"),
        ("x^2 +\n  q", 2, 3, "`q` has no meaning"),
        ("(x + 1", 1, 1, "never closed"),
        ("x + 1)", 1, 6, "never opened"),
        ("2x", 1, 2, "an operator is missing"),
        ("x +", 1, 3, "ends too early"),
        ("", 1, 1, "no value"),
        ("a = x", 1, 6, "no value"),
        ("x $ y", 1, 3, "has no meaning"),
        ("sin(x, y)", 1, 1, "was given 2"),
        ("atan2(x)", 1, 1, "was given 1"),
        ("x, y", 1, 2, "comma"),
        ("x = 3; x", 1, 1, "already has a meaning"),
        ("x <= y <= z", 1, 8, "second comparison"),
        ("1e999", 1, 1, "too large"),
        ("move(x, y, 0, 0)", 1, 1, "argument of `move`"),
        ("x; y", 1, 1, "is lost"),
        ("sin + 1", 1, 1, "is a function"),
        ("sin()", 1, 5, "operand is missing"),
        ("max(x,)", 1, 7, "operand is missing"),
    ];
    for (formula, line, column, reason) in cases {
        let error = parse_formula(formula).expect_err(formula);
        assert_eq!((error.line, error.column), (line, column), "{formula}\n{error}");
        assert!(error.to_string().contains(reason), "{formula}\n{error}");
        assert!(!error.remedy.is_empty());
    }
    let text = parse_formula("x^2 + y^2 + foo(z) - 1").unwrap_err().to_string();
    let lines: Vec<&str> = text.lines().collect();
    let caret = lines[2].find('^').unwrap();
    assert!(lines[1][caret..].starts_with("foo(z)"), "{text}");
}

#[test]
fn vm_texts_are_read_and_refused() {
    let quarter = "# a comment\ny var-y\nx var-x\nm max x y\ny2 square y\nx2 square x\nr add x2 y2\nh const 0.5\nc sub r h\no max m c\n";
    let field = Field::parse_vm(quarter).unwrap();
    assert!(field.value(dvec3(-0.3, -0.3, 0.0)) < 0.0 && field.value(dvec3(0.3, -0.3, 0.0)) > 0.0);
    let cases = [
        ("_0 var-x\n_1 add _0 _2", 2, 11, "`_2` is not defined above"),
        ("_0 var-q", 1, 4, "no operation `var-q`"),
        ("_0 var-x\n_1 add _0", 2, 4, "was given 1"),
        ("_0 const abc", 1, 10, "not a finite number"),
        ("_0 const inf", 1, 10, "not a finite number"),
        ("_0", 1, 1, "one word"),
        ("# nothing\n", 1, 1, "no operation"),
        ("_0 var-x\n_0 var-y", 2, 1, "defined twice"),
        ("_0 neg _0", 1, 8, "not defined above"),
    ];
    for (text, line, column, reason) in cases {
        let error = parse_vm(text).expect_err(text);
        assert_eq!((error.line, error.column), (line, column), "{text}\n{error}");
        assert!(error.to_string().contains(reason), "{text}\n{error}");
    }
}

#[test]
fn depth_and_size_are_limited_by_memory_only() {
    let started = Instant::now();
    let n = 100_000;
    let parentheses = "(".repeat(n) + "x" + &")".repeat(n);
    assert_eq!(value(&parentheses), 2.0);
    assert!(parse_formula(&"(".repeat(n)).is_err());
    assert_eq!(value(&("sin(".repeat(n) + "0*x" + &")".repeat(n))), 0.0);
    assert_eq!(value(&("-".repeat(n) + "x")), 2.0);
    let tower = "x^".repeat(n) + "x";
    assert!(parse_formula(&tower).is_ok());
    let moves = "move(".repeat(n) + "x" + &",1,0,0)".repeat(n);
    assert!(parse_formula(&moves).unwrap_err().to_string().contains("too often"));
    let mut sum = String::from("x");
    for i in 0..1_000_000 {
        write!(sum, "+{i}*y").unwrap();
    }
    let many = Field::parse(&sum).unwrap();
    assert_eq!(many.value(dvec3(1.0, 1.0, 0.0)), 1.0 + 999_999.0 * 500_000.0);
    let mut vm = String::from("_0 var-x\n");
    for i in 1..200_000 {
        writeln!(vm, "_{i} sin _{}", i - 1).unwrap();
    }
    assert!(Field::parse_vm(&vm).is_ok());
    let deep = (0..200_000).fold(Expr::xyz()[0].clone(), |e, _| e.sin());
    drop(deep.moved(glam::DVec3::X));
    assert!(started.elapsed() < PATIENCE, "{:?}", started.elapsed());
}

/// Published models use operations that were missing; what is outside a domain counts as the nearest number inside.
#[test]
fn every_vm_operation_is_its_function_beyond_its_domain() {
    let clamp = |a: f64| a.clamp(-1.0, 1.0);
    let sign = |a: f64| if a == 0.0 { 0.0 } else { a.signum() };
    type Function = Box<dyn Fn(f64) -> f64>;
    let unary: [(&str, Function); 9] = [
        ("asin", Box::new(move |a| clamp(a).asin())),
        ("acos", Box::new(move |a| clamp(a).acos())),
        ("sqrt", Box::new(|a| a.max(0.0).sqrt())),
        ("ln", Box::new(|a| a.max(f64::from_bits(1)).ln())),
        ("tan", Box::new(f64::tan)),
        ("atan", Box::new(f64::atan)),
        ("ceil", Box::new(f64::ceil)),
        ("round", Box::new(f64::round)),
        ("not", Box::new(|a| if a == 0.0 { 1.0 } else { 0.0 })),
    ];
    let places = [-2.5, -1.2, -1.0, -0.5, -0.1, 0.0, 0.25, 0.5, 1.0, 1.2, 1.5, 3.75];
    for (name, function) in &unary {
        let field = Field::parse_vm(&format!("x var-x\nf {name} x\n")).unwrap();
        for a in places {
            let (value, wanted) = (field.value(glam::dvec3(a, 0.0, 0.0)), function(a));
            let near = (value - wanted).abs() <= 1e-12 * wanted.abs().max(1.0) || *name == "ln" && a <= 0.0;
            assert!(near, "{name} {a}: {value} and not {wanted}");
        }
        // Ranges that straddle the ends of the domain hold every value in them.
        for pair in places.windows(3) {
            let cell =
                noli_geom::Aabb { min: glam::dvec3(pair[0], 0.0, 0.0), max: glam::dvec3(pair[2], 0.0, 0.0) };
            let range = field.range_on(&cell);
            for k in 0..=20 {
                let a = pair[0] + (pair[2] - pair[0]) * f64::from(k) / 20.0;
                let value = field.value(glam::dvec3(a, 0.0, 0.0));
                assert!(range.lo() <= value && value <= range.hi(), "{name} {a}: {value} not in {range:?}");
            }
        }
    }
    type OfTwo = fn(f64, f64) -> f64;
    let binary: [(&str, OfTwo); 4] = [
        ("mod", f64::rem_euclid),
        ("compare", |a, b| if a == b { 0.0 } else { (a - b).signum() }),
        ("and", |a, b| if a == 0.0 { a } else { b }),
        ("or", |a, b| if a == 0.0 { b } else { a }),
    ];
    for (name, function) in binary {
        let field = Field::parse_vm(&format!("x var-x\ny var-y\nf {name} x y\n")).unwrap();
        for a in places {
            for b in places.into_iter().filter(|&b| b != 0.0 || name != "mod") {
                let (value, wanted) = (field.value(glam::dvec3(a, b, 0.0)), function(a, b));
                // A quotient that rounds to a whole number leaves nothing instead of nearly all.
                let off = (value - wanted).abs();
                let near = off <= 1e-12 || name == "mod" && (off - b.abs()).abs() <= 1e-12;
                assert!(near, "{name} {a} {b}: {value} and not {wanted}");
            }
        }
    }
    let signed = Field::parse("sign(x) - 0.5").unwrap();
    places.iter().for_each(|&a| assert_eq!(signed.value(glam::dvec3(a, 0.0, 0.0)), sign(a) - 0.5));
}
