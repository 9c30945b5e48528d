//! Many simple bodies: broad phases, boxes around motions, what is remembered from step to step.

use super::{Config, millis};
use crate::{Cell, Session, Table, Verdict};
use anyhow::Result;
use glam::DVec3;
use noli::broad::{BroadPhase, Method};
use noli::model::Aabb;
use noli::motion::{Motion, RigidMotion, Still, SweptBox};
use noli::world::StepOptions;
use noli::{Mesh, Model, Pose, World, time_of_impact};
use noli_classics::{AxisLists, Partition};
use noli_scenes::{Crowd, SplitMix64, W5_SEED, cuboid, torus};

/// Methods whose steps grow faster than the number of boxes are left out above so many.
const MOST: [(Method, usize); 4] = [
    (Method::Grid, usize::MAX),
    (Method::Tree, usize::MAX),
    (Method::SweepAndPrune, 10_000),
    (Method::AllPairs, 1_000),
];

/// X2: microseconds of a step by number of boxes, where a tenth and a hundredth of them move.
pub(super) fn broad_phases(session: &mut Session<'_>, config: &Config) {
    let columns = ["bodies and share that moves"].into_iter().map(str::to_owned);
    let columns = columns.chain(MOST.iter().map(|(method, _)| format!("{method:?}, us / step")));
    let mut table = Table::new("X2: finding the pairs of moving boxes (workload W5)", columns);
    for &count in &config.counts {
        for share in [10, 1] {
            let cell = |&(method, most): &(Method, usize)| match count <= most {
                true => Cell::Ours(broad_phase(method, count, share, config.crowd_steps)),
                false => Cell::Text("-".into()),
            };
            table.row(format!("{count}, {share} %"), MOST.iter().map(cell));
        }
    }
    session.table(table);
    published_partitions(session, config);
}

/// Published methods whose work grows with the square of the boxes are left out above so many.
const MOST_PUBLISHED: usize = 1_000;

/// X2: the same step by the partitions that the thesis surveys, made anew each time, and by its own sorted lists, which
/// are shifted. All find the same pairs.
fn published_partitions(session: &mut Session<'_>, config: &Config) {
    let names = Partition::ALL.map(|partition| format!("{partition:?}, us / step"));
    let columns = ["bodies", "pairs", "lists of the thesis, us / step", "swaps / step"].map(str::to_owned);
    let mut table =
        Table::new("X2: the methods of chapter 6, a tenth moves", columns.into_iter().chain(names));
    let mut differ = 0;
    for &count in config.counts.iter().filter(|&&count| count <= MOST_PUBLISHED) {
        let mut crowd = Crowd::new(W5_SEED, count);
        let mut lists = AxisLists::new(crowd.boxes());
        let before = lists.swaps();
        let (mut shifted, mut found, mut anew) = (0.0, 0, [0.0; Partition::ALL.len()]);
        for _ in 0..config.crowd_steps {
            let moved = crowd.step();
            let boxes = crowd.boxes();
            let (pairs, ms) = millis(|| {
                moved.iter().for_each(|&number| lists.set(number, &boxes[number as usize]));
                let met =
                    |a: u32| lists.overlapping(a).into_iter().filter(move |b| a < *b).map(move |b| (a, b));
                (0..count as u32).flat_map(met).collect::<Vec<(u32, u32)>>()
            });
            shifted += ms;
            found += pairs.len();
            for (partition, total) in Partition::ALL.into_iter().zip(&mut anew) {
                let (other, ms) = millis(|| partition.pairs(boxes));
                *total += ms;
                differ += usize::from(other != pairs);
            }
        }
        let per_step = |sum: f64| Cell::Ours(sum / config.crowd_steps as f64);
        let swaps = (lists.swaps() - before) as f64;
        let times = [shifted].into_iter().map(|ms| 1e3 * ms).chain([swaps]).chain(anew.map(|ms| 1e3 * ms));
        table.row(count.to_string(), [found as f64].into_iter().chain(times).map(per_step));
    }
    session.table(table);
    session.finding(
        "The partitions of chapter 6 and the lists of the thesis find the same pairs",
        Verdict::of(differ == 0),
        format!("{differ} steps differ."),
    );
}

fn broad_phase(method: Method, count: usize, share: usize, steps: usize) -> f64 {
    let (mut crowd, mut boxes) = (Crowd::new(W5_SEED, count), BroadPhase::new(method));
    boxes.set_all((0..).zip(crowd.boxes().iter().copied()));
    boxes.update();
    let mut total = 0.0;
    for _ in 0..steps {
        let mut moved = crowd.step();
        moved.truncate((moved.len() * share).div_ceil(10));
        total += millis(|| {
            moved.iter().for_each(|&number| boxes.set(number, &crowd.boxes()[number as usize]));
            boxes.update()
        })
        .1;
    }
    1e3 * total / steps as f64
}

