//! Step 1: selection of the pairs of bodies to test.

use std::collections::{BTreeMap, BTreeSet};

/// The pairs of bodies to test: by default all but those of one part and those of parts linked by a joint.
/// Pairs that the user enables or disables are stored separately and survive a new default.
///
/// ```
/// use noli_classics::Participation;
/// // Two bodies of the base, one of the arm, one of the hand; base and arm share a joint.
/// let mut table = Participation::new(&[0, 0, 1, 2], &[(0, 1)]);
/// assert_eq!(table.pairs().collect::<Vec<_>>(), [(0, 3), (1, 3), (2, 3)]);
/// table.set(1, 2, true);
/// assert!(table.allows(2, 1));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Participation {
    by_default: BTreeSet<(u32, u32)>,
    edits: BTreeMap<(u32, u32), bool>,
}

impl Participation {
    /// The default for bodies of these parts, with joints between parts.
    pub fn new(parts: &[u32], joints: &[(u32, u32)]) -> Self {
        let mut table = Self::default();
        table.rebuild(parts, joints);
        table
    }

    /// A new default; the user's choices stay.
    pub fn rebuild(&mut self, parts: &[u32], joints: &[(u32, u32)]) {
        let joined: BTreeSet<_> = joints.iter().map(|&(a, b)| ordered(a, b)).collect();
        let count = parts.len() as u32;
        let pairs = (0..count).flat_map(|i| (i + 1..count).map(move |j| (i, j)));
        let moves = |&(i, j): &(u32, u32)| {
            let (a, b) = (parts[i as usize], parts[j as usize]);
            a != b && !joined.contains(&ordered(a, b))
        };
        self.by_default = pairs.filter(moves).collect();
    }

    /// Switch a pair on or off.
    pub fn set(&mut self, a: u32, b: u32, tested: bool) {
        self.edits.insert(ordered(a, b), tested);
    }

    /// Returns `true` if a pair is tested.
    pub fn allows(&self, a: u32, b: u32) -> bool {
        let pair = ordered(a, b);
        a != b && self.edits.get(&pair).copied().unwrap_or_else(|| self.by_default.contains(&pair))
    }

    /// The pairs to be tested, in order.
    pub fn pairs(&self) -> impl Iterator<Item = (u32, u32)> {
        let added = self.edits.keys().filter(|pair| !self.by_default.contains(pair));
        let all: BTreeSet<_> = self.by_default.iter().chain(added).copied().collect();
        all.into_iter().filter(|&(a, b)| self.allows(a, b))
    }
}

fn ordered(a: u32, b: u32) -> (u32, u32) {
    (a.min(b), a.max(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_survive_a_new_default() {
        let mut table = Participation::new(&[0, 1, 2], &[]);
        table.set(2, 0, false);
        assert_eq!(table.pairs().collect::<Vec<_>>(), [(0, 1), (1, 2)]);
        table.rebuild(&[0, 1, 2, 3], &[(1, 2)]);
        assert_eq!(table.pairs().collect::<Vec<_>>(), [(0, 1), (0, 3), (1, 3), (2, 3)]);
        assert!(!table.allows(1, 1));
    }
}
