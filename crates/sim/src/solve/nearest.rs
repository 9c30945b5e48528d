//! The nearest allowed velocities in the mass metric, without friction.
#![allow(clippy::neg_cmp_op_on_partial_ord, reason = "what is no number must not pass")]

use super::constraint::{Constraint, MassState, Twist};
use super::least_squares::{dot, least_squares, orthogonal};
use glam::{DMat3, DVec3};

/// Result of [`nearest_twist`].
#[derive(Clone, Debug, PartialEq)]
pub struct NearestTwist {
    /// The nearest allowed velocities.
    pub twists: Vec<Twist>,
    /// The impulse along the normal of each constraint.
    pub impulses: Vec<f64>,
    /// By how much the conditions of Karush, Kuhn and Tucker are missed, as a share of the speeds involved.
    pub residual: f64,
}

/// Computes the velocities nearest to the desired ones in the mass metric that satisfy all constraints.
/// Without friction: `min ½ (v − w)ᵀ M (v − w)` with `J v ≥ least`. An active-set method: least-distance
/// programming by non-negative least squares (Lawson and Hanson 1974, chapter 23). It is exact up to rounding
/// and indifferent to redundant contacts.
///
/// If the constraints contradict each other, those that require more than rest are relaxed to rest.
pub fn nearest_twist(bodies: &[MassState], constraints: &[Constraint], wanted: &[Twist]) -> NearestTwist {
    let problem = Problem::new(bodies, constraints, wanted);
    if let Some(found) = problem.solve() {
        return found;
    }
    let lenient: Vec<Constraint> = constraints
        .iter()
        .map(|constraint| {
            let held = constraint.given.dot(constraint.normal).min(0.0);
            Constraint { least: constraint.least.min(held), ..*constraint }
        })
        .collect();
    Problem::new(bodies, &lenient, wanted).solve().unwrap_or_else(|| NearestTwist {
        twists: vec![Twist::default(); wanted.len()],
        impulses: vec![0.0; constraints.len()],
        residual: 1.0,
    })
}

/// The same where the constraints can all be kept, and are up to rounding; else `None`.
pub(crate) fn exact_twist(
    bodies: &[MassState],
    constraints: &[Constraint],
    wanted: &[Twist],
) -> Option<NearestTwist> {
    Problem::new(bodies, constraints, wanted).solve().filter(|found| found.residual <= EXACT)
}

/// Maximum residual of the constraints due to rounding.
const EXACT: f64 = 1e-9;

/// In the metric: `v = w + L z` with `M⁻¹ = L Lᵀ`; `min |z|` with `rows · z ≥ goals`.
struct Problem<'a> {
    bodies: &'a [MassState],
    constraints: &'a [Constraint],
    wanted: &'a [Twist],
    roots: Vec<DMat3>,
    /// Unit rows, one after the other, and what they were divided by.
    rows: Vec<f64>,
    lengths: Vec<f64>,
    goals: Vec<f64>,
    size: usize,
    /// Of speeds.
    scale: f64,
}

/// The lower triangle of a symmetric positive definite matrix's root.
fn cholesky(m: &DMat3) -> DMat3 {
    let root = |x: f64| x.max(0.0).sqrt();
    let over = |x: f64, y: f64| if y > 0.0 { x / y } else { 0.0 };
    let a = root(m.x_axis.x);
    let (b, c) = (over(m.x_axis.y, a), over(m.x_axis.z, a));
    let d = root(m.y_axis.y - b * b);
    let e = over(m.y_axis.z - b * c, d);
    let f = root(m.z_axis.z - c * c - e * e);
    DMat3::from_cols(DVec3::new(a, b, c), DVec3::new(0.0, d, e), DVec3::new(0.0, 0.0, f))
}

impl<'a> Problem<'a> {
    fn new(bodies: &'a [MassState], constraints: &'a [Constraint], wanted: &'a [Twist]) -> Self {
        let roots: Vec<DMat3> = bodies.iter().map(|body| cholesky(&body.inverse_inertia)).collect();
        let size = 6 * bodies.len();
        let mut rows = vec![0.0; size * constraints.len()];
        let (mut lengths, mut goals) = (Vec::new(), Vec::new());
        let mut scale = 0.0f64;
        for (constraint, row) in constraints.iter().zip(rows.chunks_mut(size.max(1))) {
            for (side, sign) in [(0, -1.0), (1, 1.0)] {
                let Some(k) = constraint.bodies[side] else { continue };
                let linear = constraint.normal * (sign * bodies[k].inverse_mass.sqrt());
                let arm = (constraint.points[side] - bodies[k].center).cross(constraint.normal) * sign;
                let angular = roots[k].transpose() * arm;
                for axis in 0..3 {
                    row[6 * k + axis] += linear[axis];
                    row[6 * k + 3 + axis] += angular[axis];
                }
            }
            let length = row.iter().map(|x| x * x).sum::<f64>().sqrt();
            let missing = constraint.least - constraint.relative(bodies, wanted).dot(constraint.normal);
            if length > 0.0 {
                row.iter_mut().for_each(|x| *x /= length);
            }
            lengths.push(length);
            let goal = if length > 0.0 { missing / length } else { f64::NEG_INFINITY };
            scale = scale.max(goal);
            goals.push(goal);
        }
        Self { bodies, constraints, wanted, roots, rows, lengths, goals, size, scale }
    }

    fn row(&self, number: usize) -> &[f64] {
        &self.rows[number * self.size..][..self.size]
    }

