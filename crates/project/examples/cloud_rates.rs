//! Robots among point clouds: build times, states a second, edges a second and the self filter, with every answer
//! compared with all points one by one.
//!
//! ```text
//! cargo run --release -p noli-project --example cloud_rates -- panda.urdf panda.srdf [--states 100000] [--naive 300]
//!     [--frames 100] [--frame-points 100000] [--frame-seconds 600] [--frames-only]
//! ```
//!
//! The cloud is a table, a shelf and a wall within reach of the robot; a wrong answer ends with exit code 2.

#![allow(clippy::print_stdout, reason = "this is a program")]

#[path = "robot_rates/surfaces.rs"]
#[allow(unreachable_pub, reason = "another example has it too")]
mod surfaces;

use glam::DVec3;
use noli::{Convex, Model, Overlap, PointCloud, Pose, QueryContext, Scratch};
use noli_project::{LinkKind, LoadedRobot, RobotOptions, load_robot, load_srdf};
use noli_robot::Srdf;
use noli_robot::cell::{Cell, CellBuilder, MotionStatus, PairRule, PartKind, StateStatus};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;
use surfaces::scene;

type Problem = Box<dyn std::error::Error + Send + Sync>;

/// Even numbers in [0, 1), always the same.
struct Shares(u64);

impl Shares {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 * 2f64.powi(-53)
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.next()
    }
}

fn cell(robot: &LoadedRobot, srdf: Option<&Srdf>, cloud: &Model) -> Result<Cell, Problem> {
    let mut plan = CellBuilder::default();
    robot.add_to(&mut plan, "", Pose::IDENTITY, srdf)?;
    plan.add_obstacle("cloud", cloud, Pose::IDENTITY)?;
    Ok(plan.build())
}

fn states(robot: &LoadedRobot, count: usize, share: &mut Shares) -> Vec<f64> {
    let ranges = robot.robot.variables().iter().map(|variable| variable.limits.range.unwrap_or([-3.0, 3.0]));
    let ranges: Vec<[f64; 2]> = ranges.collect();
    let mut all = Vec::with_capacity(count * ranges.len());
    for _ in 0..count {
        let mut values: Vec<f64> = ranges.iter().map(|[low, high]| share.between(*low, *high)).collect();
        robot.robot.apply_laws(&mut values);
        all.extend(values);
    }
    all
}

/// Tests every point against every link, and every pair of links, by the exact engine alone.
fn naive(cell: &Cell, spheres: &[Model], values: &[f64]) -> Result<bool, Problem> {
    let poses = cell.shape_poses(values)?;
    let shapes: &[(usize, &Model)] = &cell.shapes().collect::<Vec<_>>();
    let mut scratch = Scratch::default();
    for pair in cell.pairs() {
        let PairRule::Checked { .. } = pair.rule else { continue };
        let of = |part: usize| (0..shapes.len()).filter(move |&body| shapes[body].0 == part);
        for a in of(pair.parts[0]) {
            let link = shapes[a].1.at(poses[a]);
            let mut context = QueryContext::new(&mut scratch);
            if cell.parts()[pair.parts[1]].holder == PartKind::World {
                let hit = |sphere: &Model| context.overlap(&sphere.at(Pose::IDENTITY), &link) == Overlap::Hit;
                if spheres.iter().any(hit) {
                    return Ok(true);
                }
                continue;
            }
            for b in of(pair.parts[1]) {
                if context.overlap(&link, &shapes[b].1.at(poses[b])) == Overlap::Hit {
                    return Ok(true);
                }
            }
        }
    }
    Ok(false)
}

/// Milliseconds of the quickest of some runs.
fn quickest<T>(runs: usize, mut work: impl FnMut() -> T) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..runs {
        let start = Instant::now();
        std::hint::black_box(work());
        best = best.min(start.elapsed().as_secs_f64());
    }
    1e3 * best
}

fn builds(share: &mut Shares) -> Result<(), Problem> {
    println!("points     cloud ms   model ms   thinning to 10 mm ms");
    for count in [1_000, 10_000, 100_000, 307_200, 1_000_000] {
        let points = scene(count, &mut || share.next());
        let cloud = PointCloud::new(points.clone(), 0.01)?;
        let checked = quickest(5, || PointCloud::new(points.clone(), 0.01));
        let model = quickest(5, || Model::new(cloud.clone()));
        let thin = quickest(3, || cloud.thinned(0.01));
        println!(
            "{count:<10} {checked:<10.2} {model:<10.2} {thin:<.2} ({})",
            cloud.thinned(0.01)?.points().len()
        );
    }
    Ok(())
}

