//! STEP bodies are compared on their curved surfaces: fits have their clearance or interference, designed contacts touch.

use crate::support::{Folder, exit_code, json, noli, stderr, stdout};
use noli_testing::Step;
use serde_json::Value;

/// A bush of radius 10 inside, a shaft, and a washer that rests on the bush.
fn fit(shaft: f64) -> String {
    let mut step = Step::default();
    let solids = [
        step.ring("bush", [10.0, 20.0], [0.0, 15.0]),
        step.ring("shaft", [0.0, shaft], [-5.0, 30.0]),
        step.ring("washer", [12.0, 18.0], [15.0, 17.0]),
    ];
    step.text(&solids)
}

fn pair<'r>(report: &'r Value, a: &str, b: &str) -> &'r Value {
    let pairs = report["pairs"].as_array().unwrap();
    pairs.iter().find(|pair| pair["a"] == a && pair["b"] == b).unwrap_or_else(|| panic!("{a} {b}: {report}"))
}

#[test]
fn fits_of_step_files_are_decided_on_their_surfaces() {
    let folder = Folder::new("curved-fit");
    for (shaft, relation, kind) in [
        (9.9925, "separated", Value::Null),
        (10.0, "touching", "touching".into()),
        (10.01, "intersecting", "hard".into()),
    ] {
        let file = folder.file("fit.step", fit(shaft));
        let output = noli(&["check", &file, "--json", "--touching", "ignore"]);
        assert_eq!(exit_code(&output), i32::from(shaft > 10.0), "{}", stderr(&output));
        let report = json(&output);
        let found = pair(&report, "bush", "shaft");
        assert_eq!((&found["relation"], &found["kind"]), (&relation.into(), &kind), "{found}");
        assert_eq!((&found["guarantee"], &found["tolerance"]), (&"curved".into(), &Value::Null), "{found}");
        let close = |value: &Value, wanted: f64| (value.as_f64().unwrap() - wanted).abs() < 1e-6;
        assert!(close(&found["curved"]["fit"], 10.0 - shaft), "{found}");
        assert_eq!(found["curved"]["faces"], serde_json::json!(["bore", "outside"]));
        if shaft < 10.0 {
            assert!(close(&found["clearance"]["at_least"], 10.0 - shaft), "{found}");
            assert!(close(&found["clearance"]["at_most"], 10.0 - shaft), "{found}");
        }
        if shaft > 10.0 {
            assert!(close(&found["interference"]["at_least"], shaft - 10.0), "{found}");
            assert!(close(&found["interference"]["at_most"], shaft - 10.0), "{found}");
            let text = stdout(&noli(&["check", &file]));
            assert!(text.contains("interference (mm)") && text.contains("0.01"), "{text}");
        }
        // Plane faces that coincide by design.
        let rests = pair(&report, "bush", "washer");
        assert_eq!(
            (&rests["relation"], &rests["guarantee"]),
            (&"touching".into(), &"curved".into()),
            "{rests}"
        );
        assert_eq!(rests["curved"]["faces"][0], "top", "{rests}");
        // In another unit, by a scene.
        let scene = "units = 'm'\n[[body]]\nname = 'all'\nfile = 'fit.step'\nsplit = true\n";
        let metres = json(&noli(&["check", &folder.file("scene.toml", scene), "--json"]));
        let found = pair(&metres, "all/bush", "all/shaft");
        assert_eq!(
            (&found["relation"], &found["guarantee"]),
            (&relation.into(), &"curved".into()),
            "{found}"
        );
        assert!((found["curved"]["fit"].as_f64().unwrap() - (10.0 - shaft) * 1e-3).abs() < 1e-9, "{found}");
        let csv = stdout(&noli(&["check", &file, "--csv"]));
        assert!(
            csv.lines().next().unwrap().ends_with(",face_a,face_b,fit") && csv.contains(",bore,outside,"),
            "{csv}"
        );
    }
}

