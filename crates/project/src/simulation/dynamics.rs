//! Scenes that fall.

use super::error::SimulationError;
use super::options::{SimulationOptions, Watch};
use super::report::{ForceReport, SimulationFrame, SimulationReport, feature};
use super::setup::{SetupGroup, SimulationSetup};
use glam::DVec3;
use noli::Pose;
use noli::motion::Motion;
use noli::world::BodyId;
use noli_sim::{BodySpec, Dynamics, DynamicsOptions, Material};
use std::collections::HashMap;
use std::sync::Arc;

/// Simulate dynamics: bodies fall, hit, slide and rest; those with a motion are driven by it.
pub fn simulate_dynamics(
    setup: &SimulationSetup,
    options: &SimulationOptions,
    watch: &Watch<'_>,
) -> Result<SimulationReport, SimulationError> {
    let speed = options.speed.unwrap_or(1.0);
    let seconds = options.seconds.unwrap_or(setup.seconds);
    let frames = options.frames.unwrap_or(match options.seconds {
        Some(seconds) => ((f64::from(setup.frames) * seconds / setup.seconds).ceil() as u32).max(1),
        None => setup.frames,
    });
    let (mut sim, ids) = prepared(setup, options, speed)?;
    let poses = |sim: &Dynamics| ids.iter().map(|&id| sim.pose(id).to_array()).collect::<Vec<_>>();
    let (start, before) = (poses(&sim), sim.energy());
    let mut told = Vec::new();
    let mut lost = 0.0;
    for number in 0..frames {
        if (watch.frame)(number).is_break() {
            return Err(SimulationError::Stopped);
        }
        let begun = (watch.clock)();
        let length = seconds / f64::from(frames);
        sim.advance(length)?;
        let millis = (watch.clock)() - begun;
        let overlaps = sim.check().len();
        let forces: Vec<ForceReport> = sim
            .forces()
            .iter()
            .filter(|force| force.force != DVec3::ZERO)
            .map(|force| {
                let [a, b] = force.bodies.map(|id| sim.world()[id].name().to_owned());
                ForceReport {
                    a,
                    b,
                    feature_a: force.contact.on_a.feature.map(feature),
                    feature_b: force.contact.on_b.feature.map(feature),
                    point: force.contact.middle().to_array(),
                    force: force.force.to_array(),
                }
            })
            .collect();
        let so_far = sim.summary().time_lost * sim.time();
        told.push(SimulationFrame {
            number,
            time: sim.time(),
            poses: poses(&sim),
            contacts: forces.len(),
            forces,
            used: 1.0 - (so_far - lost) / length,
            energy: Some(sim.energy()),
            overlaps,
            millis,
        });
        lost = so_far;
    }
    let mut report = SimulationReport::new(setup, "dynamics", (start, told), sim.summary());
    report.summary.energy = Some([before, sim.energy()]);
    Ok(report)
}

/// The bodies of a scene as the simulation takes them: fixed, driven or free.
fn prepared(
    setup: &SimulationSetup,
    options: &SimulationOptions,
    speed: f64,
) -> Result<(Dynamics, Vec<BodyId>), SimulationError> {
    let usual = DynamicsOptions::default();
    let mut sim = Dynamics::new(DynamicsOptions {
        gravity: setup.gravity,
        skin: setup.skin.unwrap_or(usual.skin),
        ..usual
    });
    let mut driver: HashMap<usize, (&SetupGroup, usize)> = HashMap::new();
    for group in &setup.groups {
        driver.extend(group.bodies.iter().map(|&body| (body, (group, group.bodies[0]))));
    }
    let (mut falls, mut ids) = (false, Vec::new());
    for (number, body) in setup.bodies.iter().enumerate() {
        let spec = match driver.get(&number) {
            Some((group, leader)) => {
                let own = setup.bodies[*leader].pose.inverse() * body.pose;
                let leads = *leader == number || own == Pose::IDENTITY;
                let led = || Arc::new(Follows { leader: group.wanted.clone(), own }) as Arc<dyn Motion>;
                let motion = if leads { group.wanted.clone() } else { led() };
                BodySpec::driven(motion, setup.seconds / speed)
            }
            None if body.fixed => BodySpec::fixed(),
            None => {
                falls = true;
                let mass = body.properties()?;
                BodySpec::free(&body.model)
                    .with_mass(mass)
                    .with_velocity(body.velocity * speed, body.spin * speed)
            }
        };
        let material = Material {
            friction: options.friction.unwrap_or(body.material.friction),
            restitution: options.restitution.unwrap_or(body.material.restitution),
        };
        ids.push(sim.add(&body.name, &body.model, body.pose, spec.with_material(material))?);
    }
    if !falls {
        return Err(SimulationError::NothingFalls);
    }
    for &(a, b) in &setup.excluded {
        sim.exclude(ids[a], ids[b]);
    }
    Ok((sim, ids))
}

/// A body that keeps its place relative to another that moves.
#[derive(Debug)]
struct Follows {
    leader: Arc<dyn Motion>,
    own: Pose,
}

impl Motion for Follows {
    fn pose(&self, t: f64) -> Pose {
        self.leader.pose(t) * self.own
    }

    fn travel(&self, sphere: &noli::model::Sphere, t0: f64, t1: f64) -> f64 {
        self.leader.travel(&self.placed(sphere), t0, t1) + self.rounding(sphere)
    }

    fn chord_deviation(&self, sphere: &noli::model::Sphere, t0: f64, t1: f64) -> f64 {
        self.leader.chord_deviation(&self.placed(sphere), t0, t1) + self.rounding(sphere)
    }

    fn next_bend(&self, t: f64) -> f64 {
        self.leader.next_bend(t)
    }
}

impl Follows {
    fn placed(&self, sphere: &noli::model::Sphere) -> noli::model::Sphere {
        noli::model::Sphere {
            center: self.own.transform_point(sphere.center),
            radius: sphere.radius * (1.0 + 1e-12) + self.rounding(sphere),
        }
    }

    /// Of a product of poses, by the lengths involved at any time of the motion.
    fn rounding(&self, sphere: &noli::model::Sphere) -> f64 {
        let far = self.leader.pose(0.0).translation.length() + self.leader.pose(1.0).translation.length();
        let lengths = far + self.own.translation.length() + sphere.center.length() + sphere.radius;
        1024.0 * f64::EPSILON * lengths
    }
}
