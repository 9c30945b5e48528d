//! What is asked for is found, or it is an error that says where and what to do. Each test is named after what broke.

use glam::DVec3;
use noli::world::StepOptions;
use noli_geom::Mesh;
use noli_io::report::{NothingAsked, SweepReport};
use noli_io::{
    FileError, MeshFormat, NamedMesh, OpenOptions, ReadOptions, StageOptions, Staged, Units, is_same_file,
    load_scene, open_paths, read_bytes, read_objects, stage, write_bytes, write_whole,
};
use std::path::PathBuf;

pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
        std::fs::remove_dir_all(&path).ok();
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(crate) fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).ok();
    }
}

/// A cube of edge 2 about a place.
fn cube(name: &str, place: [f64; 3]) -> NamedMesh {
    let mesh = Mesh::cuboid(DVec3::splat(2.0)).unwrap();
    let vertices = mesh.vertices().iter().map(|&v| v + DVec3::from(place)).collect();
    NamedMesh { name: name.into(), mesh: mesh.with_vertices(vertices).unwrap() }
}

fn written(format: MeshFormat, objects: &[NamedMesh]) -> Vec<u8> {
    write_bytes(format, objects).unwrap()
}

/// A bolt between two plates, as objects of one file.
fn assembly() -> Vec<u8> {
    let parts =
        [cube("bolt.1", [0.0; 3]), cube("plate.1", [6.0, 0.0, 0.0]), cube("plate.2", [-6.0, 0.0, 0.0])];
    written(MeshFormat::Obj, &parts)
}

fn staged(folder: &Folder, rest: &str) -> Result<Staged, FileError> {
    folder.file("asm.obj", assembly());
    let text = format!("[[body]]\nname = 'asm'\nfile = 'asm.obj'\nsplit = true\n{rest}");
    let loaded = load_scene(folder.file("scene.toml", text), &ReadOptions::default())?;
    Ok(stage(&loaded, &StageOptions::default()).unwrap())
}

fn hits(mut staged: Staged) -> usize {
    let asked = staged.pairs_moved().unwrap();
    assert!(asked.count() > 0);
    let step = staged.world.plan(staged.moves.clone(), &StepOptions::default()).unwrap();
    SweepReport::new("scene", &staged, &step).impacts.len()
}

const SIDEWAYS: &str = "kind = 'straight'\nto = { xyz = [20, 0, 0] }\n";

#[test]
fn a_group_of_parts_of_a_split_file_was_empty_and_called_free() {
    let folder = Folder::new("split-group");
    for pattern in ["asm/bolt.1", "asm/bolt*", "*bolt.1"] {
        let text = format!(
            "[[group]]\nname = 'mover'\nbodies = ['{pattern}']\n[[motion]]\ngroup = 'mover'\n{SIDEWAYS}"
        );
        let staged = staged(&folder, &text).unwrap();
        assert_eq!(staged.moves[0].bodies().count(), 1, "{pattern}");
        assert_eq!(hits(staged), 1, "{pattern}: the bolt runs into the plate");
    }
    // All parts of the file move as one: nothing is in the way.
    let all =
        format!("[[group]]\nname = 'mover'\nbodies = ['asm/*']\n[[motion]]\ngroup = 'mover'\n{SIDEWAYS}");
    let nothing = staged(&folder, &all).unwrap().pairs_moved().unwrap_err();
    assert_eq!(nothing, NothingAsked::NothingInTheWay { moved: 3, bodies: 3 });
    // The name of the body stands for all its parts.
    let whole = all.replace("asm/*", "asm");
    assert_eq!(staged(&folder, &whole).unwrap().moves[0].bodies().count(), 3);
}

