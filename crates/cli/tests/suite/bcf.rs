//! Clashes as BCF topics, and what people said about them back again.

use crate::support::{Folder, exit_code, json, noli, stderr};
use noli_project::bcf::{Bcf, BcfVersion, Comment};
use std::process::Command;

const SCENE: &str = r#"
units = "mm"
[[body]]
name = "plate & <frame>"
box = [1000, 1000, 10]
[[body]]
name = "pin"
box = [100, 100, 600]
[[body]]
name = "storey/IfcWall/2cXV28XOjE6f6irgi0CO28"
box = [100, 100, 100]
pose = { xyz = [400, 400, 50] }
[[body]]
name = "away"
box = [100, 100, 100]
pose = { xyz = [4000, 400, 50] }
"#;

/// Another date for each export, so that nothing else may differ.
fn check(scene: &str, folder: &Folder, options: &[&str], epoch: &str) -> Bcf {
    let path = folder.0.join("out.bcf");
    let (scene, out) = (folder.file("scene.toml", scene), path.to_str().unwrap());
    let mut command = Command::new(env!("CARGO_BIN_EXE_noli"));
    command.args(["check", &scene, "--bcf", out]).args(options).env("SOURCE_DATE_EPOCH", epoch);
    let output = command.output().unwrap();
    assert_ne!(exit_code(&output), 2, "{}", stderr(&output));
    Bcf::from_bytes(&std::fs::read(path).unwrap()).unwrap()
}

#[test]
fn a_topic_for_each_group_with_both_bodies_a_camera_and_a_picture() {
    let folder = Folder::new("bcf-topics");
    for (word, version) in [("2.1", BcfVersion::V2_1), ("3.0", BcfVersion::V3_0)] {
        let bcf = check(SCENE, &folder, &["--bcf-version", word, "--group", "each"], "0");
        assert_eq!((bcf.version, bcf.topics.len()), (version, 2));
        let pinned = bcf.topics.iter().find(|topic| topic.title.contains("pin")).unwrap();
        assert_eq!((pinned.status.as_str(), pinned.kind.as_str()), ("New", "Clash"));
        assert!(pinned.title.starts_with("plate & <frame> / pin: 1 hard"), "{}", pinned.title);
        assert_eq!(pinned.created, "1970-01-01T00:00:00Z");
        let view = &pinned.viewpoints[0];
        let names: Vec<&str> = view.selection.iter().map(|body| body.name.as_str()).collect();
        assert_eq!(names, ["plate & <frame>", "pin"]);
        assert!(view.selection.iter().all(|body| noli_project::clash::is_ifc_guid(&body.ifc_guid)));
        assert_eq!(view.colours.len(), 2);
        // In metres: no farther than a few lengths of the pin.
        let camera = view.camera.unwrap();
        assert!(glam::DVec3::from_array(camera.eye).length() < 2.0, "{camera:?}");
        let png = view.snapshot.as_ref().unwrap();
        assert!(png.starts_with(b"\x89PNG") && png.len() > 2000, "{}", png.len());
        let wall = bcf.topics.iter().find(|topic| topic.title.contains("IfcWall")).unwrap();
        let guids: Vec<&str> =
            wall.viewpoints[0].selection.iter().map(|body| body.ifc_guid.as_str()).collect();
        assert!(guids.contains(&"2cXV28XOjE6f6irgi0CO28"), "{guids:?}");
        // What is written is read back equal, in both versions.
        for version in [BcfVersion::V2_1, BcfVersion::V3_0] {
            let other = Bcf { version, topics: bcf.topics.clone() };
            assert_eq!(Bcf::from_bytes(&other.to_bytes().unwrap()).unwrap(), other);
        }
    }
}

#[test]
fn exporting_again_changes_nothing_but_the_date() {
    let folder = Folder::new("bcf-again");
    let first = check(SCENE, &folder, &[], "0");
    let mut second = check(SCENE, &folder, &[], "1000000000");
    assert_ne!(first, second);
    for topic in &mut second.topics {
        topic.created = first.topics[0].created.clone();
        topic.comments.iter_mut().for_each(|comment| comment.date = topic.created.clone());
    }
    assert_eq!(first, second);
    let bytes = |epoch| check(SCENE, &folder, &[], epoch).to_bytes().unwrap();
    assert_eq!(bytes("5"), bytes("5"));
}