/// Two shafts side by side: their surfaces touch along a line, or overlap by a tenth of a millimetre.
#[test]
fn shafts_side_by_side_touch_or_intersect() {
    let folder = Folder::new("curved-shafts");
    let file = |name: &str| {
        let mut step = Step::default();
        let solid = step.ring(name, [0.0, 10.0], [0.0, 40.0]);
        folder.file(&format!("{name}.step"), step.text(&[solid]))
    };
    file("left");
    file("right");
    for (distance, relation) in [(19.9, "intersecting"), (20.0, "touching")] {
        // Turned, so that edges of the prisms are not opposite to each other.
        let scene = format!(
            "units = 'mm'\n[[body]]\nname = 'left'\nfile = 'left.step'\npose = {{ rpy_deg = [0, 0, 11] }}\n\
             [[body]]\nname = 'right'\nfile = 'right.step'\npose = {{ xyz = [{distance:?}, 0, -7], rpy_deg = [0, 0, 11] }}\n"
        );
        let report = json(&noli(&["check", &folder.file("scene.toml", scene), "--json"]));
        let found = pair(&report, "left", "right");
        assert_eq!(
            (&found["relation"], &found["guarantee"]),
            (&relation.into(), &"curved".into()),
            "{report}"
        );
    }
}

/// Shafts a millionth from the bore, and a thousandth of that: separated by the gap, or touching.
#[test]
fn eccentric_shafts_are_separated_by_their_gap() {
    let folder = Folder::new("curved-eccentric");
    for (name, radii, heights) in
        [("bush", [10.0, 20.0], [0.0, 15.0]), ("shaft", [0.0, 9.9925], [-5.0, 30.0])]
    {
        let mut step = Step::default();
        let solid = step.ring(name, radii, heights);
        folder.file(&format!("{name}.step"), step.text(&[solid]));
    }
    for (gap, relation) in [(1e-5, "separated"), (1e-6, "separated"), (1e-9, "touching"), (0.0, "touching")] {
        let scene = format!(
            "units = 'mm'\n[[body]]\nname = 'bush'\nfile = 'bush.step'\n\
             [[body]]\nname = 'shaft'\nfile = 'shaft.step'\npose = {{ xyz = [{:?}, 0, 0] }}\n",
            0.0075 - gap
        );
        let report = json(&noli(&["check", &folder.file("scene.toml", scene), "--json"]));
        let found = pair(&report, "bush", "shaft");
        assert_eq!(
            (&found["relation"], &found["guarantee"]),
            (&relation.into(), &"curved".into()),
            "{gap}: {found}"
        );
        let number = |field: &Value| field.as_f64().unwrap();
        let [low, high] = ["at_least", "at_most"].map(|end| number(&found["clearance"][end]));
        assert!(low <= gap && (high >= gap || relation == "touching"), "{gap}: {found}");
        // The radial clearance is that of the diameters, wherever the shaft is.
        let curved = &found["curved"];
        assert!((number(&curved["fit"]) - 0.0075).abs() < 1e-12, "{gap}: {found}");
        assert!((number(&curved["offset"]) - (0.0075 - gap)).abs() < 1e-12, "{gap}: {found}");
    }
}

/// A margin equal to the clearance is a hit, a margin off by less than the bracket of the clearance is decided.
#[test]
fn margins_are_decided_within_the_bracket_of_a_clearance() {
    let folder = Folder::new("curved-margin");
    let file = folder.file("fit.step", fit(9.9925));
    for (margin, hit) in [("0.0075", true), ("0.00750001", true), ("0.00749999", false), ("0.0074", false)] {
        let report = json(&noli(&["check", &file, "--json", "--margin", margin, "--only", "bush,shaft"]));
        let found = pair(&report, "bush", "shaft");
        assert_eq!(
            (&found["hit"], &found["guarantee"]),
            (&hit.into(), &"curved".into()),
            "{margin}: {found}"
        );
    }
}

