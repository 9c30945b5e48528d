//! `noli robot check --trajectory`: a trajectory proven as a controller drives it.

use super::tube::Widened;
use super::{Loaded, heading};
use crate::output::{Progress, Table, plural, short};
use crate::{Outcome, Verdict};
use anyhow::{Context, Result};
use noli::Impact;
use noli_project::load_trajectory;
use noli_project::report::RobotSubject;
use noli_robot::cell::{Cell, Checker, MotionStatus, TubeStatus};
use noli_robot::{Form, Interpolation, JointAxisKind, JointCurve, JointTable, Robot};
use serde::Serialize;
use std::fmt::Write as _;
use std::path::Path;

/// Result of a trajectory.
#[derive(Serialize)]
pub(super) struct Report {
    #[serde(flatten)]
    subject: RobotSubject,
    trajectory: String,
    outcome: Outcome,
    points: usize,
    /// Interpolation between the points: `interpolated` by their data, `spline`, `b-spline`, `trapezoidal` or
    /// `s-curve`.
    form: &'static str,
    /// Polynomial pieces of the curve.
    pieces: usize,
    /// Segments by interpolation; 0 for other forms.
    linear: usize,
    cubic: usize,
    quintic: usize,
    duration_s: f64,
    /// Deviation of each joint for which the motion is proven as well, in radians and metres.
    tracking_error: f64,
    /// Deviation of the points of the tool for which the motion is proven as well, in metres, and the parts of the tool.
    tool_deviation: f64,
    tool: Vec<String>,
    /// Outcome of straight segments between the points, which is not what is driven; `None` if it is.
    straight_segments: Option<Outcome>,
    contact: Option<Contact>,
    /// The smallest clearance along the trajectory, in metres, if requested.
    clearance: Option<Closest>,
    /// Joints that exceed their limits.
    beyond_limits: Vec<Beyond>,
    assumed_zero: Vec<String>,
    ignored_columns: Vec<String>,
    pub(super) warnings: Vec<String>,
}

/// The first contact.
#[derive(Serialize)]
struct Contact {
    links: [String; 2],
    /// `true` if the trajectory itself is proven to collide, and not a deviation from it alone.
    nominal: bool,
    /// Nothing touches before this time, in seconds; `None` where only a deviation collides.
    #[serde(skip_serializing_if = "Option::is_none")]
    safe_until_s: Option<f64>,
    time_s: f64,
    /// The segment, counted from 1.
    segment: usize,
    point: Option<[f64; 3]>,
    /// A configuration within the deviation of the joints in which the links collide.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    deviation: Vec<(String, f64)>,
}

#[derive(Serialize)]
struct Closest {
    at_least: f64,
    at_most: f64,
    time_s: f64,
    links: Option<[String; 2]>,
}

/// A joint that exceeds a limit.
#[derive(Serialize)]
struct Beyond {
    joint: String,
    /// `position`, `velocity` or `acceleration`.
    what: &'static str,
    found: f64,
    limit: f64,
}

/// A query about a trajectory.
pub(super) struct Request<'a> {
    pub(super) path: &'a Path,
    pub(super) tracking_error: f64,
    pub(super) widened: Option<&'a Widened>,
    pub(super) clearance: bool,
}

/// Checks a trajectory as driven; an outcome, and the report.
pub(super) fn check(loaded: &Loaded, request: &Request<'_>) -> Result<Report> {
    let robot = &loaded.robot.robot;
    let table = load_trajectory(request.path, robot)?;
    let shown = request.path.display();
    let curve = table.curve().with_context(|| format!("{shown}"))?;
    // Contacts and clearances are those of the trajectory itself.
    let mut checker = loaded.cell().checker();
    let progress = Progress::of_time("checking the trajectory");
    let tolerance = vec![request.tracking_error; curve.variables()];
    let mut tube = request.widened.map_or(loaded.cell(), |widened| &widened.cell).checker();
    let TubeStatus { status, deviation } = tube.tube(&curve, &tolerance)?;
    let contact = match status {
        MotionStatus::Free => None,
        MotionStatus::Blocked { at, pair } | MotionStatus::Close { at, pair } => {
            let mut contact = first_contact(&mut checker, &curve, at, pair)?;
            if let Some(values) = deviation {
                contact.point = checker.meeting_point(&values, pair)?.map(|point| point.to_array());
                let names = robot.variables().iter().map(|variable| variable.name.clone());
                contact.deviation = names.zip(values).collect();
            }
            Some(contact)
        }
    };
    let clearance = request.clearance.then(|| closest(&mut checker, &curve)).transpose()?;
    let kinds = match table.form {
        Form::Interpolated => table.interpolations(),
        _ => Vec::new(),
    };
    let of = |kind: Interpolation| kinds.iter().filter(|found| **found == kind).count();
    let straight = table.form == Form::Spline || kinds.iter().any(|kind| *kind != Interpolation::Linear);
    let straight_segments = straight.then(|| straight_outcome(&mut checker, &table)).transpose()?;
    drop(progress);
    let mut warnings = loaded.warnings.clone();
    if table.times.is_none() && table.form == Form::Interpolated {
        warnings.push(format!("{shown}: no times; each segment takes as long as its largest change"));
    }
    warnings.extend(request.widened.and_then(|widened| widened.remark.clone()));
    Ok(Report {
        subject: loaded.report.clone(),
        trajectory: shown.to_string(),
        outcome: outcome(status),
        points: table.rows.len(),
        form: table.form.word(),
        pieces: curve.knots().len() - 1,
        linear: of(Interpolation::Linear),
        cubic: of(Interpolation::Cubic),
        quintic: of(Interpolation::Quintic),
        duration_s: curve.duration(),
        tracking_error: request.tracking_error,
        tool_deviation: request.widened.map_or(0.0, |widened| widened.deviation),
        tool: request.widened.map_or(Vec::new(), |widened| widened.tool.clone()),
        straight_segments,
        contact,
        clearance,
        beyond_limits: beyond_limits(robot, &curve),
        assumed_zero: table.assumed_zero,
        ignored_columns: table.ignored_columns,
        warnings,
    })
}

