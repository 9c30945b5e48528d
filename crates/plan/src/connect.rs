//! A path between states by two trees that grow towards each other: RRT-Connect (Kuffner and LaValle 2000).
//!
//! Differences from the paper: an edge is proven as far as it is collision-free and gets nodes at strides
//! along it. At an obstacle, the tree slides along it a few times (`Space::slide`). Half of the samples are
//! around existing nodes. Several searches with their own random generators alternate after a fixed number of
//! steps, on all available threads. The path does not depend on the number of threads.

use crate::space::{Edge, Space};
use noli_geom::random::SplitMix64;

/// From where to where.
#[derive(Clone, Copy, Debug)]
pub struct Query<'q, S> {
    /// Free states to start from.
    pub starts: &'q [S],
    /// Free states, one of which is to be reached.
    pub goals: &'q [S],
}

/// Limits of the search.
#[derive(Clone, Copy)]
pub struct Effort<'a> {
    /// Motions proven or refuted, of all searches together.
    pub steps: u64,
    /// Seed of the random choices.
    pub seed: u64,
    /// Number of alternating searches.
    pub searches: usize,
    /// Polled occasionally; `true` stops the search. A stopped search has tried less, and its result may differ.
    pub stop: &'a (dyn Fn() -> bool + Sync),
}

impl std::fmt::Debug for Effort<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { steps, seed, searches, .. } = self;
        f.debug_struct("Effort")
            .field("steps", steps)
            .field("seed", seed)
            .field("searches", searches)
            .finish()
    }
}

impl Default for Effort<'_> {
    fn default() -> Self {
        Self { steps: 20_000, seed: 1, searches: 2, stop: &|| false }
    }
}

/// Result of a search.
#[derive(Clone, Debug)]
#[must_use]
pub struct Outcome<S> {
    /// States from a start to a goal, each motion between two of them proven.
    pub path: Option<Vec<S>>,
    /// Motions that were proven or refuted.
    pub steps: u64,
}

/// Steps of a search before the next has its turn.
const TURN: u64 = 64;
/// Maximum number of slides of an edge along obstacles.
const SLIDES: usize = 10;

struct Node<S> {
    state: S,
    parent: u32,
}

struct Tree<S> {
    nodes: Vec<Node<S>>,
}

const ROOT: u32 = u32::MAX;

impl<S: Clone> Tree<S> {
    fn new(roots: &[S]) -> Self {
        Self { nodes: roots.iter().map(|state| Node { state: state.clone(), parent: ROOT }).collect() }
    }

    fn nearest<P: Space<State = S>>(&self, space: &P, to: &S) -> u32 {
        let mut best = (f64::INFINITY, 0);
        for (number, node) in self.nodes.iter().enumerate() {
            let distance = space.distance(&node.state, to);
            if distance < best.0 {
                best = (distance, number as u32);
            }
        }
        best.1
    }

    fn add(&mut self, state: S, parent: u32) -> u32 {
        self.nodes.push(Node { state, parent });
        self.nodes.len() as u32 - 1
    }

    /// From a node to its root.
    fn to_root(&self, mut node: u32) -> Vec<S> {
        let mut path = Vec::new();
        while node != ROOT {
            let Node { state, parent } = &self.nodes[node as usize];
            path.push(state.clone());
            node = *parent;
        }
        path
    }
}

struct Search<P: Space> {
    trees: [Tree<P::State>; 2],
    dice: SplitMix64,
    memory: P::Memory,
    steps: u64,
    path: Option<Vec<P::State>>,
}

impl<P: Space> Search<P> {
    /// Grows from a node towards a state, sliding along obstacles. Returns the node reached, and `true` if it is
    /// that state.
    fn grow(&mut self, space: &P, side: usize, from: u32, goal: &P::State, slides: usize) -> (u32, bool) {
        let (mut at, mut to, mut straight) = (from, goal.clone(), true);
        let mut blocks: Vec<P::Block> = Vec::new();
        let (mut nearest, mut idle) = (f64::INFINITY, 0);
        for _ in 0..=slides {
            let state = self.trees[side].nodes[at as usize].state.clone();
            let left = space.distance(&state, goal);
            idle = if left < 0.98 * nearest { 0 } else { idle + 1 };
            nearest = nearest.min(left);
            if idle > 2 {
                break;
            }
            let whole = space.distance(&state, &to);
            self.steps += 1;
            match space.prove(&state, &to, &mut self.memory) {
                Edge::Free => {
                    at = self.add_along(space, side, at, &to, whole);
                    if straight {
                        return (at, true);
                    }
                    (to, straight) = (goal.clone(), true);
                    blocks.clear();
                }
                Edge::Until { share, block } => {
                    let share = space.stop_at(share, whole);
                    if share * whole > 1e-3 * space.stride() {
                        let there = space.between(&state, &to, share);
                        at = self.add_along(space, side, at, &there, whole * share);
                        blocks.clear();
                    }
                    let Some(block) = block else { break };
                    blocks.push(block);
                    let here = &self.trees[side].nodes[at as usize].state;
                    let Some(next) = space.slide(here, goal, &blocks) else { break };
                    (to, straight) = (next, false);
                }
            }
        }
        (at, false)
    }

