//! The program as its users meet it: exit codes, messages, JSON.

use crate::support::{Folder, cubes, exit_code, json, noli, stderr, stdout, write_object};
use noli_scenes::cuboid;
use std::process::{Command, Stdio};

#[test]
fn the_demo_shows_one_of_everything() {
    let output = noli(&["check", "--demo"]);
    assert_eq!(exit_code(&output), 1, "{}", stderr(&output));
    let text = stdout(&output);
    for words in [
        "intersecting  hose",
        "B in A        fuses",
        "touching      battery",
        "nearest separated pair",
        "1326 pairs",
        "depth (mm)",
    ] {
        assert!(text.contains(words), "{words:?} is not in\n{text}");
    }
    assert!(!text.contains('\x1b'), "no colours where nobody watches");
}

#[test]
fn the_demo_as_json_has_the_documented_fields() {
    let report = json(&noli(&["check", "--demo", "--json", "--margin", "1.5", "--intersections", "all"]));
    assert_eq!(report["outcome"], "touching");
    assert_eq!(report["units"], "mm");
    assert_eq!(report["margin"], 1.5);
    assert_eq!(report["bodies"].as_array().unwrap().len(), 52);
    for body in report["bodies"].as_array().unwrap() {
        assert_eq!(body["kind"], "solid");
        assert!(
            body["name"].is_string() && body["triangles"].is_u64() && body["not_solid_because"].is_null()
        );
    }
    let pairs = report["pairs"].as_array().unwrap();
    let fields = [
        "a",
        "b",
        "relation",
        "hit",
        "guarantee",
        "margin",
        "clearance",
        "intersections",
        "touches",
        "where",
        "faces",
    ];
    for pair in pairs {
        assert!(fields.iter().all(|field| pair.get(field).is_some()), "{pair}");
        assert!(pair["clearance"]["at_least"].as_f64() <= pair["clearance"]["at_most"].as_f64());
        let segments = pair.get("segments").map_or(0, |segments| segments.as_array().unwrap().len());
        assert_eq!(segments as u64, pair["intersections"].as_u64().unwrap_or(0), "{pair}");
        assert_eq!(pair["guarantee"], "exact");
        assert_eq!(pair.get("which_inside").is_some(), pair["relation"] == "inside", "{pair}");
    }
    // What lies inside comes first, then what crosses, the deepest first.
    assert_eq!((&pairs[0]["relation"], &pairs[2]["relation"]), (&"inside".into(), &"intersecting".into()));
    let intersecting = pairs.iter().filter(|pair| pair["relation"] == "intersecting");
    let depths: Vec<f64> = intersecting.map(|pair| pair["depth"]["at_most"].as_f64().unwrap()).collect();
    assert!(depths.len() == 4 && depths.is_sorted_by(|x, y| x >= y), "{depths:?}");
    // The bulb hangs 1.47 from its housing: at most the margin, so it counts.
    let bulb =
        pairs.iter().find(|pair| pair["b"] == "auxiliary.bulb" && pair["a"] == "auxiliary.housing").unwrap();
    assert_eq!((&bulb["relation"], &bulb["hit"]), (&"separated".into(), &true.into()));
    let summary = &report["summary"];
    assert_eq!(summary["pairs"], 1326);
    assert_eq!(summary["separated_by_boxes"].as_u64().unwrap() as usize + pairs.len(), 1326);
    let hits = pairs.iter().filter(|pair| pair["hit"] == true).count();
    assert_eq!(summary["hits"], hits);
    assert_eq!([&summary["intersecting"], &summary["inside"], &summary["touching"]], [&4, &2, &10]);
    assert!(report["warnings"].as_array().unwrap().is_empty());
}

#[test]
fn exit_codes_tell_the_outcome() {
    let folder = Folder::new("outcome");
    let (intersecting, touching) = (
        folder.file("intersecting.obj", cubes(&[0.0, 1.5])),
        folder.file("touching.obj", cubes(&[0.0, 2.0])),
    );
    let separated = folder.file("apart.obj", cubes(&[0.0, 2.25]));
    let code = |arguments: &[&str]| exit_code(&noli(&[&["check"], arguments].concat()));
    assert_eq!(code(&[&intersecting]), 1);
    assert_eq!(code(&[&touching]), 1);
    assert_eq!(code(&[&touching, "--touching", "ignore"]), 0);
    assert_eq!(code(&[&intersecting, "--touching", "ignore"]), 1);
    assert_eq!(code(&[&separated]), 0);
    assert_eq!(code(&[&separated, "--margin", "0.25"]), 1);
    assert_eq!(code(&[&separated, "--margin", "0.2499"]), 0);
    assert_eq!(code(&[&intersecting, "--steps", "0"]), 3);
    assert_eq!(code(&["no-such-file.obj"]), 2);
    assert_eq!(code(&[]), 2);
    assert_eq!(code(&[&separated, "--margin", "-1"]), 2);
}

