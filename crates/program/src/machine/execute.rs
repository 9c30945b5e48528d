//! One statement after the other.

use super::values::{magnitude, short};
use super::{Ended, Host, Interpreter, Locations, Next, Ran, RunFault, Spot};
use crate::code::{ArmWord, Expression, Location, Name, Op, TypeItem};
use noli_robot::{Elbow, Shoulder, Wrist};

impl<H: Host> Interpreter<'_, H> {
    pub(super) fn execute(&mut self, op: &Op) -> Ran<Next> {
        match op {
            Op::Assign(name, value) => self.assign(name, value),
            Op::Set(name, location) => self.set(name, location),
            Op::Move { straight, to } => self.move_to(*straight, to),
            Op::Approach { straight, to, distance } => self.approach(*straight, to, distance),
            Op::Depart { straight, distance } => self.depart(*straight, distance),
            Op::Drive { joint, change, speed } => self.drive(joint, change, speed),
            Op::Delay(seconds) => self.delay(seconds),
            Op::Ready => self.go_ready(),
            Op::Align => self.align(),
            Op::Break => self.break_path(),
            Op::Speed { value, unit, always } => self.speed(value, *unit, *always),
            Op::Precise { fine, always } => self.precise(*fine, *always),
            Op::Grip { open, now, amount } => self.move_gripper(*open, *now, amount.as_ref()),
            Op::Grasp { least, otherwise } => self.grasp(least, *otherwise),
            Op::Arm(word) => self.choose_arm(*word),
            Op::Tool(location) => self.change_tool(location.as_ref()),
            Op::Base(shift) => self.change_base(shift.as_deref()),
            Op::Signal(signals) => self.signal(signals),
            Op::Reset => self.reset_outputs(),
            Op::Wait(condition) => self.wait(condition),
            Op::Timer(number, value) => self.set_timer(number, value),
            Op::Jump(to) => Ok(Next::To(*to)),
            Op::JumpIf { condition, when, to } => self.jump_if(condition, *when, *to),
            Op::ForBegin { slot, variable, range } => self.for_begin(*slot, variable, range),
            Op::ForTest { slot, variable, exit } => self.for_test(*slot, variable, *exit),
            Op::ForNext { slot, variable, test } => self.for_next(*slot, variable, *test),
            Op::CaseBegin { slot, value } => self.case_begin(*slot, value),
            Op::CaseTest { slot, values, otherwise } => self.case_test(*slot, values, *otherwise),
            Op::Call(name) => self.call_program(name),
            // The end of the list is what the loop takes for the end.
            Op::Return => Ok(Next::To(usize::MAX)),
            Op::Stop => Ok(Next::End(Ended::Stopped)),
            Op::Halt => Ok(Next::End(Ended::Halted)),
            Op::Pause => Ok(Next::End(Ended::Paused)),
            Op::Type(items) => self.show(items),
            Op::React { signal, program, priority, now } => {
                self.add_reaction(signal, program, priority.as_ref(), *now)
            }
            Op::Ignore(signal) => self.ignore(signal),
            Op::Nothing => Ok(Next::On),
        }
    }

    fn assign(&mut self, name: &Name, value: &Expression) -> Ran<Next> {
        let value = self.number(value)?;
        let key = self.key(name)?;
        self.check_names()?;
        self.variables.insert(key, value);
        Ok(Next::On)
    }

    fn precise(&mut self, fine: bool, always: bool) -> Ran<Next> {
        if always {
            (self.fine, self.next_fine) = (fine, None);
        } else {
            self.next_fine = Some(fine);
        }
        Ok(Next::On)
    }

    fn choose_arm(&mut self, word: ArmWord) -> Ran<Next> {
        match word {
            ArmWord::Lefty => self.choice.shoulder = Some(Shoulder::Lefty),
            ArmWord::Righty => self.choice.shoulder = Some(Shoulder::Righty),
            ArmWord::Above => self.choice.elbow = Some(Elbow::Above),
            ArmWord::Below => self.choice.elbow = Some(Elbow::Below),
            ArmWord::Flip => self.choice.wrist = Some(Wrist::Flip),
            ArmWord::NoFlip => self.choice.wrist = Some(Wrist::NoFlip),
        }
        Ok(Next::On)
    }

    fn set_timer(&mut self, number: &Expression, value: &Expression) -> Ran<Next> {
        let number = magnitude(self.whole(number, || "the timer".into(), [0, 99])?);
        let value = self.number(value)?;
        self.timers.insert(number, self.clock - value);
        Ok(Next::On)
    }

    fn set(&mut self, name: &Name, location: &Location) -> Ran<Next> {
        let key = self.key(name)?;
        self.check_names()?;
        match key.strip_prefix('#') {
            Some(point) => {
                let joints = match location {
                    Location::Here => self.joints_now(),
                    other => match self.spot(other)? {
                        Spot::Joints(joints) => joints,
                        Spot::Frame(_) => {
                            return Err(RunFault::Arithmetic("a transformation is no precision point"));
                        }
                    },
                };
                self.locations.points.insert(point.to_owned(), joints);
            }
            None => {
                let pose = self.pose(location)?;
                self.locations.transformations.insert(key, pose);
            }
        }
        Ok(Next::On)
    }

    fn show(&mut self, items: &[TypeItem]) -> Ran<Next> {
        let (mut text, mut stay, mut decimals) = (String::new(), false, None);
        for item in items {
            match item {
                TypeItem::Text(piece) => text.push_str(piece),
                TypeItem::Number(value) => {
                    let value = self.number(value)?;
                    match decimals {
                        None => text.push_str(&short(value)),
                        Some(decimals) => text.push_str(&format!("{value:.decimals$}")),
                    }
                }
                TypeItem::Lines(count) => text.push_str(&"\n".repeat(*count)),
                TypeItem::Spaces(count) => text.push_str(&" ".repeat(*count)),
                TypeItem::Stay => stay = true,
                TypeItem::Decimals(count) => decimals = Some(*count),
            }
        }
        if !stay {
            text.push('\n');
        }
        self.host.show(&text, self.clock, self.place);
        Ok(Next::On)
    }

    pub(super) fn check_names(&self) -> Ran<()> {
        let Locations { transformations, points, .. } = &self.locations;
        let count = [self.variables.len(), transformations.len(), points.len()].into_iter().sum::<usize>();
        if count < self.limits.names { Ok(()) } else { Err(RunFault::NameLimit(self.limits.names)) }
    }
}
