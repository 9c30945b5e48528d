//! Depth and common volume of pairs that are known, of random unions of boxes, and of deep poses of two bumpy spheres:
//! brackets, what they cost, and whether they hold.
//!
//! ```text
//! cargo run --release -p noli --example depth_campaign -- known | blocks N | deep N | grow | files N MESH...
//! ```
//!
//! Ends with an error if a bracket was wrong or a witness was not free.
#![allow(clippy::print_stdout, reason = "a program: its output is its purpose")]

#[path = "../tests/suite/common/depths.rs"]
mod depths;
#[path = "../tests/suite/common/polycubes.rs"]
mod polycubes;

use depths::{Blocks, known_pairs};
use glam::DVec3;
use noli::model::MeshOptions;
use noli::penetration::{self, PenetrationQuery, VolumeQuery};
use noli::{Mesh, Model, Overlap, Placed, Pose, Relation, overlap, relation};
use noli_formats::{ReadOptions, read_mesh};
use noli_scenes::{SplitMix64, TriangleSet, W1_SEED, bumpy_sphere, w1_deep_poses};
use std::time::Instant;

struct Tally {
    wrong: usize,
    ratios: Vec<f64>,
    times: Vec<f64>,
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let what = arguments.next().unwrap_or_else(|| "known".to_owned());
    let count: usize = arguments.next().map_or(100, |text| text.parse().expect("a whole number"));
    let paths: Vec<String> = arguments.collect();
    let queries = [
        ("fast", PenetrationQuery::FAST),
        ("default", PenetrationQuery::default()),
        ("thorough", PenetrationQuery::THOROUGH),
    ];
    let mut wrong = 0;
    for (name, query) in queries {
        let mut tally = Tally { wrong: 0, ratios: Vec::new(), times: Vec::new() };
        match what.as_str() {
            "known" => known(name, &query, &mut tally),
            "blocks" => blocks(count, &query, &mut tally),
            "deep" => deep(count, &query, &mut tally),
            "grow" => grow(&query, &mut tally),
            "files" => files(count, &paths, &query, &mut tally),
            other => panic!("{other}: one of known, blocks, deep, grow, files"),
        }
        let mid = |all: &mut Vec<f64>, share: f64| {
            all.sort_by(f64::total_cmp);
            all.get(((all.len() as f64 * share) as usize).min(all.len().saturating_sub(1)))
                .copied()
                .unwrap_or(0.0)
        };
        let Tally { wrong: own, mut ratios, mut times } = tally;
        println!(
            "{name}: {} pairs, {own} wrong; at_most / at_least median {:.3}, p90 {:.3}, most {:.3}; ms median {:.2}, p90 {:.2}, most {:.2}",
            times.len(),
            mid(&mut ratios, 0.5),
            mid(&mut ratios, 0.9),
            mid(&mut ratios, 1.0),
            mid(&mut times, 0.5),
            mid(&mut times, 0.9),
            mid(&mut times, 1.0)
        );
        wrong += own;
    }
    assert_eq!(wrong, 0, "a bracket was wrong");
}

fn measure(
    a: &Placed<'_>,
    b: &Placed<'_>,
    query: &PenetrationQuery,
    truth: Option<f64>,
    tally: &mut Tally,
) -> String {
    let start = Instant::now();
    let found = penetration::penetration(a, b, query);
    let took = start.elapsed().as_secs_f64() * 1e3;
    let start = Instant::now();
    let volume = penetration::overlap_volume(a, b, &VolumeQuery::FAST);
    let volume_took = start.elapsed().as_secs_f64() * 1e3;
    let depth = found.depth;
    let moved = found.translation().map(|t| {
        let pose = b.world_from_self;
        overlap(a, &b.model.at(Pose { translation: pose.translation + t, ..pose }))
    });
    let holds = truth
        .is_none_or(|truth| depth.at_least <= truth * (1.0 + 1e-9) && truth <= depth.at_most * (1.0 + 1e-9));
    if moved != Some(Overlap::Free) || !holds {
        tally.wrong += 1;
        println!("WRONG: {found:?}, truth {truth:?}, moved {moved:?}");
    }
    if depth.at_least > 0.0 {
        tally.ratios.push(depth.at_most / depth.at_least);
    } else {
        tally.ratios.push(f64::INFINITY);
    }
    tally.times.push(took);
    format!(
        "{:.4} .. {:.4} (truth {}) {took:.2} ms; volume {:.6} .. {:.6} {volume_took:.2} ms",
        depth.at_least,
        depth.at_most,
        truth.map_or("-".to_owned(), |t| format!("{t:.4}")),
        volume.at_least,
        volume.at_most
    )
}

