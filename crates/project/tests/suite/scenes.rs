//! Scene files: what they say, and what is wrong with them.

use glam::{DMat3, DVec3, dvec3};
use noli::{Convex, Model, Pose, World};
use noli_formats::*;
use noli_formats::{MeshFormat, NamedMesh, ReadOptions, write_bytes};
use noli_geom::{Mesh, MeshKind};
use noli_project::*;
use noli_testing::Folder;
use proptest::prelude::*;

const FULL: &str = r#"
units = "cm"

[[body]]
name = "table"
box = [100, 60, 2.5]

[[body]]
name = "lamp"
file = "lamp.obj"
units = "mm"
as = "solid"
split = true
parent = "table"
pose = { xyz = [0, 0, 10], rpy_deg = [0, 0, 90] }

[[body]]
name = "sphere"
sphere = { radius = 2, cuts = 4 }
group = "toys"
pose = { xyz = [1, 2, 3], axis = [0, 0, 2], angle_deg = 180 }

[[body]]
name = "drum"
cylinder = { radius = 3, height = 4 }
pose = { matrix = [[0, -1, 0, 7], [1, 0, 0, 8], [0, 0, 1, 9], [0, 0, 0, 1]] }

[[body]]
name = "ring"
torus = { major = 3, minor = 1 }
pose = { quaternion = [0, 0, 1, 1] }

[[body]]
name = "case"
generator = { scene = "engine-bay", part = "battery.case", detail = 2 }

[[group]]
name = "things"
bodies = ["drum", "r*"]

[check]
skip = [["table", "lamp*"], "case"]
only = ["*"]
margin = 0.1
margins = [{ pair = ["sphere", "drum"], margin = 0.5 }]

[[motion]]
body = "sphere"
kind = "straight"
to = { xyz = [0, 0, 5] }
turning = "nlerp"

[[motion]]
group = "things"
kind = "screw"
axis = [0, 0, 1]
angle_deg = 360
advance = 2
seconds = 4

[[motion]]
body = "case"
kind = "keyframes"
keys = [{ time = 0 }, { time = 0.5, xyz = [1, 0, 0] }, { time = 1.0, xyz = [1, 1, 0] }]

[[motion]]
body = "lamp"
kind = "poses"
file = "lamp.csv"

[[motion]]
body = "table"
kind = "velocity"
linear = [1, 0, 0]
angular_deg = [0, 0, 90]
"#;

fn body(text: &str) -> String {
    format!("[[body]]\nname = \"a\"\nbox = [1, 1, 1]\n{text}\n")
}

#[test]
fn everything_a_scene_can_say() {
    let scene = parse_scene(FULL.as_bytes()).unwrap();
    assert_eq!(scene.units, Units::Centimetre);
    assert_eq!(scene.bodies.len(), 6);
    let lamp = &scene.bodies[1];
    assert_eq!((lamp.parent, lamp.kind, lamp.split), (Some(0), Some(MeshKind::Solid), true));
    let file = Shape::File { path: "lamp.obj".into(), object: None, units: Units::Millimetre };
    assert_eq!(lamp.shape, file);
    assert_eq!(scene.body("ring"), Some(4));
    let groups: Vec<(&str, &[usize])> =
        scene.groups.iter().map(|group| (group.name.as_str(), group.bodies.as_slice())).collect();
    assert_eq!(groups, [("things", &[3, 4][..]), ("toys", &[2])]);
    let margin = |a: &str, b: &str| {
        let (sphere, mut world) = (Model::from(Convex::sphere(1.0).unwrap()), World::default());
        let [a, b] = [a, b].map(|name| world.add(name, &sphere, Pose::IDENTITY).unwrap());
        *world.rules_mut() = scene.check.rules();
        world.margin_between(a, b).unwrap()
    };
    assert_eq!([margin("lamp/x", "table"), margin("drum", "case")], [None, None]);
    assert_eq!(margin("drum", "sphere"), Some(0.5));
    assert_eq!(scene.motions.len(), 5);
    assert_eq!(scene.motions[1].mover, Mover::Group(0));
    assert_eq!(scene.motions[1].seconds, 4.0);
    let MotionPath::Screw { angle_rad, .. } = scene.motions[1].path else { panic!("a screw is expected") };
    assert!((angle_rad - std::f64::consts::TAU).abs() < 1e-15);
}