#[test]
fn statuses_and_comments_come_back() {
    let folder = Folder::new("bcf-back");
    let file = folder.0.join("results.json").to_str().unwrap().to_owned();
    let options = ["--results", &file, "--group", "each"];
    let mut bcf = check(SCENE, &folder, &options, "0");
    let pinned = bcf.topics.iter_mut().find(|topic| topic.title.contains("pin")).unwrap();
    pinned.status = "Approved".to_owned();
    pinned.comments.push(Comment {
        guid: "00000000-0000-4000-8000-000000000001".to_owned(),
        date: "2026-01-01T00:00:00Z".to_owned(),
        author: "ann@example.org".to_owned(),
        text: "pressed in".to_owned(),
        viewpoint: None,
    });
    let back = folder.0.join("back.bcf");
    std::fs::write(&back, bcf.to_bytes().unwrap()).unwrap();
    let import = || noli(&["clash", "import", &file, back.to_str().unwrap()]);
    assert_eq!(exit_code(&import()), 0);
    // A second time says nothing new.
    assert!(String::from_utf8_lossy(&import().stdout).contains("0 clashes changed"));
    let scene = folder.file("scene.toml", SCENE);
    let report = json(&noli(&["check", &scene, "--json", "--results", &file]));
    let pairs = report["pairs"].as_array().unwrap();
    let pin = pairs.iter().find(|pair| pair["b"] == "pin").unwrap();
    assert_eq!((&pin["status"], &pin["hit"]), (&"approved".into(), &false.into()));
    assert_eq!(pin["note"], "ann@example.org: pressed in");
    let wall = pairs.iter().find(|pair| pair["b"].as_str().unwrap().contains("IfcWall")).unwrap();
    assert_eq!(wall["status"], "active", "a topic that was not touched says nothing");
    // What is gone stays a topic, resolved.
    let separated = SCENE.replace("[400, 400, 50]", "[400, 400, 500]");
    let after = check(&separated, &folder, &options, "0");
    let gone = after.topics.iter().find(|topic| topic.title.contains("IfcWall")).unwrap();
    assert_eq!(gone.status, "Resolved");
    assert_eq!(gone.guid, bcf.topics.iter().find(|topic| topic.title.contains("IfcWall")).unwrap().guid);
}

#[test]
fn what_is_no_bcf_is_refused() {
    let folder = Folder::new("bcf-wrong");
    assert!(Bcf::from_bytes(b"PK").is_err() && Bcf::from_bytes(b"").is_err());
    let whole = check(SCENE, &folder, &[], "0").to_bytes().unwrap();
    for cut in (0..whole.len()).step_by(whole.len() / 50 + 1) {
        assert!(Bcf::from_bytes(&whole[..cut]).is_err(), "{cut}");
        let mut changed = whole.clone();
        changed[cut] ^= 0x55;
        // Whatever it is taken for, it is no panic.
        let _ = Bcf::from_bytes(&changed);
    }
}

/// An independent reader: the `bcf-client` of Python, where it is installed (`NOLI_PYTHON` names one that has it).
#[test]
fn an_independent_reader_opens_it() {
    let Some(python) = noli_testing::python_with("bcf.v2.bcfxml") else { return };
    let script = r#"
import sys, json
from bcf.bcfxml import load
out = []
with load(sys.argv[1]) as file:
    for guid, topic in sorted(file.topics.items()):
        views = list(topic.viewpoints.values())
        infos = [getattr(view, "visualization_info", None) or view for view in views]
        info = infos[0]
        components = info.components.selection.component
        camera = info.perspective_camera
        out.append({
            "guid": guid,
            "title": topic.topic.title,
            "status": topic.topic.topic_status,
            "selection": [c.ifc_guid for c in components],
            "eye": [camera.camera_view_point.x, camera.camera_view_point.y, camera.camera_view_point.z],
            "comments": len(topic.comments),
            "snapshot": len(views[0].snapshot or b""),
        })
print(json.dumps(out))
"#;
    let folder = Folder::new("bcf-reader");
    for version in ["2.1", "3.0"] {
        let ours = check(SCENE, &folder, &["--bcf-version", version], "0");
        let path = folder.0.join("out.bcf");
        let output = Command::new(&python).args(["-c", script]).arg(&path).output().unwrap();
        assert!(output.status.success(), "{version}: {}", stderr(&output));
        let theirs: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(theirs.as_array().unwrap().len(), ours.topics.len());
        for (their, our) in theirs.as_array().unwrap().iter().zip(&ours.topics) {
            assert_eq!(their["guid"], our.guid);
            assert_eq!(their["title"], our.title);
            assert_eq!(their["status"], our.status);
            let view = &our.viewpoints[0];
            let guids: Vec<&str> = view.selection.iter().map(|body| body.ifc_guid.as_str()).collect();
            assert_eq!(their["selection"], serde_json::json!(guids));
            assert_eq!(their["eye"], serde_json::json!(view.camera.unwrap().eye));
            assert_eq!(their["comments"], our.comments.len());
            assert_eq!(their["snapshot"], view.snapshot.as_ref().unwrap().len());
        }
    }
}
