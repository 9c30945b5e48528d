//! Contents of a folder decide what is opened: nothing, files, a scene among other files, data of a panel.

use crate::support::{Studio, Tab, folder};
use noli_serve::protocol::Command;
use noli_serve::session::Session;
use noli_serve::{Opening, Project};
use noli_testing::{Folder, eventually};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Two blocks in one file.
const BLOCKS: &str = "o left\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n\
    o right\nv 5 0 0\nv 6 0 0\nv 5 1 0\nv 5 0 1\nf 5 7 6\nf 5 6 8\nf 5 8 7\nf 6 7 8\n";

fn names(bodies: &Value) -> Vec<&str> {
    bodies["bodies"].as_array().unwrap().iter().map(|body| body["name"].as_str().unwrap()).collect()
}

fn upload(studio: &Studio, name: &str, text: &str) {
    let head = format!(
        "POST /api/upload?name={name} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {}",
        studio.port, studio.token
    );
    let (status, body) = studio.ask(&head, text.as_bytes());
    assert_eq!(status, 201, "{body}");
}

/// The same files in a folder of their own: the server that had them removes its own.
fn copied(from: &Path, to: PathBuf) -> Folder {
    std::fs::create_dir_all(to.join("project")).unwrap();
    for entry in std::fs::read_dir(from).unwrap().flatten() {
        std::fs::copy(entry.path(), to.join("project").join(entry.file_name())).unwrap();
    }
    Folder(to)
}

fn saved(tab: &mut Tab) -> String {
    tab.say(json!({ "do": "save" }));
    loop {
        let event = tab.read().unwrap();
        if event["say"] == "note" || event["say"] == "trouble" {
            return event["text"].as_str().unwrap().to_owned();
        }
    }
}

#[test]
fn an_empty_folder_is_filled_and_becomes_a_scene() {
    let mut studio = Studio::reopen(folder("empty", &[]), "");
    let mut tab = studio.tab();
    let hello = tab.wait("hello");
    assert_eq!(
        (&hello["bodies"], &hello["files"], &hello["can_save"]),
        (&json!([]), &json!([]), &json!(true))
    );
    upload(&studio, "blocks.obj", BLOCKS);
    tab.say(json!({ "do": "add_file", "file": "blocks.obj" }));
    assert_eq!(
        names(&tab.wait("bodies")),
        ["blocks/left", "blocks/right"],
        "objects are bodies of their own"
    );
    tab.say(json!({ "do": "place", "body": 1, "xyz": [10, 20, 30], "quaternion": [0, 0, 0, 1] }));
    tab.say(json!({ "do": "add", "shape": { "kind": "box", "size": [3, 3, 3] } }));
    while tab.wait("edits")["unsaved"] != 3 {}
    // Not saved: the file is found in the folder, and what was done to it is done again.
    studio.end();
    let mut again = Studio::reopen(copied(&studio.project(), studio.folder.join("again")), "");
    let mut tab = again.tab();
    let hello = tab.wait("hello");
    assert_eq!(names(&hello), ["blocks/left", "blocks/right", "box"], "nothing is there twice");
    assert_eq!(hello["edits"]["unsaved"], 3);
    assert_eq!(hello["files"], json!(["blocks.obj"]));
    assert!(saved(&mut tab).contains("Saved as scene.toml"));
    let text = std::fs::read_to_string(again.project().join("scene.toml")).unwrap();
    let scene = noli_project::parse_scene(text.as_bytes()).unwrap();
    assert_eq!(scene.bodies.len(), 3, "{text}");
    assert_eq!(scene.bodies[1].pose.translation.to_array(), [10.0, 20.0, 30.0], "{text}");
    assert!(!again.project().join("studio.jsonl").exists(), "the journal is of the scene now");
    // It goes on as a scene.
    tab.say(json!({ "do": "margin", "value": 0.5 }));
    tab.wait("rules");
    assert!(saved(&mut tab).contains("Saved into scene.toml"));
    again.end();
    let third = Studio::reopen(copied(&again.project(), studio.folder.join("third")), "");
    let hello = third.tab().wait("hello");
    assert_eq!((names(&hello).len(), &hello["rules"]["margin"]), (3, &json!(0.5)));
}

#[test]
fn a_folder_of_files_is_saved_as_a_scene_that_says_the_same() {
    let studio = Studio::reopen(folder("files", &[("blocks.obj", BLOCKS), ("sub/blocks.obj", BLOCKS)]), "");
    let mut tab = studio.tab();
    let hello = tab.wait("hello");
    let before: Vec<String> = names(&hello).into_iter().map(str::to_owned).collect();
    assert_eq!(before.len(), 4, "{before:?}");
    tab.say(json!({ "do": "remove", "body": 0 }));
    tab.wait("edits");
    tab.say(json!({ "do": "place", "body": 3, "xyz": [1, 2, 3], "quaternion": [0, 0, 0, 1] }));
    tab.wait("edits");
    assert!(saved(&mut tab).contains("Saved as scene.toml"));
    let text = std::fs::read_to_string(studio.project().join("scene.toml")).unwrap();
    let scene = noli_project::parse_scene(text.as_bytes()).unwrap();
    let after: Vec<&str> = scene.bodies.iter().map(|body| body.name.as_str()).collect();
    assert_eq!(after, before[1..], "{text}");
    assert_eq!(scene.bodies[2].pose.translation.to_array(), [1.0, 2.0, 3.0], "{text}");
}

