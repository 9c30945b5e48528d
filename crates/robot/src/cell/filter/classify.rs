//! The one entry of the filter: poses of a batch, pairs culled by bounding spheres and tables, and what remains
//! resolved lane by lane by sphere sets, primitives and separating planes.

use super::kinematics::pose;
use super::lane::{LaneView, PairVerdict};
use super::one;
use super::segments::{Segments, paths};
use super::spheres::first;
use super::tables::Tables;
use super::{Batch, PiecePair, Row, SphereFilter, U, Unsure};
use crate::cell::LANES;
use noli::internals::{Instructions, Simd, Task, dispatch};

/// The verdict on a configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cell) enum Verdict {
    /// Every pair is separated by more than its margin.
    Separated,
    /// This pair of pieces is in collision.
    Collision(u32),
    /// Pairs are left to the exact engine.
    Unsure,
}

/// Where classification ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cell) enum Stop {
    /// A configuration is left at its first collision.
    PerState,
    /// The batch is left at the first collision.
    Anywhere,
    /// Every pair is classified.
    Never,
}

/// What is classified.
#[derive(Clone, Copy, Debug)]
pub(in crate::cell) enum Scope<'a> {
    /// All pairs in the configurations.
    States,
    /// All pairs in segments around the configurations: separated in the whole segment, or in collision in its
    /// middle. Nothing is classified if a configuration is out of range.
    Segments(&'a Segments<'a>),
    /// Some pairs, each separated by so much more than its margin, in ascending order; in the unit of the
    /// filter.
    Pairs(&'a [(u32, f32)]),
}

/// Configurations to classify.
#[derive(Clone, Copy, Debug)]
pub(in crate::cell) struct Request<'a> {
    /// Up to sixteen, one after the other.
    pub(in crate::cell) states: &'a [f64],
    pub(in crate::cell) count: usize,
    pub(in crate::cell) tables: Option<&'a Tables>,
    pub(in crate::cell) stop: Stop,
    pub(in crate::cell) scope: Scope<'a>,
}

impl SphereFilter {
    /// Classifies a batch of configurations.
    pub(in crate::cell) fn classify(&self, batch: &mut Batch, request: Request<'_>) {
        if let Scope::Segments(_) = request.scope {
            batch.fit(self.routes());
        }
        dispatch(Instructions::best(), ClassifyStates { filter: self, batch, request });
    }
}

/// The task behind [`SphereFilter::classify`].
pub(super) struct ClassifyStates<'a> {
    pub(super) filter: &'a SphereFilter,
    pub(super) batch: &'a mut Batch,
    pub(super) request: Request<'a>,
}

impl Task for ClassifyStates<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let Self { filter, batch, request } = self;
        let Request { states, count, tables, stop, scope } = request;
        batch.alone = count == 1 && matches!(scope, Scope::States);
        batch.open.clear();
        if batch.alone {
            batch.fit_one(filter);
            one::pose(s, filter, batch, states);
        } else {
            pose(s, filter, batch, states, count);
        }
        batch.collision = [None; LANES];
        batch.near.clear();
        batch.unsure.clear();
        batch.colliding.clear();
        let lanes = first(count) & !batch.out_of_range;
        match scope {
            Scope::States => classify_states(s, filter, batch, tables, lanes, stop),
            Scope::Segments(_) if batch.out_of_range != 0 => {}
            Scope::Segments(segments) => classify_segments(s, filter, batch, &request, segments),
            Scope::Pairs(pairs) => classify_pairs(s, filter, batch, pairs, lanes),
        }
        if batch.out_of_range & first(count) != 0 {
            out_of_range(filter, batch, scope, count);
        }
        batch.order_unsure(scope);
    }
}

/// All pairs of lanes out of range are unsure.
#[inline(never)]
fn out_of_range(filter: &SphereFilter, batch: &mut Batch, scope: Scope<'_>, count: usize) {
    for lane in (0..count).filter(|lane| batch.out_of_range >> lane & 1 == 1) {
        let open = |pair: u32| Unsure { lane: lane as u8, pair, depth: 0.0 };
        match scope {
            Scope::Pairs(pairs) => batch.unsure.extend(pairs.iter().map(|&(pair, _)| open(pair))),
            Scope::States | Scope::Segments(_) => {
                batch.unsure.extend((0..filter.pairs.len() as u32).map(open))
            }
        }
    }
}

#[inline(always)]
fn classify_states<S: Simd>(
    s: S,
    filter: &SphereFilter,
    batch: &mut Batch,
    tables: Option<&Tables>,
    lanes: u16,
    stop: Stop,
) {
    if batch.alone {
        one::near(s, filter, batch, tables, stop != Stop::Never);
        if batch.collision[0].is_some() {
            return;
        }
    } else {
        near(s, filter, batch, tables, lanes);
        if stop != Stop::Never && cores_collide(s, filter, batch, lanes, stop) {
            return;
        }
    }
    resolve(s, filter, batch, stop, |batch, number, lane| {
        let skipped = stop != Stop::Never && batch.collision[lane].is_some();
        (!skipped).then_some(filter.pairs[number as usize].more)
    });
    if stop != Stop::Never {
        let collision = batch.collision;
        batch.unsure.retain(|open| collision[usize::from(open.lane)].is_none());
    }
}

