//! Damped least squares for any chain.
//!
//! Levenberg (1944) and Marquardt (1963) with the damping of Sugihara (2011): half the squared error, so that
//! far away and near singularities steps stay small and near the solution they become Newton's. Variables at
//! a limit that a step would push beyond it are held for that step. Seven axes and more use the freedom left
//! over to stay near a preferred configuration.

use super::{ChainOf, IkError, Residual, Work, beyond_limits, difference, within_limits};
use crate::kinematics::Column;
use crate::tree::{JointAxisKind, Robot};
use noli_geom::Pose;
use noli_geom::random::SplitMix64;
use std::f64::consts::TAU;

/// Preferred solution of a redundant chain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Redundancy {
    /// Near the configuration the search starts from.
    #[default]
    Start,
    /// Near the middle of the limits.
    Middle,
}

/// Options of the search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IkOptions {
    /// From how many configurations, the given one first.
    pub starts: usize,
    /// Number of steps from each.
    pub steps: usize,
    /// Largest error accepted: radians, and the same share of the chain's length.
    pub tolerance: f64,
    /// Preferred solution where there are infinitely many.
    pub prefer: Redundancy,
    /// Seed of the other starts; equal seeds give equal starts.
    pub seed: u64,
}

impl Default for IkOptions {
    fn default() -> Self {
        Self { starts: 64, steps: 100, tolerance: 1e-11, prefer: Redundancy::Start, seed: 1 }
    }
}

/// A configuration that puts a link at a pose.
#[derive(Clone, Debug, PartialEq)]
pub struct IkSolution {
    /// All variables; those that do not move the link as they were.
    pub values: Vec<f64>,
    /// Its residual.
    pub residual: Residual,
    /// Number of starts used.
    pub starts: usize,
}

/// Searches from `start` for a configuration within the limits that puts `tip` at a pose in the frame of the
/// root.
///
/// ```
/// use noli_robot::{IkOptions, PumaSet, puma560, solve_ik};
/// let robot = puma560(PumaSet::Eaik);
/// let mut poses = vec![noli_geom::Pose::IDENTITY; 7];
/// robot.link_poses(&[0.3, -0.5, 0.8, 0.1, 0.6, -0.2], &mut poses);
/// let found = solve_ik(&robot, 6, &poses[6], &[0.0; 6], &IkOptions::default())?;
/// assert!(found.residual.position < 1e-10 && found.residual.angle < 1e-10);
/// # Ok::<(), noli_robot::IkError>(())
/// ```
pub fn solve_ik(
    robot: &Robot,
    tip: usize,
    root_from_tip: &Pose,
    start: &[f64],
    options: &IkOptions,
) -> Result<IkSolution, IkError> {
    if !root_from_tip.is_valid() || robot.check_values(start).is_err() {
        return Err(IkError::NotFinite);
    }
    let chain = ChainOf::new(robot, tip)?;
    let mut search = Search { robot, target: *root_from_tip, options, work: Work::new(robot), chain };
    let middle = search.middle(start);
    let preferred = match options.prefer {
        Redundancy::Start => start.to_vec(),
        Redundancy::Middle => middle.clone(),
    };
    let mut random = SplitMix64::new(options.seed);
    let mut best: Option<(Residual, bool)> = None;
    for round in 0..options.starts.max(1) {
        let mut values = match round {
            0 => search.clamped(start),
            1 => middle.clone(),
            _ => search.random(start, &mut random),
        };
        search.descend(&mut values);
        let residual = search.residual(&values);
        if !search.good(&residual) {
            let better = best.is_none_or(|(old, _)| search.cost(&residual) < search.cost(&old));
            if better {
                best = Some((residual, search.at_limit(&values)));
            }
            continue;
        }
        search.unwind(&mut values, start);
        search.use_freedom(&mut values, &preferred);
        search.unwind(&mut values, start);
        if beyond_limits(robot, &values, &search.moved()).is_none() {
            let residual = search.residual(&values);
            return Ok(IkSolution { values, residual, starts: round + 1 });
        }
    }
    let none = Residual { position: f64::INFINITY, angle: f64::INFINITY };
    let (Residual { position, angle }, at_limits) = best.unwrap_or((none, true));
    Err(IkError::NotFound { starts: options.starts.max(1), position, angle, at_limits })
}

