//! Every option of every command changes something, or is refused. `play --dynamics --html` once wrote no file and ended
//! with 0.

use crate::support::{Folder, cubes};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Command, Output};
use std::time::SystemTime;

/// Commands, options with their values, and the rest of the command line, run in a folder of [`files`].
/// `!` before an option: with this command line it must be refused.
const CASES: &[(&str, &str, &str)] = &[
    ("demo", "--html out.html", ""),
    ("check", "--demo touching-boxes", "--demo intersecting-boxes"),
    ("check", "--detail 1", "--demo"),
    ("check", "--as surface", "nested.obj"),
    ("check", "--margin 9", "apart.obj"),
    ("check", "!--margin 2mm", "apart.obj"),
    ("check", "--tolerance 5", "two.obj"),
    ("check", "--touching ignore", "touching.toml"),
    ("check", "--intersections none", "two.obj --json"),
    ("check", "--only cube0", "three.obj"),
    ("check", "--skip cube0,cube1", "three.obj"),
    ("check", "--exclude cube0,cube1", "two.obj"),
    ("check", "--results out.json", "two.obj"),
    ("check", "--against results.json", "two.obj"),
    ("check", "--group each", "three.obj --json"),
    ("check", "--within", "two.obj one.obj"),
    ("check", "--all", "apart.obj one.obj"),
    ("check", "--rows 0", "two.obj"),
    ("check", "--weld=0.5", "seam.obj"),
    ("check", "--split shells", "shells.off"),
    ("check", "--units m", "two.obj"),
    ("check", "!--units m", "touching.toml"),
    ("check", "--leave-out", "folder"),
    ("check", "--exact", "lens.toml --json"),
    ("check", "--steps 0", "two.obj"),
    ("check", "--bcf out.bcf", "two.obj"),
    ("check", "--bcf-version 3.0", "two.obj --bcf out.bcf"),
    ("check", "!--chord 0.5", "two.obj"),
    ("check", "!--threads 5000", "two.obj"),
    ("check", "--json", "two.obj"),
    ("check", "--csv", "two.obj"),
    ("check", "--html out.html", "two.obj"),
    ("check", "--quiet", "two.obj"),
    ("check", "--color always", "two.obj"),
    ("decompose", "--output out.off", "one.obj -o out.obj"),
    ("decompose", "--error 0.1", "lshape.obj -o out.obj --pieces 1"),
    ("decompose", "--pieces 1", "lshape.obj -o out.obj"),
    ("decompose", "--weld=0.5", "seam.obj -o out.obj"),
    ("decompose", "--units mm", "lshape.obj -o out.obj --error 2mm"),
    ("decompose", "!--threads 5000", "one.obj -o out.obj"),
    ("decompose", "--json", "one.obj -o out.obj"),
    ("clash list", "--status approved", "results.json"),
    ("clash list", "--json", "results.json"),
    ("clash set", "--status approved", "results.json cube0"),
    ("clash set", "--note seen", "results.json cube0"),
    ("clash set", "--group mine", "results.json cube0"),
    ("field", "--pose-a 5,0,0", "ball.txt cube.txt"),
    ("field", "--pose-b 5,0,0", "ball.txt cube.txt"),
    ("field", "--bounds 4,5,4,5,4,5", "ball.txt cube.txt"),
    ("field", "--budget 1", "ball.txt ball.txt --pose-a 1.9999999,0,0"),
    ("field", "--clearance", "ball.txt cube.txt"),
    ("field", "--mesh out.obj", "ball.txt cube.txt"),
    ("field", "--mesh-cells 8", "ball.txt cube.txt --mesh out.obj"),
    ("field", "--json", "ball.txt cube.txt"),
    ("study", "!--demo touching-boxes", "removal.toml"),
    ("study", "--detail 2", "--demo peg-in-hole --disassemble --json"),
    ("study", "--disassemble", "removal.toml"),
    ("study", "--base lid", "removal.toml --disassemble"),
    ("study", "--fasteners lid", "removal.toml --disassemble"),
    ("study", "--steps 0", "removal.toml --json"),
    ("study", "--seed 7", "removal.toml --json"),
    ("study", "--time 0s", "removal.toml --disassemble"),
    ("study", "--frames 7", "removal.toml --json"),
    ("study", "--graph out.dot", "removal.toml --disassemble"),
    ("study", "!--threads 5000", "removal.toml"),
    ("study", "--json", "removal.toml"),
    ("sweep", "--steps 0", "moving.toml"),
    ("sweep", "!--threads 5000", "moving.toml"),
    ("sweep", "--touching ignore", "resting.toml"),
    ("sweep", "--json", "moving.toml"),
    ("sweep", "--html out.html", "moving.toml"),
    ("play", "--demo", ""),
    ("play", "--contact", "moving.toml --json"),
    ("play", "--dynamics", "falling.toml --json"),
    ("play", "--friction 0.9", "falling.toml --dynamics --json"),
    ("play", "--friction 0.9", "sliding.toml --contact --json"),
    ("play", "!--friction 0.9", "moving.toml"),
    ("play", "!--friction 0.9", "--demo"),
    ("play", "--restitution 0.9", "falling.toml --dynamics --json"),
    ("play", "!--restitution 0.9", "moving.toml"),
    ("play", "--seconds 0.1", "falling.toml --dynamics --json"),
    ("play", "!--seconds 0.1", "moving.toml --contact"),
    ("play", "--speed 2", "--demo rod --dynamics --json --frames 5"),
    ("play", "!--speed 2", "moving.toml"),
    ("play", "--detail 1", "--demo --json"),
    ("play", "--detail 1", "--demo runway --contact --json --frames 5"),
    ("play", "!--detail 1", "--demo rod --dynamics"),
    ("play", "!--detail 1", "moving.toml"),
    ("play", "--frames 7", "moving.toml --json"),
    ("play", "--frames 7", "falling.toml --dynamics --json"),
    ("play", "--frames 7", "moving.toml --contact --json"),
    ("play", "!--frames 7", "--demo"),
    ("play", "--budget 1us", "moving.toml"),
    ("play", "!--budget 1us", "--demo"),
    ("play", "!--budget 1us", "falling.toml --dynamics"),
    ("play", "--steps 0", "moving.toml --json"),
    ("play", "!--steps 0", "--demo"),
    ("play", "!--steps 0", "falling.toml --dynamics"),
    ("play", "--record out.json", "moving.toml --json"),
    ("play", "--record out.json", "falling.toml --dynamics --json"),
    ("play", "!--record out.json", "--demo"),
    ("play", "--compare recorded.json", "moving.toml"),
    ("play", "!--compare recorded.json", "--demo"),
    ("play", "!--compare recorded.json", "falling.toml --dynamics"),
    ("play", "--rows 1", "moving.toml"),
    ("play", "--rows 1", "falling.toml --dynamics"),
    ("play", "!--rows 1", "--demo"),
    ("play", "!--threads 5000", "moving.toml"),
    ("play", "--json", "moving.toml"),
    ("play", "--html out.html", "moving.toml --json"),
    ("play", "--html out.html", "moving.toml --contact --json"),
    ("play", "--html out.html", "falling.toml --dynamics --json"),
    ("play", "--html out.html", "--demo --json --detail 1"),
    ("play", "--html out.html", "--demo rod --dynamics --json --frames 5"),
    ("play", "--mode static", "quick.toml --json --frames 1"),
    ("play", "!--mode static", "falling.toml --dynamics"),
    ("campaign", "--chunk 1", "plan.toml run"),
    ("campaign", "--out elsewhere", "plan.toml"),
    ("campaign", "--again", "done.toml"),
    ("campaign", "!--threads 5000", "plan.toml plan"),
    ("campaign", "--json", "plan.toml plan"),
    ("scenes write", "--detail 1", "nested-spheres -o out"),
    ("scenes write", "--copies 2", "nested-spheres -o out"),
    ("scenes write", "--output other", "nested-spheres"),
    ("remove", "!--demo part", "removal.toml lid"),
    ("remove", "--detail 1", "--demo auxiliary.cover --json"),
    ("remove", "--without lid", "removal.toml core"),
    ("remove", "--with core", "removal.toml lid"),
    ("remove", "--ignore lid", "removal.toml core"),
    ("remove", "--margin 1", "removal.toml lid"),
    ("remove", "--exit-distance 5", "removal.toml lid"),
    ("remove", "--maximize-clearance", "removal.toml lid"),
    ("remove", "--steps 0", "removal.toml core"),
    ("remove", "--seed 7", "removal.toml lid"),
    ("remove", "--time 0s", "removal.toml core"),
    ("remove", "!--threads 5000", "removal.toml lid"),
    ("remove", "--json", "removal.toml lid"),
    ("remove", "--html out.html", "removal.toml lid"),
    ("remove", "--html out.html", "removal.toml core"),
    ("robot info", "--demo", "arm.urdf"),
    ("robot check", "--demo", "arm.urdf --states states.csv"),
    ("robot pairs", "--demo", "arm.urdf"),
    ("robot plan", "--demo", "arm.urdf --from 0,0 --to 1,1"),
    ("robot ik", "--demo", "arm.urdf --pose 1,1,0,0,0,0,1"),
    ("robot limits", "--demo", "arm.urdf"),
    ("robot check", "--states states.csv", "--demo"),
    ("robot check", "--clearance", "arm.urdf --states states.csv"),
    ("robot check", "--second arm.urdf", "arm.urdf --states states.csv"),
    ("robot check", "--second-at 9,0,0", "arm.urdf --states states.csv --second arm.urdf"),
    ("robot check", "--second-srdf arm.srdf", "arm.urdf --states states.csv --second arm.urdf"),
    ("robot check", "--html out.html", "arm.urdf --states states.csv"),
    ("robot check", "--rows 0", "arm.urdf --states states.csv"),
    ("robot pairs", "--against arm.srdf", "arm.urdf"),
    ("robot pairs", "--write out.srdf", "arm.urdf"),
    ("robot pairs", "--cells 1", "arm.urdf --samples 0"),
    ("robot pairs", "--samples 0", "arm.urdf --cells 1"),
    ("robot plan", "--from 0.5,0", "arm.urdf --to 1,1"),
    ("robot plan", "--to 0.5,0", "arm.urdf --from 1,1"),
    ("robot plan", "--margin 5cm", "arm.urdf --from 0,0 --to 1,1 --around wall.toml"),
    ("robot plan", "--steps 0", "arm.urdf --from 0,0 --to 1,1"),
    ("robot plan", "--seed 7", "arm.urdf --from 0,0 --to 1,1"),
    ("robot plan", "--time 0s", "arm.urdf --from 0,0 --to 2,-2.9 --around wall.toml"),
    ("robot plan", "--shorten 0", "arm.urdf --from=-0.8,0 --to 0.8,0 --around wall.toml --json"),
    ("robot plan", "--write out.csv", "arm.urdf --from 0,0 --to 1,1"),
    ("robot plan", "--html out.html", "arm.urdf --from 0,0 --to 1,1"),
    ("robot ik", "--tip upper", "arm.urdf --pose 0.1,0,0,0,0,0,1"),
    ("robot ik", "--pose 1,1,0,0,0,0,1", "arm.urdf"),
    ("robot limits", "--from elbow=30deg", "arm.urdf"),
    ("robot limits", "!--from elbow=30mm", "arm.urdf"),
    ("robot run", "--demo magazine", "--demo magazine-clash --no-profile"),
    ("robot run", "--main magazine", "--demo magazine-clash --no-profile"),
    ("robot run", "--until-contact", "warning/cell.toml --no-profile"),
    ("robot run", "--warn", "--demo magazine-clash --no-profile --steps 40"),
    ("robot run", "--blend 5cm", "--demo magazine-clash --no-profile --json"),
    ("robot run", "--no-profile", "--demo magazine-clash"),
    ("robot run", "--steps 3", "--demo magazine-clash --no-profile"),
    ("robot run", "--seconds 0.1", "--demo magazine-clash --no-profile"),
    ("robot run", "--record out.json", "--demo magazine-clash --no-profile"),
    ("robot run", "--gltf out.glb", "--demo magazine-clash --no-profile"),
    ("robot run", "--fps 5", "--demo magazine-clash --no-profile --record out.json"),
    ("robot run", "!--fps 5", "--demo magazine-clash --no-profile"),
    ("robot run", "--html out.html", "--demo magazine-clash --no-profile"),
    ("robot run", "--csv out.csv", "--demo magazine-clash --no-profile"),
    ("robot run", "--db parts.db", "--demo magazine-clash --no-profile"),
    ("robot run", "--write-demo out", "--demo magazine-clash --no-profile"),
    ("robot run", "--rows 0", "--demo magazine-clash --no-profile"),
    ("robot run", "--json", "--demo magazine-clash --no-profile"),
    ("robot jog", "--demo magazine", "warning/cell.toml --do j1+1"),
    ("robot jog", "--do j1 5deg", "--demo"),
    ("robot jog", "--program out.val", "--demo --do teach"),
    ("robot jog", "--locations out.toml", "--demo --do teach"),
    ("robot jog", "--json", "--demo --do teach"),
    ("db import", "--name other", "parts.db one.obj"),
    ("db import", "--units m", "parts.db one.obj"),
    ("db import", "--density 7800", "parts.db one.obj"),
    ("db import", "--replace", "parts.db cube.obj"),
    ("db import", "--packages packed", "parts.db packed.urdf"),
    ("db import", "--json", "parts.db one.obj"),
    ("db list", "--kind scene", "parts.db"),
    ("db list", "--named zzz", "parts.db"),
    ("db list", "--json", "parts.db"),
    ("db show", "--json", "parts.db cube"),
    ("db compose", "--replace", "parts.db composed.toml"),
    ("db log", "--rows 0", "parts.db"),
    ("db log", "--json", "parts.db"),
];

