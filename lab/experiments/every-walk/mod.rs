//! Every tree and every walk against brute force on random placements.

mod bodies;

use crate::{Cell, Session, Table, Verdict};
use anyhow::{Result, ensure};
use bodies::{Case, cases};
use noli::{Overlap, Pose, overlap};
use noli_classics::tree::{
    AnyVolume, Degree, Expansion, Fit, Insertion, Order, Seeding, Split, TreeOptions, VolumeChoice,
    VolumeKind, VolumeTree, WalkOptions,
};
use rayon::prelude::*;
use serde::Deserialize;
use std::ops::AddAssign;

#[derive(Deserialize)]
struct Config {
    placements: usize,
    seed: u64,
}

const EXPANSIONS: [Expansion; 4] =
    [Expansion::OneSided, Expansion::Simultaneous, Expansion::Hybrid, Expansion::HybridByCount];
const ORDERS: [Order; 3] = [Order::Newest, Order::Oldest, Order::Best];

/// Results of the traversals that were run.
#[derive(Clone, Copy, Default)]
struct Tally {
    walks: usize,
    hits: usize,
    missed: usize,
    invented: usize,
}

impl Tally {
    fn one(answer: bool, truth: bool) -> Self {
        Self {
            walks: 1,
            hits: usize::from(truth),
            missed: usize::from(truth && !answer),
            invented: usize::from(answer && !truth),
        }
    }

    fn wrong(&self) -> usize {
        self.missed + self.invented
    }

    fn cells(&self) -> [Cell; 4] {
        [self.walks, self.hits, self.missed, self.invented].map(|count| Cell::Ours(count as f64))
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.walks += other.walks;
        self.hits += other.hits;
        self.missed += other.missed;
        self.invented += other.invented;
    }
}

pub(super) fn run(session: &mut Session<'_>) -> Result<()> {
    let config: Config = session.config()?;
    session.step("brute force");
    let cases = cases(config.seed, config.placements)?;
    bodies_table(session, &cases);
    let mut table = Table::new(
        "Walks of every split, all answers compared with brute force",
        [
            "split",
            "walks",
            "of hits",
            "hits missed",
            "hits invented",
            "packed: walks",
            "of hits",
            "hits missed",
            "hits invented",
        ],
    );
    let (mut all, mut all_packed) = (Tally::default(), Tally::default());
    for split in splits() {
        let (mut sum, mut packed) = (Tally::default(), Tally::default());
        for case in &cases {
            session.step(&format!("{split:?}: {}", case.name));
            let trees = options(split).into_par_iter().map(|options| generic(case, &options));
            trees.collect::<Result<Vec<Tally>>>()?.into_iter().for_each(|tally| sum += tally);
            packed += packed_tree(case, split);
        }
        table.row(format!("{split:?}"), sum.cells().into_iter().chain(packed.cells()));
        all += sum;
        all_packed += packed;
    }
    session.table(table);
    all += all_packed;
    let hits: usize = cases.iter().map(Case::hits).sum();
    session.finding(
        "Every tree and every walk gives the verdict of brute force",
        Verdict::of(all.wrong() == 0),
        format!(
            "{} placements, of which {hits} collide; {} walks, of which {} miss a hit and {} invent one.",
            config.placements, all.walks, all.missed, all.invented
        ),
    );
    session.note(
        "Each split with five kinds of volume and two degrees, each of these trees with three ways to open nodes and three orders; and in packed storage, with its own boxes and walk. Every one of them is \
         asked about every placement; the placements are dealt evenly to the pairs of bodies. Brute force asks the exact test about all pairs of faces.",
    );
    ensure!(all.wrong() == 0, "{} of {} walks are wrong", all.wrong(), all.walks);
    Ok(())
}

fn bodies_table(session: &mut Session<'_>, cases: &[Case]) {
    let mut table = Table::new("The bodies", ["pair", "faces", "faces", "placements", "collide"]);
    for case in cases {
        let [a, b] = case.bodies.each_ref().map(|mesh| mesh.triangles().len());
        let figures = [a, b, case.poses.len(), case.hits()];
        table.row(case.name, figures.map(|figure| Cell::Ours(figure as f64)));
    }
    session.table(table);
}

/// All walks of one pair of trees.
fn generic(case: &Case, options: &TreeOptions) -> Result<Tally> {
    let trees = case.bodies.each_ref().map(|mesh| VolumeTree::<AnyVolume>::new(mesh, options));
    trees.iter().try_for_each(VolumeTree::check)?;
    Ok(asked(case, |pose, truth| {
        let mut tally = Tally::default();
        for (expansion, order) in EXPANSIONS.into_iter().flat_map(|e| ORDERS.map(|o| (e, o))) {
            let walk = WalkOptions { expansion, order, ..Default::default() };
            let met = trees[0].meet(&Pose::IDENTITY, &trees[1], pose, &walk);
            tally += Tally::one(met.overlap == Some(true), truth);
        }
        tally
    }))
}

fn packed_tree(case: &Case, split: Split) -> Tally {
    let options = TreeOptions { split, ..TreeOptions::default() };
    let models = case.bodies.each_ref().map(|mesh| noli_classics::tree::packed(mesh, &options));
    asked(case, |pose, truth| {
        let answer = overlap(&models[0].at(Pose::IDENTITY), &models[1].at(*pose));
        Tally::one(answer == Overlap::Hit, truth)
    })
}

fn asked(case: &Case, ask: impl Fn(&Pose, bool) -> Tally + Sync) -> Tally {
    let sum = |mut a: Tally, b: Tally| {
        a += b;
        a
    };
    case.poses.par_iter().zip(&case.truth).map(|(pose, truth)| ask(pose, *truth)).reduce(Tally::default, sum)
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
