//! Errors in the text of programs.

use noli_robot::Place;
use std::fmt;

/// Error of an invalid program text, with its position.
#[derive(Clone, Debug, PartialEq)]
pub struct ProgramError {
    /// Location.
    pub place: Place,
    /// Reason.
    pub fault: ProgramFault,
}

impl ProgramError {
    pub(crate) fn new(place: Place, fault: ProgramFault) -> Self {
        Self { place, fault }
    }
}

impl fmt::Display for ProgramError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.fault)
    }
}

impl std::error::Error for ProgramError {}

/// Cause of an error in a text.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ProgramFault {
    /// A character no program has.
    #[error("the character `{}` has no meaning here; remove it", .0.escape_debug())]
    Character(char),
    /// Something that is not a number.
    #[error("`{0}` is not a number")]
    Number(String),
    /// A text without its end.
    #[error("a quotation mark is never closed; close it on its line")]
    OpenText,
    /// An unknown statement.
    #[error("`{word}` is no statement{hint}")]
    UnknownStatement {
        /// The word.
        word: String,
        /// The nearest statement, as the end of the sentence; may be empty.
        hint: String,
    },
    /// A statement of VAL-II that is not simulated.
    #[error("`{word}` is not simulated: {why}")]
    NotSimulated {
        /// The word.
        word: String,
        /// Reason.
        why: &'static str,
    },
    /// Something else was expected.
    #[error("{found} found where {wanted} was expected")]
    Expected {
        /// Expected token.
        wanted: String,
        /// Actual token.
        found: String,
    },
    /// An unknown function.
    #[error("there is no function `{0}`")]
    UnknownFunction(String),
    /// A function with another number of arguments.
    #[error("`{name}` takes {wanted} arguments, not {found}")]
    Arguments {
        /// The function.
        name: String,
        /// Expected count.
        wanted: &'static str,
        /// Actual count.
        found: usize,
    },
    /// An `END` without a beginning.
    #[error("`{0}` closes nothing")]
    NothingOpen(String),
    /// A block without its end.
    #[error("the `{word}` of {place} is never closed; add `{end}`")]
    NeverClosed {
        /// Word that opened it.
        word: &'static str,
        /// Location.
        place: Place,
        /// Word that would close it.
        end: &'static str,
    },
    /// A jump to nowhere.
    #[error("there is no label {0} in this program")]
    NoLabel(u32),
    /// A label twice.
    #[error("label {0} is defined at two lines of this program")]
    LabelTwice(u32),
    /// A program twice.
    #[error("there are two programs `{0}`")]
    ProgramTwice(String),
    /// A call of nothing.
    #[error("there is no program `{0}`{1}")]
    NoProgram(String, String),
    /// More than is read.
    #[error("the text is too large: {0}")]
    TooLarge(&'static str),
}

/// Something odd that was taken all the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// Location.
    pub place: Place,
    /// Description and interpretation.
    pub text: String,
}
