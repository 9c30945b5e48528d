//! Broad phase: overlapping boxes by the space partitions that Eckstein's thesis (1998, chapter 6) uses and
//! surveys.
//!
//! The thesis keeps three sorted lists of interval ends with a set of overlaps for each axis
//! ([`AxisLists`]). The engine's own sweep stores true pairs alone. The others are those it mentions:
//! octrees, planes across the axes, and sweeps over two coordinate planes. A BSP tree whose planes are
//! parallel to the axes is a k-d tree. All count touching as overlap, as the engine does.

use crate::interval_tree;
use glam::DVec3;
use noli_geom::Aabb;
use std::collections::BTreeSet;

/// One end of an interval: lower ends come before upper ones at the same coordinate, so that touching
/// counts.
#[derive(Clone, Copy, Debug, PartialEq)]
struct End {
    at: f64,
    upper: bool,
    of: u32,
}

impl End {
    fn before(&self, other: &Self) -> bool {
        self.at.total_cmp(&other.at).then(self.upper.cmp(&other.upper)).is_lt()
    }
}

/// Sweep and prune as published: a sorted list of interval ends and a set of overlapping intervals, for every axis; boxes that
/// overlap are those in all three sets of one another.
///
/// ```
/// use noli_classics::AxisLists;
/// use noli_geom::Aabb;
/// let cube = |x: f64| Aabb { min: glam::dvec3(x, 0.0, 0.0), max: glam::dvec3(x + 1.0, 1.0, 1.0) };
/// let mut lists = AxisLists::new(&[cube(0.0), cube(2.0)]);
/// assert_eq!(lists.overlapping(0), []);
/// lists.set(1, &cube(1.0));
/// assert_eq!(lists.overlapping(0), [1]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct AxisLists {
    axes: [Axis; 3],
    swaps: u64,
}

#[derive(Clone, Debug, Default)]
struct Axis {
    ends: Vec<End>,
    /// Indices of the lower and the upper end of each box.
    places: Vec<[usize; 2]>,
    overlaps: Vec<BTreeSet<u32>>,
}

impl AxisLists {
    /// The lists of these boxes, numbered from 0, none of them empty.
    pub fn new(boxes: &[Aabb]) -> Self {
        let axis = |k: usize| Axis::new(boxes.iter().map(with_one_zero).map(|b| [b.min[k], b.max[k]]));
        Self { axes: [axis(0), axis(1), axis(2)], swaps: 0 }
    }

    /// Move a box; ends are shifted one neighbour at a time.
    pub fn set(&mut self, number: u32, bounds: &Aabb) {
        let bounds = with_one_zero(bounds);
        for (k, axis) in self.axes.iter_mut().enumerate() {
            self.swaps += axis.set(number, [bounds.min[k], bounds.max[k]]);
        }
    }

    /// A box more, which gets the next number: its ends come in from beyond all others.
    pub fn insert(&mut self, bounds: &Aabb) -> u32 {
        let number = self.axes[0].places.len() as u32;
        self.axes.iter_mut().for_each(|axis| axis.push(number));
        self.set(number, bounds);
        number
    }

    /// Put a box beyond all others; its number stays taken.
    pub fn remove(&mut self, number: u32) {
        let beyond = Aabb { min: glam::DVec3::splat(f64::INFINITY), max: glam::DVec3::splat(f64::INFINITY) };
        self.set(number, &beyond);
        self.axes.iter_mut().for_each(|axis| axis.forget(number));
    }

    /// The boxes that overlap a box, in order: those in its sets of all three axes.
    pub fn overlapping(&self, number: u32) -> Vec<u32> {
        let mut sets = [0, 1, 2].map(|k| &self.axes[k].overlaps[number as usize]);
        sets.sort_by_key(|set| set.len());
        sets[0].iter().copied().filter(|other| sets[1].contains(other) && sets[2].contains(other)).collect()
    }

    /// Returns the number of swaps of two ends since the lists were made.
    pub fn swaps(&self) -> u64 {
        self.swaps
    }

    /// Returns the number of pairs in the sets of single axes: the storage cost.
    pub fn axis_overlaps(&self) -> [usize; 3] {
        [0, 1, 2].map(|k| self.axes[k].overlaps.iter().map(BTreeSet::len).sum::<usize>() / 2)
    }
}

