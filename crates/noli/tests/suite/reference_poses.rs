//! Real meshes at poses around first contact, against an independent exact answer.

use crate::common::{brute_meetings, data, load, model, numbers, rows, strongest};
use glam::{DQuat, DVec3};
use noli::query::Instructions;
use noli::{Model, Overlap, Pose, QueryContext, Relation, Scratch, overlap, relation};
use noli_geom::naive;
use std::collections::HashMap;
use std::path::Path;

struct Row {
    meshes: [String; 2],
    pose: Pose,
    hit: bool,
    offset: f64,
}

fn read(folder: &Path) -> Vec<Row> {
    let row = |cells: Vec<String>| {
        let v = numbers(&cells[2..10]);
        Row {
            meshes: [cells[0].clone(), cells[1].clone()],
            pose: Pose::new(DQuat::from_xyzw(v[1], v[2], v[3], v[0]), DVec3::new(v[4], v[5], v[6])),
            hit: v[7] == 1.0,
            offset: cells[12].parse().expect("a number"),
        }
    };
    rows(&folder.join("ref-pose-pairs.csv"), 1).into_iter().map(row).collect()
}

fn verdict(hit: bool) -> Overlap {
    if hit { Overlap::Hit } else { Overlap::Free }
}

/// All 640 verdicts equal those of CGAL's exact predicates, either way round and with all instructions.
#[test]
fn verdicts_equal_the_exact_reference() {
    let Some(folder) = data("meshes") else { return };
    let mut models: HashMap<String, Model> = HashMap::new();
    let rows = read(&folder);
    assert_eq!(rows.len(), 640);
    for name in rows.iter().flat_map(|row| &row.meshes) {
        models.entry(name.clone()).or_insert_with(|| model(&load(&folder.join(name))));
    }
    let mut scratches: Vec<_> =
        Instructions::available().into_iter().map(Scratch::with_instructions).collect();
    let mut hits = 0;
    for (number, row) in rows.iter().enumerate() {
        let (a, b) = (models[&row.meshes[0]].at(Pose::IDENTITY), models[&row.meshes[1]].at(row.pose));
        let expected = verdict(row.hit);
        assert_eq!(overlap(&a, &b), expected, "row {number}, offset {}", row.offset);
        assert_eq!(overlap(&b, &a), expected, "row {number} turned round");
        assert_eq!(relation(&a, &b).overlap(), expected, "row {number}");
        for scratch in &mut scratches {
            assert_eq!(QueryContext::new(scratch).overlap(&a, &b), expected, "row {number}");
        }
        hits += usize::from(row.hit);
    }
    eprintln!("640 poses, {hits} hits, {} instruction sets", scratches.len());
}

/// Within a millionth of contact the relation is that of all faces, and rational arithmetic says the same.
#[test]
fn closest_poses_equal_brute_force() {
    let Some(folder) = data("meshes") else { return };
    let small = |row: &Row| row.meshes[0] == "couplingdown.off" || row.meshes[0] == "elephant.off";
    let mut models: HashMap<String, Model> = HashMap::new();
    let mut checked = 0;
    for row in read(&folder).into_iter().filter(|row| row.offset.abs() <= 1e-6 && small(row)).step_by(4) {
        for name in &row.meshes {
            models.entry(name.clone()).or_insert_with(|| model(&load(&folder.join(name))));
        }
        let (a, b) = (models[&row.meshes[0]].at(Pose::IDENTITY), models[&row.meshes[1]].at(row.pose));
        let meetings = brute_meetings(&a, &b);
        assert_eq!(relation(&a, &b), Relation::from(strongest(&meetings)));
        for &(i, k, expected) in meetings.iter().take(20) {
            let (i, k) = (a.model.mesh().unwrap().triangle(i), b.model.mesh().unwrap().triangle(k));
            assert_eq!(naive::relation(&i, &k, &a.world_from_self, &b.world_from_self), expected);
        }
        checked += 1;
    }
    assert!(checked >= 10, "only {checked} poses");
}
