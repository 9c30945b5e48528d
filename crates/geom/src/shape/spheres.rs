//! A sphere around a convex body and one within, about the same point: what settles most questions at once.

use super::convex::{Convex, Core};
use crate::number::round;
use crate::{Hull, UNIT_ROUNDOFF};
use glam::DVec3;

/// Two spheres about one point: the body lies within the outer one, and the inner one within the body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spheres {
    /// The middle of both.
    pub center: DVec3,
    /// Rounded up.
    pub outer: f64,
    /// Rounded down; below zero where it is not known to exist.
    pub inner: f64,
}

impl Spheres {
    /// Those of a body.
    pub fn new(convex: &Convex) -> Self {
        let (up, down) = (|x: f64| round::up(x, 16), |x: f64| round::down(x, 16));
        let core = convex.core();
        let (center, inner) = match core {
            Core::Point | Core::Segment { .. } => (DVec3::ZERO, 0.0),
            Core::Box { half_extents } => (DVec3::ZERO, half_extents.min_element()),
            Core::Cylinder { half_height, radius } => (DVec3::ZERO, half_height.min(*radius)),
            Core::Cone { half_height, radius } => {
                let height = 2.0 * half_height;
                let side = height.hypot(*radius);
                let inner = if side > 0.0 { down(radius / (radius + side) * height) } else { 0.0 };
                // The place of the middle is rounded by less than this.
                let placed = round::off(*half_height, 4);
                (DVec3::new(0.0, 0.0, inner - half_height), down(inner) - placed)
            }
            Core::Ellipsoid { radii } => (DVec3::ZERO, radii.min_element()),
            Core::Hull(hull) => (hull.middle(), inner_radius(hull)),
            Core::Triangle(_) | Core::User(_) => (DVec3::ZERO, f64::NEG_INFINITY),
        };
        let outer = match core {
            Core::Hull(hull) => hull.vertices().iter().map(|v| v.distance(center)).fold(0.0, f64::max),
            _ => core.bounding_radius() + center.length(),
        };
        let outer = up(outer + round::off(center.length(), 4) + core.error() + convex.radius());
        let inner = if inner >= 0.0 { down(inner + convex.radius()) } else { f64::NEG_INFINITY };
        Self { center, outer, inner }
    }
}

/// Returns a lower bound on the distance from the middle of a hull to the nearest face plane; negative
/// where it is lost to rounding.
///
/// For vertices within `R` of the middle the triple product errs by less than `64u·R³` and the cross
/// product below by `32u·R²`.
fn inner_radius(hull: &Hull) -> f64 {
    if hull.dimension() < 3 {
        return f64::NEG_INFINITY;
    }
    let middle = hull.middle();
    let offset = |v: u32| hull.vertices()[v as usize] - middle;
    let size = hull.vertices().iter().map(|v| v.distance(middle)).fold(0.0, f64::max);
    let placed = round::off(middle.length() + size, 4);
    let of_face = |vertices: &[u32]| {
        // In units of the size, so that nothing underflows.
        let first = offset(vertices[0]) / size;
        let cross =
            |k: usize| (offset(vertices[k]) / size - first).cross(offset(vertices[k + 1]) / size - first);
        let largest = (1..vertices.len() - 1)
            .map(cross)
            .max_by(|x, y| x.length_squared().total_cmp(&y.length_squared()));
        let Some(normal) = largest else { return f64::NEG_INFINITY };
        (normal.dot(first) - 64.0 * UNIT_ROUNDOFF) / (normal.length() + 32.0 * UNIT_ROUNDOFF)
    };
    let least = hull.faces().iter().map(of_face).fold(f64::INFINITY, f64::min);
    round::down(least * size, 8) - placed
}
