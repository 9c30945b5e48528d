//! New bodies next to equal ones.

use crate::support::{Studio, Tab, at};
use serde_json::{Value, json};

const PART: &str = "o part\nv 0 0 0\nv 4 0 0\nv 0 3 0\nv 0 0 2\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";

/// The last body after a command that adds one.
fn last(tab: &mut Tab, command: Value) -> Value {
    tab.say(command);
    tab.wait("bodies")["bodies"].as_array().unwrap().last().unwrap().clone()
}

#[test]
fn a_part_that_is_added_twice_is_placed_beside_the_first() {
    let files = [("scene.toml", crate::support::SCENE), ("part.obj", PART)];
    let studio = Studio::start_with("placing", &files);
    let mut tab = studio.tab();
    let scale = tab.wait("hello")["scale"].as_f64().unwrap();
    let along = |from: &Value, to: &Value| [0, 1, 2].map(|k| (at(to)[k] - at(from)[k]) / scale);
    let near =
        |found: [f64; 3], x: f64| (found[0] - x).abs() < 1e-9 && found[1].abs() + found[2].abs() < 1e-9;
    let add = json!({ "do": "add_file", "file": "part.obj" });
    let parts = [0, 1, 2].map(|_| last(&mut tab, add.clone()));
    for (k, part) in parts.iter().enumerate() {
        assert!(near(along(&parts[0], part), 4.4 * k as f64), "copy {k}: {:?}", along(&parts[0], part));
    }
    let cube = json!({ "do": "add", "shape": { "kind": "box", "size": [2, 2, 2] } });
    let cubes = [0, 1].map(|_| last(&mut tab, cube.clone()));
    assert!(near(along(&cubes[0], &cubes[1]), 2.2));
    // A sphere is not hidden in the box either.
    let sphere = last(&mut tab, json!({ "do": "add", "shape": { "kind": "sphere", "radius": 0.5 } }));
    assert!(along(&cubes[0], &sphere)[0] > 0.9, "{:?}", along(&cubes[0], &sphere));
    // The places are saved.
    tab.say(json!({ "do": "save" }));
    let note = tab.wait("note")["text"].clone();
    assert_eq!(note, "Saved into scene.toml: 6 bodies added.");
    let text = std::fs::read_to_string(studio.project().join("scene.toml")).unwrap();
    let scene = noli_project::parse_scene(text.as_bytes()).unwrap();
    assert!((scene.bodies[5].pose.translation.x - 8.8).abs() < 1e-9, "{text}");
}
