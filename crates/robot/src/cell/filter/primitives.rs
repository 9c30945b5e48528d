//! Pieces against boxes, cylinders and capsules that are obstacles: the distance of a sphere is computed directly.
//!
//! Spheres around a board or a wall reach over half of a cell, so that every link overlaps them all the time.
//! The distance of a point from the board itself takes little more than that from a sphere's centre.

use super::U;
use super::lane::{LaneView, PairVerdict, Place};
use super::spheres::{PosedSet, SphereSet, first, highest};
use crate::cell::data::Body;
use glam::DVec3;
use noli::internals::Simd;
use noli_geom::Core;

/// All that is within `radius` of a box or a cylinder.
#[derive(Clone, Copy, Debug)]
pub(super) struct Primitive {
    /// Rows; turns what is seen from its centre into its own frame.
    turn: [[f32; 3]; 3],
    center: [f32; 3],
    /// Half the size of a box; of a cylinder its radius, twice, and half its height.
    half: [f32; 3],
    is_cylinder: bool,
    pub(super) radius: f32,
    /// How far it may be off; see [`Primitive::new`].
    error: f32,
}

impl Primitive {
    /// Of an obstacle as seen from `origin` and times `inverse`, any place of which may be off by `error`; `None` if
    /// the body moves or has another form.
    ///
    /// A point is seen from here within `32u` of its distance and of the centre's from the origin: constants and the sums of
    /// the turn err by less than `16u`, as does a frame that is turned as a whole. The error of places is at least `192u` of
    /// both, of which places themselves take less than half.
    pub(super) fn new(body: &Body, (origin, inverse): (DVec3, f64), error: f64) -> Option<Self> {
        let convex = body.model.convex()?;
        let (half, is_cylinder) = match *convex.core() {
            Core::Box { half_extents } => (half_extents, false),
            Core::Cylinder { half_height, radius } => (DVec3::new(radius, radius, half_height), true),
            Core::Segment { half_length } => (DVec3::new(0.0, 0.0, half_length), true),
            _ => return None,
        };
        if body.carrier.is_some() {
            return None;
        }
        let turn = body.carrier_from_body.rotation_matrix();
        Some(Self {
            turn: [0, 1, 2].map(|row| turn.col(row).as_vec3().to_array()),
            center: ((body.carrier_from_body.translation - origin) * inverse).as_vec3().to_array(),
            half: (half * inverse).as_vec3().to_array(),
            is_cylinder,
            radius: (convex.radius() * inverse) as f32,
            error: error as f32,
        })
    }

    /// Appends it as twenty words; see `FilterImage`.
    pub(super) fn write(&self, words: &mut Vec<u32>) {
        let lengths = self.turn.iter().chain([&self.center, &self.half]).flatten();
        words.extend(lengths.map(|x| x.to_bits()));
        words.extend([self.is_cylinder.into(), self.radius.to_bits(), self.error.to_bits(), 0, 0]);
    }

    /// The position of a point in its own frame.
    #[inline(always)]
    fn seen<S: Simd>(&self, s: S, point: [S::F; 3]) -> [S::F; 3] {
        let x = point[0] - s.splat(self.center[0]);
        let y = point[1] - s.splat(self.center[1]);
        let z = point[2] - s.splat(self.center[2]);
        let mut seen = [x, y, z];
        for row in 0..3 {
            let [a, b, c] = self.turn[row];
            seen[row] = s.splat(a) * x + s.splat(b) * y + s.splat(c) * z;
        }
        seen
    }

    /// A frame as seen from its own.
    #[inline(always)]
    fn place(&self, place: &Place) -> Place {
        const WORLD: ([[f32; 3]; 3], [f32; 3]) =
            ([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], [0.0; 3]);
        let (own, shift) = place.unwrap_or(WORLD);
        let away = [shift[0] - self.center[0], shift[1] - self.center[1], shift[2] - self.center[2]];
        let (mut turn, mut at) = ([[0.0; 3]; 3], [0.0; 3]);
        for row in 0..3 {
            let [a, b, c] = self.turn[row];
            at[row] = a * away[0] + b * away[1] + c * away[2];
            for column in 0..3 {
                turn[row][column] = a * own[0][column] + b * own[1][column] + c * own[2][column];
            }
        }
        Some((turn, at))
    }

