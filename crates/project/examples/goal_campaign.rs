//! Poses of the tool as goals, and paths that keep the tool upright, against OMPL with the same inverse kinematics:
//!
//! `cargo run --release -p noli-project --example goal_campaign -- ROBOT.urdf [SRDF] [--cage] [--tip LINK] [--poses N]
//! [--constrained N] [--seconds S] [--seed S] [--peer "PYTHON peers/ompl/goals.py URDF SRDF PACKAGES SEED SECONDS"]`
//!
//! Every path of ours is proven, and held against 10,001 samples: none collides, none tilts the tool further than allowed.
//! Those of the peer are put to the same proof. Exit code 1 if anything is wrong.
#![allow(clippy::print_stdout, reason = "this is a program")]

#[path = "robot_rates/setup.rs"]
#[allow(unreachable_pub, dead_code, reason = "other examples have it too")]
mod setup;

use noli::Pose;
use noli::glam::{DQuat, DVec3};
use noli_plan::{AxisConstraint, Effort, JointOptions, JointPlanError, plan_to_goals};
use noli_robot::cell::{Cell, Checker, MotionStatus, StateStatus};
use noli_robot::{GoalOptions, PoseGoal, Robot, solve_goal};
use setup::{CAGE, CAGE_RADIUS, Problem, Words, draw, ranges, shares};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitCode, Stdio};
use std::time::Instant;

/// The configurations of a path.
type Waypoints = Vec<Vec<f64>>;

/// Samples of every path.
const SAMPLES: usize = 10_000;
/// Largest tilt of constrained problems, in radians.
const TILT: f64 = 0.26;

/// A robot, its tool and the joints that move it.
struct Arm<'c> {
    robot: &'c Robot,
    cell: &'c Cell,
    tip: usize,
    moving: Vec<usize>,
}

impl Arm<'_> {
    fn tool(&self, values: &[f64]) -> Pose {
        let mut poses = vec![Pose::IDENTITY; self.robot.links().len()];
        self.robot.link_poses(values, &mut poses);
        poses[self.tip]
    }

    /// A free configuration; joints that do not move the tool are at zero.
    fn free(&self, checker: &mut Checker<'_>, share: &mut impl FnMut() -> f64) -> Result<Vec<f64>, Problem> {
        let ranges = ranges(self.robot);
        loop {
            let (drawn, mut values) = (draw(&ranges, 1, share), self.robot.zero().0);
            self.moving.iter().for_each(|&number| values[number] = drawn[number]);
            self.robot.apply_laws(&mut values);
            if checker.check_state(&values)? == StateStatus::Free {
                return Ok(values);
            }
        }
    }

    /// The angle of a constraint, by plain kinematics.
    fn tilt(&self, kept: &AxisConstraint, values: &[f64]) -> f64 {
        let axis = self.tool(values).rotation.normalize() * kept.axis;
        axis.dot(kept.direction).clamp(-1.0, 1.0).acos()
    }
}

/// A start, a goal, its configurations and a constraint.
struct Task {
    from: Vec<f64>,
    goal: PoseGoal,
    goals: Vec<Vec<f64>>,
    kept: Option<AxisConstraint>,
}

impl Task {
    /// A pose that some free configuration has.
    fn pose(
        arm: &Arm<'_>,
        checker: &mut Checker<'_>,
        share: &mut impl FnMut() -> f64,
    ) -> Result<Self, Problem> {
        let (from, there) = (arm.free(checker, share)?, arm.free(checker, share)?);
        let goal = PoseGoal::new(arm.tip, arm.tool(&there)).within(0.001, [0.02; 3]);
        let goals = solve_goal(arm.robot, &goal, &arm.moving, &from, &GoalOptions::default());
        Ok(Self { from, goal, goals: goals.unwrap_or_default(), kept: None })
    }

    /// The tool elsewhere, as upright as it is at the start; some configuration there is free.
    fn upright(
        arm: &Arm<'_>,
        checker: &mut Checker<'_>,
        share: &mut impl FnMut() -> f64,
    ) -> Result<Self, Problem> {
        loop {
            let (from, there) = (arm.free(checker, share)?, arm.free(checker, share)?);
            let kept = AxisConstraint::upright(arm.cell, [0, arm.tip], &from, DVec3::Z, TILT)?;
            let turn = DQuat::from_rotation_z(std::f64::consts::TAU * share());
            let pose = Pose::new(turn * arm.tool(&from).rotation, arm.tool(&there).translation);
            let goal = PoseGoal::new(arm.tip, pose).within(0.001, [0.02; 3]);
            let all = solve_goal(arm.robot, &goal, &arm.moving, &from, &GoalOptions::default());
            let mut goals = Vec::new();
            for values in all.unwrap_or_default() {
                if checker.check_state(&values)? == StateStatus::Free && arm.tilt(&kept, &values) < TILT {
                    goals.push(values);
                }
            }
            if !goals.is_empty() {
                return Ok(Self { from, goal, goals, kept: Some(kept) });
            }
        }
    }

