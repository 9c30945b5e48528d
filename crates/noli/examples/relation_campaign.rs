//! Millions of solids of unit cells: `relation` against counting cells, in both orders and with walls cut
//! anew, with and without walls between cells, and of the outer walls alone.
//!
//! ```text
//! cargo run --release -p noli --example relation_campaign -- 1000000 [SEED]
//! cargo run --release -p noli --example relation_campaign -- times
//! ```
//!
//! Ends with an error if an answer was wrong. `times` tells what `relation` costs where it always was quick.

#[path = "../tests/suite/common/polycubes.rs"]
mod polycubes;

use noli::model::MeshKind;
use noli::{Mesh, Model, Pose, Relation, relation};
use noli_scenes::{SplitMix64, W1_SEED, w1_deep_poses, w1_meshes};
use polycubes::{Case, Walls};
use std::collections::HashMap;
use std::time::Instant;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let first = arguments.next();
    if first.as_deref() == Some("times") {
        return times();
    }
    let number = |text: Option<String>, else_: u64| {
        text.map_or(else_, |text| text.parse::<u64>().expect("a whole number"))
    };
    let (pairs, seed) = (number(first, 100_000), number(arguments.next(), 1));
    let mut random = SplitMix64::new(seed);
    let (mut wrong, mut unsteady, mut counts) = (0u64, 0u64, HashMap::<Relation, u64>::new());
    for _ in 0..pairs {
        let case = Case::random(&mut random);
        let truth = case.truth().relation;
        let mut said = Vec::new();
        for _ in 0..2 {
            let walls = case.walls(&mut random);
            said.extend(ask(case.meshes(walls, &mut random)));
        }
        wrong += u64::from(said.iter().any(|&said| said != truth));
        unsteady += u64::from(said.iter().any(|&other| other != said[0]));
        *counts.entry(truth).or_default() += 1;
        // The second as a surface.
        let truth = case.truth_of_walls();
        let [a, (mesh, pose)] = case.meshes([Walls::Outer; 2], &mut random);
        let said = ask([a, (mesh.with_kind(MeshKind::Surface), pose)]);
        wrong += u64::from(said.iter().any(|&said| said != truth));
    }
    eprintln!("{pairs} pairs {counts:?}: {wrong} wrong, {unsteady} that depend on order or diagonals");
    assert_eq!((wrong, unsteady), (0, 0));
}

/// In both orders.
fn ask(bodies: [(Mesh, Pose); 2]) -> [Relation; 2] {
    let [a, b] = bodies.map(|(mesh, pose)| (Model::from(mesh), pose));
    let (a, b) = (a.0.at(a.1), b.0.at(b.1));
    [relation(&a, &b), relation(&b, &a)]
}

fn times() {
    let [a, b] = w1_meshes().map(|set| {
        let mesh = noli::Mesh::from_triangles(set.vertices, set.triangles, &Default::default());
        Model::from(mesh.expect("a valid mesh").into_solid())
    });
    let poses = w1_deep_poses(W1_SEED, 1000);
    for _ in 0..3 {
        let started = Instant::now();
        let said = |pose: &Pose| relation(&a.at(Pose::IDENTITY), &b.at(*pose));
        let intersection = poses.iter().filter(|pose| said(pose) == Relation::Intersecting).count();
        eprintln!("W1d: {intersection} intersecting, {:.3} us each", started.elapsed().as_secs_f64() * 1e3);
    }
    let Some(folder) = noli_testing::data("ifc") else { return };
    for name in ["pcert-building", "largebuilding"] {
        let file = noli_formats::read_objects(folder.join(format!("{name}.obj")), &Default::default());
        let objects: HashMap<String, Model> = file
            .unwrap_or_else(|error| panic!("{error}"))
            .objects
            .into_iter()
            .map(|object| (object.name, Model::from(object.mesh.into_solid())))
            .collect();
        let rows = std::fs::read_to_string(folder.join(format!("{name}-ref-pairs.csv"))).expect("a table");
        let rows: Vec<Vec<&str>> = rows.lines().skip(1).map(|row| row.split(',').collect()).collect();
        for _ in 0..3 {
            let (started, mut counts) = (Instant::now(), HashMap::<Relation, u64>::new());
            for row in &rows {
                let (a, b) = (objects[row[0]].at(Pose::IDENTITY), objects[row[1]].at(Pose::IDENTITY));
                *counts.entry(relation(&a, &b)).or_default() += 1;
            }
            let each = started.elapsed().as_secs_f64() * 1e6 / rows.len() as f64;
            eprintln!("{name}: {counts:?}, {each:.1} us each");
        }
    }
}
