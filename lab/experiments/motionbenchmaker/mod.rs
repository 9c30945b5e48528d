//! Planning problems of MotionBenchMaker, solved on the true meshes with every motion proven.

mod peer;
mod tables;

use crate::timing::ThreadClock;
use crate::{Session, data_folder};
use anyhow::{Context, Result, ensure};
use noli::Pose;
use noli::query::Clock;
use noli_plan::{Effort, JointOptions, JointPath, plan_joints};
use noli_project::{ProblemFiles, RobotOptions, list_problems, load_robot, load_srdf};
use noli_robot::cell::{self, CellBuilder, MotionStatus, PairRule, StateStatus};
use noli_robot::{Problem, Robot};
use peer::{Answer, Peer};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;
use tables::{PeerTally, Tally, compare, report, share};

#[derive(Deserialize)]
struct Config {
    data: String,
    urdf: String,
    srdf: String,
    packages: String,
    problems: usize,
    seeds: u64,
    first_seed: u64,
    steps: u64,
    shorten: u64,
    spacing: f64,
    recheck: u32,
    exact: u32,
    peer: String,
    peer_seconds: f64,
}

#[derive(Deserialize)]
struct Printed {
    plan: [f64; 2],
    simplified: [f64; 2],
    cost: f64,
}

const PANDA: &str = "robots/moveit_resources_panda_description";

/// The files of the robot and of the problems.
struct Files {
    problems: PathBuf,
    urdf: PathBuf,
    srdf: PathBuf,
    /// Folders of the robot's packages; a peer is given the first.
    packages: Vec<PathBuf>,
}

impl Files {
    fn find(config: &Config) -> Result<Self> {
        let given = |path: &str| (!path.is_empty()).then(|| PathBuf::from(path));
        let usual = data_folder();
        // Where the problems lie there may be the robot beside them.
        let mut above = Path::new(&config.data).ancestors();
        let is_given = std::env::var_os("NOLI_DATA").is_some() || usual.join(PANDA).is_dir();
        let data = if is_given { None } else { above.find(|folder| folder.join(PANDA).is_dir()) };
        let data = data.map_or(usual, Path::to_owned);
        let panda = data.join(PANDA);
        let files = Self {
            problems: given(&config.data).unwrap_or_else(|| data.join("planning/motionbenchmaker")),
            urdf: given(&config.urdf).unwrap_or_else(|| panda.join("urdf/panda.urdf")),
            srdf: given(&config.srdf).unwrap_or_else(|| panda.join("srdf/panda.srdf")),
            packages: given(&config.packages).into_iter().chain([data.join("robots")]).collect(),
        };
        ensure!(
            files.problems.is_dir(),
            "{} is not there; give the folder of problem sets (scene0001.yaml and request0001.yaml in each) by --set data=FOLDER, \
             or the folder of published data in NOLI_DATA",
            files.problems.display()
        );
        ensure!(
            files.urdf.is_file(),
            "{} is not there; give --set urdf=FILE and --set srdf=FILE, or the folder of published data in NOLI_DATA",
            files.urdf.display()
        );
        ensure!(config.srdf.is_empty() || files.srdf.is_file(), "{} is not there", files.srdf.display());
        Ok(files)
    }

    /// Loads the robot, with the pairs that its SRDF disables if there is one.
    fn robot(&self) -> Result<(CellBuilder, Arc<Robot>)> {
        let mut packages = self.packages.clone();
        packages.extend(self.urdf.ancestors().skip(1).take(3).map(Path::to_owned));
        packages.retain(|folder| folder.is_dir());
        let loaded = load_robot(&self.urdf, &RobotOptions { packages, ..RobotOptions::default() })?;
        let robot = Arc::new(loaded.robot);
        let mut base = CellBuilder::default();
        let arm = base.add_robot("", robot.clone(), Pose::IDENTITY, &loaded.shapes)?;
        if self.srdf.is_file() {
            base.apply_srdf(arm, &load_srdf(&self.srdf, &robot)?);
        }
        Ok((base, robot))
    }

    /// Returns the problems by their sets.
    fn sets(&self, config: &Config) -> Result<BTreeMap<String, Vec<ProblemFiles>>> {
        let mut sets: BTreeMap<String, Vec<ProblemFiles>> = BTreeMap::new();
        for problem in list_problems(&self.problems)? {
            sets.entry(problem.set.clone()).or_default().push(problem);
        }
        if config.problems > 0 {
            sets.values_mut().for_each(|files| files.truncate(config.problems));
        }
        Ok(sets)
    }

    fn peer(&self, config: &Config) -> Result<Option<Peer>> {
        let files = [&*self.urdf, &*self.srdf, &*self.packages[0]];
        let start = |command| Peer::start(command, files, config.first_seed, config.peer_seconds);
        Some(&config.peer[..]).filter(|command| !command.is_empty()).map(start).transpose()
    }
}

