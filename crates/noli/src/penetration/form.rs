//! What kind of solid a mesh bounds, found out once.

use crate::model::MeshModel;
use glam::DVec3;
use noli_geom::Hull;
use std::sync::OnceLock;

/// What a mesh is as a solid.
#[derive(Debug)]
pub(crate) struct Soundness {
    /// Every edge is passed as often one way as the other.
    pub(crate) closed: bool,
    /// All faces lie within this of the surface of their hull and wind around it; `None` if they do not.
    ///
    /// Then the solid holds every point of the hull that is deeper than this: pushing the faces onto the hull's surface
    /// passes no such point, so the mesh winds around it as often as around the whole.
    pub(crate) convex_within: Option<f64>,
    /// Whether it winds around every point once or not at all; found out when first asked for.
    winds_once: OnceLock<bool>,
}

impl Soundness {
    pub(super) fn winds_once(&self, model: &MeshModel) -> bool {
        *self.winds_once.get_or_init(|| self.closed && super::volume::winds_once(model))
    }
}

impl MeshModel {
    pub(crate) fn soundness(&self) -> &Soundness {
        self.soundness_or(|| {
            let closed = !self.mesh.is_empty() && self.mesh.is_closed();
            Soundness {
                closed,
                convex_within: if closed { convex_within(self) } else { None },
                winds_once: OnceLock::new(),
            }
        })
    }
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

    /// How far a polygon with its corners in the hull is off the face it is nearest to, rounded; `None` if that is
    /// more than `near`.
    pub(crate) fn off(&self, polygon: &[DVec3], near: f64) -> Option<f64> {
        let first = *polygon.first()?;
        let area: DVec3 = polygon[1..].windows(2).map(|w| (w[0] - first).cross(w[1] - first)).sum();
        let height = |face: &u32| {
            let face = *face as usize;
            let corner = self.hull.vertices()[self.hull.faces()[face][0] as usize];
            let normal = self.hull.normal(face);
            polygon.iter().map(|point| normal.dot(point - corner).abs()).fold(0.0, f64::max)
        };
        let corner = self.hull.furthest(area);
        let mut least = self.around[corner as usize].iter().map(height).fold(f64::INFINITY, f64::min);
        // Polygons without area have no direction, and few faces need not be chosen from.
        if least > near && (area == DVec3::ZERO || self.hull.faces().len() <= 64) {
            least =
                (0..self.hull.faces().len() as u32).map(|face| height(&face)).fold(f64::INFINITY, f64::min);
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