impl Axis {
    fn new(intervals: impl Iterator<Item = [f64; 2]>) -> Self {
        let mut axis = Self::default();
        for (number, [low, high]) in intervals.enumerate() {
            let end = |at, upper| End { at, upper, of: number as u32 };
            axis.ends.extend([end(low, false), end(high, true)]);
            axis.places.push([0; 2]);
            axis.overlaps.push(BTreeSet::new());
        }
        axis.ends.sort_by(|x, y| x.at.total_cmp(&y.at).then(x.upper.cmp(&y.upper)).then(x.of.cmp(&y.of)));
        let mut open: BTreeSet<u32> = BTreeSet::new();
        for (place, end) in axis.ends.iter().enumerate() {
            axis.places[end.of as usize][usize::from(end.upper)] = place;
            if end.upper {
                open.remove(&end.of);
                continue;
            }
            for &other in &open {
                axis.overlaps[other as usize].insert(end.of);
            }
            axis.overlaps[end.of as usize] = open.clone();
            open.insert(end.of);
        }
        axis
    }

    fn push(&mut self, number: u32) {
        let end = |upper| End { at: f64::INFINITY, upper, of: number };
        // Boxes put away earlier stand there too, and overlap nothing.
        self.places.push([self.ends.len(), self.ends.len() + 1]);
        self.ends.extend([end(false), end(true)]);
        self.overlaps.push(BTreeSet::new());
    }

    fn forget(&mut self, number: u32) {
        for other in std::mem::take(&mut self.overlaps[number as usize]) {
            self.overlaps[other as usize].remove(&number);
        }
    }

    /// The end that leads goes first, so that no end passes its own partner.
    fn set(&mut self, number: u32, [low, high]: [f64; 2]) -> u64 {
        let old_low = self.ends[self.places[number as usize][0]].at;
        let ends = if high < old_low { [(false, low), (true, high)] } else { [(true, high), (false, low)] };
        ends.into_iter().map(|(upper, at)| self.shift(number, upper, at)).sum()
    }

    fn shift(&mut self, number: u32, upper: bool, at: f64) -> u64 {
        let mut place = self.places[number as usize][usize::from(upper)];
        self.ends[place].at = at;
        let mut swaps = 0;
        while place > 0 && self.ends[place].before(&self.ends[place - 1]) {
            place -= 1;
            self.pass(place, !upper);
            swaps += 1;
        }
        while place + 1 < self.ends.len() && self.ends[place + 1].before(&self.ends[place]) {
            self.pass(place, upper);
            place += 1;
            swaps += 1;
        }
        swaps
    }

    /// Two neighbours change places. Ends of both kinds that pass each other begin an overlap where intervals grow.
    fn pass(&mut self, place: usize, grows: bool) {
        self.ends.swap(place, place + 1);
        let [one, two] = [self.ends[place], self.ends[place + 1]];
        for (end, at) in [(one, place), (two, place + 1)] {
            self.places[end.of as usize][usize::from(end.upper)] = at;
        }
        if one.upper == two.upper || one.of == two.of {
            return;
        }
        for (a, b) in [(one.of, two.of), (two.of, one.of)] {
            if grows {
                self.overlaps[a as usize].insert(b);
            } else {
                self.overlaps[a as usize].remove(&b);
            }
        }
    }
}

/// Method of finding the pairs of boxes that overlap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Partition {
    /// Recursive division of a cube into eight; a box is stored in every part it overlaps.
    Octree,
    /// The same at the medians of the middles in place of the middle of the cell, so that halves have as many boxes.
    OctreeByCount,
    /// Two parts across the axes in turn, at the median of the middles: a BSP tree of planes parallel to the axes.
    Planes,
    /// Rectangles of the xy-plane by a sweep along x over an ordered set of open intervals of y, then the same in the
    /// yz-plane: what overlaps in both planes overlaps.
    TwoPlanes,
    /// The same rectangles by a sweep over an interval tree of y (Edelsbrunner 1980), as Lin proposes.
    IntervalTree,
    /// One axis, sorted.
    OneAxis,
}

