//! Scenes, folders, rules and reports of `noli check`.

use crate::support::{Folder, cubes, data, exit_code, json, noli, stderr, stdout};
use noli_geom::{Aabb, PairFrame, Relation, RelativePose, Triangle, TrianglePair};
use noli_scenes::Part;
use serde_json::Value;
use std::collections::BTreeMap;
use std::process::{Command, Stdio};
use std::time::Duration;

/// The relations of all listed pairs but those that are apart, by names.
fn meeting(report: &Value) -> BTreeMap<(String, String), String> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let pairs = report["pairs"].as_array().unwrap().iter();
    pairs
        .filter(|pair| pair["relation"] != "separated")
        .map(|pair| ((text(&pair["a"]), text(&pair["b"])), text(&pair["relation"])))
        .collect()
}

fn path(folder: &Folder, name: &str) -> String {
    folder.0.join(name).to_str().unwrap().to_owned()
}

/// Two plates and a pin: the pin passes through the first and stops 1 short of the second.
const SCENE: &str = r#"
units = "cm"
[[body]]
name = "plate.low"
box = [10, 10, 1]
[[body]]
name = "plate.high"
box = [10, 10, 1]
parent = "plate.low"
pose = { xyz = [0, 0, 6] }
[[body]]
name = "pin"
box = [1, 1, 6]
pose = { xyz = [0, 0, 1.5] }
"#;

#[test]
fn a_scene_is_checked_with_its_parents_units_and_rules() {
    let folder = Folder::new("scene");
    let check = |rules: &str, options: &[&str]| {
        let scene = folder.file("scene.toml", format!("{SCENE}{rules}"));
        let output = noli(&[&["check", &scene, "--json", "--all"], options].concat());
        (exit_code(&output), json(&output))
    };
    let pair = |report: &Value, a: &str, b: &str| {
        let fits = |pair: &&Value| pair["a"] == a && pair["b"] == b;
        report["pairs"].as_array().unwrap().iter().find(fits).cloned()
    };
    let (code, report) = check("", &[]);
    assert_eq!((code, &report["units"]), (1, &"cm".into()));
    assert_eq!(pair(&report, "plate.low", "pin").unwrap()["relation"], "intersecting");
    for (a, b, clearance) in [("plate.high", "pin", 1.0), ("plate.low", "plate.high", 5.0)] {
        let found = pair(&report, a, b).unwrap();
        let [low, high] = ["at_least", "at_most"].map(|end| found["clearance"][end].as_f64().unwrap());
        assert!(low <= clearance && clearance <= high && high - low < 1e-13, "{a} {b}: {low} to {high}");
    }

    let (code, report) = check("[check]\nskip = [[\"pin\", \"plate.low\"]]\n", &[]);
    assert_eq!((code, report["pairs"].as_array().unwrap().len()), (0, 2));
    let rules = "[check]\nmargin = 9\nskip = [[\"pin\", \"plate.low\"]]\nmargins = [{ pair = [\"plate.*\", \"plate.*\"], margin = 4.5 }]\n";
    let (code, report) = check(rules, &[]);
    assert_eq!(code, 1);
    let hit = |report: &Value, a, b| pair(report, a, b).unwrap()["hit"] == true;
    assert!(hit(&report, "plate.high", "pin") && !hit(&report, "plate.low", "plate.high"));
    // A margin on the command line replaces that of the scene, but not those of its pairs.
    assert_eq!(check(rules, &["--margin", "0.5"]).0, 0);
    let (code, report) = check("[check]\nonly = [\"plate.high\"]\n", &["--skip", "pin,*high"]);
    assert_eq!((code, report["pairs"].as_array().unwrap().len()), (0, 1));
}

#[test]
fn what_a_scene_says_about_solids_counts_more_than_an_option() {
    let folder = Folder::new("said");
    folder.file("cube.obj", cubes(&[0.0]));
    let verdict = |kind: &str, options: &[&str]| {
        let scene = format!(
            "[[body]]\nname = \"shell\"\nfile = \"cube.obj\"\n{kind}\n[[body]]\nname = \"core\"\nbox = [0.5, 0.5, 0.5]\n"
        );
        let scene = folder.file("scene.toml", &scene);
        let report = json(&noli(&[&["check", &scene, "--json"], options].concat()));
        report["pairs"][0]["relation"].as_str().unwrap().to_owned()
    };
    assert_eq!(verdict("", &[]), "inside");
    assert_eq!(verdict("as = \"surface\"", &["--as", "solid"]), "separated");
    assert_eq!(verdict("as = \"solid\"", &["--as", "surface"]), "inside");
    assert_eq!(verdict("", &["--as", "surface"]), "separated");
}

