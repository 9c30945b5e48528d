//! A cell with the files it names, as the workplace that programs run in.

mod bodies;
mod gripper;
mod loaded;
mod loader;
mod program_data;
mod robots;

pub use loaded::{CellLook, LoadedCell, OpenStored, StoredArm, look};

use crate::data::cell::parse_cell;
use crate::data::suggest::name_one;
use crate::load::robot::RobotOptions;
use loader::Loader;
use noli_formats::{FileError, Place, bytes_of};
use std::path::{Path, PathBuf};

/// Reads a cell and all files it names but programs. Robots of databases are refused: see [`load_cell_with`].
pub fn load_cell(path: impl AsRef<Path>) -> Result<LoadedCell, FileError> {
    load_cell_with(path, &no_databases)
}

/// Loads a cell like [`load_cell`]; `stored` opens robots of databases.
pub fn load_cell_with(path: impl AsRef<Path>, stored: OpenStored<'_>) -> Result<LoadedCell, FileError> {
    let path = path.as_ref();
    let bytes = bytes_of(path).map_err(|error| error.in_file(path))?;
    load_cell_text_with(&bytes, path, stored)
}

fn no_databases(path: &Path, _: &str, _: &RobotOptions) -> Result<StoredArm, FileError> {
    let remedy = "export the robot with `noli db export` and name its URDF file";
    Err(FileError::new(Place::Whole, "databases are not opened here", remedy).in_file(path))
}

/// Returns `true` if a file is a cell: TOML with robots, which joint tables and scenes do not have.
pub fn is_cell_file(path: impl AsRef<Path>) -> bool {
    let path = path.as_ref();
    let is_toml = path.extension().is_some_and(|end| end.eq_ignore_ascii_case("toml"));
    let has_robot = |bytes: Vec<u8>| {
        let text = String::from_utf8_lossy(&bytes);
        text.trim_start_matches('\u{feff}').lines().any(|line| {
            line.trim_start().starts_with("[robot]") || line.trim_start().starts_with("[[robot]]")
        })
    };
    is_toml && bytes_of(path).is_ok_and(has_robot)
}

/// [`load_cell`] of a text in memory, as if it stood in a file at this path.
pub fn load_cell_text(text: &[u8], path: &Path) -> Result<LoadedCell, FileError> {
    load_cell_text_with(text, path, &no_databases)
}

/// Loads a text like [`load_cell_text`]; `stored` opens robots of databases.
pub fn load_cell_text_with(
    text: &[u8],
    path: &Path,
    stored: OpenStored<'_>,
) -> Result<LoadedCell, FileError> {
    let cell = parse_cell(text).map_err(|error| error.in_file(path))?;
    Loader { cell: &cell, path, stored }.load()
}

/// The names of the cells that come with noli.
pub fn bundled_cells() -> Vec<&'static str> {
    noli_scenes::cells().iter().map(|cell| cell.name).collect()
}

/// Opens a cell that comes with noli.
pub fn open_bundled_cell(name: &str) -> Result<LoadedCell, FileError> {
    let Some(found) = noli_scenes::cells().iter().find(|cell| cell.name == name) else {
        let reason = format!("there is no bundled cell called `{name}`");
        return Err(FileError::new(Place::Whole, reason, name_one(name, bundled_cells().into_iter())));
    };
    let path = PathBuf::from(format!("{name} (bundled)"));
    let mut cell = load_cell_text(found.text().as_bytes(), &path)?;
    cell.program = Some((PathBuf::from(format!("{name}.val (bundled)")), Some(found.program)));
    cell.inputs.clear();
    Ok(cell)
}
