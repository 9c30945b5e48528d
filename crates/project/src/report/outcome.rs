//! Outcome of a report.

use serde::{Deserialize, Serialize};

/// Outcome of a report: the exit code of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// Nothing touches.
    Free,
    /// Something touches, or is closer than the margin.
    Touching,
    /// The budget did not suffice, and nothing was found to touch.
    Undecided,
}
