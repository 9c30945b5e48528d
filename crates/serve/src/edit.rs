//! Changes that can be undone, and are kept in the journal.

use crate::protocol::{Formula, PatternRule};
use crate::review::Review;
use noli_store::Change;
use serde::{Deserialize, Serialize};

/// A path of a body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KeptPath {
    /// Name of the body.
    pub part: String,
    /// Its poses in the scene, at equal intervals: x, y, z, then x, y, z, w of the rotation.
    pub keys: Vec<[f64; 7]>,
}

/// A reversible change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "edit")]
pub enum Edit {
    /// A body was moved.
    Move {
        /// Name of the body.
        name: String,
        /// x, y, z, then x, y, z, w of the rotation.
        from: [f64; 7],
        /// The same.
        to: [f64; 7],
    },
    /// Bodies were moved together.
    MoveGroup {
        /// The name of each, its pose before and its pose after.
        moves: Vec<(String, [f64; 7], [f64; 7])>,
    },
    /// A pair was enabled or disabled.
    Pair {
        /// The name of one body.
        a: String,
        /// The name of the other.
        b: String,
        /// As it was.
        from: Option<bool>,
        /// As it is.
        to: Option<bool>,
    },
    /// A name rule was added or removed.
    Pattern {
        /// Item concerned.
        rule: PatternRule,
        /// `true` if it was added.
        on: bool,
    },
    /// A body has another formula.
    Formula {
        /// Name of the body.
        name: String,
        /// As it was.
        from: Formula,
        /// As it is.
        to: Formula,
    },
    /// The program reads otherwise.
    Program {
        /// As it was.
        from: String,
        /// As it is.
        to: String,
    },
    /// The cell reads otherwise.
    Cell {
        /// Short description of the change.
        what: String,
        /// As it was.
        from: String,
        /// As it is.
        to: String,
    },
    /// A location was taught.
    Teach {
        /// Its name.
        name: String,
        /// Previous tool pose, in the frame of the arm's root; `None` for a new location.
        from: Option<[f64; 7]>,
        /// Location.
        to: Option<[f64; 7]>,
    },
    /// A precision point was taught.
    TeachPoint {
        /// Its name.
        name: String,
        /// Previous joint values; `None` for a new point.
        from: Option<Vec<f64>>,
        /// Joint values of the arm; `None` for a deleted point.
        to: Option<Vec<f64>>,
    },
    /// A location was renamed.
    Rename {
        /// As it was called.
        from: String,
        /// As it is called.
        to: String,
    },
    /// A path was kept or deleted.
    Path {
        /// Its name.
        name: String,
        /// As it was; `None` for a new one.
        from: Option<KeptPath>,
        /// As it is; `None` for a deleted one.
        to: Option<KeptPath>,
    },
    /// Another margin.
    Margin {
        /// As it was.
        from: f64,
        /// As it is.
        to: f64,
    },
    /// Another status or comment of a pair. The file of reviews has it as soon as it is done, so no journal needs it.
    #[serde(skip)]
    Review {
        /// The name of one body.
        a: String,
        /// The name of the other.
        b: String,
        /// As it was.
        from: Review,
        /// As it is.
        to: Review,
    },
    /// A group was made, changed or dissolved. Its file has it as soon as it is done, so no journal needs it.
    #[serde(skip)]
    Group {
        /// Its name.
        name: String,
        /// Names of its bodies as they were; `None` for a new one.
        from: Option<Vec<String>>,
        /// As they are; `None` for a dissolved one.
        to: Option<Vec<String>>,
    },
    /// A group was renamed.
    #[serde(skip)]
    RenameGroup {
        /// As it was called.
        from: String,
        /// As it is called.
        to: String,
    },
    /// Bodies were added.
    Add {
        /// Their names.
        names: Vec<String>,
        /// A scene that has them.
        toml: String,
    },
    /// A body like another was added.
    Copy {
        /// Its name.
        name: String,
        /// The name of the other.
        of: String,
        /// Its placement.
        pose: [f64; 7],
    },
    /// Bodies were removed.
    Remove {
        /// Their names.
        names: Vec<String>,
    },
    /// Bodies were brought back.
    Restore {
        /// Their names.
        names: Vec<String>,
    },
    /// The component database holds something else. That is on disk as soon as it is done, so no journal needs it.
    #[serde(skip)]
    Stored {
        /// Short description of the change.
        what: String,
        /// Its effect on the tables.
        change: Change,
    },
}

