//! Hashed grids of cubes, one for each magnitude of size.
//!
//! A box is registered once, in the cell of its lower vertex, in the grid whose cells are at least as large as
//! the box. All boxes that overlap a given box are then registered in the cells it intersects or in those just
//! before them. Cells of one row are adjacent in memory, so visiting a row mostly costs one cache line.
//!
//! Cells are computed by rounded arithmetic, which is monotone. Each grid stores the number of cells its boxes
//! span, so no pair is lost to rounding.

use super::{Change, Slots, largest_edge};
use glam::DVec3;
use noli_geom::Aabb;

const NONE: u32 = u32::MAX;
/// Each grid's cells are so much larger than those of the next finer one.
const RATIO: f64 = 4.0;
/// Boxes much smaller than most share the finest grid.
const FINEST: i32 = -30;

#[derive(Clone, Debug, Default)]
pub(super) struct Grid {
    /// Edge of the cells of the grid with exponent 0.
    base: f64,
    levels: Vec<Level>,
    entries: Vec<Entry>,
    count: usize,
    /// With so many boxes the base is chosen anew.
    rebuild_at: usize,
}

/// A box in its list; one cache line.
#[derive(Clone, Copy, Debug)]
struct Entry {
    bounds: Aabb,
    next: u32,
    /// Place among the members of its level.
    place: u32,
    level: u32,
}

/// The numbers of a cell along the axes.
type Cell = [i64; 3];

#[derive(Clone, Debug)]
struct Level {
    exponent: i32,
    /// Edge of the cells.
    edge: f64,
    per_cell: f64,
    /// Cells that a member reaches over, beyond the one it is registered in.
    span: Cell,
    /// First entry of every bucket; as many as a power of two.
    buckets: Vec<u32>,
    members: Vec<u32>,
}

impl Grid {
    pub(super) fn apply(&mut self, changes: &[Change], slots: &Slots) {
        let empty = Entry { bounds: Aabb::EMPTY, next: NONE, place: 0, level: NONE };
        if self.entries.len() < slots.len() {
            self.entries.resize(slots.len(), empty);
        }
        for change in changes {
            let entry = &mut self.entries[change.number as usize];
            if entry.level != NONE {
                if !change.new.is_empty() && self.stays(change) {
                    continue;
                }
                self.unlink(change.number);
            }
            if !change.new.is_empty() {
                self.entries[change.number as usize].bounds = change.new;
                self.count += 1;
                if self.count >= self.rebuild_at {
                    self.rebuild();
                } else {
                    self.link(change.number);
                }
            }
        }
    }

    /// A box that moves within its cell stays in its list.
    fn stays(&mut self, change: &Change) -> bool {
        let entry = &mut self.entries[change.number as usize];
        let level = &mut self.levels[entry.level as usize];
        let first = level.cell(change.new.min);
        let stays = level.suits(&change.new) && level.cell(entry.bounds.min) == first;
        if stays {
            level.widen(first, level.cell(change.new.max));
            entry.bounds = change.new;
        }
        stays
    }

    pub(super) fn neighbours(&self, bounds: &Aabb, found: &mut Vec<u32>) {
        for level in self.levels.iter().filter(|level| !level.members.is_empty()) {
            level.neighbours(bounds, &self.entries, found);
        }
    }

    fn link(&mut self, number: u32) {
        let bounds = self.entries[number as usize].bounds;
        let exponent = exponent(&bounds, self.base);
        let found = self.levels.iter().position(|level| level.exponent == exponent);
        let index = found.unwrap_or_else(|| {
            self.levels.push(Level::new(exponent, self.base));
            self.levels.len() - 1
        });
        self.entries[number as usize].level = index as u32;
        self.levels[index].link(number, &mut self.entries);
    }

    fn unlink(&mut self, number: u32) {
        let level = self.entries[number as usize].level as usize;
        self.levels[level].unlink(number, &mut self.entries);
        self.entries[number as usize].level = NONE;
        self.count -= 1;
    }

    /// Choose the cells by the boxes there are, and register all anew.
    fn rebuild(&mut self) {
        self.rebuild_at = (2 * self.count).max(64);
        self.levels.clear();
        let is_there = |entry: &&Entry| !entry.bounds.is_empty();
        self.base = base(self.entries.iter().filter(is_there).map(|entry| &entry.bounds));
        for number in 0..self.entries.len() as u32 {
            if !self.entries[number as usize].bounds.is_empty() {
                self.link(number);
            }
        }
    }
}

/// As large as nearly all boxes: the largest edge that is at most twice the edge which one in twenty exceeds.
fn base<'a>(boxes: impl Iterator<Item = &'a Aabb>) -> f64 {
    let (mut edges, mut all) = (Vec::new(), Aabb::EMPTY);
    for bounds in boxes {
        edges.push(largest_edge(bounds));
        all = all.union(*bounds);
    }
    let rank = edges.len() * 19 / 20;
    let usual = edges.select_nth_unstable_by(rank, f64::total_cmp).1.to_owned();
    let base = edges.iter().copied().filter(|&edge| edge <= 2.0 * usual).fold(0.0, f64::max);
    let spacing = largest_edge(&all) / (edges.len() as f64).cbrt();
    [base, spacing].into_iter().find(|&edge| edge.is_normal()).unwrap_or(1.0)
}

