//! Cells of a grid that are obstacles: those that collide with a body, and those that are drawn.

use glam::DVec3;
use noli::model::Voxels;
use noli::{Convex, Mesh, Model, Overlap, Placed, Pose, ShapeError, overlap};
use std::collections::HashMap;

/// Boxes around several cells are larger by this share, so that rounding excludes none of the cells.
const SLACK: f64 = 1e-9;

/// Meaning of the uncertain cells of a grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UncertainCells {
    /// Nothing was measured in them: they count as obstacles.
    Unknown,
    /// The bracket of the distance decides nothing: they may be solid.
    Undecided,
}

/// Cubic cells that are obstacles: certain ones (occupied or solid), and uncertain ones. A cell is
/// `[i, i+1] × [j, j+1] × [k, k+1]`, times the edge.
#[derive(Clone, Debug, PartialEq)]
pub struct ObstacleCells {
    edge: f64,
    /// Sorted by z, y and x.
    runs: Vec<Run>,
    kind: UncertainCells,
}

/// Cells along x, from the first.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Run {
    first: [i32; 3],
    count: u32,
    is_certain: bool,
}

impl Run {
    /// The cell after the last, along x.
    fn end(&self) -> i64 {
        i64::from(self.first[0]) + i64::from(self.count)
    }
}

/// Cells as they are drawn: those at the surface, or blocks of cells where these are too many.
#[derive(Clone, Debug, PartialEq)]
pub struct DrawnCells {
    /// The length of a cell or block.
    pub edge: f64,
    /// The centres, certain ones first.
    pub centers: Vec<DVec3>,
    /// The number of those that are certain.
    pub certain: usize,
    /// Cells along the side of a block; 1 for cells.
    pub side: u32,
}

/// Cells that collide with a body.
#[derive(Clone, Debug, PartialEq)]
pub struct CollidingCells {
    /// Their centres, in the frame of the cells.
    pub centers: Vec<DVec3>,
    /// `false` if there are more than were asked for.
    pub is_complete: bool,
}

impl ObstacleCells {
    /// Divides obstacles into those among the `certain` cells and uncertain ones.
    #[must_use]
    pub fn new(obstacles: &Voxels, certain: &Voxels, kind: UncertainCells) -> Self {
        let mut rows = Rows::new();
        for ([x, y, z], count) in runs_of(certain) {
            let [from, to] = [i64::from(x), i64::from(x) + i64::from(count)];
            rows.entry([y, z]).or_default().push([from, to]);
        }
        let mut runs = Vec::new();
        for ([x, y, z], count) in runs_of(obstacles) {
            let (mut from, end) = (i64::from(x), i64::from(x) + i64::from(count));
            let mut push = |from: i64, to: i64, is_certain: bool| {
                // Both are within the run of the voxels.
                if let (Ok(x), Ok(count @ 1..)) = (i32::try_from(from), u32::try_from(to - from)) {
                    runs.push(Run { first: [x, y, z], count, is_certain });
                }
            };
            let own = rows.get(&[y, z]).map(Vec::as_slice).unwrap_or_default();
            for [start, stop] in overlaps(&[[from, end]], own) {
                push(from, start, false);
                push(start, stop, true);
                from = stop;
            }
            push(from, end, false);
        }
        Self { edge: obstacles.edge(), runs, kind }
    }

    /// The length of a cell.
    #[must_use]
    pub fn edge(&self) -> f64 {
        self.edge
    }

    /// Meaning of the uncertain cells.
    #[must_use]
    pub fn kind(&self) -> UncertainCells {
        self.kind
    }

    /// The numbers of certain and of uncertain cells.
    #[must_use]
    pub fn counts(&self) -> [usize; 2] {
        let count = |is_certain: bool| {
            let runs = self.runs.iter().filter(|run| run.is_certain == is_certain);
            runs.map(|run| run.count as usize).sum()
        };
        [count(true), count(false)]
    }

    /// The same cells in another unit.
    #[must_use]
    pub fn scaled(&self, factor: f64) -> Self {
        Self { edge: self.edge * factor, ..self.clone() }
    }

    /// All cells as a shape.
    pub fn voxels(&self) -> Result<Voxels, ShapeError> {
        Voxels::new(self.edge, self.runs.iter().flat_map(cells_of))
    }

    /// The certain cells as a model; without faces if there are none.
    pub fn certain_model(&self) -> Result<Model, ShapeError> {
        let certain = self.runs.iter().filter(|run| run.is_certain);
        let voxels = Voxels::new(self.edge, certain.flat_map(cells_of))?;
        if voxels.count() == 0 { Model::new(Mesh::empty()) } else { Model::new(voxels) }
    }

