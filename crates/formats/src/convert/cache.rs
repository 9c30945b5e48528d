//! Conversions that are kept, each with the checksum of its content.

use crate::atomic_file::write_whole;
use crate::private_folder::private_builder;
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Size of all conversions together; those that were not used for longest go first.
const MOST: u64 = 4 << 30;

/// First words of a kept conversion. They are a comment of OBJ; the checksum of all that follows the line comes after.
const HEADER: &str = "# noli conversion, sha256 ";

/// A folder of conversions that only its owner can change.
pub(super) struct Cache(PathBuf);

impl Cache {
    /// Returns the folder, which is made if need be. `None` if there is none, or if others may write to it: content
    /// without a key could be forged there.
    pub(super) fn open() -> Option<Self> {
        let folder = folder()?;
        if !folder.is_dir() {
            private_builder().recursive(true).create(&folder).ok()?;
        }
        is_private(&folder).then_some(Self(folder))
    }

    fn path(&self, key: &str) -> PathBuf {
        self.0.join(format!("{key}.obj"))
    }

    /// Returns a kept conversion; one that was changed or cut is removed.
    pub(super) fn read(&self, key: &str) -> Option<Vec<u8>> {
        let path = self.path(key);
        let bytes = crate::file_bytes::bytes_at(&path).ok()?;
        let Some(content) = verified(&bytes) else {
            std::fs::remove_file(&path).ok();
            return None;
        };
        // Used now: it goes last when room is made.
        std::fs::File::open(&path).and_then(|file| file.set_modified(SystemTime::now())).ok();
        Some(content.to_vec())
    }

    /// Keeps a conversion. A cache that cannot be written only costs time.
    pub(super) fn keep(&self, key: &str, content: &[u8]) {
        let bytes = [format!("{HEADER}{}\n", hex(&Sha256::digest(content))).as_bytes(), content].concat();
        if bytes.len() as u64 > MOST {
            return;
        }
        self.make_room(bytes.len() as u64);
        write_whole(self.path(key), &bytes).ok();
    }

    /// Removes conversions until so many bytes fit.
    fn make_room(&self, bytes: u64) {
        let entries = std::fs::read_dir(&self.0).into_iter().flatten().flatten();
        let mut kept: Vec<(SystemTime, u64, PathBuf)> = entries
            .filter(|entry| entry.path().extension().is_some_and(|end| end == "obj"))
            .filter_map(|entry| {
                let found = entry.metadata().ok().filter(std::fs::Metadata::is_file)?;
                Some((found.modified().ok()?, found.len(), entry.path()))
            })
            .collect();
        kept.sort();
        let mut size = kept.iter().fold(bytes, |size, entry| size.saturating_add(entry.1));
        for (_, length, path) in kept {
            if size <= MOST {
                break;
            }
            std::fs::remove_file(path).ok();
            size = size.saturating_sub(length);
        }
    }
}

/// The content behind a header whose checksum fits.
fn verified(bytes: &[u8]) -> Option<&[u8]> {
    let rest = bytes.strip_prefix(HEADER.as_bytes())?;
    let (sum, content) = (rest.get(..64)?, rest.get(64..)?.strip_prefix(b"\n")?);
    (hex(&Sha256::digest(content)).as_bytes() == sum).then_some(content)
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Returns the cache folder of conversions; `None` if there is none.
fn folder() -> Option<PathBuf> {
    let of = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let home = || of("HOME").map(|home| home.join(".cache")).or_else(|| of("LOCALAPPDATA"));
    of("NOLI_CACHE").or_else(|| of("XDG_CACHE_HOME").or_else(home).map(|folder| folder.join("noli")))
}

/// Returns `true` if only its owner may write to a folder.
fn is_private(folder: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::metadata(folder).is_ok_and(|found| found.permissions().mode() & 0o022 == 0)
    }
    #[cfg(not(unix))]
    folder.is_dir()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_conversions_are_not_believed() {
        let folder = noli_testing::Folder::new("conversion-cache");
        let cache = Cache(folder.to_path_buf());
        let content = b"o a\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
        cache.keep("key", content);
        assert_eq!(cache.read("key").as_deref(), Some(&content[..]));
        let whole = std::fs::read(cache.path("key")).unwrap();
        for at in 0..whole.len() {
            std::fs::write(cache.path("key"), &whole[..at]).unwrap();
            assert_eq!(cache.read("key"), None, "cut at {at}");
            let mut changed = whole.clone();
            changed[at] ^= 1;
            std::fs::write(cache.path("key"), &changed).unwrap();
            assert_eq!(cache.read("key"), None, "changed at {at}");
            assert!(!cache.path("key").exists());
        }
    }

    #[test]
    fn the_oldest_conversions_make_room() {
        let folder = noli_testing::Folder::new("conversion-room");
        let cache = Cache(folder.to_path_buf());
        for (age, key) in ["new", "used", "old"].into_iter().enumerate() {
            cache.keep(key, b"v 0 0 0\n");
            let file = std::fs::OpenOptions::new().write(true).open(cache.path(key)).unwrap();
            file.set_modified(SystemTime::now() - std::time::Duration::from_secs(1000 * age as u64 + 10))
                .unwrap();
        }
        let size = std::fs::metadata(cache.path("old")).unwrap().len();
        cache.make_room(MOST - 2 * size);
        assert!(cache.path("new").exists() && cache.path("used").exists() && !cache.path("old").exists());
    }

    #[cfg(unix)]
    #[test]
    fn folders_that_others_may_write_to_are_not_used() {
        use std::os::unix::fs::PermissionsExt;
        let folder = noli_testing::Folder::new("conversion-shared");
        for (mode, expected) in [(0o700, true), (0o755, true), (0o775, false), (0o777, false)] {
            std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(is_private(&folder), expected, "{mode:o}");
        }
    }
}