/// Pairs that the surfaces do not decide, and bodies against shapes without faces, are undecided where their triangles are within their
/// error of each other: the bracket of the clearance holds the true one, and a definite verdict is true.
#[test]
fn triangles_within_their_error_decide_nothing() {
    let folder = Folder::new("curved-error");
    let mut step = Step::default();
    let tube = step.tube("tube", 10.0, [0.0, 40.0]);
    let text = step.text(&[tube]);
    folder.file("tube.step", text.replace("ADVANCED_BREP", "MANIFOLD_SURFACE"));
    let other = |x: f64| {
        format!(
            "[[body]]\nname = 'other'\nfile = 'tube.step'\npose = {{ xyz = [{x:?}, 0, -7], rpy_deg = [0, 0, 4] }}\n"
        )
    };
    // A capsule has no surface of the kinds that faces have.
    let capsule = |x: f64| {
        let shape = "capsule = { radius = 1, length = 2 }";
        format!("[[body]]\nname = 'other'\n{shape}\npose = {{ xyz = [{x:?}, 0, 10] }}\n")
    };
    // Surfaces that intersect by 0.005 where their triangles are separated; at a clearance of 0.05; at one of 0.5.
    for (other, clearance, relation, exit) in [
        (other(19.995), 0.0, "undecided", 3),
        (capsule(11.05), 0.05, "undecided", 3),
        (capsule(11.5), 0.5, "separated", 0),
    ] {
        let scene = format!(
            "units = 'mm'\n[[body]]\nname = 'tube'\nfile = 'tube.step'\npose = {{ rpy_deg = [0, 0, 4] }}\n{other}"
        );
        let scene = folder.file("scene.toml", scene);
        let output = noli(&["check", &scene, "--json"]);
        let (report, code) = (json(&output), exit_code(&output));
        let found = pair(&report, "tube", "other");
        assert_eq!(
            (&found["relation"], &found["guarantee"], code),
            (&relation.into(), &"tessellated".into(), exit),
            "{found}"
        );
        let [low, high] = ["at_least", "at_most"].map(|end| found["clearance"][end].as_f64().unwrap());
        assert!(low <= clearance && clearance <= high && high < clearance + 0.4, "{found}");
        if relation == "undecided" {
            let text = stderr(&noli(&["check", &scene]));
            assert!(text.contains("undecided within tessellation error"), "{text}");
            // An overlap that is permitted by the user, and proven to be no more.
            assert_eq!(exit_code(&noli(&["check", &scene, "--tolerance", "0.5"])), 0);
        }
        // A margin between the ends of the bracket is undecided too.
        let margin = format!("{:?}", 0.5 * (low + high));
        let report = json(&noli(&["check", &scene, "--json", "--margin", &margin]));
        assert_eq!(pair(&report, "tube", "other")["relation"], "undecided", "{report}");
    }
}

/// The deviation that is printed is no more than the chord.
#[test]
fn triangles_are_within_the_chord() {
    let folder = Folder::new("curved-chord");
    let file = folder.file("fit.step", fit(9.9925));
    for chord in [0.3, 0.1, 0.02] {
        let text = stderr(&noli(&["check", &file, "--chord", &chord.to_string()]));
        let (_, rest) = text.split_once("triangulated within ").unwrap();
        let deviation: f64 = rest.split(' ').next().unwrap().parse().unwrap();
        assert!(deviation <= chord && deviation > 0.2 * chord, "{chord}: {text}");
    }
}

/// A user who takes bodies as their faces alone gets the verdict on these.
#[test]
fn surfaces_and_kernels_can_be_chosen() {
    let folder = Folder::new("curved-choice");
    let file = folder.file("fit.step", fit(9.9925));
    let report = json(&noli(&["check", &file, "--json", "--as", "surface"]));
    assert!(
        report["pairs"].as_array().unwrap().iter().all(|pair| pair["guarantee"] == "tessellated"),
        "{report}"
    );
    let mut command = std::process::Command::new(crate::PROGRAM);
    let output =
        command.args(["check", &file, "--cad-reader", "kernel"]).env("NOLI_PYTHON", "/nowhere/python");
    let text = stderr(&output.output().unwrap());
    assert!(text.contains("OpenCASCADE"), "{text}");
}

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

/// A shaft of radius 10 that moves along its axis, beside another one.
fn moved_shaft(folder: &Folder, with_other: bool) -> String {
    let mut step = Step::default();
    let shaft = step.ring("shaft", [0.0, 10.0], [0.0, 40.0]);
    folder.file("shaft.step", step.text(&[shaft]));
    let other = "[[body]]\nname = 'still'\nfile = 'shaft.step'\npose = { xyz = [30, 0, 0] }\n";
    let scene = format!(
        "units = 'mm'\n{}[[body]]\nname = 'shaft'\nfile = 'shaft.step'\n[[motion]]\nbody = 'shaft'\nkind = 'straight'\n\
         to = {{ xyz = [0, 0, 20] }}\nseconds = 1\n",
        if with_other { other } else { "" }
    );
    folder.file("scene.toml", scene)
}

