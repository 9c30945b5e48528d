//! `noli robot coordinate`: programs of several robots, collision-free with any timing, in an order, or not.

mod page;
pub(super) mod program;
mod text;

use crate::limits::{Limits, Running};
use crate::output::{self, Progress};
use crate::quantity::{self, Length};
use crate::{Outcome, Verdict};
use anyhow::{Context, Result, ensure};
use noli_formats::Units;
use noli_plan::{Interlock, Wait, interlock, schedule};
use noli_project::report::Asked;
use noli_robot::cell::{Cell, CellBuilder, Coordination, CoordinationOptions, PartKind};
use program::Program;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering::Relaxed;

/// Check the programs of several robots against each other with any timing.
///
/// Every program is run alone in its cell first. Then the pairs of times at which two robots are proven not to collide
/// are computed: programs are independent, or an order is given in which instructions wait for others, without
/// deadlock. All cells share one world frame.
///
/// Exit code 0: collision-free as timed, proven; 1: two robots collide as timed; 3: not decided.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Cells with their programs, two or more.
    #[arg(value_name = "CELL.toml", num_args = 2.., required = true)]
    cells: Vec<PathBuf>,
    /// Minimum clearance between robots, in metres or with a unit, such as 5mm.
    #[arg(long, value_name = "LENGTH", default_value = "0", value_parser = quantity::length)]
    margin: Length,
    /// Time at which a program starts, such as 2s; one for each cell, in order. By default all start at once.
    #[arg(long, value_name = "TIME", value_parser = crate::quantity::duration, value_delimiter = ',')]
    start: Vec<std::time::Duration>,
    /// How often each axis of time is halved.
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=12))]
    depth: u32,
    #[command(flatten)]
    limits: Limits,
    /// Also write a page with the coordination diagram of every two robots.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Print one JSON object instead of the table, or write it to a file as well.
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = "-")]
    json: Option<PathBuf>,
}

/// Result for several robots.
#[derive(Serialize)]
struct Report {
    outcome: Outcome,
    robots: Vec<RobotReport>,
    pairs: Vec<PairReport>,
    /// Waits of all pairs together; with them no timing collides and none is stuck. `None` if there is no such order.
    waits: Option<Vec<WaitReport>>,
    /// Duration with the waits, in seconds.
    ordered_s: Option<f64>,
    warnings: Vec<String>,
}

#[derive(Serialize)]
struct RobotReport {
    cell: String,
    robot: String,
    program: String,
    /// Prefix of the names of its parts.
    prefix: String,
    motions: usize,
    start_s: f64,
    seconds: f64,
}

/// Two robots.
#[derive(Serialize)]
struct PairReport {
    /// Counted from 1.
    robots: [usize; 2],
    /// `independent`, `order-needed` or `no-order`.
    classification: &'static str,
    as_timed: AsTimed,
    zones: Vec<ZoneReport>,
    /// Times of both that are not proven collision-free, as shares of both programs.
    blocked: Vec<[[f64; 2]; 2]>,
}

/// Both programs as timed.
#[derive(Serialize)]
struct AsTimed {
    outcome: Outcome,
    #[serde(skip_serializing_if = "Option::is_none")]
    collision: Option<Collision>,
}

#[derive(Serialize)]
struct Collision {
    time_s: f64,
    links: [String; 2],
    lines: [u32; 2],
    point: Option<[f64; 3]>,
}

/// Times that belong together and are not proven collision-free.
#[derive(Serialize)]
struct ZoneReport {
    /// First and last line of each program.
    lines: [[u32; 2]; 2],
    /// First and last time of each as driven, in seconds.
    times_s: [[f64; 2]; 2],
    /// Links that collide, if a pair of times is known at which they do.
    links: Option<[String; 2]>,
    /// Box around all points that both reach: lower and upper vertex, in metres.
    space: Option<[[f64; 3]; 2]>,
}

