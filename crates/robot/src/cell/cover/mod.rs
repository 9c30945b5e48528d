//! Bounding and inscribed spheres of a body: most pairs are decided by them.

mod cut;
mod inside;

use super::LANES;
use cut::Stuff;
use glam::DVec3;
use inside::{filling, in_cell, spheres_inside};
use noli::model::MeshKind;
use noli::{Model, Pose};
use noli_geom::{Aabb, Core, Hull, Sphere, UNIT_ROUNDOFF};

/// Spheres of a body, in its own frame or in that of its carrier.
#[derive(Clone, Debug)]
pub(super) struct Cover {
    /// Around all of it; infinite if the body is.
    pub(super) whole: Sphere,
    /// At most sixteen that hold all of it together.
    pub(super) outer: Vec<Sphere>,
    /// For each of these, smaller ones around the part of the body that it is for.
    pub(super) fine: Vec<Vec<Sphere>>,
    /// At most sixteen inside it, the largest first; none for surfaces.
    pub(super) inner: Vec<Sphere>,
    /// For each of `outer`, spheres inside the body about places in that part; none for surfaces.
    pub(super) dense: Vec<Vec<Sphere>>,
    /// Points and a radius: all of the body is within it of their hull; `None` if it has no such vertices.
    pub(super) vertices: Option<(Vec<DVec3>, f64)>,
}

impl Cover {
    /// The spheres of a model at a pose on its carrier.
    pub(super) fn new(model: &Model, carrier_from_body: &Pose) -> Self {
        Self::in_own_frame(model).carried(carrier_from_body)
    }

    /// The spheres of a model in its own frame: all that takes time, whatever the pose.
    pub(super) fn in_own_frame(model: &Model) -> Self {
        let bounds = model.aabb();
        // What an open mesh winds around may reach beyond its box.
        let open = model.mesh().is_some_and(|mesh| mesh.kind() == MeshKind::Solid && !mesh.is_closed());
        let finite = bounds.min.is_finite() && bounds.max.is_finite() && !open;
        if !finite || model.is_empty() {
            let radius = if model.is_empty() { 0.0 } else { f64::INFINITY };
            return Self::single(Sphere { center: DVec3::ZERO, radius });
        }
        let Parts { outer, fine, inner, dense } = Parts::of(model, bounds);
        let whole = match model.mesh() {
            Some(mesh) => Sphere::smallest(mesh.vertices()),
            None if outer.len() == 1 => outer[0],
            None => Sphere::smallest(&bounds.vertices()),
        };
        Self { whole, outer, fine, inner, dense, vertices: vertices_of(model) }
    }

    /// The spheres in the frame of a carrier, with the rounding of the pose.
    pub(super) fn carried(&self, carrier_from_body: &Pose) -> Self {
        let carry = |sphere: &Sphere, sign: f64| {
            let far = sphere.center.length() + sphere.radius + carrier_from_body.translation.length();
            let center = carrier_from_body.transform_point(sphere.center);
            Sphere { center, radius: sphere.radius + sign * 64.0 * UNIT_ROUNDOFF * far }
        };
        let widened = |spheres: &Vec<Sphere>| spheres.iter().map(|sphere| carry(sphere, 1.0)).collect();
        let inside = |spheres: &Vec<Sphere>| -> Vec<Sphere> {
            let narrowed = spheres.iter().map(|sphere| carry(sphere, -1.0));
            narrowed.filter(|sphere| sphere.radius > 0.0).take(LANES).collect()
        };
        let vertices = self.vertices.as_ref().map(|(vertices, radius)| {
            let on_carrier = vertices.iter().map(|vertex| carrier_from_body.transform_point(*vertex));
            (on_carrier.collect(), *radius)
        });
        Self {
            whole: carry(&self.whole, 1.0),
            outer: widened(&self.outer),
            fine: self.fine.iter().map(widened).collect(),
            inner: inside(&self.inner),
            dense: self.dense.iter().map(inside).collect(),
            vertices,
        }
    }

    /// One sphere around a body of which nothing else is known.
    fn single(whole: Sphere) -> Self {
        Self {
            whole,
            outer: vec![whole],
            fine: vec![vec![whole]],
            inner: Vec::new(),
            dense: vec![Vec::new()],
            vertices: None,
        }
    }
}

/// Spheres of a body, in its own frame.
struct Parts {
    outer: Vec<Sphere>,
    fine: Vec<Vec<Sphere>>,
    inner: Vec<Sphere>,
    dense: Vec<Vec<Sphere>>,
}

impl Parts {
    fn of(model: &Model, bounds: Aabb) -> Self {
        if let Some(sphere) = round(model) {
            let one = vec![sphere];
            return Self {
                outer: one.clone(),
                fine: vec![one.clone()],
                inner: one.clone(),
                dense: vec![one],
            };
        }
        let stuff = Stuff::of(model);
        let cells = stuff.cut(bounds);
        let found = spheres_inside(model, &cells);
        let dense = cells.iter().map(|cell| in_cell(&found, cell)).collect();
        let inner = if model.mesh().is_some() { filling(found) } else { found };
        let fine = cells.iter().map(|cell| stuff.refined(cell)).collect();
        Self { outer: cells.into_iter().map(|cell| cell.sphere).collect(), fine, inner, dense }
    }
}

