//! Requested items are found, or the error has the place and the remedy. Each test is named after a fault.

use glam::DVec3;
use noli::world::StepOptions;
use noli_formats::{FileError, MeshFormat, NamedMesh, ReadOptions, Units, write_bytes};
use noli_geom::Mesh;
use noli_project::report::{NothingAsked, SweepReport};
use noli_project::{OpenOptions, StageOptions, Staged, load_scene, open_paths, stage};
use noli_testing::Folder;
use std::path::PathBuf;

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
    assert_eq!(nothing, NothingAsked::NothingBlocks { moved: 3, bodies: 3 });
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
    assert_eq!(moved.pairs_moved(), Err(NothingAsked::NothingBlocks { moved: 1, bodies: 3 }));
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
fn files_of_one_name_are_called_by_their_paths() {
    let folder = Folder::new("same-name");
    std::fs::create_dir_all(folder.0.join("left")).unwrap();
    std::fs::create_dir_all(folder.0.join("right")).unwrap();
    let bytes = written(MeshFormat::Stl, &[cube("a", [0.0; 3])]);
    let paths = ["left/part.stl", "right/part.stl"].map(|name| PathBuf::from(folder.file(name, &bytes)));
    let source = open_paths(&paths, &OpenOptions::default()).unwrap();
    let names: Vec<&str> = source.scene.bodies.iter().map(|body| body.name.as_str()).collect();
    assert!(names[0].ends_with("left/part") && names[1].ends_with("right/part"), "{names:?}");
}

#[test]
fn a_part_in_metres_beside_one_in_millimetres_is_told() {
    let folder = Folder::new("units");
    let large = cube("a", [0.0; 3]);
    let small = NamedMesh { name: "b".into(), mesh: large.mesh.scaled(1e-3).unwrap() };
    let paths = [
        PathBuf::from(folder.file("a.obj", written(MeshFormat::Obj, &[large]))),
        PathBuf::from(folder.file("b.obj", written(MeshFormat::Obj, &[small]))),
    ];
    let source = open_paths(&paths, &OpenOptions::default()).unwrap();
    let (path, warning) = &source.scene.warnings[0];
    assert!(path.ends_with("b.obj") && warning.text.contains("1000 times smaller"), "{warning}");
    assert_eq!(source.units, None);
    let asked = OpenOptions { units: Some(Units::Inch), ..Default::default() };
    assert_eq!(open_paths(&paths, &asked).unwrap().units, Some(Units::Inch));
}

#[test]
fn collapsed_meshes_were_solids_without_a_word() {
    let folder = Folder::new("collapsed");
    // Places of 5e9 are 512 apart in 32 bits.
    let far = NamedMesh { name: "far".into(), mesh: cube("far", [5e9, 5e9, 5e9]).mesh };
    let path = PathBuf::from(folder.file("far.stl", written(MeshFormat::Stl, &[far])));
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
    let paths = ["a.obj", "b.obj"].map(|name| PathBuf::from(folder.file(name, &bytes)));
    let source = open_paths(&paths, &OpenOptions::default()).unwrap();
    let staged = stage(&source.scene, &StageOptions::default()).unwrap();
    let [a, b] = [0, 1].map(|k| staged.bodies[k].id);
    assert!(staged.is_duplicate([a, b]));
    let other = PathBuf::from(folder.file("c.obj", written(MeshFormat::Obj, &[cube("a", [1.0, 1.0, 1.5])])));
    let source = open_paths(&[paths[0].clone(), other], &OpenOptions::default()).unwrap();
    let staged = stage(&source.scene, &StageOptions::default()).unwrap();
    assert!(!staged.is_duplicate([staged.bodies[0].id, staged.bodies[1].id]));
}
