//! Problems of MotionBenchMaker with their obstacles as a sensor sees them: points on the surfaces, planned and proven.
//!
//! ```text
//! cargo run --release -p noli-project --example cloud_problems -- panda.urdf panda.srdf --problems FOLDER
//!     [--count 100] [--points 10000] [--radius 0.01] [--reach 1.3]
//! ```
//!
//! Bodies that a link may touch are left out, and points further from the root than the reach. Every path is tested again at
//! states close to each other, and at some by every pair of shapes; exit code 1 if one collides.

#![allow(clippy::print_stdout, reason = "this is a program")]

#[path = "robot_rates/setup.rs"]
#[allow(unreachable_pub, dead_code, reason = "other examples have it too")]
mod setup;

use glam::{DVec3, dvec3};
use noli::{Convex, Model, PointCloud, Pose};
use noli_geom::Core;
use noli_plan::{JointOptions, JointPath, plan_joints};
use noli_project::list_problems;
use noli_robot::cell::{Cell, MotionStatus};
use noli_robot::{Problem as Posed, Robot};
use setup::{Naive, Problem, Words, shares};
use std::process::ExitCode;
use std::time::Instant;

/// The area of a primitive's surface, and a place on it.
fn on_surface(shape: &Convex, share: &mut impl FnMut() -> f64) -> (f64, DVec3) {
    use std::f64::consts::{PI, TAU};
    let mut signed = || 2.0 * share() - 1.0;
    match *shape.core() {
        Core::Box { half_extents: half } => {
            let faces = [half.y * half.z, half.x * half.z, half.x * half.y];
            let (area, mut at) =
                (8.0 * faces.iter().sum::<f64>(), half * dvec3(signed(), signed(), signed()));
            let mut left = share() * faces.iter().sum::<f64>();
            let axis = faces.iter().position(|face| {
                left -= face;
                left <= 0.0
            });
            let axis = axis.unwrap_or(2);
            at[axis] = half[axis].copysign(share() - 0.5);
            (area, at)
        }
        Core::Cylinder { half_height, radius } => {
            let [wall, ends] = [2.0 * TAU * radius * half_height, TAU * radius * radius];
            let (angle, height) = (PI * signed(), half_height * signed());
            let is_wall = share() * (wall + ends) < wall;
            let away = if is_wall { radius } else { radius * share().sqrt() };
            let z = if is_wall { height } else { half_height.copysign(height) };
            (wall + ends, dvec3(away * angle.cos(), away * angle.sin(), z))
        }
        // Spheres; nothing else is in these scenes.
        _ => {
            let (z, angle) = (signed(), PI * signed());
            let away = (1.0 - z * z).sqrt();
            let radius = shape.radius();
            (2.0 * TAU * radius * radius, radius * dvec3(away * angle.cos(), away * angle.sin(), z))
        }
    }
}

/// Points on all bodies that no link may touch, evenly by area, within reach.
fn scan(problem: &Posed, count: usize, reach: f64, share: &mut impl FnMut() -> f64) -> Vec<DVec3> {
    let touched = |name: &String| problem.allowed.iter().flatten().any(|allowed| allowed == name);
    let bodies: Vec<_> = problem.bodies.iter().filter(|body| !touched(&body.name)).collect();
    let areas: Vec<f64> = bodies.iter().map(|body| on_surface(&body.shape, share).0).collect();
    let whole: f64 = areas.iter().sum();
    let mut points = Vec::new();
    for _ in 0..100 * count {
        let mut left = share() * whole;
        let number = areas.iter().position(|area| {
            left -= area;
            left <= 0.0
        });
        let Some(body) = number.and_then(|number| bodies.get(number)) else { continue };
        let point = body.pose.transform_point(on_surface(&body.shape, share).1);
        if point.length() < reach {
            points.push(point);
        }
        if points.len() == count {
            break;
        }
    }
    points
}

