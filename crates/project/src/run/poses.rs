//! Poses of all bodies at a time of a run.

use crate::stage::cell::{CellLook, LoadedCell};
use noli::Pose;
use noli_program::run::{PartLocation, Run};

/// Returns all poses in one frame, by the cell's `looks`.
pub fn frame_poses(cell: &LoadedCell, values: &[f64], parts: &[PartLocation]) -> Vec<Pose> {
    let work = &cell.work;
    let mut links = vec![Pose::IDENTITY; work.robot.links().len()];
    work.robot.link_poses(values, &mut links);
    let carrier = work.grasp.as_ref().map_or(work.flange, |grasp| grasp.link);
    let pose = |look: &CellLook| match (look.link, look.loose) {
        (Some(link), _) => work.world_from_root * links[link] * look.place,
        (None, Some(part)) => match parts[part] {
            PartLocation::Stands(pose) => pose,
            PartLocation::Held(on_link) => work.world_from_root * links[carrier] * on_link,
        },
        (None, None) => look.place,
    };
    cell.looks.iter().map(pose).collect()
}

/// Returns the locations of the parts at a time, including changes at exactly that time.
pub fn parts_at(run: &Run, count: usize, time: f64) -> Vec<PartLocation> {
    let mut parts = vec![PartLocation::Stands(Pose::IDENTITY); count];
    for change in run.parts.iter().take_while(|change| change.time <= time) {
        parts[change.part] = change.now;
    }
    parts
}
