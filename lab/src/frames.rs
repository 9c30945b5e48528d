//! The four-step method of 1994, frame by frame as published, for comparison with the proven results.

use noli::{Budget, Pose};
use noli_classics::{Participation, VoxelBody, VoxelScratch, detect};
use noli_program::run::{DrivenKind, ExecutedMotion, PartLocation, Run, WorkCellError};
use noli_project::cell::{LoadedCell, frame_poses, parts_at};
use noli_project::report::FramesReport;
use noli_robot::cell::{Cell, PairRule};

/// Options for sampling frames.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrameOptions {
    /// Maximum distance of the tool from frame to frame, in metres.
    pub step: f64,
    /// Maximum rotation of any joint, in radians.
    pub turn: f64,
    /// Halvings of a body's container; the source takes 9.
    pub halvings: u8,
    /// Frames of one motion at most.
    pub most: usize,
}

impl Default for FrameOptions {
    fn default() -> Self {
        Self { step: 0.005, turn: 1f64.to_radians(), halvings: 9, most: 20_000 }
    }
}

/// Returns the number of frames of a motion after its first: the fewest that keep tool and joints within their
/// steps.
pub fn frame_count(cell: &LoadedCell, driven: &ExecutedMotion, options: &FrameOptions) -> usize {
    let tool = |values: &[f64]| {
        let mut links = vec![Pose::IDENTITY; cell.work.robot.links().len()];
        cell.work.robot.link_poses(values, &mut links);
        (links[cell.work.flange] * cell.work.tool).translation
    };
    let (mut path, mut turn) = (0.0, 0.0f64);
    for two in driven.keys.windows(2) {
        let ends = [&two[0].1, &two[1].1];
        path += tool(ends[0]).distance(tool(ends[1]));
        turn += ends[0].iter().zip(ends[1]).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    }
    let count = (path / options.step).max(turn / options.turn).ceil();
    (count as usize).clamp(1, options.most)
}

/// Returns the participating pairs of `looks`: those whose parts are checked.
pub fn frame_pairs(cell: &LoadedCell, of: &Cell) -> Participation {
    let numbers: Vec<u32> = (0..cell.looks.len() as u32).collect();
    let mut table = Participation::new(&numbers, &[]);
    for (b, second) in cell.looks.iter().enumerate() {
        for (a, first) in cell.looks[..b].iter().enumerate() {
            let asked = of
                .pair(&first.name, &second.name)
                .is_some_and(|pair| matches!(of.pairs()[pair].rule, PairRule::Checked { .. }));
            table.set(a as u32, b as u32, asked);
        }
    }
    table
}

/// Tests every frame of every motion of a run, in full length, with the four-step method. The gripper's own
/// motions are excluded, since fingers are meant to touch. Round bodies are represented by inscribed meshes.
/// Microseconds are left 0.
pub fn four_step_frames(
    cell: &LoadedCell,
    run: &Run,
    options: &FrameOptions,
) -> Result<FramesReport, WorkCellError> {
    let bodies: Vec<VoxelBody> =
        cell.looks.iter().map(|look| VoxelBody::new(&look.mesh, options.halvings)).collect();
    let bodies: Vec<&VoxelBody> = bodies.iter().collect();
    let mut report = FramesReport { step: options.step, turn: options.turn, ..FramesReport::default() };
    let mut scratch = VoxelScratch::default();
    let mut known: Option<(Vec<PartLocation>, Participation)> = None;
    for (number, driven) in run.driven.iter().enumerate() {
        if matches!(driven.kind, DrivenKind::Open | DrivenKind::Close | DrivenKind::Rest) {
            continue;
        }
        let parts = parts_at(run, cell.work.loose.len(), driven.start);
        let table = match known.take().filter(|(at, _)| *at == parts) {
            Some((_, table)) => table,
            None => frame_pairs(cell, &cell.work.cell(&parts, None)?),
        };
        let count = frame_count(cell, driven, options);
        let mut colliding = 0;
        for frame in 0..=count {
            let values = driven.values(frame as f64 / count as f64);
            let poses = frame_poses(cell, &values, &parts);
            let found = detect(&bodies, &poses, &table, &Budget::UNLIMITED, &mut scratch);
            colliding += usize::from(found.is_some_and(|(collisions, _)| !collisions.is_empty()));
        }
        report.frames += count + 1;
        report.colliding += colliding;
        let ours = run.contacts.iter().any(|contact| contact.driven == number);
        match (ours, colliding) {
            (true, 0) => report.missed.push(driven.place.line),
            (false, 1..) => report.false_alarms.push(driven.place.line),
            _ => {}
        }
        known = Some((parts, table));
    }
    Ok(report)
}
