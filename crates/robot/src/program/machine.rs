//! Runs programs on a virtual controller.

use super::code::*;
use super::parse::Programs;
use crate::inverse::{Elbow, NoSolution, Shoulder, Wrist};
use crate::{Place, sin_cos};
use glam::{DMat3, DQuat, DVec3};
use noli_geom::{Pose, rotation};
use std::collections::HashMap;
use std::fmt;

/// How the arm is to be held; what is `None` stays as it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ArmChoice {
    /// Side of the column.
    pub shoulder: Option<Shoulder>,
    /// Side of the line to the wrist.
    pub elbow: Option<Elbow>,
    /// Bend of the wrist.
    pub wrist: Option<Wrist>,
}

/// How a motion goes from one configuration to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MotionKind {
    /// Every joint evenly.
    Joint,
    /// The tool on a straight line, turning evenly.
    Straight,
    /// Not at all: the arm rests.
    Rest,
}

/// How fast.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pace {
    /// A percentage of the arm's own speed.
    Percent(f64),
    /// Of the tool, in metres a second.
    Tool(f64),
    /// A time, in seconds.
    Seconds(f64),
}

/// A motion a program asks for.
#[derive(Clone, Debug, PartialEq)]
pub struct MotionRequest<'a> {
    /// The line that asks for it.
    pub place: Place,
    /// When it starts, in seconds.
    pub time: f64,
    /// How it goes.
    pub kind: MotionKind,
    /// The joints at its start: radians and metres.
    pub from: &'a [f64],
    /// The joints at its end.
    pub to: &'a [f64],
    /// Where the tool stands on the flange.
    pub flange_from_tool: Pose,
    /// How fast.
    pub pace: Pace,
    /// Whether the corner before it may be cut: no `BREAK`, `FINE` or pause stands between it and the motion
    /// before.
    pub blends: bool,
}

/// What the gripper is told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grip {
    /// The line that tells it.
    pub place: Place,
    /// When, in seconds.
    pub time: f64,
    /// Open or close.
    pub open: bool,
    /// How far open, in metres; `None` if all the way.
    pub opening: Option<f64>,
}

/// What the gripper did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gripped {
    /// Its opening afterwards, in metres.
    pub opening: f64,
    /// How long that took.
    pub seconds: f64,
}

/// The controller that programs run on: arm, gripper, signals. Metres, radians, seconds.
pub trait Host {
    /// Where the joints are before the run.
    fn start(&mut self) -> Vec<f64>;
    /// Where `READY` puts them.
    fn ready(&mut self) -> Vec<f64>;
    /// Whether a joint, counted from 0, turns; else it slides.
    fn turns(&self, joint: usize) -> bool;
    /// Where the flange is, as the robot's base sees it.
    fn flange(&mut self, joints: &[f64]) -> Pose;
    /// Joints that put the flange at a pose, near others and held as chosen.
    fn inverse(&mut self, flange: &Pose, near: &[f64], choice: &ArmChoice) -> Result<Vec<f64>, NoSolution>;
    /// Begins a motion: how long it takes, or why it is refused. Called before anything moves, so a checker
    /// may veto.
    fn begin(&mut self, motion: &MotionRequest<'_>) -> Result<f64, String>;
    /// The motion in progress was stopped; the joints are where they are.
    fn stopped(&mut self, _time: f64, _joints: &[f64]) {}
    /// Where the joints are at a time on the motion in progress; `None` takes them to go evenly from start to
    /// end.
    fn joints_at(&self, _time: f64) -> Option<Vec<f64>> {
        None
    }
    /// Moves the gripper, the arm at rest, or says why it does not move.
    fn grip(&mut self, grip: &Grip) -> Result<Gripped, String>;
    /// Whether an input is on.
    fn input(&mut self, signal: u32, time: f64) -> bool;
    /// When an input changes next; `None` if none ever does.
    fn next_input(&mut self, after: f64) -> Option<f64>;
    /// An output was set.
    fn output(&mut self, _signal: u32, _on: bool, _time: f64, _place: Place) {}
    /// Text was shown.
    fn show(&mut self, _text: &str, _time: f64, _place: Place) {}
}

/// Named locations, by name in capitals: transformations in metres as the world sees them, precision points
/// in radians and metres. Elements of arrays are called `NAME[3]`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Locations {
    /// Poses of the tool.
    pub transformations: HashMap<String, Pose>,
    /// Joint values; names without `#`.
    pub points: HashMap<String, Vec<f64>>,
}

