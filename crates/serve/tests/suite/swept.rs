//! Swept volumes: computed, shown in all tabs, exported, added as bodies.

use crate::cells::{CELL, PROGRAM};
use crate::support::{Studio, Tab, at};
use serde_json::{Value, json};

/// The next answer to a sweep.
fn answer(tab: &mut Tab) -> Value {
    loop {
        let event = tab.read().expect("an answer");
        if ["swept", "trouble"].contains(&event["say"].as_str().unwrap_or_default()) {
            return event;
        }
    }
}

fn volume(swept: &Value) -> [f64; 2] {
    [0, 1].map(|k| swept["swept"]["volume"][k].as_f64().unwrap())
}

/// A sphere of radius 5 by 40 along y: a capsule.
#[test]
fn a_path_is_swept_exported_and_added() {
    let mut studio = Studio::start("swept");
    let mut tab = studio.tab();
    let hello = tab.wait("hello");
    assert_eq!(hello["swept"], Value::Null);
    let (start, scale) = (at(&hello["bodies"][1]), hello["scale"].as_f64().unwrap());
    let place = |y: f64| json!([start[0], start[1] + y * scale, start[2], 0, 0, 0, 1]);
    let path = json!([place(0.0), place(40.0)]);
    tab.say(json!({ "do": "sweep", "body": 1, "path": path, "error": 2 }));
    let swept = answer(&mut tab);
    let ([low, high], true_volume) =
        (volume(&swept), std::f64::consts::PI * (25.0 * 40.0 + 4.0 / 3.0 * 125.0));
    assert!(low <= true_volume && true_volume <= high, "{swept}");
    assert_eq!((&swept["swept"]["title"], &swept["swept"]["error"]), (&"sphere".into(), &2.0.into()));
    let mut other = studio.tab();
    assert_eq!(other.wait("hello")["swept"], swept["swept"], "later tabs show it too");
    // No vertex is nearer than the capsule, none farther than the error.
    let (status, text) = studio.own("/api/export/swept.obj");
    assert_eq!(status, 200, "{text}");
    let vertices: Vec<[f64; 3]> = text
        .lines()
        .filter_map(|line| line.strip_prefix("v "))
        .map(|line| {
            let numbers: Vec<f64> = line.split_whitespace().map(|x| x.parse().unwrap()).collect();
            [numbers[0], numbers[1], numbers[2]]
        })
        .collect();
    assert!(vertices.len() > 100);
    for [x, y, z] in vertices {
        let far = (x * x + (y - y.clamp(0.0, 40.0)).powi(2) + z * z).sqrt();
        assert!(far > 5.0 && far <= 7.0, "{far}");
    }
    for (file, wanted) in [("swept.stl", 200), ("swept.glb", 200), ("swept.step", 404)] {
        assert_eq!(studio.own(&format!("/api/export/{file}")).0, wanted, "{file}");
    }
    assert!(studio.own("/api/swept").0 == 200 && studio.get("/api/swept", "").0 == 401);
    // As a body it is where it was, and its pair with the sphere is disabled.
    tab.say(json!({ "do": "add_swept" }));
    let bodies = tab.wait("bodies")["bodies"].clone();
    assert_eq!((bodies.as_array().unwrap().len(), &bodies[3]["name"]), (4, &"swept_sphere".into()));
    assert_eq!(bodies[3]["kind"], "solid");
    assert_eq!(answer(&mut tab)["swept"], Value::Null);
    let results = tab.wait("results");
    assert!(results["pairs"].as_array().unwrap().iter().all(|pair| pair["hit"] == false), "{results}");
    tab.say(json!({ "do": "undo" }));
    tab.say(json!({ "do": "undo" }));
    assert_eq!(tab.wait("bodies")["bodies"][3]["gone"], true);
    assert_eq!(studio.own("/api/export/swept.obj").0, 409, "nothing is shown any more");
    // A kept path by its name.
    tab.say(json!({ "do": "keep_path", "name": "up", "body": 1, "path": path }));
    tab.say(json!({ "do": "sweep", "name": "up" }));
    assert_eq!(answer(&mut tab)["swept"]["title"], "up");
    tab.say(json!({ "do": "forget_swept" }));
    assert_eq!(answer(&mut tab)["swept"], Value::Null);
    for (command, text) in [
        (json!({ "do": "sweep", "body": 1, "path": path, "error": -1 }), "error"),
        (json!({ "do": "sweep", "body": 1, "path": [place(0.0)] }), "invalid path"),
        (json!({ "do": "sweep", "body": 9, "path": path }), "no body 9"),
        (json!({ "do": "sweep", "name": "down" }), "no path down"),
        (json!({ "do": "sweep", "name": "motions" }), "nothing moves"),
        (json!({ "do": "sweep" }), "nothing moves"),
        (json!({ "do": "sweep", "body": 1, "path": path, "error": 1e-9 }), "give one from"),
        (json!({ "do": "add_swept" }), "no swept volume"),
    ] {
        tab.say(command.clone());
        let trouble = answer(&mut tab);
        assert!(trouble["text"].as_str().is_some_and(|found| found.contains(text)), "{command}: {trouble}");
    }
    // Long work ends when it is cancelled.
    tab.say(json!({ "do": "sweep", "body": 1, "path": path, "error": 0.04 }));
    tab.wait("task");
    tab.say(json!({ "do": "cancel" }));
    while tab.wait("note")["text"] != "Stopped." {}
    studio.end();
}

#[test]
fn a_program_is_swept_and_becomes_an_obstacle() {
    let studio = Studio::start_with("swept-cell", &[("cell.toml", CELL), ("way.val", PROGRAM)]);
    let mut tab = studio.tab();
    tab.wait("hello");
    tab.say(json!({ "do": "sweep", "error": 0.1 }));
    let swept = answer(&mut tab);
    let [low, high] = volume(&swept);
    assert!(low < high && 0.02 < high && high < 2.0, "cubic metres: {swept}");
    tab.say(json!({ "do": "add_swept" }));
    assert_eq!(answer(&mut tab)["swept"], Value::Null);
    let robot = tab.wait("hello")["robot"].clone();
    let pairs = robot["off"].as_array().unwrap();
    let disabled = |link: &str| {
        let is_own =
            |pair: &&Value| pair[2] == "sweeps this volume" && [&pair[0], &pair[1]].contains(&&json!(link));
        pairs.iter().find(is_own).is_some()
    };
    assert!(disabled("link6") && !disabled("table"), "{robot}");
    tab.say(json!({ "do": "save" }));
    tab.wait("note");
    let text = std::fs::read_to_string(studio.project().join("cell.toml")).unwrap();
    assert!(text.contains("swept_the_program.obj"), "{text}");
}
