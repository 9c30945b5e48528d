//! Broad phase: pairs of overlapping boxes, kept up to date while boxes are added, moved and removed.
//!
//! A method is an index that returns the neighbours of one box. This module holds the parts common to all
//! methods: the boxes, the neighbours of each, and the comparison of new neighbours with old ones. The
//! comparison yields the pairs begun and ended. So every method returns the same pairs in the same order, and
//! is tested against `AllPairs`.

mod all_pairs;
mod fixed;
mod grid;
mod sweep_and_prune;
mod tree;

#[cfg(test)]
mod tests;

pub(crate) use fixed::{FixedBoxes, clearance_at_least};

use crate::parallel;
use all_pairs::AllPairs;
use glam::DVec3;
use grid::Grid;
use noli_geom::Aabb;
use sweep_and_prune::SweepAndPrune;
use tree::BoxTree;

/// Method of finding candidate pairs. All methods find the same pairs.
#[doc(alias("broad phase", "sweep and prune", "aabb tree"))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Method {
    /// Hashed grids, one for each magnitude of size. The fastest for bodies of similar size, and the usual choice.
    #[default]
    Grid,
    /// A binary tree of boxes that is repaired where boxes leave their place. Best where sizes differ widely.
    Tree,
    /// Sorted ends of intervals on three axes, repaired by swaps (Baraff; Cohen et al. 1995; Eckstein 1998). Costs nearly nothing
    /// where little moves, and much where many boxes overlap along an axis or jump.
    SweepAndPrune,
    /// Every box against every other: the oracle of the others.
    AllPairs,
}

impl Method {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Grid, Self::Tree, Self::SweepAndPrune, Self::AllPairs];
}

/// Changes between two calls of [`BroadPhase::update`]; each pair is in order, the lists are sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Pairs whose boxes overlap now and did not.
    pub begun: Vec<(u32, u32)>,
    /// Pairs whose boxes overlapped and do not any more, also because one was removed.
    pub ended: Vec<(u32, u32)>,
}

/// Boxes, named by numbers of the caller's choice, and the pairs of them that overlap. Touching boxes overlap, empty boxes
/// overlap nothing, and an edge that is not a number counts as infinitely far out: no pair is ever lost.
///
/// ```
/// use noli::broad::{BroadPhase, Method};
/// use noli::model::Aabb;
/// use glam::DVec3;
/// let unit = |x: f64| Aabb { min: DVec3::new(x, 0.0, 0.0), max: DVec3::new(x + 1.0, 1.0, 1.0) };
/// let mut boxes = BroadPhase::new(Method::default());
/// for (number, x) in [0.0, 0.5, 3.0].into_iter().enumerate() {
///     boxes.set(number as u32, &unit(x));
/// }
/// assert_eq!(boxes.update().begun, [(0, 1)]);
/// boxes.set(0, &unit(3.5));
/// let changes = boxes.update();
/// assert_eq!((changes.begun, changes.ended), (vec![(0, 2)], vec![(0, 1)]));
/// ```
#[doc(alias("broad phase", "DynamicAABBTreeCollisionManager"))]
#[derive(Clone, Debug)]
pub struct BroadPhase {
    method: Method,
    index: Index,
    slots: Slots,
    /// Numbers set or removed since the last update, without repetition.
    dirty: Vec<u32>,
    is_dirty: Vec<bool>,
    /// Boxes without bounds are neighbours of most others and kept out of the index.
    unbounded: Vec<u32>,
    /// Of each box, sorted.
    neighbours: Vec<Vec<u32>>,
}

/// The neighbours of several boxes, one list after the other.
#[derive(Default)]
struct Found {
    numbers: Vec<u32>,
    /// End of each box's list.
    ends: Vec<usize>,
}

impl Found {
    fn lists(&self) -> impl Iterator<Item = &[u32]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &self.numbers[start..end])
    }
}

/// The boxes by number; empty where there is none.
type Slots = Vec<Aabb>;

#[derive(Clone, Debug)]
enum Index {
    AllPairs(AllPairs),
    SweepAndPrune(SweepAndPrune),
    Tree(BoxTree),
    Grid(Grid),
}

/// Change of one box, as passed to the index.
#[derive(Clone, Copy, Debug)]
struct Change {
    number: u32,
    old: Aabb,
    new: Aabb,
}

