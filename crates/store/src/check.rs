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
        let at = |error| self.wrong(error);
        let mut pages = self.connection.prepare("PRAGMA integrity_check").map_err(at)?;
        let lines = pages.query_map([], |row| row.get::<_, String>(0)).map_err(at)?;
        for line in lines {
            let line = line.map_err(at)?;
            if line != "ok" {
                found.push(format!("pages: {line}"));
            }
        }
        let mut references = self.connection.prepare("PRAGMA foreign_key_check").map_err(at)?;
        let lines = references.query_map([], |row| {
            Ok(format!(
                "references: a row of {} names nothing in {}",
                row.get::<_, String>(0)?,
                row.get::<_, String>(2)?
            ))
        });
        for line in lines.map_err(at)? {
            found.push(line.map_err(at)?);
        }
        let mut blobs = self.connection.prepare("SELECT hash, bytes FROM blob").map_err(at)?;
        let mut rows = blobs.query([]).map_err(at)?;
        while let Some(row) = rows.next().map_err(at)? {
            let (hash, bytes): (String, Vec<u8>) = (row.get(0).map_err(at)?, row.get(1).map_err(at)?);
            if content_hash(&bytes) != hash {
                found.push(format!("contents: {hash} has changed"));
            }
        }
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
            match self.robot(&entry.name) {
                Ok(stored) => {
                    if let Err(error) = Robot::new(stored.parts) {
                        found.push(format!("manipulator `{}`: {error}", entry.name));
                    }
                }
                Err(error) => found.push(format!("manipulator `{}`: {error}", entry.name)),
            }
        }
        let roots = "SELECT m.name FROM manipulator m WHERE \
             EXISTS (SELECT 1 FROM joint j WHERE j.manipulator = m.id AND j.moving_part = 0) \
             OR NOT EXISTS (SELECT 1 FROM part p WHERE p.manipulator = m.id AND p.id = 0)";
        let mut wrong = self.connection.prepare(roots).map_err(at)?;
        for name in wrong.query_map([], |row| row.get::<_, String>(0)).map_err(at)? {
            found.push(format!("manipulator `{}`: part 0 does not stand fixed", name.map_err(at)?));
        }
        Ok(found)
    }
}
