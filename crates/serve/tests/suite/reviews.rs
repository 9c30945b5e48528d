//! Decisions on clashes are kept by the names of bodies; groups move as one.

use crate::support::{Studio, Tab, at};
use serde_json::{Value, json};

const SCENE: &str = r#"units = "mm"
[[body]]
name = "floor"
box = [100, 100, 10]

[[body]]
name = "case"
box = [20, 20, 20]
pose = { xyz = [0, 0, 15] }

[[body]]
name = "post"
box = [4, 4, 4]
pose = { xyz = [0, 0, 27] }

[[body]]
name = "beam"
box = [100, 100, 2]
pose = { xyz = [0, 0, 50] }

[[body]]
name = "pin"
box = [2, 2, 30]
pose = { xyz = [30, 30, 8] }
"#;

fn open(name: &str) -> (Studio, Tab, Value) {
    let studio = Studio::start_with(name, &[("bay.toml", SCENE)]);
    let mut tab = studio.tab();
    let hello = tab.wait("hello");
    (studio, tab, hello)
}

fn number(hello: &Value, name: &str) -> usize {
    let bodies = hello["bodies"].as_array().unwrap();
    bodies.iter().position(|body| body["name"] == name).unwrap()
}

/// Waits for results that have a status, or for a difference to the last ones that has: the shorter of both is sent.
fn reviewed(tab: &mut Tab) -> Value {
    loop {
        let event = tab.read().expect("the server answers");
        let is_found = matches!(event["say"].as_str(), Some("results" | "results_change"));
        if is_found && event["status"].as_array().is_some_and(|status| !status.is_empty()) {
            return event;
        }
    }
}

#[test]
fn a_review_outlives_changes_of_the_scene_file_and_the_server() {
    let (mut studio, mut tab, hello) = open("review");
    let (pin, floor) = (number(&hello, "pin"), number(&hello, "floor"));
    tab.wait("results");
    tab.say(json!({ "do": "status", "a": pin, "b": floor, "status": "approved", "comment": "pressed in" }));
    let results = reviewed(&mut tab);
    assert_eq!(results["status"][0][2], "approved");
    let file = studio.project().join("bay.review.json");
    assert!(std::fs::read_to_string(&file).unwrap().contains("pressed in"), "written with the decision");
    studio.end();
    let scene = studio.project().join("bay.toml");
    std::fs::write(&scene, format!("# another line\n{SCENE}")).unwrap();
    let again = Studio::reopen(studio.folder.clone(), "bay.toml");
    let mut tab = again.tab();
    let hello = tab.wait("hello");
    assert_eq!(hello["edits"]["unsaved"], 0);
    let results = if hello["results"].is_null() { reviewed(&mut tab) } else { hello["results"].clone() };
    assert_eq!(results["status"][0][2], "approved", "{results}");
    assert_eq!(results["status"][0][3], "pressed in");
    // A new status keeps the comment; undo restores both, on disk too.
    tab.say(json!({ "do": "status", "a": floor, "b": pin, "status": "resolved" }));
    assert_eq!(reviewed(&mut tab)["status"][0][3], "pressed in");
    tab.say(json!({ "do": "undo" }));
    assert_eq!(reviewed(&mut tab)["status"][0][2], "approved");
    assert!(std::fs::read_to_string(again.project().join("bay.review.json")).unwrap().contains("approved"));
}

#[test]
fn a_journal_of_an_older_scene_is_announced_in_the_page() {
    let (mut studio, mut tab, hello) = open("older");
    let post = number(&hello, "post");
    tab.say(json!({ "do": "place", "body": post, "xyz": [0, 0, 60], "quaternion": [0, 0, 0, 1] }));
    tab.wait("edits");
    studio.end();
    std::fs::write(studio.project().join("bay.toml"), format!("# edited\n{SCENE}")).unwrap();
    let again = Studio::reopen(studio.folder.clone(), "bay.toml");
    let hello = again.tab().wait("hello");
    let warnings = hello["warnings"].to_string();
    assert!(warnings.contains("set aside"), "{warnings}");
}

