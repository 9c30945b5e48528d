//! Robots: paths between configurations, straight in joint space from one to the next.
//!
//! The search tests exact configurations along an edge, which is cheap in batches of sixteen. The path found is
//! then proven between them, on the true shapes. A segment whose proof fails is searched again with every edge
//! proven. Paths are shortened in rounds, and the result of a round is accepted only if it is proven and
//! shorter. Stopping later never gives a longer path.

use crate::connect::{Effort, Query, connect};
use crate::shorten::{shorten, shorten_by};
use crate::space::{Edge, Space};
use noli_geom::random::SplitMix64;
use noli_robot::cell::{Cell, Checker, EdgeError, MotionStatus, StateStatus};
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
}

/// Working memory of a search.
#[derive(Debug)]
pub struct JointMemory<'c> {
    checker: Checker<'c>,
    states: Vec<f64>,
    ends: [Vec<f64>; 2],
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
        let mut space =
            Self { cell, base: values.to_vec(), moving, ranges, has_followers: true, spacing: None };
        space.base = space.values(&space.state(values));
        Ok(Self { has_followers, ..space })
    }

    /// The same with edges sampled at this spacing: fast, but may miss contacts.
    pub fn sampled(&self, spacing: f64) -> Self {
        Self { spacing: Some(spacing), ..self.clone() }
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
        let count = (distance(a, b) / spacing).ceil().clamp(1.0, 1e6) as u32;
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
    /// The colliding pair of the cell.
    type Block = usize;

    fn memory(&self) -> JointMemory<'c> {
        let ends = [Vec::new(), Vec::new()];
        JointMemory { checker: self.cell.checker(), states: Vec::new(), ends }
    }

    fn sample(&self, dice: &mut SplitMix64) -> Vec<f64> {
        self.ranges.iter().map(|[low, high]| dice.between(*low, *high)).collect()
    }

    fn near(&self, state: &Vec<f64>, dice: &mut SplitMix64) -> Vec<f64> {
        let size = dice.between(-4.0, 0.0).exp();
        let moved = |(value, [low, high]): (&f64, &[f64; 2])| {
            (value + size * (high - low) * dice.between(-0.5, 0.5)).clamp(*low, *high)
        };
        state.iter().zip(&self.ranges).map(moved).collect()
    }

    fn distance(&self, a: &Vec<f64>, b: &Vec<f64>) -> f64 {
        distance(a, b)
    }

    fn between(&self, a: &Vec<f64>, b: &Vec<f64>, share: f64) -> Vec<f64> {
        lerp(a, b, share)
    }

    /// Proves segment by segment: a tree keeps those before the first collision.
    fn prove(&self, a: &Vec<f64>, b: &Vec<f64>, memory: &mut JointMemory<'c>) -> Edge<usize> {
        let pieces = (distance(a, b) / PIECE).ceil().clamp(1.0, 1e6);
        let mut from = a.clone();
        for k in 1..=pieces as u32 {
            let to = lerp(a, b, f64::from(k) / pieces);
            if !self.is_free_between(&from, &to, memory) {
                return Edge::Until { share: f64::from(k - 1) / pieces, block: None };
            }
            from = to;
        }
        Edge::Free
    }

    fn is_free_between(&self, a: &Vec<f64>, b: &Vec<f64>, memory: &mut JointMemory<'c>) -> bool {
        self.seems_free(a, b, self.spacing.unwrap_or(CHORD_SPACING), memory)
            && (self.spacing.is_some() || self.is_proven(a, b, memory))
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
/// Step size of a tree, in radians (or metres).
const PIECE: f64 = 1.0;
/// Distance between the states tested by a search, in radians (or metres). Its result is proven in any case,
/// and repairing a colliding segment costs less than testing twice as many states everywhere.
const SPACING: f64 = 0.1;
/// The same along chords and before a proof: chords come closer to things than trees do.
const CHORD_SPACING: f64 = 1.0 / 16.0;
/// The share of its length that a chord has to save. Those that save less are as dear and leave vertices to prove.
const WORTH: f64 = 0.005;

/// Options of motion planning for a robot.
#[derive(Clone, Copy, Debug)]
pub struct JointOptions<'a> {
    /// Limits of the search.
    pub effort: Effort<'a>,
    /// Number of chords tried to shorten the path, in rounds of 50; 0 leaves it as found.
    pub shorten: u64,
    /// Distance between the states tested by the search; the path is proven between them in any case.
    pub spacing: f64,
}

