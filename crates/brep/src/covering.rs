//! Faces covered by patches.

use crate::boundary::{Edge, OrientedEdge};
use crate::curve::Curve;
use crate::face::{Extent, Face, on_left};
use crate::lens::Lens;
use crate::patch::Patch;
use crate::surface::Surface;
use crate::trim::trim;
use glam::DVec3;

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
            kind: surface.kind(),
            surface,
            same_sense,
            loops,
            name,
            gap: trimmed.gap,
            group: number,
            rounding: 0.0,
            is_simple: trimmed.simple,
            extent: Extent::default(),
            lenses: Vec::new(),
        };
        let vertices = trimmed.triangles.iter().flatten();
        let size = vertices.map(|c| face.surface.point(c.uv).abs().max_element()).fold(0.0, f64::max);
        let origin = face.surface.frame().map_or(0.0, |frame| frame.origin.abs().max_element());
        // A point is a sum of four products of rounded values: 64 roundings of the largest term are ample.
        face.rounding = (size + origin) * 2f64.powi(-47);
        let roots: Vec<Patch> =
            trimmed.triangles.iter().map(|&vertices| Patch::new(number, &face, edges, vertices)).collect();
        // Splitting a triangle leaves others where they are.
        face.lenses = roots.iter().flat_map(|patch| lenses(patch, &face, edges)).collect();
        let patches = refined(roots, &face, edges, size.max(f64::MIN_POSITIVE));
        if !patches.iter().all(|patch| patch.deviation.is_finite()) {
            return None;
        }
        face.extent = Extent::new(&face, &patches, edges);
        Some((face, patches))
    }

    /// Bound on the distance from the face of a point of one of its triangles, beyond the deviation of the triangle: the
    /// point may lie in a lens of another one. Only arcs are compared with triangles that have a curved side, which come
    /// close to any other one where they are small.
    pub(crate) fn lens_depth(&self, patch: &Patch, point: DVec3) -> f64 {
        let is_inner = patch.is_inner();
        let slack = 4.0 * self.rounding + self.gap;
        let lenses = self.lenses.iter().filter(|lens| is_inner || lens.arc.is_some());
        let depth = lenses.map(|lens| lens.depth(point, slack)).fold(0.0, f64::max);
        // Rounding alone is part of every bound.
        if depth <= 8.0 * self.rounding { 0.0 } else { depth }
    }
}

/// The lenses of the sides of a patch that may lie outside of its face.
fn lenses<'p>(patch: &'p Patch, face: &Face, edges: &'p [Edge]) -> impl Iterator<Item = Lens> + 'p {
    let is_flat = matches!(face.surface, Surface::Plane(_));
    (0..3).filter_map(move |k| {
        let side = patch.sides[k].filter(|side| is_flat && !side.straight)?;
        let curve = &edges[side.edge].curve;
        if patch.bends_out(k, curve) {
            return None;
        }
        let arc = match curve {
            Curve::Circle { frame, radius } if patch.is_arc(k, curve) => Some((frame.origin, *radius)),
            _ => None,
        };
        let chord = [patch.points[k], patch.points[(k + 1) % 3]];
        Some(Lens { chord, sagitta: curve.sagitta(side.from, side.to), arc })
    })
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
