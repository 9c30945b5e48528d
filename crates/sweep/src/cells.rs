//! The octree: cells that are outside at all times, inside at some time, or neither.
//!
//! A cell tests the intervals of time that its parent could not leave out. It is left out of one if the body, in the middle
//! of the interval, is farther away than half the diagonal of the cell and the travel of the body. It is inside if the body
//! is that deep. All its points are within the error, so that it need not be divided, if the distance of its middle and
//! half its diagonal are together.

use crate::grid::{Grid, Key};
use crate::near::{Asked, Found, Near};
use crate::setup::Setup;
use crate::solid::{Measure, Solid};
use crate::times::{Interval, Intervals};
use crate::volume::SweptVolume;
use crate::{SweepError, SweepOptions, SweepWatch, SweptBody, parallel};
use glam::DVec3;
use noli::{Convex, Model, Overlap, Pose, QueryContext};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

/// Share of half the diagonal of a cell of the last level that a body may travel in an interval.
const TRAVEL: f64 = 0.125;
/// Halves of diagonals that a point of an outer cell is away from the volume at most: from the centre of its cell, from
/// there to the body, and the travel of that.
const HALVES: f64 = 2.0 + TRAVEL;
/// Halves of diagonals that a body may travel in an interval whose distance is tested before it is divided.
const TESTED: f64 = 3.0;
/// The level whose cells are searched by themselves, on all threads.
const SHARED: u32 = 4;

/// Computes the swept volume of bodies: an outer mesh within the error of it, and an inner one within it.
pub fn sweep(bodies: &[SweptBody<'_>], options: &SweepOptions) -> Result<SweptVolume, SweepError> {
    sweep_watched(bodies, options, &SweepWatch { cancel: &AtomicBool::new(false), progress: &|_| {} })
}

/// Computes a swept volume that can be cancelled, and reports progress.
pub fn sweep_watched(
    bodies: &[SweptBody<'_>],
    options: &SweepOptions,
    watch: &SweepWatch<'_>,
) -> Result<SweptVolume, SweepError> {
    let Setup { intervals, grid, error } = Setup::new(bodies, options, HALVES)?;
    let solids = bodies.iter().zip(&intervals.spheres);
    let solids = solids.map(|(body, sphere)| Solid::new(body.model, *sphere, options.deviation));
    let solids = solids.collect::<Result<Vec<Solid<'_>>, SweepError>>()?;
    let mut around = Vec::new();
    for level in 0..=grid.depth {
        let half = 0.5 * 3f64.sqrt() * grid.size(level) * (1.0 + 1e-9);
        around.push((Model::new(Convex::sphere(half)?)?, half));
    }
    let visited = AtomicUsize::new(0);
    let (most, deviation) = (options.cells, options.deviation);
    let (solids, around, cancel) = (&solids[..], &around[..], watch.cancel);
    let task = Task { solids, around, grid, error, deviation, most, visited: &visited, cancel };
    let mut first = Search::new(task, intervals);
    first.list.extend((0..bodies.len() as u32).map(|body| (body, 0.0)));
    first.visit(Key { level: 0, cell: [0; 3] }, 0..bodies.len())?;
    let open = std::mem::take(&mut first.open);
    let done = AtomicUsize::new(0);
    let found = parallel::each(
        &open,
        || Search::new(task, first.intervals.clone()),
        |search, (key, near)| {
            let found = search.run(*key, near);
            (watch.progress)((done.fetch_add(1, Relaxed) + 1) as f64 / open.len() as f64);
            found
        },
    );
    let (mut outer, mut inner) = (first.outer, first.inner);
    for cells in found {
        let (more_outer, more_inner) = cells?;
        outer.extend(more_outer);
        inner.extend(more_inner);
    }
    Ok(SweptVolume::new(grid, options.error, outer, inner, visited.load(Relaxed)))
}

/// Data common to all searches.
#[derive(Clone, Copy)]
struct Task<'a> {
    solids: &'a [Solid<'a>],
    /// A sphere around a cell of each level, and half the diagonal.
    around: &'a [(Model, f64)],
    grid: Grid,
    error: f64,
    /// Bound on the distance of the surfaces of models from those of the true bodies.
    deviation: f64,
    /// Cells visited at most, and so far.
    most: usize,
    visited: &'a AtomicUsize,
    cancel: &'a AtomicBool,
}

/// A cell that is visited.
#[derive(Clone, Copy)]
struct At {
    level: u32,
    center: DVec3,
    half: f64,
    is_leaf: bool,
    /// Distance of the centre from a body up to which all points of the cell are within the error.
    accepted: f64,
    /// Travel up to which intervals are not divided, and up to which they are tested.
    allowed: f64,
    tested: f64,
}

/// Status of an interval for a cell.
#[derive(Clone, Copy, PartialEq)]
enum Status {
    /// The body stays outside of the cell.
    Outside,
    /// Parts of the interval are left for smaller cells.
    Left,
    /// All points of the cell are within the error of the body in the middle of this interval.
    Near(u32),
    /// The body contains the cell at some time.
    Inside,
}

