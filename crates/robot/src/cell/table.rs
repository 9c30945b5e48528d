//! Tables over joint space for pairs that are always near.
//!
//! Some pairs, such as a forearm and the hand behind a wrist, have only two turning joints between them and are
//! so close that no ball parts them. For these the plane of both angles is cut into cells, and of each it is
//! noted whether the pair is apart in all of it, by the proof of [`prove`](super::prove). What slides between
//! them goes into the proof with its whole range. A table only ever says "apart", so which pair is named where
//! several meet does not depend on whether there is one.

use super::prove::Search;
use super::sketch::{Look, Row};
use super::{Cell, Rule};
use crate::LANES;
use crate::parallel::each;
use crate::tree::Movement;
use noli::internals::{Instructions, dispatch};
use std::f64::consts::PI;

/// Cells along either angle; the first and the last are what lies beyond.
const SIDE: usize = 256;
/// Tables made at most.
const MOST: usize = 64;
/// Questions to the shapes for one table.
const QUESTIONS: usize = 30_000;

/// One variable, cut into cells.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Axis {
    variable: u32,
    low: f32,
    scale: f32,
    turns: bool,
}

#[derive(Clone, Debug)]
struct Table {
    /// Variables of rows and columns.
    across: [Axis; 2],
    /// Variables that only have to be within their range.
    beside: Vec<Axis>,
    /// A bit for each cell: apart in all of it.
    apart: Vec<[u64; SIDE / 64]>,
}

/// The tables of a cell.
#[derive(Clone, Debug, Default)]
pub(super) struct Tables {
    axes: Vec<Axis>,
    tables: Vec<Table>,
    /// For each pair of pieces its table.
    of: Vec<Option<u32>>,
}

impl Tables {
    /// The cell of each configuration along every axis.
    #[inline(always)]
    pub(super) fn locate(&self, values: &[Row], cells: &mut [[u8; LANES]]) {
        for axis in &self.axes {
            let (row, out) = (&values[axis.variable as usize].0, &mut cells[axis.variable as usize]);
            for lane in 0..LANES {
                out[lane] = ((row[lane] - axis.low) * axis.scale + 1.0) as u8;
            }
        }
    }

    /// In which configurations a pair of pieces is apart.
    #[inline(always)]
    pub(super) fn apart(&self, duo: usize, cells: &[[u8; LANES]]) -> u16 {
        let Some(number) = self.of[duo] else { return 0 };
        let table = &self.tables[number as usize];
        let [rows, columns] =
            [&cells[table.across[0].variable as usize], &cells[table.across[1].variable as usize]];
        let mut apart = 0;
        for lane in 0..LANES {
            let column = columns[lane];
            let word = table.apart[rows[lane] as usize][usize::from(column >> 6)];
            apart |= ((word >> (column & 63)) as u16 & 1) << lane;
        }
        for axis in &table.beside {
            for lane in 0..LANES {
                let cell = cells[axis.variable as usize][lane];
                apart &= !(u16::from(cell == 0 || cell == u8::MAX) << lane);
            }
        }
        apart
    }

    /// Whether a pair is apart wherever its variables are within bounds.
    pub(super) fn apart_within(&self, duo: usize, bounds: impl Fn(usize) -> [f64; 2]) -> bool {
        let Some(number) = self.of[duo] else { return false };
        let table = &self.tables[number as usize];
        let cells = |axis: &Axis| {
            let [low, high] = bounds(axis.variable as usize);
            // Within half a turn either way, as lanes have it.
            let turns = if axis.turns { ((0.5 * (low + high)) / (2.0 * PI)).round() } else { 0.0 };
            let cell = |value: f64| ((value - turns * (2.0 * PI)) as f32 - axis.low) * axis.scale + 1.0;
            // A little more for the rounding, which is far below a tenth of a cell.
            let (first, last) = (cell(low) - 0.1, cell(high) + 0.1);
            (first >= 1.0 && last < (SIDE - 1) as f32).then_some((first as usize, last as usize))
        };
        if table.beside.iter().any(|axis| cells(axis).is_none()) {
            return false;
        }
        let (Some(rows), Some(columns)) = (cells(&table.across[0]), cells(&table.across[1])) else {
            return false;
        };
        (columns.0 / 64..=columns.1 / 64).all(|word| {
            let from = if word == columns.0 / 64 { columns.0 % 64 } else { 0 };
            let to = if word == columns.1 / 64 { columns.1 % 64 } else { 63 };
            let wanted = (u64::MAX >> (63 - (to - from))) << from;
            table.apart[rows.0..=rows.1].iter().all(|row| row[word] & wanted == wanted)
        })
    }

    /// Tables for the pairs whose largest balls meet in more than one of fifty configurations: to look one up
    /// takes less than to hold the smaller balls against each other.
    pub(super) fn new(cell: &Cell) -> Self {
        let Some(sketch) = &cell.sketch else { return Self::default() };
        let mut all = Self { of: vec![None; sketch.duos.len()], ..Self::default() };
        let mut open = vec![0usize; sketch.duos.len()];
        let mut memory = sketch.memory();
        let mut share = super::state::shares(1);
        let blocks = 32;
        for _ in 0..blocks {
            let states: Vec<f64> = (0..LANES).flat_map(|_| cell.any_state(&mut share)).collect();
            let look = Look { sketch, tables: None, memory: &mut memory, states: &states, one_ends: false };
            dispatch(Instructions::best(), look);
            for &(number, lanes) in memory.near() {
                open[number as usize] += lanes.count_ones() as usize;
            }
        }
        let mut wanted: Vec<usize> = (0..open.len()).filter(|&duo| 50 * open[duo] > blocks * LANES).collect();
        wanted.sort_by_key(|&duo| std::cmp::Reverse(open[duo]));
        let mut plans: Vec<Plan> = wanted.into_iter().filter_map(|duo| Plan::new(cell, duo)).collect();
        plans.truncate(MOST);
        let made = each(&plans, |plan| plan.make(cell));
        for (plan, table) in plans.iter().zip(made) {
            for axis in plan.axes.iter().chain(&plan.beside) {
                let axis = axis.axis();
                if !all.axes.contains(&axis) {
                    all.axes.push(axis);
                }
            }
            all.of[plan.duo] = Some(all.tables.len() as u32);
            all.tables.push(table);
        }
        all
    }
}

