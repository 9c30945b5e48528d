//! Errors in robots, with their positions in the source text.

pub(crate) use crate::message::suggestion;

use crate::MAX_ANGLE;
use crate::curve::JointCurveError;
use std::fmt;

/// A place in a text: line and column, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Place {
    /// The line.
    pub line: u32,
    /// The column, in characters.
    pub column: u32,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

/// Error of an invalid robot, or of a robot description that cannot be read.
#[derive(Clone, Debug, PartialEq)]
pub struct RobotError {
    /// Position in the source text; `None` if the robot did not come from a text.
    pub place: Option<Place>,
    /// Cause of the error, with its remedy.
    pub fault: Fault,
}

impl RobotError {
    pub(crate) fn at(place: impl Into<Option<Place>>, fault: Fault) -> Self {
        Self { place: place.into(), fault }
    }
}

impl From<Fault> for RobotError {
    fn from(fault: Fault) -> Self {
        Self { place: None, fault }
    }
}

impl fmt::Display for RobotError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = self.place {
            write!(f, "{place}: ")?;
        }
        write!(f, "{}", self.fault)
    }
}

impl std::error::Error for RobotError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.fault)
    }
}

/// Cause of the error.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// A robot without links.
    #[error("a robot needs at least one link")]
    NoLinks,
    /// More of something than a robot may have.
    #[error("more than {most} {what}; split the robot")]
    TooMany {
        /// Of what.
        what: &'static str,
        /// Maximum count.
        most: usize,
    },
    /// A text longer than is read.
    #[error("the text is longer than {most} bytes; leave geometry in files of its own")]
    TooLong {
        /// Maximum length.
        most: usize,
    },
    /// A name that is used twice.
    #[error("the {what} name `{name}` is used twice; names must differ")]
    Duplicate {
        /// Of a link, a joint, a group or a state.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// A name that nothing has.
    #[error("`{user}` names the {what} `{name}`, which does not exist{hint}")]
    NoSuch {
        /// Element that names it.
        user: String,
        /// A link, a joint or a group.
        what: &'static str,
        /// The name.
        name: String,
        /// The nearest name there is, as the end of the sentence; may be empty.
        hint: String,
    },
    /// A link that is the child of two joints.
    #[error("the link `{link}` is the child of `{joints0}` and of `{joints1}`; a tree gives it one parent",
        joints0 = .joints[0], joints1 = .joints[1])]
    TwoParents {
        /// The link.
        link: String,
        /// Both joints.
        joints: [String; 2],
    },
    /// Links whose joints form a cycle.
    #[error("the links {} form a loop; cut one of its joints", list(.links))]
    Cycle {
        /// The ring, in order.
        links: Vec<String>,
    },
    /// Several links without a parent.
    #[error("the links {} have no parent; join them, so that one root is left", list(.roots))]
    Disconnected {
        /// All links without a parent.
        roots: Vec<String>,
    },
    /// A number that is not finite.
    #[error("{what} is {value}; give a finite number")]
    NotFinite {
        /// Name of the quantity.
        what: String,
        /// The value.
        value: f64,
    },
    /// A number out of its range.
    #[error("{what} is {value}; it must be {range}")]
    OutOfRange {
        /// Name of the quantity.
        what: String,
        /// The value.
        value: f64,
        /// Permitted range.
        range: &'static str,
    },
    /// An axis of length 0.
    #[error("the axis of joint `{joint}` is zero; give a direction")]
    ZeroAxis {
        /// The joint.
        joint: String,
    },
    /// Lower limit above the upper limit.
    #[error("the limits of joint `{joint}` are reversed: from {lower} to {upper}; swap them")]
    ReversedLimits {
        /// The joint.
        joint: String,
        /// The lower limit as given.
        lower: f64,
        /// The upper limit as given.
        upper: f64,
    },
    /// A joint that needs limits and has none.
    #[error("joint `{joint}` is {kind} and has no limits; give them, or make it continuous")]
    NoLimits {
        /// The joint.
        joint: String,
        /// Its kind.
        kind: &'static str,
    },
    /// Joints that mimic each other in a ring.
    #[error("the joints {} mimic each other in a ring; let one of them move by itself", list(.joints))]
    MimicLoop {
        /// The ring, in order.
        joints: Vec<String>,
    },
    /// A joint that cannot mimic or be mimicked.
    #[error("joint `{joint}` mimics `{of}`: only joints with one variable can")]
    MimicKind {
        /// The joint.
        joint: String,
        /// The mimicked joint.
        of: String,
    },
    /// Text that is not of its format at all.
    #[error("{reason}; correct the {format}")]
    Syntax {
        /// The format.
        format: &'static str,
        /// Message of its parser.
        reason: String,
    },
    /// Something that has to be there.
    #[error("{what} is missing in {place}")]
    Missing {
        /// Item concerned.
        what: String,
        /// Place it belongs to.
        place: String,
    },
    /// A word that is none of those known.
    #[error("`{word}` is not a known {what}; known are {}", .known.join(", "))]
    UnknownWord {
        /// Kind of word.
        what: String,
        /// The word.
        word: String,
        /// Known words.
        known: Vec<&'static str>,
    },
    /// Something that is not a number.
    #[error("{what}: `{text}` is not {wanted}")]
    NotANumber {
        /// Name of the quantity.
        what: String,
        /// The text.
        text: String,
        /// Expected form, such as "3 numbers".
        wanted: String,
    },
    /// A table of which no column is a joint.
    #[error("no column is a joint, the first is `{first}`{}", said(.hint, .joints))]
    NoJointColumn {
        /// The name of the first column.
        first: String,
        /// The nearest name there is, as the end of the sentence; may be empty.
        hint: String,
        /// The joints there are.
        joints: Vec<String>,
    },
    /// A row with another number of cells than its heading.
    #[error("row {row} has {found} cells, the heading has {wanted}")]
    RowLength {
        /// The row, counted from 1 below the heading.
        row: usize,
        /// Its cells.
        found: usize,
        /// The heading's.
        wanted: usize,
    },
    /// A cell of a table that is not a number.
    #[error("row {row}, column `{column}`: `{text}` is not a finite number")]
    Cell {
        /// The row, counted from 1 below the heading.
        row: usize,
        /// The column's name.
        column: String,
        /// The item at this place.
        text: String,
    },
    /// A row that is an invalid configuration.
    #[error("row {row}: {error}")]
    Row {
        /// The row, counted from 1 below the heading.
        row: usize,
        /// Reason.
        error: ConfigurationError,
    },
    /// Times that do not grow.
    #[error("the time of row {row}, {time} s, does not come after {before} s; list points in order of time")]
    TimeOrder {
        /// The row, counted from 1.
        row: usize,
        /// Its time in seconds.
        time: f64,
        /// The time before it.
        before: f64,
    },
    /// Points that are no curve of the stated form.
    #[error("{error}")]
    Curve {
        /// Reason.
        error: JointCurveError,
    },
    /// A fault that is tolerated; only in warnings.
    #[error("{what}: {done}")]
    Tolerated {
        /// The fault.
        what: String,
        /// How it is taken.
        done: String,
    },
    /// Something a format allows and this reader refuses.
    #[error("{what} is not read; {remedy}")]
    Refused {
        /// Item concerned.
        what: String,
        /// Action to take.
        remedy: &'static str,
    },
}

