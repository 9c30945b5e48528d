//! `noli robot follow`: lines and arcs of the tool with blends, followed with a proven path error.

use super::tool::Tool;
use super::{Subject, heading};
use crate::limits::TimeLimit;
use crate::output::{self, Progress, short};
use crate::{Outcome, Verdict};
use anyhow::{Context, Result, anyhow, bail, ensure};
use noli::Pose;
use noli_ask::quantity::{self, Length};
use noli_formats::Units;
use noli_project::report::RobotSubject;
use noli_robot::cell::MotionStatus;
use noli_robot::{BlendRadius, FollowOptions, JointCurve, Robot, ToolPath};
use serde::Serialize;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

/// Follow lines and arcs with the tool of a robot: a trajectory with a proven path error, proven collision-free as driven.
///
/// Exit code 0: collision-free; 1: in collision; 3: too close to be decided.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(super) subject: Subject,
    /// Start: `JOINT=VALUE,...`, numbers, the name of a state of the SRDF, or a file of configurations.
    #[arg(long, value_name = "WHERE", allow_hyphen_values = true)]
    from: String,
    /// A move of the tool in the frame of the robot's root: `line:x,y,z`, `line:x,y,z,qx,qy,qz,qw`, `by:x,y,z` from the
    /// present place, `arc:x,y,z:x,y,z` through a point, or `blend:5cm` (a parabola from this distance on) and
    /// `round:5cm` (an arc of this radius), which round the path between two lines. Poses without a quaternion keep the
    /// orientation. Repeatable, in order.
    #[arg(long = "move", value_name = "MOVE", required = true, allow_hyphen_values = true)]
    moves: Vec<String>,
    /// The link that is the tool; by default the tip of the longest chain of an SRDF group, or of the
    /// robot, before its gripper.
    #[arg(long, value_name = "LINK")]
    tip: Option<String>,
    /// Largest path error, in metres or with a unit, such as 0.1mm.
    #[arg(long, value_name = "LENGTH", default_value = "0.1mm", value_parser = quantity::positive_length)]
    tolerance: Length,
    /// Radius around the tool's origin of the points that keep to the path, orientation included.
    #[arg(long, value_name = "LENGTH", default_value = "0", value_parser = quantity::length)]
    tool_radius: Length,
    /// Largest speed of the tool along the path, in metres a second.
    #[arg(long, value_name = "M/S", default_value_t = 0.25)]
    speed: f64,
    /// Write the trajectory (.csv) with positions and velocities, as `robot check --trajectory` takes it.
    #[arg(long, value_name = "FILE")]
    trajectory: Option<PathBuf>,
    #[command(flatten)]
    limit: TimeLimit,
}

#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    subject: RobotSubject,
    link: String,
    outcome: Outcome,
    /// Path error that is allowed, and the one that is proven, in metres.
    tolerance: f64,
    deviation: f64,
    /// Length of the path of the tool, in metres.
    length: f64,
    duration_s: f64,
    /// Times of lines, arcs and blends, in seconds.
    segments: Vec<[f64; 2]>,
    points: usize,
    /// Blends and rounded corners, in order.
    blends: Vec<Blend>,
    contact: Option<Contact>,
    warnings: Vec<String>,
}

/// Radius of a blend: less is driven than wanted where a line is too short.
#[derive(Serialize)]
struct Blend {
    /// The segment, counted from 1.
    segment: usize,
    wanted: f64,
    radius: f64,
}

