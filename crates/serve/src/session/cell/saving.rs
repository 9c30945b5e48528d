//! Saving a cell: its text with taught locations, and the program into its own file.

use crate::cell_text::CellText;
use crate::journal::sum;
use crate::project::plain_file_name;
use crate::protocol::Event;
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
        self.write_cell(file, text, program)?;
        self.tell_saved(format!("Saved into {}.", name_of(file)), answer);
        Ok(())
    }

    /// Saves the cell as a new file of its folder: with the arm as it stands, also if a URDF file alone was opened.
    pub(in crate::session) fn save_as(&mut self, file: &str, answer: &mut Answer) -> Result<(), Trouble> {
        let wrong = || Trouble::new(format!("invalid file name {file:?}"), "give a name such as cell.toml");
        let name = plain_file_name(file).filter(|name| name.ends_with(".toml")).ok_or_else(wrong)?;
        let mut text = CellText::read(&self.cell_source()?.text)?;
        let none = || Trouble::new("there is no folder to save into", "open a file of a folder");
        let path = self.folder.as_ref().ok_or_else(none)?.join(name);
        refuse_existing(&path)?;
        let program = self.program_file(&path, true, &mut text)?;
        let state = self.cell()?;
        let (work, values) = (&state.loaded.work, state.arm_values());
        let slides = |variable: usize| work.robot.variables()[variable].movement == JointAxisKind::Slide;
        let start: Vec<(f64, bool)> =
            arm_variables(work).into_iter().map(|variable| (values[variable], slides(variable))).collect();
        if values != work.start.as_slice() {
            text.set_start(&start)?;
        }
        self.write_cell(&path, text, program)?;
        self.becomes_scene(path.clone());
        self.title = noli_formats::display_name::printable(&path.display().to_string());
        if let Some(source) = self.cell.as_mut().and_then(|state| state.source.as_mut()) {
            source.path = path;
        }
        // From here on, programs start where they do when the file is opened.
        let text = self.cell_source()?.text.clone();
        self.apply_cell(&text, answer)?;
        self.tell_saved(format!("Saved as {name}."), answer);
        Ok(())
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
        let (Some(program), Some(folder)) = (wanted.program, &self.folder) else { return Ok(None) };
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

fn refuse_existing(path: &Path) -> Result<(), Trouble> {
    // A link that leads nowhere is a file, too.
    if std::fs::symlink_metadata(path).is_ok() {
        let text = format!("there is a file {} already", name_of(path));
        return Err(Trouble::new(text, "give another name, or rename the file"));
    }
    Ok(())
}
