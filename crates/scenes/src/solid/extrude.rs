//! Plates: flat quadrilateral meshes pulled up, to one height or several.

use crate::TriangleSet;
use glam::DVec2;
use std::collections::HashMap;
use std::f64::consts::{PI, TAU};

/// Content of one cell of a plate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cell {
    /// Number of heights it is extruded; 0 leaves it empty.
    level: usize,
    /// The radius of a round hole in its middle.
    hole: Option<f64>,
}

impl Cell {
    pub(crate) const EMPTY: Self = Self { level: 0, hole: None };

    pub(crate) fn level(level: usize) -> Self {
        Self { level, hole: None }
    }

    pub(crate) fn hole(radius: f64) -> Self {
        Self { level: 1, hole: Some(radius) }
    }

    pub(crate) fn at_level(self, level: usize) -> Self {
        Self { level, ..self }
    }
}

/// A rectangle cut into cells by lines across x and y.
#[derive(Clone, Debug)]
pub(crate) struct Cells {
    xs: Vec<f64>,
    ys: Vec<f64>,
    cells: Vec<Cell>,
}

impl Cells {
    /// All cells full, at the first level.
    pub(crate) fn grid(xs: &[f64], ys: &[f64]) -> Self {
        let cells = vec![Cell::level(1); (xs.len() - 1) * (ys.len() - 1)];
        Self { xs: xs.to_vec(), ys: ys.to_vec(), cells }
    }

    pub(crate) fn set(&mut self, column: usize, row: usize, cell: Cell) {
        let columns = self.xs.len() - 1;
        self.cells[row * columns + column] = cell;
    }

    /// All cells with their bounds, low and high vertex.
    fn iter(&self) -> impl Iterator<Item = (Cell, [DVec2; 2])> {
        let columns = self.xs.len() - 1;
        self.cells.iter().enumerate().map(move |(number, &cell)| {
            let (column, row) = (number % columns, number / columns);
            let vertex = |step: usize| DVec2::new(self.xs[column + step], self.ys[row + step]);
            (cell, [vertex(0), vertex(1)])
        })
    }
}

/// A flat mesh of quadrilaterals, counter-clockwise, each with its level.
#[derive(Clone, Debug, Default)]
pub(crate) struct Flat {
    points: Vec<DVec2>,
    quads: Vec<([u32; 4], usize)>,
    /// Numbers of points by position; cells that share an edge compute it from the same numbers.
    known: HashMap<[u64; 2], u32>,
}

impl Flat {
    /// Every cell's edges cut into `cuts`; around a hole, 4·cuts points and `cuts` / 2 rings.
    pub(crate) fn from_cells(cells: &Cells, cuts: u32) -> Self {
        let mut flat = Self::default();
        for (cell, bounds) in cells.iter().filter(|(cell, _)| cell.level > 0) {
            match cell.hole {
                None => flat.fill(bounds, cuts, cell.level),
                Some(radius) => flat.surround(bounds, radius, cuts, cell.level),
            }
        }
        flat
    }

    /// A ring of `around` columns and `rows` rows between an inner and an outer outline.
    pub(crate) fn annulus(
        around: u32,
        rows: u32,
        inner: impl Fn(u32) -> DVec2,
        outer: impl Fn(u32) -> DVec2,
    ) -> Self {
        let mut flat = Self::default();
        flat.ring(around, rows, inner, outer, 1);
        flat
    }

    fn point(&mut self, place: DVec2) -> u32 {
        let key = (place + 0.0).to_array().map(f64::to_bits);
        *self.known.entry(key).or_insert_with(|| {
            self.points.push(place);
            self.points.len() as u32 - 1
        })
    }

