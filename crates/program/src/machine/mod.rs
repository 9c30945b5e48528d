//! Runs programs on a virtual controller.

mod execute;
mod flow;
mod gripper;
mod host;
mod motion;
mod outcome;
mod signals;
mod values;

pub use host::{ArmChoice, Grip, Gripped, Host, Locations, MotionKind, MotionRequest, Pace, RunLimits};
pub use outcome::{Ended, Outcome, RunError, RunFault};

use super::code::Program;
use super::parse::Programs;
use noli_geom::Pose;
use noli_robot::Place;
use std::collections::HashMap;

/// A motion in progress.
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
    /// `true` if the condition held when last tested.
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
    /// Joint values at the end of the last motion.
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
            let running = self.frames.last().and_then(|frame| self.programs.list.get(frame.program));
            let name = running.map_or(program, |program| program.name.as_str());
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
        let slots = vec![None; self.programs.list.get(program).map_or(0, |program| program.slots)];
        self.frames.push(Frame { program, at: 0, slots, priority });
        Ok(())
    }

    fn run_all(&mut self) -> Ran<Outcome> {
        let programs = self.programs;
        let ended = loop {
            let Some(frame) = self.frames.last() else { break Ended::Completed };
            let line = programs.list.get(frame.program).and_then(|program| program.lines.get(frame.at));
            let Some(line) = line else {
                self.frames.pop();
                continue;
            };
            self.place = line.place;
            self.tick()?;
            if self.react()? {
                continue;
            }
            let below = self.frames.len().saturating_sub(1);
            let next = self.execute(&line.op)?;
            // A call has put a frame on top: the caller goes on behind it.
            let Some(frame) = self.frames.get_mut(below) else { continue };
            match next {
                Next::On => frame.at = frame.at.saturating_add(1),
                Next::To(at) => frame.at = at,
                Next::Again => {}
                Next::End(ended) => break ended,
            }
        };
        self.settle()?;
        Ok(Outcome { ended, seconds: self.clock, steps: self.steps })
    }

    fn tick(&mut self) -> Ran<()> {
        self.steps = self.steps.saturating_add(1);
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
        let mut reactions = self.reactions.iter_mut();
        let due = reactions.find(|reaction| reaction.due && reaction.priority > priority);
        let Some(due) = due else { return Ok(false) };
        due.due = false;
        let (program, priority) = (due.program, due.priority);
        self.enter(program, priority)?;
        Ok(true)
    }

    /// Looks whether conditions of reactions have come true; whether one that stops motions has.
    fn look(&mut self) -> bool {
        let mut stop = false;
        let mut reactions = std::mem::take(&mut self.reactions);
        for reaction in &mut reactions {
            let is = self.signal_is(reaction.signal);
            if is && !reaction.was {
                reaction.due = true;
                stop |= reaction.now;
            }
            reaction.was = is;
        }
        self.reactions = reactions;
        stop
    }

    fn signal_is(&mut self, signal: i64) -> bool {
        let number = values::magnitude(signal);
        let output = self.outputs.get(&number).copied().unwrap_or(false);
        let on = output || self.host.input(number, self.clock);
        on == (signal > 0)
    }
}
