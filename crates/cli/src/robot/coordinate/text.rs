//! The table of several robots.

use super::{Collision, PairReport, Report, WaitReport, ZoneReport};
use crate::Outcome;
use crate::output::{plural, short};
use std::fmt::Write as _;

/// Describes a pair in a line.
pub(super) fn classified(pair: &PairReport) -> String {
    let [a, b] = pair.robots;
    let zones = plural(pair.zones.len(), "zone", "zones");
    match pair.classification {
        "independent" => format!("robots {a} and {b}: independent, collision-free with any timing, proven"),
        "order-needed" => format!("robots {a} and {b}: order needed; {zones} not collision-free at once"),
        _ => format!("robots {a} and {b}: no order of whole instructions is proven collision-free; {zones}"),
    }
}

/// Describes both as timed.
pub(super) fn timed(pair: &PairReport) -> String {
    match (&pair.as_timed.collision, pair.as_timed.outcome) {
        (Some(Collision { time_s, links, lines: [a, b], point }), _) => {
            let point = point.map_or(String::new(), |p| format!(" at {} m", p.map(short).join(" ")));
            let links = links.join(" - ");
            format!("as timed they collide at {} s: {links}{point} (lines {a} and {b})", short(*time_s))
        }
        (None, Outcome::Free) => "as timed they are collision-free, proven".to_owned(),
        (None, _) => "as timed they are not proven collision-free; a larger --depth may decide".to_owned(),
    }
}

/// Describes a wait in a line.
pub(super) fn wait(wait: &WaitReport) -> String {
    format!(
        "robot {} waits before line {} (motion {}) until robot {} has finished line {} (motion {})",
        wait.robot, wait.before_line, wait.before_motion, wait.other, wait.after_line, wait.after_motion
    )
}

fn zone(zone: &ZoneReport) -> String {
    let lines = |[first, last]: [u32; 2]| match first == last {
        true => format!("line {first}"),
        false => format!("lines {first} to {last}"),
    };
    let links = zone.links.as_ref().map_or(String::new(), |links| format!(": {}", links.join(" - ")));
    format!("{} with {}{links}", lines(zone.lines[0]), lines(zone.lines[1]))
}

/// The table of a report.
pub(super) fn text(report: &Report) -> String {
    let mut text = String::new();
    for (number, robot) in report.robots.iter().enumerate() {
        let motions = plural(robot.motions, "motion", "motions");
        let _ = writeln!(
            text,
            "{}: {} ({}, program {}), {motions} in {} s from {} s on",
            number + 1,
            robot.robot,
            robot.cell,
            robot.program,
            short(robot.seconds),
            short(robot.start_s)
        );
    }
    for pair in &report.pairs {
        let _ = writeln!(text, "\n{}", classified(pair));
        pair.zones.iter().for_each(|found| {
            let _ = writeln!(text, "  {}", zone(found));
        });
        let _ = writeln!(text, "{}", timed(pair));
    }
    match (&report.waits, report.ordered_s) {
        (Some(waits), Some(seconds)) if !waits.is_empty() => {
            let _ = writeln!(text, "\ncollision-free with any timing, without deadlock, if");
            waits.iter().for_each(|one| {
                let _ = writeln!(text, "  {}", wait(one));
            });
            let _ = writeln!(text, "{} s in all with these waits", short(seconds));
        }
        (None, _) => text += "\nno order of instructions is proven collision-free for all robots\n",
        _ => {}
    }
    text
}
