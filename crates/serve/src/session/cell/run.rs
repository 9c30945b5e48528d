//! An executed program as a motion to show.

use crate::cell_poses::poses_of;
use crate::number::single;
use crate::protocol::TrackView;
use crate::session::Trouble;
use glam::DVec3;
use noli::Pose;
use noli_pages::shape::View;
use noli_pages::{PageData, Room, run_page, words};
use noli_program::run::{PartLocation, Run, RunOptions};
use noli_project::cell::{LoadedCell, RunSource, run_recording, run_report};
use noli_project::report::RunReport;

/// Pictures of a run that are kept for a second of it, and at most in all.
const PICTURES: f64 = 30.0;
const MOST_PICTURES: usize = 3000;

/// A program in its cell.
#[derive(Debug)]
pub(in crate::session) struct ProgramRun {
    pub(super) loaded: LoadedCell,
    pub(super) source: RunSource,
    pub(super) view: View,
    pub(super) middles: Vec<DVec3>,
}

/// A program that was run: its report, and the page of it.
#[derive(Debug)]
pub struct RanProgram {
    pub report: RunReport,
    pub page: PageData,
}

impl ProgramRun {
    /// Runs it; returns the result as a motion to show.
    pub(in crate::session) fn run(&self) -> Result<(TrackView, Box<RanProgram>), Trouble> {
        let options = RunOptions {
            on_contact: self.loaded.on_contact,
            blend: self.loaded.blend,
            profile: 40,
            ..RunOptions::default()
        };
        let run =
            noli_program::run::run(&self.loaded.work, &self.source.programs, &self.source.main, &options)
                .map_err(|error| Trouble::new(error.to_string(), "mend the cell"))?;
        let report = run_report(&self.loaded, &self.source, &run);
        let recording =
            run_recording(&self.loaded, &run, PICTURES, u32::try_from(MOST_PICTURES).unwrap_or(u32::MAX));
        let page = run_page(&self.loaded, &report, &recording)
            .map_err(|error| Trouble::new(error.to_string(), "run the program again"))?;
        Ok((self.track(&run, &report), Box::new(RanProgram { report, page })))
    }

    /// The cell and the program.
    pub(in crate::session) fn into_parts(self) -> (LoadedCell, RunSource) {
        (self.loaded, self.source)
    }

    fn track(&self, run: &Run, report: &RunReport) -> TrackView {
        let seconds = run.seconds.max(1e-3);
        let contact = report.contacts.first();
        let lines = report.instructions.iter().map(|one| (one.start / seconds, one.line, one.text.clone()));
        let signals = report.signals.iter().map(|one| (one.time / seconds, one.signal, one.on, one.output));
        let failed = report.first_failure.as_ref();
        TrackView {
            title: format!("Program {}", report.main),
            free: contact.is_none() && failed.is_none(),
            verdict: verdict_of(report, seconds),
            seconds,
            events: events_of(report, seconds),
            room: room_of(report, seconds),
            lines: lines.collect(),
            signals: signals.collect(),
            contact: contact.and_then(|contact| contact.point).map(|point| self.view.point(point.into())),
            unit: Some("mm"),
            stop_line: contact.map(|contact| contact.line).or(failed.map(|failure| failure.line)),
            ..self.pictures(run, seconds)
        }
    }

    /// Returns the times, poses, joint values and positions of the tool that are shown.
    fn pictures(&self, run: &Run, seconds: f64) -> TrackView {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates")]
        let pictures = ((seconds * PICTURES) as usize).clamp(60, MOST_PICTURES);
        let times: Vec<f64> = (0..=pictures).map(|k| k as f64 / pictures as f64).collect();
        let moving =
            self.loaded.looks.iter().enumerate().filter(|(_, it)| it.link.is_some() || it.loose.is_some());
        let bodies: Vec<usize> = moving.map(|(number, _)| number).collect();
        let mut poses = Vec::with_capacity(times.len().saturating_mul(bodies.len()).saturating_mul(7));
        let (mut joints, mut tool) = (Vec::new(), Vec::new());
        for time in &times {
            let values = run.values_at(time * seconds).unwrap_or_else(|| self.loaded.work.start.clone());
            joints.extend(values.iter().map(|value| single(*value)));
            tool.extend(self.tool_at(&values).to_array().map(single));
            let all = self.poses_at(run, time * seconds);
            for &body in &bodies {
                let (at, turn) = self.view.pose(&all[body], self.middles[body]);
                poses.extend(at.iter().chain(&turn).map(|x| single(*x)));
            }
        }
        TrackView { times, bodies, poses, joints, tool, ..TrackView::default() }
    }

