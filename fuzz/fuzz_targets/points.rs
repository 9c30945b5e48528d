//! Point clouds and occupancy trees, whatever they hold, are answered.
#![no_main]

use libfuzzer_sys::fuzz_target;
use noli_formats::{PointFormat, UnknownCells, read_octomap_bytes, read_point_bytes};

fuzz_target!(|bytes: &[u8]| {
    for format in
        [PointFormat::Pcd, PointFormat::Ply, PointFormat::Xyz, PointFormat::Npy, PointFormat::Camera]
    {
        if let Ok(file) = read_point_bytes(bytes, format) {
            assert!(file.points.iter().all(|point| point.is_finite()));
        }
    }
    let _ = read_octomap_bytes(bytes, UnknownCells::Obstacle);
});
