//! CAD and building files: verdicts on triangulated surfaces, names and GlobalIds of elements, numbers of fits.
//!
//! Kernels are replaced by a script that hands out a mesh, so that these tests need none; those with a real kernel run
//! where one is installed.

use crate::fits::turned;
use crate::support::{Folder, exit_code, json, noli, stderr, stdout};
use noli_project::bcf::{Bcf, BcfVersion};
use noli_testing::{data, python_with};
use serde_json::Value;
use std::process::{Command, Output};

/// Named bodies of one OBJ file: faces count from the vertices of their own body.
fn joined(bodies: &[(&str, String)]) -> String {
    let (mut text, mut first) = (String::new(), 0);
    for (name, body) in bodies {
        text += &format!("o {name}\n");
        for line in body.lines() {
            match line.strip_prefix("f ") {
                Some(face) => {
                    let vertex = |word: &str| (word.parse::<usize>().unwrap() + first).to_string();
                    let face: Vec<String> = face.split(' ').map(vertex).collect();
                    text += &format!("f {}\n", face.join(" "));
                }
                None => text += &format!("{line}\n"),
            }
        }
        first += body.lines().filter(|line| line.starts_with("v ")).count();
    }
    text
}

/// A box between two corners.
fn cuboid(low: [f64; 3], high: [f64; 3]) -> String {
    let mut text = String::new();
    for corner in 0..8 {
        let [x, y, z] = [0, 1, 2].map(|axis| if corner >> axis & 1 == 1 { high[axis] } else { low[axis] });
        text += &format!("v {x:?} {y:?} {z:?}\n");
    }
    for face in [[1, 5, 7, 3], [2, 4, 8, 6], [1, 2, 6, 5], [3, 7, 8, 4], [1, 3, 4, 2], [5, 6, 8, 7]] {
        text += &format!("f {}\n", face.map(|vertex: usize| vertex.to_string()).join(" "));
    }
    text
}