impl Report {
    pub(super) fn is_free(&self) -> bool {
        self.outcome == Outcome::Free
    }

    pub(super) fn verdict(&self, asked: noli_project::report::Asked) -> Verdict {
        Verdict::new(self.outcome, asked)
    }
}

fn outcome(status: MotionStatus) -> Outcome {
    match status {
        MotionStatus::Free => Outcome::Free,
        MotionStatus::Blocked { .. } => Outcome::Touching,
        MotionStatus::Close { .. } => Outcome::Undecided,
    }
}

fn straight_outcome(checker: &mut Checker<'_>, table: &JointTable) -> Result<Outcome> {
    let mut worst = Outcome::Free;
    for two in table.rows.windows(2) {
        match outcome(checker.check_motion(&two[0], &two[1])?) {
            Outcome::Touching => return Ok(Outcome::Touching),
            Outcome::Undecided => worst = Outcome::Undecided,
            Outcome::Free => {}
        }
    }
    Ok(worst)
}

/// The first contact of the curve itself; where that is free, the moment at which its tolerance is not.
fn first_contact(checker: &mut Checker<'_>, curve: &JointCurve, at: f64, pair: usize) -> Result<Contact> {
    let first = checker.first_contact_on_curve(curve)?;
    let (safe, touching, pair) = match first {
        Impact::AtStart(touch) => (Some(0.0), 0.0, touch.pair),
        Impact::At { time, touch } => (Some(time.safe_until), time.touching_by, touch.pair),
        Impact::Unknown { safe_until } => (Some(safe_until), safe_until, pair),
        Impact::Free => (None, at, pair),
    };
    let time = curve.time_at(touching);
    let cell: &Cell = checker.cell();
    let segment = curve.knots()[1..].partition_point(|&knot| knot <= time).min(curve.knots().len() - 2);
    let point = checker.meeting_point(&curve.position(time), pair)?;
    Ok(Contact {
        links: cell.pair_names(pair).map(str::to_owned),
        nominal: matches!(first, Impact::AtStart(_) | Impact::At { .. }),
        deviation: Vec::new(),
        safe_until_s: safe.map(|safe| curve.time_at(safe)),
        time_s: time,
        segment: segment + 1,
        point: point.map(|point| point.to_array()),
    })
}

fn closest(checker: &mut Checker<'_>, curve: &JointCurve) -> Result<Closest> {
    /// Configurations whose clearance is computed at most.
    const MOST: usize = 20_000;
    let found = checker.clearance_along_curve(curve, MOST)?;
    let cell: &Cell = checker.cell();
    Ok(Closest {
        at_least: found.clearance.at_least,
        at_most: found.clearance.at_most,
        time_s: curve.time_at(found.time),
        links: found.pair.map(|pair| cell.pair_names(pair).map(str::to_owned)),
    })
}

/// Samples of each segment for limits.
const SAMPLES: usize = 32;