fn known(name: &str, query: &PenetrationQuery, tally: &mut Tally) {
    for pair in known_pairs() {
        let told = measure(&pair.a.at(Pose::IDENTITY), &pair.b.at(pair.pose), query, pair.depth, tally);
        println!("{name:9} {:22} {told}", pair.name);
    }
}

fn blocks(count: usize, query: &PenetrationQuery, tally: &mut Tally) {
    let mut random = SplitMix64::new(3);
    for k in 0..count {
        let [a, b] = [(); 2].map(|()| {
            let cells = 1 + (random.next_u64() % 12) as usize;
            Blocks::random(&mut random, cells)
        });
        let offset = a.middle() - b.middle() + random.direction() * random.between(0.0, 1.0);
        let truth = a.depth(&b, offset);
        let [x, y] = [&a, &b].map(|blocks| Model::from(blocks.mesh(&mut random)));
        let (x, y) = (x.at(Pose::IDENTITY), y.at(Pose::from_translation(offset)));
        if truth == 0.0 {
            continue;
        }
        let told = measure(&x, &y, query, Some(truth), tally);
        let volume = penetration::overlap_volume(&x, &y, &VolumeQuery::FAST);
        if !volume.contains(a.common_volume(&b, offset)) {
            println!("WRONG volume: {volume:?} {}", a.common_volume(&b, offset));
            tally.wrong += 1;
        }
        if k < 12 {
            println!("{told}; true volume {:.6}", a.common_volume(&b, offset));
        }
    }
}

fn body(set: TriangleSet) -> Model {
    let mesh = Mesh::from_triangles(set.vertices, set.triangles, &MeshOptions::default()).expect("a mesh");
    Model::from(mesh.into_solid())
}

fn deep(count: usize, query: &PenetrationQuery, tally: &mut Tally) {
    let [a, b] = noli_scenes::w1_meshes().map(body);
    let count = if query.looks > 50_000 { count.min(20) } else { count };
    for (k, pose) in w1_deep_poses(W1_SEED, count).into_iter().enumerate() {
        let told = measure(&a.at(Pose::IDENTITY), &b.at(pose), query, None, tally);
        if k < 5 {
            println!("{told}");
        }
    }
}

/// Random overlapping poses of closed meshes, each with a diagonal of 2. What kind of solid a model is has been found out
/// before it is timed.
fn files(count: usize, paths: &[String], query: &PenetrationQuery, tally: &mut Tally) {
    let count = if query.looks > 50_000 { count.min(4) } else { count };
    let read = |path: &String| {
        let options = ReadOptions { weld: Some(true), ..Default::default() };
        let mesh = read_mesh(path, &options).unwrap_or_else(|error| panic!("{error}"));
        let (middle, size) = (mesh.aabb().center(), mesh.aabb().size().length());
        let vertices = mesh.vertices().iter().map(|&v| (v - middle) * (2.0 / size)).collect();
        let model = body(TriangleSet { vertices, triangles: mesh.triangles().to_vec() });
        let near = model.at(Pose::from_translation(DVec3::splat(0.1)));
        let _ = penetration::penetration(
            &model.at(Pose::IDENTITY),
            &near,
            &PenetrationQuery { tolerance: 1.0, looks: 1 },
        );
        model
    };
    let models: Vec<Model> = paths.iter().map(read).collect();
    let mut random = SplitMix64::new(2);
    while tally.times.len() < count {
        let [a, b] = [(); 2].map(|()| &models[(random.next_u64() % models.len() as u64) as usize]);
        let pose = Pose::new(random.rotation(), random.direction() * random.between(0.05, 1.2));
        let (a, b) = (a.at(Pose::IDENTITY), b.at(pose));
        if matches!(relation(&a, &b), Relation::Intersecting | Relation::Inside) {
            measure(&a, &b, query, None, tally);
        }
    }
}

fn grow(query: &PenetrationQuery, tally: &mut Tally) {
    for frequency in [7, 22, 71, 224] {
        let start = Instant::now();
        let [a, b] = [0.3, 1.1].map(|phase| body(bumpy_sphere(frequency, phase)));
        let prepared = start.elapsed();
        let faces = a.mesh().map_or(0, |mesh| mesh.triangle_count());
        let told = measure(
            &a.at(Pose::IDENTITY),
            &b.at(Pose::from_translation(DVec3::new(0.6, 0.48, 0.64))),
            query,
            None,
            tally,
        );
        println!("{faces} triangles (prepared in {prepared:?}): {told}");
    }
}
