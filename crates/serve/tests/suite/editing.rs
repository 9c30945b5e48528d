//! Changes of tabs: every tab receives them, they can be undone, and none is lost.

use crate::support::{Studio, Tab, at};
use noli_testing::{Folder, PATIENCE};
use serde_json::{Value, json};
use std::time::Instant;

#[test]
fn a_dragged_body_stops_at_the_wall_and_all_tabs_see_it() {
    let studio = Studio::start("drag");
    let (mut tab, mut other) = (studio.tab(), studio.tab());
    let hello = tab.wait("hello");
    other.wait("hello");
    let scale = hello["scale"].as_f64().unwrap();
    let sphere = &hello["bodies"][1];
    let start = at(sphere);
    // Far beyond the wall, in one pull: what lies between is not jumped over.
    let mut seq = 0;
    let mut pull = |tab: &mut Tab, x: f64| {
        seq += 1;
        let to = [start[0] + x * scale, start[1], start[2]];
        tab.pull(&json!({ "do": "drag", "body": 1, "seq": seq, "at": to, "turn": [0, 0, 0, 1] }))
    };
    let stopped = pull(&mut tab, 90.0);
    assert_eq!(stopped["stopped"]["by"], 0, "{stopped}");
    let reached = (at(&stopped)[0] - start[0]) / scale;
    assert!((43.99..=44.0).contains(&reached), "the sphere touches at 44, it stops at {reached}");
    assert_eq!(stopped["clearance"]["to"], 0);
    assert!(stopped["clearance"]["at_least"].as_f64().unwrap() >= 0.0);
    let back = pull(&mut tab, 40.0);
    assert!(back["stopped"].is_null());
    let clearance = back["clearance"]["at_most"].as_f64().unwrap();
    assert!((clearance - 4.0).abs() < 1e-6, "the clearance is measured: {clearance}");
    tab.say(json!({ "do": "drop", "body": 1 }));
    assert_eq!(tab.wait("edits")["undo"], "move sphere");
    let seen = loop {
        let moved = other.wait("moved");
        if ((at(&moved)[0] - start[0]) / scale - 40.0).abs() < 1e-9 {
            break moved;
        }
    };
    assert_eq!(seen["body"], 1);
    other.say(json!({ "do": "undo" }));
    loop {
        if at(&tab.wait("moved")) == start {
            break;
        }
    }
    // Two tabs pull the same body: both end up with one place.
    for (k, x) in [10.0, -10.0, 5.0].into_iter().enumerate() {
        let who = if k % 2 == 0 { &mut tab } else { &mut other };
        pull(who, x);
        who.say(json!({ "do": "drop", "body": 1 }));
    }
    let (mut late, mut later) = (studio.tab(), studio.tab());
    let [one, two] = [late.wait("hello"), later.wait("hello")];
    assert_eq!(one["bodies"], two["bodies"]);
}

#[test]
fn a_clash_can_be_pulled_apart_and_contact_is_not_passed_through() {
    let studio = Studio::start("touch");
    let mut tab = studio.tab();
    let hello = tab.wait("hello");
    let scale = hello["scale"].as_f64().unwrap();
    let start = at(&hello["bodies"][1]);
    let place = |tab: &mut Tab, x: f64| {
        tab.say(json!({ "do": "place", "body": 1, "xyz": [x, 0, 0], "quaternion": [0, 0, 0, 1] }));
        tab.wait("moved");
    };
    let mut seq = 0;
    let mut pull = |tab: &mut Tab, x: f64| {
        seq += 1;
        let to = [start[0] + x * scale, start[1], start[2]];
        let pulled =
            tab.pull(&json!({ "do": "drag", "body": 1, "seq": seq, "at": to, "turn": [0, 0, 0, 1] }));
        (at(&pulled)[0] - start[0]) / scale
    };
    place(&mut tab, 47.0);
    assert!((pull(&mut tab, 46.0) - 46.0).abs() < 1e-6, "a clash does not stop what pulls it apart");
    assert!((pull(&mut tab, 30.0) - 30.0).abs() < 1e-6);
    assert!((pull(&mut tab, 60.0) - 44.0).abs() < 0.01, "once apart it stops again");
    tab.say(json!({ "do": "drop", "body": 1 }));
    place(&mut tab, 44.0);
    assert!((pull(&mut tab, 44.5) - 44.0).abs() < 1e-6, "what touches exactly is not passed through");
}

