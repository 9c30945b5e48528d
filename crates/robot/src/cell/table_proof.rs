//! Tables of the filter, each cell of joint space proven by branch and bound.

use super::LANES;
use super::build::sample;
use super::data::CellData;
use super::filter::{Axis, SIDE, SphereFilter, Stop, Table, Tables};
use super::prove::{Search, variables_between};
use crate::parallel::each;
use crate::tree::JointAxisKind;
use noli_geom::internals::sort_by_key;
use std::f64::consts::PI;
use std::ops::Range;

/// Tables made at most.
const MOST: usize = 64;
/// Exact queries for one table.
const QUESTIONS: usize = 30_000;

/// Tables for the pairs whose bounding spheres overlap in more than one of fifty configurations: a lookup takes
/// less time than the tests of the smaller spheres.
pub(super) fn tables(data: &CellData, filter: &SphereFilter) -> Tables {
    let mut near = vec![0usize; filter.pairs.len()];
    let batches = 32;
    sample(data, filter, (1, batches), Stop::PerState, |batch| {
        batch.near.iter().for_each(|&(pair, lanes)| near[pair as usize] += lanes.count_ones() as usize);
    });
    // A cloud may be replaced at every frame, and its grid of distances is as quick as a table.
    let is_cloud = |&piece: &u32| {
        let bodies = &filter.pieces[piece as usize].bodies;
        bodies.iter().any(|&body| data.bodies[body as usize].model.point_cloud().is_some())
    };
    let often =
        |pair: &usize| 50 * near[*pair] > batches * LANES && !filter.pairs[*pair].pieces.iter().any(is_cloud);
    let mut wanted: Vec<usize> = (0..near.len()).filter(often).collect();
    sort_by_key(&mut wanted, |&pair| std::cmp::Reverse(near[pair]));
    let mut plans: Vec<Plan> = wanted.into_iter().filter_map(|pair| Plan::new(data, filter, pair)).collect();
    plans.truncate(MOST);
    let made = each(&plans, |plan| plan.make(data, filter));
    let mut all = Tables::none(filter.pairs.len());
    plans.iter().zip(made).for_each(|(plan, table)| all.add(plan.pair, table));
    all
}

/// A variable between two pieces, and the range that is cut.
#[derive(Clone, Copy, Debug)]
struct Cut {
    variable: usize,
    range: [f64; 2],
    turns: bool,
}

impl Cut {
    fn axis(&self, filter: &SphereFilter) -> Axis {
        Axis::new(self.variable, self.range, filter.unit_of(self.variable), self.turns)
    }

    /// The values of cells, with what the rounding of their places may add.
    fn values(&self, first: usize, last: usize) -> [f64; 2] {
        let [low, high] = self.range;
        let width = (high - low) / (SIDE - 2) as f64;
        let slack = 256.0 * f64::from(f32::EPSILON) * (low.abs() + high.abs());
        [low + (first as f64 - 1.0) * width - slack, low + last as f64 * width + slack]
    }
}

/// What a table is made of.
#[derive(Debug)]
struct Plan {
    pair: usize,
    axes: Vec<Cut>,
    within: Vec<Cut>,
}

impl Plan {
    fn new(data: &CellData, filter: &SphereFilter, pair: usize) -> Option<Self> {
        let mut plan = Self { pair, axes: Vec::new(), within: Vec::new() };
        for (variable, movement, limits) in variables_between(data, filter.pairs[pair].pair as usize) {
            match movement {
                JointAxisKind::Turn => {
                    let within = limits.filter(|[low, high]| *low >= -PI && *high <= PI);
                    // A little more than a turn, for the rounding at its ends.
                    let range = within.unwrap_or([-PI - 1e-5, PI + 1e-5]);
                    plan.axes.push(Cut { variable, range, turns: true });
                }
                JointAxisKind::Slide => plan.within.push(Cut { variable, range: limits?, turns: false }),
            }
        }
        let wide = |cut: &Cut| (cut.range[1] - cut.range[0]) / filter.unit_of(cut.variable) > 1e-6;
        let fits = matches!(plan.axes.len(), 1 | 2) && plan.axes.iter().chain(&plan.within).all(wide);
        fits.then_some(plan)
    }

    /// The cuts of rows and columns.
    fn cuts(&self) -> [Cut; 2] {
        [self.axes[0], *self.axes.last().unwrap_or(&self.axes[0])]
    }

    fn make(&self, data: &CellData, filter: &SphereFilter) -> Table {
        let mut table = Table {
            across: self.cuts().map(|cut| cut.axis(filter)),
            within: self.within.iter().map(|cut| cut.axis(filter)).collect(),
            separated: vec![[0; SIDE / 64]; SIDE],
        };
        let pair = &filter.pairs[self.pair];
        let bodies = filter.body_pairs(pair, 0.0).collect();
        let mut search = Search::for_table(data, bodies);
        let inner = 1..SIDE - 1;
        let is_line = self.axes.len() == 1;
        let mut todo = vec![[inner.clone(), if is_line { 1..2 } else { inner.clone() }]];
        while let Some([rows, columns]) = todo.pop() {
            if search.asked > QUESTIONS {
                break;
            }
            match search.separated(&self.bounds(&search, [&rows, &columns]), pair.margin) {
                Some(true) => {
                    let columns = if is_line { inner.clone() } else { columns };
                    for row in rows {
                        for column in columns.clone() {
                            table.separated[row][column / 64] |= 1 << (column % 64);
                        }
                    }
                }
                Some(false) => {}
                None => self.halve([rows, columns], &mut todo),
            }
        }
        table
    }

    /// The values of a block of cells, in the order of the search's variables.
    fn bounds(&self, search: &Search<'_>, [rows, columns]: [&Range<usize>; 2]) -> Vec<[f64; 2]> {
        let cuts = self.cuts();
        let values = |free: usize| match self.within.iter().find(|cut| cut.variable == free) {
            Some(cut) => cut.values(1, SIDE - 2),
            None if free == cuts[0].variable => cuts[0].values(rows.start, rows.end - 1),
            None => cuts[1].values(columns.start, columns.end - 1),
        };
        search.variables().map(values).collect()
    }

    /// Halves a block of cells across its longer side; nothing is left of a single cell.
    fn halve(&self, block: [Range<usize>; 2], todo: &mut Vec<[Range<usize>; 2]>) {
        let cuts = self.cuts();
        let widths = [block[0].len(), block[1].len()];
        let paths = [0, 1].map(|k| widths[k] as f64 * (cuts[k].range[1] - cuts[k].range[0]));
        let by = usize::from(widths[0] == 1 || (widths[1] > 1 && paths[1] > paths[0]));
        if widths[by] == 1 {
            return;
        }
        let middle = block[by].start + widths[by] / 2;
        for half in [block[by].start..middle, middle..block[by].end] {
            let mut part = block.clone();
            part[by] = half;
            todo.push(part);
        }
    }
}
