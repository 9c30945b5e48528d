//! Faces covered by patches.

use crate::boundary::Trimmed;
use crate::boundary::{Edge, OrientedEdge};
use crate::face::{Extent, Face, on_left};
use crate::outline::Outline;
use crate::patch::Patch;
use crate::region::{self, FaceFault};
use crate::surface::Surface;
use crate::trim::trim;
use glam::DVec3;
use std::collections::{BTreeMap, BTreeSet};

/// Most times that edges which reach into triangles of other sides are cut into pieces half as long.
const MAX_ROUNDS: usize = 4;
/// Most triangles of a face whose edges are cut into shorter pieces, if parameters are found by iteration.
const MAX_FREE_FORM: usize = 64;

/// Patches that cover a face.
struct Cover {
    patches: Vec<Patch>,
    outline: Outline,
    /// Edges that reach into triangles of other sides.
    crossing: BTreeSet<usize>,
}

impl Cover {
    /// Size of the patches that sides of others reach into.
    fn crossed(&self) -> f64 {
        let crossed = self.patches.iter().filter(|patch| patch.is_crossed);
        crossed.map(|patch| patch.sphere().1).sum()
    }
}

impl Face {
    /// The face on a surface within loops that run counter-clockwise seen from outside, with its patches, if its region is
    /// certified.
    pub(crate) fn new(
        number: u32,
        surface: Surface,
        same_sense: bool,
        loops: Vec<Vec<OrientedEdge>>,
        name: String,
        edges: &[Edge],
    ) -> Result<(Self, Vec<Patch>), FaceFault> {
        let trimmed = trim(&surface, edges, &on_left(&loops, same_sense), &BTreeMap::new())?;
        let mut face = Self {
            kind: surface.kind(),
            same_sense,
            loops,
            name,
            gap: trimmed.gap,
            area: region::area(&surface, edges, &trimmed),
            group: number,
            rounding: 0.0,
            surface,
            extent: Extent::default(),
            outline: Outline::default(),
        };
        let vertices = trimmed.triangles.iter().flatten();
        let size = vertices.map(|c| face.surface.point(c.uv).abs().max_element()).fold(0.0, f64::max);
        let origin = face.surface.frame().map_or(0.0, |frame| frame.origin.abs().max_element());
        // A point is a sum of four products of rounded values: 64 roundings of the largest term are ample.
        face.rounding = (size + origin) * 2f64.powi(-47);
        let Cover { patches: roots, outline, .. } = face.finest_cover(&trimmed, number, edges);
        face.outline = outline;
        let patches = refined(roots, &face, edges, size.max(f64::MIN_POSITIVE));
        if !patches.iter().all(|patch| patch.deviation.is_finite()) {
            return Err(FaceFault::Unbounded);
        }
        face.extent = Extent::new(&face, &patches, edges);
        Ok((face, patches))
    }

    /// The patches of triangles, or of finer ones: sides in short pieces stay within their own triangles, except where they
    /// touch each other.
    fn finest_cover(&mut self, trimmed: &Trimmed, number: u32, edges: &[Edge]) -> Cover {
        let mut best = self.cover(trimmed, number, edges);
        let (mut finer, mut crossing) = (BTreeMap::new(), best.crossing.clone());
        for _ in 0..MAX_ROUNDS {
            let is_free_form = self.surface.frame().is_none();
            if crossing.is_empty() || (is_free_form && best.patches.len() > MAX_FREE_FORM) {
                break;
            }
            crossing.iter().for_each(|&edge| *finer.entry(edge).or_insert(1) *= 2);
            let Ok(trimmed) = trim(&self.surface, edges, &on_left(&self.loops, self.same_sense), &finer)
            else {
                break;
            };
            if trimmed.triangles.len() > 4 * best.patches.len() + 256 {
                break;
            }
            self.gap = self.gap.max(trimmed.gap);
            let cover = self.cover(&trimmed, number, edges);
            crossing.clone_from(&cover.crossing);
            if cover.crossed() < 0.9 * best.crossed() {
                best = cover;
            }
        }
        best
    }

