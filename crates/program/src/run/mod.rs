//! Programs run in a cell: every motion is proven before it is executed.
//!
//! A [`WorkCell`] is the environment of a program: an arm with its gripper, obstacles, graspable parts,
//! locations, and signals with their sources. [`run`] interprets a program there. Each motion becomes a path of
//! all joints with proven bounds. It is executed only if no checked pair touches on it, between samples too.
//! Otherwise the arm stops at the last configuration proven collision-free, and the [`Run`] reports the line,
//! the parts, the point and the time.
//!
//! A part held by the closing gripper is attached from then on, and keeps its pose when the gripper opens:
//! nothing falls. Sensors test the parts a hundred times per second of simulated time.

mod exchange;
mod host;
mod pendant;
mod places;
mod profile;
mod work;

pub use exchange::LATENCY;
pub use pendant::{Jog, JogFrame, Jogged, Pendant, PendantError};
pub use places::{PlaceError, arm_variables, configurations_at};
pub use profile::Profile;
pub use work::{Grasp, GraspablePart, PairSetting, Signal, SignalSource, WorkCell, WorkCellError};

use crate::{Ended, Interpreter, Outcome, Programs, RunError, RunFault, RunLimits};
use exchange::{Connection, Exchange};
use glam::DVec3;
use host::CellHost;
use noli::Pose;
use noli::answer::{Bracket, Feature};
use noli_robot::Place;

/// Response to an impending contact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnContact {
    /// The motion is refused and the run ends, the arm at the last place proven free.
    #[default]
    Stop,
    /// It is noted, and the motion is driven all the same.
    Warn,
}

/// Options of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RunOptions {
    /// Response to an impending contact.
    pub on_contact: OnContact,
    /// Limits that end a run.
    pub limits: RunLimits,
    /// Number of configurations evaluated for the smallest clearance of each motion; 0 disables it.
    pub profile: usize,
    /// Blend radius in metres: distance from a via point within which the tool may leave its path. It applies where
    /// neither `BREAK` nor `FINE` nor a rest is between two motions; 0 passes through every via point. A blend is a
    /// parabola of the joints in eight chords. It takes the time of the two ends that it replaces, and is proven
    /// like any motion.
    pub blend: f64,
}

impl Default for RunOptions {
    fn default() -> Self {
        Self { on_contact: OnContact::Stop, limits: RunLimits::default(), profile: 200, blend: 0.0 }
    }
}

/// Kind of executed motion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DrivenKind {
    /// Every joint evenly.
    Joint,
    /// The tool on a straight line.
    Straight,
    /// The blend between two motions.
    Blend,
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
            Self::Blend => "blend",
            Self::Rest => "rest",
            Self::Open => "open",
            Self::Close => "close",
        }
    }
}

/// One motion requested by a program.
#[derive(Clone, Debug, PartialEq)]
pub struct ExecutedMotion {
    /// The line that requests it.
    pub place: Place,
    /// Kind of the motion.
    pub kind: DrivenKind,
    /// Start time, in seconds.
    pub start: f64,
    /// Its share as a function of time.
    pub profile: Profile,
    /// Shares from 0 to 1, and the values of all variables of the arm there; between two, each goes evenly.
    pub keys: Vec<(f64, Vec<f64>)>,
    /// Share at which the preceding blend ends; 0 if it is executed from its start.
    pub from: f64,
    /// Executed share of it: 1 unless it was stopped or its end was replaced by a blend.
    pub until: f64,
    /// Proven bound on the tool's deviation from a straight line, in metres.
    pub deviation: f64,
    /// The attached part.
    pub carried: Option<usize>,
    /// The smallest clearance of the executed share; `None` if not requested.
    pub clearance: Option<Clearance>,
    /// Share that is proven collision-free: 1 if all of it is.
    pub free_until: f64,
}

impl ExecutedMotion {
    /// Returns the values of all variables of the arm at a share of the motion.
    pub fn values(&self, share: f64) -> Vec<f64> {
        let most = self.keys.len().saturating_sub(2);
        let before = self.keys.partition_point(|key| key.0 <= share).saturating_sub(1).min(most);
        let two = self.keys.get(before..).and_then(|keys| keys.first_chunk());
        let Some([(from, a), (to, b)]) = two else { return Vec::new() };
        let part = if to > from { ((share - from) / (to - from)).clamp(0.0, 1.0) } else { 1.0 };
        let mix = |(a, b): (&f64, &f64)| if part >= 1.0 { *b } else { a + (b - a) * part };
        a.iter().zip(b).map(mix).collect()
    }

