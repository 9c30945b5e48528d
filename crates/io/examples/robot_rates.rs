//! Configurations a second on one thread, beside asking pair by pair, with the answers held against each
//! other: `cargo run --release -p noli-io --example robot_rates ROBOT.urdf [SRDF] [--cage]`.

use noli::{Convex, Model, Overlap, Pose};
use noli_io::{LoadedRobot, RobotOptions, load_robot, load_srdf};
use noli_robot::cell::{Cell, CellPlan, Rule, Standing};
use noli_robot::{Solid, Srdf};
use std::io::Write;
use std::sync::Arc;
use std::time::Instant;

const STATES: usize = 20_000;

/// Fourteen balls around the robot, in the manner of a cage.
const CAGE: [[f64; 3]; 14] = [
    [0.55, 0.0, 0.25],
    [0.35, 0.35, 0.25],
    [0.0, 0.55, 0.25],
    [-0.55, 0.0, 0.25],
    [-0.35, -0.35, 0.25],
    [0.0, -0.55, 0.25],
    [0.35, -0.35, 0.25],
    [0.35, 0.35, 0.8],
    [0.0, 0.55, 0.8],
    [-0.35, 0.35, 0.8],
    [-0.55, 0.0, 0.8],
    [-0.35, -0.35, 0.8],
    [0.0, -0.55, 0.8],
    [0.35, -0.35, 0.8],
];

fn cell(loaded: &LoadedRobot, srdf: Option<&Srdf>, cage: bool) -> Result<Cell, Box<dyn std::error::Error>> {
    let mut plan = CellPlan::default();
    let arm = plan.robot("", Arc::new(loaded.robot.clone()), Pose::IDENTITY, &loaded.shapes)?;
    if let Some(srdf) = srdf {
        plan.srdf(arm, srdf);
    }
    let ball = Model::new(Convex::sphere(0.2)?)?;
    for (k, center) in CAGE.iter().enumerate().filter(|_| cage) {
        plan.fixed(&format!("ball{k}"), &ball, Pose::from_translation((*center).into()))?;
    }
    Ok(plan.build())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let cage = words.iter().any(|word| word == "--cage");
    let files: Vec<&String> = words.iter().filter(|word| !word.starts_with("--")).collect();
    let robot = files.first().ok_or("name a URDF file")?;
    let loaded = load_robot(robot, &RobotOptions::default())?;
    let srdf = files.get(1).map(|path| load_srdf(path, &loaded.robot)).transpose()?;
    let mut out = std::io::stdout().lock();
    let start = Instant::now();
    let cell = cell(&loaded, srdf.as_ref(), cage)?;
    writeln!(out, "prepared in {:.2} s", start.elapsed().as_secs_f64())?;
    let mut seed = 5u64;
    let mut share = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 11) as f64 * 2f64.powi(-53)
    };
    let variables = loaded.robot.variables();
    let mut states = Vec::with_capacity(STATES * variables.len());
    for _ in 0..STATES {
        states.extend(variables.iter().map(|variable| {
            let [low, high] = variable.limits.range.unwrap_or([-3.0, 3.0]);
            low + (high - low) * share()
        }));
    }

    let (mut checker, mut found, mut best) = (cell.checker(), Vec::new(), f64::INFINITY);
    for _ in 0..5 {
        let start = Instant::now();
        checker.first_hits(&states, &mut found)?;
        best = best.min(start.elapsed().as_secs_f64());
    }
    let free = found.iter().filter(|standing| **standing == Standing::Free).count();
    writeln!(out, "blocks of sixteen: {:.0} a second, {free} of {STATES} free", STATES as f64 / best)?;
    let one = Instant::now();
    for values in states.chunks_exact(variables.len()).take(2000) {
        checker.first_hit(values)?;
    }
    writeln!(out, "one at a time: {:.0} a second", 2000.0 / one.elapsed().as_secs_f64())?;

    let naive = Instant::now();
    let mut differences = 0;
    let naive_count = 4000;
    let models = models(&loaded)?;
    let ball = Model::new(Convex::sphere(0.2)?)?;
    let mut poses = vec![Pose::IDENTITY; loaded.robot.links().len()];
    for (values, standing) in states.chunks_exact(variables.len()).zip(&found).take(naive_count) {
        loaded.robot.link_poses(values, &mut poses);
        let at = |k: usize| models[k].at(poses[loaded.shapes[k].link] * loaded.shapes[k].link_from_shape);
        let name = |k: usize| loaded.robot.links()[loaded.shapes[k].link].name.as_str();
        let mut hit = false;
        'pairs: for pair in cell.pairs().iter().filter(|pair| matches!(pair.rule, Rule::On { .. })) {
            let [a, b] = pair.parts.map(|part| cell.parts()[part].name.as_str());
            for x in (0..models.len()).filter(|&k| name(k) == a) {
                let others = (0..models.len()).filter(|&k| name(k) == b).map(at);
                let still = b.strip_prefix("ball").and_then(|number| number.parse::<usize>().ok());
                let still = still.map(|k| ball.at(Pose::from_translation(CAGE[k].into())));
                for other in others.chain(still) {
                    if noli::overlap(&at(x), &other) == Overlap::Hit {
                        hit = true;
                        break 'pairs;
                    }
                }
            }
        }
        differences += usize::from(hit != matches!(standing, Standing::Hit(_)));
    }
    let each = naive.elapsed().as_secs_f64() / naive_count as f64;
    writeln!(out, "pair by pair: {:.0} a second, {differences} of {naive_count} differ", 1.0 / each)?;
    Ok(())
}

fn models(loaded: &LoadedRobot) -> Result<Vec<Model>, noli::ShapeError> {
    let model = |shape: &noli_robot::LinkShape| match &shape.solid {
        Solid::Convex(convex) => Model::new(convex.clone()),
        Solid::Mesh(mesh) => Model::new(mesh.clone()),
    };
    loaded.shapes.iter().map(model).collect()
}
