//! `noli play --contact` and `--dynamics` as their users meet them.

use crate::support::{Folder, exit_code, json, noli, stderr};
use serde_json::Value;

/// Asserts the promises of every summary.
fn assert_proven(report: &Value) {
    let summary = &report["summary"];
    assert_eq!(summary["penetrations"], 0, "{summary}");
    assert!(summary["time_lost"].as_f64().unwrap() <= 1e-3, "{summary}");
    assert!(summary["contacts_most"].is_u64());
    for key in ["median", "p99", "worst"] {
        assert!(summary["frame_ms"][key].as_f64().unwrap() >= 0.0);
    }
}

#[test]
fn a_cart_slides_along_the_wall_it_is_pushed_against() {
    let folder = Folder::new("slide");
    let text = "
[[body]]
name = 'wall'
box = [1, 20, 4]
pose = { xyz = [2, 0, 0] }
[[body]]
name = 'cart'
box = [1, 1, 1]
[[motion]]
body = 'cart'
kind = 'keyframes'
keys = [{ time = 0, xyz = [0, 0, 0] }, { time = 1, xyz = [3, 4, 0] }]
";
    let scene = folder.file("cart.toml", text);
    let output = noli(&["play", &scene, "--contact", "--frames", "20", "--json"]);
    assert_eq!(exit_code(&output), 1, "{}", stderr(&output));
    let report = json(&output);
    assert_proven(&report);
    let group = &report["summary"]["groups"][0];
    let moved: Vec<f64> = group["moved"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
    assert!((moved[1] - 4.0).abs() < 1e-6 && moved[0] > 0.999 && moved[0] < 1.0, "{moved:?}");
    assert_eq!(group["reached"], false);
}

#[test]
fn a_crate_falls_and_comes_to_rest() {
    let folder = Folder::new("fall");
    let text = "
[simulation]
seconds = 1.0
[[body]]
name = 'floor'
half_space = true
[[body]]
name = 'crate'
box = [0.4, 0.3, 0.2]
pose = { xyz = [0, 0, 0.4], rpy_deg = [20, 10, 0] }
mass = 3
friction = 0.4
restitution = 0.2
";
    let scene = folder.file("crate.toml", text);
    let output = noli(&["play", &scene, "--dynamics", "--json"]);
    assert_eq!(exit_code(&output), 0, "{}", stderr(&output));
    let report = json(&output);
    assert_proven(&report);
    let last = report["frames"].as_array().unwrap().last().unwrap();
    let height = last["poses"][1][2].as_f64().unwrap();
    assert!(height > 0.0999 && height < 0.11, "{height}");
    let [before, after] = [0, 1].map(|k| report["summary"]["energy"][k].as_f64().unwrap());
    assert!(after < before);
    let again = json(&noli(&["play", &scene, "--dynamics", "--json", "--threads", "1"]));
    assert_eq!(again["frames"][59]["poses"], report["frames"][59]["poses"]);
}

#[test]
fn the_demos_keep_their_promises() {
    for (name, mode, options) in [
        ("rod", "--dynamics", ["--frames", "30"]),
        ("cradle", "--dynamics", ["--frames", "30"]),
        ("stack", "--dynamics", ["--seconds", "0.5"]),
        ("runway", "--contact", ["--frames", "50"]),
        ("bulbs", "--contact", ["--detail", "1"]),
    ] {
        let asked = ["play", "--demo", name, mode, options[0], options[1], "--json"];
        let output = noli(&asked);
        assert_eq!(exit_code(&output), 0, "{name}: {}", stderr(&output));
        assert_proven(&json(&output));
    }
}

#[test]
fn what_cannot_be_simulated_is_told() {
    let wrong = noli(&["play", "--demo", "nothing", "--contact"]);
    assert_eq!(exit_code(&wrong), 2);
    assert!(stderr(&wrong).contains("runway"), "{}", stderr(&wrong));
    let folder = Folder::new("overlapping");
    let text = "
[[body]]
name = 'a'
box = [1, 1, 1]
[[body]]
name = 'b'
box = [1, 1, 1]
pose = { xyz = [0.5, 0, 0] }
";
    let scene = folder.file("two.toml", text);
    let output = noli(&["play", &scene, "--dynamics"]);
    assert_eq!(exit_code(&output), 2);
    assert!(stderr(&output).contains("overlap at the start"), "{}", stderr(&output));
}
