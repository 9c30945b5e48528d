//! Reachability of collisions: branch and bound over all joint values, or over those that are assumed.
//!
//! From the middle of a cell of that box, a joint that turns by up to `h` changes the distance of two bodies by
//! at most `h` times the distance of the points behind it from its axis, seen from whichever of the two sides is
//! nearer. Joints are changed one after the other, so that distance is taken in the middle of the cell, plus
//! what the joints beyond may add. Bodies further apart than the sum are separated in the whole cell; inner
//! spheres that are deeper in each other collide in all of it. Cells that are neither are halved.

mod chain;
mod domain;
mod search;

pub use domain::{Domain, DomainRange, RangeOrigin};

pub(super) use chain::variables_between;
pub(super) use search::Search;

use super::Cell;
use crate::parallel::each;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Whether two parts can collide, and for which joint values that is proven.
#[derive(Clone, Debug, PartialEq)]
pub enum Reachability {
    /// In no configuration of the domain.
    Never {
        /// The joint values.
        domain: Domain,
    },
    /// In every configuration of the domain.
    Always {
        /// The joint values.
        domain: Domain,
    },
    /// In this configuration they do; in others they may not.
    Possible {
        /// Values of all variables of all robots.
        witness: Vec<f64>,
    },
    /// The budget did not suffice.
    Undecided,
}

impl Reachability {
    /// The joint values that *never* and *always* are proven for; `None` for the others.
    pub fn domain(&self) -> Option<&Domain> {
        match self {
            Self::Never { domain } | Self::Always { domain } => Some(domain),
            Self::Possible { .. } | Self::Undecided => None,
        }
    }

    /// Returns `true` if a collision is proven impossible for every value of the joints.
    pub fn is_never(&self) -> bool {
        matches!(self, Self::Never { domain } if domain.is_everything())
    }

    /// Returns `true` if a collision is proven for every value of the joints.
    pub fn is_always(&self) -> bool {
        matches!(self, Self::Always { domain } if domain.is_everything())
    }
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
    /// Ranges of variables of a configuration that are assumed instead of all their values. Claims have them in their
    /// [`Domain`].
    pub assumed: &'a [(usize, [f64; 2])],
}

impl Default for ProofOptions<'_> {
    fn default() -> Self {
        Self { samples: 20_000, cells: 400_000, stop: None, done: None, assumed: &[] }
    }
}

impl ProofOptions<'_> {
    fn stopped(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }
}

impl Cell {
    /// Returns whether a pair can collide, its margin aside.
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
