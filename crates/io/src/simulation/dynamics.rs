//! Scenes that fall.

use super::report::{feature, numbers, report};
use super::{
    ForceReport, SetupGroup, SimulationError, SimulationFrame, SimulationOptions, SimulationReport,
    SimulationSetup, Watch,
};
use glam::DVec3;
use noli::Pose;
use noli::motion::Motion;
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
    let mut falls = false;
    for (number, body) in setup.bodies.iter().enumerate() {
        let spec = match driver.get(&number) {
            Some((group, leader)) => {
                let own = setup.bodies[*leader].pose.inverse() * body.pose;
                let motion: Arc<dyn Motion> = if *leader == number {
                    group.wanted.clone()
                } else {
                    let led = Pose::IDENTITY == own;
                    if led {
                        group.wanted.clone()
                    } else {
                        Arc::new(Follows { leader: group.wanted.clone(), own })
                    }
                };
                BodySpec::driven(&body.name, body.model.clone(), motion, setup.seconds / speed)
            }
            None if body.fixed => BodySpec::fixed(&body.name, body.model.clone(), body.pose),
            None => {
                falls = true;
                let mass = body.properties()?;
                BodySpec::free(&body.name, body.model.clone(), body.pose)
                    .weighing(mass)
                    .moving(body.velocity * speed, body.spin * speed)
            }
        };
        let material = Material {
            friction: options.friction.unwrap_or(body.material.friction),
            restitution: options.restitution.unwrap_or(body.material.restitution),
        };
        sim.add(spec.of(material))?;
    }
    if !falls {
        return Err(SimulationError::NothingFalls);
    }
    for &(a, b) in &setup.excluded {
        sim.exclude(a, b);
    }
    let poses = |sim: &Dynamics| sim.bodies().iter().map(|body| numbers(&body.pose())).collect::<Vec<_>>();
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
                let [a, b] = force.bodies.map(|k| setup.bodies[k].name.clone());
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
    let energy = Some([before, sim.energy()]);
    Ok(report(setup, "dynamics", (start, told), sim.summary(), Vec::new(), energy))
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

    fn travel(&self, ball: &noli::model::Sphere, t0: f64, t1: f64) -> f64 {
        self.leader.travel(&self.placed(ball), t0, t1) + self.rounding(ball)
    }

    fn chord_deviation(&self, ball: &noli::model::Sphere, t0: f64, t1: f64) -> f64 {
        self.leader.chord_deviation(&self.placed(ball), t0, t1) + self.rounding(ball)
    }

    fn next_bend(&self, t: f64) -> f64 {
        self.leader.next_bend(t)
    }
}

impl Follows {
    fn placed(&self, ball: &noli::model::Sphere) -> noli::model::Sphere {
        noli::model::Sphere {
            center: self.own.transform_point(ball.center),
            radius: ball.radius * (1.0 + 1e-12) + self.rounding(ball),
        }
    }

    /// Of a product of poses, by the lengths involved at any time of the motion.
    fn rounding(&self, ball: &noli::model::Sphere) -> f64 {
        let far = self.leader.pose(0.0).translation.length() + self.leader.pose(1.0).translation.length();
        let lengths = far + self.own.translation.length() + ball.center.length() + ball.radius;
        1024.0 * f64::EPSILON * lengths
    }
}