/// Prints rates of one cloud; returns the number of wrong answers.
fn rates(
    (robot, srdf): (&LoadedRobot, Option<&Srdf>),
    count: usize,
    [many, few]: [usize; 2],
    share: &mut Shares,
) -> Result<usize, Problem> {
    let points = scene(count, &mut || share.next());
    let cloud = PointCloud::new(points.clone(), 0.01)?;
    let model = Model::new(cloud)?;
    let build = quickest(1, || cell(robot, srdf, &model));
    let cell = cell(robot, srdf, &model)?;
    cell.prepare();
    let size = cell.value_count();
    let all = states(robot, many, share);
    let mut checker = cell.checker();
    let mut found = Vec::new();
    checker.check_states(&all[..size * 64.min(many)], &mut found)?;
    let before = checker.exact_query_count();
    let start = Instant::now();
    checker.check_states(&all, &mut found)?;
    let seconds = start.elapsed().as_secs_f64();
    let queries = checker.exact_query_count() - before;
    let hits = found.iter().filter(|status| matches!(status, StateStatus::Hit(_))).count();
    let sphere = |point: &DVec3| Ok::<_, Problem>(Model::from(Convex::hull([*point])?.rounded(0.01)?));
    let spheres = points.iter().map(sphere).collect::<Result<Vec<Model>, _>>()?;
    let mut wrong = 0;
    let start = Instant::now();
    for (values, found) in all.chunks_exact(size).zip(&found).take(few) {
        wrong += usize::from(naive(&cell, &spheres, values)? != matches!(found, StateStatus::Hit(_)));
    }
    let slow = few as f64 / start.elapsed().as_secs_f64();
    let (edges, proven) = edges(&cell, &all)?;
    println!(
        "{count:<9} {build:<8.0} {:<11.0} {:<9.2} {:<9.3} {slow:<9.1} {edges:<9.0} {proven:<8} {wrong} of {few}",
        many as f64 / seconds,
        hits as f64 / many as f64,
        queries as f64 / many as f64,
    );
    Ok(wrong)
}

/// Edges a second and how many of a thousand are proven free.
fn edges(cell: &Cell, all: &[f64]) -> Result<(f64, usize), Problem> {
    let (size, mut checker) = (cell.value_count(), cell.checker());
    let (mut free, mut count) = (0, 0);
    let start = Instant::now();
    for pair in all.chunks_exact(2 * size).take(1000) {
        let (from, to) = pair.split_at(size);
        let to: Vec<f64> = from.iter().zip(to).map(|(a, b)| a + 0.1 * (b - a)).collect();
        free += usize::from(checker.check_motion(from, &to)? == MotionStatus::Free);
        count += 1;
    }
    Ok((f64::from(count) / start.elapsed().as_secs_f64(), free))
}

/// Megabytes of memory held by this program, where the system reports it.
fn memory() -> f64 {
    let pages = std::fs::read_to_string("/proc/self/statm").ok();
    let resident = pages.and_then(|line| line.split_whitespace().nth(1)?.parse::<f64>().ok());
    resident.map_or(f64::NAN, |pages| pages * 4096.0 / 1e6)
}

/// Answers to some configurations, and to edges between neighbouring ones.
fn answers(cell: &Cell, all: &[f64]) -> Result<Vec<bool>, Problem> {
    let hit = |status: &StateStatus| matches!(status, StateStatus::Hit(_));
    let mut found: Vec<bool> = cell.check_states(all)?.iter().map(hit).collect();
    let (size, mut checker) = (cell.value_count(), cell.checker());
    for pair in all.chunks_exact(2 * size).take(4) {
        let (from, to) = pair.split_at(size);
        let to: Vec<f64> = from.iter().zip(to).map(|(a, b)| a + 0.2 * (b - a)).collect();
        found.push(checker.check_motion(from, &to)? == MotionStatus::Free);
    }
    Ok(found)
}

/// Frames of changing clouds in one cell, each compared with a new cell: so many, and for at least so many seconds.
/// Returns the number of differences.
fn frames(
    (robot, srdf): (&LoadedRobot, Option<&Srdf>),
    size: usize,
    (count, seconds): (usize, f64),
    share: &mut Shares,
) -> Result<usize, Problem> {
    let mut plan = CellBuilder::default();
    robot.add_to(&mut plan, "", Pose::IDENTITY, srdf)?;
    let empty = Model::new(PointCloud::new(Vec::new(), 0.01)?)?;
    let mut base = plan.clone();
    base.add_obstacle("cloud", &empty, Pose::IDENTITY)?;
    let mut cell = base.build();
    cell.prepare();
    let begun = Instant::now();
    let (mut times, mut wrong, mut asked, mut minute) = (Vec::new(), 0, 0, 0);
    while times.len() < count || begun.elapsed().as_secs_f64() < seconds {
        let points = scene(size + 37 * (times.len() % 50), &mut || share.next());
        let start = Instant::now();
        let model = Model::new(PointCloud::new(points, 0.01)?)?;
        cell.set_obstacle("cloud", &model, Pose::IDENTITY)?;
        times.push(1e3 * start.elapsed().as_secs_f64());
        let all = states(robot, 64, share);
        let found = answers(&cell, &all)?;
        let mut fresh = plan.clone();
        fresh.add_obstacle("cloud", &model, Pose::IDENTITY)?;
        let wanted = answers(&fresh.build(), &all)?;
        wrong += found.iter().zip(&wanted).filter(|(a, b)| a != b).count();
        asked += found.len();
        if begun.elapsed().as_secs() / 60 > minute || times.len() == count.min(20) {
            minute = begun.elapsed().as_secs() / 60;
            println!("  {:.0} s, {} frames: {:.0} MB", begun.elapsed().as_secs_f64(), times.len(), memory());
        }
    }
    times.sort_by(f64::total_cmp);
    println!(
        "{} frames of {size} points in {:.0} s: {:.1} ms a frame in the middle, {:.1} at most; {:.0} MB at the end; \
         {wrong} of {asked} configurations and edges differ from new cells",
        times.len(),
        begun.elapsed().as_secs_f64(),
        times[times.len() / 2],
        times[times.len() - 1],
        memory()
    );
    Ok(wrong)
}

