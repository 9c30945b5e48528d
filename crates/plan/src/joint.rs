//! Robots: paths between configurations, straight in joint space from one to the next.
//!
//! The search tests exact configurations along an edge, which is cheap in batches of sixteen. The path found is
//! then proven between them, on the true shapes. A segment whose proof fails is searched again with every edge
//! proven. Paths are shortened in rounds, and the result of a round is accepted only if it is proven and
//! shorter. Stopping later never gives a longer path.

mod reach;
mod search;
mod times;

pub use search::{JointOptions, JointOutcome, JointPath, JointPlanError, plan_joints, plan_to_goals};
pub use times::segment_times;

use crate::space::{Edge, Space};
use crate::upright::AxisConstraint;
use noli_geom::random::SplitMix64;
use noli_robot::cell::{Cell, Checker, MotionStatus, StateStatus};
use noli_robot::{ConfigurationError, JointAxisKind};

/// The configurations of the robots of a cell. States are the values of those variables that move.
#[derive(Clone, Debug)]
pub struct JointSpace<'c> {
    cell: &'c Cell,
    /// All values; those that move are replaced.
    base: Vec<f64>,
    moving: Vec<usize>,
    ranges: Vec<[f64; 2]>,
    /// `true` if some variable mimics one that moves.
    has_followers: bool,
    /// Distance between the states tested on a sampled edge; `None` proves edges.
    spacing: Option<f64>,
    /// Displacement of the farthest point by each moving variable, in metres for one radian or metre.
    reach: Vec<f64>,
    /// Kept on all edges, by proof.
    constraints: Vec<AxisConstraint>,
}

/// Working memory of a search.
#[derive(Debug)]
pub struct JointMemory<'c> {
    checker: Checker<'c>,
    states: Vec<f64>,
    ends: [Vec<f64>; 2],
    /// Edges tested or proven so far.
    steps: u64,
}

impl<'c> JointSpace<'c> {
    /// Creates the space of all robots of a cell at the configuration `values`. `moving` lists the free variables
    /// by number, among those of all robots. Edges are proven.
    pub fn new(cell: &'c Cell, values: &[f64], moving: &[usize]) -> Result<Self, ConfigurationError> {
        cell.check_values(values)?;
        let variables: Vec<_> = cell.robots().flat_map(|robot| robot.variables().to_vec()).collect();
        let range = |&number: &usize| {
            let whole = match variables.get(number).map(|variable| variable.movement) {
                Some(JointAxisKind::Turn) | None => std::f64::consts::PI,
                Some(_) => 1.0,
            };
            let said = variables.get(number).and_then(|variable| variable.limits.range);
            let [low, high] = said.unwrap_or([-whole, whole]);
            // A state that is beyond the limits is where it is.
            [low.min(values[number]), high.max(values[number])]
        };
        let moving: Vec<usize> = moving.iter().copied().filter(|&number| number < values.len()).collect();
        let ranges = moving.iter().map(range).collect();
        let (mut first, mut has_followers) = (0, false);
        for robot in cell.robots() {
            let laws = robot.variables().iter().filter_map(|variable| variable.mimic);
            has_followers |= laws.into_iter().any(|law| moving.contains(&(first + law.of)));
            first += robot.variables().len();
        }
        let all = reach::reach(cell);
        let mut space = Self {
            cell,
            base: values.to_vec(),
            reach: moving.iter().map(|&number| all[number]).collect(),
            moving,
            ranges,
            has_followers: true,
            spacing: None,
            constraints: Vec::new(),
        };
        space.base = space.values(&space.state(values));
        Ok(Self { has_followers, ..space })
    }

    /// The same with edges sampled at this spacing: fast, but may miss contacts.
    pub fn sampled(&self, spacing: f64) -> Self {
        Self { spacing: Some(spacing), ..self.clone() }
    }

    /// The same with constraints that hold on all edges, by proof.
    pub fn constrained(&self, constraints: &[AxisConstraint]) -> Self {
        Self { constraints: constraints.to_vec(), ..self.clone() }
    }

    /// The variables that move, of a whole configuration.
    pub fn state(&self, values: &[f64]) -> Vec<f64> {
        self.moving.iter().map(|&number| values[number]).collect()
    }

    /// A whole configuration.
    pub fn values(&self, state: &[f64]) -> Vec<f64> {
        let mut values = Vec::new();
        self.fill(state, &mut values);
        values
    }

