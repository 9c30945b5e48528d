//! The program of one robot: its motion on an axis of the coordination diagram.

use anyhow::{Context, Result, bail};
use noli::Pose;
use noli_plan::Axis;
use noli_program::run::{PartLocation, Run, RunOptions};
use noli_project::cell::{LoadedCell, RunSource};
use noli_robot::JointCurve;
use noli_robot::cell::{CellBuilder, CellError};
use std::path::Path;

/// A program that was run alone in its cell.
pub(crate) struct Program {
    pub(crate) cell: LoadedCell,
    pub(crate) source: RunSource,
    /// Prefix of the names of its parts.
    pub(crate) prefix: String,
    /// Time at which it starts, in seconds.
    pub(crate) start: f64,
    pub(crate) run: Run,
}

impl Program {
    /// Runs the program of a cell alone; it has to be collision-free there.
    pub(crate) fn run(path: &Path, prefix: String, start: f64) -> Result<Self> {
        let cell = noli_store::load_cell(path)?;
        let source = RunSource::of_cell(&cell)?;
        let options = RunOptions { profile: 0, blend: cell.blend, ..RunOptions::default() };
        let run = noli_program::run::run(&cell.work, &source.programs, &source.main, &options);
        let run = run.with_context(|| format!("{}: the program cannot be run there", path.display()))?;
        let shown = path.display();
        if let Some(contact) = run.contacts.first() {
            let [a, b] = &contact.parts;
            bail!(
                "{shown}: line {}: {a} touches {b} in the cell itself; `noli robot run {shown}` shows where",
                contact.place.line
            );
        }
        if let Some(failure) = run.failure {
            bail!("{shown}: {failure}; `noli robot run {shown}` shows where");
        }
        if run.driven.is_empty() {
            bail!("{shown}: nothing moved; let the program reach a motion, such as MOVE");
        }
        Ok(Self { cell, source, prefix, start, run })
    }

    pub(crate) fn motions(&self) -> usize {
        self.run.driven.len()
    }

    /// The line of a motion.
    pub(crate) fn line(&self, motion: usize) -> u32 {
        self.run.driven[motion.min(self.motions() - 1)].place.line
    }

    /// Parts with their poses on the link that holds them, each of them once: everything that is held at some time, which
    /// is more than is held at once.
    pub(crate) fn ever_held(&self) -> Vec<(usize, Pose)> {
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
    pub(crate) fn held_at(&self, time: f64) -> Vec<(usize, Pose)> {
        let last = |part: usize| {
            let changes = self.run.parts.iter().filter(|change| change.part == part);
            match changes.take_while(|change| change.time + self.start <= time).last()?.now {
                PartLocation::Held(pose) => Some((part, pose)),
                PartLocation::Stands(_) => None,
            }
        };
        (0..self.cell.work.loose.len()).filter_map(last).collect()
    }

    /// Adds its robots with the parts that they hold.
    pub(crate) fn add_to(&self, plan: &mut CellBuilder, held: &[(usize, Pose)]) -> Result<usize, CellError> {
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
    pub(crate) fn others(&self) -> &[f64] {
        &self.cell.work.others
    }

    /// The path of its robots: one unit for each motion, straight between configurations, as it was proven.
    pub(crate) fn curve(&self, before: &[f64], after: &[f64]) -> Result<JointCurve> {
        let (mut times, mut rows): (Vec<f64>, Vec<Vec<f64>>) = (Vec::new(), Vec::new());
        for (number, motion) in self.run.driven.iter().enumerate() {
            let inner = motion.keys.iter().map(|key| key.0);
            let inner = inner.filter(|share| motion.from < *share && *share < motion.until);
            for share in std::iter::once(motion.from).chain(inner).chain([motion.until]) {
                let (time, own) = (number as f64 + share, motion.values(share));
                if times.last().is_none_or(|last| time > *last) {
                    times.push(time);
                    rows.push([before, &own, self.others(), after].concat());
                }
            }
        }
        let rows: Vec<&[f64]> = rows.iter().map(Vec::as_slice).collect();
        Ok(JointCurve::linear(&times, &rows)?)
    }

    /// First and last place on the curve.
    fn span(&self) -> [f64; 2] {
        let driven = &self.run.driven;
        [driven[0].from, (driven.len() - 1) as f64 + driven[driven.len() - 1].until]
    }

    /// Motions on the axis of a diagram.
    pub(crate) fn axis(&self) -> Axis {
        let [first, last] = self.span();
        let mut shares: Vec<f64> =
            (0..self.motions()).map(|number| (number as f64 - first).max(0.0) / (last - first)).collect();
        shares.push(1.0);
        let mut times: Vec<f64> =
            self.run.driven.iter().map(|motion| self.start + motion.blend_start()).collect();
        times.push(self.start + self.run.driven[self.motions() - 1].end());
        Axis { shares, times }
    }

    /// The time at which a share of the curve is reached.
    pub(crate) fn time_at(&self, share: f64) -> f64 {
        let [first, last] = self.span();
        let place = first + (last - first) * share;
        let number = (place.floor().max(0.0) as usize).min(self.motions() - 1);
        let motion = &self.run.driven[number];
        let within = (place - number as f64).clamp(motion.from, motion.until);
        self.start + motion.start + motion.profile.time(within)
    }

    /// The configuration of its robots at a time; before the start and after the end they rest.
    pub(crate) fn values_at(&self, time: f64) -> Vec<f64> {
        let own = self.run.values_at(time - self.start).unwrap_or_else(|| self.cell.work.start.clone());
        [&own, self.others()].concat()
    }

    /// The configuration at the start.
    pub(crate) fn at_start(&self) -> Vec<f64> {
        let motion = &self.run.driven[0];
        [&motion.values(motion.from), self.others()].concat()
    }
}
