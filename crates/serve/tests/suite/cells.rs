//! Cells: jogging that stops, locations and programs that are kept, the report of a run.

use crate::support::{Studio, Tab, folder};
use noli_store::{Store, StoredTool};
use serde_json::{Value, json};

pub(crate) const CELL: &str = r#"units = "mm" # kept
program = "way.val"

[robot]
puma560 = "fu-gonzalez-lee"
stand_in = 45
base = { xyz = [0, 0, 660] }
flange = "link6"
start_deg = [0, -60, 150, 0, 60, 0]

[collisions]
skip = [["link2", "link4", "meet"], ["link4", "link6", "meet"]]

[[body]]
name = "table"
box = [400, 400, 20]
pose = { xyz = [600, 0, 300] }

[[location]]
name = "above"
xyz = [600, 100, 700]
rpy_deg = [0, 180, 0]
"#;

pub(crate) const PROGRAM: &str = "PROGRAM way\n    MOVE above\nRETURN\n";

fn open(name: &str) -> (Studio, Tab, Value) {
    let studio = Studio::start_with(name, &[("cell.toml", CELL), ("way.val", PROGRAM)]);
    let mut tab = studio.tab();
    let hello = tab.wait("hello");
    (studio, tab, hello)
}

#[test]
fn the_tool_goes_to_a_location_and_stops_before_the_table() {
    let (_studio, mut tab, hello) = open("jog");
    assert_eq!(hello["robot"]["locations"][0]["name"], "ABOVE");
    tab.say(json!({ "do": "go", "location": "above", "seq": 1 }));
    let there = tab.wait("jogged");
    let tool: Vec<f64> = there["tool_at"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
    for (is, wanted) in tool.iter().zip([0.6, 0.1, 0.7]) {
        assert!((is - wanted).abs() < 1e-9, "{there}");
    }
    assert!(there["clearance_text"].as_str().unwrap().contains("mm between"), "{there}");
    // Into the table: the arm stops before it touches, and stays there.
    let mut last = there;
    for seq in 2..40 {
        tab.say(json!({ "do": "jog_tool", "step": [0, 0, -0.05], "turn_deg": [0, 0, 0], "seq": seq }));
        last = tab.wait("jogged");
        if !last["stopped"].is_null() {
            break;
        }
    }
    assert!(last["stopped"]["text"].as_str().unwrap().contains("table"), "{last}");
    assert!(last["tool_at"][2].as_f64().unwrap() > 0.31);
    tab.say(json!({ "do": "go", "location": "nowhere", "seq": 99 }));
    assert!(tab.wait("trouble")["text"].as_str().unwrap().contains("nowhere"));
}

#[test]
fn the_tool_turns_about_its_own_axes_and_a_path_is_planned_to_a_location() {
    let (_studio, mut tab, hello) = open("pendant");
    tab.say(json!({ "do": "go", "location": "above", "seq": 1 }));
    let there = tab.wait("jogged");
    let tool = |jogged: &Value| -> Vec<f64> {
        jogged["tool_at"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
    };
    // At `above` the tool points down: its z is the world's -z.
    tab.say(
        json!({ "do": "jog_tool", "step": [0, 0, 0.02], "turn_deg": [0, 0, 0], "frame": "tool", "seq": 2 }),
    );
    let lower = tab.wait("jogged");
    assert!((tool(&there)[2] - tool(&lower)[2] - 0.02).abs() < 1e-9, "{lower}");
    // A rotation about the tool's own axes keeps its tip.
    tab.say(
        json!({ "do": "jog_tool", "step": [0, 0, 0], "turn_deg": [0, 0, 10], "frame": "tool", "seq": 3 }),
    );
    let turned = tab.wait("jogged");
    for (is, was) in tool(&turned).iter().zip(tool(&lower)) {
        assert!((is - was).abs() < 1e-9, "{turned}");
    }
    assert_ne!(turned["values"], lower["values"]);
    let start: Vec<f64> = hello["robot"]["joints"]
        .as_array()
        .unwrap()
        .iter()
        .map(|joint| joint["value"].as_f64().unwrap())
        .collect();
    tab.say(json!({ "do": "jog", "values": start, "seq": 4 }));
    tab.wait("jogged");
    tab.say(json!({ "do": "plan_to", "location": "above" }));
    let track = tab.wait("track");
    assert_eq!(track["free"], true, "{}", track["verdict"]);
    assert!(track["verdict"].as_str().unwrap().contains("proven"), "{}", track["verdict"]);
    let count = start.len() * track["times"].as_array().unwrap().len();
    assert_eq!(track["joints"].as_array().unwrap().len(), count, "joint values for every picture");
    // The arm is there: going to the location changes nothing any more.
    tab.say(json!({ "do": "go", "location": "above", "seq": 5 }));
    let end = tool(&tab.wait("jogged"));
    assert!(end.iter().zip([0.6, 0.1, 0.7]).all(|(is, wanted)| (is - wanted).abs() < 1e-9), "{end:?}");
    tab.say(json!({ "do": "forget", "name": "above" }));
    assert_eq!(tab.wait("robot")["locations"], json!([]));
    tab.say(json!({ "do": "undo" }));
    assert_eq!(tab.wait("robot")["locations"][0]["name"], "ABOVE");
}

#[test]
fn results_after_a_run_that_stops_are_those_of_its_contact() {
    let (_studio, mut tab, _) = open("stopped");
    let program = "PROGRAM way\n    MOVE above\n    DEPARTS -500\nRETURN\n";
    tab.say(json!({ "do": "program", "text": program }));
    tab.wait("program");
    tab.say(json!({ "do": "run" }));
    let track = tab.wait("track");
    assert_eq!((&track["free"], &track["stop_line"]), (&json!(false), &json!(3)), "{}", track["verdict"]);
    let results = tab.wait("results");
    assert!(results["outcome"].as_str().unwrap().contains("table"), "{results}");
    assert!(results["pairs"][0]["says"].as_str().unwrap().contains("line 3"), "{results}");
    // Moving the arm by hand shows the configuration again.
    tab.say(json!({ "do": "jog", "values": [0, -1, 2.5, 0, 1, 0], "seq": 9 }));
    tab.wait("jogged");
    let mut late = _studio.tab();
    let outcome = late.wait("hello")["results"]["outcome"].clone();
    assert!(!outcome.as_str().unwrap().contains("Program"), "{outcome}");
}

#[test]
fn taught_locations_and_programs_are_kept_undone_and_saved() {
    let (mut studio, mut tab, _) = open("teach");
    let mut other = studio.tab();
    other.wait("hello");
    tab.say(json!({ "do": "teach", "name": "via" }));
    let robot = tab.wait("robot");
    let names = |robot: &Value| -> Vec<String> {
        let all = robot["locations"].as_array().unwrap();
        all.iter().map(|location| location["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(&robot), ["ABOVE", "VIA"]);
    assert_eq!(names(&other.wait("robot")), ["ABOVE", "VIA"]);
    let text = "PROGRAM way\n    MOVE via\n    MOVE above\nRETURN\n";
    // As typing goes: what follows without a pause is one change.
    tab.say(json!({ "do": "program", "text": "PROGRAM way\n    MOV\nRETURN\n" }));
    let read = tab.wait("program");
    assert_eq!(read["errors"][0][0], 2, "{read}");
    tab.say(json!({ "do": "program", "text": text }));
    assert_eq!(tab.wait("program")["errors"], json!([]));
    loop {
        if other.wait("program")["text"] == text {
            break;
        }
    }
    tab.say(json!({ "do": "undo" }));
    assert_eq!(tab.wait("program")["text"], PROGRAM);
    tab.say(json!({ "do": "redo" }));
    assert_eq!(tab.wait("program")["text"], text);
    tab.say(json!({ "do": "run" }));
    let track = tab.wait("track");
    assert_eq!(track["free"], true, "{}", track["verdict"]);
    let (status, report) = studio.own("/api/export/report.json");
    assert_eq!(status, 200);
    assert!(report.contains("MOVE via"), "{report}");
    assert_eq!(studio.own("/api/export/report.csv").0, 200);
    assert_eq!(studio.own("/api/export/report.bcf").0, 409, "a cell has no topics");
    // As after a kill: the next server knows all of it, from the journal.
    studio.end();
    let again = Studio::reopen(studio.folder.clone(), "cell.toml");
    let mut tab = again.tab();
    let hello = tab.wait("hello");
    assert_eq!((&hello["robot"]["program"], &hello["can_save"]), (&json!(text), &json!(true)));
    assert_eq!(names(&hello["robot"]), ["ABOVE", "VIA"]);
    tab.say(json!({ "do": "save" }));
    tab.wait("note");
    let read = |file: &str| std::fs::read_to_string(again.project().join(file)).unwrap();
    assert_eq!(read("way.val"), text);
    let cell = read("cell.toml");
    assert!(cell.contains("# kept") && cell.contains("name = \"via\""), "{cell}");
    assert!(!again.project().join("cell.studio.jsonl").exists());
    let parsed = noli_project::cell::parse_cell(cell.as_bytes()).unwrap();
    assert_eq!(parsed.locations.len(), 2);
}

#[cfg(unix)]
#[test]
fn a_program_outside_the_folder_is_not_written() {
    let cell = CELL.replace("way.val", "../way.val");
    let studio = Studio::start_with("outside", &[("cell.toml", &cell)]);
    std::fs::write(studio.folder.join("way.val"), PROGRAM).unwrap();
    let mut tab = studio.tab();
    tab.wait("hello");
    tab.say(json!({ "do": "program", "text": "PROGRAM way\nRETURN\n" }));
    tab.wait("edits");
    tab.say(json!({ "do": "save" }));
    assert!(tab.wait("trouble")["text"].as_str().unwrap().contains("not in the folder"));
    assert_eq!(std::fs::read_to_string(studio.folder.join("way.val")).unwrap(), PROGRAM);
}

/// A run does not notice before its end that it was stopped; who stopped it need not wait for that.
#[test]
fn a_run_that_is_stopped_is_over_at_once() {
    let studio = Studio::start_with("stop", &[("cell.toml", CELL), ("way.val", &long_program())]);
    let mut tab = studio.tab();
    tab.wait("hello");
    tab.say(json!({ "do": "run" }));
    tab.say(json!({ "do": "cancel" }));
    tab.say(json!({ "do": "branches" }));
    let mut told = Vec::new();
    loop {
        let event = tab.read().unwrap();
        assert_ne!(event["say"], "track", "it was stopped");
        told.push(event.clone());
        if event["say"] == "branches" {
            break;
        }
    }
    assert!(told.iter().any(|event| event["text"] == "Stopped."), "{told:?}");
    assert!(told.iter().any(|event| event["say"] == "task" && event["done"] == true), "{told:?}");
    // The next one is heard of.
    tab.say(json!({ "do": "program", "text": PROGRAM }));
    tab.say(json!({ "do": "run" }));
    assert_eq!(tab.wait("track")["title"], "Program WAY");
}

fn long_program() -> String {
    format!("PROGRAM way\n{}RETURN\n", "    MOVE above\n".repeat(3000))
}

/// A gizmo at the tool commands poses of the view; the arm follows as far as it is proven free.
#[test]
fn the_tool_is_dragged_in_the_view_and_stops_before_the_table() {
    let (_studio, mut tab, hello) = open("drag-tool");
    tab.say(json!({ "do": "go", "location": "above", "seq": 1 }));
    let there = tab.wait("jogged");
    let scale = hello["scale"].as_f64().unwrap();
    let number = |value: &Value, k: usize| value[k].as_f64().unwrap();
    let page = |at: [f64; 3]| [0, 1, 2].map(|k| (at[k] - number(&hello["middle"], k)) * scale);
    let turn = there["tool_turn"].clone();
    let mut drag = |seq: u32, at: [f64; 3], turn: &Value| {
        tab.say(json!({ "do": "drag_tool", "at": page(at), "turn": turn, "seq": seq }));
        tab.wait("jogged")
    };
    let near =
        |jogged: &Value, at: [f64; 3]| (0..3).all(|k| (number(&jogged["tool_at"], k) - at[k]).abs() < 1e-9);
    let moved = drag(2, [0.58, 0.15, 0.72], &turn);
    assert!(moved["stopped"].is_null() && near(&moved, [0.58, 0.15, 0.72]), "{moved}");
    // A quarter turn about the world's z keeps the tip, and is felt by the rotation that comes back.
    let (half, q) = (std::f64::consts::FRAC_1_SQRT_2, [0, 1, 2, 3].map(|k| number(&turn, k)));
    let turned = [
        q[0] * half - q[1] * half,
        q[0] * half + q[1] * half,
        q[2] * half + q[3] * half,
        q[3] * half - q[2] * half,
    ];
    let rotated = drag(3, [0.58, 0.15, 0.72], &json!(turned));
    let same: f64 = (0..4).map(|k| number(&rotated["tool_turn"], k) * turned[k]).sum();
    assert!(near(&rotated, [0.58, 0.15, 0.72]) && same.abs() > 1.0 - 1e-9, "{rotated}");
    let held = drag(4, [0.58, 0.15, 0.0], &turn);
    assert!(held["stopped"]["text"].as_str().unwrap().contains("table"), "{held}");
    assert!(number(&held["tool_at"], 2) > 0.31, "{held}");
    // Beyond its reach the arm goes a part of the way, and the reason is given without an error.
    drag(5, [0.58, 0.15, 0.72], &turn);
    let beyond = drag(6, [0.58, 1.35, 0.72], &turn);
    assert!(beyond["stopped"]["text"].is_string(), "{beyond}");
    assert!((0.2..1.0).contains(&number(&beyond["tool_at"], 1)), "{beyond}");
    let far = drag(7, [900.0, 0.0, 0.7], &turn);
    assert!(far["stopped"]["text"].is_string() && far["tool_at"] == beyond["tool_at"], "{far}");
    // Joint and tool speeds for the pendant: those of the robot, or the defaults of the cell.
    assert!(
        hello["robot"]["joints"]
            .as_array()
            .unwrap()
            .iter()
            .all(|joint| joint["speed"].as_f64().unwrap() > 0.0)
    );
    assert!(hello["robot"]["tool_speed"].as_f64().unwrap() > 0.0);
}

#[test]
fn locations_that_do_not_exist_are_reported_while_typing() {
    let (_studio, mut tab, hello) = open("unknown");
    assert_eq!(hello["robot"]["errors"], json!([]));
    let text = "PROGRAM way\n    MOVE above\n    MOVE abve\n    APPROS nowhere, 50\nRETURN\n";
    tab.say(json!({ "do": "program", "text": text }));
    let [abve, nowhere] = [
        json!([3, "there is no location `abve`", "did you mean `above`?"]),
        json!([4, "there is no location `nowhere`", "teach it, or correct the name"]),
    ];
    assert_eq!(tab.wait("program")["errors"], json!([abve, nowhere]));
    // A location that is taught is one from then on, and one that is deleted is none.
    tab.say(json!({ "do": "teach", "name": "nowhere" }));
    assert_eq!(tab.wait("robot")["errors"], json!([abve]));
    tab.say(json!({ "do": "forget", "name": "above" }));
    assert_eq!(tab.wait("robot")["errors"].as_array().unwrap().len(), 2);
}

#[test]
fn a_tool_of_the_database_becomes_the_tool_of_the_robot() {
    let folder = folder("tool", &[("cell.toml", CELL), ("way.val", PROGRAM)]);
    let mut store = Store::init(folder.join("project/parts.db")).unwrap();
    let flange_from_tool = noli::Pose::from_translation(glam::dvec3(0.0, 0.0, 0.1));
    store.add_tool(&StoredTool { name: "pen".to_owned(), component: None, flange_from_tool }, false).unwrap();
    drop(store);
    let studio = Studio::reopen(folder, "cell.toml");
    let mut tab = studio.tab();
    let before = tab.wait("hello");
    assert_eq!(before["robot"]["tools"], json!(["pen"]));
    tab.say(json!({ "do": "use_tool", "name": "pen" }));
    let after = tab.wait("hello");
    assert_eq!(after["edits"]["undo"], "tool pen");
    let tool = |hello: &Value| {
        let all = hello["robot"]["tool_at"].as_array().unwrap().iter();
        glam::DVec3::from_slice(&all.map(|x| x.as_f64().unwrap()).collect::<Vec<_>>())
    };
    assert!((tool(&after).distance(tool(&before)) - 0.1).abs() < 1e-9);
    tab.say(json!({ "do": "use_tool", "name": "brush" }));
    assert!(tab.wait("trouble")["text"].as_str().unwrap().contains("brush"));
    tab.say(json!({ "do": "save" }));
    tab.wait("note");
    let text = std::fs::read_to_string(studio.project().join("cell.toml")).unwrap();
    assert!(text.contains("tool = { xyz = [0.0, 0.0, 100.0] }"), "in the unit of the file: {text}");
}

#[test]
fn a_location_is_renamed_undone_and_saved() {
    let (studio, mut tab, _) = open("rename");
    let names = |robot: &Value| -> Vec<String> {
        let all = robot["locations"].as_array().unwrap().iter();
        all.map(|location| location["name"].as_str().unwrap().to_owned()).collect()
    };
    let say = |tab: &mut Tab, command: Value, kind: &str| {
        tab.say(command);
        tab.wait(kind)
    };
    for (name, to) in [("nowhere", "a"), ("above", "1st"), ("above", "above"), ("above", "a name")] {
        say(&mut tab, json!({ "do": "rename", "name": name, "to": to }), "trouble");
    }
    let robot = say(&mut tab, json!({ "do": "rename", "name": "above", "to": "over" }), "robot");
    assert_eq!(names(&robot), ["OVER"]);
    // The program has the old name.
    assert!(robot["errors"][0].to_string().contains("above"), "{}", robot["errors"]);
    assert_eq!(tab.wait("edits")["undo"], "rename above to over");
    assert_eq!(names(&say(&mut tab, json!({ "do": "undo" }), "robot")), ["ABOVE"]);
    assert_eq!(names(&say(&mut tab, json!({ "do": "redo" }), "robot")), ["OVER"]);
    tab.say(json!({ "do": "save" }));
    while tab.wait("edits")["unsaved"] != 0 {}
    let text = std::fs::read_to_string(studio.project().join("cell.toml")).unwrap();
    assert!(text.contains("name = \"over\"") && !text.contains("name = \"above\""), "{text}");
}

/// The names of all locations of a robot.
fn location_names(robot: &Value) -> Vec<&str> {
    robot["locations"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect()
}

#[test]
fn precision_points_are_taught_reached_renamed_and_saved_as_joint_values() {
    let (mut studio, mut tab, hello) = open("points");
    let start: Vec<f64> = hello["robot"]["joints"]
        .as_array()
        .unwrap()
        .iter()
        .map(|joint| joint["value"].as_f64().unwrap())
        .collect();
    tab.say(json!({ "do": "teach", "name": "home", "precise": true }));
    let taught = tab.wait("robot");
    assert_eq!(location_names(&taught), ["#HOME", "ABOVE"]);
    assert_eq!(taught["locations"][0]["precise"], true);
    // A location of the other kind has another name: the file of the cell has each name once.
    tab.say(json!({ "do": "teach", "name": "home" }));
    assert!(tab.wait("trouble")["text"].as_str().unwrap().contains("#home already"));
    let mut away = start.clone();
    away[0] += 0.3;
    tab.say(json!({ "do": "jog", "values": away, "seq": 1 }));
    assert_ne!(tab.wait("jogged")["values"], json!(start));
    tab.say(json!({ "do": "go", "location": "#home", "seq": 2 }));
    let there = tab.wait("jogged");
    for (is, wanted) in there["values"].as_array().unwrap().iter().zip(&start) {
        assert!((is.as_f64().unwrap() - wanted).abs() < 1e-12, "{there}");
    }
    tab.say(json!({ "do": "rename", "name": "#HOME", "to": "park" }));
    assert_eq!(location_names(&tab.wait("robot")), ["#PARK", "ABOVE"]);
    // Programs find it, and the journal has it.
    let text = "PROGRAM way\n    MOVE #park\nRETURN\n";
    tab.say(json!({ "do": "program", "text": text, "step": true }));
    assert_eq!(tab.wait("program")["errors"], json!([]));
    studio.end();
    let again = Studio::reopen(studio.folder.clone(), "cell.toml");
    let mut tab = again.tab();
    assert_eq!(location_names(&tab.wait("hello")["robot"]), ["#PARK", "ABOVE"]);
    tab.say(json!({ "do": "save" }));
    assert_eq!(tab.wait("note")["text"], "Saved into cell.toml, the program into way.val.");
    let text = std::fs::read_to_string(again.project().join("cell.toml")).unwrap();
    let parsed = noli_project::cell::parse_cell(text.as_bytes()).unwrap();
    assert_eq!(parsed.locations.len(), 2, "{text}");
    assert!(text.contains("joints_rad"), "{text}");
    tab.say(json!({ "do": "forget", "name": "#PARK" }));
    assert_eq!(location_names(&tab.wait("robot")), ["ABOVE"]);
    tab.say(json!({ "do": "undo" }));
    assert_eq!(location_names(&tab.wait("robot")), ["#PARK", "ABOVE"]);
}

#[test]
fn a_change_of_programs_is_a_step_of_its_own_next_to_typing() {
    let (_studio, mut tab, _) = open("steps");
    let texts = ["PROGRAM way\nRETURN\n", "PROGRAM other\nRETURN\n", "PROGRAM other\n\nRETURN\n"];
    for (text, step) in texts.iter().zip([false, true, false]) {
        tab.say(json!({ "do": "program", "text": text, "step": step }));
        tab.wait("program");
    }
    for wanted in [texts[1], texts[0], PROGRAM] {
        tab.say(json!({ "do": "undo" }));
        assert_eq!(tab.wait("program")["text"], *wanted);
    }
}
