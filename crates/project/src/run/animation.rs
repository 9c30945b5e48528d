//! A run as a file that other programs play.

use super::poses::{frame_poses, parts_at};
use crate::load::unique_names::make_unique;
use crate::stage::cell::{CellLook, LoadedCell};
use noli::Pose;
use noli_formats::{FileError, GltfBody, GltfTrack, NamedMesh, write_gltf};
use noli_program::run::Run;

/// Times of an animation at most.
const MOST_TIMES: usize = 20_000;

/// The cell as binary glTF, with the motion of a run as its animation: so many frames a second, and the very
/// moments at which motions begin, end and pass their key configurations.
pub fn run_gltf(cell: &LoadedCell, run: &Run, per_second: f64) -> Result<Vec<u8>, FileError> {
    let times = times(run, per_second);
    let values = |time: f64| run.values_at(time).unwrap_or_else(|| cell.work.start.clone());
    let count = cell.work.loose.len();
    let poses: Vec<Vec<Pose>> =
        times.iter().map(|&time| frame_poses(cell, &values(time), &parts_at(run, count, time))).collect();
    let names = unique_names(&cell.looks);
    let start = frame_poses(cell, &cell.work.start, &parts_at(run, count, 0.0));
    let bodies = bodies(&cell.looks, &names, poses.first().unwrap_or(&start));
    write_gltf(&bodies, Some(&GltfTrack { name: cell.title.clone(), times, poses }))
}

/// Looks of a cell as binary glTF, at the start.
pub fn looks_gltf(looks: &[CellLook], poses: &[Pose]) -> Result<Vec<u8>, FileError> {
    write_gltf(&bodies(looks, &unique_names(looks), poses), None)
}

/// Returns the objects of one file as binary glTF, in place.
pub fn meshes_gltf(objects: &[NamedMesh]) -> Result<Vec<u8>, FileError> {
    let mut bodies = Vec::new();
    for NamedMesh { name, mesh } in objects {
        bodies.push(GltfBody { name, mesh, pose: Pose::IDENTITY });
    }
    write_gltf(&bodies, None)
}

fn unique_names(looks: &[CellLook]) -> Vec<String> {
    let mut names: Vec<String> = looks.iter().map(|look| look.name.clone()).collect();
    make_unique(names.iter_mut());
    names
}

fn bodies<'a>(looks: &'a [CellLook], names: &'a [String], poses: &[Pose]) -> Vec<GltfBody<'a>> {
    let named = looks.iter().zip(names).zip(poses);
    named.map(|((look, name), &pose)| GltfBody { name, mesh: &look.mesh, pose }).collect()
}

fn times(run: &Run, per_second: f64) -> Vec<f64> {
    let seconds = run.seconds.max(1e-9);
    let mut times = vec![0.0, seconds];
    for driven in &run.driven {
        let shares = driven.keys.iter().map(|key| key.0).filter(|s| (driven.from..=driven.until).contains(s));
        times.extend(shares.map(|share| driven.start + driven.profile.time(share)));
        times.extend([driven.blend_start(), driven.end()]);
    }
    times.extend(run.parts.iter().map(|change| change.time));
    times.truncate(MOST_TIMES);
    let even = (seconds * per_second).ceil().max(1.0) as usize;
    if times.len() + even <= MOST_TIMES {
        times.extend((1..even).map(|k| seconds * k as f64 / even as f64));
    }
    times.retain(|time| (0.0..=seconds).contains(time));
    times.sort_by(f64::total_cmp);
    times.dedup();
    times
}