/// Runs the program with a kernel that makes this OBJ file of every CAD file.
#[cfg(unix)]
fn with_kernel(folder: &Folder, obj: &str, arguments: &[&str]) -> Output {
    use std::os::unix::fs::PermissionsExt;
    let mesh = folder.file("kernel.obj", obj);
    let text = format!("#!/bin/sh\nwhile [ $# -gt 2 ]; do shift; done\ncp '{mesh}' \"$1\"\n");
    let kernel = folder.file("kernel", text);
    std::fs::set_permissions(&kernel, std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = Command::new(crate::PROGRAM);
    command.arg("check").args(arguments).env("NOLI_PYTHON", kernel).env("NOLI_CACHE", folder.0.join("cache"));
    command.output().unwrap()
}

/// A bush and a shaft with a clearance of 0.0075, triangulated with a chord of 0.1 and turned against each other.
fn running_fit() -> String {
    let bush = [[10.0, 0.0], [20.0, 0.0], [20.0, 15.0], [10.0, 15.0]];
    let shaft = [[0.0, -5.0], [9.9925, -5.0], [9.9925, 20.0], [0.0, 20.0]];
    joined(&[("fit/bush", turned(&bush, 0.1, 0.0)), ("fit/shaft", turned(&shaft, 0.1, 0.05))])
}

#[test]
#[cfg(unix)]
fn a_running_fit_of_step_is_no_hard_clash() {
    let folder = Folder::new("cad-fit");
    let step = folder.file("fit.step", "ISO-10303-21;\n");
    let output = with_kernel(&folder, &running_fit(), &[&step, "--json"]);
    assert_eq!(exit_code(&output), 0, "{}", stderr(&output));
    let report = json(&output);
    assert_eq!(report["tolerance"], serde_json::json!({ "length": 0.2, "by": "tessellation" }));
    let pair = &report["pairs"][0];
    assert_eq!((&pair["guarantee"], &pair["hit"]), (&"tessellated".into(), &false.into()), "{pair}");
    assert_eq!((&pair["within_tolerance"], &pair["kind"]), (&true.into(), &"touching".into()), "{pair}");
    let text = stdout(&with_kernel(&folder, &running_fit(), &[&step]));
    assert!(text.contains("tolerance 0.2 mm, the error of tessellation"), "{text}");
    assert!(text.contains("within tolerance") && text.contains("interference (mm)"), "{text}");
    // The bare triangles intersect, and it is said of triangles only.
    let bare = with_kernel(&folder, &running_fit(), &[&step, "--json", "--tolerance", "0"]);
    assert_eq!(exit_code(&bare), 1);
    let pair = &json(&bare)["pairs"][0];
    assert_eq!((&pair["guarantee"], &pair["kind"]), (&"tessellated".into(), &"hard".into()), "{pair}");
    // In another unit, and in a scene.
    let metres = json(&with_kernel(&folder, &running_fit(), &[&step, "--json", "--units", "m"]));
    assert_eq!(metres["tolerance"]["length"], 0.0002);
    let scene = "units = 'cm'\n[[body]]\nname = 'all'\nfile = 'fit.step'\nsplit = true\n";
    let scene = folder.file("scene.toml", scene);
    let report = json(&with_kernel(&folder, &running_fit(), &[&scene, "--json"]));
    assert_eq!((&report["tolerance"]["length"], &report["summary"]["hits"]), (&0.02.into(), &0.into()));
    // A mesh is taken as given: with it only the uncertainty of the other body is permitted.
    let pin = folder.file("pin.obj", cuboid([-1.0, -1.0, 19.85], [1.0, 1.0, 22.0]));
    let report = json(&with_kernel(&folder, &running_fit(), &[&step, &pin, "--json"]));
    let of = |name: &str| report["pairs"].as_array().unwrap().iter().find(|pair| pair["a"] == name).cloned();
    let pair = of("fit/fit/shaft").unwrap();
    assert_eq!((&pair["tolerance"], &pair["kind"]), (&0.1.into(), &"hard".into()), "{pair}");
}

const WALL: &str = "2cXV28XOjE6f6irgi0CO28";
const SHARED: &str = "3Fit2Fad92zf2f6aWdJtF5";

/// A building with a wall, a pipe through it, and a mark that every file of the project holds.
fn building() -> String {
    joined(&[
        (&format!("Level 1/IfcWall/Basic Wall: 200/{WALL}"), cuboid([0.0, 0.0, 0.0], [4.0, 0.2, 3.0])),
        ("Level 1/IfcPipeSegment/DN 100/1F6umJ5H50aeL3A1As_wTm", cuboid([1.0, -1.0, 1.0], [1.1, 1.0, 1.1])),
        (&format!("-/IfcBuildingElementProxy/origin/{SHARED}"), cuboid([9.0, 9.0, 0.0], [9.1, 9.1, 0.1])),
    ])
}

#[test]
#[cfg(unix)]
fn bcf_selects_elements_that_exist_and_names_their_files() {
    let folder = Folder::new("cad-bcf");
    let files =
        ["arch.ifc", "hvac.ifc"].map(|name| folder.file(name, format!("ISO-10303-21;\n/* {name} */\n")));
    let path = folder.0.join("out.bcf");
    for (word, version) in [("2.1", BcfVersion::V2_1), ("3.0", BcfVersion::V3_0)] {
        let arguments = [&files[0], &files[1], "--within", "--group", "each", "--bcf-version", word, "--bcf"];
        let arguments: Vec<&str> = arguments.into_iter().chain([path.to_str().unwrap()]).collect();
        let output = with_kernel(&folder, &building(), &arguments);
        assert_eq!(exit_code(&output), 1, "{}", stderr(&output));
        let bcf = Bcf::from_bytes(&std::fs::read(&path).unwrap()).unwrap();
        assert_eq!(bcf.version, version);
        let known = [WALL, SHARED, "1F6umJ5H50aeL3A1As_wTm"];
        for topic in &bcf.topics {
            assert!(!topic.title.contains(WALL) && topic.title.len() < 120, "{}", topic.title);
            let selected = topic.viewpoints.iter().flat_map(|view| &view.selection);
            assert!(selected.clone().count() > 0);
            selected.for_each(|body| assert!(known.contains(&body.ifc_guid.as_str()), "{body:?}"));
        }
        let hard = bcf.topics.iter().find(|topic| topic.title.contains("1 hard")).unwrap();
        assert!(
            hard.title.contains("IfcWall/Basic Wall: 200") && hard.title.contains("IfcPipeSegment/DN 100")
        );
        assert!(
            hard.description.contains(", depth ") && hard.description.contains(" m at ("),
            "{}",
            hard.description
        );
        let across = bcf.topics.iter().find(|topic| topic.title.contains("duplicate")).unwrap();
        assert_eq!(across.files, ["arch.ifc", "hvac.ifc"]);
        let again = Bcf { version, topics: bcf.topics.clone() };
        assert_eq!(Bcf::from_bytes(&again.to_bytes().unwrap()).unwrap(), again);
    }
}

/// Housing and bearing with 0.01 too much, both of 96 sides, the bearing within the hole.
#[test]
fn a_press_fit_has_its_interference() {
    let folder = Folder::new("cad-press");
    let chord = 10.0 * (1.0 - (std::f64::consts::PI / 95.5).cos());
    let housing = turned(&[[10.0, 0.0], [18.0, 0.0], [18.0, 26.0], [10.0, 26.0]], chord * 1.8, 0.0);
    let bearing = turned(&[[5.0, 3.0], [10.01, 3.0], [10.01, 20.0], [5.0, 20.0]], chord * 1.001, 0.0);
    let press = folder.file("press.obj", joined(&[("housing", housing), ("bearing", bearing)]));
    let output = noli(&["check", &press, "--units", "mm", "--json"]);
    let pair = json(&output)["pairs"][0].clone();
    let [low, high] = ["at_least", "at_most"].map(|end| pair["interference"][end].as_f64().unwrap());
    assert!((0.009..=0.0101).contains(&low) && high < 0.0125 && low <= high, "{pair}");
    assert!(pair["depth"]["at_most"].as_f64().unwrap() > 5.0, "{pair}");
    let text = stdout(&noli(&["check", &press, "--units", "mm"]));
    assert!(text.contains("interference (mm)") && text.contains("0.01 .. "), "{text}");
    let csv = stdout(&noli(&["check", &press, "--csv"]));
    assert!(csv.lines().next().unwrap().contains(",interference_at_least,interference_at_most,"), "{csv}");
    let page = folder.0.join("press.html");
    noli(&["check", &press, "--html", page.to_str().unwrap()]);
    assert!(std::fs::read_to_string(page).unwrap().contains("\"interference\":\"0.01 .. "));
}

#[test]
fn where_nothing_is_hit_clearances_are_listed() {
    let folder = Folder::new("cad-far");
    let at = |x: f64| cuboid([x, 0.0, 0.0], [x + 1.0, 1.0, 1.0]);
    let scene = folder.file("far.obj", joined(&[("a", at(0.0)), ("b", at(3.0)), ("c", at(9.0))]));
    let text = stdout(&noli(&["check", &scene]));
    assert!(text.contains("clearance") && text.contains("separated  a  b"), "{text}");
    // A status says nothing before there is a results file.
    let scene = folder.file("near.obj", joined(&[("a", at(0.0)), ("b", at(0.9)), ("c", at(1.5))]));
    let text = stdout(&noli(&["check", &scene, "--tolerance", "0.2"]));
    assert!(text.contains("within tolerance") && !text.contains("new"), "{text}");
    assert!(text.contains("tolerance 0.2\n"), "{text}");
    let results = folder.0.join("results.json");
    let results = results.to_str().unwrap();
    noli(&["check", &scene, "--results", results]);
    let csv = stdout(&noli(&["clash", "list", results, "--csv"]));
    let mut lines = csv.lines();
    assert_eq!(lines.next(), Some("id,status,kind,group,a,b,note,x,y,z"));
    assert!(lines.all(|line| line.contains(",new,hard,") && line.split(',').count() == 10), "{csv}");
}

#[test]
fn one_body_is_closed_whichever_way_its_faces_are_turned() {
    let folder = Folder::new("cad-turned");
    let text = cuboid([0.0; 3], [1.0; 3]).replace("f 5 6 8 7", "f 7 8 6 5");
    let faces = text.clone();
    let output = noli(&["check", &folder.file("turned.obj", text)]);
    let text = stdout(&output);
    assert!(text.contains("closed              yes") && text.contains("oriented            yes"), "{text}");
    let warning = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(warning.contains("turned"), "{warning}");
    // As a surface its faces stay as they are.
    let text = stdout(&noli(&["check", &folder.file("turned.obj", faces), "--as", "surface"]));
    assert!(text.contains("oriented            no") && !text.contains("not closed"), "{text}");
    // Seams that are nearly closed have a length.
    let mut seam = cuboid([0.0; 3], [1.0; 3]).replace("f 5 6 8 7", "f 9 10 12 11");
    for corner in [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]] {
        seam = seam.replacen("f ", &format!("v {:?} {:?} 1.0000000003\nf ", corner[0], corner[1]), 1);
    }
    let text = stdout(&noli(&["check", &folder.file("seam.obj", &seam)]));
    assert!(text.contains("--weld=1e-9 closes them"), "{text}");
    let text = stdout(&noli(&["check", &folder.file("seam.obj", &seam), "--weld=1e-9"]));
    assert!(text.contains("sound"), "{text}");
}