impl Edit {
    /// Returns the inverse change.
    pub(crate) fn inverse(&self) -> Self {
        match self.clone() {
            Self::Move { name, from, to } => Self::Move { name, from: to, to: from },
            Self::MoveGroup { moves } => Self::MoveGroup {
                moves: moves.into_iter().map(|(name, from, to)| (name, to, from)).collect(),
            },
            Self::Pair { a, b, from, to } => Self::Pair { a, b, from: to, to: from },
            Self::Pattern { rule, on } => Self::Pattern { rule, on: !on },
            Self::Formula { name, from, to } => Self::Formula { name, from: to, to: from },
            Self::Program { from, to } => Self::Program { from: to, to: from },
            Self::Cell { what, from, to } => Self::Cell { what, from: to, to: from },
            Self::Teach { name, from, to } => Self::Teach { name, from: to, to: from },
            Self::TeachPoint { name, from, to } => Self::TeachPoint { name, from: to, to: from },
            Self::Rename { from, to } => Self::Rename { from: to, to: from },
            Self::Group { name, from, to } => Self::Group { name, from: to, to: from },
            Self::RenameGroup { from, to } => Self::RenameGroup { from: to, to: from },
            Self::Path { name, from, to } => Self::Path { name, from: to, to: from },
            Self::Margin { from, to } => Self::Margin { from: to, to: from },
            Self::Review { a, b, from, to } => Self::Review { a, b, from: to, to: from },
            Self::Add { names, .. } | Self::Restore { names } => Self::Remove { names },
            Self::Copy { name, .. } => Self::Remove { names: vec![name] },
            Self::Remove { names } => Self::Restore { names },
            Self::Stored { what, change } => Self::Stored { what, change: change.inverse() },
        }
    }

    /// Returns the change that redoes it after an undo: added bodies still exist.
    pub(crate) fn again(self) -> Self {
        match self {
            Self::Add { names, .. } => Self::Restore { names },
            Self::Copy { name, .. } => Self::Restore { names: vec![name] },
            other => other,
        }
    }

    /// In a few words.
    pub(crate) fn words(&self) -> String {
        let some = |names: &[String]| match names {
            [only] => only.clone(),
            _ => format!("{} bodies", names.len()),
        };
        match self {
            Self::Move { name, .. } => format!("move {name}"),
            Self::MoveGroup { moves } => format!("move {} bodies", moves.len()),
            Self::Pair { a, b, .. } => format!("pair {a}, {b}"),
            Self::Pattern { rule: PatternRule { a, b, .. }, .. } => format!("rule about {a}, {b}"),
            Self::Formula { name, .. } => format!("formula of {name}"),
            Self::Program { .. } => "the program".to_owned(),
            Self::Cell { what, .. } => what.clone(),
            Self::Teach { name, .. } | Self::TeachPoint { name, .. } => {
                format!("teach {}", name.to_ascii_lowercase())
            }
            Self::Group { name, to: None, .. } => format!("dissolve group {name}"),
            Self::Group { name, .. } => format!("group {name}"),
            Self::RenameGroup { from, to } => format!("rename group {from} to {to}"),
            Self::Rename { from, to } => {
                format!("rename {} to {}", from.to_ascii_lowercase(), to.to_ascii_lowercase())
            }
            Self::Path { name, .. } => format!("path {name}"),
            Self::Margin { to, .. } => format!("margin {to}"),
            Self::Review { a, b, from, to } if from.status == to.status => format!("comment on {a}, {b}"),
            Self::Review { a, b, to, .. } => format!("{a}, {b}: {}", to.status),
            Self::Add { names, .. } => format!("add {}", some(names)),
            Self::Copy { of, .. } => format!("copy {of}"),
            Self::Restore { names } => format!("restore {}", some(names)),
            Self::Remove { names } => format!("remove {}", some(names)),
            Self::Stored { what, .. } => what.clone(),
        }
    }

    /// Returns `true` if it changes the scene.
    pub(crate) fn is_of_scene(&self) -> bool {
        !matches!(
            self,
            Self::Stored { .. } | Self::Review { .. } | Self::Group { .. } | Self::RenameGroup { .. }
        )
    }

    /// Estimates the memory of its texts and poses.
    pub(crate) fn bytes(&self) -> usize {
        let keys =
            |path: &Option<KeptPath>| path.as_ref().map_or(0, |path| size_of_val(path.keys.as_slice()));
        let sum = |names: &[String]| names.iter().map(String::len).sum::<usize>();
        let own = match self {
            Self::Program { from, to } | Self::Cell { from, to, .. } => from.len().saturating_add(to.len()),
            Self::Formula { from, to, .. } => from.text.len().saturating_add(to.text.len()),
            Self::Add { toml, .. } => toml.len(),
            Self::Path { from, to, .. } => keys(from).saturating_add(keys(to)),
            Self::MoveGroup { moves } => size_of_val(moves.as_slice()),
            Self::Remove { names } | Self::Restore { names } => sum(names),
            Self::Group { from, to, .. } => {
                [from, to].into_iter().flatten().map(|names| sum(names)).sum::<usize>()
            }
            _ => 0,
        };
        own.saturating_add(size_of::<Self>())
    }
}