/// Options of all robot commands but `run` and `jog`, each tested with every one of them.
const OF_ROBOTS: [(&str, &str); 8] = [
    ("--srdf arm.srdf", ""),
    ("--packages packed", "packed.urdf"),
    ("--around wall.toml", ""),
    ("--carry lower=one.obj", ""),
    ("--may-touch upper", "--carry lower=one.obj"),
    ("--as surface", "packed.urdf --packages packed"),
    ("!--threads 5000", ""),
    ("--json", ""),
];

/// Robot commands with what they need.
const ROBOTS: [(&str, &str); 6] = [
    ("robot info", ""),
    ("robot check", "--states states.csv"),
    ("robot pairs", ""),
    ("robot plan", "--from 0,0 --to 1,1"),
    ("robot ik", "--pose 1,1,0,0,0,0,1"),
    ("robot limits", ""),
];

/// Options that need not show, with the reason.
const EXEMPT: [(&str, &str, &str); 9] = [
    ("campaign", "--gpu", "answers are the same by design; tests of the GPU compare them"),
    ("demo", "--threads", "as for `check`"),
    ("serve", "--demo", "tested by the studio in a browser"),
    ("serve", "--detail", "tested by the studio in a browser"),
    ("serve", "--leave-out", "tested by the studio in a browser"),
    ("serve", "--port", "tested by the studio in a browser"),
    ("serve", "--no-browser", "opens a window"),
    ("robot limits", "--may-touch", "limits are reached before attached objects touch"),
    ("robot ik", "--may-touch", "a configuration is solved for, not checked"),
];

