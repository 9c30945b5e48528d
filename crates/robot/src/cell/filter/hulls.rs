//! A separating plane between two pieces, searched by the vertices of their hulls.
//!
//! Sphere covers fail for nearly touching flat faces. A direction along which all vertices of one piece lie
//! beyond all vertices of the other separates them for certain. The search is that of Chung and Wang (1996): a
//! direction that fails is mirrored at the line between the two furthest vertices along it.

use super::lane::{LaneView, Place, placed};
use super::{PiecePair, Row, U, ZERO};
use crate::cell::LANES;
use glam::DVec3;
use noli::internals::Simd;

/// The vertices of a body and a radius around their hull; `None` if it has none.
pub(super) type Vertices<'a> = Option<(&'a [DVec3], f64)>;

/// Vertices at most: with more, the shapes themselves are as quick.
const MOST: usize = 256;
/// Directions that are tried.
const ROUNDS: usize = 6;

/// The hull of a piece: all that is within `radius` of the hull of its vertices.
#[derive(Clone, Debug)]
pub(super) struct Hull {
    /// Sixteen side by side; the first stands in for those that are missing.
    vertices: Vec<[Row; 3]>,
    /// With what the places of vertices and heights along a direction may be off.
    radius: f32,
}

impl Hull {
    /// Of bodies on a frame, any place of which may be off by `error`; `None` if one has no hull, or too many vertices.
    ///
    /// The height of a vertex along a direction of unit length is computed from the direction in the frame of the piece,
    /// within `16u` of the vertex's distances from there and of the frame's from the root. The error of places is at
    /// least `192u` of both, so half of it more is enough.
    pub(super) fn new(
        bodies: &[Vertices<'_>],
        on_frame: impl Fn(DVec3) -> DVec3,
        error: f64,
    ) -> Option<Self> {
        let (mut all, mut radius) = (Vec::new(), 0.0f64);
        for body in bodies {
            let (vertices, around) = (*body)?;
            all.extend(vertices.iter().map(|vertex| on_frame(*vertex).as_vec3()));
            radius = radius.max(around);
        }
        if all.is_empty() || all.len() > MOST {
            return None;
        }
        let mut vertices = vec![[ZERO; 3]; all.len().div_ceil(LANES)];
        for number in 0..vertices.len() * LANES {
            let vertex = all.get(number).unwrap_or(&all[0]);
            for axis in 0..3 {
                vertices[number / LANES][axis].0[number % LANES] = vertex[axis];
            }
        }
        Some(Self { vertices, radius: ((radius + 1.5 * error) * (1.0 + 4.0 * U)) as f32 })
    }

    /// Its vertices, sixteen side by side.
    pub(super) fn vertices(&self) -> impl Iterator<Item = [f32; 3]> + '_ {
        let lanes = |[x, y, z]: &'_ [Row; 3]| {
            let (x, y, z) = (x.0, y.0, z.0);
            (0..LANES).map(move |lane| [x[lane], y[lane], z[lane]])
        };
        self.vertices.iter().flat_map(lanes)
    }

    /// The radius around the hull of the vertices, with the error.
    pub(super) fn radius(&self) -> f32 {
        self.radius
    }

    /// How high it reaches along a direction, but for its radius.
    #[inline(always)]
    fn height<S: Simd>(&self, s: S, direction: [f32; 3]) -> f32 {
        let [x, y, z] = [s.splat(direction[0]), s.splat(direction[1]), s.splat(direction[2])];
        let mut best = s.splat(f32::MIN);
        for [a, b, c] in &self.vertices {
            best = s.max(s.load(&a.0) * x + s.load(&b.0) * y + s.load(&c.0) * z, best);
        }
        let mut high = s.store(best);
        for half in [8, 4, 2, 1] {
            for lane in 0..half {
                high[lane] = if high[lane + half] > high[lane] { high[lane + half] } else { high[lane] };
            }
        }
        high[0]
    }

    /// The first vertex that is so high along a direction.
    #[inline(always)]
    fn vertex<S: Simd>(&self, s: S, direction: [f32; 3], height: f32) -> [f32; 3] {
        let [x, y, z] = [s.splat(direction[0]), s.splat(direction[1]), s.splat(direction[2])];
        let height = s.splat(height);
        for [a, b, c] in &self.vertices {
            let there = !s.gt(height, s.load(&a.0) * x + s.load(&b.0) * y + s.load(&c.0) * z);
            if there != 0 {
                let lane = there.trailing_zeros() as usize & 15;
                return [a.0[lane], b.0[lane], c.0[lane]];
            }
        }
        [0.0; 3]
    }
}

/// A direction in the frame of a piece.
#[inline(always)]
fn seen(place: &Place, d: [f32; 3]) -> [f32; 3] {
    let Some((turn, _)) = place else { return d };
    let mut out = [0.0; 3];
    for column in 0..3 {
        out[column] = turn[0][column] * d[0] + turn[1][column] * d[1] + turn[2][column] * d[2];
    }
    out
}

#[inline(always)]
fn dot(a: [f32; 3], b: [f32; 3]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Searches a direction along which two hulls are further apart than `more`, starting with one between them.
#[inline(always)]
pub(super) fn parted<S: Simd>(
    s: S,
    (x, place_a): (&Hull, &Place),
    (y, place_b): (&Hull, &Place),
    between: [f32; 3],
    more: f32,
) -> bool {
    // Directions are of unit length within 8 roundoffs.
    let wanted = (x.radius + y.radius + more) * (1.0 + 32.0 * U as f32);
    let at = |place: &Place| place.as_ref().map_or([0.0; 3], |(_, shift)| *shift);
    let (at_a, at_b) = (at(place_a), at(place_b));
    let mut d = between;
    for _ in 0..ROUNDS {
        let scale = 1.0 / dot(d, d).sqrt();
        d = [d[0] * scale, d[1] * scale, d[2] * scale];
        let (up, down) = (seen(place_a, d), seen(place_b, [-d[0], -d[1], -d[2]]));
        let (high, low) = (x.height(s, up), y.height(s, down));
        let clearance = (dot(d, at_b) - low) - (dot(d, at_a) + high);
        if clearance > wanted {
            return true;
        }
        let top = placed(place_a, x.vertex(s, up, high));
        let bottom = placed(place_b, y.vertex(s, down, low));
        let mut r = [0.0; 3];
        for axis in 0..3 {
            r[axis] = (bottom[axis] - top[axis]) - wanted * d[axis];
        }
        let back = 2.0 * dot(d, r) / dot(r, r);
        for axis in 0..3 {
            d[axis] -= back * r[axis];
        }
    }
    false
}

impl<S: Simd> LaneView<'_, S> {
    /// Searches a plane between two pieces.
    #[inline(always)]
    pub(super) fn hulls_separated(&self, pair: &PiecePair) -> bool {
        let (a, b) = (self.piece(pair.pieces[0]), self.piece(pair.pieces[1]));
        let (Some(x), Some(y)) = (&a.hull, &b.hull) else { return false };
        let whole_a = self.center(pair.pieces[0]);
        let whole_b = self.center(pair.pieces[1]);
        let between = [whole_b[0] - whole_a[0], whole_b[1] - whole_a[1], whole_b[2] - whole_a[2]];
        parted(self.s, (x, &self.place(a)), (y, &self.place(b)), between, self.more)
    }
}