#[test]
fn a_killed_server_loses_nothing_and_a_saved_scene_keeps_its_comments() {
    let mut studio = Studio::start("journal");
    let mut tab = studio.tab();
    tab.wait("hello");
    tab.say(json!({ "do": "place", "body": 1, "xyz": [0.1, 0.2, 0.3], "quaternion": [0, 0, 0, 1] }));
    tab.wait("edits");
    tab.say(json!({ "do": "add", "shape": { "kind": "box", "size": [3, 3, 3] } }));
    tab.wait("edits");
    tab.say(json!({ "do": "copy", "body": 2 }));
    tab.wait("edits");
    tab.say(json!({ "do": "pair", "a": 0, "b": 2, "on": false }));
    tab.wait("edits");
    // No farewell: as after a kill, there is only what is on disk.
    let journal = std::fs::read_to_string(studio.project().join("scene.studio.jsonl")).unwrap();
    assert_eq!(journal.lines().count(), 5, "{journal}");
    studio.end();
    let folder = Folder(studio.folder.join("again"));
    std::fs::create_dir_all(folder.join("project")).unwrap();
    for file in ["scene.toml", "scene.studio.jsonl"] {
        std::fs::copy(studio.project().join(file), folder.join("project").join(file)).unwrap();
    }
    let again = Studio::reopen(folder, "scene.toml");
    let mut tab = again.tab();
    let hello = tab.wait("hello");
    let names: Vec<&str> =
        hello["bodies"].as_array().unwrap().iter().map(|body| body["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["wall", "sphere", "far", "box", "far-2"]);
    assert_eq!(
        (&hello["edits"]["unsaved"], &hello["rules"]["by_hand"]),
        (&json!(4), &json!([[0, 2, false]]))
    );
    tab.say(json!({ "do": "save" }));
    tab.wait("note");
    let saved = std::fs::read_to_string(again.project().join("scene.toml")).unwrap();
    assert!(saved.contains("# kept") && saved.contains("[0.1, 0.2, 0.3]"), "{saved}");
    assert!(!again.project().join("scene.studio.jsonl").exists());
    let scene = noli_project::parse_scene(saved.as_bytes()).unwrap();
    assert_eq!((scene.bodies.len(), scene.check.skip.len()), (5, 1), "{saved}");
}

/// The results once so many changes are taken in: those of the state before may be on their way.
fn results_after(tab: &mut Tab, changes: usize) -> Value {
    for _ in 0..changes {
        tab.wait("edits");
    }
    let start = Instant::now();
    loop {
        let results = tab.wait("results");
        if results["stale"] == false {
            return results;
        }
        assert!(start.elapsed() < PATIENCE);
    }
}

#[test]
fn rules_about_names_are_said_taken_back_and_saved_as_they_were_said() {
    let studio = Studio::start("rules");
    let mut tab = studio.tab();
    tab.wait("hello");
    tab.say(json!({ "do": "place", "body": 1, "xyz": [48, 0, 0], "quaternion": [0, 0, 0, 1] }));
    let hits = |results: &Value| {
        results["pairs"].as_array().unwrap().iter().filter(|pair| pair["hit"] == true).count()
    };
    let found = results_after(&mut tab, 1);
    assert_eq!((hits(&found), &found["groups"][0]), (1, &json!("sphere")), "{found}");
    let rule = json!({ "a": "w*", "b": "sphere", "margin": null });
    tab.say(json!({ "do": "pattern", "rule": rule, "on": true }));
    assert_eq!(tab.wait("rules")["off"], json!([[0, 1]]));
    assert_eq!(hits(&results_after(&mut tab, 1)), 0);
    // What is said of a pair outright counts more.
    tab.say(json!({ "do": "pair", "a": 0, "b": 1, "on": true }));
    assert_eq!(hits(&results_after(&mut tab, 1)), 1);
    for _ in 0..2 {
        tab.say(json!({ "do": "undo" }));
    }
    assert_eq!(hits(&results_after(&mut tab, 2)), 1, "the rule is taken back");
    tab.say(json!({ "do": "redo" }));
    assert_eq!(hits(&results_after(&mut tab, 1)), 0);
    tab.say(json!({ "do": "pattern", "rule": { "a": "far", "b": "*", "margin": 2.5 }, "on": true }));
    tab.wait("rules");
    for wrong in
        [json!({ "a": "nobody", "b": "*" }), json!({ "a": "far", "b": "*", "margin": -1 }), rule.clone()]
    {
        tab.say(json!({ "do": "pattern", "rule": wrong, "on": true }));
        tab.wait("trouble");
    }
    tab.say(json!({ "do": "save" }));
    tab.wait("note");
    let saved = std::fs::read_to_string(studio.project().join("scene.toml")).unwrap();
    assert!(saved.contains(r#"["w*", "sphere"]"#), "{saved}");
    let scene = noli_project::parse_scene(saved.as_bytes()).unwrap();
    assert_eq!((scene.check.skip.len(), scene.check.margins.len()), (1, 1));
    let (status, topics) = studio.own("/api/export/report.bcf");
    assert!(status == 200 && topics.starts_with("PK"), "{status}");
}

#[test]
fn a_formula_is_a_body_that_changes_as_it_is_typed() {
    let studio = Studio::start("formula");
    let mut tab = studio.tab();
    let hello = tab.wait("hello");
    let shapes = |tab: &mut Tab| tab.wait("bodies");
    tab.say(json!({ "do": "formula", "formula": { "text": "sphere(" } }));
    let read = tab.wait("formula");
    assert!(!read["error"].as_str().unwrap().is_empty() && read["body"].is_null(), "{read}");
    tab.say(json!({ "do": "formula", "formula": { "text": "sphere(4)" } }));
    let made = shapes(&mut tab);
    assert_eq!(
        (&made["bodies"][3]["name"], &made["bodies"][3]["formula"]["text"]),
        (&json!("formula"), &json!("sphere(4)"))
    );
    assert_eq!(tab.wait("formula")["body"], 3);
    // Against the wall, where its clearance is that of a true sphere.
    let clearance = |tab: &mut Tab| {
        tab.say(json!({ "do": "measure", "a": 3, "b": 0 }));
        tab.wait("measured")["text"].as_str().unwrap().to_owned()
    };
    tab.say(json!({ "do": "place", "body": 3, "xyz": [30, 0, 0], "quaternion": [0, 0, 0, 1] }));
    tab.wait("moved");
    let four = clearance(&mut tab);
    assert!(four.starts_with("15") || four.starts_with("14.99"), "{four}");
    tab.say(json!({ "do": "formula", "body": 3, "formula": { "text": "sphere(6)" } }));
    let changed = shapes(&mut tab);
    assert_eq!(changed["bodies"][3]["at"], json!(at_of(&hello, [30.0, 0.0, 0.0])), "it stays where it was");
    let six = clearance(&mut tab);
    assert!(six.starts_with("13") || six.starts_with("12.99"), "{six}");
    tab.say(json!({ "do": "formula", "body": 3, "formula": { "text": "x^2 + y^2 <= 9" } }));
    let endless = tab.wait("formula");
    assert!(!endless["error"].as_str().unwrap().is_empty(), "a cylinder without end: {endless}");
    tab.say(json!({ "do": "undo" }));
    assert_eq!(shapes(&mut tab)["bodies"][3]["formula"]["text"], "sphere(4)");
    tab.say(json!({ "do": "save" }));
    tab.wait("note");
    let bounded = json!({ "text": "x^2 + y^2 <= 9", "bounds": [[-5, -5, -5], [5, 5, 5]] });
    tab.say(json!({ "do": "formula", "body": 3, "formula": bounded }));
    assert_eq!(tab.wait("formula")["error"], "");
    tab.say(json!({ "do": "save" }));
    tab.wait("note");
    let saved = std::fs::read_to_string(studio.project().join("scene.toml")).unwrap();
    assert!(saved.contains("x^2 + y^2 <= 9") && saved.contains("bounds"), "{saved}");
    assert_eq!(noli_project::parse_scene(saved.as_bytes()).unwrap().bodies.len(), 4);
    tab.say(json!({ "do": "formula", "body": 0, "formula": { "text": "sphere(1)" } }));
    assert!(tab.wait("trouble")["text"].as_str().unwrap().contains("no formula"));
}

/// A place of the scene on the page.
fn at_of(hello: &Value, place: [f64; 3]) -> [f64; 3] {
    let scale = hello["scale"].as_f64().unwrap();
    [0, 1, 2].map(|k| (place[k] - hello["middle"][k].as_f64().unwrap()) * scale)
}

#[test]
fn the_depth_of_a_clash_is_told_with_the_way_out() {
    let studio = Studio::start("depth");
    let mut tab = studio.tab();
    tab.wait("hello");
    tab.say(json!({ "do": "place", "body": 1, "xyz": [46, 0, 0], "quaternion": [0, 0, 0, 1] }));
    results_after(&mut tab, 1);
    tab.say(json!({ "do": "depth", "a": 0, "b": 1 }));
    let depth = tab.wait("depth");
    assert!(depth["text"].as_str().unwrap().contains("mm"), "{depth}");
    let x = |end: usize| depth["arrow"][end][0].as_f64().unwrap();
    assert!(x(1) < x(0), "the sphere comes out to the left: {depth}");
}

#[test]
fn two_tabs_that_change_the_same_body_end_with_one_state() {
    let studio = Studio::start("converge");
    let (mut one, mut other) = (studio.tab(), studio.tab());
    let hello = one.wait("hello");
    other.wait("hello");
    let last = 40;
    for k in 0..=last {
        let place = |sign: f64| json!({ "do": "place", "body": 1, "xyz": [0, sign * f64::from(k), 0], "quaternion": [0, 0, 0, 1] });
        one.say(place(1.0));
        other.say(place(-1.0));
    }
    // Both are told the same in the same order: what each heard last is where the body is.
    let heard = |tab: &mut Tab| {
        tab.say(json!({ "do": "measure", "a": 0, "b": 1 }));
        let mut place = Value::Null;
        loop {
            let event = tab.read().unwrap();
            match event["say"].as_str() {
                Some("moved") => place = event["at"].clone(),
                Some("measured") => return place,
                _ => {}
            }
        }
    };
    // A measure of one tab may come before the last word of the other; by then both have been heard.
    let ends = [1.0, -1.0].map(|sign| json!(at_of(&hello, [0.0, sign * f64::from(last), 0.0])));
    let start = Instant::now();
    loop {
        let [a, b] = [heard(&mut one), heard(&mut other)];
        let fresh = studio.tab().wait("hello");
        let now = fresh["bodies"][1]["at"].clone();
        let agrees = |place: &Value| place.is_null() || *place == now;
        if ends.contains(&now) && agrees(&a) && agrees(&b) && fresh["edits"]["unsaved"] == 2 * (last + 1) {
            break;
        }
        assert!(start.elapsed() < PATIENCE, "{a} {b} {now}");
    }
}

/// A way through the wall, from where it was recorded and not from where the body stands.
#[test]
fn a_way_by_hand_is_played_in_every_mode() {
    let studio = Studio::start("by-hand");
    let mut tab = studio.tab();
    let hello = tab.wait("hello");
    let scale = hello["scale"].as_f64().unwrap();
    let start = at(&hello["bodies"][1]);
    let place = |x: f64, z: f64| json!([start[0] + x * scale, start[1], start[2] + z * scale, 0, 0, 0, 1]);
    let path = json!([place(0.0, 0.0), place(30.0, 5.0), place(60.0, 20.0), place(90.0, 20.0)]);
    tab.say(json!({ "do": "place", "body": 1, "xyz": [0, 40, 0], "quaternion": [0, 0, 0, 1] }));
    tab.wait("edits");
    let mut play = |mode: &str| {
        tab.say(json!({ "do": "try_path", "body": 1, "mode": mode, "path": path }));
        let track = tab.wait("track");
        let poses: Vec<f64> =
            track["poses"].as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect();
        let end = &poses[poses.len() - 7..];
        let reached = [0, 2].map(|k| (end[k] - start[k]) / scale);
        for k in 0..3 {
            assert!((poses[k] - start[k]).abs() < 1e-3, "{mode} begins where it was recorded");
        }
        (track, reached)
    };
    let (stopped, [x, _]) = play("stop");
    assert!(stopped["verdict"].as_str().unwrap().contains("Blocked by wall"), "{}", stopped["verdict"]);
    assert!((43.9..=44.0).contains(&x), "it stays at the wall: {x}");
    let (passed, [x, z]) = play("ghost");
    assert_eq!((&passed["verdict"], &passed["free"]), (&json!("Passes through wall"), &json!(false)));
    assert!((x - 90.0).abs() < 1e-3 && (z - 20.0).abs() < 1e-3, "it goes all the way: {x}, {z}");
    let events: Vec<&str> =
        passed["events"].as_array().unwrap().iter().map(|event| event[1].as_str().unwrap()).collect();
    assert_eq!(events, ["collides with wall", "has left wall"]);
    let (slid, [x, z]) = play("slide");
    assert!(x <= 44.0 && (z - 20.0).abs() < 0.5, "it goes on along the wall: {x}, {z}");
    assert!(slid["verdict"].as_str().unwrap().contains("held back by contact"), "{}", slid["verdict"]);
    assert!(!slid["forces"].as_array().unwrap().is_empty(), "the wall bears it");
    // What is left out is neither in the way nor the nearest.
    tab.say(json!({ "do": "pair", "a": 0, "b": 1, "on": false }));
    tab.wait("edits");
    tab.say(json!({ "do": "try_path", "body": 1, "path": path }));
    let track = tab.wait("track");
    let verdict = track["verdict"].as_str().unwrap();
    assert!(
        verdict.starts_with("Free, proven along the whole path") && !verdict.contains("at least 0 mm"),
        "{verdict}"
    );
    assert!(track["room"].as_array().unwrap().iter().all(|room| room["to"] == "far"), "{}", track["room"]);
}
