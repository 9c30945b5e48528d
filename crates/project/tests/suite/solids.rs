//! Bodies that are solids by their files, or after their faces were turned.

use glam::DVec3;
use noli::world::{CheckOptions, PairStatus};
use noli_geom::{Mesh, MeshOptions};
use noli_plan::{BlockingProof, RemovalResult, RemoveOptions, RigidSpace, remove};
use noli_project::report::HealthReport;
use noli_project::{OpenOptions, StageOptions, TakeAs, open_paths, stage};
use noli_testing::{Folder, Step};
use std::fmt::Write as _;
use std::path::PathBuf;

/// A cube whose faces of some numbers are turned round.
fn cube(size: f64, turned: &[usize]) -> String {
    let cube = Mesh::cuboid(DVec3::splat(size)).unwrap();
    let mut triangles = cube.triangles().to_vec();
    turned.iter().for_each(|&number| triangles[number].swap(1, 2));
    let mesh = Mesh::from_triangles(cube.vertices().to_vec(), triangles, &MeshOptions::default()).unwrap();
    let mut text = String::new();
    mesh.vertices().iter().for_each(|v| writeln!(text, "v {} {} {}", v.x, v.y, v.z).unwrap());
    for [a, b, c] in mesh.triangles() {
        writeln!(text, "f {} {} {}", a + 1, b + 1, c + 1).unwrap();
    }
    text
}

#[test]
fn closed_meshes_with_inverted_faces_are_oriented() {
    let folder = Folder::new("inverted-faces");
    let paths: Vec<PathBuf> = [("large.obj", cube(10.0, &[0, 5, 6])), ("small.obj", cube(1.0, &[]))]
        .map(|(name, text)| PathBuf::from(folder.file(name, text)))
        .to_vec();
    let source = open_paths(&paths, &OpenOptions::default()).unwrap();
    for (take_as, expected) in [(TakeAs::Auto, PairStatus::Inside), (TakeAs::Surface, PairStatus::Separated)]
    {
        let staged = stage(&source.scene, &StageOptions { take_as, ..Default::default() }).unwrap();
        let found = staged.world.check(&CheckOptions::default()).unwrap();
        let status = found.findings.first().map_or(PairStatus::Separated, |finding| finding.status);
        assert_eq!(status, expected, "{take_as:?}");
        let is_said = staged.warnings.iter().any(|text| text.contains("3 faces were turned round"));
        assert_eq!(is_said, take_as == TakeAs::Auto, "{:?}", staged.warnings);
    }
}

/// A pin of radius 10 and height 20, as a STEP file; with an opening, its first face is left out of its shell.
fn pin(is_open: bool) -> String {
    let mut step = Step::default();
    let solid = step.ring("pin", [0.0, 10.0], [0.0, 20.0]);
    let text = step.text(&[solid]);
    let (before, after) = text.split_once("CLOSED_SHELL('',(").unwrap();
    let (_, rest) = after.split_once(',').unwrap();
    if is_open { format!("{before}CLOSED_SHELL('',({rest}") } else { text }
}

/// A part that is inside of solid material starts in collision, whatever path there might be.
#[test]
fn parts_in_the_material_of_step_solids_are_not_removed() {
    let folder = Folder::new("step-solids");
    folder.file("pin.step", pin(false));
    let text = "units = 'mm'\n[[body]]\nname = 'pin'\nfile = 'pin.step'\n\
                [[body]]\nname = 'ball'\nsphere = { radius = 1 }\npose = { xyz = [0, 0, 10] }\n";
    let scene = PathBuf::from(folder.file("scene.toml", text));
    let source = open_paths(&[scene], &OpenOptions::default()).unwrap();
    let staged = stage(&source.scene, &StageOptions::default()).unwrap();
    staged.refuse_open_solids().unwrap();
    let ball = staged.world.find("ball").unwrap();
    let space = RigidSpace::new(&staged.world, &[ball], &[]).unwrap();
    let removal = remove(&space, &RemoveOptions::default());
    let found = staged.removal_on_surfaces(removal, [&[ball], &[]], 0.0).removal.found;
    let RemovalResult::Infeasible(found) = found else { panic!("{found:?}") };
    assert!(matches!(found.argument, BlockingProof::Overlaps), "{found:?}");
}

/// The soundness of a STEP file is that of its shell.
#[test]
fn shells_decide_whether_step_solids_are_sound() {
    let folder = Folder::new("step-soundness");
    for (is_open, flaw) in [(false, None), (true, Some("2 edges belong to one face only"))] {
        let path = PathBuf::from(folder.file(&format!("pin-{is_open}.step"), pin(is_open)));
        let read = noli_formats::ReadOptions { cad: noli_formats::CadReader::Own, ..Default::default() };
        let options = OpenOptions { read, ..OpenOptions::default() };
        let source = open_paths(&[path], &options).unwrap();
        let staged = stage(&source.scene, &StageOptions::default()).unwrap();
        assert_eq!(staged.refuse_open_solids().is_err(), flaw.is_some());
        let report = HealthReport::new(&staged, "pin", None, noli::Budget::default()).unwrap();
        assert_eq!(report.sound, flaw.is_none(), "{report:?}");
        let texts = report.flaws.join(", ");
        assert!(flaw.is_none_or(|flaw| texts.contains(flaw)), "{texts}");
    }
}
