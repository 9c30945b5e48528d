//! A run as frames to be played, as a table, and as a page.

use super::LoadedCell;
use super::frames::{frame_poses, parts_at};
use crate::report::{ImpactKind, ImpactReport, RunReport, Trust};
use crate::{Frame, Recording, Units};
use noli_robot::run::Run;
use std::fmt::Write as _;

/// The run as a recording: so many frames a second, at most so many in all. Bodies are the looks of the cell.
pub fn run_recording(cell: &LoadedCell, run: &Run, per_second: f64, most: u32) -> Recording {
    let seconds = run.seconds.max(1e-9);
    let frame_count = ((seconds * per_second).ceil() as u32).clamp(1, most.max(1));
    let mut names: Vec<String> = cell.looks.iter().map(|look| look.name.clone()).collect();
    crate::scene::make_unique(names.iter_mut());
    let mut frames = Vec::with_capacity(frame_count as usize);
    for number in 0..frame_count {
        let time = seconds * f64::from(number + 1) / f64::from(frame_count);
        let values = run.values_at(time).unwrap_or_else(|| cell.work.start.clone());
        let parts = parts_at(run, cell.work.loose.len(), time);
        let begins = seconds * f64::from(number) / f64::from(frame_count);
        let hits = run.contacts.iter().filter(|hit| hit.time[0] >= begins && hit.time[0] < time);
        let within = |t: f64| ((t - begins) / (time - begins)).clamp(0.0, 1.0);
        let hits = hits.map(|hit| ImpactReport {
            a: hit.parts[0].clone(),
            b: hit.parts[1].clone(),
            impact: if hit.at_start { ImpactKind::AtStart } else { ImpactKind::At },
            after_start: None,
            safe_until: within(hit.time[0]),
            touching_by: Some(within(hit.time[1])),
            proven: Some(hit.proven),
            guarantee: Trust::Conservative,
            features: None,
            point: hit.point.map(|point| point.to_array()),
            normal: hit.normal.map(|normal| normal.to_array()),
            gap_at_most: None,
            margin: 0.0,
            safe_until_s: Some(hit.time[0]),
            touching_by_s: Some(hit.time[1]),
            travelled: None,
        });
        let pose = |pose: noli::Pose| {
            let (p, q) = (pose.translation, pose.rotation);
            [p.x, p.y, p.z, q.x, q.y, q.z, q.w]
        };
        frames.push(Frame {
            number,
            time: f64::from(number) / f64::from(frame_count),
            groups: Vec::new(),
            hits: hits.collect(),
            poses: frame_poses(cell, &values, &parts).into_iter().map(pose).collect(),
            moved: 0,
            candidates: 0,
            tested: 0,
            asleep: 0,
            cut_short: 0,
            steps: 0,
            micros: 0.0,
            budget_met: true,
        });
    }
    Recording {
        noli_recording: Recording::VERSION,
        scene: cell.title.clone(),
        units: Units::Metre,
        seconds,
        frame_count,
        bodies: names,
        frames,
    }
}

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
        "gap_at_least_m",
        "gap_at_most_m",
        "nearest_a",
        "nearest_b",
        "carried",
    ];
    let mut text = crate::report::csv_line(heading);
    for instruction in &report.instructions {
        let gap = instruction.clearance.as_ref().map(|found| &found.gap);
        let number = |x: Option<f64>| x.filter(|x| x.is_finite()).map_or(String::new(), |x| x.to_string());
        let links = gap.and_then(|gap| gap.links.clone()).unwrap_or_default();
        let cells = [
            instruction.line.to_string(),
            instruction.text.clone(),
            instruction.kind.clone(),
            instruction.start.to_string(),
            instruction.seconds.to_string(),
            instruction.driven.to_string(),
            instruction.free_until.to_string(),
            number(gap.map(|gap| gap.at_least)),
            number(gap.map(|gap| gap.at_most)),
            links[0].clone(),
            links[1].clone(),
            instruction.carried.clone().unwrap_or_default(),
        ];
        text += &crate::report::csv_line(cells.iter().map(String::as_str));
    }
    text
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// The run as a page that needs nothing else: the profile of gaps, signals over time, contacts, instructions.
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
    let seconds = report.cycle_seconds.max(1e-9);
    let x = |time: f64| 40.0 + 950.0 * (time / seconds).clamp(0.0, 1.0);
    let finite = |gap: f64| gap.is_finite().then_some(gap);
    let most = report
        .instructions
        .iter()
        .filter_map(|i| finite(i.clearance.as_ref()?.gap.at_most))
        .fold(0.0, f64::max)
        .max(1e-9);
    writeln!(out, "<h2>Smallest gap of every instruction</h2><svg viewBox=\"0 0 1000 240\" role=\"img\">")?;
    writeln!(out, "<line x1=\"40\" y1=\"220\" x2=\"990\" y2=\"220\" stroke=\"currentColor\"/>")?;
    writeln!(
        out,
        "<text x=\"2\" y=\"24\" fill=\"currentColor\" font-size=\"12\">{:.0} mm</text>",
        most * 1000.0
    )?;
    for instruction in &report.instructions {
        let Some(gap) = instruction.clearance.as_ref().and_then(|found| finite(found.gap.at_most)) else {
            continue;
        };
        let (from, to) = (x(instruction.start), x(instruction.start + instruction.seconds));
        let height = 200.0 * gap / most;
        let colour = if instruction.free_until < 1.0 { "#c0392b" } else { "#2e86c1" };
        writeln!(
            out,
            "<rect x=\"{from:.2}\" y=\"{:.2}\" width=\"{:.2}\" height=\"{height:.2}\" fill=\"{colour}\"><title>line {}: {} \
             ({:.3} mm)</title></rect>",
            220.0 - height,
            (to - from).max(0.5),
            instruction.line,
            escaped(&instruction.text),
            gap * 1000.0
        )?;
    }
    writeln!(out, "</svg>")?;
    let mut numbers: Vec<u32> = report.signals.iter().map(|change| change.signal).collect();
    numbers.sort_unstable();
    numbers.dedup();
    if !numbers.is_empty() {
        let height = 30 * numbers.len() + 10;
        writeln!(out, "<h2>Signals</h2><svg viewBox=\"0 0 1000 {height}\" role=\"img\">")?;
        for (row, number) in numbers.iter().enumerate() {
            let base = 30.0 * (row as f64 + 1.0);
            let (mut points, mut level) = (format!("40,{base}"), base);
            for change in report.signals.iter().filter(|change| change.signal == *number) {
                let next = if change.on { base - 18.0 } else { base };
                let _ = write!(points, " {0:.2},{level} {0:.2},{next}", x(change.time));
                level = next;
            }
            let _ = write!(points, " 990,{level}");
            writeln!(
                out,
                "<text x=\"2\" y=\"{base}\" fill=\"currentColor\" font-size=\"12\">{number}</text><polyline points=\"{points}\" \
                 fill=\"none\" stroke=\"currentColor\"/>"
            )?;
        }
        writeln!(out, "</svg>")?;
    }
    if !report.contacts.is_empty() {
        writeln!(
            out,
            "<h2>Contacts</h2><table><tr><th>line</th><th>parts</th><th>free until (s)</th><th>touching by (s)</th><th>point (m)</th><th>normal</th></tr>"
        )?;
        for contact in &report.contacts {
            let three =
                |v: Option<[f64; 3]>| v.map_or(String::new(), |v| v.map(|x| format!("{x:.6}")).join(" "));
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
        writeln!(out, "</table>")?;
    }
    writeln!(
        out,
        "<h2>Instructions</h2><table><tr><th>line</th><th>instruction</th><th>way</th><th>start (s)</th><th>seconds</th><th>gap (mm)</th><th>nearest</th></tr>"
    )?;
    for instruction in &report.instructions {
        let class = if instruction.free_until < 1.0 { " class=\"hit\"" } else { "" };
        let gap = instruction.clearance.as_ref();
        let links =
            gap.and_then(|found| found.gap.links.clone()).map_or(String::new(), |links| links.join(" - "));
        let gap = gap
            .and_then(|found| finite(found.gap.at_most))
            .map_or(String::new(), |g| format!("{:.3}", g * 1000.0));
        writeln!(
            out,
            "<tr{class}><td class=\"n\">{}</td><td>{}</td><td>{}</td><td class=\"n\">{:.3}</td><td class=\"n\">{:.3}</td>\
             <td class=\"n\">{gap}</td><td>{}</td></tr>",
            instruction.line,
            escaped(&instruction.text),
            instruction.kind,
            instruction.start,
            instruction.seconds,
            escaped(&links)
        )?;
    }
    writeln!(out, "</table></body></html>")
}
