//! Messages of the panels of `noli-lab serve`.

use crate::support::Folder;
use noli_lab::panels;
use noli_serve::protocol::Command;
use noli_serve::session::Session;
use noli_serve::{Opening, Project};
use serde_json::{Value, json};
use std::path::Path;

const SCENE: &str = "[[body]]\nname = 'a'\nbox = [1, 1, 1]\n[[body]]\nname = 'b'\nbox = [1, 1, 9]\npose = { xyz = [5, 0, 0] }\n";

fn session(opening: &Opening) -> Session {
    Session::with_panels(Project::open(opening).unwrap(), panels::all()).unwrap().0
}

/// The event that a message of a panel is answered with.
fn answer(session: &mut Session, panel: &str, message: Value) -> Value {
    let command = Command::Panel { panel: panel.to_owned(), message };
    let [(_, event)] = &session.handle(1, command).events[..] else { panic!("one event") };
    serde_json::to_value(event).unwrap()
}

#[test]
fn a_level_of_a_hierarchy_is_drawn_and_walked() {
    let folder = Folder::new("panel-tree");
    let mut session = session(&Opening::Path(folder.file("scene.toml", SCENE).into()));
    for volume in ["sphere", "aabb", "obb"] {
        let choice = json!({ "volume": volume, "split": "median", "walk": "hybrid", "degree": 2, "level": 2, "against": 1 });
        let said = answer(&mut session, "tree", json!({ "body": 0, "choice": choice }));
        let tree = &said["message"];
        assert_eq!((&said["say"], &tree["body"]), (&json!("panel"), &json!(0)), "{said}");
        assert!(tree["levels"].as_u64() > Some(2), "{said}");
        assert_eq!(tree["volumes"].as_array().unwrap().len(), 4, "{said}");
        assert_eq!(tree["round"], volume == "sphere");
        assert_eq!(tree["facts"][5], json!(["against b", "the surfaces do not meet"]), "{said}");
    }
    let choice = json!({ "volume": "x", "split": "x", "walk": "x", "degree": 0, "level": 9 });
    for message in [json!({ "body": 0, "choice": choice }), json!({ "body": 0 }), Value::Null] {
        let said = answer(&mut session, "tree", message);
        assert_eq!(said["say"], "trouble", "{said}");
        assert!(!said["help"].as_str().unwrap().is_empty(), "every error says what to do");
    }
}

#[test]
fn records_of_a_folder_are_listed_and_read() {
    let folder = Folder::new("panel-records");
    std::fs::create_dir_all(folder.0.join("lab/record/here")).unwrap();
    folder.file("lab/record/here/demo.json", r#"{ "experiment": "demo", "tables": [] }"#);
    folder.file("lab/record/here/odd.json", "{}");
    folder.file("blocks.obj", crate::support::cubes(&[0.0, 9.0]));
    assert!(panels::all().iter().any(|panel| panel.claims(&folder.0)));
    assert!(
        !panels::all()
            .iter()
            .any(|panel| panel.claims(Path::new(env!("CARGO_MANIFEST_DIR")).join("src").as_path()))
    );
    let mut session = session(&Opening::OfPanel(folder.0.clone()));
    let hello = serde_json::to_value(session.hello(1)).unwrap();
    assert_eq!(hello["bodies"], json!([]), "meshes of such a folder are not opened");
    let listed = json!(["lab/record/here/demo.json", "lab/record/here/odd.json"]);
    assert_eq!(hello["panels"], json!({ "records": listed, "tree": {} }));
    let said = answer(&mut session, "records", json!({ "file": "lab/record/here/demo.json" }));
    assert_eq!(said["message"]["record"]["experiment"], "demo");
    for file in ["lab/record/here/odd.json", "../secret.json", "lab/record/here/none.json"] {
        let said = answer(&mut session, "records", json!({ "file": file }));
        assert_eq!(said["say"], "trouble", "{file}: {said}");
    }
}
