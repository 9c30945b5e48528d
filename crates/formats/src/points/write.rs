//! Point clouds out: PCD, PLY and XYZ. Nothing is rounded.

use super::PointFormat;
use crate::atomic_file::write_whole;
use crate::error::{FileError, Place};
use crate::number::single;
use glam::DVec3;
use std::path::Path;

/// Writes points to a file in the format of its extension. Either the whole file appears or none.
pub fn write_points(path: impl AsRef<Path>, points: &[DVec3]) -> Result<(), FileError> {
    let path = path.as_ref();
    let bytes = || {
        let format = PointFormat::from_extension(path).ok_or_else(|| {
            let reason = "the extension is not that of a point cloud";
            FileError::new(Place::Whole, reason, "use .pcd, .ply, .xyz or .npy")
        })?;
        write_point_bytes(format, points)
    };
    write_whole(path, &bytes().map_err(|error: FileError| error.in_file(path))?)
}

/// Returns the bytes of a file. PCD is compressed and holds 4-byte numbers if all of them are exact, else 8-byte ones.
pub fn write_point_bytes(format: PointFormat, points: &[DVec3]) -> Result<Vec<u8>, FileError> {
    match format {
        PointFormat::Pcd => pcd(points),
        PointFormat::Ply => Ok(ply(points)),
        PointFormat::Xyz => Ok(xyz(points)),
        PointFormat::Npy => Ok(npy(points)),
        PointFormat::Camera => {
            let reason = "depth images are read but not written";
            Err(FileError::new(Place::Whole, reason, "use .pcd, .ply, .xyz or .npy"))
        }
    }
}

fn pcd(points: &[DVec3]) -> Result<Vec<u8>, FileError> {
    let is_short = |x: f64| f64::from(single(x)) == x;
    let short = points.iter().all(|point| point.to_array().into_iter().all(is_short));
    let (size, count) = (if short { 4 } else { 8 }, points.len());
    let mut columns = Vec::with_capacity(count * size * 3);
    for axis in 0..3 {
        for point in points {
            match short {
                true => columns.extend(single(point[axis]).to_le_bytes()),
                false => columns.extend(point[axis].to_le_bytes()),
            }
        }
    }
    let packed = super::lzf::pack(&columns);
    let lengths = [packed.len(), columns.len()].map(u32::try_from);
    let [Ok(packed_size), Ok(whole_size)] = lengths else {
        let reason = "a PCD file holds at most 4 GiB";
        return Err(FileError::new(Place::Whole, reason, "write several files"));
    };
    let mut out = format!(
        "# .PCD v0.7 - Point Cloud Data file format\nVERSION 0.7\nFIELDS x y z\nSIZE {size} {size} {size}\n\
         TYPE F F F\nCOUNT 1 1 1\nWIDTH {count}\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS {count}\n\
         DATA binary_compressed\n"
    )
    .into_bytes();
    out.extend(packed_size.to_le_bytes());
    out.extend(whole_size.to_le_bytes());
    out.extend(packed);
    Ok(out)
}

fn ply(points: &[DVec3]) -> Vec<u8> {
    let header = format!(
        "ply\nformat binary_little_endian 1.0\nelement vertex {}\nproperty double x\nproperty double y\n\
         property double z\nend_header\n",
        points.len()
    );
    with_rows(header.into_bytes(), points)
}

fn npy(points: &[DVec3]) -> Vec<u8> {
    let dict = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({}, 3), }}", points.len());
    // The data start at a multiple of 64 bytes.
    let size = (10 + dict.len() + 1).next_multiple_of(64) - 10;
    let mut out = super::npy::MAGIC.to_vec();
    out.extend([1, 0]);
    out.extend(u16::try_from(size).unwrap_or(u16::MAX).to_le_bytes());
    out.extend(format!("{dict:<width$}\n", width = size - 1).into_bytes());
    with_rows(out, points)
}

fn with_rows(mut out: Vec<u8>, points: &[DVec3]) -> Vec<u8> {
    out.reserve(points.len() * 24);
    for point in points {
        point.to_array().iter().for_each(|x| out.extend(x.to_le_bytes()));
    }
    out
}

fn xyz(points: &[DVec3]) -> Vec<u8> {
    let line = |point: &DVec3| format!("{:?} {:?} {:?}\n", point.x, point.y, point.z);
    points.iter().map(line).collect::<String>().into_bytes()
}
