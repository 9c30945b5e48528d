//! Signed-distance grids: a JSON file names an NPY array of samples, the size of a cell and the place of the first.

use super::{npy, unpacked};
use crate::error::{FileError, Place};
use crate::file_bytes::{bytes_of, refuse_stream, without_byte_order_mark};
use std::path::Path;

/// Samples of a signed distance at the centres of cubic cells, with what the file states about them.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq)]
pub struct DistanceGridFile {
    /// Samples, the last index fastest: positive outside, negative inside, NaN if unknown.
    pub values: Vec<f32>,
    /// Cells along each axis.
    pub size: [usize; 3],
    /// Length of a cell.
    pub voxel_size: f64,
    /// Centre of the first cell.
    pub origin: [f64; 3],
    /// No sample is further than this from the distance.
    pub error: f64,
    /// Samples of at least this magnitude state only that the distance is at least as large.
    pub truncation: Option<f64>,
}

/// Unknown keys are refused, so that a misspelt one is not taken for its default.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Description {
    distances: String,
    voxel_size: f64,
    origin: [f64; 3],
    #[serde(default)]
    error: f64,
    #[serde(default)]
    truncation: Option<f64>,
}

/// Returns `true` if a JSON file has the keys of a distance grid.
#[must_use]
pub fn is_distance_grid(path: &Path) -> bool {
    let is_json = path.extension().is_some_and(|end| end.eq_ignore_ascii_case("json"));
    let has = |bytes: &[u8], key: &[u8]| bytes.windows(key.len()).any(|window| window == key);
    is_json
        && bytes_of(path).is_ok_and(|bytes| has(&bytes, b"\"distances\"") && has(&bytes, b"\"voxel_size\""))
}

/// Reads a signed-distance grid: the JSON file at `path`, and the array that it names.
pub fn read_distance_grid(path: impl AsRef<Path>) -> Result<DistanceGridFile, FileError> {
    let path = path.as_ref();
    read(path).map_err(|error| if error.path.is_none() { error.in_file(path) } else { error })
}

fn read(path: &Path) -> Result<DistanceGridFile, FileError> {
    let bytes = bytes_of(path)?;
    let Description { distances, voxel_size, origin, error, truncation } =
        serde_json::from_slice(without_byte_order_mark(&bytes)).map_err(|error| {
            let remedy =
                "give distances (an .npy file), voxel_size and origin; error and truncation if needed";
            FileError::new(Place::Line(error.line().max(1)), format!("not a distance grid: {error}"), remedy)
        })?;
    let array = path.parent().unwrap_or(Path::new("")).join(&distances);
    refuse_stream(&array)?;
    let read_array = || npy::parse_cube(&unpacked(bytes_of(&array)?)?);
    let (size, values) = read_array().map_err(|error| error.in_file(&array))?;
    Ok(DistanceGridFile { values, size, voxel_size, origin, error, truncation })
}