#[test]
fn names_that_nothing_answers_to_were_passed_over_where_bodies_are_split() {
    let folder = Folder::new("split-names");
    let motion = "[[motion]]\nbody = 'asm/bolt.1'\nkind = 'straight'\nto = { xyz = [20, 0, 0] }\n";
    for (text, line, wanted) in [
        (
            "[[group]]\nname = 'g'\nbodies = ['nonexistent*']\n".to_owned(),
            7,
            "no body is called `nonexistent*`",
        ),
        ("[[group]]\nname = 'g'\nbodies = ['asm/blt.1']\n".to_owned(), 7, "did you mean `asm/bolt.1`?"),
        ("[[group]]\nname = 'g'\nbodies = []\n".to_owned(), 7, "has no bodies"),
        ("[check]\nskip = [['asm/bolt.1', 'plate']]\n".to_owned(), 6, "no body is called `plate`"),
        ("[check]\nonly = ['asm/nut']\n".to_owned(), 6, "no body is called `asm/nut`"),
        (motion.replace("bolt.1", "bolt.2"), 6, "no body is called `asm/bolt.2`"),
        (motion.replace("asm/bolt.1", "bolt.1"), 6, "there is no body `bolt.1`"),
        (motion.replace("20, 0, 0", "0, 0, 0"), 5, "the motion moves nothing: it ends where it begins"),
        (format!("{motion}{motion}"), 9, "has two motions"),
    ] {
        let error = staged(&folder, &text).map(|_| ()).expect_err(&text);
        assert!(error.to_string().contains(wanted), "{error}");
        assert!(error.to_string().contains(&format!("scene.toml:{line}: ")), "{error} at line {line}");
        assert!(!error.remedy.is_empty());
    }
}

#[test]
fn a_motion_could_not_name_a_part_of_a_split_file() {
    let folder = Folder::new("split-motion");
    let motion = format!("[[motion]]\nbody = 'asm/bolt.1'\n{SIDEWAYS}");
    let staged = staged(&folder, &motion).unwrap();
    assert_eq!(staged.moves[0].name(), "asm/bolt.1");
    assert_eq!(hits(staged), 1);
}

#[test]
fn rules_that_leave_no_pair_were_called_free() {
    let folder = Folder::new("no-pair");
    let moved =
        staged(&folder, &format!("[check]\nskip = ['*']\n[[motion]]\nbody = 'asm/bolt.1'\n{SIDEWAYS}"));
    let moved = moved.unwrap();
    assert_eq!(moved.pairs_asked(), Err(NothingAsked::NoPair { bodies: 3 }));
    assert_eq!(moved.pairs_moved(), Err(NothingAsked::NothingInTheWay { moved: 1, bodies: 3 }));
}

#[test]
fn obj_objects_of_one_name_became_one_body() {
    let twice = written(MeshFormat::Obj, &[cube("bolt", [0.0; 3]), cube("bolt", [1.0, 0.0, 0.0])]);
    let file = read_bytes(&twice, MeshFormat::Obj, &ReadOptions::default()).unwrap();
    let names: Vec<&str> = file.objects.iter().map(|object| object.name.as_str()).collect();
    assert_eq!(names, ["bolt", "bolt-2"]);
    assert!(file.warnings[0].text.contains("several objects called `bolt`"), "{:?}", file.warnings);
}

#[test]
fn files_without_faces_and_cut_off_faces_were_free() {
    let folder = Folder::new("no-faces");
    for (name, text, reason) in [
        ("empty.obj", "", "the file is empty"),
        ("points.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\n", "holds no faces"),
        ("empty.stl", "solid a\nendsolid a\n", "holds no faces"),
    ] {
        let error = read_objects(folder.file(name, text), &ReadOptions::default()).unwrap_err();
        assert!(error.reason.contains(reason), "{name}: {error}");
    }
    let cut = folder.file("cut.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 2");
    let error = read_objects(cut, &ReadOptions::default()).unwrap_err();
    assert!(error.to_string().contains("cut.obj:5: a face has only 1 corners"), "{error}");
}

#[test]
fn folders_left_out_what_they_could_not_read() {
    let folder = Folder::new("unread");
    folder.file("a.obj", written(MeshFormat::Obj, &[cube("a", [0.0; 3])]));
    folder.file("b.obj", written(MeshFormat::Obj, &[cube("b", [9.0, 0.0, 0.0])]));
    folder.file("notes.txt", "hello");
    let paths = [folder.0.clone()];
    assert_eq!(open_paths(&paths, &OpenOptions::default()).unwrap().scene.bodies.len(), 2);
    folder.file("frame.IGS", "ISO-10303-21;");
    folder.file("hood.fbx", "PK");
    let error = open_paths(&paths, &OpenOptions::default()).unwrap_err().to_string();
    for part in ["frame.IGS", "hood.fbx", "FreeCAD", "--leave-out"] {
        assert!(error.contains(part), "{part} in {error}");
    }
    let source = open_paths(&paths, &OpenOptions { leave_out: true, ..Default::default() }).unwrap();
    assert_eq!((source.scene.bodies.len(), source.scene.warnings.len()), (2, 2));
    let alone = open_paths(&[folder.0.join("frame.IGS")], &OpenOptions::default()).unwrap_err();
    assert!(alone.remedy.contains("FreeCAD"), "{alone}");
}

