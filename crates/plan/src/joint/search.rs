//! The search of a path: by samples with ever smaller spacing, then by proven edges only.

use super::{CHORD_SPACING, JointMemory, JointSpace, SPACING, WORTH, distance};
use crate::connect::{Effort, Query, connect};
use crate::shorten::{shorten, shorten_by};
use crate::space::{Edge, Space};
use crate::upright::AxisConstraint;
use noli_robot::ConfigurationError;
use noli_robot::cell::{Cell, EdgeError, StateStatus};

/// Options of motion planning for a robot.
#[derive(Clone, Copy, Debug)]
pub struct JointOptions<'a> {
    /// Limits of the search.
    pub effort: Effort<'a>,
    /// Number of chords tried to shorten the path, in rounds of 50; 0 leaves it as found.
    pub shorten: u64,
    /// Distance between the states tested by the search; the path is proven between them in any case.
    pub spacing: f64,
    /// Constraints that hold at every moment of the path, by proof.
    pub constraints: &'a [AxisConstraint],
}

impl Default for JointOptions<'_> {
    fn default() -> Self {
        Self {
            effort: Effort { searches: 1, ..Effort::default() },
            shorten: CHORDS,
            spacing: SPACING,
            constraints: &[],
        }
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
    /// An end at which a constraint does not hold.
    #[error("the {end} breaks a constraint: its tool is {:.2}° off, at most {:.2}° are allowed",
        found.to_degrees(), limit.to_degrees())]
    Constraint {
        /// `start` or `goal`.
        end: &'static str,
        /// The angle there, in radians.
        found: f64,
        /// The largest angle, in radians.
        limit: f64,
    },
    /// No goal was given.
    #[error("no goal; give at least one configuration")]
    NoGoal,
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
    plan_to_goals(cell, from, &[to.to_vec()], moving, options)
}

/// Finds a path to one of several configurations, moving the variables named by number. Goals in collision, and those that
/// break a constraint, are left out; it is an error if none is left.
pub fn plan_to_goals(
    cell: &Cell,
    from: &[f64],
    goals: &[Vec<f64>],
    moving: &[usize],
    options: &JointOptions<'_>,
) -> Result<JointOutcome, JointPlanError> {
    let mut space = JointSpace::new(cell, from, moving)?.constrained(options.constraints);
    for goal in goals {
        cell.check_values(goal)?;
        for (range, &number) in space.ranges.iter_mut().zip(moving) {
            *range = [range[0].min(goal[number]), range[1].max(goal[number])];
        }
    }
    let mut memory = space.memory();
    space.check_end("start", from, &mut memory)?;
    let (mut free, mut reason) = (Vec::new(), None);
    for goal in goals {
        match space.check_end("goal", goal, &mut memory) {
            Ok(()) => free.push(space.state(goal)),
            Err(error) => reason = reason.or(Some(error)),
        }
    }
    if free.is_empty() {
        return Err(reason.unwrap_or(JointPlanError::NoGoal));
    }
    let roots = [Roots::new(vec![space.state(from)]), Roots::new(free)];
    Ok(space.search(roots, options, &mut memory))
}

fn length(path: &[Vec<f64>]) -> f64 {
    path.windows(2).map(|pair| distance(&pair[0], &pair[1])).sum()
}

/// Chords that are tried in a round.
const CHORDS: u64 = 50;
/// Number of repeated searches where the proof of a path fails, and number of those by samples. Each has half the spacing
/// of the one before: thin obstacles are missed by the first.
const ROUNDS: u64 = 8;
const SAMPLED_ROUNDS: u64 = 4;
/// Number of states that a search starts from, at each end.
const MOST_ROOTS: usize = 32;

/// States that are joined to an end by proven edges.
struct Roots {
    states: Vec<Vec<f64>>,
    /// The next state towards the end; its own number for the end itself.
    next: Vec<usize>,
}

impl Roots {
    fn new(ends: Vec<Vec<f64>>) -> Self {
        Self { next: (0..ends.len()).collect(), states: ends }
    }

    /// The states after one, up to the end.
    fn to_end(&self, state: &[f64]) -> Vec<Vec<f64>> {
        let Some(mut at) = self.states.iter().position(|root| root == state) else { return Vec::new() };
        let mut path = Vec::new();
        while self.next[at] != at {
            at = self.next[at];
            path.push(self.states[at].clone());
        }
        path
    }

    /// Adds the states of a path that begins at an end, as far as its edges are proven.
    fn add<'c>(&mut self, space: &JointSpace<'c>, path: &[Vec<f64>], memory: &mut JointMemory<'c>) {
        let Some(mut at) = path.first().and_then(|end| self.states.iter().position(|root| root == end))
        else {
            return;
        };
        for pair in path.windows(2).take(MOST_ROOTS.saturating_sub(self.states.len())) {
            memory.steps += 1;
            let (state, whole) = match space.prove(&pair[0], &pair[1], memory) {
                Edge::Free => (pair[1].clone(), true),
                Edge::Until { share, .. } if share > 0.01 => {
                    (space.between(&pair[0], &pair[1], 0.99 * share), false)
                }
                Edge::Until { .. } => break,
            };
            self.next.push(at);
            at = self.states.len();
            self.states.push(state);
            if !whole {
                break;
            }
        }
    }
}

