//! The motions of robots: through configurations, and along curves.

use super::data::CellData;
use super::edge::EdgeError;
use crate::{CurveMotion, JointCurve, JointMotion};
use noli::Pose;
use noli::motion::GroupMotion;
use noli_geom::{Sphere, UNIT_ROUNDOFF};
use std::sync::Arc;

/// The motion of one robot: its members are the links.
pub(super) trait ArmMotion: GroupMotion {
    /// The configuration at a time.
    fn configuration(&self, t: f64, values: &mut [f64]);

    /// The pose of a link at a time.
    fn link_pose(&self, link: usize, t: f64) -> Pose;

    /// Bounds how far points of a sphere on a link get between the middle of a span and anywhere in it.
    fn travel_about(&self, link: usize, sphere: &Sphere, middle: f64, span: (f64, f64)) -> f64;
}

/// Through configurations, there and back.
#[derive(Debug)]
struct Edges {
    there: JointMotion,
    /// How far bodies get from the middle of a segment towards its start is their travel on the motion back,
    /// up to the rounding of the times.
    back: JointMotion,
}

impl GroupMotion for Edges {
    fn members(&self) -> usize {
        self.there.members()
    }

    fn poses(&self, t: f64, out: &mut [Pose]) {
        self.there.poses(t, out);
    }

    fn travel(&self, member: usize, sphere: &Sphere, t0: f64, t1: f64) -> f64 {
        self.there.travel(member, sphere, t0, t1)
    }

    fn chord_deviation(&self, member: usize, sphere: &Sphere, t0: f64, t1: f64) -> f64 {
        self.there.chord_deviation(member, sphere, t0, t1)
    }

    fn next_bend(&self, t: f64) -> f64 {
        self.there.next_bend(t)
    }
}

impl ArmMotion for Edges {
    fn configuration(&self, t: f64, values: &mut [f64]) {
        self.there.configuration(t, values);
    }

    fn link_pose(&self, link: usize, t: f64) -> Pose {
        self.there.pose(link, t)
    }

    fn travel_about(&self, link: usize, sphere: &Sphere, middle: f64, (t0, t1): (f64, f64)) -> f64 {
        let before = self.back.travel(link, sphere, 1.0 - middle, 1.0 - t0);
        let far = sphere.center.length() + sphere.radius + self.there.length_to(link);
        let error = 4096.0 * UNIT_ROUNDOFF * far * (1.0 + self.there.largest_angles());
        before.max(self.there.travel(link, sphere, middle, t1)) + error
    }
}

impl ArmMotion for CurveMotion {
    fn configuration(&self, t: f64, values: &mut [f64]) {
        self.configuration(t, values);
    }

    fn link_pose(&self, link: usize, t: f64) -> Pose {
        self.pose(link, t)
    }

    fn travel_about(&self, link: usize, sphere: &Sphere, middle: f64, (t0, t1): (f64, f64)) -> f64 {
        self.travel_about(link, sphere, middle, [t0, t1])
    }
}

/// The motions of all robots.
pub(super) struct Motions {
    pub(super) arms: Vec<Arc<dyn ArmMotion>>,
}

impl Motions {
    /// Through configurations, each segment taking the same time.
    pub(super) fn new(data: &CellData, configurations: &[&[f64]]) -> Result<Self, EdgeError> {
        let times = times(configurations.len());
        let back_times: Vec<f64> = times.iter().rev().map(|time| 1.0 - time).collect();
        let mut arms: Vec<Arc<dyn ArmMotion>> = Vec::new();
        for arm in &data.arms {
            let mut values: Vec<&[f64]> = configurations.iter().map(|values| arm.values(values)).collect();
            let there = JointMotion::through(arm.robot.clone(), arm.world_from_root, &times, &values)?;
            values.reverse();
            let back = JointMotion::through(arm.robot.clone(), arm.world_from_root, &back_times, &values)?;
            arms.push(Arc::new(Edges { there, back }));
        }
        Ok(Self { arms })
    }

    /// Along a curve of the variables of all robots.
    pub(super) fn along(data: &CellData, curve: &JointCurve) -> Result<Self, EdgeError> {
        let mut arms: Vec<Arc<dyn ArmMotion>> = Vec::new();
        for arm in &data.arms {
            let own = curve.part(arm.first_value..arm.first_value + arm.robot.variables().len());
            arms.push(Arc::new(CurveMotion::new(arm.robot.clone(), arm.world_from_root, &own)?));
        }
        Ok(Self { arms })
    }

    /// The configuration at a time.
    pub(super) fn configuration(&self, data: &CellData, time: f64, values: &mut [f64]) {
        for (arm, motion) in data.arms.iter().zip(&self.arms) {
            let count = arm.robot.variables().len();
            motion.configuration(time, &mut values[arm.first_value..][..count]);
        }
    }

    /// Bounds how far a body gets between the middle of a span and anywhere in it.
    pub(super) fn travel(&self, data: &CellData, body: usize, middle: f64, span: (f64, f64)) -> f64 {
        self.travel_of(data, body, &data.bodies[body].cover.whole, middle, span)
    }

    /// The same for a sphere in the frame of the body's carrier.
    pub(super) fn travel_of(
        &self,
        data: &CellData,
        body: usize,
        sphere: &Sphere,
        middle: f64,
        span: (f64, f64),
    ) -> f64 {
        let Some((arm, link)) = data.arm_and_link(body) else { return 0.0 };
        self.arms[arm].travel_about(link, sphere, middle, span)
    }
}

/// When each of some configurations is reached, from 0 to 1.
pub(super) fn times(count: usize) -> Vec<f64> {
    let last = count.saturating_sub(1) as f64;
    (0..count).map(|k| k as f64 / last).collect()
}
