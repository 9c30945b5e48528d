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

pub(crate) fn pair<'r>(report: &'r Value, a: &str, b: &str) -> &'r Value {
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
    // Surfaces that intersect by 0.005 where their triangles are separated; at a clearance of 0.02; at one of 0.5.
    for (other, clearance, relation, exit) in [
        (other(19.995), 0.0, "undecided", 3),
        (capsule(11.02), 0.02, "undecided", 3),
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
