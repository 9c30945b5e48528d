//! A step on its way: what every body does until its end.

use super::bodies::{ContactForce, Dynamics};
use crate::body::Role;
use crate::flight::{Flight, FlightState, Rates};
use crate::relative::Party;
use crate::solve::Twist;
use glam::DVec3;
use noli::Pose;
use noli::contacts::FeatureContact;
use noli::motion::{Clip, Motion, Still};
use noli::world::BodyId;
use noli_geom::rotation;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// Events in one step at most; from half of them on nothing bounces.
pub(super) const MOST_EVENTS: usize = 4000;

/// The contacts of a pair of bodies.
pub(super) struct Found {
    pub(super) pair: [BodyId; 2],
    pub(super) contacts: Vec<FeatureContact>,
    pub(super) skin: f64,
}

/// Motion of a body for the rest of a step.
#[derive(Clone, Debug)]
pub(super) struct Segment {
    pub(super) motion: Arc<dyn Motion>,
    pub(super) flight: Option<Arc<Flight>>,
    /// Start time in the step.
    pub(super) from: f64,
    /// Correction of the path alone that keeps bodies separated; it is subtracted from the velocity at its end.
    pub(super) lift: Twist,
}

/// A pair whose motions were tested, with the time of its next test.
#[derive(Clone, Copy, Debug)]
pub(super) struct Watched {
    pub(super) pair: [BodyId; 2],
    /// In the step; infinite where nothing happens.
    pub(super) at: f64,
}

/// A step in progress.
pub(super) struct StepRun<'d> {
    pub(super) sim: &'d mut Dynamics,
    pub(super) length: f64,
    /// By slot of the world.
    pub(super) segments: Vec<Segment>,
    pub(super) watched: BTreeMap<[BodyId; 2], Watched>,
    pub(super) stalls: HashMap<[BodyId; 2], u32>,
    /// Time in the step until which the last forces may act; all tests made with them are then repeated.
    pub(super) until: f64,
    /// The contacts of pairs at their last test.
    pub(super) lying: HashMap<[BodyId; 2], Vec<FeatureContact>>,
    pub(super) lost: f64,
    pub(super) events: usize,
    pub(super) forces: BTreeMap<[BodyId; 2], Vec<ContactForce>>,
}

impl<'d> StepRun<'d> {
    pub(super) fn new(sim: &'d mut Dynamics, length: f64) -> Self {
        let ids: Vec<BodyId> = sim.ids().collect();
        let mut segment = |id: BodyId| {
            let pose = sim.pose(id);
            let body = sim.at_mut(id);
            let (motion, flight): (Arc<dyn Motion>, _) = match &body.role {
                Role::Fixed => (Arc::new(Still(pose)), None),
                Role::Driven(motion, seconds) => {
                    let (from, to) = (body.driven, body.driven + length);
                    body.driven = to;
                    (Arc::new(Clip::new(motion.clone(), from / seconds, to / seconds)), None)
                }
                Role::Free(mass) => {
                    let flight = Arc::new(Flight::still(&body.state, mass.center, length));
                    (flight.clone(), Some(flight))
                }
            };
            Segment { motion, flight, from: 0.0, lift: Twist::default() }
        };
        let segments = ids.into_iter().map(&mut segment).collect();
        Self {
            sim,
            length,
            segments,
            watched: BTreeMap::new(),
            stalls: HashMap::new(),
            until: length,
            lying: HashMap::new(),
            lost: 0.0,
            events: 0,
            forces: BTreeMap::new(),
        }
    }

    pub(super) fn segment(&self, body: BodyId) -> &Segment {
        &self.segments[body.index() as usize]
    }

    pub(super) fn segment_mut(&mut self, body: BodyId) -> &mut Segment {
        &mut self.segments[body.index() as usize]
    }

    /// The motion of a body from a time until another.
    pub(super) fn clip(&self, body: BodyId, (t, until): (f64, f64)) -> Arc<dyn Motion> {
        let segment = self.segment(body);
        if t <= segment.from && until >= self.length {
            return segment.motion.clone();
        }
        let share = |t: f64| ((t - segment.from) / (self.length - segment.from)).clamp(0.0, 1.0);
        Arc::new(Clip::new(segment.motion.clone(), share(t), share(until)))
    }

    pub(super) fn pose(&self, body: BodyId, t: f64) -> Pose {
        let segment = self.segment(body);
        let span = self.length - segment.from;
        let share = if span > 0.0 { (t - segment.from) / span } else { 1.0 };
        segment.motion.pose(share.clamp(0.0, 1.0))
    }

    /// Returns the state of a free body at a time.
    pub(super) fn state(&self, body: BodyId, t: f64) -> FlightState {
        let segment = self.segment(body);
        match &segment.flight {
            Some(flight) if t > segment.from => {
                let mut state = flight.state(t - segment.from);
                state.velocity -= segment.lift.linear;
                state.spin -= segment.lift.angular;
                state
            }
            _ => self.sim.at(body).state,
        }
    }

    /// Returns the motion state of a body at a time; `None` for unbounded bodies.
    pub(super) fn party(&self, body: BodyId, t: f64) -> Option<Party<'_>> {
        let model = self.sim.world[body].model();
        let pose = self.pose(body, t);
        if !model.aabb().size().is_finite() {
            return None;
        }
        let still = Party { model, pose, center: pose.translation, velocity: DVec3::ZERO, spin: DVec3::ZERO };
        let segment = self.segment(body);
        Some(match (&segment.flight, &self.sim.at(body).role) {
            (Some(flight), _) => {
                let Rates { center, velocity, spin, .. } = flight.rates(t - segment.from);
                Party { center, velocity, spin, ..still }
            }
            (None, Role::Driven(..)) => {
                let span = self.moment(t);
                let then = self.pose(body, t + span);
                let turn = rotation::log(then.rotation.normalize() * pose.rotation.normalize().conjugate());
                let velocity = (then.translation - pose.translation) / span;
                Party { velocity, spin: turn / span, ..still }
            }
            _ => still,
        })
    }

    /// Returns the velocity of a point of a body that is immovable by contact.
    pub(super) fn given_velocity(&self, body: BodyId, point: DVec3, t: f64) -> DVec3 {
        if !matches!(self.sim.at(body).role, Role::Driven(..)) {
            return DVec3::ZERO;
        }
        let span = self.moment(t);
        let (now, then) = (self.pose(body, t), self.pose(body, t + span));
        (then.transform_point(now.inverse().transform_point(point)) - point) / span
    }

    /// Returns a short time for computing velocities.
    fn moment(&self, t: f64) -> f64 {
        (1e-3 * (self.length - t)).max(1e-9 * self.length)
    }
}
