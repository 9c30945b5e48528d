//! Faces covered by patches.

use crate::boundary::{Edge, OrientedEdge};
use crate::face::{Extent, Face, on_left};
use crate::outline::{Membership, Outline};
use crate::patch::Patch;
use crate::surface::Surface;
use crate::trim::{DENSITIES, Trimmed, trim};
use glam::DVec3;

/// Most triangles of a face whose boundary is cut into shorter pieces: each is compared with all of them.
const MAX_DENSE: usize = 256;

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
        let trimmed = trim(&surface, edges, &on_left(&loops, same_sense), 1)?;
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
            outline: Outline::default(),
        };
        let vertices = trimmed.triangles.iter().flatten();
        let size = vertices.map(|c| face.surface.point(c.uv).abs().max_element()).fold(0.0, f64::max);
        let origin = face.surface.frame().map_or(0.0, |frame| frame.origin.abs().max_element());
        // A point is a sum of four products of rounded values: 64 roundings of the largest term are ample.
        face.rounding = (size + origin) * 2f64.powi(-47);
        let mut roots = face.cover(&trimmed, number, edges);
        let mut crossed = depth_of(&roots);
        // Sides in short pieces stay within their own triangles, except where they touch each other.
        for density in DENSITIES.into_iter().skip(1) {
            if crossed == 0.0 || !face.is_simple || roots.len() > MAX_DENSE {
                break;
            }
            let finer = trim(&face.surface, edges, &on_left(&face.loops, same_sense), density)?;
            let before = face.outline.clone();
            face.gap = face.gap.max(finer.gap);
            let patches = face.cover(&finer, number, edges);
            let depth = depth_of(&patches);
            if finer.simple && depth < 0.5 * crossed {
                (roots, crossed) = (patches, depth);
            } else {
                face.outline = before;
            }
        }
        let patches = refined(roots, &face, edges, size.max(f64::MIN_POSITIVE));
        if !patches.iter().all(|patch| patch.deviation.is_finite()) {
            return None;
        }
        face.extent = Extent::new(&face, &patches, edges);
        Some((face, patches))
    }

    /// Takes triangles as those that cover the face, and returns their patches.
    fn cover(&mut self, trimmed: &Trimmed, number: u32, edges: &[Edge]) -> Vec<Patch> {
        self.outline = Outline::new(&self.ground(edges), &trimmed.triangles);
        let patches = trimmed.triangles.iter().map(|&vertices| {
            let mut patch = Patch::new(number, self, edges, vertices);
            patch.classify(self, edges, Membership::Crossed(0.0));
            patch
        });
        patches.collect()
    }
}

/// How far sides reach into other triangles, in all.
fn depth_of(patches: &[Patch]) -> f64 {
    let depth = |patch: &Patch| match patch.membership {
        Membership::Crossed(depth) if depth >= patch.sphere().1 => depth,
        _ => 0.0,
    };
    patches.iter().map(depth).sum()
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
