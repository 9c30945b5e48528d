//! One filter for configurations: a batch of sixteen is classified in single precision, lane by lane, as
//! separated, in collision with a pair, or unsure. Unsure pairs are for the exact engine.
//!
//! Only certain verdicts count. With `u` = 2⁻²⁴, a joint's matrix errs by less than `64u`: its constants by
//! `2u`, sine and cosine by `16u` each (the angle's own rounding included), their combination with two columns
//! by `8u`, the product with the parent's matrix by `9u`. A point behind a joint is displaced by so much of
//! its distance from there, and every offset is turned and added within `8u` of the lengths so far. With all
//! lengths of a chain of n joints summed to `L` this is less than `72u·n·L`; we state `96u·(n + 2)·L`, which
//! covers the rounding of the spheres' constants and of the squares that are compared. The rounding of poses in
//! double precision is added, with world coordinates, and a floor below which squares lose bits. Products and
//! sums are not fused, so every machine decides the same pairs.
//!
//! Joints have their axes as z: a link's frame is its joint's, turned by a constant that its spheres take over,
//! and links that are fixed to each other share one. Lengths are relative to the first robot's root and
//! in a unit of the filter: a power of two, 1 for robots of ordinary size.

mod build;
mod classify;
mod clouds;
mod distance_grid;
mod hulls;
mod image;
mod kinematics;
mod lane;
mod one;
mod pairs;
mod primitives;
mod replace;
mod segments;
mod spheres;
mod tables;
#[cfg(test)]
mod tests;

pub(super) use build::Grouping;
pub(super) use classify::{Request, Scope, Stop, Verdict};
pub(super) use clouds::points_near;
pub use image::FilterImage;
pub(super) use lane::PairVerdict;
pub(super) use segments::{Segments, Spread};
pub(super) use tables::{Axis, SIDE, Table, Tables};

use super::LANES;
use super::data::BodyPair;
use clouds::{Cloud, VsCloud};
use hulls::Hull;
use lane::{Centers, Frame};
use noli_geom::Sphere;
use one::{One, Singly};
use primitives::{Primitive, VsPrimitive};
use spheres::SphereSet;
use std::sync::OnceLock;

/// Sixteen numbers of single precision.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct Row(pub(super) [f32; LANES]);

const ZERO: Row = Row([0.0; LANES]);
/// The roundoff of single precision.
const U: f64 = f32::EPSILON as f64 / 2.0;

/// A joint, its axis as z. Without a parent it is attached to the world.
#[derive(Clone, Debug)]
struct Joint {
    parent: Option<u32>,
    variable: u32,
    slides: bool,
    /// Rows; for a slide, only the first column, its direction.
    turn: [[f32; 3]; 3],
    shift: [f32; 3],
}

/// Bodies of one part whose spheres fit into one set.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    pub(super) bodies: Vec<u32>,
    frame: Option<u32>,
    /// Around all of it, and the largest sphere inside.
    whole: Sphere,
    core: Option<Sphere>,
    /// The radius of the bounding sphere, with the error.
    outside: f32,
    /// Larger and smaller by the error.
    outer: SphereSet,
    inner: SphereSet,
    /// For each of the outer spheres, smaller ones in its place.
    fine: Vec<SphereSet>,
    /// For each of them, spheres inside the piece about there, smaller by the error.
    dense: Vec<SphereSet>,
    /// Around all of it, if it has few vertices.
    hull: Option<Hull>,
    /// It is a single primitive, and an obstacle.
    primitive: Option<Primitive>,
    /// It is a point cloud, and an obstacle.
    cloud: Option<Cloud>,
    /// No point is further from the first robot's root.
    length: f64,
    error: f64,
}

/// Two pieces that are tested.
#[derive(Clone, Debug)]
pub(super) struct PiecePair {
    pub(super) pieces: [u32; 2],
    /// The pair of parts.
    pub(super) pair: u32,
    /// In the unit of the cell, as all that is not single precision.
    pub(super) margin: f64,
    /// The distance of the centres beyond which they are separated, and its square.
    reach: f32,
    separated: f32,
    /// One of them is a primitive.
    vs_primitive: Option<VsPrimitive>,
    /// One of them is a point cloud.
    vs_cloud: Option<VsCloud>,
    /// The square of the distance of the centres of the largest inner spheres, or of one from the primitive,
    /// below which they collide; negative if no distance proves it.
    meet: f32,
    /// The margin, rounded up.
    more: f32,
    /// Without bounds, or out of the range of single precision: always unsure.
    open: bool,
    /// It pays to search for a separating plane.
    planes: bool,
    /// The robots of both, and the number of limbs that their poses take.
    pub(super) limbs: [Option<(u32, u32)>; 2],
}