fn packed(mesh: &str) -> String {
    format!(
        "<robot name=\"packed\"><link name=\"base\"><collision><geometry><mesh filename=\"{mesh}\"/></geometry></collision>\
         </link><link name=\"upper\"><collision><origin xyz=\"2 0 0\"/><geometry><box size=\"0.6 0.1 0.1\"/></geometry>\
         </collision></link><link name=\"lower\"><collision><origin xyz=\"0.5 0 0\"/><geometry><box size=\"0.8 0.1 0.1\"/>\
         </geometry></collision></link><joint name=\"shoulder\" type=\"revolute\"><parent link=\"base\"/>\
         <child link=\"upper\"/><axis xyz=\"0 0 1\"/><limit lower=\"-3\" upper=\"3\" velocity=\"1\" effort=\"1\"/></joint>\
         <joint name=\"elbow\" type=\"revolute\"><parent link=\"upper\"/><child link=\"lower\"/><origin xyz=\"3 0 0\"/>\
         <axis xyz=\"0 0 1\"/><limit lower=\"-3.1\" upper=\"3.1\" velocity=\"1\" effort=\"1\"/></joint></robot>"
    )
}

/// Files for all cases.
fn files(name: &str) -> Folder {
    let folder = Folder::new(name);
    let cube = |name: &str, size: &str, x: f64| {
        format!("[[body]]\nname = '{name}'\nbox = [{size}]\npose = {{ xyz = [{x}, 0, 0] }}\n")
    };
    let motion = |body: &str, to: &str| {
        format!("[[motion]]\nbody = '{body}'\nkind = 'straight'\nto = {{ xyz = [{to}] }}\nseconds = 2\n")
    };
    let pair = cube("mover", "1, 1, 1", 0.0) + &cube("wall", "1, 3, 3", 4.0);
    for (name, text) in [
        ("one.obj", cubes(&[0.0])),
        ("cube.obj", cubes(&[0.0])),
        ("two.obj", cubes(&[0.0, 1.5])),
        ("three.obj", cubes(&[0.0, 1.5, 3.0])),
        ("apart.obj", cubes(&[0.0, 5.0])),
        ("nested.obj", cubes(&[0.0]) + &small_cube()),
        ("seam.obj", open_cube()),
        ("shells.off", shells()),
        ("lshape.obj", lshape()),
        ("folder/a.obj", cubes(&[0.0, 1.5])),
        ("folder/b.fbx", "not a mesh".to_owned()),
        ("touching.toml", cube("a", "2, 2, 2", 0.0) + &cube("b", "2, 2, 2", 2.0)),
        ("lens.toml", LENS.to_owned()),
        ("moving.toml", pair.clone() + &motion("mover", "8, 0, 0")),
        ("quick.toml", pair.clone() + &motion("mover", "9, 0, 0")),
        ("sliding.toml", pair + &motion("mover", "8, 4, 0")),
        (
            "resting.toml",
            cube("mover", "1, 1, 1", 0.0) + &cube("floor", "1, 1, 1", -1.0) + &motion("mover", "8, 0, 0"),
        ),
        ("falling.toml", FALLING.to_owned()),
        ("removal.toml", REMOVAL.to_owned()),
        ("ball.txt", "x^2 + y^2 + z^2 <= 1".to_owned()),
        ("cube.txt", "max(max(abs(x - 3), abs(y)), abs(z)) - 1".to_owned()),
        ("plan.toml", PLAN.to_owned()),
        ("done.toml", PLAN.to_owned()),
        (
            "arm.urdf",
            packed("one.obj").replace("<mesh filename=\"one.obj\"/>", "<box size=\"0.2 0.2 0.2\"/>"),
        ),
        ("packed.urdf", packed("package://arm/one.obj")),
        ("packed/arm/one.obj", cubes(&[0.0])),
        ("arm.srdf", SRDF.to_owned()),
        ("states.csv", "elbow\n0\n3.05\n1\n".to_owned()),
        (
            "wall.toml",
            "units = 'm'\n[[body]]\nname = 'wall'\nbox = [0.5, 0.2, 1]\npose = { xyz = [5, 0.6, 0] }\n"
                .to_owned(),
        ),
        ("composed.toml", COMPOSED.to_owned()),
    ] {
        folder.file(name, text);
    }
    for words in [
        "check two.obj --results results.json",
        "play moving.toml --record recorded.json --frames 9",
        "campaign done.toml",
        "db init parts.db",
        "db import parts.db cube.obj",
        "db import parts.db arm.urdf",
        "db compose parts.db composed.toml",
        "robot run --demo magazine-clash --no-profile --write-demo warning --db parts.db",
    ] {
        let output = start(&folder, &words.split(' ').collect::<Vec<_>>());
        assert_ne!(output.status.code(), Some(2), "{words}: {}", String::from_utf8_lossy(&output.stderr));
    }
    let warned = std::fs::read_to_string(folder.join("warning/cell.toml")).unwrap();
    folder.file("warning/cell.toml", warned.replace("on_contact = \"stop\"", "on_contact = \"warn\""));
    folder
}

