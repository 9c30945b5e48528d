//! Patches: triangles with a proven deviation, which can be split without end.
//!
//! A patch is the part of a face over a triangle of parameters; a side of it may be a piece of an edge. Linear
//! interpolation of a surface over a triangle errs by at most
//! `(|S_uu| Δu² + 2 |S_uv| Δu Δv + |S_vv| Δv²) / 8` with the extents of the triangle (Filip, Magedson & Markot 1986). The
//! part between a curved side and its chord adds the distance of the two, which is bounded in [`crate::bulge`].

use crate::boundary::{Edge, LoopVertex, Side};
use crate::bulge::{Strip, bulge};
use crate::curve::Curve;
use crate::face::Face;
use crate::lens::Lens;
use crate::outline::{Membership, Region};
use crate::spline::SurfaceSlopes;
use crate::surface::Surface;
use glam::{DVec2, DVec3};
use noli_geom::Aabb;

/// A part of a face near a triangle: no point of it is further from the triangle than `deviation`, and no point of the
/// triangle further from the face.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patch {
    pub(crate) face: u32,
    pub(crate) uv: [DVec2; 3],
    pub(crate) points: [DVec3; 3],
    pub(crate) sides: [Option<Side>; 3],
    pub(crate) deviation: f64,
    /// No point of the part is further from the triangle than this, which may be less than the deviation: the boundary
    /// of a hole in a plane passes inside its triangles.
    pub(crate) outward: f64,
    /// Sides of other patches may reach into it: a point of its triangle may be further from the face.
    pub(crate) is_crossed: bool,
}

impl Patch {
    pub(crate) fn new(number: u32, face: &Face, edges: &[Edge], vertices: [LoopVertex; 3]) -> Self {
        let uv = vertices.map(|vertex| vertex.uv);
        let points = uv.map(|uv| face.surface.point(uv));
        let sides = vertices.map(|vertex| vertex.side);
        let mut patch =
            Self { face: number, uv, points, sides, deviation: 0.0, outward: 0.0, is_crossed: false };
        patch.deviation = patch.bound(face, edges);
        patch.outward = patch.outward(face, edges).unwrap_or(patch.deviation);
        patch
    }

    fn extent(&self) -> [DVec2; 2] {
        let [a, b, c] = self.uv;
        [a.min(b).min(c), a.max(b).max(c)]
    }

    fn bound(&self, face: &Face, edges: &[Edge]) -> f64 {
        let [low, high] = self.extent();
        let flat = matches!(face.surface, Surface::Plane(_));
        let mut widest = DVec2::ZERO;
        let mut lens = 0.0f64;
        for k in 0..3 {
            let Some(side) = self.sides[k] else { continue };
            lens = lens.max(face.gap);
            if side.straight {
                continue;
            }
            if flat {
                lens = lens.max(edges[side.edge].curve.sagitta(side.from, side.to) + face.gap);
                continue;
            }
            let ends = [self.uv[k], self.uv[(k + 1) % 3]];
            let strip = Strip::new(&face.surface, edges, side, ends);
            widest = widest.max(strip.width);
            lens = lens.max(strip.across + face.gap);
        }
        let slopes = face.surface.slopes(low - widest, high + widest);
        let size = high - low;
        let room = 1.0 + 2f64.powi(-40);
        let lens = lens + slopes.u * widest.x + slopes.v * widest.y;
        (quadratic(&slopes, size) / 8.0 + lens) * room + face.rounding
    }

    /// Bound on the distance of the part from the triangle, if it lies in a plane and its curved sides are arcs.
    fn outward(&self, face: &Face, edges: &[Edge]) -> Option<f64> {
        let Surface::Plane(_) = face.surface else { return None };
        let mut outward = 0.0f64;
        for k in 0..3 {
            let Some(side) = self.sides[k] else { continue };
            outward = outward.max(face.gap);
            if side.straight {
                continue;
            }
            let curve = &edges[side.edge].curve;
            // An arc that bends toward the third vertex stays within the triangle or leaves it by other sides.
            if !self.is_arc(k, curve) || self.bends_out(k, curve) {
                outward = outward.max(curve.sagitta(side.from, side.to) + face.gap);
            }
        }
        Some(outward * (1.0 + 2f64.powi(-40)) + face.rounding)
    }

    /// Returns `true` if a side is an arc of less than half a turn.
    pub(crate) fn is_arc(&self, k: usize, curve: &Curve) -> bool {
        matches!(curve, Curve::Circle { .. } | Curve::Ellipse { .. })
            && self.sides[k].is_some_and(|side| (side.to - side.from).abs() < std::f64::consts::PI)
    }