/// The start, the goal and the variables that move.
type Ends = (Vec<f64>, Vec<f64>, Vec<usize>);

fn ends(robot: &Robot, problem: &Posed) -> Result<Ends, Problem> {
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
    Ok((from, to, moving))
}

/// Wrong answers on a path: segments that are not proven again, and states in collision.
fn wrong(cell: &Cell, path: &JointPath) -> Result<u64, Problem> {
    let (mut checker, naive, mut wrong) = (cell.checker(), Naive::new(cell), 0);
    for two in path.configurations.windows(2) {
        wrong += u64::from(checker.check_motion(&two[0], &two[1])? != MotionStatus::Free);
        let at = |share: f64| two[0].iter().zip(&two[1]).map(move |(a, b)| a + (b - a) * share);
        let states: Vec<f64> = (0..=500).flat_map(|k| at(f64::from(k) / 500.0)).collect();
        wrong += u64::from(checker.any_in_collision(&states)?.is_some());
        for k in 0..5 {
            let state: Vec<f64> = at(f64::from(k) / 5.0).collect();
            wrong += u64::from(naive.hit(&state)?);
        }
    }
    Ok(wrong)
}

/// The middle and the 95th of a hundred, in milliseconds.
fn shown(mut seconds: Vec<f64>) -> String {
    seconds.sort_by(f64::total_cmp);
    let at = |share: f64| seconds.get((share * seconds.len() as f64) as usize).map_or(f64::NAN, |s| 1e3 * s);
    format!("{:.2} / {:.2} ms", at(0.5), at(0.95))
}

fn main() -> Result<ExitCode, Problem> {
    let words = Words::new();
    let folder = words.after("--problems").ok_or("name the folder of problems with --problems")?;
    let (most, count): (usize, usize) = (words.number("--count", 100)?, words.number("--points", 10_000)?);
    let (radius, reach): (f64, f64) = (words.number("--radius", 0.01)?, words.number("--reach", 1.3)?);
    let (robot, mut builder) = setup::plan(&words)?;
    builder.add_obstacle("scan", &Model::new(PointCloud::new(Vec::new(), radius)?)?, Pose::IDENTITY)?;
    let mut cell = builder.build();
    cell.prepare();
    let mut share = shares(39);
    let (mut frames, mut first, mut short) = (Vec::new(), Vec::new(), Vec::new());
    let (mut found_wrong, mut ends_collide, mut unsolved) = (0, 0, 0);
    for files in list_problems(folder)?.into_iter().take(most) {
        let problem = files.read()?;
        let points = scan(&problem, count, reach, &mut share);
        let begun = Instant::now();
        cell.set_obstacle("scan", &Model::new(PointCloud::new(points, radius)?)?, Pose::IDENTITY)?;
        frames.push(begun.elapsed().as_secs_f64());
        let (from, to, moving) = ends(&robot, &problem)?;
        for (shorten, times) in [(0, &mut first), (JointOptions::default().shorten, &mut short)] {
            let mut options = JointOptions { shorten, ..JointOptions::default() };
            options.effort.steps = 200_000;
            let begun = Instant::now();
            let Ok(found) = plan_joints(&cell, &from, &to, &moving, &options) else {
                ends_collide += u64::from(shorten == 0);
                break;
            };
            let seconds = begun.elapsed().as_secs_f64();
            let Some(path) = found.path else {
                unsolved += u64::from(shorten == 0);
                break;
            };
            times.push(seconds);
            found_wrong += wrong(&cell, &path)?;
        }
    }
    println!(
        "{} problems of {count} points of radius {radius}: {} solved and proven, {ends_collide} with an end in collision, \
         {unsolved} not solved; new cloud {}, first path {}, simplified {} (median / 95 %); {found_wrong} wrong",
        frames.len(),
        first.len(),
        shown(frames.clone()),
        shown(first),
        shown(short),
    );
    Ok(if found_wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