#[derive(Serialize)]
struct Contact {
    links: [String; 2],
    time_s: f64,
    point: Option<[f64; 3]>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Verdict> {
    let time = arguments.limit.start();
    ensure!(
        arguments.speed > 0.0 && arguments.speed.is_finite(),
        "--speed {}: give a speed above 0",
        arguments.speed
    );
    let loaded = arguments.subject.load_shapes()?;
    let from_file = [PathBuf::from(&arguments.from)];
    loaded.refuse_to_overwrite(&arguments.subject, &from_file, [&arguments.trajectory])?;
    let robot = Arc::new(loaded.robot.robot.clone());
    let Tool { link: tip, remark } =
        super::tool::tip(arguments.tip.as_deref(), &robot, loaded.srdf.as_ref())?;
    let asked = super::asked(loaded.report.active_pairs, 1)?;
    let zero = robot.neutral().0;
    let start = super::plan::configuration(&arguments.from, &robot, loaded.srdf.as_ref(), &zero, false)?;
    robot.check_limits(&start).context("--from")?;
    let path = tool_path(&robot, tip, &start, &arguments.moves)?;
    let mut options = FollowOptions::new(tip);
    options.tolerance = arguments.tolerance.of_unit(Units::Metre);
    options.radius = arguments.tool_radius.of_unit(Units::Metre);
    options.speed = arguments.speed;
    let progress = Progress::of_time("following the path");
    let followed = path.follow(&robot, &start, &options)?;
    within_limits(&robot, &followed.curve)?;
    let mut checker = loaded.cell().checker();
    let status = checker.check_curve(&followed.curve)?;
    drop(progress);
    let (outcome, found) = match status {
        MotionStatus::Free => (Outcome::Free, None),
        MotionStatus::Blocked { at, pair } => (Outcome::Touching, Some((at, pair))),
        MotionStatus::Close { at, pair } => (Outcome::Undecided, Some((at, pair))),
    };
    let contact = match found {
        Some((at, pair)) => {
            let time = followed.curve.time_at(at);
            let point = checker.meeting_point(&followed.curve.position(time), pair)?;
            let links = loaded.cell().pair_names(pair).map(str::to_owned);
            Some(Contact { links, time_s: time, point: point.map(|point| point.to_array()) })
        }
        None => None,
    };
    drop(time);
    if let Some(path) = &arguments.trajectory {
        output::write_file(path, csv(&robot, &followed.curve).as_bytes())?;
    }
    let report = Report {
        subject: loaded.report.clone(),
        link: robot.links()[tip].name.clone(),
        outcome,
        tolerance: options.tolerance,
        deviation: followed.deviation,
        length: path.length(),
        duration_s: followed.curve.duration(),
        points: followed.curve.knots().len(),
        segments: followed.segments,
        blends: path.blends().map(blend).collect(),
        contact,
        warnings: loaded.warnings.iter().cloned().chain(remark).collect(),
    };
    arguments.subject.deliver("robot-follow", &report, &report.warnings, &text(&report))?;
    Ok(Verdict::new(outcome, asked))
}

fn blend((segment, radius): (usize, BlendRadius)) -> Blend {
    Blend { segment: segment + 1, wanted: radius.wanted, radius: radius.driven }
}

/// Refuses a curve on which a joint leaves its range.
fn within_limits(robot: &Robot, curve: &JointCurve) -> Result<()> {
    for (number, variable) in robot.variables().iter().enumerate() {
        let Some([lower, upper]) = variable.limits.range else { continue };
        let [low, high] = curve.derivative_range(number, 0);
        let slack = 1e-6 * (1.0 + lower.abs().max(upper.abs()));
        ensure!(
            low >= lower - slack && high <= upper + slack,
            "`{}` goes from {} to {} on the path, beyond its limits {} to {}; begin on another branch",
            variable.name,
            short(low),
            short(high),
            short(lower),
            short(upper)
        );
    }
    Ok(())
}

/// The moves of the tool from a configuration.
fn tool_path(robot: &Robot, tip: usize, start: &[f64], moves: &[String]) -> Result<ToolPath> {
    let mut poses = vec![Pose::IDENTITY; robot.links().len()];
    robot.link_poses(start, &mut poses);
    let mut path = ToolPath::starting(poses[tip]);
    for text in moves {
        let at = |error| anyhow!("--move `{text}`: {error}");
        let pose = |words: &str| -> Result<Pose> {
            let pose = super::pose("--move", words)?;
            let keeps = words.split(',').count() == 3;
            Ok(if keeps { Pose::new(path.end().rotation, pose.translation) } else { pose })
        };
        match text.split([':', ' ']).collect::<Vec<_>>()[..] {
            ["line", to] => {
                let to = pose(to)?;
                path.line_to(to).map_err(at)?;
            }
            ["by", by] => {
                let by = super::pose("--move", by)?.translation;
                let to = Pose::new(path.end().rotation, path.end().translation + by);
                path.line_to(to).map_err(at)?;
            }
            ["arc", via, to] => {
                let (via, to) = (super::pose("--move", via)?.translation, pose(to)?);
                path.arc_to(via, to).map_err(at)?;
            }
            [kind @ ("blend" | "round"), radius] => {
                let radius = quantity::length(radius).map_err(|error| anyhow!("--move `{text}`: {error}"))?;
                let radius = radius.of_unit(Units::Metre);
                if kind == "blend" { path.blend(radius) } else { path.round(radius) }.map_err(at)?;
            }
            _ => bail!(
                "--move `{text}`: write line:POSE, by:x,y,z, arc:POINT:POSE, blend:RADIUS or round:RADIUS"
            ),
        }
    }
    Ok(path)
}

/// Positions and velocities at the knots: a controller that interpolates them drives the same curve.
fn csv(robot: &Robot, curve: &JointCurve) -> String {
    let names: Vec<&str> = robot.variables().iter().map(|variable| variable.name.as_str()).collect();
    let rates: Vec<String> = names.iter().map(|name| format!("{name}_velocity")).collect();
    let mut text = format!("time,{},{}\n", names.join(","), rates.join(","));
    for &time in curve.knots() {
        let row = [curve.position(time), curve.derivative(time, 1)].concat();
        let row: Vec<String> = row.iter().map(f64::to_string).collect();
        let _ = writeln!(text, "{time},{}", row.join(","));
    }
    text
}

fn text(report: &Report) -> String {
    let mut text = heading(&report.subject);
    let segments = output::plural(report.segments.len(), "segment", "segments");
    let _ = writeln!(
        text,
        "\n{}: {segments}, {} m in {} s, {} points; path error at most {:.2e} m, proven ({} m allowed)",
        report.link,
        short(report.length),
        short(report.duration_s),
        report.points,
        report.deviation,
        short(report.tolerance)
    );
    for Blend { segment, wanted, radius } in report.blends.iter().filter(|blend| blend.radius < blend.wanted)
    {
        let (wanted, radius) = (short(*wanted), short(*radius));
        let _ =
            writeln!(text, "segment {segment} is blended by {radius} m, not {wanted} m: a line is too short");
    }
    let verdict = match (&report.contact, report.outcome) {
        (Some(contact), outcome) => {
            let verb = if outcome == Outcome::Touching { "collides" } else { "is too close to be decided" };
            let point = contact.point.map_or(String::new(), |p| format!(" at {} m", p.map(short).join(" ")));
            format!("{verb} as driven: {} at {} s{point}\n", contact.links.join(" - "), short(contact.time_s))
        }
        (None, _) => "collision-free as driven, proven at every moment\n".to_owned(),
    };
    text + &verdict
}
