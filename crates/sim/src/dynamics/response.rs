//! Contact response: impulses, and forces for the rest of a step.
#![allow(clippy::neg_cmp_op_on_partial_ord, reason = "what is no number must not pass")]

use super::bodies::{ContactForce, ImpactLaw};
use super::run::{Found, MOST_EVENTS, Segment, StepRun};
use crate::flight::{Flight, FlightState};
use crate::mass::MassProperties;
use crate::solve::{Constraint, MassState, NearestTwist, Sweeps, Twist, exact_twist, gauss_seidel};
use glam::{DMat3, DVec3};
use noli::Convex;
use noli::answer::Feature;
use noli::contacts::ContactId;
use noli::world::BodyId;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// Accuracy of impulses, as a share of the speeds involved.
const ACCURACY: f64 = 1e-10;
/// An approach in a step that impulses do not turn round, as a share of the skin.
const NEGLIGIBLE: f64 = 1e-3;
/// Into how many parts a step is divided at most for what turns fast in contact.
const MOST_PARTS: f64 = 16.0;
/// Contacts and bodies at most that are solved to rounding: beyond, sweeps are quicker.
const MOST_EXACT: usize = 400;
const MOST_EXACT_BODIES: usize = 24;

/// Bodies and contacts that respond together.
pub(super) struct Response {
    ids: Vec<BodyId>,
    states: Vec<FlightState>,
    masses: Vec<MassProperties>,
    inerts: Vec<MassState>,
    twists: Vec<Twist>,
    constraints: Vec<Constraint>,
    /// The pair, restitution, clearance and skin of each constraint, and its id.
    of: Vec<Of>,
}

#[derive(Clone, Copy)]
struct Of {
    found: usize,
    restitution: f64,
    clearance: f64,
    skin: f64,
    rest: f64,
    id: ContactId,
    /// The points of the cores of round bodies, which move with them.
    cores: [DVec3; 2],
}

impl Response {
    pub(super) fn new(run: &StepRun<'_>, island: &BTreeSet<BodyId>, found: &[Found], t: f64) -> Self {
        let ids: Vec<BodyId> = island.iter().copied().collect();
        let place: HashMap<BodyId, usize> = ids.iter().enumerate().map(|(n, &k)| (k, n)).collect();
        let states: Vec<FlightState> = ids.iter().map(|&k| run.state(k, t)).collect();
        let masses: Vec<MassProperties> = ids.iter().filter_map(|&k| run.sim.at(k).mass().copied()).collect();
        let inert = |(state, mass): (&FlightState, &MassProperties)| {
            let turn = DMat3::from_quat(state.rotation.normalize());
            MassState {
                inverse_mass: 1.0 / mass.mass,
                inverse_inertia: turn * mass.inertia.inverse() * turn.transpose(),
                center: state.center,
            }
        };
        let inerts = states.iter().zip(&masses).map(inert).collect();
        let twists =
            states.iter().map(|state| Twist { linear: state.velocity, angular: state.spin }).collect();
        let (mut constraints, mut of) = (Vec::new(), Vec::new());
        for (number, found) in found.iter().enumerate() {
            let [a, b] = found.pair;
            let material = run.sim.at(a).material.between(&run.sim.at(b).material);
            for contact in &found.contacts {
                let points = [contact.on_a.point, contact.on_b.point];
                let given = run.given_velocity(b, points[1], t) - run.given_velocity(a, points[0], t);
                constraints.push(Constraint {
                    bodies: [a, b].map(|k| place.get(&k).copied()),
                    points,
                    normal: contact.normal,
                    least: 0.0,
                    friction: material.friction,
                    given,
                });
                let round = |k: BodyId| run.sim.world[k].model().convex().map_or(0.0, Convex::radius);
                let cores = [points[0] - contact.normal * round(a), points[1] + contact.normal * round(b)];
                of.push(Of {
                    found: number,
                    cores,
                    restitution: material.restitution,
                    clearance: contact.clearance,
                    skin: found.skin,
                    rest: run.sim.rest_speed(found.skin),
                    id: contact.id(),
                });
            }
        }
        Self { ids, states, masses, inerts, twists, constraints, of }
    }

    fn speed(&self, number: usize, twists: &[Twist]) -> f64 {
        let constraint = &self.constraints[number];
        constraint.relative(&self.inerts, twists).dot(constraint.normal)
    }

