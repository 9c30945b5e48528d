//! A run as frames to be played.

use super::poses::{frame_poses, parts_at};
use crate::load::unique_names::make_unique;
use crate::recording::{Frame, Recording};
use crate::report::impact::{ImpactKind, ImpactReport};
use crate::report::pair::Trust;
use crate::stage::cell::LoadedCell;
use noli_formats::Units;
use noli_program::run::Run;

/// A run among others that began at the same time.
#[derive(Clone, Copy, Debug)]
pub struct RunInCell<'a> {
    /// Prefix of the names of its bodies and parts; empty for a run by itself.
    pub prefix: &'a str,
    /// Its cell.
    pub cell: &'a LoadedCell,
    /// The run.
    pub run: &'a Run,
}

/// The run as a recording: so many frames a second, at most so many in all. Bodies are the looks of the cell.
pub fn run_recording(cell: &LoadedCell, run: &Run, per_second: f64, most: u32) -> Recording {
    recording_together(&[RunInCell { prefix: "", cell, run }], per_second, most)
}

/// Several runs as one recording, until the last of them ends. Bodies are the looks of all cells, in order.
pub fn recording_together(runs: &[RunInCell<'_>], per_second: f64, most: u32) -> Recording {
    let seconds = runs.iter().map(|one| one.run.seconds).fold(1e-9, f64::max);
    let frame_count = ((seconds * per_second).ceil() as u32).clamp(1, most.max(1));
    let names = |one: &RunInCell<'_>| {
        let mut names: Vec<String> = one.cell.looks.iter().map(|look| look.name.clone()).collect();
        make_unique(names.iter_mut());
        names.into_iter().map(|name| format!("{}{name}", one.prefix)).collect::<Vec<_>>()
    };
    let times =
        |number: u32| [number, number + 1].map(|place| seconds * f64::from(place) / f64::from(frame_count));
    let frame = |number: u32| Frame {
        number,
        time: f64::from(number) / f64::from(frame_count),
        groups: Vec::new(),
        // A contact that stops the program is at the end of the last frame.
        hits: runs.iter().flat_map(|one| hits(one, times(number), number + 1 == frame_count)).collect(),
        poses: runs.iter().flat_map(|one| poses(one, times(number)[1])).collect(),
        moved: 0,
        candidates: 0,
        tested: 0,
        asleep: 0,
        cut_short: 0,
        steps: 0,
        micros: 0.0,
        budget_met: true,
    };
    let titles: Vec<&str> = runs.iter().map(|one| one.cell.title.as_str()).collect();
    Recording {
        noli_recording: Recording::VERSION,
        scene: titles.join(", "),
        units: Units::Metre,
        seconds,
        frame_count,
        bodies: runs.iter().flat_map(names).collect(),
        tessellation: None,
        frames: (0..frame_count).map(frame).collect(),
    }
}

/// Poses of all bodies at a time.
fn poses(one: &RunInCell<'_>, time: f64) -> impl Iterator<Item = [f64; 7]> {
    let values = one.run.values_at(time).unwrap_or_else(|| one.cell.work.start.clone());
    let parts = parts_at(one.run, one.cell.work.loose.len(), time);
    frame_poses(one.cell, &values, &parts).into_iter().map(|pose| pose.to_array())
}

/// Contacts within a frame.
fn hits(one: &RunInCell<'_>, [begins, ends]: [f64; 2], is_last: bool) -> Vec<ImpactReport> {
    let is_here = |t: f64| t >= begins && (t < ends || is_last);
    let within = |t: f64| ((t - begins) / (ends - begins)).clamp(0.0, 1.0);
    let named = |part: &str| format!("{}{part}", one.prefix);
    let hits = one.run.contacts.iter().filter(|hit| is_here(hit.time[0]));
    let report = hits.map(|hit| ImpactReport {
        a: named(&hit.parts[0]),
        b: named(&hit.parts[1]),
        impact: if hit.at_start { ImpactKind::AtStart } else { ImpactKind::At },
        after_start: None,
        safe_until: within(hit.time[0]),
        touching_by: Some(within(hit.time[1])),
        proven: Some(hit.proven),
        guarantee: Trust::Conservative,
        features: None,
        point: hit.point.map(|point| point.to_array()),
        normal: hit.normal.map(|normal| normal.to_array()),
        clearance_at_most: None,
        margin: 0.0,
        safe_until_s: Some(hit.time[0]),
        touching_by_s: Some(hit.time[1]),
        travelled: None,
    });
    report.collect()
}