/// A quarter turn about z, said in every way, is exact.
#[test]
fn right_angles_are_exact_however_they_are_said() {
    for text in [
        "quaternion = [0, 0, 1, 1]",
        "rpy_deg = [0, 0, 90]",
        "rpy_deg = [360, -720, -270]",
        "axis = [0, 0, 1], angle_deg = 90",
        "axis = [0, 0, -3], angle_deg = -90",
        "matrix = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]",
    ] {
        let scene = parse_scene(body(&format!("pose = {{ xyz = [1, 2, 3], {text} }}")).as_bytes()).unwrap();
        let pose = scene.bodies[0].pose;
        assert_eq!(pose.rotation_matrix(), DMat3::from_cols(DVec3::Y, DVec3::NEG_X, DVec3::Z), "{text}");
        assert_eq!(pose.translation, dvec3(1.0, 2.0, 3.0));
    }
    let radians = parse_scene(body("pose = { rpy_rad = [0.1, 0.2, 0.3] }").as_bytes()).unwrap();
    let expected = DMat3::from_rotation_z(0.3) * DMat3::from_rotation_y(0.2) * DMat3::from_rotation_x(0.1);
    assert!(radians.bodies[0].pose.rotation_matrix().abs_diff_eq(expected, 1e-15));
}

#[test]
fn poses_follow_parents() {
    let text = "[[body]]\nname='c'\nbox=[1,1,1]\nparent='b'\npose={xyz=[1,0,0]}\n\
        [[body]]\nname='b'\nbox=[1,1,1]\nparent='a'\npose={xyz=[0,0,5],rpy_deg=[0,0,90]}\n\
        [[body]]\nname='a'\nbox=[1,1,1]\npose={xyz=[10,0,0]}\n";
    let scene = parse_scene(text.as_bytes()).unwrap();
    assert_eq!(scene.world_pose(0).transform_point(DVec3::ZERO), dvec3(10.0, 1.0, 5.0));
}

/// The example of the reference page is a scene.
#[test]
fn the_documented_example_is_a_scene() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/scenes.md");
    let Ok(page) = std::fs::read_to_string(path) else {
        noli_testing::skip("docs/scenes.md is not part of this package");
        return;
    };
    let example = page.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let scene = parse_scene(example.as_bytes()).unwrap();
    assert_eq!((scene.bodies.len(), scene.motions.len()), (3, 1));
    let known = [
        "file",
        "box",
        "sphere",
        "capsule",
        "ellipsoid",
        "cone",
        "half_space",
        "cylinder",
        "torus",
        "generator",
        "straight",
        "screw",
        "keyframes",
    ];
    assert!(
        known
            .iter()
            .all(|word| page.contains(&format!("`{word}`")) || page.contains(&format!("`\"{word}\"`")))
    );
}