impl Partition {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Octree, Self::OctreeByCount, Self::Planes, Self::TwoPlanes, Self::IntervalTree, Self::OneAxis];

    /// All pairs of boxes that overlap, the smaller number first, in order. Empty boxes overlap nothing.
    ///
    /// ```
    /// use noli_classics::Partition;
    /// use noli_geom::Aabb;
    /// let cube = |x: f64| Aabb { min: glam::dvec3(x, 0.0, 0.0), max: glam::dvec3(x + 1.0, 1.0, 1.0) };
    /// assert_eq!(Partition::Octree.pairs(&[cube(0.0), cube(5.0), cube(0.5)]), [(0, 2)]);
    /// ```
    pub fn pairs(self, boxes: &[Aabb]) -> Vec<(u32, u32)> {
        let boxes: &[Aabb] = &boxes.iter().map(with_one_zero).collect::<Vec<_>>();
        let numbers: Vec<u32> = (0..boxes.len() as u32).filter(|&i| !boxes[i as usize].is_empty()).collect();
        let mut pairs = Vec::new();
        match self {
            Self::Octree | Self::OctreeByCount => {
                let all = numbers.iter().fold(Aabb::EMPTY, |all, &i| all.union(boxes[i as usize]));
                let center = if self == Self::Octree { cell_center } else { median };
                octants(boxes, numbers, (&all, center), 0, &mut pairs);
            }
            Self::Planes => halves(boxes, numbers, 0, &mut pairs),
            Self::TwoPlanes | Self::IntervalTree => {
                let sweep = if self == Self::TwoPlanes { sweep_plane } else { interval_tree::sweep_plane };
                let flat = sweep(boxes, &numbers, [0, 1]);
                let upright: BTreeSet<(u32, u32)> = sweep(boxes, &numbers, [1, 2]).into_iter().collect();
                pairs.extend(flat.into_iter().filter(|pair| upright.contains(pair)));
            }
            Self::OneAxis => one_axis(boxes, numbers, &mut pairs),
        }
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    }
}

/// The box with zeros of one sign: sorting tells -0 from 0, and boxes that touch there would be missed.
fn with_one_zero(bounds: &Aabb) -> Aabb {
    Aabb { min: bounds.min + 0.0, max: bounds.max + 0.0 }
}

/// No deeper than this, however many boxes are in one place.
const DEEPEST: u32 = 12;
/// So few boxes are compared with each other.
const FEW: usize = 8;

fn compare(boxes: &[Aabb], numbers: &[u32], pairs: &mut Vec<(u32, u32)>) {
    for (k, &i) in numbers.iter().enumerate() {
        let others = numbers[k + 1..].iter().filter(|&&j| boxes[i as usize].overlaps(&boxes[j as usize]));
        pairs.extend(others.map(|&j| (i.min(j), i.max(j))));
    }
}

/// Computes the point at which a cell is split.
type Center = fn(&[Aabb], &[u32], &Aabb) -> DVec3;

fn cell_center(_: &[Aabb], _: &[u32], cell: &Aabb) -> DVec3 {
    cell.center()
}

/// The medians of the middles of the boxes, within the cell.
fn median(boxes: &[Aabb], numbers: &[u32], cell: &Aabb) -> DVec3 {
    let along = |axis: usize| {
        let mut middles: Vec<f64> = numbers.iter().map(|&i| boxes[i as usize].center()[axis]).collect();
        let half = middles.len() / 2;
        if middles.is_empty() { 0.0 } else { *middles.select_nth_unstable_by(half, f64::total_cmp).1 }
    };
    DVec3::new(along(0), along(1), along(2)).clamp(cell.min, cell.max)
}

fn octants(
    boxes: &[Aabb],
    numbers: Vec<u32>,
    (cell, center): (&Aabb, Center),
    depth: u32,
    pairs: &mut Vec<(u32, u32)>,
) {
    let middle = center(boxes, &numbers, cell);
    let part = |k: usize| {
        let side = |axis: usize| k >> axis & 1 == 1;
        let mut part = *cell;
        for axis in 0..3 {
            let edge = if side(axis) { &mut part.min } else { &mut part.max };
            edge[axis] = middle[axis];
        }
        part
    };
    let parts = (0..8).map(part).map(|cell| {
        let inside: Vec<u32> =
            numbers.iter().copied().filter(|&i| boxes[i as usize].overlaps(&cell)).collect();
        (cell, inside)
    });
    let parts: Vec<(Aabb, Vec<u32>)> =
        if numbers.len() <= FEW || depth >= DEEPEST { Vec::new() } else { parts.collect() };
    // Boxes larger than the cell are in all parts, which gains nothing.
    let spread: usize = parts.iter().map(|(_, inside)| inside.len()).sum();
    if parts.is_empty() || spread >= 4 * numbers.len() {
        return compare(boxes, &numbers, pairs);
    }
    for (cell, inside) in parts {
        octants(boxes, inside, (&cell, center), depth + 1, pairs);
    }
}

