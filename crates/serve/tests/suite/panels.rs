//! Parts of a database, named states and DH rows of robots, forces of simulations, records of experiments.

use crate::support::{Studio, Tab, folder};
use noli_formats::ReadOptions;
use noli_project::{SimulationOptions, SimulationSetup, Watch, simulate_dynamics};
use noli_store::Store;
use noli_testing::PATIENCE;
use serde_json::{Value, json};
use std::ops::ControlFlow;
use std::time::Instant;

const BRICK: &str = "o brick\nv 0 0 0\nv 40 0 0\nv 40 40 0\nv 0 40 0\nv 0 0 10\nv 40 0 10\nv 40 40 10\nv 0 40 10\n\
    f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";

const ARM: &str = r#"<robot name="arm">
  <link name="base"><collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>
  <link name="upper"><collision><origin xyz="0 0 0.4"/><geometry><box size="0.05 0.05 0.4"/></geometry></collision></link>
  <link name="lower"><collision><origin xyz="0 0 0.5"/><geometry><box size="0.05 0.05 0.4"/></geometry></collision></link>
  <joint name="pan" type="revolute"><parent link="base"/><child link="upper"/><origin xyz="0 0 0.1"/><axis xyz="0 0 1"/>
    <limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
  <joint name="tilt" type="revolute"><parent link="upper"/><child link="lower"/><origin xyz="0.05 0 0.5"/><axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" effort="1" velocity="1"/></joint>
</robot>"#;

const NAMED: &str = r#"<robot name="arm"><group name="all"><joint name="pan"/><joint name="tilt"/></group>
  <group_state name="aside" group="all"><joint name="pan" value="1.25"/><joint name="tilt" value="-0.5"/></group_state></robot>"#;