/// Text, line, a piece of the reason, a piece of the remedy.
#[rustfmt::skip]
const ERRORS: &[(&str, usize, &str, &str)] = &[
    ("unit = 'mm'", 1, "no key `unit`", "did you mean `units`?"),
    ("units = 'mmm'", 1, "cannot be `mmm`", "did you mean `mm`?"),
    ("units = 5", 1, "cannot be this integer", "text in quotes"),
    ("units = ", 1, "not TOML", "toml.io"),
    ("\n\n[[body]]\nname='a'\nbix=[1,1,1]", 3, "has no shape", "give one of file"),
    ("[[body]]\nname='a'\nbox=[1,1,1]\npoze={}", 4, "body `a` has no key `poze`", "did you mean `pose`?"),
    ("[[body]]\nbox=[1,1,1]", 1, "body 1 has no `name`", "add `name"),
    ("[[body]]\nname=''\nbox=[1,1,1]", 2, "is not a name", "printable"),
    ("body = 3", 1, "cannot be this integer", "[[body]]"),
    ("body = [3]", 1, "cannot be this integer", "[[body]]"),
    ("[body]\nname='a'", 1, "cannot be this table", "[[body]]"),
    ("[[body]]\nname='a'\nbox=[1,1]", 3, "has 2 numbers", "give 3 numbers"),
    ("[[body]]\nname='a'\nbox=[1,1,-1]", 3, "cannot be", "greater than 0"),
    ("[[body]]\nnmae='a'\nbox=[1,1,1]", 2, "body 1 has no key `nmae`", "did you mean `name`?"),
    ("[[body]]\nname='a'\nbox=[1,1,inf]", 3, "not a finite number", "ordinary size"),
    ("[[body]]\nname='a'\nbox=[1,1,1e200]", 3, "too large", "ordinary size"),
    ("[[body]]\nname='a'\nbox=[1,1,1]\nsphere={radius=1}", 4, "both `box` and `sphere`", "keep one"),
    ("[[body]]\nname='a'\ncapsule={radius=1}", 3, "`length`", "add `length`"),
    ("[[body]]\nname='a'\nellipsoid={radii=[1,2,-3]}", 3, "`radii`", "greater than 0"),
    ("[[body]]\nname='a'\nhalf_space=false", 3, "`half_space`", "true"),
    ("[[body]]\nname='a'\nsphere={radius=0}", 3, "`radius`", "greater than 0"),
    ("[[body]]\nname='a'\nsphere={radius=1,cuts=9999}", 3, "`cuts`", "from 1 to 512"),
    ("[[body]]\nname='a'\ntorus={major=1,minor=2}", 3, "wider than the ring", "less than `major`"),
    ("[[body]]\nname='a'\ngenerator={scene='engine-bay'}", 1, "is a whole assembly", "split = true"),
    ("[[body]]\nname='a'\ngenerator={scene='enginebay'}", 3, "cannot be `enginebay`", "`engine-bay`"),
    ("[[body]]\nname='a'\ngenerator={scene='gearbox',part='oil.pip'}", 3, "no part `oil.pip`", "`oil.pipe`"),
    ("[[body]]\nname='a'\nbox=[1,1,1]\nsplit=true", 1, "nothing to split", "drop `split`"),
    ("[[body]]\nname='a'\nbox=[1,1,1]\nas='solit'", 4, "cannot be `solit`", "did you mean `solid`?"),
    ("[[body]]\nname='a'\nbox=[1,1,1]\nparent='b'", 4, "there is no body `b`", "name a body"),
    ("[[body]]\nname='a'\nbox=[1,1,1]\nparent='a'", 2, "its own ancestor", "no `parent`"),
    ("[[body]]\nname='a'\nbox=[1,1,1]\n[[body]]\nname='a'\nbox=[1,1,1]", 4, "two bodies called `a`", "its own name"),
    ("[[body]]\nname='a'\nbox=[1,1,1]\npose={quaternion=[0,0,0,0]}", 4, "`quaternion`", "not all of them 0"),
    ("[[body]]\nname='a'\nbox=[1,1,1]\npose={axis=[0,0,1]}", 4, "axis without an angle", "angle_deg"),
    ("[[body]]\nname='a'\nbox=[1,1,1]\npose={angle_deg=3}", 4, "without an axis", "add `axis"),
    ("[[body]]\nname='a'\nbox=[1,1,1]\npose={axis=[0,0,0],angle_rad=1}", 4, "`axis`", "not zero"),
    ("[[body]]\nname='a'\nbox=[1,1,1]\npose={matrix=[[2,0,0],[0,2,0],[0,0,2]]}", 4, "not a rotation", "orthonormal"),
    ("[[body]]\nname='a'\nbox=[1,1,1]\npose={matrix=[[1,0,0,0],[0,1,0,0],[0,0,1,0]],xyz=[1,1,1]}", 4, "twice", "drop `xyz`"),
    ("[[body]]\nname='a'\nbox=[1,1,1]\npose={matrix=[[1,0,0]]}", 4, "`matrix`", "3 rows"),
    ("[[body]]\nname='lamp'\nbox=[1,1,1]\n[check]\nskip=[['lampe','*']]", 5, "no body is called `lampe`", "`lamp`"),
    ("[[body]]\nname='a'\nbox=[1,1,1]\n[check]\nskip=[['a']]", 5, "cannot be this array", "two names"),
    ("[check]\nmargin=-1", 2, "`margin`", "0 or a greater"),
    ("[[body]]\nname='a'\nbox=[1,1,1]\ngroup='g'\n[[group]]\nname='h'\nbodies=['a']", 7, "already in group `g`", "one group"),
    ("[[motion]]\nkind='screw'", 1, "moves nothing", "add `body`"),
    ("[[body]]\nname='a'\nbox=[1,1,1]\n[[motion]]\nbody='a'\nkind='spin'", 6, "cannot be `spin`", "give one of straight"),
    ("[[body]]\nname='a'\nbox=[1,1,1]\n[[motion]]\nbody='a'\nkind='screw'\naxis=[0,0,1]", 4, "neither turns", "advance"),
    ("[[body]]\nname='a'\nbox=[1,1,1]\n[[motion]]\nbody='a'\nkind='straight'", 4, "has no `to`", "add `to`"),
    ("[[body]]\nname='a'\nbox=[1,1,1]\n[[motion]]\nbody='a'\nkind='keyframes'\nkeys=[{time=0},{time=2}]", 7, "from 0 to 2", "rising"),
    ("[[body]]\nname='a'\nbox=[1,1,1]\n[[motion]]\ngroup='g'\nkind='screw'", 5, "no group `g`", "name a group"),
    ("[[body]]\nname='a'\nbox=[1,1,1]\n[[motion]]\nbody='a'\nkind='velocity'\n[[motion]]\nbody='a'\nkind='velocity'", 7, "two motions", "key frames"),
];

