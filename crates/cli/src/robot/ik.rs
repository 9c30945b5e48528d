//! `noli robot ik`: which configurations put a link at a pose, and whether they collide.

use super::Subject;
use super::tool::Tool;
use crate::limits::TimeLimit;
use crate::output::{Progress, Table, plural, short};
use crate::{Outcome, Verdict};
use anyhow::{Result, bail, ensure};
use noli_project::report::{Asked, IkSolution, RobotIkReport};
use noli_robot::cell::StateStatus;
use noli_robot::{IkOptions, SphericalWrist, solve_ik};
use std::fmt::Write as _;

/// Solve inverse kinematics for a link pose: all branches of a six-axis arm with a spherical wrist, otherwise
/// one solution by search.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(super) subject: Subject,
    /// The link to be placed; by default the tip of the longest chain of an SRDF group, or of the
    /// robot, before its gripper.
    #[arg(long, value_name = "LINK")]
    tip: Option<String>,
    /// Target pose in the frame of the robot's root: `x,y,z,qx,qy,qz,qw` in metres or with units. `x,y,z` alone means the
    /// orientation of the root; `robot plan --goal-pose x,y,z` leaves it free.
    #[arg(long, value_name = "POSE", allow_hyphen_values = true)]
    pose: String,
    #[command(flatten)]
    limit: TimeLimit,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Verdict> {
    let time = arguments.limit.start();
    let loaded = arguments.subject.load()?;
    loaded.refuse_to_overwrite(&arguments.subject, &[], [])?;
    let (robot, cell) = (&loaded.robot.robot, loaded.cell());
    let Tool { link: tip, remark } = super::tool::tip(arguments.tip.as_deref(), robot, loaded.srdf.as_ref())?;
    ensure!(
        robot.variables().iter().any(|variable| variable.mimic.is_none()),
        "{}: no joint moves; there is nothing to solve",
        robot.name()
    );
    let target = super::pose("--pose", &arguments.pose)?;
    let near = robot.neutral().0;
    let progress = Progress::of_time("solving");
    let mut reason = None;
    let mut configurations: Vec<(Option<String>, Vec<f64>)> = Vec::new();
    match SphericalWrist::new(robot, tip) {
        Ok(wrist) => match wrist.solve(robot, &target, &near) {
            Ok(all) => {
                for solution in all {
                    let name = format!("{}", solution.branch);
                    configurations.push((Some(name), wrist.place(&near, &solution)));
                }
            }
            Err(error) => reason = Some(error.to_string()),
        },
        Err(_) => match solve_ik(robot, tip, &target, &near, &IkOptions::default()) {
            Ok(found) => configurations.push((None, found.values)),
            Err(error) => reason = Some(error.to_string()),
        },
    }
    let mut checker = cell.checker();
    let mut solutions = Vec::new();
    for (branch, values) in configurations {
        let residual = robot.residual(&values, tip, &target);
        let status = checker.check_state(&values)?;
        let collides = match status {
            StateStatus::Hit(pair) | StateStatus::Unknown(pair) => {
                Some(cell.pair_names(pair).map(str::to_owned))
            }
            StateStatus::Free => None,
        };
        solutions.push(IkSolution {
            branch,
            values: robot.variables().iter().zip(&values).map(|(v, x)| (v.name.clone(), *x)).collect(),
            residual: [residual.position, residual.angle],
            free: collides.is_none(),
            collides,
        });
    }
    drop(progress);
    drop(time);
    let outcome = match solutions.iter().any(|found| found.free) {
        true => Outcome::Free,
        false if solutions.is_empty() => Outcome::Undecided,
        false => Outcome::Touching,
    };
    let tip = robot.links()[tip].name.clone();
    let robot = robot.name().to_owned();
    let warnings = loaded.warnings.iter().cloned().chain(remark).collect();
    let report = RobotIkReport { robot, tip, outcome, solutions, reason, warnings };
    if let Some(reason) = &report.reason {
        // Without a solution there is nothing to print but the reason; JSON has it too.
        if arguments.subject.json.is_some() {
            arguments.subject.deliver("robot-ik", &report, &report.warnings, "")?;
        }
        bail!("{}: {reason}", report.tip);
    }
    arguments.subject.deliver("robot-ik", &report, &report.warnings, &text(&report))?;
    Ok(Verdict::new(outcome, Asked::new(report.solutions.len())?))
}

fn text(report: &RobotIkReport) -> String {
    let count = plural(report.solutions.len(), "solution", "solutions");
    let mut text = format!("{}: {count} for {}\n", report.robot, report.tip);
    for found in &report.solutions {
        let mut table = Table::new(1, ["joint", "value"]);
        found.values.iter().for_each(|(name, value)| table.row([name.clone(), short(*value)]));
        let collides = found.collides.as_ref().map(|links| format!("collides: {}", links.join(" - ")));
        let _ = write!(
            text,
            "\n{}{} ({:.1e} m, {:.1e} rad off)\n{table}",
            found.branch.as_ref().map_or(String::new(), |branch| format!("{branch}: ")),
            collides.unwrap_or_else(|| "free".to_owned()),
            found.residual[0],
            found.residual[1],
        );
    }
    text
}
