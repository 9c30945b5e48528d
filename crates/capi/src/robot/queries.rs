//! Batches of configurations and edges.

use super::ROBOTS;
use crate::border::{Answer, ErrorCode, Failure, Out, border, place, room, slice};
use crate::queries::ClearanceRecord;
use crate::values::RobotHandle;
use noli::Guarantee;
use noli_robot::cell::{MotionStatus, StateStatus};

/// Configurations from which on a batch runs on all threads.
const MANY: usize = 256;

/// Status of a straight motion in joint space; `noli_edge` in C.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct EdgeRecord {
    /// 0: proven free. 1: in collision at `at`. 2: too close to a collision at `at` to be decided.
    pub status: i32,
    /// Share of the motion, from 0 to 1.
    pub at: f64,
    /// Number of the pair, for `noli_robot_pair_names`; -1 if free.
    pub pair: i64,
}

/// Tests configurations: one value of `noli_verdict` each.
///
/// # Safety
///
/// `states` has the numbers of `count` configurations, and `out` has room for `count` verdicts.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn noli_robot_check_states(
    robot: RobotHandle,
    states: *const f64,
    count: usize,
    out: *mut i32,
) -> ErrorCode {
    border(|| {
        let robot = ROBOTS.get(robot.id)?;
        // SAFETY: as the caller states.
        let states = unsafe { slice(states, numbers(count, robot.free.len())?, "states") }?;
        // SAFETY: as the caller states.
        let out = unsafe { room(out, count, "out") }?;
        let wide = robot.widened(states)?;
        let mut found = Vec::new();
        if count >= MANY {
            found = robot.built()?.check_states(&wide).map_err(Failure::value)?;
        } else {
            robot.ask(|checker| checker.check_states(&wide, &mut found).map_err(Failure::value))?;
        }
        for (item, status) in out.iter_mut().zip(&found) {
            item.write(match status {
                StateStatus::Free => 0,
                StateStatus::Hit(_) => 1,
                StateStatus::Unknown(_) => 2,
            });
        }
        Ok(())
    })
}

fn numbers(count: usize, dof: usize) -> Answer<usize> {
    if dof == 0 {
        return Err(Failure::value("the robot has no joint that moves; there is nothing to check"));
    }
    count
        .checked_mul(dof)
        .ok_or_else(|| Failure::value("`count` exceeds the memory; give the number of rows"))
}

/// Tests straight motions in joint space by proof.
///
/// # Safety
///
/// `from` and `to` have the numbers of `count` configurations, and `out` has room for `count` records.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn noli_robot_check_edges(
    robot: RobotHandle,
    from: *const f64,
    to: *const f64,
    count: usize,
    out: *mut EdgeRecord,
) -> ErrorCode {
    border(|| {
        let robot = ROBOTS.get(robot.id)?;
        let size = numbers(count, robot.free.len())?;
        // SAFETY: as the caller states.
        let (from, to) = unsafe { (slice(from, size, "from")?, slice(to, size, "to")?) };
        // SAFETY: as the caller states.
        let out = unsafe { room(out, count, "out") }?;
        let (from, to) = (robot.widened(from)?, robot.widened(to)?);
        let width = robot.robot.variables().len();
        robot.ask(|checker| {
            for ((from, to), item) in from.chunks_exact(width).zip(to.chunks_exact(width)).zip(out) {
                let status = checker.check_motion(from, to).map_err(Failure::value)?;
                item.write(match status {
                    MotionStatus::Free => EdgeRecord { status: 0, at: 1.0, pair: -1 },
                    MotionStatus::Blocked { at, pair } => EdgeRecord { status: 1, at, pair: pair as i64 },
                    MotionStatus::Close { at, pair } => EdgeRecord { status: 2, at, pair: pair as i64 },
                });
            }
            Ok(())
        })
    })
}

/// Computes the smallest clearance of all checked pairs in a configuration of `count` numbers; `pair` receives the number
/// of that pair.
///
/// # Safety
///
/// `state` has `count` numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn noli_robot_clearance(
    robot: RobotHandle,
    state: *const f64,
    count: usize,
    pair: Out<'_, i64>,
    out: Out<'_, ClearanceRecord>,
) -> ErrorCode {
    border(|| {
        let (pair, out) = (place(pair, "pair")?, place(out, "out")?);
        let robot = ROBOTS.get(robot.id)?;
        // SAFETY: as the caller states.
        let state = unsafe { slice(state, count, "state") }?;
        if count != numbers(1, robot.free.len())? {
            let wanted = robot.free.len();
            return Err(Failure::value(format!("{count} numbers for {wanted} joints; give one for each")));
        }
        let wide = robot.widened(state)?;
        let found = robot.ask(|checker| checker.clearance(&wide).map_err(Failure::value))?;
        pair.write(found.pair.map_or(-1, |pair| pair as i64));
        out.write(crate::queries::clearance_record(&noli::Clearance {
            distance: found.clearance,
            witness: found.witness,
            guarantee: Guarantee::Conservative,
        }));
        Ok(())
    })
}
