//! Sweep and prune: the ends of all intervals on three axes, sorted, and repaired by swaps when a box moves.
//!
//! After chapter 6 of Eckstein's thesis (1998), with two changes. Intervals are closed: among equal ends, lower
//! ones come first. A swap that makes two intervals overlap compares the whole boxes at once, so that only true
//! pairs are stored. Lists per axis would grow with the square of the number of boxes if all rest on one floor.

use super::{Change, Slots};
use noli_geom::Aabb;

/// An end of an interval.
#[derive(Clone, Copy, Debug)]
struct End {
    value: f64,
    /// Twice the number of the box, plus one for an upper end.
    code: u32,
}

impl End {
    fn new(number: u32, is_upper: bool, value: f64) -> Self {
        Self { value, code: 2 * number + u32::from(is_upper) }
    }

    fn number(self) -> u32 {
        self.code / 2
    }

    fn is_upper(self) -> bool {
        self.code % 2 == 1
    }

    /// Lower ends before upper ones of the same value, so that touching intervals overlap.
    fn is_before(self, other: Self) -> bool {
        let key = |end: Self| (end.is_upper(), end.code);
        self.value < other.value || self.value == other.value && key(self) < key(other)
    }
}

#[derive(Clone, Debug, Default)]
struct Axis {
    ends: Vec<End>,
    /// Position of the end of each code.
    place: Vec<u32>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct SweepAndPrune {
    axes: [Axis; 3],
    /// Sorted, of each box.
    pairs: Vec<Vec<u32>>,
    /// Swaps of two ends made so far.
    #[cfg(test)]
    swaps: u64,
}

/// If more than one in this many boxes is new, sorting all is cheaper than inserting each.
const MANY: usize = 16;

impl SweepAndPrune {
    pub(super) fn apply(&mut self, changes: &[Change], slots: &Slots) {
        if self.pairs.len() < slots.len() {
            self.pairs.resize_with(slots.len(), Vec::new);
        }
        let boxes = self.axes[0].ends.len() / 2;
        if changes.len() > 64 && changes.len() * MANY > boxes {
            return self.rebuild(changes, slots);
        }
        for change in changes {
            self.shift_to(change, slots);
        }
    }

    pub(super) fn neighbours(&self, number: u32, found: &mut Vec<u32>) {
        found.extend_from_slice(&self.pairs[number as usize]);
    }

    #[cfg(test)]
    pub(super) fn swaps(&self) -> u64 {
        self.swaps
    }

    /// Shifts the ends of a changed box. Ends of a new box enter from infinity, those of a removed box leave to
    /// infinity.
    fn shift_to(&mut self, change: &Change, slots: &Slots) {
        let Change { number, old, new } = change;
        let (is_new, is_removed) = (old.is_empty(), new.is_empty());
        let far = Aabb { min: glam::DVec3::INFINITY, max: glam::DVec3::INFINITY };
        let (old, new) = (if is_new { far } else { *old }, if is_removed { far } else { *new });
        for axis in 0..3 {
            if is_new {
                self.axes[axis].append(*number);
            }
            let ends = [(false, new.min[axis]), (true, new.max[axis])];
            // The end that leads goes first, so that an end never passes its own partner.
            let order = if new.max[axis] < old.min[axis] { [0, 1] } else { [1, 0] };
            for (is_upper, value) in order.map(|k| ends[k]) {
                self.shift_end(axis, End::new(*number, is_upper, value), slots);
            }
            if is_removed {
                self.axes[axis].drop_last_two(*number);
            }
        }
    }

    fn shift_end(&mut self, axis: usize, end: End, slots: &Slots) {
        let mut at = self.axes[axis].place[end.code as usize] as usize;
        self.axes[axis].ends[at] = end;
        loop {
            let ends = &self.axes[axis].ends;
            let down = at > 0 && end.is_before(ends[at - 1]);
            let up = at + 1 < ends.len() && ends[at + 1].is_before(end);
            let next = match (down, up) {
                (true, _) => at - 1,
                (_, true) => at + 1,
                _ => return,
            };
            let other = ends[next];
            self.axes[axis].swap(at, next);
            #[cfg(test)]
            {
                self.swaps += 1;
            }
            if other.is_upper() != end.is_upper() {
                // A lower end that falls, or an upper one that rises, past the other kind opens an overlap.
                self.set_pair(end.number(), other.number(), down != end.is_upper(), slots);
            }
            at = next;
        }
    }

    fn set_pair(&mut self, a: u32, b: u32, opens: bool, slots: &Slots) {
        if opens && !slots[a as usize].overlaps(&slots[b as usize]) {
            return;
        }
        for (x, y) in [(a, b), (b, a)] {
            let list = &mut self.pairs[x as usize];
            match (list.binary_search(&y), opens) {
                (Err(place), true) => list.insert(place, y),
                (Ok(place), false) => drop(list.remove(place)),
                _ => {}
            }
        }
    }

    /// Sort everything and sweep once along x.
    fn rebuild(&mut self, changes: &[Change], slots: &Slots) {
        let mut numbers: Vec<u32> =
            self.axes[0].ends.iter().filter(|e| e.is_upper()).map(|e| e.number()).collect();
        numbers.extend(changes.iter().map(|change| change.number));
        numbers.sort_unstable();
        numbers.dedup();
        numbers.retain(|&number| !slots[number as usize].is_empty());
        for (axis, sorted) in self.axes.iter_mut().enumerate() {
            let ends = |&number: &u32| {
                let bounds = &slots[number as usize];
                [End::new(number, false, bounds.min[axis]), End::new(number, true, bounds.max[axis])]
            };
            sorted.ends = numbers.iter().flat_map(ends).collect();
            sorted.ends.sort_unstable_by(|x, y| {
                if x.is_before(*y) { std::cmp::Ordering::Less } else { std::cmp::Ordering::Greater }
            });
            sorted.number_places(2 * slots.len());
        }
        self.pairs.iter_mut().for_each(Vec::clear);
        let mut open: Vec<u32> = Vec::new();
        for end in &self.axes[0].ends {
            let number = end.number();
            if end.is_upper() {
                open.retain(|&other| other != number);
                continue;
            }
            for &other in
                open.iter().filter(|&&other| slots[other as usize].overlaps(&slots[number as usize]))
            {
                self.pairs[number as usize].push(other);
                self.pairs[other as usize].push(number);
            }
            open.push(number);
        }
        self.pairs.iter_mut().for_each(|list| list.sort_unstable());
    }
}

impl Axis {
    fn swap(&mut self, i: usize, j: usize) {
        self.ends.swap(i, j);
        for at in [i, j] {
            self.place[self.ends[at].code as usize] = at as u32;
        }
    }

    fn append(&mut self, number: u32) {
        let needed = 2 * number as usize + 2;
        if self.place.len() < needed {
            self.place.resize(needed, u32::MAX);
        }
        for is_upper in [false, true] {
            let end = End::new(number, is_upper, f64::INFINITY);
            self.place[end.code as usize] = self.ends.len() as u32;
            self.ends.push(end);
        }
    }

    /// The ends of a removed box have come to rest at the end of the list.
    fn drop_last_two(&mut self, number: u32) {
        debug_assert!(self.ends.iter().rev().take(2).all(|end| end.number() == number));
        let left = self.ends.len() - 2;
        self.ends.truncate(left);
    }

    fn number_places(&mut self, codes: usize) {
        self.place.clear();
        self.place.resize(codes, u32::MAX);
        for (at, end) in self.ends.iter().enumerate() {
            self.place[end.code as usize] = at as u32;
        }
    }
}