pub(super) fn run(session: &mut Session<'_>) -> Result<()> {
    let (config, goal): (Config, Printed) = (session.config()?, session.printed()?);
    let files = Files::find(&config)?;
    if !files.srdf.is_file() {
        session
            .note("There is no SRDF: pairs that a joint joins and those that problems allow are left out.");
    }
    let start = Instant::now();
    let (base, robot) = files.robot()?;
    let loading = start.elapsed().as_secs_f64();
    let mut peer = files.peer(&config)?;
    let mut theirs = PeerTally::default();
    let mut tallies: Vec<(String, Tally)> = Vec::new();
    for (set, files) in files.sets(&config)? {
        let mut tally = Tally::default();
        for files in files {
            session.step(&format!("{set} {}", files.number));
            let problem = files.read()?;
            for left in &problem.left_out {
                session.note(format!("{set} {}: {left} is left out", files.number));
            }
            let cell = cell_of(&base, &problem).with_context(|| files.scene.display().to_string())?;
            let start = Instant::now();
            cell.prepare();
            tally.prepare_ms.push(1e3 * start.elapsed().as_secs_f64());
            for seed in config.first_seed..config.first_seed + config.seeds {
                solve(&cell, &robot, &problem, (&config, seed), &mut tally)
                    .with_context(|| files.request.display().to_string())?;
            }
            if let Some(peer) = &mut peer {
                session.step(&format!("{set} {}, {}", files.number, peer.name));
                let answer = peer.solve(&files).with_context(|| files.request.display().to_string())?;
                judge(&cell, &robot, &problem, &answer, &mut theirs)?;
            }
        }
        tallies.push((set, tally));
    }
    report(session, &tallies, &goal);
    if let Some(peer) = &peer {
        compare(session, &tallies, &peer.name, &theirs);
        session.note(format!(
            "{} had {} s of the CPU for each problem. Its ways, straight in joint space between their configurations, \
             were put to the proof of ours: colliding ones have a state that meets something by the exact test.",
            peer.name, config.peer_seconds
        ));
    }
    let prepare: Vec<f64> = tallies.iter().flat_map(|(_, tally)| tally.prepare_ms.iter().copied()).collect();
    session.note(format!(
        "Loading the robot took {loading:.1} s and is not counted, nor is preparing a problem: {:.0} ms in the middle for tables of \
         the robot's own pairs. One thread, its CPU time. Planned: found and proven without simplification. Simplified: the same search, {} \
         chords tried, the result proven.",
        share(&prepare, 0.5),
        config.shorten
    ));
    session.note(format!(
        "Each way is looked at again: at {} states a radian by lanes, and at {} of them by the exact test of every pair of \
         shapes by itself, at poses from double precision; and every stretch is put to the proof once more.",
        config.recheck, config.exact
    ));
    Ok(())
}

fn cell_of(base: &CellBuilder, problem: &Problem) -> Result<cell::Cell> {
    let mut plan = base.clone();
    for body in &problem.bodies {
        plan.add_obstacle(&body.name, &noli::Model::new(body.shape.clone())?, body.pose)?;
    }
    for [a, b] in &problem.allowed {
        // Links without a shape are no parts, so nothing can be said of them.
        let _ = plan.disable(a, b, "allowed by the problem");
    }
    Ok(plan.build())
}

/// Start configuration of the robot.
fn start_of(robot: &Robot, problem: &Problem) -> Vec<f64> {
    let mut from = robot.zero().0;
    for (name, value) in &problem.start {
        if let Some(number) = robot.variable(name) {
            from[number] = *value;
        }
    }
    robot.apply_laws(&mut from);
    from
}

fn length(path: &[Vec<f64>]) -> f64 {
    let change = |pair: &[Vec<f64>]| pair[0].iter().zip(&pair[1]).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
    path.windows(2).map(|pair| change(pair).sqrt()).sum()
}

/// Puts the ways of a peer to the proof.
fn judge(
    cell: &cell::Cell,
    robot: &Robot,
    problem: &Problem,
    answer: &Answer,
    tally: &mut PeerTally,
) -> Result<()> {
    tally.problems += 1;
    let Some(paths) = &answer.paths else {
        tally.ms.iter_mut().for_each(|ms| ms.push(1e3 * answer.seconds));
        return Ok(());
    };
    tally.solved += 1;
    let joint =
        |name: &String| robot.variable(name).with_context(|| format!("the robot has no joint `{name}`"));
    let joints = answer.joints.iter().map(joint).collect::<Result<Vec<usize>>>()?;
    let base = start_of(robot, problem);
    let mut checker = cell.checker();
    for (k, path) in paths.iter().enumerate() {
        tally.ms[k].push(1e3 * path.seconds);
        tally.cost[k].push(length(&path.configurations));
        let whole = |values: &Vec<f64>| {
            let mut all = base.clone();
            joints.iter().zip(values).for_each(|(&joint, &value)| all[joint] = value);
            robot.apply_laws(&mut all);
            all
        };
        let configurations: Vec<Vec<f64>> = path.configurations.iter().map(whole).collect();
        let (mut collides, mut close) = (false, false);
        for pair in configurations.windows(2) {
            match checker.check_motion(&pair[0], &pair[1])? {
                MotionStatus::Free => {}
                MotionStatus::Blocked { .. } => collides = true,
                MotionStatus::Close { .. } => close = true,
            }
        }
        tally.colliding[k] += usize::from(collides);
        tally.close[k] += usize::from(close && !collides);
    }
    Ok(())
}

