//! A face: a trimmed part of a surface.

use crate::patch::Patch;
use crate::profile::Extent;
use crate::surface::Surface;
use crate::trim::{Edge, OrientedEdge, Trimmed, trim};
use glam::{DVec2, DVec3};

/// A face of a body.
#[derive(Clone, Debug)]
pub struct Face {
    /// Its surface.
    pub surface: Surface,
    /// The outward normal is `S_u × S_v`; else its opposite.
    pub same_sense: bool,
    /// Its boundary, as given.
    pub loops: Vec<Vec<OrientedEdge>>,
    /// Its name in the file; may be empty.
    pub name: String,
    /// Greatest distance of its edges from its surface, where they were compared.
    pub gap: f64,
    /// Rounding error of its points.
    pub(crate) rounding: f64,
    /// Its patches overlap nowhere and stay inside its boundary.
    pub(crate) is_simple: bool,
    /// Range of the second parameter, and of the distance from an axis.
    pub(crate) extent: Extent,
}

impl Face {
    /// The face on a surface within loops that run counter-clockwise seen from outside, with its patches. `None` if the
    /// loops do not bound a part of the surface.
    pub(crate) fn new(
        number: u32,
        surface: Surface,
        same_sense: bool,
        loops: Vec<Vec<OrientedEdge>>,
        name: String,
        edges: &[Edge],
    ) -> Option<(Self, Vec<Patch>)> {
        let trimmed = trim(&surface, edges, &on_left(&loops, same_sense))?;
        let mut face = Self {
            surface,
            same_sense,
            loops,
            name,
            gap: trimmed.gap,
            rounding: 0.0,
            is_simple: trimmed.simple,
            extent: Extent::default(),
        };
        let corners = trimmed.triangles.iter().flatten();
        let size = corners.map(|c| face.surface.point(c.uv).abs().max_element()).fold(0.0, f64::max);
        let origin = face.surface.frame().map_or(0.0, |frame| frame.origin.abs().max_element());
        // A point is a sum of four products of rounded values: 64 roundings of the largest term are ample.
        face.rounding = (size + origin) * 2f64.powi(-47);
        let roots = trimmed.triangles.iter().map(|&corners| Patch::new(number, &face, edges, corners));
        let patches = refined(roots.collect(), &face, edges, size.max(f64::MIN_POSITIVE));
        if !patches.iter().all(|patch| patch.deviation.is_finite()) {
            return None;
        }
        face.extent = Extent::new(&face, &patches);
        Some((face, patches))
    }

    /// Its coarsest triangles.
    pub(crate) fn trimmed(&self, edges: &[Edge]) -> Option<Trimmed> {
        trim(&self.surface, edges, &on_left(&self.loops, self.same_sense))
    }

    /// Returns `true` if its patches overlap nowhere: its boundary does not cross itself in the parameters.
    pub fn is_simple(&self) -> bool {
        self.is_simple
    }

    /// Distance-like function of the surface, positive outside the body near the face.
    pub(crate) fn outside(&self, point: DVec3) -> Option<f64> {
        let side = self.surface.side(point)?;
        Some(if self.same_sense { side } else { -side })
    }

    /// The parameters of a point near given ones, on the same sheet of a periodic surface.
    pub(crate) fn near_parameters(&self, point: DVec3, near: DVec2) -> DVec2 {
        let mut uv = self.surface.parameters(point, Some(near));
        for (k, period) in self.surface.periods().into_iter().enumerate() {
            if let Some(period) = period {
                uv[k] -= ((uv[k] - near[k]) / period).round() * period;
            }
        }
        uv
    }
}

/// Loops with the face on their left, seen against `S_u × S_v`.
fn on_left(loops: &[Vec<OrientedEdge>], same_sense: bool) -> Vec<Vec<OrientedEdge>> {
    let turned = |ring: &Vec<OrientedEdge>| match same_sense {
        true => ring.clone(),
        false => ring.iter().rev().map(|&(edge, forward)| (edge, !forward)).collect(),
    };
    loops.iter().filter(|ring| !ring.is_empty()).map(turned).collect()
}

/// Splits the coarsest patches, so that searches begin with reasonable triangles.
fn refined(mut patches: Vec<Patch>, face: &Face, edges: &[Edge], size: f64) -> Vec<Patch> {
    let extent = patches.iter().flat_map(|p| p.points);
    let (low, high) = extent.fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(l, h), p| (l.min(p), h.max(p)));
    let span = if low.x <= high.x { (high - low).length() } else { size };
    let fine = 0.02 * span + 2.0 * face.gap + face.rounding;
    let most = 4 * patches.len() + 256;
    let mut at = 0;
    while at < patches.len() && patches.len() < most {
        if patches[at].deviation > fine {
            let [a, b] = patches[at].split(face, edges);
            patches[at] = a;
            patches.push(b);
        } else {
            at += 1;
        }
    }
    patches
}
