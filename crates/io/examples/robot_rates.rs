//! Configurations a second on one thread, beside asking pair by pair, with the answers held against each
//! other: `cargo run --release -p noli-io --example robot_rates ROBOT.urdf [SRDF] [--cage] [--surface]
//! [--check N] [--edges N] [--only blocks|free|one|edges]`. Every figure is the best of many short passes, so
//! that a pass which another program interrupted does not count.

use noli::{Convex, Model, Overlap, Pose};
use noli_io::{LinkKind, LoadedRobot, RobotOptions, load_robot, load_srdf};
use noli_robot::cell::{Cell, CellPlan, Checker, Connection, Rule, Standing};
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

type Problem = Box<dyn std::error::Error>;

/// Even numbers in [0, 1), always the same.
fn shares(mut seed: u64) -> impl FnMut() -> f64 {
    move || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 11) as f64 * 2f64.powi(-53)
    }
}

/// Seconds of the shortest of some passes.
fn best_of(passes: usize, mut pass: impl FnMut() -> Result<(), Problem>) -> Result<f64, Problem> {
    let mut best = f64::INFINITY;
    for _ in 0..passes {
        let start = Instant::now();
        pass()?;
        best = best.min(start.elapsed().as_secs_f64());
    }
    Ok(best)
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

/// Straight ways in joint space from free configurations in any direction, of three lengths: microseconds for
/// those proven free and for those found blocked.
fn edges(
    checker: &mut Checker<'_>,
    free: &[f64],
    share: &mut impl FnMut() -> f64,
    count: usize,
    out: &mut impl Write,
) -> Result<(), Problem> {
    let size = checker.cell().value_count();
    let robots: Vec<_> = checker.cell().robots().cloned().collect();
    let ranges: Vec<[f64; 2]> = robots
        .iter()
        .flat_map(|robot| robot.variables())
        .map(|variable| variable.limits.range.unwrap_or([-3.0, 3.0]))
        .collect();
    for length in [0.1, 0.5, 2.0] {
        // Seconds of free, blocked and close ones.
        let mut found: [Vec<f64>; 3] = Default::default();
        let asked = checker.questions();
        for from in free.chunks_exact(size).take(count) {
            let way: Vec<f64> = (0..size).map(|_| 2.0 * share() - 1.0).collect();
            let norm = way.iter().map(|x| x * x).sum::<f64>().sqrt();
            let to: Vec<f64> = (0..size)
                .map(|k| (from[k] + way[k] / norm * length).clamp(ranges[k][0], ranges[k][1]))
                .collect();
            let mut connection = Connection::Free;
            let took = best_of(5, || {
                connection = checker.connects(from, &to)?;
                Ok(())
            })?;
            let kind = match connection {
                Connection::Free => 0,
                Connection::Blocked { .. } => 1,
                Connection::Close { .. } => 2,
            };
            found[kind].push(1e6 * took);
        }
        let questions = (checker.questions() - asked) as f64 / (5 * count) as f64;
        writeln!(out, "edges of {length}: {questions:.1} questions each")?;
        for (name, mut each) in ["free", "blocked", "close"].into_iter().zip(found) {
            each.sort_by(f64::total_cmp);
            if let (Some(middle), Some(last)) = (each.get(each.len() / 2), each.last()) {
                let mean = each.iter().sum::<f64>() / each.len() as f64;
                let count = each.len();
                writeln!(out, "  {count} {name}: {mean:.1} us, median {middle:.1}, longest {last:.1}")?;
            }
        }
    }
    Ok(())
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
    let mut lines = std::io::stdout().lock();
    let start = Instant::now();
    let cell = cell(&loaded, srdf.as_ref(), has("--cage"))?;
    let built = start.elapsed().as_secs_f64();
    cell.prepare();
    let prepared = start.elapsed().as_secs_f64() - built;
    writeln!(lines, "built in {built:.2} s, tables in {prepared:.2} s")?;

    let (mut share, mut turns) = (shares(5), shares(9));
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
    let only = after("--only");
    let wanted = |name: &str| only.is_none_or(|only| only == name);
    let (mut checker, mut found) = (cell.checker(), Vec::new());
    let asked = checker.questions();
    checker.first_hits(&states, &mut found)?;
    let questions = (checker.questions() - asked) as f64 / STATES as f64;
    let rows = states.chunks_exact(size).zip(&found);
    let free: Vec<f64> = rows
        .filter(|(_, standing)| **standing == Standing::Free)
        .flat_map(|(values, _)| values.iter().copied())
        .collect();
    let mut all = 0.0;
    for (name, states) in [("blocks", &states), ("free", &free)] {
        if wanted(name) && !states.is_empty() {
            // Passes of some two thousand, one after the other: few are interrupted.
            let mut out = Vec::new();
            let mut took = 0.0;
            for part in states.chunks(2000 * size) {
                took += best_of(40, || Ok(checker.first_hits(part, &mut out)?))?;
            }
            let rate = (states.len() / size) as f64 / took;
            writeln!(lines, "{name}: {rate:.0} a second")?;
            all = if name == "blocks" { rate } else { all };
        }
    }
    writeln!(lines, "{} of {STATES} free, {questions:.3} questions to shapes each", free.len() / size)?;
    if wanted("one") {
        let mut took = 0.0;
        for part in states[..4000 * size].chunks(1000 * size) {
            took += best_of(40, || {
                for values in part.chunks_exact(size) {
                    checker.first_hit(values)?;
                }
                Ok(())
            })?;
        }
        writeln!(lines, "one at a time: {:.0} a second", 4000.0 / took)?;
    }
    if wanted("edges") {
        edges(
            &mut checker,
            &free,
            &mut turns,
            after("--edges").map_or(Ok(1000), |word| word.parse())?,
            &mut lines,
        )?;
    }
    if only.is_some() {
        return Ok(());
    }

    let mut naive = Naive::new(&loaded, &cell)?;
    let (mut differences, mut asked, mut took) = (0, 0, 0.0);
    while asked < check {
        let states = if asked == 0 { states.clone() } else { draw(STATES) };
        checker.first_hits(&states, &mut found)?;
        let start = Instant::now();
        for (values, standing) in states.chunks_exact(size).zip(&found).take(check - asked) {
            differences += usize::from(naive.hit(&loaded, values) != matches!(standing, Standing::Hit(_)));
            asked += 1;
        }
        took += start.elapsed().as_secs_f64();
    }
    let each = took / asked as f64;
    writeln!(lines, "pair by pair: {:.0} a second, {differences} of {asked} differ", 1.0 / each)?;
    writeln!(lines, "ratio: {:.1}", all * each)?;
    Ok(())
}
