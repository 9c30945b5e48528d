//! The octree by queries of the engine, as the reference of the quick one.

use crate::distances::{Distances, Subject};
use crate::grid::{Grid, Key};
use crate::setup::Setup;
use crate::times::Intervals;
use crate::volume::SweptVolume;
use crate::{SweepError, SweepOptions, SweptBody};
use glam::DVec3;
use noli::answer::Location;
use noli::{Convex, Model, Overlap, Pose, QueryContext, Scratch};
use noli_geom::{Mesh, MeshKind, MeshOptions};

/// Share of half the diagonal of a cell that a body may travel in an interval.
const TRAVEL: f64 = 0.25;
/// Halves of diagonals that a point of an outer cell is away from the volume at most: from the centre of its cell, from
/// there to the body, and the travel of that.
const HALVES: f64 = 2.0 + TRAVEL;
/// Halves of diagonals that a body may travel in an interval whose distance is tested before it is divided: those of the
/// parent cell.
const TESTED: f64 = 2.0;

/// Computes the same as [`sweep`](crate::sweep) by queries of the engine alone, one cell after the other: slow, and
/// simple enough to test the quick one by.
pub fn sweep_plain(bodies: &[SweptBody<'_>], options: &SweepOptions) -> Result<SweptVolume, SweepError> {
    let Setup { intervals, grid, .. } = Setup::new(bodies, options, HALVES)?;
    let mut search = Search::new(intervals, grid, options)?;
    let all: Vec<u32> = (0..bodies.len() as u32).collect();
    search.visit(Key { level: 0, cell: [0; 3] }, &all)?;
    Ok(SweptVolume::new(grid, options.error, search.outer, search.inner, search.visited))
}

/// The faces of a mesh without its inside.
fn surface(mesh: &Mesh) -> Result<Model, SweepError> {
    let (vertices, triangles) = (mesh.vertices().to_vec(), mesh.triangles().to_vec());
    Ok(Model::new(Mesh::from_triangles(vertices, triangles, &MeshOptions::default())?)?)
}

struct Search<'a> {
    intervals: Intervals<'a>,
    grid: Grid,
    most: usize,
    /// Bound on the distance of the surfaces of models from those of the true bodies.
    deviation: f64,
    visited: usize,
    /// A sphere around a cell of each level.
    around: Vec<(Model, f64)>,
    distances: Distances,
    /// The boundaries of meshes that are solids.
    surfaces: Vec<Option<Model>>,
    scratch: Scratch,
    /// The interval that was found near the cell of the last level before.
    last_near: u32,
    /// Cells of the last level that are neither, and cells of any level that are inside at some time.
    outer: Vec<Key>,
    inner: Vec<Key>,
}

impl<'a> Search<'a> {
    fn new(intervals: Intervals<'a>, grid: Grid, options: &SweepOptions) -> Result<Self, SweepError> {
        let SweepOptions { cells: most, deviation, .. } = *options;
        let mut around = Vec::new();
        for level in 0..=grid.depth {
            let half = 0.5 * 3f64.sqrt() * grid.size(level) * (1.0 + 1e-9);
            around.push((Model::new(Convex::sphere(half)?)?, half));
        }
        let distances = Distances::new(around.iter().map(|(_, half)| *half), deviation)?;
        let mut surfaces = Vec::new();
        for body in intervals.bodies {
            let mesh = body.model.mesh().filter(|mesh| mesh.kind() == MeshKind::Solid);
            surfaces.push(mesh.map(surface).transpose()?);
        }
        let (scratch, outer, inner) = (Scratch::default(), Vec::new(), Vec::new());
        let (visited, last_near) = (0, 0);
        Ok(Self {
            intervals,
            grid,
            most,
            deviation,
            visited,
            around,
            distances,
            surfaces,
            scratch,
            last_near,
            outer,
            inner,
        })
    }

    /// A cell with the intervals in which bodies may be near it.
    fn visit(&mut self, key: Key, near: &[u32]) -> Result<(), SweepError> {
        self.visited += 1;
        if self.visited > self.most {
            return Err(SweepError::TooManyCells(self.most));
        }
        let leaf = key.level == self.grid.depth;
        let mut left = Vec::new();
        // Neighbours are mostly near the same body at the same time.
        let likely = leaf.then_some(self.last_near);
        for number in likely.into_iter().chain(near.iter().copied()) {
            self.narrow(key, number, leaf, &mut left);
            if leaf && !left.is_empty() {
                self.last_near = left[0];
                break;
            }
        }
        if left.is_empty() {
            return Ok(());
        }
        if self.is_inside(key, if leaf { near } else { &left }) {
            self.inner.push(key);
        } else if leaf {
            self.outer.push(key);
        } else {
            for child in key.children() {
                self.visit(child, &left)?;
            }
        }
        Ok(())
    }

