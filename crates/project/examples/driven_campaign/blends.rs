//! Plans of published problems, blended and timed.

use crate::setup::{self, Problem, Words};
use noli::Model;
use noli_plan::{DriveLimits, DriveOptions, Effort, JointOptions, drive_path, plan_joints};
use noli_project::list_problems;
use noli_robot::cell::MotionStatus;

/// The part of the work after `--part`, from 0 on, and the number of parts.
fn part_of(words: &Words) -> Result<[usize; 2], Problem> {
    let Some(text) = words.after("--part") else { return Ok([0, 1]) };
    let (part, parts) = text.split_once('/').ok_or("--part takes K/N, such as 0/16")?;
    let (part, parts) = (part.parse()?, parts.parse()?);
    if part >= parts {
        return Err(format!("--part {text}: count the parts from 0").into());
    }
    Ok([part, parts])
}

/// Plans of published problems, blended and timed; the number of wrong answers.
pub(crate) fn blends(words: &Words) -> Result<u64, Problem> {
    let folder = words.after("--problems").ok_or("name the folder of problems with --problems")?;
    let (most, radius): (usize, f64) = (words.number("--count", 100)?, words.number("--blend", 0.3)?);
    let base = setup::plan(words)?;
    let (robot, builder) = (base.0, base.1);
    let (mut wrong, mut plans, mut naive_blends, mut colliding, mut stops) = (0, 0, 0u64, 0u64, 0u64);
    let (mut driven_s, mut stop_s, mut paths_with) = (0.0, 0.0, 0u64);
    let [part, parts] = part_of(words)?;
    for files in list_problems(folder)?.into_iter().take(most).skip(part).step_by(parts) {
        let problem = files.read()?;
        let mut plan = builder.clone();
        for body in &problem.bodies {
            plan.add_obstacle(&body.name, &Model::new(body.shape.clone())?, body.pose)?;
        }
        for [a, b] in &problem.allowed {
            let _ = plan.disable(a, b, "allowed by the problem");
        }
        let cell = plan.build();
        let mut from = robot.zero().0;
        for (name, value) in &problem.start {
            robot.variable(name).into_iter().for_each(|number| from[number] = *value);
        }
        robot.apply_laws(&mut from);
        let (mut to, mut moving) = (from.clone(), Vec::new());
        for (name, value) in &problem.goal {
            let number = robot.variable(name).ok_or("the robot has no such joint")?;
            to[number] = *value;
            moving.push(number);
        }
        robot.apply_laws(&mut to);
        let effort = Effort { steps: 200_000, searches: 1, ..Effort::default() };
        let options = JointOptions { effort, shorten: 300, ..JointOptions::default() };
        let Ok(found) = plan_joints(&cell, &from, &to, &moving, &options) else { continue };
        let Some(path) = found.path else { continue };
        plans += 1;
        let limits = DriveLimits::of_cell(&cell);
        let driven = drive_path(&cell, &path.configurations, &DriveOptions::new(limits.clone(), radius))?;
        let collide = driven.blends.iter().filter(|blend| blend.collides).count() as u64;
        naive_blends += driven.blends.len() as u64;
        colliding += collide;
        paths_with += u64::from(collide > 0);
        stops += driven.blends.iter().filter(|blend| blend.radius == 0.0).count() as u64;
        (driven_s, stop_s) = (driven_s + driven.curve.duration(), stop_s + driven.stop_and_go);
        let mut checker = cell.checker();
        wrong += u64::from(checker.check_curve(&driven.curve)? != MotionStatus::Free);
        let at = |k: usize| driven.curve.time_at(k as f64 / 10_000.0);
        let states: Vec<f64> = (0..=10_000).flat_map(|k| driven.curve.position(at(k))).collect();
        wrong += u64::from(checker.any_in_collision(&states)?.is_some());
        let most = [&limits.velocity, &limits.acceleration, &limits.jerk];
        for k in 0..=10_000 {
            for (order, most) in (1..).zip(most) {
                let rates = driven.curve.derivative(at(k), order);
                wrong +=
                    rates.iter().zip(most).filter(|(rate, most)| rate.abs() > **most * (1.0 + 1e-6)).count()
                        as u64;
            }
        }
    }
    println!(
        "{plans} plans, {naive_blends} blends of {radius}: {colliding} collide ({paths_with} plans have one), {stops} stops left; \
         {driven_s:.1} s driven, {stop_s:.1} s with stops; {wrong} wrong at 10,001 samples each"
    );
    Ok(wrong)
}
