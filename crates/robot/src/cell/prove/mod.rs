//! Reachability of collisions: branch and bound over the box of joint limits.
//!
//! From the middle of a cell of that box, a joint that turns by up to `h` changes the distance of two bodies by
//! at most `h` times the distance of the points behind it from its axis, seen from whichever of the two sides is
//! nearer. Joints are changed one after the other, so that distance is taken in the middle of the cell, plus
//! what the joints beyond may add. Bodies further apart than the sum are separated in the whole cell; inner
//! spheres that are deeper in each other collide in all of it. Cells that are neither are halved.

mod chain;
mod search;

pub(super) use chain::variables_between;
pub(super) use search::Search;

use super::Cell;
use crate::parallel::each;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Whether two parts can meet within the limits of the joints.
#[derive(Clone, Debug, PartialEq)]
pub enum Reachability {
    /// In no configuration, proven.
    Never,
    /// In every configuration, proven.
    Always,
    /// In this configuration they do; in others they may not.
    Possible {
        /// Values of all variables of all robots.
        witness: Vec<f64>,
    },
    /// The budget did not suffice.
    Undecided,
}

/// Reachability result of a pair.
#[derive(Clone, Debug, PartialEq)]
pub struct PairProof {
    /// The pair of [`Cell::pairs`].
    pub pair: usize,
    /// Reachability of a collision.
    pub meeting: Reachability,
    /// Visited cells.
    pub cells: usize,
    /// Of those, the ones that the shapes themselves were asked about.
    pub asked: usize,
}

/// Limits of the search.
#[derive(Clone, Copy, Debug)]
pub struct ProofOptions<'a> {
    /// Configurations tried for a witness first.
    pub samples: usize,
    /// Cells visited for each pair.
    pub cells: usize,
    /// Stops the search where it is when set; pairs not decided by then say so.
    pub stop: Option<&'a AtomicBool>,
    /// Counts the pairs that are done.
    pub done: Option<&'a AtomicUsize>,
}

impl Default for ProofOptions<'_> {
    fn default() -> Self {
        Self { samples: 20_000, cells: 400_000, stop: None, done: None }
    }
}

impl ProofOptions<'_> {
    fn stopped(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }
}

impl Cell {
    /// Whether a pair can meet, its margin aside.
    ///
    /// # Panics
    ///
    /// If there is no such pair.
    pub fn prove(&self, pair: usize, options: &ProofOptions<'_>) -> PairProof {
        let mut search = Search::new(&self.data, pair, options);
        let meeting = search.run();
        if let Some(done) = options.done {
            done.fetch_add(1, Ordering::Relaxed);
        }
        PairProof { pair, meeting, cells: search.cells, asked: search.asked }
    }

    /// True for each of some pairs that is proven to collide in every configuration; [`Reachability::Always`] of
    /// [`Cell::prove`], without deciding between the others.
    ///
    /// # Panics
    ///
    /// If there is no such pair.
    pub fn prove_always(&self, pairs: &[usize], options: &ProofOptions<'_>) -> Vec<bool> {
        each(pairs, |&pair| Search::new(&self.data, pair, options).run_always())
    }

    /// Returns the reachability of many pairs, on all threads with the `rayon` feature.
    pub fn prove_all(&self, pairs: &[usize], options: &ProofOptions<'_>) -> Vec<PairProof> {
        each(pairs, |&pair| self.prove(pair, options))
    }
}
