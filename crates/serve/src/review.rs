//! Reviews of clashes: status and comment of a pair, by the names of both bodies.
//!
//! They are kept in a file of their own next to the scene, written with every decision. Editing the scene does
//! not touch them.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

/// The first fields of the file.
const SCHEMA: &str = "noli.review";
const VERSION: u32 = 1;

/// Status and comment of a pair.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Review {
    /// One of new, active, reviewed, approved, resolved; empty for none.
    #[serde(default)]
    pub status: String,
    /// Text of a person; may be empty.
    #[serde(default)]
    pub comment: String,
}

#[derive(Serialize, Deserialize)]
struct Written {
    schema: String,
    version: u32,
    pairs: Vec<WrittenPair>,
}

#[derive(Serialize, Deserialize)]
struct WrittenPair {
    a: String,
    b: String,
    #[serde(flatten)]
    review: Review,
}

/// All reviews of a scene.
#[derive(Debug, Default)]
pub(crate) struct Reviews {
    /// `None` for bundled scenes, which have no folder.
    path: Option<PathBuf>,
    pairs: BTreeMap<[String; 2], Review>,
}

impl Reviews {
    /// Reads the reviews of a file; one that does not exist has none.
    pub(crate) fn open(path: PathBuf) -> io::Result<Self> {
        let Some(written) = read_beside::<Written>(&path)? else {
            return Ok(Self { path: Some(path), pairs: BTreeMap::new() });
        };
        if written.schema != SCHEMA || written.version != VERSION {
            let text = format!("this is no {SCHEMA} of version {VERSION}");
            return Err(io::Error::new(io::ErrorKind::InvalidData, text));
        }
        let pairs = written.pairs.into_iter().map(|pair| (key(&pair.a, &pair.b), pair.review));
        Ok(Self { path: Some(path), pairs: pairs.collect() })
    }

    /// Returns the review of a pair; the default where there is none.
    pub(crate) fn of(&self, a: &str, b: &str) -> Review {
        self.pairs.get(&key(a, b)).cloned().unwrap_or_default()
    }

    /// Returns all pairs with a review, also those whose bodies are not in the scene now.
    pub(crate) fn all(&self) -> impl Iterator<Item = (&[String; 2], &Review)> {
        self.pairs.iter()
    }

    /// Sets the review of a pair and writes the file; a file that cannot be written changes nothing.
    pub(crate) fn set(&mut self, a: &str, b: &str, review: &Review) -> io::Result<()> {
        let before = self.pairs.clone();
        if *review == Review::default() {
            self.pairs.remove(&key(a, b));
        } else {
            self.pairs.insert(key(a, b), review.clone());
        }
        self.write().inspect_err(|_| self.pairs = before)
    }

    /// Continues in another file, with the same content.
    pub(crate) fn move_to(&mut self, path: PathBuf) -> io::Result<()> {
        let old = self.path.replace(path);
        self.write()?;
        old.map_or(Ok(()), |old| if old.exists() { std::fs::remove_file(old) } else { Ok(()) })
    }

    fn write(&self) -> io::Result<()> {
        let Some(path) = &self.path else { return Ok(()) };
        if self.pairs.is_empty() && !path.exists() {
            return Ok(());
        }
        let pair = |([a, b], review): (&[String; 2], &Review)| WrittenPair {
            a: a.clone(),
            b: b.clone(),
            review: review.clone(),
        };
        let pairs = self.pairs.iter().map(pair).collect();
        let written = Written { schema: SCHEMA.to_owned(), version: VERSION, pairs };
        let text = serde_json::to_string_pretty(&written)? + "\n";
        noli_formats::write_whole(path, text.as_bytes()).map_err(|error| io::Error::other(error.to_string()))
    }
}

/// Reads a file of JSON next to a scene; `None` if there is none.
pub(crate) fn read_beside<T: serde::de::DeserializeOwned>(path: &Path) -> io::Result<Option<T>> {
    if std::fs::symlink_metadata(path).is_ok_and(|found| !found.is_file()) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "this is a link or no file"));
    }
    match noli_formats::bytes_of(path) {
        Ok(bytes) => serde_json::from_slice(&bytes).map(Some).map_err(io::Error::other),
        Err(_) if !path.exists() => Ok(None),
        Err(error) => Err(io::Error::other(error.to_string())),
    }
}

/// Path of the reviews of a scene.
pub(crate) fn beside(scene: &Path) -> PathBuf {
    let name = scene.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    scene.with_file_name(format!("{name}.review.json"))
}

fn key(a: &str, b: &str) -> [String; 2] {
    let mut names = [a.to_owned(), b.to_owned()];
    names.sort();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reviews_are_read_back_in_any_order_of_names() {
        let folder = noli_testing::Folder::new("serve-review");
        let path = folder.join("bay.review.json");
        let approved = Review { status: "approved".into(), comment: "as \"designed\"\n=1+1".into() };
        let mut reviews = Reviews::open(path.clone()).unwrap();
        reviews.set("tank", "pump", &approved).unwrap();
        let mut read = Reviews::open(path.clone()).unwrap();
        assert_eq!(read.of("pump", "tank"), approved);
        assert_eq!(read.of("pump", "hose"), Review::default());
        read.set("pump", "tank", &Review::default()).unwrap();
        assert_eq!(Reviews::open(path.clone()).unwrap().all().count(), 0);
        std::fs::write(&path, "{\"schema\": \"other\", \"version\": 1, \"pairs\": []}").unwrap();
        assert!(Reviews::open(path.clone()).is_err(), "another file is not overwritten");
        std::fs::write(&path, "nonsense").unwrap();
        assert!(Reviews::open(path).is_err());
    }

    #[test]
    fn a_review_that_cannot_be_written_is_not_kept_in_memory_either() {
        let folder = noli_testing::Folder::new("serve-review-gone");
        let mut reviews = Reviews::open(folder.join("missing/bay.review.json")).unwrap();
        let active = Review { status: "active".into(), ..Review::default() };
        assert!(reviews.set("a", "b", &active).is_err());
        assert_eq!(reviews.of("a", "b"), Review::default());
    }
}