struct Search<'a> {
    task: Task<'a>,
    intervals: Intervals<'a>,
    near: Near,
    /// The intervals of all cells between the root and the one that is visited, each with about its distance.
    list: Vec<(u32, f64)>,
    /// The interval that was found near the cell before: neighbours are mostly near the same body at the same time.
    last_near: u32,
    /// Cells that are neither, and cells that are inside at some time.
    outer: Vec<Key>,
    inner: Vec<Key>,
    /// Cells of the shared level with their intervals.
    open: Vec<(Key, Vec<(u32, f64)>)>,
    /// Cells of the shared level are visited as well.
    is_shared: bool,
}

type FoundCells = Result<(Vec<Key>, Vec<Key>), SweepError>;

impl<'a> Search<'a> {
    fn new(task: Task<'a>, intervals: Intervals<'a>) -> Self {
        let (near, list, open) = (Near::default(), Vec::new(), Vec::new());
        let (outer, inner) = (Vec::new(), Vec::new());
        Self { task, intervals, near, list, last_near: 0, outer, inner, open, is_shared: false }
    }

    /// Searches a cell of the shared level. The result does not depend on other cells.
    fn run(&mut self, key: Key, near: &[(u32, f64)]) -> FoundCells {
        (self.is_shared, self.last_near) = (true, near.first().map_or(0, |one| one.0));
        self.list.clear();
        self.list.extend(near);
        for child in key.children() {
            self.visit(child, 0..near.len())?;
        }
        Ok((std::mem::take(&mut self.outer), std::mem::take(&mut self.inner)))
    }

    fn at(&self, key: Key) -> At {
        let (half, is_leaf) = (self.task.around[key.level as usize].1, key.level == self.task.grid.depth);
        At {
            level: key.level,
            center: self.task.grid.center(key),
            half,
            is_leaf,
            accepted: self.task.error - half - self.task.deviation,
            // Cells that are divided anyway need no more than a bound.
            allowed: if is_leaf { TRAVEL * half } else { half },
            tested: TESTED * half,
        }
    }

    /// Visits a cell with the intervals of the list in which bodies may be near it.
    fn visit(&mut self, key: Key, near: Range<usize>) -> Result<(), SweepError> {
        if self.task.visited.fetch_add(1, Relaxed) >= self.task.most {
            return Err(SweepError::TooManyCells(self.task.most));
        }
        if self.task.cancel.load(Relaxed) {
            return Err(SweepError::Cancelled);
        }
        let (cell, start) = (self.at(key), self.list.len());
        match self.status(&cell, near.clone()) {
            Status::Outside => {}
            Status::Inside => self.inner.push(key),
            Status::Near(number) => {
                self.last_near = number;
                self.accept(key, number, near);
            }
            Status::Left if key.level == SHARED && !self.is_shared => {
                self.open.push((key, self.list[start..].to_vec()));
            }
            Status::Left => {
                // Of cells that are near some body, one that is near enough is found first.
                if self.task.error > 0.5 * cell.half {
                    self.list[start..].sort_by(|a, b| a.1.total_cmp(&b.1));
                }
                for child in key.children() {
                    self.visit(child, start..self.list.len())?;
                }
            }
        }
        self.list.truncate(start);
        Ok(())
    }

    /// The status of all intervals together.
    fn status(&mut self, cell: &At, near: Range<usize>) -> Status {
        if cell.accepted > 0.0 {
            let number = self.last_near;
            let interval = self.intervals.all[number as usize];
            let asked = self.asked(cell, &interval);
            let found = self.test(cell, (number, interval.travel), &asked);
            if let Ok(found @ (Status::Near(_) | Status::Inside)) = found {
                return found;
            }
        }
        let mut status = Status::Outside;
        for place in near {
            match self.narrow(cell, self.list[place].0) {
                Status::Outside => {}
                Status::Left => status = Status::Left,
                found => return found,
            }
        }
        status
    }

    /// Tests the middle of an interval, given by its number and travel; about the distance of the body if that leaves it
    /// open.
    fn test(&mut self, cell: &At, (number, travel): (u32, f64), asked: &Asked<'_>) -> Result<Status, f64> {
        let need = (cell.half + travel + self.task.deviation) * (1.0 + 1e-9);
        let found = self.near.distance(asked, [need, cell.accepted]);
        if found.low > need {
            let is_inside = !found.is_signed && self.near.is_inside(asked, found.low);
            return Ok(if is_inside { Status::Inside } else { Status::Outside });
        }
        if found.high <= -(cell.half + self.task.deviation) {
            return Ok(Status::Inside);
        }
        if found.high <= cell.accepted { Ok(Status::Near(number)) } else { Err(found.about) }
    }