#[test]
fn control_characters_in_names_reached_the_terminal() {
    let folder = Folder::new("control");
    let text = String::from_utf8(written(MeshFormat::Obj, &[cube("a", [0.0; 3])])).unwrap();
    let file = folder.file("esc.obj", text.replace("o a", "o \x1b[31mRED"));
    let file = read_objects(file, &ReadOptions::default()).unwrap();
    assert_eq!(file.objects[0].name, "\\u{1b}[31mRED");
}

#[test]
fn files_of_one_name_are_called_by_their_paths() {
    let folder = Folder::new("same-name");
    std::fs::create_dir_all(folder.0.join("left")).unwrap();
    std::fs::create_dir_all(folder.0.join("right")).unwrap();
    let bytes = written(MeshFormat::Stl, &[cube("a", [0.0; 3])]);
    let paths = ["left/part.stl", "right/part.stl"].map(|name| folder.file(name, &bytes));
    let source = open_paths(&paths, &OpenOptions::default()).unwrap();
    let names: Vec<&str> = source.scene.bodies.iter().map(|body| body.name.as_str()).collect();
    assert!(names[0].ends_with("left/part") && names[1].ends_with("right/part"), "{names:?}");
}

#[test]
fn shells_of_stl_and_ply_are_bodies() {
    let two = [cube("a", [0.0; 3]), cube("b", [9.0, 0.0, 0.0])];
    for format in [MeshFormat::Stl, MeshFormat::Ply, MeshFormat::Off] {
        let bytes = written(format, &two);
        let plain = read_bytes(&bytes, format, &ReadOptions::default()).unwrap();
        assert_eq!(plain.objects.len(), 1);
        let split = read_bytes(&bytes, format, &ReadOptions { shells: true, ..Default::default() }).unwrap();
        assert_eq!(split.objects.len(), 2, "{format:?}");
        let faces: usize = split.objects.iter().map(|object| object.mesh.triangle_count()).sum();
        assert_eq!(faces, plain.objects[0].mesh.triangle_count());
        assert!(split.objects.iter().all(|object| object.mesh.report().flaw().is_none()));
    }
}

#[test]
fn seams_that_are_nearly_closed_are_welded_within_a_length() {
    // The twelve triangles of a cube with corners of their own, the last ones off by a little.
    let mesh = cube("a", [0.0; 3]).mesh;
    let corner = |k: usize, v: DVec3| v + DVec3::X * if k.is_multiple_of(5) { 3e-9 } else { 0.0 };
    let corners: Vec<DVec3> = mesh.iter_triangles().flat_map(|triangle| triangle.corners).collect();
    let corners: Vec<DVec3> = corners.into_iter().enumerate().map(|(k, v)| corner(k, v)).collect();
    let triangles = (0..corners.len() as u32 / 3).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    let open = Mesh::from_triangles(corners, triangles, &Default::default()).unwrap();
    let bytes = written(MeshFormat::Obj, &[NamedMesh { name: "seams".into(), mesh: open }]);
    let read = |options: ReadOptions| read_bytes(&bytes, MeshFormat::Obj, &options).unwrap();
    let exact = read(ReadOptions { weld: Some(true), ..Default::default() });
    assert!(exact.objects[0].mesh.report().border_edges > 0);
    let near = read(ReadOptions { weld: Some(true), weld_within: Some(1e-8), ..Default::default() });
    assert_eq!(near.objects[0].mesh.report().flaw(), None);
    assert!(near.warnings[0].text.contains("0 after"), "{:?}", near.warnings);
    let coarse = read(ReadOptions { weld: Some(true), weld_within: Some(1e-10), ..Default::default() });
    assert!(coarse.objects[0].mesh.report().border_edges > 0);
}

