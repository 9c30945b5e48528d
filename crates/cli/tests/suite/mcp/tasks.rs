//! Twelve tasks of designers and integrators.

use super::designs::folder;
use super::session::Session;
use base64::Engine as _;
use serde_json::{Value, json};
use std::io::Read as _;

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

/// Asserts that a bracket contains a number and is narrow.
fn assert_bracket(bracket: &Value, wanted: f64) {
    let (low, high) = (number(&bracket["at_least"]), number(&bracket["at_most"]));
    assert!(low <= wanted + 1e-9 && wanted - 1e-9 <= high && high - low < 1e-3, "{bracket} for {wanted}");
}

fn gears(phase: f64) -> Value {
    json!({
        "files": ["gear_a.obj", "gear_b.obj"],
        "units": "mm",
        "poses": {"gear_b": {"xyz": [18.5, 0, 0], "rpy_deg": [0, 0, phase]}},
    })
}

#[test]
fn a_gear_out_of_phase_clashes_and_one_in_phase_does_not() {
    let folder = folder();
    let mut session = Session::open(&folder.join("designs"));
    let answer = session.ask("check_files", gears(0.0));
    assert_eq!((&answer["outcome"], &answer["units"]), (&json!("touching"), &json!("mm")));
    let pair = &answer["pairs"][0];
    assert_eq!((&pair["relation"], &pair["guarantee"]), (&json!("intersecting"), &json!("exact")));
    assert!(number(&pair["volume"]["at_least"]) > 0.0, "{pair}");
    let answer = session.ask("check_files", gears(15.0));
    assert_eq!(answer["outcome"], "free");
    assert!(number(&answer["pairs"][0]["clearance"]["at_least"]) > 0.1);
    session.close();
}

#[test]
fn a_bracket_through_a_case_is_found_with_its_depth_and_a_picture() {
    let folder = folder();
    let mut session = Session::open(&folder.join("designs"));
    let result = session.call("check_files", json!({"files": ["case.toml"]}));
    let answer = &result["structuredContent"];
    assert_eq!(answer["summary"]["intersecting"], 1);
    let pair = &answer["pairs"][0];
    assert_eq!((&pair["a"], &pair["b"]), (&json!("wall"), &json!("bracket")));
    assert_bracket(&pair["depth"], 3.0);
    let picture = &result["content"][2];
    assert_eq!((&picture["type"], &picture["mimeType"]), (&json!("image"), &json!("image/png")));
    let png = base64::engine::general_purpose::STANDARD.decode(picture["data"].as_str().unwrap()).unwrap();
    let magenta = pixels(&png).filter(|p| p[0] > 130 && p[1] < 90 && p[2] > 130).count();
    assert!(magenta > 50, "the intersection is drawn: {magenta}");
    session.close();
}

/// The pixels of a PNG as the program writes them: true colours without filters.
fn pixels(png: &[u8]) -> impl Iterator<Item = [u8; 3]> {
    let word = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap()) as usize;
    let (width, height, length) = (word(16), word(20), word(33));
    let mut rows = Vec::new();
    flate2::read::ZlibDecoder::new(&png[41..41 + length]).read_to_end(&mut rows).unwrap();
    assert_eq!(rows.len(), height * (1 + 3 * width));
    let row = 1 + 3 * width;
    (0..width * height).map(move |k| {
        let at = k / width * row + 1 + 3 * (k % width);
        [rows[at], rows[at + 1], rows[at + 2]]
    })
}

#[test]
fn a_lid_whose_hinge_is_blocked_stops_at_the_shelf() {
    let folder = folder();
    let mut session = Session::open(&folder.join("designs"));
    let lid = |angle: f64| json!({"files": ["lid.toml"], "part": "lid", "axis": [1, 0, 0], "point": [0, 30, 20.5], "angle_deg": angle});
    let answer = session.ask("sweep", lid(-110.0));
    assert_eq!((&answer["outcome"], &answer["free"]), (&json!("touching"), &json!(false)));
    let contact = &answer["contacts"][0];
    assert_eq!((&contact["a"], &contact["b"]), (&json!("lid"), &json!("shelf")));
    // The lid's end is 60 from the hinge: the front lower edge of the shelf is (25, 70), 49.75 from it, at 95.77 degrees
    // from the direction of the lid. The upper side of the lid, 4 above, is there earlier by asin(4 / 49.75).
    let angle = (49.5f64.atan2(5.0)).to_degrees() - (4.0 / 5f64.hypot(49.5)).asin().to_degrees();
    let (low, high) = (number(&contact["safe_until"]) * 110.0, number(&contact["touching_by"]) * 110.0);
    assert!(low <= angle + 1e-6 && angle <= high + 1e-4 && high - low < 0.01, "{low} to {high}, {angle}");
    assert!(session.ask("sweep", lid(-70.0))["free"] == json!(true));
    session.close();
}

