//! `noli robot check`: which links collide in which configurations.

use super::tube::Tube;
use super::{Loaded, SECOND, Subject, heading, trajectory};
use crate::Verdict;
use crate::limits::Limits;
use crate::output::{Progress, Table, plural, short};
use anyhow::{Context, Result, ensure};
use noli::Pose;
use noli_ask::{Check, CheckedPairs, Opened};
use noli_formats::Units;
use noli_pages::{CheckPage, MOST_SEGMENTS, Up};
use noli_project::report::{RobotCheckReport, StateReport};
use noli_project::{check_states, load_robot, load_srdf, load_states_of, srdf_warnings, stage_configuration};
use noli_robot::cell::Cell;
use noli_robot::{JointTable, Robot};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering::Relaxed;
use std::time::Instant;

/// Find the colliding links in each configuration of a file.
///
/// The first row of a CSV file names the joints (radians and metres; NAME_deg is in degrees); lists of positions and
/// states in YAML or JSON are read too. Joints without a column are 0. A trajectory is a motion: give it with
/// --trajectory.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(super) subject: Subject,
    /// The configurations. A robot without a moving joint has one, and needs no file.
    #[arg(long, value_name = "FILE")]
    states: Option<PathBuf>,
    /// A trajectory instead: its motion is proven as a ROS controller drives it, or as its file says (docs/driven.md).
    /// Positions are joined by straight segments in joint space, with velocities by cubics, with accelerations as well by
    /// quintics.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["states", "second", "html", "rows"])]
    trajectory: Option<PathBuf>,
    #[command(flatten)]
    tube: Tube,
    /// Refuse configurations beyond the joint limits; without, they are checked with a warning.
    #[arg(long, conflicts_with = "trajectory")]
    within_limits: bool,
    /// Also how close the nearest links are.
    #[arg(long)]
    clearance: bool,
    /// Another robot in the same cell, by its URDF file or DH table. Its links and columns are called after it:
    /// `second/NAME`.
    #[arg(long, value_name = "ROBOT")]
    second: Option<PathBuf>,
    /// Base pose of the second robot: `x,y,z` or `x,y,z,qx,qy,qz,qw` in metres.
    #[arg(long, value_name = "POSE", requires = "second", allow_hyphen_values = true)]
    second_at: Option<String>,
    /// The second robot's SRDF.
    #[arg(long, value_name = "FILE", requires = "second")]
    second_srdf: Option<PathBuf>,
    /// Write a page for the browser with the robot in its first configuration that collides, or else the first
    /// of all.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write a certificate of every configuration, free or in collision, or of a trajectory: a proof that other programs
    /// check (docs/certificates.md).
    #[arg(long, value_name = "FILE")]
    certificate: Option<PathBuf>,
    /// Rows of the table at most; JSON is always complete.
    #[arg(long, value_name = "N", default_value_t = 40)]
    rows: usize,
    #[command(flatten)]
    limits: Limits,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Verdict> {
    let running = arguments.limits.start()?;
    let mut loaded = arguments.subject.load_shapes()?;
    if let Some(path) = &arguments.second {
        add_second(arguments, path, &mut loaded)?;
    }
    let inputs = [&arguments.states, &arguments.trajectory, &arguments.second, &arguments.second_srdf];
    let inputs: Vec<PathBuf> = inputs.into_iter().flatten().cloned().collect();
    loaded.refuse_to_overwrite(&arguments.subject, &inputs, [&arguments.html, &arguments.certificate])?;
    loaded.refuse_tessellated(arguments.certificate.as_deref())?;
    let loaded = loaded;
    let asked = |rows: usize| super::asked(loaded.report.active_pairs, rows);
    asked(1)?;
    if let Some(path) = &arguments.trajectory {
        return check_trajectory(arguments, path, &loaded);
    }
    let robot = &loaded.robot.robot;
    let second = loaded.second.as_ref().map(|(second, ..)| &second.robot);
    let table = states(arguments, robot, second)?;
    let asked = asked(table.rows.len())?;
    let all: Vec<f64> = table.rows.concat();
    let cell = loaded.cell();
    // What is made once for many configurations is not theirs.
    if table.rows.len() >= 4000 {
        cell.prepare();
    }
    let progress = Progress::of_time("checking configurations");
    let start = Instant::now();
    // The rate alone; a limited time is left to the answers.
    if !running.is_timed() {
        cell.check_states(&all)?;
    }
    let took = start.elapsed().as_secs_f64();
    let is_over = || running.is_over().load(Relaxed);
    let mut report = check_states(cell, &table, loaded.report.clone(), arguments.clearance, &is_over)?;
    drop(progress);
    let took = if running.is_timed() { start.elapsed().as_secs_f64() } else { took };
    report.summary.per_second = table.rows.len() as f64 / took.max(1e-9);
    report.warnings = loaded.warnings.clone();
    let untested = report.states.iter().filter(|state| !state.free && !is_listed(state)).count();
    if let (1.., Some(limit)) = (untested, running.reached()) {
        let many = plural(untested, "configuration is", "configurations are");
        report.warnings.push(format!("{limit} was reached: {many} not tested"));
    }
    let own = robot.variables().len();
    let within = |row: &Vec<f64>| {
        robot.check_limits(&row[..own]).is_ok()
            && second.is_none_or(|second| second.check_limits(&row[own..]).is_ok())
    };
    let beyond: Vec<usize> =
        (1..).zip(&table.rows).filter_map(|(number, row)| (!within(row)).then_some(number)).collect();
    if !beyond.is_empty() {
        report.warnings.push(beyond_limits(&beyond));
    }
    ensure!(beyond.is_empty() || !arguments.within_limits, "--within-limits: {}", beyond_limits(&beyond));
    if table.times.is_some() {
        let text =
            "the rows have times: only the rows were checked, --trajectory checks the motion between them";
        report.warnings.push(text.to_owned());
    }
    arguments.subject.deliver("robot-check", &report, &report.warnings, &text(&report, arguments.rows))?;
    if let Some(path) = &arguments.html {
        let worst = report.states.iter().position(|state| !state.free).unwrap_or(0);
        let html = page(cell, &report, worst, &table.rows[worst])?;
        crate::output::write_file(path, html.as_bytes())?;
    }
    if let Some(path) = &arguments.certificate {
        let pairs = |state: &StateReport| state.pairs.iter().map(|pair| pair.links.clone()).collect();
        let states: Vec<(Vec<f64>, Vec<[String; 2]>)> =
            table.rows.iter().cloned().zip(report.states.iter().map(pairs)).collect();
        let mut writer = super::prove::configurations(cell, &states)?;
        super::prove::add_sources(&mut writer, &loaded, &arguments.subject)?;
        writer.write_proven(path)?;
    }
    Ok(Verdict::new(report.outcome, asked))
}