pub(super) struct Search<'a> {
    pub(super) robot: &'a Robot,
    pub(super) target: Pose,
    pub(super) options: &'a IkOptions,
    pub(super) work: Work,
    pub(super) chain: ChainOf,
}

impl Search<'_> {
    /// Returns the limits that clamp a step. A joint with a range of a full turn has none during the search, only
    /// at the end.
    fn range(&self, variable: usize) -> Option<[f64; 2]> {
        let range = self.robot.variables()[variable].limits.range?;
        let round = self.turns_alone(variable) && range[1] - range[0] >= TAU * (1.0 - 1e-6);
        (!round).then_some(range)
    }

    /// Returns `true` if whole turns of it change nothing.
    fn turns_alone(&self, variable: usize) -> bool {
        let follows = |v: &crate::tree::Variable| v.mimic.is_some_and(|law| law.of == variable);
        self.robot.variables()[variable].movement == JointAxisKind::Turn
            && !self.robot.variables().iter().any(follows)
    }

    /// Free variables and all that follow them.
    pub(super) fn moved(&self) -> Vec<usize> {
        let follows = |number: usize| {
            let law = self.robot.variables()[number].mimic;
            law.is_some_and(|law| self.chain.free.contains(&law.of))
        };
        let all = 0..self.robot.variables().len();
        all.filter(|number| self.chain.free.contains(number) || follows(*number)).collect()
    }

    pub(super) fn clamped(&self, start: &[f64]) -> Vec<f64> {
        let mut values = start.to_vec();
        for &free in &self.chain.free {
            if let Some([lower, upper]) = self.range(free) {
                values[free] = values[free].clamp(lower, upper);
            }
        }
        self.robot.apply_laws(&mut values);
        values
    }

    pub(super) fn middle(&self, start: &[f64]) -> Vec<f64> {
        let mut values = start.to_vec();
        for &free in &self.chain.free {
            values[free] = self.range(free).map_or(0.0, |[lower, upper]| 0.5 * (lower + upper));
        }
        self.robot.apply_laws(&mut values);
        values
    }

    pub(super) fn random(&self, start: &[f64], random: &mut SplitMix64) -> Vec<f64> {
        let mut values = start.to_vec();
        for &free in &self.chain.free {
            let whole = match self.robot.variables()[free].movement {
                JointAxisKind::Turn => std::f64::consts::PI,
                JointAxisKind::Slide => self.chain.size,
            };
            let [lower, upper] = self.range(free).unwrap_or([-whole, whole]);
            values[free] = random.between(lower, upper);
        }
        self.robot.apply_laws(&mut values);
        values
    }

    fn residual(&mut self, values: &[f64]) -> Residual {
        self.robot.link_poses(values, &mut self.work.poses);
        let (path, turn) = difference(&self.work.poses[self.chain.tip], &self.target);
        Residual { position: path.length(), angle: turn.length() }
    }

    pub(super) fn cost(&self, residual: &Residual) -> f64 {
        residual.position.powi(2) + (self.chain.lever() * residual.angle).powi(2)
    }

    fn good(&self, residual: &Residual) -> bool {
        residual.angle <= self.options.tolerance
            && residual.position <= self.options.tolerance * self.chain.size
    }

    fn at_limit(&self, values: &[f64]) -> bool {
        let at = |&free: &usize| {
            self.range(free).is_some_and(|[lower, upper]| values[free] <= lower || values[free] >= upper)
        };
        self.chain.free.iter().any(at)
    }

    /// Steps until the error is as small as numbers allow, or no step makes it smaller.
    pub(super) fn descend(&mut self, values: &mut Vec<f64>) {
        let mut error = self.residual(values);
        let mut stuck = 0;
        for _ in 0..self.options.steps {
            if self.good(&error) && stuck > 0 {
                break;
            }
            let Some(step) = self.step(values) else { break };
            let mut next = values.clone();
            for (&free, change) in self.chain.free.iter().zip(&step) {
                next[free] += change;
                if let Some([lower, upper]) = self.range(free) {
                    next[free] = next[free].clamp(lower, upper);
                }
            }
            self.robot.apply_laws(&mut next);
            let after = self.residual(&next);
            let better = self.cost(&after) < self.cost(&error);
            // Near the end only steps that help are taken; before, a step may lead over a hill.
            if !better && self.good(&error) {
                break;
            }
            stuck = if self.cost(&after) < 0.9 * self.cost(&error) { 0 } else { stuck + 1 };
            if stuck > 8 || !after.position.is_finite() {
                break;
            }
            (*values, error) = (next, after);
        }
    }

    /// One damped step for the free variables.
    fn step(&mut self, values: &[f64]) -> Option<Vec<f64>> {
        self.chain.columns(self.robot, values, &mut self.work);
        let size = self.chain.lever();
        let (path, turn) = difference(&self.work.poses[self.chain.tip], &self.target);
        let wanted = stacked(path.to_array(), (turn * size).to_array());
        let error_sq: f64 = wanted.iter().map(|x| x * x).sum();
        let mut held = vec![false; self.chain.free.len()];
        for _ in 0..=self.chain.free.len() {
            let mut matrix = gram(&self.work.columns, size, |k| !held[k]);
            let trace: f64 = (0..6).map(|i| matrix[i][i]).sum();
            let damping = 0.5 * error_sq * trace / (6.0 * size * size) + 1e-14 * trace;
            (0..6).for_each(|i| matrix[i][i] += damping);
            let y = solved(matrix, wanted)?;
            let step: Vec<f64> = self
                .work
                .columns
                .iter()
                .zip(&held)
                .map(|(column, &held)| if held { 0.0 } else { dot(column, &y, size) })
                .collect();
            let mut again = false;
            for (k, &free) in self.chain.free.iter().enumerate() {
                let Some([lower, upper]) = self.range(free) else { continue };
                let out =
                    (values[free] <= lower && step[k] < 0.0) || (values[free] >= upper && step[k] > 0.0);
                if out && !held[k] {
                    (held[k], again) = (true, true);
                }
            }
            if !again {
                return Some(step);
            }
        }
        None
    }

    /// Takes whole turns off, so that values lie near the start.
    pub(super) fn unwind(&self, values: &mut [f64], start: &[f64]) {
        for &free in &self.chain.free {
            if self.turns_alone(free) {
                let range = self.robot.variables()[free].limits.range;
                values[free] = within_limits(values[free], start[free], range);
            }
        }
        self.robot.apply_laws(values);
    }

    /// Moves along the set of solutions towards a preferred configuration, as far as it helps.
    fn use_freedom(&mut self, values: &mut Vec<f64>, preferred: &[f64]) {
        if self.chain.free.len() <= 6 {
            return;
        }
        let free = self.chain.free.clone();
        let far = |values: &[f64]| free.iter().map(|&f| (values[f] - preferred[f]).powi(2)).sum::<f64>();
        let mut share = 0.5;
        for _ in 0..60 {
            self.chain.columns(self.robot, values, &mut self.work);
            let size = self.chain.lever();
            let want: Vec<f64> = free.iter().map(|&f| preferred[f] - values[f]).collect();
            // What of it the link would feel is taken out.
            let mut felt = [0.0; 6];
            for (column, want) in self.work.columns.iter().zip(&want) {
                let c = scaled(column, size);
                (0..6).for_each(|i| felt[i] += c[i] * want);
            }
            let mut matrix = gram(&self.work.columns, size, |_| true);
            let trace: f64 = (0..6).map(|i| matrix[i][i]).sum();
            (0..6).for_each(|i| matrix[i][i] += 1e-10 * trace);
            let Some(y) = solved(matrix, felt) else { return };
            let mut next = values.clone();
            for ((&f, column), want) in free.iter().zip(&self.work.columns).zip(&want) {
                next[f] += share * (want - dot(column, &y, size));
                if let Some([lower, upper]) = self.range(f) {
                    next[f] = next[f].clamp(lower, upper);
                }
            }
            self.robot.apply_laws(&mut next);
            self.descend(&mut next);
            let residual = self.residual(&next);
            if self.good(&residual) && far(&next) < 0.999 * far(values) {
                *values = next;
            } else {
                share *= 0.5;
                if share < 0.05 {
                    return;
                }
            }
        }
    }
}

