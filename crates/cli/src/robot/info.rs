//! `noli robot info`: what a robot is.

use super::{Subject, heading};
use crate::output::{Table, short};
use crate::{Outcome, Verdict};
use anyhow::Result;
use noli_project::report::{Asked, JointReport, RobotInfoReport};
use std::fmt::Write as _;

/// Links, joints, limits, shapes, and the disabled pairs with their reasons.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(super) subject: Subject,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Verdict> {
    let loaded = arguments.subject.load()?;
    loaded.refuse_to_overwrite(&arguments.subject, &[], [])?;
    let joint = |joint: &noli_robot::Joint| JointReport {
        name: joint.name.clone(),
        kind: joint.kind.word().to_owned(),
        parent: joint.parent.clone(),
        child: joint.child.clone(),
        range: joint.limits.range,
        velocity: joint.limits.velocity,
        follows: joint.mimic.as_ref().map(|mimic| mimic.joint.clone()),
    };
    let joints = loaded.robot.robot.joints().iter().map(joint).collect();
    let links = loaded.robot.robot.links().len();
    let report = RobotInfoReport { subject: loaded.report, joints, warnings: loaded.warnings };
    arguments.subject.deliver("robot-info", &report, &report.warnings, &text(&report))?;
    // A description is an answer even where no link has a shape.
    Ok(Verdict::new(Outcome::Free, Asked::new(links.max(1))?))
}

fn text(report: &RobotInfoReport) -> String {
    let mut text = heading(&report.subject);
    let mut table = Table::new(4, ["joint", "kind", "from", "to", "lower", "upper", "speed"]);
    for joint in &report.joints {
        let kind = match &joint.follows {
            Some(other) => format!("{}, follows {other}", joint.kind),
            None => joint.kind.clone(),
        };
        let number = |x: Option<f64>| x.map_or(String::new(), short);
        let [low, high] = [0, 1].map(|k| number(joint.range.map(|range| range[k])));
        let ends = [joint.parent.clone(), joint.child.clone()];
        let [parent, child] = ends;
        table.row([joint.name.clone(), kind, parent, child, low, high, number(joint.velocity)]);
    }
    let _ = write!(text, "\n{table}");
    let mut table = Table::new(2, ["link", "taken as", "shapes", "triangles"]);
    for link in &report.subject.links {
        table.row([
            link.name.clone(),
            link.kind.clone(),
            link.shapes.to_string(),
            link.triangles.to_string(),
        ]);
    }
    let _ = write!(text, "\n{table}");
    let mut table = Table::new(3, ["disabled pair", "", "reason"]);
    for pair in &report.subject.disabled_pairs {
        let [a, b] = pair.links.clone();
        table.row([a, b, pair.reason.clone()]);
    }
    let _ = write!(text, "\n{table}");
    text
}