fn solve(
    cell: &cell::Cell,
    robot: &Robot,
    problem: &Problem,
    (config, seed): (&Config, u64),
    tally: &mut Tally,
) -> Result<()> {
    let from = start_of(robot, problem);
    let (mut to, mut moving) = (from.clone(), Vec::new());
    for (name, value) in &problem.goal {
        let number = robot.variable(name).with_context(|| format!("the robot has no joint `{name}`"))?;
        to[number] = *value;
        moving.push(number);
    }
    robot.apply_laws(&mut to);
    tally.problems += 1;
    let effort = Effort { steps: config.steps, seed, searches: 1, ..Effort::default() };
    let mut paths: Vec<JointPath> = Vec::new();
    for shorten in [0, config.shorten] {
        let options = JointOptions { effort, shorten, spacing: config.spacing, ..JointOptions::default() };
        let start = ThreadClock.now();
        let outcome = match plan_joints(cell, &from, &to, &moving, &options) {
            Ok(outcome) => outcome,
            Err(noli_plan::JointPlanError::NotFree { .. }) => {
                tally.not_free += 1;
                return Ok(());
            }
            Err(error) => return Err(error.into()),
        };
        let took = 1e3 * ThreadClock.now().saturating_sub(start).as_secs_f64();
        let Some(path) = outcome.path else { return Ok(()) };
        if shorten == 0 {
            tally.plan_ms.push(took);
            tally.raw_cost.push(path.cost);
        } else {
            tally.whole_ms.push(took);
            tally.cost.push(path.cost);
        }
        paths.push(path);
    }
    tally.solved += 1;
    let mut collides = false;
    for path in &paths {
        collides |= recheck(cell, path, config.recheck, &mut tally.states)?;
        collides |= meets(cell, path, config.exact, &mut tally.exact_states)?;
        collides |= !is_proven(cell, path)?;
    }
    tally.colliding += usize::from(collides);
    Ok(())
}

/// Configurations along a path, so many a radian and the ends of every segment.
fn samples(path: &JointPath, a_radian: u32) -> impl Iterator<Item = Vec<f64>> {
    path.configurations.windows(2).flat_map(move |pair| {
        let change = pair[0].iter().zip(&pair[1]).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        let count = (change * f64::from(a_radian)).ceil().max(1.0) as u32;
        (0..=count).map(move |k| {
            let share = f64::from(k) / f64::from(count);
            pair[0].iter().zip(&pair[1]).map(|(a, b)| a + (b - a) * share).collect()
        })
    })
}

/// Returns `true` if any of many configurations along a path collides.
fn recheck(cell: &cell::Cell, path: &JointPath, a_radian: u32, states: &mut u64) -> Result<bool> {
    let all: Vec<f64> = samples(path, a_radian).flatten().collect();
    let statuses = cell.check_states(&all)?;
    *states += statuses.len() as u64;
    Ok(statuses.iter().any(|status| *status != StateStatus::Free))
}

/// Returns `true` if every segment of a path is proven free by a new query.
fn is_proven(cell: &cell::Cell, path: &JointPath) -> Result<bool> {
    let mut checker = cell.checker();
    for pair in path.configurations.windows(2) {
        if checker.check_motion(&pair[0], &pair[1])? != MotionStatus::Free {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns `true` if two shapes of a checked pair collide at any of so many states a radian, by the engine's
/// exact test of two bodies: no lanes, no spheres, no tables.
fn meets(cell: &cell::Cell, path: &JointPath, a_radian: u32, states: &mut u64) -> Result<bool> {
    let shapes: Vec<(usize, &noli::Model)> = cell.shapes().collect();
    let is_asked = |a: usize, b: usize| {
        let own = |pair: &&cell::Pair| pair.parts == [a, b] || pair.parts == [b, a];
        cell.pairs().iter().find(own).is_some_and(|pair| matches!(pair.rule, PairRule::Checked { .. }))
    };
    let mut asked: Vec<[usize; 2]> = Vec::new();
    for x in 0..shapes.len() {
        asked.extend((0..x).filter(|&y| is_asked(shapes[x].0, shapes[y].0)).map(|y| [x, y]));
    }
    for values in samples(path, a_radian) {
        let poses = cell.shape_poses(&values)?;
        *states += 1;
        let met = |&[x, y]: &[usize; 2]| {
            let (x, y) = (shapes[x].1.at(poses[x]), shapes[y].1.at(poses[y]));
            noli::overlap(&x, &y) != noli::Overlap::Free
        };
        if asked.iter().any(met) {
            return Ok(true);
        }
    }
    Ok(false)
}
