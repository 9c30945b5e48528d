//! Point clouds in and out: PCD, PLY without faces, XYZ text and NPY arrays; depth images of cameras and occupancy
//! trees of OctoMap in.
//!
//! Points with a coordinate that is not finite are dropped and counted: cameras write NaN where they measure
//! nothing.

mod depth;
mod distance_grid;
mod lzf;
mod npy;
mod octomap;
mod pcd;
mod png;
#[allow(clippy::arithmetic_side_effects, clippy::indexing_slicing, reason = "it writes points: three axes")]
mod write;
mod xyz;

pub use distance_grid::{DistanceGridFile, is_distance_grid, read_distance_grid};
pub use octomap::{OccupancyFile, UnknownCells, read_octomap, read_octomap_bytes};
pub use write::{write_point_bytes, write_points};

use crate::error::{FileError, Place, Warning};
use crate::file_bytes::bytes_of;
use crate::memory_limit::{beyond_limit, memory_limit};
use crate::number::in_memory;
use crate::text::check_coordinate;
use crate::{packed, ply};
use glam::DVec3;
use noli_geom::Pose;
use std::path::Path;

/// A format of point clouds.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PointFormat {
    /// Point Cloud Data of PCL: text, binary or compressed.
    Pcd,
    /// Stanford PLY; its faces are not read.
    Ply,
    /// Text with x, y and z at the start of each line.
    Xyz,
    /// An array of NumPy whose last dimension is x, y, z.
    Npy,
    /// A camera file (JSON) that names a depth image.
    Camera,
}

impl PointFormat {
    /// Returns the format that the extension of a path promises, in any case.
    pub fn from_extension(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        if extension == "gz" {
            return Self::from_extension(Path::new(path.file_stem()?));
        }
        Some(match extension.as_str() {
            "pcd" => Self::Pcd,
            "ply" => Self::Ply,
            "xyz" | "pts" | "txt" | "asc" | "csv" => Self::Xyz,
            "npy" => Self::Npy,
            "json" => Self::Camera,
            _ => return None,
        })
    }

    /// Returns the format that a file declares in its first bytes; XYZ declares nothing.
    pub fn from_content(bytes: &[u8]) -> Option<Self> {
        if bytes.starts_with(npy::MAGIC) {
            return Some(Self::Npy);
        }
        if bytes.starts_with(b"ply\n") || bytes.starts_with(b"ply\r") {
            return Some(Self::Ply);
        }
        pcd::looks_like(bytes).then_some(Self::Pcd)
    }
}

/// The points of a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PointFile {
    /// Points with finite coordinates, in the order of the file.
    pub points: Vec<DVec3>,
    /// Radius of each of these points, if the file has radii: the property or column `radius`, or the fourth column.
    pub radii: Option<Vec<f64>>,
    /// The radii are a fourth column without a name, as of an NPY array `(n, 4)`: it may be an intensity instead.
    pub has_unnamed_radii: bool,
    /// Number of points that were dropped because a coordinate is not finite, or a depth is missing.
    pub dropped: usize,
    /// Pose of the sensor, if the file has one other than the identity. Points of PCD files are given as they
    /// are; those of a depth image are already placed by it.
    pub viewpoint: Option<Pose>,
    /// Oddities of the file.
    pub warnings: Vec<Warning>,
}

impl PointFile {
    /// Adds a point, or counts it as dropped.
    fn push(&mut self, point: [f64; 3], place: Place) -> Result<(), FileError> {
        self.push_sphere(point, None, place)
    }

    /// The same with the radius that the file gives it. All points have one, or none.
    fn push_sphere(&mut self, point: [f64; 3], radius: Option<f64>, place: Place) -> Result<(), FileError> {
        if point.iter().any(|x| !x.is_finite()) {
            self.dropped = self.dropped.saturating_add(1);
            return Ok(());
        }
        for x in point {
            check_coordinate(x, place)?;
        }
        if let Some(radius) = radius {
            if !(radius.is_finite() && radius >= 0.0) {
                let reason = format!("invalid radius of a point: {radius}");
                return Err(FileError::new(place, reason, "write radii that are finite and not negative"));
            }
            self.radii.get_or_insert_default().push(radius);
        }
        self.points.push(point.into());
        Ok(())
    }

    /// Takes the fourth column of a file without names as radii; a column with values that no radius has is something
    /// else.
    fn take_fourth_column(&mut self, column: Vec<f64>) {
        if column.len() == self.points.len() && column.iter().all(|x| x.is_finite() && *x >= 0.0) {
            (self.radii, self.has_unnamed_radii) = (Some(column), true);
        }
    }

    fn warn(&mut self, place: Place, text: impl Into<String>) {
        self.warnings.push(Warning { place, text: text.into() });
    }
}

