//! Cells built in the page: a URDF file saved as a cell, bodies and robots added, placed and removed, pairs changed.

use crate::support::{Studio, Tab, at};
use serde_json::{Value, json};

/// A column, and two links that reach 0.9 m from its axis.
const ARM: &str = r#"<robot name="arm">
<link name="column"><collision><origin xyz="0 0 0.15"/><geometry><box size="0.1 0.1 0.3"/></geometry></collision></link>
<link name="upper"><collision><origin xyz="0.25 0 0"/><geometry><box size="0.5 0.06 0.06"/></geometry></collision></link>
<link name="fore"><collision><origin xyz="0.2 0 0"/><geometry><box size="0.4 0.06 0.06"/></geometry></collision></link>
<joint name="turn" type="revolute"><parent link="column"/><child link="upper"/><origin xyz="0 0 0.4"/><axis xyz="0 0 1"/>
<limit lower="-3" upper="3" velocity="1" effort="1"/></joint>
<joint name="bend" type="revolute"><parent link="upper"/><child link="fore"/><origin xyz="0.5 0 0"/><axis xyz="0 1 0"/>
<limit lower="-2" upper="2" velocity="1" effort="1"/></joint></robot>"#;

const PROGRAM: &str = "PROGRAM way\n    MOVE via\nRETURN\n";

fn open(name: &str) -> (Studio, Tab, Value) {
    let studio = Studio::start_with(name, &[("arm.urdf", ARM)]);
    let mut tab = studio.tab();
    let hello = tab.wait("hello");
    (studio, tab, hello)
}

/// Makes a change and returns the state of the cell after it.
fn change(tab: &mut Tab, command: Value) -> Value {
    tab.say(command);
    tab.wait("hello")
}

fn refused(tab: &mut Tab, command: Value) -> String {
    tab.say(command);
    tab.wait("trouble")["text"].as_str().unwrap().to_owned()
}

fn number(hello: &Value, name: &str) -> usize {
    let bodies = hello["bodies"].as_array().unwrap();
    bodies.iter().position(|body| body["name"] == name).unwrap_or_else(|| panic!("no {name}"))
}

fn place(hello: &Value, name: &str, xyz: [f64; 3]) -> Value {
    json!({ "do": "place", "body": number(hello, name), "xyz": xyz, "quaternion": [0, 0, 0, 1] })
}

/// Everything that a cell file has to keep.
fn verdicts(hello: &Value) -> Value {
    let names = |pair: &Value| {
        let mut names =
            ["a", "b"].map(|side| hello["bodies"][pair[side].as_u64().unwrap() as usize]["name"].clone());
        names.sort_by_key(Value::to_string);
        json!([names, pair["relation"]])
    };
    let pairs: Vec<Value> = hello["results"]["pairs"].as_array().unwrap().iter().map(names).collect();
    let robot = &hello["robot"];
    let locations: Vec<&Value> =
        robot["locations"].as_array().unwrap().iter().map(|it| &it["name"]).collect();
    // Positions in metres; the page has its own scale and origin.
    let number = |value: &Value| value.as_f64().unwrap();
    let scale = number(&hello["scale"]);
    let place = |body: &Value| {
        let at = [0, 1, 2].map(|k| number(&body["at"][k]) / scale + number(&hello["middle"][k]));
        json!([body["name"], at.map(|x| (x * 1e6).round() + 0.0), body["turn"]])
    };
    let places: Vec<Value> = hello["bodies"].as_array().unwrap().iter().map(place).collect();
    let said = ["off", "asked", "margin", "joints", "program", "robots", "tool_at"].map(|key| &robot[key]);
    json!([hello["results"]["outcome"], pairs, said, locations, places])
}

fn verdict_of_run(tab: &mut Tab) -> Value {
    tab.say(json!({ "do": "run" }));
    loop {
        let event = tab.read().unwrap();
        match event["say"].as_str() {
            Some("track") => return json!([event["free"], event["verdict"]]),
            Some("trouble") => return event,
            _ => {}
        }
    }
}

