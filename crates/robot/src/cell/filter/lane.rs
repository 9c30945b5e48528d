//! One lane of a batch: poses of joints and centres of pieces in one configuration.

use super::{Batch, Piece, Row, SphereFilter, ZERO};
use crate::cell::LANES;
use glam::DVec3;
use noli::internals::Simd;

/// The frames behind a joint in all lanes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub(super) turn: [[Row; 3]; 3],
    pub(super) shift: [Row; 3],
}

impl Default for Frame {
    fn default() -> Self {
        Self { turn: [[ZERO; 3]; 3], shift: [ZERO; 3] }
    }
}

/// Centres of the bounding sphere of a piece and of its largest inner sphere, in all lanes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Centers {
    pub(super) whole: [Row; 3],
    pub(super) core: [Row; 3],
}

impl Centers {
    /// Those on the frame of a piece: final for obstacles.
    pub(super) fn of(piece: &Piece) -> Self {
        let place = |center: DVec3| [0, 1, 2].map(|axis| Row([center[axis] as f32; LANES]));
        Self {
            whole: place(piece.whole.center),
            core: place(piece.core.map_or(DVec3::ZERO, |core| core.center)),
        }
    }
}

/// A frame in one configuration: rows of its rotation, and its origin; `None` for the world.
pub(super) type Place = Option<([[f32; 3]; 3], [f32; 3])>;

/// The position of a point of a frame.
#[inline(always)]
pub(super) fn placed(place: &Place, p: [f32; 3]) -> [f32; 3] {
    let Some((turn, shift)) = place else { return p };
    let mut out = *shift;
    for row in 0..3 {
        out[row] += turn[row][0] * p[0] + turn[row][1] * p[1] + turn[row][2] * p[2];
    }
    out
}

/// The verdict on a pair of pieces in one configuration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::cell) enum PairVerdict {
    Separated,
    Collision,
    /// The larger the number, the deeper outer spheres are in each other.
    Unsure(f32),
}

/// One configuration of a batch.
#[derive(Clone, Copy)]
pub(super) struct LaneView<'a, S: Simd> {
    pub(super) s: S,
    pub(super) filter: &'a SphereFilter,
    pub(super) batch: &'a Batch,
    pub(super) lane: usize,
    /// The outer spheres of the first piece of a pair grow by this.
    pub(super) more: f32,
}

impl<'a, S: Simd> LaneView<'a, S> {
    #[inline(always)]
    pub(super) fn piece(&self, number: u32) -> &'a Piece {
        &self.filter.pieces[number as usize]
    }

    /// The centre of a piece's bounding sphere.
    #[inline(always)]
    pub(super) fn center(&self, piece: u32) -> [f32; 3] {
        if self.batch.alone {
            return self.batch.one.center(piece);
        }
        let center = &self.batch.centers[piece as usize].whole;
        [center[0].0[self.lane], center[1].0[self.lane], center[2].0[self.lane]]
    }

    /// The frame of a piece.
    #[inline(always)]
    pub(super) fn place(&self, piece: &Piece) -> Place {
        if self.batch.alone {
            return Some(self.batch.one.frame(piece.frame?));
        }
        let frame = &self.batch.frames[piece.frame? as usize];
        let mut turn = [[0.0; 3]; 3];
        let mut shift = [0.0; 3];
        for row in 0..3 {
            shift[row] = frame.shift[row].0[self.lane];
            for column in 0..3 {
                turn[row][column] = frame.turn[row][column].0[self.lane];
            }
        }
        Some((turn, shift))
    }
}
