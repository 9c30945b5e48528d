//! Robots of databases in cells.

use crate::component::mesh_of;
use crate::{Store, StoreError};
use noli_formats::{FileError, Place};
use noli_program::run::PairSetting;
use noli_project::cell::{LoadedCell, StoredArm, load_cell_text_with, load_cell_with};
use noli_project::{LoadedRobot, RobotOptions};
use noli_robot::Robot;
use std::path::Path;

impl Store {
    /// Returns a robot with its shapes, and the pair rules of its links that differ from the defaults.
    pub fn arm(&self, name: &str, options: &RobotOptions) -> Result<StoredArm, StoreError> {
        let stored = self.robot(name)?;
        let meshes = stored.meshes;
        let robot = Robot::new(stored.parts).map_err(|error| {
            StoreError::unfit(format!("manipulator `{name}`"), error, "run `noli db check`")
        })?;
        let loaded = LoadedRobot::new(robot, options, |file| {
            let mesh = meshes.iter().find(|mesh| mesh.file == file).ok_or("is not stored")?;
            let read = || {
                let info = self.component(&mesh.component)?;
                mesh_of(&self.blob(&mesh.blob)?, &mesh.format, info.object.as_deref())
            };
            read().map_err(|error: StoreError| error.to_string())
        })?;
        Ok(StoredArm { loaded, rules: self.edited_pairs(name)? })
    }

    fn edited_pairs(&self, name: &str) -> Result<Vec<([String; 2], PairSetting)>, StoreError> {
        let query = "SELECT e.a, e.b, e.enabled, e.margin, e.reason FROM pair_edit e \
             JOIN manipulator m ON m.id = e.manipulator WHERE m.name = ?1 ORDER BY e.a, e.b";
        self.rows(query, [name], |row| {
            let links = [row.get(0)?, row.get(1)?];
            let rule = match row.get(2)? {
                true => PairSetting::Margin(row.get::<_, Option<f64>>(3)?.unwrap_or(0.0)),
                false => PairSetting::Off(row.get::<_, Option<String>>(4)?.unwrap_or_default()),
            };
            Ok((links, rule))
        })
    }
}

/// Reads a cell and all files it names but programs, with robots of databases.
pub fn load_cell(path: impl AsRef<Path>) -> Result<LoadedCell, FileError> {
    load_cell_with(path, &open_arm)
}

/// [`load_cell`] of a text in memory, as if it stood in a file at this path.
pub fn load_cell_text(text: &[u8], path: &Path) -> Result<LoadedCell, FileError> {
    load_cell_text_with(text, path, &open_arm)
}

/// A robot of a database that is opened for it.
pub(crate) fn open_arm(database: &Path, name: &str, options: &RobotOptions) -> Result<StoredArm, FileError> {
    let arm = Store::open_to_read(database).and_then(|store| store.arm(name, options));
    arm.map_err(|error| match error {
        StoreError::File(error) => error,
        other => {
            let message = other.to_string();
            let own = format!("{}: ", database.display());
            let message = message.strip_prefix(&own).unwrap_or(&message);
            let (reason, remedy) = message.rsplit_once("; ").unwrap_or((message, "correct the name"));
            let (reason, remedy) = (reason.to_owned(), remedy.to_owned());
            FileError { path: Some(database.to_path_buf()), place: Place::Whole, reason, remedy }
        }
    })
}
