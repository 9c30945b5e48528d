//! One server for a project: two of them would write into the same journal and lose changes of each other.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// A project that this server alone has open. The system ends the claim with the process, however it ends.
#[derive(Debug, Default)]
pub struct Claim {
    /// Locked while it is open; `None` for what is in no file yet.
    file: Option<File>,
}

/// Another server has the project open.
#[derive(Debug, thiserror::Error)]
#[error(
    "{0}: another `noli serve` has this open, and both would write its changes; use the address that one printed, or end it"
)]
pub struct Taken(PathBuf);

impl Claim {
    /// Claims a scene file or a folder. File systems without locks refuse nothing.
    pub(crate) fn of(path: Option<&Path>) -> Result<Self, Taken> {
        let Some(path) = path else { return Ok(Self::default()) };
        match locked(path) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Err(Taken(path.to_owned())),
            file => Ok(Self { file: file.ok() }),
        }
    }

    /// Claims the file of the project after it was written: a file that is replaced is another one.
    pub(crate) fn renew(&mut self, path: &Path) {
        if let Ok(file) = locked(path) {
            self.file = Some(file);
        }
    }
}

/// Locks a file or folder without waiting.
#[cfg(unix)]
fn locked(path: &Path) -> io::Result<File> {
    let file = File::open(path)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(std::fs::TryLockError::WouldBlock) => Err(io::ErrorKind::WouldBlock.into()),
        Err(std::fs::TryLockError::Error(error)) => Err(error),
    }
}

/// Locks of other systems keep programs from reading the file, too.
#[cfg(not(unix))]
fn locked(_: &Path) -> io::Result<File> {
    Err(io::ErrorKind::Unsupported.into())
}
