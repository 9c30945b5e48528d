//! A run of a program as a page.

use noli_project::report::RunReport;
use std::fmt::Write as _;

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// The run as a page that needs nothing else: the profile of clearances, signals over time, contacts, instructions.
pub fn run_page(report: &RunReport) -> String {
    let mut page = String::from("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n");
    // Writing to a string cannot fail.
    let _ = write_page(report, &mut page);
    page
}

const STYLE: &str = "body{font:15px/1.45 system-ui,sans-serif;margin:2rem auto;max-width:70rem;padding:0 1rem;color:#222;\
background:#fff}table{border-collapse:collapse;width:100%}td,th{padding:.2rem .6rem;text-align:left;border-bottom:1px solid \
#ddd}td.n{text-align:right;font-variant-numeric:tabular-nums}.hit{background:#fde4e1}svg{width:100%;height:auto}\
@media (prefers-color-scheme:dark){body{background:#181a1b;color:#ddd}td,th{border-color:#444}.hit{background:#5b2a26}}";

fn write_page(report: &RunReport, out: &mut String) -> std::fmt::Result {
    let title = format!("{}: {}", report.cell, report.main);
    writeln!(out, "<title>{}</title><style>{STYLE}</style></head><body>", escaped(&title))?;
    writeln!(out, "<h1>{}</h1>", escaped(&title))?;
    writeln!(
        out,
        "<p>{} after {:.3} s of the program's own time; {} of {} motions proven free and driven.</p>",
        escaped(&report.ended),
        report.cycle_seconds,
        report.executable,
        report.motions
    )?;
    if let Some(failure) = &report.first_failure {
        let (line, program, reason) = (failure.line, escaped(&failure.program), escaped(&failure.reason));
        writeln!(out, "<p class=\"hit\">Line {line} of {program}: {reason}</p>")?;
    }
    write_clearances(report, out)?;
    write_signals(report, out)?;
    write_contacts(report, out)?;
    write_instructions(report, out)?;
    writeln!(out, "</body></html>")
}

/// The place of a time on the page's time axis.
fn x(report: &RunReport, time: f64) -> f64 {
    40.0 + 950.0 * (time / report.cycle_seconds.max(1e-9)).clamp(0.0, 1.0)
}

fn finite(clearance: f64) -> Option<f64> {
    clearance.is_finite().then_some(clearance)
}

/// The smallest clearance of every instruction, as bars over time.
fn write_clearances(report: &RunReport, out: &mut String) -> std::fmt::Result {
    let most = report
        .instructions
        .iter()
        .filter_map(|i| finite(i.clearance.as_ref()?.clearance.at_most))
        .fold(0.0, f64::max)
        .max(1e-9);
    writeln!(
        out,
        "<h2>Smallest clearance of every instruction</h2><svg viewBox=\"0 0 1000 240\" role=\"img\">"
    )?;
    writeln!(out, "<line x1=\"40\" y1=\"220\" x2=\"990\" y2=\"220\" stroke=\"currentColor\"/>")?;
    writeln!(
        out,
        "<text x=\"2\" y=\"24\" fill=\"currentColor\" font-size=\"12\">{:.0} mm</text>",
        most * 1000.0
    )?;
    for instruction in &report.instructions {
        let Some(clearance) =
            instruction.clearance.as_ref().and_then(|found| finite(found.clearance.at_most))
        else {
            continue;
        };
        let (from, to) = (x(report, instruction.start), x(report, instruction.start + instruction.seconds));
        let height = 200.0 * clearance / most;
        let colour = if instruction.free_until < 1.0 { "#c0392b" } else { "#2e86c1" };
        writeln!(
            out,
            "<rect x=\"{from:.2}\" y=\"{:.2}\" width=\"{:.2}\" height=\"{height:.2}\" fill=\"{colour}\"><title>line {}: {} \
             ({:.3} mm)</title></rect>",
            220.0 - height,
            (to - from).max(0.5),
            instruction.line,
            escaped(&instruction.text),
            clearance * 1000.0
        )?;
    }
    writeln!(out, "</svg>")
}

/// Signals over time, a line each.
fn write_signals(report: &RunReport, out: &mut String) -> std::fmt::Result {
    let mut numbers: Vec<u32> = report.signals.iter().map(|change| change.signal).collect();
    numbers.sort_unstable();
    numbers.dedup();
    if numbers.is_empty() {
        return Ok(());
    }
    let height = 30 * numbers.len() + 10;
    writeln!(out, "<h2>Signals</h2><svg viewBox=\"0 0 1000 {height}\" role=\"img\">")?;
    for (row, number) in numbers.iter().enumerate() {
        let base = 30.0 * (row as f64 + 1.0);
        let (mut points, mut level) = (format!("40,{base}"), base);
        for change in report.signals.iter().filter(|change| change.signal == *number) {
            let next = if change.on { base - 18.0 } else { base };
            let _ = write!(points, " {0:.2},{level} {0:.2},{next}", x(report, change.time));
            level = next;
        }
        let _ = write!(points, " 990,{level}");
        writeln!(
            out,
            "<text x=\"2\" y=\"{base}\" fill=\"currentColor\" font-size=\"12\">{number}</text><polyline points=\"{points}\" \
             fill=\"none\" stroke=\"currentColor\"/>"
        )?;
    }
    writeln!(out, "</svg>")
}

/// A table of contacts.
fn write_contacts(report: &RunReport, out: &mut String) -> std::fmt::Result {
    if report.contacts.is_empty() {
        return Ok(());
    }
    writeln!(
        out,
        "<h2>Contacts</h2><table><tr><th>line</th><th>parts</th><th>free until (s)</th><th>touching by (s)</th><th>point (m)</th><th>normal</th></tr>"
    )?;
    for contact in &report.contacts {
        let three = |v: Option<[f64; 3]>| v.map_or(String::new(), |v| v.map(|x| format!("{x:.6}")).join(" "));
        writeln!(
            out,
            "<tr class=\"hit\"><td class=\"n\">{}</td><td>{}</td><td class=\"n\">{:.6}</td><td class=\"n\">{:.6}</td><td>{}</td>\
             <td>{}</td></tr>",
            contact.line,
            escaped(&contact.links.join(" - ")),
            contact.safe_until,
            contact.touching_by,
            three(contact.point),
            three(contact.normal)
        )?;
    }
    writeln!(out, "</table>")
}

/// A table of instructions.
fn write_instructions(report: &RunReport, out: &mut String) -> std::fmt::Result {
    writeln!(
        out,
        "<h2>Instructions</h2><table><tr><th>line</th><th>instruction</th><th>way</th><th>start (s)</th><th>seconds</th><th>clearance (mm)</th><th>nearest</th></tr>"
    )?;
    for instruction in &report.instructions {
        let class = if instruction.free_until < 1.0 { " class=\"hit\"" } else { "" };
        let clearance = instruction.clearance.as_ref();
        let links = clearance
            .and_then(|found| found.clearance.links.clone())
            .map_or(String::new(), |links| links.join(" - "));
        let clearance = clearance
            .and_then(|found| finite(found.clearance.at_most))
            .map_or(String::new(), |g| format!("{:.3}", g * 1000.0));
        writeln!(
            out,
            "<tr{class}><td class=\"n\">{}</td><td>{}</td><td>{}</td><td class=\"n\">{:.3}</td><td class=\"n\">{:.3}</td>\
             <td class=\"n\">{clearance}</td><td>{}</td></tr>",
            instruction.line,
            escaped(&instruction.text),
            instruction.kind,
            instruction.start,
            instruction.seconds,
            escaped(&links)
        )?;
    }
    writeln!(out, "</table>")
}