impl Default for JointOptions<'_> {
    fn default() -> Self {
        Self { effort: Effort { searches: 1, ..Effort::default() }, shorten: CHORDS, spacing: SPACING }
    }
}

/// A path of a robot, proven collision-free at all times on the true shapes.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct JointPath {
    /// Whole configurations; straight in joint space from one to the next.
    pub configurations: Vec<Vec<f64>>,
    /// Its length in joint space: the root of the sum of squares of all changes, in radians (and metres).
    pub cost: f64,
}

/// Reason that no path exists.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum JointPlanError {
    /// An end is not free.
    #[error("the {end} is in collision: {} with {}", pair[0], pair[1])]
    NotFree {
        /// `start` or `goal`.
        end: &'static str,
        /// The colliding parts.
        pair: [String; 2],
    },
    /// An end that is an invalid configuration, or a proof that is not possible.
    #[error(transparent)]
    Edge(#[from] EdgeError),
}

impl From<ConfigurationError> for JointPlanError {
    fn from(error: ConfigurationError) -> Self {
        Self::Edge(error.into())
    }
}

/// Result of motion planning for a robot.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct JointOutcome {
    /// The path; `None` if none was found within the budget.
    pub path: Option<JointPath>,
    /// Number of edges tested or proven.
    pub steps: u64,
}

/// Finds a path for the robots of a cell from one configuration to another, moving the variables named by
/// number.
pub fn plan_joints(
    cell: &Cell,
    from: &[f64],
    to: &[f64],
    moving: &[usize],
    options: &JointOptions<'_>,
) -> Result<JointOutcome, JointPlanError> {
    let mut space = JointSpace::new(cell, from, moving)?;
    cell.check_values(to)?;
    for (range, &number) in space.ranges.iter_mut().zip(moving) {
        *range = [range[0].min(to[number]), range[1].max(to[number])];
    }
    let mut memory = space.memory();
    for (end, values) in [("start", from), ("goal", to)] {
        if let StateStatus::Hit(pair) | StateStatus::Unknown(pair) = memory.checker.check_state(values)? {
            return Err(JointPlanError::NotFree { end, pair: cell.pair_names(pair).map(str::to_owned) });
        }
    }
    let sampled = space.sampled(options.spacing);
    let (start, goal) = (space.state(from), space.state(to));
    let mut steps = 0;
    let effort = options.effort;
    for round in 0..ROUNDS {
        if (effort.stop)() || steps >= effort.steps {
            break;
        }
        // The last rounds leave nothing to samples.
        let proven = round >= SAMPLED_ROUNDS;
        let effort =
            Effort { seed: effort.seed.wrapping_add(0x9E37 * round), steps: effort.steps - steps, ..effort };
        let query = Query { starts: std::slice::from_ref(&start), goals: std::slice::from_ref(&goal) };
        let searched = if proven { &space } else { &sampled };
        let found = connect(searched, &query, &effort);
        steps += found.steps;
        let Some(path) = found.path else { break };
        let rounds = options.shorten.div_ceil(CHORDS);
        let finer = sampled.sampled(options.spacing.min(CHORD_SPACING));
        let chords = if proven { &space } else { &finer };
        if let Some(path) = space.shortened(chords, path, rounds, &effort, &mut memory, &mut steps) {
            let configurations = path.iter().map(|state| space.values(state)).collect();
            return Ok(JointOutcome { path: Some(JointPath { configurations, cost: length(&path) }), steps });
        }
    }
    Ok(JointOutcome { path: None, steps })
}

fn length(path: &[Vec<f64>]) -> f64 {
    path.windows(2).map(|pair| distance(&pair[0], &pair[1])).sum()
}