    fn fill(&self, state: &[f64], values: &mut Vec<f64>) {
        values.clear();
        values.extend_from_slice(&self.base);
        for (&number, &value) in self.moving.iter().zip(state) {
            values[number] = value;
        }
        self.follow(values);
    }

    /// Lets variables follow those they mimic.
    fn follow(&self, values: &mut [f64]) {
        if !self.has_followers {
            return;
        }
        let mut first = 0;
        for robot in self.cell.robots() {
            let count = robot.variables().len();
            robot.apply_laws(&mut values[first..first + count]);
            first += count;
        }
    }

    /// Returns `true` if states along an edge, with at most this spacing, are collision-free. Sixteen states
    /// spread over the edge are tested first: they nearly always detect a collision.
    fn seems_free(&self, a: &[f64], b: &[f64], spacing: f64, memory: &mut JointMemory<'_>) -> bool {
        let moved: f64 = a.iter().zip(b).zip(&self.reach).map(|((a, b), reach)| (a - b).abs() * reach).sum();
        let count = (distance(a, b).max(moved / REACH) / spacing).ceil().clamp(1.0, 1e6) as u32;
        let stride = count.div_ceil(LOOK);
        let JointMemory { states, checker, .. } = memory;
        states.clear();
        for number in (0..stride).flat_map(|phase| (1 + phase..=count).step_by(stride as usize)) {
            let (first, share) = (states.len(), f64::from(number) / f64::from(count));
            states.extend_from_slice(&self.base);
            for (&number, (a, b)) in self.moving.iter().zip(a.iter().zip(b)) {
                states[first + number] = a + (b - a) * share;
            }
            self.follow(&mut states[first..]);
        }
        let (look, rest) = states.split_at(states.len().min(LOOK as usize * self.base.len()));
        checker.any_in_collision(look) == Ok(None)
            && (rest.is_empty() || checker.any_in_collision(rest) == Ok(None))
    }

    /// Returns the share of an edge on which all constraints hold, by proof, and the constraint that ends it.
    fn kept_share(&self, a: &[f64], b: &[f64]) -> (f64, Option<usize>) {
        if self.constraints.is_empty() {
            return (1.0, None);
        }
        let (from, to) = (self.values(a), self.values(b));
        let shares = self.constraints.iter().map(|kept| kept.proven_share(self.cell, &from, &to));
        let first = shares.enumerate().min_by(|(_, a), (_, b)| a.total_cmp(b));
        first.filter(|(_, share)| *share < 1.0).map_or((1.0, None), |(number, share)| (share, Some(number)))
    }

    /// Moves a state to where all constraints hold, if that succeeds within a few steps.
    fn project(&self, state: Vec<f64>) -> Vec<f64> {
        if self.constraints.is_empty() {
            return state;
        }
        let mut values = self.values(&state);
        for _ in 0..self.constraints.len() {
            for constraint in &self.constraints {
                constraint.project(self.cell, &self.moving, &self.ranges, &mut values);
                self.follow(&mut values);
            }
        }
        self.state(&values)
    }

    /// Returns `true` if a state is collision-free.
    pub fn is_free(&self, state: &[f64], memory: &mut JointMemory<'_>) -> bool {
        let values = self.values(state);
        matches!(memory.checker.check_state(&values), Ok(StateStatus::Free))
    }
}

fn lerp(a: &[f64], b: &[f64], share: f64) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a + (b - a) * share).collect()
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}

impl<'c> Space for JointSpace<'c> {
    type State = Vec<f64>;
    type Memory = JointMemory<'c>;
    /// The number of the constraint that ends an edge.
    type Block = usize;