    fn solve(&self) -> Option<NearestTwist> {
        if self.size == 0 || !(self.scale > 0.0) {
            let (twists, impulses) = (self.wanted.to_vec(), vec![0.0; self.constraints.len()]);
            return Some(NearestTwist { twists, impulses, residual: 0.0 });
        }
        let active = self.active()?;
        let (z, multipliers) = self.least_norm(&active)?;
        let mut impulses = vec![0.0; self.constraints.len()];
        for (&number, &multiplier) in active.iter().zip(&multipliers) {
            impulses[number] = multiplier.max(0.0) / self.lengths[number];
        }
        let missed = |number: usize| self.goals[number] - dot(self.row(number), &z);
        let worst = (0..self.constraints.len()).map(missed).fold(0.0, f64::max);
        let pulling = multipliers.iter().fold(0.0, |most: f64, &x| most.max(-x));
        let twists = (0..self.bodies.len()).map(|k| {
            let [linear, angular] = [0, 3].map(|from| DVec3::from_slice(&z[6 * k + from..][..3]));
            Twist {
                linear: self.wanted[k].linear + linear * self.bodies[k].inverse_mass.sqrt(),
                angular: self.wanted[k].angular + self.roots[k] * angular,
            }
        });
        Some(NearestTwist { twists: twists.collect(), impulses, residual: worst.max(pulling) / self.scale })
    }

    /// The constraints that hold the solution back: the passive set of the non-negative least-squares problem.
    fn active(&self) -> Option<Vec<usize>> {
        let (n, count) = (self.size, self.constraints.len());
        let column = |number: usize, k: usize| {
            if k < n { self.rows[number * n + k] } else { self.goals[number] / self.scale }
        };
        let usable: Vec<bool> = self.goals.iter().map(|goal| goal.is_finite()).collect();
        let (mut passive, mut u): (Vec<usize>, Vec<f64>) = (Vec::new(), Vec::new());
        let mut residual = vec![0.0; n + 1];
        residual[n] = 1.0;
        let mut refused = vec![false; count];
        for _ in 0..(3 * n + 60).max(count.min(400)) {
            let gain = |number: usize| (0..=n).map(|k| column(number, k) * residual[k]).sum::<f64>();
            let open = (0..count).filter(|&k| usable[k] && !refused[k] && !passive.contains(&k));
            let best = open.map(|k| (gain(k), k)).max_by(|x, y| x.0.total_cmp(&y.0).then(y.1.cmp(&x.1)));
            let Some((_, next)) = best.filter(|&(gain, _)| gain > 1e-13) else { break };
            passive.push(next);
            u.push(0.0);
            loop {
                let Some(trial) = least_squares(n + 1, &passive, &column) else {
                    // The newcomer adds nothing to the others.
                    refused[next] = true;
                    if let Some(place) = passive.iter().position(|&k| k == next) {
                        passive.remove(place);
                        u.remove(place);
                    }
                    break;
                };
                if trial.iter().all(|&x| x > 0.0) {
                    u = trial;
                    break;
                }
                let steps = (0..u.len()).filter(|&k| trial[k] <= 0.0).map(|k| u[k] / (u[k] - trial[k]));
                let step = steps.fold(1.0, f64::min);
                for k in 0..u.len() {
                    u[k] += step * (trial[k] - u[k]);
                }
                let mut kept = 0;
                for k in 0..u.len() {
                    if u[k] > 1e-15 {
                        (passive[kept], u[kept]) = (passive[k], u[k]);
                        kept += 1;
                    }
                }
                if kept == u.len() {
                    // No progress is possible within rounding.
                    refused[next] = true;
                    kept -= 1;
                }
                passive.truncate(kept);
                u.truncate(kept);
                if passive.is_empty() {
                    break;
                }
            }
            residual.fill(0.0);
            residual[n] = 1.0;
            for (&number, &x) in passive.iter().zip(&u) {
                for (k, r) in residual.iter_mut().enumerate() {
                    *r -= column(number, k) * x;
                }
            }
        }
        // No residual: the constraints contradict each other.
        (residual[n] > 1e-12).then_some(passive)
    }

    /// The shortest `z` for which the active constraints hold exactly, and their multipliers.
    fn least_norm(&self, active: &[usize]) -> Option<(Vec<f64>, Vec<f64>)> {
        let columns: Vec<Vec<f64>> = active.iter().map(|&number| self.row(number).to_vec()).collect();
        let Some((q, r)) = orthogonal(&columns) else {
            // A constraint that says the same as others bears nothing.
            let without = (0..active.len()).find(|&k| orthogonal(&columns[..=k]).is_none())?;
            let mut fewer = active.to_vec();
            fewer.remove(without);
            let (z, mut multipliers) = self.least_norm(&fewer)?;
            multipliers.insert(without, 0.0);
            return Some((z, multipliers));
        };
        let m = active.len();
        // z = Q y with Rᵀ y = goals; multipliers R x = y.
        let mut y = vec![0.0; m];
        for i in 0..m {
            let sum: f64 = (0..i).map(|k| r[i][k] * y[k]).sum();
            y[i] = (self.goals[active[i]] - sum) / r[i][i];
        }
        let mut z = vec![0.0; self.size];
        for (q, y) in q.iter().zip(&y) {
            z.iter_mut().zip(q).for_each(|(z, q)| *z += q * y);
        }
        let mut x = vec![0.0; m];
        for i in (0..m).rev() {
            let sum: f64 = (i + 1..m).map(|k| r[k][i] * x[k]).sum();
            x[i] = (y[i] - sum) / r[i][i];
        }
        Some((z, x))
    }
}
