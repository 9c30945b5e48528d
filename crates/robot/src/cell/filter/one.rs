//! A single configuration: columns of frames are vectors, and a piece is compared with sixteen others at a time.
//!
//! Sums have the terms and the order of those of a batch. A configuration has the same verdict, by the same pair, alone
//! and among sixteen.

use super::kinematics::{reduced, sin_cos};
use super::lane::Centers;
use super::tables::Tables;
use super::{Batch, Joint, PiecePair, Row, SphereFilter, ZERO};
use crate::cell::LANES;
use glam::Vec4;
use noli::internals::Simd;

/// A piece that moves.
#[derive(Clone, Debug)]
struct Posed {
    piece: u32,
    frame: u32,
    center: [f32; 3],
}

/// A piece and those of sixteen with which it is tested.
#[derive(Clone, Debug)]
struct Block {
    piece: u32,
    /// The first of the sixteen, divided by sixteen.
    group: u32,
    tested: u16,
    /// Squares of the distances beyond which they are separated.
    separated: Row,
    pairs: [u32; LANES],
}

/// Pieces and pairs of a filter, arranged for single configurations.
#[derive(Clone, Debug, Default)]
pub(super) struct Singly {
    posed: Vec<Posed>,
    blocks: Vec<Block>,
}

impl Singly {
    fn new(filter: &SphereFilter) -> Self {
        let posed = filter.posed.iter().filter_map(|&(number, _)| {
            let piece = &filter.pieces[number as usize];
            let center = piece.whole.center.as_vec3().to_array();
            Some(Posed { piece: number, frame: piece.frame?, center })
        });
        let mut degree = vec![0u32; filter.pieces.len()];
        filter.pairs.iter().flat_map(|pair| pair.pieces).for_each(|piece| degree[piece as usize] += 1);
        // The piece with more pairs is the one, so that there are few blocks.
        let mut all: Vec<(u32, u32, usize)> = filter
            .pairs
            .iter()
            .enumerate()
            .map(|(number, pair)| {
                let [a, b] = pair.pieces;
                let (one, other) = if degree[b as usize] > degree[a as usize] { (b, a) } else { (a, b) };
                (one, other, number)
            })
            .collect();
        all.sort_unstable();
        let mut blocks: Vec<Block> = Vec::new();
        for (piece, other, number) in all {
            let (group, lane) = (other / LANES as u32, other as usize % LANES);
            let has_room =
                |last: &Block| (last.piece, last.group, last.tested >> lane & 1) == (piece, group, 0);
            if !blocks.last().is_some_and(has_room) {
                blocks.push(Block { piece, group, tested: 0, separated: ZERO, pairs: [0; LANES] });
            }
            if let Some(block) = blocks.last_mut() {
                block.tested |= 1 << lane;
                block.separated.0[lane] = filter.pairs[number].separated;
                block.pairs[lane] = number as u32;
            }
        }
        Self { posed: posed.collect(), blocks }
    }
}

/// One configuration: frames and centres.
#[derive(Clone, Debug, Default)]
pub(super) struct One {
    /// Sixteen variables side by side: their values, sines and cosines.
    values: Vec<[Row; 3]>,
    /// The columns of the turns of joints, and their origins.
    frames: Vec<[Vec4; 4]>,
    /// Sixteen pieces side by side.
    centers: Vec<[Row; 3]>,
    /// A bit for each pair: the bounding spheres overlap.
    near: Vec<u64>,
}

impl One {
    fn new(filter: &SphereFilter) -> Self {
        let mut centers = vec![[ZERO; 3]; filter.pieces.len().div_ceil(LANES)];
        for (number, piece) in filter.pieces.iter().enumerate() {
            let own = Centers::of(piece).whole;
            for axis in 0..3 {
                centers[number / LANES][axis].0[number % LANES] = own[axis].0[0];
            }
        }
        Self {
            values: vec![[ZERO; 3]; filter.turns.len().div_ceil(LANES)],
            frames: vec![[Vec4::ZERO; 4]; filter.joints.len()],
            centers,
            near: vec![0; filter.pairs.len().div_ceil(64)],
        }
    }

