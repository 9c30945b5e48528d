//! Opening, making and changing the file.

use crate::StoreError;
use crate::schema::{APPLICATION, LATEST, MIGRATIONS};
use rusqlite::{
    Connection, ErrorCode, OpenFlags, OptionalExtension, Params, Row, Transaction, TransactionBehavior,
};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Time that a writer waits for another.
const PATIENCE: Duration = Duration::from_secs(30);

/// An open database.
#[derive(Debug)]
pub struct Store {
    pub(crate) connection: Connection,
    pub(crate) path: PathBuf,
}

/// The name of bytes: their SHA-256, in hexadecimal.
pub fn content_hash(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    let mut text = String::with_capacity(64);
    for byte in Sha256::digest(bytes) {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

impl Store {
    /// Makes a new file; one that cannot be filled is removed again.
    pub fn init(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        let path = path.as_ref();
        let made = std::fs::OpenOptions::new().write(true).create_new(true).open(path);
        made.map_err(|error| match error.kind() {
            std::io::ErrorKind::AlreadyExists => StoreError::Exists(path.to_path_buf()),
            _ => {
                let remedy = "check the path, its folder and their permissions";
                StoreError::unfit(path.display().to_string(), format!("cannot be made: {error}"), remedy)
            }
        })?;
        let filled = Self::connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE).and_then(|mut store| {
            store.migrate(LATEST)?;
            Ok(store)
        });
        if filled.is_err() {
            for end in ["", "-wal", "-shm", "-journal"] {
                std::fs::remove_file(beside(path, end)).ok();
            }
        }
        filled
    }

    /// A file whose tables are those of an earlier version: for tests of what brings it up to date.
    #[doc(hidden)]
    pub fn init_version(path: impl AsRef<Path>, version: i64) -> Result<Self, StoreError> {
        let path = path.as_ref();
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
        let mut store = Self::connect(path, flags)?;
        store.migrate(version.clamp(1, LATEST))?;
        Ok(store)
    }

    /// Opens a file for reading and writing; one of an earlier version is brought up to date. One whose schema is not
    /// that of noli is refused, so what a stranger put into it is not run.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        let path = path.as_ref();
        let mut store = Self::existing(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        store.checked_version()?;
        store.migrate(LATEST)?;
        Ok(store)
    }

    /// Opens a file for reading alone, also where neither it nor its folder may be written. One of an earlier version is
    /// refused: opening it for writing once brings it up to date.
    pub fn open_to_read(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        let path = path.as_ref();
        // Readers of a write-ahead log must be able to touch the file beside it, so the file itself is opened
        // for writing and the connection forbidden to write.
        let usual = || {
            let store = Self::existing(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
            let found = store.checked_version()?;
            Ok((store, found))
        };
        let (store, found) = match usual() {
            Err(StoreError::Sqlite { error, .. }) if is_unwritable(&error) => Self::open_immutable(path)?,
            opened => opened?,
        };
        if found < LATEST {
            return Err(StoreError::unfit(
                path.display().to_string(),
                format!("its tables are those of version {found}, this noli reads {LATEST}"),
                "open it for writing once, for example by `noli db import`",
            ));
        }
        store.connection.pragma_update(None, "query_only", true).map_err(|error| store.wrong(error))?;
        Ok(store)
    }

    /// Opens a file that cannot be written, on a share or in an archive. Changes in its log would be missed.
    fn open_immutable(path: &Path) -> Result<(Self, i64), StoreError> {
        if std::fs::metadata(beside(path, "-wal")).is_ok_and(|log| log.len() > 0) {
            let reason = "it is read-only, and a write-ahead log with changes lies beside it";
            let remedy = "copy both files to a folder that can be written";
            return Err(StoreError::unfit(path.display().to_string(), reason, remedy));
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
        let store = Self::connect_to(path, immutable_uri(path).as_ref(), flags)?;
        let found = store.checked_version()?;
        Ok((store, found))
    }

    fn existing(path: &Path, flags: OpenFlags) -> Result<Self, StoreError> {
        if !path.is_file() {
            return Err(StoreError::NoFile(path.to_path_buf()));
        }
        if path.metadata().is_ok_and(|data| data.len() == 0) {
            // SQLite takes an empty file for a new database.
            return Err(StoreError::Foreign(path.to_path_buf()));
        }
        Self::connect(path, flags)
    }

    fn connect(path: &Path, flags: OpenFlags) -> Result<Self, StoreError> {
        Self::connect_to(path, path, flags)
    }

    /// Connects to a file by its name for SQLite.
    fn connect_to(path: &Path, name: &Path, flags: OpenFlags) -> Result<Self, StoreError> {
        let at = |error| StoreError::at(path, error);
        let connection = Connection::open_with_flags(name, flags).map_err(at)?;
        crate::guard::harden(&connection).map_err(at)?;
        connection.busy_timeout(PATIENCE).map_err(at)?;
        connection.pragma_update(None, "foreign_keys", true).map_err(at)?;
        Ok(Self { connection, path: path.to_path_buf() })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The version of the tables; an error for files that are not ours, or newer.
    pub fn version(&self) -> Result<i64, StoreError> {
        let pragma = |name: &str| self.connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
        let application = pragma("application_id").map_err(|error| self.wrong(error))?;
        let found = pragma("user_version").map_err(|error| self.wrong(error))?;
        if application != APPLICATION {
            return Err(StoreError::Foreign(self.path.clone()));
        }
        if found > LATEST {
            return Err(StoreError::Newer { path: self.path.clone(), found, known: LATEST });
        }
        if found < 0 {
            let reason = format!("there is no version {found} of its tables");
            return Err(StoreError::Damaged { path: self.path.clone(), reason });
        }
        Ok(found)
    }

    /// The version of the tables, which must be those of that version: both as of one moment.
    fn checked_version(&self) -> Result<i64, StoreError> {
        let at = |error| self.wrong(error);
        let moment = self.connection.unchecked_transaction().map_err(at)?;
        let found = self.version()?;
        let version = usize::try_from(found).unwrap_or(0);
        let foreign = crate::guard::foreign_entry(&moment, version).map_err(at)?;
        moment.commit().map_err(at)?;
        let Some(reason) = foreign else { return Ok(found) };
        let remedy = "open it only if you know who changed it: remove that with other tools, or import into a new database";
        Err(StoreError::unfit(self.path.display().to_string(), reason, remedy))
    }

    /// Brings the tables to a version, all of it or nothing.
    fn migrate(&mut self, to: i64) -> Result<(), StoreError> {
        let path = self.path.clone();
        let at = |error| StoreError::at(&path, error);
        let mode: String = self
            .connection
            .pragma_update_and_check(None, "journal_mode", "wal", |row| row.get(0))
            .map_err(at)?;
        if mode != "wal" {
            return Err(StoreError::unfit(
                path.display().to_string(),
                format!("the write-ahead log cannot be used here (journal mode {mode})"),
                "put the file on a local disk",
            ));
        }
        // What is committed has reached the disk.
        self.connection.pragma_update(None, "synchronous", "full").map_err(at)?;
        self.change(|tx| {
            // Another process may have done it meanwhile.
            let now: i64 = tx.pragma_query_value(None, "user_version", |row| row.get(0))?;
            let steps = usize::try_from(now).ok().zip(usize::try_from(to).ok());
            for migration in steps.and_then(|(now, to)| MIGRATIONS.get(now..to)).unwrap_or_default() {
                tx.execute_batch(migration)?;
            }
            if now < to {
                tx.pragma_update(None, "application_id", APPLICATION)?;
                tx.pragma_update(None, "user_version", to)?;
            }
            Ok(())
        })
    }

    /// One change: all of it or nothing. Waits for other writers before it reads anything.
    pub(crate) fn change<T>(
        &mut self,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let path = self.path.clone();
        let at = |error| StoreError::at(&path, error);
        let tx = self.connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(at)?;
        let done = work(&tx).map_err(at)?;
        tx.commit().map_err(at)?;
        Ok(done)
    }

    pub(crate) fn wrong(&self, error: rusqlite::Error) -> StoreError {
        StoreError::at(&self.path, error)
    }

    /// Returns the rows of a query, each as it is read.
    pub(crate) fn rows<T>(
        &self,
        query: &str,
        keys: impl Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, StoreError> {
        let found = self.connection.prepare(query).and_then(|mut rows| rows.query_map(keys, read)?.collect());
        found.map_err(|error| self.wrong(error))
    }

    /// Bytes by their hash.
    pub fn blob(&self, hash: &str) -> Result<Vec<u8>, StoreError> {
        let found = self
            .connection
            .query_row("SELECT bytes FROM blob WHERE hash = ?1", [hash], |row| row.get(0))
            .optional()
            .map_err(|error| self.wrong(error))?;
        found.ok_or_else(|| StoreError::Damaged {
            path: self.path.clone(),
            reason: format!("the bytes {hash} are missing"),
        })
    }

    /// The value of a preference.
    pub fn preference(&self, key: &str) -> Result<Option<String>, StoreError> {
        let found =
            self.connection.query_row("SELECT value FROM preference WHERE key = ?1", [key], |row| row.get(0));
        found.optional().map_err(|error| self.wrong(error))
    }

    /// Sets a preference.
    pub fn set_preference(&mut self, key: &str, value: &str) -> Result<(), StoreError> {
        self.change(|tx| {
            tx.execute(
                "INSERT INTO preference (key, value) VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET value = ?2",
                [key, value],
            )?;
            Ok(())
        })
    }
}

/// Keeps bytes; their hash.
pub(crate) fn keep(tx: &Transaction<'_>, bytes: &[u8]) -> rusqlite::Result<String> {
    let hash = content_hash(bytes);
    tx.execute("INSERT OR IGNORE INTO blob (hash, bytes) VALUES (?1, ?2)", (&hash, bytes))?;
    Ok(hash)
}

/// A file that SQLite keeps next to a database.
fn beside(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    name.into()
}

/// Returns `true` for the errors of a file or folder that cannot be written.
fn is_unwritable(error: &rusqlite::Error) -> bool {
    let codes = [ErrorCode::ReadOnly, ErrorCode::CannotOpen, ErrorCode::PermissionDenied];
    error.sqlite_error_code().is_some_and(|code| codes.contains(&code))
}

/// A file as a name by which SQLite takes it for unchangeable.
fn immutable_uri(path: &Path) -> String {
    use std::fmt::Write as _;
    let mut uri = "file:".to_owned();
    for &byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' => uri.push(char::from(byte)),
            _ => {
                let _ = write!(uri, "%{byte:02X}");
            }
        }
    }
    uri + "?immutable=1"
}

/// A count or place as a value of a column.
pub(crate) fn counted(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// Seven columns as a pose.
pub(crate) fn pose_from(row: &Row<'_>, first: usize) -> rusqlite::Result<noli_geom::Pose> {
    let mut n = [0.0; 7];
    for (number, column) in n.iter_mut().zip(first..) {
        *number = row.get(column)?;
    }
    Ok(noli_geom::Pose::from_array(n))
}
