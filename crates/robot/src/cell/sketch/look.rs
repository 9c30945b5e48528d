//! The sketch in sixteen lanes: where everything is in sixteen states, and what that tells of pairs.

use super::hull::{parted, placed};
use super::plain::told_beside;
use super::{Balls, Beside, Duo, Frame, Memory, Piece, RouteStep, Row, Sketch, U};
use crate::LANES;
use crate::cell::table::Tables;
use glam::DVec3;
use noli::internals::{Simd, Task};

/// Looks at up to sixteen configurations, one after the other in `states`.
pub(in crate::cell) struct Look<'a> {
    pub(in crate::cell) sketch: &'a Sketch,
    pub(in crate::cell) tables: Option<&'a Tables>,
    pub(in crate::cell) memory: &'a mut Memory,
    pub(in crate::cell) states: &'a [f64],
    /// Nothing more is looked at once a configuration is known to be hit.
    pub(in crate::cell) one_ends: bool,
}

impl Task for Look<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let Self { sketch, tables, memory, states, one_ends } = self;
        let size = sketch.turns.len();
        let count = states.len() / size;
        fill(sketch, memory, states, count);
        frames(s, sketch, memory);
        centers(s, sketch, memory);
        memory.hit = [None; LANES];
        memory.todo.clear();
        let mut open = first(count) & !memory.wild;
        if let Some(tables) = tables {
            tables.locate(&memory.values, &mut memory.cells);
        }
        memory.near.clear();
        for (number, duo) in sketch.duos.iter().enumerate() {
            let mut near = near(s, memory, duo, open, |_, apart| s.splat(apart));
            if near != 0
                && let Some(tables) = tables
            {
                near &= !tables.apart(number, &memory.cells);
            }
            if near != 0 {
                memory.near.push((number as u32, near));
            }
        }
        for k in 0..memory.near.len() {
            let (number, near) = memory.near[k];
            let duo = &sketch.duos[number as usize];
            if duo.meet <= 0.0 || near & open == 0 {
                continue;
            }
            let mut inside = near & open & s.gt(s.splat(duo.meet), core_distance_sq(s, memory, duo));
            open &= !inside;
            if one_ends && inside != 0 {
                memory.hit[inside.trailing_zeros() as usize & 15] = Some(number);
                return;
            }
            while inside != 0 {
                memory.hit[inside.trailing_zeros() as usize & 15] = Some(number);
                inside &= inside - 1;
            }
        }
        hold(s, sketch, memory, one_ends, |memory, number, lane| {
            memory.hit[lane].is_none().then_some(sketch.duos[number as usize].more)
        });
        // What is deepest meets likeliest.
        let hit = memory.hit;
        memory.todo.retain(|&(lane, ..)| hit[usize::from(lane)].is_none());
        memory.todo.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(b.2.total_cmp(&a.2)).then(a.1.cmp(&b.1)));
    }
}

/// Looks at up to sixteen parts of a straight way in joint space, by the configurations in their middles.
pub(in crate::cell) struct LookAlong<'a> {
    pub(in crate::cell) sketch: &'a Sketch,
    pub(in crate::cell) memory: &'a mut Memory,
    pub(in crate::cell) states: &'a [f64],
    /// How far from its middle each part goes, as a share of the way.
    pub(in crate::cell) halves: &'a [f32; LANES],
    /// How far each variable goes in all, and the size of that, rounded up.
    pub(in crate::cell) way: &'a [f64],
    pub(in crate::cell) pace: &'a [f32],
    pub(in crate::cell) tables: Option<&'a Tables>,
    /// The pairs that are open, with the parts they are open in; `None` for all.
    pub(in crate::cell) open: Option<&'a [(u32, u16)]>,
}