impl Index {
    fn new(method: Method) -> Self {
        match method {
            Method::AllPairs => Self::AllPairs(AllPairs),
            Method::SweepAndPrune => Self::SweepAndPrune(SweepAndPrune::default()),
            Method::Tree => Self::Tree(BoxTree::default()),
            Method::Grid => Self::Grid(Grid::default()),
        }
    }

    /// Take over the new boxes; `slots` holds them already.
    fn apply(&mut self, changes: &[Change], slots: &Slots) {
        match self {
            Self::AllPairs(_) => {}
            Self::SweepAndPrune(index) => index.apply(changes, slots),
            Self::Tree(index) => index.apply(changes, slots),
            Self::Grid(index) => index.apply(changes, slots),
        }
    }

    /// Numbers of bounded boxes that overlap a box: in any order, perhaps with itself or repeated.
    fn neighbours(&self, number: u32, slots: &Slots, found: &mut Vec<u32>) {
        match self {
            Self::AllPairs(index) => index.neighbours(number, slots, found),
            Self::SweepAndPrune(index) => index.neighbours(number, found),
            Self::Tree(index) => index.neighbours(&slots[number as usize], slots, found),
            Self::Grid(index) => index.neighbours(&slots[number as usize], found),
        }
    }
}

fn is_bounded(bounds: &Aabb) -> bool {
    bounds.min.is_finite() && bounds.max.is_finite()
}

/// Infinite where an edge is not a number.
fn without_nan(bounds: &Aabb) -> Aabb {
    let or = |x: f64, far: f64| if x.is_nan() { far } else { x };
    let (low, high) = (f64::NEG_INFINITY, f64::INFINITY);
    Aabb { min: bounds.min.map(|x| or(x, low)), max: bounds.max.map(|x| or(x, high)) }
}

impl BroadPhase {
    /// No boxes yet.
    pub fn new(method: Method) -> Self {
        Self {
            method,
            index: Index::new(method),
            slots: Vec::new(),
            dirty: Vec::new(),
            is_dirty: Vec::new(),
            unbounded: Vec::new(),
            neighbours: Vec::new(),
        }
    }

    /// Returns the method by which pairs are found.
    pub fn method(&self) -> Method {
        self.method
    }

    /// The box of this number, new or in a new place. Numbers should be small: memory grows with the largest.
    pub fn set(&mut self, number: u32, bounds: &Aabb) {
        let slot = number as usize;
        if slot >= self.slots.len() {
            self.slots.resize(slot + 1, Aabb::EMPTY);
            self.is_dirty.resize(slot + 1, false);
            self.neighbours.resize_with(slot + 1, Vec::new);
        }
        let bounds = without_nan(bounds);
        let bounds = if bounds.is_empty() { Aabb::EMPTY } else { bounds };
        let old = std::mem::replace(&mut self.slots[slot], bounds);
        if old == bounds {
            return;
        }
        self.tell_index(Change { number, old, new: bounds });
        if !std::mem::replace(&mut self.is_dirty[slot], true) {
            self.dirty.push(number);
        }
    }

    /// Forget a box.
    pub fn remove(&mut self, number: u32) {
        if (number as usize) < self.slots.len() {
            self.set(number, &Aabb::EMPTY);
        }
    }

    /// Many boxes at once, which some methods take in faster.
    pub fn set_all(&mut self, boxes: impl IntoIterator<Item = (u32, Aabb)>) {
        let mut changes = Vec::new();
        for (number, bounds) in boxes {
            let before = self.slots.get(number as usize).copied().unwrap_or(Aabb::EMPTY);
            if before == Aabb::EMPTY && is_bounded(&bounds) && !bounds.is_empty() {
                // Held back from the index until all are known.
                let index = std::mem::replace(&mut self.index, Index::AllPairs(AllPairs));
                self.set(number, &bounds);
                self.index = index;
                changes.push(Change { number, old: Aabb::EMPTY, new: bounds });
            } else {
                self.index.apply(&std::mem::take(&mut changes), &self.slots);
                self.set(number, &bounds);
            }
        }
        self.index.apply(&changes, &self.slots);
    }

    fn tell_index(&mut self, change: Change) {
        let Change { number, old, new } = change;
        let known = |bounds: Aabb| if is_bounded(&bounds) { bounds } else { Aabb::EMPTY };
        if old != Aabb::EMPTY && !is_bounded(&old) {
            self.unbounded.retain(|&other| other != number);
        }
        if new != Aabb::EMPTY && !is_bounded(&new) {
            self.unbounded.push(number);
        }
        let change = Change { number, old: known(old), new: known(new) };
        if change.old != change.new {
            self.index.apply(&[change], &self.slots);
        }
    }