#[test]
fn a_folder_is_an_assembly() {
    let folder = Folder::new("folder");
    std::fs::create_dir(folder.0.join("sub")).unwrap();
    folder.file("a.obj", cubes(&[0.0, 1.0]));
    folder.file("sub/b.obj", cubes(&[2.5]));
    folder.file("readme.txt", "not a mesh");
    let whole = folder.0.to_str().unwrap();
    let report = json(&noli(&["check", whole, "--json"]));
    let names: Vec<&str> =
        report["bodies"].as_array().unwrap().iter().map(|body| body["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["a/cube0", "a/cube1", "sub/b"]);
    assert_eq!(report["summary"]["intersecting"], 2);
    // The folder's bodies against another file: not among each other.
    let elsewhere = Folder::new("folder-other");
    let other = elsewhere.file("c.obj", cubes(&[50.0]));
    let across = json(&noli(&["check", whole, &other, "--json"]));
    assert_eq!((&across["summary"]["pairs"], &across["outcome"]), (&3.into(), &"free".into()));
    let empty = Folder::new("folder-empty");
    let output = noli(&["check", empty.0.to_str().unwrap()]);
    assert!(exit_code(&output) == 2 && stderr(&output).contains("no mesh files"), "{}", stderr(&output));
}

#[test]
fn a_folder_with_a_scene_is_that_scene() {
    let folder = Folder::new("folder-scene");
    folder.file("scene.toml", SCENE);
    folder.file("unused.obj", cubes(&[0.0]));
    let whole = folder.0.to_str().unwrap();
    let report = json(&noli(&["check", whole, "--json"]));
    assert_eq!(report["summary"]["bodies"], 3);
    assert!(report["source"].as_str().unwrap().ends_with("scene.toml"));
    folder.file("other.toml", SCENE);
    let output = noli(&["check", whole]);
    assert!(exit_code(&output) == 2 && stderr(&output).contains("several scenes"), "{}", stderr(&output));
}

#[test]
fn patterns_choose_pairs_and_must_fit_something() {
    let folder = Folder::new("patterns");
    let file = folder.file("cubes.obj", cubes(&[0.0, 1.0, 2.0, 3.0]));
    let pairs = |options: &[&str]| {
        json(&noli(&[&["check", &file, "--all", "--json"], options].concat()))["summary"]["pairs"].clone()
    };
    assert_eq!(pairs(&[]), 6);
    assert_eq!(pairs(&["--only", "cube0"]), 3);
    assert_eq!(pairs(&["--only", "cube0", "--only", "cube1,cube2"]), 4);
    assert_eq!(pairs(&["--only", "cube0", "--skip", "*3"]), 2);
    assert_eq!(pairs(&["--skip", "cube0,cube1"]), 5);
    let output = noli(&["check", &file, "--only", "cubs*"]);
    assert_eq!(exit_code(&output), 2);
    assert!(stderr(&output).contains("no body is called \"cubs*\""), "{}", stderr(&output));
    assert_eq!(exit_code(&noli(&["check", &file, "--skip", "*"])), 2, "nothing left");
}

#[test]
fn intersections_are_counted_listed_or_left_out() {
    let folder = Folder::new("intersections");
    let file = folder.file("cubes.obj", cubes(&[0.0, 1.0]));
    let pair =
        |which: &str| json(&noli(&["check", &file, "--json", "--intersections", which]))["pairs"][0].clone();
    let (count, all, first, none) = (pair("count"), pair("all"), pair("first"), pair("none"));
    assert!(count["intersections"].as_u64() > Some(1) && count.get("segments").is_none());
    assert_eq!(all["segments"].as_array().unwrap().len() as u64, all["intersections"].as_u64().unwrap());
    assert_eq!(first["segments"].as_array().unwrap().len(), 1);
    assert!(first["intersections"].is_null() && first["where"].is_array());
    assert!(none["intersections"].is_null() && none["where"].is_null() && none["relation"] == "intersecting");
}

#[test]
fn csv_has_a_line_for_each_pair_and_reports_can_go_to_files() {
    let folder = Folder::new("csv");
    let file = folder.file("cubes.obj", cubes(&[0.0, 1.0]));
    let text = stdout(&noli(&["check", &file, "--csv"]));
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 2);
    assert!(lines[0].starts_with("relation,a,b,hit,guarantee,margin,clearance_at_least"));
    assert!(lines[1].starts_with("intersecting,cube0,cube1,yes,exact,0.0,0.0,0.0,"), "{}", lines[1]);
    // Cubes of edge 2, one moved by 1, 1/4, 1/8.
    let cells = |line: usize| lines[line].split(',').collect::<Vec<_>>();
    let number = |name: &str| {
        let column = cells(0).iter().position(|cell| *cell == name).unwrap();
        cells(1)[column].parse::<f64>().unwrap()
    };
    assert!(number("depth_at_least") <= 1.0 && 1.0 <= number("depth_at_most"), "{}", lines[1]);
    assert!(number("volume_at_least") <= 3.28125 && 3.28125 <= number("volume_at_most"), "{}", lines[1]);
    let [csv, html] = ["pairs.csv", "page.html"].map(|name| path(&folder, name));
    assert_eq!(exit_code(&noli(&["check", &file, "--csv", "--json"])), 2, "one of them can be printed");
    let beside = noli(&["check", &file, "--json", &format!("--csv={csv}")]);
    assert_eq!(json(&beside)["summary"]["intersecting"], 1);
    let output = noli(&["check", &file, &format!("--csv={csv}"), "--html", &html]);
    assert!(stdout(&output).contains("intersecting  cube0"), "the table is still printed");
    assert_eq!(std::fs::read_to_string(csv).unwrap(), text);
    assert!(std::fs::read_to_string(html).unwrap().contains("cube1"));
    assert_eq!(exit_code(&noli(&["check", &file, "--html", "/no/such/folder/page.html"])), 2);
}

/// Names come from files: they must not end the script they are embedded in.
#[test]
fn a_page_survives_hostile_names() {
    let folder = Folder::new("hostile");
    let file = folder.file("cubes.obj", cubes(&[0.0, 1.0]));
    let hostile = std::fs::read_to_string(&file).unwrap().replace("cube0", "</script><script>alert(1)");
    std::fs::write(&file, hostile).unwrap();
    let page = path(&folder, "page.html");
    assert_eq!(exit_code(&noli(&["check", &file, "--html", &page])), 1);
    let text = std::fs::read_to_string(page).unwrap();
    assert!(!text.contains("alert(1)</") && !text.contains("</script><script>alert"));
    assert_eq!(text.matches("</script>").count(), 3);
}

/// Killed at any moment, the program leaves the old file or the whole new one.
#[test]
fn an_interrupt_leaves_no_broken_file() {
    let folder = Folder::new("kill");
    let page = path(&folder, "page.html");
    let whole = {
        assert_eq!(exit_code(&noli(&["check", "--demo", "--html", &page])), 1);
        std::fs::read_to_string(&page).unwrap()
    };
    let complete = |text: &str| text.starts_with("<!doctype html>") && text.trim_end().ends_with("</html>");
    assert!(complete(&whole));
    for (round, signal) in ["-INT", "-TERM", "-KILL"].into_iter().cycle().take(15).enumerate() {
        std::fs::remove_file(&page).ok();
        let mut child = Command::new(env!("CARGO_BIN_EXE_noli"))
            .args(["check", "--demo", "--html", &page])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(15 * round as u64));
        Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
        child.wait().unwrap();
        let left: Vec<_> = std::fs::read_dir(&folder.0).unwrap().map(|entry| entry.unwrap().path()).collect();
        for path in left {
            if path.extension().is_some_and(|extension| extension == "part") {
                assert_eq!(signal, "-KILL", "only a kill that cannot be caught leaves {}", path.display());
                std::fs::remove_file(path).unwrap();
            } else {
                assert!(complete(&std::fs::read_to_string(&path).unwrap()), "{}", path.display());
            }
        }
    }
}

