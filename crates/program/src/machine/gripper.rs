//! Statements on the gripper, the tool and the base.

use super::values::turn_z;
use super::{Grip, Host, Interpreter, Next, Ran, RunFault};
use crate::code::{Expression, Location};
use glam::DVec3;
use noli_geom::Pose;

impl<H: Host> Interpreter<'_, H> {
    pub(super) fn move_gripper(&mut self, open: bool, now: bool, amount: Option<&Expression>) -> Ran<Next> {
        let opening = match amount {
            None => None,
            Some(amount) => Some(self.number(amount)? / 1000.0),
        };
        if !now {
            self.next_grip = Some((open, opening, self.place));
        } else if self.settle()? {
            return Ok(Next::Again);
        } else {
            let grip = Grip { place: self.place, time: self.clock, open, opening };
            self.grip(&grip)?;
        }
        Ok(Next::On)
    }

    pub(super) fn grasp(&mut self, least: &Expression, otherwise: Option<usize>) -> Ran<Next> {
        let least = self.number(least)?;
        if self.settle()? {
            return Ok(Next::Again);
        }
        let grip = Grip { place: self.place, time: self.clock, open: false, opening: None };
        self.grip(&grip)?;
        let opening = self.opening * 1000.0;
        if opening < least {
            return otherwise.map(Next::To).ok_or(RunFault::NothingHeld { opening, least });
        }
        Ok(Next::On)
    }

    /// Changes the tool where the arm stands.
    pub(super) fn change_tool(&mut self, location: Option<&Location>) -> Ran<Next> {
        if self.settle()? {
            return Ok(Next::Again);
        }
        self.tool = match location {
            None => Pose::IDENTITY,
            Some(location) => self.pose(location)?,
        };
        Ok(Next::On)
    }

    pub(super) fn change_base(&mut self, shift: Option<&[Expression; 4]>) -> Ran<Next> {
        if self.settle()? {
            return Ok(Next::Again);
        }
        self.base = match shift {
            None => Pose::IDENTITY,
            Some(parts) => {
                let [x, y, z, turn] = self.numbers(parts)?;
                Pose::new(turn_z(turn)?, DVec3::new(x, y, z) / 1000.0)
            }
        };
        Ok(Next::On)
    }
}
