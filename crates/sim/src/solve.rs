//! What contact allows: the nearest allowed motion in the mass metric.
#![allow(clippy::neg_cmp_op_on_partial_ord, reason = "what is no number must not pass")]

use glam::{DMat3, DVec2, DVec3, Vec3Swizzles};

/// A velocity or a small displacement of a rigid body: of its centre of mass, and its turn.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Twist {
    /// Of the centre of mass.
    pub linear: DVec3,
    /// About it, in the world.
    pub angular: DVec3,
}

/// What resists: a body that contact may push.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inert {
    /// One over the mass.
    pub inverse_mass: f64,
    /// The inverse of the inertia, in the world.
    pub inverse_inertia: DMat3,
    /// The centre of mass.
    pub center: DVec3,
}

impl Inert {
    pub(crate) fn energy(&self, twist: &Twist) -> f64 {
        let inertia = self.inverse_inertia.inverse();
        0.5 * (twist.linear.length_squared() / self.inverse_mass + twist.angular.dot(inertia * twist.angular))
    }
}

/// A contact as a condition on velocities: along the normal, B must leave A at least at speed `least`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Constraint {
    /// Numbers of A and B among the bodies that may be pushed; `None` for what does not give way.
    pub bodies: [Option<usize>; 2],
    /// Where on A and on B: each is pushed at its own surface, so that the skin between them is no lever.
    pub points: [DVec3; 2],
    /// From A to B.
    pub normal: DVec3,
    /// The least speed of parting; negative where there is room.
    pub least: f64,
    /// Coulomb's coefficient.
    pub friction: f64,
    /// What bodies that do not give way add to the velocity of B against A at the point.
    pub given: DVec3,
}

impl Constraint {
    /// The velocity of B against A at the point.
    pub fn relative(&self, bodies: &[Inert], twists: &[Twist]) -> DVec3 {
        let of = |side: usize| {
            self.bodies[side].map_or(DVec3::ZERO, |k| {
                twists[k].linear + twists[k].angular.cross(self.points[side] - bodies[k].center)
            })
        };
        self.given + of(1) - of(0)
    }
}

/// How often progress is looked at, in sweeps.
const LOOK: u32 = 32;
/// What is left of a change after so many sweeps if there is progress.
const PROGRESS: f64 = 0.9;
/// From so many sweeps on, or from so many tolerances down, what makes no progress is left as it is: conditions that
/// contradict each other by a little have no solution to come nearer to.
const ENOUGH_SWEEPS: u32 = 256;
const NEAR_TOLERANCE: f64 = 1e4;

/// Projected Gauss–Seidel, as published (Moreau and Jean; Catto 2005): contact by contact, the normal impulse never pulls and
/// the tangential one stays within the cone. Between sweeps the impulses go on the way they went, as conjugate gradients
/// would (Silcowitz-Hansen, Niebe and Erleben 2010), for as long as sweeps change less and less. Impulses are changed from
/// what is given, which must have been applied already. Says how far the last sweep still changed a velocity.
pub fn gauss_seidel(
    bodies: &[Inert],
    constraints: &[Constraint],
    twists: &mut [Twist],
    impulses: &mut [DVec3],
    sweeps: u32,
    tolerance: f64,
) -> f64 {
    let pushed = |(number, constraint): (usize, &Constraint)| {
        (constraint.bodies != [None, None]).then(|| (number, Row::new(constraint, bodies)))
    };
    let (numbers, rows): (Vec<usize>, Vec<Row>) = constraints.iter().enumerate().filter_map(pushed).unzip();
    let mut pool = Pool { bodies, twists };
    let mut now: Vec<DVec3> =
        numbers.iter().zip(&rows).map(|(&number, row)| row.axes.transpose() * impulses[number]).collect();
    let (mut before, mut way) = (now.clone(), vec![DVec3::ZERO; now.len()]);
    let (mut change, mut last, mut looked) = (0.0, 0.0, f64::INFINITY);
    for sweep in 1..=sweeps {
        before.copy_from_slice(&now);
        change = 0.0f64;
        for (row, impulse) in rows.iter().zip(&mut now) {
            change = change.max(row.relax(&mut pool, impulse));
        }
        if change <= tolerance || sweep == sweeps {
            break;
        }
        if sweep % LOOK == 0 {
            let stalls = change > PROGRESS * looked;
            if stalls && (change <= NEAR_TOLERANCE * tolerance || sweep >= ENOUGH_SWEEPS) {
                break;
            }
            looked = change;
        }
        let square: f64 = (0..rows.len()).map(|k| rows[k].square(now[k] - before[k])).sum();
        let share = if square <= last { square / last } else { 0.0 };
        last = square;
        for (k, row) in rows.iter().enumerate() {
            let (step, on) = (now[k] - before[k], way[k] * share);
            if share > 0.0 {
                pool.push(row, row.axes * on);
            }
            way[k] = on + step;
            now[k] += on;
        }
    }
    for ((number, row), now) in numbers.into_iter().zip(&rows).zip(now) {
        impulses[number] = row.axes * now;
    }
    change
}