/// Names the rows beyond the limits, the first of them.
fn beyond_limits(rows: &[usize]) -> String {
    const SHOWN: usize = 8;
    let shown: Vec<String> = rows.iter().take(SHOWN).map(usize::to_string).collect();
    let more = if rows.len() > SHOWN { format!(" and {} more", rows.len() - SHOWN) } else { String::new() };
    format!("beyond the joint limits: configuration {}{more}", shown.join(", "))
}

/// The configurations of the file, of the demo, or the only one of robots that do not move.
fn states(arguments: &Arguments, robot: &Robot, second: Option<&Robot>) -> Result<JointTable> {
    match &arguments.states {
        Some(path) => {
            let robots = std::iter::once(("", robot)).chain(second.map(|second| (SECOND, second)));
            Ok(load_states_of(path, &robots.collect::<Vec<_>>())?)
        }
        None if arguments.subject.demo => Ok(demo_states([Some(robot), second])),
        None => {
            let moves = |robot: &Robot| !robot.variables().is_empty();
            ensure!(
                !moves(robot) && !second.is_some_and(moves),
                "which configurations? give a file of them with --states FILE"
            );
            Ok(JointTable { rows: vec![Vec::new()], ..JointTable::default() })
        }
    }
}

/// Adds the second robot to the cell.
fn add_second(arguments: &Arguments, path: &Path, loaded: &mut Loaded) -> Result<()> {
    let second = load_robot(path, &arguments.subject.options())?;
    let srdf = arguments.second_srdf.as_ref().map(|path| load_srdf(path, &second.robot)).transpose()?;
    let place = arguments.second_at.as_deref().map(|text| super::pose("--second-at", text));
    let shown = path.display();
    let more = second.warnings.iter().map(|warning| format!("{shown}: {}", warning.text));
    loaded.warnings.extend(more);
    if let (Some(srdf), Some(path)) = (&srdf, &arguments.second_srdf) {
        loaded.warnings.extend(srdf_warnings(srdf, path));
    }
    if srdf.is_none() {
        let text = "no SRDF: pairs of its links that a joint joins are disabled";
        loaded.warnings.push(format!("{shown}: {text}"));
    }
    loaded.second = Some((second, srdf, place.transpose()?.unwrap_or(Pose::IDENTITY)));
    let (source, srdf) = (loaded.report.source.clone(), loaded.report.srdf.clone());
    loaded.replan(&source, srdf.as_deref())
}

