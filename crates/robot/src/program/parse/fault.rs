//! What is wrong with the text of programs.

use crate::Place;
use std::fmt;

/// Why a text is no program, and where.
#[derive(Clone, Debug, PartialEq)]
pub struct ProgramError {
    /// Where.
    pub place: Place,
    /// Why.
    pub fault: ProgramFault,
}

impl ProgramError {
    pub(in crate::program) fn new(place: Place, fault: ProgramFault) -> Self {
        Self { place, fault }
    }
}

impl fmt::Display for ProgramError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.fault)
    }
}

impl std::error::Error for ProgramError {}

/// What is wrong with a text.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
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
    /// A statement nobody knows.
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
        /// Why not.
        why: &'static str,
    },
    /// Something else was expected.
    #[error("{found} stands where {wanted} belongs")]
    Expected {
        /// What is wanted.
        wanted: String,
        /// What is there.
        found: String,
    },
    /// A function nobody knows.
    #[error("there is no function `{0}`")]
    UnknownFunction(String),
    /// A function with another number of arguments.
    #[error("`{name}` takes {wanted} arguments, not {found}")]
    Arguments {
        /// The function.
        name: String,
        /// How many it takes.
        wanted: &'static str,
        /// How many there are.
        found: usize,
    },
    /// An `END` without a beginning.
    #[error("`{0}` closes nothing")]
    NothingOpen(String),
    /// A block without its end.
    #[error("the `{word}` of {place} is never closed; add `{end}`")]
    NeverClosed {
        /// What opened it.
        word: &'static str,
        /// Where.
        place: Place,
        /// What would close it.
        end: &'static str,
    },
    /// A jump to nowhere.
    #[error("there is no label {0} in this program")]
    NoLabel(u32),
    /// A label twice.
    #[error("label {0} stands at two lines of this program")]
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
    /// Where.
    pub place: Place,
    /// What, and how it was taken.
    pub text: String,
}
