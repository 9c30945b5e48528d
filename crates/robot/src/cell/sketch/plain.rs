//! Boxes and drums that stand still: how far a ball is from one is known at once.
//!
//! Balls around a board or a wall reach over half of a cell, so that every link is near them all the time. The distance of
//! a point from the board itself takes little more than that from a ball's middle.

use super::look::{Place, Set, Told, first, highest, in_lane, set};
use super::{Balls, Beside, Memory, Sketch, U};
use crate::cell::Body;
use glam::DVec3;
use noli::internals::Simd;
use noli_geom::Core;

/// All that is within `radius` of a box or a drum.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plain {
    /// Rows; turns what is seen from its middle into its own frame.
    turn: [[f32; 3]; 3],
    middle: [f32; 3],
    /// Half the size of a box; of a drum its radius, twice, and half its height.
    half: [f32; 3],
    is_drum: bool,
    pub(super) radius: f32,
    /// How far it may be off; see [`Plain::new`].
    error: f32,
}

impl Plain {
    /// Of a body as seen from `origin`, any place of which may be off by `error`; `None` if it moves or has another form.
    ///
    /// A point is seen from here within `32u` of its distance and of the middle's from the origin: constants and the sums of
    /// the turn err by less than `16u`, as does a frame that is turned as a whole. The error of places is at least `192u` of
    /// both, of which places themselves take less than half.
    pub(super) fn new(body: &Body, origin: DVec3, error: f64) -> Option<Self> {
        let convex = body.model.convex()?;
        let (half, is_drum) = match *convex.core() {
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
            middle: (body.carrier_from_body.translation - origin).as_vec3().to_array(),
            half: half.as_vec3().to_array(),
            is_drum,
            radius: convex.radius() as f32,
            error: error as f32,
        })
    }

    /// Where a point is in its own frame.
    #[inline(always)]
    pub(super) fn seen<S: Simd>(&self, s: S, point: [S::F; 3]) -> [S::F; 3] {
        let x = point[0] - s.splat(self.middle[0]);
        let y = point[1] - s.splat(self.middle[1]);
        let z = point[2] - s.splat(self.middle[2]);
        let mut seen = [x, y, z];
        for row in 0..3 {
            let [a, b, c] = self.turn[row];
            seen[row] = s.splat(a) * x + s.splat(b) * y + s.splat(c) * z;
        }
        seen
    }

    /// A frame as seen from its own.
    #[inline(always)]
    pub(super) fn place(&self, place: &Place) -> Place {
        let (own, shift) = (*place)?;
        let away = [shift[0] - self.middle[0], shift[1] - self.middle[1], shift[2] - self.middle[2]];
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

    /// The square of the distance of a point of its own frame from the box or the drum; no number where the point is none.
    #[inline(always)]
    pub(super) fn distance_sq<S: Simd>(&self, s: S, [x, y, z]: [S::F; 3]) -> S::F {
        let c = beyond(s, s.abs(z), self.half[2]);
        if self.is_drum {
            let out = beyond(s, s.sqrt(x * x + y * y), self.half[0]);
            return out * out + c * c;
        }
        let (a, b) = (beyond(s, s.abs(x), self.half[0]), beyond(s, s.abs(y), self.half[1]));
        a * a + b * b + c * c
    }

    /// By how much the square of the reach of each ball exceeds that of its distance from this; no number where the ball
    /// is none.
    #[inline(always)]
    fn over<S: Simd>(&self, s: S, balls: &Set<S>, more: f32) -> S::F {
        let reach = balls.radius + s.splat(self.radius + self.error + more);
        reach * reach * s.splat(1.0 + 32.0 * U as f32) - self.distance_sq(s, balls.center)
    }

    /// Whether any of the balls inside a piece meets this.
    #[inline(always)]
    fn meets<S: Simd>(&self, s: S, balls: &Balls, place: &Place) -> bool {
        if balls.count == 0 {
            return false;
        }
        let Set { center, radius } = set(s, balls, place);
        let reach = s.max(radius + s.splat(self.radius - self.error), s.splat(0.0));
        let square = reach * reach * s.splat(1.0 - 32.0 * U as f32);
        s.gt(square, self.distance_sq(s, center)) & first(balls.count) != 0
    }
}

/// What the balls of a piece tell in one configuration beside what is plain.
#[inline(always)]
pub(super) fn told_beside<S: Simd>(
    s: S,
    sketch: &Sketch,
    memory: &Memory,
    Beside { plain, piece, .. }: &Beside,
    lane: usize,
    more: f32,
) -> Told {
    let piece = &sketch.pieces[*piece as usize];
    let place = plain.place(&in_lane(&memory.frames, piece, lane));
    let zero = s.splat(0.0);
    let depth = plain.over(s, &set(s, &piece.outer, &place), more);
    let near = !s.gt(zero, depth) & first(piece.outer.count);
    if near == 0 {
        return Told::Apart;
    }
    if plain.meets(s, &piece.inner, &place) {
        return Told::Meet;
    }
    let (mut left, mut reached) = (near, 0);
    while left != 0 && reached == 0 {
        let fine = &piece.fine[left.trailing_zeros() as usize & 15];
        left &= left - 1;
        reached = !s.gt(zero, plain.over(s, &set(s, fine, &place), more)) & first(fine.count);
    }
    if reached == 0 {
        return Told::Apart;
    }
    let mut left = near;
    while left != 0 {
        if plain.meets(s, &piece.dense[left.trailing_zeros() as usize & 15], &place) {
            return Told::Meet;
        }
        left &= left - 1;
    }
    Told::Open(highest(s.store(s.select(near, depth, s.splat(f32::MIN)))))
}

#[inline(always)]
fn beyond<S: Simd>(s: S, at: S::F, half: f32) -> S::F {
    s.max(s.splat(0.0), at - s.splat(half))
}