/// When a run is ended from outside, so that no program hangs its host.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RunLimits {
    /// Statements.
    pub steps: u64,
    /// Seconds of the program's own time.
    pub seconds: f64,
    /// Programs that call each other.
    pub calls: usize,
    /// Variables and locations.
    pub names: usize,
    /// How long a statement takes, so that a loop that waits sees time pass.
    pub statement_seconds: f64,
}

impl Default for RunLimits {
    fn default() -> Self {
        Self { steps: 1_000_000, seconds: 3600.0, calls: 100, names: 100_000, statement_seconds: 1e-3 }
    }
}

/// Why a run ended in an error, and where.
#[derive(Clone, Debug, PartialEq)]
pub struct RunError {
    /// The program.
    pub program: String,
    /// The line.
    pub place: Place,
    /// When, in seconds.
    pub time: f64,
    /// How many statements were run.
    pub steps: u64,
    /// Why.
    pub fault: RunFault,
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of `{}`, {:.3} s: {}", self.place, self.program, self.time, self.fault)
    }
}

impl std::error::Error for RunError {}

/// What went wrong in a run.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RunFault {
    /// There is no such program.
    #[error("there is no program `{0}`")]
    NoProgram(String),
    /// A variable without a value.
    #[error("the variable `{0}` has no value; assign one first")]
    NoValue(String),
    /// A location without a value.
    #[error("the location `{0}` is not known; teach it or SET it first")]
    NoLocation(String),
    /// A number that is not one.
    #[error("{0}")]
    Arithmetic(&'static str),
    /// A number out of its range.
    #[error("{what} is {value}; it must be {range}")]
    OutOfRange {
        /// Of what.
        what: &'static str,
        /// The value.
        value: f64,
        /// What it may be.
        range: &'static str,
    },
    /// Joint values where a transformation is needed.
    #[error("{found} joint values, the arm has {wanted}")]
    JointCount {
        /// How many there are.
        found: usize,
        /// How many joints there are.
        wanted: usize,
    },
    /// The arm cannot get there.
    #[error("the location cannot be reached: {0}")]
    Unreachable(NoSolution),
    /// The motion was refused.
    #[error("the motion is refused: {0}")]
    Refused(String),
    /// The gripper holds less than demanded.
    #[error("the gripper closed to {opening:.2} mm, less than {least:.2} mm: it holds nothing")]
    NothingHeld {
        /// How far it closed.
        opening: f64,
        /// What was demanded.
        least: f64,
    },
    /// A wait without end.
    #[error("waits for ever: no input changes any more")]
    WaitsForEver,
    /// Too many statements.
    #[error("more than {0} statements; raise the limit if the program is right")]
    StepLimit(u64),
    /// Too long.
    #[error("more than {0} seconds; raise the limit if the program is right")]
    TimeLimit(f64),
    /// Too many calls.
    #[error("more than {0} programs have called each other")]
    CallLimit(usize),
    /// Too many names.
    #[error("more than {0} variables and locations")]
    NameLimit(usize),
    /// A loop entered in its middle.
    #[error("a loop or case was entered by a jump into its middle")]
    IntoLoop,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The first program came to its end.
    Completed,
    /// By `STOP`.
    Stopped,
    /// By `HALT`.
    Halted,
    /// By `PAUSE`.
    Paused,
}

/// What a run came to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// How it ended.
    pub ended: Ended,
    /// When the last motion was done.
    pub seconds: f64,
    /// How many statements were run.
    pub steps: u64,
}

