//! Pieces against point clouds that are obstacles: a grid of distances decides most spheres of a piece; points near the
//! others are tested against its sphere sets, in the frame of the piece.

use super::distance_grid::DistanceGrid;
use super::lane::{LaneView, PairVerdict};
use super::spheres::{PosedSet, SphereSet, first};
use super::{Piece, U};
use crate::cell::LANES;
use crate::cell::cloud_image::{CloudImage, doubles, floats};
use crate::cell::data::Body;
use glam::DVec3;
use noli::Model;
use noli::internals::{Instructions, Simd, Task, dispatch};
use noli::seams::{PointTree, point_tree};
use std::sync::Arc;

/// A point cloud at its place.
#[derive(Clone, Debug)]
pub(super) struct Cloud {
    /// Holds the tree.
    model: Model,
    grid: Arc<DistanceGrid>,
    /// Rows; turns directions of the filter into those of the tree.
    turn: [[f32; 3]; 3],
    /// The origin of the tree.
    center: [f32; 3],
    /// Units of the tree in one of the filter: a power of two.
    scale: f32,
    /// The largest radius of a point, and the least.
    radius: f32,
    least: f32,
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
        let cloud = body.model.point_cloud()?;
        let (points, radius) = (cloud.points(), cloud.radius() * inverse);
        if points.is_empty() {
            return None;
        }
        Some(Self {
            turn: [0, 1, 2].map(|row| turn.col(row).as_vec3().to_array()),
            center: ((pose.transform_point(at) - origin) * inverse).as_vec3().to_array(),
            scale: (1.0 / length) as f32,
            radius: radius as f32,
            least: (cloud.least_radius() * inverse) as f32,
            error: ((error + f64::from(PointTree::error()) * length + 4.0 * U * radius) * (1.0 + 8.0 * U))
                as f32,
            grid: Arc::new(DistanceGrid::new(points.iter().map(|&point| (point - at) / unit))),
            model: body.model.clone(),
        })
    }

    /// Appends it; see [`CloudImage`].
    pub(super) fn write(&self, image: &mut CloudImage) {
        let Some((tree, cloud)) = point_tree(&self.model).zip(self.model.point_cloud()) else { return };
        let (at, unit) = tree.frame();
        let error = 2.0 * f64::from(PointTree::error()) * unit;
        doubles(&mut image.heads, &[at.x, at.y, at.z, unit, cloud.radius(), cloud.least_radius(), error]);
        self.turn.iter().for_each(|row| floats(&mut image.heads, row));
        floats(&mut image.heads, &self.center);
        floats(&mut image.heads, &[self.scale, self.radius, self.least, self.error]);
        let points = cloud.points().iter().map(|&point| ((point - at) / unit).as_vec3().to_array());
        self.grid.write(points, image);
    }

    /// The largest radius of a point, with how far it may be off.
    pub(super) fn reach(&self) -> f64 {
        f64::from(self.radius) + f64::from(self.error)
    }

    /// The places, of sixteen, that may be within the roots of some squares of a point.
    #[inline(always)]
    pub(super) fn near<S: Simd>(&self, s: S, places: [S::F; 3], squares: S::F) -> u16 {
        let away = |axis: usize| places[axis] - s.splat(self.center[axis]);
        let [x, y, z] = [away(0), away(1), away(2)];
        let seen = |row: usize| {
            let [a, b, c] = self.turn[row].map(|x| s.splat(x * self.scale));
            a * x + b * y + c * z
        };
        self.grid.near(s, &[seen(0), seen(1), seen(2)], squares * s.splat(self.scale * self.scale))
    }

    /// A frame of the filter as seen from the tree, with the scale.
    #[inline(always)]
    fn seen(&self, (own, shift): Frame) -> Frame {
        let away = [shift[0] - self.center[0], shift[1] - self.center[1], shift[2] - self.center[2]];
        let (mut turn, mut at) = ([[0.0; 3]; 3], [0.0; 3]);
        for row in 0..3 {
            let [a, b, c] = self.turn[row].map(|x| x * self.scale);
            at[row] = a * away[0] + b * away[1] + c * away[2];
            for column in 0..3 {
                turn[row][column] = a * own[0][column] + b * own[1][column] + c * own[2][column];
            }
        }
        (turn, at)
    }

    /// The frame of the tree as seen from one of the filter, with the scale.
    #[inline(always)]
    fn seen_from(&self, (own, shift): Frame) -> Frame {
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

/// Rows of a rotation, which may include a scale, and an origin.
type Frame = ([[f32; 3]; 3], [f32; 3]);

const WORLD: Frame = ([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], [0.0; 3]);

/// A piece and a point cloud, by the number of its piece.
#[derive(Clone, Copy, Debug)]
pub(super) struct VsCloud {
    pub(super) cloud: u32,
    pub(super) piece: u32,
    /// The distance of the centre of the piece from a point beyond which they are separated, and its square.
    pub(super) reach: f32,
    pub(super) separated: f32,
}

/// Spheres in the frame of a tree.
struct Seen {
    center: [[f32; LANES]; 3],
    /// Squares of their radii with all that is added to them.
    square: [f32; LANES],
}

impl Seen {
    /// Of spheres whose radii are given by their squares.
    #[inline(always)]
    fn of<S: Simd>(s: S, set: &PosedSet<S>) -> Self {
        let center = [s.store(set.center[0]), s.store(set.center[1]), s.store(set.center[2])];
        Self { center, square: s.store(set.radius) }
    }

    #[inline(always)]
    fn at(&self, k: usize) -> [f32; 3] {
        [self.center[0][k], self.center[1][k], self.center[2][k]]
    }
}

/// A piece in one configuration against a cloud.
struct Couple<'a, S: Simd> {
    s: S,
    cloud: &'a Cloud,
    piece: &'a Piece,
    tree_from_piece: Frame,
    /// Added to the radii of outer and of inner spheres.
    outward: f32,
    inward: f32,
}