impl Task for LookAlong<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let Self { sketch, memory, states, halves, way, pace, tables, open } = self;
        let size = sketch.turns.len();
        let count = states.len() / size;
        fill(sketch, memory, states, count);
        frames(s, sketch, memory);
        centers(s, sketch, memory);
        ways(s, sketch, memory, halves, (way, pace));
        memory.hit = [None; LANES];
        memory.todo.clear();
        memory.near.clear();
        let all = first(count);
        match open {
            None => {
                for (number, duo) in sketch.duos.iter().enumerate() {
                    let way = s.load(&memory.ways[duo.route as usize].0);
                    let near = near(s, memory, duo, all, |reach, _| {
                        let reach = s.splat(reach) + way;
                        reach * reach * s.splat(1.0 + 32.0 * U as f32)
                    });
                    if near != 0 {
                        memory.near.push((number as u32, near));
                    }
                }
            }
            Some(open) => memory.near.extend_from_slice(open),
        }
        hold(s, sketch, memory, true, |memory, number, lane| {
            let apart = tables.is_some_and(|tables| {
                tables.apart_within(number as usize, |variable| {
                    let half = (way[variable] * f64::from(halves[lane])).abs();
                    let middle = states[lane * size + variable];
                    [middle - half, middle + half]
                })
            });
            let duo = &sketch.duos[number as usize];
            let more = (duo.more + memory.ways[duo.route as usize].0[lane]) * (1.0 + 4.0 * U as f32);
            (!apart).then_some(more)
        });
    }
}

/// In which of some configurations two pieces are near each other, by the balls around them and by the distance from what is
/// plain. `square` gives the square of how far they reach, from what is stated of that and of its square.
#[inline(always)]
fn near<S: Simd>(s: S, memory: &Memory, duo: &Duo, among: u16, square: impl Fn(f32, f32) -> S::F) -> u16 {
    let [a, b] = duo.pieces.map(|piece| &memory.centers[piece as usize].whole);
    let near = among & !s.gt(distance_sq(s, a, b), square(duo.reach, duo.apart));
    match &duo.beside {
        Some(beside) if near != 0 => {
            let center = &memory.centers[beside.piece as usize].whole;
            near & !s.gt(from_plain_sq(s, beside, center), square(beside.reach, beside.apart))
        }
        _ => near,
    }
}

/// The square of the distance of the middles of the largest balls inside two pieces, or of one from what is plain.
#[inline(always)]
fn core_distance_sq<S: Simd>(s: S, memory: &Memory, duo: &Duo) -> S::F {
    let core = |piece: u32| &memory.centers[piece as usize].core;
    match &duo.beside {
        Some(beside) => from_plain_sq(s, beside, core(beside.piece)),
        None => distance_sq(s, core(duo.pieces[0]), core(duo.pieces[1])),
    }
}

#[inline(always)]
fn from_plain_sq<S: Simd>(s: S, beside: &Beside, center: &[Row; 3]) -> S::F {
    let center = [s.load(&center[0].0), s.load(&center[1].0), s.load(&center[2].0)];
    beside.plain.distance_sq(s, beside.plain.seen(s, center))
}

/// Holds the smaller balls of pairs that are near against each other, lane by lane, to the end or until the
/// first that meets. `more` is what the balls of the first piece grow by; `None` leaves a pair out.
#[inline(always)]
fn hold<S: Simd>(
    s: S,
    sketch: &Sketch,
    memory: &mut Memory,
    one_ends: bool,
    more: impl Fn(&Memory, u32, usize) -> Option<f32>,
) {
    for k in 0..memory.near.len() {
        let (number, mut lanes) = memory.near[k];
        let duo = &sketch.duos[number as usize];
        while lanes != 0 {
            let lane = lanes.trailing_zeros() as usize;
            lanes &= lanes - 1;
            let Some(more) = more(memory, number, lane) else { continue };
            match told(s, sketch, memory, duo, lane, more) {
                Told::Apart => {}
                Told::Meet => {
                    memory.hit[lane] = Some(number);
                    if one_ends {
                        return;
                    }
                }
                Told::Open(depth) => {
                    let parts = duo.planes && hulls_part(s, sketch, memory, duo, lane, more);
                    if duo.planes {
                        memory.planes[number as usize][usize::from(parts)] += 1;
                    }
                    if !parts {
                        memory.todo.push((lane as u8, number, depth));
                    }
                }
            }
        }
    }
}

