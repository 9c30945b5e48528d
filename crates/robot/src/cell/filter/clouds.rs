//! Pieces against point clouds that are obstacles: points near the bounding sphere of a piece are tested against its
//! sphere sets, in the frame of the piece.

use super::lane::{LaneView, PairVerdict, Place};
use super::spheres::SphereSet;
use super::{Piece, U};
use crate::cell::LANES;
use crate::cell::data::Body;
use glam::DVec3;
use noli::Model;
use noli::internals::Simd;
use noli::seams::{PointTree, point_tree};

/// A point cloud at its place.
#[derive(Clone, Debug)]
pub(super) struct Cloud {
    /// Holds the tree.
    model: Model,
    /// Rows; turns directions of the filter into those of the tree.
    turn: [[f32; 3]; 3],
    /// The origin of the tree.
    center: [f32; 3],
    /// Units of the tree in one of the filter: a power of two.
    scale: f32,
    radius: f32,
    /// How far a point may be off; see [`Cloud::new`].
    error: f32,
}

/// Scales whose squares keep all their bits.
const SCALES: std::ops::Range<f64> = 1e-12..1e12;

impl Cloud {
    /// Of an obstacle as seen from `origin` and times `inverse`, any place of which may be off by `error`; `None` if
    /// the body moves, has another form or an extraordinary size.
    ///
    /// A point of the tree is seen in the frame of a piece within `64u` of the lengths from both to the origin of the
    /// filter: the product of two matrices and three sums. The errors of both places are at least `192u` of these
    /// lengths, of which places themselves take less than half. The rounding of the tree's own coordinates is added.
    pub(super) fn new(body: &Body, (origin, inverse): (DVec3, f64), error: f64) -> Option<Self> {
        let tree = point_tree(&body.model)?;
        if body.carrier.is_some() {
            return None;
        }
        let (at, unit) = tree.frame();
        let (length, pose) = (unit * inverse, &body.carrier_from_body);
        if !SCALES.contains(&length) {
            return None;
        }
        let turn = pose.rotation_matrix();
        let radius = body.model.point_cloud()?.radius() * inverse;
        Some(Self {
            turn: [0, 1, 2].map(|row| turn.col(row).as_vec3().to_array()),
            center: ((pose.transform_point(at) - origin) * inverse).as_vec3().to_array(),
            scale: (1.0 / length) as f32,
            radius: radius as f32,
            error: ((error + f64::from(PointTree::error()) * length + 4.0 * U * radius) * (1.0 + 8.0 * U))
                as f32,
            model: body.model.clone(),
        })
    }

    /// A point of the filter in the frame of the tree.
    #[inline(always)]
    fn seen(&self, point: [f32; 3]) -> [f32; 3] {
        let away = [point[0] - self.center[0], point[1] - self.center[1], point[2] - self.center[2]];
        [0, 1, 2].map(|row| {
            let [a, b, c] = self.turn[row];
            (a * away[0] + b * away[1] + c * away[2]) * self.scale
        })
    }

    /// The frame of the tree as seen from that of a piece: rows that include the scale, and the origin.
    #[inline(always)]
    fn from_piece(&self, place: &Place) -> ([[f32; 3]; 3], [f32; 3]) {
        const WORLD: ([[f32; 3]; 3], [f32; 3]) =
            ([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], [0.0; 3]);
        let (own, shift) = place.unwrap_or(WORLD);
        let away = [self.center[0] - shift[0], self.center[1] - shift[1], self.center[2] - shift[2]];
        let length = 1.0 / self.scale;
        let (mut turn, mut at) = ([[0.0; 3]; 3], [0.0; 3]);
        for row in 0..3 {
            let back = [own[0][row], own[1][row], own[2][row]];
            at[row] = back[0] * away[0] + back[1] * away[1] + back[2] * away[2];
            for column in 0..3 {
                let [a, b, c] = self.turn[column];
                turn[row][column] = (back[0] * a + back[1] * b + back[2] * c) * length;
            }
        }
        (turn, at)
    }
}

/// A piece and a point cloud, by the number of its piece.
#[derive(Clone, Copy, Debug)]
pub(super) struct VsCloud {
    pub(super) cloud: u32,
    pub(super) piece: u32,
}

/// Tests of points against the sphere sets of a piece.
struct Points<'a> {
    piece: &'a Piece,
    /// Added to the radii of outer and of inner spheres.
    outward: f32,
    inward: f32,
}

impl Points<'_> {
    /// The verdict on one point in the frame of the piece.
    #[inline(always)]
    fn classify<S: Simd>(&self, s: S, point: [f32; 3]) -> PairVerdict {
        let Self { piece, outward, inward } = *self;
        let near = piece.outer.reaching(s, point, outward);
        if near == 0 {
            return PairVerdict::Separated;
        }
        if piece.inner.holds(s, point, inward) {
            return PairVerdict::Collision;
        }
        let each = |sets: &[SphereSet], test: &dyn Fn(&SphereSet) -> bool| {
            let mut left = near;
            while left != 0 {
                if test(&sets[left.trailing_zeros() as usize & 15]) {
                    return true;
                }
                left &= left - 1;
            }
            false
        };
        if !each(&piece.fine, &|fine| fine.reaching(s, point, outward) != 0) {
            return PairVerdict::Separated;
        }
        match each(&piece.dense, &|dense| dense.holds(s, point, inward)) {
            true => PairVerdict::Collision,
            false => PairVerdict::Unsure(0.0),
        }
    }
}

impl<S: Simd> LaneView<'_, S> {
    /// The verdict on a piece and a cloud by the sphere sets of the piece.
    #[inline(always)]
    pub(super) fn classify_vs_cloud(&self, cloud: &Cloud, number: u32) -> PairVerdict {
        let (s, piece) = (self.s, self.piece(number));
        let Some(tree) = point_tree(&cloud.model) else { return PairVerdict::Unsure(0.0) };
        let outward = (cloud.radius + cloud.error + self.more) * (1.0 + 8.0 * U as f32);
        let reach = (piece.outside + outward) * cloud.scale;
        let (turn, at) = cloud.from_piece(&self.place(piece));
        let points = Points { piece, outward, inward: cloud.radius - cloud.error };
        let mut verdict = PairVerdict::Separated;
        let square = reach * reach * (1.0 + 32.0 * U as f32);
        tree.visit_near(s, cloud.seen(self.center(number)), square, |[x, y, z], mut found| {
            let mut own = [[0.0; LANES]; 3];
            for row in 0..3 {
                let turned =
                    *x * s.splat(turn[row][0]) + *y * s.splat(turn[row][1]) + *z * s.splat(turn[row][2]);
                own[row] = s.store(s.splat(at[row]) + turned);
            }
            while found != 0 {
                let lane = found.trailing_zeros() as usize & 15;
                found &= found - 1;
                match points.classify(s, [own[0][lane], own[1][lane], own[2][lane]]) {
                    PairVerdict::Separated => {}
                    PairVerdict::Collision => {
                        verdict = PairVerdict::Collision;
                        return false;
                    }
                    unsure => verdict = unsure,
                }
            }
            true
        });
        verdict
    }
}