/// Lists the pairs that bounding spheres and tables do not separate, with the lanes of each.
#[inline(always)]
fn near<S: Simd>(s: S, filter: &SphereFilter, batch: &mut Batch, tables: Option<&Tables>, lanes: u16) {
    if let Some(tables) = tables {
        tables.locate(&batch.values, &mut batch.cells);
    }
    for (number, pair) in filter.pairs.iter().enumerate() {
        let mut near = cull(s, (filter, batch), pair, lanes, |_, separated| s.splat(separated));
        if near != 0
            && let Some(tables) = tables
        {
            near &= !tables.separated(number, &batch.cells, near);
        }
        if near != 0 {
            batch.near.push((number as u32, near));
        }
    }
}

impl Batch {
    /// Sorts unsure pairs: of configurations the deepest first, which collide likeliest.
    fn order_unsure(&mut self, scope: Scope<'_>) {
        match scope {
            Scope::States => self.unsure.sort_unstable_by(|a, b| {
                a.lane.cmp(&b.lane).then(b.depth.total_cmp(&a.depth)).then(a.pair.cmp(&b.pair))
            }),
            Scope::Segments(_) | Scope::Pairs(_) => {
                self.unsure.sort_unstable_by_key(|open| (open.lane, open.pair))
            }
        }
        self.unsure_lanes = self.unsure.iter().fold(0, |lanes, open| lanes | 1 << open.lane);
    }
}

#[inline(always)]
fn classify_segments<S: Simd>(
    s: S,
    filter: &SphereFilter,
    batch: &mut Batch,
    request: &Request<'_>,
    segments: &Segments<'_>,
) {
    let Request { states, count, tables, .. } = *request;
    let size = filter.turns.len();
    let route = &filter.routes().of_pair;
    paths(s, filter, batch, segments);
    match segments.candidates {
        None => {
            for (number, pair) in filter.pairs.iter().enumerate() {
                let path = s.load(&batch.paths[route[number] as usize].0);
                let near = cull(s, (filter, batch), pair, first(count), |reach, _| {
                    let reach = s.splat(reach) + path;
                    reach * reach * s.splat(1.0 + 32.0 * U as f32)
                });
                if near != 0 {
                    batch.near.push((number as u32, near));
                }
            }
        }
        Some(candidates) => batch.near.extend_from_slice(candidates),
    }
    resolve(s, filter, batch, Stop::Anywhere, |batch, number, lane| {
        let separated = tables.is_some_and(|tables| {
            tables.separated_within(number as usize, |variable| {
                let half = segments.spread.half(lane, variable, filter.unit_of(variable));
                let middle = states[lane * size + variable];
                [middle - half, middle + half]
            })
        });
        let pair = &filter.pairs[number as usize];
        let more = (pair.more + batch.path(route[number as usize], lane)) * (1.0 + 4.0 * U as f32);
        (!separated).then_some(more)
    });
}

#[inline(always)]
fn classify_pairs<S: Simd>(s: S, filter: &SphereFilter, batch: &mut Batch, pairs: &[(u32, f32)], lanes: u16) {
    for &(number, more) in pairs {
        let pair = &filter.pairs[number as usize];
        let near = cull(s, (filter, batch), pair, lanes, |reach, _| {
            let reach = s.splat(reach) + s.splat(more);
            reach * reach * s.splat(1.0 + 32.0 * U as f32)
        });
        let more = (pair.more + more) * (1.0 + 4.0 * U as f32);
        resolve_pair(s, filter, batch, (number, near), Stop::Never, |_, _, _| Some(more));
    }
}

/// The lanes, of some, in which two pieces are near each other by their bounding spheres and by the distance
/// from a primitive or a cloud. `square` gives the square of their reach, from the reach and its square as stored.
#[inline(always)]
fn cull<S: Simd>(
    s: S,
    (filter, batch): (&SphereFilter, &Batch),
    pair: &PiecePair,
    among: u16,
    square: impl Fn(f32, f32) -> S::F,
) -> u16 {
    let [a, b] = pair.pieces.map(|piece| &batch.centers[piece as usize].whole);
    let near = among & !s.gt(distance_sq(s, a, b), square(pair.reach, pair.separated));
    if near == 0 {
        return 0;
    }
    if let Some(other) = &pair.vs_primitive {
        let center = loaded(s, &batch.centers[other.piece as usize].whole);
        return near & !s.gt(other.distance_sq(s, center), square(other.reach, other.separated));
    }
    if let Some(other) = &pair.vs_cloud
        && let Some(cloud) = &filter.pieces[other.cloud as usize].cloud
    {
        let center = loaded(s, &batch.centers[other.piece as usize].whole);
        return near & cloud.near(s, center, square(other.reach, other.separated));
    }
    near
}