    /// Returns the cells that have a point in common with a body, at most this many; `place` is that of the cells.
    ///
    /// Boxes around cells are halved as long as the body touches them.
    #[must_use]
    pub fn colliding(&self, place: Pose, body: &Placed<'_>, most: usize) -> CollidingCells {
        let bounds = body.model.aabb().transformed(&(place.inverse() * body.world_from_self));
        // A cell more on each side than rounding may exclude; casts saturate.
        let low = (bounds.min / self.edge).floor().to_array().map(|x| (x as i64).saturating_sub(1));
        let high = (bounds.max / self.edge).floor().to_array().map(|x| (x as i64).saturating_add(2));
        let near = self.runs.iter().filter_map(|run| {
            let [x, y, z] = run.first.map(i64::from);
            let is_near = (low[1]..high[1]).contains(&y) && (low[2]..high[2]).contains(&z);
            Span { from: x.max(low[0]), to: run.end().min(high[0]), row: [y, z] }.some().filter(|_| is_near)
        });
        let mut search =
            Search { edge: self.edge, place, body, most, centers: Vec::new(), is_complete: true };
        search.visit(&near.collect::<Vec<_>>());
        CollidingCells { centers: search.centers, is_complete: search.is_complete }
    }

    /// Returns the cells to be drawn, at most `most` (8 if that is less). A certain cell between six certain ones and an
    /// uncertain one between any six are left out. If more remain, they are joined to blocks of 2, 4, 8, … cells a
    /// side that cover all of them; a block with a certain cell is certain.
    #[must_use]
    pub fn drawn(&self, most: usize) -> DrawnCells {
        let (certain, all) = (rows(self.runs.iter().filter(|run| run.is_certain)), rows(self.runs.iter()));
        let mut blocks: HashMap<[i32; 3], bool> = HashMap::new();
        let mut level = 0;
        for run in &self.runs {
            let around = if run.is_certain { &certain } else { &all };
            for [from, to] in exposed(run, around) {
                for x in from..to {
                    let [_, y, z] = run.first;
                    let cell = [i32::try_from(x).unwrap_or(i32::MAX), y, z];
                    *blocks.entry(cell.map(|index| index >> level)).or_default() |= run.is_certain;
                    while blocks.len() > most.max(8) && level < 31 {
                        level += 1;
                        let mut joined = HashMap::new();
                        for (cell, is_certain) in blocks.drain() {
                            *joined.entry(cell.map(|index| index >> 1)).or_default() |= is_certain;
                        }
                        blocks = joined;
                    }
                }
            }
        }
        let mut blocks: Vec<(bool, [i32; 3])> = blocks.into_iter().map(|(cell, is)| (!is, cell)).collect();
        blocks.sort_unstable();
        let side = 1u32 << level;
        let edge = self.edge * f64::from(side);
        let center = |&(_, cell): &(bool, [i32; 3])| edge * (DVec3::from_array(cell.map(f64::from)) + 0.5);
        let certain = blocks.iter().filter(|(is_uncertain, _)| !is_uncertain).count();
        DrawnCells { edge, centers: blocks.iter().map(center).collect(), certain, side }
    }
}

/// The runs of filled cells, sorted by z, y and x.
fn runs_of(voxels: &Voxels) -> impl Iterator<Item = ([i32; 3], u32)> {
    let edge = voxels.edge();
    // Coordinates are products of whole numbers and the edge, rounded once.
    voxels.boxes().map(move |run| {
        let first = (run.min / edge).round().to_array().map(|x| x as i32);
        (first, ((run.max.x - run.min.x) / edge).round() as u32)
    })
}

fn cells_of(run: &Run) -> impl Iterator<Item = [i32; 3]> + use<> {
    let [x, y, z] = run.first;
    (0..run.count).map(move |k| [x.saturating_add_unsigned(k), y, z])
}

/// Intervals of cells along x that are filled, for each y and z.
type Rows = HashMap<[i32; 2], Vec<[i64; 2]>>;

fn rows<'r>(runs: impl Iterator<Item = &'r Run>) -> Rows {
    let mut rows = Rows::new();
    for run in runs {
        let [x, y, z] = run.first;
        let row = rows.entry([y, z]).or_default();
        match row.last_mut() {
            Some(last) if last[1] == i64::from(x) => last[1] = run.end(),
            _ => row.push([i64::from(x), run.end()]),
        }
    }
    rows
}

