//! Robots: ways between configurations, straight in joint space from one to the next.
//!
//! The search looks at exact states along an edge, which is cheap in lanes of sixteen; the way it finds is then proven
//! between them, on the true shapes. A stretch whose proof fails is searched again with every edge proven. Ways are
//! shortened in rounds, and what a round comes to is taken only if it is proven and shorter: a later end never gives a
//! longer way.

use crate::shorten::shorten_by;
use crate::{Dice, Edge, Effort, Query, Space, connect, shorten};
use noli_robot::cell::{Cell, Checker, Connection, EdgeError, Standing};
use noli_robot::{ConfigurationError, Movement};

/// The configurations of the robots of a cell. States are the values of those variables that move.
#[derive(Clone, Debug)]
pub struct JointSpace<'c> {
    cell: &'c Cell,
    /// All values; those that move are replaced.
    base: Vec<f64>,
    moving: Vec<usize>,
    ranges: Vec<[f64; 2]>,
    /// Whether some variable follows one that moves.
    has_followers: bool,
    /// How far apart states are that a sampled edge looks at; `None` proves edges.
    spacing: Option<f64>,
}

/// What a search keeps.
#[derive(Debug)]
pub struct JointMemory<'c> {
    checker: Checker<'c>,
    states: Vec<f64>,
    ends: [Vec<f64>; 2],
}

impl<'c> JointSpace<'c> {
    /// All robots of a cell as they stand in `values`; variables that are free to move are named by number, among those
    /// of all robots. Edges are proven.
    pub fn new(cell: &'c Cell, values: &[f64], moving: &[usize]) -> Result<Self, ConfigurationError> {
        cell.check_values(values)?;
        let variables: Vec<_> = cell.robots().flat_map(|robot| robot.variables().to_vec()).collect();
        let range = |&number: &usize| {
            let whole = match variables.get(number).map(|variable| variable.movement) {
                Some(Movement::Turn) | None => std::f64::consts::PI,
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

    /// The same with edges that are looked at from state to state, so far apart: quick, and may miss contacts.
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

    /// Whether states along an edge are free, so far apart at most. Sixteen from all over it are asked first: one
    /// that is not is found by them nearly always.
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
        checker.any_hit(look) == Ok(None) && (rest.is_empty() || checker.any_hit(rest) == Ok(None))
    }

    /// Whether a state is free.
    pub fn is_free(&self, state: &[f64], memory: &mut JointMemory<'_>) -> bool {
        let values = self.values(state);
        matches!(memory.checker.first_hit(&values), Ok(Standing::Free))
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
    /// The pair of the cell that meets.
    type Block = usize;

    fn memory(&self) -> JointMemory<'c> {
        let ends = [Vec::new(), Vec::new()];
        JointMemory { checker: self.cell.checker(), states: Vec::new(), ends }
    }

    fn sample(&self, dice: &mut Dice) -> Vec<f64> {
        self.ranges.iter().map(|[low, high]| dice.between(*low, *high)).collect()
    }

    fn near(&self, state: &Vec<f64>, dice: &mut Dice) -> Vec<f64> {
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

    /// Piece by piece: a tree keeps those before the first that is not free.
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
        let found = memory.checker.connects(&from, &to);
        memory.ends = [from, to];
        found == Ok(Connection::Free)
    }
}

/// States that are looked at together.
const LOOK: u32 = 16;
/// How far a tree grows at a time, in radians (or metres).
const PIECE: f64 = 1.0;
/// How far apart states are that a search looks at, in radians (or metres): what it finds is proven all the same, and a
/// stretch that is not free after all costs less than looking everywhere twice as often.
const SPACING: f64 = 0.1;
/// The same along chords and before a proof: chords come closer to things than trees do.
const CHORD_SPACING: f64 = 1.0 / 16.0;
/// The share of its length that a chord has to save. Those that save less are as dear and leave corners to prove.
const WORTH: f64 = 0.005;

/// How to look for a way of a robot.
#[derive(Clone, Copy, Debug)]
pub struct JointOptions<'a> {
    /// How long to search.
    pub effort: Effort<'a>,
    /// How many chords are tried to make the way shorter, in rounds of 50; none leaves it as found.
    pub shorten: u64,
    /// How far apart states are that the search looks at; the way is proven between them all the same.
    pub spacing: f64,
}

impl Default for JointOptions<'_> {
    fn default() -> Self {
        Self { effort: Effort { searches: 1, ..Effort::default() }, shorten: CHORDS, spacing: SPACING }
    }
}

/// A way of a robot, proven free at all times on the true shapes.
#[derive(Clone, Debug, PartialEq)]
pub struct JointWay {
    /// Whole configurations; straight in joint space from one to the next.
    pub configurations: Vec<Vec<f64>>,
    /// Its length in joint space: the root of the sum of squares of all changes, in radians (and metres).
    pub cost: f64,
}

