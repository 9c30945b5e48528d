//! Kinematics of a batch: values, frames of joints, and centres of pieces in sixteen lanes.

use super::lane::Frame;
use super::{Batch, Joint, Row, SphereFilter};
use crate::cell::LANES;
use glam::DVec3;
use noli::internals::Simd;

/// Frames and centres in up to sixteen configurations, one after the other; the last stands in for those that
/// are missing.
#[inline(always)]
pub(super) fn pose<S: Simd>(s: S, filter: &SphereFilter, batch: &mut Batch, states: &[f64], count: usize) {
    fill(filter, batch, states, count);
    for (number, joint) in filter.joints.iter().enumerate() {
        frame(s, joint, batch, number);
    }
    for &(number, core) in &filter.posed {
        let piece = &filter.pieces[number as usize];
        let Some(frame) = piece.frame else { continue };
        let frame = &batch.frames[frame as usize];
        let out = &mut batch.centers[number as usize];
        place(s, frame, piece.whole.center, &mut out.whole);
        if core && let Some(core) = &piece.core {
            place(s, frame, core.center, &mut out.core);
        }
    }
}

/// Angles within half a turn either way, and slides in the unit of the filter.
#[inline(always)]
fn fill(filter: &SphereFilter, batch: &mut Batch, states: &[f64], count: usize) {
    let size = filter.turns.len();
    for variable in 0..size {
        let (row, turns) = (&mut batch.values[variable].0, filter.turns[variable]);
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
        for lane in 0..LANES {
            row[lane] = reduced(filter, turns, raw[lane]);
        }
    }
    batch.out_of_range = 0;
    for &(variable, most) in &filter.slides {
        for lane in 0..count {
            let value = batch.values[variable as usize].0[lane];
            batch.out_of_range |= u16::from(value.abs() > most) << lane;
        }
    }
}

/// An angle within half a turn either way, or a slide in the unit of the filter.
#[inline(always)]
pub(super) fn reduced(filter: &SphereFilter, turns: bool, raw: f64) -> f32 {
    const ROUNDER: f64 = 6_755_399_441_055_744.0;
    const TURN: f64 = std::f64::consts::TAU;
    if turns {
        let whole = (raw * (1.0 / TURN) + ROUNDER) - ROUNDER;
        (raw - whole * TURN) as f32
    } else {
        (raw * filter.inverse) as f32
    }
}

/// The frame behind a joint.
#[inline(always)]
fn frame<S: Simd>(s: S, joint: &Joint, batch: &mut Batch, number: usize) {
    let value = s.load(&batch.values[joint.variable as usize].0);
    let (mut turn, mut shift) = before(s, joint, batch);
    if joint.slides {
        for row in 0..3 {
            shift[row] = shift[row] + turn[row][0] * value;
        }
        turn = parent_turn(s, joint, batch);
    } else {
        let (sin, cos) = sin_cos(s, value);
        for row in 0..3 {
            let [x, y] = [turn[row][0], turn[row][1]];
            turn[row][0] = x * cos + y * sin;
            turn[row][1] = y * cos - x * sin;
        }
    }
    let frame = &mut batch.frames[number];
    for row in 0..3 {
        frame.shift[row].0 = s.store(shift[row]);
        for column in 0..3 {
            frame.turn[row][column].0 = s.store(turn[row][column]);
        }
    }
}

/// The frame of a joint at the value 0; for a slide the first column alone, its direction.
#[inline(always)]
fn before<S: Simd>(s: S, joint: &Joint, batch: &Batch) -> ([[S::F; 3]; 3], [S::F; 3]) {
    let mut turn = [[s.splat(0.0); 3]; 3];
    let mut shift = [s.splat(0.0); 3];
    let Some(parent) = joint.parent else {
        for row in 0..3 {
            shift[row] = s.splat(joint.shift[row]);
            for column in 0..3 {
                turn[row][column] = s.splat(joint.turn[row][column]);
            }
        }
        return (turn, shift);
    };
    let parent = &batch.frames[parent as usize];
    for row in 0..3 {
        let own =
            [s.load(&parent.turn[row][0].0), s.load(&parent.turn[row][1].0), s.load(&parent.turn[row][2].0)];
        let constants = &joint.shift;
        let moved =
            own[0] * s.splat(constants[0]) + own[1] * s.splat(constants[1]) + own[2] * s.splat(constants[2]);
        shift[row] = s.load(&parent.shift[row].0) + moved;
        let columns = if joint.slides { 1 } else { 3 };
        for column in 0..columns {
            turn[row][column] = own[0] * s.splat(joint.turn[0][column])
                + own[1] * s.splat(joint.turn[1][column])
                + own[2] * s.splat(joint.turn[2][column]);
        }
    }
    (turn, shift)
}

#[inline(always)]
fn parent_turn<S: Simd>(s: S, joint: &Joint, batch: &Batch) -> [[S::F; 3]; 3] {
    let mut turn = [[s.splat(0.0); 3]; 3];
    for row in 0..3 {
        for column in 0..3 {
            turn[row][column] = match joint.parent {
                None => s.splat(if row == column { 1.0 } else { 0.0 }),
                Some(parent) => s.load(&batch.frames[parent as usize].turn[row][column].0),
            };
        }
    }
    turn
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