    /// Returns the end time of the preceding blend.
    pub fn blend_start(&self) -> f64 {
        self.start + self.profile.time(self.from)
    }

    /// Returns the end time of its executed share.
    pub fn end(&self) -> f64 {
        self.start + self.profile.time(self.until)
    }
}

/// The smallest clearance on a motion.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct Clearance {
    /// Never closer than `at_least`, proven; once as close as `at_most`.
    pub clearance: Bracket,
    /// The parts with that clearance; `None` if no pair is checked.
    pub parts: Option<[String; 2]>,
    /// Share of the motion.
    pub share: f64,
    /// Time in seconds of the run.
    pub time: f64,
    /// The nearest points on both.
    pub points: Option<[DVec3; 2]>,
}

/// A place where something touches, or comes closer than its margin.
#[derive(Clone, Debug, PartialEq)]
pub struct RunContact {
    /// The motion, by its number in [`Run::driven`].
    pub driven: usize,
    /// The line that requested it.
    pub place: Place,
    /// Proven free until the first, touching by the second: shares of the motion.
    pub share: [f64; 2],
    /// The same in seconds of the run.
    pub time: [f64; 2],
    /// `true` if it touches from the start of the motion.
    pub at_start: bool,
    /// Values of all variables of the arm at the last place proven free.
    pub values: Vec<f64>,
    /// Both parts.
    pub parts: [String; 2],
    /// Contact point in the world; `None` if overlap leaves it undetermined.
    pub point: Option<DVec3>,
    /// Unit vector from the first part to the second.
    pub normal: Option<DVec3>,
    /// The vertex, edge or face of each.
    pub features: [Option<Feature>; 2],
    /// The clearance of both at the last place proven free.
    pub clearance: Bracket,
    /// `true` if they are proven to share a point; otherwise they are only within the engine's tolerance.
    pub proven: bool,
}

/// A signal that changed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SignalChange {
    /// Time in seconds.
    pub time: f64,
    /// Its identifier.
    pub signal: u32,
    /// On or off.
    pub on: bool,
    /// `true` if the program set it; otherwise it is external.
    pub output: bool,
}

/// A change of a part's location.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PartChange {
    /// Time in seconds.
    pub time: f64,
    /// The part, by its number in [`WorkCell::loose`].
    pub part: usize,
    /// Its location from then on.
    pub now: PartLocation,
}

/// Location of a part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PartLocation {
    /// At rest in the world.
    Stands(Pose),
    /// Attached to the gripper's link, at this pose.
    Held(Pose),
}

/// Reason why the first failing instruction cannot be executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExecutionError {
    /// Something touches.
    #[error("the motion is in collision")]
    Contact,
    /// It could not be proven that nothing does.
    #[error("the motion is not proven collision-free")]
    Undecided,
    /// A place cannot be reached, is beyond limits, or its line cannot be followed.
    #[error("the target is unreachable")]
    Unreachable,
    /// Something else, such as a name that is not known.
    #[error("the instruction cannot be executed")]
    Other,
}

/// Result of a run.
#[derive(Clone, Debug)]
#[must_use]
pub struct Run {
    /// Its end.
    pub outcome: Result<Outcome, RunError>,
    /// Reason for the stop; `None` if it did.
    pub failure: Option<ExecutionError>,
    /// The motions in order; the last may have been stopped.
    pub driven: Vec<ExecutedMotion>,
    /// Contacts.
    pub contacts: Vec<RunContact>,
    /// Signals over time.
    pub signals: Vec<SignalChange>,
    /// Locations of parts over time; the first are those at the start.
    pub parts: Vec<PartChange>,
    /// Output of the program: time, line, text.
    pub shown: Vec<(f64, Place, String)>,
    /// Seconds of the program's own time.
    pub seconds: f64,
    /// Motions that were driven although it is not proven that nothing touches on them.
    pub undecided: usize,
}

