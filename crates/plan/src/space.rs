//! What a planner needs to know of a space.

use crate::Dice;

/// What is known of the motion between two states.
#[derive(Clone, Debug, PartialEq)]
pub enum Edge<B> {
    /// All of it is free, by proof.
    Free,
    /// It is free, by proof, for this share of it; nothing is promised about the rest.
    Until {
        /// From 0 to 1.
        share: f64,
        /// What is in the way; `None` where only the proof ended.
        block: Option<B>,
    },
}

impl<B> Edge<B> {
    /// Whether all of it is free.
    pub fn is_free(&self) -> bool {
        matches!(self, Self::Free)
    }
}

/// States, motions between them, and proofs that motions are free.
///
/// [`RigidSpace`](crate::RigidSpace) is that of a part among others. A space of your own works too; here a point
/// before a wall in the plane:
///
/// ```
/// use noli_plan::{Dice, Edge, Effort, Query, Space, connect};
/// struct Maze;
/// impl Space for Maze {
///     type State = [f64; 2];
///     type Memory = ();
///     type Block = ();
///     fn memory(&self) {}
///     fn sample(&self, dice: &mut Dice) -> [f64; 2] {
///         [dice.between(-2.0, 2.0), dice.between(-2.0, 2.0)]
///     }
///     fn near(&self, state: &[f64; 2], dice: &mut Dice) -> [f64; 2] {
///         state.map(|x| x + dice.between(-0.5, 0.5))
///     }
///     fn distance(&self, a: &[f64; 2], b: &[f64; 2]) -> f64 {
///         (a[0] - b[0]).hypot(a[1] - b[1])
///     }
///     fn between(&self, a: &[f64; 2], b: &[f64; 2], share: f64) -> [f64; 2] {
///         [0, 1].map(|k| a[k] + (b[k] - a[k]) * share)
///     }
///     fn stride(&self) -> f64 {
///         0.5
///     }
///     // A wall along x = 0 that ends at y = 1.
///     fn prove(&self, a: &[f64; 2], b: &[f64; 2], _: &mut ()) -> Edge<()> {
///         let share = a[0] / (a[0] - b[0]);
///         let crosses = (0.0..=1.0).contains(&share) && self.between(a, b, share)[1] <= 1.0;
///         if crosses { Edge::Until { share, block: None } } else { Edge::Free }
///     }
/// }
/// let query = Query { starts: &[[-1.0, 0.0]], goals: &[[1.0, 0.0]] };
/// let found = connect(&Maze, &query, &Effort::default()).way.expect("around the end of the wall");
/// assert!(found.iter().any(|state| state[1] > 1.0));
/// ```
pub trait Space: Sync {
    /// A place in the space.
    type State: Clone + std::fmt::Debug + Send + Sync;
    /// What a search keeps from one proof to the next.
    type Memory: Send;
    /// What is in the way.
    type Block: Clone + Send;

    /// Memory for one search.
    fn memory(&self) -> Self::Memory;

    /// Any state, free or not.
    fn sample(&self, dice: &mut Dice) -> Self::State;

    /// A state around another, as far as the dice say.
    fn near(&self, state: &Self::State, dice: &mut Dice) -> Self::State;

    /// How far states are apart.
    fn distance(&self, a: &Self::State, b: &Self::State) -> f64;

    /// A state on the motion between two.
    fn between(&self, a: &Self::State, b: &Self::State, share: f64) -> Self::State;

    /// Whether the motion from one state to another is free.
    fn prove(&self, a: &Self::State, b: &Self::State, memory: &mut Self::Memory) -> Edge<Self::Block>;

    /// Whether all of the motion from one state to another is free, where that is all that is asked: chords of a way.
    fn is_free_between(&self, a: &Self::State, b: &Self::State, memory: &mut Self::Memory) -> bool {
        self.prove(a, b, memory).is_free()
    }

    /// At which distance trees have nodes along proven motions.
    fn stride(&self) -> f64;

    /// Of a motion that is free for a share of it, the share after which a tree has its next node: a little less, or the
    /// next proof has nothing to start with. `length` is that of all of it.
    fn stop_at(&self, share: f64, _length: f64) -> f64 {
        share * 0.999
    }

    /// Which share of the samples is around nodes there are.
    fn locality(&self) -> f64 {
        0.5
    }

    /// No edge towards a sample is longer.
    fn range(&self) -> f64 {
        f64::INFINITY
    }

    /// Where to go instead, from a state at which the motion to another is blocked: along what is in the way.
    fn slide(&self, _at: &Self::State, _to: &Self::State, _blocks: &[Self::Block]) -> Option<Self::State> {
        None
    }

    /// Whether a free state is a goal, besides those that are named.
    fn is_goal(&self, _state: &Self::State) -> bool {
        false
    }
}
