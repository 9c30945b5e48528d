//! Interface of a space to planners.

use noli_geom::random::SplitMix64;

/// Result of a proof for the motion between two states.
#[derive(Clone, Debug, PartialEq)]
pub enum Edge<B> {
    /// All of it is free, by proof.
    Free,
    /// It is free, by proof, for this share of it; nothing is promised about the rest.
    Until {
        /// From 0 to 1.
        share: f64,
        /// The obstacle; `None` where only the proof ended.
        block: Option<B>,
    },
}

impl<B> Edge<B> {
    /// Returns `true` if all of it is collision-free.
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
/// use noli_plan::{SplitMix64, Edge, Effort, Query, Space, connect};
/// struct Maze;
/// impl Space for Maze {
///     type State = [f64; 2];
///     type Memory = ();
///     type Block = ();
///     fn memory(&self) {}
///     fn sample(&self, dice: &mut SplitMix64) -> [f64; 2] {
///         [dice.between(-2.0, 2.0), dice.between(-2.0, 2.0)]
///     }
///     fn near(&self, state: &[f64; 2], dice: &mut SplitMix64) -> [f64; 2] {
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
/// let found = connect(&Maze, &query, &Effort::default()).path.expect("around the end of the wall");
/// assert!(found.iter().any(|state| state[1] > 1.0));
/// ```
pub trait Space: Sync {
    /// A place in the space.
    type State: Clone + std::fmt::Debug + Send + Sync;
    /// Data that a search keeps from one proof to the next.
    type Memory: Send;
    /// Blocking obstacles.
    type Block: Clone + Send;

    /// Memory for one search.
    fn memory(&self) -> Self::Memory;

    /// Any state, free or not.
    fn sample(&self, dice: &mut SplitMix64) -> Self::State;

    /// Returns a random state around another, at a random distance.
    fn near(&self, state: &Self::State, dice: &mut SplitMix64) -> Self::State;

    /// Returns the distance between two states.
    fn distance(&self, a: &Self::State, b: &Self::State) -> f64;

    /// A state on the motion between two.
    fn between(&self, a: &Self::State, b: &Self::State, share: f64) -> Self::State;

    /// Proves that the motion between two states is collision-free.
    fn prove(&self, a: &Self::State, b: &Self::State, memory: &mut Self::Memory) -> Edge<Self::Block>;

    /// Returns `true` if all of the motion from one state to another is collision-free, where no more is needed:
    /// chords of a path.
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

    /// Share of the samples that are around existing nodes.
    fn locality(&self) -> f64 {
        0.5
    }

    /// No edge towards a sample is longer.
    fn range(&self) -> f64 {
        f64::INFINITY
    }

    /// Returns an alternative target from a state at which the motion to another is blocked: along the obstacle.
    fn slide(&self, _at: &Self::State, _to: &Self::State, _blocks: &[Self::Block]) -> Option<Self::State> {
        None
    }

    /// Returns `true` if a collision-free state is a goal, besides the named ones.
    fn is_goal(&self, _state: &Self::State) -> bool {
        false
    }
}
