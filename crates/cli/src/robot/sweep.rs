//! `noli robot sweep`: the volume that a robot sweeps on a path.

use super::{Subject, heading};
use crate::limits::TimeLimit;
use crate::output::Progress;
use crate::volume::{self, Swept, VolumeReport};
use crate::{Outcome, Verdict};
use anyhow::{Context, Result, bail, ensure};
use noli_formats::Units;
use noli_project::load_trajectory;
use noli_project::report::{Asked, RobotSubject};
use noli_sweep::ArmSweep;
use serde::Serialize;
use std::path::PathBuf;

/// Compute the volume that a robot sweeps on a path, as a closed mesh that encloses every instant.
///
/// The path is driven as ROS controllers do, or as its file says: positions are joined by straight segments in joint space,
/// with velocities by cubics, with accelerations as well by quintics.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(super) subject: Subject,
    /// Configurations or a trajectory (.csv, .json, .yaml), at least two rows.
    #[arg(long, value_name = "FILE", visible_alias = "trajectory")]
    path: PathBuf,
    /// The mesh that encloses the volume (.obj, .stl, .off, .ply, .glb), in metres.
    #[arg(long, value_name = "FILE")]
    volume: PathBuf,
    #[command(flatten)]
    options: volume::Options,
    #[command(flatten)]
    limit: TimeLimit,
}

#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    subject: RobotSubject,
    path: String,
    points: usize,
    volume: VolumeReport,
    warnings: Vec<String>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Verdict> {
    let time = arguments.limit.start();
    arguments.options.check(&arguments.volume)?;
    let loaded = arguments.subject.load_shapes()?;
    let outputs = [Some(arguments.volume.clone()), arguments.options.outputs().next().cloned()];
    loaded.refuse_to_overwrite(&arguments.subject, std::slice::from_ref(&arguments.path), &outputs)?;
    if let Some(first) = loaded.tessellated().next() {
        bail!(
            "{first} is from a CAD file (STEP, IFC), and triangles that replace its surfaces do not enclose it; export it as \
             STL, grown by its chordal deviation"
        );
    }
    let robot = &loaded.robot.robot;
    ensure!(!robot.variables().is_empty(), "{}: no joint moves; nothing is swept", robot.name());
    let table = load_trajectory(&arguments.path, robot)?;
    let shown = arguments.path.display().to_string();
    let curve = table.curve().with_context(|| shown.clone())?;
    let progress = Progress::of_time("sweeping");
    let arm = ArmSweep::new(loaded.cell(), &curve)?;
    let moving = Swept { bodies: arm.bodies(), units: Units::Metre, deviation: 0.0 };
    let volume = volume::write(&arguments.options, &arguments.volume, &moving)?;
    drop(progress);
    drop(time);
    let warnings = loaded.warnings.clone();
    let text = heading(&loaded.report) + "\n" + &volume::text(&volume, "m");
    let report =
        Report { subject: loaded.report.clone(), path: shown, points: table.rows.len(), volume, warnings };
    arguments.subject.deliver("robot-sweep", &report, &report.warnings, &text)?;
    Ok(Verdict::new(Outcome::Free, Asked::new(arm.bodies().len())?))
}
