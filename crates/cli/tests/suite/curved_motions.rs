//! Motions, removals and paths of STEP bodies are decided on their curved surfaces, also among meshes.

use super::curved::pair;
use crate::support::{Folder, exit_code, json, noli, stderr, stdout};
use noli_testing::Step;
use serde_json::Value;

/// Motions of STEP bodies are decided on their surfaces, against a mesh too; against a capsule on triangles, and say so with
/// the distance of these from the surfaces.
#[test]
fn motions_are_decided_on_surfaces() {
    let folder = Folder::new("curved-motion");
    let mut step = Step::default();
    let shaft = step.ring("shaft", [0.0, 10.0], [0.0, 40.0]);
    folder.file("shaft.step", step.text(&[shaft]));
    let scene = |still: &str| {
        format!(
            "units = 'mm'\n[[body]]\nname = 'still'\n{still}\n\
             [[body]]\nname = 'lifted'\nfile = 'shaft.step'\npose = {{ xyz = [30, 0, 0] }}\n\
             [[motion]]\nbody = 'lifted'\nkind = 'straight'\nto = {{ xyz = [30, 0, 50] }}\nseconds = 1\n"
        )
    };
    let curved = folder.file("curved.toml", scene("file = 'shaft.step'"));
    // Near enough to be tested.
    let near = "pose = { xyz = [20, 9.5, 30] }";
    let mesh = folder.file("mesh.toml", scene(&format!("box = [2, 2, 2]\n{near}")));
    let mixed = folder.file("mixed.toml", scene(&format!("capsule = {{ radius = 1, length = 2 }}\n{near}")));
    for arguments in [&["sweep"][..], &["play"], &["remove", "lifted"]] {
        let command = |scene: &str| {
            let mut command = vec![arguments[0].to_owned(), scene.to_owned()];
            command.extend(arguments[1..].iter().map(|argument| (*argument).to_owned()));
            command
        };
        let run = |command: &[String]| {
            let command: Vec<&str> = command.iter().map(String::as_str).collect();
            noli(&command)
        };
        let with_json = |scene: &str| run(&[command(scene), vec!["--json".to_owned()]].concat());
        for scene in [&curved, &mesh] {
            let output = with_json(scene);
            assert_eq!(exit_code(&output), 0, "{arguments:?}: {}", stderr(&output));
            assert!(json(&output).get("tessellation").is_none(), "{arguments:?}: {}", stdout(&output));
            let text = stdout(&run(&command(scene)));
            assert!(!text.contains("triangles of"), "{arguments:?}: {text}");
        }
        let report = json(&with_json(&mixed));
        let found = &report["tessellation"];
        assert_eq!(found["bodies"], 1, "{arguments:?}: {report}");
        let error = found["error"].as_f64().unwrap();
        assert!(error > 0.0 && error < 0.5, "{arguments:?}: {report}");
        let text = stdout(&run(&command(&mixed)));
        assert!(text.contains("the triangles of 1 body, each within"), "{arguments:?}: {text}");
        assert!(!text.contains("(proven;") && !text.contains("every moment:"), "{arguments:?}: {text}");
    }
    // Bodies that are given as triangles are decided as they are.
    let boxes = "units = 'mm'\n[[body]]\nname = 'still'\nbox = [1, 1, 1]\n[[body]]\nname = 'lifted'\nbox = [1, 1, 1]\n\
                 pose = { xyz = [3, 0, 0] }\n[[motion]]\nbody = 'lifted'\nkind = 'straight'\nto = { xyz = [3, 0, 5] }\nseconds = 1\n";
    let report = json(&noli(&["sweep", &folder.file("boxes.toml", boxes), "--json"]));
    assert!(report.get("tessellation").is_none(), "{report}");
}

/// A shaft with 0.0075 of play, whose triangles intersect those of its bush, is drawn out of it; aslant it stops where the
/// play ends, in millimetres and in metres.
#[test]
fn a_shaft_is_drawn_from_its_bush() {
    let folder = Folder::new("curved-drawn");
    for (name, radii, heights) in
        [("bush", [10.0, 20.0], [0.0, 15.0]), ("shaft", [0.0, 9.9925], [-5.0, 30.0])]
    {
        let mut step = Step::default();
        let solid = step.ring(name, radii, heights);
        folder.file(&format!("{name}.step"), step.text(&[solid]));
    }
    for (units, unit) in [("mm", 1.0), ("m", 1e-3)] {
        let scene = |x: f64, z: f64| {
            let text = format!(
                "units = '{units}'\n[[body]]\nname = 'bush'\nfile = 'bush.step'\n\
                 [[body]]\nname = 'shaft'\nfile = 'shaft.step'\n\
                 [[motion]]\nbody = 'shaft'\nkind = 'straight'\nto = {{ xyz = [{:?}, 0, {:?}] }}\nseconds = 1\n",
                x * unit,
                z * unit
            );
            folder.file("scene.toml", text)
        };
        let path = scene(0.0, 60.0);
        for command in [&["sweep", &path, "--json"][..], &["play", &path, "--json"]] {
            let output = noli(command);
            assert_eq!(exit_code(&output), 0, "{command:?}: {}", stdout(&output));
        }
        let report = json(&noli(&["remove", &path, "shaft", "--json", "--steps", "200"]));
        assert_eq!((&report["verdict"], &report["proven"]), (&"found".into(), &true.into()), "{report}");
        assert!(report.get("tessellation").is_none() && report["starts_in_contact"] == false, "{report}");
        // Its play ends after 0.075 of the way.
        let path = scene(0.1, 10.0);
        let output = noli(&["sweep", &path, "--json"]);
        assert_eq!(exit_code(&output), 1, "{}", stdout(&output));
        let report = json(&output);
        let impact = &report["impacts"][0];
        assert_eq!((&impact["impact"], &impact["guarantee"]), (&"at".into(), &"curved".into()), "{report}");
        let [safe, by] = ["safe_until", "touching_by"].map(|field| impact[field].as_f64().unwrap());
        assert!(safe <= 0.075 && safe > 0.0745 && by >= safe && by < 0.0755, "{report}");
        let [x, y, _] = [0, 1, 2].map(|axis| impact["point"][axis].as_f64().unwrap() / unit);
        assert!((x.hypot(y) - 10.0).abs() < 1e-2, "{report}");
        let output = noli(&["play", &path, "--json"]);
        assert_eq!(exit_code(&output), 1, "{}", stdout(&output));
    }
}