    fn asked(&self, cell: &At, interval: &Interval) -> Asked<'a> {
        Asked {
            number: interval.body,
            solid: &self.task.solids[interval.body as usize],
            level: cell.level,
            half: cell.half,
            point: interval.inverse.transform_point(cell.center),
        }
    }

    /// Adds the parts of an interval in which the body is not proven outside of a cell, unless the cell is decided.
    fn narrow(&mut self, cell: &At, number: u32) -> Status {
        let interval = self.intervals.all[number as usize];
        let radius = self.intervals.spheres[interval.body as usize].radius;
        let reach = (radius + cell.half + interval.travel) * (1.0 + 1e-9);
        if cell.center.distance_squared(interval.center) > reach * reach {
            return Status::Outside;
        }
        let (asked, mut about) = (self.asked(cell, &interval), f64::INFINITY);
        let off = interval.travel + self.task.deviation;
        if asked.solid.is_beyond(asked.point, (cell.half + off) * (1.0 + 1e-9)) {
            return Status::Outside;
        }
        if interval.travel <= cell.tested {
            match self.test(cell, (number, interval.travel), &asked) {
                Ok(status) => return status,
                Err(found) => about = found,
            }
        }
        if interval.travel > cell.allowed
            && let Some(halves) = self.intervals.halves(number)
        {
            let mut status = Status::Outside;
            for half in halves {
                match self.narrow(cell, half) {
                    Status::Outside => {}
                    Status::Left => status = Status::Left,
                    found => return found,
                }
            }
            return status;
        }
        if !cell.is_leaf {
            self.list.push((number, about));
            return Status::Left;
        }
        // Too near to the bound for the distance.
        let model = self.intervals.bodies[interval.body as usize].model;
        let around = self.task.around[cell.level as usize].0.at(Pose::from_translation(cell.center));
        let mut context = QueryContext::new(&mut self.near.scratch);
        match context.within_distance(&around, &model.at(interval.pose), off) {
            Overlap::Free => Status::Outside,
            _ => Status::Near(number),
        }
    }

    /// Takes a cell all points of which are within the error, and finds what of it is inside.
    fn accept(&mut self, key: Key, number: u32, near: Range<usize>) {
        /// Intervals tried besides the one that was found, and the one in which a body is nearest with its centre.
        const TRIED: usize = 4;
        let cell = self.at(key);
        let center = |number: u32| self.intervals.all[number as usize].center;
        let far = |number: &u32| center(*number).distance_squared(cell.center);
        let all = &self.list[near];
        let nearest = all.iter().map(|one| one.0).min_by(|a, b| far(a).total_cmp(&far(b)));
        let mut likely = [number; TRIED + 2];
        likely[1] = nearest.unwrap_or(number);
        let step = all.len().div_ceil(TRIED).max(1);
        for (to, from) in likely[2..].iter_mut().zip(all.iter().skip(step / 2).step_by(step)) {
            *to = from.0;
        }
        if likely.into_iter().any(|number| self.contains(&cell, number)) {
            return self.inner.push(key);
        }
        if cell.is_leaf {
            return self.outer.push(key);
        }
        let before = self.inner.len();
        let mut rest = Vec::new();
        for child in key.children() {
            let at = self.at(child);
            let is_inside = likely.into_iter().any(|number| self.contains(&at, number));
            if is_inside { self.inner.push(child) } else { rest.push(child) }
        }
        if self.inner.len() == before { self.outer.push(key) } else { self.outer.extend(rest) }
    }

    /// Returns `true` if the body contains a cell in the middle of an interval.
    fn contains(&mut self, cell: &At, number: u32) -> bool {
        let interval = self.intervals.all[number as usize];
        let sphere = self.intervals.spheres[interval.body as usize];
        // What holds a cube is larger than a sphere within that.
        if cell.half > 3f64.sqrt() * sphere.radius
            || cell.center.distance_squared(interval.center) > sphere.radius * sphere.radius
        {
            return false;
        }
        let asked = self.asked(cell, &interval);
        let side = cell.half / 3f64.sqrt();
        let need = cell.half + self.task.deviation;
        let Found { low, high, is_signed, .. } = self.near.distance(&asked, [need, -need]);
        if high <= -need {
            return true;
        }
        // Vertices that are inside do not keep a cell clear of the boundary.
        let is_exact = self.task.deviation == 0.0;
        match &asked.solid.measure {
            Measure::Faces { is_solid: false, .. } => false,
            Measure::Faces { .. } if low >= need => self.near.is_inside(&asked, low),
            _ if !is_exact => false,
            Measure::Faces { .. } if asked.solid.model.convex().is_some() => {
                low >= side
                    && self.near.is_inside(&asked, low)
                    && asked.solid.contains(interval.pose, (cell.center, side), &mut self.near.scratch)
            }
            Measure::Faces { .. } => false,
            // The cube may be inside although the sphere around it is not.
            Measure::Closed(..) => {
                high <= -side
                    && asked.solid.contains(interval.pose, (cell.center, side), &mut self.near.scratch)
            }
            Measure::Query => {
                is_signed && low <= 0.0 && {
                    let around = &self.task.around[cell.level as usize].0;
                    asked.solid.contains_by_query(
                        interval.pose,
                        (cell.center, side),
                        around,
                        &mut self.near.scratch,
                    )
                }
            }
        }
    }
}
