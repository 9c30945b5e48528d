//! Directions of planes: written once in an item, and named by short numbers after that.

use crate::cbor::Tokens;
use glam::DVec3;

/// The directions of an item so far, in the order of their tokens.
#[derive(Debug, Default)]
pub(crate) struct Directions(Vec<[i64; 3]>);

/// Directions whose names take one byte: 2 is the last, 23 the first of these.
const RECENT: usize = 22;

impl Directions {
    /// Writes the name of a recent direction with a property, the last that was written first; `false` if there is
    /// none.
    pub(crate) fn name(&self, tokens: &mut Tokens, holds: impl Fn(DVec3) -> bool) -> bool {
        let vector = |n: &[i64; 3]| DVec3::from_array(n.map(|c| c as f64));
        let found = self.0.iter().rev().take(RECENT).position(|n| holds(vector(n)));
        if let Some(back) = found {
            tokens.int(back as i64 + 2);
        }
        found.is_some()
    }

    /// Writes a direction that later tokens may name.
    pub(crate) fn write(&mut self, tokens: &mut Tokens, direction: [i64; 3]) {
        tokens.ints(&direction);
        self.0.push(direction);
    }

    pub(crate) fn count(&self) -> usize {
        self.0.len()
    }

    /// Forgets the directions of tokens that are not kept.
    pub(crate) fn truncate(&mut self, count: usize) {
        self.0.truncate(count);
    }
}