/// A pin that is a mesh or a primitive, with 0.0075 of play in a STEP bush: checked, drawn out and studied on the surfaces.
#[test]
fn meshes_in_step_bodies_are_decided_on_surfaces() {
    let folder = Folder::new("curved-mesh");
    let mut step = Step::default();
    let bush = step.ring("bush", [10.0, 20.0], [0.0, 15.0]);
    folder.file("bush.step", step.text(&[bush]));
    // The vertices of a square pin are 0.0075 from the bore.
    let edge = 9.9925 * 2f64.sqrt();
    let close = |value: &Value, wanted: f64| (value.as_f64().unwrap() - wanted).abs() < 1e-6;
    for (pin, unit) in [
        (format!("box = [{edge:?}, {edge:?}, 40]"), "mm"),
        ("cylinder = { radius = 9.9925, height = 40 }".to_owned(), "mm"),
        (format!("box = [{:?}, {:?}, 0.04]", edge * 1e-3, edge * 1e-3), "m"),
    ] {
        let scale = if unit == "mm" { 1.0 } else { 1e-3 };
        let scene = |to: [f64; 2], table: &str| {
            let [x, z] = to.map(|length| length * scale);
            folder.file(
                "scene.toml",
                format!(
                    "units = '{unit}'\n[[body]]\nname = 'bush'\nfile = 'bush.step'\n\
                     [[body]]\nname = 'pin'\n{pin}\n{table}\nkind = 'straight'\nto = {{ xyz = [{x:?}, 0, {z:?}] }}\n"
                ),
            )
        };
        let drawn = scene([0.0, 60.0], "[[motion]]\nbody = 'pin'\nseconds = 1");
        let report = json(&noli(&["check", &drawn, "--json"]));
        let found = pair(&report, "bush", "pin");
        assert_eq!(
            (&found["relation"], &found["guarantee"]),
            (&"separated".into(), &"curved".into()),
            "{found}"
        );
        assert!(close(&found["clearance"]["at_least"], 0.0075 * scale), "{found}");
        for command in ["sweep", "play"] {
            let output = noli(&[command, &drawn, "--json"]);
            assert_eq!(exit_code(&output), 0, "{command}: {}", stdout(&output));
            assert!(json(&output).get("tessellation").is_none(), "{command}: {}", stdout(&output));
        }
        let text = stdout(&noli(&["play", &drawn]));
        let least = if unit == "mm" { "at least 0.00735 mm" } else { "at least 7.3" };
        assert!(text.contains("free, proven") && text.contains(least), "{text}");
        let report = json(&noli(&["remove", &drawn, "pin", "--json", "--steps", "200"]));
        assert_eq!((&report["verdict"], &report["proven"]), (&"found".into(), &true.into()), "{report}");
        // A given path, aslant: its play ends.
        let removal = "[[removal]]\nname = 'out'\npart = 'pin'";
        for (to, verdict) in [([0.0, 60.0], "found"), ([0.5, 60.0], "blocked")] {
            let report = json(&noli(&["study", &scene(to, removal), "--json"]));
            let found = &report["removals"][0];
            assert_eq!(found["verdict"], verdict, "{report}");
            assert!(found.get("tessellation").is_none(), "{report}");
            // In reverse, and between the times too, it is what the surfaces say.
            if verdict == "found" {
                let (curve, insertion) = (found["curve"].as_array().unwrap(), &found["insertion_proven"]);
                assert_eq!(insertion, true, "{report}");
                assert!(close(&curve[0]["clearance_at_least"], 0.0075 * scale), "{report}");
            }
        }
    }
}

/// The table of clearances along a path has those of the surfaces: of a shaft in its bush, and free of it.
#[test]
fn clearances_along_a_path_are_those_of_surfaces() {
    let folder = Folder::new("curved-path");
    for (name, radii, heights) in
        [("bush", [10.0, 20.0], [0.0, 15.0]), ("shaft", [0.0, 9.9925], [-5.0, 30.0])]
    {
        let mut step = Step::default();
        let solid = step.ring(name, radii, heights);
        folder.file(&format!("{name}.step"), step.text(&[solid]));
    }
    let scene = |x: f64| {
        let text = format!(
            "units = 'mm'\n[[body]]\nname = 'bush'\nfile = 'bush.step'\n[[body]]\nname = 'shaft'\nfile = 'shaft.step'\n\
             [[motion]]\nbody = 'shaft'\nkind = 'straight'\nto = {{ xyz = [{x:?}, 0, 60] }}\nseconds = 1\n"
        );
        folder.file("scene.toml", text)
    };
    let text = stdout(&noli(&["play", &scene(0.0)]));
    for part in
        ["Removal study", "free, proven", "with a clearance of at least 0.00735 mm", "30.00      10.00"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains("triangles of"), "{text}");
    let text = stdout(&noli(&["play", &scene(0.5)]));
    assert!(text.contains("blocked by bush after 0.9"), "{text}");
}