fn stacked(a: [f64; 3], b: [f64; 3]) -> [f64; 6] {
    [a[0], a[1], a[2], b[0], b[1], b[2]]
}

fn scaled(column: &Column, size: f64) -> [f64; 6] {
    stacked(column.linear.to_array(), (column.angular * size).to_array())
}

fn dot(column: &Column, y: &[f64; 6], size: f64) -> f64 {
    scaled(column, size).iter().zip(y).map(|(a, b)| a * b).sum()
}

/// `J·Jᵀ` of the columns wanted, angles weighed by a length.
pub(super) fn gram(columns: &[Column], size: f64, wanted: impl Fn(usize) -> bool) -> [[f64; 6]; 6] {
    let mut sum = [[0.0; 6]; 6];
    for (k, column) in columns.iter().enumerate() {
        if wanted(k) {
            let c = scaled(column, size);
            (0..6).for_each(|i| (0..6).for_each(|j| sum[i][j] += c[i] * c[j]));
        }
    }
    sum
}

/// Solves a symmetric positive system (Cholesky); `None` if it is not positive.
pub(super) fn solved(mut m: [[f64; 6]; 6], mut b: [f64; 6]) -> Option<[f64; 6]> {
    for i in 0..6 {
        for j in 0..=i {
            let sum = m[i][j] - (0..j).map(|k| m[i][k] * m[j][k]).sum::<f64>();
            if i == j {
                if sum.is_nan() || sum <= 0.0 {
                    return None;
                }
                m[i][i] = sum.sqrt();
            } else {
                m[i][j] = sum / m[j][j];
            }
        }
    }
    for i in 0..6 {
        b[i] = (b[i] - (0..i).map(|k| m[i][k] * b[k]).sum::<f64>()) / m[i][i];
    }
    for i in (0..6).rev() {
        b[i] = (b[i] - (i + 1..6).map(|k| m[k][i] * b[k]).sum::<f64>()) / m[i][i];
    }
    Some(b)
}

