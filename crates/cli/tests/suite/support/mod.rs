//! Running the program, and files for it to read.
#![allow(dead_code, unused_imports, reason = "each test uses some of it")]

pub(crate) mod altered;
pub(crate) mod browser;
pub(crate) mod studio;

use noli_scenes::{TriangleSet, cuboid};
pub(crate) use noli_testing::{Folder, data};
use serde_json::Value;
use std::fmt::Write as _;
use std::process::{Command, Output};

pub(crate) fn noli(arguments: &[&str]) -> Output {
    // The width is that of no terminal, whatever runs the tests.
    Command::new(crate::PROGRAM).args(arguments).env_remove("COLUMNS").output().expect("the program starts")
}

/// Runs the program as in a terminal of this width.
pub(crate) fn noli_in_columns(columns: usize, arguments: &[&str]) -> Output {
    let mut command = Command::new(crate::PROGRAM);
    command.args(arguments).env("COLUMNS", columns.to_string()).output().expect("the program starts")
}

pub(crate) fn exit_code(output: &Output) -> i32 {
    output.status.code().unwrap_or(-1)
}

pub(crate) fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The report of the program, which fits its schema.
pub(crate) fn json(output: &Output) -> Value {
    let report = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error} in {}", stdout(output)));
    crate::schema::fits(&output.stdout, &report);
    report
}

/// Cubes with half extent 1 at these places along a slanted line, an object each: `place` in x and less
/// in y and z, so that no two walls lie in one plane by accident.
pub(crate) fn cubes(places: &[f64]) -> String {
    let mut text = String::new();
    for (i, x) in places.iter().enumerate() {
        let cube = cuboid(glam::DVec3::ONE).map_vertices(|v| v + glam::dvec3(1.0, 0.25, 0.125) * *x);
        write_object(&mut text, &format!("cube{i}"), &cube, 8 * i as u32);
    }
    text
}

pub(crate) fn write_object(text: &mut String, name: &str, set: &TriangleSet, first: u32) {
    writeln!(text, "o {name}").unwrap();
    set.vertices.iter().for_each(|v| writeln!(text, "v {} {} {}", v.x, v.y, v.z).unwrap());
    for [a, b, c] in set.triangles.iter().map(|t| t.map(|v| v + first + 1)) {
        writeln!(text, "f {a} {b} {c}").unwrap();
    }
}