/// The bodies of a problem as they move.
struct Pool<'a> {
    bodies: &'a [Inert],
    twists: &'a mut [Twist],
}

impl Pool<'_> {
    /// The velocity of B against A where a constraint is.
    fn velocity(&self, row: &Row) -> DVec3 {
        let of = |side: usize| {
            row.to[side].map_or(DVec3::ZERO, |k| {
                let twist = &self.twists[k];
                twist.linear + twist.angular.cross(row.arms[side])
            })
        };
        row.given + of(1) - of(0)
    }

    fn push(&mut self, row: &Row, impulse: DVec3) {
        for (side, impulse) in [(0, -impulse), (1, impulse)] {
            let Some(k) = row.to[side] else { continue };
            let (body, twist) = (&self.bodies[k], &mut self.twists[k]);
            twist.linear += impulse * body.inverse_mass;
            twist.angular += body.inverse_inertia * row.arms[side].cross(impulse);
        }
    }
}

/// A constraint with its normal and two directions across.
struct Row {
    to: [Option<usize>; 2],
    arms: [DVec3; 2],
    given: DVec3,
    least: f64,
    friction: f64,
    /// The normal and two directions across it.
    axes: DMat3,
    /// How an impulse changes the velocity, both along the axes.
    gives: DMat3,
}

impl Row {
    fn new(constraint: &Constraint, bodies: &[Inert]) -> Self {
        let (u, v) = constraint.normal.any_orthonormal_pair();
        let axes = DMat3::from_cols(constraint.normal, u, v);
        let (mut arms, mut gives) = ([DVec3::ZERO; 2], DMat3::ZERO);
        for side in 0..2 {
            let Some(body) = constraint.bodies[side].map(|k| &bodies[k]) else { continue };
            let arm = constraint.points[side] - body.center;
            let turns =
                DMat3::from_cols(arm.cross(axes.x_axis), arm.cross(axes.y_axis), arm.cross(axes.z_axis));
            gives += DMat3::IDENTITY * body.inverse_mass + turns.transpose() * body.inverse_inertia * turns;
            arms[side] = arm;
        }
        for k in 0..3 {
            gives.col_mut(k)[k] = gives.col(k)[k].max(f64::MIN_POSITIVE);
        }
        let &Constraint { bodies: to, given, least, friction, .. } = constraint;
        Self { to, arms, given, least, friction, axes, gives }
    }

    /// The length of a change of impulses, as energy.
    fn square(&self, step: DVec3) -> f64 {
        step.dot(self.gives.diagonal() * step)
    }