#[test]
fn a_urdf_file_is_saved_as_a_cell_with_the_same_verdicts() {
    let (mut studio, mut tab, hello) = open("urdf");
    assert_eq!((&hello["can_save"], &hello["save_as"]), (&json!(false), &json!("arm.toml")));
    assert!(hello["title"].as_str().unwrap().ends_with("arm.urdf"), "{}", hello["title"]);
    let hello = change(&mut tab, json!({ "do": "add", "shape": { "kind": "box", "size": [0.2, 0.2, 0.2] } }));
    // The fore arm at rest passes through the box; the column is in the air.
    change(&mut tab, place(&hello, "box", [0.8, 0.0, 0.45]));
    let base =
        json!({ "do": "place_robot", "robot": 0, "xyz": [0, 0, 0.05], "quaternion": [0, 0, 0.6, 0.8] });
    change(&mut tab, base);
    let hello = change(&mut tab, json!({ "do": "undo" }));
    assert_eq!(hello["robot"]["robots"][0]["xyz"], json!([0.0, 0.0, 0.0]));
    let hello = change(&mut tab, json!({ "do": "redo" }));
    assert_eq!(hello["robot"]["robots"][0]["xyz"], json!([0.0, 0.0, 0.05]));
    let level = json!({ "do": "place_robot", "robot": 0, "xyz": [0, 0, 0.05], "quaternion": [0, 0, 0, 1] });
    let hello = change(&mut tab, level);
    assert_eq!(hello["results"]["pairs"].as_array().unwrap().len(), 1, "{}", hello["results"]);
    let pair =
        json!({ "do": "cell_pair", "a": "fore", "b": "column", "on": false, "reason": "never \"near\"" });
    let hello = change(&mut tab, pair);
    let off = hello["robot"]["off"].as_array().unwrap().iter().map(|pair| pair[2].as_str().unwrap());
    assert!(off.into_iter().any(|why| why == "never \"near\""), "{}", hello["robot"]["off"]);
    change(&mut tab, json!({ "do": "margin", "value": 0.002 }));
    tab.say(json!({ "do": "jog", "values": [0.5, 0.25], "seq": 1 }));
    tab.wait("jogged");
    tab.say(json!({ "do": "teach", "name": "via" }));
    tab.wait("robot");
    tab.say(json!({ "do": "program", "text": PROGRAM }));
    tab.wait("program");
    tab.say(json!({ "do": "jog", "values": [-0.7, 0.125], "seq": 2 }));
    tab.wait("jogged");
    for name in ["../line.toml", "line.sh", "arm.urdf", ".toml", "a/b.toml", ""] {
        let text = refused(&mut tab, json!({ "do": "save_as", "file": name }));
        assert!(text.contains("invalid file name"), "{name}: {text}");
    }
    tab.say(json!({ "do": "save_as", "file": "line.toml" }));
    assert_eq!(tab.wait("note")["text"], "Saved as line.toml.");
    let saved = tab.wait("hello");
    assert_eq!((&saved["can_save"], &saved["edits"]["unsaved"]), (&json!(true), &json!(0)));
    assert!(refused(&mut tab, json!({ "do": "save_as", "file": "line.toml" })).contains("already"));
    let ran = verdict_of_run(&mut tab);
    studio.end();
    let read = |file: &str| std::fs::read_to_string(studio.project().join(file)).unwrap();
    assert_eq!(read("line.val"), PROGRAM);
    assert!(!studio.project().join("studio.jsonl").exists(), "{}", read("line.toml"));
    let again = Studio::reopen(studio.folder.clone(), "line.toml");
    let mut tab = again.tab();
    assert_eq!(verdicts(&tab.wait("hello")), verdicts(&saved), "{}", read("line.toml"));
    assert_eq!(verdict_of_run(&mut tab), ran);
    // Further changes go into the same file, which keeps what the studio does not know.
    std::fs::write(studio.project().join("line.toml"), format!("# ours\n{}", read("line.toml"))).unwrap();
    tab.say(json!({ "do": "teach", "name": "other" }));
    tab.wait("robot");
    tab.say(json!({ "do": "save" }));
    while tab.wait("note")["text"] != "Saved into line.toml." {}
    assert!(read("line.toml").starts_with("# ours") && read("line.toml").contains("\"other\""));
}

/// Drags a body by a step along x, in metres, and returns the answer.
fn drag(tab: &mut Tab, hello: &Value, name: &str, metres: f64) -> Value {
    let body = &hello["bodies"][number(hello, name)];
    let mut to = at(body);
    to[0] += metres * hello["scale"].as_f64().unwrap();
    let body = (number(hello, name), &body["turn"]);
    tab.pull(&json!({ "do": "drag", "body": body.0, "seq": 1, "at": to, "turn": body.1, "mode": "stop" }))
}

