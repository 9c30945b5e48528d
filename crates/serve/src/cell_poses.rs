//! Poses of the visual parts of a cell.

use noli::Pose;
use noli_project::cell::LoadedCell;

/// Returns the initial poses of the visual parts of a cell.
pub(crate) fn cell_poses(loaded: &LoadedCell) -> Vec<Pose> {
    poses_of(loaded, &loaded.work.start)
}

/// Returns the poses of the visual parts of a cell for values of its arm, all parts at their initial poses.
pub(crate) fn poses_of(loaded: &LoadedCell, values: &[f64]) -> Vec<Pose> {
    let work = &loaded.work;
    let mut links = vec![Pose::IDENTITY; work.robot.links().len()];
    work.robot.link_poses(values, &mut links);
    let place = |look: &noli_project::cell::CellLook| match look.link {
        Some(link) => work.world_from_root * links[link] * look.place,
        None => look.place,
    };
    loaded.looks.iter().map(place).collect()
}
