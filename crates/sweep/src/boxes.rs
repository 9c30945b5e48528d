//! Few boxes around many cells.
//!
//! The box whose division saves most volume is divided, at the best place of all three axes, until there are enough.

use crate::grid::{Cells, Grid};
use noli_geom::Aabb;

/// Cells with the first and the behind-last cell of the last level of each, and of all.
struct Part {
    cells: Vec<[[i32; 3]; 2]>,
    bounds: [[i32; 3]; 2],
    /// Volume that the best division saves, its axis and place.
    best: (f64, usize, i32),
}

pub(crate) fn enclosing(grid: &Grid, cells: &Cells, most: usize) -> Vec<Aabb> {
    let mut spans: Vec<[[i32; 3]; 2]> = cells.iter().map(|key| cells.span(key)).collect();
    spans.sort_unstable();
    let mut parts: Vec<Part> = Part::new(spans).into_iter().collect();
    while parts.len() < most {
        let gain = |part: &Part| part.best.0;
        let Some(next) = (0..parts.len()).max_by(|&a, &b| gain(&parts[a]).total_cmp(&gain(&parts[b]))) else {
            break;
        };
        if parts[next].best.0 <= 0.0 {
            break;
        }
        let part = parts.swap_remove(next);
        let (_, axis, place) = part.best;
        let (low, high) = part.cells.into_iter().partition(|span| span[0][axis] < place);
        parts.extend(Part::new(low));
        parts.extend(Part::new(high));
    }
    let boxed = |part: &Part| Aabb { min: grid.vertex(part.bounds[0]), max: grid.vertex(part.bounds[1]) };
    parts.iter().map(boxed).collect()
}

type Span = [[i32; 3]; 2];

fn joined(a: Option<Span>, b: &Span) -> Span {
    let Some([low, high]) = a else { return *b };
    [std::array::from_fn(|k| low[k].min(b[0][k])), std::array::from_fn(|k| high[k].max(b[1][k]))]
}

fn volume([low, high]: &Span) -> f64 {
    (0..3).map(|k| f64::from(high[k] - low[k])).product()
}

impl Part {
    fn new(mut cells: Vec<Span>) -> Option<Self> {
        let bounds = cells.iter().fold(None, |all, span| Some(joined(all, span)))?;
        let mut best = (0.0, 0, 0);
        for axis in 0..3 {
            cells.sort_unstable_by_key(|span| span[0][axis]);
            // Bounds of all cells from each on.
            let mut behind: Vec<Span> = cells.clone();
            for k in (0..behind.len() - 1).rev() {
                behind[k] = joined(Some(behind[k + 1]), &cells[k]);
            }
            let mut before = None;
            for k in 1..cells.len() {
                let all = joined(before, &cells[k - 1]);
                before = Some(all);
                if cells[k][0][axis] == cells[k - 1][0][axis] {
                    continue;
                }
                let saved = volume(&bounds) - volume(&all) - volume(&behind[k]);
                if saved > best.0 {
                    best = (saved, axis, cells[k][0][axis]);
                }
            }
        }
        Some(Self { cells, bounds, best })
    }
}