/// The x of a body, in micrometres.
fn micrometres(hello: &Value, name: &str, event: &Value) -> f64 {
    let scale = hello["scale"].as_f64().unwrap();
    let event = if event["at"].is_array() { event } else { &event["bodies"][number(event, name)] };
    (1e6 * (at(event)[0] / scale + hello["middle"][0].as_f64().unwrap())).round()
}

#[test]
fn bodies_of_a_cell_are_dragged_up_to_the_arm_and_to_each_other() {
    let (mut studio, mut tab, _) = open("drag");
    let add = |size: f64| json!({ "do": "add", "shape": { "kind": "box", "size": [size, size, size] } });
    change(&mut tab, add(0.2));
    let hello = change(&mut tab, add(0.1));
    // The fore arm ends at x = 0.9 and z = 0.4.
    change(&mut tab, place(&hello, "box", [1.5, 0.0, 0.4]));
    let hello = change(&mut tab, place(&hello, "box-2", [1.8, 0.0, 0.4]));
    let stopped = drag(&mut tab, &hello, "box", -1.0);
    let arm = number(&hello, "fore");
    assert_eq!(stopped["stopped"]["by"], arm, "{stopped}");
    let x = micrometres(&hello, "box", &stopped);
    assert!((1_000_000.0..1_000_100.0).contains(&x), "it stops before the arm: {stopped}");
    // Dropped, it is a change of the cell's text like any other.
    let dropped = change(&mut tab, json!({ "do": "drop", "body": number(&hello, "box") }));
    assert_eq!(dropped["edits"]["undo"], "move box");
    assert_eq!(micrometres(&dropped, "box", &dropped), x);
    assert_eq!(dropped["results"]["pairs"], json!([]), "it touches nothing");
    let undone = change(&mut tab, json!({ "do": "undo" }));
    assert_eq!(micrometres(&undone, "box", &undone), 1_500_000.0);
    let redone = change(&mut tab, json!({ "do": "redo" }));
    assert_eq!(verdicts(&redone), verdicts(&dropped));
    // Two bodies that stand still have no pair in the cell, and stop each other all the same.
    let stopped = drag(&mut tab, &redone, "box-2", -1.0);
    assert_eq!(stopped["stopped"]["by"], number(&redone, "box"), "{stopped}");
    let dropped = change(&mut tab, json!({ "do": "drop", "body": number(&redone, "box-2") }));
    // A disabled pair does not stop it; a link has no place of its own.
    let pair = json!({ "do": "cell_pair", "a": "fore", "b": "box", "on": false, "reason": "it is gripped" });
    let hello = change(&mut tab, pair);
    let moved = drag(&mut tab, &hello, "box", -0.1);
    assert_eq!(moved["stopped"], Value::Null, "{moved}");
    let hello = change(&mut tab, json!({ "do": "drop", "body": number(&hello, "box") }));
    assert!(micrometres(&hello, "box", &hello) < x - 99_000.0);
    let refusal = drag(&mut tab, &hello, "fore", 0.1);
    assert!(refusal["text"].as_str().unwrap().contains("no entry of its own"), "{refusal}");
    assert_ne!(verdicts(&hello), verdicts(&dropped));
    studio.end();
    let again = Studio::reopen(studio.folder.clone(), "arm.urdf");
    assert_eq!(verdicts(&again.tab().wait("hello")), verdicts(&hello), "the journal has the drags");
}

