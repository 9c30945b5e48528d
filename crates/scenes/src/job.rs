//! Bodies and poses as the programs under `peers/` read them; the format is in `peers/README.md`.

use crate::TriangleSet;
use noli_geom::Pose;

/// A mesh as a `.raw` file: magic, counts, coordinates, indices, all little-endian.
pub fn raw_mesh(mesh: &TriangleSet) -> Vec<u8> {
    let mut bytes = b"NOLIRAW1".to_vec();
    for count in [mesh.vertices.len(), mesh.triangles.len()] {
        bytes.extend((count as u64).to_le_bytes());
    }
    bytes.extend(mesh.vertices.iter().flat_map(|vertex| vertex.to_array()).flat_map(f64::to_le_bytes));
    bytes.extend(mesh.triangles.iter().flatten().flat_map(|index| index.to_le_bytes()));
    bytes
}

/// Poses as a `.csv` file. Numbers are the shortest that read back to the same `f64`.
pub fn pose_table(poses: &[Pose]) -> String {
    let row = |pose: &Pose| {
        let numbers: Vec<_> =
            pose.rotation.to_array().iter().chain(&pose.translation.to_array()).map(f64::to_string).collect();
        numbers.join(",") + "\n"
    };
    "qx,qy,qz,qw,tx,ty,tz\n".to_owned() + &poses.iter().map(row).collect::<String>()
}
