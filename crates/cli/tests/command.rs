//! The program as its users meet it: exit codes, messages, JSON.

use noli_scenes::{TriangleSet, cuboid};
use serde_json::Value;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

fn noli(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_noli")).args(arguments).output().expect("the program starts")
}

fn exit_code(output: &Output) -> i32 {
    output.status.code().unwrap_or(-1)
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error} in {}", stdout(output)))
}

/// A folder of its own for each test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn file(&self, name: &str, text: &str) -> String {
        let path = self.0.join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }

    /// Cubes with half extent 1 at these places along a slanted line, an object each: `place` in x and less
    /// in y and z, so that no two walls lie in one plane by accident.
    fn cubes(&self, name: &str, places: &[f64]) -> String {
        self.file(name, &cubes(places))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).ok();
    }
}

fn cubes(places: &[f64]) -> String {
    let mut text = String::new();
    for (i, x) in places.iter().enumerate() {
        let cube = cuboid(glam::DVec3::ONE).map_vertices(|v| v + glam::dvec3(1.0, 0.25, 0.125) * *x);
        write_object(&mut text, &format!("cube{i}"), &cube, 8 * i as u32);
    }
    text
}

fn write_object(text: &mut String, name: &str, set: &TriangleSet, first: u32) {
    writeln!(text, "o {name}").unwrap();
    set.vertices.iter().for_each(|v| writeln!(text, "v {} {} {}", v.x, v.y, v.z).unwrap());
    for [a, b, c] in set.triangles.iter().map(|t| t.map(|v| v + first + 1)) {
        writeln!(text, "f {a} {b} {c}").unwrap();
    }
}

#[test]
fn the_demo_shows_one_of_everything() {
    let output = noli(&["check", "--demo"]);
    assert_eq!(exit_code(&output), 1, "{}", stderr(&output));
    let text = stdout(&output);
    for words in ["crossing  hose", "inside    fuses", "touching  battery", "apart", "1326 pairs"] {
        assert!(text.contains(words), "{words:?} is not in\n{text}");
    }
    assert!(!text.contains('\x1b'), "no colours where nobody watches");
}

#[test]
fn the_demo_as_json_has_the_documented_fields() {
    let report = json(&noli(&["check", "--demo", "--json", "--margin", "1.5"]));
    assert_eq!(report["outcome"], "touching");
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
        "verdict",
        "crossing_faces",
        "touching_faces",
        "gap_at_least",
        "gap_at_most",
        "at",
        "faces",
    ];
    for pair in pairs {
        assert!(fields.iter().all(|field| pair.get(field).is_some()), "{pair}");
        assert!(pair["gap_at_least"].as_f64() <= pair["gap_at_most"].as_f64());
    }
    assert_eq!(pairs[0]["verdict"], "crossing");
    // The bulb hangs 1.47 from its housing: at most the margin, so it counts.
    assert!(pairs.iter().any(|pair| pair["b"] == "auxiliary.bulb" && pair["verdict"] == "closer"));
    assert_eq!(report["apart_by_boxes"].as_u64().unwrap() as usize + pairs.len(), 1326);
    assert!(report["warnings"].as_array().unwrap().is_empty());
}

#[test]
fn exit_codes_tell_the_outcome() {
    let folder = Folder::new("outcome");
    let (crossing, touching) =
        (folder.cubes("crossing.obj", &[0.0, 1.5]), folder.cubes("touching.obj", &[0.0, 2.0]));
    let apart = folder.cubes("apart.obj", &[0.0, 2.25]);
    let code = |arguments: &[&str]| exit_code(&noli(&[&["check"], arguments].concat()));
    assert_eq!(code(&[&crossing]), 1);
    assert_eq!(code(&[&touching]), 1);
    assert_eq!(code(&[&touching, "--touching", "ignore"]), 0);
    assert_eq!(code(&[&crossing, "--touching", "ignore"]), 1);
    assert_eq!(code(&[&apart]), 0);
    assert_eq!(code(&[&apart, "--margin", "0.25"]), 1);
    assert_eq!(code(&[&apart, "--margin", "0.2499"]), 0);
    assert_eq!(code(&[&crossing, "--steps", "0"]), 3);
    assert_eq!(code(&["no-such-file.obj"]), 2);
    assert_eq!(code(&[]), 2);
    assert_eq!(code(&[&apart, "--margin", "-1"]), 2);
}