/// A motion on its way.
#[derive(Clone, Debug)]
struct Moving {
    from: Vec<f64>,
    start: f64,
    end: f64,
    fine: bool,
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    end: f64,
    step: f64,
}

#[derive(Debug)]
struct Frame {
    program: usize,
    at: usize,
    slots: Vec<Option<Slot>>,
    priority: f64,
}

#[derive(Debug)]
struct Reaction {
    signal: i64,
    program: usize,
    priority: f64,
    now: bool,
    /// Whether the condition held when last looked at.
    was: bool,
    due: bool,
}

enum Spot {
    Frame(Pose),
    Joints(Vec<f64>),
}

enum Next {
    On,
    /// To this line.
    To(usize),
    /// The same again, after what interrupted it.
    Again,
    End(Ended),
}

/// Runs programs on a host. Variables and locations stay between runs.
#[derive(Debug)]
pub struct Interpreter<'a, H> {
    programs: &'a Programs,
    host: &'a mut H,
    /// Variables by name in capitals.
    pub variables: HashMap<String, f64>,
    /// Locations.
    pub locations: Locations,
    limits: RunLimits,
    clock: f64,
    steps: u64,
    /// Where the last motion ends.
    joints: Vec<f64>,
    moving: Option<Moving>,
    tool: Pose,
    /// The world as the robot's base sees it.
    base: Pose,
    pace: Pace,
    next_pace: Option<Pace>,
    fine: bool,
    next_fine: Option<bool>,
    choice: ArmChoice,
    next_grip: Option<(bool, Option<f64>, Place)>,
    opening: f64,
    outputs: HashMap<u32, bool>,
    timers: HashMap<u32, f64>,
    reactions: Vec<Reaction>,
    frames: Vec<Frame>,
    random: u64,
    place: Place,
}

type Ran<T> = Result<T, RunFault>;

impl<'a, H: Host> Interpreter<'a, H> {
    /// An interpreter with nothing known yet.
    pub fn new(programs: &'a Programs, host: &'a mut H, limits: RunLimits) -> Self {
        let joints = host.start();
        Self {
            programs,
            host,
            variables: HashMap::new(),
            locations: Locations::default(),
            limits,
            clock: 0.0,
            steps: 0,
            joints,
            moving: None,
            tool: Pose::IDENTITY,
            base: Pose::IDENTITY,
            pace: Pace::Percent(100.0),
            next_pace: None,
            fine: false,
            next_fine: None,
            choice: ArmChoice::default(),
            next_grip: None,
            opening: 0.0,
            outputs: HashMap::new(),
            timers: HashMap::new(),
            reactions: Vec::new(),
            frames: Vec::new(),
            random: 1,
            place: Place { line: 1, column: 1 },
        }
    }

    /// Puts a tool on the flange, as `TOOL` does.
    pub fn set_tool(&mut self, flange_from_tool: Pose) {
        self.tool = flange_from_tool;
    }

    /// Runs a program to its end.
    pub fn run(&mut self, program: &str) -> Result<Outcome, RunError> {
        self.frames.clear();
        self.reactions.clear();
        let result = self.call(program, 0.0).and_then(|()| self.run_all());
        result.map_err(|fault| {
            let name =
                self.frames.last().map_or(program, |frame| self.programs.list[frame.program].name.as_str());
            RunError {
                program: name.to_owned(),
                place: self.place,
                time: self.clock,
                steps: self.steps,
                fault,
            }
        })
    }

    fn call(&mut self, name: &str, priority: f64) -> Ran<()> {
        let wanted = |program: &Program| program.name.eq_ignore_ascii_case(name);
        let Some(program) = self.programs.list.iter().position(wanted) else {
            return Err(RunFault::NoProgram(name.to_owned()));
        };
        self.enter(program, priority)
    }

