//! A curve as the rows of a trajectory file, within limits.

use super::DriveError;
use noli_robot::profile::{DriveLimits, Profile};
use noli_robot::{JointCurve, JointTable};

/// Rows that are nearer to each other lose more to rounding than they gain, in seconds.
const NEAREST: f64 = 1e-4;
/// Attempts to stretch a trajectory until its limits hold.
const ATTEMPTS: usize = 40;

/// Returns the knots of a curve with continuous accelerations as a table whose quintic interpolation keeps the limits, by
/// the control values of its derivatives. Times are stretched by the little that rounding takes.
pub(super) fn within_limits(curve: &JointCurve, limits: &DriveLimits) -> Result<JointTable, DriveError> {
    let mut factor = 1.0;
    let mut table = rows(curve, factor);
    for _ in 0..ATTEMPTS {
        let excess = limits.excess(&table.curve()?, Profile::SCurve);
        if excess <= 1.0 {
            break;
        }
        factor *= excess * (1.0 + 1e-9);
        table = rows(curve, factor);
    }
    Ok(table)
}

/// Positions, velocities and accelerations near the knots, times stretched by a factor and in whole nanoseconds.
fn rows(curve: &JointCurve, factor: f64) -> JointTable {
    let [start, end] = curve.span();
    let mut times: Vec<f64> = Vec::new();
    for &knot in curve.knots() {
        let near = times.last().is_some_and(|last| knot - last < NEAREST);
        if !near && (end - knot >= NEAREST || times.is_empty()) {
            times.push(knot);
        }
    }
    times.push(end.max(start + NEAREST));
    let last = times.len() - 1;
    let mut table = JointTable { times: Some(Vec::new()), ..JointTable::default() };
    for (number, time) in times.into_iter().enumerate() {
        let written = in_nanoseconds((time - start) * factor, number == last);
        let scaled = |order: usize| -> Vec<f64> {
            let at = start + written / factor;
            let rest = number == 0 || number == last;
            let scale = factor.powi(order as i32);
            curve
                .derivative(at, order)
                .into_iter()
                .map(|rate| if rest { 0.0 } else { rate / scale })
                .collect()
        };
        let position =
            if number == last { curve.position(end) } else { curve.position(start + written / factor) };
        table.rows.push(position);
        table.velocities.push(scaled(1));
        table.accelerations.push(scaled(2));
        if let Some(times) = &mut table.times {
            times.push(written);
        }
    }
    table
}

/// A time as files hold it: seconds and nanoseconds, summed as they are read.
fn in_nanoseconds(time: f64, up: bool) -> f64 {
    let seconds = time.floor();
    let part = (time - seconds) * 1e9;
    seconds + (if up { part.ceil() } else { part.round() }) * 1e-9
}