const LENS: &str = "[[body]]\nname = 'a'\nsphere = { radius = 1 }\n[[body]]\nname = 'b'\nsphere = { radius = 1, cuts = 9 }\nas = 'surface'\npose = { xyz = [1, 0.1, 0.2] }\n";

const FALLING: &str = "[simulation]\nseconds = 0.5\n[[body]]\nname = 'floor'\nhalf_space = true\n[[body]]\nname = 'crate'\n\
    box = [0.4, 0.3, 0.2]\npose = { xyz = [0, 0, 0.2], rpy_deg = [20, 10, 0] }\nmass = 3\nfriction = 0.1\nrestitution = 0.1\n\
    velocity = [1, 0, 0]\n";

const REMOVAL: &str = "[[body]]\nname = 'box'\nbox = [4, 4, 0.5]\n[[body]]\nname = 'core'\nbox = [1, 1, 1]\npose = { xyz = [0, 0, 1] }\n\
    [[body]]\nname = 'lid'\nbox = [4, 4, 0.5]\npose = { xyz = [0, 0, 2.5] }\n[[removal]]\nname = 'first'\npart = 'lid'\n";

const PLAN: &str = "count = 400\nchunk = 200\nscene = \"\"\"\n[[body]]\nname = 'a'\nbox = [2, 2, 2]\n[[body]]\nname = 'b'\nbox = [2, 2, 2]\n\
    \"\"\"\n[draw]\nkind = \"poses\"\nbody = \"b\"\nlow = [-4, -4, -4]\nhigh = [4, 4, 4]\n";