/// Eigenvalues of a symmetric matrix by rotations (Jacobi 1846).
pub(super) fn eigenvalues(mut m: [[f64; 6]; 6]) -> [f64; 6] {
    for _ in 0..30 {
        let off: f64 = (0..6).flat_map(|i| (0..i).map(move |j| (i, j))).map(|(i, j)| m[i][j] * m[i][j]).sum();
        let trace: f64 = (0..6).map(|i| m[i][i].abs()).sum();
        if off <= (1e-16 * trace).powi(2) {
            break;
        }
        for p in 0..6 {
            for q in p + 1..6 {
                if m[p][q] == 0.0 {
                    continue;
                }
                let theta = (m[q][q] - m[p][p]) / (2.0 * m[p][q]);
                let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
                let c = 1.0 / (t * t + 1.0).sqrt();
                let s = t * c;
                for k in 0..6 {
                    let (a, b) = (m[k][p], m[k][q]);
                    (m[k][p], m[k][q]) = (c * a - s * b, s * a + c * b);
                }
                for k in 0..6 {
                    let (a, b) = (m[p][k], m[q][k]);
                    (m[p][k], m[q][k]) = (c * a - s * b, s * a + c * b);
                }
            }
        }
    }
    std::array::from_fn(|i| m[i][i])
}