#[test]
fn a_bolt_that_cannot_be_removed_names_what_blocks_it() {
    let folder = folder();
    let mut session = Session::open(&folder.join("designs"));
    let answer = session.ask("can_remove", json!({"files": ["bolt.toml"], "part": "bolt", "time_s": 20}));
    assert_ne!(answer["verdict"], "found", "{answer}");
    assert_ne!(answer["removable"], true);
    let blocking: Vec<&str> =
        answer["blocked_by"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert!(blocking.contains(&"top") && blocking.contains(&"bottom"), "{blocking:?}");
    let without = json!({"files": ["bolt.toml"], "part": "bolt", "without": ["top"]});
    let answer = session.ask("can_remove", without);
    assert_eq!((&answer["verdict"], &answer["removable"]), (&json!("found"), &json!(true)));
    assert!(answer["poses"].as_array().unwrap().len() >= 2);
    session.close();
}

#[test]
fn the_clearance_of_two_parts_is_a_bracket_with_points() {
    let folder = folder();
    let mut session = Session::open(&folder.join("designs"));
    let answer = session.ask("clearance", json!({"files": ["lid.toml"], "a": "lid", "b": "tub"}));
    assert_bracket(&answer["clearance"], 0.5);
    assert_eq!((&answer["relation"], &answer["units"]), (&json!("separated"), &json!("mm")));
    let points = &answer["nearest_points"];
    assert!(
        (number(&points[0][2]) - 20.5).abs() < 1e-9 && (number(&points[1][2]) - 20.0).abs() < 1e-9,
        "{points}"
    );
    let answer = session.ask("clearance", json!({"files": ["case.toml"], "a": "bracket", "b": "wall"}));
    assert_eq!(answer["relation"], "intersecting");
    assert_bracket(&answer["depth"], 3.0);
    let reason =
        session.refused("clearance", json!({"files": ["case.toml"], "a": "bracket", "b": "brakcet"}));
    assert!(reason.contains("the parts are wall, floor, bracket"), "{reason}");
    session.close();
}

#[test]
fn a_drawer_slides_until_it_touches() {
    let folder = folder();
    let mut session = Session::open(&folder.join("designs"));
    let slide = |by: f64| json!({"files": ["case.toml"], "part": "floor", "translate": [0, 0, by]});
    // The floor is 29.5 below the bracket, which its rise of 59 meets in the middle.
    let answer = session.ask("sweep", slide(59.0));
    let contact = &answer["contacts"][0];
    let (low, high) = (number(&contact["safe_until"]), number(&contact["touching_by"]));
    // The wall begins 2 above the floor's upper side, beyond its edge: the floor passes 2 inside of it.
    let first = [(2.0 / 59.0, "wall"), (29.5 / 59.0, "bracket")];
    let named = [&contact["a"], &contact["b"]].map(|name| name.as_str().unwrap().to_owned());
    let (wanted, _) = first.into_iter().find(|(_, name)| named.iter().any(|n| n == name)).unwrap();
    assert!(low <= wanted && wanted <= high + 1e-6, "{contact}");
    assert_eq!(session.ask("sweep", slide(-10.0))["free"], true);
    let reason = session.refused("sweep", json!({"files": ["case.toml"], "part": "floor"}));
    assert!(reason.contains("`translate`"), "{reason}");
    session.close();
}

#[test]
fn a_robot_collides_is_free_and_is_stopped_on_its_motion() {
    let folder = folder();
    let mut session = Session::open(&folder.join("designs"));
    let answer = session.ask("robot_check", json!({"robot": "arm.urdf", "configuration": {"turn_deg": 90}}));
    assert_eq!(answer["outcome"], "touching");
    assert_eq!(answer["colliding_pairs"][0]["links"], json!(["base", "arm"]));
    let free = json!({"robot": "arm.urdf", "configuration": {"turn": 0}});
    let answer = session.ask("robot_check", free);
    assert_eq!((&answer["outcome"], &answer["units"]), (&json!("free"), &json!("m")));
    let sweep = json!({"robot": "arm.urdf", "configuration": {"turn": 0}, "to": {"turn_deg": 90}});
    let answer = session.ask("robot_check", sweep);
    // The post's edge at (0.1, 0.9) is met by the upper side of the arm, 0.05 from its middle.
    let edge = (0.9f64.atan2(0.1) - (0.05 / 0.1f64.hypot(0.9)).asin()).to_degrees() / 90.0;
    let (low, high) = (number(&answer["motion"]["safe_until"]), number(&answer["motion"]["touching_by"]));
    assert!(low <= edge && edge <= high + 1e-5 && high - low < 1e-3, "{low} {edge} {high}");
    let to = json!({"robot": "arm.urdf", "configuration": {"turn": 0}, "to": {"turn": -1.5}});
    assert_eq!(session.ask("robot_check", to)["motion"]["free"], true);
    let reason = session.refused("robot_check", json!({"robot": "arm.urdf", "configuration": {"trun": 1}}));
    assert!(reason.contains("the joints are turn"), "{reason}");
    session.close();
}

#[test]
fn files_are_listed_and_described() {
    let folder = folder();
    let mut session = Session::open(&folder.join("designs"));
    let answer = session.ask("list_files", json!({}));
    let paths: Vec<&str> =
        answer["files"].as_array().unwrap().iter().map(|file| file["path"].as_str().unwrap()).collect();
    assert!(paths.contains(&"gear_a.obj") && paths.contains(&"arm.urdf") && paths.contains(&"case.toml"));
    assert!(!paths.iter().any(|path| path.contains("secret")), "{paths:?}");
    let answer = session.ask("info", json!({"file": "cube.obj", "units": "mm"}));
    assert_eq!((&answer["kind"], &answer["mesh"]["sound"]), (&json!("mesh"), &json!(true)));
    assert!((number(&answer["parts"][0]["volume"]) - 8.0).abs() < 1e-12);
    let answer = session.ask("info", json!({"file": "open.obj"}));
    assert_eq!((&answer["mesh"]["sound"], &answer["mesh"]["border_edges"]), (&json!(false), &json!(3)));
    let answer = session.ask("info", json!({"file": "arm.urdf"}));
    assert_eq!((&answer["kind"], &answer["joints"][1]["name"]), (&json!("robot"), &json!("turn")));
    session.close();
}

#[test]
fn wrong_files_are_errors_with_a_remedy() {
    let folder = folder();
    let mut session = Session::open(&folder.join("designs"));
    let reason = session.refused("check_files", json!({"files": ["garbage.stl"]}));
    assert!(reason.contains("garbage.stl"), "{reason}");
    let reason = session.refused("check_files", json!({"files": ["missing.stl"]}));
    assert!(reason.contains("missing.stl: there is no such file"), "{reason}");
    let reason = session.refused("check_files", json!({"files": ["cube.obj"]}));
    assert!(reason.contains("the only body"), "{reason}");
    let reason = session.refused("check_files", json!({"files": []}));
    assert!(reason.contains("`files`"), "{reason}");
    let reason = session.refused("check_files", json!({"files": ["cube.obj"], "margni": 1}));
    assert!(reason.contains("there is no argument `margni`; the arguments are"), "{reason}");
    let reason =
        session.refused("check_files", json!({"files": ["gear_a.obj", "cube.obj"], "margin": "wide"}));
    assert!(reason.contains("option `margin`: a length is a number"), "{reason}");
    session.close();
}

#[test]
fn files_outside_the_folders_are_never_read() {
    let folder = folder();
    let designs = folder.join("designs");
    let secret = folder.join("secret.obj");
    #[cfg(unix)]
    std::os::unix::fs::symlink(&secret, designs.join("link.obj")).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(&*folder, designs.join("up")).unwrap();
    let mut session = Session::open(&designs);
    let absolute = secret.to_str().unwrap().to_owned();
    let outside = [
        "../secret.obj",
        "./../secret.obj",
        absolute.as_str(),
        "link.obj",
        "up/secret.obj",
        "..",
        "/",
        "\0",
        "-",
    ];
    for path in outside.iter().chain(&["/dev/stdin", "/proc/self/environ", "/etc/passwd"]) {
        let reason = session.refused("info", json!({"file": path}));
        assert!(reason.contains("there is no such file"), "{path:?}: {reason}");
        let missing = session.refused("info", json!({"file": format!("{path}.missing")}));
        assert!(missing.contains("there is no such file"), "existence is not disclosed: {missing}");
    }
    let reason = session.refused("info", json!({"file": "escape.toml"}));
    assert!(reason.contains("no such file below the folders"), "{reason}");
    session.close();
}

#[test]
fn a_limit_of_time_leaves_pairs_undecided() {
    let folder = folder();
    let mut session = Session::open(&folder.join("designs"));
    let mut call = gears(0.0);
    call["time_s"] = json!(1e-9);
    let answer = session.ask("check_files", call);
    assert_eq!(answer["outcome"], "undecided", "{answer}");
    assert!(answer["warnings"].to_string().contains("time limit"), "{answer}");
    session.close();
}

#[test]
fn a_cancelled_call_has_no_answer_and_the_next_has() {
    let folder = folder();
    let mut session = Session::open(&folder.join("designs"));
    let params = json!({"name": "can_remove", "arguments": {"files": ["bolt.toml"], "part": "bolt"}});
    let call = |id: &Value| {
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}).to_string()
    };
    // Calls before it let it wait until it is cancelled.
    let before: Vec<Value> = (100..110).map(Value::from).collect();
    before.iter().for_each(|id| session.send(&call(id)));
    session.send(&call(&json!("long")));
    session.send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"long"}}"#);
    for id in &before {
        assert_eq!(session.receive()["id"], *id);
    }
    let answer = session.ask("clearance", json!({"files": ["lid.toml"], "a": "lid", "b": "tub"}));
    assert_bracket(&answer["clearance"], 0.5);
    session.close();
}
