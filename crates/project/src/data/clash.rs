//! The words of clashes: kinds, statuses, exclusions and groups by name.

use noli::world::{Body, Pattern};
use serde::{Deserialize, Serialize};

/// Kind of clash, derived from exact relations alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ClashKind {
    /// Copies of one mesh at one place.
    Duplicate,
    /// Faces pass through each other, or solids share volume.
    Hard,
    /// One lies inside the other.
    Inside,
    /// They share points, but no volume.
    Touching,
    /// Separated, but closer than the required clearance.
    Clearance,
}

impl ClashKind {
    /// All of them, the worst first.
    pub const ALL: [Self; 5] = [Self::Duplicate, Self::Hard, Self::Inside, Self::Touching, Self::Clearance];

    /// As it is written.
    pub fn word(self) -> &'static str {
        match self {
            Self::Duplicate => "duplicate",
            Self::Hard => "hard",
            Self::Inside => "inside",
            Self::Touching => "touching",
            Self::Clearance => "clearance",
        }
    }
}

/// Status of a clash. In order of severity, the worst first: a group has the status of its worst member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ClashStatus {
    /// Seen for the first time.
    New,
    /// Seen before and not dealt with, or dealt with and come back.
    Active,
    /// Reviewed by a user; it still counts.
    Reviewed,
    /// Accepted by a user: it does not count while unchanged.
    Approved,
    /// It is gone.
    Resolved,
}

impl ClashStatus {
    /// All of them, the worst first.
    pub const ALL: [Self; 5] = [Self::New, Self::Active, Self::Reviewed, Self::Approved, Self::Resolved];

    /// As it is written.
    pub fn word(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Active => "active",
            Self::Reviewed => "reviewed",
            Self::Approved => "approved",
            Self::Resolved => "resolved",
        }
    }

    /// The status of this name, in whatever case.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.word().eq_ignore_ascii_case(word.trim()))
    }
}

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
    /// Affected pairs.
    pub of: Excluded,
    /// Only clashes of these kinds; of any kind where there are none.
    pub kinds: Vec<ClashKind>,
    /// Reason; may be empty.
    pub reason: String,
}

impl Exclusion {
    /// Returns `true` if it covers this kind of clash of the pair.
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

/// Clashes that a scene groups by the names of their bodies; these come before any other grouping.
#[derive(Clone, Debug, PartialEq)]
pub struct PatternGroup {
    /// Name of the group.
    pub name: String,
    /// Affected pairs.
    pub pair: [Pattern; 2],
}

impl PatternGroup {
    /// Membership of the pair of bodies with these names.
    pub fn holds(&self, a: &str, b: &str) -> bool {
        let fits = |a: &str, b: &str| self.pair[0].matches(a) && self.pair[1].matches(b);
        fits(a, b) || fits(b, a)
    }
}