#[test]
fn files_that_are_left_out_are_named_with_the_reason() {
    let folder = Folder::new("cad-left-out");
    folder.file("a.obj", cuboid([0.0; 3], [1.0; 3]));
    folder.file("b.obj", cuboid([2.0; 3], [3.0; 3]));
    folder.file("c.fbx", "fbx");
    folder.file("d.usdz", "usd");
    let path = folder.0.to_str().unwrap();
    let text = stderr(&noli(&["check", path]));
    assert!(text.contains("c.fbx") && text.contains("d.usdz is not read either"), "{text}");
    folder.file("e.step", "ISO-10303-21;\n");
    let mut command = Command::new(crate::PROGRAM);
    let output = command.args(["check", path, "--leave-out"]).env("NOLI_PYTHON", "/nowhere/python").output();
    let text = stderr(&output.unwrap());
    assert!(text.contains("STEP is read through OpenCASCADE, which is not there"), "{text}");
}

/// The building of the published data: read from IFC it has the verdicts of its OBJ file.
#[test]
fn ifc_has_the_verdicts_of_its_published_conversion() {
    let kernel = python_with("ifcopenshell.geom");
    let Some(data) = data("ifc").filter(|_| kernel.is_some()) else { return };
    let counts = |file: &str| {
        let report =
            json(&noli(&["check", data.join(file).to_str().unwrap(), "--json", "--intersections", "none"]));
        let guarantees: Vec<&Value> =
            report["pairs"].as_array().unwrap().iter().map(|pair| &pair["guarantee"]).collect();
        let is_exact = guarantees.iter().any(|guarantee| **guarantee == "exact");
        let of = &report["summary"];
        (["intersecting", "inside", "touching"].map(|word| of[word].as_i64().unwrap()), is_exact)
    };
    assert_eq!(counts("LargeBuilding.ifc"), ([17, 0, 169], false));
    assert_eq!(counts("largebuilding.obj"), ([17, 0, 169], true));
}
