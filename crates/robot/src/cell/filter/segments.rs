//! Segments of a motion in joint space: bounds on how far pieces come nearer to each other.

use super::{Batch, RouteStep, Row, SphereFilter};
use crate::cell::LANES;
use noli::internals::Simd;

/// Up to sixteen segments of a motion in joint space, around the configurations of a batch.
#[derive(Clone, Copy, Debug)]
pub(in crate::cell) struct Segments<'a> {
    pub(in crate::cell) spread: Spread<'a>,
    /// The candidate pairs with their lanes; `None` for all pairs.
    pub(in crate::cell) candidates: Option<&'a [(u32, u16)]>,
}

/// How far the variables get from the configuration of each lane.
#[derive(Clone, Copy, Debug)]
pub(in crate::cell) enum Spread<'a> {
    /// Along a straight motion, all variables evenly.
    Even {
        /// How far from its middle each segment goes, as a share of the motion.
        halves: &'a [f32; LANES],
        /// The change of each variable in all, and its magnitude in the unit of the filter, rounded up.
        change: &'a [f64],
        pace: &'a [f32],
    },
    /// Near a chord in joint space: `±chord ± stray` of each variable, in the unit of the filter, and a bound on the
    /// magnitude of both together.
    Curved { chords: &'a [Row], strays: &'a [Row], widths: &'a [Row] },
}

impl Spread<'_> {
    /// The largest change of a variable, in the unit of the filter.
    #[inline(always)]
    fn width<S: Simd>(&self, s: S, variable: usize) -> S::F {
        match self {
            Self::Even { halves, pace, .. } => s.load(halves) * s.splat(pace[variable]),
            Self::Curved { widths, .. } => s.load(&widths[variable].0),
        }
    }

    /// Half the chord of a variable that turns, with its sign or the opposite one.
    #[inline(always)]
    fn chord<S: Simd>(&self, s: S, variable: usize, is_back: bool) -> S::F {
        match self {
            Self::Even { halves, change, .. } => {
                let rate = change[variable] as f32;
                s.load(halves) * s.splat(if is_back { -rate } else { rate })
            }
            Self::Curved { chords, .. } => {
                let chord = s.load(&chords[variable].0);
                if is_back { s.splat(0.0) - chord } else { chord }
            }
        }
    }

    /// The deviation of a variable from the chord; `None` where there is none.
    #[inline(always)]
    fn stray<S: Simd>(&self, s: S, variable: usize) -> Option<S::F> {
        match self {
            Self::Even { .. } => None,
            Self::Curved { strays, .. } => Some(s.load(&strays[variable].0)),
        }
    }

    /// The largest change of a variable in a lane, in the unit of the cell, given that of the filter.
    pub(super) fn half(&self, lane: usize, variable: usize, unit: f64) -> f64 {
        match self {
            Self::Even { halves, change, .. } => (change[variable] * f64::from(halves[lane])).abs(),
            Self::Curved { widths, .. } => f64::from(widths[variable].0[lane]) * unit,
        }
    }
}

impl SphereFilter {
    /// The magnitude of a change of all variables in the unit of the filter, rounded up.
    pub(in crate::cell) fn pace(&self, change: &[f64], pace: &mut Vec<f32>) {
        pace.clear();
        let length = |(variable, change): (usize, &f64)| {
            let own = if self.turns[variable] { change.abs() } else { change.abs() * self.inverse };
            (own * (1.0 + 1e-6)) as f32
        };
        pace.extend(change.iter().enumerate().map(length));
    }
}

/// Computes how far pieces may come nearer to each other in the segments, by every route.
///
/// The joints between them turn one after the other, each by its share, the pieces behind it no further from
/// its axis than now and as far as the joints beyond have moved them, seen from whichever piece is nearer.
/// [`drift`] is tighter for joints that work against each other; the smaller of both is taken.
#[inline(always)]
pub(super) fn paths<S: Simd>(s: S, filter: &SphereFilter, batch: &mut Batch, segments: &Segments<'_>) {
    let routes = filter.routes();
    levers(s, filter, batch, &routes.levers);
    for (number, route) in routes.all.iter().enumerate() {
        let share = |step: &RouteStep| {
            let joint = &filter.joints[step.joint as usize];
            (segments.spread.width(s, joint.variable as usize), joint.slides)
        };
        let mut beyond = s.splat(0.0);
        // What the second piece is moved by each joint; the first may be moved less.
        for (k, step) in route.iter().enumerate().rev() {
            let (share, slides) = share(step);
            let arm = s.load(&batch.arms[step.second as usize].0);
            let reach = if slides { arm } else { arm + beyond };
            batch.steps[k].0 = s.store(reach);
            beyond = beyond + share * reach;
        }
        if route.first().is_some_and(|step| step.first.is_some()) {
            let (mut back, mut least) = (s.splat(0.0), s.splat(0.0));
            for (k, step) in route.iter().enumerate() {
                let (share, slides) = share(step);
                let arm = s.load(&batch.arms[step.first.unwrap_or(step.second) as usize].0);
                let reach = if slides { arm } else { arm + back };
                back = back + share * reach;
                least = least + share * s.min(reach, s.load(&batch.steps[k].0));
            }
            beyond = least;
        }
        beyond = s.min(drift(s, filter, batch, route, segments), beyond);
        batch.paths[number].0 = s.store(beyond * s.splat(1.000_01));
    }
}