    /// Returns `true` if a side is an arc that does not bend toward the third vertex.
    pub(crate) fn bends_out(&self, k: usize, curve: &Curve) -> bool {
        let Some(side) = self.sides[k].filter(|_| self.is_arc(k, curve)) else { return false };
        let middle = curve.point((side.from + side.to) * 0.5);
        let (a, b, c) = (self.points[k], self.points[(k + 1) % 3], self.points[(k + 2) % 3]);
        let normal = (b - a).cross(c - a);
        normal.cross(b - a).dot(middle - a) <= 0.0
    }

    /// Both halves, parted at the side that contributes most to the deviation.
    pub(crate) fn split(&self, face: &Face, edges: &[Edge]) -> [Self; 2] {
        let worst = self.worst_side(face, edges);
        let halves = self.halves(worst, face, edges);
        if self.is_crossed {
            return halves.map(|half| Self { is_crossed: true, ..half });
        }
        if self.is_inner() || face.outline.is_empty() || are_parted(&halves, face, edges) {
            return halves;
        }
        // A side that bends across the cut is halved first.
        let is_curved = |k: &usize| self.sides[*k].is_some_and(|side| !side.straight);
        let others = (0..3).filter(|&k| k != worst).filter(is_curved);
        let mut found = others.map(|k| self.halves(k, face, edges));
        let found = found.find(|halves| are_parted(halves, face, edges));
        found.unwrap_or_else(|| halves.map(|half| Self { is_crossed: true, ..half }))
    }

    /// How it lies with respect to its face.
    pub(crate) fn membership(&self, face: &Face, edges: &[Edge]) -> Membership {
        match self.is_crossed {
            true => face.outline.membership(&face.ground(edges), &self.sides, &self.region()),
            false => Membership::Inside,
        }
    }

    /// The lens of a curved side.
    fn lens(&self, k: usize, face: &Face, edges: &[Edge]) -> Option<Lens> {
        let chord = [self.uv[k], self.uv[(k + 1) % 3]];
        let slack = face.gap + 8.0 * face.rounding;
        bulge(&face.surface, edges, self.sides[k]?, chord).lens(&face.surface, chord, slack)
    }

    /// Its triangle of parameters and a sphere around it.
    pub(crate) fn region(&self) -> Region {
        let (center, radius) = self.sphere();
        Region { triangle: self.uv, center, radius }
    }

    /// Both halves, parted in the middle of a side.
    fn halves(&self, k: usize, face: &Face, edges: &[Edge]) -> [Self; 2] {
        let (i, j, l) = (k, (k + 1) % 3, (k + 2) % 3);
        let middle = (self.uv[i] + self.uv[j]) * 0.5;
        let (uv, sides) = match self.sides[k] {
            None => (middle, [None, None]),
            Some(side) => {
                let t = (side.from + side.to) * 0.5;
                let uv = if side.straight
                    && !matches!(face.surface, Surface::Revolution { .. } | Surface::Extrusion { .. })
                {
                    self.on_straight(edges[side.edge].curve.point(t), middle, face, i, j)
                } else {
                    face.surface.near_parameters(edges[side.edge].curve.point(t), middle)
                };
                (uv, [Some(Side { to: t, ..side }), Some(Side { from: t, ..side })])
            }
        };
        let vertex = |uv: DVec2, side: Option<Side>| LoopVertex { uv, side };
        [
            [vertex(self.uv[i], sides[0]), vertex(uv, None), vertex(self.uv[l], self.sides[l])],
            [vertex(uv, sides[1]), vertex(self.uv[j], self.sides[j]), vertex(self.uv[l], None)],
        ]
        .map(|vertices| Self::new(self.face, face, edges, vertices))
    }

    /// The parameters of a point of a side along which one parameter is constant: that one is kept.
    fn on_straight(&self, point: DVec3, middle: DVec2, face: &Face, i: usize, j: usize) -> DVec2 {
        if matches!(face.surface, Surface::Plane(_)) {
            return middle;
        }
        let mut uv = face.surface.near_parameters(point, middle);
        let d = (self.uv[i] - self.uv[j]).abs();
        let constant = usize::from(d.y < d.x);
        uv[constant] = middle[constant];
        uv
    }

    fn worst_side(&self, face: &Face, edges: &[Edge]) -> usize {
        let [low, high] = self.extent();
        let slopes = face.surface.slopes(low, high);
        let weight = |k: usize| {
            let size = (self.uv[k] - self.uv[(k + 1) % 3]).abs();
            let length = self.points[k].distance(self.points[(k + 1) % 3]);
            let curved = self.sides[k].filter(|side| !side.straight).map_or(0.0, |side| {
                let curve: &Curve = &edges[side.edge].curve;
                8.0 * curve.sagitta(side.from, side.to)
            });
            // Flat patches are parted at their longest side.
            (quadratic(&slopes, size) + curved, length)
        };
        (0..3)
            .map(|k| (weight(k), k))
            .fold(((-1.0, -1.0), 0), |best, next| if next.0 > best.0 { next } else { best })
            .1
    }