/// Chords that are tried in a round.
const CHORDS: u64 = 50;
/// Number of repeated searches where the proof of a path fails, and number of those by samples.
const ROUNDS: u64 = 12;
const SAMPLED_ROUNDS: u64 = 8;

impl<'c> JointSpace<'c> {
    /// Returns a proven path after so many rounds of shortening, with the collision tests of another space. It is
    /// the shortest of all rounds, so that more of them are never worse. A stopped round does not count.
    fn shortened(
        &self,
        by: &Self,
        found: Vec<Vec<f64>>,
        rounds: u64,
        effort: &Effort<'_>,
        memory: &mut JointMemory<'c>,
        steps: &mut u64,
    ) -> Option<Vec<Vec<f64>>> {
        let mut best: Option<Vec<Vec<f64>>> = None;
        for round in 0..rounds {
            let mut path = best.clone().unwrap_or_else(|| found.clone());
            let seed = effort.seed.wrapping_add(0x51 * round);
            *steps += shorten_by(by, &mut path, &Effort { steps: CHORDS, seed, ..*effort }, WORTH);
            if (effort.stop)() {
                break;
            }
            let longest = best.as_deref().map_or(f64::INFINITY, length);
            best = self.proven(&path, effort, memory, steps).filter(|path| length(path) < longest).or(best);
            if best.as_deref().is_none_or(|path| length(path) > length(&found)) {
                break;
            }
        }
        if best.as_deref().is_some_and(|path| length(path) <= length(&found)) {
            return best;
        }
        // As it was found it may be provable, or shorter than after a detour around what samples missed.
        let plain = self.proven(&found, effort, memory, steps);
        [best, plain].into_iter().flatten().min_by(|a, b| length(a).total_cmp(&length(b)))
    }

    /// Returns the path with every segment proven; colliding ones are searched again, around the blocked states.
    fn proven(
        &self,
        path: &[Vec<f64>],
        effort: &Effort<'_>,
        memory: &mut JointMemory<'c>,
        steps: &mut u64,
    ) -> Option<Vec<Vec<f64>>> {
        const REPAIR: u64 = 60;
        let mut out = vec![path[0].clone()];
        for pair in path.windows(2) {
            *steps += 1;
            if self.is_proven(&pair[0], &pair[1], memory) {
                out.push(pair[1].clone());
                continue;
            }
            let query = Query { starts: &pair[..1], goals: &pair[1..] };
            let around = connect(self, &query, &Effort { steps: REPAIR, searches: 1, ..*effort });
            *steps += around.steps;
            let mut around = around.path?;
            *steps += shorten(self, &mut around, &Effort { steps: REPAIR, ..*effort });
            // Edges of the trees were proven in pieces; as wholes they are proven here.
            for pair in around.windows(2) {
                *steps += 1;
                if !self.is_proven(&pair[0], &pair[1], memory) {
                    return None;
                }
                out.push(pair[1].clone());
            }
        }
        Some(out)
    }
}

/// Computes the earliest time of each configuration of a path, if the robot rests at each. Every joint stays
/// within its limits of speed and, where stated, of acceleration. A joint without a speed limit takes a second
/// for a radian (or metre).
pub fn segment_times(robot: &noli_robot::Robot, configurations: &[Vec<f64>]) -> Vec<f64> {
    let variables = robot.variables();
    let segment = |a: &[f64], b: &[f64]| {
        let one = |number: usize| {
            let path = (b[number] - a[number]).abs();
            let limits = &variables[number].limits;
            let speed = limits.velocity.filter(|speed| *speed > 0.0).unwrap_or(1.0);
            match limits.acceleration.filter(|acceleration| *acceleration > 0.0) {
                // Speed up, go on, slow down; or not reach the speed at all.
                Some(rate) if path * rate < speed * speed => 2.0 * (path / rate).sqrt(),
                Some(rate) => path / speed + speed / rate,
                None => path / speed,
            }
        };
        (0..variables.len().min(a.len())).map(one).fold(0.0, f64::max)
    };
    let mut times = vec![0.0];
    for pair in configurations.windows(2) {
        let before = times[times.len() - 1];
        times.push(before + segment(&pair[0], &pair[1]));
    }
    times.truncate(configurations.len().max(1));
    times
}