impl<S: Simd> Couple<'_, S> {
    /// The spheres of a set, grown by `outward`, in the frame of the tree, with the squares of their radii, and those that
    /// may reach a point.
    #[inline(always)]
    fn near(&self, set: &SphereSet) -> (PosedSet<S>, u16) {
        let s = self.s;
        let PosedSet { center, radius } = set.at(s, &Some(self.tree_from_piece));
        let reach = (radius + s.splat(self.outward)) * s.splat(self.cloud.scale);
        let square = reach * reach * s.splat(1.0 + 32.0 * U as f32);
        let near = self.cloud.grid.near(s, &center, square) & first(set.count);
        (PosedSet { center, radius: square }, near)
    }

    /// The verdict on the points near one of the outer spheres, of whose smaller ones some are near points.
    ///
    /// Leaves are collected first: a closure that computes with vectors would not be compiled for their instructions.
    #[inline(always)]
    fn classify(
        &self,
        (tree, leaves): (&PointTree, &mut Leaves<S, FEW>),
        outer: ([f32; 3], f32),
        (k, piece_from_tree): (usize, &Frame),
        (fine, near): (&PosedSet<S>, u16),
    ) -> PairVerdict {
        if near.count_ones() > SINGLY {
            leaves.collect(self.s, tree, outer);
            if !leaves.overflow {
                return self.classify_leaves(leaves, k, piece_from_tree);
            }
        }
        // Few small spheres, or many points: those near each of the smaller spheres.
        let (fine, mut left) = (Seen::of(self.s, fine), near);
        let mut verdict = PairVerdict::Separated;
        while left != 0 {
            let own = left.trailing_zeros() as usize & 15;
            left &= left - 1;
            leaves.collect(self.s, tree, (fine.at(own), fine.square[own]));
            match self.classify_leaves(leaves, k, piece_from_tree) {
                PairVerdict::Collision => return PairVerdict::Collision,
                PairVerdict::Separated if !leaves.overflow => {}
                _ => verdict = PairVerdict::Unsure(0.0),
            }
        }
        verdict
    }

    /// The verdict on collected points by the spheres of one place.
    #[inline(always)]
    fn classify_leaves(&self, leaves: &Leaves<S, FEW>, k: usize, (turn, at): &Frame) -> PairVerdict {
        let s = self.s;
        let (fine, dense) = (&self.piece.fine[k], &self.piece.dense[k]);
        let mut verdict = PairVerdict::Separated;
        for ([x, y, z], found) in leaves.all[..leaves.count].iter() {
            let mut own = [[0.0; LANES]; 3];
            for row in 0..3 {
                let turned =
                    *x * s.splat(turn[row][0]) + *y * s.splat(turn[row][1]) + *z * s.splat(turn[row][2]);
                own[row] = s.store(s.splat(at[row]) + turned);
            }
            let mut found = *found;
            while found != 0 {
                let lane = found.trailing_zeros() as usize & 15;
                found &= found - 1;
                let point = [own[0][lane], own[1][lane], own[2][lane]];
                if fine.reaching(s, point, self.outward) == 0 {
                    continue;
                }
                if self.piece.inner.holds(s, point, self.inward) || dense.holds(s, point, self.inward) {
                    return PairVerdict::Collision;
                }
                verdict = PairVerdict::Unsure(0.0);
            }
        }
        verdict
    }
}

