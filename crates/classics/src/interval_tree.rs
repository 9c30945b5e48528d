//! An interval tree (Edelsbrunner 1980) and the rectangles of a plane that a sweep over it finds to overlap.
//!
//! The ends of all intervals are known before, as they are in a sweep. Each is its place among them, and a node of a
//! binary tree over the places keeps the open intervals that hold its own place and none above it.

use noli_geom::Aabb;
use std::collections::BTreeSet;

#[derive(Clone, Default)]
struct Node {
    by_low: BTreeSet<(usize, u32)>,
    by_high: BTreeSet<(usize, u32)>,
    /// Intervals of the node and of those below.
    below: usize,
}

/// Open intervals, by the places of their ends.
struct IntervalTree {
    /// The node of places `first..end` is that of the place in their middle.
    nodes: Vec<Node>,
}

impl IntervalTree {
    /// The nodes on the path to the one that keeps an interval.
    fn path(&self, [low, high]: [usize; 2]) -> Vec<usize> {
        let (mut first, mut end) = (0, self.nodes.len());
        let mut path = Vec::new();
        while first < end {
            let place = (first + end) / 2;
            path.push(place);
            match () {
                () if high < place => end = place,
                () if low > place => first = place + 1,
                () => break,
            }
        }
        path
    }

    fn insert(&mut self, number: u32, interval: [usize; 2]) {
        let path = self.path(interval);
        path.iter().for_each(|&place| self.nodes[place].below += 1);
        if let Some(&place) = path.last() {
            self.nodes[place].by_low.insert((interval[0], number));
            self.nodes[place].by_high.insert((interval[1], number));
        }
    }

    fn remove(&mut self, number: u32, interval: [usize; 2]) {
        let path = self.path(interval);
        path.iter().for_each(|&place| self.nodes[place].below -= 1);
        if let Some(&place) = path.last() {
            self.nodes[place].by_low.remove(&(interval[0], number));
            self.nodes[place].by_high.remove(&(interval[1], number));
        }
    }

    /// The numbers of the intervals that overlap one; touching counts.
    fn overlapping(&self, [low, high]: [usize; 2]) -> Vec<u32> {
        let mut found = Vec::new();
        let mut open = vec![(0, self.nodes.len())];
        while let Some((first, end)) = open.pop() {
            let place = (first + end) / 2;
            if first >= end || self.nodes[place].below == 0 {
                continue;
            }
            let node = &self.nodes[place];
            if high < place {
                found.extend(node.by_low.range(..=(high, u32::MAX)).map(|(_, number)| *number));
                open.push((first, place));
            } else if low > place {
                found.extend(node.by_high.range((low, 0)..).map(|(_, number)| *number));
                open.push((place + 1, end));
            } else {
                found.extend(node.by_low.iter().map(|(_, number)| *number));
                open.extend([(first, place), (place + 1, end)]);
            }
        }
        found
    }
}

/// Pairs of rectangles of a coordinate plane that overlap, by a sweep along the first axis.
pub(crate) fn sweep_plane(boxes: &[Aabb], numbers: &[u32], [first, second]: [usize; 2]) -> Vec<(u32, u32)> {
    let ends = |i: u32, axis: usize| [boxes[i as usize].min[axis], boxes[i as usize].max[axis]];
    let mut places: Vec<f64> = numbers.iter().flat_map(|&i| ends(i, second)).collect();
    places.sort_by(f64::total_cmp);
    places.dedup();
    let interval = |i: u32| ends(i, second).map(|end| places.partition_point(|place| *place < end));
    let events = |&i: &u32| [(ends(i, first)[0], false, i), (ends(i, first)[1], true, i)];
    let mut events: Vec<(f64, bool, u32)> = numbers.iter().flat_map(events).collect();
    events.sort_by(|x, y| x.0.total_cmp(&y.0).then(x.1.cmp(&y.1)).then(x.2.cmp(&y.2)));
    let mut open = IntervalTree { nodes: vec![Node::default(); places.len()] };
    let mut pairs = Vec::new();
    for (_, closes, i) in events {
        if closes {
            open.remove(i, interval(i));
        } else {
            let met = open.overlapping(interval(i));
            pairs.extend(met.into_iter().map(|j| (i.min(j), i.max(j))));
            open.insert(i, interval(i));
        }
    }
    pairs
}
