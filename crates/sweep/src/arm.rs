//! The bodies of robots on a joint curve.

use crate::{SweepError, SweepOptions, SweptBody, SweptVolume, sweep};
use noli::Model;
use noli_geom::{GroupMotion, Motion, Pose, Sphere, UNIT_ROUNDOFF};
use noli_robot::cell::Cell;
use noli_robot::{CurveMotion, JointCurve};
use std::sync::Arc;

/// The moving bodies of a cell on a curve of its variables: links, and what they carry.
#[derive(Debug)]
pub struct ArmSweep<'c> {
    bodies: Vec<(&'c Model, OnLink)>,
}

impl<'c> ArmSweep<'c> {
    /// The bodies of all robots of a cell, along a curve of all its variables. Bodies that no joint moves are left out.
    pub fn new(cell: &'c Cell, curve: &JointCurve) -> Result<Self, SweepError> {
        let mut bodies = Vec::new();
        let (mut first_value, mut first_link) = (0, 0);
        for (robot, root) in cell.robots().zip(cell.roots()) {
            let own = first_value..first_value + robot.variables().len();
            let motion = Arc::new(CurveMotion::new(robot.clone(), *root, &curve.part(own.clone()))?);
            let links = first_link..first_link + robot.links().len();
            for body in cell.bodies() {
                let Some(link) = body.carrier().filter(|link| links.contains(link)) else { continue };
                let link = link - first_link;
                let moves = robot
                    .joints_to(link)
                    .into_iter()
                    .any(|joint| robot.variables().iter().any(|variable| variable.joint == joint));
                if moves {
                    let place = body.carrier_from_body();
                    bodies.push((body.model(), OnLink { motion: motion.clone(), link, place }));
                }
            }
            (first_value, first_link) = (own.end, links.end);
        }
        Ok(Self { bodies })
    }

    /// The bodies with their motions.
    pub fn bodies(&self) -> Vec<SweptBody<'_>> {
        self.bodies.iter().map(|(model, motion)| SweptBody { model, motion }).collect()
    }

    /// Their swept volume.
    pub fn sweep(&self, options: &SweepOptions) -> Result<SweptVolume, SweepError> {
        sweep(&self.bodies(), options)
    }
}

/// A body at a pose on a link.
#[derive(Debug)]
struct OnLink {
    motion: Arc<CurveMotion>,
    link: usize,
    place: Pose,
}

impl OnLink {
    /// A sphere of the body as its link has it, and a bound on the rounding of the body's pose.
    fn on_link(&self, sphere: &Sphere, t0: f64, path: f64) -> (Sphere, f64) {
        let center = self.place.transform_point(sphere.center);
        let reach = sphere.center.length() + sphere.radius + self.place.translation.length();
        let far = reach + path + self.motion.pose(self.link, t0).translation.length();
        let error = 1024.0 * UNIT_ROUNDOFF * far + f64::MIN_POSITIVE;
        (Sphere { center, radius: sphere.radius + 64.0 * UNIT_ROUNDOFF * reach }, error)
    }
}

impl Motion for OnLink {
    fn pose(&self, t: f64) -> Pose {
        self.motion.pose(self.link, t) * self.place
    }

    fn travel(&self, sphere: &Sphere, t0: f64, t1: f64) -> f64 {
        let (on_link, _) = self.on_link(sphere, t0, 0.0);
        let path = self.motion.travel(self.link, &on_link, t0, t1);
        path * (1.0 + 8.0 * UNIT_ROUNDOFF) + 2.0 * self.on_link(sphere, t0, path).1
    }

    fn chord_deviation(&self, sphere: &Sphere, t0: f64, t1: f64) -> f64 {
        let (on_link, _) = self.on_link(sphere, t0, 0.0);
        let off = self.motion.chord_deviation(self.link, &on_link, t0, t1);
        let path = self.motion.travel(self.link, &on_link, t0, t1);
        off * (1.0 + 8.0 * UNIT_ROUNDOFF) + 4.0 * self.on_link(sphere, t0, path).1
    }

    fn next_bend(&self, t: f64) -> f64 {
        self.motion.next_bend(t)
    }
}