    /// The centre of a piece's bounding sphere.
    #[inline(always)]
    pub(super) fn center(&self, piece: u32) -> [f32; 3] {
        let (own, lane) = (&self.centers[piece as usize / LANES], piece as usize % LANES);
        [own[0].0[lane], own[1].0[lane], own[2].0[lane]]
    }

    /// The rows of the turn of a joint, and its origin.
    #[inline(always)]
    pub(super) fn frame(&self, joint: u32) -> ([[f32; 3]; 3], [f32; 3]) {
        let [x, y, z, at] = self.frames[joint as usize].map(|column| column.to_array());
        let row = |k: usize| [x[k], y[k], z[k]];
        ([row(0), row(1), row(2)], [at[0], at[1], at[2]])
    }

    /// The value of a variable.
    #[inline(always)]
    fn value(&self, variable: u32) -> f32 {
        self.values[variable as usize / LANES][0].0[variable as usize % LANES]
    }

    /// The frame behind a joint.
    #[inline(always)]
    fn behind(&self, joint: &Joint) -> [Vec4; 4] {
        let parent = joint.parent.map(|parent| &self.frames[parent as usize]);
        let column = |k: usize| {
            let own = [joint.turn[0][k], joint.turn[1][k], joint.turn[2][k]];
            parent.map_or_else(|| wide(own), |parent| turned(parent, own))
        };
        let at = parent.map_or_else(|| wide(joint.shift), |parent| parent[3] + turned(parent, joint.shift));
        if joint.slides {
            let [x, y, z, _] = parent.copied().unwrap_or([Vec4::X, Vec4::Y, Vec4::Z, Vec4::ZERO]);
            return [x, y, z, at + column(0) * self.value(joint.variable)];
        }
        let [_, sin, cos] = &self.values[joint.variable as usize / LANES];
        let lane = joint.variable as usize % LANES;
        let (sin, cos) = (sin.0[lane], cos.0[lane]);
        let (x, y) = (column(0), column(1));
        [x * cos + y * sin, y * cos - x * sin, column(2), at]
    }
}

#[inline(always)]
fn wide([x, y, z]: [f32; 3]) -> Vec4 {
    Vec4::new(x, y, z, 0.0)
}

/// A vector turned by the columns of a frame.
#[inline(always)]
fn turned(frame: &[Vec4; 4], [x, y, z]: [f32; 3]) -> Vec4 {
    frame[0] * x + frame[1] * y + frame[2] * z
}

/// Frames and centres in a configuration.
#[inline(always)]
pub(super) fn pose<S: Simd>(s: S, filter: &SphereFilter, batch: &mut Batch, state: &[f64]) {
    let one = &mut batch.one;
    for group in 0..one.values.len() {
        let mut row = [0.0; LANES];
        let first = LANES * group;
        for variable in first..state.len().min(first + LANES) {
            row[variable - first] = reduced(filter, filter.turns[variable], state[variable]);
        }
        let (sin, cos) = sin_cos(s, s.load(&row));
        one.values[group] = [Row(row), Row(s.store(sin)), Row(s.store(cos))];
    }
    for (number, joint) in filter.joints.iter().enumerate() {
        one.frames[number] = one.behind(joint);
    }
    for posed in &filter.singly().posed {
        let frame = &one.frames[posed.frame as usize];
        let center = (frame[3] + turned(frame, posed.center)).to_array();
        let (own, lane) = (&mut one.centers[posed.piece as usize / LANES], posed.piece as usize % LANES);
        for axis in 0..3 {
            own[axis].0[lane] = center[axis];
        }
    }
    let beyond = |&(variable, most): &(u32, f32)| one.value(variable).abs() > most;
    batch.out_of_range = u16::from(filter.slides.iter().any(beyond));
}

