//! `noli robot plan`: a path from one configuration to another, proven on the true shapes.

mod driven;
mod files;
mod goal;
mod page;

pub(crate) use page::plan_page;

use super::{Subject, named_values};
use crate::certificate::{self, Writer};
use crate::output::{self, Progress, Table, short};
use crate::{Outcome, Verdict};
use anyhow::{Context, Result, bail, ensure};
use files::{extension, written};
use noli::query::{Clock, SteadyClock};
use noli_ask::quantity::{self, Length};
use noli_formats::Units;
use noli_plan::{AxisConstraint, Effort, JointOptions, JointPlanError, plan_to_goals, segment_times};
use noli_program::run::{PartLocation, arm_variables, configurations_at};
use noli_project::cell::{LoadedCell, is_cell_file};
use noli_project::load_states;
use noli_robot::cell::{Cell, PairRule, StateStatus};
use noli_robot::{Robot, Srdf};
use serde::Serialize;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Plan a path for a robot between two configurations, proven collision-free at every moment on the true
/// shapes.
///
/// A cell (`cell.toml`) may replace the robot: its robot then moves among its bodies, from and to its
/// locations or configurations.
///
/// Exit code 0: a path was found; 1: the start or the goal is in collision; 3: none was found within the
/// budget.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(super) subject: Subject,
    /// Start: `JOINT=VALUE,...` (radians and metres; others are 0), the name of a state of the SRDF or of a
    /// location of the cell. A file of configurations is also accepted; its first row counts.
    #[arg(long, value_name = "WHERE", allow_hyphen_values = true)]
    from: String,
    /// Goal; joints that are not given end where they started. Of a file of configurations the last row counts.
    #[arg(long, value_name = "WHERE", allow_hyphen_values = true, required_unless_present = "goal_pose")]
    to: Option<String>,
    #[command(flatten)]
    goal: goal::GoalArguments,
    /// Minimum clearance of all links from the obstacles, in metres or with a unit, such as 5mm.
    #[arg(long, value_name = "LENGTH", default_value = "0", value_parser = quantity::length, requires = "around")]
    margin: Length,
    /// Maximum number of edges to test; gives the same path on every machine.
    #[arg(long, value_name = "N", default_value_t = 200_000)]
    steps: u64,
    /// Seed of the random choices.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Maximum search time, such as 500ms or 20s.
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = noli_ask::quantity::duration)]
    time: Duration,
    /// Number of shortcuts tried to shorten the path.
    #[arg(long, value_name = "N", default_value_t = 300)]
    shorten: u64,
    /// Write the path: a table (.csv), a trajectory (.json), or a VAL-II program (.val).
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
    #[command(flatten)]
    driven: driven::Options,
    /// Write a certificate of the path: a proof that other programs check (docs/certificates.md).
    #[arg(long, value_name = "FILE")]
    certificate: Option<PathBuf>,
    /// Also write a page with the robot in 3D, a time line and the clearance along the path.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

#[derive(Serialize)]
pub(crate) struct Report {
    robot: String,
    found: bool,
    proven: bool,
    /// Reason for the failure.
    reason: Option<String>,
    /// Colliding pairs at a start or goal in collision.
    blocked_by: Vec<[String; 2]>,
    joints: Vec<String>,
    /// Straight in joint space from one to the next.
    configurations: Vec<Vec<f64>>,
    /// Earliest time of each configuration, resting at each, within the limits of the joints.
    times_s: Vec<f64>,
    /// Length in joint space, radians and metres.
    cost: Option<f64>,
    steps: u64,
    seed: u64,
    seconds: f64,
    /// The path as a trajectory, if one was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    driven: Option<driven::DrivenReport>,
    /// The goal pose, if one was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    goal: Option<goal::GoalReport>,
    /// The tool kept upright, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    upright: Option<goal::UprightReport>,
    warnings: Vec<String>,
    /// The start, for the page.
    #[serde(skip)]
    start: Option<Vec<f64>>,
}

/// Moving robot, environment, start and goals.
pub(crate) struct Task<'a> {
    pub(crate) robot: &'a Robot,
    pub(crate) cell: &'a Cell,
    /// Joint values of the other robots in the cell.
    pub(crate) others: &'a [f64],
    pub(crate) start: Vec<f64>,
    /// Configurations, one of which is to be reached.
    pub(crate) goals: Vec<Vec<f64>>,
    pub(crate) moving: Vec<usize>,
    /// Kept at every moment.
    pub(crate) constraints: Vec<AxisConstraint>,
    pub(crate) warnings: Vec<String>,
}

