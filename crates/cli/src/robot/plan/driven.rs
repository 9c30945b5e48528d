//! The path of a plan as a trajectory: blended, timed and proven as driven.

use super::Report;
use super::files::extension;
use crate::output::{self, plural, short};
use anyhow::{Context, Result};
use noli_ask::quantity::{self, Length};
use noli_formats::Units;
use noli_plan::{Blend, BlendShape, DriveLimits, DriveOptions, DrivenPath, drive_path};
use noli_robot::JointTable;
use noli_robot::cell::Cell;
use serde::Serialize;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// File formats of a trajectory.
pub(super) const FORMATS: [&str; 4] = ["csv", "json", "yaml", "yml"];

/// Options of a trajectory.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Write the path as a trajectory (.csv, .json, .yaml) with positions, velocities and accelerations within the
    /// limits of the joints, proven collision-free as a ROS controller drives it.
    #[arg(long, value_name = "FILE")]
    pub(super) trajectory: Option<PathBuf>,
    /// Round the path at waypoints, from this distance in joint space on, such as 0.2 or 10deg. A blend that is not
    /// proven collision-free is halved, down to a stop.
    #[arg(long, value_name = "RADIUS", default_value = "0", value_parser = quantity::joint_distance, requires = "trajectory")]
    blend: f64,
    /// Shape of blends. A circular arc has the radius of --blend, in joint space, and is tangent to both segments.
    #[arg(long, value_name = "SHAPE", default_value = "smooth", requires = "trajectory")]
    blend_shape: Shape,
    /// Deviation of each joint from the trajectory for which it is proven as well, such as 0.5deg.
    #[arg(long, value_name = "ANGLE", default_value = "0", value_parser = quantity::joint_distance, requires = "trajectory")]
    tracking_error: f64,
    /// Deviation of the tool (--tip) for which the path is planned and the trajectory proven, such as 2mm: no point of the
    /// tool is farther than this from its place.
    #[arg(long, value_name = "LENGTH", default_value = "0", value_parser = quantity::length, requires = "trajectory")]
    tool_deviation: Length,
    /// Acceleration of every joint, in rad/s² or m/s². By default that of the robot, or what reaches full speed in
    /// 0.5 s.
    #[arg(long, value_name = "RATE", value_parser = positive, requires = "trajectory")]
    acceleration: Option<f64>,
    /// Jerk of every joint, in rad/s³ or m/s³. By default the acceleration is reached in 0.1 s.
    #[arg(long, value_name = "RATE", value_parser = positive, requires = "trajectory")]
    jerk: Option<f64>,
}

/// Shapes of blends.
#[derive(Clone, Copy, clap::ValueEnum)]
enum Shape {
    Smooth,
    Circular,
}

fn positive(text: &str) -> Result<f64, String> {
    let value: Option<f64> = text.trim().parse().ok();
    value.filter(|value| value.is_finite() && *value > 0.0).ok_or(format!("`{text}`: give a number above 0"))
}

impl Options {
    /// Returns `true` if waypoints are rounded.
    pub(super) fn blends(&self) -> bool {
        self.blend > 0.0
    }

    /// Returns the deviation of the tool in metres.
    pub(super) fn tool_deviation(&self) -> f64 {
        self.tool_deviation.of_unit(Units::Metre)
    }
}

/// The trajectory in a report.
#[derive(Serialize)]
pub(crate) struct DrivenReport {
    file: String,
    seconds: f64,
    /// Duration with a stop at every waypoint.
    stop_and_go_s: f64,
    points: usize,
    blends: Vec<BlendReport>,
    /// Blends that were tested and collide.
    colliding_blends: usize,
    tracking_error: f64,
    /// In metres, with the parts of the tool.
    tool_deviation: f64,
    tool: Vec<String>,
}

/// The blend at a waypoint, counted from 1.
#[derive(Serialize)]
struct BlendReport {
    waypoint: usize,
    wanted: f64,
    radius: f64,
    /// A larger blend collides; else a stop is quicker.
    collides: bool,
}

/// Blends, times and proves a path, and writes it. The cell has room for the deviation of the tool.
pub(super) fn write(
    options: &Options,
    path: &Path,
    (cell, others, tip): (&Cell, &[f64], usize),
    report: &Report,
) -> Result<DrivenReport> {
    let tool_deviation = options.tool_deviation();
    let parts = if tool_deviation > 0.0 { cell.tool_parts([0, tip]) } else { Vec::new() };
    let whole: Vec<Vec<f64>> = report.configurations.iter().map(|own| [own, others].concat()).collect();
    let mut limits = DriveLimits::of_cell(cell);
    if let Some(rate) = options.acceleration {
        limits.acceleration.fill(rate);
        limits.jerk.fill(10.0 * rate);
    }
    if let Some(rate) = options.jerk {
        limits.jerk.fill(rate);
    }
    let mut wanted = DriveOptions::new(limits, options.blend);
    wanted.shape = match options.blend_shape {
        Shape::Smooth => BlendShape::Smooth,
        Shape::Circular => BlendShape::Circular,
    };
    if options.tracking_error > 0.0 {
        wanted.tracking_error = vec![options.tracking_error; cell.value_count()];
    }
    let driven = drive_path(cell, &whole, &wanted).context("the path cannot be driven")?;
    output::write_file(path, written(path, &driven.table, &report.joints)?.as_bytes())?;
    let DrivenPath { table, curve, blends, colliding_blends, stop_and_go, .. } = driven;
    Ok(DrivenReport {
        file: path.display().to_string(),
        seconds: curve.duration(),
        stop_and_go_s: stop_and_go,
        points: table.rows.len(),
        blends: blends.iter().map(blend_report).collect(),
        colliding_blends,
        tracking_error: options.tracking_error,
        tool_deviation,
        tool: parts.into_iter().map(|part| cell.parts()[part].name.clone()).collect(),
    })
}