    /// The acceleration of B against A at a contact by their turning alone: without it a body that tips over a vertex would
    /// sink by it. Also how much of such acceleration there may be, in all.
    fn bend(&self, number: usize, twists: &[Twist]) -> (DVec3, f64) {
        let (constraint, of) = (&self.constraints[number], &self.of[number]);
        let (slip, normal) = (constraint.relative(&self.inerts, twists), constraint.normal);
        let (mut bend, mut most) = (DVec3::ZERO, 0.0);
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            let (Some(k), (_, Some(feature))) = (constraint.bodies[side], of.id.of[side]) else { continue };
            let (spin, arm) = (twists[k].angular, of.cores[side] - self.inerts[k].center);
            bend += spin.cross(spin.cross(arm)) * sign;
            if matches!(feature, Feature::Face(_)) {
                // A face takes its normal with it.
                bend += normal * (2.0 * spin.cross(normal).dot(slip));
            }
            most += spin.length() * (spin.length() * arm.length() + 2.0 * slip.length());
        }
        (bend, most)
    }

    /// For how long forces may stay as they are: until turning may have brought bodies nearer by half of their skin.
    fn horizon(&self, slow: &[usize], twists: &[Twist], length: f64) -> f64 {
        let until = |&k: &usize| (self.of[k].skin / self.bend(k, twists).1).sqrt();
        slow.iter().map(until).fold(f64::INFINITY, f64::min).max(length / MOST_PARTS)
    }

    fn energy(&self, twists: &[Twist]) -> f64 {
        self.inerts.iter().zip(twists).map(|(inert, twist)| inert.energy(twist)).sum()
    }

    /// Computes velocities and impulses up to rounding by the active-set method. `None` with friction or for too
    /// large problems.
    fn without_friction(
        &self,
        constraints: &[Constraint],
        twists: &[Twist],
    ) -> Option<(Vec<Twist>, Vec<DVec3>)> {
        let smooth = constraints.iter().all(|constraint| constraint.friction == 0.0);
        if !smooth || constraints.len() > MOST_EXACT || self.inerts.len() > MOST_EXACT_BODIES {
            return None;
        }
        let NearestTwist { twists, impulses, .. } = exact_twist(&self.inerts, constraints, twists)?;
        let along = |(constraint, impulse): (&Constraint, f64)| constraint.normal * impulse;
        Some((twists, constraints.iter().zip(impulses).map(along).collect()))
    }

    /// Impulses for some constraints, with restitution; never more energy than before.
    fn hit(&self, which: &[usize], twists: &mut Vec<Twist>, bounces: bool, sweeps: u32) {
        let before = self.energy(twists);
        let speeds: Vec<f64> = which.iter().map(|&k| self.speed(k, twists)).collect();
        let scale = which.iter().zip(&speeds).map(|(&k, speed)| speed.abs().max(self.of[k].rest));
        let scale = scale.fold(0.0, f64::max);
        let solve = |restitution: bool| {
            let constraints: Vec<Constraint> = which
                .iter()
                .zip(&speeds)
                .map(|(&k, &speed)| {
                    let of = &self.of[k];
                    let back = if restitution && speed < -of.rest { -of.restitution * speed } else { 0.0 };
                    Constraint { least: back, ..self.constraints[k] }
                })
                .collect();
            if let Some((after, _)) = self.without_friction(&constraints, twists) {
                return after;
            }
            let (mut after, mut impulses) = (twists.clone(), vec![DVec3::ZERO; which.len()]);
            let until = Sweeps { most: sweeps, tolerance: ACCURACY * scale };
            gauss_seidel(&self.inerts, &constraints, &mut after, &mut impulses, until);
            after
        };
        let mut after = solve(bounces);
        let moved_by_others = which.iter().any(|&k| self.constraints[k].given != DVec3::ZERO);
        if bounces && !moved_by_others && self.energy(&after) > before * (1.0 + 1e-12) {
            // As much of the bounce as the energy there is allows.
            let plain = solve(false);
            let mix = |share: f64| -> Vec<Twist> {
                let mix = |(x, y): (&Twist, &Twist)| Twist {
                    linear: x.linear + (y.linear - x.linear) * share,
                    angular: x.angular + (y.angular - x.angular) * share,
                };
                plain.iter().zip(&after).map(mix).collect()
            };
            let (mut low, mut high) = (0.0, 1.0);
            for _ in 0..60 {
                let middle = 0.5 * (low + high);
                if self.energy(&mix(middle)) > before { high = middle } else { low = middle }
            }
            after = mix(low);
        }
        *twists = after;
    }

    /// Applies impulses. Approaches by less than a small part of the skin in the rest of the step, of so many
    /// seconds, are left to forces.
    fn impacts(&self, twists: &mut Vec<Twist>, law: ImpactLaw, (bounces, sweeps): (bool, u32), seconds: f64) {
        let all: Vec<usize> = (0..self.constraints.len()).collect();
        let approaching = |twists: &[Twist], fast: bool| {
            let hit = |&k: &usize| {
                let slow = NEGLIGIBLE * self.of[k].skin / seconds;
                let least = if fast { -self.of[k].rest } else { -slow.min(self.of[k].rest) };
                self.speed(k, twists) < least
            };
            all.iter().copied().filter(hit).collect::<Vec<usize>>()
        };
        if law == ImpactLaw::Sequential {
            for _ in 0..200 + 20 * self.constraints.len() {
                let fast = approaching(twists, true);
                let speed = |k: &usize| self.speed(*k, twists);
                let worst = fast.iter().min_by(|x, y| speed(x).total_cmp(&speed(y)).then(x.cmp(y)));
                let Some(&worst) = worst else { break };
                let pair = self.of[worst].found;
                let which: Vec<usize> = all.iter().copied().filter(|&k| self.of[k].found == pair).collect();
                self.hit(&which, twists, bounces, sweeps);
            }
        } else {
            for _ in 0..50 {
                if approaching(twists, true).is_empty() {
                    break;
                }
                self.hit(&all, twists, bounces, sweeps);
            }
        }
        if !approaching(twists, false).is_empty() {
            self.hit(&all, twists, false, sweeps);
        }
    }

    pub(super) fn solve(mut self, run: &mut StepRun<'_>, found: &[Found], t: f64) {
        let (options, rest) = (run.sim.options, run.length - t);
        let bounces = run.events < MOST_EVENTS / 2;
        let before = self.energy(&self.twists);
        let mut twists = std::mem::take(&mut self.twists);
        self.impacts(&mut twists, options.law, (bounces, options.sweeps), run.length);
        run.sim.energy_lost += before - self.energy(&twists);

        // Forces that are constant for a while.
        let slow: Vec<usize> =
            (0..self.constraints.len()).filter(|&k| self.speed(k, &twists) <= self.of[k].rest).collect();
        let span = rest.min(self.horizon(&slow, &twists, run.length));
        run.until = if span < rest { t + span } else { run.length };
        let mut ends = self.free_ends(&twists, options.gravity, span);
        let free_ends = ends.clone();
        let constraints: Vec<Constraint> = slow
            .iter()
            .map(|&k| {
                let room = (self.of[k].clearance - self.of[k].skin).max(0.0);
                // What parts slowly may come back as far: else it would float off on the force that keeps it.
                let parting = self.speed(k, &twists).max(0.0);
                let least = if span > 0.0 { -parting - 2.0 * room / span } else { 0.0 };
                let given = self.constraints[k].given + self.bend(k, &twists).0 * span;
                Constraint { least, given, ..self.constraints[k] }
            })
            .collect();
        let scale = options.gravity.length() * span
            + twists.iter().map(|twist| twist.linear.length()).fold(0.0, f64::max);
        let impulses = match self.without_friction(&constraints, &ends) {
            Some((after, impulses)) => {
                ends = after;
                impulses
            }
            None => {
                let mut impulses = self.remembered(run, found, &slow, span);
                self.apply(&constraints, &impulses, &mut ends);
                let until = Sweeps { most: options.sweeps, tolerance: ACCURACY * scale };
                let left = gauss_seidel(&self.inerts, &constraints, &mut ends, &mut impulses, until);
                if scale > 0.0 && !slow.is_empty() {
                    let most = &mut run.sim.summary.residual_most;
                    *most = most.max(left / scale);
                }
                impulses
            }
        };
        // In the last moments of a step there is no time to lift without haste.
        let lifts = self.lifts(if span >= 1e-3 * run.length { span } else { 0.0 });
        self.remember(run, found, &slow, &impulses, span);
        for (k, &id) in self.ids.iter().enumerate() {
            let (twist, end, lift) = (&twists[k], &ends[k], &lifts[k]);
            let mut state = FlightState { velocity: twist.linear, spin: twist.angular, ..self.states[k] };
            run.sim.at_mut(id).state = state;
            let mass = &self.masses[k];
            state.velocity += lift.linear;
            state.spin += lift.angular;
            let (acceleration, torque) = if span > 0.0 {
                let own = state.rotation.normalize().conjugate();
                let torque = mass.inertia * (own * ((end.angular - free_ends[k].angular) / span));
                ((end.linear - twist.linear) / span, torque)
            } else {
                (DVec3::ZERO, DVec3::ZERO)
            };
            let torque = if torque.length() * rest * rest <= 1e-18 { DVec3::ZERO } else { torque };
            let flight = Arc::new(Flight::new(&state, mass, acceleration, torque, rest));
            *run.segment_mut(id) =
                Segment { motion: flight.clone(), flight: Some(flight), from: t, lift: *lift };
        }
    }

    /// Velocities after so many seconds of flight without contact.
    fn free_ends(&self, twists: &[Twist], gravity: DVec3, span: f64) -> Vec<Twist> {
        let end = |(k, twist): (usize, &Twist)| {
            let state = FlightState { velocity: twist.linear, spin: twist.angular, ..self.states[k] };
            let own = state.rotation.normalize().conjugate() * state.spin;
            let mass = &self.masses[k];
            let momentum = mass.inertia * own;
            let steady = own.cross(momentum).length() <= 1e-15 * momentum.length() * own.length();
            let spin = if steady {
                state.spin
            } else {
                Flight::new(&state, mass, DVec3::ZERO, DVec3::ZERO, span).state(span).spin
            };
            Twist { linear: twist.linear + gravity * span, angular: spin }
        };
        twists.iter().enumerate().map(end).collect()
    }

    /// The impulses of the last step's forces in so many seconds, to begin with.
    fn remembered(&self, run: &StepRun<'_>, found: &[Found], slow: &[usize], seconds: f64) -> Vec<DVec3> {
        let known = |&k: &usize| {
            let pair = found[self.of[k].found].pair;
            let known = run.sim.remembered.get(&(pair, self.of[k].id)).copied().unwrap_or(DVec3::ZERO);
            let normal = self.constraints[k].normal;
            let along = known.dot(normal).max(0.0);
            let (across, limit) = (known - normal * known.dot(normal), self.constraints[k].friction * along);
            (normal * along + across.clamp_length_max(limit)) * seconds
        };
        slow.iter().map(known).collect()
    }

    fn apply(&self, constraints: &[Constraint], impulses: &[DVec3], twists: &mut [Twist]) {
        for (constraint, impulse) in constraints.iter().zip(impulses) {
            for (side, sign) in [(0, -1.0), (1, 1.0)] {
                if let Some(k) = constraint.bodies[side] {
                    let inert = &self.inerts[k];
                    twists[k].linear += *impulse * (sign * inert.inverse_mass);
                    let arm = (constraint.points[side] - inert.center).cross(*impulse * sign);
                    twists[k].angular += inert.inverse_inertia * arm;
                }
            }
        }
    }

    /// Small displacements that bring bodies back to their skin where they have come nearer, as velocities for the rest of
    /// the step; they move bodies and give them no speed.
    fn lifts(&self, rest: f64) -> Vec<Twist> {
        let mut lifts = vec![Twist::default(); self.inerts.len()];
        let near = self.of.iter().any(|of| of.clearance < 0.9 * of.skin);
        if !near || !(rest > 0.0) {
            return lifts;
        }
        let constraints: Vec<Constraint> = self
            .constraints
            .iter()
            .zip(&self.of)
            .map(|(constraint, of)| Constraint {
                least: (of.skin - of.clearance).max(-of.skin) / rest,
                friction: 0.0,
                given: DVec3::ZERO,
                ..*constraint
            })
            .collect();
        let mut impulses = vec![DVec3::ZERO; constraints.len()];
        let scale = self.of.iter().map(|of| of.skin).fold(0.0, f64::max) / rest;
        let until = Sweeps { most: 60, tolerance: 1e-3 * scale };
        gauss_seidel(&self.inerts, &constraints, &mut lifts, &mut impulses, until);
        // Never further than a few skins: where walls contradict each other, it is no use to push.
        lifts.iter_mut().for_each(|lift| lift.linear = lift.linear.clamp_length_max(4.0 * scale));
        lifts
    }

    fn remember(
        &self,
        run: &mut StepRun<'_>,
        found: &[Found],
        slow: &[usize],
        impulses: &[DVec3],
        rest: f64,
    ) {
        let concerned: BTreeSet<BodyId> = self.ids.iter().copied().collect();
        let others = |pair: &[BodyId; 2]| !pair.iter().any(|id| concerned.contains(id));
        run.sim.remembered.retain(|(pair, _), _| others(pair));
        run.forces.retain(|pair, _| others(pair));
        if rest < 1e-3 * run.length {
            return;
        }
        let mut by_number = vec![DVec3::ZERO; self.constraints.len()];
        for (&k, impulse) in slow.iter().zip(impulses) {
            let force = if rest > 0.0 { *impulse / rest } else { DVec3::ZERO };
            by_number[k] = force;
            run.sim.remembered.insert((found[self.of[k].found].pair, self.of[k].id), force);
        }
        let mut next = 0;
        for found in found {
            let list = run.forces.entry(found.pair).or_default();
            for contact in &found.contacts {
                list.push(ContactForce { bodies: found.pair, contact: *contact, force: by_number[next] });
                next += 1;
            }
        }
    }
}
