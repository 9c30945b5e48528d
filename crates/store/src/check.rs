//! Integrity check of a file.

use crate::{Store, StoreError, content_hash};
use noli_robot::Robot;

impl Store {
    /// Returns all errors in the file: empty if it is intact. Reads all of it.
    ///
    /// Tests the pages of the file, every reference and the hash of every content. Every robot must be a tree with
    /// a fixed part 0, and geometry must be readable. Volumes, centres and inertias are computed anew. The schema
    /// was compared with that of noli when the file was opened.
    pub fn check(&self) -> Result<Vec<String>, StoreError> {
        let mut found = Vec::new();
        let pages: Vec<String> = self.rows("PRAGMA integrity_check", [], |row| row.get(0))?;
        found.extend(pages.iter().filter(|line| *line != "ok").map(|line| format!("pages: {line}")));
        found.extend(self.rows("PRAGMA foreign_key_check", [], |row| {
            let [from, to]: [String; 2] = [row.get(0)?, row.get(2)?];
            Ok(format!("references: a row of {from} names nothing in {to}"))
        })?);
        let changed = self.rows("SELECT hash, bytes FROM blob", [], |row| {
            let (hash, bytes): (String, Vec<u8>) = (row.get(0)?, row.get(1)?);
            Ok((content_hash(&bytes) != hash).then(|| format!("contents: {hash} has changed")))
        });
        found.extend(changed?.into_iter().flatten());
        for entry in self.list(Some("component"))? {
            match self.wrong_properties(&entry.name) {
                Ok(wrong) if wrong.is_empty() => {}
                Ok(wrong) => {
                    let wrong = wrong.join(", ");
                    found.push(format!("component `{}`: not that of its surface: {wrong}", entry.name));
                }
                Err(error) => found.push(format!("component `{}`: {error}", entry.name)),
            }
        }
        for entry in self.list(Some("manipulator"))? {
            let built = self.robot(&entry.name).map(|stored| Robot::new(stored.parts));
            let wrong = match built {
                Ok(Ok(_)) => continue,
                Ok(Err(error)) => error.to_string(),
                Err(error) => error.to_string(),
            };
            found.push(format!("manipulator `{}`: {wrong}", entry.name));
        }
        let roots = "SELECT m.name FROM manipulator m WHERE \
             EXISTS (SELECT 1 FROM joint j WHERE j.manipulator = m.id AND j.moving_part = 0) \
             OR NOT EXISTS (SELECT 1 FROM part p WHERE p.manipulator = m.id AND p.id = 0)";
        let fixed = |name: String| format!("manipulator `{name}`: part 0 does not stand fixed");
        found.extend(self.rows(roots, [], |row| row.get(0).map(fixed))?);
        Ok(found)
    }
}