    fn enter(&mut self, program: usize, priority: f64) -> Ran<()> {
        if self.frames.len() >= self.limits.calls {
            return Err(RunFault::CallLimit(self.limits.calls));
        }
        let slots = vec![None; self.programs.list[program].slots];
        self.frames.push(Frame { program, at: 0, slots, priority });
        Ok(())
    }

    fn run_all(&mut self) -> Ran<Outcome> {
        let programs = self.programs;
        let ended = loop {
            let Some(frame) = self.frames.last() else { break Ended::Completed };
            let Some(line) = programs.list[frame.program].lines.get(frame.at) else {
                self.frames.pop();
                continue;
            };
            self.place = line.place;
            self.tick()?;
            if self.react()? {
                continue;
            }
            let depth = self.frames.len();
            let next = self.execute(&line.op)?;
            // A call has put a frame on top: the caller goes on behind it.
            let Some(frame) = self.frames.get_mut(depth - 1) else { continue };
            match next {
                Next::On => frame.at += 1,
                Next::To(at) => frame.at = at,
                Next::Again => {}
                Next::End(ended) => break ended,
            }
        };
        self.settle()?;
        Ok(Outcome { ended, seconds: self.clock, steps: self.steps })
    }

    fn tick(&mut self) -> Ran<()> {
        self.steps += 1;
        if self.steps > self.limits.steps {
            return Err(RunFault::StepLimit(self.limits.steps));
        }
        self.clock += self.limits.statement_seconds;
        self.check_time()
    }

    fn check_time(&self) -> Ran<()> {
        // A comparison with NaN is false.
        if self.clock <= self.limits.seconds { Ok(()) } else { Err(RunFault::TimeLimit(self.limits.seconds)) }
    }

    /// Calls a program whose signal has come; whether one was called.
    fn react(&mut self) -> Ran<bool> {
        self.look();
        let priority = self.frames.last().map_or(0.0, |frame| frame.priority);
        let due = self.reactions.iter().position(|reaction| reaction.due && reaction.priority > priority);
        let Some(due) = due else { return Ok(false) };
        self.reactions[due].due = false;
        let (program, priority) = (self.reactions[due].program, self.reactions[due].priority);
        self.enter(program, priority)?;
        Ok(true)
    }

    /// Looks whether conditions of reactions have come true; whether one that stops motions has.
    fn look(&mut self) -> bool {
        let mut stop = false;
        for k in 0..self.reactions.len() {
            let signal = self.reactions[k].signal;
            let is = self.signal_is(signal);
            let reaction = &mut self.reactions[k];
            if is && !reaction.was {
                reaction.due = true;
                stop |= reaction.now;
            }
            reaction.was = is;
        }
        stop
    }

    fn signal_is(&mut self, signal: i64) -> bool {
        let number = signal.unsigned_abs() as u32;
        let output = self.outputs.get(&number).copied().unwrap_or(false);
        let on = output || self.host.input(number, self.clock);
        on == (signal > 0)
    }

