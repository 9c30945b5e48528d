//! Memory of pairs from one step to the next: their clearance and the end of the last clearance search.
//! Clearances let pairs sleep; the next search begins at that end.
//!
//! Lin's queue of wake-up times (1993) with path lengths in place of times, because motions are not known in
//! advance. A pair with a proven distance of `clearance` cannot touch before its bodies have together moved
//! that far.

use super::body::{Body, BodyId};
use crate::convex::SearchEnd;
use std::collections::HashMap;

#[derive(Clone, Copy, Debug)]
struct Remembered {
    /// Separated by at least this distance...
    clearance: f64,
    /// ...when the bodies had travelled this far since they were put somewhere...
    travelled: f64,
    /// ...which was then.
    epochs: [u64; 2],
    generations: [u32; 2],
    hint: Option<SearchEnd>,
}

type Sides<'b> = [(BodyId, &'b Body); 2];

/// By the numbers of the bodies, the smaller first.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory(HashMap<(u32, u32), Remembered>);

/// The sum of rounded sums, relative to it.
const ROUNDING: f64 = 1e-9;

impl Remembered {
    fn new([(a, body_a), (b, body_b)]: Sides<'_>) -> Self {
        Self {
            clearance: 0.0,
            travelled: body_a.travelled + body_b.travelled,
            epochs: [body_a.epoch, body_b.epoch],
            generations: [a.generation, b.generation],
            hint: None,
        }
    }

    /// Returns `true` if it applies to these bodies in their current state.
    fn is_of(&self, sides: Sides<'_>) -> bool {
        let now = Self::new(sides);
        (self.epochs, self.generations) == (now.epochs, now.generations)
    }
}

impl Memory {
    fn get(&self, sides: Sides<'_>) -> Option<&Remembered> {
        let [(a, _), (b, _)] = sides;
        self.0.get(&(a.index, b.index)).filter(|remembered| remembered.is_of(sides))
    }

    /// A proven bound on the clearance of two bodies now; 0 where nothing is known.
    pub(super) fn clearance(&self, sides: Sides<'_>) -> f64 {
        let Some(remembered) = self.get(sides) else { return 0.0 };
        let now = sides.iter().map(|(_, body)| body.travelled).sum::<f64>();
        (remembered.clearance - (now - remembered.travelled) - ROUNDING * now).max(0.0)
    }

    /// Returns the end of the last clearance search.
    pub(super) fn hint(&self, sides: Sides<'_>) -> Option<&SearchEnd> {
        self.get(sides)?.hint.as_ref()
    }

    /// Records the current clearance of two bodies.
    pub(super) fn keep(&mut self, sides: Sides<'_>, clearance: f64) {
        let hint = self.hint(sides).copied();
        self.put(sides, Remembered { clearance, hint, ..Remembered::new(sides) });
    }

    /// A search for the clearance of two bodies ended here.
    pub(super) fn keep_hint(&mut self, sides: Sides<'_>, hint: SearchEnd) {
        let before = self.get(sides).copied().unwrap_or_else(|| Remembered::new(sides));
        self.put(sides, Remembered { hint: Some(hint), ..before });
    }

    fn put(&mut self, [(a, _), (b, _)]: Sides<'_>, remembered: Remembered) {
        self.0.insert((a.index, b.index), remembered);
    }

    pub(super) fn forget(&mut self, pairs: &[(u32, u32)]) {
        for pair in pairs {
            self.0.remove(pair);
        }
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}