/// How far pieces may come nearer to each other in the parts, by every route.
///
/// The joints between them turn one after the other, each by its share, the pieces behind it no further from
/// its axis than now and as far as the joints beyond have moved them, seen from whichever piece is nearer.
/// Joints that work against each other are better told by [`drift`]; the smaller of both is taken.
#[inline(always)]
fn ways<S: Simd>(
    s: S,
    sketch: &Sketch,
    memory: &mut Memory,
    halves: &[f32; LANES],
    (way, pace): (&[f64], &[f32]),
) {
    let slack = s.splat((8.0 * sketch.error) as f32);
    for (slot, &(piece, joint)) in sketch.arms.iter().enumerate() {
        if sketch.joints[joint as usize].slides {
            memory.arms[slot] = Row([1.0; LANES]);
            continue;
        }
        let frame = &memory.frames[joint as usize];
        let center = &memory.centers[piece as usize].whole;
        let x = s.load(&center[0].0) - s.load(&frame.shift[0].0);
        let y = s.load(&center[1].0) - s.load(&frame.shift[1].0);
        let z = s.load(&center[2].0) - s.load(&frame.shift[2].0);
        let (u, v, w) =
            (s.load(&frame.turn[0][2].0), s.load(&frame.turn[1][2].0), s.load(&frame.turn[2][2].0));
        let lever = [z * v - y * w, x * w - z * u, y * u - x * v];
        let radius = s.splat(sketch.pieces[piece as usize].whole.radius as f32);
        memory.arms[slot].0 = s.store(length(s, lever) + radius + slack);
        memory.levers[slot] = lever.map(|part| Row(s.store(part)));
    }
    let half = s.load(halves);
    for (number, route) in sketch.routes.iter().enumerate() {
        let share = |step: &RouteStep| {
            let joint = &sketch.joints[step.joint as usize];
            (half * s.splat(pace[joint.variable as usize]), joint.slides)
        };
        let mut beyond = s.splat(0.0);
        // What the second piece is moved by each joint; the first may be moved less.
        for (k, step) in route.iter().enumerate().rev() {
            let (share, slides) = share(step);
            let arm = s.load(&memory.arms[step.second as usize].0);
            let reach = if slides { arm } else { arm + beyond };
            memory.steps[k].0 = s.store(reach);
            beyond = beyond + share * reach;
        }
        if route.first().is_some_and(|step| step.first.is_some()) {
            let (mut back, mut least) = (s.splat(0.0), s.splat(0.0));
            for (k, step) in route.iter().enumerate() {
                let (share, slides) = share(step);
                let arm = s.load(&memory.arms[step.first.unwrap_or(step.second) as usize].0);
                let reach = if slides { arm } else { arm + back };
                back = back + share * reach;
                least = least + share * s.min(reach, s.load(&memory.steps[k].0));
            }
            beyond = least;
        }
        beyond = s.min(drift(s, sketch, memory, route, (half, way, pace)), beyond);
        memory.ways[number].0 = s.store(beyond * s.splat(1.000_01));
    }
}

/// How far the second piece of a route gets at most, as the first one sees it, by its velocity in the middle
/// of the part and a bound on what bends its way.
///
/// With joints numbered from the first piece on, rates `q`, axes `a` and distances `d` from them, a point has
/// the velocity `Σ q a × r`, and its acceleration is at most `Σ_k q_k d_k (q_k + 2 Σ_{i<k} q_i)`: the second
/// derivative by joints `i` and `k` is `a_i × (a_k × r)`. Distances are those of `steps`, which hold in all of
/// the part. Roundings are below what the slack allows for every joint's share.
#[inline(always)]
fn drift<S: Simd>(
    s: S,
    sketch: &Sketch,
    memory: &Memory,
    route: &[RouteStep],
    (half, way, pace): (S::F, &[f64], &[f32]),
) -> S::F {
    let zero = s.splat(0.0);
    let (mut speed, mut spin) = ([zero; 3], [zero; 3]);
    let (mut along, mut bend, mut before) = (zero, zero, zero);
    for (k, step) in route.iter().enumerate() {
        let joint = &sketch.joints[step.joint as usize];
        let share = half * s.splat(pace[joint.variable as usize]);
        bend = bend + share * s.load(&memory.steps[k].0) * (share + before + before);
        before = before + share;
        if joint.slides {
            along = along + share;
            continue;
        }
        let rate = way[joint.variable as usize] as f32;
        let turn = half * s.splat(if step.is_back { -rate } else { rate });
        let (frame, lever) = (&memory.frames[step.joint as usize], &memory.levers[step.second as usize]);
        for axis in 0..3 {
            speed[axis] = speed[axis] + turn * s.load(&lever[axis].0);
            spin[axis] = spin[axis] + turn * s.load(&frame.turn[axis][2].0);
        }
    }
    let radius = route
        .first()
        .map_or(0.0, |step| sketch.pieces[sketch.arms[step.second as usize].0 as usize].whole.radius as f32);
    let slack = s.splat((16.0 * sketch.error) as f32);
    length(s, speed) + length(s, spin) * s.splat(radius) + along + s.splat(0.5) * bend + before * slack
}

