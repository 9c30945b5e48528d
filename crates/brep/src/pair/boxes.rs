//! Lower bounds of the distance of two nodes: of their spheres, their boxes, and both along one direction.
//!
//! The direction is that between the closest points found so far. For bodies that a plane separates, nearly all pairs
//! of nodes are discarded by it, where spheres around flat faces reach far beyond them.

use super::Volumes;
use super::view::View;
use crate::body::Node;
use glam::{DMat3, DVec3};
use noli_geom::Triangle;

/// The frames of two bodies, and a direction.
pub(super) struct Boxes {
    volumes: Volumes,
    rotation: DMat3,
    back: DMat3,
    translation: DVec3,
    /// Absolute values of the entries of both rotations.
    spread: [DMat3; 2],
    rounding: f64,
    /// A unit vector from A to B in the frame of A, and the absolute values of its coordinates in both frames.
    direction: Option<[DVec3; 3]>,
}

impl Boxes {
    pub(super) fn new(volumes: Volumes, a: &View<'_>, b: &View<'_>) -> Self {
        let (rotation, translation) = b.placement();
        let back = rotation.transpose();
        let spread =
            [rotation, back].map(|m| DMat3::from_cols(m.x_axis.abs(), m.y_axis.abs(), m.z_axis.abs()));
        let rounding = 2.0 * (a.rounding + b.rounding);
        Self { volumes, rotation, back, translation, spread, rounding, direction: None }
    }

    /// Bounds along a direction from A to B from now on.
    pub(super) fn aim(&mut self, [from, to]: [DVec3; 2]) {
        if let (Volumes::Boxes, Some(direction)) = (self.volumes, (to - from).try_normalize()) {
            self.direction = Some([direction, direction.abs(), (self.back * direction).abs()]);
        }
    }

    /// A lower bound of the distance of what two nodes hold.
    pub(super) fn distance(&self, a: &Node, b: &Node) -> f64 {
        let between = self.rotation * b.center + self.translation - a.center;
        let mut bound = between.length() - a.radius - b.radius;
        if self.volumes == Volumes::Boxes {
            let beside = (between.abs() - a.half - self.spread[0] * b.half).max(DVec3::ZERO);
            let behind = ((self.back * between).abs() - b.half - self.spread[1] * a.half).max(DVec3::ZERO);
            bound = bound.max(beside.length_squared().max(behind.length_squared()).sqrt());
            if let Some([direction, in_a, in_b]) = self.direction {
                bound = bound.max(direction.dot(between) - in_a.dot(a.half) - in_b.dot(b.half));
            }
        }
        bound - self.rounding
    }

    /// A lower bound of the distance of two triangles in the frame of A, along the direction.
    pub(super) fn along(&self, a: &Triangle, b: &Triangle) -> f64 {
        let Some([direction, ..]) = self.direction else { return f64::NEG_INFINITY };
        let [a, b] = [a, b].map(|triangle| triangle.vertices.map(|vertex| vertex.dot(direction)));
        b[0].min(b[1]).min(b[2]) - a[0].max(a[1]).max(a[2]) - self.rounding
    }
}
