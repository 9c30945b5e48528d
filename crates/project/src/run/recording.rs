//! A run as frames to be played.

use super::poses::{frame_poses, parts_at};
use crate::load::unique_names::make_unique;
use crate::recording::{Frame, Recording};
use crate::report::impact::{ImpactKind, ImpactReport};
use crate::report::pair::Trust;
use crate::stage::cell::LoadedCell;
use noli_formats::Units;
use noli_program::run::Run;

/// The run as a recording: so many frames a second, at most so many in all. Bodies are the looks of the cell.
pub fn run_recording(cell: &LoadedCell, run: &Run, per_second: f64, most: u32) -> Recording {
    let seconds = run.seconds.max(1e-9);
    let frame_count = ((seconds * per_second).ceil() as u32).clamp(1, most.max(1));
    let mut names: Vec<String> = cell.looks.iter().map(|look| look.name.clone()).collect();
    make_unique(names.iter_mut());
    let mut frames = Vec::with_capacity(frame_count as usize);
    for number in 0..frame_count {
        let time = seconds * f64::from(number + 1) / f64::from(frame_count);
        let values = run.values_at(time).unwrap_or_else(|| cell.work.start.clone());
        let parts = parts_at(run, cell.work.loose.len(), time);
        let begins = seconds * f64::from(number) / f64::from(frame_count);
        // A contact that stops the program is at the end of the last frame.
        let is_last = number + 1 == frame_count;
        let is_here = |t: f64| t >= begins && (t < time || is_last);
        let hits = run.contacts.iter().filter(|hit| is_here(hit.time[0]));
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
            clearance_at_most: None,
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
        tessellation: None,
        frames,
    }
}
