//! Errors of the studio, with a remedy each.

use noli::world::WorldError;
use noli_ask::AskError;

/// Reason for a failure, and a remedy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text}; {help}")]
pub struct Trouble {
    /// Cause of the error.
    pub text: String,
    /// Action to take.
    pub help: String,
}

impl Trouble {
    /// An error and its remedy.
    pub fn new(text: impl Into<String>, help: impl Into<String>) -> Self {
        Self { text: text.into(), help: help.into() }
    }
}

impl From<AskError> for Trouble {
    fn from(error: AskError) -> Self {
        Self::new(error.to_string(), "undo the last change, or reload the page")
    }
}

impl From<WorldError> for Trouble {
    fn from(error: WorldError) -> Self {
        Self::new(error.to_string(), "undo the last change, or reload the page")
    }
}