const SRDF: &str = "<robot name=\"packed\"><disable_collisions link1=\"base\" link2=\"lower\" reason=\"User\"/>\
    <disable_collisions link1=\"base\" link2=\"upper\" reason=\"Adjacent\"/>\
    <disable_collisions link1=\"upper\" link2=\"lower\" reason=\"Adjacent\"/></robot>";

const COMPOSED: &str = "name = \"table\"\nunits = \"mm\"\n[[part]]\nname = \"base\"\nbox = [10, 10, 10]\n[[part]]\nname = \"disc\"\n\
    box = [5, 5, 5]\n[[joint]]\nname = \"spin\"\nkind = \"revolute\"\nparent = \"base\"\nchild = \"disc\"\nxyz = [0, 0, 20]\n\
    axis = [0, 0, 1]\nrange_deg = [-90, 90]\n";

/// Of half the size, inside the first of [`cubes`].
fn small_cube() -> String {
    let mut text = String::new();
    crate::support::write_object(&mut text, "small", &noli_scenes::cuboid(glam::DVec3::splat(0.25)), 8);
    text
}

/// A cube whose last face has corners of its own, a little off.
fn open_cube() -> String {
    let cube = noli_scenes::cuboid(glam::DVec3::ONE);
    let mut text = String::from("o seam\n");
    for v in &cube.vertices {
        text += &format!("v {} {} {}\n", v.x, v.y, v.z);
    }
    let last = cube.triangles.len() - 1;
    for corner in cube.triangles[last] {
        let v = cube.vertices[corner as usize];
        text += &format!("v {} {} {}\n", v.x + 0.01, v.y, v.z);
    }
    for [a, b, c] in &cube.triangles[..last] {
        text += &format!("f {} {} {}\n", a + 1, b + 1, c + 1);
    }
    text + "f 9 10 11\n"
}