#[test]
fn written_scenes_read_back_with_the_same_verdicts() {
    let folder = Folder::new("written");
    let listed = stdout(&noli(&["scenes", "list"]));
    for name in
        ["engine-bay", "gearbox", "intersecting-boxes", "touching-boxes", "nested-spheres", "peg-in-hole"]
    {
        assert!(listed.contains(name), "{listed}");
        let target = path(&folder, name);
        let output = noli(&["scenes", "write", name, "--detail", "1", "-o", &target]);
        assert_eq!(exit_code(&output), 0, "{}", stderr(&output));
        let written = json(&noli(&["check", &target, "--json"]));
        let direct = json(&noli(&["check", "--demo", name, "--detail", "1", "--json"]));
        assert_eq!(written["pairs"], direct["pairs"], "{name}");
        let planted = noli_scenes::assembly(name, 1).unwrap().planted;
        assert_eq!(meeting(&written).len(), planted.len(), "{name}");
        for planted in planted {
            let [a, b] = planted.pair;
            let expected = format!("{:?}", planted.relation).to_lowercase();
            assert_eq!(meeting(&written)[&(a, b)], expected, "{name}");
        }
    }
    let again = noli(&["scenes", "write", "gearbox", "-o", &path(&folder, "gearbox")]);
    assert!(exit_code(&again) == 2 && stderr(&again).contains("exists"), "{}", stderr(&again));
    assert_eq!(exit_code(&noli(&["scenes", "write", "no-such-scene"])), 2);
}