/// Result of a command: the next message of a kind, or what is wrong.
fn ask(tab: &mut Tab, command: Value, say: &str) -> Value {
    tab.say(command);
    loop {
        let event = tab.read().unwrap();
        if event["say"] == say || event["say"] == "trouble" {
            return event;
        }
    }
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

#[test]
fn parts_are_taken_in_looked_at_and_composed() {
    let evil = ARM.replace("<box size=\"0.1 0.1 0.1\"/>", "<mesh filename=\"../secret.stl\"/>");
    let files = [("brick.obj", BRICK), ("arm.urdf", ARM), ("evil.urdf", &evil), ("notes.txt", "none")];
    let folder = folder("parts", &files);
    Store::init(folder.join("project/parts.db")).unwrap();
    let studio = Studio::reopen(folder, "parts.db");
    let mut tab = studio.tab();
    let hello = tab.wait("hello");
    assert_eq!((&hello["is_database"], &hello["database"]), (&json!(true), &json!("parts.db")));
    let empty = ask(&mut tab, json!({ "do": "parts" }), "parts");
    assert_eq!(empty["total"], 0, "{empty}");
    assert_eq!(empty["files"], json!(["arm.urdf", "brick.obj", "evil.urdf"]));
    for file in ["brick.obj", "arm.urdf"] {
        let taken = ask(&mut tab, json!({ "do": "import_part", "file": file }), "parts");
        assert_eq!(taken["say"], "parts", "{taken}");
    }
    // Nothing outside is read, and nothing else is taken.
    for file in ["../secret.stl", "evil.urdf", "notes.txt", "/etc/passwd", "missing.obj", "parts.db"] {
        let refused = ask(&mut tab, json!({ "do": "import_part", "file": file }), "parts");
        assert_eq!(refused["say"], "trouble", "{file}: {refused}");
    }
    let brick = ask(&mut tab, json!({ "do": "part", "name": "brick" }), "part");
    assert_eq!(brick["bodies"], json!([0]), "{brick}");
    assert!(brick["values"].as_array().unwrap().contains(&json!(["triangles", "12"])), "{brick}");
    // One turns about z on the floor, the other tilts 50 mm beside and 130 above it.
    let text = r#"name = "table"
units = "mm"
[[part]]
name = "foot"
component = "brick"
[[part]]
name = "disc"
component = "brick"
[[part]]
name = "flap"
component = "brick"
[[joint]]
name = "turn"
kind = "revolute"
fixed = "foot"
moving = "disc"
pose = { xyz = [0, 0, 100] }
axis = [0, 0, 1]
range_deg = [-180, 180]
[[joint]]
name = "tilt"
kind = "revolute"
fixed = "disc"
moving = "flap"
pose = { xyz = [50, 0, 30] }
axis = [0, 1, 0]
range_deg = [-90, 90]
"#;
    let table = ask(&mut tab, json!({ "do": "compose", "text": text }), "part");
    assert_eq!(table["bodies"], json!([0, 1, 2]), "{table}");
    assert_eq!(table["dh"]["rows"][0], json!(["turn", [0.0, 130.0, 50.0, -90.0]]), "{table}");
    assert_eq!(table["dh"]["rows"][1][1], json!([0.0, 0.0, 0.0, 0.0]));
    let again = ask(&mut tab, json!({ "do": "compose", "text": text }), "part");
    assert_eq!(again["say"], "trouble", "a name is not taken twice unless that is meant");
    let found = ask(&mut tab, json!({ "do": "parts", "search": "TAB" }), "parts");
    assert_eq!(found["entries"].as_array().unwrap().len(), 1, "{found}");
    assert_eq!((&found["entries"][0]["name"], &found["total"]), (&json!("table"), &json!(3)));
    let held = ask(&mut tab, json!({ "do": "remove", "body": 0 }), "bodies");
    assert_eq!(held["say"], "trouble", "{held}");
    // A robot of its folder is taken like a mesh.
    let head = |name: &str| {
        format!(
            "POST /api/upload?name={name}&token={} HTTP/1.1\r\nHost: 127.0.0.1:{}",
            studio.token, studio.port
        )
    };
    assert_eq!(studio.ask(&head("other.urdf"), ARM.as_bytes()).0, 201);
    assert_eq!(studio.ask(&head("other.toml"), b"x").0, 400);
}

#[test]
fn changes_of_the_database_are_undone_and_done_again_in_all_tabs() {
    let folder = folder("stored-undo", &[("brick.obj", BRICK), ("arm.urdf", ARM)]);
    let database = folder.join("project/parts.db");
    Store::init(&database).unwrap();
    let studio = Studio::reopen(folder, "parts.db");
    let (mut tab, mut other) = (studio.tab(), studio.tab());
    tab.wait("hello");
    other.wait("hello");
    let names = || {
        let all = Store::open_to_read(&database).unwrap().list(None).unwrap();
        all.into_iter().map(|entry| entry.name).collect::<Vec<_>>()
    };
    for file in ["brick.obj", "arm.urdf"] {
        ask(&mut tab, json!({ "do": "import_part", "file": file }), "edits");
    }
    let both = names();
    assert!(both.contains(&"brick".to_owned()) && both.len() > 1, "{both:?}");
    let edits = ask(&mut tab, json!({ "do": "undo" }), "edits");
    assert_eq!((&edits["undo"], &edits["redo"]), (&json!("take in brick.obj"), &json!("take in arm.urdf")));
    assert_eq!(edits["unsaved"], 0, "it is on disk");
    assert_eq!(names(), ["brick"]);
    ask(&mut tab, json!({ "do": "undo" }), "edits");
    assert_eq!(names(), [""; 0]);
    while other.wait("parts")["total"] != 0 {}
    // What was told of the undo may still be on its way.
    for _ in 0..2 {
        other.say(json!({ "do": "redo" }));
    }
    while !other.wait("edits")["redo"].is_null() {}
    assert_eq!(names(), both);
    while !tab.wait("edits")["redo"].is_null() {}
    // What the command line has changed meanwhile is not broken by an undo.
    ask(&mut tab, json!({ "do": "undo" }), "edits");
    let mut store = Store::open(&database).unwrap();
    let text = "name = \"a\"\n[[part]]\nname = \"p\"\ncomponent = \"brick\"\n";
    store.compose(text, false).unwrap();
    let refused = ask(&mut tab, json!({ "do": "undo" }), "edits");
    assert_eq!(refused["say"], "trouble", "{refused}");
    assert_eq!(names(), ["brick", "a"]);
    assert_eq!(store.check().unwrap(), Vec::<String>::new());
}

#[test]
fn a_stored_part_is_put_into_a_scene_in_its_unit() {
    let scene = "units = \"cm\"\n[[body]]\nname = \"far\"\nbox = [1, 1, 1]\npose = { xyz = [50, 0, 0] }\n";
    let folder = folder("use", &[("scene.toml", scene), ("brick.obj", BRICK)]);
    let mut store = Store::init(folder.join("project/parts.db")).unwrap();
    store.import(folder.join("project/brick.obj"), &noli_store::ImportOptions::default()).unwrap();
    drop(store);
    let studio = Studio::reopen(folder, "scene.toml");
    let mut tab = studio.tab();
    assert_eq!(tab.wait("hello")["is_database"], false);
    let bodies = ask(&mut tab, json!({ "do": "use_part", "name": "brick" }), "bodies");
    let added = &bodies["bodies"][1];
    assert_eq!(added["triangles"], 12, "{bodies}");
    // 40 by 40 by 10 millimetres are 4 by 4 by 1 centimetres.
    assert_eq!(numbers(&added["middle"]), [2.0, 2.0, 0.5]);
    assert!(studio.project().join("brick-2.obj").is_file(), "no file is written over");
}

#[test]
fn an_arm_goes_to_named_states_and_tells_its_dh_rows() {
    let mut studio = Studio::start_with("states", &[("arm.urdf", ARM), ("arm.srdf", NAMED)]);
    let mut tab = studio.tab();
    let robot = &tab.wait("hello")["robot"];
    assert_eq!(robot["states"], json!([["all", "aside"]]), "{robot}");
    assert_eq!(robot["dh"]["rows"][0], json!(["pan", [0.0, 600.0, 50.0, -90.0]]), "{robot}");
    let there = ask(&mut tab, json!({ "do": "state", "group": "all", "name": "aside", "seq": 1 }), "jogged");
    assert_eq!(numbers(&there["values"]), [1.25, -0.5], "{there}");
    let none = ask(&mut tab, json!({ "do": "state", "group": "all", "name": "up", "seq": 2 }), "jogged");
    assert_eq!(none["say"], "trouble", "{none}");
    studio.end();
}

const FALL: &str = r#"units = "m"
[[body]]
name = "floor"
box = [4, 4, 1]
pose = { xyz = [0, 0, -0.5] }
fixed = true
[[body]]
name = "brick"
box = [0.4, 0.3, 0.2]
pose = { xyz = [0, 0, 0.2] }
restitution = 0
[simulation]
seconds = 0.6
"#;

#[test]
fn forces_of_a_recording_are_arrows() {
    let folder = folder("forces", &[("fall.toml", FALL)]);
    let loaded = noli_project::load_scene(folder.join("project/fall.toml"), &ReadOptions::default()).unwrap();
    let setup = SimulationSetup::of_scene("fall", &loaded).unwrap();
    let watch = Watch { clock: &|| 0.0, frame: &|_| ControlFlow::Continue(()) };
    let report = simulate_dynamics(&setup, &SimulationOptions::default(), &watch).unwrap();
    std::fs::write(folder.join("project/fall.json"), serde_json::to_string(&report).unwrap()).unwrap();
    std::fs::write(folder.join("project/other.json"), "{}").unwrap();
    let studio = Studio::reopen(folder, "fall.toml");
    let mut tab = studio.tab();
    let hello = tab.wait("hello");
    let plays: Vec<&str> =
        hello["plays"].as_array().unwrap().iter().map(|play| play["name"].as_str().unwrap()).collect();
    assert_eq!(plays, ["dynamics", "recording fall.json"]);
    let recorded = ask(&mut tab, json!({ "do": "recording", "file": "fall.json" }), "track");
    let forces = recorded["forces"].as_array().unwrap();
    let all: usize = report.frames.iter().map(|frame| frame.forces.len()).sum();
    assert!(!forces.is_empty() && forces.len() <= all, "{} of {all}", forces.len());
    let arrow = |force: &Value| {
        let [from, to] = [numbers(&force[1]), numbers(&force[2])];
        [0, 1, 2].map(|k| to[k] - from[k])
    };
    let length = |[x, y, z]: [f64; 3]| (x * x + y * y + z * z).sqrt();
    let longest = forces.iter().map(|force| length(arrow(force))).fold(0.0, f64::max);
    assert!((longest - 15.0).abs() < 1e-3, "{longest}");
    // What bears the brick at the end is upright as a whole, whatever friction does between the vertices.
    let last = &forces.last().unwrap()[0];
    let at_end = forces.iter().filter(|force| force[0] == *last).map(arrow);
    let [x, y, z] = at_end.fold([0.0; 3], |sum, one| [0, 1, 2].map(|k| sum[k] + one[k]));
    assert!(z.abs() > 20.0 * x.hypot(y), "{x} {y} {z}");
    // The same, simulated here.
    let now = ask(&mut tab, json!({ "do": "simulate", "dynamics": true }), "track");
    assert_eq!((&now["forces"], &now["poses"]), (&recorded["forces"], &recorded["poses"]));
    for file in ["other.json", "../secret.stl", "none.json"] {
        let refused = ask(&mut tab, json!({ "do": "recording", "file": file }), "track");
        assert_eq!(refused["say"], "trouble", "{refused}");
    }
}

#[test]
fn a_long_simulation_can_be_stopped() {
    let long = FALL.replace("seconds = 0.6", "seconds = 30000.0");
    let studio = Studio::reopen(folder("stopped", &[("fall.toml", &long)]), "fall.toml");
    let mut tab = studio.tab();
    tab.wait("hello");
    tab.say(json!({ "do": "simulate", "dynamics": true }));
    while tab.wait("task")["text"] != "Simulating" {}
    let cancelled = Instant::now();
    tab.say(json!({ "do": "cancel" }));
    while tab.wait("note")["text"] != "Stopped." {}
    assert!(cancelled.elapsed() < PATIENCE / 10, "stopped after {:?}", cancelled.elapsed());
    // Nothing of the simulation is left: the next command has its own answer first.
    tab.say(json!({ "do": "margin", "value": 0.125 }));
    loop {
        let event = tab.read().unwrap();
        assert_ne!(event["say"], "track", "{event}");
        if event["say"] == "rules" {
            assert_eq!(event["margin"], 0.125);
            break;
        }
    }
}

/// Masses, pairs and tools of the database are edited from the page, kept on disk and undone.
#[test]
fn masses_pairs_and_tools_of_the_database_are_edited_and_undone() {
    let folder = folder("stored-edits", &[("brick.obj", BRICK), ("arm.urdf", ARM)]);
    let database = folder.join("project/parts.db");
    let mut store = Store::init(&database).unwrap();
    for file in ["brick.obj", "arm.urdf"] {
        store.import(folder.join("project").join(file), &noli_store::ImportOptions::default()).unwrap();
    }
    drop(store);
    let studio = Studio::reopen(folder, "parts.db");
    let mut tab = studio.tab();
    tab.wait("hello");
    let opened = || Store::open_to_read(&database).unwrap();
    let pair = |store: &Store| {
        let values = store.show("arm").unwrap().values;
        values.into_iter().filter(|(key, _)| key == "pair").map(|(_, text)| text).collect::<Vec<_>>()
    };
    let defaults = pair(&opened());
    let part =
        ask(&mut tab, json!({ "do": "stored_mass", "name": "brick", "density": 2700, "mass": 0.5 }), "part");
    assert_eq!(part["name"], "brick", "{part}");
    let brick = opened().component("brick").unwrap();
    assert_eq!((brick.density, brick.mass), (Some(2700.0), Some(0.5)));
    let command = json!({ "do": "stored_pair", "name": "arm", "links": ["lower", "base"], "on": false, "reason": "by design" });
    assert_eq!(ask(&mut tab, command, "part")["name"], "arm");
    assert!(
        pair(&opened()).contains(&"base - lower: disabled, by design".to_owned()),
        "{:?}",
        pair(&opened())
    );
    let tool = json!({ "do": "stored_tool", "name": "hand", "component": "brick", "xyz": [0, 0, 0.135], "quaternion": [0, 0, 0, 1] });
    assert_eq!(ask(&mut tab, tool, "part")["kind"], "tool");
    let hand = opened().tool("hand").unwrap();
    assert_eq!((hand.component.as_deref(), hand.flange_from_tool.translation.z), (Some("brick"), 0.135));
    // Each is refused with a reason where it names nothing, or no number that can be.
    for wrong in [
        json!({ "do": "stored_mass", "name": "brick", "density": -1, "mass": null }),
        json!({ "do": "stored_pair", "name": "arm", "links": ["lower", "nothing"], "on": true }),
        json!({ "do": "stored_tool", "name": " ", "component": null, "xyz": [0, 0, 0], "quaternion": [0, 0, 0, 1] }),
        json!({ "do": "stored_tool", "name": "odd", "component": "none", "xyz": [0, 0, 0], "quaternion": [0, 0, 0, 1] }),
    ] {
        assert_eq!(ask(&mut tab, wrong, "part")["say"], "trouble");
    }
    for left in ["tool", "pair", "mass"] {
        ask(&mut tab, json!({ "do": "undo" }), "parts");
        assert!(opened().tool("hand").is_err(), "after the undo of the {left}");
    }
    assert_eq!((pair(&opened()), opened().component("brick").unwrap().mass), (defaults, None));
}
