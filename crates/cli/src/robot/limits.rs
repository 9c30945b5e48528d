//! `noli robot limits`: how far each joint goes until something collides.

use super::{Subject, heading};
use crate::limits::TimeLimit;
use crate::output::{Progress, Table, short};
use crate::{Outcome, Verdict};
use anyhow::{Context, Result, ensure};
use noli::Impact;
use noli_project::report::{LimitReport, RobotLimitsReport};
use noli_robot::JointAxisKind;
use std::f64::consts::PI;
use std::fmt::Write as _;

/// From one configuration, find the range of each joint alone, in both directions, until links touch: by
/// geometry, proven between samples.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(super) subject: Subject,
    /// The configuration to start from, `JOINT=VALUE,...`; joints not named are as near to 0 as their limits
    /// allow.
    #[arg(long, value_name = "VALUES", default_value = "")]
    from: String,
    #[command(flatten)]
    limit: TimeLimit,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Verdict> {
    let time = arguments.limit.start();
    let loaded = arguments.subject.load_shapes()?;
    loaded.refuse_to_overwrite(&arguments.subject, &[], [])?;
    let robot = &loaded.robot.robot;
    ensure!(
        robot.variables().iter().any(|variable| variable.mimic.is_none()),
        "{}: no joint moves; there is nothing to look at",
        loaded.report.source
    );
    super::asked(loaded.report.active_pairs, 1)?;
    let cell = loaded.cell();
    let mut from = robot.neutral().0;
    for (name, value) in super::named_values(&arguments.from, robot)? {
        let number = robot.variable(&name);
        let number = number.with_context(|| {
            let names: Vec<&str> = robot.variables().iter().map(|v| v.name.as_str()).collect();
            format!("--from: the robot has no joint `{name}`; its joints are {}", names.join(", "))
        })?;
        from[number] = value;
    }
    robot.apply_laws(&mut from);
    robot.check_limits(&from)?;
    let mut checker = cell.checker();
    let mut hits = Vec::new();
    checker.colliding_pairs(&from, &mut hits)?;
    ensure!(
        hits.is_empty(),
        "{} collide in the configuration to start from; give another one with --from",
        hits.iter().map(|hit| cell.pair_names(hit.pair).join(" and ")).collect::<Vec<_>>().join(", ")
    );
    let progress = Progress::of_time("moving each joint");
    let mut limits = Vec::new();
    for (number, variable) in robot.variables().iter().enumerate().filter(|(_, v)| v.mimic.is_none()) {
        let most = if variable.movement == JointAxisKind::Turn { PI } else { 1.0 };
        for stated in variable.limits.range.unwrap_or([from[number] - most, from[number] + most]) {
            let mut to = from.clone();
            to[number] = stated;
            robot.apply_laws(&mut to);
            let found = checker.first_contact_on_edge(&from, &to)?;
            let free_until = from[number] + (stated - from[number]) * found.safe_until();
            let touch = match found {
                Impact::At { touch, .. } | Impact::AtStart(touch) => Some(touch),
                Impact::Free | Impact::Unknown { .. } => None,
            };
            let point = touch.and_then(|touch| touch.touch.witness).map(|w| w.on_a.point.to_array());
            let links = touch.map(|touch| cell.pair_names(touch.pair).map(str::to_owned));
            limits.push(LimitReport { joint: variable.name.clone(), stated, free_until, links, point });
        }
    }
    drop(progress);
    drop(time);
    let named = robot.variables().iter().zip(&from).map(|(v, x)| (v.name.clone(), *x)).collect();
    let (subject, warnings) = (loaded.report.clone(), loaded.warnings.clone());
    let report = RobotLimitsReport { subject, from: named, limits, warnings };
    arguments.subject.deliver("robot-limits", &report, &report.warnings, &text(&report))?;
    // All pairs are checked in both directions of each joint.
    let asked = super::asked(report.subject.active_pairs, report.limits.len())?;
    Ok(Verdict::new(Outcome::Free, asked))
}

fn text(report: &RobotLimitsReport) -> String {
    let mut text = heading(&report.subject);
    let mut table = Table::new(1, ["joint", "stated", "free until", "first contact"]);
    for limit in &report.limits {
        let links = limit.links.as_ref().map_or("-".to_owned(), |links| links.join(" - "));
        table.row([limit.joint.clone(), short(limit.stated), short(limit.free_until), links]);
    }
    let _ = write!(text, "\n{}", table.fitted(3..4));
    text
}
