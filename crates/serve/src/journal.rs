//! Changes that were made and not saved yet, one line of JSON each, so that nothing is lost when the server ends.

use crate::edit::Edit;
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The first line: what the changes are about.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Head {
    noli_studio: u32,
    /// A sum over the scene file; another scene has other changes.
    scene: u64,
}

const VERSION: u32 = 1;

/// A file that changes are added to.
#[derive(Debug)]
pub(crate) struct Journal {
    path: PathBuf,
    head: Head,
    /// Made with the first change: looking around leaves nothing behind.
    file: Option<File>,
}

impl Journal {
    /// Opens the journal at a path; the changes that are in it, and what was odd. One that is of another scene is moved
    /// aside, not lost.
    pub(crate) fn open(path: PathBuf, scene: u64) -> io::Result<(Self, Vec<Edit>, Vec<String>)> {
        let head = Head { noli_studio: VERSION, scene };
        let (mut edits, mut notes) = (Vec::new(), Vec::new());
        let mut journal = Self { path, head, file: None };
        refuse_link(&journal.path)?;
        let text = match std::fs::read_to_string(&journal.path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok((journal, edits, notes)),
            Err(error) => return Err(error),
        };
        let mut lines = text.lines();
        let is_ours = lines.next().and_then(|line| serde_json::from_str::<Head>(line).ok())
            == Some(Head { ..journal.head });
        if !is_ours {
            let aside = aside(&journal.path);
            std::fs::rename(&journal.path, &aside)?;
            notes.push(format!("changes to an older scene were set aside in {}", aside.display()));
            return Ok((journal, edits, notes));
        }
        let mut lines = text.split_inclusive('\n');
        let mut whole = lines.next().map_or(0, str::len);
        for line in lines {
            // A server that was killed may leave half a line at the end.
            let Ok(edit) = serde_json::from_str(line.trim_end()) else { break };
            if !line.ends_with('\n') {
                break;
            }
            edits.push(edit);
            whole = whole.saturating_add(line.len());
        }
        let file = OpenOptions::new().append(true).open(&journal.path)?;
        file.set_len(whole as u64)?;
        journal.file = Some(file);
        Ok((journal, edits, notes))
    }

    /// Keeps one more change.
    pub(crate) fn add(&mut self, edit: &Edit) -> io::Result<()> {
        if self.file.is_none() {
            refuse_link(&self.path)?;
            let mut file = File::create(&self.path)?;
            file.write_all((serde_json::to_string(&self.head)? + "\n").as_bytes())?;
            self.file = Some(file);
        }
        let line = serde_json::to_string(edit)? + "\n";
        match &mut self.file {
            // One call, so that a line is there or not.
            Some(file) => file.write_all(line.as_bytes()),
            None => Ok(()),
        }
    }

    /// Moves the journal next to a scene that was just created from the changes.
    pub(crate) fn move_to(&mut self, path: PathBuf) {
        self.clear(self.head.scene);
        self.path = path;
    }

    /// Everything has been saved into this scene.
    pub(crate) fn clear(&mut self, scene: u64) {
        self.head.scene = scene;
        self.file = None;
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Returns a free name for a journal that is set aside: none that was set aside before is replaced.
fn aside(journal: &Path) -> PathBuf {
    let first = std::iter::once("old.jsonl".to_owned());
    let mut names = first.chain((2_u64..).map(|k| format!("old-{k}.jsonl")));
    let free = names.find_map(|end| {
        let path = journal.with_extension(end);
        std::fs::symlink_metadata(&path).is_err().then_some(path)
    });
    free.unwrap_or_else(|| journal.with_extension("old.jsonl"))
}

/// Refuses a link in place of a journal: in a folder from elsewhere it could lead to any file.
fn refuse_link(path: &Path) -> io::Result<()> {
    let found = std::fs::symlink_metadata(path);
    if found.is_ok_and(|found| !found.is_file()) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "this is a link or no file"));
    }
    Ok(())
}

/// A sum over bytes (FNV-1a).
pub(crate) fn sum(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |sum, &byte| (sum ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

/// The journal of a scene.
pub(crate) fn beside(scene: &Path) -> PathBuf {
    let name = scene.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    scene.with_file_name(format!("{name}.studio.jsonl"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_line_is_the_most_that_is_lost() {
        let folder = noli_testing::Folder::new("serve-journal");
        let path = folder.join("scene.jsonl");
        let edit = |k: f64| Edit::Margin { from: 0.1 + 0.2, to: k / 3.0 };
        let (mut journal, edits, _) = Journal::open(path.clone(), 7).unwrap();
        assert!(edits.is_empty() && !path.exists(), "looking around leaves nothing behind");
        for k in 0..3u32 {
            journal.add(&edit(k.into())).unwrap();
        }
        let whole = std::fs::read(&path).unwrap();
        for cut in whole.len() - 20..=whole.len() {
            std::fs::write(&path, &whole[..cut]).unwrap();
            let (mut journal, edits, _) = Journal::open(path.clone(), 7).unwrap();
            let kept: u32 = if cut == whole.len() { 3 } else { 2 };
            assert_eq!(
                edits,
                (0..kept).map(|k| edit(k.into())).collect::<Vec<_>>(),
                "bit for bit, cut at {cut}"
            );
            journal.add(&edit(9.0)).unwrap();
            let (_, edits, _) = Journal::open(path.clone(), 7).unwrap();
            assert_eq!(edits.len(), kept as usize + 1);
        }
        let (_, edits, notes) = Journal::open(path.clone(), 8).unwrap();
        assert!(edits.is_empty() && notes.len() == 1, "another scene has other changes");
        // What is set aside a second time does not replace the first.
        let first = std::fs::read(path.with_extension("old.jsonl")).unwrap();
        let (mut journal, ..) = Journal::open(path.clone(), 8).unwrap();
        journal.add(&edit(5.0)).unwrap();
        let (_, edits, notes) = Journal::open(path.clone(), 9).unwrap();
        assert!(edits.is_empty() && notes[0].contains("old-2.jsonl"), "{notes:?}");
        assert_eq!(std::fs::read(path.with_extension("old.jsonl")).unwrap(), first);
        assert_ne!(std::fs::read(path.with_extension("old-2.jsonl")).unwrap(), first);
    }
}