/// Tests the largest inner spheres of near pairs; true where classification ends.
#[inline(always)]
fn cores_collide<S: Simd>(
    s: S,
    filter: &SphereFilter,
    batch: &mut Batch,
    mut lanes: u16,
    stop: Stop,
) -> bool {
    for k in 0..batch.near.len() {
        let (number, near) = batch.near[k];
        let pair = &filter.pairs[number as usize];
        if pair.meet <= 0.0 || near & lanes == 0 {
            continue;
        }
        let mut inside = near & lanes & s.gt(s.splat(pair.meet), core_distance_sq(s, batch, pair));
        lanes &= !inside;
        while inside != 0 {
            batch.collision[inside.trailing_zeros() as usize & 15] = Some(number);
            inside &= inside - 1;
            if stop == Stop::Anywhere {
                return true;
            }
        }
    }
    false
}

/// The square of the distance of the centres of the largest inner spheres, or of one from a primitive.
#[inline(always)]
fn core_distance_sq<S: Simd>(s: S, batch: &Batch, pair: &PiecePair) -> S::F {
    let core = |piece: u32| &batch.centers[piece as usize].core;
    match &pair.vs_primitive {
        Some(other) => other.distance_sq(s, loaded(s, core(other.piece))),
        None => distance_sq(s, core(pair.pieces[0]), core(pair.pieces[1])),
    }
}

#[inline(always)]
fn loaded<S: Simd>(s: S, [x, y, z]: &[Row; 3]) -> [S::F; 3] {
    [s.load(&x.0), s.load(&y.0), s.load(&z.0)]
}

#[inline(always)]
fn distance_sq<S: Simd>(s: S, a: &[Row; 3], b: &[Row; 3]) -> S::F {
    let x = s.load(&a[0].0) - s.load(&b[0].0);
    let y = s.load(&a[1].0) - s.load(&b[1].0);
    let z = s.load(&a[2].0) - s.load(&b[2].0);
    x * x + y * y + z * z
}

/// Classifies near pairs lane by lane. `more` is what the spheres of the first piece grow by; `None` skips a pair.
#[inline(always)]
fn resolve<S: Simd>(
    s: S,
    filter: &SphereFilter,
    batch: &mut Batch,
    stop: Stop,
    more: impl Fn(&Batch, u32, usize) -> Option<f32>,
) {
    for k in 0..batch.near.len() {
        let near = batch.near[k];
        if resolve_pair(s, filter, batch, near, stop, &more) {
            return;
        }
    }
}

/// The same for one pair in some lanes; true where classification ends.
#[inline(always)]
fn resolve_pair<S: Simd>(
    s: S,
    filter: &SphereFilter,
    batch: &mut Batch,
    (number, mut lanes): (u32, u16),
    stop: Stop,
    more: impl Fn(&Batch, u32, usize) -> Option<f32>,
) -> bool {
    while lanes != 0 {
        let lane = lanes.trailing_zeros() as usize;
        lanes &= lanes - 1;
        let Some(more) = more(batch, number, lane) else { continue };
        if s.apart(ClassifyLane { filter, batch: &mut *batch, number, lane, more, stop }) {
            return true;
        }
    }
    false
}

/// Classifies a pair in one lane; true where classification ends. Compiled by itself, because configurations, segments
/// and pairs would each have a copy of all the tests otherwise.
struct ClassifyLane<'a> {
    filter: &'a SphereFilter,
    batch: &'a mut Batch,
    number: u32,
    lane: usize,
    more: f32,
    stop: Stop,
}

impl Task for ClassifyLane<'_> {
    type Output = bool;

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> bool {
        let Self { filter, batch, number, lane, more, stop } = self;
        let pair = &filter.pairs[number as usize];
        let view = LaneView { s, filter, batch, lane, more };
        match view.classify(pair) {
            PairVerdict::Separated => {}
            PairVerdict::Collision => {
                batch.collision[lane] = Some(number);
                match stop {
                    Stop::PerState => {}
                    Stop::Anywhere => return true,
                    Stop::Never => batch.colliding.push((lane as u8, number)),
                }
            }
            PairVerdict::Unsure(depth) => {
                let separated = pair.planes && view.hulls_separated(pair);
                if pair.planes {
                    batch.planes[number as usize][usize::from(separated)] += 1;
                }
                if !separated {
                    batch.unsure.push(Unsure { lane: lane as u8, pair: number, depth });
                }
            }
        }
        false
    }
}
