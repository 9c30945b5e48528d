//! Temporary folders that no other user of the machine can enter or prepare.

use crate::error::{FileError, Place};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::path::{Path, PathBuf};

/// An empty folder of this process, removed with its content when dropped.
///
/// Its name is random and the folder new: one that exists, or a link, is never taken. On Unix only its owner may enter.
#[derive(Debug)]
pub struct PrivateFolder(PathBuf);

impl PrivateFolder {
    /// Makes a folder in the system's folder for temporary files.
    pub fn new() -> Result<Self, FileError> {
        let base = std::env::temp_dir();
        Self::new_in(&base).map_err(|error| {
            let remedy = "check its permissions and the free space, or name another folder in TMPDIR";
            FileError::new(Place::Whole, format!("a temporary folder cannot be made here: {error}"), remedy)
                .in_file(&base)
        })
    }

    fn new_in(base: &Path) -> std::io::Result<Self> {
        const ATTEMPTS: usize = 8;
        // The working folder of a converter is another one, so its files need absolute paths.
        let base = std::path::absolute(base)?;
        let mut last = std::io::Error::from(std::io::ErrorKind::AlreadyExists);
        for _ in 0..ATTEMPTS {
            let path = base.join(format!("noli-{}", random_word()));
            match private_builder().create(&path) {
                Ok(()) => return Ok(Self(path)),
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => last = error,
                Err(error) => return Err(error),
            }
        }
        Err(last)
    }

    /// Its absolute path.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for PrivateFolder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A builder of folders that only their owner may enter.
pub(crate) fn private_builder() -> std::fs::DirBuilder {
    #[cfg_attr(not(unix), expect(unused_mut, reason = "permissions are set on Unix alone"))]
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
}

/// Returns 128 random bits as text, from the keys that the standard library draws for its hash tables.
pub(crate) fn random_word() -> String {
    let random = || RandomState::new().build_hasher().finish();
    format!("{:016x}{:016x}", random(), random() ^ u64::from(std::process::id()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_new_private_and_gone_afterwards() {
        let [one, two] = [(); 2].map(|()| PrivateFolder::new().unwrap());
        assert_ne!(one.path(), two.path());
        assert!(one.path().is_absolute());
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(std::fs::metadata(one.path()).unwrap().permissions().mode() & 0o777, 0o700);
        }
        std::fs::write(one.path().join("part.obj"), "v 0 0 0\n").unwrap();
        let path = one.path().to_owned();
        drop(one);
        assert!(!path.exists());
        assert!(PrivateFolder::new_in(&path).is_err());
    }
}
