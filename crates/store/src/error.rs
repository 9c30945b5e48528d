//! Errors of the database.

use noli_formats::FileError;
use rusqlite::ErrorCode;
use std::path::{Path, PathBuf};

/// Errors of the database.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The file does not exist.
    #[error("{}: there is no such file; make one with `noli db init`", .0.display())]
    NoFile(PathBuf),
    /// There is a file already.
    #[error("{}: there is a file already; remove it or choose another name", .0.display())]
    Exists(PathBuf),
    /// The file is not a noli database.
    #[error("{}: this is not a component database of noli; make one with `noli db init`", .0.display())]
    Foreign(PathBuf),
    /// A file of a newer noli.
    #[error(
        "{}: written by a newer noli (schema {found}, this one knows {known}); use that noli, nothing was changed",
        path.display()
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its schema.
        found: i64,
        /// The newest that is known.
        known: i64,
    },
    /// A file that is broken.
    #[error("{}: the file is damaged: {reason}; take the last copy that `noli db check` finds in order", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Cause of the error.
        reason: String,
    },
    /// SQLite reports an error.
    #[error("{}: {error}; {remedy}", path.display())]
    Sqlite {
        /// The file.
        path: PathBuf,
        /// The error of SQLite.
        error: rusqlite::Error,
        /// Action to take.
        remedy: &'static str,
    },
    /// Nothing of that name.
    #[error("there is no {what} `{name}`{hint}")]
    NoSuch {
        /// Kind of entry searched.
        what: &'static str,
        /// Its name.
        name: String,
        /// Existing entries, as the end of the sentence; may be empty.
        hint: String,
    },
    /// A name that is taken.
    #[error("there is a {what} `{name}` already; {remedy}")]
    Taken {
        /// Item concerned.
        what: &'static str,
        /// Its name.
        name: String,
        /// Action to take.
        remedy: &'static str,
    },
    /// Something that cannot be stored, made or written.
    #[error("{what}: {reason}; {remedy}")]
    Unfit {
        /// Item concerned.
        what: String,
        /// Reason.
        reason: String,
        /// Action to take.
        remedy: String,
    },
    /// A file could not be read or written.
    #[error(transparent)]
    File(#[from] FileError),
}

impl StoreError {
    pub(crate) fn unfit(what: impl Into<String>, reason: impl ToString, remedy: impl Into<String>) -> Self {
        Self::Unfit { what: what.into(), reason: reason.to_string(), remedy: remedy.into() }
    }
}

impl StoreError {
    /// Describes a failure of SQLite at a file.
    pub(crate) fn at(path: &Path, error: rusqlite::Error) -> Self {
        let code = error.sqlite_error_code();
        match code {
            Some(ErrorCode::NotADatabase) => StoreError::Foreign(path.to_path_buf()),
            Some(ErrorCode::DatabaseCorrupt) => {
                StoreError::Damaged { path: path.to_path_buf(), reason: error.to_string() }
            }
            _ => {
                let remedy = match code {
                    Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                        "another program is writing; try again"
                    }
                    Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
                        "check the path, its folder and their permissions"
                    }
                    Some(ErrorCode::DiskFull) => "make room on the disk; nothing was changed",
                    Some(ErrorCode::ConstraintViolation) => {
                        "nothing was changed; correct what was to be stored"
                    }
                    _ => "nothing was changed",
                };
                StoreError::Sqlite { path: path.to_path_buf(), error, remedy }
            }
        }
    }
}