/// Copies share files and models, and clash like the original.
#[test]
fn copies_of_a_scene_clash_like_the_original() {
    let folder = Folder::new("copies");
    let target = path(&folder, "boxes");
    noli(&["scenes", "write", "intersecting-boxes", "--copies", "9", "-o", &target]);
    let report = json(&noli(&["check", &target, "--json"]));
    let summary = &report["summary"];
    assert_eq!([&summary["bodies"], &summary["intersecting"], &summary["pairs"]], [&18, &9, &153]);
    let meshes = std::fs::read_dir(target).unwrap().count();
    assert_eq!(meshes, 3, "two meshes and the scene");
}

/// Through files, folders of bodies and the broad phase, buildings meet exactly where an independent exact
/// reference says so, and touching is told from intersecting as all pairs of faces tell it.
#[test]
fn buildings_meet_where_the_exact_reference_says() {
    let Some(folder) = data("ifc") else { return };
    for (name, meeting_pairs) in [("pcert-building", 75), ("largebuilding", 186)] {
        let file = folder.join(format!("{name}.obj"));
        let report = json(&noli(&["check", file.to_str().unwrap(), "--as", "surface", "--json"]));
        let found = meeting(&report);
        let csv = std::fs::read_to_string(folder.join(format!("{name}-ref-pairs.csv"))).unwrap();
        let mut expected = 0;
        for line in csv.lines().skip(1) {
            let cells: Vec<&str> = line.split(',').collect();
            let pair = |a: &str, b: &str| found.get(&(a.to_owned(), b.to_owned()));
            let met = pair(cells[0], cells[1]).or_else(|| pair(cells[1], cells[0]));
            assert_eq!(met.is_some(), cells[2] == "1", "{line}: {met:?}");
            expected += usize::from(met.is_some());
        }
        assert_eq!((expected, found.len()), (meeting_pairs, meeting_pairs), "{name}");
        let touching = found.values().filter(|relation| *relation == "touching").count();
        assert!(touching > 0 && touching < meeting_pairs, "{name}: {touching} touch");
        eprintln!("{name}: {touching} touching, {} intersecting", meeting_pairs - touching);
    }
}

/// Counts intersecting and touching pairs of faces without any tree: all of those whose boxes overlap.
fn meeting_faces(a: &Part, b: &Part) -> [u64; 2] {
    let pose = RelativePose::new(&a.pose, &b.pose);
    let frame = PairFrame::new(&pose);
    let padded = |vertices: [glam::DVec3; 3]| {
        let bounds = Aabb::from_points(vertices);
        Aabb { min: bounds.min - 1e-6, max: bounds.max + 1e-6 }
    };
    let faces_b: Vec<(Triangle, Aabb)> =
        b.mesh.iter_triangles().map(|t| (t, padded(t.vertices.map(|v| pose.transform_point(v))))).collect();
    let whole_b = faces_b.iter().fold(Aabb::EMPTY, |all, (_, bounds)| all.union(*bounds));
    let mut counts = [0; 2];
    for (face_a, bounds) in a.mesh.iter_triangles().map(|t| (t, padded(t.vertices))) {
        if !bounds.overlaps(&whole_b) {
            continue;
        }
        for (face_b, _) in faces_b.iter().filter(|(_, other)| other.overlaps(&bounds)) {
            match TrianglePair::new(&face_a, face_b, &frame).relation() {
                Relation::Intersecting => counts[0] += 1,
                Relation::Touching => counts[1] += 1,
                Relation::Separated | Relation::Inside => {}
            }
        }
    }
    counts
}