#[test]
fn pairs_are_between_files_unless_asked_within() {
    let folder = Folder::new("files");
    let two = folder.file("two.obj", cubes(&[0.0, 1.0]));
    let one = folder.file("one.obj", cubes(&[50.0]));
    let across = noli(&["check", &two, &one]);
    assert_eq!(exit_code(&across), 0, "{}", stdout(&across));
    assert!(stdout(&across).contains("2 pairs"));
    let within = noli(&["check", &two, &one, "--within", "--json"]);
    assert_eq!(exit_code(&within), 1);
    let report = json(&within);
    assert_eq!(report["pairs"][0]["a"], "two/cube0");
    assert_eq!(report["bodies"][2]["name"], "one");
    assert_eq!(report["summary"]["separated_by_boxes"], 2);
    let all = json(&noli(&["check", &two, &one, "--all", "--json"]));
    assert_eq!(all["pairs"].as_array().unwrap().len(), 2);
    assert!(
        all["pairs"]
            .as_array()
            .unwrap()
            .iter()
            .all(|pair| pair["clearance"]["at_least"].as_f64() > Some(47.0))
    );
}

#[test]
fn solids_and_surfaces_differ_inside() {
    let folder = Folder::new("kinds");
    let outer = folder.file("outer.obj", cubes(&[0.0]));
    let mut small = String::new();
    write_object(&mut small, "small", &cuboid(glam::DVec3::splat(0.25)), 0);
    let inner = folder.file("inner.obj", &small);
    let verdict = |arguments: &[&str]| {
        let output = noli(&[&["check", &outer, &inner, "--json"], arguments].concat());
        json(&output)["pairs"][0]["relation"].as_str().unwrap().to_owned()
    };
    assert_eq!(verdict(&[]), "inside");
    assert_eq!(verdict(&["--as", "solid"]), "inside");
    assert_eq!(verdict(&["--as", "surface"]), "separated");
}

#[test]
fn an_open_mesh_is_said_to_be_a_surface() {
    let folder = Folder::new("open");
    let open = folder.file("open.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    let cube = folder.file("cube.obj", cubes(&[9.0]));
    let output = noli(&["check", &open, &cube]);
    assert!(stdout(&output).contains("open is a surface: it has 3 border edges"), "{}", stdout(&output));
    let forced = noli(&["check", &open, &cube, "--as", "solid"]);
    assert!(stderr(&forced).contains("warning: open is taken as a solid"), "{}", stderr(&forced));
}

#[test]
fn errors_name_the_file_the_place_and_a_remedy() {
    let folder = Folder::new("errors");
    let bad = folder.file("bad.obj", "v 0 0 0\nv 1 0 zero\n");
    let output = noli(&["check", &bad]);
    assert_eq!(exit_code(&output), 2);
    assert!(stderr(&output).contains("bad.obj:2:"), "{}", stderr(&output));
    let missing = noli(&["check", "missing.stl", "other.stl"]);
    assert!(stderr(&missing).contains("missing.stl") && stderr(&missing).contains("check the path"));
    let single = noli(&["check", &folder.file("single.obj", cubes(&[0.0])), "--skip", "cube0"]);
    assert_eq!(exit_code(&single), 2);
    assert!(stderr(&single).contains("cube0 is the only body"), "{}", stderr(&single));
    let scene = folder.file("scene.toml", "units = 'mm'\n[[body]]\n");
    assert!(stderr(&noli(&["check", &scene])).contains("scene.toml:2:"));
}

/// `noli check ... | head -1` must not end in a panic.
#[test]
fn a_closed_pipe_is_not_an_error() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_noli"))
        .args(["check", "--demo", "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(exit_code(&output), 1);
    assert_eq!(stderr(&output), "");
}

/// `noli check ... 2>&1 | head -1` ended with 101, the exit code of a panic: standard error was closed.
#[test]
fn a_closed_pipe_of_errors_leaves_the_exit_code() {
    let folder = Folder::new("closed-errors");
    let open = folder.file("open.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    let unwritable = folder.join("no such folder/page.html").display().to_string();
    for (arguments, expected) in [
        (&["check", "no such file.obj"][..], 2),
        (&["check", &open, &open, "--html", &unwritable], 2),
        (&["check", "--demo", "--time", "0s"], 3),
        (&["robot", "check", "--demo", "--time", "0s"], 3),
    ] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_noli"))
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop((child.stdout.take(), child.stderr.take()));
        assert_eq!(child.wait().unwrap().code(), Some(expected), "{arguments:?}");
    }
}

#[test]
fn a_method_of_a_scene_is_left_to_the_lab() {
    let folder = Folder::new("scene-method");
    let bodies = "[[body]]\nname = 'a'\nbox = [2, 2, 2]\n[[body]]\nname = 'b'\nbox = [1, 1, 9]\n[check]\n";
    let scene = folder.file("scene.toml", format!("{bodies}method = 'boyse'\n"));
    let report = json(&noli(&["check", &scene, "--json"]));
    assert!(report.get("method").is_none());
    let warning = report["warnings"][0].as_str().unwrap_or_default();
    assert!(warning.contains("`noli-lab check` compares pairs by boyse"), "{report}");
}