/// Why there is no way.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum JointPlanError {
    /// An end is not free.
    #[error("the {end} is not free: {} meets {}", pair[0], pair[1])]
    NotFree {
        /// `start` or `goal`.
        end: &'static str,
        /// The parts that meet.
        pair: [String; 2],
    },
    /// An end that is no configuration, or a proof that cannot be asked for.
    #[error(transparent)]
    Edge(#[from] EdgeError),
}

impl From<ConfigurationError> for JointPlanError {
    fn from(error: ConfigurationError) -> Self {
        Self::Edge(error.into())
    }
}

/// What a search for a way of a robot came to.
#[derive(Clone, Debug, PartialEq)]
pub struct JointOutcome {
    /// The way; `None` if none was found within the budget.
    pub way: Option<JointWay>,
    /// Edges that were looked at or proven.
    pub steps: u64,
}

/// Finds a way for the robots of a cell from one configuration to another, moving the variables named by number.
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
        if let Standing::Hit(pair) | Standing::Unknown(pair) = memory.checker.first_hit(values)? {
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
        let Some(way) = found.way else { break };
        let rounds = options.shorten.div_ceil(CHORDS);
        let finer = sampled.sampled(options.spacing.min(CHORD_SPACING));
        let chords = if proven { &space } else { &finer };
        if let Some(way) = space.shortened(chords, way, rounds, &effort, &mut memory, &mut steps) {
            let configurations = way.iter().map(|state| space.values(state)).collect();
            return Ok(JointOutcome { way: Some(JointWay { configurations, cost: length(&way) }), steps });
        }
    }
    Ok(JointOutcome { way: None, steps })
}

fn length(way: &[Vec<f64>]) -> f64 {
    way.windows(2).map(|pair| distance(&pair[0], &pair[1])).sum()
}

/// Chords that are tried in a round.
const CHORDS: u64 = 50;
/// How often a way is searched for anew where its proof fails, and how often by samples.
const ROUNDS: u64 = 12;
const SAMPLED_ROUNDS: u64 = 8;

impl<'c> JointSpace<'c> {
    /// A way, proven, after so many rounds of shortening by what another space takes for free; the shortest of all
    /// rounds, so that more of them are never worse. A round that was stopped does not count.
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
            let mut way = best.clone().unwrap_or_else(|| found.clone());
            let seed = effort.seed.wrapping_add(0x51 * round);
            *steps += shorten_by(by, &mut way, &Effort { steps: CHORDS, seed, ..*effort }, WORTH);
            if (effort.stop)() {
                break;
            }
            let longest = best.as_deref().map_or(f64::INFINITY, length);
            best = self.proven(&way, effort, memory, steps).filter(|way| length(way) < longest).or(best);
            if best.as_deref().is_none_or(|way| length(way) > length(&found)) {
                break;
            }
        }
        if best.as_deref().is_some_and(|way| length(way) <= length(&found)) {
            return best;
        }
        // As it was found it may be provable, or shorter than after a detour around what samples missed.
        let plain = self.proven(&found, effort, memory, steps);
        [best, plain].into_iter().flatten().min_by(|a, b| length(a).total_cmp(&length(b)))
    }

    /// The way with every stretch proven; those that are not free are searched again, around where they are blocked.
    fn proven(
        &self,
        way: &[Vec<f64>],
        effort: &Effort<'_>,
        memory: &mut JointMemory<'c>,
        steps: &mut u64,
    ) -> Option<Vec<Vec<f64>>> {
        const REPAIR: u64 = 60;
        let mut out = vec![way[0].clone()];
        for pair in way.windows(2) {
            *steps += 1;
            if self.is_proven(&pair[0], &pair[1], memory) {
                out.push(pair[1].clone());
                continue;
            }
            let query = Query { starts: &pair[..1], goals: &pair[1..] };
            let around = connect(self, &query, &Effort { steps: REPAIR, searches: 1, ..*effort });
            *steps += around.steps;
            let mut around = around.way?;
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

/// When each configuration of a way is reached at the earliest, if the robot rests at each: every joint within its limits of
/// speed and, where they are stated, of acceleration. A joint whose speed is not stated takes a second for a radian (or
/// metre).
pub fn stretch_times(robot: &noli_robot::Robot, configurations: &[Vec<f64>]) -> Vec<f64> {
    let variables = robot.variables();
    let stretch = |a: &[f64], b: &[f64]| {
        let one = |number: usize| {
            let way = (b[number] - a[number]).abs();
            let limits = &variables[number].limits;
            let speed = limits.velocity.filter(|speed| *speed > 0.0).unwrap_or(1.0);
            match limits.acceleration.filter(|acceleration| *acceleration > 0.0) {
                // Speed up, go on, slow down; or not reach the speed at all.
                Some(rate) if way * rate < speed * speed => 2.0 * (way / rate).sqrt(),
                Some(rate) => way / speed + speed / rate,
                None => way / speed,
            }
        };
        (0..variables.len().min(a.len())).map(one).fold(0.0, f64::max)
    };
    let mut times = vec![0.0];
    for pair in configurations.windows(2) {
        let before = times[times.len() - 1];
        times.push(before + stretch(&pair[0], &pair[1]));
    }
    times.truncate(configurations.len().max(1));
    times
}
