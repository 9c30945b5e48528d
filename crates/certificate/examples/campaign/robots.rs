//! Robots: edges, plans, and pairs of links over their joint limits.

use crate::setup::{self, Problem, Words, draw, ranges, step};
use crate::{Options, finish, gather, mutants, run, shares_of};
use noli::Model;
use noli_certificate::{CellScene, Certificate, CertificateOptions, Region};
use noli_plan::{Effort, JointOptions, plan_joints};
use noli_project::{list_problems, load_robot, load_srdf};
use noli_robot::Robot;
use noli_robot::cell::{Cell, CellBuilder, MotionStatus, PairProof, ProofOptions, Reachability};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Straight motions of a robot in joint space, free and blocked ones.
pub(crate) fn edges(words: &Words, options: &Options) -> Result<ExitCode, Problem> {
    let (robot, cell) = setup::cell(words)?;
    let (ranges, length) = (ranges(&robot), words.number("--length", 0.5)?);
    let size = robot.variables().len();
    let described = CellScene::new(&cell)?;
    run(options, options.count.div_ceil(options.batch), |number, tally| {
        let (mut share, mut checker) = (shares_of(options, number), cell.checker());
        let mut certificate = Certificate::new(described.scene.clone());
        let (mut blocked, mut last) = (Vec::new(), None);
        for from in draw(&ranges, options.batch, &mut share).chunks_exact(size) {
            let to = step(&ranges, from, length, &mut share);
            let begun = Instant::now();
            let is_true = matches!(checker.check_motion(from, &to)?, MotionStatus::Free);
            // The time of the statements that are proven.
            tally.verdicts += if is_true { begun.elapsed() } else { Duration::ZERO };
            let ends = [described.values(from), described.values(&to)];
            // Searching for a proof that does not exist takes long: a few are enough.
            if !is_true {
                blocked.push(ends.clone());
                if blocked.len() > 1 {
                    continue;
                }
            } else {
                last = Some(ends.clone());
            }
            for statement in described.collision_free(&cell, "edge", &Region::Along(ends.to_vec())) {
                tally.prove(&mut certificate, statement, is_true);
            }
        }
        let bytes = tally.check(&certificate, options, number)?;
        for ends in blocked.iter().take(8) {
            let other = last.as_ref().and_then(|free| mutants::with_other_numbers(&bytes, free, ends));
            tally.refuse(other, options);
        }
        Ok(())
    })
}

/// The smallest certificate of a pair that never collides, and the pairs that can.
type Reachable = (Option<(Vec<u8>, [usize; 2])>, Vec<[usize; 2]>);

/// Pairs of one certificate.
const GROUP: usize = 6;

/// Pairs of links that never collide within their limits.
pub(crate) fn pairs(words: &Words, options: &Options) -> Result<ExitCode, Problem> {
    let (_, cell) = setup::cell(words)?;
    let found: Mutex<Reachable> = Mutex::default();
    let all: Vec<usize> = (0..cell.pairs().len()).collect();
    let groups: Vec<&[usize]> = all.chunks(GROUP).collect();
    let mut tally = gather(options, groups.len(), |number, tally| {
        let begun = Instant::now();
        let proofs: Vec<PairProof> =
            groups[number].iter().map(|&pair| cell.prove(pair, &ProofOptions::default())).collect();
        tally.verdicts += begun.elapsed();
        let described = CellScene::new(&cell)?;
        let statements = described.reachability(&cell, &proofs);
        // The bounds of the format are simpler than the engine's, and take more cells.
        let cells =
            CertificateOptions { cells: 8 * CertificateOptions::default().cells, ..Default::default() };
        let mut certificate = Certificate::with_options(described.scene, cells);
        let (mut never, mut possible) = (None, Vec::new());
        for (proof, (_, statement)) in proofs.iter().zip(statements) {
            let Some(statement) = statement.filter(|statement| !statement.pairs.is_empty()) else { continue };
            let (pair, alone) = (statement.pairs[0], statement.pairs.len() == 1);
            match proof.meeting {
                Reachability::Never { .. } if alone => never = Some(pair),
                Reachability::Possible { .. } if alone => possible.push(pair),
                _ => {}
            }
            tally.prove(&mut certificate, statement, true);
        }
        let bytes = tally.check(&certificate, options, number)?;
        let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
        found.1.extend(possible);
        let smaller = found.0.as_ref().is_none_or(|(least, _)| bytes.len() < least.len());
        if let Some(pair) = never.filter(|_| smaller) {
            found.0 = Some((bytes, pair));
        }
        Ok(())
    })?;
    let (proof, possible) = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    for pair in possible {
        let other = proof.as_ref().and_then(|(bytes, from)| mutants::with_other_pair(bytes, *from, pair));
        tally.refuse(other, options);
    }
    finish(options, tally)
}