/// Joints whose positions, velocities or accelerations exceed their limits at samples.
fn beyond_limits(robot: &Robot, curve: &JointCurve) -> Vec<Beyond> {
    let mut times = Vec::new();
    for ends in curve.knots().windows(2) {
        times.extend((0..=SAMPLES).map(|k| ends[0] + (ends[1] - ends[0]) * k as f64 / SAMPLES as f64));
    }
    let mut all = Vec::new();
    for (order, what) in ["position", "velocity", "acceleration"].into_iter().enumerate() {
        let rows: Vec<Vec<f64>> = times.iter().map(|&time| curve.derivative(time, order)).collect();
        for (number, variable) in robot.variables().iter().enumerate() {
            let limits = &variable.limits;
            let range = match order {
                0 => limits.range,
                1 => limits.velocity.map(|most| [-most, most]),
                _ => limits.acceleration.map(|most| [-most, most]),
            };
            let Some([low, high]) = range else { continue };
            let beyond = |row: &Vec<f64>| (low - row[number]).max(row[number] - high);
            let worst = rows.iter().max_by(|a, b| beyond(a).total_cmp(&beyond(b)));
            if let Some(row) = worst.filter(|row| beyond(row) > 1e-6 * (1.0 + high.abs())) {
                let (found, joint) = (row[number], variable.name.clone());
                all.push(Beyond { joint, what, found, limit: if found > high { high } else { low } });
            }
        }
    }
    all
}

/// The table of a report.
pub(super) fn text(report: &Report, robot: &Robot) -> String {
    let mut text = heading(&report.subject);
    for (names, what) in
        [(&report.assumed_zero, "taken as 0"), (&report.ignored_columns, "no joint, left aside")]
    {
        if !names.is_empty() {
            let _ = writeln!(text, "{what}: {}", names.join(", "));
        }
    }
    let kinds = [(report.linear, "linear"), (report.cubic, "cubic"), (report.quintic, "quintic")];
    let kinds: Vec<String> =
        kinds.iter().filter(|(count, _)| *count > 0).map(|(count, name)| format!("{count} {name}")).collect();
    let driven = match report.form {
        "interpolated" => format!("interpolated as driven: {}", kinds.join(", ")),
        form => format!("driven as {form} of {}", plural(report.pieces, "piece", "pieces")),
    };
    let points = plural(report.points, "point", "points");
    let _ = writeln!(text, "\n{}: {points}, {} s, {driven}", report.trajectory, short(report.duration_s));
    if !report.beyond_limits.is_empty() {
        let mut table = Table::new(2, ["joint", "limit of", "found", "limit"]);
        for Beyond { joint, what, found, limit } in &report.beyond_limits {
            table.row([joint.clone(), (*what).to_owned(), short(*found), short(*limit)]);
        }
        let _ = write!(text, "\n{table}\n");
    }
    if let Some(Closest { at_least, at_most, time_s, links }) = &report.clearance {
        let links = links.as_ref().map_or(String::new(), |links| format!(": {}", links.join(" - ")));
        let (low, high) = (short(*at_least), short(*at_most));
        let _ = writeln!(text, "clearance {low} to {high} m at {} s{links}", short(*time_s));
    }
    text + &conclusion(report, robot)
}

fn conclusion(report: &Report, robot: &Robot) -> String {
    let slides = robot.variables().iter().any(|variable| variable.movement == JointAxisKind::Slide);
    let mut within = Vec::new();
    if report.tracking_error > 0.0 {
        let unit = if slides { "rad or m" } else { "rad" };
        within.push(format!(" within {} {unit} of each joint", short(report.tracking_error)));
    }
    if report.tool_deviation > 0.0 {
        within.push(format!(" within {} m of each point of the tool", short(report.tool_deviation)));
    }
    let within = within.join(" and");
    let mut text = match &report.contact {
        None => format!("collision-free as driven{within}, proven at every moment\n"),
        Some(contact) => {
            let point = contact.point.map_or(String::new(), |p| format!(" at {} m", p.map(short).join(" ")));
            let verb =
                if report.outcome == Outcome::Touching { "collides" } else { "is too close to be decided" };
            let safe = contact.safe_until_s.map(short);
            let safe = safe.map_or(String::new(), |safe| format!(" (nothing touches before {safe} s)"));
            format!(
                "{verb} as driven{within}: {} in segment {}, at {} s{safe}{point}\n",
                contact.links.join(" - "),
                contact.segment,
                short(contact.time_s),
            )
        }
    };
    let deviation = report.contact.iter().flat_map(|contact| &contact.deviation);
    let deviation: Vec<String> = deviation.map(|(name, value)| format!("{name}={value:.6}")).collect();
    if !deviation.is_empty() {
        text += &format!("a deviation that collides: {}\n", deviation.join(","));
    }
    let collides = report.contact.as_ref().is_some_and(|contact| contact.nominal);
    if collides && report.straight_segments == Some(Outcome::Free) {
        text += "straight segments between the points are collision-free: the interpolation collides\n";
    }
    text
}
