//! Static bounding volume hierarchy (BVH) of boxes: built once, queried from many threads with borrowed scratch
//! memory.

use super::{is_bounded, without_nan};
use noli_geom::{Aabb, UNIT_ROUNDOFF};

#[derive(Clone, Copy, Debug)]
struct Node {
    bounds: Aabb,
    content: Content,
}

#[derive(Clone, Copy, Debug)]
enum Content {
    /// The first child follows its parent; this is the second.
    Children(u32),
    /// The number of a box.
    Box(u32),
}

/// Boxes, named by numbers. Like [`BroadPhase`](super::BroadPhase), it loses no pair: touching boxes overlap,
/// empty ones overlap nothing, and an edge that is NaN counts as infinitely far out.
#[derive(Clone, Debug, Default)]
pub(crate) struct FixedBoxes {
    nodes: Vec<Node>,
    /// Boxes without bounds would make every node as large.
    unbounded: Vec<(u32, Aabb)>,
}

impl FixedBoxes {
    pub(crate) fn new(boxes: impl IntoIterator<Item = (u32, Aabb)>) -> Self {
        let mut fixed = Self::default();
        let mut bounded = Vec::new();
        for (number, bounds) in boxes {
            let bounds = without_nan(&bounds);
            match bounds.is_empty() {
                true => {}
                false if is_bounded(&bounds) => bounded.push((number, bounds)),
                false => fixed.unbounded.push((number, bounds)),
            }
        }
        if !bounded.is_empty() {
            fixed.halves(&mut bounded);
        }
        fixed
    }

    /// Halves by the middle of the longest side, so the tree is as deep as the logarithm of the number of
    /// boxes.
    fn halves(&mut self, boxes: &mut [(u32, Aabb)]) {
        let at = self.nodes.len();
        let bounds = boxes.iter().fold(Aabb::EMPTY, |all, (_, one)| all.union(*one));
        self.nodes.push(Node { bounds, content: Content::Box(boxes[0].0) });
        if boxes.len() == 1 {
            return;
        }
        let size = Aabb::from_points(boxes.iter().map(|(_, bounds)| bounds.center())).size();
        let axis = (0..3).fold(0, |best, k| if size[k] > size[best] { k } else { best });
        let key = |(_, bounds): &(u32, Aabb)| bounds.center()[axis];
        let half = boxes.len() / 2;
        boxes.select_nth_unstable_by(half, |x, y| key(x).total_cmp(&key(y)).then(x.0.cmp(&y.0)));
        let (low, high) = boxes.split_at_mut(half);
        self.halves(low);
        self.nodes[at].content = Content::Children(self.nodes.len() as u32);
        self.halves(high);
    }

    /// Visits the numbers of all boxes that overlap this one, each once, in unspecified order.
    pub(crate) fn overlapping(&self, bounds: &Aabb, stack: &mut Vec<u32>, mut tell: impl FnMut(u32)) {
        let bounds = &without_nan(bounds);
        self.unbounded.iter().filter(|(_, one)| one.overlaps(bounds)).for_each(|(number, _)| tell(*number));
        stack.clear();
        stack.extend((!self.nodes.is_empty()).then_some(0));
        while let Some(at) = stack.pop() {
            let node = &self.nodes[at as usize];
            if !node.bounds.overlaps(bounds) {
                continue;
            }
            match node.content {
                Content::Box(number) => tell(number),
                Content::Children(second) => stack.extend([second, at + 1]),
            }
        }
    }

    /// Visits box numbers with lower bounds on their distance; the search descends into the nearer half first. The
    /// callback returns the distance up to which further boxes are of interest. All boxes nearer than the last
    /// returned value have been visited.
    pub(crate) fn nearest(
        &self,
        bounds: &Aabb,
        mut within: f64,
        stack: &mut Vec<u32>,
        mut tell: impl FnMut(u32, f64) -> f64,
    ) {
        let bounds = &without_nan(bounds);
        for (number, one) in &self.unbounded {
            let clearance = clearance_at_least(one, bounds);
            if clearance <= within {
                within = tell(*number, clearance);
            }
        }
        let clearance = |at: u32| clearance_at_least(&self.nodes[at as usize].bounds, bounds);
        stack.clear();
        stack.extend((!self.nodes.is_empty()).then_some(0));
        while let Some(at) = stack.pop() {
            if clearance(at) > within {
                continue;
            }
            match self.nodes[at as usize].content {
                Content::Box(number) => within = tell(number, clearance(at)),
                Content::Children(second) if clearance(second) < clearance(at + 1) => {
                    stack.extend([at + 1, second])
                }
                Content::Children(second) => stack.extend([second, at + 1]),
            }
        }
    }
}

/// Returns the distance of two boxes, rounded down. Differences, squares, sum and root together err by less
/// than `4u`.
pub(crate) fn clearance_at_least(a: &Aabb, b: &Aabb) -> f64 {
    let separated = (a.min - b.max).max(b.min - a.max).max(glam::DVec3::ZERO);
    separated.length() * (1.0 - 8.0 * UNIT_ROUNDOFF)
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;
    use noli_scenes::SplitMix64;

    fn boxes(random: &mut SplitMix64, count: u32) -> Vec<(u32, Aabb)> {
        let mut vector = |low: f64, high: f64| DVec3::from_array([(); 3].map(|()| random.between(low, high)));
        (0..count)
            .map(|number| {
                let min = vector(-10.0, 10.0);
                (3 * number, Aabb { min, max: min + vector(0.0, 2.0) })
            })
            .collect()
    }

    #[test]
    fn no_box_is_lost_and_none_told_twice() {
        let mut random = SplitMix64::new(5);
        for count in [0, 1, 2, 3, 17, 200] {
            let mut all = boxes(&mut random, count);
            all.push((1, Aabb { min: DVec3::NEG_INFINITY, max: DVec3::new(0.0, f64::NAN, 1.0) }));
            all.push((2, Aabb::EMPTY));
            let fixed = FixedBoxes::new(all.iter().copied());
            let mut stack = Vec::new();
            for (_, asked) in boxes(&mut random, 50) {
                let mut found = Vec::new();
                fixed.overlapping(&asked, &mut stack, |number| found.push(number));
                found.sort_unstable();
                let mut expected: Vec<u32> = all
                    .iter()
                    .filter(|(_, one)| without_nan(one).overlaps(&asked))
                    .map(|(number, _)| *number)
                    .collect();
                expected.sort_unstable();
                assert_eq!(found, expected);
                let clearance = |number: u32| {
                    let one = all.iter().find(|(other, _)| *other == number).map(|(_, one)| without_nan(one));
                    one.map_or(f64::INFINITY, |one| clearance_at_least(&one, &asked))
                };
                let (mut nearest, mut told) = (f64::INFINITY, 0);
                fixed.nearest(&asked, f64::INFINITY, &mut stack, |number, at_least| {
                    told += 1;
                    assert_eq!(at_least, clearance(number));
                    nearest = clearance(number).min(nearest);
                    nearest
                });
                let least =
                    all.iter().map(|(number, _)| clearance(*number)).filter(|clearance| !clearance.is_nan());
                assert_eq!(nearest, least.fold(f64::INFINITY, f64::min));
                assert!(told <= all.len());
            }
        }
    }
}
