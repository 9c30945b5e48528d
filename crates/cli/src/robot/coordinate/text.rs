//! The table of several robots.

use crate::Outcome;
use crate::output::{plural, short};
use noli_project::report::{
    CoordinatedPairReport, CoordinationReport, TimedCollisionReport, WaitReport, ZoneReport,
};
use std::fmt::Write as _;

/// Describes a pair in a line.
pub(super) fn classified(pair: &CoordinatedPairReport) -> String {
    let [a, b] = pair.robots;
    let zones = plural(pair.zones.len(), "zone", "zones");
    match pair.classification.as_str() {
        "independent" => format!("robots {a} and {b}: independent, collision-free with any timing, proven"),
        "order-needed" => format!("robots {a} and {b}: order needed; {zones} not collision-free at once"),
        _ => format!("robots {a} and {b}: no order of whole instructions is proven collision-free; {zones}"),
    }
}

/// Describes both as timed.
pub(super) fn timed(pair: &CoordinatedPairReport) -> String {
    match (&pair.as_timed.collision, pair.as_timed.outcome) {
        (Some(TimedCollisionReport { time_s, links, motions, lines, point }), _) => {
            let [a, b] = lines.unwrap_or(motions.map(|motion| motion as u32));
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
    let place = |line: Option<u32>, motion: usize| match line {
        Some(line) => format!("line {line} (motion {motion})"),
        None => format!("motion {motion}"),
    };
    format!(
        "robot {} waits before {} until robot {} has finished {}",
        wait.robot,
        place(wait.before_line, wait.before_motion),
        wait.other,
        place(wait.after_line, wait.after_motion)
    )
}

fn zone(zone: &ZoneReport) -> String {
    let range = |word: &str, first: usize, last: usize| match first == last {
        true => format!("{word} {first}"),
        false => format!("{word}s {first} to {last}"),
    };
    let of = |k: usize| match (zone.lines, zone.motions[k]) {
        (Some(lines), _) => range("line", lines[k][0] as usize, lines[k][1] as usize),
        (None, [first, last]) => range("motion", first, last),
    };
    let links = zone.links.as_ref().map_or(String::new(), |links| format!(": {}", links.join(" - ")));
    format!("{} with {}{links}", of(0), of(1))
}

/// The table of a report.
pub(super) fn text(report: &CoordinationReport) -> String {
    let mut text = String::new();
    for (number, robot) in report.robots.iter().enumerate() {
        let motions = plural(robot.motions, "motion", "motions");
        let _ = writeln!(
            text,
            "{}: {} ({}, program {}), {motions} in {} s from {} s on",
            number + 1,
            robot.robot,
            robot.cell.as_deref().unwrap_or_default(),
            robot.program.as_deref().unwrap_or_default(),
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
