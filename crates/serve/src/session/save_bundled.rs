//! Saving a bundled scene or cell as a file: from then on it is a project with a folder.

use super::{Answer, Session, To, Trouble};
use crate::journal::{Journal, beside, sum};
use crate::project::plain_file_name;
use crate::protocol::Event;
use crate::save::rewritten;
use std::path::{Path, PathBuf};
use toml_edit::{ArrayOfTables, DocumentMut, InlineTable, Item, Table, Value};

impl Session {
    /// Saves what is open as a new file, which it becomes.
    pub(super) fn save_as(&mut self, file: &str, answer: &mut Answer) -> Result<(), Trouble> {
        let wrong = || Trouble::new(format!("invalid file name {file:?}"), "give a name such as cell.toml");
        let name = plain_file_name(file).filter(|name| name.ends_with(".toml")).ok_or_else(wrong)?;
        let none = || Trouble::new("there is no folder to save into", "open a file of a folder");
        let path = self.save_folder().ok_or_else(none)?.join(name);
        refuse_existing(&path)?;
        let text = if self.has_cell() { self.save_cell_as(&path)? } else { self.save_bundled_scene(&path)? };
        let is_first = path.parent().is_some_and(|folder| self.folder.set(folder.to_owned()).is_ok());
        self.becomes_scene(path.clone());
        self.title = noli_formats::display_name::printable(&path.display().to_string());
        if self.journal.is_none() {
            let told = |error: std::io::Error| Trouble::new(error.to_string(), "check its permissions");
            let (journal, _, notes) = Journal::open(beside(&path), sum(text.as_bytes())).map_err(told)?;
            self.notes.extend(notes);
            self.set_journal(journal);
        }
        if self.has_cell() {
            // From here on, programs start where they do when the file is opened.
            self.apply_cell(&text, answer)?;
        }
        answer.renew = true;
        answer.tell(To::All, self.edits_event());
        // The user has not chosen the file of a bundled scene, so the message names it.
        let text = format!("Saved as {}.", if is_first { &self.title } else { name });
        answer.tell(To::All, Event::Note { text });
        Ok(())
    }

    /// Sets the folder that a bundled scene is saved into; by default the one in which the server was started.
    pub fn set_save_folder(&mut self, folder: PathBuf) {
        self.new_folder = Some(folder);
    }

    /// The folder that new files are saved into: that of the project, or for a bundled scene that of the server.
    pub(super) fn save_folder(&self) -> Option<&PathBuf> {
        self.folder.get().or(self.new_folder.as_ref())
    }

    /// Writes a bundled scene with the changes made here; the text of the file.
    fn save_bundled_scene(&mut self, path: &Path) -> Result<String, Trouble> {
        let none = || Trouble::new("only a bundled scene is saved as another file", "copy the scene file");
        let (name, detail) = self.bundled.clone().ok_or_else(none)?;
        let (text, generated) = bundled_text(&name, detail).ok_or_else(none)?;
        self.note_generated(&generated);
        let (wanted, left) = self.wanted()?;
        let text = rewritten(&text, &wanted)?;
        noli_project::parse_scene(text.as_bytes()).map_err(|error| {
            Trouble::new(format!("the scene does not read: {error}"), "undo the last change")
        })?;
        noli_formats::write_whole(path, text.as_bytes())
            .map_err(|error| Trouble::new(error.to_string(), "check its permissions"))?;
        self.saved(sum(text.as_bytes()), left.into_iter().map(|(_, edit)| edit).collect());
        Ok(text)
    }

    /// Takes note that entries of the scene file generate these parts, in their places.
    fn note_generated(&mut self, assembly: &noli_scenes::Assembly) {
        for part in &assembly.parts {
            let own = self.entries.iter_mut().find(|entry| entry.name == part.name);
            if let Some(origin) = own.and_then(|entry| entry.origin.as_mut()) {
                origin.piece = part.pose;
            }
        }
    }
}

/// Refuses to write over a file.
pub(super) fn refuse_existing(path: &Path) -> Result<(), Trouble> {
    // A link that leads nowhere is a file, too.
    if std::fs::symlink_metadata(path).is_ok() {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        return Err(Trouble::new(
            format!("there is a file {name} already"),
            "give another name, or rename the file",
        ));
    }
    Ok(())
}

/// The text of a scene file with the bodies of a bundled scene, and the parts that are generated when it is read.
fn bundled_text(name: &str, detail: u32) -> Option<(String, noli_scenes::Assembly)> {
    if let Some(written) = noli_scenes::written().iter().find(|scene| scene.name == name) {
        return Some((written.text.to_owned(), noli_scenes::Assembly::default()));
    }
    let mut bodies = ArrayOfTables::new();
    let assembly = noli_scenes::assembly(name, detail)?;
    for part in &assembly.parts {
        let mut generator = InlineTable::new();
        generator.insert("scene", Value::from(name));
        generator.insert("part", Value::from(part.name.as_str()));
        generator.insert("detail", Value::from(i64::from(detail)));
        let mut table = Table::new();
        table.insert("name", toml_edit::value(part.name.as_str()));
        table.insert("generator", toml_edit::value(generator));
        bodies.push(table);
    }
    let mut document = DocumentMut::new();
    document.insert("units", toml_edit::value("mm"));
    document.insert("body", Item::ArrayOfTables(bodies));
    Some((document.to_string(), assembly))
}