#[test]
fn errors_name_line_reason_and_remedy() {
    for (text, line, reason, remedy) in ERRORS {
        let error = parse_scene(text.as_bytes()).expect_err(text);
        assert_eq!(error.place, Place::Line(*line), "{text}: {error}");
        assert!(error.reason.contains(reason), "{text}: {error}");
        assert!(error.remedy.contains(remedy), "{text}: {error}");
    }
    assert_eq!(parse_scene(b"units = 'mm'\n\xff").unwrap_err().place, Place::Line(2));
    assert_eq!(parse_scene(b"").unwrap(), Scene::default());
}

#[test]
fn pose_lists() {
    let even =
        parse_poses(b"# made by hand\nx,y,z,qx,qy,qz,qw\n0,0,0,0,0,0,1\n\n1,0,0,0,0,0,1\n2,0,0,0,0,0,1\n")
            .unwrap();
    assert_eq!(even.iter().map(|key| key.time).collect::<Vec<_>>(), [0.0, 0.5, 1.0]);
    let timed =
        parse_poses(b"t,qx,qy,qz,qw,tx,ty,tz\n2,0,0,0,1,5,6,7\n6,0,0,0,1,0,0,0\n10,0,0,1,1,0,0,0").unwrap();
    assert_eq!(timed[0].pose.translation, dvec3(5.0, 6.0, 7.0));
    assert_eq!(timed.iter().map(|key| key.time).collect::<Vec<_>>(), [0.0, 0.5, 1.0]);
    for (text, place, reason) in [
        ("", Place::Whole, "empty"),
        ("x,y,z", Place::Line(1), "`qx` is missing"),
        ("x,y,z,qx,qy,qz,q", Place::Line(1), "no column `q`"),
        ("x,y,z,qx,qy,qz,qw,x", Place::Line(1), "twice"),
        ("x,y,z,qx,qy,qz,qw\n1,2", Place::Line(2), "2 columns where 7"),
        ("x,y,z,qx,qy,qz,qw\n1,2,3,0,0,0,a", Place::Line(2), "`a` is not a number"),
        ("x,y,z,qx,qy,qz,qw\n1,2,3,0,0,0,0", Place::Line(2), "not a pose"),
        ("x,y,z,qx,qy,qz,qw\n1,2,3,0,0,0,1", Place::Whole, "fewer than two"),
        ("t,x,y,z,qx,qy,qz,qw\n1,1,2,3,0,0,0,1\n0,1,2,3,0,0,0,1", Place::Whole, "time 0 follows time 1"),
    ] {
        let error = parse_poses(text.as_bytes()).expect_err(text);
        assert_eq!(error.place, place, "{text}: {error}");
        assert!(error.reason.contains(reason), "{text}: {error}");
    }
}

