//! From the text of a scene to a world, its moves and its reports.

use glam::{DVec3, dvec3};
use noli::model::MeshKind;
use noli::world::StepOptions;
use noli::world::{CheckOptions, PairStatus};
use noli_formats::{ReadOptions, write_whole};
use noli_project::clash::ClashOptions;
use noli_project::report::{CheckReport, ReportOptions, SweepReport};
use noli_project::{
    LoadedScene, RemovalTrial, StageOptions, Staged, TakeAs, load_scene_text, open_bundled, stage,
};
use noli_testing::Folder;
use std::path::Path;

const SCENE: &str = r#"
units = "cm"
[[body]]
name = "cart"
box = [2, 2, 2]
pose = { xyz = [10, 0, 0], rpy_deg = [0, 0, 90] }
[[body]]
name = "cup"
cylinder = { radius = 1, height = 3 }
parent = "cart"
pose = { xyz = [0, 0, 3] }
[[body]]
name = "wheel"
torus = { major = 4, minor = 1 }
group = "train"
pose = { xyz = [0, 30, 0] }
[[body]]
name = "axle"
sphere = { radius = 1 }
group = "train"
pose = { xyz = [6.5, 30, 0] }
[[body]]
name = "skin"
sphere = { radius = 1 }
as = "surface"
pose = { xyz = [0, 0, 50] }
[check]
margin = 0.5
skip = [["cart", "cup"]]
margins = [{ pair = ["wheel", "axle"], margin = 2 }]
[[motion]]
body = "cart"
kind = "straight"
to = { xyz = [20, 0, 0], rpy_deg = [0, 0, 90] }
seconds = 2
[[motion]]
group = "train"
kind = "screw"
axis = [0, 0, 1]
angle_deg = 90
advance = 8
seconds = 4
"#;

fn loaded(text: &str) -> LoadedScene {
    load_scene_text(text.as_bytes(), Path::new("scene.toml"), &ReadOptions::default()).unwrap()
}

fn staged(text: &str) -> Staged {
    stage(&loaded(text), &StageOptions::default()).unwrap()
}

/// Translation of a body at a time of all motions.
fn place(staged: &Staged, body: &str, time: f64) -> DVec3 {
    let id = staged.world.find(body).unwrap();
    let mut parts = staged.moves.iter().flat_map(|whole| whole.parts());
    let (_, motion) = parts.find(|(part, _)| *part == id).unwrap_or_else(|| panic!("{body} does not move"));
    motion.pose(time).translation
}

#[test]
fn a_scene_becomes_a_world_with_its_poses_groups_rules_and_moves() {
    let scene = loaded(SCENE);
    let staged = stage(&scene, &StageOptions::default()).unwrap();
    assert_eq!(staged.bodies.len(), scene.bodies.len());
    for ((body, loaded), (id, placed)) in staged.bodies.iter().zip(&scene.bodies).zip(staged.world.bodies()) {
        assert_eq!((body.id, placed.name(), placed.pose()), (id, loaded.name.as_str(), loaded.pose));
        assert_eq!(placed.group(), loaded.group.map(|group| scene.scene.groups[group].name.as_str()));
        let parent = scene.scene.bodies[loaded.entry].parent.map(|parent| staged.bodies[parent].id);
        assert_eq!(placed.parent(), parent);
        assert_eq!(body.is_true_shape, placed.model().mesh().is_none());
    }
    let kinds: Vec<MeshKind> = staged.bodies.iter().map(|body| body.kind).collect();
    assert_eq!(kinds[4], MeshKind::Surface);
    assert!(kinds[..4].iter().all(|&kind| kind == MeshKind::Solid));
    let id = |name| staged.world.find(name).unwrap();
    let margin = |a, b| staged.world.margin_between(id(a), id(b)).unwrap();
    let margins = [margin("cart", "cup"), margin("axle", "wheel"), margin("cart", "axle")];
    assert_eq!(margins, [None, Some(2.0), Some(0.5)]);

    assert_eq!((staged.seconds, staged.moves.len()), (4.0, 2));
    for body in ["cart", "cup", "wheel", "axle"] {
        assert_eq!(
            place(&staged, body, 0.0),
            staged.world.body(id(body)).unwrap().pose().translation,
            "{body}"
        );
    }
    // The shorter motion is done after half of the time, and rests; what stands on the cart goes along.
    let near = |found: DVec3, wanted: DVec3| assert!(found.abs_diff_eq(wanted, 1e-9), "{found} {wanted}");
    near(place(&staged, "cart", 0.25), dvec3(15.0, 0.0, 0.0));
    near(place(&staged, "cup", 0.25), dvec3(15.0, 0.0, 3.0));
    near(place(&staged, "cup", 0.5), dvec3(20.0, 0.0, 3.0));
    near(place(&staged, "cart", 1.0), dvec3(20.0, 0.0, 0.0));
    // The group turns about the world's axis as one.
    near(place(&staged, "wheel", 1.0), dvec3(-30.0, 0.0, 8.0));
    near(place(&staged, "axle", 1.0), dvec3(-30.0, 6.5, 8.0));
    let pieces = staged.between(0.25, 0.5);
    let (_, motion) = pieces[0].parts().next().unwrap();
    near(motion.pose(0.0).translation, dvec3(15.0, 0.0, 0.0));
    near(motion.pose(1.0).translation, dvec3(20.0, 0.0, 0.0));
}

