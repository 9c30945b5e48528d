//! What is remembered about pairs from one step to the next: how far apart they were, so that they can sleep,
//! and where the last search for their gap ended, so that the next begins there.
//!
//! Lin's queue of wake-up times (1993) with paths in place of times, because motions are not known in
//! advance: a pair that was proven to be `gap` apart cannot touch before its bodies have moved that far
//! together.

use super::body::{Body, BodyId};
use crate::convex::Hint;
use std::collections::HashMap;

#[derive(Clone, Copy, Debug)]
struct Remembered {
    /// At least this far apart...
    gap: f64,
    /// ...when the bodies had travelled this far since they were put somewhere...
    travelled: f64,
    /// ...which was then.
    epochs: [u64; 2],
    generations: [u32; 2],
    hint: Option<Hint>,
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
            gap: 0.0,
            travelled: body_a.travelled + body_b.travelled,
            epochs: [body_a.epoch, body_b.epoch],
            generations: [a.generation, b.generation],
            hint: None,
        }
    }

    /// Whether it is about these bodies as they are.
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

    /// A proven bound on the gap of two bodies now; 0 where nothing is known.
    pub(super) fn gap(&self, sides: Sides<'_>) -> f64 {
        let Some(remembered) = self.get(sides) else { return 0.0 };
        let now = sides.iter().map(|(_, body)| body.travelled).sum::<f64>();
        (remembered.gap - (now - remembered.travelled) - ROUNDING * now).max(0.0)
    }

    /// Where the last search for their gap ended.
    pub(super) fn hint(&self, sides: Sides<'_>) -> Option<&Hint> {
        self.get(sides)?.hint.as_ref()
    }

    /// Two bodies are this far apart now.
    pub(super) fn keep(&mut self, sides: Sides<'_>, gap: f64) {
        let hint = self.hint(sides).copied();
        self.put(sides, Remembered { gap, hint, ..Remembered::new(sides) });
    }

    /// A search for the gap of two bodies ended here.
    pub(super) fn keep_hint(&mut self, sides: Sides<'_>, hint: Hint) {
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

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}