#[test]
fn the_only_scene_among_other_files_is_opened_and_a_panel_may_have_a_folder_for_itself() {
    let other = ("Cargo.toml", "[package]\nname = \"x\"\n");
    let scene = ("cell.toml", crate::support::SCENE);
    let studio = Studio::reopen(folder("among", &[other, ("rustfmt.toml", "max_width = 110\n"), scene]), "");
    assert_eq!(names(&studio.tab().wait("hello")), ["wall", "sphere", "far"]);
    let files = [other, ("meshes/blocks.obj", BLOCKS)];
    let kept = folder("claimed", &files);
    let claimed = kept.join("project");
    let project = Project::open(&Opening::OfPanel(claimed.clone())).unwrap();
    let (mut session, _) = Session::with_panels(project, vec![Box::new(crate::support::Slow)]).unwrap();
    let hello = serde_json::to_value(session.hello(1)).unwrap();
    assert_eq!((&hello["panels"], &hello["bodies"]), (&json!({ "slow": { "folder": true } }), &json!([])));
    let message = json!({ "body": 0 });
    let answer = session.handle(1, Command::Panel { panel: "slow".to_owned(), message });
    assert!(serde_json::to_string(&answer.events[0].1).unwrap().contains("there is no body 0"));
    std::fs::remove_dir_all(claimed.parent().unwrap()).unwrap();
}

/// A building far from the origin is drawn as large as a screw.
#[test]
fn a_page_of_nothing_is_measured_by_what_comes_first() {
    let studio = Studio::reopen(folder("measured", &[]), "");
    let (mut tab, mut other) = (studio.tab(), studio.tab());
    let nothing = tab.wait("hello");
    other.wait("hello");
    let house = BLOCKS.replace("v 6 0 0", "v 50000 0 5400000");
    upload(&studio, "house.obj", &house);
    tab.say(json!({ "do": "add_file", "file": "house.obj" }));
    let [mine, yours] = [tab.wait("hello"), other.wait("hello")];
    assert_ne!(mine["you"], yours["you"]);
    assert_ne!(mine["scale"], nothing["scale"]);
    let reach = |body: &Value| crate::support::at(body).iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    for body in mine["bodies"].as_array().unwrap() {
        assert!(reach(body) <= 100.0, "{body}");
    }
    // Once all pairs were compared.
    eventually(|| match studio.own("/api/export/report.csv") {
        (200, _) => Ok(()),
        (_, told) => Err(told),
    });
}

#[test]
fn nothing_is_no_report() {
    let studio = Studio::reopen(folder("no-report", &[]), "");
    studio.tab().wait("hello");
    eventually(|| {
        let (status, told) = studio.own("/api/export/report.json");
        assert_eq!(status, 409, "{told}");
        let is_known = told.contains("nothing to compare") || told.contains("no bodies");
        if is_known { Ok(()) } else { Err(told) }
    });
}

#[test]
fn a_folder_opens_with_the_files_that_can_be_read_and_lists_the_others() {
    let files =
        [("blocks.obj", BLOCKS), ("part.jt", "unread"), ("bad.stl", "so"), ("empty.obj", "v 0 0 0\n")];
    let folder = folder("left-out", &files);
    let opened = Project::open(&Opening::Path(folder.join("project"))).unwrap();
    let (session, _) = Session::new(opened).unwrap();
    let hello = serde_json::to_value(session.hello(1)).unwrap();
    assert_eq!(names(&hello), ["blocks/left", "blocks/right"]);
    let warnings = hello["warnings"].to_string();
    assert!(["part.jt", "bad.stl", "empty.obj"].iter().all(|file| warnings.contains(file)), "{warnings}");
    // Nothing that can be read is an error.
    std::fs::remove_file(folder.join("project/blocks.obj")).unwrap();
    assert!(Project::open(&Opening::Path(folder.join("project"))).is_err());
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn an_upload_that_cannot_be_read_is_refused_and_not_kept() {
    let studio = Studio::start("bad-upload");
    let head = format!(
        "POST /api/upload?name=bad.stl HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {}",
        studio.port, studio.token
    );
    let (status, told) = studio.ask(&head, b"so");
    assert_eq!(status, 422, "{told}");
    assert!(!studio.project().join("bad.stl").exists());
}
