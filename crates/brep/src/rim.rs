//! Rims: edges that a program fitted by splines to circles of their surfaces.
//!
//! Such an edge misses its surface by the error of the fit, and nothing about it has a closed form. The circle of the
//! surface takes its place; the proven distance of the two counts as one between the edge and the surface.

use crate::boundary::{Edge, OrientedEdge};
use crate::curve::Curve;
use crate::frame::Frame;
use crate::recognize::distance_from_circle;
use crate::surface::Surface;
use glam::{DVec2, DVec3};
use std::f64::consts::TAU;

/// Largest distance of an edge from its circle, relative to the radius.
const FITTED: f64 = 1e-5;
/// Largest distance of an edge from its circle, relative to that from its surface at samples: an edge that lies on its
/// surface stays as it is.
const LOOSE: f64 = 2.0;
/// Samples of an edge.
const SAMPLES: u32 = 64;

/// Replaces the splines of a face that were fitted to circles of its cylinder, cone or torus.
pub(crate) fn replace_by_circles(edges: &mut [Edge], surface: &Surface, loops: &[Vec<OrientedEdge>]) {
    if !matches!(surface, Surface::Cylinder { .. } | Surface::Cone { .. } | Surface::Torus { .. }) {
        return;
    }
    for &(number, _) in loops.iter().flatten() {
        let Some(edge) = edges.get_mut(number) else { continue };
        if let Some(arc) = arc(edge, surface) {
            *edge = arc;
        }
    }
}

/// The arc about the axis of a surface that an edge was fitted to.
fn arc(edge: &Edge, surface: &Surface) -> Option<Edge> {
    let (Curve::Spline(spline), Some(axis)) = (&edge.curve, surface.frame()) else { return None };
    let at = |share: f64| edge.curve.point(edge.from + (edge.to - edge.from) * share);
    let samples = || (0..=SAMPLES).map(|k| at(f64::from(k) / f64::from(SAMPLES)));
    let off = samples().filter_map(|point| surface.side(point)).map(f64::abs).fold(0.0, f64::max);
    let mean = samples().map(|point| axis.cylindrical(point)).sum::<DVec2>() / f64::from(SAMPLES + 1);
    let radius = match surface {
        Surface::Cylinder { radius, .. } => *radius,
        Surface::Cone { radius, half_angle, .. } => radius + mean.y * half_angle.tan(),
        _ => mean.x,
    };
    let center = axis.origin + axis.z * mean.y;
    let upright = Frame::new(center, axis.z, Some(at(0.0) - center))?;
    let angle = |frame: &Frame, point: DVec3| {
        let p = frame.local(point);
        p.y.atan2(p.x).rem_euclid(TAU)
    };
    // The angle grows along the edge.
    let frame = match angle(&upright, at(0.25)) < angle(&upright, at(0.5)) {
        true => upright,
        false => Frame { y: -upright.y, z: -upright.z, ..upright },
    };
    let is_closed = at(0.0).distance(at(1.0)) <= FITTED * radius;
    let to = if is_closed { TAU } else { angle(&frame, at(1.0)) };
    let deviation = distance_from_circle(spline, &frame, radius)?;
    (deviation <= (FITTED * radius).min(LOOSE * off)).then_some(Edge {
        curve: Curve::Circle { frame, radius },
        from: 0.0,
        to,
        deviation,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spline::SplineCurve;

    /// A cubic through a quarter of a circle, off it by 2.7e-4 of the radius, cut into `parts` to be less.
    fn fitted(axis: &Frame, radius: f64, [from, to]: [f64; 2], parts: usize) -> Curve {
        let width = (to - from) / parts as f64;
        let handle = radius * 4.0 / 3.0 * (width / 4.0).tan();
        let at = |angle: f64| axis.origin + axis.radial(angle) * radius;
        let along = |angle: f64| axis.z.cross(axis.radial(angle)) * handle;
        let mut points = vec![at(from)];
        for k in 0..parts {
            let (a, b) = (from + width * k as f64, from + width * (k + 1) as f64);
            points.extend([at(a) + along(a), at(b) - along(b), at(b)]);
        }
        let knots: Vec<f64> = (0..=parts).map(|k| k as f64).collect();
        let mut multiplicities = vec![3; parts + 1];
        (multiplicities[0], multiplicities[parts]) = (4, 4);
        Curve::Spline(SplineCurve::new(3, &points, None, &knots, &multiplicities).unwrap())
    }

    #[test]
    fn fitted_edges_become_arcs_with_their_distance() {
        let axis = Frame::new(DVec3::new(3.0, -1.0, 2.0), DVec3::new(1.0, 2.0, 2.0), None).unwrap();
        let surface = Surface::Cylinder { frame: axis, radius: 5.0 };
        let edge = |curve: Curve, parts: usize| Edge::new(curve, 0.0, parts as f64);
        for (from, to) in [(0.3, 3.4), (3.4, 0.3), (1.0, 1.0 + TAU), (5.0, 6.5)] {
            let given = edge(fitted(&axis, 5.0, [from, to], 8), 8);
            let found = arc(&given, &surface).unwrap();
            let points = (0..=1000).map(|k| given.curve.point(8.0 * f64::from(k) / 1000.0));
            let Curve::Circle { frame, radius } = &found.curve else { panic!("{found:?}") };
            let worst = points.map(|p| (frame.local(p).length() - radius).abs()).fold(0.0, f64::max);
            assert!(worst <= found.deviation && found.deviation <= 1.5 * worst, "{worst} {found:?}");
            for k in 0..=10 {
                let (s, t) = (f64::from(k) / 10.0, found.to * f64::from(k) / 10.0);
                assert!(found.curve.point(t).distance(given.curve.point(8.0 * s)) < 1e-2, "{found:?}");
            }
        }
        // Too far from a circle, or on the surface and no circle.
        assert!(arc(&edge(fitted(&axis, 5.0, [0.0, 3.0], 2), 2), &surface).is_none());
        let tilted = Frame::new(axis.origin, axis.z + axis.x * 1e-3, None).unwrap();
        assert!(arc(&edge(fitted(&tilted, 5.0, [0.0, 3.0], 8), 8), &surface).is_none());
    }
}
