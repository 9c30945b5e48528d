//! What kind of solid a mesh bounds, found out once.

use crate::answer::{Coverage, First};
use crate::context::with_ask;
use crate::model::MeshModel;
use crate::pair::mesh_mesh;
use crate::query::CrossingsQuery;
use glam::DVec3;
use noli_geom::Hull;
use std::sync::OnceLock;

/// What a mesh is as a solid; all but whether it is closed is found out when first asked for.
#[derive(Debug)]
pub(crate) struct Soundness {
    /// Every edge is passed as often one way as the other.
    pub(crate) closed: bool,
    convex_within: OnceLock<Option<f64>>,
    winds_once: OnceLock<bool>,
}

impl Soundness {
    /// All faces lie within this of the surface of their hull and wind around it; `None` if they do not.
    ///
    /// Then the solid holds every point of the hull that is deeper than this: pushing the faces onto the hull's surface
    /// passes no such point, so the mesh winds around it as often as around the whole.
    pub(crate) fn convex_within(&self, model: &MeshModel) -> Option<f64> {
        *self.convex_within.get_or_init(|| if self.closed { convex_within(model) } else { None })
    }

    /// Whether it winds around every point once or not at all: then what lies right off a face is outside on the side of
    /// its normal and inside on the other.
    pub(crate) fn winds_once(&self, model: &MeshModel) -> bool {
        *self.winds_once.get_or_init(|| self.closed && winds_once(model))
    }
}

impl MeshModel {
    pub(crate) fn soundness(&self) -> &Soundness {
        self.soundness_or(|| Soundness {
            closed: !self.mesh.is_empty() && self.mesh.is_closed(),
            convex_within: OnceLock::new(),
            winds_once: OnceLock::new(),
        })
    }
}

/// Whether a mesh is known to wind around every point once or not at all.
///
/// Right off the faces of a surface whose edges join two faces each, and that meets itself at most in corners, the mesh
/// winds equally often everywhere on one side and on the other, one apart. So each looks outward where the others leave
/// it outside, and inward where they hold it, or the mesh winds otherwise.
fn winds_once(model: &MeshModel) -> bool {
    let mesh = &model.mesh;
    let Some(parts) = mesh.surfaces() else { return false };
    let (count, firsts) = (mesh.triangle_count(), parts.first_triangles());
    if firsts.len() > 1 && firsts.len().saturating_mul(count) > 20_000_000 {
        return false;
    }
    let mut first = First::default();
    let query = CrossingsQuery { touching: true, segments: false };
    let looked = with_ask(|ask| mesh_mesh::self_crossings(model, &query, ask, &mut first));
    if looked == Coverage::Part || first.0.is_some() {
        return false;
    }
    // Volumes, and as much of them as rounding could make up.
    let mut volumes = vec![(0.0, 0.0); firsts.len()];
    for (triangle, &part) in mesh.iter_triangles().zip(&parts.of_triangle) {
        let [a, b, c] = triangle.corners.map(|corner| corner - model.ball.center);
        let (volume, noise) = &mut volumes[part as usize];
        *volume += a.dot(b.cross(c));
        *noise += a.length() * b.length() * c.length() * f64::EPSILON * (count + 16) as f64;
    }
    let is_right = |part: usize| {
        let (volume, noise) = volumes[part];
        let point = mesh.triangle(firsts[part]).corners[0];
        let others = mesh.iter_triangles().zip(&parts.of_triangle).filter(|(_, of)| **of as usize != part);
        let angles: f64 =
            if firsts.len() == 1 { 0.0 } else { others.map(|(t, _)| angle(t.corners, point)).sum() };
        let winding = angles / (4.0 * std::f64::consts::PI);
        let want = if volume > 0.0 { 0.0 } else { 1.0 };
        volume.abs() > noise && (winding - want).abs() < 1e-3
    };
    (0..firsts.len()).all(is_right)
}

/// The solid angle under which a triangle is seen (van Oosterom and Strackee 1983).
fn angle(corners: [DVec3; 3], from: DVec3) -> f64 {
    let [a, b, c] = corners.map(|corner| corner - from);
    let [x, y, z] = [a, b, c].map(DVec3::length);
    2.0 * a.dot(b.cross(c)).atan2(x * y * z + a.dot(b) * z + b.dot(c) * x + c.dot(a) * y)
}

/// Faces that are further from the hull's surface than this share of the size are not looked at for long.
const NEAR: f64 = 1e-9;

fn convex_within(model: &MeshModel) -> Option<f64> {
    let hull = model.hull()?.core().to_hull()?;
    if hull.dimension() < 3 {
        return None;
    }
    let volume = hull_volume(&hull);
    // A mesh that winds around its hull once fills it.
    if (model.mesh.signed_volume() - volume).abs() > 1e-6 * volume {
        return None;
    }
    let size = hull.vertices().iter().map(|v| v.abs().max_element()).fold(0.0, f64::max);
    let faces = HullFaces::new(&hull);
    let mut furthest: f64 = 0.0;
    for triangle in model.mesh.iter_triangles() {
        furthest = furthest.max(faces.off(&triangle.corners, NEAR * size)?);
    }
    Some(furthest + 1e-14 * size)
}

/// The faces of a hull around each of its corners.
pub(crate) struct HullFaces<'h> {
    hull: &'h Hull,
    around: Vec<Vec<u32>>,
}

impl<'h> HullFaces<'h> {
    pub(crate) fn new(hull: &'h Hull) -> Self {
        let mut around: Vec<Vec<u32>> = vec![Vec::new(); hull.vertices().len()];
        for (number, corners) in (0u32..).zip(hull.faces().iter()) {
            corners.iter().for_each(|&corner| around[corner as usize].push(number));
        }
        Self { hull, around }
    }

    /// How far a polygon reaches below the plane of the face that it is nearest to, rounded; `None` if that is found to
    /// be more than `near`. Beyond the plane counts as 0, so of polygons outside the hull too this is how deep they reach
    /// into it at most.
    pub(crate) fn off(&self, polygon: &[DVec3], near: f64) -> Option<f64> {
        let first = *polygon.first()?;
        let area: DVec3 = polygon[1..].windows(2).map(|w| (w[0] - first).cross(w[1] - first)).sum();
        let below = |face: &u32| {
            let face = *face as usize;
            let corner = self.hull.vertices()[self.hull.faces()[face][0] as usize];
            let normal = self.hull.normal(face);
            polygon.iter().map(|point| normal.dot(corner - point)).fold(0.0, f64::max)
        };
        let least_around = |direction: DVec3| {
            let corner = self.hull.furthest(direction);
            self.around[corner as usize].iter().map(below).fold(f64::INFINITY, f64::min)
        };
        let mut least = least_around(area);
        if least > near {
            least = least.min(least_around(first - self.hull.middle()));
        }
        // Polygons without area have no direction, and few faces need not be chosen from.
        if least > near && (area == DVec3::ZERO || self.hull.faces().len() <= 64) {
            least =
                (0..self.hull.faces().len() as u32).map(|face| below(&face)).fold(f64::INFINITY, f64::min);
        }
        (least <= near).then_some(least)
    }
}

pub(crate) fn hull_volume(hull: &Hull) -> f64 {
    let middle = hull.middle();
    let corner = |v: u32| hull.vertices()[v as usize] - middle;
    let of_face = |corners: &[u32]| {
        let first = corner(corners[0]);
        corners[1..].windows(2).map(|w| first.dot(corner(w[0]).cross(corner(w[1])))).sum::<f64>()
    };
    hull.faces().iter().map(of_face).sum::<f64>() / 6.0
}
