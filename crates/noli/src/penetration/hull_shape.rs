//! Distance of a mesh from its convex hull, and the faces of hulls.

use crate::model::MeshModel;
use glam::DVec3;
use noli_geom::Hull;

/// Returns a distance from the surface of their hull that all faces keep and wind around it; `None` without one.
///
/// Then the solid holds every point of the hull that is deeper than this: pushing the faces onto the hull's surface
/// passes no such point, so the mesh winds around it as often as around the whole.
pub(crate) fn convex_within(model: &MeshModel) -> Option<f64> {
    model.solid_properties().convex_within(|| search_convex_within(model))
}

/// Faces further from the hull's surface than this fraction of the size are rejected early.
const NEAR: f64 = 1e-9;

fn search_convex_within(model: &MeshModel) -> Option<f64> {
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
        furthest = furthest.max(faces.off(&triangle.vertices, NEAR * size)?);
    }
    Some(furthest + 1e-14 * size)
}

/// The faces of a hull around each of its vertices.
pub(crate) struct HullFaces<'h> {
    hull: &'h Hull,
    around: Vec<Vec<u32>>,
}

impl<'h> HullFaces<'h> {
    pub(crate) fn new(hull: &'h Hull) -> Self {
        let mut around: Vec<Vec<u32>> = vec![Vec::new(); hull.vertices().len()];
        for (number, vertices) in (0u32..).zip(hull.faces().iter()) {
            vertices.iter().for_each(|&vertex| around[vertex as usize].push(number));
        }
        Self { hull, around }
    }

    /// Returns the depth of a polygon below the plane of its nearest face, rounded; `None` if that is found to be
    /// more than `near`. Points beyond the plane count as 0, so this also bounds the depth of polygons outside the
    /// hull.
    pub(crate) fn off(&self, polygon: &[DVec3], near: f64) -> Option<f64> {
        let first = *polygon.first()?;
        let area: DVec3 = polygon[1..].windows(2).map(|w| (w[0] - first).cross(w[1] - first)).sum();
        let below = |face: &u32| {
            let face = *face as usize;
            let vertex = self.hull.vertices()[self.hull.faces()[face][0] as usize];
            let normal = self.hull.normal(face);
            polygon.iter().map(|point| normal.dot(vertex - point)).fold(0.0, f64::max)
        };
        let least_around = |direction: DVec3| {
            let vertex = self.hull.support_point(direction);
            self.around[vertex as usize].iter().map(below).fold(f64::INFINITY, f64::min)
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
    let vertex = |v: u32| hull.vertices()[v as usize] - middle;
    let of_face = |vertices: &[u32]| {
        let first = vertex(vertices[0]);
        vertices[1..].windows(2).map(|w| first.dot(vertex(w[0]).cross(vertex(w[1])))).sum::<f64>()
    };
    hull.faces().iter().map(of_face).sum::<f64>() / 6.0
}
