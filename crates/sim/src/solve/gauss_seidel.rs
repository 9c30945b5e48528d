//! Impulses with friction, by sweeps over contacts.

use super::constraint::{Constraint, MassState, Twist};
use glam::{DMat3, DVec2, DVec3, Vec3Swizzles};

/// Interval of progress tests, in sweeps.
const LOOK: u32 = 32;
/// Largest remaining share of a change after that interval that counts as progress.
const PROGRESS: f64 = 0.9;
/// From so many sweeps on, or from so many tolerances down, what makes no progress is left as it is: conditions that
/// contradict each other by a little have no solution to come nearer to.
const ENOUGH_SWEEPS: u32 = 256;
const NEAR_TOLERANCE: f64 = 1e4;

/// When sweeps end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sweeps {
    /// Number of sweeps at most.
    pub most: u32,
    /// Largest velocity change of a sweep that needs no other.
    pub tolerance: f64,
}

/// Projected Gauss–Seidel, as published (Moreau and Jean; Catto 2005): contact by contact, the normal impulse
/// never pulls and the tangential one stays within the cone. Between sweeps the impulses continue in their
/// last direction, as with conjugate gradients (Silcowitz-Hansen, Niebe and Erleben 2010), while the changes
/// decrease. The given impulses are the start and must have been applied already. Returns the largest
/// velocity change of the last sweep.
pub fn gauss_seidel(
    bodies: &[MassState],
    constraints: &[Constraint],
    twists: &mut [Twist],
    impulses: &mut [DVec3],
    until: Sweeps,
) -> f64 {
    let Sweeps { most: sweeps, tolerance } = until;
    let pushed = |(number, constraint): (usize, &Constraint)| {
        (constraint.bodies != [None, None]).then(|| (number, Row::new(constraint, bodies)))
    };
    let (numbers, rows): (Vec<usize>, Vec<Row>) = constraints.iter().enumerate().filter_map(pushed).unzip();
    let mut pool = Pool { bodies, twists };
    let mut now: Vec<DVec3> =
        numbers.iter().zip(&rows).map(|(&number, row)| row.axes.transpose() * impulses[number]).collect();
    let (mut before, mut path) = (now.clone(), vec![DVec3::ZERO; now.len()]);
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
            let (step, on) = (now[k] - before[k], path[k] * share);
            if share > 0.0 {
                pool.push(row, row.axes * on);
            }
            path[k] = on + step;
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
    bodies: &'a [MassState],
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
    /// Change of velocity by an impulse, both along the axes.
    gives: DMat3,
}

impl Row {
    fn new(constraint: &Constraint, bodies: &[MassState]) -> Self {
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

    /// Enforces this constraint and returns the change of velocity.
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