/// A joint on the route from one piece to another.
#[derive(Clone, Copy, Debug, PartialEq)]
struct RouteStep {
    joint: u32,
    /// Which of [`Routes::levers`] is that of the first piece, if it moves, and of the second.
    first: Option<u32>,
    second: u32,
    /// It is one of those that move the first piece, which sees the second moved back.
    is_back: bool,
}

/// The joints between the pieces of all pairs; only motions need them.
#[derive(Clone, Debug, Default)]
pub(super) struct Routes {
    /// For a piece and an obstacle, the joints of the piece from the world on.
    all: Vec<Vec<RouteStep>>,
    /// Pieces and joints whose distance bounds how far the one moves the other.
    levers: Vec<(u32, u32)>,
    /// The route of each pair.
    of_pair: Vec<u32>,
}

/// The filter; see the module.
#[derive(Clone, Debug)]
pub(super) struct SphereFilter {
    /// The length that is 1 here, its inverse, and for each variable whether it turns.
    unit: f64,
    inverse: f64,
    turns: Vec<bool>,
    /// Variables that slide, and how far they may go.
    slides: Vec<(u32, f32)>,
    joints: Vec<Joint>,
    pub(super) pieces: Vec<Piece>,
    /// Pieces whose centres are computed, and whether that of the core is needed.
    posed: Vec<(u32, bool)>,
    /// In the order in which they are tested.
    pub(super) pairs: Vec<PiecePair>,
    /// For each of the pairs of bodies that it was built for, its pair of pieces.
    of_pair: Vec<u32>,
    /// Made when the first motion is asked about: their size is the cube of a long chain's.
    routes: OnceLock<Routes>,
    /// Made when the first single configuration is classified.
    singly: OnceLock<Singly>,
    /// More than any moving piece may be off.
    error: f64,
}

impl SphereFilter {
    /// The length of a variable's value in the unit of the cell that is 1 here; 1 for angles.
    pub(super) fn unit_of(&self, variable: usize) -> f64 {
        if self.turns[variable] { 1.0 } else { self.unit }
    }

    /// A length in the unit of the cell.
    pub(super) fn length(&self, own: f32) -> f64 {
        f64::from(own) * self.unit
    }

    /// A length of the cell in the unit of the filter, rounded up; NaN is without bounds.
    pub(super) fn rounded_up(&self, length: f64) -> f32 {
        if length.is_nan() { f32::INFINITY } else { (length * self.inverse * (1.0 + 4.0 * U)) as f32 }
    }

    /// The radius of a piece's bounding sphere.
    pub(super) fn radius(&self, piece: u32) -> f64 {
        self.pieces[piece as usize].whole.radius * self.unit
    }

    /// No point of a moving piece is further from the first robot's root, give or take its size.
    pub(super) fn reach(&self) -> f64 {
        self.error / (96.0 * U) * self.unit
    }

    /// The pair of pieces of a pair of bodies, by its number among those that the filter was built for.
    pub(super) fn pair_of(&self, body_pair: usize) -> u32 {
        self.of_pair[body_pair]
    }

    /// The pairs of bodies of a pair of pieces.
    pub(super) fn body_pairs(
        &self,
        pair: &PiecePair,
        margin: f64,
    ) -> impl Iterator<Item = BodyPair> + use<'_> {
        let [a, b] = pair.pieces.map(|piece| &self.pieces[piece as usize].bodies);
        let pair = pair.pair;
        let of = move |a: u32| b.iter().map(move |&b| BodyPair { bodies: [a, b], pair, margin });
        a.iter().flat_map(move |&a| of(a))
    }

    /// Memory for a batch.
    pub(super) fn batch(&self) -> Batch {
        Batch {
            values: vec![ZERO; self.turns.len()],
            frames: vec![Frame::default(); self.joints.len()],
            centers: self.pieces.iter().map(Centers::of).collect(),
            cells: vec![[0; LANES]; self.turns.len()],
            near: Vec::new(),
            unsure: Vec::new(),
            unsure_lanes: 0,
            colliding: Vec::new(),
            collision: [None; LANES],
            out_of_range: 0,
            planes: vec![[0; 2]; self.pairs.len()],
            levers: Vec::new(),
            arms: Vec::new(),
            steps: vec![ZERO; self.joints.len()],
            paths: Vec::new(),
            one: One::default(),
            alone: false,
            open: Vec::new(),
        }
    }
}