/// Two cubes that intersect, as one object.
fn shells() -> String {
    let cube = noli_scenes::cuboid(glam::DVec3::ONE);
    let count = cube.vertices.len();
    let mut text = format!("OFF\n{} {} 0\n", 2 * count, 2 * cube.triangles.len());
    for shift in [0.0, 1.5] {
        cube.vertices
            .iter()
            .for_each(|v| text += &format!("{} {} {}\n", v.x + shift, v.y + 0.3 * shift, v.z));
    }
    for first in [0, count] {
        let face = |t: &[u32; 3]| {
            format!("3 {} {} {}\n", t[0] as usize + first, t[1] as usize + first, t[2] as usize + first)
        };
        text.extend(cube.triangles.iter().map(face));
    }
    text
}

/// A prism over an L.
fn lshape() -> String {
    let outline = [[0, 0], [3, 0], [3, 1], [1, 1], [1, 3], [0, 3]];
    let mut text = String::from("o l\n");
    for z in [0, 1] {
        outline.iter().for_each(|[x, y]| text += &format!("v {x} {y} {z}\n"));
    }
    for [a, b, c] in [[1, 2, 3], [1, 3, 4], [1, 4, 5], [1, 5, 6]] {
        text += &format!("f {a} {c} {b}\nf {} {} {}\n", a + 6, b + 6, c + 6);
    }
    for k in 0..6 {
        let next = (k + 1) % 6;
        text += &format!("f {} {} {}\nf {} {} {}\n", k + 1, next + 1, next + 7, k + 1, next + 7, k + 7);
    }
    text
}

