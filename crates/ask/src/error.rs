//! Reasons why a question has no answer.

use noli::world::WorldError;
use noli_formats::FileError;
use noli_plan::PlanError;
use noli_project::StageError;
use noli_project::report::NothingAsked;

/// Reason why a question has no answer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum AskError {
    /// A file cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// A scene cannot be staged.
    #[error(transparent)]
    Stage(#[from] StageError),
    /// The world refuses a body, a rule or a motion.
    #[error(transparent)]
    World(#[from] WorldError),
    /// No motion can be planned.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// Nothing is compared with anything.
    #[error("{title}: {nothing}")]
    Nothing {
        /// What was opened.
        title: String,
        /// The reason.
        nothing: NothingAsked,
        /// Warnings about the files, which may explain it.
        warnings: Vec<String>,
    },
    /// An option does not fit the files, or is wrong by itself.
    #[error("{0}")]
    Option(String),
}

impl AskError {
    /// An option that does not fit.
    pub fn option(text: impl ToString) -> Self {
        Self::Option(text.to_string())
    }
}
