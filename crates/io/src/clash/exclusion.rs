//! What is so by design: said once, never hidden, always counted.

use super::ClashKind;
use noli::world::{Body, Pattern};
use serde::{Deserialize, Serialize};

/// The pairs that an exclusion is about.
#[derive(Clone, Debug, PartialEq)]
pub enum Excluded {
    /// Pairs of bodies whose names fit.
    Pair([Pattern; 2]),
    /// All pairs that a body with such a name has part in.
    Body(Pattern),
    /// Pairs of a body of one group with one of the other.
    Groups([String; 2]),
}

/// Clashes that are as they should be. They are found and listed all the same, and do not count.
#[derive(Clone, Debug, PartialEq)]
pub struct Exclusion {
    /// Which pairs.
    pub of: Excluded,
    /// Only clashes of these kinds; of any kind where there are none.
    pub kinds: Vec<ClashKind>,
    /// Why; may be empty.
    pub reason: String,
}

impl Exclusion {
    /// Whether it is about a clash of this kind of these bodies.
    pub fn covers(&self, [a, b]: [&Body; 2], kind: ClashKind) -> bool {
        if !self.kinds.is_empty() && !self.kinds.contains(&kind) {
            return false;
        }
        let either = |fits: &dyn Fn(&Body, &Body) -> bool| fits(a, b) || fits(b, a);
        match &self.of {
            Excluded::Pair([one, other]) => either(&|a, b| one.matches(a.name()) && other.matches(b.name())),
            Excluded::Body(name) => either(&|a, _| name.matches(a.name())),
            Excluded::Groups([one, other]) => {
                either(&|a, b| a.group() == Some(one.as_str()) && b.group() == Some(other.as_str()))
            }
        }
    }

    /// In words.
    pub fn text(&self) -> String {
        let pairs = match &self.of {
            Excluded::Pair([a, b]) => format!("{} with {}", a.as_str(), b.as_str()),
            Excluded::Body(name) => format!("anything with {}", name.as_str()),
            Excluded::Groups([a, b]) => format!("group {a} with group {b}"),
        };
        match self.kinds.iter().map(|kind| kind.word()).collect::<Vec<_>>() {
            kinds if kinds.is_empty() => pairs,
            kinds => format!("{pairs}: {}", kinds.join(", ")),
        }
    }
}

/// What an exclusion comes to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExclusionReport {
    /// Which pairs, in words.
    pub what: String,
    /// Why.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// How many clashes it covers. One that several cover counts for the first.
    pub pairs: usize,
    /// The ids of those that were not there before.
    pub new: Vec<String>,
}