fn start(folder: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(crate::PROGRAM);
    command.args(words).current_dir(folder).stdin(std::process::Stdio::null());
    command.output().expect("the program starts")
}

/// What a command did, without times.
#[derive(Debug, PartialEq)]
struct Done {
    code: Option<i32>,
    printed: String,
    /// Files that it wrote, and their sizes.
    written: BTreeMap<String, u64>,
}

fn times(folder: &Path, below: &str, found: &mut BTreeMap<String, (SystemTime, u64)>) {
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let name = format!("{below}{}", entry.file_name().to_string_lossy());
        let about = entry.metadata().unwrap();
        if about.is_dir() {
            times(&entry.path(), &format!("{name}/"), found);
        } else {
            found.insert(name, (about.modified().unwrap(), about.len()));
        }
    }
}

fn done(folder: &Path, words: &[&str]) -> Done {
    let (mut before, mut after) = (BTreeMap::new(), BTreeMap::new());
    times(folder, "", &mut before);
    let output = start(folder, words);
    times(folder, "", &mut after);
    let written = after.iter().filter(|(name, about)| before.get(*name) != Some(about));
    let is_store = |name: &str| name.contains(".db-");
    let written = written.filter(|(name, _)| !is_store(name)).map(|(name, (_, size))| (name.clone(), *size));
    Done {
        code: output.status.code(),
        printed: format!("{}\n{}", timeless(&output.stdout), timeless(&output.stderr)),
        written: written.collect(),
    }
}

/// Text without the times that differ from run to run.
fn timeless(bytes: &[u8]) -> String {
    if let Ok(mut value) = serde_json::from_slice::<Value>(bytes) {
        drop_times(&mut value);
        return value.to_string();
    }
    let text = String::from_utf8_lossy(bytes);
    let mut words: Vec<&str> = text.split_whitespace().collect();
    let is_time = |pair: &[&str]| {
        let unit = pair[1].trim_end_matches([',', ';', '.', ')', ':']);
        pair[0].parse::<f64>().is_ok()
            && (["s", "ms", "us", "(median),", "(p99),", "(worst)"].contains(&unit) || pair[1] == "a")
    };
    let timed: BTreeSet<usize> =
        words.windows(2).enumerate().filter(|(_, pair)| is_time(pair)).map(|(place, _)| place).collect();
    timed.into_iter().for_each(|place| words[place] = "#");
    words.join(" ")
}

fn drop_times(value: &mut Value) {
    const TIMES: [&str; 9] = [
        "micros",
        "millis",
        "frame_ms",
        "seconds",
        "real_time_factor",
        "per_second",
        "prepare_s",
        "decide_s",
        "budget_met",
    ];
    match value {
        Value::Object(fields) => {
            fields.retain(|name, _| !TIMES.contains(&name.as_str()));
            fields.values_mut().for_each(drop_times);
        }
        Value::Array(items) => items.iter_mut().for_each(drop_times),
        _ => {}
    }
}

