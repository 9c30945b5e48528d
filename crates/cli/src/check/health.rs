//! Report on a single mesh.

use super::{Arguments, to_stdout};
use crate::Verdict;
use crate::output::{self, plural, short};
use anyhow::{Result, bail};
use noli_formats::closing_weld_length;
use noli_project::Staged;
use noli_project::report::HealthReport;
use std::fmt::Write as _;

/// Prints the report on the only body of a staged scene.
pub(super) fn deliver(report: &HealthReport, staged: &Staged, arguments: &Arguments) -> Result<Verdict> {
    if arguments.csv.is_some() || arguments.html.is_some() {
        bail!(
            "{} is a single mesh: it has a report and --json, but no pairs for --csv and --html",
            report.body
        );
    }
    if !to_stdout(&arguments.json) {
        output::warn_all(&report.warnings);
        let weld = staged.bodies.first().and_then(|body| closing_weld_length(&body.look));
        output::print(&text(report, weld))?;
    }
    if let Some(target) = &arguments.json {
        output::deliver(target, &output::report_json("mesh", report)?)?;
    }
    Ok(report.verdict()?)
}

fn text(report: &HealthReport, weld: Option<f64>) -> String {
    let unit = report.units.map_or(String::new(), |unit| format!(" {}", unit.sign()));
    let mut text = format!(
        "{}: one mesh, {}, {} x {} x {}{unit}, {}\n",
        report.body,
        plural(report.triangles, "triangle", "triangles"),
        short(report.size[0]),
        short(report.size[1]),
        short(report.size[2]),
        plural(report.shells as usize, "shell", "shells"),
    );
    let yes = |is: bool| if is { "yes" } else { "no" };
    let _ = writeln!(text, "  closed              {}", yes(report.closed));
    let _ = writeln!(text, "  oriented            {}", yes(report.oriented));
    let volume = report.volume.map_or("-".to_owned(), short);
    let _ = writeln!(text, "  volume              {volume}");
    let at_least = if report.complete { "" } else { "at least " };
    for (what, bound, count) in [
        ("border edges", "", report.border_edges),
        ("edges of 3+ faces", "", report.non_manifold_edges),
        ("self-intersections", at_least, report.self_intersections),
        ("self-touches", at_least, report.self_touches),
        ("flat faces", "", report.flat_faces),
        ("duplicate faces", "", report.duplicate_faces),
        ("thin faces", "", report.thin_faces),
    ] {
        let _ = writeln!(text, "  {what:<18}  {bound}{count}");
    }
    if let Some([a, b]) = report.first {
        let _ = writeln!(text, "  first pair          faces {a} and {b}");
    }
    match (&report.flaws[..], report.complete) {
        ([], true) => text += "sound: it bounds a solid and its faces do not intersect each other\n",
        ([], false) => text += "undecided: the budget ran out before all pairs of faces were tested\n",
        (flaws, _) => {
            let _ = writeln!(text, "not sound: {}", flaws.join("; "));
        }
    }
    if let Some(length) = weld {
        let _ = writeln!(text, "Its seams are nearly closed: --weld={length:e} closes them.");
    }
    if report.shells > 1 {
        text += "It may be an assembly: --split shells compares its shells with each other.\n";
    }
    text
}
