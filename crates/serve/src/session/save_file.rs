//! Saving: the changes of the session into the files of the project.

use super::{Answer, Listed, Session, To, Trouble};
use crate::journal::{Journal, beside, sum};
use crate::protocol::Event;
use crate::review::{self, Reviews};
use crate::save::rewritten;
use noli_formats::ReadOptions;
use std::io;
use std::path::Path;
use toml_edit::{ArrayOfTables, DocumentMut, Item, Table};

/// File name of the scene saved for a folder of files.
const NEW_SCENE: &str = "scene.toml";

impl Session {
    /// A folder of files becomes a scene, which names them.
    fn save_as_scene(&mut self, answer: &mut Answer) -> Result<(), Trouble> {
        let (Some(listed), Some(folder)) = (&self.listed, self.folder.get()) else {
            return Err(Trouble::new("this is in no file yet", "save it as one"));
        };
        let file = folder.join(NEW_SCENE);
        if file.exists() {
            let text = format!("there is a file {NEW_SCENE} already");
            return Err(Trouble::new(text, "open that, or rename it"));
        }
        let mut bodies = ArrayOfTables::new();
        for Listed { name, path, object, units } in listed {
            let inside = path.canonicalize().ok();
            let inside = inside.as_deref().and_then(|path| path.strip_prefix(folder).ok()?.to_str());
            let outside = || {
                let text = format!("{} is not in the folder", path.display());
                Trouble::new(text, "copy it there, and open the folder again")
            };
            let mut table = Table::new();
            table.insert("name", toml_edit::value(name.as_str()));
            table.insert("file", toml_edit::value(inside.ok_or_else(outside)?.replace('\\', "/")));
            if let Some(object) = object {
                table.insert("object", toml_edit::value(object.as_str()));
            }
            if let Some(units) = units {
                table.insert("units", toml_edit::value(units.sign()));
            }
            bodies.push(table);
        }
        let mut document = DocumentMut::new();
        document.insert("units", toml_edit::value(self.units_sign()));
        if !bodies.is_empty() {
            document.insert("body", Item::ArrayOfTables(bodies));
        }
        let (wanted, left) = self.wanted()?;
        let text = rewritten(&document.to_string(), &wanted)?;
        let loaded = noli_project::load_scene_text(text.as_bytes(), &file, &ReadOptions::default());
        let told = |why: String| Trouble::new(format!("a scene cannot say this: {why}"), "write one by hand");
        let loaded = loaded.map_err(|error| told(error.to_string()))?;
        // Objects of one name are told apart by their file alone.
        if self.triangles() != loaded.bodies.iter().map(|body| body.look.triangle_count()).sum::<usize>() {
            return Err(told("objects of one file have the same name".to_owned()));
        }
        noli_formats::write_whole(&file, text.as_bytes())
            .map_err(|error| Trouble::new(error.to_string(), "check its permissions"))?;
        self.becomes_scene(file);
        self.saved(sum(text.as_bytes()), left.into_iter().map(|(_, edit)| edit).collect());
        answer.events.push((To::All, self.edits_event()));
        answer.events.push((To::All, self.plays_event()));
        let text = format!("Saved as {NEW_SCENE}, which opens with this folder from now on.");
        answer.events.push((To::All, Event::Note { text }));
        Ok(())
    }

    pub(crate) fn save(&mut self, answer: &mut Answer) -> Result<(), Trouble> {
        let Some(file) = self.scene_file.clone() else {
            // A robot alone becomes a cell; a bundled scene is saved under a name that is given.
            return match self.new_file_name().filter(|_| self.cell_source().is_ok()) {
                Some(name) => self.save_as(&name, answer),
                None => self.save_as_scene(answer),
            };
        };
        if self.has_cell() {
            return self.save_cell(&file, answer);
        }
        let text = noli_formats::text_of(&file)
            .map_err(|error| Trouble::new(error.in_file(&file).to_string(), "check its permissions"))?;
        let (wanted, left) = self.wanted()?;
        let text = rewritten(&text, &wanted)?;
        // What does not read back must not replace what does.
        noli_project::parse_scene(text.as_bytes()).map_err(|error| {
            Trouble::new(format!("the changed scene does not read: {error}"), "report this fault")
        })?;
        noli_formats::write_whole(&file, text.as_bytes())
            .map_err(|error| Trouble::new(error.to_string(), "check its permissions"))?;
        let (told, left): (Vec<String>, Vec<_>) = left.into_iter().unzip();
        let what = wanted.summary();
        self.saved(sum(text.as_bytes()), left);
        answer.events.push((To::All, self.edits_event()));
        // Kept paths are removals of the scene from here on.
        answer.events.push((To::All, self.plays_event()));
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let text = match told.len() {
            0 => format!("Saved into {name}{what}."),
            _ => format!("Saved into {name}{what}, but kept beside it: {}.", told.join("; ")),
        };
        answer.events.push((To::All, Event::Note { text }));
        Ok(())
    }
}

impl Session {
    /// Reads the reviews of the scene.
    pub(super) fn open_reviews(&mut self) -> Result<(), Trouble> {
        let Some(folder) = self.folder.get() else { return Ok(()) };
        let path =
            self.scene_file.as_deref().map_or_else(|| folder.join("studio.review.json"), review::beside);
        let told = |error: io::Error| {
            Trouble::new(format!("{}: {error}", path.display()), "move it away, or check its permissions")
        };
        self.reviews = Reviews::open(path.clone()).map_err(told)?;
        Ok(())
    }

    /// Finds changes that were made and not saved, and makes them again.
    pub(crate) fn open_journal(&mut self) -> Result<Vec<String>, Trouble> {
        let Some(folder) = self.folder.get() else { return Ok(Vec::new()) };
        let (path, scene) = match &self.scene_file {
            Some(file) => (beside(file), sum(&noli_formats::bytes_of(file).unwrap_or_default())),
            None => (folder.join("studio.jsonl"), 0),
        };
        let told = |error: io::Error, path: &Path| {
            Trouble::new(format!("{}: {error}", path.display()), "move it away, or check its permissions")
        };
        let (journal, edits, mut notes) =
            Journal::open(path.clone(), scene).map_err(|error| told(error, &path))?;
        let count = self.replay(edits, &mut notes);
        if count > 0 {
            notes.push(format!("{count} unsaved changes were made again"));
        }
        self.set_journal(journal);
        Ok(notes)
    }
}