    /// Do what this constraint asks for; how far that changed a velocity.
    fn relax(&self, pool: &mut Pool<'_>, impulse: &mut DVec3) -> f64 {
        let mut velocity = self.axes.transpose() * pool.velocity(self);
        let (before, gives) = (*impulse, self.gives.diagonal());
        let along = (before.x + (self.least - velocity.x) / gives.x).max(0.0);
        let mut change = (along - before.x).abs() * gives.x;
        let mut across = DVec2::ZERO;
        if self.friction > 0.0 || before.y != 0.0 || before.z != 0.0 {
            velocity += self.gives.x_axis * (along - before.x);
            let give = gives.y.max(gives.z);
            let slipping = DVec2::new(before.y, before.z);
            across = (slipping - velocity.yz() / give).clamp_length_max(self.friction * along);
            change = change.max(across.distance(slipping) * give);
        }
        *impulse = DVec3::new(along, across.x, across.y);
        if change > 0.0 {
            pool.push(self, self.axes * (*impulse - before));
        }
        change
    }
}

/// What [`nearest_twist`] finds.
#[derive(Clone, Debug, PartialEq)]
pub struct NearestTwist {
    /// The nearest allowed velocities.
    pub twists: Vec<Twist>,
    /// The impulse along the normal of each constraint.
    pub impulses: Vec<f64>,
    /// By how much the conditions of Karush, Kuhn and Tucker are missed, as a share of the speeds involved.
    pub residual: f64,
}

/// The velocities nearest to the wanted ones in the mass metric that satisfy all constraints, without friction:
/// `min ½ (v − w)ᵀ M (v − w)` with `J v ≥ least`. An active-set method: least-distance programming by non-negative least
/// squares (Lawson and Hanson 1974, chapter 23), exact up to rounding and indifferent to redundant contacts.
///
/// Where the constraints contradict each other, those that ask for more than standing still are asked for no more.
pub fn nearest_twist(bodies: &[Inert], constraints: &[Constraint], wanted: &[Twist]) -> NearestTwist {
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
    bodies: &[Inert],
    constraints: &[Constraint],
    wanted: &[Twist],
) -> Option<NearestTwist> {
    Problem::new(bodies, constraints, wanted).solve().filter(|found| found.residual <= EXACT)
}

/// What is left of the conditions by rounding, at most.
const EXACT: f64 = 1e-9;