    fn fill(&mut self, bounds: [DVec2; 2], cuts: u32, level: usize) {
        for (i, j) in (0..cuts).flat_map(|j| (0..cuts).map(move |i| (i, j))) {
            let vertices = [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)];
            let quad = vertices.map(|(i, j)| self.point(within(bounds, [i, j], cuts)));
            self.quads.push((quad, level));
        }
    }

    fn surround(&mut self, bounds: [DVec2; 2], radius: f64, cuts: u32, level: usize) {
        let centre = (bounds[0] + bounds[1]) * 0.5;
        let around = 4 * cuts;
        let circle = |k: u32| {
            let angle = 1.25 * PI + TAU * f64::from(k % around) / f64::from(around);
            centre + DVec2::from_angle(angle) * radius
        };
        self.ring(around, (cuts / 2).max(1), circle, |k| border(bounds, k % around, cuts), level);
    }

    fn ring(
        &mut self,
        around: u32,
        rows: u32,
        inner: impl Fn(u32) -> DVec2,
        outer: impl Fn(u32) -> DVec2,
        level: usize,
    ) {
        let place = |k: u32, row: u32| {
            let k = k % around;
            match row {
                0 => inner(k),
                row if row == rows => outer(k),
                row => inner(k).lerp(outer(k), f64::from(row) / f64::from(rows)),
            }
        };
        for (k, row) in (0..rows).flat_map(|row| (0..around).map(move |k| (k, row))) {
            let vertices = [(k, row), (k, row + 1), (k + 1, row + 1), (k + 1, row)];
            let quad = vertices.map(|(k, row)| self.point(place(k, row)));
            self.quads.push((quad, level));
        }
    }

    /// The solid above the quads, from the first height to that of each quad's level; walls in
    /// `layers` between two heights.
    pub(crate) fn extrude(&self, heights: &[f64], layers: u32) -> TriangleSet {
        let mut solid = Columns::new(self, heights, layers);
        let levels = self.levels_by_edge();
        for &(quad, level) in &self.quads {
            solid.cap(quad, level);
            for vertex in 0..4 {
                let (a, b) = (quad[vertex], quad[(vertex + 1) % 4]);
                let beyond = levels.get(&(b, a)).copied().unwrap_or(0);
                solid.wall(a, b, beyond..level);
            }
        }
        solid.set
    }

    /// The level of the quad to the left of each directed edge.
    fn levels_by_edge(&self) -> HashMap<(u32, u32), usize> {
        let edges = |&(quad, level): &([u32; 4], usize)| {
            [0, 1, 2, 3].map(|vertex| ((quad[vertex], quad[(vertex + 1) % 4]), level))
        };
        self.quads.iter().flat_map(edges).collect()
    }
}

/// Grid point (i, j) of a cell; neighbours agree to the last bit.
fn within([low, high]: [DVec2; 2], steps: [u32; 2], cuts: u32) -> DVec2 {
    let along = |low: f64, high: f64, step: u32| match step {
        0 => low,
        step if step == cuts => high,
        step => low + (high - low) * (f64::from(step) / f64::from(cuts)),
    };
    DVec2::new(along(low.x, high.x, steps[0]), along(low.y, high.y, steps[1]))
}

/// Point `k` of the 4·cuts on the border of a cell, counter-clockwise from its low vertex.
fn border(bounds: [DVec2; 2], k: u32, cuts: u32) -> DVec2 {
    let step = k % cuts;
    let steps = match k / cuts {
        0 => [step, 0],
        1 => [cuts, step],
        2 => [cuts - step, cuts],
        _ => [0, cuts - step],
    };
    within(bounds, steps, cuts)
}

/// The vertices of an extrusion: some of those above each flat point.
struct Columns<'a> {
    flat: &'a Flat,
    heights: &'a [f64],
    layers: u32,
    known: HashMap<(u32, u32), u32>,
    set: TriangleSet,
}

impl<'a> Columns<'a> {
    fn new(flat: &'a Flat, heights: &'a [f64], layers: u32) -> Self {
        Self { flat, heights, layers: layers.max(1), known: HashMap::new(), set: TriangleSet::default() }
    }

    /// The vertex above a point, by layers counted from the first height.
    fn vertex(&mut self, point: u32, layer: u32) -> u32 {
        let (level, part) = ((layer / self.layers) as usize, layer % self.layers);
        let low = self.heights[level];
        let z = if part == 0 {
            low
        } else {
            low + (self.heights[level + 1] - low) * (f64::from(part) / f64::from(self.layers))
        };
        let place = self.flat.points[point as usize].extend(z);
        *self.known.entry((point, layer)).or_insert_with(|| {
            self.set.vertices.push(place);
            self.set.vertices.len() as u32 - 1
        })
    }

    fn quad(&mut self, vertices: [(u32, u32); 4]) {
        let [a, b, c, d] = vertices.map(|(point, layer)| self.vertex(point, layer));
        self.set.triangles.extend([[a, b, c], [a, c, d]]);
    }

    /// Top and bottom of a quad.
    fn cap(&mut self, [a, b, c, d]: [u32; 4], level: usize) {
        self.quad([a, b, c, d].map(|point| (point, level as u32 * self.layers)));
        self.quad([d, c, b, a].map(|point| (point, 0)));
    }

    /// The wall under an edge that has the solid to its left.
    fn wall(&mut self, a: u32, b: u32, levels: std::ops::Range<usize>) {
        for layer in levels.start as u32 * self.layers..levels.end as u32 * self.layers {
            self.quad([(a, layer), (b, layer), (b, layer + 1), (a, layer + 1)]);
        }
    }
}