/// X3: ways to put a box around a turning rod; the hull of both ends alone, as published, loses contacts.
pub(super) fn swept_boxes(session: &mut Session<'_>, config: &Config) -> Result<()> {
    let rod = solid(cuboid(DVec3::new(2.0, 0.1, 0.1)))?;
    let speck = solid(cuboid(DVec3::splat(0.05)))?;
    let columns = ["box", "turn, rad", "candidates", "of which touch", "contacts lost"];
    let mut table = Table::new("X3: boxes around a turning rod among specks", columns);
    for turn in [0.1, 0.5, 2.0] {
        let mut random = SplitMix64::new(config.seed);
        let mut counts = [[0usize; 3]; 4];
        for _ in 0..config.turns {
            let start = Pose::from_rotation(random.rotation());
            let axis = random.direction();
            let motion = RigidMotion::with_velocities(&start, DVec3::ZERO, axis * turn, DVec3::ZERO);
            let place = random.direction() * random.between(0.5, 2.2);
            let there = Still(Pose::from_translation(place));
            let (rod, speck) = (rod.moving(&motion), speck.moving(&there));
            let touches = time_of_impact(&rod, &speck).is_hit();
            let other = speck.swept_box((0.0, 1.0), SweptBox::Both);
            let ends = [0.0, 1.0].map(|t| rod.model.aabb().transformed(&motion.pose(t)));
            let kinds = [SweptBox::Chord, SweptBox::Reach, SweptBox::Both];
            let boxes: [Aabb; 3] = kinds.map(|kind| rod.swept_box((0.0, 1.0), kind));
            let published = ends[0].union(ends[1]);
            for (count, around) in counts.iter_mut().zip(boxes.into_iter().chain([published])) {
                let meets = around.overlaps(&other);
                count[0] += usize::from(meets);
                count[1] += usize::from(meets && touches);
                count[2] += usize::from(touches && !meets);
            }
        }
        let names = ["both ends and the bulge", "reach", "what is in both", "both ends alone, as published"];
        for (name, count) in names.into_iter().zip(counts) {
            let cells = [turn, count[0] as f64, count[1] as f64, count[2] as f64];
            table.row(name, cells.map(Cell::Ours));
        }
        let lost: usize = counts[..3].iter().map(|count| count[2]).sum();
        session.finding(
            format!("Mended boxes lose no contact in a turn by {turn} rad"),
            Verdict::of(lost == 0),
            format!("{lost} lost; the hull of both ends alone loses {}.", counts[3][2]),
        );
    }
    session.table(table);
    Ok(())
}

pub(super) fn solid(set: noli_scenes::TriangleSet) -> Result<Model> {
    let mesh = Mesh::from_triangles(set.vertices, set.triangles, &Default::default())?.into_solid();
    Ok(Model::from(&mesh))
}

/// X6: boxes made and tests done with and without memory of earlier steps.
pub(super) fn remembered(session: &mut Session<'_>, config: &Config) -> Result<()> {
    let columns =
        ["remembered", "boxes / step", "tests / step", "steps of tests / step", "hinted / step", "us / step"];
    let mut table = Table::new("X6: a ring walks among 200 others", columns);
    let (mut places, mut tested) = (Vec::new(), Vec::new());
    for (name, sleep, hints) in [
        ("all", true, true),
        ("clearances", true, false),
        ("searches", false, true),
        ("nothing", false, false),
    ] {
        let options = StepOptions { sleep, hints, ..Default::default() };
        let (sums, us, place) = walk(config, &options)?;
        let per_step = |sum: u64| Cell::Ours(sum as f64 / config.frames as f64);
        table.row(name, sums.into_iter().map(per_step).chain([Cell::Ours(us)]));
        places.push(place);
        tested.push(sums[2]);
    }
    let without_stamps = Cell::Ours(WALKED_AMONG as f64 + 1.0);
    table.row("boxes of all bodies each step", [without_stamps]);
    session.table(table);
    session.finding(
        "What is remembered changes the cost and nothing else",
        Verdict::of(places.windows(2).all(|pair| pair[0] == pair[1])),
        "The walker ends in the same place to the last bit.",
    );
    session.finding(
        "What is remembered saves steps of tests",
        match (tested[0] < tested[3], tested[0] > tested[3]) {
            (true, _) => Verdict::Confirmed,
            (_, true) => Verdict::Refuted,
            _ => Verdict::Open,
        },
        format!(
            "Steps of tests in all: with all memory {}, clearances alone {}, searches alone {}, none {}.",
            tested[0], tested[1], tested[2], tested[3]
        ),
    );
    Ok(())
}

const WALKED_AMONG: usize = 200;

/// Boxes, tests, steps and hinted tests; microseconds for a step; where the walk ended.
fn walk(config: &Config, options: &StepOptions<'_>) -> Result<([u64; 4], f64, Pose)> {
    let ring = solid(torus(0.5, 0.15, 24, 12))?;
    let (mut world, mut random) = (World::default(), SplitMix64::new(config.seed));
    let mut vector = |size: f64| DVec3::from_array([(); 3].map(|()| random.between(-size, size)));
    for number in 0..WALKED_AMONG {
        world.add(number.to_string(), &ring, Pose::from_translation(vector(4.0)))?;
    }
    let walker = world.add("walker", &ring, Pose::IDENTITY)?;
    let (mut sums, mut total) = ([0; 4], 0.0);
    for _ in 0..config.frames {
        let (shift, turn) = (vector(0.02), vector(0.02));
        let motion = |start: &Pose| RigidMotion::with_velocities(start, shift, turn, DVec3::ZERO);
        let moves = vec![world.carry("walk", &[walker], motion)?];
        let (step, ms) = millis(|| world.step(moves, options));
        let stats = step?.stats;
        total += ms;
        let counts = [stats.boxes, stats.tested as u64, stats.steps, stats.with_hint as u64];
        sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
    }
    Ok((sums, 1e3 * total / config.frames as f64, world.body(walker)?.pose()))
}
