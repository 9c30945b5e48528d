//! What is remembered about pairs from one step to the next: how far apart they were, so that they can sleep.
//!
//! Lin's queue of wake-up times (1993) with paths in place of times, because motions are not known in advance: a pair
//! that was proven to be `gap` apart cannot touch before its bodies have moved that far together.

use super::body::{Body, BodyId};
use std::collections::HashMap;

#[derive(Clone, Copy, Debug)]
struct Apart {
    /// At least this far apart...
    gap: f64,
    /// ...when the bodies had travelled this far since they were put somewhere...
    travelled: f64,
    /// ...which was then.
    epochs: [u64; 2],
    generations: [u32; 2],
}

/// By the numbers of the bodies, the smaller first.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory(HashMap<(u32, u32), Apart>);

/// The sum of rounded sums, relative to it.
const ROUNDING: f64 = 1e-9;

impl Memory {
    /// A proven bound on the gap of two bodies now; 0 where nothing is known.
    pub(super) fn gap(&self, [(a, body_a), (b, body_b)]: [(BodyId, &Body); 2]) -> f64 {
        let Some(apart) = self.0.get(&(a.index, b.index)) else { return 0.0 };
        if apart.epochs != [body_a.epoch, body_b.epoch] || apart.generations != [a.generation, b.generation] {
            return 0.0;
        }
        let now = body_a.travelled + body_b.travelled;
        (apart.gap - (now - apart.travelled) - ROUNDING * now).max(0.0)
    }

    /// Two bodies are this far apart now.
    pub(super) fn keep(&mut self, [(a, body_a), (b, body_b)]: [(BodyId, &Body); 2], gap: f64) {
        let apart = Apart {
            gap,
            travelled: body_a.travelled + body_b.travelled,
            epochs: [body_a.epoch, body_b.epoch],
            generations: [a.generation, b.generation],
        };
        self.0.insert((a.index, b.index), apart);
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
