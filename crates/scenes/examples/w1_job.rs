//! Writes workload W1 as a job folder for the programs under `peers/`:
//! `cargo run -p noli-scenes --example w1_job -- FOLDER`.

use noli_geom::Pose;
use noli_scenes::{TriangleSet, W1_SEED, w1_meshes, w1_poses};
use std::io::{Error, Result};
use std::path::PathBuf;

fn main() -> Result<()> {
    let folder = PathBuf::from(std::env::args_os().nth(1).ok_or_else(|| Error::other("which folder?"))?);
    std::fs::create_dir_all(&folder)?;
    let [a, b] = w1_meshes();
    std::fs::write(folder.join("a.raw"), raw(&a))?;
    std::fs::write(folder.join("b.raw"), raw(&b))?;
    std::fs::write(folder.join("poses.csv"), table(&w1_poses(W1_SEED, 1000)))
}

/// The format of `peers/README.md`: magic, counts, coordinates, indices, all little-endian.
fn raw(mesh: &TriangleSet) -> Vec<u8> {
    let mut bytes = b"NOLIRAW1".to_vec();
    for count in [mesh.vertices.len(), mesh.triangles.len()] {
        bytes.extend((count as u64).to_le_bytes());
    }
    bytes.extend(mesh.vertices.iter().flat_map(|vertex| vertex.to_array()).flat_map(f64::to_le_bytes));
    bytes.extend(mesh.triangles.iter().flatten().flat_map(|index| index.to_le_bytes()));
    bytes
}

fn table(poses: &[Pose]) -> String {
    let row = |pose: &Pose| {
        let numbers: Vec<_> =
            pose.rotation.to_array().iter().chain(&pose.translation.to_array()).map(f64::to_string).collect();
        numbers.join(",") + "\n"
    };
    "qx,qy,qz,qw,tx,ty,tz\n".to_owned() + &poses.iter().map(row).collect::<String>()
}