    /// Lets time pass; whether a reaction stopped the motion in progress meanwhile.
    fn advance(&mut self, until: f64) -> Ran<bool> {
        while self.clock < until {
            let next = self.host.next_input(self.clock).filter(|time| *time > self.clock);
            self.clock = next.map_or(until, |time| time.min(until));
            self.check_time()?;
            self.steps += 1;
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
    fn settle(&mut self) -> Ran<bool> {
        let Some(end) = self.moving.as_ref().map(|moving| moving.end) else { return Ok(false) };
        self.advance(end)
    }

    /// Where the joints are, on the way evenly from start to end.
    fn joints_now(&self) -> Vec<f64> {
        let Some(moving) = self.moving.as_ref().filter(|moving| moving.end > self.clock) else {
            return self.joints.clone();
        };
        if let Some(joints) = self.host.joints_at(self.clock) {
            return joints;
        }
        let share = ((self.clock - moving.start) / (moving.end - moving.start)).clamp(0.0, 1.0);
        moving.from.iter().zip(&self.joints).map(|(from, to)| from + (to - from) * share).collect()
    }

    fn tool_pose(&mut self, joints: &[f64]) -> Pose {
        self.base.inverse() * self.host.flange(joints) * self.tool
    }

    /// Starts a motion once the one before is done; `None` if that was stopped.
    fn begin(&mut self, kind: MotionKind, to: Vec<f64>, pace: Pace) -> Ran<Option<()>> {
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
    fn grip(&mut self, grip: &Grip) -> Ran<()> {
        let done = self.host.grip(grip).map_err(RunFault::Refused)?;
        if !(done.seconds >= 0.0 && done.seconds.is_finite()) {
            return Err(RunFault::Arithmetic("the gripper's motion has no duration"));
        }
        self.opening = done.opening;
        self.moving = None;
        self.advance(self.clock + done.seconds)?;
        Ok(())
    }

    fn go(&mut self, kind: MotionKind, to: Vec<f64>) -> Ran<Next> {
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

    /// Goes to a place of the tool. Reaching is asked from where the motion before ends.
    fn go_to(&mut self, straight: bool, spot: Spot) -> Ran<Next> {
        let kind = if straight { MotionKind::Straight } else { MotionKind::Joint };
        let to = match spot {
            Spot::Joints(joints) => joints,
            Spot::Frame(pose) => self.reach(&pose, straight)?,
        };
        self.go(kind, to)
    }

    fn reach(&mut self, world_from_tool: &Pose, straight: bool) -> Ran<Vec<f64>> {
        let flange = self.base * *world_from_tool * self.tool.inverse();
        // On a straight line the arm cannot be taken over to another side.
        let choice = if straight { ArmChoice::default() } else { self.choice };
        let near = self.joints.clone();
        self.host.inverse(&flange, &near, &choice).map_err(RunFault::Unreachable)
    }

    fn execute(&mut self, op: &Op) -> Ran<Next> {
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

    fn wait(&mut self, condition: &Expression) -> Ran<Next> {
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

    fn set(&mut self, name: &Name, location: &Location) -> Ran<()> {
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

    fn drive(&mut self, joint: &Expression, change: &Expression, speed: &Expression) -> Ran<Next> {
        let most = self.joints.len() as f64;
        let joint = self.whole(joint, "the joint", 1.0, most)? as usize - 1;
        let change = self.number(change)?;
        let percent = self.number(speed)?;
        if !(percent > 0.0 && percent <= 200.0) {
            return Err(RunFault::OutOfRange {
                what: "the speed",
                value: percent,
                range: "above 0 and at most 200",
            });
        }
        let mut to = self.joints.clone();
        to[joint] += if self.host.turns(joint) { change.to_radians() } else { change / 1000.0 };
        let begun = self.begin(MotionKind::Joint, to, Pace::Percent(percent))?;
        Ok(if begun.is_some() { Next::On } else { Next::Again })
    }

    fn speed(&mut self, value: &Expression, unit: SpeedUnit, always: bool) -> Ran<()> {
        let value = self.number(value)?;
        let (pace, most, range) = match unit {
            SpeedUnit::Percent => (Pace::Percent(value), 400.0, "above 0 and at most 400 percent"),
            SpeedUnit::MillimetresPerSecond => {
                (Pace::Tool(value / 1000.0), 1e5, "above 0 and at most 100000 mm/s")
            }
        };
        if !(value > 0.0 && value <= most) {
            return Err(RunFault::OutOfRange { what: "the speed", value, range });
        }
        if always {
            (self.pace, self.next_pace) = (pace, None);
        } else {
            self.next_pace = Some(pace);
        }
        Ok(())
    }

    fn show(&mut self, items: &[TypeItem]) -> Ran<()> {
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

    fn put(&mut self, slot: usize, value: Slot) {
        if let Some(frame) = self.frames.last_mut() {
            frame.slots[slot] = Some(value);
        }
    }

    fn slot(&self, slot: usize) -> Ran<Slot> {
        self.frames.last().and_then(|frame| frame.slots[slot]).ok_or(RunFault::IntoLoop)
    }

    fn check_names(&self) -> Ran<()> {
        let count = self.variables.len() + self.locations.transformations.len() + self.locations.points.len();
        if count < self.limits.names { Ok(()) } else { Err(RunFault::NameLimit(self.limits.names)) }
    }

    /// The name with its index worked out.
    fn key(&mut self, name: &Name) -> Ran<String> {
        match &name.index {
            None => Ok(name.word.clone()),
            Some(index) => {
                let index = self.whole(index, "an index", 0.0, 1e6)?;
                Ok(format!("{}[{index}]", name.word))
            }
        }
    }

    fn variable(&mut self, name: &Name) -> Ran<f64> {
        let key = self.key(name)?;
        self.variables.get(&key).copied().ok_or(RunFault::NoValue(key))
    }

    fn whole(&mut self, value: &Expression, what: &'static str, least: f64, most: f64) -> Ran<i64> {
        let value = self.number(value)?;
        if value.fract() != 0.0 || value < least || value > most {
            return Err(RunFault::OutOfRange { what, value, range: "a whole number there is one for" });
        }
        Ok(value as i64)
    }

    fn signal_number(&mut self, value: &Expression) -> Ran<i64> {
        let signal = self.whole(value, "the signal", -9999.0, 9999.0)?;
        if signal == 0 {
            return Err(RunFault::OutOfRange { what: "the signal", value: 0.0, range: "not 0" });
        }
        Ok(signal)
    }

    fn numbers<const N: usize>(&mut self, all: &[Expression; N]) -> Ran<[f64; N]> {
        let mut values = [0.0; N];
        for (value, expression) in values.iter_mut().zip(all) {
            *value = self.number(expression)?;
        }
        Ok(values)
    }

    fn number(&mut self, expression: &Expression) -> Ran<f64> {
        let truth = |is: bool| if is { -1.0 } else { 0.0 };
        let value = match expression {
            Expression::Number(value) => *value,
            Expression::Variable(name) => self.variable(name)?,
            Expression::Negative(inner) => -self.number(inner)?,
            Expression::Not(inner) => truth(self.number(inner)? == 0.0),
            Expression::Complement(inner) => !bits(self.number(inner)?)? as f64,
            Expression::Binary(operator, both) => {
                let [a, b] = self.numbers(both)?;
                binary(*operator, a, b)?
            }
            Expression::Call(function, arguments) => self.function(*function, arguments)?,
            Expression::Distance(both) => {
                let (a, b) = (self.pose(&both[0])?, self.pose(&both[1])?);
                a.translation.distance(b.translation) * 1000.0
            }
            Expression::Coordinate(axis, location) => self.pose(location)?.translation[*axis] * 1000.0,
            Expression::InRange(location) => match self.spot(location)? {
                Spot::Joints(_) => 0.0,
                Spot::Frame(pose) => truth(self.reach(&pose, false).is_err()),
            },
        };
        finite(value)
    }

    fn function(&mut self, function: Function, arguments: &[Expression]) -> Ran<f64> {
        if function == Function::Sig {
            let mut all = true;
            for signal in arguments {
                let signal = self.signal_number(signal)?;
                all &= self.signal_is(signal);
            }
            return Ok(if all { -1.0 } else { 0.0 });
        }
        if function == Function::Timer {
            let number = self.whole(&arguments[0], "a timer", -99.0, 99.0)?.unsigned_abs() as u32;
            return Ok(self.clock - self.timers.get(&number).copied().unwrap_or(0.0));
        }
        let mut values = Vec::with_capacity(arguments.len());
        for argument in arguments {
            values.push(self.number(argument)?);
        }
        let x = values.first().copied().unwrap_or(0.0);
        Ok(match function {
            Function::Abs => x.abs(),
            Function::Sin => turned(x)?.0,
            Function::Cos => turned(x)?.1,
            Function::Atan2 => x.atan2(values[1]).to_degrees(),
            Function::Sqrt if x < 0.0 => {
                return Err(RunFault::Arithmetic("the square root of a negative number"));
            }
            Function::Sqrt => x.sqrt(),
            Function::Sqr => x * x,
            Function::Sign => {
                if x < 0.0 {
                    -1.0
                } else {
                    1.0
                }
            }
            Function::Int => x.trunc(),
            Function::Fract => x.fract(),
            Function::Min => values.iter().copied().fold(f64::INFINITY, f64::min),
            Function::Max => values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            Function::Speed => match self.pace {
                Pace::Percent(percent) => percent,
                Pace::Tool(speed) => speed * 1000.0,
                Pace::Seconds(seconds) => seconds,
            },
            Function::Hand => self.opening * 1000.0,
            Function::Random => {
                // Linear congruence (Knuth's MMIX constants): the same numbers in every run.
                self.random = self
                    .random
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                (self.random >> 11) as f64 * 2f64.powi(-53)
            }
            Function::Sig | Function::Timer => 0.0,
        })
    }

    fn pose(&mut self, location: &Location) -> Ran<Pose> {
        match self.spot(location)? {
            Spot::Frame(pose) => Ok(pose),
            Spot::Joints(joints) => Ok(self.tool_pose(&joints)),
        }
    }

    fn spot(&mut self, location: &Location) -> Ran<Spot> {
        let pose = match location {
            Location::Named(name) => {
                let key = self.key(name)?;
                if let Some(point) = key.strip_prefix('#') {
                    let Some(joints) = self.locations.points.get(point) else {
                        return Err(RunFault::NoLocation(key));
                    };
                    return self.joint_spot(joints.clone());
                }
                *self.locations.transformations.get(&key).ok_or(RunFault::NoLocation(key))?
            }
            Location::Compound(parts) => {
                let mut pose = Pose::IDENTITY;
                for part in parts {
                    pose = pose * self.pose(part)?;
                }
                pose
            }
            Location::Here => {
                let joints = self.joints_now();
                self.tool_pose(&joints)
            }
            Location::Destination => {
                let joints = self.joints.clone();
                self.tool_pose(&joints)
            }
            Location::Null => Pose::IDENTITY,
            Location::Base => self.base,
            Location::Tool => self.tool,
            Location::Transformation(parts) => {
                let [x, y, z, o, a, t] = self.numbers(parts)?;
                let (sin, cos) = crate::sin_cos(0.5 * bounded(a)?.to_radians());
                let about_y = DQuat::from_xyzw(0.0, sin, 0.0, cos);
                Pose::new(turn_z(o)? * about_y * turn_z(t)?, DVec3::new(x, y, z) / 1000.0)
            }
            Location::Shift(inner, by) => {
                let pose = self.pose(inner)?;
                let by = DVec3::from_array(self.numbers(by)?) / 1000.0;
                Pose::new(pose.rotation, pose.translation + by)
            }
            Location::Inverse(inner) => self.pose(inner)?.inverse(),
            Location::Frame(four) => {
                let mut at = [DVec3::ZERO; 4];
                for (point, location) in at.iter_mut().zip(four.iter()) {
                    *point = self.pose(location)?.translation;
                }
                let x = (at[1] - at[0]).try_normalize();
                let z = x.and_then(|x| x.cross(at[2] - at[0]).try_normalize());
                let (Some(x), Some(z)) = (x, z) else {
                    return Err(RunFault::Arithmetic("the points of a frame lie on one line"));
                };
                let turn = rotation::from_matrix(&DMat3::from_cols(x, z.cross(x), z));
                Pose::new(turn, at[3])
            }
            Location::Precision(values) => {
                let mut joints = Vec::with_capacity(values.len());
                for (joint, value) in values.iter().enumerate() {
                    let value = self.number(value)?;
                    let turns = joint < self.joints.len() && self.host.turns(joint);
                    joints.push(if turns { bounded(value)?.to_radians() } else { value / 1000.0 });
                }
                return self.joint_spot(joints);
            }
        };
        if !pose.is_valid() {
            return Err(RunFault::Arithmetic("the location is no pose: a number is too large"));
        }
        Ok(Spot::Frame(pose))
    }

    fn joint_spot(&self, joints: Vec<f64>) -> Ran<Spot> {
        let (found, wanted) = (joints.len(), self.joints.len());
        if found == wanted { Ok(Spot::Joints(joints)) } else { Err(RunFault::JointCount { found, wanted }) }
    }
}

/// A number with at most six decimals, and none that are 0 at its end.
fn short(value: f64) -> String {
    let text = format!("{value:.6}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

fn finite(value: f64) -> Ran<f64> {
    if value.is_finite() { Ok(value) } else { Err(RunFault::Arithmetic("a number is too large")) }
}

fn binary(operator: Operator, a: f64, b: f64) -> Ran<f64> {
    let truth = |is: bool| Ok(if is { -1.0 } else { 0.0 });
    match operator {
        Operator::Add => Ok(a + b),
        Operator::Subtract => Ok(a - b),
        Operator::Multiply => Ok(a * b),
        Operator::Divide | Operator::Modulo if b == 0.0 => Err(RunFault::Arithmetic("a division by zero")),
        Operator::Divide => Ok(a / b),
        Operator::Modulo => Ok(a % b),
        Operator::Equal => truth(a == b),
        Operator::NotEqual => truth(a != b),
        Operator::Less => truth(a < b),
        Operator::LessOrEqual => truth(a <= b),
        Operator::Greater => truth(a > b),
        Operator::GreaterOrEqual => truth(a >= b),
        Operator::And => truth(a != 0.0 && b != 0.0),
        Operator::Or => truth(a != 0.0 || b != 0.0),
        Operator::Xor => truth((a != 0.0) != (b != 0.0)),
        Operator::BitAnd => Ok((bits(a)? & bits(b)?) as f64),
        Operator::BitOr => Ok((bits(a)? | bits(b)?) as f64),
        Operator::BitXor => Ok((bits(a)? ^ bits(b)?) as f64),
    }
}

/// A whole number of at most 32 bits, which a sum holds exactly.
fn bits(value: f64) -> Ran<i64> {
    if value.fract() != 0.0 || value.abs() > f64::from(u32::MAX) {
        return Err(RunFault::OutOfRange {
            what: "a number taken bit by bit",
            value,
            range: "whole, of 32 bits",
        });
    }
    Ok(value as i64)
}

/// An angle in degrees that has a sine.
fn bounded(degrees: f64) -> Ran<f64> {
    if degrees.abs() <= 1e9 {
        return Ok(degrees);
    }
    Err(RunFault::OutOfRange { what: "an angle", value: degrees, range: "at most 1e9 degrees" })
}

fn turned(degrees: f64) -> Ran<(f64, f64)> {
    Ok(sin_cos(bounded(degrees)?.to_radians()))
}

fn turn_z(degrees: f64) -> Ran<DQuat> {
    let (sin, cos) = sin_cos(0.5 * bounded(degrees)?.to_radians());
    Ok(DQuat::from_xyzw(0.0, 0.0, sin, cos))
}

fn back_along_tool(distance: f64) -> Pose {
    Pose::from_translation(DVec3::Z * -distance)
}

/// The tool's z along the nearest of the world's axes, by the shortest turn.
fn aligned(pose: &Pose) -> Pose {
    let z = pose.transform_vector(DVec3::Z);
    let k = (0..3).fold(0, |k, i| if z[i].abs() > z[k].abs() { i } else { k });
    let axis = DVec3::AXES[k] * z[k].signum();
    let turn = z.cross(axis);
    let half = DQuat::from_xyzw(turn.x, turn.y, turn.z, 1.0 + z.dot(axis)).normalize();
    Pose::new(half * pose.rotation, pose.translation)
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
