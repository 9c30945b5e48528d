//! Placed parts of bodies: how far each reaches along a direction.

use crate::chain::Side;
use crate::shape::{Form, Node};
use glam::DVec3;

/// A part of a body in the frame of the common link; spheres and capsules without their radius.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Part {
    /// The points `center + Σ s·axes` for `|s| <= 1`.
    Box {
        center: DVec3,
        axes: [DVec3; 3],
    },
    Face([DVec3; 3]),
    Cylinder {
        center: DVec3,
        axis: DVec3,
        half_length: f64,
        radius: f64,
    },
}

impl Part {
    /// A node of a placed body, and the radius around it. Placed once, it is tested along many directions.
    pub(crate) fn new(side: &Side<'_>, node: Node) -> (Self, f64) {
        let place = &side.place;
        let around = |center: DVec3, axes: [DVec3; 3]| Self::Box {
            center: place.transform_point3(center),
            axes: axes.map(|axis| place.matrix3 * axis),
        };
        match (&side.shape.form, node) {
            (Form::Mesh(mesh), Node::Tree(node)) => {
                let node = mesh.cover.node_box(node, &mesh.canonical);
                (around(node.center, node.axes), 0.0)
            }
            (Form::Mesh(mesh), Node::Face(face)) => {
                (Self::Face(mesh.face(face).map(|vertex| place.transform_point3(vertex))), 0.0)
            }
            (&Form::Cylinder { half_length, radius }, _) => {
                let (center, axis) = (place.translation, place.matrix3.z_axis);
                (Self::Cylinder { center, axis, half_length, radius }, 0.0)
            }
            _ => {
                let (center, axes, radius) = side.shape.bound();
                (around(center, axes), radius)
            }
        }
    }

    /// A point in the middle.
    pub(crate) fn center(&self) -> DVec3 {
        match self {
            Self::Box { center, .. } | Self::Cylinder { center, .. } => *center,
            Self::Face(vertices) => vertices.iter().sum::<DVec3>() / 3.0,
        }
    }

    /// The largest `n·p` of its points.
    pub(crate) fn furthest(&self, n: DVec3) -> f64 {
        match self {
            Self::Box { center, axes } => {
                n.dot(*center) + axes.iter().map(|axis| n.dot(*axis).abs()).sum::<f64>()
            }
            Self::Face([a, b, c]) => n.dot(*a).max(n.dot(*b)).max(n.dot(*c)),
            Self::Cylinder { center, axis, half_length, radius } => {
                let along = n.dot(*axis);
                n.dot(*center) + along.abs() * half_length + (n - *axis * along).length() * radius
            }
        }
    }

    /// The point with the largest `n·p`.
    pub(crate) fn support_point(&self, n: DVec3) -> DVec3 {
        match self {
            Self::Box { center, axes } => {
                let side = |axis: &DVec3| if axis.dot(n) >= 0.0 { *axis } else { -*axis };
                axes.iter().map(side).fold(*center, |sum, axis| sum + axis)
            }
            Self::Face([a, b, c]) => {
                let further = |x: DVec3, y: DVec3| if y.dot(n) > x.dot(n) { y } else { x };
                further(further(*a, *b), *c)
            }
            Self::Cylinder { center, axis, half_length, radius } => {
                let along = n.dot(*axis);
                let end = if along >= 0.0 { *half_length } else { -half_length };
                *center + *axis * end + (n - *axis * along).normalize_or_zero() * *radius
            }
        }
    }
}