/// Vertices from which on a hull takes too long to be made.
const MANY: usize = 4096;
/// Sides of the prism around a drum.
const SIDES: usize = 16;

/// Points and a radius: all of the body is within it of their hull.
fn vertices_of(model: &Model) -> Option<(Vec<DVec3>, f64)> {
    if let Some(mesh) = model.mesh() {
        if mesh.vertices().len() > MANY {
            return None;
        }
        let hull = Hull::new(mesh.vertices().iter().copied()).ok()?;
        return Some((hull.vertices().to_vec(), 0.0));
    }
    let convex = model.convex()?;
    let vertices = match convex.core() {
        Core::Point => vec![DVec3::ZERO],
        Core::Segment { half_length } => vec![DVec3::Z * *half_length, DVec3::NEG_Z * *half_length],
        Core::Box { half_extents } => Aabb { min: -*half_extents, max: *half_extents }.vertices().to_vec(),
        Core::Cylinder { half_height, radius } => {
            // The prism whose sides touch the drum.
            let half_turn = std::f64::consts::PI / SIDES as f64;
            let out = radius / half_turn.cos() * (1.0 + 1e-12);
            let vertex = |k: usize| {
                let (sin, cos) = crate::sin_cos(2.0 * half_turn * (k / 2) as f64);
                DVec3::new(
                    out * cos,
                    out * sin,
                    if k.is_multiple_of(2) { *half_height } else { -*half_height },
                )
            };
            (0..2 * SIDES).map(vertex).collect()
        }
        Core::Triangle(triangle) => triangle.vertices.to_vec(),
        Core::Hull(hull) => hull.vertices().to_vec(),
        Core::Cone { .. } | Core::Ellipsoid { .. } | Core::User(_) => return None,
    };
    Some((vertices, convex.radius()))
}

/// The sphere that a body is.
fn round(model: &Model) -> Option<Sphere> {
    let convex = model.convex()?;
    matches!(convex.core(), Core::Point).then(|| Sphere { center: DVec3::ZERO, radius: convex.radius() })
}
#[cfg(test)]
mod tests {
    use super::*;
    use crate::cell::shares;
    use noli::Mesh;
    use noli::answer::Location;

    /// A solid with a vertex that goes inwards.
    fn bracket() -> Model {
        let outline = [[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]];
        let level = |z: f64| outline.map(|[x, y]| DVec3::new(x, y, z));
        let vertices: Vec<DVec3> = [level(0.0), level(0.5)].concat();
        let mut triangles = Vec::new();
        for k in 1..5 {
            triangles.extend([[0, k + 1, k], [6, 6 + k, 7 + k]]);
        }
        for k in 0..6 {
            let next = (k + 1) % 6;
            triangles.extend([[k, next, next + 6], [k, next + 6, k + 6]]);
        }
        let mesh = Mesh::from_triangles(vertices, triangles, &noli_geom::MeshOptions::default()).unwrap();
        Model::new(mesh.into_solid()).unwrap()
    }

    /// Spheres of every kind hold the body, or are held by it.
    #[test]
    fn outer_spheres_cover_the_body_and_inner_spheres_are_inside() {
        let body = bracket();
        let cover = Cover::new(&body, &Pose::IDENTITY);
        assert_eq!(cover.outer.len(), cover.fine.len());
        assert_eq!(cover.outer.len(), cover.dense.len());
        let mut share = shares(3);
        let holds = |spheres: &[Sphere], point: DVec3| {
            spheres.iter().any(|sphere| sphere.center.distance(point) <= sphere.radius)
        };
        let mut inside = 0;
        for _ in 0..4000 {
            let point = DVec3::new(2.0 * share(), 2.0 * share(), 0.5 * share());
            if body.locate_point(point) == Location::Outside {
                continue;
            }
            inside += 1;
            assert!(holds(&cover.outer, point), "{point}");
            assert!(holds(&cover.fine.concat(), point), "{point}");
        }
        assert!(inside > 2000, "{inside} of 4000");
        let mut directions = || DVec3::new(share() - 0.5, share() - 0.5, share() - 0.5).normalize();
        for sphere in cover.inner.iter().chain(cover.dense.iter().flatten()) {
            for _ in 0..20 {
                let point = sphere.center + directions() * sphere.radius * (1.0 - 1e-9);
                assert_ne!(body.locate_point(point), Location::Outside, "{sphere:?}");
            }
        }
        // Smaller ones leave less room around the body.
        let radius = |spheres: &[Sphere]| spheres.iter().map(|sphere| sphere.radius).fold(0.0, f64::max);
        assert!(radius(&cover.fine.concat()) < 0.6 * radius(&cover.outer));
    }
}
