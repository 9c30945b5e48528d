//! Robots: ways between configurations, straight in joint space from one to the next.
//!
//! The search looks at exact states along an edge, which is cheap in lanes of sixteen; the way it finds is then proven
//! between them, on the true shapes. A stretch whose proof fails is searched again with every edge proven.

use crate::{Dice, Edge, Effort, Query, Space, connect, shorten};
use noli::answer::Impact;
use noli_robot::cell::{Cell, Checker, EdgeError, Standing};
use noli_robot::{ConfigurationError, Movement};

/// The configurations of the robots of a cell. States are the values of those variables that move.
#[derive(Clone, Debug)]
pub struct JointSpace<'c> {
    cell: &'c Cell,
    /// All values; those that move are replaced.
    base: Vec<f64>,
    moving: Vec<usize>,
    ranges: Vec<[f64; 2]>,
    /// How far apart states are that a sampled edge looks at; `None` proves edges.
    spacing: Option<f64>,
}

/// What a search keeps.
#[derive(Debug)]
pub struct JointMemory<'c> {
    checker: Checker<'c>,
    states: Vec<f64>,
    standings: Vec<Standing>,
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
        Ok(Self { cell, base: values.to_vec(), moving, ranges, spacing: None })
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
        let mut first = 0;
        for robot in self.cell.robots() {
            let count = robot.variables().len();
            robot.apply_laws(&mut values[first..first + count]);
            first += count;
        }
    }

    /// The first of so many states, evenly along an edge, that is not free; those before `from` are known.
    fn first_hit(
        &self,
        (a, b): (&[f64], &[f64]),
        numbers: impl Iterator<Item = u32>,
        count: u32,
        memory: &mut JointMemory<'_>,
    ) -> Option<u32> {
        let numbers: Vec<u32> = numbers.collect();
        let mut values = std::mem::take(&mut memory.ends[0]);
        for chunk in numbers.chunks(16) {
            memory.states.clear();
            for &number in chunk {
                let state = lerp(a, b, f64::from(number) / f64::from(count));
                self.fill(&state, &mut values);
                memory.states.extend_from_slice(&values);
            }
            let asked = memory.checker.first_hits(&memory.states, &mut memory.standings);
            let hit = memory.standings.iter().position(|standing| *standing != Standing::Free);
            if asked.is_err() || hit.is_some() {
                memory.ends[0] = values;
                return Some(chunk[hit.unwrap_or(0)]);
            }
        }
        memory.ends[0] = values;
        None
    }

    /// The share of an edge before the first state that is not free, of those looked at.
    fn look(&self, a: &[f64], b: &[f64], spacing: f64, memory: &mut JointMemory<'_>) -> Option<f64> {
        let count = (distance(a, b) / spacing).ceil().clamp(1.0, 1e6) as u32;
        // All over first, then what is left before the first that was hit.
        let coarse = count.div_ceil(16);
        let rough = (1..=count).filter(|number| number % coarse == 0 || *number == count);
        let hit = self.first_hit((a, b), rough, count, memory);
        let end = hit.unwrap_or(count + 1);
        let fine = (1..end).filter(|number| number % coarse != 0 && *number != count);
        let hit = self.first_hit((a, b), fine, count, memory).or(hit)?;
        Some(f64::from(hit - 1) / f64::from(count))
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
        JointMemory { checker: self.cell.checker(), states: Vec::new(), standings: Vec::new(), ends }
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

    fn prove(&self, a: &Vec<f64>, b: &Vec<f64>, memory: &mut JointMemory<'c>) -> Edge<usize> {
        if let Some(share) = self.look(a, b, self.spacing.unwrap_or(SPACING), memory) {
            if self.spacing.is_some() || share == 0.0 {
                return Edge::Until { share, block: None };
            }
            // What is before the hit may not be free either.
            let there = lerp(a, b, share);
            return match self.prove_edge(a, &there, memory) {
                Edge::Free => Edge::Until { share, block: None },
                Edge::Until { share: less, block } => Edge::Until { share: share * less, block },
            };
        }
        if self.spacing.is_some() { Edge::Free } else { self.prove_edge(a, b, memory) }
    }

    fn stride(&self) -> f64 {
        0.5
    }

    fn locality(&self) -> f64 {
        0.1
    }

    fn range(&self) -> f64 {
        2.0
    }
}

impl<'c> JointSpace<'c> {
    fn prove_edge(&self, a: &[f64], b: &[f64], memory: &mut JointMemory<'c>) -> Edge<usize> {
        let [mut from, mut to] = std::mem::take(&mut memory.ends);
        self.fill(a, &mut from);
        self.fill(b, &mut to);
        let found = memory.checker.edge(&from, &to);
        memory.ends = [from, to];
        match found {
            Ok(Impact::Free) => Edge::Free,
            Ok(Impact::AtStart(touch)) => Edge::Until { share: 0.0, block: Some(touch.pair) },
            Ok(Impact::At { time, touch }) => Edge::Until { share: time.safe_until, block: Some(touch.pair) },
            Ok(Impact::Unknown { safe_until }) => Edge::Until { share: safe_until, block: None },
            Err(_) => Edge::Until { share: 0.0, block: None },
        }
    }
}

/// How far apart states are that a search looks at, in radians (or metres).
const SPACING: f64 = 1.0 / 32.0;

/// How to look for a way of a robot.
#[derive(Clone, Copy, Debug)]
pub struct JointOptions<'a> {
    /// How long to search.
    pub effort: Effort<'a>,
    /// How many chords are tried to make the way shorter; none leaves it as found.
    pub shorten: u64,
    /// How far apart states are that the search looks at; the way is proven between them all the same.
    pub spacing: f64,
}

impl Default for JointOptions<'_> {
    fn default() -> Self {
        Self { effort: Effort { searches: 1, ..Effort::default() }, shorten: 200, spacing: SPACING }
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
        let Some(mut way) = found.way else { break };
        let chords = Effort { steps: options.shorten, ..effort };
        steps += shorten(searched, &mut way, &chords);
        if let Some(way) = space.proven(&way, &effort, &mut memory, &mut steps) {
            let cost = way.windows(2).map(|pair| distance(&pair[0], &pair[1])).sum();
            let configurations = way.iter().map(|state| space.values(state)).collect();
            return Ok(JointOutcome { way: Some(JointWay { configurations, cost }), steps });
        }
    }
    Ok(JointOutcome { way: None, steps })
}

/// How often a way is searched for anew where its proof fails, and how often by samples.
const ROUNDS: u64 = 12;
const SAMPLED_ROUNDS: u64 = 8;

impl<'c> JointSpace<'c> {
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
            if self.prove_edge(&pair[0], &pair[1], memory).is_free() {
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
                if !self.prove_edge(&pair[0], &pair[1], memory).is_free() {
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
