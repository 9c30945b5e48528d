//! Convex hulls of simple bodies: points and circles that span them.
//!
//! The faces of a cylinder, of a frustum or of a block lie in the hull of their vertices and whole circles; spheres and tori
//! are a point and a circle with a distance around them.

use crate::boundary::Edge;
use crate::curve::Curve;
use crate::face::Face;
use crate::frame::Frame;
use crate::surface::Surface;
use glam::DVec3;
use std::f64::consts::TAU;

/// Most faces of a body whose hull is kept.
const MAX_FACES: usize = 32;

/// Points and circles whose hull holds a body.
#[derive(Clone, Debug)]
pub(crate) struct Hull {
    features: Vec<(Feature, u32)>,
    /// Distance around the hull that belongs to the body.
    pub(crate) inflated: f64,
    /// The body is its hull.
    pub(crate) is_convex: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Feature {
    Point(DVec3),
    Circle { frame: Frame, radius: f64 },
}

impl Feature {
    /// The furthest point in a direction, and how far it is.
    fn support(&self, direction: DVec3) -> (f64, DVec3) {
        match self {
            Self::Point(point) => (point.dot(direction), *point),
            Self::Circle { frame, radius } => {
                let (x, y) = (frame.x.dot(direction), frame.y.dot(direction));
                let length = x.hypot(y);
                let (cos, sin) = if length > 0.0 { (x / length, y / length) } else { (1.0, 0.0) };
                let value = frame.origin.dot(direction) + radius * length;
                (value, frame.origin + (frame.x * cos + frame.y * sin) * *radius)
            }
        }
    }
}

impl Hull {
    /// The hull of faces on planes, cylinders and cones between lines and whole circles, or of a whole sphere or torus.
    pub(crate) fn new(faces: &[Face], edges: &[Edge]) -> Option<Self> {
        if let [face] = faces {
            return Self::round(face);
        }
        if faces.is_empty() || faces.len() > MAX_FACES {
            return None;
        }
        let mut features: Vec<(Feature, u32)> = Vec::new();
        for (number, face) in faces.iter().enumerate() {
            if !matches!(face.surface, Surface::Plane(_) | Surface::Cylinder { .. } | Surface::Cone { .. }) {
                return None;
            }
            let mut add = |feature: Feature| {
                if !features.iter().any(|(known, _)| *known == feature) {
                    features.push((feature, number as u32));
                }
            };
            for &(edge, _) in face.loops.iter().flatten() {
                let Edge { curve, from, to, .. } = &edges[edge];
                match curve {
                    Curve::Line { .. } => [*from, *to].map(|t| add(Feature::Point(curve.point(t)))),
                    Curve::Circle { frame, radius } if to - from >= TAU * (1.0 - 1e-12) => {
                        [add(Feature::Circle { frame: *frame, radius: *radius }), ()]
                    }
                    _ => return None,
                };
            }
            if let (Surface::Cone { frame, .. }, Some(apex)) =
                (&face.surface, face.surface.poles().into_iter().flatten().next())
            {
                let [low, high] = face.extent.v;
                let room = 1e-9 * (high - low);
                if low + room < apex && apex < high - room {
                    return None;
                }
                if low - room <= apex && apex <= high + room {
                    add(Feature::Point(frame.origin + frame.z * apex));
                }
            }
        }
        let is_convex = faces.iter().all(|face| is_outermost(face, &features));
        Some(Self { features, inflated: 0.0, is_convex })
    }

    /// The hull of a body of one face: a sphere or a torus.
    fn round(face: &Face) -> Option<Self> {
        if !face.loops.iter().all(Vec::is_empty) || !face.same_sense {
            return None;
        }
        let (feature, inflated) = match &face.surface {
            Surface::Sphere { frame, radius } => (Feature::Point(frame.origin), *radius),
            Surface::Torus { frame, major, minor } if major > minor => {
                (Feature::Circle { frame: *frame, radius: *major }, *minor)
            }
            _ => return None,
        };
        let is_convex = matches!(feature, Feature::Point(_));
        Some(Self { features: vec![(feature, 0)], inflated, is_convex })
    }

    /// The furthest point in a direction, without the distance around the hull, and its face.
    pub(crate) fn support(&self, direction: DVec3) -> (DVec3, u32) {
        let mut best = (f64::NEG_INFINITY, DVec3::ZERO, 0);
        for (feature, face) in &self.features {
            let (value, point) = feature.support(direction);
            if value > best.0 {
                best = (value, point, *face);
            }
        }
        (best.1, best.2)
    }
}

/// Returns `true` if all features lie on the inner side of the convex surface of a face, up to rounding.
fn is_outermost(face: &Face, features: &[(Feature, u32)]) -> bool {
    let room = 8.0 * face.rounding + face.gap;
    let features = || features.iter().map(|(feature, _)| feature);
    match &face.surface {
        Surface::Plane(frame) => {
            let normal = if face.same_sense { frame.z } else { -frame.z };
            features().all(|feature| feature.support(normal).0 - frame.origin.dot(normal) <= room)
        }
        Surface::Cylinder { frame, radius } => {
            face.same_sense
                && features().all(|feature| match feature {
                    Feature::Point(point) => frame.cylindrical(*point).x <= radius + room,
                    Feature::Circle { frame: own, radius: r } => {
                        frame.cylindrical(own.origin).x + r <= radius + room
                    }
                })
        }
        Surface::Cone { frame, .. } => {
            let outside = |point: DVec3| face.surface.side(point).unwrap_or(f64::INFINITY);
            face.same_sense
                && features().all(|feature| match feature {
                    Feature::Point(point) => outside(*point) <= room,
                    // On the axis and across it, so that one point stands for all.
                    Feature::Circle { frame: own, radius } => {
                        let tilt = own.z.cross(frame.z).length() * radius;
                        let offset = frame.cylindrical(own.origin).x;
                        outside(own.origin + own.x * *radius) + tilt + offset <= room
                    }
                })
        }
        _ => false,
    }
}