    /// The box of a number.
    pub fn bounds(&self, number: u32) -> Option<&Aabb> {
        self.slots.get(number as usize).filter(|bounds| !bounds.is_empty())
    }

    /// Numbers of the boxes that overlap this one, sorted, as of the last update.
    pub fn neighbours(&self, number: u32) -> &[u32] {
        self.neighbours.get(number as usize).map_or(&[], Vec::as_slice)
    }

    /// All pairs as of the last update, sorted.
    pub fn pairs(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let above = |(number, list): (usize, &Vec<u32>)| {
            let number = number as u32;
            let first = list.partition_point(|&other| other <= number);
            list[first..].iter().map(move |&other| (number, other)).collect::<Vec<_>>()
        };
        self.neighbours.iter().enumerate().filter(|(_, list)| !list.is_empty()).flat_map(above)
    }

    /// Find out which pairs began and ended since the last time.
    pub fn update(&mut self) -> Changes {
        let mut dirty = std::mem::take(&mut self.dirty);
        dirty.sort_unstable();
        let pieces = parallel::map_pieces(&dirty, |numbers| self.find_all(numbers));
        let mut changes = Changes::default();
        for (&number, new) in dirty.iter().zip(pieces.iter().flat_map(Found::lists)) {
            let mut list = std::mem::take(&mut self.neighbours[number as usize]);
            self.compare(number, &list, new, &mut changes);
            list.clear();
            list.extend_from_slice(new);
            self.neighbours[number as usize] = list;
        }
        for &number in &dirty {
            self.is_dirty[number as usize] = false;
        }
        dirty.clear();
        self.dirty = dirty;
        changes.begun.sort_unstable();
        changes.ended.sort_unstable();
        changes
    }

    fn find_all(&self, numbers: &[u32]) -> Found {
        let mut found = Found::default();
        for &number in numbers {
            self.find(number, &mut found.numbers);
            found.ends.push(found.numbers.len());
        }
        found
    }

    /// Put the neighbours of a box as it is now at the end of `found`, sorted.
    fn find(&self, number: u32, found: &mut Vec<u32>) {
        let (bounds, start) = (&self.slots[number as usize], found.len());
        if bounds.is_empty() {
            return;
        }
        if is_bounded(bounds) {
            self.index.neighbours(number, &self.slots, found);
            let meets = |&&other: &&u32| self.slots[other as usize].overlaps(bounds);
            found.extend(self.unbounded.iter().filter(meets));
        } else {
            AllPairs.neighbours(number, &self.slots, found);
        }
        found[start..].sort_unstable();
        let mut end = start;
        for k in start..found.len() {
            let other = found[k];
            if other != number && !found[start..end].ends_with(&[other]) {
                found[end] = other;
                end += 1;
            }
        }
        found.truncate(end);
    }

    /// Updates the other box of every pair that began or ended, unless that box is compared itself.
    fn compare(&mut self, number: u32, old: &[u32], new: &[u32], changes: &mut Changes) {
        let (mut i, mut j) = (0, 0);
        while i < old.len() || j < new.len() {
            let (x, y) = (old.get(i).copied(), new.get(j).copied());
            if x == y {
                (i, j) = (i + 1, j + 1);
                continue;
            }
            let ends = y.is_none_or(|y| x.is_some_and(|x| x < y));
            let other = if ends { x } else { y }.unwrap_or(number);
            *(if ends { &mut i } else { &mut j }) += 1;
            if self.is_dirty[other as usize] && other < number {
                continue; // told by the other
            }
            let pair = (number.min(other), number.max(other));
            (if ends { &mut changes.ended } else { &mut changes.begun }).push(pair);
            if self.is_dirty[other as usize] {
                continue;
            }
            let list = &mut self.neighbours[other as usize];
            match (list.binary_search(&number), ends) {
                (Ok(place), true) => drop(list.remove(place)),
                (Err(place), false) => list.insert(place, number),
                _ => {}
            }
        }
    }
}

/// The largest edge of a box.
fn largest_edge(bounds: &Aabb) -> f64 {
    bounds.size().max_element()
}

/// Half the surface of a box, what trees are judged by.
fn half_area(size: DVec3) -> f64 {
    size.x * size.y + size.y * size.z + size.z * size.x
}