#[test]
fn a_group_moves_rigidly_until_any_of_it_touches_and_is_undone_in_one_step() {
    let (_studio, mut tab, hello) = open("group");
    let scale = hello["scale"].as_f64().unwrap();
    let [case, post] = ["case", "post"].map(|name| number(&hello, name));
    let start = [case, post].map(|body| at(&hello["bodies"][body]));
    tab.wait("results");
    let mut pull = |with: Value, z: f64, seq: u64| {
        let to = [start[0][0], start[0][1], start[0][2] + z * scale];
        tab.pull(
            &json!({ "do": "drag", "body": case, "with": with, "seq": seq, "at": to, "turn": [0, 0, 0, 1] }),
        )
    };
    // Alone it cannot move up: the post stands on it.
    let alone = pull(json!([]), 10.0, 1);
    assert_eq!(alone["stopped"]["by"], post, "{alone}");
    assert!(alone["stopped"]["text"].as_str().unwrap().contains("post"), "{alone}");
    // With the post it moves until the post is at the beam: 49 - 29.
    let both = pull(json!([post]), 40.0, 2);
    let reached = (at(&both)[2] - start[0][2]) / scale;
    assert!((19.99..=20.0).contains(&reached), "{reached}: {both}");
    assert_eq!(both["stopped"]["by"], number(&hello, "beam"));
    tab.say(json!({ "do": "drop", "body": case }));
    let edits = loop {
        let edits = tab.wait("edits");
        if edits["undo"] == "move 2 bodies" {
            break edits;
        }
    };
    assert_eq!(edits["unsaved"], 1);
    tab.say(json!({ "do": "undo" }));
    let mut back = [false; 2];
    while back != [true; 2] {
        let moved = tab.wait("moved");
        for (k, body) in [case, post].into_iter().enumerate() {
            back[k] |= moved["body"] == body && at(&moved) == start[k];
        }
    }
}

#[test]
fn a_kept_path_is_listed_played_saved_as_a_removal_and_survives_the_server() {
    let (mut studio, mut tab, hello) = open("paths");
    let post = number(&hello, "post");
    let [x, y, z] = at(&hello["bodies"][post]);
    let scale = hello["scale"].as_f64().unwrap();
    let path = json!([[x, y, z, 0, 0, 0, 1], [x + 60.0 * scale, y, z, 0, 0, 0, 1]]);
    tab.say(json!({ "do": "keep_path", "name": "", "body": post, "path": path }));
    assert!(tab.wait("trouble")["text"].as_str().unwrap().contains("name"));
    tab.say(json!({ "do": "keep_path", "name": "aside", "body": post, "path": path }));
    let plays = tab.wait("plays");
    assert_eq!(plays["plays"][0]["name"], "path aside", "{plays}");
    tab.say(json!({ "do": "play_path", "name": "aside" }));
    let track = tab.wait("track");
    assert_eq!(track["bodies"], json!([post]), "{}", track["verdict"]);
    // Killed: the journal has it.
    studio.end();
    let mut again = Studio::reopen(studio.folder.clone(), "bay.toml");
    let mut tab = again.tab();
    assert_eq!(tab.wait("hello")["plays"][0]["name"], "path aside");
    tab.say(json!({ "do": "save" }));
    assert_eq!(tab.wait("plays")["plays"][0]["name"], "removal aside", "as the scene has it");
    tab.wait("note");
    let saved = std::fs::read_to_string(again.project().join("bay.toml")).unwrap();
    let scene = noli_project::parse_scene(saved.as_bytes()).unwrap();
    assert_eq!((scene.removals[0].name.as_str(), scene.removals[0].part.as_str()), ("aside", "post"));
    again.end();
    let last = Studio::reopen(studio.folder.clone(), "bay.toml");
    let mut tab = last.tab();
    assert_eq!(tab.wait("hello")["plays"][0]["name"], "removal aside");
    tab.say(json!({ "do": "play_removal", "name": "aside" }));
    assert_eq!(tab.wait("track")["verdict"], track["verdict"]);
}