#[test]
fn what_is_found_is_reported_and_read_back() {
    let mut staged = staged(SCENE);
    let result = staged.world.check(&CheckOptions { far: true, keep: 3, ..Default::default() }).unwrap();
    let options = ReportOptions {
        source: "scene",
        units: Some(staged.units),
        segments: 3,
        budget: noli::Budget::UNLIMITED,
    };
    let report = CheckReport::new(&staged, &result, &options, &ClashOptions::default());
    let text = serde_json::to_string(&report).unwrap();
    assert_eq!(serde_json::from_str::<CheckReport>(&text).unwrap(), report);
    assert_eq!(report.pairs.len(), 9);
    for (pair, finding) in report.pairs.iter().zip(&result.findings) {
        assert_eq!(pair.status(), finding.status);
    }
    let tight = &report.pairs[0];
    assert_eq!((tight.a.as_str(), tight.b.as_str()), ("wheel", "axle"));
    assert_eq!(tight.status(), PairStatus::Closer);
    assert!((tight.clearance.at_least..=tight.clearance.at_most).contains(&0.5), "{tight:?}");
    let moves = std::mem::take(&mut staged.moves);
    let step = staged.world.plan(moves, &StepOptions::default()).unwrap();
    let sweep = SweepReport::new("scene", &staged, &step);
    let text = serde_json::to_string(&sweep).unwrap();
    assert_eq!(serde_json::from_str::<SweepReport>(&text).unwrap(), sweep);
}

#[test]
fn meshes_are_taken_as_asked() {
    let source = open_bundled("nested-spheres", 1).unwrap();
    let verdict = |take_as| {
        let staged = stage(&source.scene, &StageOptions { take_as, ..Default::default() }).unwrap();
        assert!(staged.bodies.iter().all(|body| !body.said));
        staged.world.check(&CheckOptions { far: true, ..Default::default() }).unwrap().findings[0].status
    };
    assert_eq!(verdict(TakeAs::Auto), PairStatus::Inside);
    assert_eq!(verdict(TakeAs::Solid), PairStatus::Inside);
    assert_eq!(verdict(TakeAs::Surface), PairStatus::Separated);
    let error = open_bundled("nested-sphere", 1).unwrap_err();
    assert!(error.remedy.contains("nested-spheres"), "{error}");
}

#[test]
fn bodies_of_one_mesh_share_its_model() {
    let text = "[[body]]\nname='a'\nsplit=true\ngenerator={scene='gearbox'}\n\
        [[body]]\nname='b'\nsplit=true\ngenerator={scene='gearbox'}\npose={xyz=[5000,0,0]}";
    let (one, two) = (staged(&text[..text.find("[[body]]\nname='b'").unwrap()]), staged(text));
    assert_eq!(two.bodies.len(), 2 * one.bodies.len());
    assert_eq!(two.model_bytes(), one.model_bytes());
}

#[test]
fn a_removal_is_tried_in_a_world_without_what_is_out() {
    let bay = noli_scenes::engine_bay(1);
    let models: Vec<_> = bay.parts.iter().map(|part| noli::Model::from(&part.mesh)).collect();
    let [planned, hasty] = RemovalTrial::of_engine_bay();
    assert_eq!((planned.len(), hasty.len()), (4, 2));
    let trial = RemovalTrial::new(&bay, &models, &planned[1]).unwrap();
    assert_eq!(trial.world.bodies().count(), bay.parts.len() - planned[1].without.len());
    assert_eq!(trial.world.body(trial.part).unwrap().name(), planned[1].part);
    let missing = noli_scenes::Removal { part: "no such part", ..planned[0].clone() };
    assert!(RemovalTrial::new(&bay, &models, &missing).unwrap_err().to_string().contains("no such part"));
}

#[test]
fn files_are_written_whole_or_not_at_all() {
    let folder = Folder::new("whole");
    let path = folder.join("a.txt");
    write_whole(&path, b"one").unwrap();
    write_whole(&path, b"two").unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), b"two");
    let error = write_whole(folder.join("missing/a.txt"), b"x").unwrap_err();
    assert!(error.to_string().contains("a.txt") && error.remedy.contains("folder"), "{error}");
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1, "nothing else is left behind");
}