    /// The problem for the peer.
    fn line(&self, arm: &Arm<'_>) -> String {
        let own = |values: &Vec<f64>| arm.moving.iter().map(|&k| values[k]).collect::<Vec<f64>>();
        let kept = self.kept.as_ref();
        serde_json::json!({
            "start": own(&self.from),
            "goals": self.goals.iter().map(own).collect::<Vec<_>>(),
            "axis": kept.map(|kept| kept.axis.to_array()),
            "direction": kept.map(|kept| kept.direction.to_array()),
            "angle": kept.map(|kept| kept.angle),
        })
        .to_string()
    }

    /// Returns `true` if every edge of a path is proven collision-free and upright.
    fn is_proven(
        &self,
        arm: &Arm<'_>,
        checker: &mut Checker<'_>,
        path: &[Vec<f64>],
    ) -> Result<bool, Problem> {
        for two in path.windows(2) {
            let upright = |kept: &AxisConstraint| kept.proven_share(arm.cell, &two[0], &two[1]) >= 1.0;
            if checker.check_motion(&two[0], &two[1])? != MotionStatus::Free
                || !self.kept.as_ref().is_none_or(upright)
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Faults of a path at samples and at its end.
    fn faults(&self, arm: &Arm<'_>, checker: &mut Checker<'_>, path: &[Vec<f64>]) -> Result<u64, Problem> {
        let edges = path.len().saturating_sub(1).max(1);
        let each = SAMPLES.div_ceil(edges);
        let mut states = Vec::new();
        let mut faults = u64::from(!path.last().is_some_and(|last| self.goal.contains(arm.robot, last)));
        for two in path.windows(2) {
            for k in 0..=each {
                let share = k as f64 / each as f64;
                let values: Vec<f64> = two[0].iter().zip(&two[1]).map(|(a, b)| a + (b - a) * share).collect();
                let tilted = |kept: &AxisConstraint| arm.tilt(kept, &values) > kept.angle + 1e-9;
                faults += u64::from(self.kept.as_ref().is_some_and(tilted));
                states.extend(values);
            }
        }
        Ok(faults + u64::from(checker.any_in_collision(&states)?.is_some()))
    }
}

/// Results of a planner.
#[derive(Default)]
struct Counts {
    solved: usize,
    proven: usize,
    seconds: Vec<f64>,
}

impl Counts {
    fn add(&mut self, seconds: f64, proven: Option<bool>) {
        self.seconds.push(seconds);
        self.solved += usize::from(proven.is_some());
        self.proven += usize::from(proven == Some(true));
    }

    fn print(&mut self, name: &str, of: usize) {
        self.seconds.sort_by(f64::total_cmp);
        let at = |share: f64| {
            let place = (share * self.seconds.len().saturating_sub(1) as f64) as usize;
            1e3 * self.seconds.get(place).copied().unwrap_or(0.0)
        };
        println!(
            "  {name:<6} {} of {of} solved, {} proven; median {:.1} ms, nine of ten within {:.1} ms",
            self.solved,
            self.proven,
            at(0.5),
            at(0.9)
        );
    }
}

/// Another planner: a program that answers problems.
struct Peer {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Peer {
    fn start(words: &Words, arm: &Arm<'_>) -> Result<Option<Self>, Problem> {
        let Some(command) = words.after("--peer") else { return Ok(None) };
        let mut parts = command.split_whitespace();
        let program = parts.next().ok_or("--peer names a program")?;
        let mut child =
            Command::new(program).args(parts).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let mut input = child.stdin.take().ok_or("the peer has no input")?;
        let output = BufReader::new(child.stdout.take().ok_or("the peer has no output")?);
        let joints: Vec<&str> = arm
            .moving
            .iter()
            .map(|&k| arm.robot.joints()[arm.robot.variables()[k].joint].name.as_str())
            .collect();
        let spheres: Vec<Vec<f64>> = match words.has("--cage") {
            true => CAGE.iter().map(|center| [&center[..], &[CAGE_RADIUS]].concat()).collect(),
            false => Vec::new(),
        };
        let tip = &arm.robot.links()[arm.tip].name;
        writeln!(input, "{}", serde_json::json!({ "joints": joints, "tip": tip, "spheres": spheres }))?;
        Ok(Some(Self { child, input, output }))
    }

    fn line(&mut self) -> Result<String, Problem> {
        let mut line = String::new();
        if self.output.read_line(&mut line)? == 0 {
            return Err("the peer ended".into());
        }
        Ok(line.trim().to_owned())
    }

    /// Seconds and a path.
    fn solve(&mut self, task: &Task, arm: &Arm<'_>) -> Result<(f64, Option<Waypoints>), Problem> {
        writeln!(self.input, "{}", task.line(arm))?;
        let head = self.line()?;
        let words: Vec<&str> = head.split_whitespace().collect();
        let ["way", seconds, count] = words[..] else {
            let seconds = words.get(1).ok_or("the peer answers `none SECONDS` or `way SECONDS COUNT`")?;
            return Ok((seconds.parse()?, None));
        };
        let mut path = Vec::new();
        for _ in 0..count.parse()? {
            let mut values = task.from.clone();
            for (&number, value) in arm.moving.iter().zip(self.line()?.split(',')) {
                values[number] = value.parse()?;
            }
            path.push(values);
        }
        Ok((seconds.parse()?, Some(path)))
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // It ends with its input; one that does not is of no use any more.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Solves problems by both planners; the number of wrong answers.
fn compare(arm: &Arm<'_>, tasks: &[Task], peer: &mut Option<Peer>, seconds: f64) -> Result<u64, Problem> {
    let mut checker = arm.cell.checker();
    let (mut wrong, mut own, mut theirs, mut colliding) = (0, Counts::default(), Counts::default(), 0);
    for (number, task) in tasks.iter().enumerate() {
        let begun = Instant::now();
        let stop = || begun.elapsed().as_secs_f64() > seconds;
        let effort = Effort { steps: 1_000_000, seed: number as u64 + 1, searches: 1, stop: &stop };
        let mut options = JointOptions { effort, shorten: 0, ..JointOptions::default() };
        options.constraints = task.kept.as_slice();
        let path = match plan_to_goals(arm.cell, &task.from, &task.goals, &arm.moving, &options) {
            Ok(found) => found.path,
            Err(JointPlanError::NotFree { .. } | JointPlanError::NoGoal) => {
                colliding += usize::from(!task.goals.is_empty());
                None
            }
            Err(other) => return Err(other.into()),
        };
        let took = begun.elapsed().as_secs_f64();
        let proven = path.as_ref().map(|path| task.is_proven(arm, &mut checker, &path.configurations));
        let proven = proven.transpose()?;
        wrong += u64::from(proven == Some(false));
        if let Some(path) = &path {
            wrong += task.faults(arm, &mut checker, &path.configurations)?;
        }
        own.add(took, proven);
        if let (Some(peer), false) = (peer.as_mut(), task.goals.is_empty()) {
            let (took, path) = peer.solve(task, arm)?;
            let proven = path.map(|path| task.is_proven(arm, &mut checker, &path)).transpose()?;
            theirs.add(took, proven);
        }
    }
    let without = tasks.iter().filter(|task| task.goals.is_empty()).count();
    println!(
        "  {without} without a solution of the inverse kinematics, {colliding} with colliding ones only"
    );
    own.print("noli", tasks.len());
    if peer.is_some() {
        theirs.print("peer", tasks.len());
    }
    println!("  {wrong} faults of ours at {SAMPLES} samples each");
    Ok(wrong)
}

fn main() -> Result<ExitCode, Problem> {
    let words = Words::new();
    let (robot, cell) = setup::cell(&words)?;
    cell.prepare();
    let tip = match words.after("--tip") {
        Some(name) => robot.links().iter().position(|link| link.name == name).ok_or("--tip: no such link")?,
        None => robot.links().len() - 1,
    };
    let joints = robot.joints_to(tip);
    let variables = robot.variables().iter().enumerate();
    let moves = variables.filter(|(_, one)| one.mimic.is_none() && joints.contains(&one.joint));
    let moving: Vec<usize> = moves.map(|(number, _)| number).collect();
    let arm = Arm { robot: &robot, cell: &cell, tip, moving };
    let mut share = shares(words.number("--seed", 1)?);
    let seconds: f64 = words.number("--seconds", 10.0)?;
    let mut peer = Peer::start(&words, &arm)?;
    let mut checker = cell.checker();
    let (poses, constrained): (usize, usize) =
        (words.number("--poses", 200)?, words.number("--constrained", 50)?);
    if poses + constrained == 0 {
        return Err("nothing to compare: --poses and --constrained are 0".into());
    }
    let mut wrong = 0;
    if poses > 0 {
        let tasks = (0..poses).map(|_| Task::pose(&arm, &mut checker, &mut share));
        let tasks = tasks.collect::<Result<Vec<_>, _>>()?;
        println!("{}: {poses} poses of the tool within 1 mm and 0.02 rad", robot.name());
        wrong += compare(&arm, &tasks, &mut peer, seconds)?;
    }
    if constrained > 0 {
        let tasks = (0..constrained).map(|_| Task::upright(&arm, &mut checker, &mut share));
        let tasks = tasks.collect::<Result<Vec<_>, _>>()?;
        println!(
            "{}: {constrained} poses with the tool upright within {:.0}°",
            robot.name(),
            TILT.to_degrees()
        );
        wrong += compare(&arm, &tasks, &mut peer, seconds)?;
    }
    Ok(if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
