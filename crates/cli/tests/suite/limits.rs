//! Limits on time, memory and numbers: small inputs that take long work end with a sound answer.

use crate::support::{Folder, cubes, exit_code, json, noli, stderr, stdout};
use std::fmt::Write as _;

/// The same triangle, many times.
fn equal_triangles(count: usize) -> String {
    let mut text = "v 0 0 0\nv 1 0 0\nv 0 1 0\n".to_owned();
    (0..count).for_each(|_| text.push_str("f 1 2 3\n"));
    text
}

/// Triangles that all contain one segment of the z axis.
fn star(count: u32) -> String {
    let mut text = String::new();
    for k in 0..count {
        let (y, x) = (3.0 * f64::from(k) / f64::from(count)).sin_cos();
        let _ = writeln!(text, "v {} {} 0\nv {x} {y} 1\nv {x} {y} -1", -x, -y);
    }
    for k in 0..count {
        let _ = writeln!(text, "f {} {} {}", 3 * k + 1, 3 * k + 2, 3 * k + 3);
    }
    text
}

#[test]
fn equal_triangles_are_counted_all() {
    let folder = Folder::new("equal-triangles");
    let file = folder.file("equal.obj", equal_triangles(20_000));
    let output = noli(&["check", &file, "--json"]);
    assert_eq!(exit_code(&output), 1, "{}", stderr(&output));
    let report = json(&output);
    assert_eq!(report["self_touches"], 20_000u64 * 19_999 / 2);
}

#[test]
fn a_star_of_slivers_is_counted_up_to_a_number() {
    let folder = Folder::new("star");
    let file = folder.file("star.obj", star(600));
    let output = noli(&["check", &file]);
    assert_eq!(exit_code(&output), 1, "{}", stderr(&output));
    assert!(stdout(&output).contains("at least 100000"), "{}", stdout(&output));
}

#[test]
fn a_check_without_time_or_memory_is_undecided() {
    let folder = Folder::new("limits");
    let file = folder.file("two.obj", cubes(&[0.0, 1.0]));
    for (option, value) in [("--time", "0s"), ("--memory", "1kB")] {
        let output = noli(&["check", &file, option, value]);
        assert_eq!(exit_code(&output), 3, "{option}: {} {}", stdout(&output), stderr(&output));
        assert!(stderr(&output).contains(&format!("{option} was reached")), "{}", stderr(&output));
    }
    let output = noli(&["check", &file, "--time", "60s", "--memory", "4GB"]);
    assert_eq!(exit_code(&output), 1, "{} {}", stdout(&output), stderr(&output));
    for wrong in ["2", "0GB", "many"] {
        assert_eq!(exit_code(&noli(&["check", &file, "--memory", wrong])), 2, "{wrong}");
    }
}

#[test]
fn a_long_formula_counts_against_its_budget() {
    let long = vec!["x"; 10_000].join("+");
    let output =
        noli(&["field", &long, "x^2 + y^2 + z^2 <= 1", "--pose-b", "2,0,0", "--budget", "100", "--json"]);
    assert_eq!(exit_code(&output), 0, "{} {}", stdout(&output), stderr(&output));
    assert!(json(&output)["steps"].as_u64().is_some_and(|steps| steps <= 100), "{}", stdout(&output));
}