/// Returns `true` if a path names a point cloud: by its extension, or a PLY file whose header has no faces.
#[must_use]
pub fn is_point_file(path: &Path) -> bool {
    match PointFormat::from_extension(path) {
        Some(PointFormat::Pcd | PointFormat::Npy | PointFormat::Xyz) => true,
        Some(PointFormat::Camera) => bytes_of(path).is_ok_and(|bytes| depth::looks_like(&bytes)),
        Some(PointFormat::Ply) => {
            let unpacked = bytes_of(path).and_then(unpacked);
            unpacked.is_ok_and(|bytes| ply::has_only_points(&bytes))
        }
        None => false,
    }
}

/// Reads the points of a file. The content decides about the format where it declares one, else the extension.
///
/// A file without a point is an error: nothing could touch it.
pub fn read_points(path: impl AsRef<Path>) -> Result<PointFile, FileError> {
    let path = path.as_ref();
    let read = || {
        let bytes = unpacked(bytes_of(path)?)?;
        let format = PointFormat::from_content(&bytes).or_else(|| PointFormat::from_extension(path));
        let Some(format) = format else {
            let reason = "neither the extension nor the content is that of a point cloud";
            let remedy = "give a .pcd, .ply, .xyz or .npy file, or the .json file of a depth camera";
            return Err(FileError::new(Place::Whole, reason, remedy));
        };
        parse(&bytes, format, path.parent())
    };
    read().map_err(|error: FileError| if error.path.is_some() { error } else { error.in_file(path) })
}

/// Reads the points in the bytes of a file. The image that a camera file names is not read from bytes.
pub fn read_point_bytes(bytes: &[u8], format: PointFormat) -> Result<PointFile, FileError> {
    parse(bytes, format, None)
}

fn unpacked(bytes: Vec<u8>) -> Result<Vec<u8>, FileError> {
    if packed::is_gz(&bytes) { packed::from_gz(&bytes) } else { Ok(bytes) }
}

fn parse(bytes: &[u8], format: PointFormat, folder: Option<&Path>) -> Result<PointFile, FileError> {
    if bytes.is_empty() {
        let remedy = "check that it was written completely";
        return Err(FileError::new(Place::Whole, "the file is empty", remedy));
    }
    let file = match format {
        PointFormat::Pcd => pcd::parse(bytes),
        PointFormat::Ply => points_of_ply(bytes),
        PointFormat::Xyz => xyz::parse(bytes),
        PointFormat::Npy => npy::parse(bytes),
        PointFormat::Camera => depth::parse(bytes, folder),
    }?;
    if file.points.is_empty() {
        let reason = match file.dropped {
            0 => "the file holds no points: nothing could touch it".to_owned(),
            dropped => format!("none of the {dropped} points is finite: nothing could touch it"),
        };
        return Err(FileError::new(Place::Whole, reason, "check that it was written completely"));
    }
    Ok(file)
}

fn points_of_ply(bytes: &[u8]) -> Result<PointFile, FileError> {
    let mut file = PointFile::default();
    let has_faces =
        ply::each_point(bytes, &mut |point, radius, place| file.push_sphere(point, radius, place))?;
    if has_faces {
        file.warn(Place::Whole, "only the vertices are read: the faces of this PLY file are passed over");
    }
    Ok(file)
}

/// Refuses a number of points that takes more memory than the limit.
fn check_count(count: u64) -> Result<usize, FileError> {
    if count.saturating_mul(size_of::<DVec3>() as u64) > memory_limit() {
        return Err(beyond_limit(&format!("it has {count} points")));
    }
    Ok(in_memory(count))
}

/// A number of a binary file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scalar {
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    F32,
    F64,
}

impl Scalar {
    fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::I64 | Self::U64 | Self::F64 => 8,
        }
    }

    /// The number at the start of some bytes; `None` if they are too few.
    fn read(self, bytes: &[u8], little_endian: bool) -> Option<f64> {
        let size = self.size();
        let mut word = [0; 8];
        let own = word.get_mut(..size)?;
        own.copy_from_slice(bytes.get(..size)?);
        if !little_endian {
            own.reverse();
        }
        let [a, b, c, d, ..] = word;
        Some(match self {
            Self::I8 => f64::from(i8::from_le_bytes([a])),
            Self::I16 => f64::from(i16::from_le_bytes([a, b])),
            Self::I32 => f64::from(i32::from_le_bytes([a, b, c, d])),
            Self::I64 => i64::from_le_bytes(word) as f64,
            Self::U8 | Self::U16 | Self::U32 | Self::U64 => u64::from_le_bytes(word) as f64,
            Self::F32 => f64::from(f32::from_le_bytes([a, b, c, d])),
            Self::F64 => f64::from_le_bytes(word),
        })
    }
}