/// The self filter on points of which a tenth lies on the robot.
fn self_filter(robot: &LoadedRobot, srdf: Option<&Srdf>, share: &mut Shares) -> Result<usize, Problem> {
    let none = Model::new(PointCloud::new(vec![DVec3::splat(1e3)], 0.01)?)?;
    let cell = cell(robot, srdf, &none)?;
    let values = states(robot, 1, share);
    let poses = cell.shape_poses(&values)?;
    let mut points = scene(270_000, &mut || share.next());
    let shapes: Vec<(usize, &Model)> = cell.shapes().collect();
    let meshes: Vec<usize> = (0..shapes.len()).filter(|&body| shapes[body].1.mesh().is_some()).collect();
    while points.len() < 300_000 {
        let body = meshes[points.len() % meshes.len().max(1)];
        let Some(mesh) = shapes[body].1.mesh() else { continue };
        let number = (share.next() * mesh.triangle_count() as f64) as u32;
        let [p, q, r] = mesh.triangle(number).vertices;
        let (u, v) = (share.next(), share.next());
        let own = p + (q - p) * u.min(v) + (r - p) * (1.0 - u.max(v));
        points.push(poses[body].transform_point(own));
    }
    let cloud = Model::new(PointCloud::new(points.clone(), 0.0)?)?;
    let took = quickest(3, || cell.robot_points(&values, &cloud, Pose::IDENTITY, 0.005));
    let found = cell.robot_points(&values, &cloud, Pose::IDENTITY, 0.005)?;
    let marked = found.iter().flatten().count();
    let mut wrong = 0;
    let mut scratch = Scratch::default();
    for (point, found) in points.iter().zip(&found).step_by(97) {
        let alone = Model::from(Convex::hull([*point])?);
        let near = shapes.iter().zip(&poses).any(|((part, link), pose)| {
            let mut context = QueryContext::new(&mut scratch);
            cell.parts()[*part].holder != PartKind::World
                && context.within_distance(&alone.at(Pose::IDENTITY), &link.at(*pose), 0.005) == Overlap::Hit
        });
        wrong += usize::from(near != found.is_some());
    }
    println!(
        "self filter of 300,000 points: {took:.1} ms, {marked} on the robot, {wrong} wrong of every 97th"
    );
    Ok(wrong)
}

fn main() -> Result<ExitCode, Problem> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let after = |name: &str, absent: usize| -> Result<usize, Problem> {
        let at = words.iter().position(|word| word == name);
        Ok(at.and_then(|at| words.get(at + 1)).map(|word| word.parse()).transpose()?.unwrap_or(absent))
    };
    let (frame_count, frame_size) = (after("--frames", 100)?, after("--frame-points", 100_000)?);
    let (seconds, only_frames) =
        (after("--frame-seconds", 0)? as f64, words.iter().any(|word| word == "--frames-only"));
    let file = |end: &str| words.iter().find(|word| word.ends_with(end));
    let counts = [after("--states", 100_000)?, after("--naive", 300)?];
    let mut share = Shares(39);
    if !only_frames {
        builds(&mut share)?;
    }
    let Some(urdf) = file(".urdf") else {
        println!("name a URDF file for rates");
        return Ok(ExitCode::SUCCESS);
    };
    let options = RobotOptions { kind: LinkKind::Auto, visual: true, ..RobotOptions::default() };
    let robot = load_robot(urdf, &options)?;
    let srdf = file(".srdf").map(|path| load_srdf(path, &robot.robot)).transpose()?.map(Arc::new);
    println!("\n{}, one thread", robot.robot.name());
    let mut wrong = 0;
    if !only_frames {
        println!("points    cell ms  states/s    colliding exact/q   naive/s   edges/s   proven   wrong");
        for count in [1_000, 10_000, 100_000] {
            wrong += rates((&robot, srdf.as_deref()), count, counts, &mut share)?;
        }
        wrong += self_filter(&robot, srdf.as_deref(), &mut share)?;
    }
    if frame_count > 0 {
        wrong += frames((&robot, srdf.as_deref()), frame_size, (frame_count, seconds), &mut share)?;
    }
    Ok(if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::from(2) })
}