/// All options of a command and those below it: `robot plan` and `--seed`.
fn walk(command: &clap::Command, path: &str, found: &mut BTreeSet<(String, String)>) {
    for below in command.get_subcommands().filter(|below| below.get_name() != "help") {
        let path = format!("{path} {}", below.get_name()).trim().to_owned();
        let own = below.get_arguments().filter(|option| !option.is_global_set());
        let named = own.filter_map(|option| option.get_long().map(|long| format!("--{long}")));
        found.extend(named.filter(|long| long != "--help").map(|long| (path.clone(), long)));
        walk(below, &path, found);
    }
}

fn option_of(words: &str) -> &str {
    words.trim_start_matches('!').split([' ', '=']).next().unwrap_or_default()
}

/// The cases, with those of all robot commands.
fn cases() -> Vec<(String, String, String)> {
    let own = CASES
        .iter()
        .map(|(command, option, rest)| (command.to_string(), option.to_string(), rest.to_string()));
    let robots = ROBOTS.iter().flat_map(|(command, needed)| {
        OF_ROBOTS.iter().map(move |(option, rest)| {
            let rest =
                if rest.contains("packed.urdf") { rest.to_string() } else { format!("arm.urdf {rest}") };
            (command.to_string(), option.to_string(), format!("{rest} {needed}"))
        })
    });
    let is_tested = |(command, option, _): &(String, String, String)| {
        !EXEMPT.iter().any(|(of, name, _)| of == command && *name == option_of(option))
    };
    own.chain(robots).filter(is_tested).collect()
}

#[test]
fn every_option_has_a_case() {
    let mut options = BTreeSet::new();
    walk(&noli_cli::command(), "", &mut options);
    assert!(options.len() > 150, "{}", options.len());
    let mut known: BTreeSet<(String, String)> =
        cases().into_iter().map(|(command, option, _)| (command, option_of(&option).to_owned())).collect();
    known.extend(EXEMPT.iter().map(|(command, option, _)| (command.to_string(), option.to_string())));
    let missing: Vec<_> = options.difference(&known).collect();
    assert!(missing.is_empty(), "options without a case: {missing:?}");
    let gone: Vec<_> = known
        .difference(&options)
        .filter(|(_, option)| !["--quiet", "--color"].contains(&option.as_str()))
        .collect();
    assert!(gone.is_empty(), "cases without an option: {gone:?}");
}

#[test]
fn every_option_changes_something_or_is_refused() {
    let cases = cases();
    let wrong = std::sync::Mutex::new(Vec::new());
    let numbered: Vec<(usize, &(String, String, String))> = cases.iter().enumerate().collect();
    noli_testing::for_all(&numbered.chunks(12).collect::<Vec<_>>(), |cases| {
        for (number, (command, option, rest)) in *cases {
            if let Err(why) = judge(*number, command, option, rest) {
                wrong.lock().unwrap().push(why);
            }
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn judge(number: usize, command: &str, option: &str, rest: &str) -> Result<(), String> {
    let run = |name: &str, more: &str| {
        let folder = files(&format!("option-{number}-{name}"));
        let mut words: Vec<&str> = command.split(' ').chain(rest.split_whitespace()).collect();
        // Values of these have spaces.
        match more.strip_prefix("--do ") {
            Some(steps) => words.extend(["--do", steps]),
            None => words.extend(more.split_whitespace()),
        }
        let words: Vec<&str> =
            words.iter().map(|word| if *word == "teach" { "teach here" } else { *word }).collect();
        let words: Vec<&str> =
            words.iter().map(|word| if *word == "j1+1" { "j1 +1" } else { *word }).collect();
        done(&folder, &words)
    };
    let with = run("with", option.trim_start_matches('!'));
    let line = format!("noli {command} {rest} {option}");
    if option.starts_with('!') {
        return if with.code == Some(2) { Ok(()) } else { Err(format!("{line}: not refused: {with:?}")) };
    }
    let without = run("without", "");
    if with == without {
        return Err(format!("{line}: changes nothing: {with:?}"));
    }
    if with.code == Some(2) {
        return Err(format!("{line}: refused: {}", with.printed));
    }
    Ok(())
}