/// Reason that values are an invalid configuration of a robot, or one it cannot reach.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigurationError {
    /// Another number of values than the robot has variables.
    #[error("{found} values for {wanted} variables")]
    Count {
        /// Actual count.
        found: usize,
        /// Expected count.
        wanted: usize,
    },
    /// A name that no variable has.
    #[error("there is no variable `{name}`{hint}")]
    NoSuchVariable {
        /// The name.
        name: String,
        /// The nearest name there is, as the end of the sentence; may be empty.
        hint: String,
    },
    /// A value that is not finite, or an angle of more than five million turns.
    #[error("`{variable}` is {value}; give a finite number, and for an angle at most {MAX_ANGLE}")]
    NotAValue {
        /// The variable.
        variable: String,
        /// The value.
        value: f64,
    },
    /// A value beyond its limits.
    #[error("`{variable}` is {value}, beyond its limits from {lower} to {upper}",
        lower = range[0], upper = range[1])]
    BeyondLimits {
        /// The variable.
        variable: String,
        /// The value.
        value: f64,
        /// Its limits.
        range: [f64; 2],
    },
}

/// Returns the likely intended name, or else a list of the possible ones.
fn said(hint: &str, joints: &[String]) -> String {
    match hint {
        "" => format!("; name joints in the first row, separated by commas: {}", list(joints)),
        hint => hint.to_owned(),
    }
}

fn list(names: &[String]) -> String {
    const SHOWN: usize = 8;
    let quoted: Vec<_> = names.iter().take(SHOWN).map(|name| format!("`{name}`")).collect();
    let more = if names.len() > SHOWN { format!(" and {} more", names.len() - SHOWN) } else { String::new() };
    quoted.join(", ") + &more
}