/// The first command of the README against all pairs of faces: the same pairs meet, in as many faces.
#[test]
fn the_demo_is_what_all_pairs_of_faces_say() {
    let report = json(&noli(&["check", "--demo", "--json"]));
    let bay = noli_scenes::engine_bay(2);
    let found: BTreeMap<(&str, &str), &Value> = report["pairs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|pair| ((pair["a"].as_str().unwrap(), pair["b"].as_str().unwrap()), pair))
        .collect();
    for (i, a) in bay.parts.iter().enumerate() {
        for b in &bay.parts[i + 1..] {
            let names = format!("{} and {}", a.name, b.name);
            let [intersecting, touching] = meeting_faces(a, b);
            let planted = bay.expected(&a.name, &b.name);
            let Some(pair) = found.get(&(a.name.as_str(), b.name.as_str())) else {
                assert_eq!(([intersecting, touching], planted), ([0, 0], Relation::Separated), "{names}");
                continue;
            };
            assert_eq!(pair["relation"], format!("{planted:?}").to_lowercase(), "{names}");
            let counted = |key: &str| pair[key].as_u64().unwrap_or(0);
            assert_eq!([counted("intersections"), counted("touches")], [intersecting, touching], "{names}");
        }
    }
}

/// Nodes of glTF, layers of DXF, objects and groups of OBJ: each is a body of its own.
#[test]
fn every_object_of_a_file_is_a_body() {
    let folder = Folder::new("objects");
    let corpus = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
    for (seed, name) in [
        ("gltf/seed-tree", "tree.glb"),
        ("gltf/seed-embedded", "embedded.gltf"),
        ("dxf/seed-blocks", "blocks.dxf"),
        ("dxf/seed-faces", "faces.dxf"),
        ("obj/seed-objects", "objects.obj"),
        ("obj/seed-groups", "groups.obj"),
    ] {
        let file = path(&folder, name);
        std::fs::copy(corpus.join(seed), &file).unwrap();
        let objects = noli_formats::read_objects(&file, &Default::default()).unwrap().objects;
        // Beside another file, so that a single object is no error.
        let other = folder.file("other.obj", cubes(&[1e6]));
        let report = json(&noli(&["check", &file, &other, "--within", "--json"]));
        let bodies = report["bodies"].as_array().unwrap();
        assert_eq!(bodies.len(), objects.len() + 1, "{seed}");
        let stem = name.split('.').next().unwrap();
        for (body, object) in bodies.iter().zip(&objects) {
            let alone = objects.len() == 1;
            let expected = if alone { stem.to_owned() } else { format!("{stem}/{}", object.name) };
            assert_eq!(body["name"], expected, "{seed}");
            assert_eq!(body["triangles"], object.mesh.triangle_count(), "{seed}");
        }
    }
}

/// Round bodies are round, not the meshes that show them: contacts that a mesh inscribed in them would miss are found, and
/// a floor has no end.
#[test]
fn round_bodies_are_not_their_meshes() {
    let folder = Folder::new("round");
    let scene = folder.file(
        "scene.toml",
        r#"
        [[body]]
        name = "floor"
        half_space = true
        [[body]]
        name = "sphere"
        sphere = { radius = 1, cuts = 1 }
        pose = { xyz = [1e6, 0, 0.999999], rpy_deg = [10, 20, 30] }
        [[body]]
        name = "above"
        sphere = { radius = 1, cuts = 1 }
        pose = { xyz = [0, 0, 1.5] }
        "#,
    );
    let page = path(&folder, "page.html");
    let output = noli(&["check", &scene, "--json", "--html", &page]);
    assert_eq!(exit_code(&output), 1, "{}", stderr(&output));
    let report = json(&output);
    let pair = |b: &str| {
        let fits = |pair: &&Value| pair["a"] == "floor" && pair["b"] == b;
        report["pairs"].as_array().unwrap().iter().find(fits).cloned().unwrap()
    };
    assert_eq!(pair("sphere")["relation"], "intersecting");
    assert!(pair("sphere")["where"].is_array() && pair("sphere")["intersections"].is_null());
    let above = pair("above");
    assert_eq!(above["relation"], "separated");
    let [low, high] = ["at_least", "at_most"].map(|end| above["clearance"][end].as_f64().unwrap());
    assert!(low <= 0.5 && 0.5 <= high && high - low < 1e-9, "{above}");
    // The far sphere and the near one are apart by their boxes.
    assert_eq!(report["summary"]["separated_by_boxes"], 1);
    assert!(std::fs::read_to_string(page).unwrap().contains("\"floor\""));
}
