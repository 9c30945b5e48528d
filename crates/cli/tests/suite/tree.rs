//! `noli tree`: every published choice by its name.

use crate::support::{Folder, exit_code, json, noli, stderr, stdout};
use noli_scenes::{TriangleSet, bumpy_sphere, cuboid, geodesic, torus};
use std::fmt::Write as _;

fn object(folder: &Folder, name: &str, set: &TriangleSet) -> String {
    let mut text = String::new();
    set.vertices.iter().for_each(|v| writeln!(text, "v {} {} {}", v.x, v.y, v.z).unwrap());
    set.triangles.iter().for_each(|t| writeln!(text, "f {} {} {}", t[0] + 1, t[1] + 1, t[2] + 1).unwrap());
    folder.file(name, &text)
}

/// The values that the help lists for a flag.
fn values(flag: &str) -> Vec<String> {
    let help = stdout(&noli(&["tree", "--help"]));
    let from = help.find(&format!("--{flag} <")).unwrap_or_else(|| panic!("no --{flag} in {help}"));
    let part = &help[from..];
    let part = &part[..part[2..].find("\n      --").map_or(part.len(), |end| end + 2)];
    let short = part.split("[possible values: ").nth(1).map(|rest| rest.split(']').next().unwrap());
    match short {
        Some(list) => list.split(", ").map(str::to_owned).collect(),
        None => {
            let lines = part.lines().filter_map(|line| line.trim().strip_prefix("- "));
            lines.map(|line| line.split([':', ' ']).next().unwrap().to_owned()).collect()
        }
    }
}

/// Every value of every choice builds a tree that is sound (the program checks) and finds the same pairs of faces.
#[test]
fn every_choice_finds_the_same_faces() {
    let folder = Folder::new("tree-choices");
    let a = object(&folder, "a.obj", &bumpy_sphere(2, 0.3));
    let b = object(&folder, "b.obj", &torus(0.9, 0.35, 8, 4));
    let meeting = |extra: &[&str]| {
        let output = noli(&[&["tree", &a, &b, "--json", "--fit", "quick"], extra].concat());
        assert_eq!(exit_code(&output), 0, "{extra:?}: {}", stderr(&output));
        json(&output)["walk"]["meeting_face_pairs"].as_u64().unwrap()
    };
    let all = meeting(&[]);
    assert!(all > 0);
    let counts = [
        ("split", 15),
        ("volume", 5),
        ("measure", 4),
        ("aggregate", 2),
        ("walk", 3),
        ("order", 3),
        ("storage", 2),
    ];
    for (flag, count) in counts {
        let values = values(flag);
        assert_eq!(values.len(), count, "{flag}: {values:?}");
        for value in values {
            assert_eq!(meeting(&[&format!("--{flag}"), &value]), all, "--{flag} {value}");
        }
    }
    for degree in ["3", "6", "16", "0.5", "0.75"] {
        assert_eq!(meeting(&["--degree", degree]), all, "--degree {degree}");
    }
    for fit in values("fit") {
        let output = noli(&["tree", &a, "--fit", &fit]);
        assert!(exit_code(&output) == 0 && stdout(&output).contains("mean quality"), "{}", stderr(&output));
    }
}

#[test]
fn double_trees_are_for_convex_bodies() {
    let folder = Folder::new("tree-double");
    let ball = object(&folder, "ball.obj", &geodesic(3));
    let cube = object(&folder, "cube.obj", &cuboid(glam::DVec3::splat(0.5)));
    for volumes in values("double") {
        let output = noli(&["tree", &ball, &cube, "--double", &volumes, "--json"]);
        assert_eq!(exit_code(&output), 0, "{volumes}: {}", stderr(&output));
        let report = json(&output);
        assert_eq!(report["walk"]["hit_by"], "inner volumes", "{volumes}");
        let levels = report["trees"][0]["levels"].as_array().unwrap();
        assert!(levels.iter().all(|l| l["inner"].as_f64() <= Some(1.0) && l["outer"].as_f64() >= Some(1.0)));
    }
    let shallow = json(&noli(&["tree", &cube, "--double", "boxes", "--depth", "1", "--json"]));
    assert_eq!(shallow["trees"][0]["levels"].as_array().unwrap().len(), 2);
    let ring = object(&folder, "ring.obj", &torus(1.0, 0.3, 12, 6));
    let output = noli(&["tree", &ring, "--double", "spheres"]);
    assert_eq!(exit_code(&output), 2);
    assert!(stderr(&output).contains("ring.obj") && stderr(&output).contains("--storage packed"));
}

#[test]
fn a_slip_of_the_pen_is_answered_with_the_nearest_value() {
    for (flag, slip, meant) in
        [("split", "gotschalk", "gottschalk"), ("volume", "sphre", "sphere"), ("walk", "hybird", "hybrid")]
    {
        let output = noli(&["tree", "part.obj", &format!("--{flag}"), slip]);
        assert_eq!(exit_code(&output), 2);
        assert!(
            stderr(&output).contains(&format!("a similar value exists: '{meant}'")),
            "{}",
            stderr(&output)
        );
    }
    let output = noli(&["tree", "part.obj", "--degree", "1"]);
    assert!(exit_code(&output) == 2 && stderr(&output).contains("from 2 to 16"), "{}", stderr(&output));
    let output = noli(&["lab", "run", "eckstein-10.3"]);
    assert!(exit_code(&output) == 2 && stderr(&output).contains("eckstein-10.1"), "{}", stderr(&output));
}