    fn memory(&self) -> JointMemory<'c> {
        let ends = [Vec::new(), Vec::new()];
        JointMemory { checker: self.cell.checker(), states: Vec::new(), ends, steps: 0 }
    }

    fn sample(&self, dice: &mut SplitMix64) -> Vec<f64> {
        self.project(self.ranges.iter().map(|[low, high]| dice.between(*low, *high)).collect())
    }

    fn near(&self, state: &Vec<f64>, dice: &mut SplitMix64) -> Vec<f64> {
        let size = dice.between(-4.0, 0.0).exp();
        let moved = |(value, [low, high]): (&f64, &[f64; 2])| {
            (value + size * (high - low) * dice.between(-0.5, 0.5)).clamp(*low, *high)
        };
        self.project(state.iter().zip(&self.ranges).map(moved).collect())
    }

    fn distance(&self, a: &Vec<f64>, b: &Vec<f64>) -> f64 {
        distance(a, b)
    }

    fn between(&self, a: &Vec<f64>, b: &Vec<f64>, share: f64) -> Vec<f64> {
        lerp(a, b, share)
    }

    /// Proves segment by segment: a tree keeps those before the first collision.
    fn prove(&self, a: &Vec<f64>, b: &Vec<f64>, memory: &mut JointMemory<'c>) -> Edge<usize> {
        let (kept, block) = self.kept_share(a, b);
        // Constraints hold on a little less, or the next edge begins where they end.
        let kept = if block.is_some() { 0.98 * kept } else { kept };
        let pieces = (kept * distance(a, b) / PIECE).ceil().clamp(1.0, 1e6);
        let mut from = a.clone();
        for k in 1..=pieces as u32 {
            let to = if k == pieces as u32 && block.is_none() {
                b.clone()
            } else {
                lerp(a, b, kept * f64::from(k) / pieces)
            };
            if !self.is_collision_free(&from, &to, memory) {
                return Edge::Until { share: kept * f64::from(k - 1) / pieces, block: None };
            }
            from = to;
        }
        if block.is_some() { Edge::Until { share: kept, block } } else { Edge::Free }
    }

    fn is_free_between(&self, a: &Vec<f64>, b: &Vec<f64>, memory: &mut JointMemory<'c>) -> bool {
        self.kept_share(a, b).1.is_none() && self.is_collision_free(a, b, memory)
    }

    /// A step towards the other state, moved to where all constraints hold (Berenson et al. 2009).
    fn slide(&self, at: &Vec<f64>, to: &Vec<f64>, _blocks: &[usize]) -> Option<Vec<f64>> {
        let far = distance(at, to);
        let next = self.project(lerp(at, to, (SLIDE / far).min(1.0)));
        (distance(&next, to) < far - 0.1 * SLIDE.min(far)).then_some(next)
    }

    fn stride(&self) -> f64 {
        PIECE
    }

    fn locality(&self) -> f64 {
        0.1
    }

    fn range(&self) -> f64 {
        2.0
    }
}

impl<'c> JointSpace<'c> {
    /// Returns `true` if an edge is collision-free, by samples or by proof.
    fn is_collision_free(&self, a: &[f64], b: &[f64], memory: &mut JointMemory<'c>) -> bool {
        self.seems_free(a, b, self.spacing.unwrap_or(CHORD_SPACING), memory)
            && (self.spacing.is_some() || self.is_proven(a, b, memory))
    }

    /// Returns `true` if an edge is collision-free and keeps all constraints, by proof.
    fn is_proven_edge(&self, a: &[f64], b: &[f64], memory: &mut JointMemory<'c>) -> bool {
        self.kept_share(a, b).1.is_none() && self.is_proven(a, b, memory)
    }

    fn is_proven(&self, a: &[f64], b: &[f64], memory: &mut JointMemory<'c>) -> bool {
        let [mut from, mut to] = std::mem::take(&mut memory.ends);
        self.fill(a, &mut from);
        self.fill(b, &mut to);
        let found = memory.checker.check_motion(&from, &to);
        memory.ends = [from, to];
        found == Ok(MotionStatus::Free)
    }
}

/// Number of states tested together.
const LOOK: u32 = 16;
/// Displacement of the farthest point for which states along an edge have their spacing in joint space, in metres for one
/// radian. Longer arms have closer states.
const REACH: f64 = 2.5;
/// Step size along constraints, in radians (or metres).
const SLIDE: f64 = 0.3;
/// Step size of a tree, in radians (or metres).
const PIECE: f64 = 1.0;
/// Distance between the states tested by a search, in radians (or metres). Its result is proven in any case,
/// and repairing a colliding segment costs less than testing twice as many states everywhere.
const SPACING: f64 = 0.1;
/// The same along chords and before a proof: chords come closer to things than trees do.
const CHORD_SPACING: f64 = 1.0 / 16.0;
/// The share of its length that a chord has to save. Those that save less are as dear and leave vertices to prove.
const WORTH: f64 = 0.005;
