//! Several robots, each on its own path: collision-free with any timing, in an order of instructions, or not at all; and
//! what happens as timed.
//!
//! The coordination diagram of every two (O'Donnell and Lozano-Pérez 1989) is proven in cells; see
//! [`Checker::coordinate`](noli_robot::cell::Checker::coordinate) and [`interlock`].

use crate::interlock::{Axis, Interlock, Wait, interlock, schedule};
use glam::DVec3;
use noli_robot::cell::{
    Cell, CellBuilder, CellError, Coordination, CoordinationOptions, EdgeError, PartKind,
};
use noli_robot::{ConfigurationError, JointCurve, JointCurveError};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Robots on a path of instructions, with times.
pub trait TimedPath {
    /// Adds its robots, with everything that they hold at some time, to a cell; the number of the first of them.
    fn add_to(&self, plan: &mut CellBuilder) -> Result<usize, CellError>;
    /// The path of all variables of its robots. Shares of it are those of [`axis`](Self::axis), whatever time they take.
    fn path(&self) -> Result<JointCurve, JointCurveError>;
    /// Its instructions on the path, with their times.
    fn axis(&self) -> Axis;
    /// Returns the time at which a share of the path is reached.
    fn time_at(&self, share: f64) -> f64;
    /// Returns the configuration of its robots at a time; before the start and after the end they rest.
    fn values_at(&self, time: f64) -> Vec<f64>;
}

/// Options of [`coordinate`].
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct CoordinateOptions<'a> {
    /// Minimum clearance between robots, in metres.
    pub margin: f64,
    /// Number of halvings of each axis of time.
    pub depth: u32,
    /// Cells of each diagram at most; what is left is not proven.
    pub cells: usize,
    /// Stops the search when set; what is left is not proven.
    pub stop: Option<&'a AtomicBool>,
}

impl Default for CoordinateOptions<'_> {
    fn default() -> Self {
        Self { margin: 0.0, depth: 8, cells: 4_000_000, stop: None }
    }
}

impl CoordinateOptions<'_> {
    fn stopped(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Relaxed))
    }
}