    /// Returns `true` if its triangle of parameters holds a point.
    pub(crate) fn holds(&self, uv: DVec2) -> bool {
        let [a, b, c] = self.uv;
        let turns = [(b - a).perp_dot(uv - a), (c - b).perp_dot(uv - b), (a - c).perp_dot(uv - c)];
        turns.iter().all(|&t| t >= 0.0) || turns.iter().all(|&t| t <= 0.0)
    }

    /// The parameters of a point of its triangle, which may be moved.
    pub(crate) fn parameters_at(&self, triangle: &[DVec3; 3], point: DVec3) -> DVec2 {
        let [a, b, c] = *triangle;
        let (u, v, w) = (b - a, c - a, point - a);
        let (uu, uv, vv) = (u.dot(u), u.dot(v), v.dot(v));
        let (wu, wv) = (w.dot(u), w.dot(v));
        let determinant = uu * vv - uv * uv;
        let (mut s, mut t) = ((vv * wu - uv * wv) / determinant, (uu * wv - uv * wu) / determinant);
        if !(s.is_finite() && t.is_finite()) {
            (s, t) = (1.0 / 3.0, 1.0 / 3.0);
        }
        (s, t) = (s.clamp(0.0, 1.0), t.clamp(0.0, 1.0));
        let sum = s + t;
        if sum > 1.0 {
            (s, t) = (s / sum, t / sum);
        }
        self.uv[0] + (self.uv[1] - self.uv[0]) * s + (self.uv[2] - self.uv[0]) * t
    }

    /// All points over its triangle belong to the face.
    pub(crate) fn is_whole(&self) -> bool {
        !self.is_crossed && self.is_inner()
    }

    /// The middle of the triangle of parameters: a point of the face if no side is curved.
    pub(crate) fn middle(&self) -> DVec2 {
        (self.uv[0] + self.uv[1] + self.uv[2]) / 3.0
    }

    /// No side is a curve that may cut into the triangle.
    pub(crate) fn is_inner(&self) -> bool {
        self.sides.iter().flatten().all(|side| side.straight)
    }

    /// Deviation below which little is gained by halves: rounding, and the distance of its edges from its surface.
    pub(crate) fn finest(&self, face: &Face) -> f64 {
        let has_gap = self.sides.iter().any(Option::is_some) || self.is_crossed;
        let gap = if has_gap { face.gap } else { 0.0 };
        4.0 * face.rounding + 2.0 * gap
    }

    /// A box around the patch.
    pub(crate) fn bounds(&self) -> Aabb {
        Aabb::from_points(self.points).expanded(self.outward)
    }

    /// A sphere around the patch.
    pub(crate) fn sphere(&self) -> (DVec3, f64) {
        let [a, b, c] = self.points;
        let center = (a.min(b).min(c) + a.max(b).max(c)) * 0.5;
        let radius = self.points.map(|p| p.distance(center)).into_iter().fold(0.0, f64::max);
        (center, (radius + self.deviation) * (1.0 + 2f64.powi(-40)))
    }
}

/// Returns `true` if the curved sides of both halves of a patch, `[i, q, l]` and `[q, j, l]`, certainly stay on their side
/// of the line between `q` and `l`.
fn are_parted(halves: &[Patch; 2], face: &Face, edges: &[Edge]) -> bool {
    let (line, end) = (halves[1].uv[0], halves[1].uv[2]);
    let axis = (end - line).perp();
    let far = [halves[0].uv[0], halves[1].uv[1]].map(|vertex| axis.dot(vertex - line));
    let are_opposite = far[0] * far[1] < 0.0;
    if !are_opposite {
        return false;
    }
    let away = axis * -far[0].signum();
    [(&halves[0], away), (&halves[1], -away)].into_iter().all(|(half, away)| {
        let curved = (0..3).filter(|&k| half.sides[k].is_some_and(|side| !side.straight));
        let mut lenses = curved.map(|k| half.lens(k, face, edges));
        lenses.all(|lens| lens.is_some_and(|lens| lens.is_behind(line, away)))
    })
}

fn quadratic(slopes: &SurfaceSlopes, size: DVec2) -> f64 {
    slopes.uu * size.x * size.x + 2.0 * slopes.uv * size.x * size.y + slopes.vv * size.y * size.y
}
