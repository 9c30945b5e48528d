//! Ways out, as scripts ask for them.

use crate::support::{Folder, exit_code, noli, stderr};
use serde_json::Value;

fn json(arguments: &[&str]) -> (i32, Value) {
    let output = noli(arguments);
    (exit_code(&output), crate::support::json(&output))
}

fn names(value: &Value) -> Vec<&str> {
    value.as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect()
}

#[test]
fn a_bulb_comes_out_once_its_cover_is_off() {
    let (code, path) = json(&[
        "remove",
        "--demo",
        "headlight.bulb",
        "--without",
        "headlight.cover",
        "--detail",
        "1",
        "--json",
    ]);
    assert_eq!(code, 0, "{path}");
    assert_eq!((&path["found"], &path["proven"]), (&Value::Bool(true), &Value::Bool(true)));
    assert!(
        path["length"].as_f64().unwrap() > 100.0 && path["clearance"]["at_least"].as_f64().unwrap() > 0.1,
        "{path}"
    );
    assert!(path["poses"].as_array().unwrap().len() >= 2 && names(&path["blocked_by"]).is_empty());

    let (code, shut) = json(&["remove", "--demo", "headlight.bulb", "--detail", "1", "--json"]);
    assert_eq!(code, 1, "{shut}");
    assert_eq!((&shut["found"], &shut["proven"]), (&Value::Bool(false), &Value::Bool(true)));
    assert!(names(&shut["blocked_by"]).contains(&"headlight.cover"), "{shut}");
    assert!(shut["poses"].as_array().unwrap().is_empty() && shut["clearance"].is_null());
}

const TRAY: &str = r#"
units = "mm"
[[body]]
name = "tray"
box = [100, 60, 4]
[[body]]
name = "block"
box = [20, 20, 20]
pose = { xyz = [0, 0, 12] }
[[body]]
name = "lid"
box = [100, 60, 4]
pose = { xyz = [0, 0, 26] }
[[body]]
name = "floor"
half_space = true
pose = { xyz = [0, 0, -2] }

[[removal]]
name = "first"
part = "lid"
[[removal]]
name = "second"
part = "block"
after = ["first"]
kind = "straight"
to = { xyz = [0, 0, 60] }
"#;

/// The block rests on the tray, the tray on a floor without end.
#[test]
fn what_rests_on_something_slides_off() {
    let folder = Folder::new("tray");
    let scene = folder.file("tray.toml", TRAY);
    let (code, path) = json(&["remove", &scene, "block", "--json"]);
    assert_eq!((code, &path["starts_in_contact"]), (0, &Value::Bool(true)), "{path}");
    assert_eq!(path["clearance"]["at_least"], 0.0);
    let last = path["poses"].as_array().unwrap().last().unwrap().clone();
    let out = [0, 1].map(|k| last[k].as_f64().unwrap().abs());
    assert!(out[0] > 60.0 || out[1] > 40.0, "{path}");

    let output = noli(&["remove", &scene, "blok"]);
    assert_eq!(exit_code(&output), 2);
    assert!(stderr(&output).contains("block"));
}

#[test]
fn a_scene_lists_its_removals() {
    let folder = Folder::new("study");
    let scene = folder.file("tray.toml", TRAY);
    let (code, study) = json(&["study", &scene, "--json"]);
    assert_eq!(code, 0, "{study}");
    let removals = study["removals"].as_array().unwrap();
    assert_eq!(removals.iter().map(|r| r["name"].as_str().unwrap()).collect::<Vec<_>>(), ["first", "second"]);
    assert!(removals.iter().all(|r| r["proven"] == true && r["insertion_proven"] == true), "{study}");
    assert_eq!(removals[1]["without"][0], "lid");
    let modes = removals[0]["modes"].as_array().unwrap();
    assert!(modes.len() == 4 && modes.iter().all(|mode| mode["free"] == true), "{study}");
    // With the lid on, the same way is blocked by it.
    let hasty = folder.file("hasty.toml", TRAY.replace("after = [\"first\"]\n", ""));
    let (code, study) = json(&["study", &hasty, "--json"]);
    assert_eq!((code, &study["removals"][1]["blocked_by"][0]), (1, &Value::from("lid")), "{study}");
}

#[test]
fn an_assembly_is_taken_apart_in_order() {
    let folder = Folder::new("separated");
    let scene = folder.file("tray.toml", TRAY.split("[[removal]]").next().unwrap());
    let (code, separated) = json(&["study", &scene, "--disassemble", "--json"]);
    assert_eq!((code, &separated["complete"]), (0, &Value::Bool(true)), "{separated}");
    assert_eq!(separated["steps"].as_array().unwrap().len(), 2, "{separated}");
    let (_, locked) = json(&["study", "--demo", "linked-tori", "--disassemble", "--json"]);
    assert_eq!(locked["locked"][0]["pair"], serde_json::json!(["left", "right"]), "{locked}");
}

#[test]
fn an_arm_goes_between_the_locations_of_a_cell() {
    let folder = Folder::new("plan-in-cell");
    let magazine = noli_scenes::cells().iter().find(|cell| cell.name == "magazine").unwrap();
    let cell = folder.file("cell.toml", magazine.text());
    let (code, path) = json(&["robot", "plan", &cell, "--from", "start", "--to", "seguranca", "--json"]);
    assert_eq!(code, 0, "{path}");
    assert_eq!((&path["found"], &path["proven"]), (&Value::Bool(true), &Value::Bool(true)));
    let joints = path["joints"].as_array().unwrap().len();
    let paths = path["configurations"].as_array().unwrap();
    assert!(
        paths.len() >= 2 && paths.iter().all(|values| values.as_array().unwrap().len() == joints),
        "{path}"
    );
    // The same there by joints, from the end of what was found.
    let last: Vec<String> = paths.last().unwrap().as_array().unwrap().iter().map(Value::to_string).collect();
    let (code, back) = json(&["robot", "plan", &cell, "--from", &last.join(","), "--to", "start", "--json"]);
    assert_eq!((code, &back["proven"]), (0, &Value::Bool(true)), "{back}");
    let output = noli(&["robot", "plan", &cell, "--from", "start", "--to", "nowhere"]);
    assert_eq!(exit_code(&output), 2);
    assert!(stderr(&output).contains("SEGURANCA"), "{}", stderr(&output));
}
