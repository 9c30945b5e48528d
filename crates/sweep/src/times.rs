//! Intervals of time of moving bodies, divided as needed.

use crate::SweptBody;
use glam::DVec3;
use noli_geom::{Pose, Sphere};

/// An interval of a body's motion: its pose in the middle, and how far it is from there at the most.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Interval {
    pub(crate) body: u32,
    span: [f64; 2],
    pub(crate) pose: Pose,
    pub(crate) inverse: Pose,
    /// The centre of the bounding sphere in the middle.
    pub(crate) center: DVec3,
    pub(crate) travel: f64,
    /// The number of the first half; the other follows it. 0 if not divided.
    halves: u32,
}

/// All intervals that were needed, by number; the first are whole motions.
#[derive(Clone, Debug)]
pub(crate) struct Intervals<'a> {
    pub(crate) bodies: &'a [SweptBody<'a>],
    pub(crate) spheres: Vec<Sphere>,
    pub(crate) all: Vec<Interval>,
}

impl<'a> Intervals<'a> {
    pub(crate) fn new(bodies: &'a [SweptBody<'a>], spheres: Vec<Sphere>) -> Self {
        let mut intervals = Self { bodies, spheres, all: Vec::new() };
        for body in 0..bodies.len() {
            let whole = intervals.interval(body as u32, [0.0, 1.0]);
            intervals.all.push(whole);
        }
        intervals
    }

    fn interval(&self, body: u32, span: [f64; 2]) -> Interval {
        let SweptBody { motion, .. } = self.bodies[body as usize];
        let sphere = &self.spheres[body as usize];
        let [from, to] = span;
        let middle = 0.5 * (from + to);
        let pose = motion.pose(middle);
        // Before the middle, points are on their chords to it up to the deviation.
        let before = motion.travel(sphere, from, middle) + motion.chord_deviation(sphere, from, middle);
        let travel = before.max(motion.travel(sphere, middle, to));
        let (inverse, center) = (pose.inverse(), pose.transform_point(sphere.center));
        Interval { body, span, pose, inverse, center, travel, halves: 0 }
    }

    /// The halves of an interval; `None` if it is too short to be divided.
    pub(crate) fn halves(&mut self, number: u32) -> Option<[u32; 2]> {
        let Interval { body, span: [from, to], halves, .. } = self.all[number as usize];
        if halves > 0 {
            return Some([halves, halves + 1]);
        }
        // At a bend the halves have smaller bounds than elsewhere.
        let bend = self.bodies[body as usize].motion.next_bend(from);
        let even = 0.5 * (from + to);
        let third = (to - from) / 3.0;
        let middle = if bend > from + third && bend < to - third { bend } else { even };
        if !(from < middle && middle < to) || to - from < 1e-12 {
            return None;
        }
        let first = self.all.len() as u32;
        for span in [[from, middle], [middle, to]] {
            let half = self.interval(body, span);
            self.all.push(half);
        }
        self.all[number as usize].halves = first;
        Some([first, first + 1])
    }
}
