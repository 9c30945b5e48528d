//! `noli field` as its users meet it.

use noli_testing::Folder;
use serde_json::Value;
use std::process::{Command, Output};

fn field(arguments: &[&str]) -> Output {
    let noli = env!("CARGO_BIN_EXE_noli");
    Command::new(noli).arg("field").args(arguments).output().expect("the program starts")
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap_or(-1)
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).expect("one JSON object")
}

#[test]
fn exit_codes_tell_the_verdict() {
    let sphere = "x^2 + y^2 + z^2 <= 1";
    assert_eq!(code(&field(&[sphere, "sphere(0.5)", "--pose-b", "1.6,0,0"])), 0);
    assert_eq!(code(&field(&[sphere, "sphere(0.5)", "--pose-b", "1.4,0,0"])), 1);
    // They touch in a point whose coordinates are no numbers that a computer has.
    assert_eq!(
        code(&field(&[
            sphere,
            "sphere(1/3)",
            "--pose-b",
            "0.8888888888888889,0.4444444444444444,0.8888888888888889"
        ])),
        3
    );
    assert_eq!(code(&field(&[sphere, "sphere(0.5)", "--pose-b", "1.6"])), 2);
}

/// An object without points is free of everything, which is never intended.
#[test]
fn a_formula_without_a_point_is_an_error() {
    let told = |arguments: &[&str]| {
        let output = field(arguments);
        assert_eq!(code(&output), 2, "{arguments:?}: {}", String::from_utf8_lossy(&output.stdout));
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let empty =
        ["x^2 + 1", "x^2 + y^2 + z^2 + 1 <= 0", "max(x^2 + y^2 + z^2 - 1, x^2 + y^2 + z^2 - 2 * x + 1.0001)"];
    for formula in empty {
        for arguments in [[formula, "sphere(0.1)"], ["sphere(0.1)", formula]] {
            let text = told(&[&arguments[..], &["--pose-a", "0,0,5"]].concat());
            assert!(text.contains(&format!("`{formula}` has no point, so")), "{text}");
        }
    }
    let text = told(&["sphere(1)", "sphere(3)", "--bounds", "2,3,2,3,2,3"]);
    assert!(text.contains("`sphere(1)` has no point inside the box 2,3,2,3,2,3"), "{text}");
    // A surface without thickness holds points.
    assert_eq!(code(&field(&["(x^2 + y^2 + z^2 - 2)^2", "sphere(0.1)"])), 0);
}

#[test]
fn json_holds_the_proof() {
    let hit = json(&field(&["x^2+y^2+z^2-1", "sphere(0.5)", "--pose-b", "1.25,0,0", "--json"]));
    assert_eq!(hit["outcome"], "touching");
    let x = hit["point"][0].as_f64().unwrap();
    assert!((0.75..=1.0).contains(&x), "{x}");
    let free =
        json(&field(&["x^2+y^2+z^2-1", "sphere(0.5)", "--pose-b", "2.5,0,0", "--clearance", "--json"]));
    assert_eq!(free["outcome"], "free");
    let (least, most) =
        (free["clearance_at_least"].as_f64().unwrap(), free["clearance_at_most"].as_f64().unwrap());
    assert!(least <= 1.0 && 1.0 <= most && most - least < 0.01, "{least} {most}");
}

#[test]
fn errors_name_the_place() {
    let error = field(&["x^2 + foo(y)", "x"]);
    assert_eq!(code(&error), 2);
    let text = String::from_utf8_lossy(&error.stderr).into_owned();
    assert!(text.contains("column 7") && text.contains("no function `foo`") && text.contains('^'), "{text}");
    let folder = Folder::new("field-errors");
    let path = folder.file("bad.vm", "_0 var-x\n_1 add _0 _2\n");
    let error = field(&[&path, "x"]);
    let text = String::from_utf8_lossy(&error.stderr).into_owned();
    assert!(text.contains("bad.vm:2: column 11") && text.contains("not defined above"), "{text}");
    let error = field(&["x", "y"]);
    assert!(String::from_utf8_lossy(&error.stderr).contains("--bounds"));
    let error = field(&["missing.vm", "y"]);
    assert!(String::from_utf8_lossy(&error.stderr).contains("missing.vm"));
}

#[test]
fn surfaces_are_written_and_compared_with_formulas() {
    let folder = Folder::new("field-surfaces");
    let mesh = folder.file("ring.obj", "");
    let drawn = field(&["torus(2, 0.5)", "--mesh", &mesh, "--mesh-cells", "40"]);
    assert_eq!(code(&drawn), 0, "{}", String::from_utf8_lossy(&drawn.stderr));
    // In the hole, nearer to the ring, and inside it.
    for (pose, expected) in [("0,0,0", 0), ("1,0,0", 0), ("2,0,0", 1)] {
        let found = field(&["sphere(0.3)", &mesh, "--pose-a", pose, "--json"]);
        assert_eq!(code(&found), expected, "{pose} {}", String::from_utf8_lossy(&found.stdout));
    }
    let found = field(&[&mesh, "sphere(0.6)", "--pose-b", "1,0,0"]);
    assert_eq!(code(&found), 1);
}
