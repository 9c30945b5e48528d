//! Scenes on which modes and threads can differ: a small body that flies through thin plates, and a crowd in which all move.

use super::{Config, millis};
use crate::{Cell, Session, Table, Verdict};
use anyhow::{Result, ensure};
use glam::DVec3;
use noli::motion::{Motion, RigidMotion, Still};
use noli::world::StepOptions;
use noli::{Impact, Model, Pose, World, time_of_impact};
use noli_classics::step::{PublishedStep, TestTimes};
use noli_scenes::{SplitMix64, cuboid, torus};

/// Plates that the body flies among, each of this half thickness.
const PLATES: usize = 24;
const HALF_THICKNESS: f64 = 0.01;

/// A flight of one step: its motion, and `true` if it hits a plate, by the engine's query of each pair.
struct Flight {
    motion: RigidMotion,
    hits: bool,
}

/// X4: modes of testing on steps that are long against the bodies, against proven contacts.
pub(super) fn modes(session: &mut Session<'_>, config: &Config) -> Result<()> {
    let mut random = SplitMix64::new(config.seed + 4);
    let (bullet, plate) = (super::bodies::solid(cuboid(DVec3::splat(0.05)))?, plate()?);
    let places: Vec<Pose> = (0..PLATES)
        .map(|_| Pose::new(random.rotation(), random.direction() * random.between(0.5, 2.5)))
        .collect();
    let flights = flights(&mut random, config.turns, (&bullet, &plate), &places);
    let hits = flights.iter().filter(|flight| flight.hits).count();
    let columns = ["mode", "missed", "invented", "steps of tests"];
    let title = format!("X4: modes, {} flights through thin plates, {hits} of which hit one", flights.len());
    let mut table = Table::new(title, columns);
    let sampled = [0, 1, 4, 16].map(|between| TestTimes::Sampled { between });
    let mut missed = Vec::new();
    for times in [TestTimes::Dynamic, TestTimes::Mixed, TestTimes::Static].into_iter().chain(sampled) {
        let options = PublishedStep { times, ..Default::default() };
        let (mut lost, mut invented, mut steps) = (0, 0, 0);
        for flight in &flights {
            let mut world = World::default();
            for (number, place) in places.iter().enumerate() {
                world.add(format!("plate {number}"), &plate, *place)?;
            }
            let start = flight.motion.pose(0.0);
            let body = world.add("bullet", &bullet, start)?;
            let moves = vec![world.carry("flight", &[body], |_| flight.motion)?];
            let step = world.plan(moves, &options.options())?;
            let found = step.hits().any(|answer| !matches!(answer.impact, Impact::AtStart(_)));
            lost += usize::from(flight.hits && !found);
            invented += usize::from(found && !flight.hits);
            steps += step.stats.steps;
        }
        table.row(format!("{times:?}"), [lost as f64, invented as f64, steps as f64].map(Cell::Ours));
        missed.push(lost);
    }
    session.table(table);
    session.finding(
        "Dynamic tests miss nothing; static, mixed and sampled ones miss what is over when they look",
        match (missed[0], missed[1..].iter().all(|&lost| lost > 0)) {
            (0, true) => Verdict::Confirmed,
            (0, false) => Verdict::Partly,
            _ => Verdict::Refuted,
        },
        format!(
            "Missed of {hits}: dynamic {}, mixed {}, static {}, sampled at 0, 1, 4 and 16 poses between {}, {}, {}, {}.",
            missed[0], missed[1], missed[2], missed[3], missed[4], missed[5], missed[6]
        ),
    );
    Ok(())
}

fn plate() -> Result<Model> {
    super::bodies::solid(cuboid(DVec3::new(0.8, 0.8, HALF_THICKNESS)))
}

/// Flights that start free, by the engine's query of every pair.
fn flights(
    random: &mut SplitMix64,
    count: usize,
    (bullet, plate): (&Model, &Model),
    places: &[Pose],
) -> Vec<Flight> {
    let mut flights = Vec::new();
    while flights.len() < count {
        let start = Pose::new(random.rotation(), random.direction() * 3.5);
        let aim = random.direction() * random.between(0.0, 2.0);
        let (shift, turn) = ((aim - start.translation) * 2.0, random.direction() * random.between(0.0, 1.0));
        let motion = RigidMotion::with_velocities(&start, shift, turn, DVec3::ZERO);
        let impacts: Vec<_> = places
            .iter()
            .map(|place| time_of_impact(&bullet.moving(&motion), &plate.moving(&Still(*place))))
            .collect();
        if impacts.iter().any(|impact| matches!(impact, Impact::AtStart(_))) {
            continue;
        }
        flights.push(Flight { motion, hits: impacts.iter().any(|impact| impact.is_hit()) });
    }
    flights
}

/// X7: pair tests of a step on several threads, in a crowd of which all move at once.
pub(super) fn threads(session: &mut Session<'_>, config: &Config) -> Result<()> {
    let columns = ["threads", "ms / step", "candidates / step", "steps of tests / step", "same answers"];
    let mut table = Table::new("X7: threads over the pairs of a step, all rings of a crowd move", columns);
    let mut first: Option<Vec<Pose>> = None;
    let mut same = true;
    let mut candidates = 0.0;
    for &threads in &config.threads {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
        let (places, figures) = pool.install(|| crowd(config))?;
        let [ms, pairs, steps] = figures;
        candidates = pairs;
        let alike = first.get_or_insert_with(|| places.clone()) == &places;
        same &= alike;
        let word = if alike { "yes" } else { "no" };
        let cells = [ms, pairs, steps].map(Cell::Ours).into_iter().chain([Cell::Text(word.into())]);
        table.row(threads.to_string(), cells);
    }
    session.table(table);
    ensure!(candidates > 10.0, "the crowd has {candidates} candidates a step: too few for threads");
    session.finding(
        "Threads over pairs change no answer",
        Verdict::of(same),
        format!("{candidates:.0} candidates a step. Times are of one run."),
    );
    Ok(())
}

/// Final poses of all rings; milliseconds, candidates and steps of tests a step.
fn crowd(config: &Config) -> Result<(Vec<Pose>, [f64; 3])> {
    let ring = super::bodies::solid(torus(0.5, 0.15, 24, 12))?;
    let (mut world, mut random) = (World::default(), SplitMix64::new(config.seed + 7));
    let mut vector = |size: f64| DVec3::from_array([(); 3].map(|()| random.between(-size, size)));
    let mut rings = Vec::new();
    for number in 0..120 {
        rings.push(world.add(number.to_string(), &ring, Pose::from_translation(vector(2.5)))?);
    }
    let steps = (config.frames / 20).max(2);
    let mut sums = [0.0; 3];
    for _ in 0..steps {
        let mut moves = Vec::new();
        for &body in &rings {
            let (shift, turn) = (vector(0.05), vector(0.05));
            let motion = |start: &Pose| RigidMotion::with_velocities(start, shift, turn, DVec3::ZERO);
            moves.push(world.carry(format!("{body:?}"), &[body], motion)?);
        }
        let (step, ms) = millis(|| world.step(moves, &StepOptions::default()));
        let stats = step?.stats;
        let figures = [ms, stats.candidates as f64, stats.steps as f64];
        sums.iter_mut().zip(figures).for_each(|(sum, figure)| *sum += figure / steps as f64);
    }
    let places = rings.iter().map(|&body| Ok(world.body(body)?.pose())).collect::<Result<_>>()?;
    Ok((places, sums))
}