/// A pair of pieces that is unsure in a lane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Unsure {
    pub(super) lane: u8,
    pub(super) pair: u32,
    /// The larger, the deeper outer spheres are in each other.
    pub(super) depth: f32,
}

/// Up to sixteen configurations and their verdicts.
#[derive(Clone, Debug)]
pub(super) struct Batch {
    values: Vec<Row>,
    frames: Vec<Frame>,
    centers: Vec<Centers>,
    /// For variables of tables, the row or column of each configuration.
    cells: Vec<[u8; LANES]>,
    /// Pairs whose bounding spheres overlap and no table separates, with the lanes in which they do.
    pub(super) near: Vec<(u32, u16)>,
    /// By lane; of a configuration the deepest first, of a segment by number.
    pub(super) unsure: Vec<Unsure>,
    unsure_lanes: u16,
    /// Lanes and pairs in collision; only filled with [`Stop::Never`].
    pub(super) colliding: Vec<(u8, u32)>,
    /// A pair in collision in each lane.
    collision: [Option<u32>; LANES],
    /// Lanes with slides beyond the range of the filter.
    out_of_range: u16,
    /// Failed and successful searches for a separating plane, for each pair.
    planes: Vec<[u32; 2]>,
    /// How the centre of a piece moves as a joint turns, and the largest distance of the piece from its axis.
    levers: Vec<[Row; 3]>,
    arms: Vec<Row>,
    /// Distances along a route.
    steps: Vec<Row>,
    /// How far the pieces at the ends of each route may come nearer to each other.
    paths: Vec<Row>,
    /// A configuration alone, and whether it is what was classified.
    one: One,
    alone: bool,
    /// The configuration alone that was classified last and left unsure; empty after anything else.
    open: Vec<f64>,
}

impl Batch {
    /// The verdict on a configuration.
    pub(super) fn verdict(&self, lane: usize) -> Verdict {
        match self.collision[lane] {
            Some(pair) => Verdict::Collision(pair),
            None if self.unsure_lanes >> lane & 1 == 1 => Verdict::Unsure,
            None => Verdict::Separated,
        }
    }

    /// Keeps a configuration that was classified alone and is unsure.
    pub(super) fn keep_open(&mut self, values: &[f64]) {
        self.open.extend_from_slice(values);
    }

    /// Returns `true` if this is the configuration kept last, and nothing was classified since.
    pub(super) fn is_open(&self, values: &[f64]) -> bool {
        !values.is_empty() && self.open == values
    }

    /// The first lane in collision, and its pair.
    pub(super) fn first_collision(&self) -> Option<(usize, u32)> {
        self.collision.iter().enumerate().find_map(|(lane, pair)| Some((lane, (*pair)?)))
    }

    /// True if slides of a lane are beyond the range of the filter: all its pairs are unsure.
    pub(super) fn is_out_of_range(&self, lane: usize) -> bool {
        self.out_of_range >> lane & 1 == 1
    }

    /// True if a pair is neither in collision nor unsure in a lane; after [`Stop::Never`].
    pub(super) fn is_separated(&self, lane: usize, pair: u32) -> bool {
        let lane = lane as u8;
        let unsure = self.unsure.binary_search_by_key(&(lane, pair), |open| (open.lane, open.pair));
        unsure.is_err() && !self.colliding.contains(&(lane, pair))
    }

    /// The place in `unsure` of the first pair of a lane.
    pub(super) fn first_unsure(&self, lane: usize) -> usize {
        self.unsure.partition_point(|open| usize::from(open.lane) < lane)
    }

    /// The pair at a place in `unsure`, if it is of that lane.
    pub(super) fn unsure_pair(&self, place: usize, lane: usize) -> Option<u32> {
        let open = self.unsure.get(place).filter(|open| usize::from(open.lane) == lane)?;
        Some(open.pair)
    }

    /// How far the pieces on a route may come nearer to each other in the segment of a lane.
    pub(super) fn path(&self, route: u32, lane: usize) -> f32 {
        self.paths[route as usize].0[lane]
    }

    /// Makes room for routes.
    fn fit(&mut self, routes: &Routes) {
        self.levers.resize(routes.levers.len(), [ZERO; 3]);
        self.arms.resize(routes.levers.len(), ZERO);
        self.paths.resize(routes.all.len(), ZERO);
    }
}
