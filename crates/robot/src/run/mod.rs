//! Programs run in a cell: every motion is proven before it is driven.
//!
//! A [`Workplace`] is what a program finds: an arm with its gripper among bodies that stand, parts that can be
//! taken, locations, signals and what drives them. [`run`] interprets a program there. Each motion becomes a
//! path of all joints with proven bounds, and is driven only if no pair that is asked about touches on it,
//! between points too; else the arm stops at the last place that is proven free, and the [`Run`] says which
//! line, which parts, where and when.
//!
//! What the gripper holds when it closes is carried from then on, and stays where it is when the gripper
//! opens: nothing falls. Sensors look at the parts a hundred times a second of the program's own time.

mod host;
mod pendant;
mod profile;
mod work;

pub use pendant::{Jog, JogFrame, Jogged, Pendant, PendantError};
pub use profile::Profile;
pub use work::{Grasp, LoosePart, PairRule, Signal, SignalSource, Workplace, WorkplaceError};

use crate::Place;
use crate::program::{Ended, Interpreter, Outcome, Programs, RunError, RunFault, RunLimits};
use glam::DVec3;
use host::CellHost;
use noli::Pose;
use noli::answer::{Bracket, Feature};

/// What happens where something would touch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnContact {
    /// The motion is refused and the run ends, the arm at the last place proven free.
    #[default]
    Stop,
    /// It is noted, and the motion is driven all the same.
    Warn,
}

/// How a program is run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RunOptions {
    /// What happens where something would touch.
    pub on_contact: OnContact,
    /// When a run is ended from outside.
    pub limits: RunLimits,
    /// Configurations that are looked at for the smallest gap on each motion; 0 asks for none.
    pub profile: usize,
    /// How near to a corner the tool may leave its way, in metres, where neither `BREAK` nor `FINE` nor a rest
    /// stands between two motions; 0 goes through every corner. A corner is a parabola of the joints in eight
    /// chords, driven in the time that the two ends it cuts off would take, and proven like any motion.
    pub blend: f64,
}

impl Default for RunOptions {
    fn default() -> Self {
        Self { on_contact: OnContact::Stop, limits: RunLimits::default(), profile: 200, blend: 0.0 }
    }
}

/// What was driven.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DrivenKind {
    /// Every joint evenly.
    Joint,
    /// The tool on a straight line.
    Straight,
    /// The corner between the motion before and the next.
    Corner,
    /// The arm rested.
    Rest,
    /// The gripper opened.
    Open,
    /// The gripper closed.
    Close,
}

impl DrivenKind {
    /// Its name in reports.
    pub fn word(self) -> &'static str {
        match self {
            Self::Joint => "joint",
            Self::Straight => "straight",
            Self::Corner => "corner",
            Self::Rest => "rest",
            Self::Open => "open",
            Self::Close => "close",
        }
    }
}

/// One motion that a program asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Driven {
    /// The line that asks for it.
    pub place: Place,
    /// What it is.
    pub kind: DrivenKind,
    /// When it begins, in seconds.
    pub start: f64,
    /// How its share grows with time.
    pub profile: Profile,
    /// Shares from 0 to 1, and the values of all variables of the arm there; between two, each goes evenly.
    pub keys: Vec<(f64, Vec<f64>)>,
    /// Where it takes over from the corner before it; 0 if it begins at its beginning.
    pub from: f64,
    /// How much of it was driven: all, unless it was stopped or its end was cut by a corner.
    pub until: f64,
    /// How far the tool may stray from a straight line on it, proven, in metres.
    pub deviation: f64,
    /// The part that was carried.
    pub carried: Option<usize>,
    /// The smallest gap on what was driven; `None` if nobody asked.
    pub clearance: Option<Clearance>,
    /// How far it is proven free: 1 if all of it is.
    pub free_until: f64,
}

impl Driven {
    /// The values of all variables of the arm at a share of the way.
    pub fn values(&self, share: f64) -> Vec<f64> {
        let after = self.keys.partition_point(|key| key.0 <= share).clamp(1, self.keys.len() - 1);
        let ((from, a), (to, b)) = (&self.keys[after - 1], &self.keys[after]);
        let part = if to > from { ((share - from) / (to - from)).clamp(0.0, 1.0) } else { 1.0 };
        let mix = |(a, b): (&f64, &f64)| if part >= 1.0 { *b } else { a + (b - a) * part };
        a.iter().zip(b).map(mix).collect()
    }

    /// When it takes over.
    pub fn takes_over(&self) -> f64 {
        self.start + self.profile.time(self.from)
    }

    /// When what was driven of it ended.
    pub fn end(&self) -> f64 {
        self.start + self.profile.time(self.until)
    }
}

/// The smallest gap on a motion.
#[derive(Clone, Debug, PartialEq)]
pub struct Clearance {
    /// Never closer than `at_least`, proven; once as close as `at_most`.
    pub gap: Bracket,
    /// The parts that are that close; `None` if no pair is asked about.
    pub parts: Option<[String; 2]>,
    /// Where on the motion.
    pub share: f64,
    /// When, in seconds of the run.
    pub time: f64,
    /// The nearest points on both.
    pub points: Option<[DVec3; 2]>,
}