/// Intervals of a run whose cells have a neighbour that is not filled.
fn exposed(run: &Run, rows: &Rows) -> Vec<[i64; 2]> {
    let [x, y, z] = run.first.map(i64::from);
    let row = |y: i64, z: i64| {
        let key = [i32::try_from(y).ok()?, i32::try_from(z).ok()?];
        rows.get(&key).map(Vec::as_slice)
    };
    // Along x a cell is enclosed where its own row goes on, on both sides.
    let own = row(y, z).unwrap_or_default().iter().map(|&[from, to]| [from + 1, to - 1]);
    let mut enclosed: Vec<[i64; 2]> = overlaps(&[[x, run.end()]], &own.collect::<Vec<_>>());
    for (y, z) in [(y - 1, z), (y + 1, z), (y, z - 1), (y, z + 1)] {
        enclosed = overlaps(&enclosed, row(y, z).unwrap_or_default());
    }
    let mut from = x;
    let mut exposed = Vec::new();
    for [start, end] in enclosed {
        exposed.push([from, start]);
        from = end;
    }
    exposed.push([from, run.end()]);
    exposed
}

/// The common part of two sorted lists of intervals.
fn overlaps(a: &[[i64; 2]], b: &[[i64; 2]]) -> Vec<[i64; 2]> {
    let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
    let mut found = Vec::new();
    while let (Some(x), Some(y)) = (a.peek(), b.peek()) {
        let both = [x[0].max(y[0]), x[1].min(y[1])];
        if both[0] < both[1] {
            found.push(both);
        }
        if x[1] < y[1] {
            a.next()
        } else {
            b.next()
        };
    }
    found
}

/// Cells along x in a row, given by y and z.
#[derive(Clone, Copy)]
struct Span {
    from: i64,
    to: i64,
    row: [i64; 2],
}

impl Span {
    fn some(self) -> Option<Self> {
        (self.from < self.to).then_some(self)
    }

    /// The part with `low <= index < high` along an axis.
    fn cut(self, axis: usize, [low, high]: [i64; 2]) -> Option<Self> {
        match axis {
            0 => Self { from: self.from.max(low), to: self.to.min(high), ..self }.some(),
            _ => (low..high).contains(&self.row[axis - 1]).then_some(self),
        }
    }
}

/// A search for the cells that a body touches.
struct Search<'s> {
    edge: f64,
    place: Pose,
    body: &'s Placed<'s>,
    most: usize,
    centers: Vec<DVec3>,
    is_complete: bool,
}

impl Search<'_> {
    fn visit(&mut self, spans: &[Span]) {
        let Some(first) = spans.first() else { return };
        let mut low = [first.from, first.row[0], first.row[1]];
        let mut high = low;
        for span in spans {
            let (own, last) =
                ([span.from, span.row[0], span.row[1]], [span.to, span.row[0] + 1, span.row[1] + 1]);
            for axis in 0..3 {
                low[axis] = low[axis].min(own[axis]);
                high[axis] = high[axis].max(last[axis]);
            }
        }
        let size = [0, 1, 2].map(|axis| high[axis] - low[axis]);
        let is_cell = size == [1; 3];
        if !self.is_complete || !self.touches(low, size, if is_cell { 0.0 } else { SLACK }) {
            return;
        }
        if is_cell {
            self.is_complete = self.centers.len() < self.most;
            if self.is_complete {
                self.centers.push(self.center(low, size));
            }
            return;
        }
        let axis = if size[0] >= size[1].max(size[2]) {
            0
        } else if size[1] >= size[2] {
            1
        } else {
            2
        };
        let middle = low[axis] + size[axis] / 2;
        for half in [[low[axis], middle], [middle, high[axis]]] {
            let part: Vec<Span> = spans.iter().filter_map(|span| span.cut(axis, half)).collect();
            self.visit(&part);
        }
    }

    fn center(&self, low: [i64; 3], size: [i64; 3]) -> DVec3 {
        let [low, size] = [low, size].map(|index| DVec3::from_array(index.map(|x| x as f64)));
        self.edge * (low + 0.5 * size)
    }

    fn touches(&self, low: [i64; 3], size: [i64; 3], slack: f64) -> bool {
        let extents = self.edge * (1.0 + slack) * DVec3::from_array(size.map(|x| x as f64));
        // A box of a size that no shape may have is divided.
        let Ok(around) = Convex::cuboid(extents) else { return true };
        let place = self.place * Pose::from_translation(self.center(low, size));
        overlap(&Model::from(around).at(place), self.body) != Overlap::Free
    }
}