#[test]
fn a_part_in_metres_beside_one_in_millimetres_is_told() {
    let folder = Folder::new("units");
    let large = cube("a", [0.0; 3]);
    let small = NamedMesh { name: "b".into(), mesh: large.mesh.scaled(1e-3).unwrap() };
    let paths = [
        folder.file("a.obj", written(MeshFormat::Obj, &[large])),
        folder.file("b.obj", written(MeshFormat::Obj, &[small])),
    ];
    let source = open_paths(&paths, &OpenOptions::default()).unwrap();
    let (path, warning) = &source.scene.warnings[0];
    assert!(path.ends_with("a.obj") && warning.text.contains("1000 times as large"), "{warning}");
    assert_eq!(source.units, None);
    let asked = OpenOptions { units: Some(Units::Inch), ..Default::default() };
    assert_eq!(open_paths(&paths, &asked).unwrap().units, Some(Units::Inch));
}

#[test]
fn collapsed_meshes_were_solids_without_a_word() {
    let folder = Folder::new("collapsed");
    // Places of 5e9 are 512 apart in 32 bits.
    let far = NamedMesh { name: "far".into(), mesh: cube("far", [5e9, 5e9, 5e9]).mesh };
    let path = folder.file("far.stl", written(MeshFormat::Stl, &[far]));
    let source = open_paths(&[path], &OpenOptions::default()).unwrap();
    let staged = stage(&source.scene, &StageOptions::default()).unwrap();
    assert!(staged.bodies[0].is_collapsed);
    assert!(staged.warnings.iter().any(|text| text.contains("512")), "{:?}", staged.warnings);
    assert_eq!(staged.bodies[0].kind, noli::model::MeshKind::Surface);
}

#[test]
fn copies_at_one_place_are_duplicates() {
    let folder = Folder::new("duplicates");
    let bytes = written(MeshFormat::Obj, &[cube("a", [1.0; 3])]);
    let paths = ["a.obj", "b.obj"].map(|name| folder.file(name, &bytes));
    let source = open_paths(&paths, &OpenOptions::default()).unwrap();
    let staged = stage(&source.scene, &StageOptions::default()).unwrap();
    let [a, b] = [0, 1].map(|k| staged.bodies[k].id);
    assert!(staged.is_duplicate([a, b]));
    let other = folder.file("c.obj", written(MeshFormat::Obj, &[cube("a", [1.0, 1.0, 1.5])]));
    let source = open_paths(&[paths[0].clone(), other], &OpenOptions::default()).unwrap();
    let staged = stage(&source.scene, &StageOptions::default()).unwrap();
    assert!(!staged.is_duplicate([staged.bodies[0].id, staged.bodies[1].id]));
}

#[cfg(unix)]
#[test]
fn outputs_replaced_links_and_pipes() {
    use std::os::unix::fs::FileTypeExt;
    let folder = Folder::new("outputs");
    let real = folder.file("real.txt", "old");
    let link = folder.0.join("link.txt");
    std::os::unix::fs::symlink("real.txt", &link).unwrap();
    write_whole(&link, b"new").unwrap();
    assert!(link.symlink_metadata().unwrap().is_symlink());
    assert_eq!(std::fs::read(&real).unwrap(), b"new");
    assert!(is_same_file(&link, &real));
    let pipe = folder.0.join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || std::fs::read(pipe).unwrap()
    });
    write_whole(&pipe, b"through").unwrap();
    assert_eq!(reader.join().unwrap(), b"through");
    assert!(std::fs::metadata(&pipe).unwrap().file_type().is_fifo());
    write_whole("/dev/null", b"gone").unwrap();
    assert!(std::fs::metadata("/dev/null").unwrap().file_type().is_char_device());
    // A link that leads nowhere yet makes the file it names.
    let dangling = folder.0.join("dangling");
    std::os::unix::fs::symlink("made.txt", &dangling).unwrap();
    write_whole(&dangling, b"made").unwrap();
    assert_eq!(std::fs::read(folder.0.join("made.txt")).unwrap(), b"made");
}
