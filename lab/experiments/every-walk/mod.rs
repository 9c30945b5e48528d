//! Every tree and every walk against brute force on random placements.

use crate::{Cell, Session, Table, Verdict};
use anyhow::{Result, ensure};
use noli::tree::{
    AnyVolume, Degree, Expansion, Fit, Insertion, Order, Seeding, Split, TreeOptions, VolumeChoice,
    VolumeKind, VolumeTree, WalkOptions,
};
use noli::{Mesh, Model, Overlap, Pose, overlap};
use noli_geom::{PairFrame, RelativePose, Triangle, TrianglePair};
use noli_scenes::{SplitMix64, TriangleSet, bumpy_sphere, torus};
use serde::Deserialize;

#[derive(Deserialize)]
struct Config {
    placements: usize,
    seed: u64,
}

const EXPANSIONS: [Expansion; 3] = [Expansion::OneSided, Expansion::Simultaneous, Expansion::Hybrid];
const ORDERS: [Order; 3] = [Order::Newest, Order::Oldest, Order::Best];

pub(super) fn run(session: &mut Session<'_>) -> Result<()> {
    let config: Config = session.config()?;
    let bodies = [mesh(bumpy_sphere(2, 0.3))?, mesh(torus(0.9, 0.35, 8, 4))?];
    let poses = placements(config.seed, config.placements);
    session.step("brute force");
    let truth: Vec<bool> = poses.iter().map(|pose| brute_force(&bodies, pose)).collect();
    let mut table = Table::new(
        "Walks that were compared with brute force",
        ["split", "trees", "walks", "hits", "wrong", "packed, wrong"],
    );
    let (mut all, mut all_wrong) = (0, 0);
    for split in splits() {
        session.step(&format!("{split:?}"));
        let (mut trees, mut walks, mut hits, mut wrong) = (0, 0, 0, 0);
        for options in options(split) {
            let pair = bodies.each_ref().map(|mesh| VolumeTree::<AnyVolume>::new(mesh, &options));
            pair.iter().try_for_each(VolumeTree::check)?;
            trees += 1;
            for (expansion, order) in EXPANSIONS.into_iter().flat_map(|e| ORDERS.map(|o| (e, o))) {
                let walk = WalkOptions { expansion, order, ..Default::default() };
                for (pose, truth) in poses.iter().zip(&truth) {
                    let met = pair[0].meet(&Pose::IDENTITY, &pair[1], pose, &walk);
                    walks += 1;
                    hits += usize::from(*truth);
                    wrong += usize::from(met.overlap != Some(*truth));
                }
            }
        }
        let models = bodies
            .each_ref()
            .map(|mesh| Model::with_tree(mesh, &TreeOptions { split, ..TreeOptions::default() }));
        let ask = |pose: &Pose| overlap(&models[0].at(Pose::IDENTITY), &models[1].at(*pose));
        let packed_wrong =
            poses.iter().zip(&truth).filter(|(pose, truth)| (ask(pose) == Overlap::Hit) != **truth).count();
        let figures = [trees, walks, hits, wrong, packed_wrong];
        table.row(format!("{split:?}"), figures.map(|figure| Cell::Ours(figure as f64)));
        all += walks;
        all_wrong += wrong + packed_wrong;
    }
    session.table(table);
    let hits = truth.iter().filter(|hit| **hit).count();
    session.finding(
        "Every tree and every walk gives the verdict of brute force",
        Verdict::of(all_wrong == 0),
        format!("{all} walks over {} placements, of which {hits} collide: {all_wrong} wrong.", poses.len()),
    );
    session.note(
        "Each split with five kinds of volume and two degrees, each of these trees with three ways to open nodes and three orders; and in packed storage. The bodies have 80 and 64 faces; brute \
         force asks the exact test about all 5,120 pairs of faces in every placement.",
    );
    ensure!(all_wrong == 0, "{all_wrong} of {all} walks are wrong");
    Ok(())
}

fn mesh(set: TriangleSet) -> Result<Mesh> {
    Ok(Mesh::from_triangles(set.vertices, set.triangles, &Default::default())?)
}

/// From deep in each other to just apart.
fn placements(seed: u64, count: usize) -> Vec<Pose> {
    let mut random = SplitMix64::new(seed);
    let pose = |_| Pose::new(random.rotation(), random.direction() * random.between(0.2, 2.4));
    (0..count).map(pose).collect()
}

fn brute_force(bodies: &[Mesh; 2], pose: &Pose) -> bool {
    let frame = PairFrame::new(&RelativePose::new(&Pose::IDENTITY, pose));
    let [a, b] = bodies.each_ref().map(|mesh| mesh.iter_triangles().collect::<Vec<Triangle>>());
    a.iter().any(|face_a| b.iter().any(|face_b| TrianglePair::new(face_a, face_b, &frame).overlaps()))
}

/// Splits with all their settings.
fn splits() -> Vec<Split> {
    let seedings = [Seeding::Random, Seeding::Icosahedron, Seeding::Space];
    let shuffled = seedings[..2].iter().map(|seeding| Split::Growth(*seeding, Insertion::Shuffled));
    let best = seedings.iter().map(|seeding| Split::Growth(*seeding, Insertion::Best));
    Split::ALL.into_iter().chain(shuffled).chain(best).collect()
}

fn options(split: Split) -> Vec<TreeOptions> {
    let volumes = VolumeKind::ALL.map(VolumeChoice::Kind).into_iter().chain([VolumeChoice::Mixed]);
    let degrees = [Degree::Fixed(3), Degree::rate(0.6)];
    let one =
        |volume, degree| TreeOptions { split, volume, degree, fit: Fit::Quick, ..TreeOptions::workshop() };
    volumes.flat_map(|volume| degrees.map(|degree| one(volume, degree))).collect()
}