/// A wait by lines.
#[derive(Serialize)]
struct WaitReport {
    /// The robot that waits, counted from 1.
    robot: usize,
    /// The line before which it waits, and its motion counted from 1.
    before_line: u32,
    before_motion: usize,
    other: usize,
    after_line: u32,
    after_motion: usize,
}

/// Two programs in one cell.
struct Pair<'a> {
    numbers: [usize; 2],
    programs: [&'a Program; 2],
    cell: Cell,
    /// Robots of the first.
    first: Vec<usize>,
    diagram: Coordination,
    running: &'a Running,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Verdict> {
    ensure!(
        arguments.start.is_empty() || arguments.start.len() == arguments.cells.len(),
        "--start: {} times for {} cells",
        arguments.start.len(),
        arguments.cells.len()
    );
    output::refuse_inputs(arguments.html.iter().chain(&arguments.json), &arguments.cells)?;
    let running = arguments.limits.start()?;
    let time = arguments.limits.start_whole();
    let progress = Progress::of_time("running the programs");
    let mut programs = Vec::new();
    for (number, path) in arguments.cells.iter().enumerate() {
        let start = arguments.start.get(number).map_or(0.0, |start| start.as_secs_f64());
        programs.push(Program::run(path, format!("{}/", number + 1), start)?);
    }
    drop((progress, time));
    let progress = Progress::of_time("comparing all timings");
    let mut pairs = Vec::new();
    for b in 0..programs.len() {
        for a in 0..b {
            let pair = Pair::new([a, b], [&programs[a], &programs[b]], arguments, &running);
            pairs.push(pair.with_context(|| format!("robots {} and {}", a + 1, b + 1))?);
        }
    }
    let order = order(&programs, &pairs);
    let mut report = report(arguments, &programs, &pairs, order.as_ref())?;
    drop(progress);
    if let Some(limit) = running.reached() {
        report.warnings.push(format!("{limit} was reached: times that were not tested count as not proven"));
    }
    if let Some(path) = &arguments.html {
        output::write_file(path, page::html(&report, &programs, order.as_ref())?.as_bytes())?;
    }
    let printed = arguments.json.as_deref() == Some(Path::new("-"));
    if !printed {
        output::warn_all(&report.warnings);
        output::print(&text::text(&report))?;
    }
    let asked = asked(pairs.iter().map(Pair::pairs_across).sum());
    if let Some(target) = &arguments.json {
        output::deliver_report(target, "robot-coordinate", &report, &asked)?;
    }
    Ok(Verdict::new(report.outcome, asked?))
}

fn asked(across: usize) -> Result<Asked> {
    ensure!(across > 0, "no pair of links across the robots is checked; give their links collision shapes");
    Ok(Asked::new(across)?)
}