/// A variable between two pieces, and the range that is cut.
#[derive(Clone, Copy, Debug)]
struct Cut {
    variable: usize,
    range: [f64; 2],
    turns: bool,
}

impl Cut {
    fn axis(&self) -> Axis {
        let [low, high] = self.range;
        let scale = (SIDE - 2) as f64 / (high - low);
        Axis { variable: self.variable as u32, low: low as f32, scale: scale as f32, turns: self.turns }
    }

    /// The values of cells, with what the rounding of their places may add.
    fn values(&self, first: usize, last: usize) -> [f64; 2] {
        let [low, high] = self.range;
        let width = (high - low) / (SIDE - 2) as f64;
        let slack = 256.0 * f64::from(f32::EPSILON) * (low.abs() + high.abs());
        [low + (first as f64 - 1.0) * width - slack, low + last as f64 * width + slack]
    }
}

/// What a table is to be made of.
#[derive(Debug)]
struct Plan {
    duo: usize,
    axes: Vec<Cut>,
    beside: Vec<Cut>,
}

impl Plan {
    fn new(cell: &Cell, duo: usize) -> Option<Self> {
        let sketch = cell.sketch.as_ref()?;
        let pair = sketch.duos[duo].pair as usize;
        let mut plan = Self { duo, axes: Vec::new(), beside: Vec::new() };
        for (variable, movement, limits) in cell.variables_between(pair) {
            match movement {
                Movement::Turn => {
                    let within = limits.filter(|[low, high]| *low >= -PI && *high <= PI);
                    // A little more than a turn, for the rounding at its ends.
                    let range = within.unwrap_or([-PI - 1e-5, PI + 1e-5]);
                    plan.axes.push(Cut { variable, range, turns: true });
                }
                Movement::Slide => plan.beside.push(Cut { variable, range: limits?, turns: false }),
            }
        }
        let wide = |cut: &Cut| cut.range[1] - cut.range[0] > 1e-6;
        let fits = matches!(plan.axes.len(), 1 | 2) && plan.axes.iter().chain(&plan.beside).all(wide);
        fits.then_some(plan)
    }

    fn make(&self, cell: &Cell) -> Table {
        let cuts = [self.axes[0], *self.axes.last().unwrap_or(&self.axes[0])];
        let across = cuts.map(|cut| cut.axis());
        let beside = self.beside.iter().map(Cut::axis).collect();
        let mut table = Table { across, beside, apart: vec![[0; SIDE / 64]; SIDE] };
        let Some(duo) = cell.sketch.as_ref().map(|sketch| &sketch.duos[self.duo]) else { return table };
        let margin = match cell.pairs[duo.pair as usize].rule {
            Rule::On { margin } => margin,
            Rule::Off(_) => 0.0,
        };
        let mut search = Search::for_table(cell, duo);
        let inner = 1..SIDE - 1;
        let columns = if self.axes.len() == 1 { 1..2 } else { inner.clone() };
        let mut todo = vec![[inner, columns]];
        while let Some([rows, columns]) = todo.pop() {
            if search.asked > QUESTIONS {
                break;
            }
            let mut bounds = Vec::with_capacity(self.axes.len() + self.beside.len());
            for free in search.variables() {
                let cut = self.beside.iter().find(|cut| cut.variable == free);
                bounds.push(match cut {
                    Some(cut) => cut.values(1, SIDE - 2),
                    None if free == cuts[0].variable => cuts[0].values(rows.start, rows.end - 1),
                    None => cuts[1].values(columns.start, columns.end - 1),
                });
            }
            match search.apart(&bounds, margin) {
                Some(true) => {
                    let columns = if self.axes.len() == 1 { 1..SIDE - 1 } else { columns };
                    for row in rows {
                        for column in columns.clone() {
                            table.apart[row][column / 64] |= 1 << (column % 64);
                        }
                    }
                }
                Some(false) => {}
                None => {
                    let widths = [&rows, &columns].map(|range| range.len());
                    let ways = [0, 1].map(|k| widths[k] as f64 * (cuts[k].range[1] - cuts[k].range[0]));
                    let by = usize::from(widths[0] == 1 || (widths[1] > 1 && ways[1] > ways[0]));
                    if widths[by] == 1 {
                        continue;
                    }
                    let whole = if by == 0 { rows.clone() } else { columns.clone() };
                    let middle = whole.start + whole.len() / 2;
                    for half in [whole.start..middle, middle..whole.end] {
                        todo.push(if by == 0 { [half, columns.clone()] } else { [rows.clone(), half] });
                    }
                }
            }
        }
        if self.axes.len() == 1 {
            table.across[1] = table.across[0];
        }
        table
    }
}
