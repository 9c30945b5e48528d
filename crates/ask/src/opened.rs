//! A scene that was opened and staged.

use crate::AskError;
use noli_formats::Units;
use noli_project::report::NothingAsked;
use noli_project::{Check as SceneCheck, Staged};
use std::path::PathBuf;

/// A scene that was opened and staged: what a question is asked about.
#[derive(Clone, Debug)]
pub struct Opened {
    /// The title in reports.
    pub title: String,
    /// Unit of lengths; `None` if the files do not define it.
    pub units: Option<Units>,
    /// The scene's own options of a check.
    pub check: SceneCheck,
    /// All files that were read: what an output must not overwrite.
    pub inputs: Vec<PathBuf>,
    /// Number of mesh files and folders that the bodies came from, each an assembly; 0 for a scene.
    pub assemblies: usize,
    /// The bodies as a world.
    pub staged: Staged,
}

impl Opened {
    /// A world that was not read from files, such as a configuration of a robot.
    pub fn of_staged(title: &str, units: Option<Units>, staged: Staged) -> Self {
        Self {
            title: title.to_owned(),
            units,
            check: SceneCheck::default(),
            inputs: Vec::new(),
            assemblies: 0,
            staged,
        }
    }

    /// The error that nothing is compared.
    pub(crate) fn nothing(&self, nothing: NothingAsked) -> AskError {
        AskError::Nothing { title: self.title.clone(), nothing, warnings: self.staged.warnings.clone() }
    }
}