#[inline(always)]
fn length<S: Simd>(s: S, [x, y, z]: [S::F; 3]) -> S::F {
    s.sqrt(x * x + y * y + z * z)
}

/// Angles within half a turn either way, in single precision; the last configuration stands in for those
/// that are missing.
#[inline(always)]
fn fill(sketch: &Sketch, memory: &mut Memory, states: &[f64], count: usize) {
    const ROUNDER: f64 = 6_755_399_441_055_744.0;
    const TURN: f64 = std::f64::consts::TAU;
    let size = sketch.turns.len();
    for variable in 0..size {
        let mut raw = [0.0f64; LANES];
        if count == LANES {
            for lane in 0..LANES {
                raw[lane] = states[lane * size + variable];
            }
        } else {
            for lane in 0..LANES {
                raw[lane] = states[lane.min(count - 1) * size + variable];
            }
        }
        let row = &mut memory.values[variable].0;
        if sketch.turns[variable] {
            for lane in 0..LANES {
                let turns = (raw[lane] * (1.0 / TURN) + ROUNDER) - ROUNDER;
                row[lane] = (raw[lane] - turns * TURN) as f32;
            }
        } else {
            for lane in 0..LANES {
                row[lane] = raw[lane] as f32;
            }
        }
    }
    memory.wild = 0;
    for &variable in &sketch.slides {
        let most = (sketch.bounds[variable as usize] * (1.0 + 1e-6)) as f32;
        for lane in 0..LANES {
            memory.wild |= u16::from(memory.values[variable as usize].0[lane].abs() > most) << lane;
        }
    }
}

/// Sine and cosine of angles within half a turn either way, each within `8u`.
///
/// Both are the sine of an angle within a quarter turn: `cos r = sin(π/2 - |r|)`, and `sin r = sin(π - r)`
/// beyond. Taylor's series up to the eleventh power leaves less than `u` there.
#[inline(always)]
pub(super) fn sin_cos<S: Simd>(s: S, r: S::F) -> (S::F, S::F) {
    use std::f32::consts::{FRAC_PI_2, PI};
    let folded = s.min(s.max(r, s.splat(-PI) - r), s.splat(PI) - r);
    (sine(s, folded), sine(s, s.splat(FRAC_PI_2) - s.abs(r)))
}

#[inline(always)]
fn sine<S: Simd>(s: S, x: S::F) -> S::F {
    const C: [f32; 5] = [-1.0 / 6.0, 1.0 / 120.0, -1.0 / 5_040.0, 1.0 / 362_880.0, -1.0 / 39_916_800.0];
    let z = x * x;
    let mut sum = s.splat(C[4]);
    sum = sum * z + s.splat(C[3]);
    sum = sum * z + s.splat(C[2]);
    sum = sum * z + s.splat(C[1]);
    sum = sum * z + s.splat(C[0]);
    x + x * (z * sum)
}

#[inline(always)]
fn frames<S: Simd>(s: S, sketch: &Sketch, memory: &mut Memory) {
    for (number, joint) in sketch.joints.iter().enumerate() {
        let value = s.load(&memory.values[joint.variable as usize].0);
        let mut turn = [[s.splat(0.0); 3]; 3];
        let mut shift = [s.splat(0.0); 3];
        match joint.parent {
            None => {
                for row in 0..3 {
                    shift[row] = s.splat(joint.shift[row]);
                    for column in 0..3 {
                        turn[row][column] = s.splat(joint.turn[row][column]);
                    }
                }
            }
            Some(parent) => {
                let parent = &memory.frames[parent as usize];
                for row in 0..3 {
                    let own = [
                        s.load(&parent.turn[row][0].0),
                        s.load(&parent.turn[row][1].0),
                        s.load(&parent.turn[row][2].0),
                    ];
                    let constants = &joint.shift;
                    let moved = own[0] * s.splat(constants[0])
                        + own[1] * s.splat(constants[1])
                        + own[2] * s.splat(constants[2]);
                    shift[row] = s.load(&parent.shift[row].0) + moved;
                    let columns = if joint.slides { 1 } else { 3 };
                    for column in 0..columns {
                        turn[row][column] = own[0] * s.splat(joint.turn[0][column])
                            + own[1] * s.splat(joint.turn[1][column])
                            + own[2] * s.splat(joint.turn[2][column]);
                    }
                }
            }
        }
        if joint.slides {
            for row in 0..3 {
                shift[row] = shift[row] + turn[row][0] * value;
            }
            match joint.parent {
                None => {
                    for row in 0..3 {
                        for column in 0..3 {
                            turn[row][column] = s.splat(if row == column { 1.0 } else { 0.0 });
                        }
                    }
                }
                Some(parent) => {
                    let parent = &memory.frames[parent as usize];
                    for row in 0..3 {
                        for column in 0..3 {
                            turn[row][column] = s.load(&parent.turn[row][column].0);
                        }
                    }
                }
            }
        } else {
            let (sin, cos) = sin_cos(s, value);
            for row in 0..3 {
                let [x, y] = [turn[row][0], turn[row][1]];
                turn[row][0] = x * cos + y * sin;
                turn[row][1] = y * cos - x * sin;
            }
        }
        let frame = &mut memory.frames[number];
        for row in 0..3 {
            frame.shift[row].0 = s.store(shift[row]);
            for column in 0..3 {
                frame.turn[row][column].0 = s.store(turn[row][column]);
            }
        }
    }
}