/// Limits of a search.
#[derive(Clone, Copy)]
pub(crate) struct Limits {
    pub(crate) steps: u64,
    pub(crate) seed: u64,
    pub(crate) time: Duration,
    pub(crate) shorten: u64,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Verdict> {
    if let Some(path) = &arguments.write {
        ensure!(
            files::FORMATS.contains(&extension(path).as_str()),
            "{}: give a name that ends in .csv, .json or .val",
            path.display()
        );
    }
    if let Some(path) = &arguments.driven.trajectory {
        ensure!(
            driven::FORMATS.contains(&extension(path).as_str()),
            "{}: give a name that ends in .csv, .json or .yaml",
            path.display()
        );
    }
    ensure!(
        !(arguments.goal.keeps_upright() && arguments.driven.blends()),
        "--upright is proven along straight segments; leave out --blend"
    );
    let from_files: Vec<PathBuf> =
        std::iter::once(&arguments.from).chain(&arguments.to).map(PathBuf::from).collect();
    if let Some(path) = arguments.subject.robot.as_ref().filter(|path| is_cell_file(path)) {
        let cell = noli_store::load_cell(path)?;
        let inputs: Vec<PathBuf> = cell.inputs.iter().chain(&from_files).cloned().collect();
        let outputs = arguments.write.iter().chain(&arguments.html).chain(&arguments.certificate);
        let outputs = outputs.chain(&arguments.driven.trajectory);
        output::refuse_inputs(outputs.chain(&arguments.subject.json), &inputs)?;
        if let Some(target) = &arguments.certificate {
            certificate::refuse_tessellated_files(target, &inputs)?;
            certificate::refuse_tessellated(target, super::tessellated_links(&cell.work.robot))?;
        }
        return in_cell(arguments, &cell);
    }
    let mut loaded = arguments.subject.load_shapes()?;
    let outputs = [&arguments.write, &arguments.driven.trajectory, &arguments.html, &arguments.certificate];
    loaded.refuse_to_overwrite(&arguments.subject, &from_files, outputs)?;
    loaded.refuse_tessellated(arguments.certificate.as_deref())?;
    let margin = arguments.margin.of_unit(Units::Metre);
    if margin != 0.0 {
        loaded.margin = margin;
        let (source, srdf) = (loaded.report.source.clone(), loaded.report.srdf.clone());
        loaded.replan(&source, srdf.as_deref())?;
    }
    let robot = &loaded.robot.robot;
    ensure!(!robot.variables().is_empty(), "{}: no joint moves; there is no path to plan", robot.name());
    super::asked(loaded.report.active_pairs, 1)?;
    let cell = loaded.cell();
    let zero = robot.neutral().0;
    let mut warnings = loaded.warnings.clone();
    let mut from = configuration(&arguments.from, robot, loaded.srdf.as_ref(), &zero, false)?;
    warnings.extend(clamp(robot, &mut from));
    let to = arguments.to.as_ref().map(|to| configuration(to, robot, loaded.srdf.as_ref(), &from, true));
    let to = to.transpose()?;
    robot.check_limits(&from).context("--from")?;
    to.as_ref().map_or(Ok(()), |to| robot.check_limits(to)).context("--to")?;
    let subject = goal::Subject { robot, srdf: loaded.srdf.as_ref(), seed: arguments.seed };
    let goals = arguments.goal.goals(subject, &from, to)?;
    warnings.extend(goals.remark.clone());
    let constraints = arguments.goal.constraint(cell, goals.tip(), &from)?.into_iter().collect();
    let (all, moving) = (goals.all.clone(), goals.moving.clone());
    let task = Task { robot, cell, others: &[], start: from, goals: all, moving, constraints, warnings };
    find(arguments, task, Some(&goals), &|writer| {
        super::prove::add_sources(writer, &loaded, &arguments.subject)
    })
}

/// Largest distance of a start beyond a limit, in radians and metres; MoveIt allows as much.
const BEYOND: f64 = 0.05;

/// Takes a start that is slightly beyond its limits to them, as sensors and published problems have it.
fn clamp(robot: &Robot, values: &mut [f64]) -> Vec<String> {
    let mut told = Vec::new();
    for (variable, value) in robot.variables().iter().zip(&mut *values) {
        let Some([lower, upper]) = variable.limits.range else { continue };
        let within = value.clamp(lower, upper);
        if within != *value && (within - *value).abs() <= BEYOND {
            let (name, given) = (&variable.name, short(*value));
            told.push(format!("--from: `{name}` is {given}, beyond its limit: taken as {}", short(within)));
            *value = within;
        }
    }
    robot.apply_laws(values);
    told
}

/// Plans for the robot of a cell among its bodies, with its parts at their poses.
fn in_cell(arguments: &Arguments, loaded: &LoadedCell) -> Result<Verdict> {
    let subject = &arguments.subject;
    ensure!(
        subject.around.is_empty() && subject.carry.is_empty() && subject.srdf.is_none(),
        "a cell says itself what is in it; leave out --around, --carry and --srdf"
    );
    ensure!(
        subject.packages.is_empty() && subject.kind == super::Kind::Auto,
        "a cell says itself how its robot is read; leave out --packages and --as"
    );
    arguments.goal.refuse_in_cell()?;
    let to = arguments.to.as_deref().context("give a goal: --to")?;
    let cell = cell_at_start(loaded)?;
    let ([start, goal], moving) = ends_in_cell(loaded, &cell, &arguments.from, to)?;
    let (robot, others, warnings) = (&*loaded.work.robot, &loaded.work.others[..], loaded.warnings.clone());
    let (goals, constraints) = (vec![goal], Vec::new());
    let task = Task { robot, cell: &cell, others, start, goals, moving, constraints, warnings };
    find(arguments, task, None, &|writer| writer.add_inputs(&loaded.inputs))
}

/// The pairs of a cell with its parts at their poses.
pub(crate) fn cell_at_start(loaded: &LoadedCell) -> Result<Cell> {
    let work = &loaded.work;
    let stands: Vec<PartLocation> = work.loose.iter().map(|part| PartLocation::Stands(part.place)).collect();
    Ok(work.cell(&stands, None)?)
}

/// Start and goal in a cell, and the joints that move.
pub(crate) fn ends_in_cell(
    loaded: &LoadedCell,
    cell: &Cell,
    from: &str,
    to: &str,
) -> Result<([Vec<f64>; 2], Vec<usize>)> {
    let work = &loaded.work;
    let mut checker = cell.checker();
    let mut end = |text: &str, near: &[f64], last: bool| -> Result<Vec<f64>> {
        if text.contains('=') || text.contains(',') || Path::new(text).is_file() {
            return configuration(text, &work.robot, None, near, last);
        }
        // Of several configurations for a place, the nearest that is free.
        let all = configurations_at(work, text, near)?;
        for values in &all {
            let whole: Vec<f64> = values.iter().chain(&work.others).copied().collect();
            if checker.check_state(&whole)? == StateStatus::Free {
                return Ok(values.clone());
            }
        }
        all.into_iter().next().with_context(|| format!("`{text}` cannot be reached"))
    };
    let from = end(from, &work.start, false)?;
    let to = end(to, &from, true)?;
    let moves = |number: &usize| from[*number] != to[*number];
    let mut moving = arm_variables(work);
    let others = (0..from.len()).filter(|number| !moving.contains(number) && moves(number));
    let others: Vec<usize> =
        others.filter(|&number| work.robot.variables()[number].mimic.is_none()).collect();
    moving.extend(others);
    if from == to {
        moving.clear();
    }
    Ok(([from, to], moving))
}

/// Names the files of a certificate.
type AddSources<'a> = dyn Fn(&mut Writer) -> Result<()> + 'a;

fn find(
    arguments: &Arguments,
    task: Task<'_>,
    goals: Option<&goal::Goals>,
    add_sources: &AddSources<'_>,
) -> Result<Verdict> {
    let Task { robot, cell, others, .. } = task;
    let kept = task.constraints.first().copied();
    ensure!(!task.moving.is_empty(), "the start is the goal; give another --to");
    let active = cell.pairs().iter().filter(|pair| matches!(pair.rule, PairRule::Checked { .. })).count();
    let asked = super::asked(active, 1)?;
    let Arguments { steps, seed, time, shorten, .. } = *arguments;
    let tip = goals.map_or(robot.tip(), goal::Goals::tip);
    let deviation = arguments.driven.tool_deviation();
    let wide = if deviation > 0.0 { Some(cell.with_tool_deviation([0, tip], deviation)?) } else { None };
    let roomy = wide.as_ref().unwrap_or(cell);
    let progress = Progress::of_time("planning");
    let (mut report, outcome) = search(Task { cell: roomy, ..task }, Limits { steps, seed, time, shorten })?;
    if let (Some(reason), Some(_)) = (&mut report.reason, &wide) {
        let _ = write!(reason, "; the tool may be off its place by {} m", short(deviation));
    }
    report.goal = goals.and_then(|goals| goal::goal_report(robot, goals, &report.configurations));
    report.upright = kept.map(|kept| goal::upright_report(cell, robot, &kept, &report.configurations));
    if let (Some(path), true) = (&arguments.driven.trajectory, report.found) {
        report.driven = Some(driven::write(&arguments.driven, path, (roomy, others, tip), &report)?);
    }
    drop(progress);
    if let (Some(path), true) = (&arguments.write, report.found) {
        output::write_file(path, written(path, robot, &report)?.as_bytes())?;
    }
    if let (Some(path), true) = (&arguments.certificate, report.found) {
        let whole = report.configurations.iter().map(|own| [own, others].concat());
        let mut writer = super::prove::collision_free(cell, &whole.collect::<Vec<_>>(), false, Vec::new())?;
        add_sources(&mut writer)?;
        writer.write_all(path)?;
    } else if let Some(path) = &arguments.certificate {
        output::warn(&format!("{}: no certificate is written, as no path was found", path.display()));
    }
    if let Some(path) = &arguments.html {
        output::write_file(path, plan_page(cell, others, &report)?.html().as_bytes())?;
    }
    let mut text = text(&report);
    let margin = arguments.margin.of_unit(Units::Metre);
    if margin > 0.0 {
        let _ = writeln!(text, "margin {} m", short(margin));
    }
    text += &goal::text(report.goal.as_ref(), report.upright.as_ref());
    text += &report.driven.as_ref().map_or(String::new(), driven::text);
    arguments.subject.deliver("robot-plan", &report, &report.warnings, &text)?;
    Ok(Verdict::new(outcome, asked))
}

/// Searches a path; the report has it, or the reason why there is none.
pub(crate) fn search(task: Task<'_>, limits: Limits) -> Result<(Report, Outcome)> {
    let clock = SteadyClock::start();
    let Task { robot, cell, others, start, goals, moving, constraints, warnings } = task;
    let from = [&start[..], others].concat();
    let goals: Vec<Vec<f64>> = goals.iter().map(|goal| [goal, others].concat()).collect();
    let start = Some(start);
    let begun = clock.now();
    let stop = || clock.now().saturating_sub(begun) >= limits.time;
    let effort = Effort { steps: limits.steps, seed: limits.seed, searches: 1, stop: &stop };
    let options = JointOptions {
        effort,
        shorten: limits.shorten,
        constraints: &constraints,
        ..JointOptions::default()
    };
    let mut report = Report {
        robot: robot.name().to_owned(),
        found: false,
        proven: false,
        reason: None,
        blocked_by: Vec::new(),
        joints: robot.variables().iter().map(|variable| variable.name.clone()).collect(),
        configurations: Vec::new(),
        times_s: Vec::new(),
        cost: None,
        steps: 0,
        seed: limits.seed,
        seconds: 0.0,
        driven: None,
        goal: None,
        upright: None,
        warnings,
        start,
    };
    let outcome = match plan_to_goals(cell, &from, &goals, &moving, &options) {
        Ok(outcome) => {
            report.steps = outcome.steps;
            match outcome.path {
                Some(way) => {
                    (report.found, report.proven, report.cost) = (true, true, Some(way.cost));
                    report.times_s = segment_times(robot, &way.configurations);
                    report.configurations = way.configurations;
                    let own = robot.variables().len();
                    report.configurations.iter_mut().for_each(|values| values.truncate(own));
                    Outcome::Free
                }
                None => {
                    report.reason =
                        Some("no path was found within the budget, which proves nothing".to_owned());
                    Outcome::Undecided
                }
            }
        }
        Err(error @ (JointPlanError::NotFree { .. } | JointPlanError::Constraint { .. })) => {
            report.reason = Some(error.to_string());
            report.proven = true;
            if let JointPlanError::NotFree { pair, .. } = error {
                report.blocked_by.push(pair);
            }
            Outcome::Touching
        }
        Err(error) => return Err(error.into()),
    };
    report.seconds = clock.now().saturating_sub(begun).as_secs_f64();
    Ok((report, outcome))
}

/// A configuration as people name it.
pub(crate) fn configuration(
    text: &str,
    robot: &Robot,
    srdf: Option<&Srdf>,
    base: &[f64],
    last: bool,
) -> Result<Vec<f64>> {
    let mut values = base.to_vec();
    let state = srdf.and_then(|srdf| srdf.states.iter().find(|state| state.name == text));
    let named = match state {
        Some(state) => state.values.clone(),
        None if text.contains('=') => named_values(text, robot)?,
        None if Path::new(text).is_file() => {
            let table = load_states(text, robot)?;
            let row = if last { table.rows.last() } else { table.rows.first() };
            return row.cloned().with_context(|| format!("{text} holds no configuration"));
        }
        None => {
            let number = |(place, part): (usize, &str)| {
                let (value, unit) = quantity::joint_value(part).ok()?;
                let movement = robot.variables().get(place).map(|variable| variable.movement);
                movement
                    .is_none_or(|movement| super::unit_fits(part, unit, movement).is_ok())
                    .then_some(value)
            };
            let numbers: Option<Vec<f64>> = text.split(',').enumerate().map(number).collect();
            let Some(numbers) = numbers else {
                let states: Vec<&str> =
                    srdf.iter().flat_map(|srdf| &srdf.states).map(|state| state.name.as_str()).collect();
                let states =
                    if states.is_empty() { String::new() } else { format!(" ({})", states.join(", ")) };
                bail!(
                    "`{text}` is no configuration; give JOINT=VALUE,..., numbers for the first joints, a state of the \
                     SRDF{states}, or a file"
                );
            };
            ensure!(numbers.len() <= values.len(), "{} numbers for {} joints", numbers.len(), values.len());
            values[..numbers.len()].copy_from_slice(&numbers);
            robot.apply_laws(&mut values);
            return Ok(values);
        }
    };
    for (name, value) in named {
        let (name, factor) = match name.strip_suffix("_deg") {
            Some(bare) if robot.variable(bare).is_some() => (bare.to_owned(), 1f64.to_radians()),
            _ => (name, 1.0),
        };
        match robot.variable(&name) {
            Some(number) => values[number] = factor * value,
            // A state may place the base, which is no joint of the description.
            None if state.is_some() => {}
            None => bail!("the robot has no joint `{name}`"),
        }
    }
    robot.apply_laws(&mut values);
    Ok(values)
}

/// Describes the result in a line.
pub(crate) fn verdict(report: &Report) -> String {
    match (&report.cost, &report.reason) {
        (Some(cost), _) => format!(
            "{}: a path of {}, proven free at every moment; {} rad long, {:.2} s within limits",
            report.robot,
            output::plural(report.configurations.len(), "configuration", "configurations"),
            short(*cost),
            report.times_s.last().copied().unwrap_or(0.0),
        ),
        (None, reason) => {
            format!("{}: {}", report.robot, reason.as_deref().unwrap_or("no path was found"))
        }
    }
}

fn text(report: &Report) -> String {
    let mut text = verdict(report) + "\n";
    if report.found {
        text.push('\n');
        let header = ["time"].into_iter().map(str::to_owned).chain(report.joints.iter().cloned());
        let mut table = Table::new(0, header);
        for (values, time) in report.configurations.iter().zip(&report.times_s) {
            let row = std::iter::once(format!("{time:.3}")).chain(values.iter().map(|x| short(*x)));
            table.row(row);
        }
        text += &table.to_string();
    }
    let edges = output::plural(report.steps as usize, "edge", "edges");
    let _ = writeln!(text, "\n{edges} tested in {:.3} s; seed {}.", report.seconds, report.seed);
    text
}