    /// Adds the parts of an interval in which the body is not proven outside of a cell; for a leaf, one of them.
    fn narrow(&mut self, key: Key, number: u32, leaf: bool, left: &mut Vec<u32>) {
        let center = self.grid.center(key);
        let (_, half) = self.around[key.level as usize];
        let interval = self.intervals.all[number as usize];
        let radius = self.intervals.spheres[interval.body as usize].radius;
        let reach = (radius + half + interval.travel) * (1.0 + 1e-9);
        if center.distance(interval.center) > reach {
            return;
        }
        // Cells that are divided anyway need no more than a bound.
        let allowed = if leaf { TRAVEL * half } else { half };
        let need = (half + interval.travel + self.deviation) * (1.0 + 1e-9);
        let mut bracket = [0.0, f64::INFINITY];
        if interval.travel <= allowed.max(TESTED * half) {
            bracket = self.distance(number, key);
            if bracket[0] > need {
                return;
            }
            // Near at one moment, whatever the others are.
            if leaf && bracket[1] <= half + allowed {
                left.push(number);
                return;
            }
        }
        if interval.travel > allowed
            && let Some(halves) = self.intervals.halves(number)
        {
            for half in halves {
                self.narrow(key, half, leaf, left);
                if leaf && !left.is_empty() {
                    return;
                }
            }
            return;
        }
        if !leaf || bracket[1] <= need {
            left.push(number);
            return;
        }
        let model = self.intervals.bodies[interval.body as usize].model;
        let cell = self.around[key.level as usize].0.at(Pose::from_translation(center));
        let mut context = QueryContext::new(&mut self.scratch);
        let off = interval.travel + self.deviation;
        if context.within_distance(&cell, &model.at(interval.pose), off) != Overlap::Free {
            left.push(number);
        }
    }

    /// A bracket on the signed distance of a body, in the middle of an interval, from the centre of a cell.
    fn distance(&mut self, number: u32, key: Key) -> [f64; 2] {
        let interval = &self.intervals.all[number as usize];
        let point = interval.inverse.transform_point(self.grid.center(key));
        let body = interval.body as usize;
        let subject = Subject {
            number: interval.body,
            model: self.intervals.bodies[body].model,
            surface: self.surfaces[body].as_ref(),
            sphere: self.intervals.spheres[body],
        };
        self.distances.bracket(&subject, key.level, point, &mut self.scratch)
    }

    /// True if a body contains a cell in the middle of one of a few intervals.
    fn is_inside(&mut self, key: Key, near: &[u32]) -> bool {
        /// Intervals tried.
        const TRIED: usize = 4;
        let step = near.len().div_ceil(TRIED).max(1);
        let mut middle: Vec<u32> = near.iter().copied().skip(step / 2).step_by(step).collect();
        // The body whose centre is nearest is the likeliest.
        let center = self.grid.center(key);
        let far = |number: &u32| self.intervals.all[*number as usize].center.distance(center);
        middle.extend(near.iter().copied().min_by(|a, b| far(a).total_cmp(&far(b))));
        middle.into_iter().any(|number| self.contains(key, number))
    }

    fn contains(&mut self, key: Key, number: u32) -> bool {
        let interval = self.intervals.all[number as usize];
        let sphere = self.intervals.spheres[interval.body as usize];
        let (center, half) = (self.grid.center(key), self.around[key.level as usize].1);
        // What holds a cube is larger than a sphere within that.
        if half > 3f64.sqrt() * sphere.radius || center.distance(interval.center) > sphere.radius {
            return false;
        }
        let [low, high] = self.distance(number, key);
        if low > 0.0 {
            return false;
        }
        let model = self.intervals.bodies[interval.body as usize].model;
        let placed = model.at(interval.pose);
        let mut context = QueryContext::new(&mut self.scratch);
        if model.convex().is_some() {
            // Vertices that are inside do not keep a cell clear of the boundary.
            if self.deviation > 0.0 {
                return false;
            }
            let side = 0.5 * self.grid.size(key.level) * (1.0 + 1e-9);
            return (0..8).all(|k| {
                let sign = |bit: u32| if k >> bit & 1 == 1 { side } else { -side };
                let vertex = center + DVec3::new(sign(0), sign(1), sign(2));
                context.locate_point(&placed, vertex) == Location::Inside
            });
        }
        let Some(surface) = &self.surfaces[interval.body as usize] else { return false };
        let need = half + self.deviation;
        if high <= -need || low > -need {
            return high <= -need;
        }
        if high >= 0.0 && context.locate_point(&placed, center) != Location::Inside {
            return false;
        }
        let cell = self.around[key.level as usize].0.at(Pose::from_translation(center));
        let surface = surface.at(interval.pose);
        if self.deviation > 0.0 {
            return context.within_distance(&cell, &surface, self.deviation) == Overlap::Free;
        }
        context.overlap(&cell, &surface) == Overlap::Free
    }
}
