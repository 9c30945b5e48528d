//! Time passes and the arm moves.

use super::values::{aligned, back_along_tool};
use super::{
    ArmChoice, Grip, Host, Interpreter, MotionKind, MotionRequest, Moving, Next, Pace, Ran, RunFault, Spot,
};
use crate::code::{Expression, Location, SpeedUnit};
use noli_geom::Pose;

/// The lowest speed of a program, in percent or mm/s: below it, motions would never end.
const SLOWEST: f64 = 1e-6;

impl<H: Host> Interpreter<'_, H> {
    /// Lets time pass; whether a reaction stopped the motion in progress meanwhile.
    pub(super) fn advance(&mut self, until: f64) -> Ran<bool> {
        while self.clock < until {
            let next = self.host.next_input(self.clock, until).filter(|time| *time > self.clock);
            self.clock = next.map_or(until, |time| time.min(until));
            self.check_time()?;
            self.steps = self.steps.saturating_add(1);
            if self.steps > self.limits.steps {
                return Err(RunFault::StepLimit(self.limits.steps));
            }
            if self.look() && self.moving.as_ref().is_some_and(|moving| moving.end > self.clock) {
                self.joints = self.joints_now();
                self.moving = None;
                self.host.stopped(self.clock, &self.joints);
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Waits for the motion in progress; whether it was stopped.
    pub(super) fn settle(&mut self) -> Ran<bool> {
        let Some(end) = self.moving.as_ref().map(|moving| moving.end) else { return Ok(false) };
        self.advance(end)
    }

    /// Returns the current joint values, interpolated uniformly during a motion.
    pub(super) fn joints_now(&self) -> Vec<f64> {
        let Some(moving) = self.moving.as_ref().filter(|moving| moving.end > self.clock) else {
            return self.joints.clone();
        };
        if let Some(joints) = self.host.joints_at(self.clock) {
            return joints;
        }
        let share = ((self.clock - moving.start) / (moving.end - moving.start)).clamp(0.0, 1.0);
        moving.from.iter().zip(&self.joints).map(|(from, to)| from + (to - from) * share).collect()
    }

    pub(super) fn tool_pose(&mut self, joints: &[f64]) -> Pose {
        self.base.inverse() * self.host.flange(joints) * self.tool
    }

    /// Starts a motion once the one before is done; `None` if that was stopped.
    pub(super) fn begin(&mut self, kind: MotionKind, to: Vec<f64>, pace: Pace) -> Ran<Option<()>> {
        let running = self.moving.as_ref().is_some_and(|moving| moving.end >= self.clock);
        let was_fine = self.moving.as_ref().is_some_and(|moving| moving.fine);
        if self.settle()? {
            return Ok(None);
        }
        if let Some((open, opening, place)) = self.next_grip.take() {
            self.grip(&Grip { place, time: self.clock, open, opening })?;
        }
        let request = MotionRequest {
            place: self.place,
            time: self.clock,
            kind,
            from: &self.joints,
            to: &to,
            flange_from_tool: self.tool,
            pace,
            blends: running && !was_fine && kind != MotionKind::Rest,
        };
        let seconds = self.host.begin(&request).map_err(RunFault::Refused)?;
        if !(seconds >= 0.0 && seconds.is_finite()) {
            return Err(RunFault::Arithmetic("the motion has no duration"));
        }
        let fine = self.next_fine.take().unwrap_or(self.fine) || kind == MotionKind::Rest;
        let from = std::mem::replace(&mut self.joints, to);
        self.moving = Some(Moving { from, start: self.clock, end: self.clock + seconds, fine });
        Ok(Some(()))
    }

    /// The hand moves while the arm rests, and the program waits for it.
    pub(super) fn grip(&mut self, grip: &Grip) -> Ran<()> {
        let done = self.host.grip(grip).map_err(RunFault::Refused)?;
        if !(done.seconds >= 0.0 && done.seconds.is_finite()) {
            return Err(RunFault::Arithmetic("the gripper's motion has no duration"));
        }
        self.opening = done.opening;
        self.moving = None;
        self.advance(self.clock + done.seconds)?;
        Ok(())
    }

    pub(super) fn go(&mut self, kind: MotionKind, to: Vec<f64>) -> Ran<Next> {
        let pace = self.next_pace.unwrap_or(self.pace);
        match self.begin(kind, to, pace)? {
            None => Ok(Next::Again),
            Some(()) => {
                self.next_pace = None;
                self.choice = ArmChoice::default();
                Ok(Next::On)
            }
        }
    }

    /// Moves to a location of the tool. Reachability is tested from the end of the preceding motion.
    pub(super) fn go_to(&mut self, straight: bool, spot: Spot) -> Ran<Next> {
        let kind = if straight { MotionKind::Straight } else { MotionKind::Joint };
        let to = match spot {
            Spot::Joints(joints) => joints,
            Spot::Frame(pose) => self.reach(&pose, straight)?,
        };
        self.go(kind, to)
    }

    pub(super) fn reach(&mut self, world_from_tool: &Pose, straight: bool) -> Ran<Vec<f64>> {
        let flange = self.base * *world_from_tool * self.tool.inverse();
        // On a straight line the arm cannot be taken over to another side.
        let choice = if straight { ArmChoice::default() } else { self.choice };
        let near = self.joints.clone();
        self.host.inverse(&flange, &near, &choice).map_err(RunFault::Unreachable)
    }

    pub(super) fn move_to(&mut self, straight: bool, to: &Location) -> Ran<Next> {
        let spot = self.spot(to)?;
        self.go_to(straight, spot)
    }

    pub(super) fn approach(&mut self, straight: bool, to: &Location, distance: &Expression) -> Ran<Next> {
        let distance = self.number(distance)? / 1000.0;
        let at = self.pose(to)?;
        self.go_to(straight, Spot::Frame(at * back_along_tool(distance)))
    }

    pub(super) fn depart(&mut self, straight: bool, distance: &Expression) -> Ran<Next> {
        let distance = self.number(distance)? / 1000.0;
        let joints = self.joints.clone();
        let at = self.tool_pose(&joints);
        self.go_to(straight, Spot::Frame(at * back_along_tool(distance)))
    }

    pub(super) fn delay(&mut self, seconds: &Expression) -> Ran<Next> {
        let value = self.number(seconds)?;
        if !(0.0..=1e9).contains(&value) {
            return Err(RunFault::OutOfRange {
                what: "the delay".into(),
                value,
                range: "0 or more seconds".into(),
            });
        }
        let stay = self.joints.clone();
        let begun = self.begin(MotionKind::Rest, stay, Pace::Seconds(value))?;
        Ok(if begun.is_some() { Next::On } else { Next::Again })
    }

    pub(super) fn go_ready(&mut self) -> Ran<Next> {
        let ready = self.host.ready();
        self.go(MotionKind::Joint, ready)
    }

    pub(super) fn align(&mut self) -> Ran<Next> {
        let joints = self.joints.clone();
        let at = self.tool_pose(&joints);
        self.go_to(false, Spot::Frame(aligned(&at)))
    }

    pub(super) fn break_path(&mut self) -> Ran<Next> {
        let stopped = self.settle()?;
        self.moving = None;
        Ok(if stopped { Next::Again } else { Next::On })
    }

    pub(super) fn drive(&mut self, joint: &Expression, change: &Expression, speed: &Expression) -> Ran<Next> {
        let most = i32::try_from(self.joints.len()).unwrap_or(i32::MAX);
        let joint = self.whole(joint, || "the joint".into(), [1, most])?.saturating_sub(1);
        let change = self.number(change)?;
        let percent = self.number(speed)?;
        if !(SLOWEST..=200.0).contains(&percent) {
            return Err(RunFault::OutOfRange {
                what: "the speed".into(),
                value: percent,
                range: "from 0.000001 to 200".into(),
            });
        }
        let mut to = self.joints.clone();
        let joint = usize::try_from(joint).unwrap_or(usize::MAX);
        if let Some(value) = to.get_mut(joint) {
            *value += if self.host.turns(joint) { change.to_radians() } else { change / 1000.0 };
        }
        let begun = self.begin(MotionKind::Joint, to, Pace::Percent(percent))?;
        Ok(if begun.is_some() { Next::On } else { Next::Again })
    }

    pub(super) fn speed(&mut self, value: &Expression, unit: SpeedUnit, always: bool) -> Ran<Next> {
        let value = self.number(value)?;
        let (pace, most, range) = match unit {
            SpeedUnit::Percent => (Pace::Percent(value), 400.0, "from 0.000001 to 400 percent"),
            SpeedUnit::MillimetresPerSecond => {
                (Pace::Tool(value / 1000.0), 1e5, "from 0.000001 to 100000 mm/s")
            }
        };
        if !(SLOWEST..=most).contains(&value) {
            return Err(RunFault::OutOfRange { what: "the speed".into(), value, range: range.into() });
        }
        if always {
            (self.pace, self.next_pace) = (pace, None);
        } else {
            self.next_pace = Some(pace);
        }
        Ok(Next::On)
    }
}
