//! Kinds, ids, groups and the life of clashes over several checks.

use crate::support::{Folder, data, exit_code, json, noli, stderr, stdout};
use serde_json::Value;
use std::collections::BTreeSet;

/// A pin through a plate, a cup with a sphere in it, two copies of a block, blocks that touch and blocks that are close.
fn scene(pin_z: f64, rules: &str) -> String {
    format!(
        r#"
units = "mm"
[[body]]
name = "plate"
box = [10, 10, 1]
[[body]]
name = "pin"
box = [1, 1, 6]
pose = {{ xyz = [0, 0, {pin_z}] }}
[[body]]
name = "shell"
box = [4, 4, 4]
pose = {{ xyz = [20, 0, 0] }}
[[body]]
name = "core"
box = [1, 1, 1]
pose = {{ xyz = [20, 0, 0] }}
[[body]]
name = "copy.1"
box = [2, 2, 2]
pose = {{ xyz = [40, 0, 0] }}
[[body]]
name = "copy.2"
box = [2, 2, 2]
pose = {{ xyz = [40, 0, 0] }}
[[body]]
name = "wall.1"
box = [2, 2, 2]
pose = {{ xyz = [60, 0, 0] }}
[[body]]
name = "wall.2"
box = [2, 2, 2]
pose = {{ xyz = [62, 0, 0] }}
[[body]]
name = "wall.3"
box = [2, 2, 2]
pose = {{ xyz = [64.25, 0, 0] }}
[check]
margin = 0.5
{rules}
"#
    )
}

fn pair<'r>(report: &'r Value, a: &str, b: &str) -> &'r Value {
    let fits = |pair: &&Value| pair["a"] == a && pair["b"] == b;
    report["pairs"].as_array().unwrap().iter().find(fits).unwrap_or_else(|| panic!("no pair {a} {b}"))
}

fn check(folder: &Folder, text: &str, options: &[&str]) -> (i32, Value) {
    let scene = folder.file("scene.toml", text);
    let output = noli(&[&["check", &scene, "--json"], options].concat());
    assert_ne!(exit_code(&output), 2, "{}", stderr(&output));
    (exit_code(&output), json(&output))
}