    /// The square of the distance of a point of its own frame from the box or the cylinder; NaN where the point is.
    #[inline(always)]
    fn distance_sq<S: Simd>(&self, s: S, [x, y, z]: [S::F; 3]) -> S::F {
        let c = beyond(s, s.abs(z), self.half[2]);
        if self.is_cylinder {
            let out = beyond(s, s.sqrt(x * x + y * y), self.half[0]);
            return out * out + c * c;
        }
        let (a, b) = (beyond(s, s.abs(x), self.half[0]), beyond(s, s.abs(y), self.half[1]));
        a * a + b * b + c * c
    }

    /// By how much the square of the reach of each sphere exceeds that of its distance from this; NaN where the sphere
    /// is.
    #[inline(always)]
    fn over<S: Simd>(&self, s: S, spheres: &PosedSet<S>, more: f32) -> S::F {
        let reach = spheres.radius + s.splat(self.radius + self.error + more);
        reach * reach * s.splat(1.0 + 32.0 * U as f32) - self.distance_sq(s, spheres.center)
    }

    /// Tests the inner spheres of a piece: one overlaps this.
    #[inline(always)]
    fn collides<S: Simd>(&self, s: S, spheres: &SphereSet, place: &Place) -> bool {
        if spheres.count == 0 {
            return false;
        }
        let PosedSet { center, radius } = spheres.at(s, place);
        let reach = s.max(radius + s.splat(self.radius - self.error), s.splat(0.0));
        let square = reach * reach * s.splat(1.0 - 32.0 * U as f32);
        s.gt(square, self.distance_sq(s, center)) & first(spheres.count) != 0
    }
}

/// A piece and a primitive.
#[derive(Clone, Copy, Debug)]
pub(super) struct VsPrimitive {
    pub(super) primitive: Primitive,
    pub(super) piece: u32,
    /// The distance of the piece's centre beyond which they are separated, and its square.
    pub(super) reach: f32,
    pub(super) separated: f32,
}

impl VsPrimitive {
    /// The squares of the distances of points from the primitive.
    #[inline(always)]
    pub(super) fn distance_sq<S: Simd>(&self, s: S, center: [S::F; 3]) -> S::F {
        self.primitive.distance_sq(s, self.primitive.seen(s, center))
    }
}

impl<S: Simd> LaneView<'_, S> {
    /// The verdict on a piece and a primitive by the sphere sets of the piece.
    #[inline(always)]
    pub(super) fn classify_vs_primitive(
        &self,
        VsPrimitive { primitive, piece, .. }: &VsPrimitive,
    ) -> PairVerdict {
        let (s, more) = (self.s, self.more);
        let piece = self.piece(*piece);
        let place = primitive.place(&self.place(piece));
        let zero = s.splat(0.0);
        let depth = primitive.over(s, &piece.outer.at(s, &place), more);
        let near = !s.gt(zero, depth) & first(piece.outer.count);
        if near == 0 {
            return PairVerdict::Separated;
        }
        if primitive.collides(s, &piece.inner, &place) {
            return PairVerdict::Collision;
        }
        let (mut left, mut reached) = (near, 0);
        while left != 0 && reached == 0 {
            let fine = &piece.fine[left.trailing_zeros() as usize & 15];
            left &= left - 1;
            reached = !s.gt(zero, primitive.over(s, &fine.at(s, &place), more)) & first(fine.count);
        }
        if reached == 0 {
            return PairVerdict::Separated;
        }
        let mut left = near;
        while left != 0 {
            if primitive.collides(s, &piece.dense[left.trailing_zeros() as usize & 15], &place) {
                return PairVerdict::Collision;
            }
            left &= left - 1;
        }
        PairVerdict::Unsure(highest(s.store(s.select(near, depth, s.splat(f32::MIN)))))
    }
}

#[inline(always)]
fn beyond<S: Simd>(s: S, at: S::F, half: f32) -> S::F {
    s.max(s.splat(0.0), at - s.splat(half))
}