#[inline(always)]
fn centers<S: Simd>(s: S, sketch: &Sketch, memory: &mut Memory) {
    for &(number, core) in &sketch.moving {
        let piece = &sketch.pieces[number as usize];
        let Some(frame) = piece.frame else { continue };
        let frame = &memory.frames[frame as usize];
        let out = &mut memory.centers[number as usize];
        place(s, frame, piece.whole.center, &mut out.whole);
        if core && let Some(core) = &piece.core {
            place(s, frame, core.center, &mut out.core);
        }
    }
}

#[inline(always)]
fn place<S: Simd>(s: S, frame: &Frame, center: DVec3, out: &mut [Row; 3]) {
    let [x, y, z] = [s.splat(center.x as f32), s.splat(center.y as f32), s.splat(center.z as f32)];
    for row in 0..3 {
        let turn = &frame.turn[row];
        let moved = s.load(&turn[0].0) * x + s.load(&turn[1].0) * y + s.load(&turn[2].0) * z;
        out[row].0 = s.store(s.load(&frame.shift[row].0) + moved);
    }
}

#[inline(always)]
fn distance_sq<S: Simd>(s: S, a: &[Row; 3], b: &[Row; 3]) -> S::F {
    let x = s.load(&a[0].0) - s.load(&b[0].0);
    let y = s.load(&a[1].0) - s.load(&b[1].0);
    let z = s.load(&a[2].0) - s.load(&b[2].0);
    x * x + y * y + z * z
}

/// Balls at their places in one configuration.
pub(super) struct Set<S: Simd> {
    pub(super) center: [S::F; 3],
    pub(super) radius: S::F,
}

#[inline(always)]
pub(super) fn set<S: Simd>(s: S, balls: &Balls, place: &Place) -> Set<S> {
    let [x, y, z] = [s.load(&balls.center[0].0), s.load(&balls.center[1].0), s.load(&balls.center[2].0)];
    let radius = s.load(&balls.radius.0);
    let Some((turn, shift)) = place else { return Set { center: [x, y, z], radius } };
    let mut center = [x, y, z];
    for row in 0..3 {
        let moved = x * s.splat(turn[row][0]) + y * s.splat(turn[row][1]) + z * s.splat(turn[row][2]);
        center[row] = s.splat(shift[row]) + moved;
    }
    Set { center, radius }
}

/// One configuration's frame; `None` for what stands still.
pub(super) type Place = Option<([[f32; 3]; 3], [f32; 3])>;

#[inline(always)]
pub(super) fn in_lane(frames: &[Frame], piece: &Piece, lane: usize) -> Place {
    let frame = &frames[piece.frame? as usize];
    let mut turn = [[0.0; 3]; 3];
    let mut shift = [0.0; 3];
    for row in 0..3 {
        shift[row] = frame.shift[row].0[lane];
        for column in 0..3 {
            turn[row][column] = frame.turn[row][column].0[lane];
        }
    }
    Some((turn, shift))
}

/// What the balls of two pieces tell in one configuration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Told {
    Apart,
    Meet,
    /// Nothing; the larger the number, the deeper the balls around them are in each other.
    Open(f32),
}

