//! Configurations a second on one thread, beside asking pair by pair, with the answers held against each
//! other: `cargo run --release -p noli-io --example robot_rates ROBOT.urdf [SRDF] [--cage] [--surface]
//! [--check N]`. Times are those of the processor where the system tells.

use noli::{Convex, Model, Overlap, Pose};
use noli_io::{LinkKind, LoadedRobot, RobotOptions, load_robot, load_srdf};
use noli_robot::cell::{Cell, CellPlan, Rule, Standing};
use noli_robot::{Solid, Srdf};
use std::io::Write;
use std::sync::{Arc, OnceLock};
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

type Problem = Box<dyn std::error::Error>;

/// Seconds this thread has had a processor, or that have passed.
fn now() -> f64 {
    static START: OnceLock<Instant> = OnceLock::new();
    let start = START.get_or_init(Instant::now);
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    match text.split_whitespace().next().and_then(|word| word.parse::<f64>().ok()) {
        Some(nanoseconds) => nanoseconds * 1e-9,
        None => start.elapsed().as_secs_f64(),
    }
}

fn cell(loaded: &LoadedRobot, srdf: Option<&Srdf>, cage: bool) -> Result<Cell, Problem> {
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

/// Asks every pair of shapes by itself.
struct Naive {
    models: Vec<Model>,
    ball: Model,
    /// Shapes of either side of each pair that is asked about, and the ball of the cage it may be.
    pairs: Vec<(Vec<usize>, Vec<usize>, Option<usize>)>,
    poses: Vec<Pose>,
}

impl Naive {
    fn new(loaded: &LoadedRobot, cell: &Cell) -> Result<Self, Problem> {
        let model = |shape: &noli_robot::LinkShape| match &shape.solid {
            Solid::Convex(convex) => Model::new(convex.clone()),
            Solid::Mesh(mesh) => Model::new(mesh.clone()),
        };
        let of = |name: &str| -> Vec<usize> {
            let links = loaded.robot.links();
            (0..loaded.shapes.len()).filter(|&k| links[loaded.shapes[k].link].name == name).collect()
        };
        let on = cell.pairs().iter().filter(|pair| matches!(pair.rule, Rule::On { .. }));
        let pairs = on.map(|pair| {
            let [a, b] = pair.parts.map(|part| cell.parts()[part].name.as_str());
            (of(a), of(b), b.strip_prefix("ball").and_then(|number| number.parse().ok()))
        });
        Ok(Self {
            models: loaded.shapes.iter().map(model).collect::<Result<_, _>>()?,
            ball: Model::new(Convex::sphere(0.2)?)?,
            pairs: pairs.collect(),
            poses: vec![Pose::IDENTITY; loaded.robot.links().len()],
        })
    }

    fn hit(&mut self, loaded: &LoadedRobot, values: &[f64]) -> bool {
        loaded.robot.link_poses(values, &mut self.poses);
        let shapes = &loaded.shapes;
        let at = |k: usize| self.models[k].at(self.poses[shapes[k].link] * shapes[k].link_from_shape);
        self.pairs.iter().any(|(a, b, still)| {
            let still = still.map(|k| self.ball.at(Pose::from_translation(CAGE[k].into())));
            let meets = |x: usize| {
                let mut others = b.iter().map(|&k| at(k)).chain(still);
                others.any(|other| noli::overlap(&at(x), &other) == Overlap::Hit)
            };
            a.iter().any(|&x| meets(x))
        })
    }
}

fn main() -> Result<(), Problem> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let has = |name: &str| words.iter().any(|word| word == name);
    let after = |name: &str| words.iter().position(|word| word == name).and_then(|k| words.get(k + 1));
    let check: usize = after("--check").map_or(Ok(4000), |word| word.parse())?;
    let files: Vec<&String> =
        words.iter().filter(|word| word.ends_with(".urdf") || word.ends_with(".srdf")).collect();
    let robot = files.first().ok_or("name a URDF file")?;
    let kind = if has("--surface") { LinkKind::Surface } else { LinkKind::Auto };
    let loaded = load_robot(robot, &RobotOptions { kind, ..RobotOptions::default() })?;
    let srdf = files.get(1).map(|path| load_srdf(path, &loaded.robot)).transpose()?;
    let mut out = std::io::stdout().lock();
    let start = Instant::now();
    let cell = cell(&loaded, srdf.as_ref(), has("--cage"))?;
    let built = start.elapsed().as_secs_f64();
    cell.prepare();
    let prepared = start.elapsed().as_secs_f64() - built;
    writeln!(out, "built in {built:.2} s, tables in {prepared:.2} s")?;

    let mut seed = 5u64;
    let mut share = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 11) as f64 * 2f64.powi(-53)
    };
    let variables = loaded.robot.variables();
    let size = variables.len();
    let mut draw = |count: usize| -> Vec<f64> {
        let mut states = Vec::with_capacity(count * size);
        for _ in 0..count {
            states.extend(variables.iter().map(|variable| {
                let [low, high] = variable.limits.range.unwrap_or([-3.0, 3.0]);
                low + (high - low) * share()
            }));
        }
        states
    };
    let states = draw(STATES);
    let (mut checker, mut found) = (cell.checker(), Vec::new());
    let mut rate = |states: &[f64], found: &mut Vec<Standing>| {
        let mut best = f64::INFINITY;
        for _ in 0..7 {
            let start = now();
            checker.first_hits(states, found)?;
            best = best.min(now() - start);
        }
        Ok::<f64, Problem>((states.len() / size) as f64 / best)
    };
    let all = rate(&states, &mut found)?;
    let rows = states.chunks_exact(size).zip(&found);
    let free: Vec<f64> = rows
        .filter(|(_, standing)| **standing == Standing::Free)
        .flat_map(|(values, _)| values.iter().copied())
        .collect();
    writeln!(out, "blocks of sixteen: {all:.0} a second, {} of {STATES} free", free.len() / size)?;
    writeln!(out, "the free ones alone: {:.0} a second", rate(&free, &mut Vec::new())?)?;
    let mut best = f64::INFINITY;
    for _ in 0..5 {
        let start = now();
        for values in states.chunks_exact(size).take(4000) {
            checker.first_hit(values)?;
        }
        best = best.min(now() - start);
    }
    writeln!(out, "one at a time: {:.0} a second", 4000.0 / best)?;

    let mut naive = Naive::new(&loaded, &cell)?;
    let (mut differences, mut asked, mut took) = (0, 0, 0.0);
    while asked < check {
        let states = if asked == 0 { states.clone() } else { draw(STATES) };
        checker.first_hits(&states, &mut found)?;
        let start = now();
        for (values, standing) in states.chunks_exact(size).zip(&found).take(check - asked) {
            differences += usize::from(naive.hit(&loaded, values) != matches!(standing, Standing::Hit(_)));
            asked += 1;
        }
        took += now() - start;
    }
    let each = took / asked as f64;
    writeln!(out, "pair by pair: {:.0} a second, {differences} of {asked} differ", 1.0 / each)?;
    writeln!(out, "ratio: {:.1}", all * each)?;
    Ok(())
}