impl Run {
    /// Creates the state before a run: all parts at their start poses.
    pub fn status(work: &WorkCell) -> Self {
        let stands = |(part, loose): (usize, &GraspablePart)| PartChange {
            time: 0.0,
            part,
            now: PartLocation::Stands(loose.place),
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

    /// The smallest clearance of all motions, and which motion it is on.
    pub fn smallest(&self) -> Option<(usize, &Clearance)> {
        let clearances = self.driven.iter().enumerate().filter_map(|(k, d)| Some((k, d.clearance.as_ref()?)));
        clearances.min_by(|a, b| a.1.clearance.at_most.total_cmp(&b.1.clearance.at_most))
    }

    /// Returns the times between which [`values_at`](Self::values_at) are polynomials of second degree at most, sorted.
    pub fn knots(&self) -> Vec<f64> {
        let knots = |motion: &ExecutedMotion| {
            let keys = motion.keys.iter().map(|key| motion.profile.time(key.0));
            let inner = keys.chain(motion.profile.knots()).map(|time| motion.start + time);
            let [start, end] = [motion.blend_start(), motion.end()];
            inner.filter(move |time| start < *time && *time < end).chain([start, end]).collect::<Vec<_>>()
        };
        let mut all: Vec<f64> = self.driven.iter().flat_map(knots).collect();
        all.sort_by(f64::total_cmp);
        all.dedup();
        all
    }

    /// Returns the motion in progress at a time; after the last, the last.
    pub fn driven_at(&self, time: f64) -> Option<&ExecutedMotion> {
        self.driven.get(self.number_at(time))
    }

    fn number_at(&self, time: f64) -> usize {
        self.driven.partition_point(|driven| driven.blend_start() <= time).saturating_sub(1)
    }

    /// The values of the arm at a time of the run.
    pub fn values_at(&self, time: f64) -> Option<Vec<f64>> {
        let driven = self.driven_at(time)?;
        Some(driven.values(driven.profile.share(time - driven.start).clamp(driven.from, driven.until)))
    }
}

/// A program with the cell that it runs in.
#[derive(Clone, Copy, Debug)]
pub struct Job<'a> {
    /// The cell.
    pub work: &'a WorkCell,
    /// Programs of a text.
    pub programs: &'a Programs,
    /// The one that is run.
    pub main: &'a str,
    /// Its options.
    pub options: RunOptions,
}

/// Runs a program in a workplace.
pub fn run(
    work: &WorkCell,
    programs: &Programs,
    main: &str,
    options: &RunOptions,
) -> Result<Run, WorkCellError> {
    run_until(work, programs, main, options, &|| false)
}

/// The same until `stop` returns `true`: motions after that are [undecided](ExecutionError::Undecided), and end the run.
pub fn run_until(
    work: &WorkCell,
    programs: &Programs,
    main: &str,
    options: &RunOptions,
    stop: &dyn Fn() -> bool,
) -> Result<Run, WorkCellError> {
    execute(&Job { work, programs, main, options: *options }, None, stop)
}

/// Runs several programs at once, each in its own cell. A signal that one sets is an input of the others, by its number,
/// [`LATENCY`] later. Programs that wait for each other without end fail with
/// [`WaitsForEver`](RunFault::WaitsForEver); a result depends on no scheduling. Collisions between the arms are not
/// tested: all of [`Run::values_at`] are known afterwards. `stop` ends all of them, as in [`run_until`].
#[doc(alias("multi-robot", "interlock", "handshake", "deadlock"))]
pub fn run_together(jobs: &[Job<'_>], stop: &(dyn Fn() -> bool + Sync)) -> Result<Vec<Run>, WorkCellError> {
    let exchange = Exchange::new(jobs.len());
    std::thread::scope(|scope| {
        let start = |(number, job)| {
            let others = exchange.connect(number);
            scope.spawn(move || execute(job, Some(others), stop))
        };
        let threads: Vec<_> = jobs.iter().enumerate().map(start).collect();
        let ended = |thread: std::thread::ScopedJoinHandle<'_, _>| {
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        threads.into_iter().map(ended).collect()
    })
}

fn execute<'w>(
    job: &Job<'w>,
    others: Option<Connection<'w>>,
    stop: &'w dyn Fn() -> bool,
) -> Result<Run, WorkCellError> {
    let mut host = CellHost::new(job.work, job.options, others, stop)?;
    let mut interpreter = Interpreter::new(job.programs, &mut host, job.options.limits);
    interpreter.locations = job.work.locations.clone();
    interpreter.variables = job.work.variables.clone();
    interpreter.set_tool(job.work.tool);
    let outcome = interpreter.run(job.main);
    let mut run = host.finish(outcome);
    let end = run.driven.last().map_or(0.0, ExecutedMotion::end);
    run.seconds = match &run.outcome {
        Ok(outcome) => outcome.seconds,
        Err(error) => error.time.max(end),
    };
    let found = |error: &RunError| match error.fault {
        RunFault::Unreachable(_) => ExecutionError::Unreachable,
        _ => ExecutionError::Other,
    };
    if let (None, Err(error)) = (run.failure, &run.outcome) {
        run.failure = Some(found(error));
    }
    Ok(run)
}