/// Checks a trajectory in place of configurations.
fn check_trajectory(arguments: &Arguments, path: &Path, loaded: &Loaded) -> Result<Verdict> {
    let (tracking_error, clearance) = (arguments.tube.tracking_error, arguments.clearance);
    let time = arguments.limits.start_whole();
    let widened = arguments.tube.widened(loaded)?;
    let request = trajectory::Request { path, tracking_error, widened: widened.as_ref(), clearance };
    let report = trajectory::check(loaded, &request)?;
    drop(time);
    let text = trajectory::text(&report, &loaded.robot.robot);
    arguments.subject.deliver("robot-trajectory", &report, &report.warnings, &text)?;
    if let Some(target) = &arguments.certificate {
        ensure!(
            report.is_free(),
            "{}: no certificate is written, as the trajectory is not collision-free",
            target.display()
        );
        let cell = widened.as_ref().map_or(loaded.cell(), |widened| &widened.cell);
        let curve = (&loaded.robot.robot, path, tracking_error);
        let mut writer = super::prove::trajectory(cell, curve, Vec::new())?;
        super::prove::add_sources(&mut writer, loaded, &arguments.subject)?;
        writer.add_source(path, "other")?;
        writer.write_all(target)?;
    }
    Ok(report.verdict(super::asked(loaded.report.active_pairs, 1)?))
}

/// The robot in one configuration.
fn page(cell: &Cell, report: &RobotCheckReport, number: usize, values: &[f64]) -> Result<String> {
    let staged = stage_configuration(cell, values)?;
    let title = format!("{}, configuration {}", report.subject.source, number + 1);
    let opened = Opened::of_staged(&title, Some(Units::Metre), staged);
    let question = Check { measure: false, pictured: MOST_SEGMENTS, ..Check::default() };
    let CheckedPairs { opened, result, report: found, .. } =
        question.compare(opened, &noli_ask::Context::default())?;
    let summary = format!(
        "{} of {} collide; this is number {}",
        report.summary.colliding,
        plural(report.summary.states, "configuration", "configurations"),
        number + 1
    );
    let page =
        CheckPage { staged: &opened.staged, result: &result, report: &found, summary: &summary, up: Up::Z };
    Ok(noli_pages::check_page(&page).context("cannot write the page")?.html())
}

/// Two hundred configurations all over the limits.
fn demo_states(robots: [Option<&Robot>; 2]) -> JointTable {
    let mut state = 5u64;
    let mut share = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 * 2f64.powi(-53)
    };
    let mut row = || {
        let value = |range: Option<[f64; 2]>| {
            let [low, high] = range.unwrap_or([-3.0, 3.0]);
            low + (high - low) * share()
        };
        let variables = robots.iter().flatten().flat_map(|robot| robot.variables());
        variables.map(|variable| variable.limits.range).map(value).collect()
    };
    JointTable { rows: (0..200).map(|_| row()).collect(), ..JointTable::default() }
}

/// Returns `true` if a pair collides or is undecided.
fn is_listed(state: &StateReport) -> bool {
    !state.pairs.is_empty() || !state.undecided.is_empty()
}

fn text(report: &RobotCheckReport, rows: usize) -> String {
    let mut text = heading(&report.subject);
    for (names, what) in
        [(&report.assumed_zero, "taken as 0"), (&report.ignored_columns, "no joint, left aside")]
    {
        if !names.is_empty() {
            let _ = writeln!(text, "{what}: {}", names.join(", "));
        }
    }
    let clearances = report.states.iter().any(|state| state.clearance.is_some());
    let worth = |state: &&(usize, &StateReport)| is_listed(state.1) || state.1.clearance.is_some();
    let listed: Vec<(usize, &StateReport)> =
        report.states.iter().enumerate().filter(|state| worth(&state)).collect();
    if !listed.is_empty() && rows > 0 {
        let header = ["state", "links", "point (m)"].into_iter();
        let mut table = Table::new(2, header.chain(clearances.then_some("clearance (m)")));
        for (number, state) in listed.iter().take(rows) {
            let clearance =
                state.clearance.as_ref().map_or(String::new(), |clearance| short(clearance.at_least));
            for (k, pair) in state.pairs.iter().enumerate() {
                let number = if k == 0 { (number + 1).to_string() } else { String::new() };
                let point = pair.point.map_or(String::new(), |p| p.map(short).join(" "));
                let clearance = if k == 0 { clearance.clone() } else { String::new() };
                table.row([number, pair.links.join(" - "), point, clearance]);
            }
            for pair in &state.undecided {
                table.row([
                    (number + 1).to_string(),
                    format!("{} ?", pair.join(" - ")),
                    String::new(),
                    clearance.clone(),
                ]);
            }
            if state.free {
                let near = state.clearance.as_ref().and_then(|clearance| clearance.links.as_ref());
                let near = near.map_or(String::new(), |links| format!("nearest: {}", links.join(" - ")));
                table.row([(number + 1).to_string(), near, String::new(), clearance]);
            }
        }
        let _ = write!(text, "\n{}", table.fitted(1..2));
        if listed.len() > rows {
            let _ = writeln!(text, "... and {} more (--rows)", listed.len() - rows);
        }
    }
    let summary = &report.summary;
    let undecided = match summary.undecided {
        0 => String::new(),
        count => format!(", {count} undecided"),
    };
    let _ = writeln!(
        text,
        "\n{}: {} colliding{undecided}, {} free; {:.0} a second",
        plural(summary.states, "configuration", "configurations"),
        summary.colliding,
        summary.states - summary.colliding - summary.undecided,
        summary.per_second
    );
    text
}
