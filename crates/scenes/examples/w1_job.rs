//! Writes workload W1 as a job folder for the programs under `peers/`:
//! `cargo run -p noli-scenes --example w1_job -- FOLDER`.

use noli_scenes::{W1_MOTION_SEED, W1_SEED, pose_table, raw_mesh, w1_meshes, w1_motion_starts, w1_poses};
use std::io::{Error, Result};
use std::path::PathBuf;

fn main() -> Result<()> {
    let folder = PathBuf::from(std::env::args_os().nth(1).ok_or_else(|| Error::other("which folder?"))?);
    std::fs::create_dir_all(&folder)?;
    let [a, b] = w1_meshes();
    std::fs::write(folder.join("a.raw"), raw_mesh(&a))?;
    std::fs::write(folder.join("b.raw"), raw_mesh(&b))?;
    let poses = w1_poses(W1_SEED, 1000);
    let starts = w1_motion_starts(W1_MOTION_SEED, &poses);
    std::fs::write(folder.join("starts.csv"), pose_table(&starts))?;
    std::fs::write(folder.join("poses.csv"), pose_table(&poses))
}
