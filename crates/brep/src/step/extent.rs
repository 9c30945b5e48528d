//! How much an assembly comes to, counted before anything is placed.
//!
//! A component that is used twice by one that is used twice doubles with every level: a file of a thousand lines can hold
//! 2^30 bodies. Each product definition and representation is counted once.

use std::collections::HashMap;

/// Deepest nesting of assemblies.
pub(super) const MAX_DEPTH: usize = 64;
/// Most placed bodies of a file.
const MAX_PARTS: usize = 1_000_000;

/// Most uses of assemblies and of mapped representations.
const MAX_USES: u64 = 4 * MAX_PARTS as u64;

/// A product definition, or a representation with those that stand for it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Node {
    Definition(u64),
    Representation(u64),
}

/// Extent of everything placed with a node; counts stop at the largest number.
#[derive(Clone, Copy, Default)]
pub(super) struct Extent {
    pub(super) bodies: u64,
    pub(super) uses: u64,
    pub(super) height: usize,
}

/// Why an assembly is not placed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Endless {
    /// It is a component of itself.
    Cycle,
    /// It is nested too deep.
    TooDeep,
}

/// Extents of nodes; `None` while one is counted.
pub(super) type Known = HashMap<Node, Option<Extent>>;

impl Extent {
    pub(super) fn add(&mut self, other: Self) {
        self.bodies = self.bodies.saturating_add(other.bodies);
        self.uses = self.uses.saturating_add(other.uses);
        self.height = self.height.max(other.height);
    }

    /// The reason why this is too much.
    pub(super) fn refusal(self) -> Option<String> {
        if self.bodies > MAX_PARTS as u64 {
            let Self { bodies, .. } = self;
            return Some(format!(
                "the assemblies hold {bodies} bodies when expanded; at most {MAX_PARTS} are read"
            ));
        }
        (self.uses > MAX_USES).then(|| {
            format!(
                "the assemblies use components {} times when expanded; at most {MAX_USES} are read",
                self.uses
            )
        })
    }

    pub(super) fn with(mut self, other: Self) -> Self {
        self.add(other);
        self
    }
}

impl Endless {
    pub(super) fn reason(self) -> String {
        match self {
            Self::Cycle => "this assembly is a component of itself".to_owned(),
            Self::TooDeep => format!("assemblies are nested more than {MAX_DEPTH} deep"),
        }
    }
}