fn folder(name: &str, files: &[(&str, &[u8])]) -> Folder {
    let folder = Folder::new(&format!("scene-{name}"));
    files.iter().for_each(|(name, bytes)| drop(folder.file(name, bytes)));
    folder
}

fn load(folder: &Folder, text: &str) -> Result<LoadedScene, FileError> {
    load_scene(folder.file("scene.toml", text), &ReadOptions::default())
}

const TWO_OBJECTS: &[u8] = b"o foot\nv 0 0 0\nv 10 0 0\nv 0 10 0\nf 1 2 3\no head\nv 0 0 50\nf 1 2 4\n";
const TWO_POSES: &[u8] = b"x,y,z,qx,qy,qz,qw\n0,0,0,0,0,0,1\n1,0,0,0,0,0,1\n";

#[test]
fn files_are_loaded_and_converted() {
    let folder = folder("load", &[("lamp.obj", TWO_OBJECTS), ("lamp.csv", TWO_POSES)]);
    let loaded = load(&folder, FULL).unwrap();
    let names: Vec<&str> = loaded.bodies.iter().map(|body| body.name.as_str()).collect();
    assert_eq!(names, ["table", "lamp/foot", "lamp/head", "sphere", "drum", "ring", "case"]);
    let head = &loaded.bodies[2];
    assert_eq!(head.pose.translation, dvec3(0.0, 0.0, 10.0));
    assert_eq!(head.look.aabb().max, dvec3(1.0, 0.0, 5.0));
    assert_eq!((head.look.kind(), head.look.user_vertex(2)), (MeshKind::Solid, 3));
    let case = &loaded.bodies[6];
    assert_eq!(case.pose.translation, dvec3(80.0, 45.0, 9.6));
    assert!(case.look.aabb().max.abs_diff_eq(dvec3(10.0, 10.0, 9.0), 1e-12));
    assert!(loaded.bodies.iter().skip(3).all(|body| body.look.report().closed));
    let moved: Vec<&[usize]> = loaded.motions.iter().map(|motion| motion.bodies.as_slice()).collect();
    assert_eq!(moved, [&[3][..], &[4, 5], &[6], &[1, 2], &[0]]);
    let MotionPath::KeyFrames { keys, .. } = &loaded.motions[3].motion.path else {
        panic!("key frames expected")
    };
    assert_eq!(keys.len(), 2);
}

#[test]
fn a_file_of_several_objects_is_one_body_or_one_object() {
    let folder = folder("join", &[("lamp.obj", TWO_OBJECTS)]);
    let whole = load(&folder, "[[body]]\nname='a'\nfile='lamp.obj'").unwrap();
    assert_eq!((whole.bodies.len(), whole.bodies[0].look.triangle_count()), (1, 2));
    assert_eq!(whole.bodies[0].look.user_face(1), 1);
    assert_eq!(whole.bodies[0].look.kind(), MeshKind::Surface);
    let head = load(&folder, "[[body]]\nname='a'\nfile='lamp.obj'\nobject='head'").unwrap();
    assert_eq!(head.bodies[0].look.triangle_count(), 1);
    let missing = load(&folder, "\n[[body]]\nname='a'\nfile='lamp.obj'\nobject='hat'").unwrap_err();
    assert_eq!(missing.place, Place::Line(3));
    assert!(missing.remedy.contains("foot, head"), "{missing}");
    let missing = load(&folder, "[[body]]\nname='a'\nfile='lump.obj'").unwrap_err();
    assert!(missing.path.as_ref().unwrap().ends_with("scene.toml"), "{missing}");
    assert!(missing.reason.contains("lump.obj") && missing.place == Place::Line(2), "{missing}");
}

