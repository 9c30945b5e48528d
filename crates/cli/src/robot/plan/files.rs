//! Files of a path: tables, trajectories and programs.

use super::Report;
use crate::output;
use anyhow::{Result, ensure};
use noli_robot::{JointAxisKind, Robot};
use std::fmt::Write as _;
use std::path::Path;

/// File formats of a path.
pub(super) const FORMATS: [&str; 4] = ["csv", "json", "val", "v2"];

pub(super) fn extension(path: &Path) -> String {
    path.extension().map(|end| end.to_string_lossy().to_ascii_lowercase()).unwrap_or_default()
}

/// Returns the path in the format given by the file name.
pub(super) fn written(path: &Path, robot: &Robot, report: &Report) -> Result<String> {
    let mut text = String::new();
    match extension(path).as_str() {
        "csv" => {
            let _ = writeln!(text, "time,{}", report.joints.join(","));
            for (values, time) in report.configurations.iter().zip(&report.times_s) {
                let row: Vec<String> = values.iter().map(f64::to_string).collect();
                let _ = writeln!(text, "{time},{}", row.join(","));
            }
        }
        "json" => {
            let point = |(values, time): (&Vec<f64>, &f64)| {
                let (whole, part) = (time.floor(), time.fract());
                serde_json::json!({
                    "positions": values,
                    "time_from_start": { "sec": whole as i64, "nanosec": (part * 1e9) as i64 },
                })
            };
            let points: Vec<_> = report.configurations.iter().zip(&report.times_s).map(point).collect();
            let trajectory = serde_json::json!({ "joint_names": report.joints, "points": points });
            text = output::json(&serde_json::json!({ "joint_trajectory": trajectory }))?;
        }
        _ => {
            let turns = robot.variables().iter().all(|variable| variable.movement == JointAxisKind::Turn);
            ensure!(turns, "a VAL-II program gives joints in degrees; this robot has joints that slide");
            text += ".PROGRAM way()\n";
            for values in &report.configurations {
                let degrees: Vec<String> = values.iter().map(|x| format!("{:.6}", x.to_degrees())).collect();
                let _ = writeln!(text, "  MOVE #PPOINT({})", degrees.join(", "));
            }
            text += ".END\n";
        }
    }
    Ok(text)
}