/// A place where something touches, or comes closer than its margin.
#[derive(Clone, Debug, PartialEq)]
pub struct RunContact {
    /// The motion, by its number in [`Run::driven`].
    pub driven: usize,
    /// The line that asked for it.
    pub place: Place,
    /// Proven free until the first, touching by the second: shares of the motion.
    pub share: [f64; 2],
    /// The same in seconds of the run.
    pub time: [f64; 2],
    /// Whether it touches from the start of the motion.
    pub at_start: bool,
    /// Values of all variables of the arm at the last place proven free.
    pub values: Vec<f64>,
    /// Both parts.
    pub parts: [String; 2],
    /// Where, in the world; `None` if overlap leaves it open.
    pub point: Option<DVec3>,
    /// Unit vector from the first part to the second.
    pub normal: Option<DVec3>,
    /// The vertex, edge or face of each.
    pub features: [Option<Feature>; 2],
    /// The gap of both at the last place proven free.
    pub gap: Bracket,
    /// Whether they are proven to share a point; else they are only known to be within the engine's tolerance.
    pub proven: bool,
}

/// A signal that changed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SignalChange {
    /// When, in seconds.
    pub time: f64,
    /// Which.
    pub signal: u32,
    /// On or off.
    pub on: bool,
    /// Whether the program set it; else it came from outside.
    pub output: bool,
}

/// What became of a part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PartChange {
    /// When, in seconds.
    pub time: f64,
    /// Which, by its number in [`Workplace::loose`].
    pub part: usize,
    /// Where it is from then on.
    pub now: Whereabouts,
}

/// Where a part is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Whereabouts {
    /// It stands in the world.
    Stands(Pose),
    /// The gripper's link carries it, there.
    Held(Pose),
}

/// Why the first instruction that fails cannot be executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// Something touches.
    Contact,
    /// It could not be proven that nothing does.
    Undecided,
    /// A place cannot be reached, is beyond limits, or its line cannot be followed.
    Unreachable,
    /// Something else, such as a name that is not known.
    Other,
}

/// What a run came to.
#[derive(Clone, Debug)]
pub struct Run {
    /// How it ended.
    pub outcome: Result<Outcome, RunError>,
    /// Why it could not go on; `None` if it did.
    pub failure: Option<Failure>,
    /// The motions in order; the last may have been stopped.
    pub driven: Vec<Driven>,
    /// Where things touch.
    pub contacts: Vec<RunContact>,
    /// Signals over time.
    pub signals: Vec<SignalChange>,
    /// Where parts are over time; first where they stand at the start.
    pub parts: Vec<PartChange>,
    /// What the program showed: when, which line, the text.
    pub shown: Vec<(f64, Place, String)>,
    /// Seconds of the program's own time.
    pub seconds: f64,
    /// Motions that were driven although it is not proven that nothing touches on them.
    pub undecided: usize,
}

impl Run {
    /// Nothing has happened: all parts stand where they stand at the start.
    pub fn standing(work: &Workplace) -> Self {
        let stands = |(part, loose): (usize, &LoosePart)| PartChange {
            time: 0.0,
            part,
            now: Whereabouts::Stands(loose.place),
        };
        Self {
            outcome: Ok(Outcome { ended: Ended::Completed, seconds: 0.0, steps: 0 }),
            failure: None,
            driven: Vec::new(),
            contacts: Vec::new(),
            signals: Vec::new(),
            parts: work.loose.iter().enumerate().map(stands).collect(),
            shown: Vec::new(),
            seconds: 0.0,
            undecided: 0,
        }
    }

    /// The smallest gap of all motions, and which motion it is on.
    pub fn smallest(&self) -> Option<(usize, &Clearance)> {
        let gaps = self.driven.iter().enumerate().filter_map(|(k, d)| Some((k, d.clearance.as_ref()?)));
        gaps.min_by(|a, b| a.1.gap.at_most.total_cmp(&b.1.gap.at_most))
    }

    /// The motion that is on its way at a time; after the last, the last.
    pub fn driven_at(&self, time: f64) -> Option<&Driven> {
        self.driven.get(self.number_at(time))
    }

    fn number_at(&self, time: f64) -> usize {
        self.driven.partition_point(|driven| driven.takes_over() <= time).saturating_sub(1)
    }

    /// The values of the arm at a time of the run.
    pub fn values_at(&self, time: f64) -> Option<Vec<f64>> {
        let driven = self.driven_at(time)?;
        Some(driven.values(driven.profile.share(time - driven.start).clamp(driven.from, driven.until)))
    }
}

/// Runs a program in a workplace.
pub fn run(
    work: &Workplace,
    programs: &Programs,
    main: &str,
    options: &RunOptions,
) -> Result<Run, WorkplaceError> {
    let mut host = CellHost::new(work, *options)?;
    let mut interpreter = Interpreter::new(programs, &mut host, options.limits);
    interpreter.locations = work.locations.clone();
    interpreter.variables = work.variables.clone();
    interpreter.set_tool(work.tool);
    let outcome = interpreter.run(main);
    let mut run = host.finish(outcome);
    let end = run.driven.last().map_or(0.0, Driven::end);
    run.seconds = match &run.outcome {
        Ok(outcome) => outcome.seconds,
        Err(error) => error.time.max(end),
    };
    let found = |error: &RunError| match error.fault {
        RunFault::Unreachable(_) => Failure::Unreachable,
        _ => Failure::Other,
    };
    if let (None, Err(error)) = (run.failure, &run.outcome) {
        run.failure = Some(found(error));
    }
    Ok(run)
}