fn ids(list: &Value) -> BTreeSet<String> {
    list.as_array().unwrap().iter().map(|clash| clash["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn every_clash_has_a_kind_an_id_a_group_and_a_status() {
    let folder = Folder::new("clash-kinds");
    let (code, report) = check(&folder, &scene(0.0, ""), &[]);
    assert_eq!(code, 1);
    let kinds = [
        ("plate", "pin", "hard"),
        ("shell", "core", "inside"),
        ("copy.1", "copy.2", "duplicate"),
        ("wall.1", "wall.2", "touching"),
        ("wall.2", "wall.3", "clearance"),
    ];
    for (a, b, kind) in kinds {
        let found = pair(&report, a, b);
        assert_eq!((&found["kind"], &found["status"]), (&kind.into(), &"new".into()), "{a} {b}");
        assert_eq!(found["id"].as_str().unwrap().len(), 36);
    }
    assert_eq!(pair(&report, "plate", "pin")["manner"], "piercing");
    let deep = check(&folder, &scene(2.75, ""), &[]).1;
    assert_eq!(pair(&deep, "plate", "pin")["manner"], "protruding");
    assert_eq!(pair(&report, "wall.1", "wall.2")["group"], "wall.2", "the body that both have in common");
    assert_eq!(pair(&report, "wall.2", "wall.3")["group"], "wall.2");
    assert_eq!(report["groups"].as_array().unwrap().len(), 4);
    // The same ids whichever way the files are named, and for whatever order of bodies.
    let again = check(&folder, &scene(0.0, ""), &["--group", "each"]).1;
    for (a, b, _) in kinds {
        assert_eq!(pair(&report, a, b)["id"], pair(&again, a, b)["id"]);
        assert_eq!(pair(&again, a, b)["group"], format!("{a} / {b}"));
    }
    let near = check(&folder, &scene(0.0, ""), &["--group", "near:8"]).1;
    assert_eq!(near["groups"].as_array().unwrap().len(), 4, "both contacts of the middle wall are close");
    let apart = check(&folder, &scene(0.0, ""), &["--group", "near:1e-300"]).1;
    assert_eq!(apart["groups"].as_array().unwrap().len(), 5, "cells beyond all numbers: each on its own");
    assert_eq!(exit_code(&noli(&["check", "--demo", "--group", "near:0"])), 2);
}

#[test]
fn statuses_are_kept_over_reruns() {
    let folder = Folder::new("clash-life");
    let file = folder.0.join("results.json").to_str().unwrap().to_owned();
    let results = ["--results", &file];
    let first = check(&folder, &scene(0.0, ""), &results).1;
    assert_eq!(first["summary"]["hits"], 5);
    let id = |a, b| pair(&first, a, b)["id"].as_str().unwrap().to_owned();
    let second = check(&folder, &scene(0.0, ""), &results).1;
    assert_eq!(pair(&second, "plate", "pin")["status"], "active");
    assert_eq!(second["against"]["still"].as_array().unwrap().len(), 5);

    // Everything but the pin is approved, the pin reviewed: only the pin counts.
    let others = ["shell,core", "copy.1,copy.2", "wall.1,wall.2", "wall.2,wall.3"].map(|pair| {
        let (a, b) = pair.split_once(',').unwrap();
        id(a, b)
    });
    let others: Vec<&str> = others.iter().map(|id| &id[..13]).collect();
    let set =
        [&["clash", "set", &file], &others[..], &["--status", "approved", "--note", "as drawn"]].concat();
    assert_eq!(exit_code(&noli(&set)), 0);
    let pin = id("plate", "pin");
    assert_eq!(exit_code(&noli(&["clash", "set", &file, &pin, "--status", "reviewed"])), 0);
    let (code, third) = check(&folder, &scene(0.0, ""), &results);
    assert_eq!((code, &third["summary"]["hits"], &third["summary"]["approved"]), (1, &1.into(), &4.into()));
    assert_eq!(pair(&third, "shell", "core")["note"], "as drawn");
    assert_eq!(pair(&third, "plate", "pin")["status"], "reviewed");
    assert_eq!(exit_code(&noli(&["clash", "set", &file, &pin, "--status", "approved"])), 0);
    let (code, fourth) = check(&folder, &scene(0.0, ""), &results);
    assert_eq!((code, &fourth["outcome"]), (0, &"free".into()), "approved clashes are no hits");

    // What was approved and changes is open again; nothing else is.
    let (code, fifth) = check(&folder, &scene(0.25, ""), &results);
    assert_eq!((code, &fifth["summary"]["hits"]), (1, &1.into()));
    let pin_now = pair(&fifth, "plate", "pin");
    assert_eq!((&pin_now["status"], &pin_now["reopened"]), (&"active".into(), &true.into()));
    assert_eq!(ids(&fifth["against"]["changed"]), BTreeSet::from([pin.clone()]));
    assert_eq!(fifth["against"]["bodies"]["changed"], serde_json::json!(["pin"]));

    // Out of the plate: gone. Back again: the same clash, open.
    let (code, sixth) = check(&folder, &scene(50.0, ""), &results);
    assert_eq!((code, ids(&sixth["against"]["gone"])), (0, BTreeSet::from([pin.clone()])));
    let listed = noli(&["clash", "list", &file, "--status", "resolved", "--json"]);
    assert_eq!(json(&listed)["clashes"].as_array().unwrap().len(), 1);
    let seventh = check(&folder, &scene(0.25, ""), &results).1;
    let back = pair(&seventh, "plate", "pin");
    assert_eq!(
        (&back["id"], &back["status"], &back["reopened"]),
        (&pin.into(), &"active".into(), &true.into())
    );
    assert_eq!(ids(&seventh["against"]["new"]).len(), 1);
}

#[test]
fn nothing_is_resolved_by_not_looking() {
    let folder = Folder::new("clash-not-asked");
    let file = folder.0.join("results.json").to_str().unwrap().to_owned();
    check(&folder, &scene(0.0, ""), &["--results", &file]);
    for options in [["--skip", "pin"], ["--touching", "ignore"], ["--steps", "0"]] {
        let report = check(&folder, &scene(0.0, ""), &[&options[..], &["--results", &file]].concat()).1;
        assert_eq!(ids(&report["against"]["gone"]).len(), 0, "{options:?}");
        assert!(!ids(&report["against"]["not_asked"]).is_empty(), "{options:?}");
    }
    let all = check(&folder, &scene(0.0, ""), &["--results", &file]).1;
    assert_eq!(ids(&all["against"]["still"]).len(), 5);
}

#[test]
fn a_check_is_compared_with_a_report() {
    let folder = Folder::new("clash-against");
    let old = folder.0.join("old.json").to_str().unwrap().to_owned();
    let json = format!("--json={old}");
    let path = folder.file("scene.toml", scene(0.0, ""));
    assert_eq!(exit_code(&noli(&["check", &path, &json])), 1);
    let moved = scene(50.0, "").replace("[20, 0, 0]", "[20, 0, 0.5]");
    let (_, report) = check(&folder, &moved, &["--against", &old]);
    let against = &report["against"];
    assert_eq!(
        [&against["new"], &against["gone"], &against["changed"]].map(|list| ids(list).len()),
        [0, 1, 1]
    );
    assert_eq!(against["bodies"]["changed"], serde_json::json!(["pin", "shell", "core"]));
    assert_eq!(pair(&report, "copy.1", "copy.2")["status"], "active");
    let path = folder.file("scene.toml", scene(0.0, ""));
    let output = noli(&["check", &path, "--against", &old]);
    assert!(stdout(&output).contains("0 new, 5 still there (0 changed), 0 gone"), "{}", stdout(&output));
    let wrong = noli(&["check", &path, "--against", &path]);
    assert!(exit_code(&wrong) == 2 && stderr(&wrong).contains("neither results nor a report"));
    assert_eq!(exit_code(&noli(&["check", &path, "--against", "missing.json"])), 2);
}

/// Another name is not another body, if shape and place are the same.
#[test]
fn a_renamed_body_keeps_its_clash() {
    let folder = Folder::new("clash-renamed");
    let file = folder.0.join("results.json").to_str().unwrap().to_owned();
    let first = check(&folder, &scene(0.0, ""), &["--results", &file]).1;
    let renamed = scene(0.0, "").replace("\"pin\"", "\"dowel\"");
    for _ in 0..2 {
        let report = check(&folder, &renamed, &["--results", &file]).1;
        let now = pair(&report, "plate", "dowel");
        assert_eq!((&now["id"], &now["status"]), (&pair(&first, "plate", "pin")["id"], &"active".into()));
        assert_eq!(ids(&report["against"]["new"]).len(), 0);
    }
}

#[test]
fn what_is_so_by_design_is_counted_and_no_hit() {
    let folder = Folder::new("clash-design");
    let rules = r#"
[[check.exclude]]
pair = ["pin", "pl*"]
reason = "pressed in"
[[check.exclude]]
body = "wall.*"
kinds = ["touching"]
[[check.exclude]]
groups = ["boxes", "boxes"]
[[group]]
name = "boxes"
bodies = ["shell", "core"]
[[check.clash_groups]]
name = "walls"
pair = ["wall.*", "wall.*"]
"#;
    // `[[group]]` ends the table of the check, whose lists go on below it by their full names.
    let (code, report) = check(&folder, &scene(0.0, rules), &["--exclude", "copy.1,copy.2"]);
    let counts: Vec<i64> =
        report["exclusions"].as_array().unwrap().iter().map(|rule| rule["pairs"].as_i64().unwrap()).collect();
    assert_eq!((code, counts), (1, vec![1, 1, 1, 1]));
    assert_eq!((&report["summary"]["hits"], &report["summary"]["excluded"]), (&1.into(), &4.into()));
    assert_eq!(report["exclusions"][0]["new"], serde_json::json!([pair(&report, "plate", "pin")["id"]]));
    assert_eq!(pair(&report, "plate", "pin")["excluded_by"], 0);
    assert_eq!(pair(&report, "wall.2", "wall.3")["group"], "walls");
    let (code, report) = check(&folder, &scene(0.0, rules), &["--exclude", "copy.*", "--exclude", "wall.*"]);
    assert_eq!((code, &report["outcome"]), (0, &"free".into()));
    for wrong in ["body = 'nobody'", "groups = ['a', 'b']", "pair = ['pin']", "reason = 'none'"] {
        let path = folder.file("wrong.toml", scene(0.0, &format!("[[check.exclude]]\n{wrong}\n")));
        assert_eq!(exit_code(&noli(&["check", &path])), 2, "{wrong}");
    }
}

/// Blocks that reach into each other by 0.25: permitted or not, the verdict is exact bookkeeping on a proven depth.
#[test]
fn permitted_overlap_is_counted_and_no_hit() {
    let folder = Folder::new("clash-tolerance");
    let blocks = |rules: &str| {
        let block = |name: &str, x: f64| {
            format!("[[body]]\nname = '{name}'\nbox = [2, 2, 2]\npose = {{ xyz = [{x}, 0, 0] }}\n")
        };
        [block("a", 0.0), block("b", 1.75), block("c", 3.75), block("d", 4.75)].concat() + rules
    };
    let kept = |report: &Value| {
        ["a b", "b c", "c d"].map(|names| {
            let (a, b) = names.split_once(' ').unwrap();
            pair(report, a, b)["within_tolerance"] == true
        })
    };
    // a and b by 0.25, b and c touch, c and d by 1.
    let (code, report) = check(&folder, &blocks(""), &["--tolerance", "0.3"]);
    assert_eq!((code, kept(&report)), (1, [true, true, false]));
    assert_eq!((&report["summary"]["within_tolerance"], &report["summary"]["hits"]), (&2.into(), &1.into()));
    assert_eq!(pair(&report, "a", "b")["kind"], "hard", "what it is does not depend on what is permitted");
    assert_eq!(check(&folder, &blocks(""), &["--tolerance", "0.2"]).1["summary"]["hits"], 2);
    let (code, report) = check(&folder, &blocks(""), &["--tolerance", "1.1"]);
    assert_eq!((code, &report["outcome"]), (0, &"free".into()));
    let rules = "[check]\ntolerance = 0.3\ntolerances = [{ pair = ['d', '*'], tolerance = 1.1 }]\n";
    assert_eq!(check(&folder, &blocks(rules), &[]).0, 0);
    assert_eq!(check(&folder, &blocks(rules), &["--tolerance", "0.1"]).1["summary"]["hits"], 1);
}

/// Three elements of a real building are moved: the bodies and clashes that changed are theirs, and no others.
#[test]
fn three_moved_elements_of_a_building_are_exactly_those_reported() {
    let Some(data) = data("ifc") else { return };
    let folder = Folder::new("clash-building");
    let text = std::fs::read_to_string(data.join("pcert-building.obj")).unwrap();
    let (mut moved, mut names, mut objects) = (String::new(), Vec::new(), 0);
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("o ") {
            objects += 1;
            names.extend([5, 12, 20].contains(&objects).then(|| name.to_owned()));
        }
        let is_moved = [5, 12, 20].contains(&objects);
        match line.strip_prefix("v ").filter(|_| is_moved) {
            Some(rest) => {
                let x: Vec<f64> = rest.split_whitespace().map(|x| x.parse().unwrap()).collect();
                moved += &format!("v {} {} {}\n", x[0] + 0.125, x[1], x[2] + 0.25);
            }
            None => moved += &format!("{line}\n"),
        }
    }
    let (before, after) = (folder.file("building.obj", &text), folder.file("moved.obj", &moved));
    let file = folder.0.join("results.json").to_str().unwrap().to_owned();
    let first = json(&noli(&["check", &before, "--json", "--results", &file]));
    let report = json(&noli(&["check", &after, "--json", "--results", &file]));
    let against = &report["against"];
    let changed: BTreeSet<&str> =
        against["bodies"]["changed"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    assert_eq!(changed, names.iter().map(String::as_str).collect());
    for list in ["new", "gone", "changed"] {
        for clash in against[list].as_array().unwrap() {
            let is_theirs = ["a", "b"].iter().any(|end| changed.contains(clash[*end].as_str().unwrap()));
            assert!(is_theirs, "{list}: {clash}");
        }
    }
    let told = ids(&against["new"]).len() + ids(&against["gone"]).len() + ids(&against["changed"]).len();
    assert!(told >= 3, "{told}");
    // And every clash that they have or had is told.
    let theirs = |report: &Value| -> BTreeSet<String> {
        let pairs = report["pairs"].as_array().unwrap().iter().filter(|pair| !pair["status"].is_null());
        let of = |pair: &&Value| ["a", "b"].iter().any(|end| changed.contains(pair[*end].as_str().unwrap()));
        pairs.filter(of).map(|pair| pair["id"].as_str().unwrap().to_owned()).collect()
    };
    let all: BTreeSet<String> = theirs(&first).union(&theirs(&report)).cloned().collect();
    let lists = [&against["new"], &against["gone"], &against["changed"]].map(ids);
    assert_eq!(lists.into_iter().flatten().collect::<BTreeSet<_>>(), all);
}

/// Users edit results files: an id may be shorter than what is shown of one, or have a letter of two bytes there.
#[test]
fn ids_of_an_edited_file_are_shown_whole() {
    let folder = Folder::new("clash-edited-ids");
    let file = folder.0.join("results.json").to_str().unwrap().to_owned();
    check(&folder, &scene(0.0, ""), &["--results", &file]);
    let mut results: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    for clash in results["clashes"].as_array_mut().unwrap() {
        (clash["id"], clash["group"]) = ("1234567é".into(), Value::Null);
    }
    std::fs::write(&file, results.to_string()).unwrap();
    let moved = folder.file("moved.toml", scene(50.0, ""));
    let compared = noli(&["check", &moved, "--against", &file]);
    assert!(stdout(&compared).contains("pin  [1234567é]"), "{}{}", stdout(&compared), stderr(&compared));
    let near = check(&folder, &scene(0.0, ""), &["--results", &file, "--group", "near:8"]).1;
    assert_eq!(pair(&near, "plate", "pin")["group"], "near 1234567é");
}
