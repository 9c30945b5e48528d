//! What is wrong with a robot, and where its text says so.

use std::fmt;

/// A place in a text: line and column, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
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

/// Why something is not a robot, or a text about one cannot be read.
#[derive(Clone, Debug, PartialEq)]
pub struct RobotError {
    /// Where the text says so; `None` if the robot did not come from a text.
    pub place: Option<Place>,
    /// What is wrong, with what to do about it.
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

/// What is wrong.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Fault {
    /// A robot without links.
    #[error("a robot needs at least one link")]
    NoLinks,
    /// More of something than a robot may have.
    #[error("more than {most} {what}; split the robot")]
    TooMany {
        /// Of what.
        what: &'static str,
        /// How many may be.
        most: usize,
    },
    /// A text longer than is read.
    #[error("the text is longer than {most} bytes; leave geometry in files of its own")]
    TooLong {
        /// How long it may be.
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
        /// Who names it.
        user: String,
        /// A link, a joint or a group.
        what: &'static str,
        /// The name.
        name: String,
        /// The nearest name there is, as the end of the sentence; may be empty.
        hint: String,
    },
    /// A link that hangs on two joints.
    #[error("the link `{link}` is the child of `{joints0}` and of `{joints1}`; a tree gives it one parent",
        joints0 = .joints[0], joints1 = .joints[1])]
    TwoParents {
        /// The link.
        link: String,
        /// Both joints.
        joints: [String; 2],
    },
    /// Links that hang on each other in a ring.
    #[error("the links {} hang on each other in a ring; cut one of its joints", list(.links))]
    Cycle {
        /// The ring, in order.
        links: Vec<String>,
    },
    /// Several links that hang on nothing.
    #[error("the links {} all hang on nothing; join them, so that one root is left", list(.roots))]
    Disconnected {
        /// All links without a parent.
        roots: Vec<String>,
    },
    /// A number that is not finite.
    #[error("{what} is {value}; give a finite number")]
    NotFinite {
        /// What it is of.
        what: String,
        /// The value.
        value: f64,
    },
    /// A number out of its range.
    #[error("{what} is {value}; it must be {range}")]
    OutOfRange {
        /// What it is of.
        what: String,
        /// The value.
        value: f64,
        /// What it may be.
        range: &'static str,
    },
    /// An axis of length 0.
    #[error("the axis of joint `{joint}` is zero; give a direction")]
    ZeroAxis {
        /// The joint.
        joint: String,
    },
    /// Limits the wrong way round.
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
        /// What it mimics.
        of: String,
    },
    /// Text that is not of its format at all.
    #[error("{reason}; correct the {format}")]
    Syntax {
        /// The format.
        format: &'static str,
        /// What its parser says.
        reason: String,
    },
    /// Something that has to be there.
    #[error("{what} is missing in {place}")]
    Missing {
        /// What.
        what: String,
        /// Where it belongs.
        place: String,
    },
    /// A word that is none of those known.
    #[error("`{word}` is not a known {what}; known are {}", .known.join(", "))]
    UnknownWord {
        /// What kind of word.
        what: String,
        /// The word.
        word: String,
        /// What it could be.
        known: Vec<&'static str>,
    },
    /// Something that is not a number.
    #[error("{what}: `{text}` is not {wanted}")]
    NotANumber {
        /// What it is of.
        what: String,
        /// The text.
        text: String,
        /// What is wanted, such as "3 numbers".
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
        /// What stands there.
        text: String,
    },
    /// A row that is no configuration.
    #[error("row {row}: {error}")]
    Row {
        /// The row, counted from 1 below the heading.
        row: usize,
        /// Why not.
        error: crate::ConfigurationError,
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
    /// Something a format allows and this reader refuses.
    #[error("{what} is not read; {remedy}")]
    Refused {
        /// What.
        what: String,
        /// What to do.
        remedy: &'static str,
    },
}

/// What was probably meant, or else what could have been.
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

/// The end of a sentence that suggests the nearest of some names; empty if none is near.
pub(crate) fn suggestion<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> String {
    // Quadratic in the length of names: absurd ones get no suggestion.
    if name.len() > 64 {
        return String::new();
    }
    let nearest = names
        .filter(|other| other.len() <= 64)
        .take(1000)
        .map(|other| (edits(name, other), other))
        .min()
        .filter(|(edits, _)| *edits <= 1 + name.len() / 4);
    nearest.map_or_else(String::new, |(_, other)| format!("; did you mean `{other}`?"))
}

/// Edit distance (Levenshtein 1965).
fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut corner = row[0];
        row[0] = i + 1;
        for (j, &y) in b.iter().enumerate() {
            let change = corner + usize::from(x != y);
            corner = row[j + 1];
            row[j + 1] = change.min(row[j] + 1).min(corner + 1);
        }
    }
    row[b.len()]
}