/// Returns the exponent of the grid for a box.
fn exponent(bounds: &Aabb, base: f64) -> i32 {
    let steps = (largest_edge(bounds) / base).log2() / RATIO.log2();
    (steps.ceil() as i32).max(FINEST)
}

/// Rounded down; `f64::floor` is a call of a function where not every CPU has an instruction for it.
fn floor(x: f64) -> i64 {
    let whole = x as i64;
    whole - i64::from(whole as f64 > x)
}

impl Level {
    fn new(exponent: i32, base: f64) -> Self {
        let edge = base * RATIO.powi(exponent);
        let per_cell = edge.recip();
        Self { exponent, edge, per_cell, span: [0; 3], buckets: vec![NONE; 64], members: Vec::new() }
    }

    /// Returns `true` if a box has a suitable size for these cells. Boxes may be registered in any grid; this
    /// affects only speed.
    fn suits(&self, bounds: &Aabb) -> bool {
        let edge = largest_edge(bounds);
        edge <= self.edge && (RATIO * edge > self.edge || self.exponent == FINEST)
    }

    /// Saturates far out, where many cells become one.
    fn cell(&self, point: DVec3) -> Cell {
        const FAR: f64 = (1u64 << 60) as f64;
        (point * self.per_cell).to_array().map(|x| floor(x.clamp(-FAR, FAR)))
    }

    fn widen(&mut self, first: Cell, last: Cell) {
        self.span = std::array::from_fn(|k| self.span[k].max(last[k] - first[k]));
    }

    fn row(y: i64, z: i64) -> usize {
        let mixed =
            (y as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (z as u64).wrapping_mul(0xc2b2_ae3d_27d4_eb4f);
        (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) as usize >> 20
    }

    fn bucket(&self, row: usize, x: i64) -> usize {
        row.wrapping_add(x as usize) & (self.buckets.len() - 1)
    }

    fn bucket_of(&self, [x, y, z]: Cell) -> usize {
        self.bucket(Self::row(y, z), x)
    }

    fn link(&mut self, number: u32, entries: &mut [Entry]) {
        // So many buckets that cells seldom share one.
        if 2 * self.members.len() >= self.buckets.len() {
            self.buckets = vec![NONE; 4 * self.buckets.len()];
            for k in 0..self.members.len() {
                self.put_first(self.members[k], entries);
            }
        }
        entries[number as usize].place = self.members.len() as u32;
        self.members.push(number);
        self.put_first(number, entries);
    }

    fn put_first(&mut self, number: u32, entries: &mut [Entry]) {
        let entry = &mut entries[number as usize];
        let first = self.cell(entry.bounds.min);
        self.widen(first, self.cell(entry.bounds.max));
        let bucket = self.bucket_of(first);
        entry.next = std::mem::replace(&mut self.buckets[bucket], number);
    }

    fn unlink(&mut self, number: u32, entries: &mut [Entry]) {
        let Entry { bounds, next, place, .. } = std::mem::replace(
            &mut entries[number as usize],
            Entry { bounds: Aabb::EMPTY, next: NONE, place: 0, level: NONE },
        );
        let bucket = self.bucket_of(self.cell(bounds.min));
        if self.buckets[bucket] == number {
            self.buckets[bucket] = next;
        } else {
            let mut before = self.buckets[bucket];
            while entries[before as usize].next != number {
                before = entries[before as usize].next;
            }
            entries[before as usize].next = next;
        }
        self.members.swap_remove(place as usize);
        if let Some(&moved) = self.members.get(place as usize) {
            entries[moved as usize].place = place;
        }
        if self.members.is_empty() {
            self.span = [0; 3];
        }
    }

    fn neighbours(&self, bounds: &Aabb, entries: &[Entry], found: &mut Vec<u32>) {
        let (mut first, last) = (self.cell(bounds.min), self.cell(bounds.max));
        first.iter_mut().zip(self.span).for_each(|(first, span)| *first -= span);
        let cells = DVec3::from_array(std::array::from_fn(|k| (last[k] - first[k] + 1) as f64));
        let is_wide =
            cells.x >= self.buckets.len() as f64 || cells.element_product() > 4.0 * self.members.len() as f64;
        if is_wide {
            let meets = |&&other: &&u32| entries[other as usize].bounds.overlaps(bounds);
            found.extend(self.members.iter().filter(meets));
            return;
        }
        for z in first[2]..=last[2] {
            for y in first[1]..=last[1] {
                let row = Self::row(y, z);
                for x in first[0]..=last[0] {
                    let mut next = self.buckets[self.bucket(row, x)];
                    while next != NONE {
                        let entry = &entries[next as usize];
                        if entry.bounds.overlaps(bounds) {
                            found.push(next);
                        }
                        next = entry.next;
                    }
                }
            }
        }
    }
}