/// The generator and its parts written as files give the same scene.
#[test]
fn a_generated_assembly_equals_its_files() {
    let made = noli_scenes::gearbox(1);
    let mesh: &Mesh = &made.parts[0].mesh;
    let bytes =
        write_bytes(MeshFormat::Ply, &[NamedMesh { name: "part".into(), mesh: mesh.clone() }]).unwrap();
    let folder = folder("generated", &[("part.ply", &bytes)]);
    let text = "[[body]]\nname='box'\nsplit=true\ngenerator={scene='gearbox'}\n[[body]]\nname='file'\nfile='part.ply'\nas='solid'\n\
        [check]\nskip=['box/oil*']";
    let loaded = load(&folder, text).unwrap();
    assert_eq!(loaded.bodies.len(), made.parts.len() + 1);
    for (body, part) in loaded.bodies.iter().zip(&made.parts) {
        assert_eq!(body.name, format!("box/{}", part.name));
        assert_eq!((&body.look, body.pose), (&part.mesh, part.pose));
    }
    let file = &loaded.bodies[made.parts.len()].look;
    assert_eq!((file.vertices(), file.triangles()), (mesh.vertices(), mesh.triangles()));
}

/// A chain of parents as long as a file may hold does not exhaust the stack.
#[test]
fn long_chains_of_parents_are_followed() {
    let mut text = body("");
    for number in 0..20_000 {
        let parent = if number == 0 { "a".into() } else { format!("b{}", number - 1) };
        text +=
            &format!("[[body]]\nname='b{number}'\nbox=[1,1,1]\nparent='{parent}'\npose={{xyz=[1,0,0]}}\n");
    }
    let scene = parse_scene(text.as_bytes()).unwrap();
    assert_eq!(scene.world_pose(20_000).translation.x, 20_000.0);
}

/// Keys, values and punctuation of scenes, so that nonsense comes close to sense.
const PIECES: &[&str] = &[
    "[[body]]\n",
    "[[group]]\n",
    "[[motion]]\n",
    "[check]\n",
    "name = 'a'\n",
    "name = 'b'\n",
    "box = [1, 1, 1]\n",
    "sphere = { radius = 1 }\n",
    "pose = { xyz = [0, 0, 1] }\n",
    "pose = { matrix = [[1,0,0],[0,1,0],[0,0,1]] }\n",
    "parent = 'a'\n",
    "parent = 'b'\n",
    "group = 'g'\n",
    "bodies = ['*']\n",
    "skip = [['a', 'b*']]\n",
    "margin = 1e-3\n",
    "method = \"four-step:9\"\n",
    "body = 'a'\n",
    "kind = 'screw'\n",
    "kind = 'poses'\n",
    "axis = [0, 0, 1]\n",
    "angle_deg = 90\n",
    "file = 'x'\n",
    "split = true\n",
    "units = 'm'\n",
    "keys = [{ time = 0 }, { time = 1 }]\n",
    "= ",
    "[",
    "]",
    "{",
    "}",
    "'",
    "\n",
    "\0",
    "9e999",
    "-",
    "nan",
    "[[[[[[[[",
    "body.x.y = 1\n",
    "\u{fe0f}",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, ..Default::default() })]

    #[test]
    fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = parse_scene(&bytes);
        let _ = parse_poses(&bytes);
    }

    #[test]
    fn random_pieces_never_panic(pieces in prop::collection::vec(prop::sample::select(PIECES), 0..40)) {
        let _ = parse_scene(pieces.concat().as_bytes());
    }

    #[test]
    fn mutations_never_panic(at in 0..FULL.len(), length in 0usize..40, with in prop::collection::vec(any::<u8>(), 0..6)) {
        let mut bytes = FULL.as_bytes().to_vec();
        let end = (at + length).min(bytes.len());
        bytes.splice(at..end, with);
        if let Err(error) = parse_scene(&bytes) {
            prop_assert!(!error.reason.is_empty() && !error.remedy.is_empty());
        }
    }

    #[test]
    fn mutated_pose_lists_never_panic(at in 0..TWO_POSES.len(), with in prop::collection::vec(any::<u8>(), 0..6)) {
        let mut bytes = TWO_POSES.to_vec();
        bytes.splice(at..at + 1, with);
        let _ = parse_poses(&bytes);
    }
}