fn report(
    arguments: &Arguments,
    programs: &[Program],
    pairs: &[Pair<'_>],
    order: Option<&Order>,
) -> Result<Report> {
    let mut reports = Vec::new();
    for pair in pairs {
        reports.push(pair.report()?);
    }
    let wait = |wait: &Wait| WaitReport {
        robot: wait.robot + 1,
        before_line: programs[wait.robot].line(wait.before),
        before_motion: wait.before + 1,
        other: wait.other + 1,
        after_line: programs[wait.other].line(wait.after),
        after_motion: wait.after + 1,
    };
    let robot = |(program, path): (&Program, &PathBuf)| RobotReport {
        cell: path.display().to_string(),
        robot: program.cell.work.robot.name().to_owned(),
        program: program.source.main.clone(),
        prefix: program.prefix.clone(),
        motions: program.motions(),
        start_s: program.start,
        seconds: program.run.seconds,
    };
    let worst = |worst: Outcome, pair: &PairReport| match (worst, pair.as_timed.outcome) {
        (Outcome::Touching, _) | (_, Outcome::Touching) => Outcome::Touching,
        (Outcome::Undecided, _) | (_, Outcome::Undecided) => Outcome::Undecided,
        (Outcome::Free, Outcome::Free) => Outcome::Free,
    };
    Ok(Report {
        outcome: reports.iter().fold(Outcome::Free, worst),
        robots: programs.iter().zip(&arguments.cells).map(robot).collect(),
        pairs: reports,
        waits: order.map(|order| order.waits.iter().map(wait).collect()),
        ordered_s: order.map(Order::seconds),
        warnings: programs.iter().flat_map(|program| program.cell.warnings.clone()).collect(),
    })
}

/// An order of instructions that is collision-free with any timing and free of deadlocks.
struct Order {
    /// Waits of all pairs.
    waits: Vec<Wait>,
    /// Start and end of every instruction of each robot; the first is the time before its program starts.
    done: Vec<Vec<[f64; 2]>>,
}

impl Order {
    /// Duration with the waits.
    fn seconds(&self) -> f64 {
        self.done.iter().filter_map(|done| Some(done.last()?[1])).fold(0.0, f64::max)
    }
}

/// The order of all pairs together; `None` if none is free of deadlocks.
fn order(programs: &[Program], pairs: &[Pair<'_>]) -> Option<Order> {
    // The time before a program starts is an instruction of its own.
    let durations = |program: &Program| -> Vec<f64> {
        let moves = program.axis().times.windows(2).map(|two| two[1] - two[0]).collect::<Vec<f64>>();
        [&[program.start][..], &moves].concat()
    };
    let durations: Vec<Vec<f64>> = programs.iter().map(durations).collect();
    // As timed first. Three robots may wait for each other in a circle then; one after the other they do not.
    for apart in [0.0, 1e6] {
        let mut waits = Vec::new();
        let mut possible = true;
        for pair in pairs {
            let mut axes = pair.programs.map(Program::axis);
            for (axis, number) in axes.iter_mut().zip(pair.numbers) {
                axis.times.iter_mut().for_each(|time| *time += apart * number as f64);
            }
            match interlock(&pair.diagram, [&axes[0], &axes[1]], pair.numbers) {
                Interlock::Independent => {}
                Interlock::Ordered(more) => waits.extend(more),
                _ => possible = false,
            }
        }
        let later = |wait: &Wait| Wait { before: wait.before + 1, after: wait.after + 1, ..*wait };
        let shifted: Vec<Wait> = waits.iter().map(later).collect();
        if let (true, Some(done)) = (possible, schedule(&durations, &shifted)) {
            return Some(Order { waits, done });
        }
    }
    None
}

/// Samples of the times at which both may collide.
const SAMPLES: usize = 20_000;

impl<'a> Pair<'a> {
    fn new(
        numbers: [usize; 2],
        programs: [&'a Program; 2],
        arguments: &Arguments,
        running: &'a Running,
    ) -> Result<Self> {
        let mut plan = CellBuilder::default();
        programs[0].add_to(&mut plan, &programs[0].ever_held())?;
        let second = programs[1].add_to(&mut plan, &programs[1].ever_held())?;
        let margin = arguments.margin.of_unit(Units::Metre);
        if margin > 0.0 {
            let names: Vec<String> = plan.part_names().map(str::to_owned).collect();
            names.iter().try_for_each(|name| plan.set_padding(name, 0.5 * margin))?;
        }
        let cell = plan.build();
        let [a, b] = programs.map(Program::at_start);
        let curves = [programs[0].curve(&[], &b)?, programs[1].curve(&a, &[])?];
        let mut options = CoordinationOptions::default();
        options.depth = arguments.depth;
        options.cells = 4_000_000;
        options.stop = Some(running.is_over());
        let first: Vec<usize> = (0..second).collect();
        let diagram = cell.checker().coordinate([&curves[0], &curves[1]], &first, &options)?;
        Ok(Self { numbers, programs, cell, first, diagram, running })
    }

    /// Returns `true` if a pair of the cell is one of both robots.
    fn is_across(&self, pair: usize) -> bool {
        let group = |part: usize| match self.cell.parts()[part].holder {
            PartKind::Link { arm, .. } | PartKind::Carried { arm, .. } => Some(self.first.contains(&arm)),
            PartKind::World => None,
        };
        let [a, b] = self.cell.pairs()[pair].parts.map(group);
        a.is_some() && b.is_some() && a != b
    }

    fn pairs_across(&self) -> usize {
        (0..self.cell.pairs().len()).filter(|&pair| self.is_across(pair)).count()
    }

    fn report(&self) -> Result<PairReport> {
        let axes = self.programs.map(Program::axis);
        let classification = match interlock(&self.diagram, [&axes[0], &axes[1]], self.numbers) {
            Interlock::Independent => "independent",
            Interlock::Ordered(_) => "order-needed",
            _ => "no-order",
        };
        let zones = self.diagram.zones.iter().map(|zone| {
            let ends = |k: usize| zone.times[k].map(|share| self.programs[k].time_at(share));
            let line = |k: usize| {
                let motion = |share: f64| axes[k].shares[1..].partition_point(|&end| end < share);
                zone.times[k].map(|share| self.programs[k].line(motion(share)))
            };
            ZoneReport {
                lines: [line(0), line(1)],
                times_s: [ends(0), ends(1)],
                links: zone.witness.map(|(_, pair)| self.cell.pair_names(pair).map(str::to_owned)),
                space: zone.space.map(|space| [space.min.to_array(), space.max.to_array()]),
            }
        });
        Ok(PairReport {
            robots: self.numbers.map(|number| number + 1),
            classification,
            as_timed: self.as_timed()?,
            zones: zones.collect(),
            blocked: self.diagram.blocked.clone(),
        })
    }

    /// The times at which both are in a cell that is not proven; robots rest before their start and after their end.
    fn unproven(&self) -> Vec<[f64; 2]> {
        let span = |k: usize, [from, to]: [f64; 2]| {
            let program = self.programs[k];
            let from = if from <= 0.0 { f64::NEG_INFINITY } else { program.time_at(from) };
            [from, if to >= 1.0 { f64::INFINITY } else { program.time_at(to) }]
        };
        let common = |[a, b]: &[[f64; 2]; 2]| {
            let ([a0, a1], [b0, b1]) = (span(0, *a), span(1, *b));
            let both = [a0.max(b0), a1.min(b1)];
            (both[0] <= both[1]).then_some(both)
        };
        self.diagram.blocked.iter().filter_map(common).collect()
    }

    fn as_timed(&self) -> Result<AsTimed> {
        let unproven = self.unproven();
        if unproven.is_empty() {
            return Ok(AsTimed { outcome: Outcome::Free, collision: None });
        }
        let end = self.programs.map(|program| program.time_at(1.0)).into_iter().fold(0.0, f64::max);
        let each = (SAMPLES / unproven.len()).clamp(2, 64);
        let mut times: Vec<f64> = Vec::new();
        for [from, to] in unproven {
            let (from, to) = (from.clamp(0.0, end), to.clamp(0.0, end));
            times.extend((0..each).map(|k| from + (to - from) * k as f64 / (each - 1) as f64));
        }
        times.sort_by(f64::total_cmp);
        times.dedup();
        let (mut checker, mut hits) = (self.cell.checker(), Vec::new());
        for time in times {
            if self.running.is_over().load(Relaxed) {
                break;
            }
            let values = self.programs.map(|program| program.values_at(time)).concat();
            checker.colliding_pairs(&values, &mut hits)?;
            let Some(hit) = hits.iter().find(|hit| self.is_across(hit.pair)) else { continue };
            let pair = hit.pair;
            let lines = self.programs.map(|program| {
                let driven = program.run.driven_at(time - program.start);
                driven.map_or(program.line(0), |motion| motion.place.line)
            });
            let collision = Collision {
                time_s: time,
                links: self.cell.pair_names(pair).map(str::to_owned),
                lines,
                point: checker.meeting_point(&values, pair)?.map(|point| point.to_array()),
            };
            return Ok(AsTimed { outcome: Outcome::Touching, collision: Some(collision) });
        }
        Ok(AsTimed { outcome: Outcome::Undecided, collision: None })
    }
}
