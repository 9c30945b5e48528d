//! Boxes that are proven to hold an object.

use glam::DVec3;
use noli_geom::{Aabb, Interval};

/// Largest number of cells to prove one shell around the object empty.
const SHELL_CELLS: usize = 2048;
/// Number of cells visited by the last tightening.
const TIGHTENING_CELLS: usize = 4096;
/// Operations of a formula up to which all these cells are visited; longer formulas get fewer.
const SHORT: usize = 1024;
/// Operations spent on all shells together, at most: a second or two.
const SHELL_OPERATIONS: usize = 1 << 26;

/// Numbers of cells that may be visited.
struct Cells {
    of_shell: usize,
    of_all_shells: usize,
    of_tightening: usize,
}

impl Cells {
    /// For a function of so many operations. However long it is, some cells of each kind are visited.
    fn of(operations: usize) -> Self {
        let longer = operations.div_ceil(SHORT).max(1);
        Self {
            of_shell: (SHELL_CELLS / longer).max(128),
            of_all_shells: SHELL_OPERATIONS / operations.max(1),
            of_tightening: (TIGHTENING_CELLS / longer).max(64),
        }
    }
}

/// All of space that coordinates may reach.
pub(crate) const SPACE: Aabb =
    Aabb { min: DVec3::splat(-noli_geom::MAX_COORDINATE), max: DVec3::splat(noli_geom::MAX_COORDINATE) };

/// The values of a function on a box.
type Range<'a> = &'a dyn Fn(&Aabb) -> Interval;

/// A box that is proven to hold what of the object lies in the given one.
///
/// Space is halved from its outermost reach inward while the shell between two cubes is proven empty; the
/// last cube is tightened by subdivision. The work is limited by the number of `operations` of the function.
pub(crate) fn find(range_on: Range<'_>, given: Aabb, operations: usize) -> Aabb {
    let cells = Cells::of(operations);
    let start = if given == SPACE { shrunk_space(range_on, &cells) } else { Some(given) };
    start.map_or(SPACE, |start| tightened(range_on, start, cells.of_tightening))
}

fn shrunk_space(range_on: Range<'_>, cells: &Cells) -> Option<Aabb> {
    let cube = |half: f64| Aabb { min: DVec3::splat(-half), max: DVec3::splat(half) };
    let (mut half, mut looked_at) = (SPACE.max.x, 0);
    while half > 1.0 / SPACE.max.x && looked_at < cells.of_all_shells {
        match cells_of_empty_shell(range_on, half, cells.of_shell) {
            Some(count) => looked_at += count,
            None => break,
        }
        half *= 0.5;
    }
    (half < SPACE.max.x).then(|| cube(half))
}

/// The number of cells that prove the cube of this size empty outside the cube of half the size; `None` if that
/// takes more than `most`.
fn cells_of_empty_shell(range_on: Range<'_>, half: f64, most: usize) -> Option<usize> {
    let mut pending: Vec<Aabb> = Vec::new();
    let step = 0.5 * half;
    for i in 0..64 {
        let index = [i % 4, i / 4 % 4, i / 16];
        if index.iter().all(|k| (1..3).contains(k)) {
            continue;
        }
        let min = DVec3::from_array(index.map(|k| f64::from(k) * step - half));
        pending.push(Aabb { min, max: min + step });
    }
    let mut looked_at = 0;
    while let Some(cell) = pending.pop() {
        looked_at += 1;
        if range_on(&cell).lo() > 0.0 {
            continue;
        }
        if looked_at > most {
            return None;
        }
        pending.extend(eighths(&cell));
    }
    Some(looked_at)
}

/// A smaller box around what is not proven empty.
fn tightened(range_on: Range<'_>, start: Aabb, most: usize) -> Aabb {
    let mut cells = vec![start];
    let mut looked_at = 0;
    if start.is_empty() {
        return Aabb::EMPTY;
    }
    while !cells.is_empty() && looked_at < most {
        let children: Vec<Aabb> = cells.iter().flat_map(eighths).collect();
        looked_at += children.len();
        cells = children.into_iter().filter(|cell| range_on(cell).lo() <= 0.0).collect();
    }
    cells.into_iter().fold(Aabb::EMPTY, Aabb::union)
}

/// A box cut in eight: three times across its longest side.
pub(crate) fn eighths(cell: &Aabb) -> [Aabb; 8] {
    let mut parts = [*cell; 8];
    let mut count = 1;
    while count < 8 {
        let axis = parts[0].longest_axis();
        for i in 0..count {
            let middle = parts[i].center()[axis];
            parts[count + i] = parts[i];
            parts[i].max[axis] = middle;
            parts[count + i].min[axis] = middle;
        }
        count *= 2;
    }
    parts
}