impl<'c> JointSpace<'c> {
    /// Refuses an end that is in collision or breaks a constraint.
    fn check_end(
        &self,
        end: &'static str,
        values: &[f64],
        memory: &mut JointMemory<'c>,
    ) -> Result<(), JointPlanError> {
        let cell = self.cell;
        if let StateStatus::Hit(pair) | StateStatus::Unknown(pair) = memory.checker.check_state(values)? {
            return Err(JointPlanError::NotFree { end, pair: cell.pair_names(pair).map(str::to_owned) });
        }
        for constraint in &self.constraints {
            let (found, limit) = (constraint.deviation(cell, values), constraint.angle);
            if found > limit {
                return Err(JointPlanError::Constraint { end, found, limit });
            }
        }
        Ok(())
    }

    /// Searches in rounds until a path is proven.
    fn search(
        &self,
        mut roots: [Roots; 2],
        options: &JointOptions<'_>,
        memory: &mut JointMemory<'c>,
    ) -> JointOutcome {
        let effort = options.effort;
        for round in 0..ROUNDS {
            if (effort.stop)() || memory.steps >= effort.steps {
                break;
            }
            // The last rounds leave nothing to samples.
            let proven = round >= SAMPLED_ROUNDS;
            let spacing = options.spacing * 0.5f64.powi(round as i32);
            let seed = effort.seed.wrapping_add(0x9E37 * round);
            let effort = Effort { seed, steps: effort.steps - memory.steps, ..effort };
            let query = Query { starts: &roots[0].states, goals: &roots[1].states };
            let [searched, chords] = match proven {
                true => [self.clone(), self.clone()],
                false => [self.sampled(spacing), self.sampled(spacing.min(CHORD_SPACING))],
            };
            let found = connect(&searched, &query, &effort);
            memory.steps += found.steps;
            let Some(found) = found.path.filter(|path| path.len() > 1) else { break };
            let mut path = roots[0].to_end(&found[0]);
            path.reverse();
            let after = roots[1].to_end(&found[found.len() - 1]);
            path.extend(found.into_iter().chain(after));
            let rounds = options.shorten.div_ceil(CHORDS);
            let shorter = self.shortened(&chords, path.clone(), rounds, &effort, memory);
            if let Some(path) = shorter {
                let configurations = path.iter().map(|state| self.values(state)).collect();
                let path = Some(JointPath { configurations, cost: length(&path) });
                return JointOutcome { path, steps: memory.steps };
            }
            roots[0].add(self, &path, memory);
            path.reverse();
            roots[1].add(self, &path, memory);
        }
        JointOutcome { path: None, steps: memory.steps }
    }

    /// Returns a proven path after so many rounds of shortening, with the collision tests of another space. It is
    /// the shortest of all rounds, so that more of them are never worse. A stopped round does not count.
    fn shortened(
        &self,
        by: &Self,
        found: Vec<Vec<f64>>,
        rounds: u64,
        effort: &Effort<'_>,
        memory: &mut JointMemory<'c>,
    ) -> Option<Vec<Vec<f64>>> {
        let mut best: Option<Vec<Vec<f64>>> = None;
        for round in 0..rounds {
            let mut path = best.clone().unwrap_or_else(|| found.clone());
            let seed = effort.seed.wrapping_add(0x51 * round);
            memory.steps += shorten_by(by, &mut path, &Effort { steps: CHORDS, seed, ..*effort }, WORTH);
            if (effort.stop)() {
                break;
            }
            let longest = best.as_deref().map_or(f64::INFINITY, length);
            best = self.proven(&path, effort, memory).filter(|path| length(path) < longest).or(best);
            if best.as_deref().is_none_or(|path| length(path) > length(&found)) {
                break;
            }
        }
        if best.as_deref().is_some_and(|path| length(path) <= length(&found)) {
            return best;
        }
        // As it was found it may be provable, or shorter than after a detour around what samples missed.
        let plain = self.proven(&found, effort, memory);
        [best, plain].into_iter().flatten().min_by(|a, b| length(a).total_cmp(&length(b)))
    }

    /// Returns the path with every segment proven; colliding ones are searched again, around the blocked states.
    fn proven(
        &self,
        path: &[Vec<f64>],
        effort: &Effort<'_>,
        memory: &mut JointMemory<'c>,
    ) -> Option<Vec<Vec<f64>>> {
        const REPAIR: u64 = 60;
        let mut out = vec![path[0].clone()];
        for pair in path.windows(2) {
            memory.steps += 1;
            if self.is_proven_edge(&pair[0], &pair[1], memory) {
                out.push(pair[1].clone());
                continue;
            }
            let query = Query { starts: &pair[..1], goals: &pair[1..] };
            let around = connect(self, &query, &Effort { steps: REPAIR, searches: 1, ..*effort });
            memory.steps += around.steps;
            let mut around = around.path?;
            memory.steps += shorten(self, &mut around, &Effort { steps: REPAIR, ..*effort });
            // Edges of the trees were proven in pieces; as wholes they are proven here.
            for pair in around.windows(2) {
                memory.steps += 1;
                if !self.is_proven_edge(&pair[0], &pair[1], memory) {
                    return None;
                }
                out.push(pair[1].clone());
            }
        }
        Some(out)
    }
}
