//! Bodies added, moved and removed for a long time: memory, and ids that name nobody else.

use crate::{Cell, Plot, Series, Session, Table, Verdict};
use anyhow::{Result, ensure};
use glam::DVec3;
use noli::motion::RigidMotion;
use noli::world::{BodyId, BodySelector, StepOptions, WorldError};
use noli::{Convex, Mesh, Model, Pose, World};
use noli_scenes::{SplitMix64, torus};
use serde::Deserialize;
use std::time::Instant;

#[derive(Deserialize)]
struct Config {
    bodies: usize,
    spacing: f64,
    steps: usize,
    replaced: usize,
    moving: usize,
    seed: u64,
}

#[derive(Deserialize)]
struct Printed {
    growth: f64,
}

/// Number of readings of the memory.
const LOOKS: usize = 10;
/// Dead ids that are remembered, to ask for.
const DEAD: usize = 10_000;

pub(super) fn run(session: &mut Session<'_>) -> Result<()> {
    let (config, goal): (Config, Printed) = (session.config()?, session.printed()?);
    let mut crowd = Crowd::new(&config)?;
    // Steps this short are not worth handing to another thread.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let columns = [
        "steps",
        "memory of the program, MiB",
        "bodies",
        "ids given so far",
        "pair tests",
        "blocked moves",
        "us / step",
    ];
    let mut table = Table::new("Looks at the run", columns);
    let mut memory = Vec::new();
    for look in 1..=LOOKS {
        session.step(&format!("{} % of the steps", 100 * look / LOOKS));
        let start = Instant::now();
        let steps = config.steps / LOOKS;
        pool.install(|| (0..steps).try_for_each(|_| crowd.step(&config)))?;
        let micros = 1e6 * start.elapsed().as_secs_f64() / steps as f64;
        memory.extend(resident_mib());
        let cells = [
            memory.last().map_or(Cell::Text("-".into()), |&mib| Cell::Ours(mib)),
            Cell::Ours(crowd.world.bodies().count() as f64),
            Cell::Ours(crowd.given as f64),
            Cell::Ours(crowd.tested as f64),
            Cell::Ours(crowd.blocked as f64),
            Cell::Ours(micros),
        ];
        table.row((look * steps).to_string(), cells);
    }
    session.table(table);
    session.finding(
        "No id is confused with another",
        Verdict::of(true),
        format!(
            "{} questions about live ids named their body, {} about dead ones nobody; a wrong one would have ended the run.",
            crowd.asked[0], crowd.asked[1]
        ),
    );
    if let (Some(&first), Some(&last)) = (memory.first(), memory.last()) {
        session.finding(
            format!(
                "Memory grows by at most {:.0} % after a tenth of the steps",
                100.0 * (goal.growth - 1.0)
            ),
            Verdict::of(last <= goal.growth * first),
            format!("{first:.1} MiB then, {last:.1} MiB at the end."),
        );
        session.plot(Plot {
            title: "Memory of the program".into(),
            x: "tenths of the steps".into(),
            y: "MiB".into(),
            series: vec![Series::heights("resident", memory)],
            ..Default::default()
        });
    }
    session.note("Rings (meshes) and drums (convex), some hanging on others; rules about single pairs come and go with them.");
    Ok(())
}

struct Crowd {
    world: World,
    models: [Model; 2],
    random: SplitMix64,
    side: f64,
    /// Ids and the names they were given.
    live: Vec<(BodyId, u64)>,
    dead: Vec<BodyId>,
    given: u64,
    tested: u64,
    blocked: u64,
    /// Questions about live and dead ids.
    asked: [u64; 2],
}

impl Crowd {
    fn new(config: &Config) -> Result<Self> {
        let ring = torus(0.6, 0.2, 12, 6);
        let ring = Mesh::from_triangles(ring.vertices, ring.triangles, &Default::default())?.into_solid();
        let models = [Model::from(&ring), Model::from(Convex::cylinder(0.8, 0.4)?)];
        let mut crowd = Self {
            world: World::default(),
            models,
            random: SplitMix64::new(config.seed),
            side: config.spacing * (config.bodies as f64).cbrt(),
            live: Vec::new(),
            dead: Vec::new(),
            given: 0,
            tested: 0,
            blocked: 0,
            asked: [0, 0],
        };
        (0..config.bodies).try_for_each(|_| crowd.add())?;
        Ok(crowd)
    }

    fn vector(&mut self, size: f64) -> DVec3 {
        DVec3::from_array([(); 3].map(|()| self.random.between(-size, size)))
    }

    fn add(&mut self) -> Result<()> {
        let (place, model) = (self.vector(0.5 * self.side), below(&mut self.random, 2));
        let pose = Pose::new(self.random.rotation(), place);
        let id = self.world.add(self.given.to_string(), &self.models[model], pose)?;
        if !self.live.is_empty() {
            let other = any(&mut self.random, &self.live).0;
            match below(&mut self.random, 4) {
                0 => self.world.attach(id, other)?,
                1 => self.world.rules_mut().set([BodySelector::Body(id), BodySelector::Body(other)], false),
                _ => {}
            }
        }
        self.live.push((id, self.given));
        self.given += 1;
        Ok(())
    }

    fn remove(&mut self) -> Result<()> {
        let number = below(&mut self.random, self.live.len());
        let (id, _) = self.live.swap_remove(number);
        self.world.remove(id)?;
        let place = below(&mut self.random, DEAD);
        if self.dead.len() < DEAD {
            self.dead.push(id);
        } else {
            self.dead[place] = id;
        }
        Ok(())
    }

    fn step(&mut self, config: &Config) -> Result<()> {
        for _ in 0..config.replaced {
            self.remove()?;
            self.add()?;
        }
        let mut moves = Vec::new();
        for _ in 0..config.moving {
            let (id, _) = any(&mut self.random, &self.live);
            let (shift, turn) = (self.vector(0.1), self.vector(0.1));
            let motion = move |start: &Pose| RigidMotion::with_velocities(start, shift, turn, DVec3::ZERO);
            let asked = self.world.carry(id.to_string(), &[id], motion)?;
            // Two moves of one body are refused, those of what hangs on it are not.
            if !moves.iter().any(|other: &noli::world::Move| other.name() == asked.name()) {
                moves.push(asked);
            }
        }
        let step = self.world.step(moves, &StepOptions::default())?;
        self.tested += step.stats.tested as u64;
        self.blocked += step.outcomes.iter().filter(|outcome| outcome.free_until < 1.0).count() as u64;
        self.ask()
    }

    /// Live ids name who they were given to, dead ones nobody.
    fn ask(&mut self) -> Result<()> {
        let (id, name) = any(&mut self.random, &self.live);
        ensure!(self.world.body(id)?.name() == name.to_string(), "{id} is not {name} any more");
        self.asked[0] += 1;
        if !self.dead.is_empty() {
            let id = any(&mut self.random, &self.dead);
            ensure!(
                matches!(self.world.body(id), Err(WorldError::NoSuchBody(_))),
                "{id} was removed and names a body"
            );
            self.asked[1] += 1;
        }
        Ok(())
    }
}

fn below(random: &mut SplitMix64, count: usize) -> usize {
    (random.unit() * count as f64) as usize
}

fn any<T: Copy>(random: &mut SplitMix64, list: &[T]) -> T {
    list[below(random, list.len())]
}

/// The memory that this program holds, where the system tells.
fn resident_mib() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find(|line| line.starts_with("VmRSS:"))?;
    let kib: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kib / 1024.0)
}