    fn add_along(&mut self, space: &P, side: usize, from: u32, to: &P::State, length: f64) -> u32 {
        let pieces = (length / space.stride()).ceil().clamp(1.0, 64.0) as u32;
        let (start, mut at) = (self.trees[side].nodes[from as usize].state.clone(), from);
        for k in 1..pieces {
            let state = space.between(&start, to, f64::from(k) / f64::from(pieces));
            at = self.trees[side].add(state, at);
        }
        self.trees[side].add(to.clone(), at)
    }

    fn turn(&mut self, space: &P, stop: &(dyn Fn() -> bool + Sync)) {
        let until = self.steps + TURN;
        while self.steps < until && self.path.is_none() && !stop() {
            let side = usize::from(self.trees[0].nodes.len() > self.trees[1].nodes.len());
            let side = if self.trees[1].nodes.is_empty() { 0 } else { side };
            let mut sample = if self.dice.unit() < space.locality() {
                let some = self.dice.below(self.trees[side].nodes.len());
                space.near(&self.trees[side].nodes[some].state, &mut self.dice)
            } else {
                space.sample(&mut self.dice)
            };
            let from = self.trees[side].nearest(space, &sample);
            let start = &self.trees[side].nodes[from as usize].state;
            let far = space.distance(start, &sample);
            if far > space.range() {
                sample = space.between(start, &sample, space.range() / far);
            }
            let (reached, _) = self.grow(space, side, from, &sample, SLIDES);
            if reached == from {
                continue;
            }
            let state = self.trees[side].nodes[reached as usize].state.clone();
            if side == 0 && space.is_goal(&state) {
                let mut path = self.trees[0].to_root(reached);
                path.reverse();
                self.path = Some(path);
                return;
            }
            if self.trees[1 - side].nodes.is_empty() {
                continue;
            }
            let other = self.trees[1 - side].nearest(space, &state);
            let (met, arrived) = self.grow(space, 1 - side, other, &state, SLIDES);
            if arrived {
                let ends = if side == 0 { [reached, met] } else { [met, reached] };
                let [mut path, rest] = [0, 1].map(|tree| self.trees[tree].to_root(ends[tree]));
                path.reverse();
                // Both end with the state at which they met.
                path.extend(rest.into_iter().skip(1));
                self.path = Some(path);
            }
        }
    }
}

/// Searches for a path from one of the starts to one of the goals, or to another goal state of the space.
pub fn connect<P: Space>(space: &P, query: &Query<'_, P::State>, effort: &Effort<'_>) -> Outcome<P::State> {
    let mut memory = space.memory();
    let mut steps = 0;
    for start in query.starts {
        for goal in query.goals.iter().take(4) {
            steps += 1;
            if steps <= effort.steps && space.prove(start, goal, &mut memory).is_free() {
                return Outcome { path: Some(vec![start.clone(), goal.clone()]), steps };
            }
        }
    }
    if query.starts.is_empty() {
        return Outcome { path: None, steps };
    }
    let search = |number: usize| Search {
        trees: [Tree::new(query.starts), Tree::new(query.goals)],
        dice: SplitMix64::stream(effort.seed, number as u64),
        memory: space.memory(),
        steps: 0,
        path: None,
    };
    let mut searches: Vec<Search<P>> = (0..effort.searches.max(1)).map(search).collect();
    let spent = |searches: &[Search<P>]| searches.iter().map(|search| search.steps).sum::<u64>();
    while steps + spent(&searches) < effort.steps && !(effort.stop)() {
        for_each(&mut searches, |search| search.turn(space, effort.stop));
        let length =
            |path: &Vec<P::State>| path.windows(2).map(|w| space.distance(&w[0], &w[1])).sum::<f64>();
        let found = searches.iter().filter_map(|search| search.path.as_ref());
        let best = found.min_by(|x, y| length(x).total_cmp(&length(y))).cloned();
        if best.is_some() {
            return Outcome { path: best, steps: steps + spent(&searches) };
        }
    }
    Outcome { path: None, steps: steps + spent(&searches) }
}

/// On all threads, each by itself.
fn for_each<T: Send>(items: &mut [T], work: impl Fn(&mut T) + Sync + Send) {
    // One alone does not wait for another thread to take it.
    if let [item] = items {
        return work(item);
    }
    #[cfg(feature = "rayon")]
    {
        use rayon::prelude::*;
        items.par_iter_mut().for_each(work);
    }
    #[cfg(not(feature = "rayon"))]
    items.iter_mut().for_each(work);
}
