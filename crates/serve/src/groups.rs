//! Groups of bodies made by hand, by names, in a file next to the scene: they change no rule and no verdict.

use crate::review::read_beside;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

const SCHEMA: &str = "noli.groups";
const VERSION: u32 = 1;

/// As it is written.
#[derive(Serialize, Deserialize)]
struct Written {
    schema: String,
    version: u32,
    groups: BTreeMap<String, Vec<String>>,
}

/// All groups of a scene: names of bodies by the name of the group.
#[derive(Debug, Default)]
pub(crate) struct Groups {
    /// `None` for bundled scenes, which have no folder.
    path: Option<PathBuf>,
    all: BTreeMap<String, Vec<String>>,
}

impl Groups {
    /// Reads the groups of a file; one that does not exist has none.
    pub(crate) fn open(path: PathBuf) -> io::Result<Self> {
        let Some(written) = read_beside::<Written>(&path)? else {
            return Ok(Self { path: Some(path), all: BTreeMap::new() });
        };
        if written.schema != SCHEMA || written.version != VERSION {
            let text = format!("this is no {SCHEMA} of version {VERSION}");
            return Err(io::Error::new(io::ErrorKind::InvalidData, text));
        }
        Ok(Self { path: Some(path), all: written.groups })
    }

    /// Returns the names of the bodies of a group.
    pub(crate) fn get(&self, name: &str) -> Option<&Vec<String>> {
        self.all.get(name)
    }

    /// Returns all groups in the order of their names.
    pub(crate) fn all(&self) -> impl Iterator<Item = (&String, &Vec<String>)> {
        self.all.iter()
    }

    /// Sets or dissolves groups and writes the file; a file that cannot be written changes nothing.
    pub(crate) fn set(&mut self, changes: Vec<(String, Option<Vec<String>>)>) -> io::Result<()> {
        let before = self.all.clone();
        for (name, bodies) in changes {
            match bodies {
                Some(bodies) => drop(self.all.insert(name, bodies)),
                None => drop(self.all.remove(&name)),
            }
        }
        self.write().inspect_err(|_| self.all = before)
    }

    /// Continues in another file, with the same content.
    pub(crate) fn move_to(&mut self, path: PathBuf) -> io::Result<()> {
        let old = self.path.replace(path);
        self.write()?;
        old.map_or(Ok(()), |old| if old.exists() { std::fs::remove_file(old) } else { Ok(()) })
    }

    fn write(&self) -> io::Result<()> {
        let Some(path) = &self.path else { return Ok(()) };
        if self.all.is_empty() && !path.exists() {
            return Ok(());
        }
        let written = Written { schema: SCHEMA.to_owned(), version: VERSION, groups: self.all.clone() };
        let text = serde_json::to_string_pretty(&written)? + "\n";
        noli_formats::write_whole(path, text.as_bytes()).map_err(|error| io::Error::other(error.to_string()))
    }
}

/// Path of the groups of a scene.
pub(crate) fn beside(scene: &Path) -> PathBuf {
    let name = scene.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    scene.with_file_name(format!("{name}.groups.json"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_read_back_and_other_files_are_not_overwritten() {
        let folder = noli_testing::Folder::new("serve-groups");
        let path = folder.join("bay.groups.json");
        let bodies = vec!["battery.case".to_owned(), "battery.post".to_owned()];
        let mut groups = Groups::open(path.clone()).unwrap();
        groups.set(vec![("battery".to_owned(), Some(bodies.clone()))]).unwrap();
        let mut read = Groups::open(path.clone()).unwrap();
        assert_eq!(read.get("battery"), Some(&bodies));
        read.set(vec![("battery".to_owned(), None), ("power".to_owned(), Some(bodies))]).unwrap();
        assert_eq!(Groups::open(path.clone()).unwrap().all().count(), 1);
        std::fs::write(&path, "{\"schema\": \"other\", \"version\": 1, \"groups\": {}}").unwrap();
        assert!(Groups::open(path).is_err());
    }
}
