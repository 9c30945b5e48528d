//! Time goes on: step by step, and what rests falls asleep.
#![allow(clippy::neg_cmp_op_on_partial_ord, reason = "what is no number must not pass")]

use super::bodies::{BodyState, Dynamics};
use super::run::StepRun;
use crate::body::Role;
use crate::error::SimError;
use glam::DVec3;
use noli::world::BodyId;
use std::collections::BTreeSet;

/// Steps of rest after which a body sleeps.
const CALM: u32 = 12;

impl Dynamics {
    fn refuse_overlap(&mut self) -> Result<(), SimError> {
        if self.checked {
            return Ok(());
        }
        if let Some(&pair) = self.overlapping().first() {
            let [a, b] = pair.map(|id| self.world[id].name().to_owned());
            return Err(SimError::Overlap { a, b });
        }
        self.checked = true;
        Ok(())
    }

    /// Go on for so many seconds, in steps.
    pub fn advance(&mut self, seconds: f64) -> Result<(), SimError> {
        if !(seconds >= 0.0 && seconds.is_finite()) {
            return Err(SimError::Time(seconds));
        }
        self.refuse_overlap()?;
        let count = (seconds / self.options.step * (1.0 - 1e-12)).ceil().max(1.0);
        let step = seconds / count;
        if step > 0.0 {
            (0..count as u64).try_for_each(|_| self.step(step))?;
        }
        Ok(())
    }

    /// One step.
    fn step(&mut self, length: f64) -> Result<(), SimError> {
        let mut step = StepRun::new(self, length);
        step.run();
        let StepRun { segments, lost, .. } = step;
        let ids: Vec<BodyId> = self.ids().collect();
        for (&id, segment) in ids.iter().zip(&segments) {
            let body = self.at_mut(id);
            let pose = match (&segment.flight, &body.role) {
                (Some(flight), Role::Free(mass)) => {
                    let mut state = flight.state(length - segment.from);
                    state.velocity -= segment.lift.linear;
                    state.spin -= segment.lift.angular;
                    let pose = state.pose(mass.center);
                    body.state = state;
                    pose
                }
                (_, Role::Driven(..)) => segment.motion.pose(1.0),
                _ => continue,
            };
            if self.world[id].pose() != pose && self.world.move_to(id, pose).is_err() {
                return Err(SimError::Pose { body: self.world[id].name().to_owned() });
            }
        }
        let free = self.bodies().filter(|(_, body)| body.is_free()).count().max(1) as f64;
        self.lost += lost / free;
        self.time += length;
        self.settle();
        Ok(())
    }

    /// Bodies that do not move fall asleep.
    fn settle(&mut self) {
        let gravity = self.options.gravity.length();
        let sleep = self.options.sleep;
        let touching: BTreeSet<BodyId> = self.forces.iter().flat_map(|force| force.bodies).collect();
        let ids: Vec<BodyId> = self.ids().collect();
        for &id in &ids {
            let body = self.at_mut(id);
            if !body.is_free() || body.asleep {
                continue;
            }
            let slow = 2e-5 * (gravity * body.radius).sqrt();
            let speed = body.state.velocity.length() + body.state.spin.length() * body.radius;
            let calm = sleep && touching.contains(&id) && speed <= slow;
            body.calm = if calm { body.calm + 1 } else { 0 };
        }
        // All that lie against each other sleep together or not at all.
        let ready = |body: &BodyState| !body.is_free() || body.asleep || body.calm >= CALM;
        let mut wakeful: BTreeSet<BodyId> = ids.iter().copied().filter(|&id| !ready(self.at(id))).collect();
        loop {
            let spread: Vec<BodyId> = self
                .forces
                .iter()
                .filter(|force| force.bodies.iter().any(|id| wakeful.contains(id)))
                .flat_map(|force| force.bodies)
                .filter(|id| self.at(*id).is_free() && !wakeful.contains(id))
                .collect();
            if spread.is_empty() {
                break;
            }
            wakeful.extend(spread);
        }
        for id in ids {
            let body = self.at_mut(id);
            if body.is_free() && !wakeful.contains(&id) && body.calm >= CALM {
                body.asleep = true;
                body.state.velocity = DVec3::ZERO;
                body.state.spin = DVec3::ZERO;
            }
        }
    }
}
