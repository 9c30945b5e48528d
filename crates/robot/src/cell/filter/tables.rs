//! Tables over joint space for pairs that are always near.
//!
//! Some pairs, such as a forearm and the hand behind a wrist, have only two turning joints between them and are
//! so close that no sphere separates them. For these the plane of both angles is cut into cells, and each is
//! marked where the pair is separated in all of it, by the proof of [`prove`](crate::cell::prove). Slides
//! between them enter the proof with their whole range. A table only ever separates, so the pair that is named
//! where several collide does not depend on it.

use super::Row;
use crate::cell::LANES;
use std::f64::consts::PI;

/// Cells along either angle; the first and the last are the values beyond.
pub(in crate::cell) const SIDE: usize = 256;

/// One variable, cut into cells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::cell) struct Axis {
    variable: u32,
    turns: bool,
    /// In the unit of the filter.
    low: f32,
    scale: f32,
    inverse: f64,
}

impl Axis {
    /// A range of a variable; `unit` is the length of the cell that is 1 in the filter, 1 for an angle.
    pub(in crate::cell) fn new(variable: usize, [low, high]: [f64; 2], unit: f64, turns: bool) -> Self {
        let scale = (SIDE - 2) as f64 / (high - low) * unit;
        let inverse = 1.0 / unit;
        Self { variable: variable as u32, turns, low: (low * inverse) as f32, scale: scale as f32, inverse }
    }

    /// The first and the last cell of some values, if they are within the range.
    fn cells(&self, [low, high]: [f64; 2]) -> Option<(usize, usize)> {
        // Within half a turn either way, as lanes have it.
        let turns = if self.turns { ((0.5 * (low + high)) / (2.0 * PI)).round() } else { 0.0 };
        let cell =
            |value: f64| (((value - turns * (2.0 * PI)) * self.inverse) as f32 - self.low) * self.scale + 1.0;
        // A little more for the rounding, which is far below a tenth of a cell.
        let (first, last) = (cell(low) - 0.1, cell(high) + 0.1);
        (first >= 1.0 && last < (SIDE - 1) as f32).then_some((first as usize, last as usize))
    }
}

/// The table of a pair.
#[derive(Clone, Debug)]
pub(in crate::cell) struct Table {
    /// Variables of rows and columns.
    pub(in crate::cell) across: [Axis; 2],
    /// Variables that only have to be within their range.
    pub(in crate::cell) within: Vec<Axis>,
    /// A bit for each cell: separated in all of it.
    pub(in crate::cell) separated: Vec<[u64; SIDE / 64]>,
}

impl Table {
    /// True if the pair is separated where the variables are in some cells.
    #[inline(always)]
    fn separated_in(&self, cell: impl Fn(u32) -> u8) -> bool {
        let [row, column] = [cell(self.across[0].variable), cell(self.across[1].variable)];
        let word = self.separated[usize::from(row)][usize::from(column >> 6)];
        word >> (column & 63) & 1 == 1
            && self.within.iter().all(|axis| !matches!(cell(axis.variable), 0 | u8::MAX))
    }
}

/// The tables of a cell.
#[derive(Clone, Debug, Default)]
pub(in crate::cell) struct Tables {
    axes: Vec<Axis>,
    tables: Vec<Table>,
    /// For each pair of pieces its table.
    of: Vec<Option<u32>>,
}

impl Tables {
    /// No tables yet for so many pairs of pieces.
    pub(in crate::cell) fn none(pairs: usize) -> Self {
        Self { of: vec![None; pairs], ..Self::default() }
    }

    /// Takes up the table of a pair of pieces.
    pub(in crate::cell) fn add(&mut self, pair: usize, table: Table) {
        for axis in table.across.iter().chain(&table.within) {
            if !self.axes.contains(axis) {
                self.axes.push(*axis);
            }
        }
        self.of[pair] = Some(self.tables.len() as u32);
        self.tables.push(table);
    }

    /// Returns `true` if a pair of pieces has a table.
    pub(in crate::cell) fn has(&self, pair: usize) -> bool {
        self.of[pair].is_some()
    }

    /// The number of the table of a pair of pieces.
    pub(super) fn number(&self, pair: usize) -> Option<u32> {
        self.of.get(pair).copied().flatten()
    }

    /// Appends all tables, the axes that only have to be within, and bits; see `FilterImage`.
    pub(super) fn write(&self, tables: &mut Vec<u32>, within: &mut Vec<u32>, bits: &mut Vec<u32>) {
        let axis = |axis: &Axis| [axis.variable, axis.low.to_bits(), axis.scale.to_bits()];
        for table in &self.tables {
            table.across.iter().for_each(|across| tables.extend(axis(across)));
            let first = within.len() as u32 / 4;
            for own in &table.within {
                within.extend(axis(own));
                within.push(0);
            }
            tables.extend([first, within.len() as u32 / 4, bits.len() as u32, 0, 0, 0]);
            let words = table.separated.iter().flatten();
            words.for_each(|word| bits.extend([*word as u32, (word >> 32) as u32]));
        }
    }

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

    /// The cell of one configuration along every axis, in the first lane.
    #[inline(always)]
    pub(super) fn locate_one(&self, value: impl Fn(u32) -> f32, cells: &mut [[u8; LANES]]) {
        for axis in &self.axes {
            let at = (value(axis.variable) - axis.low) * axis.scale + 1.0;
            cells[axis.variable as usize][0] = at as u8;
        }
    }

    /// The lanes in which a pair of pieces is separated; of `lanes` if that is one.
    #[inline(always)]
    pub(super) fn separated(&self, pair: usize, cells: &[[u8; LANES]], lanes: u16) -> u16 {
        let Some(number) = self.of[pair] else { return 0 };
        let table = &self.tables[number as usize];
        if lanes.is_power_of_two() {
            let lane = lanes.trailing_zeros() as usize & 15;
            return u16::from(table.separated_in(|variable| cells[variable as usize][lane])) << lane;
        }
        let [rows, columns] =
            [&cells[table.across[0].variable as usize], &cells[table.across[1].variable as usize]];
        let mut separated = 0;
        for lane in 0..LANES {
            let column = columns[lane];
            let word = table.separated[rows[lane] as usize][usize::from(column >> 6)];
            separated |= ((word >> (column & 63)) as u16 & 1) << lane;
        }
        for axis in &table.within {
            for lane in 0..LANES {
                let cell = cells[axis.variable as usize][lane];
                separated &= !(u16::from(cell == 0 || cell == u8::MAX) << lane);
            }
        }
        separated
    }

    /// True if a pair is separated wherever its variables are within bounds.
    pub(super) fn separated_within(&self, pair: usize, bounds: impl Fn(usize) -> [f64; 2]) -> bool {
        let Some(number) = self.of[pair] else { return false };
        let table = &self.tables[number as usize];
        let cells = |axis: &Axis| axis.cells(bounds(axis.variable as usize));
        if table.within.iter().any(|axis| cells(axis).is_none()) {
            return false;
        }
        let (Some(rows), Some(columns)) = (cells(&table.across[0]), cells(&table.across[1])) else {
            return false;
        };
        (columns.0 / 64..=columns.1 / 64).all(|word| {
            let from = if word == columns.0 / 64 { columns.0 % 64 } else { 0 };
            let to = if word == columns.1 / 64 { columns.1 % 64 } else { 63 };
            let wanted = (u64::MAX >> (63 - (to - from))) << from;
            table.separated[rows.0..=rows.1].iter().all(|row| row[word] & wanted == wanted)
        })
    }
}