/// Distances of pieces from axes, and how their centres move as a joint turns.
#[inline(always)]
fn levers<S: Simd>(s: S, filter: &SphereFilter, batch: &mut Batch, levers: &[(u32, u32)]) {
    let slack = s.splat((8.0 * filter.error) as f32);
    for (slot, &(piece, joint)) in levers.iter().enumerate() {
        if filter.joints[joint as usize].slides {
            batch.arms[slot] = Row([1.0; LANES]);
            continue;
        }
        let frame = &batch.frames[joint as usize];
        let center = &batch.centers[piece as usize].whole;
        let x = s.load(&center[0].0) - s.load(&frame.shift[0].0);
        let y = s.load(&center[1].0) - s.load(&frame.shift[1].0);
        let z = s.load(&center[2].0) - s.load(&frame.shift[2].0);
        let (u, v, w) =
            (s.load(&frame.turn[0][2].0), s.load(&frame.turn[1][2].0), s.load(&frame.turn[2][2].0));
        let lever = [z * v - y * w, x * w - z * u, y * u - x * v];
        let radius = s.splat(filter.pieces[piece as usize].whole.radius as f32);
        batch.arms[slot].0 = s.store(length(s, lever) + radius + slack);
        for axis in 0..3 {
            batch.levers[slot][axis].0 = s.store(lever[axis]);
        }
    }
}

/// Bounds how far the second piece of a route gets, as the first one sees it, by its velocity in the middle
/// of the segment and a bound on its acceleration.
///
/// With joints numbered from the first piece on, rates `q`, axes `a` and distances `d` from them, a point has
/// the velocity `Σ q a × r`, and its acceleration is at most `Σ_k q_k d_k (q_k + 2 Σ_{i<k} q_i)`: the second
/// derivative by joints `i` and `k` is `a_i × (a_k × r)`. Distances are those of `steps`, which hold in all of
/// the segment. Deviations from a chord add their own velocities. Roundings are below what the slack allows for every joint's share.
#[inline(always)]
fn drift<S: Simd>(
    s: S,
    filter: &SphereFilter,
    batch: &Batch,
    route: &[RouteStep],
    segments: &Segments<'_>,
) -> S::F {
    let zero = s.splat(0.0);
    let (mut speed, mut spin) = ([zero; 3], [zero; 3]);
    let (mut along, mut bend, mut before) = (zero, zero, zero);
    for (k, step) in route.iter().enumerate() {
        let joint = &filter.joints[step.joint as usize];
        let (spread, variable) = (&segments.spread, joint.variable as usize);
        let share = spread.width(s, variable);
        bend = bend + share * s.load(&batch.steps[k].0) * (share + before + before);
        before = before + share;
        if joint.slides {
            along = along + share;
            continue;
        }
        let turn = spread.chord(s, variable, step.is_back);
        if let Some(stray) = spread.stray(s, variable) {
            along = along + stray * s.load(&batch.arms[step.second as usize].0);
        }
        let (frame, lever) = (&batch.frames[step.joint as usize], &batch.levers[step.second as usize]);
        for axis in 0..3 {
            speed[axis] = speed[axis] + turn * s.load(&lever[axis].0);
            spin[axis] = spin[axis] + turn * s.load(&frame.turn[axis][2].0);
        }
    }
    let radius = route.first().map_or(0.0, |step| {
        filter.pieces[filter.routes().levers[step.second as usize].0 as usize].whole.radius as f32
    });
    let slack = s.splat((16.0 * filter.error) as f32);
    length(s, speed) + length(s, spin) * s.splat(radius) + along + s.splat(0.5) * bend + before * slack
}

#[inline(always)]
fn length<S: Simd>(s: S, [x, y, z]: [S::F; 3]) -> S::F {
    s.sqrt(x * x + y * y + z * z)
}