fn halves(boxes: &[Aabb], numbers: Vec<u32>, depth: u32, pairs: &mut Vec<(u32, u32)>) {
    if numbers.len() <= FEW || depth >= 3 * DEEPEST {
        return compare(boxes, &numbers, pairs);
    }
    let axis = (depth % 3) as usize;
    let mut middles: Vec<f64> = numbers.iter().map(|&i| boxes[i as usize].center()[axis]).collect();
    middles.sort_by(f64::total_cmp);
    let plane = middles[middles.len() / 2];
    let below: Vec<u32> = numbers.iter().copied().filter(|&i| boxes[i as usize].min[axis] <= plane).collect();
    let above: Vec<u32> = numbers.iter().copied().filter(|&i| boxes[i as usize].max[axis] >= plane).collect();
    let parts = [below, above];
    if parts.iter().any(|part| part.len() == numbers.len()) && depth >= DEEPEST {
        return compare(boxes, &numbers, pairs);
    }
    for part in parts {
        halves(boxes, part, depth + 1, pairs);
    }
}

fn one_axis(boxes: &[Aabb], mut numbers: Vec<u32>, pairs: &mut Vec<(u32, u32)>) {
    numbers.sort_by(|&i, &j| boxes[i as usize].min.x.total_cmp(&boxes[j as usize].min.x).then(i.cmp(&j)));
    for (k, &i) in numbers.iter().enumerate() {
        let reach = boxes[i as usize].max.x;
        let near = numbers[k + 1..].iter().take_while(|&&j| boxes[j as usize].min.x <= reach);
        let met = near.filter(|&&j| boxes[i as usize].overlaps(&boxes[j as usize]));
        pairs.extend(met.map(|&j| (i.min(j), i.max(j))));
    }
}