/// Reason that robots cannot be coordinated.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CoordinateError {
    /// Fewer than two paths.
    #[error("{0} path; give two or more")]
    TooFew(usize),
    /// A path without instructions.
    #[error("path {0} has no instruction; let every robot move")]
    NoInstruction(usize),
    /// Robots that are in no cell together.
    #[error(transparent)]
    Cell(#[from] CellError),
    /// A path that is no curve.
    #[error(transparent)]
    Curve(#[from] JointCurveError),
    /// A path that cannot be checked.
    #[error(transparent)]
    Edge(#[from] EdgeError),
    /// A configuration that is none of the cell.
    #[error(transparent)]
    Configuration(#[from] ConfigurationError),
}

/// Result of [`coordinate`].
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct Coordinated {
    /// Every two paths.
    pub pairs: Vec<CoordinatedPair>,
    /// An order of the instructions of all, collision-free with any timing and free of deadlocks; `None` if none is proven.
    pub order: Option<InstructionOrder>,
}

/// Two paths with any timing, and as timed.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CoordinatedPair {
    /// Their numbers.
    pub paths: [usize; 2],
    /// Timings that are proven collision-free.
    pub interlock: Interlock,
    /// Times of both that are not proven collision-free.
    pub diagram: Coordination,
    /// The links that collide in each zone of the diagram, where a colliding pair of times is known.
    pub links: Vec<Option<[String; 2]>>,
    /// The instructions of both in each zone: the first and the last.
    pub instructions: Vec<[[usize; 2]; 2]>,
    /// Both as timed.
    pub timed: Timed,
    /// Compared pairs of parts across both; with none, nothing is proven.
    pub compared: usize,
}

/// Two paths as timed.
#[derive(Clone, Debug, PartialEq)]
pub enum Timed {
    /// Collision-free, proven.
    Free,
    /// In collision.
    Collides(TimedCollision),
    /// Neither is proven.
    Undecided,
}

/// A collision of two paths as timed.
#[derive(Clone, Debug, PartialEq)]
pub struct TimedCollision {
    /// Time in seconds; the first of those that were tested.
    pub time: f64,
    /// The instructions in progress.
    pub instructions: [usize; 2],
    /// The links.
    pub links: [String; 2],
    /// A point of both.
    pub point: Option<DVec3>,
}

/// An order of instructions.
#[derive(Clone, Debug, PartialEq)]
pub struct InstructionOrder {
    /// Waits of all robots.
    pub waits: Vec<Wait>,
    /// Start and end of every instruction of each robot that keeps the waits; the first is the time before its path starts.
    pub done: Vec<Vec<[f64; 2]>>,
}

impl InstructionOrder {
    /// Duration with the waits.
    pub fn seconds(&self) -> f64 {
        self.done.iter().filter_map(|done| Some(done.last()?[1])).fold(0.0, f64::max)
    }
}

/// Classifies robots on given paths: independent, in need of an order, or without one; and as timed.
#[doc(alias("multi-robot", "interlock", "coordination diagram"))]
pub fn coordinate(
    paths: &[&dyn TimedPath],
    options: &CoordinateOptions<'_>,
) -> Result<Coordinated, CoordinateError> {
    if paths.len() < 2 {
        return Err(CoordinateError::TooFew(paths.len()));
    }
    let axes: Vec<Axis> = paths.iter().map(|path| path.axis()).collect();
    if let Some(wrong) = axes.iter().position(|axis| axis.count() == 0) {
        return Err(CoordinateError::NoInstruction(wrong + 1));
    }
    let mut pairs = Vec::new();
    for b in 0..paths.len() {
        for a in 0..b {
            let both = Both::new([paths[a], paths[b]], options)?;
            pairs.push(both.compare([a, b], [&axes[a], &axes[b]], options)?);
        }
    }
    let order = order(&axes, &pairs);
    Ok(Coordinated { pairs, order })
}

/// The order of all pairs together; `None` if none is free of deadlocks.
fn order(axes: &[Axis], pairs: &[CoordinatedPair]) -> Option<InstructionOrder> {
    // The time before a path starts is an instruction of its own.
    let durations = |axis: &Axis| -> Vec<f64> {
        let moves = axis.times.windows(2).map(|two| two[1] - two[0]);
        axis.times.first().copied().into_iter().chain(moves).collect()
    };
    let durations: Vec<Vec<f64>> = axes.iter().map(durations).collect();
    // As timed first. Three robots may wait for each other in a circle then; one after the other they do not.
    for apart in [0.0, 1e6] {
        let mut waits = Vec::new();
        let mut possible = true;
        for pair in pairs {
            let mut own = pair.paths.map(|number| axes[number].clone());
            for (axis, number) in own.iter_mut().zip(pair.paths) {
                axis.times.iter_mut().for_each(|time| *time += apart * number as f64);
            }
            match interlock(&pair.diagram, [&own[0], &own[1]], pair.paths) {
                Interlock::Independent => {}
                Interlock::Ordered(more) => waits.extend(more),
                Interlock::Impossible => possible = false,
            }
        }
        let later = |wait: &Wait| Wait { before: wait.before + 1, after: wait.after + 1, ..*wait };
        let shifted: Vec<Wait> = waits.iter().map(later).collect();
        if let (true, Some(done)) = (possible, schedule(&durations, &shifted)) {
            return Some(InstructionOrder { waits, done });
        }
    }
    None
}

/// Samples of the times at which both may collide.
const SAMPLES: usize = 20_000;

/// Two paths in one cell.
struct Both<'a> {
    paths: [&'a dyn TimedPath; 2],
    cell: Cell,
    /// The number of robots of the first.
    first: usize,
    diagram: Coordination,
}

impl<'a> Both<'a> {
    fn new(paths: [&'a dyn TimedPath; 2], options: &CoordinateOptions<'_>) -> Result<Self, CoordinateError> {
        let mut plan = CellBuilder::default();
        paths[0].add_to(&mut plan)?;
        let first = paths[1].add_to(&mut plan)?;
        if options.margin > 0.0 {
            let more = 0.5 * options.margin;
            let parts: Vec<_> =
                plan.parts().iter().map(|part| (part.name.clone(), part.padding + more)).collect();
            parts.iter().try_for_each(|(name, padding)| plan.set_padding(name, *padding))?;
        }
        let cell = plan.build();
        let own = [paths[0].path()?, paths[1].path()?];
        let rest = |curve: &JointCurve| curve.position(curve.span()[0]);
        let curves = [own[0].among(&[], &rest(&own[1]))?, own[1].among(&rest(&own[0]), &[])?];
        let mut wanted = CoordinationOptions::default();
        (wanted.depth, wanted.cells, wanted.stop) = (options.depth, options.cells, options.stop);
        let arms: Vec<usize> = (0..first).collect();
        let diagram = cell.checker().coordinate([&curves[0], &curves[1]], &arms, &wanted)?;
        Ok(Self { paths, cell, first, diagram })
    }

    /// Returns `true` if a pair of the cell is one of both paths.
    fn is_across(&self, pair: usize) -> bool {
        let group = |part: usize| match self.cell.parts()[part].holder {
            PartKind::Link { arm, .. } | PartKind::Carried { arm, .. } => Some(arm < self.first),
            PartKind::World => None,
        };
        let [a, b] = self.cell.pairs()[pair].parts.map(group);
        a.is_some() && b.is_some() && a != b
    }

    fn compare(
        self,
        numbers: [usize; 2],
        axes: [&Axis; 2],
        options: &CoordinateOptions<'_>,
    ) -> Result<CoordinatedPair, CoordinateError> {
        let compared = (0..self.cell.pairs().len()).filter(|&pair| self.is_across(pair)).count();
        let names = |pair: usize| self.cell.pair_names(pair).map(str::to_owned);
        let zones = &self.diagram.zones;
        let links = zones.iter().map(|zone| zone.witness.map(|(_, pair)| names(pair))).collect();
        let instruction = |k: usize, share: f64| axes[k].instruction_of(share);
        let instructions = zones.iter().map(|zone| [0, 1].map(|k| zone.times[k].map(|x| instruction(k, x))));
        let instructions = instructions.collect();
        let timed = self.as_timed(axes, options)?;
        let interlock = interlock(&self.diagram, axes, numbers);
        let diagram = self.diagram;
        Ok(CoordinatedPair { paths: numbers, interlock, diagram, links, instructions, timed, compared })
    }

    /// The times at which both are in a cell that is not proven; robots rest before their start and after their end.
    fn unproven(&self) -> Vec<[f64; 2]> {
        let span = |k: usize, [from, to]: [f64; 2]| {
            let path = self.paths[k];
            let from = if from <= 0.0 { f64::NEG_INFINITY } else { path.time_at(from) };
            [from, if to >= 1.0 { f64::INFINITY } else { path.time_at(to) }]
        };
        let common = |[a, b]: &[[f64; 2]; 2]| {
            let ([a0, a1], [b0, b1]) = (span(0, *a), span(1, *b));
            let both = [a0.max(b0), a1.min(b1)];
            (both[0] <= both[1]).then_some(both)
        };
        self.diagram.blocked.iter().filter_map(common).collect()
    }

    fn as_timed(&self, axes: [&Axis; 2], options: &CoordinateOptions<'_>) -> Result<Timed, CoordinateError> {
        let unproven = self.unproven();
        if unproven.is_empty() {
            return Ok(Timed::Free);
        }
        let end = self.paths.map(|path| path.time_at(1.0)).into_iter().fold(0.0, f64::max);
        let each = (SAMPLES / unproven.len()).clamp(2, 64);
        let mut times: Vec<f64> = Vec::new();
        for [from, to] in unproven {
            let (from, to) = (from.clamp(0.0, end), to.clamp(0.0, end));
            times.extend((0..each).map(|k| from + (to - from) * k as f64 / (each - 1) as f64));
        }
        times.sort_by(f64::total_cmp);
        times.dedup();
        let (mut checker, mut hits) = (self.cell.checker(), Vec::new());
        for time in times {
            if options.stopped() {
                break;
            }
            let values = self.paths.map(|path| path.values_at(time)).concat();
            checker.colliding_pairs(&values, &mut hits)?;
            let Some(hit) = hits.iter().find(|hit| self.is_across(hit.pair)) else { continue };
            let pair = hit.pair;
            return Ok(Timed::Collides(TimedCollision {
                time,
                instructions: axes.map(|axis| axis.instruction_at(time)),
                links: self.cell.pair_names(pair).map(str::to_owned),
                point: checker.meeting_point(&values, pair)?,
            }));
        }
        Ok(Timed::Undecided)
    }
}
