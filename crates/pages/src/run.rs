//! The page of a program that was run in a cell.

use crate::motion::{Curve, MotionPage, PageStep, Track, first_impacts, motion_page};
use crate::scene::PageScene;
use crate::shape::Up;
use crate::{PageData, words};
use noli_project::Recording;
use noli_project::cell::{LoadedCell, RunInCell};
use noli_project::report::{ImpactReport, InstructionReport, RunReport};

/// Renders a run: the robot over time, the clearance of every instruction, signals, contacts and instructions.
pub fn run_page(
    cell: &LoadedCell,
    report: &RunReport,
    recording: &Recording,
) -> Result<PageData, serde_json::Error> {
    let (scene, track) = scene_and_track([cell], recording);
    let steps: Vec<PageStep> =
        report.instructions.iter().map(|instruction| step("", instruction, recording.seconds)).collect();
    motion_page(&MotionPage {
        scene: &scene,
        title: &format!("{}: {}", report.cell, report.main),
        outcome: &outcome(report),
        summary: &summary(report),
        impacts: &first_impacts(recording),
        track: &track,
        curves: &curves("", report, recording.seconds),
        contacts: &[],
        steps: &steps,
        up: Up::Z,
    })
}

/// Contents of the page of programs that ran at once.
#[derive(Clone, Copy, Debug)]
pub struct TogetherPage<'a> {
    /// The runs with their cells.
    pub runs: &'a [RunInCell<'a>],
    /// Their reports, in the same order.
    pub reports: &'a [RunReport],
    /// All of them over time.
    pub recording: &'a Recording,
    /// The result in a few words.
    pub outcome: &'a str,
    /// A few more below the table.
    pub summary: &'a str,
    /// The first collision between robots.
    pub collision: Option<&'a ImpactReport>,
}

/// Renders programs that ran at once: all robots as timed, their signals, contacts and instructions.
pub fn together_page(page: &TogetherPage<'_>) -> Result<PageData, serde_json::Error> {
    let seconds = page.recording.seconds;
    let (scene, track) = scene_and_track(page.runs.iter().map(|one| one.cell), page.recording);
    let mut impacts: Vec<ImpactReport> = page.collision.cloned().into_iter().collect();
    impacts.extend(first_impacts(page.recording));
    let (mut steps, mut all_curves) = (Vec::new(), Vec::new());
    for (one, report) in page.runs.iter().zip(page.reports) {
        steps.extend(report.instructions.iter().map(|instruction| step(one.prefix, instruction, seconds)));
        all_curves.extend(curves(one.prefix, report, seconds));
    }
    steps.sort_by(|a, b| a.time.total_cmp(&b.time));
    let titles: Vec<String> =
        page.reports.iter().map(|report| format!("{}: {}", report.cell, report.main)).collect();
    motion_page(&MotionPage {
        scene: &scene,
        title: &titles.join(", "),
        outcome: page.outcome,
        summary: page.summary,
        impacts: &impacts,
        track: &track,
        curves: &all_curves,
        contacts: &[],
        steps: &steps,
        up: Up::Z,
    })
}

/// The bodies of cells, named as in a recording of them, and their poses over its time.
fn scene_and_track<'c>(
    cells: impl IntoIterator<Item = &'c LoadedCell>,
    recording: &Recording,
) -> (PageScene, Track) {
    let mut scene = PageScene::of_cells(cells, recording.seconds);
    for (body, name) in scene.bodies.iter_mut().zip(&recording.bodies) {
        body.name.clone_from(name);
    }
    let before: Vec<noli::Pose> = scene.bodies.iter().map(|body| body.pose).collect();
    let track = Track::of_recording(recording, &before);
    (scene, track)
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

fn step(prefix: &str, instruction: &InstructionReport, seconds: f64) -> PageStep {
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
        label: format!("{prefix}{}", instruction.line),
        text: instruction.text.clone(),
        note,
        hit: stopped,
    }
}

/// The smallest clearance of every instruction, and the signals.
fn curves(prefix: &str, report: &RunReport, seconds: f64) -> Vec<Curve> {
    let mut clearances = Curve::of_steps(&format!("{prefix}clearance"), Vec::new());
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
        curves.push(Curve::of_steps(&format!("{prefix}{path} {signal}"), points));
    }
    curves
}
