//! The program of one robot among several: its motion as a path of instructions with times.

use super::program::RunSource;
use crate::stage::cell::LoadedCell;
use noli::Pose;
use noli_formats::FileError;
use noli_plan::{Axis, CoordinateError, TimedPath};
use noli_program::run::{PartLocation, Run, RunOptions, WorkCellError, run};
use noli_robot::cell::{CellBuilder, CellError, EdgeError};
use noli_robot::{JointCurve, JointCurveError};

/// Reason that programs of several robots cannot be run or compared.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProgramsError {
    /// A file that cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// A program that cannot be run in its cell.
    #[error("{cell}: the program cannot be run there: {error}")]
    Work {
        /// The cell.
        cell: String,
        /// The reason.
        error: WorkCellError,
    },
    /// A program that fails alone.
    #[error("{cell}: {reason}; `noli robot run {cell}` shows where")]
    Alone {
        /// The cell.
        cell: String,
        /// The reason.
        reason: String,
    },
    /// A program without motion.
    #[error("{0}: nothing moved; let the program reach a motion, such as MOVE")]
    NothingMoved(String),
    /// No pair of parts across the robots is checked.
    #[error("no pair of links across the robots is checked; give their links collision shapes")]
    Unchecked,
    /// Robots that are in no cell together.
    #[error(transparent)]
    Cell(#[from] CellError),
    /// A path that is no curve.
    #[error(transparent)]
    Curve(#[from] JointCurveError),
    /// A path that cannot be checked.
    #[error(transparent)]
    Edge(#[from] EdgeError),
    /// Robots that cannot be compared.
    #[error(transparent)]
    Coordinate(#[from] CoordinateError),
}

/// A program that was run in its cell, as one of several.
#[derive(Debug)]
pub struct RobotProgram {
    /// The cell.
    pub cell: LoadedCell,
    /// The text of the program.
    pub source: RunSource,
    /// Prefix of the names of its parts.
    pub prefix: String,
    /// Time at which it starts, in seconds.
    pub start: f64,
    /// The run.
    pub run: Run,
}

impl RobotProgram {
    /// Runs the program of a cell alone, which has to be collision-free there; `shown` is the cell in messages.
    pub fn run_alone(
        cell: LoadedCell,
        shown: &str,
        prefix: String,
        start: f64,
    ) -> Result<Self, ProgramsError> {
        let source = RunSource::of_cell(&cell)?;
        let options = RunOptions { profile: 0, blend: cell.blend, ..RunOptions::default() };
        let done = run(&cell.work, &source.programs, &source.main, &options);
        let shown = shown.to_owned();
        let run = match done {
            Ok(run) => run,
            Err(error) => return Err(ProgramsError::Work { cell: shown, error }),
        };
        if let Some(contact) = run.contacts.first() {
            let [a, b] = &contact.parts;
            let reason = format!("line {}: {a} touches {b} in the cell itself", contact.place.line);
            return Err(ProgramsError::Alone { cell: shown, reason });
        }
        if let Some(failure) = run.failure {
            return Err(ProgramsError::Alone { cell: shown, reason: failure.to_string() });
        }
        if run.driven.is_empty() {
            return Err(ProgramsError::NothingMoved(shown));
        }
        Ok(Self { cell, source, prefix, start, run })
    }

    /// Number of motions.
    pub fn motions(&self) -> usize {
        self.run.driven.len()
    }

    /// Returns the line of a motion; of the last for numbers beyond it.
    pub fn line(&self, motion: usize) -> u32 {
        let last = self.motions().saturating_sub(1);
        self.run.driven.get(motion.min(last)).map_or(1, |motion| motion.place.line)
    }

    /// Parts with their poses on the link that holds them, each of them once: everything that is held at some time, which
    /// is more than is held at once.
    fn ever_held(&self) -> Vec<(usize, Pose)> {
        let mut seen: Vec<(usize, Pose)> = Vec::new();
        for change in &self.run.parts {
            if let PartLocation::Held(pose) = change.now
                && !seen.contains(&(change.part, pose))
            {
                seen.push((change.part, pose));
            }
        }
        seen
    }

    /// The same of the parts that are held at a time.
    pub(super) fn held_at(&self, time: f64) -> Vec<(usize, Pose)> {
        let last = |part: usize| {
            let changes = self.run.parts.iter().filter(|change| change.part == part);
            match changes.take_while(|change| change.time + self.start <= time).last()?.now {
                PartLocation::Held(pose) => Some((part, pose)),
                PartLocation::Stands(_) => None,
            }
        };
        (0..self.cell.work.loose.len()).filter_map(last).collect()
    }

    /// Adds its robots with the parts that they hold; the number of the first.
    pub(super) fn add_holding(
        &self,
        plan: &mut CellBuilder,
        held: &[(usize, Pose)],
    ) -> Result<usize, CellError> {
        let (work, prefix) = (&self.cell.work, &self.prefix);
        let first = plan.add_robots_of(prefix, &work.plan)?;
        for (number, &(part, pose)) in held.iter().enumerate() {
            let loose = &work.loose[part];
            let link = work.grasp.as_ref().map_or(work.flange, |grasp| grasp.link);
            let name = match held[..number].iter().filter(|(other, _)| *other == part).count() {
                0 => format!("{prefix}{}", loose.name),
                more => format!("{prefix}{} ({})", loose.name, more + 1),
            };
            plan.attach(&format!("{prefix}{}", work.link_name(link)), &name, &loose.model, pose, &[])?;
        }
        Ok(first)
    }

    /// Values of the other robots of its cell.
    fn others(&self) -> &[f64] {
        &self.cell.work.others
    }

    /// First and last place on the path.
    fn span(&self) -> [f64; 2] {
        let driven = &self.run.driven;
        [driven[0].from, (driven.len() - 1) as f64 + driven[driven.len() - 1].until]
    }
}

impl TimedPath for RobotProgram {
    fn add_to(&self, plan: &mut CellBuilder) -> Result<usize, CellError> {
        self.add_holding(plan, &self.ever_held())
    }

    /// One unit for each motion, straight between configurations, as it was proven.
    fn path(&self) -> Result<JointCurve, JointCurveError> {
        let (mut times, mut rows): (Vec<f64>, Vec<Vec<f64>>) = (Vec::new(), Vec::new());
        for (number, motion) in self.run.driven.iter().enumerate() {
            let inner = motion.keys.iter().map(|key| key.0);
            let inner = inner.filter(|share| motion.from < *share && *share < motion.until);
            for share in std::iter::once(motion.from).chain(inner).chain([motion.until]) {
                let (time, own) = (number as f64 + share, motion.values(share));
                if times.last().is_none_or(|last| time > *last) {
                    times.push(time);
                    rows.push([&own, self.others()].concat());
                }
            }
        }
        let rows: Vec<&[f64]> = rows.iter().map(Vec::as_slice).collect();
        JointCurve::linear(&times, &rows)
    }

    fn axis(&self) -> Axis {
        let [first, last] = self.span();
        let mut shares: Vec<f64> =
            (0..self.motions()).map(|number| (number as f64 - first).max(0.0) / (last - first)).collect();
        shares.push(1.0);
        let mut times: Vec<f64> =
            self.run.driven.iter().map(|motion| self.start + motion.blend_start()).collect();
        times.push(self.start + self.run.driven[self.motions() - 1].end());
        Axis { shares, times }
    }

    fn time_at(&self, share: f64) -> f64 {
        let [first, last] = self.span();
        let place = first + (last - first) * share;
        let number = (place.floor().max(0.0) as usize).min(self.motions() - 1);
        let motion = &self.run.driven[number];
        let within = (place - number as f64).clamp(motion.from, motion.until);
        self.start + motion.start + motion.profile.time(within)
    }

    fn values_at(&self, time: f64) -> Vec<f64> {
        let own = self.run.values_at(time - self.start).unwrap_or_else(|| self.cell.work.start.clone());
        [&own, self.others()].concat()
    }
}
