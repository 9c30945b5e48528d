//! One statement after the other.

use super::values::{aligned, back_along_tool, finite, short, turn_z};
use super::{Ended, Grip, Host, Interpreter, MotionKind, Next, Pace, Ran, Reaction, RunFault, Slot, Spot};
use crate::inverse::{Elbow, Shoulder, Wrist};
use crate::program::code::{ArmWord, Expression, Function, Location, Name, Op, Program, TypeItem};
use glam::DVec3;
use noli_geom::Pose;

impl<H: Host> Interpreter<'_, H> {
    pub(super) fn execute(&mut self, op: &Op) -> Ran<Next> {
        match op {
            Op::Assign(name, value) => {
                let value = self.number(value)?;
                let key = self.key(name)?;
                self.check_names()?;
                self.variables.insert(key, value);
            }
            Op::Set(name, location) => self.set(name, location)?,
            Op::Move { straight, to } => {
                let spot = self.spot(to)?;
                return self.go_to(*straight, spot);
            }
            Op::Approach { straight, to, distance } => {
                let distance = self.number(distance)? / 1000.0;
                let at = self.pose(to)?;
                return self.go_to(*straight, Spot::Frame(at * back_along_tool(distance)));
            }
            Op::Depart { straight, distance } => {
                let distance = self.number(distance)? / 1000.0;
                let joints = self.joints.clone();
                let at = self.tool_pose(&joints);
                return self.go_to(*straight, Spot::Frame(at * back_along_tool(distance)));
            }
            Op::Drive { joint, change, speed } => return self.drive(joint, change, speed),
            Op::Delay(seconds) => {
                let seconds = self.number(seconds)?;
                if !(0.0..=1e9).contains(&seconds) {
                    return Err(RunFault::OutOfRange {
                        what: "the delay",
                        value: seconds,
                        range: "0 or more seconds",
                    });
                }
                let stay = self.joints.clone();
                let begun = self.begin(MotionKind::Rest, stay, Pace::Seconds(seconds))?;
                return Ok(if begun.is_some() { Next::On } else { Next::Again });
            }
            Op::Ready => {
                let ready = self.host.ready();
                return self.go(MotionKind::Joint, ready);
            }
            Op::Align => {
                let joints = self.joints.clone();
                let at = self.tool_pose(&joints);
                return self.go_to(false, Spot::Frame(aligned(&at)));
            }
            Op::Break => {
                let stopped = self.settle()?;
                self.moving = None;
                return Ok(if stopped { Next::Again } else { Next::On });
            }
            Op::Speed { value, unit, always } => self.speed(value, *unit, *always)?,
            Op::Precise { fine, always } => {
                if *always {
                    (self.fine, self.next_fine) = (*fine, None);
                } else {
                    self.next_fine = Some(*fine);
                }
            }
            Op::Grip { open, now, amount } => {
                let opening = match amount {
                    None => None,
                    Some(amount) => Some(self.number(amount)? / 1000.0),
                };
                if !*now {
                    self.next_grip = Some((*open, opening, self.place));
                } else if self.settle()? {
                    return Ok(Next::Again);
                } else {
                    let grip = Grip { place: self.place, time: self.clock, open: *open, opening };
                    self.grip(&grip)?;
                }
            }
            Op::Grasp { least, otherwise } => {
                let least = self.number(least)?;
                if self.settle()? {
                    return Ok(Next::Again);
                }
                let grip = Grip { place: self.place, time: self.clock, open: false, opening: None };
                self.grip(&grip)?;
                let opening = self.opening * 1000.0;
                if opening < least {
                    return match otherwise {
                        Some(to) => Ok(Next::To(*to)),
                        None => Err(RunFault::NothingHeld { opening, least }),
                    };
                }
            }
            Op::Arm(word) => match word {
                ArmWord::Lefty => self.choice.shoulder = Some(Shoulder::Lefty),
                ArmWord::Righty => self.choice.shoulder = Some(Shoulder::Righty),
                ArmWord::Above => self.choice.elbow = Some(Elbow::Above),
                ArmWord::Below => self.choice.elbow = Some(Elbow::Below),
                ArmWord::Flip => self.choice.wrist = Some(Wrist::Flip),
                ArmWord::NoFlip => self.choice.wrist = Some(Wrist::NoFlip),
            },
            Op::Tool(location) => {
                // The tool is changed where the arm stands.
                if self.settle()? {
                    return Ok(Next::Again);
                }
                self.tool = match location {
                    None => Pose::IDENTITY,
                    Some(location) => self.pose(location)?,
                };
            }
            Op::Base(shift) => {
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
            }
            Op::Signal(signals) => {
                for signal in signals {
                    let signal = self.signal_number(signal)?;
                    let number = signal.unsigned_abs() as u32;
                    self.outputs.insert(number, signal > 0);
                    self.host.output(number, signal > 0, self.clock, self.place);
                }
            }
            Op::Reset => {
                let mut on: Vec<u32> =
                    self.outputs.iter().filter(|(_, on)| **on).map(|(number, _)| *number).collect();
                on.sort_unstable();
                self.outputs.clear();
                on.into_iter().for_each(|number| self.host.output(number, false, self.clock, self.place));
            }
            Op::Wait(condition) => return self.wait(condition),
            Op::Timer(number, value) => {
                let number = self.whole(number, "a timer", 0.0, 99.0)? as u32;
                let value = self.number(value)?;
                self.timers.insert(number, self.clock - value);
            }
            Op::Jump(to) => return Ok(Next::To(*to)),
            Op::JumpIf { condition, when, to } => {
                if (self.number(condition)? != 0.0) == *when {
                    return Ok(Next::To(*to));
                }
            }
            Op::ForBegin { slot, variable, range } => {
                let [from, end, step] = self.numbers(range)?;
                if step == 0.0 {
                    return Err(RunFault::OutOfRange {
                        what: "the step of a loop",
                        value: 0.0,
                        range: "not 0",
                    });
                }
                let key = self.key(variable)?;
                self.check_names()?;
                self.variables.insert(key, from);
                self.put(*slot, Slot { end, step });
            }
            Op::ForTest { slot, variable, exit } => {
                let Slot { end, step } = self.slot(*slot)?;
                let value = self.variable(variable)?;
                if if step > 0.0 { value > end } else { value < end } {
                    return Ok(Next::To(*exit));
                }
            }
            Op::ForNext { slot, variable, test } => {
                let step = self.slot(*slot)?.step;
                let value = finite(self.variable(variable)? + step)?;
                let key = self.key(variable)?;
                self.variables.insert(key, value);
                return Ok(Next::To(*test));
            }
            Op::CaseBegin { slot, value } => {
                let end = self.number(value)?;
                self.put(*slot, Slot { end, step: 0.0 });
            }
            Op::CaseTest { slot, values, otherwise } => {
                let wanted = self.slot(*slot)?.end;
                let mut one = false;
                for value in values {
                    one |= self.number(value)? == wanted;
                }
                if !one {
                    return Ok(Next::To(*otherwise));
                }
            }
            Op::Call(name) => {
                let priority = self.frames.last().map_or(0.0, |frame| frame.priority);
                self.call(name, priority)?;
            }
            Op::Return => {
                // The end of the list is what the loop takes for the end.
                return Ok(Next::To(usize::MAX));
            }
            Op::Stop => return Ok(Next::End(Ended::Stopped)),
            Op::Halt => return Ok(Next::End(Ended::Halted)),
            Op::Pause => return Ok(Next::End(Ended::Paused)),
            Op::Type(items) => self.show(items)?,
            Op::React { signal, program, priority, now } => {
                let signal = self.signal_number(signal)?;
                let priority = match priority {
                    None => 1.0,
                    Some(priority) => self.number(priority)?,
                };
                let wanted = |p: &Program| p.name.eq_ignore_ascii_case(program);
                let Some(program) = self.programs.list.iter().position(wanted) else {
                    return Err(RunFault::NoProgram(program.clone()));
                };
                self.reactions.retain(|reaction| reaction.signal != signal);
                if self.reactions.len() >= 1000 {
                    return Err(RunFault::NameLimit(1000));
                }
                let was = self.signal_is(signal);
                self.reactions.push(Reaction { signal, program, priority, now: *now, was, due: false });
            }
            Op::Ignore(signal) => {
                let signal = self.signal_number(signal)?;
                self.reactions.retain(|reaction| reaction.signal.abs() != signal.abs());
            }
            Op::Nothing => {}
        }
        Ok(Next::On)
    }

    pub(super) fn wait(&mut self, condition: &Expression) -> Ran<Next> {
        if self.number(condition)? != 0.0 {
            return Ok(Next::On);
        }
        // Inputs change at their times; timers run on by themselves.
        let next = self.host.next_input(self.clock).filter(|time| *time > self.clock);
        let timed = uses_timer(condition);
        let until = match next {
            Some(time) if timed => time.min(self.clock + 0.01),
            Some(time) => time,
            None if timed => self.clock + 0.01,
            None => return Err(RunFault::WaitsForEver),
        };
        self.advance(until)?;
        Ok(Next::Again)
    }

    pub(super) fn set(&mut self, name: &Name, location: &Location) -> Ran<()> {
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
        Ok(())
    }

    pub(super) fn show(&mut self, items: &[TypeItem]) -> Ran<()> {
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
        Ok(())
    }

    pub(super) fn put(&mut self, slot: usize, value: Slot) {
        if let Some(frame) = self.frames.last_mut() {
            frame.slots[slot] = Some(value);
        }
    }

    pub(super) fn slot(&self, slot: usize) -> Ran<Slot> {
        self.frames.last().and_then(|frame| frame.slots[slot]).ok_or(RunFault::IntoLoop)
    }

    pub(super) fn check_names(&self) -> Ran<()> {
        let count = self.variables.len() + self.locations.transformations.len() + self.locations.points.len();
        if count < self.limits.names { Ok(()) } else { Err(RunFault::NameLimit(self.limits.names)) }
    }
}

fn uses_timer(expression: &Expression) -> bool {
    match expression {
        Expression::Call(Function::Timer, _) => true,
        Expression::Call(_, inner) => inner.iter().any(uses_timer),
        Expression::Negative(inner) | Expression::Not(inner) | Expression::Complement(inner) => {
            uses_timer(inner)
        }
        Expression::Binary(_, both) => both.iter().any(uses_timer),
        _ => false,
    }
}