#[inline(always)]
fn told<S: Simd>(s: S, sketch: &Sketch, memory: &Memory, duo: &Duo, lane: usize, more: f32) -> Told {
    if duo.open {
        return Told::Open(0.0);
    }
    if let Some(beside) = &duo.beside {
        return told_beside(s, sketch, memory, beside, lane, more);
    }
    let (a, b) = (&sketch.pieces[duo.pieces[0] as usize], &sketch.pieces[duo.pieces[1] as usize]);
    let whole_a = in_lane_center(memory, duo.pieces[0], lane);
    let whole_b = in_lane_center(memory, duo.pieces[1], lane);
    let place_a = in_lane(&memory.frames, a, lane);
    let mut x = set(s, &a.outer, &place_a);
    x.radius = x.radius + s.splat(more);
    // Only balls that reach the ball around the other piece may reach any of its balls.
    let near_a = reaching(s, &x, (whole_b, b.outside)) & first(a.outer.count);
    if near_a == 0 {
        return Told::Apart;
    }
    let place_b = in_lane(&memory.frames, b, lane);
    let y = set(s, &b.outer, &place_b);
    let near_b = reaching(s, &y, (whole_a, a.outside + more)) & first(b.outer.count);
    if near_b == 0 {
        return Told::Apart;
    }
    let (depth, close) = deepest(s, &x, near_a, &y, near_b);
    if depth <= 0.0 {
        return Told::Apart;
    }
    if a.inner.count > 0 && b.inner.count > 0 {
        let (x, y) = (set(s, &a.inner, &place_a), set(s, &b.inner, &place_b));
        if any(s, &x, first(a.inner.count), &y, 1.0 - 32.0 * U as f32) {
            return Told::Meet;
        }
    }
    if !fine_meet(s, (a, &place_a), (b, &place_b, &y), near_a, &close, more) {
        return Told::Apart;
    }
    if dense_meet(s, (a, &place_a), (b, &place_b), near_a, &close) {
        return Told::Meet;
    }
    Told::Open(depth)
}

#[inline(always)]
pub(super) fn highest(lanes: [f32; LANES]) -> f32 {
    let mut highest = f32::MIN;
    for lane in 0..LANES {
        highest = if lanes[lane] > highest { lanes[lane] } else { highest };
    }
    highest
}

/// Whether a plane is found between two pieces in one configuration.
#[inline(always)]
fn hulls_part<S: Simd>(s: S, sketch: &Sketch, memory: &Memory, duo: &Duo, lane: usize, more: f32) -> bool {
    let (a, b) = (&sketch.pieces[duo.pieces[0] as usize], &sketch.pieces[duo.pieces[1] as usize]);
    let (Some(x), Some(y)) = (&a.hull, &b.hull) else { return false };
    let whole_a = in_lane_center(memory, duo.pieces[0], lane);
    let whole_b = in_lane_center(memory, duo.pieces[1], lane);
    let between = [whole_b[0] - whole_a[0], whole_b[1] - whole_a[1], whole_b[2] - whole_a[2]];
    let (place_a, place_b) = (in_lane(&memory.frames, a, lane), in_lane(&memory.frames, b, lane));
    parted(s, (x, &place_a), (y, &place_b), between, more)
}

/// Whether smaller balls around two pieces meet, of those in the places of balls that do.
#[inline(always)]
fn fine_meet<S: Simd>(
    s: S,
    (a, place_a): (&Piece, &Place),
    (b, place_b, outer): (&Piece, &Place, &Set<S>),
    near: u16,
    close: &[u16; LANES],
    more: f32,
) -> bool {
    let center = [s.store(outer.center[0]), s.store(outer.center[1]), s.store(outer.center[2])];
    let radius = s.store(outer.radius);
    let mut left = near;
    while left != 0 {
        let k = left.trailing_zeros() as usize & 15;
        left &= left - 1;
        if close[k] == 0 {
            continue;
        }
        let mut x = set(s, &a.fine[k], place_a);
        x.radius = x.radius + s.splat(more);
        let mut others = close[k];
        while others != 0 {
            let other = others.trailing_zeros() as usize & 15;
            others &= others - 1;
            // What is in the other place is within the ball around it.
            let ball = ([center[0][other], center[1][other], center[2][other]], radius[other]);
            let reach = reaching(s, &x, ball) & first(a.fine[k].count);
            if reach != 0 && any(s, &x, reach, &set(s, &b.fine[other], place_b), 1.0 + 32.0 * U as f32) {
                return true;
            }
        }
    }
    false
}

