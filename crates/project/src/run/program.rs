//! Program files, read.

use crate::stage::cell::LoadedCell;
use noli_formats::{FileError, Place, bytes_of};
use noli_program::Programs;
use std::path::{Path, PathBuf};

/// The text of a program, read.
#[derive(Clone, Debug)]
pub struct RunSource {
    /// Path of its file.
    pub path: PathBuf,
    /// Its lines.
    pub lines: Vec<String>,
    /// Its programs.
    pub programs: Programs,
    /// The one to run: the first.
    pub main: String,
}

impl RunSource {
    /// Reads a program file.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, FileError> {
        let path = path.as_ref();
        let bytes = bytes_of(path).map_err(|error| error.in_file(path))?;
        let text = String::from_utf8(bytes).map_err(|_| {
            FileError::new(Place::Whole, "the text is not UTF-8", "save it as UTF-8").in_file(path)
        })?;
        read_program_text(&text, path)
    }

    /// The program that a cell names, from its file or bundled with it.
    pub fn of_cell(cell: &LoadedCell) -> Result<Self, FileError> {
        match &cell.program {
            Some((path, Some(text))) => read_program_text(text, path),
            Some((path, None)) => Self::read(path),
            None => Err(FileError::new(
                Place::Whole,
                format!("{} names no program", cell.title),
                "add `program = \"FILE\"` to it, or give a program on the command line",
            )),
        }
    }

    /// Returns the text of a line, counted from 1; empty if there is none.
    pub fn line(&self, line: u32) -> String {
        self.lines.get((line as usize).wrapping_sub(1)).map_or("", |line| line.trim()).to_owned()
    }
}

/// Reads the text of a program as if it stood in a file at this path.
pub fn read_program_text(text: &str, path: &Path) -> Result<RunSource, FileError> {
    let programs = text.parse::<Programs>().map_err(|error| {
        let reason = format!("column {}: {}", error.place.column, error.fault);
        let (reason, remedy) = reason.rsplit_once("; ").unwrap_or((&reason, "correct the line"));
        FileError::new(Place::Line(error.place.line as usize), reason, remedy).in_file(path)
    })?;
    let Some(first) = programs.list.first() else {
        return Err(
            FileError::new(Place::Whole, "there is no program", "write at least one statement").in_file(path)
        );
    };
    let main = first.name.clone();
    let lines = text.lines().map(str::to_owned).collect();
    Ok(RunSource { path: path.to_path_buf(), lines, programs, main })
}
