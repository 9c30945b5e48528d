//! Sixteen configurations at once: kinematics in lanes, then balls.
//!
//! What balls prove holds for the verdict on the poses as rounded: the lanes compute the very same poses, so
//! only the rounding of the balls' places counts. Rotating by a quaternion that is of unit length only within
//! its own rounding moves a point by less than `32u` of its distance for every step of the chain, and the
//! sums round by less than `16u` of the lengths involved; we allow `64u` for each step, and eight times more.

use super::cover::Balls;
use super::{Body, BodyPair, Cell};
use crate::kinematics::{LANES, LaneFrame, Lanes};
use glam::{DMat3, DVec3};
use noli::Pose;
use noli::internals::{Work, vectorised};
use noli_geom::UNIT_ROUNDOFF;

/// Centres of the ball around a body and of the largest ball inside it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Centers {
    whole: [Lanes; 3],
    core: [Lanes; 3],
}

const NOTHING: Centers = Centers { whole: [Lanes::splat(0.0); 3], core: [Lanes::splat(0.0); 3] };

/// Those of bodies that stand still.
pub(super) fn still_centers(bodies: &[Body]) -> Vec<Option<Centers>> {
    let place = |body: &Body| body.carrier.is_none().then(|| centers(body, &LaneFrame::IDENTITY));
    bodies.iter().map(place).collect()
}

#[inline(always)]
fn centers(body: &Body, frame: &LaneFrame) -> Centers {
    let cover = &body.cover;
    let whole = frame.place(cover.whole.center);
    Centers { whole, core: cover.core.map_or(whole, |core| frame.place(core.center)) }
}

/// Memory for a block.
#[derive(Clone, Debug)]
pub(super) struct Block {
    values: Vec<Lanes>,
    pub(super) frames: Vec<LaneFrame>,
    centers: Vec<Centers>,
    /// How far centres may be off in each configuration.
    slack: Lanes,
    /// Pairs of bodies whose balls meet, with the configurations in which they do.
    pub(super) near: Vec<(u32, u16)>,
    /// The pair of bodies that each configuration is known to be hit by.
    pub(super) hit: [Option<u32>; LANES],
}

/// What the balls of two bodies tell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Told {
    /// The bodies are further apart than the margin.
    Apart,
    /// They share a point.
    Meet,
    /// Nothing is certain.
    Open,
}

impl Block {
    pub(super) fn new(cell: &Cell) -> Self {
        let still = cell.still.iter().map(|place| place.unwrap_or(NOTHING)).collect();
        Self {
            values: vec![Lanes::splat(0.0); cell.values],
            frames: vec![LaneFrame::IDENTITY; cell.links],
            centers: still,
            slack: Lanes::splat(0.0),
            near: Vec::new(),
            hit: [None; LANES],
        }
    }

    /// Takes up to sixteen configurations; the last stands in for those that are missing.
    pub(super) fn fill<'a>(&mut self, count: usize, state: impl Fn(usize) -> &'a [f64]) {
        for lane in 0..LANES {
            let values = state(lane.min(count - 1));
            for (all, value) in self.values.iter_mut().zip(values) {
                all.0[lane] = *value;
            }
        }
    }

    /// Poses of all links, and places of all balls.
    pub(super) fn place(&mut self, cell: &Cell) {
        vectorised(Placing { cell, block: self });
    }

    /// Which of these pairs the balls leave over; `first` stops where a configuration is known to be hit.
    pub(super) fn sieve(&mut self, pairs: &[BodyPair], wanted: u16, first: bool) {
        vectorised(Sieving { block: self, pairs, wanted, first });
    }

    /// What sixteen balls on either side tell of a pair in one configuration.
    pub(super) fn told(&self, cell: &Cell, pair: &BodyPair, lane: usize, more: f64) -> Told {
        let pose = |body: &Body| body.carrier.map(|link| self.frames[link].pose(lane));
        let [a, b] = pair.bodies.map(|body| &cell.bodies[body as usize]);
        told(cell.steps, [a, b], [pose(a), pose(b)], pair.margin + more, more == 0.0)
    }
}

struct Placing<'a> {
    cell: &'a Cell,
    block: &'a mut Block,
}

impl Work for Placing<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { cell, block } = self;
        for (arm, root) in cell.arms.iter().zip(&cell.roots) {
            let values = &block.values[arm.first_value..];
            arm.robot.frames_at(root, values, &mut block.frames[arm.first_link..]);
        }
        let mut far = [0.0f64; LANES];
        for (body, place) in cell.bodies.iter().zip(&mut block.centers) {
            if let Some(link) = body.carrier {
                *place = centers(body, &block.frames[link]);
            }
            let reach = if body.cover.reach.is_finite() { body.cover.reach } else { 0.0 };
            for k in 0..LANES {
                let [x, y, z] = place.whole.map(|part| part.0[k].abs());
                let most = x + y + z + 2.0 * reach;
                far[k] = if most > far[k] { most } else { far[k] };
            }
        }
        let error = 512.0 * UNIT_ROUNDOFF * (cell.steps + 4) as f64;
        block.slack = Lanes(far.map(|far| error * far));
    }
}

struct Sieving<'a> {
    block: &'a mut Block,
    pairs: &'a [BodyPair],
    wanted: u16,
    first: bool,
}