/// Whether balls inside two pieces meet, of those about the places where the balls around them do.
#[inline(always)]
fn dense_meet<S: Simd>(
    s: S,
    (a, place_a): (&Piece, &Place),
    (b, place_b): (&Piece, &Place),
    mut near: u16,
    close: &[u16; LANES],
) -> bool {
    while near != 0 {
        let k = near.trailing_zeros() as usize & 15;
        near &= near - 1;
        let (own, mut others) = (&a.dense[k], close[k]);
        if own.count == 0 || others == 0 {
            continue;
        }
        let x = set(s, own, place_a);
        while others != 0 {
            let other = &b.dense[others.trailing_zeros() as usize & 15];
            others &= others - 1;
            if other.count == 0 {
                continue;
            }
            let around = (placed(place_b, other.around.0), other.around.1);
            let reach = reaching(s, &x, around) & first(own.count);
            if reach != 0 && any(s, &x, reach, &set(s, other, place_b), 1.0 - 32.0 * U as f32) {
                return true;
            }
        }
    }
    false
}

/// The centre of the ball around a piece in one configuration.
#[inline(always)]
fn in_lane_center(memory: &Memory, piece: u32, lane: usize) -> [f32; 3] {
    let center = &memory.centers[piece as usize].whole;
    [center[0].0[lane], center[1].0[lane], center[2].0[lane]]
}

/// The first lanes.
#[inline(always)]
pub(super) fn first(count: usize) -> u16 {
    (((1u32 << count) - 1) & 0xffff) as u16
}

/// Which balls of a set reach a ball.
#[inline(always)]
fn reaching<S: Simd>(s: S, set: &Set<S>, (center, radius): ([f32; 3], f32)) -> u16 {
    let x = set.center[0] - s.splat(center[0]);
    let y = set.center[1] - s.splat(center[1]);
    let z = set.center[2] - s.splat(center[2]);
    let sum = set.radius + s.splat(radius);
    !s.gt(x * x + y * y + z * z, sum * sum * s.splat(1.0 + 32.0 * U as f32))
}

/// By how much the square of the sum of two radii exceeds the square of the distance at most, not above 0 if
/// all are apart; and for each ball of the first set those of the second that it meets.
#[inline(always)]
fn deepest<S: Simd>(s: S, a: &Set<S>, mut near_a: u16, b: &Set<S>, near_b: u16) -> (f32, [u16; LANES]) {
    let center = [s.store(a.center[0]), s.store(a.center[1]), s.store(a.center[2])];
    let radius = s.store(a.radius);
    let mut close = [0; LANES];
    let mut most = s.splat(f32::MIN);
    while near_a != 0 {
        let k = near_a.trailing_zeros() as usize & 15;
        near_a &= near_a - 1;
        let x = s.splat(center[0][k]) - b.center[0];
        let y = s.splat(center[1][k]) - b.center[1];
        let z = s.splat(center[2][k]) - b.center[2];
        let sum = s.splat(radius[k]) + b.radius;
        let over = sum * sum * s.splat(1.0 + 32.0 * U as f32) - (x * x + y * y + z * z);
        // What is no number meets.
        close[k] = near_b & !s.gt(s.splat(0.0), over);
        most = s.max(most, over);
    }
    (highest(s.store(s.select(near_b, most, s.splat(f32::MIN)))), close)
}

/// Whether any of some balls is nearer to any of the others than both radii, the square times `factor`.
#[inline(always)]
fn any<S: Simd>(s: S, a: &Set<S>, mut wanted: u16, b: &Set<S>, factor: f32) -> bool {
    let center = [s.store(a.center[0]), s.store(a.center[1]), s.store(a.center[2])];
    let radius = s.store(a.radius);
    let mut meet = 0;
    while wanted != 0 {
        let k = wanted.trailing_zeros() as usize & 15;
        wanted &= wanted - 1;
        let x = s.splat(center[0][k]) - b.center[0];
        let y = s.splat(center[1][k]) - b.center[1];
        let z = s.splat(center[2][k]) - b.center[2];
        let sum = s.splat(radius[k]) + b.radius;
        meet |= s.gt(sum * sum * s.splat(factor), x * x + y * y + z * z);
    }
    meet != 0
}
