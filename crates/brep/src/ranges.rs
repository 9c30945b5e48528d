//! Ranges of the distance from a cylinder or a cone over a face that need no common axis.
//!
//! The distance from a line is convex: over a plane face with straight edges it is greatest at a vertex, and least on an
//! edge or where the axis pierces the face. A face of revolution stays within its greatest radius of its own axis.

use crate::curve::Curve;
use crate::frame::Frame;
use crate::placed::{PlacedFace, Range};
use crate::surface::Surface;
use glam::{DVec2, DVec3};
use std::f64::consts::PI;

/// The range of [`Surface::side`] of `sigma` over a face, without rounding; `None` for other kinds.
pub(crate) fn free_range(sigma: &Surface, placed: &PlacedFace<'_>) -> Option<Range> {
    match (sigma, placed.surface) {
        (Surface::Cylinder { frame, radius }, Surface::Plane(_)) => {
            let [low, high] = polygon_distance(frame, &straight_edges(placed)?, placed);
            Some([low - radius, high - radius])
        }
        (Surface::Cone { .. }, Surface::Plane(_)) => {
            let edges = straight_edges(placed)?;
            let sides = edges.iter().map(|[a, _]| sigma.side(*a).unwrap_or(f64::INFINITY));
            let center = sigma.side(placed.placement.in_common(placed.face.extent.center))?;
            Some([center - placed.face.extent.radius, sides.fold(f64::NEG_INFINITY, f64::max)])
        }
        (Surface::Cylinder { frame, radius }, _) => {
            let ([a, b], widest) = around_axis(placed)?;
            let [a, b] = [a, b].map(|point| frame.local(point).truncate());
            let far = a.length().max(b.length());
            Some([nearest([a, b]).length() - widest - radius, far + widest - radius])
        }
        _ => None,
    }
}

/// The edges of a face in the common frame; `None` if one is curved.
fn straight_edges(placed: &PlacedFace<'_>) -> Option<Vec<[DVec3; 2]>> {
    let ends = |&(number, forward): &(usize, bool)| {
        let edge = &placed.edges[number];
        let Curve::Line { .. } = edge.curve else { return None };
        let [a, b] = [edge.from, edge.to].map(|t| placed.placement.in_common(edge.curve.point(t)));
        Some(if forward { [a, b] } else { [b, a] })
    };
    let edges: Vec<[DVec3; 2]> = placed.face.loops.iter().flatten().map(ends).collect::<Option<_>>()?;
    (!edges.is_empty()).then_some(edges)
}

/// Least and greatest distance of a plane face with these edges from an axis. Seen along the axis, the face holds it if its
/// edges wind around it.
fn polygon_distance(frame: &Frame, edges: &[[DVec3; 2]], placed: &PlacedFace<'_>) -> Range {
    let (mut low, mut high, mut turn) = (f64::INFINITY, 0.0f64, 0.0);
    for edge in edges {
        let [a, b] = edge.map(|point| frame.local(point).truncate());
        low = low.min(nearest([a, b]).length());
        high = high.max(a.length());
        turn += a.perp_dot(b).atan2(a.dot(b));
    }
    let rounding = placed.rounding + placed.face.rounding + placed.face.gap;
    [if low <= rounding || turn.abs() > PI { 0.0 } else { low }, high]
}

/// The point of a segment nearest to the origin.
fn nearest([a, b]: [DVec2; 2]) -> DVec2 {
    let d = b - a;
    let share = -a.dot(d) / d.length_squared();
    if share.is_finite() { a + d * share.clamp(0.0, 1.0) } else { a }
}

/// The part of its axis that a face surrounds, in the common frame, and its greatest distance from it.
fn around_axis(placed: &PlacedFace<'_>) -> Option<([DVec3; 2], f64)> {
    let frame = placed.surface.frame()?;
    let v = placed.face.extent.v;
    let along = v.map(|v| frame.origin + frame.z * v);
    match placed.surface {
        Surface::Cylinder { radius, .. } => Some((along, *radius)),
        Surface::Cone { radius, half_angle, .. } => {
            let widest = v.map(|v| (radius + v * half_angle.tan()).abs()).into_iter().fold(0.0, f64::max);
            Some((along, widest))
        }
        Surface::Sphere { radius, .. } => Some(([frame.origin; 2], *radius)),
        Surface::Torus { major, minor, .. } => Some(([frame.origin; 2], major + minor)),
        _ => None,
    }
}