#[test]
fn robots_and_bodies_are_added_and_removed_and_a_killed_server_loses_nothing() {
    let cube = {
        let mut text = String::new();
        for (x, y, z) in
            [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]
        {
            text += &format!("v {} {} {}\n", x * 100, y * 100, z * 100);
        }
        for face in ["1 4 3 2", "5 6 7 8", "1 2 6 5", "2 3 7 6", "3 4 8 7", "4 1 5 8"] {
            text += &format!("f {face}\n");
        }
        text
    };
    let studio = Studio::start_with("robots", &[("arm.urdf", ARM), ("cube.obj", &cube)]);
    let mut tab = studio.tab();
    let hello = tab.wait("hello");
    assert_eq!(hello["robot"]["descriptions"], json!(["arm.urdf"]));
    let shapes = hello["shapes"].as_u64().unwrap();
    let hello = change(&mut tab, json!({ "do": "add_robot", "description": "arm.urdf" }));
    assert_eq!(hello["robot"]["robots"].as_array().unwrap().len(), 2);
    assert_eq!(hello["shapes"].as_u64().unwrap(), shapes, "it looks like the first");
    number(&hello, "arm/fore");
    // A mesh in millimetres, onto which the second arm is placed.
    let hello = change(&mut tab, json!({ "do": "add_file", "file": "cube.obj", "units": "mm" }));
    let hello = change(&mut tab, place(&hello, "cube", [1.45, 1.0, 0.35]));
    assert_eq!(hello["results"]["pairs"], json!([]));
    let moved = json!({ "do": "place_robot", "robot": 1, "xyz": [1.0, 1.05, 0], "quaternion": [0, 0, 0, 1] });
    let hello = change(&mut tab, moved);
    let found = &hello["results"]["pairs"];
    assert_eq!(found.as_array().unwrap().len(), 2, "both links of the second arm: {found}");
    // A pair across, disabled; one that a joint disables, checked; and back.
    let toggle = |a: &str, b: &str, on: bool| json!({ "do": "cell_pair", "a": a, "b": b, "on": on });
    let hello = change(&mut tab, toggle("arm/fore", "cube", false));
    assert_eq!(hello["results"]["pairs"].as_array().unwrap().len(), 1);
    let asked = hello["robot"]["asked"].as_u64().unwrap();
    let hello = change(&mut tab, toggle("column", "upper", true));
    assert_eq!(hello["robot"]["asked"].as_u64().unwrap(), asked + 1);
    let hello = change(&mut tab, toggle("column", "upper", false));
    assert_eq!(hello["robot"]["asked"].as_u64().unwrap(), asked);
    let text = refused(&mut tab, toggle("column", "nobody", false));
    assert!(text.contains("no pair of column and nobody"), "{text}");
    // What cannot be done changes nothing.
    assert!(refused(&mut tab, place(&hello, "fore", [0.0; 3])).contains("no entry of its own"));
    for description in ["../secret.stl", "none.urdf", "cube.obj"] {
        refused(&mut tab, json!({ "do": "add_robot", "description": description }));
    }
    refused(&mut tab, json!({ "do": "remove_robot", "robot": 7 }));
    refused(&mut tab, json!({ "do": "place", "body": 0, "xyz": [1e9, 0, 0], "quaternion": [0, 0, 0, 1] }));
    // As after a kill.
    let folder = studio.folder.clone();
    drop((tab, studio));
    let studio = Studio::reopen(folder, "arm.urdf");
    let mut tab = studio.tab();
    let again = tab.wait("hello");
    assert_eq!(verdicts(&again), verdicts(&hello));
    let hello = change(&mut tab, json!({ "do": "remove", "body": number(&again, "cube") }));
    assert_eq!(hello["results"]["pairs"], json!([]));
    let hello = change(&mut tab, json!({ "do": "remove_robot", "robot": 1 }));
    assert_eq!(hello["bodies"].as_array().unwrap().len(), 3, "the links of the first");
    assert!(refused(&mut tab, json!({ "do": "remove_robot", "robot": 0 })).contains("no other robot"));
}

/// Bodies of a changed cell have other numbers: those that are removed together are named at once.
#[test]
fn bodies_of_a_cell_are_removed_together() {
    let (_studio, mut tab, _) = open("remove-several");
    for _ in 0..3 {
        change(&mut tab, json!({ "do": "add", "shape": { "kind": "box", "size": [0.1, 0.1, 0.1] } }));
    }
    let hello = change(&mut tab, json!({ "do": "margin", "value": 0.001 }));
    let names = |hello: &Value| -> Vec<String> {
        let all = hello["bodies"].as_array().unwrap().iter().map(|body| body["name"].as_str().unwrap());
        all.filter(|name| name.starts_with("box")).map(str::to_owned).collect()
    };
    assert_eq!(names(&hello), ["box", "box-2", "box-3"]);
    let (first, third) = (number(&hello, "box"), number(&hello, "box-3"));
    let hello = change(&mut tab, json!({ "do": "remove", "body": first, "with": [third] }));
    assert_eq!(names(&hello), ["box-2"]);
    assert_eq!(hello["edits"]["undo"], "remove 2 bodies");
    assert_eq!(names(&change(&mut tab, json!({ "do": "undo" }))), ["box", "box-2", "box-3"]);
    // A link has to stay, and the box with it.
    let link = json!({ "do": "remove", "body": number(&hello, "box-2"), "with": [number(&hello, "fore")] });
    assert!(refused(&mut tab, link).contains("no entry of its own"));
}