/// Leaves that are collected at a time: few in the filter, where making room for them would take longer than comparing them,
/// and many for the comparison with faces.
const FEW: usize = 16;
/// So many small spheres are compared with the points near each of them; more with those near the sphere around them.
const SINGLY: u32 = 2;
const MANY: usize = 128;

/// Leaves of a tree with points near a sphere, and which of their points.
struct Leaves<S: Simd, const ROOM: usize> {
    all: [([S::F; 3], u16); ROOM],
    count: usize,
    /// There are more.
    overflow: bool,
}

impl<S: Simd, const ROOM: usize> Leaves<S, ROOM> {
    #[inline(always)]
    fn new(s: S) -> Self {
        Self { all: [([s.splat(0.0); 3], 0); ROOM], count: 0, overflow: false }
    }

    /// Collects anew: the leaves with points within the root of a square of a place.
    #[inline(always)]
    fn collect(&mut self, s: S, tree: &PointTree, (center, square): ([f32; 3], f32)) {
        (self.count, self.overflow) = (0, false);
        tree.visit_near(s, center, square, |points, found| {
            if self.count == ROOM {
                self.overflow = true;
                return false;
            }
            self.all[self.count] = (*points, found);
            self.count += 1;
            true
        });
    }
}

/// Adds the stored points of a tree in spheres, given by their centres and the squares of their radii; `false` if there are
/// too many in one. All in the frame of the tree.
pub(in crate::cell) fn points_near(
    tree: &PointTree,
    spheres: &[([f32; 3], f32)],
    points: &mut Vec<[f32; 3]>,
) -> bool {
    dispatch(Instructions::best(), PointsNear { tree, spheres, points })
}

/// The task behind [`points_near`].
struct PointsNear<'a> {
    tree: &'a PointTree,
    spheres: &'a [([f32; 3], f32)],
    points: &'a mut Vec<[f32; 3]>,
}

impl Task for PointsNear<'_> {
    type Output = bool;

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> bool {
        let mut leaves = Leaves::<S, MANY>::new(s);
        for &sphere in self.spheres {
            leaves.collect(s, self.tree, sphere);
            if leaves.overflow {
                return false;
            }
            for ([x, y, z], found) in leaves.all[..leaves.count].iter() {
                let stored = [s.store(*x), s.store(*y), s.store(*z)];
                let mut found = *found;
                while found != 0 {
                    let lane = found.trailing_zeros() as usize & 15;
                    found &= found - 1;
                    self.points.push([stored[0][lane], stored[1][lane], stored[2][lane]]);
                }
            }
        }
        true
    }
}

impl<S: Simd> LaneView<'_, S> {
    /// The verdict on a piece and a cloud by the sphere sets of the piece: those that the grid does not prove to be far
    /// from all points are tested against the points near them.
    #[inline(always)]
    pub(super) fn classify_vs_cloud(&self, cloud: &Cloud, number: u32) -> PairVerdict {
        let (s, piece) = (self.s, self.piece(number));
        let Some(tree) = point_tree(&cloud.model) else { return PairVerdict::Unsure(0.0) };
        let outward = (cloud.radius + cloud.error + self.more) * (1.0 + 8.0 * U as f32);
        let frame = self.place(piece).unwrap_or(WORLD);
        let couple = Couple {
            s,
            cloud,
            piece,
            tree_from_piece: cloud.seen(frame),
            outward,
            inward: cloud.least - cloud.error,
        };
        let (outer, mut near) = couple.near(&piece.outer);
        if near == 0 {
            return PairVerdict::Separated;
        }
        let (outer, piece_from_tree) = (Seen::of(s, &outer), cloud.seen_from(frame));
        let mut leaves = Leaves::new(s);
        let mut verdict = PairVerdict::Separated;
        while near != 0 {
            let k = near.trailing_zeros() as usize & 15;
            near &= near - 1;
            let (fine, close) = couple.near(&piece.fine[k]);
            if close == 0 {
                continue;
            }
            let sphere = (outer.at(k), outer.square[k]);
            match couple.classify((tree, &mut leaves), sphere, (k, &piece_from_tree), (&fine, close)) {
                PairVerdict::Separated => {}
                PairVerdict::Collision => return PairVerdict::Collision,
                unsure => verdict = unsure,
            }
        }
        verdict
    }
}
