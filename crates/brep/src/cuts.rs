//! Where the edges of a body are cut, whatever face they are seen from.
//!
//! A face needs the ends of the pieces that its boundary was followed in, and halves of them as long as its surface
//! bows away from the chord along a piece, or the piece leaves it in the parameters: an edge that is straight in space may
//! run along a bent surface.

use crate::body::Brep;
use crate::boundary::{LoopVertex, Side};
use crate::bulge::Strip;
use crate::surface::Surface;
use crate::trim::Trimmed;
use glam::DVec2;

/// Most halvings of a piece.
const DEEPEST: u32 = 10;
/// Shortest distance of two cuts, as a share of the edge.
const APART: f64 = 1e-12;

/// Parameters of the cuts of every edge, ascending.
pub(crate) struct Cuts {
    of_edges: Vec<Vec<f64>>,
    /// Shortest distances of two cuts.
    apart: Vec<f64>,
}

impl Cuts {
    pub(crate) fn new(body: &Brep, trimmed: &[Option<Trimmed>], chord: f64) -> Self {
        let apart = body.edges.iter().map(|edge| APART * (edge.to - edge.from).abs()).collect();
        let mut cuts = Self { of_edges: vec![Vec::new(); body.edges.len()], apart };
        for (face, trimmed) in body.faces.iter().zip(trimmed) {
            let triangles = trimmed.iter().flat_map(|found| &found.triangles);
            for triangle in triangles {
                for k in 0..3 {
                    let LoopVertex { uv, side: Some(side) } = triangle[k] else { continue };
                    cuts.of_edges[side.edge].extend([side.from, side.to]);
                    let ends = [uv, triangle[(k + 1) % 3].uv];
                    cuts.halve(body, &face.surface, side, ends, (chord, DEEPEST));
                }
            }
        }
        for of_edge in &mut cuts.of_edges {
            of_edge.sort_by(f64::total_cmp);
            of_edge.dedup();
        }
        cuts
    }

    /// Adds cuts until the surface bows by no more than a chord along the pieces, nor do they leave their chords by more.
    fn halve(
        &mut self,
        body: &Brep,
        surface: &Surface,
        side: Side,
        [a, b]: [DVec2; 2],
        (chord, depth): (f64, u32),
    ) {
        let is_near = || {
            let strip = |side| Strip::new(surface, &body.edges, side, [a, b]).size(surface, [a, b]);
            bow(surface, a, b) <= chord && (side.straight || strip(side) <= chord)
        };
        if depth == 0 || matches!(surface, Surface::Plane(_)) || is_near() {
            return;
        }
        let t = (side.from + side.to) * 0.5;
        self.of_edges[side.edge].push(t);
        let middle = surface.near_parameters(body.edges[side.edge].curve.point(t), (a + b) * 0.5);
        let deeper = (chord, depth - 1);
        self.halve(body, surface, Side { to: t, ..side }, [a, middle], deeper);
        self.halve(body, surface, Side { from: t, ..side }, [middle, b], deeper);
    }

    /// The cut nearest to the middle of a side, if one lies within it.
    pub(crate) fn within(&self, side: &Side) -> Option<f64> {
        let (of_edge, apart) = (&self.of_edges[side.edge], self.apart[side.edge]);
        let (low, high) = (side.from.min(side.to) + apart, side.from.max(side.to) - apart);
        let middle = (low + high) * 0.5;
        let after = of_edge.partition_point(|&t| t < middle);
        let near = [after.checked_sub(1), Some(after)].into_iter().flatten();
        near.filter_map(|k| of_edge.get(k).copied())
            .filter(|&t| low < t && t < high)
            .min_by(|s, t| (s - middle).abs().total_cmp(&(t - middle).abs()))
    }
}

/// A bound on the distance of a surface over a segment of parameters from the chord of its ends.
pub(crate) fn bow(surface: &Surface, a: DVec2, b: DVec2) -> f64 {
    let (low, high) = (a.min(b), a.max(b));
    let (slopes, size) = (surface.slopes(low, high), high - low);
    (slopes.uu * size.x * size.x + 2.0 * slopes.uv * size.x * size.y + slopes.vv * size.y * size.y) / 8.0
}
