//! Verdict of a command. It requires a proof that something was tested.

use super::outcome::Outcome;
use crate::stage::scene::Staged;
use noli::world::{BodyId, Move};
use std::collections::HashMap;
use std::num::NonZeroUsize;

/// Proof that something was tested: a lower bound on the number of pairs or bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asked(NonZeroUsize);

impl Asked {
    /// Creates the proof for a number of items; an error if none.
    pub fn new(count: usize) -> Result<Self, NothingAsked> {
        NonZeroUsize::new(count).map(Self).ok_or(NothingAsked::Nothing)
    }

    /// Returns the lower bound on their number.
    pub fn count(self) -> usize {
        self.0.get()
    }
}

/// Reason why nothing was tested, so that no verdict is possible.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NothingAsked {
    /// Nothing at all.
    #[error("there is nothing to compare; give a scene, a folder, a file with several objects, or two files")]
    Nothing,
    /// A single body has nothing to collide with.
    #[error("there is nothing to compare: {0} is the only body; add another, or another file")]
    OneBody(String),
    /// The rules leave out every pair.
    #[error(
        "there is nothing to compare: the rules (`skip`, `only`, --skip, --only) leave none of the pairs of \
         {bodies} bodies; leave a pair"
    )]
    NoPair {
        /// Number of bodies.
        bodies: usize,
    },
    /// All bodies came from one path, and only those of different paths are held against each other.
    #[error(
        "there is nothing to compare: all bodies came from {0}; add --within to compare them with each other"
    )]
    OneSide(String),
    /// No moving body is checked.
    #[error(
        "nothing that moves is compared with anything: {moved} of {bodies} bodies move, and the rules or their \
         groups leave no pair with one of them; add what is in the way, or change `skip` and `only`"
    )]
    NothingBlocks {
        /// Number of moving bodies.
        moved: usize,
        /// Number of bodies.
        bodies: usize,
    },
}

/// Outcome of a command, with the proof that something was tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    outcome: Outcome,
    asked: Asked,
}

impl Verdict {
    /// Creates the verdict on tested items.
    pub fn new(outcome: Outcome, asked: Asked) -> Self {
        Self { outcome, asked }
    }

    /// Free, touching or undecided.
    pub fn outcome(&self) -> Outcome {
        self.outcome
    }

    /// Returns the tested items.
    pub fn asked(&self) -> Asked {
        self.asked
    }
}

impl Staged {
    /// Returns the pairs checked by the rules of the world; an error if there are none.
    pub fn pairs_asked(&self) -> Result<Asked, NothingAsked> {
        if let Ok(asked) = Asked::new(self.world.pair_count()) {
            return Ok(asked);
        }
        let mut groups: Vec<Option<&str>> = self.world.bodies().map(|(_, body)| body.group()).collect();
        groups.dedup();
        Err(match (&self.bodies[..], &groups[..]) {
            ([], _) => NothingAsked::Nothing,
            ([only], _) => NothingAsked::OneBody(self.name(only.id).to_owned()),
            // What `open_paths` calls its groups: the number of the path, and the path.
            (_, [Some(path)]) if !self.world.rules().compares_within_groups() => {
                NothingAsked::OneSide(path.split_once(' ').map_or(*path, |(_, path)| path).to_owned())
            }
            (bodies, _) => NothingAsked::NoPair { bodies: bodies.len() },
        })
    }

    /// Returns the proof that a pair with a moving body is checked, unless both move as one; an error if none is.
    /// Counts the pairs of the first moving body that has any.
    pub fn pairs_moved(&self) -> Result<Asked, NothingAsked> {
        self.pairs_moved_by(&self.moves)
    }

    /// Returns the pairs of removed with remaining bodies; an error if there are none.
    pub fn pairs_removed(&self, moving: &[BodyId], without: &[BodyId]) -> Result<Asked, NothingAsked> {
        let ids: Vec<BodyId> = self.bodies.iter().map(|body| body.id).collect();
        let stays = |id: &&BodyId| !moving.contains(id) && !without.contains(id);
        let asked =
            |a: BodyId, b: BodyId| self.world.margin_between(a, b).is_ok_and(|margin| margin.is_some());
        let pairs: usize =
            ids.iter().filter(stays).map(|&b| moving.iter().filter(|&&a| asked(a, b)).count()).sum();
        let nothing = NothingAsked::NothingBlocks { moved: moving.len(), bodies: ids.len() };
        Asked::new(pairs).map_err(|_| nothing)
    }

    pub(super) fn pairs_moved_by(&self, moves: &[Move]) -> Result<Asked, NothingAsked> {
        let mut mover: HashMap<BodyId, usize> = HashMap::new();
        for (number, asked) in moves.iter().enumerate() {
            mover.extend(asked.bodies().map(|id| (id, number)));
        }
        let ids: Vec<BodyId> = self.bodies.iter().map(|body| body.id).collect();
        // Pairs of bodies of one move are checked too, unless they keep their places relative to each other.
        let rigid = |number: &usize| moves[*number].is_rigid();
        let other = |a: BodyId, b: BodyId| {
            a != b && (mover.get(&a) != mover.get(&b) || mover.get(&a).is_some_and(|number| !rigid(number)))
        };
        let asks = |a: BodyId| {
            let partners = ids.iter().filter(|&&b| other(a, b));
            partners
                .filter(|&&b| self.world.margin_between(a, b).is_ok_and(|margin| margin.is_some()))
                .count()
        };
        let pairs = moves.iter().flat_map(|asked| asked.bodies()).map(asks).find(|&pairs| pairs > 0);
        let nothing = NothingAsked::NothingBlocks { moved: mover.len(), bodies: ids.len() };
        Asked::new(pairs.unwrap_or(0)).map_err(|_| nothing)
    }
}