impl Work for Sieving<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { block, pairs, wanted, first } = self;
        block.near.clear();
        block.hit = [None; LANES];
        let mut open = wanted;
        let slack = block.slack.0;
        if first {
            for (number, pair) in pairs.iter().enumerate() {
                if pair.core <= 0.0 {
                    continue;
                }
                let [a, b] = pair.bodies.map(|body| &block.centers[body as usize].core);
                let mut inside = within(a, b, pair.core, &slack, -1.0) & open;
                open &= !inside;
                while inside != 0 {
                    block.hit[inside.trailing_zeros() as usize] = Some(number as u32);
                    inside &= inside - 1;
                }
                if open == 0 {
                    return;
                }
            }
        }
        for (number, pair) in pairs.iter().enumerate() {
            let [a, b] = pair.bodies.map(|body| &block.centers[body as usize].whole);
            let near = within(a, b, pair.sum, &slack, 1.0) & open;
            if near != 0 {
                block.near.push((number as u32, near));
            }
        }
    }
}

/// In which configurations two points are at most so far apart, give or take the slack twice.
#[inline(always)]
fn within(a: &[Lanes; 3], b: &[Lanes; 3], sum: f64, slack: &[f64; LANES], sign: f64) -> u16 {
    let mut over = [0.0f64; LANES];
    for k in 0..LANES {
        let (x, y, z) = (a[0].0[k] - b[0].0[k], a[1].0[k] - b[1].0[k], a[2].0[k] - b[2].0[k]);
        let most = sum + sign * (slack[k] + slack[k]);
        let most = if most > 0.0 { most } else { 0.0 };
        over[k] = (x * x + y * y + z * z) - most * most;
    }
    let mut mask = 0u16;
    for k in 0..LANES {
        mask |= u16::from(if sign > 0.0 { over[k] <= 0.0 } else { over[k] < 0.0 }) << k;
    }
    mask
}

/// What the balls of two bodies tell at these poses of their carriers; `None` is the world.
pub(super) fn told(
    steps: usize,
    bodies: [&Body; 2],
    carriers: [Option<Pose>; 2],
    margin: f64,
    may_meet: bool,
) -> Told {
    let [a, b] = bodies.map(|body| &body.cover);
    let [(turn_a, at_a), (turn_b, at_b)] = carriers.map(|carrier| match carrier {
        Some(pose) => (pose.rotation_matrix(), pose.translation),
        None => (DMat3::IDENTITY, DVec3::ZERO),
    });
    let back = turn_a.transpose();
    let (turn, shift) = (back * turn_b, back * (at_b - at_a));
    let reach = a.reach + b.reach + shift.length();
    // Single precision errs by less than 32 of its roundoffs of the lengths involved, and we allow 64; the
    // poses by far less, unless they are far away.
    let far = at_a.length() + at_b.length() + reach;
    let slack =
        (64.0 * f64::from(f32::EPSILON / 2.0)) * reach + 512.0 * UNIT_ROUNDOFF * (steps + 4) as f64 * far;
    let frame = Turned { turn: turn.to_cols_array().map(|x| x as f32), shift: shift.as_vec3().to_array() };
    vectorised(Telling { a, b, frame, slack: slack as f32, margin: margin as f32, may_meet })
}

struct Turned {
    turn: [f32; 9],
    shift: [f32; 3],
}

impl Turned {
    #[inline(always)]
    fn centers(&self, balls: &Balls) -> [[f32; LANES]; 3] {
        let [x, y, z] = &balls.center;
        let mut out = [[0.0; LANES]; 3];
        for axis in 0..3 {
            for k in 0..LANES {
                let t = &self.turn;
                out[axis][k] =
                    ((t[axis] * x[k] + t[3 + axis] * y[k]) + t[6 + axis] * z[k]) + self.shift[axis];
            }
        }
        out
    }
}

struct Telling<'a> {
    a: &'a super::cover::Cover,
    b: &'a super::cover::Cover,
    frame: Turned,
    slack: f32,
    margin: f32,
    may_meet: bool,
}

impl Work for Telling<'_> {
    type Output = Told;

    #[inline(always)]
    fn run(self) -> Told {
        let Self { a, b, frame, slack, margin, may_meet } = self;
        // The smallest number keeps squares that vanish from telling.
        if !any(&a.outer, &b.outer, &frame.centers(&b.outer), (margin + slack) * 1.000_001, 1e-36) {
            return Told::Apart;
        }
        if may_meet
            && a.inner.count > 0
            && b.inner.count > 0
            && any(&a.inner, &b.inner, &frame.centers(&b.inner), -slack, -1e-36)
        {
            return Told::Meet;
        }
        Told::Open
    }
}

/// Whether any two balls are closer than `more`.
#[inline(always)]
fn any(a: &Balls, b: &Balls, centers: &[[f32; LANES]; 3], more: f32, least: f32) -> bool {
    for i in 0..a.count {
        let [x, y, z] = [0, 1, 2].map(|axis| a.center[axis][i]);
        let mut over = [0.0f32; LANES];
        for k in 0..LANES {
            let (dx, dy, dz) = (centers[0][k] - x, centers[1][k] - y, centers[2][k] - z);
            let sum = (a.radius[i] + more) + b.radius[k];
            let sum = if sum > 0.0 { sum } else { 0.0 };
            over[k] = (dx * dx + dy * dy + dz * dz) - (sum * sum + least);
        }
        // NaN, where numbers are too large for single precision, tells nothing either way.
        let mut meets = false;
        for k in 0..LANES {
            meets |= if least > 0.0 { over[k] <= 0.0 || over[k].is_nan() } else { over[k] < 0.0 };
        }
        if meets {
            return true;
        }
    }
    false
}
