//! Winding numbers of a mesh.

use super::intersections::self_intersections;
use crate::answer::{Completeness, First};
use crate::budget::Budget;
use crate::context::with_context;
use crate::model::{Form, MeshModel, Model};
use crate::query::IntersectionsQuery;
use glam::DVec3;

/// Returns true for a mesh that is proven to wind around every point once or not at all. Then points right off a face
/// are outside on the side of its normal and inside on the other. Steps of the budget do not count: what a mesh is
/// must not depend on them.
pub(crate) fn winds_once(model: &MeshModel, budget: Budget<'_>) -> bool {
    model.solid_properties().winds_once(|| search_winding(model, budget.of_time())).unwrap_or(false)
}

impl Model {
    /// Returns `true` for a solid mesh that is proven to wind around every point once or not at all: it does not
    /// intersect itself, and its surfaces are nested as those of a solid with voids. Computed once. `false` for other
    /// shapes.
    pub fn winds_once(&self) -> bool {
        match self.form() {
            Form::Mesh(model) => model.is_solid() && winds_once(model, Budget::UNLIMITED),
            _ => false,
        }
    }
}

/// Returns `true` if the winding number of a mesh is certainly 0 or 1 everywhere; `None` if the budget ran out.
///
/// Take a surface whose edges join two faces each, and which intersects itself at most in vertices. Just off
/// its faces, the winding number is constant on either side, and the two differ by one. So each surface must
/// point outward if it is outside the others, and inward if they contain it; otherwise the winding number takes
/// other values.
fn search_winding(model: &MeshModel, budget: Budget<'_>) -> Option<bool> {
    let mesh = &model.mesh;
    let Some(parts) = mesh.surfaces() else { return Some(false) };
    let (count, firsts) = (mesh.triangle_count(), parts.first_triangles());
    if firsts.len() > 1 && firsts.len().saturating_mul(count) > 20_000_000 {
        return Some(false);
    }
    let mut first = First::default();
    let query = IntersectionsQuery { touching: true, segments: false };
    let looked = with_context(|context| {
        self_intersections(model, &query, &mut context.reborrow().with_budget(budget), &mut first)
    });
    if looked == Completeness::Partial {
        return None;
    }
    if first.0.is_some() {
        return Some(false);
    }
    // Volumes, and as much of them as rounding could make up.
    let mut volumes = vec![(0.0, 0.0); firsts.len()];
    for (triangle, &part) in mesh.iter_triangles().zip(&parts.of_triangle) {
        let [a, b, c] = triangle.vertices.map(|vertex| vertex - model.sphere.center);
        let (volume, noise) = &mut volumes[part as usize];
        *volume += a.dot(b.cross(c));
        *noise += a.length() * b.length() * c.length() * f64::EPSILON * (count + 16) as f64;
    }
    let is_right = |part: usize| {
        let (volume, noise) = volumes[part];
        let point = mesh.triangle(firsts[part]).vertices[0];
        let others = mesh.iter_triangles().zip(&parts.of_triangle).filter(|(_, of)| **of as usize != part);
        let angles: f64 =
            if firsts.len() == 1 { 0.0 } else { others.map(|(t, _)| angle(t.vertices, point)).sum() };
        let winding = angles / (4.0 * std::f64::consts::PI);
        let want = if volume > 0.0 { 0.0 } else { 1.0 };
        volume.abs() > noise && (winding - want).abs() < 1e-3
    };
    Some((0..firsts.len()).all(is_right))
}

/// The solid angle under which a triangle is seen (van Oosterom and Strackee 1983).
fn angle(vertices: [DVec3; 3], from: DVec3) -> f64 {
    let [a, b, c] = vertices.map(|vertex| vertex - from);
    let [x, y, z] = [a, b, c].map(DVec3::length);
    2.0 * a.dot(b.cross(c)).atan2(x * y * z + a.dot(b) * z + b.dot(c) * x + c.dot(a) * y)
}
