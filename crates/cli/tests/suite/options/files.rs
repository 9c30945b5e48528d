//! The files that the command lines of the walk read.

use crate::support::{Folder, cubes};
use std::path::Path;
use std::process::{Command, Output};

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

/// A copy of the files of all cases.
pub(super) fn files(name: &str) -> Folder {
    static MADE: std::sync::OnceLock<Folder> = std::sync::OnceLock::new();
    let folder = Folder::new(name);
    copy(MADE.get_or_init(make), &folder);
    folder
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// The header of an occupancy tree; an occupied, a free and two unknown cells follow.
const MAP: &str = "# Octomap OcTree binary file\nid OcTree\nsize 18\nres 0.05\ndata\n";

fn make() -> Folder {
    let folder = Folder::new("options");
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
        ("map.bt", MAP.to_owned() + &"\u{3}\0".repeat(15) + "B\0"),
        ("cloud.xyz", "0 0 0\n0.05 0 0\n5 5 5\n".to_owned()),
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
        ("corners.toml", CORNERS.to_owned()),
        ("moving.toml", pair.clone() + &motion("mover", "8, 0, 0")),
        ("quick.toml", pair.clone() + &motion("mover", "9, 0, 0")),
        ("sliding.toml", pair + &motion("mover", "8, 4, 0")),
        (
            "resting.toml",
            cube("mover", "1, 1, 1", 0.0)
                + &cube("floor", "1, 1, 1", -1.0)
                + &cube("far", "1, 1, 1", 20.0)
                + &motion("mover", "8, 0, 0"),
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
        ("puma.csv", "j1,j2\n0,0\n0.6,0.3\n".to_owned()),
        ("states.csv", "elbow\n0\n3.05\n1\n".to_owned()),
        ("far.csv", "elbow\n0\n3.2\n".to_owned()),
        (
            "wall.toml",
            "units = 'm'\n[[body]]\nname = 'wall'\nbox = [0.5, 0.2, 1]\npose = { xyz = [3.5, 1.2, 0] }\n"
                .to_owned(),
        ),
        ("composed.toml", COMPOSED.to_owned()),
        ("groups.srdf", GROUPS.to_owned()),
        ("turning/bar.urdf", BAR.to_owned()),
        ("turning/a.val", TURN.to_owned()),
        ("turning/b.val", TURN.to_owned()),
        ("turning/a.toml", turning("a", 0.0, -90)),
        ("turning/b.toml", turning("b", 1.5, 90)),
    ] {
        folder.file(name, text);
    }
    prepare(&folder);
    folder
}

/// Writes what commands write that the walk reads.
fn prepare(folder: &Folder) {
    for words in [
        "check two.obj --results results.json",
        "play moving.toml --record recorded.json --frames 9",
        "campaign done.toml",
        "db init parts.db",
        "db import parts.db cube.obj",
        "db import parts.db arm.urdf",
        "db compose parts.db composed.toml",
        "db tool parts.db stored",
        "robot run --demo magazine-clash --no-profile --write-demo warning --db parts.db",
    ] {
        let output = start(folder, &words.split(' ').collect::<Vec<_>>());
        assert_ne!(output.status.code(), Some(2), "{words}: {}", String::from_utf8_lossy(&output.stderr));
    }
    let warned = std::fs::read_to_string(folder.join("warning/cell.toml")).unwrap();
    folder.file("warning/cell.toml", warned.replace("on_contact = \"stop\"", "on_contact = \"warn\""));
}

/// The elbow alone as a planning group.
const GROUPS: &str = "<robot name=\"packed\"><group name=\"hand\"><joint name=\"elbow\"/></group>\
    <group name=\"arm\"><joint name=\"shoulder\"/><joint name=\"elbow\"/></group></robot>";

const BAR: &str = "<robot name=\"bar\"><link name=\"base\"/><link name=\"arm\"><collision><origin xyz=\"0.55 0 0\"/><geometry>\
    <box size=\"0.9 0.1 0.1\"/></geometry></collision></link><joint name=\"turn\" type=\"revolute\"><parent link=\"base\"/>\
    <child link=\"arm\"/><axis xyz=\"0 0 1\"/><limit lower=\"-7\" upper=\"7\" velocity=\"1\" effort=\"1\"/></joint></robot>";

const TURN: &str = ".PROGRAM main()\nMOVE #in\nMOVE #out\n.END\n";

/// A bar that turns through a half circle in two moves.
fn turning(name: &str, x: f64, start: i32) -> String {
    format!(
        "units = 'm'\nprogram = '{name}.val'\n[robot]\nurdf = 'bar.urdf'\nbase = {{ xyz = [{x}, 0, 0] }}\n\
         start_deg = [{start}]\n[[location]]\nname = 'in'\njoints_deg = [{}]\n[[location]]\nname = 'out'\n\
         joints_deg = [{}]\n",
        start + 90,
        start + 180
    )
}

const CORNERS: &str = "[[body]]\nname = 'a'\nfile = 'lshape.obj'\n[[body]]\nname = 'b'\nfile = 'lshape.obj'\n\
    pose = { xyz = [1.2, 1.3, 0.4], rpy_deg = [10, 20, 200] }\n";

const FALLING: &str = "[simulation]\nseconds = 0.5\n[[body]]\nname = 'floor'\nhalf_space = true\n[[body]]\nname = 'crate'\n\
    box = [0.4, 0.3, 0.2]\npose = { xyz = [0, 0, 0.2], rpy_deg = [20, 10, 0] }\nmass = 3\nfriction = 0.1\nrestitution = 0.1\n\
    velocity = [1, 0, 0]\n";

const REMOVAL: &str = "[[body]]\nname = 'floor'\nbox = [6, 6, 0.5]\n[[body]]\nname = 'left'\nbox = [0.5, 6, 4]\n\
    pose = { xyz = [-2.75, 0, 2.3] }\n[[body]]\nname = 'right'\nbox = [0.5, 6, 4]\npose = { xyz = [2.75, 0, 2.3] }\n[[body]]\n\
    name = 'front'\nbox = [4.9, 0.5, 4]\npose = { xyz = [0, -2.7, 2.3] }\n[[body]]\nname = 'back'\nbox = [4.9, 0.5, 4]\n\
    pose = { xyz = [0, 2.7, 2.3] }\n[[body]]\nname = 'core'\nbox = [2, 2, 2]\npose = { xyz = [0, 0, 1.5] }\n[[body]]\nname = 'lid'\n\
    box = [6, 6, 0.5]\npose = { xyz = [0, 0, 4.6] }\n[[removal]]\nname = 'first'\npart = 'core'\nwithout = ['lid']\n";

const PLAN: &str = "count = 400\nchunk = 200\nscene = \"\"\"\n[[body]]\nname = 'a'\nbox = [2, 2, 2]\n[[body]]\nname = 'b'\nbox = [2, 2, 2]\n\
    \"\"\"\n[draw]\nkind = \"poses\"\nbody = \"b\"\nlow = [-4, -4, -4]\nhigh = [4, 4, 4]\n";

const SRDF: &str = "<robot name=\"packed\"><disable_collisions link1=\"base\" link2=\"upper\" reason=\"Adjacent\"/>\
    <disable_collisions link1=\"upper\" link2=\"lower\" reason=\"Adjacent\"/></robot>";

const COMPOSED: &str = "name = \"table\"\nunits = \"mm\"\n[[part]]\nname = \"base\"\nbox = [10, 10, 10]\n[[part]]\nname = \"disc\"\n\
    box = [5, 5, 5]\n[[joint]]\nname = \"spin\"\nkind = \"revolute\"\nfixed = \"base\"\nmoving = \"disc\"\n\
    pose = { xyz = [0, 0, 20] }\naxis = [0, 0, 1]\nrange_deg = [-90, 90]\n";

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

pub(super) fn start(folder: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(crate::PROGRAM);
    command.args(words).current_dir(folder).stdin(std::process::Stdio::null());
    command.output().expect("the program starts")
}