/// Pairs of rectangles of a coordinate plane that overlap: a sweep along the first axis, with the intervals of the second
/// that are open kept in order of their lower ends.
fn sweep_plane(boxes: &[Aabb], numbers: &[u32], [first, second]: [usize; 2]) -> Vec<(u32, u32)> {
    let mut events: Vec<(f64, bool, u32)> = numbers
        .iter()
        .flat_map(|&i| [(boxes[i as usize].min[first], false, i), (boxes[i as usize].max[first], true, i)])
        .collect();
    events.sort_by(|x, y| x.0.total_cmp(&y.0).then(x.1.cmp(&y.1)).then(x.2.cmp(&y.2)));
    let mut open: Vec<u32> = Vec::new();
    let low = |i: u32| boxes[i as usize].min[second];
    let mut pairs = Vec::new();
    for (_, closes, i) in events {
        let place = open.partition_point(|&j| (low(j), j) < (low(i), i));
        if closes {
            open.remove(place);
            continue;
        }
        // Only intervals that begin before this one ends can meet it.
        let end = open.partition_point(|&j| low(j) <= boxes[i as usize].max[second]);
        let met = open[..end].iter().filter(|&&j| boxes[j as usize].max[second] >= low(i));
        pairs.extend(met.map(|&j| (i.min(j), i.max(j))));
        open.insert(place, i);
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::dvec3;
    use noli_scenes::SplitMix64;

    fn all_pairs(boxes: &[Aabb]) -> Vec<(u32, u32)> {
        let mut pairs = Vec::new();
        compare(boxes, &(0..boxes.len() as u32).collect::<Vec<_>>(), &mut pairs);
        pairs.sort_unstable();
        pairs
    }

    /// On a coarse grid, so that many boxes touch, many are flat and some are alike.
    fn random_box(random: &mut SplitMix64) -> Aabb {
        let mut grid = |n: f64| random.between(0.0, n).floor();
        let min = dvec3(grid(12.0), grid(12.0), grid(12.0));
        let size = dvec3(grid(4.0), grid(4.0), if grid(10.0) < 1.0 { 12.0 } else { grid(3.0) });
        Aabb { min, max: min + size }
    }

    fn lists_agree(lists: &AxisLists, boxes: &[Aabb]) {
        for i in 0..boxes.len() as u32 {
            let met =
                (0..boxes.len() as u32).filter(|&j| j != i && boxes[i as usize].overlaps(&boxes[j as usize]));
            assert_eq!(lists.overlapping(i), met.collect::<Vec<_>>(), "{i}");
        }
    }

    #[test]
    fn every_partition_finds_all_pairs() {
        let mut random = SplitMix64::new(6);
        for count in [0, 1, 2, 9, 40, 150] {
            for _ in 0..6 {
                let mut boxes: Vec<Aabb> = (0..count).map(|_| random_box(&mut random)).collect();
                if count > 2 {
                    boxes[1] = boxes[0];
                }
                let truth = all_pairs(&boxes);
                for partition in Partition::ALL {
                    assert_eq!(partition.pairs(&boxes), truth, "{partition:?} of {count}");
                }
                lists_agree(&AxisLists::new(&boxes), &boxes);
            }
        }
        // Boxes that touch at zeros of both signs.
        let below = Aabb { min: -DVec3::ONE, max: -DVec3::ZERO };
        let touching = [below, Aabb { min: DVec3::ZERO, max: DVec3::ONE }];
        assert_eq!(AxisLists::new(&touching).overlapping(0), [1]);
        let mut lists = AxisLists::new(&[touching[1], Aabb { min: DVec3::ONE * 5.0, max: DVec3::ONE * 6.0 }]);
        lists.set(1, &below);
        assert_eq!(lists.overlapping(0), [1]);
        for partition in Partition::ALL {
            assert_eq!(partition.pairs(&touching), [(0, 1)], "{partition:?}");
        }
        // All in one place, and one that is empty.
        let boxes = vec![Aabb { min: DVec3::ZERO, max: DVec3::ONE }; 20];
        let with_empty: Vec<Aabb> = boxes.iter().copied().chain([Aabb::EMPTY]).collect();
        for partition in Partition::ALL {
            assert_eq!(partition.pairs(&with_empty).len(), 190, "{partition:?}");
        }
    }

    /// Small moves, far jumps in both directions, insertions and removals: the sets equal those of rebuilt
    /// lists, and small moves swap little.
    #[test]
    fn moved_lists_are_those_made_anew() {
        let mut random = SplitMix64::new(61);
        let mut boxes: Vec<Aabb> = (0..40).map(|_| random_box(&mut random)).collect();
        let mut lists = AxisLists::new(&boxes);
        for round in 0..300 {
            let i = (random.between(0.0, boxes.len() as f64) as usize).min(boxes.len() - 1);
            boxes[i] = match round % 3 {
                0 => random_box(&mut random),
                1 => Aabb { min: boxes[i].min + DVec3::X, max: boxes[i].max + DVec3::X },
                _ => Aabb { min: boxes[i].min - 40.0, max: boxes[i].max - 40.0 },
            };
            lists.set(i as u32, &boxes[i]);
            if round % 50 == 7 {
                boxes.push(random_box(&mut random));
                assert_eq!(lists.insert(boxes.last().unwrap()) as usize, boxes.len() - 1);
            }
            if round % 10 == 0 {
                lists_agree(&lists, &boxes);
                assert_eq!(lists.axis_overlaps(), AxisLists::new(&boxes).axis_overlaps());
            }
        }
        let before = lists.swaps();
        boxes[3] = Aabb { min: boxes[3].min + 1e-9, max: boxes[3].max + 1e-9 };
        lists.set(3, &boxes[3]);
        assert!(lists.swaps() - before <= 3 * 2 * 60);
        lists.remove(5);
        assert!((0..boxes.len() as u32).all(|i| !lists.overlapping(i).contains(&5)));
    }

    /// The intervals [2, 3] and [½, 1½], both moved to [1, 2], touch [0, 1] from whichever side they come.
    #[test]
    fn touching_does_not_depend_on_the_way_there() {
        let along = |low: f64, high: f64| Aabb { min: dvec3(low, 0., 0.), max: dvec3(high, 1., 1.) };
        for start in [along(2.0, 3.0), along(0.5, 1.5), along(-9.0, -8.0)] {
            let mut lists = AxisLists::new(&[along(0.0, 1.0), start]);
            lists.set(1, &along(1.0, 2.0));
            assert_eq!(lists.overlapping(0), [1]);
        }
    }
}