/// In the metric: `v = w + L z` with `M⁻¹ = L Lᵀ`; `min |z|` with `rows · z ≥ goals`.
struct Problem<'a> {
    bodies: &'a [Inert],
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
    fn new(bodies: &'a [Inert], constraints: &'a [Constraint], wanted: &'a [Twist]) -> Self {
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

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

/// Unit vectors that span the columns, and what each column is of them (`r[i][k]`: of column `i`, along vector `k`);
/// `None` where a column depends on those before.
#[expect(clippy::type_complexity, reason = "two lists of vectors")]
fn orthogonal(columns: &[Vec<f64>]) -> Option<(Vec<Vec<f64>>, Vec<Vec<f64>>)> {
    let (mut q, mut r): (Vec<Vec<f64>>, Vec<Vec<f64>>) = (Vec::new(), Vec::new());
    for column in columns {
        let length = dot(column, column).sqrt();
        let (mut rest, mut along) = (column.clone(), vec![0.0; columns.len()]);
        // Twice is enough (Kahan).
        for _ in 0..2 {
            for (k, unit) in q.iter().enumerate() {
                let part = dot(&rest, unit);
                along[k] += part;
                rest.iter_mut().zip(unit).for_each(|(x, u)| *x -= u * part);
            }
        }
        let left = dot(&rest, &rest).sqrt();
        if !(left > 1e-10 * length) {
            return None;
        }
        along[q.len()] = left;
        rest.iter_mut().for_each(|x| *x /= left);
        q.push(rest);
        r.push(along);
    }
    Some((q, r))
}

/// The combination of columns nearest to the last unit vector.
fn least_squares(size: usize, passive: &[usize], column: &impl Fn(usize, usize) -> f64) -> Option<Vec<f64>> {
    let columns: Vec<Vec<f64>> =
        passive.iter().map(|&number| (0..size).map(|k| column(number, k)).collect()).collect();
    let (q, r) = orthogonal(&columns)?;
    let m = passive.len();
    let mut x = vec![0.0; m];
    for i in (0..m).rev() {
        let sum: f64 = (i + 1..m).map(|k| r[k][i] * x[k]).sum();
        x[i] = (q[i][size - 1] - sum) / r[i][i];
    }
    Some(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit_body() -> Inert {
        Inert { inverse_mass: 1.0, inverse_inertia: DMat3::IDENTITY, center: DVec3::ZERO }
    }

    fn floor(point: DVec3) -> Constraint {
        let (normal, points) = (DVec3::Z, [point; 2]);
        Constraint { bodies: [None, Some(0)], points, normal, least: 0.0, friction: 0.0, given: DVec3::ZERO }
    }

    #[test]
    fn a_body_on_four_points_keeps_the_tangential_part_of_what_is_wanted() {
        let corners = [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)];
        let constraints = corners.map(|(x, y)| floor(DVec3::new(x, y, -0.5)));
        let wanted = Twist { linear: DVec3::new(1.0, 2.0, -3.0), angular: DVec3::Z };
        let found = nearest_twist(&[unit_body()], &constraints, &[wanted]);
        assert!(found.residual < 1e-14, "{found:?}");
        assert!(found.twists[0].linear.abs_diff_eq(DVec3::new(1.0, 2.0, 0.0), 1e-14));
        assert!(found.twists[0].angular.abs_diff_eq(DVec3::Z, 1e-14));
        let sum: f64 = found.impulses.iter().sum();
        assert!((sum - 3.0).abs() < 1e-13);
    }

    /// Both methods minimise the same convex function.
    #[test]
    fn active_set_and_gauss_seidel_agree() {
        let mut state = 7u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1u64 << 53) as f64 * 2.0 - 1.0
        };
        for round in 0..200 {
            let count = 1 + round % 3;
            let bodies: Vec<Inert> = (0..count)
                .map(|k| Inert {
                    inverse_mass: 0.5 + random().abs(),
                    inverse_inertia: DMat3::from_diagonal(DVec3::new(1.0, 2.0, 0.7)),
                    center: DVec3::X * k as f64,
                })
                .collect();
            let constraints: Vec<Constraint> = (0..4 + round % 9)
                .map(|k| {
                    let mut vector = || DVec3::new(random(), random(), random());
                    let (point, normal) = (vector(), (vector() + DVec3::Z * 1.5).normalize());
                    let below = if k % 3 == 0 && count > 1 { Some((k + 1) % count) } else { None };
                    let bodies = [below.filter(|&b| b != k % count), Some(k % count)];
                    let points = [point; 2];
                    Constraint { bodies, points, normal, least: -0.1, friction: 0.0, given: DVec3::ZERO }
                })
                .collect();
            let wanted: Vec<Twist> = (0..count)
                .map(|_| Twist {
                    linear: DVec3::new(random(), random(), random() - 1.0),
                    angular: DVec3::new(random(), random(), random()),
                })
                .collect();
            let found = nearest_twist(&bodies, &constraints, &wanted);
            let (mut twists, mut impulses) = (wanted.clone(), vec![DVec3::ZERO; constraints.len()]);
            let left = gauss_seidel(&bodies, &constraints, &mut twists, &mut impulses, 200_000, 1e-13);
            assert!(found.residual < 1e-9, "{round}: {found:?}");
            if left < 1e-12 {
                for (x, y) in found.twists.iter().zip(&twists) {
                    assert!(x.linear.abs_diff_eq(y.linear, 1e-8), "{round}: {x:?} {y:?}");
                    assert!(x.angular.abs_diff_eq(y.angular, 1e-8), "{round}: {x:?} {y:?}");
                }
            }
        }
    }

    #[test]
    fn contradiction_is_standing_still_not_a_hang() {
        let squeezed = [
            Constraint { least: 1.0, ..floor(DVec3::ZERO) },
            Constraint { least: 1.0, normal: DVec3::NEG_Z, ..floor(DVec3::ZERO) },
        ];
        let wanted = Twist { linear: DVec3::new(1.0, 0.0, -1.0), angular: DVec3::ZERO };
        let found = nearest_twist(&[unit_body()], &squeezed, &[wanted]);
        assert!(found.twists[0].linear.abs_diff_eq(DVec3::X, 1e-12), "{found:?}");
    }
}
