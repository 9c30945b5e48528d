//! Bodies that are removed together and brought back, changes that cannot be undone, and servers that share a project.

use crate::support::{Studio, Tab, folder};
use noli_serve::{Opening, Project};
use serde_json::{Value, json};

/// A lid on a box, and a body beside them.
const SCENE: &str = r#"units = "mm"
[[body]]
name = "box"
box = [20, 20, 20]

[[body]]
name = "lid"
parent = "box"
box = [20, 20, 2]
pose = { xyz = [0, 0, 11] }

[[body]]
name = "far"
box = [5, 5, 5]
pose = { xyz = [60, 0, 0] }
"#;

fn there(bodies: &Value) -> Vec<&str> {
    let bodies = bodies["bodies"].as_array().unwrap().iter();
    bodies.filter(|body| body["gone"] != true).map(|body| body["name"].as_str().unwrap()).collect()
}

fn say(tab: &mut Tab, command: Value, kind: &str) -> Value {
    tab.say(command);
    tab.wait(kind)
}

#[test]
fn bodies_are_removed_in_one_step_and_come_back_attached_with_their_pairs() {
    let studio = Studio::start_with("together", &[("scene.toml", SCENE)]);
    let mut tab = studio.tab();
    tab.wait("hello");
    let rules = say(&mut tab, json!({ "do": "pair", "a": 1, "b": 2, "on": false }), "rules");
    assert_eq!(rules["by_hand"], json!([[1, 2, false]]));
    // Alone, the box has to stay: the lid is attached to it.
    let refused = say(&mut tab, json!({ "do": "remove", "body": 0, "with": [2] }), "trouble");
    assert!(refused["text"].as_str().unwrap().contains("attached to box"), "{refused}");
    let bodies = say(&mut tab, json!({ "do": "remove", "body": 0, "with": [1, 2, 1] }), "bodies");
    assert_eq!(there(&bodies), [""; 0]);
    assert_eq!(tab.wait("edits")["undo"], "remove 3 bodies");
    let bodies = say(&mut tab, json!({ "do": "undo" }), "bodies");
    assert_eq!(there(&bodies), ["box", "lid", "far"]);
    let rules = tab.wait("rules");
    assert_eq!((&rules["by_hand"], &rules["off"]), (&json!([[1, 2, false]]), &json!([[1, 2]])), "{rules}");
    // The lid moves with its box again.
    let place = json!({ "do": "place", "body": 0, "xyz": [0, 7, 0], "quaternion": [0, 0, 0, 1] });
    let before = studio.tab().wait("hello");
    tab.say(place);
    let moved = [tab.wait("moved"), tab.wait("moved")];
    let of = |body: usize| moved.iter().find(|event| event["body"] == body).expect("both move");
    let scale = before["scale"].as_f64().unwrap();
    for body in [0, 1] {
        let [was, is] = [&before["bodies"][body], of(body)].map(|it| it["at"][1].as_f64().unwrap());
        assert!(((is - was) / scale - 7.0).abs() < 1e-9, "{moved:?}");
    }
    // A saved scene has neither what was removed nor its pairs.
    tab.say(json!({ "do": "remove", "body": 2 }));
    tab.wait("bodies");
    tab.say(json!({ "do": "save" }));
    while tab.wait("edits")["unsaved"] != 0 {}
    let text = std::fs::read_to_string(studio.project().join("scene.toml")).unwrap();
    assert!(!text.contains("far"), "{text}");
}

#[test]
fn a_change_that_cannot_be_undone_stays_the_last_one() {
    let studio = Studio::start_with("stays", &[("scene.toml", SCENE)]);
    let mut tab = studio.tab();
    tab.wait("hello");
    let status = json!({ "do": "status", "a": 0, "b": 1, "status": "approved" });
    assert_eq!(say(&mut tab, status, "edits")["undo"], "box, lid: approved");
    // A folder in place of the file: it cannot be written.
    let file = studio.project().join("scene.review.json");
    std::fs::remove_file(&file).unwrap();
    std::fs::create_dir(&file).unwrap();
    let refused = say(&mut tab, json!({ "do": "undo" }), "trouble");
    assert!(refused["text"].as_str().unwrap().contains("not kept"), "{refused}");
    std::fs::remove_dir(&file).unwrap();
    let edits = say(&mut tab, json!({ "do": "undo" }), "edits");
    assert_eq!((&edits["undo"], &edits["redo"]), (&json!(null), &json!("box, lid: approved")));
    std::fs::create_dir(&file).unwrap();
    say(&mut tab, json!({ "do": "redo" }), "trouble");
    std::fs::remove_dir(&file).unwrap();
    assert_eq!(say(&mut tab, json!({ "do": "redo" }), "edits")["undo"], "box, lid: approved");
}

#[cfg(unix)]
#[test]
fn one_server_at_a_time_has_a_project() {
    let folder = folder("claimed", &[("scene.toml", SCENE), ("other.toml", SCENE)]);
    let path = folder.join("project/scene.toml");
    let open = |file: &str| Project::open(&Opening::Path(folder.join("project").join(file))).unwrap();
    let mut first = open("scene.toml");
    first.claim().unwrap();
    let (mut session, _) = noli_serve::session::Session::new(first).unwrap();
    let taken = open("scene.toml").claim().unwrap_err().to_string();
    assert!(taken.contains("scene.toml") && taken.contains("another `noli serve`"), "{taken}");
    open("other.toml").claim().unwrap();
    // Saving replaces the file, which stays claimed.
    let place = noli_serve::protocol::Command::Margin { value: 0.5 };
    session.handle(1, place);
    session.handle(1, noli_serve::protocol::Command::Save);
    assert!(std::fs::read_to_string(&path).unwrap().contains("margin = 0.5"));
    assert!(open("scene.toml").claim().is_err());
    drop(session);
    open("scene.toml").claim().unwrap();
}
