//! Saving a cell: its text with taught locations, and the program into its own file.

use crate::cell_text::CellText;
use crate::journal::sum;
use crate::project::CellSource;
use crate::protocol::Event;
use crate::session::save_bundled::refuse_existing;
use crate::session::{Answer, Session, To, Trouble};
use noli_program::run::arm_variables;
use noli_robot::JointAxisKind;
use std::path::{Path, PathBuf};

/// A program to be written: its file, and its text.
type ProgramFile = (PathBuf, String);

impl Session {
    /// Saves the cell into its file.
    pub(in crate::session) fn save_cell(&mut self, file: &Path, answer: &mut Answer) -> Result<(), Trouble> {
        let on_disk = noli_formats::text_of(file).map_err(|error| unwritten(error.in_file(file)))?;
        let source = self.cell_source()?;
        // A file edited meanwhile keeps its changes, unless the same text was changed here, too.
        let base = if source.text == source.on_disk {
            on_disk
        } else if on_disk == source.on_disk {
            source.text.clone()
        } else {
            let text = format!("{} was changed since it was opened", file.display());
            return Err(Trouble::new(text, "save as another file, or open it again"));
        };
        let mut text = CellText::read(&base)?;
        let program = self.program_file(file, false, &mut text)?;
        let of_program = program
            .as_ref()
            .map_or(String::new(), |(path, _)| format!(", the program into {}", name_of(path)));
        self.write_cell(file, text, program)?;
        self.tell_saved(format!("Saved into {}{of_program}.", name_of(file)), answer);
        Ok(())
    }

    /// Writes the cell as a new file: with the arm as it stands, also if a URDF file alone was opened or the cell is
    /// bundled. Returns the text of the file.
    pub(in crate::session) fn save_cell_as(&mut self, path: &Path) -> Result<String, Trouble> {
        let bundled = || {
            let (name, _) = self.bundled.as_ref()?;
            noli_scenes::cells().iter().find(|cell| cell.name == name).map(|cell| cell.text())
        };
        let text = match self.cell_source() {
            Ok(source) => source.text.clone(),
            Err(trouble) => bundled().ok_or(trouble)?,
        };
        let mut text = CellText::read(&text)?;
        let program = self.program_file(path, true, &mut text)?;
        let state = self.cell()?;
        let (work, values) = (&state.loaded.work, state.arm_values());
        let slides = |variable: usize| work.robot.variables()[variable].movement == JointAxisKind::Slide;
        let start: Vec<(f64, bool)> =
            arm_variables(work).into_iter().map(|variable| (values[variable], slides(variable))).collect();
        if values != work.start.as_slice() {
            text.set_start(&start)?;
        }
        let written = text.text();
        self.write_cell(path, text, program)?;
        if let Some(state) = &mut self.cell {
            let (path, text, on_disk) = (path.to_owned(), written.clone(), written.clone());
            state.source = Some(CellSource { path, text, on_disk });
        }
        Ok(written)
    }

    /// The program, if it is to be written, and the file for it, which the text then names.
    fn program_file(
        &self,
        file: &Path,
        is_new: bool,
        text: &mut CellText,
    ) -> Result<Option<ProgramFile>, Trouble> {
        let wanted = self.wanted_of_cell()?;
        text.set_locations(&wanted.locations)?;
        let (Some(program), Some(folder)) = (wanted.program, self.save_folder()) else { return Ok(None) };
        let inside = |path: &PathBuf| path.canonicalize().is_ok_and(|path| path.starts_with(folder));
        let path = match wanted.path {
            Some(path) if !is_new && inside(&path) => return Ok(Some((path, program))),
            Some(path) if !is_new => {
                let text = format!("{} is not in the folder of the cell", path.display());
                return Err(Trouble::new(text, "copy it there, and name it in the cell"));
            }
            _ => folder.join(file.with_extension("val").file_name().unwrap_or_default()),
        };
        refuse_existing(&path)?;
        text.set_program(&name_of(&path));
        Ok(Some((path, program)))
    }

    /// Writes both files, if the text reads back as a cell.
    fn write_cell(
        &mut self,
        file: &Path,
        text: CellText,
        program: Option<ProgramFile>,
    ) -> Result<(), Trouble> {
        let text = text.text();
        noli_project::cell::parse_cell(text.as_bytes()).map_err(|error| {
            Trouble::new(format!("the changed cell does not read: {error}"), "undo the last change")
        })?;
        if let Some((path, program)) = program {
            noli_formats::write_whole(&path, program.as_bytes()).map_err(unwritten)?;
            if let Some(state) = &mut self.cell {
                state.loaded.program = Some((path, None));
            }
        }
        noli_formats::write_whole(file, text.as_bytes()).map_err(unwritten)?;
        self.cell_saved(&text);
        self.saved(sum(text.as_bytes()), Vec::new());
        Ok(())
    }

    fn tell_saved(&self, text: String, answer: &mut Answer) {
        answer.events.push((To::All, self.edits_event()));
        answer.events.push((To::All, Event::Note { text }));
    }
}

fn unwritten(error: impl std::fmt::Display) -> Trouble {
    Trouble::new(error.to_string(), "check its permissions")
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
