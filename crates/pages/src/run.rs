//! The page of a program that was run in a cell.

use crate::motion::{Curve, MotionPage, PageStep, Track, first_impacts, motion_page};
use crate::scene::PageScene;
use crate::shape::Up;
use crate::{PageData, words};
use noli_project::Recording;
use noli_project::cell::LoadedCell;
use noli_project::report::{InstructionReport, RunReport};

/// Renders a run: the robot over time, the clearance of every instruction, signals, contacts and instructions.
pub fn run_page(
    cell: &LoadedCell,
    report: &RunReport,
    recording: &Recording,
) -> Result<PageData, serde_json::Error> {
    let mut scene = PageScene::of_cell(cell, recording.seconds);
    for (body, name) in scene.bodies.iter_mut().zip(&recording.bodies) {
        body.name.clone_from(name);
    }
    let before: Vec<noli::Pose> = scene.bodies.iter().map(|body| body.pose).collect();
    let steps: Vec<PageStep> =
        report.instructions.iter().map(|instruction| step(instruction, recording.seconds)).collect();
    motion_page(&MotionPage {
        scene: &scene,
        title: &format!("{}: {}", report.cell, report.main),
        outcome: &outcome(report),
        summary: &summary(report),
        impacts: &first_impacts(recording),
        track: &Track::of_recording(recording, &before),
        curves: &curves(report, recording.seconds),
        contacts: &[],
        steps: &steps,
        up: Up::Z,
    })
}

fn outcome(report: &RunReport) -> String {
    match (report.contacts.first(), &report.first_failure) {
        (Some(contact), _) => format!("Contact in line {}", contact.line),
        (None, Some(failure)) => format!("Stopped in line {}", failure.line),
        (None, None) => "Proven collision-free".to_owned(),
    }
}

fn summary(report: &RunReport) -> String {
    let mut text = format!(
        "{} after {:.3} s of the program's own time; {} of {} proven free and driven",
        report.ended,
        report.cycle_seconds,
        report.executable,
        words::plural(report.motions, "motion", "motions")
    );
    if let Some(failure) = &report.first_failure {
        text += &format!("\nline {} of {}: {}", failure.line, failure.program, failure.reason);
    }
    text
}

/// The clearance of an instruction in millimetres, and the nearest parts.
fn clearance(instruction: &InstructionReport) -> Option<(f64, String)> {
    let found = &instruction.clearance.as_ref()?.clearance;
    let links = found.links.as_ref().map_or(String::new(), |links| links.join(" – "));
    found.at_most.is_finite().then_some((found.at_most * 1e3, links))
}

fn step(instruction: &InstructionReport, seconds: f64) -> PageStep {
    let stopped = instruction.free_until < 1.0;
    let mut note = match stopped {
        true => format!("{}, {:.1} % driven", instruction.kind, 100.0 * instruction.driven),
        false => instruction.kind.clone(),
    };
    if let Some((millimetres, links)) = clearance(instruction) {
        note += &format!(", {millimetres:.3} mm {links}");
    }
    PageStep {
        time: instruction.start / seconds,
        label: instruction.line.to_string(),
        text: instruction.text.clone(),
        note,
        hit: stopped,
    }
}

/// The smallest clearance of every instruction, and the signals.
fn curves(report: &RunReport, seconds: f64) -> Vec<Curve> {
    let mut clearances = Curve::of_steps("clearance", Vec::new());
    clearances.unit = "mm".to_owned();
    for instruction in &report.instructions {
        if let Some((millimetres, links)) = clearance(instruction) {
            clearances.points.push([instruction.start / seconds, millimetres]);
            clearances.notes.push(links);
        }
    }
    let mut curves: Vec<Curve> =
        Some(clearances).filter(|curve| curve.points.len() > 1).into_iter().collect();
    let mut signals: Vec<(u32, bool)> =
        report.signals.iter().map(|change| (change.signal, change.output)).collect();
    signals.sort_unstable();
    signals.dedup();
    for (signal, output) in signals {
        let changes =
            report.signals.iter().filter(|change| (change.signal, change.output) == (signal, output));
        let mut points: Vec<[f64; 2]> =
            changes.map(|change| [change.time / seconds, f64::from(u8::from(change.on))]).collect();
        if let Some(&[_, first]) = points.first() {
            points.insert(0, [0.0, 1.0 - first]);
        }
        let path = if output { "output" } else { "input" };
        curves.push(Curve::of_steps(&format!("{path} {signal}"), points));
    }
    curves
}