/// Problems of MotionBenchMaker: each plan in one certificate.
pub(crate) fn plans(words: &Words, options: &Options) -> Result<ExitCode, Problem> {
    let folder = PathBuf::from(words.0.get(1).ok_or("name a folder of problems")?);
    let file = |end: &str| words.0.iter().find(|word| word.ends_with(end));
    let packages = words.after("--packages").map(PathBuf::from).into_iter().collect();
    let urdf = file(".urdf").ok_or("name a URDF file")?;
    let loaded = load_robot(urdf, &noli_project::RobotOptions { packages, ..Default::default() })?;
    let robot = Arc::new(loaded.robot.clone());
    let mut base = CellBuilder::default();
    let arm = base.add_robot("", robot.clone(), noli::Pose::IDENTITY, &loaded.shapes)?;
    if let Some(path) = file(".srdf") {
        base.apply_srdf(arm, &load_srdf(path, &robot)?);
    }
    let mut problems = list_problems(&folder)?;
    problems.truncate(options.count);
    run(options, problems.len(), |number, tally| {
        let problem = problems[number].read()?;
        let mut plan = base.clone();
        for body in &problem.bodies {
            plan.add_obstacle(&body.name, &Model::new(body.shape.clone())?, body.pose)?;
        }
        for [a, b] in &problem.allowed {
            // Links without a shape are no parts.
            let _ = plan.disable(a, b, "allowed by the problem");
        }
        let cell = plan.build();
        let begun = Instant::now();
        let Some(rows) = solved(&cell, &robot, &problem)? else { return Ok(()) };
        tally.searches += begun.elapsed();
        let begun = Instant::now();
        let mut checker = cell.checker();
        for pair in rows.windows(2) {
            checker.check_motion(&pair[0], &pair[1])?;
        }
        tally.verdicts += begun.elapsed();
        let described = CellScene::new(&cell)?;
        let rows: Vec<Vec<f64>> = rows.iter().map(|row| described.values(row)).collect();
        let statements = described.collision_free(&cell, "plan", &Region::Along(rows));
        let mut certificate = Certificate::new(described.scene);
        for statement in statements {
            tally.prove(&mut certificate, statement, true);
        }
        tally.check(&certificate, options, number).map(drop)
    })
}

/// The configurations of a plan; none if it is not found.
fn solved(
    cell: &Cell,
    robot: &Robot,
    problem: &noli_robot::Problem,
) -> Result<Option<Vec<Vec<f64>>>, Problem> {
    let mut from = robot.zero().0;
    for (name, value) in &problem.start {
        if let Some(number) = robot.variable(name) {
            from[number] = *value;
        }
    }
    robot.apply_laws(&mut from);
    let (mut to, mut moving) = (from.clone(), Vec::new());
    for (name, value) in &problem.goal {
        let number = robot.variable(name).ok_or("a goal names no joint of the robot")?;
        to[number] = *value;
        moving.push(number);
    }
    robot.apply_laws(&mut to);
    let effort = Effort { steps: 200_000, seed: 1, searches: 1, ..Effort::default() };
    let options = JointOptions { effort, shorten: 100, ..JointOptions::default() };
    match plan_joints(cell, &from, &to, &moving, &options) {
        Ok(outcome) => Ok(outcome.path.map(|path| path.configurations)),
        Err(noli_plan::JointPlanError::NotFree { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}