#[test]
fn pairs_are_between_files_unless_asked_within() {
    let folder = Folder::new("files");
    let two = folder.cubes("two.obj", &[0.0, 1.0]);
    let one = folder.cubes("one.obj", &[50.0]);
    let across = noli(&["check", &two, &one]);
    assert_eq!(exit_code(&across), 0, "{}", stdout(&across));
    assert!(stdout(&across).contains("2 pairs"));
    let within = noli(&["check", &two, &one, "--within", "--json"]);
    assert_eq!(exit_code(&within), 1);
    let report = json(&within);
    assert_eq!(report["pairs"][0]["a"], "two/cube0");
    assert_eq!(report["bodies"][2]["name"], "one");
    assert_eq!(report["apart_by_boxes"], 2);
    let all = json(&noli(&["check", &two, &one, "--all", "--json"]));
    assert_eq!(all["pairs"].as_array().unwrap().len(), 2);
    assert!(all["pairs"].as_array().unwrap().iter().all(|pair| pair["gap_at_least"].as_f64() > Some(47.0)));
}

#[test]
fn solids_and_surfaces_differ_inside() {
    let folder = Folder::new("kinds");
    let outer = folder.cubes("outer.obj", &[0.0]);
    let mut small = String::new();
    write_object(&mut small, "small", &cuboid(glam::DVec3::splat(0.25)), 0);
    let inner = folder.file("inner.obj", &small);
    let verdict = |arguments: &[&str]| {
        let output = noli(&[&["check", &outer, &inner, "--json"], arguments].concat());
        json(&output)["pairs"][0]["verdict"].as_str().unwrap().to_owned()
    };
    assert_eq!(verdict(&[]), "inside");
    assert_eq!(verdict(&["--as", "solid"]), "inside");
    assert_eq!(verdict(&["--as", "surface"]), "apart");
}

#[test]
fn an_open_mesh_is_said_to_be_a_surface() {
    let folder = Folder::new("open");
    let open = folder.file("open.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    let cube = folder.cubes("cube.obj", &[9.0]);
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
    let single = noli(&["check", &folder.cubes("single.obj", &[0.0])]);
    assert_eq!(exit_code(&single), 2);
    assert!(stderr(&single).contains("two files"), "{}", stderr(&single));
    let scene = folder.file("scene.toml", "[[body]]\n");
    assert!(stderr(&noli(&["check", &scene])).contains(".obj"));
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

#[test]
fn a_short_bench_runs_and_its_json_has_the_documented_fields() {
    let output = noli(&["bench", "--poses", "5", "--json"]);
    assert_eq!(exit_code(&output), 0, "{}", stderr(&output));
    let report = json(&output);
    assert_eq!(report["workload"], "w1");
    assert_eq!(report["poses"], 5);
    assert!(report["tree_bytes_per_triangle"].as_f64().unwrap() > 0.0);
    assert!(report["failures"].as_array().unwrap().is_empty());
    let rows = report["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 11);
    for row in rows {
        assert_eq!(row["engine"], "noli");
        assert!(row["median_us"].as_f64().unwrap() > 0.0 && row["mean_us"].as_f64().unwrap() > 0.0);
    }
    assert_eq!(rows[1]["question"], "overlap");
    assert_eq!(rows[1]["gap"], 0.1);
}

#[test]
fn a_bench_can_be_narrowed() {
    let report =
        json(&noli(&["bench", "--poses", "3", "--only", "build", "--instructions", "portable", "--json"]));
    let questions: Vec<_> =
        report["rows"].as_array().unwrap().iter().map(|row| row["question"].clone()).collect();
    assert_eq!(questions, ["build", "build quick"]);
    assert_eq!(report["instructions"], "portable");
    let growth = json(&noli(&["bench", "--growth", "--up-to", "6000", "--json"]));
    assert_eq!(growth["rows"].as_array().unwrap().len(), 2);
    assert_eq!(growth["rows"][0]["triangles"], 980);
    assert_eq!(exit_code(&noli(&["bench", "--poses", "0"])), 2);
}
