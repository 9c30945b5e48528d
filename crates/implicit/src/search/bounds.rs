//! Boxes that are proven to hold an object.

use glam::DVec3;
use noli_geom::{Aabb, Interval};

/// Largest number of cells to prove one shell around the object empty.
const SHELL_CELLS: usize = 2048;
/// Number of cells visited by the last tightening.
const TIGHTENING_CELLS: usize = 4096;

/// All of space that coordinates may reach.
pub(crate) const SPACE: Aabb =
    Aabb { min: DVec3::splat(-noli_geom::MAX_COORDINATE), max: DVec3::splat(noli_geom::MAX_COORDINATE) };

/// The values of a function on a box.
type Range<'a> = &'a dyn Fn(&Aabb) -> Interval;

/// A box that is proven to hold what of the object lies in the given one.
///
/// Space is halved from its outermost reach inward while the shell between two cubes is proven empty; the
/// last cube is tightened by subdivision.
pub(crate) fn find(range_on: Range<'_>, given: Aabb) -> Aabb {
    let start = if given == SPACE { shrunk_space(range_on) } else { Some(given) };
    start.map_or(SPACE, |start| tightened(range_on, start))
}

fn shrunk_space(range_on: Range<'_>) -> Option<Aabb> {
    let cube = |half: f64| Aabb { min: DVec3::splat(-half), max: DVec3::splat(half) };
    let mut half = SPACE.max.x;
    while half > 1.0 / SPACE.max.x && is_empty_shell(range_on, half) {
        half *= 0.5;
    }
    (half < SPACE.max.x).then(|| cube(half))
}

/// Returns `true` if the cube of this size is empty outside the cube of half the size.
fn is_empty_shell(range_on: Range<'_>, half: f64) -> bool {
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
        if looked_at > SHELL_CELLS {
            return false;
        }
        pending.extend(eighths(&cell));
    }
    true
}

/// A smaller box around what is not proven empty.
fn tightened(range_on: Range<'_>, start: Aabb) -> Aabb {
    let mut cells = vec![start];
    let mut looked_at = 0;
    if start.is_empty() {
        return Aabb::EMPTY;
    }
    while !cells.is_empty() && looked_at < TIGHTENING_CELLS {
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
