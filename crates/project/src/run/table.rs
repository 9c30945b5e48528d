//! The instructions of a run as comma-separated values.

use crate::report::csv::csv_line;
use crate::report::run::RunReport;

/// The instructions as comma-separated values, a line each.
pub fn run_csv(report: &RunReport) -> String {
    let heading = [
        "line",
        "text",
        "kind",
        "start_s",
        "seconds",
        "driven",
        "free_until",
        "clearance_at_least_m",
        "clearance_at_most_m",
        "nearest_a",
        "nearest_b",
        "carried",
    ];
    let mut text = csv_line(heading);
    for instruction in &report.instructions {
        let clearance = instruction.clearance.as_ref().map(|found| &found.clearance);
        let number = |x: Option<f64>| x.filter(|x| x.is_finite()).map_or(String::new(), |x| x.to_string());
        let links = clearance.and_then(|clearance| clearance.links.clone()).unwrap_or_default();
        let cells = [
            instruction.line.to_string(),
            instruction.text.clone(),
            instruction.kind.clone(),
            instruction.start.to_string(),
            instruction.seconds.to_string(),
            instruction.driven.to_string(),
            instruction.free_until.to_string(),
            number(clearance.map(|clearance| clearance.at_least)),
            number(clearance.map(|clearance| clearance.at_most)),
            links[0].clone(),
            links[1].clone(),
            instruction.carried.clone().unwrap_or_default(),
        ];
        text += &csv_line(cells.iter().map(String::as_str));
    }
    text
}
