//! Bodies given by formulas: reading and drawing them.

use crate::data::scene::FieldSource;
use noli_formats::{FileError, Place, bytes_of};
use noli_geom::{Aabb, Mesh, MeshError, MeshOptions};
use noli_implicit::{Field, FormulaError, parse_formula, parse_vm};
use std::path::{Path, PathBuf};

/// Maximum size of a formula file, in bytes.
const LARGEST_FILE: u64 = 1 << 28;

/// Reads the object that a file gives: a `.vm` file, or any other text with a formula.
pub fn read_field(path: impl AsRef<Path>) -> Result<Field, FileError> {
    let path = path.as_ref();
    let read = || {
        let size = std::fs::metadata(path).map_or(0, |file| file.len());
        if size > LARGEST_FILE {
            let reason = format!("too large for a formula ({size} bytes)");
            return Err(FileError::new(Place::Whole, reason, "give a .vm file or a file with a formula"));
        }
        let text = String::from_utf8(bytes_of(path)?).map_err(|error| {
            let place = Place::Byte(error.utf8_error().valid_up_to());
            FileError::new(place, "this is not text", "give a .vm file or a file with a formula")
        })?;
        let text = text.trim_start_matches('\u{feff}');
        let is_vm = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("vm"));
        let parsed = if is_vm { parse_vm(text) } else { parse_formula(text) };
        parsed.map(|expr| Field::new(&expr)).map_err(at)
    };
    read().map_err(|error| error.in_file(path))
}

fn at(error: FormulaError) -> FileError {
    let FormulaError { line, column, reason, remedy, .. } = error;
    FileError::new(Place::Line(line), format!("column {column}: {reason}"), remedy)
}

/// Reads the object of a formula. Errors of a file name it; errors in the scene's own text were reported
/// before.
pub(super) fn read(source: &FieldSource, path_of: impl Fn(&Path) -> PathBuf) -> Result<Field, FileError> {
    match source {
        FieldSource::Text(text) => parse_formula(text).map(|expr| Field::new(&expr)).map_err(at),
        FieldSource::File(path) => read_field(path_of(path)),
    }
}

/// Returns the part of it between two box vertices.
pub(super) fn cut(field: Field, bounds: Option<[[f64; 3]; 2]>) -> Field {
    match bounds {
        Some([min, max]) => field.within(Aabb { min: min.into(), max: max.into() }),
        None => field,
    }
}

/// Creates a display mesh of a field.
pub(super) fn drawn(field: &Field, cells: u32) -> Result<Mesh, MeshError> {
    let found = field.triangles(cells);
    Mesh::from_triangles(found.vertices, found.triangles, &MeshOptions::default())
}
