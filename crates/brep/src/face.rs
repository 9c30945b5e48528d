//! A face: a trimmed part of a surface.

use crate::boundary::{Edge, OrientedEdge};
use crate::outline::{Ground, Outline};
use crate::surface::{Surface, SurfaceKind};
use glam::{DVec2, DVec3};

/// A face as it is given: surface, direction of its normal, loops, name.
#[derive(Clone, Debug)]
pub struct FaceSpec {
    /// Surface.
    pub surface: Surface,
    /// The outward normal is `S_u × S_v`; else its opposite.
    pub same_sense: bool,
    /// Loops with the face on their left, seen from outside; none for a whole sphere or torus.
    pub loops: Vec<Vec<OrientedEdge>>,
    /// Name; may be empty.
    pub name: String,
}

/// A face of a body.
#[derive(Clone, Debug)]
pub struct Face {
    /// Its surface.
    pub surface: Surface,
    /// Kind of its surface in the file; the surface may be a simpler one that it was recognised as.
    pub kind: SurfaceKind,
    /// The outward normal is `S_u × S_v`; else its opposite.
    pub same_sense: bool,
    /// Its boundary, as given.
    pub loops: Vec<Vec<OrientedEdge>>,
    /// Its name in the file; may be empty.
    pub name: String,
    /// Greatest distance of its edges from its surface, where they were compared.
    pub gap: f64,
    /// Its area, by quadrature.
    pub area: f64,
    /// Number of the face of the file that it is part of.
    pub(crate) group: u32,
    /// Rounding error of its points.
    pub(crate) rounding: f64,
    /// Range of the second parameter, and of the distance from an axis.
    pub(crate) extent: Extent,
    /// Its boundary in the parameters, if that is curved.
    pub(crate) outline: Outline,
}

/// Size of a face in its own coordinates.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Extent {
    /// Range of the second parameter.
    pub(crate) v: [f64; 2],
    /// A sphere around the face.
    pub(crate) center: DVec3,
    pub(crate) radius: f64,
}

impl Face {
    /// Its surface and the edges around it.
    pub(crate) fn ground<'f>(&'f self, edges: &'f [Edge]) -> Ground<'f> {
        Ground { surface: &self.surface, edges, rounding: self.rounding, gap: self.gap }
    }

    /// A point of the face at the parameters of one of its triangles, or on its boundary near them and toward a target,
    /// with a bound on its error. `None` if neither is proven.
    pub(crate) fn land(&self, edges: &[Edge], uv: DVec2, target: DVec3) -> Option<(DVec3, f64)> {
        if self.outline.is_empty() {
            return Some((self.surface.point(uv), 0.0));
        }
        self.outline.land(&self.ground(edges), uv, target)
    }

    /// Distance-like function of the surface, positive outside the body near the face.
    pub(crate) fn outside(&self, point: DVec3) -> Option<f64> {
        let side = self.surface.side(point)?;
        Some(if self.same_sense { side } else { -side })
    }
}

/// Loops with the face on their left, seen against `S_u × S_v`.
pub(crate) fn on_left(loops: &[Vec<OrientedEdge>], same_sense: bool) -> Vec<Vec<OrientedEdge>> {
    let turned = |ring: &Vec<OrientedEdge>| match same_sense {
        true => ring.clone(),
        false => ring.iter().rev().map(|&(edge, forward)| (edge, !forward)).collect(),
    };
    loops.iter().filter(|ring| !ring.is_empty()).map(turned).collect()
}
