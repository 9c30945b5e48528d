//! Bodies given by formulas: reading and drawing them.

use super::body::FieldSource;
use super::bytes_of;
use crate::{FileError, Place};
use noli_geom::{Aabb, Mesh, MeshError, MeshOptions};
use noli_implicit::{Field, FormulaError, parse_formula, parse_vm};
use std::path::{Path, PathBuf};

/// The object of a formula. Errors of a file name it; those of the scene's own text have been told before.
pub(super) fn read(source: &FieldSource, path_of: impl Fn(&Path) -> PathBuf) -> Result<Field, FileError> {
    let at = |error: FormulaError| {
        let FormulaError { line, column, reason, remedy, .. } = error;
        FileError::new(Place::Line(line), format!("column {column}: {reason}"), remedy)
    };
    let path = match source {
        FieldSource::Text(text) => return parse_formula(text).map(|expr| Field::new(&expr)).map_err(at),
        FieldSource::File(path) => path_of(path),
    };
    let bytes = bytes_of(&path).map_err(|error| error.in_file(&path))?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let place = Place::Byte(error.utf8_error().valid_up_to());
        FileError::new(place, "this is not text", "give a .vm file or a file with a formula").in_file(&path)
    })?;
    let is_vm = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("vm"));
    let parsed = if is_vm { parse_vm(&text) } else { parse_formula(&text) };
    parsed.map(|expr| Field::new(&expr)).map_err(|error| at(error).in_file(&path))
}

/// What of it lies between two corners.
pub(super) fn cut(field: Field, bounds: Option<[[f64; 3]; 2]>) -> Field {
    match bounds {
        Some([min, max]) => field.within(Aabb { min: min.into(), max: max.into() }),
        None => field,
    }
}

/// Triangles around it, for looking at.
pub(super) fn drawn(field: &Field, cells: u32) -> Result<Mesh, MeshError> {
    let found = field.triangles(cells);
    Mesh::from_triangles(found.vertices, found.triangles, &MeshOptions::default())
}