/// Lists the near pairs of a configuration, and tests their largest inner spheres with `cores`.
#[inline(always)]
pub(super) fn near<S: Simd>(
    s: S,
    filter: &SphereFilter,
    batch: &mut Batch,
    tables: Option<&Tables>,
    cores: bool,
) {
    if batch.out_of_range != 0 {
        return;
    }
    overlapping(s, filter, &mut batch.one);
    if let Some(tables) = tables {
        tables.locate_one(|variable| batch.one.value(variable), &mut batch.cells);
    }
    for word in 0..batch.one.near.len() {
        let mut left = batch.one.near[word];
        while left != 0 {
            let number = 64 * word + left.trailing_zeros() as usize;
            left &= left - 1;
            if apart(s, filter, &batch.one, &filter.pairs[number])
                || tables.is_some_and(|tables| tables.separated(number, &batch.cells, 1) != 0)
            {
                continue;
            }
            batch.near.push((number as u32, 1));
        }
    }
    if !cores {
        return;
    }
    for k in 0..batch.near.len() {
        let (number, _) = batch.near[k];
        let pair = &filter.pairs[number as usize];
        if pair.meet > 0.0 && cores_collide(s, filter, &batch.one, pair) {
            batch.collision[0] = Some(number);
            return;
        }
    }
}

/// Marks the pairs whose bounding spheres overlap.
#[inline(always)]
fn overlapping<S: Simd>(s: S, filter: &SphereFilter, one: &mut One) {
    one.near.fill(0);
    for block in &filter.singly().blocks {
        let [x, y, z] = one.center(block.piece);
        let others = &one.centers[block.group as usize];
        let x = s.splat(x) - s.load(&others[0].0);
        let y = s.splat(y) - s.load(&others[1].0);
        let z = s.splat(z) - s.load(&others[2].0);
        let mut near = block.tested & !s.gt(x * x + y * y + z * z, s.load(&block.separated.0));
        while near != 0 {
            let pair = block.pairs[near.trailing_zeros() as usize & 15] as usize;
            near &= near - 1;
            one.near[pair / 64] |= 1 << (pair % 64);
        }
    }
}

/// Tests the bounding sphere of a piece against a primitive or a cloud.
#[inline(always)]
fn apart<S: Simd>(s: S, filter: &SphereFilter, one: &One, pair: &PiecePair) -> bool {
    if let Some(other) = &pair.vs_primitive {
        let [x, y, z] = one.center(other.piece);
        let center = [s.splat(x), s.splat(y), s.splat(z)];
        return s.gt(other.distance_sq(s, center), s.splat(other.separated)) != 0;
    }
    if let Some(other) = &pair.vs_cloud
        && let Some(cloud) = &filter.pieces[other.cloud as usize].cloud
    {
        let [x, y, z] = one.center(other.piece);
        let center = [s.splat(x), s.splat(y), s.splat(z)];
        return cloud.near(s, center, s.splat(other.separated)) & 1 == 0;
    }
    false
}

/// Tests the largest inner spheres of a pair, or one and a primitive.
#[inline(always)]
fn cores_collide<S: Simd>(s: S, filter: &SphereFilter, one: &One, pair: &PiecePair) -> bool {
    if let Some(other) = &pair.vs_primitive {
        let core = core(filter, one, other.piece);
        let core = [s.splat(core.x), s.splat(core.y), s.splat(core.z)];
        return s.gt(s.splat(pair.meet), other.distance_sq(s, core)) != 0;
    }
    let away = core(filter, one, pair.pieces[0]) - core(filter, one, pair.pieces[1]);
    let [x, y, z, _] = (away * away).to_array();
    pair.meet > x + y + z
}

/// The centre of the largest inner sphere of a piece.
#[inline(always)]
fn core(filter: &SphereFilter, one: &One, piece: u32) -> Vec4 {
    let piece = &filter.pieces[piece as usize];
    let center = piece.core.map_or([0.0; 3], |core| core.center.as_vec3().to_array());
    piece.frame.map_or_else(
        || wide(center),
        |frame| {
            let frame = &one.frames[frame as usize];
            frame[3] + turned(frame, center)
        },
    )
}

impl SphereFilter {
    /// Pieces and pairs arranged for single configurations.
    #[inline(always)]
    pub(super) fn singly(&self) -> &Singly {
        self.singly.get_or_init(|| Singly::new(self))
    }
}

impl Batch {
    /// Makes room for a single configuration.
    #[inline(always)]
    pub(super) fn fit_one(&mut self, filter: &SphereFilter) {
        if self.one.frames.len() != filter.joints.len() || self.one.centers.is_empty() {
            self.make_one(filter);
        }
    }

    #[cold]
    #[inline(never)]
    fn make_one(&mut self, filter: &SphereFilter) {
        self.one = One::new(filter);
    }
}