    /// The patches of triangles, and how they lie with respect to the face.
    fn cover(&self, trimmed: &Trimmed, number: u32, edges: &[Edge]) -> Cover {
        let patches = trimmed.triangles.iter().map(|&vertices| Patch::new(number, self, edges, vertices));
        let mut patches: Vec<Patch> = patches.collect();
        let outline = Outline::new(&self.ground(edges), &trimmed.triangles);
        let regions: Vec<_> = patches.iter().map(Patch::region).collect();
        let crossings = outline.crossings(&regions);
        crossings.triangles.iter().for_each(|&crossed| patches[crossed].is_crossed = true);
        Cover { patches, outline, crossing: crossings.edges }
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curve::Curve;
    use crate::frame::Frame;
    use crate::outline::Membership;
    use noli_testing::Random;
    use std::f64::consts::TAU;

    /// The section of the cylinder of radius 1 by the plane `z = height + slope · x`, by the angle.
    fn section(height: f64, slope: f64) -> Edge {
        let along = DVec3::new(1.0, 0.0, slope);
        let x = along.normalize();
        let frame = Frame { origin: DVec3::Z * height, x, y: DVec3::Y, z: x.cross(DVec3::Y) };
        Edge::new(Curve::Ellipse { frame, major: along.length(), minor: 1.0 }, 0.0, TAU)
    }

    fn nearest(edges: &[Edge], point: DVec3) -> f64 {
        let at = |edge: &Edge, t: f64| edge.curve.point(t).distance(point);
        let along = |edge: &Edge| {
            let best = (0..256).map(|k| f64::from(k) * TAU / 256.0);
            let best = best.min_by(|s, t| at(edge, *s).total_cmp(&at(edge, *t))).unwrap();
            let (mut low, mut high) = (best - TAU / 256.0, best + TAU / 256.0);
            for _ in 0..60 {
                let (left, right) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
                if at(edge, left) < at(edge, right) { high = right } else { low = left }
            }
            at(edge, low)
        };
        edges.iter().map(along).fold(f64::INFINITY, f64::min)
    }

    /// Rounding of points and of the search for the nearest point of an edge; the bodies have a size of a few units.
    const ROUNDING: f64 = 1e-9;

    /// Splits patches at random. No point of the triangle of one that is inside is further from the face than its
    /// deviation, and no point over one that is outside belongs to it.
    fn check(
        surface: Surface,
        edges: &[Edge],
        holds: impl Fn(DVec3) -> bool,
        random: &mut Random,
    ) -> [usize; 3] {
        let loops = (0..edges.len()).map(|edge| vec![(edge, edge == 0)]).collect();
        let (face, roots) = Face::new(0, surface, true, loops, String::new(), edges).unwrap();
        let mut counts = [0; 3];
        for _ in 0..300 {
            let mut patch = roots[random.index(roots.len())];
            for _ in 0..random.index(10) {
                patch = patch.split(&face, edges)[random.index(2)];
            }
            let (s, t) = (random.real().abs(), random.real().abs());
            let (s, t) = if s + t > 1.0 { (s / (s + t), t / (s + t)) } else { (s, t) };
            let uv = patch.uv[0] + (patch.uv[1] - patch.uv[0]) * s + (patch.uv[2] - patch.uv[0]) * t;
            let flat = patch.points[0]
                + (patch.points[1] - patch.points[0]) * s
                + (patch.points[2] - patch.points[0]) * t;
            let over = face.surface.point(uv);
            let rim = nearest(edges, flat);
            match patch.membership(&face, edges) {
                Membership::Inside => {
                    let inner = if holds(over) { over.distance(flat) } else { f64::INFINITY };
                    assert!(inner.min(rim) <= patch.deviation + ROUNDING, "{patch:?} {over}");
                    counts[0] += 1;
                }
                Membership::Outside => {
                    assert!(!holds(over) || rim < ROUNDING, "{patch:?} {over}");
                    counts[2] += 1;
                }
                Membership::Crossed(_) => counts[1] += 1,
            }
            if let Some((landed, error)) = face.land(edges, uv, flat) {
                assert!(holds(landed) || nearest(edges, landed) <= error + ROUNDING, "{uv} {landed}");
            }
        }
        counts
    }

    #[test]
    fn patches_inside_belong_to_their_face() {
        let mut random = Random::new(3838);
        let mut counts = [0; 3];
        let mut add = |found: [usize; 3]| (0..3).for_each(|k| counts[k] += found[k]);
        for _ in 0..12 {
            // A cylinder between two planes that come close to each other.
            let (low, high) = (random.between(-0.9, 0.9), random.between(-0.9, 0.9));
            let room = (high - low).abs() + random.between(0.01, 0.3);
            let edges = [section(0.0, low), section(room, high)];
            let holds = |p: DVec3| p.z >= low * p.x && p.z <= room + high * p.x;
            let cylinder = Surface::Cylinder { frame: Frame::WORLD, radius: 1.0 };
            add(check(cylinder, &edges, holds, &mut random));
            // A disc with holes close to each other.
            let between = random.between(0.005, 0.2);
            let circle = |x: f64, radius: f64| {
                Edge::new(Curve::Circle { frame: Frame::at(DVec3::X * x), radius }, 0.0, TAU)
            };
            let off = 0.4 + 0.5 * between;
            let rim = 0.8 + 2.0 * between;
            let edges = [circle(0.0, rim), circle(off, 0.4), circle(-off, 0.4)];
            let holds =
                |p: DVec3| p.length() <= rim && [off, -off].iter().all(|x| p.distance(DVec3::X * *x) >= 0.4);
            add(check(Surface::Plane(Frame::WORLD), &edges, holds, &mut random));
        }
        assert!(counts[0] > 5000, "{counts:?}");
    }
}