/// A certificate is about triangles, which would contradict the verdict on curved surfaces.
#[test]
fn certificates_of_curved_bodies_are_refused() {
    let folder = Folder::new("curved-certificates");
    let scene = moved_shaft(&folder, true);
    let file = folder.file("fit.step", fit(9.9925));
    let shaft = folder.join("shaft.step").display().to_string();
    let states = folder.file("states.csv", "swing\n0\n0.1\n");
    let robot = folder.file(
        "arm.urdf",
        "<robot name='arm'><link name='base'/><link name='arm'><collision><geometry><mesh filename='shaft.step'/></geometry>\
         </collision></link><joint name='swing' type='revolute'><parent link='base'/><child link='arm'/><axis xyz='0 0 1'/>\
         <limit lower='-1' upper='1' effort='1' velocity='1'/></joint></robot>",
    );
    let certificate = folder.join("proof.noli").display().to_string();
    for command in [
        vec!["check", &file, "--certificate", &certificate],
        vec!["check", &scene, "--certificate", &certificate],
        vec!["sweep", &scene, "--certificate", &certificate],
        vec!["remove", &scene, "shaft", "--certificate", &certificate],
        vec!["prove", "motion", &scene, "-o", &certificate],
        vec!["prove", "removal", &scene, "shaft", "-o", &certificate],
        vec!["prove", "pair", &shaft, &file, "-o", &certificate],
        vec![
            "robot",
            "check",
            &robot,
            "--states",
            &states,
            "--around",
            &scene,
            "--certificate",
            &certificate,
        ],
        vec!["robot", "check", "--demo", "--around", &scene, "--certificate", &certificate],
        vec!["prove", "path", &robot, "--states", &states, "--around", &scene, "-o", &certificate],
    ] {
        let output = noli(&command);
        let text = stderr(&output);
        assert_eq!(exit_code(&output), 2, "{command:?}: {text}");
        for part in ["from a CAD file", "statements about triangles", "export it as STL"] {
            assert!(text.contains(part), "{command:?}: {text}");
        }
        assert!(!folder.join("proof.noli").exists(), "{command:?}");
    }
}

/// The mesh of a swept volume encloses the cylinder itself, not only the prism within it.
#[test]
fn swept_volumes_enclose_curved_bodies() {
    let folder = Folder::new("curved-volume");
    let at = |name: &str| folder.join(name).display().to_string();
    let (outer, inner) = (at("outer.obj"), at("inner.obj"));
    // Nothing is in the way: the volume is computed all the same.
    let scene = moved_shaft(&folder, false);
    let output = noli(&["sweep", &scene, "--volume", &outer, "--inner", &inner, "--error", "4", "--json"]);
    assert_eq!(exit_code(&output), 0, "{}", stderr(&output));
    let report = json(&output);
    let volume = &report["volume"];
    let (error, deviation) = (volume["error"].as_f64().unwrap(), volume["tessellation"].as_f64().unwrap());
    assert!(error == 4.0 && deviation > 0.01 && deviation < 0.2, "{volume}");
    let read = |path: &str| noli_formats::read_mesh(path, &noli_formats::ReadOptions::default()).unwrap();
    // Distance from the swept cylinder: radius 10, from 0 to 60.
    let distance = |v: &glam::DVec3| (v.x.hypot(v.y) - 10.0).max(-v.z).max(v.z - 60.0);
    let outside = read(&outer);
    let mut points = outside.vertices().iter().map(distance);
    assert!(points.all(|off| (0.0..=2.0 * error).contains(&off)), "a vertex of the outer mesh");
    let least = outside.iter_triangles().map(|t| (t.vertices[0] + t.vertices[1] + t.vertices[2]) / 3.0);
    assert!(least.map(|at| distance(&at)).all(|off| off >= 0.0), "a face of the outer mesh");
    assert!(
        read(&inner).vertices().iter().all(|v| distance(v) <= -0.5 * deviation),
        "a vertex of the inner mesh"
    );
    let exact = std::f64::consts::PI * 100.0 * 60.0;
    let number = |name: &str| volume[name].as_f64().unwrap();
    assert!(number("inner_volume") < exact && exact < number("outer_volume"), "{volume}");
    let text = stdout(&noli(&["sweep", &scene, "--volume", &outer, "--error", "4"]));
    for part in ["no pair is tested", "of the curved bodies themselves, whose triangles are within 0.1"] {
        assert!(text.contains(part), "{text}");
    }
    // The error cannot be less than what the triangles leave open.
    let output = noli(&["sweep", &scene, "--volume", &outer, "--error", "0.15"]);
    assert_eq!(exit_code(&output), 2);
    assert!(stderr(&output).contains("more than twice that"), "{}", stderr(&output));
    // Without a volume, there is still nothing to be tested.
    assert_eq!(exit_code(&noli(&["sweep", &scene])), 2);
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