    /// Returns the position of the tool in the world.
    fn tool_at(&self, values: &[f64]) -> DVec3 {
        let work = &self.loaded.work;
        let mut links = vec![Pose::IDENTITY; work.robot.links().len()];
        work.robot.link_poses(values, &mut links);
        (work.world_from_root * links[work.flange] * work.tool).translation
    }

    /// Returns all poses at a time of the run.
    fn poses_at(&self, run: &Run, time: f64) -> Vec<Pose> {
        let work = &self.loaded.work;
        let values = run.values_at(time).unwrap_or_else(|| work.start.clone());
        let mut poses = poses_of(&self.loaded, &values);
        let mut links = vec![Pose::IDENTITY; work.robot.links().len()];
        work.robot.link_poses(&values, &mut links);
        for (number, look) in self.loaded.looks.iter().enumerate() {
            let Some(part) = look.loose else { continue };
            let now = run.parts.iter().rfind(|change| change.part == part && change.time <= time + 1e-9);
            match now.map(|change| change.now) {
                Some(PartLocation::Stands(pose)) => poses[number] = pose,
                Some(PartLocation::Held(place)) => {
                    let carrier = work.grasp.as_ref().map_or(work.flange, |grasp| grasp.link);
                    poses[number] = work.world_from_root * links[carrier] * place;
                }
                None => {}
            }
        }
        poses
    }
}

/// Returns contacts, texts that the program shows, and its failure, in the order of time.
fn events_of(report: &RunReport, seconds: f64) -> Vec<(f64, String, &'static str)> {
    let contacts = report.contacts.iter().map(|contact| {
        let at = contact.point.map_or(String::new(), |p| {
            format!(" at ({}) mm", p.map(|x| format!("{:.1}", x * 1e3)).join(", "))
        });
        let [a, b] = &contact.links;
        let text = format!("line {}: {a} touches {b}{at}", contact.line);
        (contact.safe_until / seconds, text, "intersecting")
    });
    let shown =
        report.shown.iter().map(|shown| (shown.time / seconds, shown.text.trim().to_owned(), "separated"));
    let failure = report.first_failure.as_ref().filter(|_| report.contacts.is_empty()).map(|failure| {
        (failure.time / seconds, format!("line {}: {}", failure.line, failure.reason), "undecided")
    });
    let mut events: Vec<_> = contacts.chain(shown).chain(failure).collect();
    events.sort_by(|a, b| a.0.total_cmp(&b.0));
    events
}

/// Returns the result in one sentence.
fn verdict_of(report: &RunReport, seconds: f64) -> String {
    if let Some(contact) = report.contacts.first() {
        let [a, b] = &contact.links;
        return format!("stops in line {}: {a} touches {b}", contact.line);
    }
    if let Some(failure) = &report.first_failure {
        return format!("stops in line {}: {}", failure.line, failure.reason);
    }
    let clearance = report.smallest_clearance.as_ref().map_or(String::new(), |found| {
        let text = words::short(found.clearance.at_most * 1e3);
        format!(", smallest clearance {text} mm in line {}", found.line)
    });
    format!(
        "{} of {} motions proven free and driven in {} s{clearance}",
        report.executable,
        report.motions,
        words::short((seconds * 1e3).round() / 1e3)
    )
}

/// Returns the clearance of each instruction, in the order of time.
fn room_of(report: &RunReport, seconds: f64) -> Vec<Room> {
    let found = report.instructions.iter().filter_map(|instruction| instruction.clearance.as_ref());
    let room = found.map(|found| {
        let to = found.clearance.links.as_ref().map_or(String::new(), |links| links.join(" – "));
        Room { time: found.time / seconds, clearance: found.clearance.at_most * 1e3, to }
    });
    let mut room: Vec<Room> = room.filter(|room| room.clearance.is_finite()).collect();
    room.sort_by(|a, b| a.time.total_cmp(&b.time));
    room
}