fn blend_report(blend: &Blend) -> BlendReport {
    let Blend { waypoint, wanted, radius, collides } = *blend;
    BlendReport { waypoint: waypoint + 1, wanted, radius, collides }
}

/// The knots of a trajectory in the format given by the file name; joints of other robots are left out.
fn written(path: &Path, table: &JointTable, joints: &[String]) -> Result<String> {
    let own = |rows: &[Vec<f64>], row: usize| rows[row][..joints.len()].to_vec();
    let times = table.times.as_deref().unwrap_or_default();
    let mut text = String::new();
    match extension(path).as_str() {
        "csv" => {
            let names = ["", "_velocity", "_acceleration"].map(|end| {
                let names: Vec<String> = joints.iter().map(|name| format!("{name}{end}")).collect();
                names.join(",")
            });
            let _ = writeln!(text, "time,{}", names.join(","));
            for (row, time) in times.iter().enumerate() {
                let all = [&table.rows, &table.velocities, &table.accelerations].map(|rows| own(rows, row));
                let values: Vec<String> = all.concat().iter().map(f64::to_string).collect();
                let _ = writeln!(text, "{time},{}", values.join(","));
            }
        }
        "json" => {
            let points = times.iter().enumerate().map(|(row, time)| {
                let [seconds, nanoseconds] = parts(*time);
                serde_json::json!({
                    "positions": own(&table.rows, row),
                    "velocities": own(&table.velocities, row),
                    "accelerations": own(&table.accelerations, row),
                    "time_from_start": { "sec": seconds, "nanosec": nanoseconds },
                })
            });
            let points: Vec<_> = points.collect();
            let trajectory = serde_json::json!({ "joint_names": joints, "points": points });
            text = output::json(&serde_json::json!({ "joint_trajectory": trajectory }))?;
        }
        _ => {
            let list = |values: Vec<f64>| {
                let values: Vec<String> = values.iter().map(f64::to_string).collect();
                values.join(", ")
            };
            let _ = writeln!(text, "joint_names: [{}]\npoints:", joints.join(", "));
            for (row, time) in times.iter().enumerate() {
                let [seconds, nanoseconds] = parts(*time);
                let _ = writeln!(text, "- positions: [{}]", list(own(&table.rows, row)));
                let _ = writeln!(text, "  velocities: [{}]", list(own(&table.velocities, row)));
                let _ = writeln!(text, "  accelerations: [{}]", list(own(&table.accelerations, row)));
                let _ = writeln!(text, "  time_from_start: {{sec: {seconds}, nanosec: {nanoseconds}}}");
            }
        }
    }
    Ok(text)
}

/// A time as whole seconds and nanoseconds.
fn parts(time: f64) -> [i64; 2] {
    let seconds = time.floor();
    let nanoseconds = ((time - seconds) * 1e9).round();
    match nanoseconds >= 1e9 {
        true => [seconds as i64 + 1, 0],
        false => [seconds as i64, nanoseconds as i64],
    }
}

/// Describes a trajectory in lines.
pub(super) fn text(report: &DrivenReport) -> String {
    let mut text = format!(
        "{}: {} in {:.3} s, proven collision-free as driven; {:.3} s with stops\n",
        report.file,
        plural(report.points, "point", "points"),
        report.seconds,
        report.stop_and_go_s
    );
    if report.tracking_error > 0.0 {
        let _ = writeln!(text, "proven within {} of each joint", short(report.tracking_error));
    }
    if report.tool_deviation > 0.0 {
        let (far, tool) = (short(report.tool_deviation), report.tool.join(", "));
        let _ = writeln!(text, "proven within {far} m of each point of the tool: {tool}");
    }
    for BlendReport { waypoint, wanted, radius, collides } in &report.blends {
        if *wanted > 0.0 && *radius == 0.0 {
            let why = if *collides { "collides" } else { "takes longer" };
            let _ = writeln!(text, "waypoint {waypoint}: stop; a blend of {} {why}", short(*wanted));
        } else if radius < wanted {
            let (radius, wanted) = (short(*radius), short(*wanted));
            let _ = writeln!(text, "waypoint {waypoint}: blend {radius}; {wanted} collides");
        }
    }
    text
}
