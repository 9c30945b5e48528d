//! A tree over points: sixteen points to a leaf and sixteen boxes to a node, in the order of a curve through
//! space (Morton 1966).
//!
//! Building takes one radix sort and one pass, so that a sensor may send a new cloud at every frame.
//! Coordinates are single precision, relative to the centre of the cloud and in a unit of its size. Exact
//! verdicts use the given points; the tree only selects candidates.

use crate::simd::Simd;
use glam::DVec3;
use noli_geom::Aabb;

/// Points in a leaf and children of a node.
const WIDTH: usize = 16;
/// No stored point is further than this from the given one, in units of the tree: three coordinates of at most
/// 1 are rounded by half a unit in the last place each, and by far less before.
const STORED: f32 = f32::EPSILON;

/// Sixteen numbers of single precision.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Row([f32; WIDTH]);

/// Sixteen points; infinitely far where there are fewer.
#[derive(Clone, Copy, Debug)]
struct Leaf([Row; 3]);

/// Sixteen boxes; those that are missing have no point.
#[derive(Clone, Copy, Debug)]
struct Boxes {
    low: [Row; 3],
    high: [Row; 3],
}

/// A tree over points.
#[derive(Debug)]
pub struct PointTree {
    origin: DVec3,
    unit: f64,
    leaves: Vec<Leaf>,
    /// Numbers of the points in the order of the leaves.
    numbers: Vec<u32>,
    /// Boxes around leaves, around sixteen of these, and so on; one element in the last level.
    levels: Vec<Vec<Boxes>>,
}

impl PointTree {
    /// Builds the tree of finite points.
    pub fn new(points: &[DVec3]) -> Self {
        let bounds = Aabb::from_points(points.iter().copied());
        let origin = if points.is_empty() { DVec3::ZERO } else { bounds.center() };
        let half = (bounds.max - origin).max(origin - bounds.min).max_element();
        let unit = power_of_two_above(half);
        let inverse = 1.0 / unit;
        let shrunk = |point: DVec3| ((point - origin) * inverse).as_vec3().to_array();
        let numbers = curve_order(points, shrunk);
        let mut leaves = Vec::with_capacity(points.len().div_ceil(WIDTH));
        for chunk in numbers.chunks(WIDTH) {
            let mut leaf = Leaf([Row([f32::INFINITY; WIDTH]); 3]);
            for (lane, &number) in chunk.iter().enumerate() {
                let point = shrunk(points[number as usize]);
                (0..3).for_each(|axis| leaf.0[axis].0[lane] = point[axis]);
            }
            leaves.push(leaf);
        }
        let around = |leaf: &Leaf| {
            let fold = |axis: usize, start: f32, f: fn(f32, f32) -> f32| {
                let finite = leaf.0[axis].0.iter().copied().filter(|x| x.is_finite());
                finite.fold(start, f)
            };
            let low = [0, 1, 2].map(|axis| fold(axis, f32::INFINITY, f32::min));
            let high = [0, 1, 2].map(|axis| fold(axis, f32::NEG_INFINITY, f32::max));
            (low, high)
        };
        let levels = levels(leaves.iter().map(around).collect());
        Self { origin, unit, leaves, numbers, levels }
    }

    /// The point that is the origin of the tree's coordinates, and the length of their unit, a power of two.
    pub fn frame(&self) -> (DVec3, f64) {
        (self.origin, self.unit)
    }

    /// Largest distance of a stored point from the given one, in units of the tree.
    pub const fn error() -> f32 {
        STORED
    }

    /// Visits the leaves with stored points within a distance of `center`, given by its square, until `visit` returns
    /// `false`; all in the frame of the tree. It receives sixteen points and a mask of those within the distance;
    /// NaN counts as near.
    #[inline(always)]
    pub fn visit_near<S: Simd>(
        &self,
        s: S,
        center: [f32; 3],
        square: f32,
        mut visit: impl FnMut(&[S::F; 3], u16) -> bool,
    ) {
        let Some(top) = self.levels.len().checked_sub(1) else { return };
        let at = [s.splat(center[0]), s.splat(center[1]), s.splat(center[2])];
        let limit = s.splat(square);
        let mut open = [(0u8, 0u32); STACK];
        open[0] = (top as u8, 0);
        let mut count = 1;
        while count > 0 {
            count -= 1;
            let (level, node) = open[count];
            let boxes = &self.levels[usize::from(level)][node as usize];
            let mut near = !s.gt(boxes.distance_sq(s, &at), limit);
            while near != 0 {
                let child = node * WIDTH as u32 + near.trailing_zeros();
                near &= near - 1;
                if level > 0 {
                    if (child as usize) < self.levels[usize::from(level) - 1].len() {
                        open[count] = (level - 1, child);
                        count += 1;
                    }
                } else if let Some(Leaf([x, y, z])) = self.leaves.get(child as usize) {
                    let points = [s.load(&x.0), s.load(&y.0), s.load(&z.0)];
                    let [x, y, z] = [points[0] - at[0], points[1] - at[1], points[2] - at[2]];
                    let found = !s.gt(x * x + y * y + z * z, limit);
                    if found != 0 && !visit(&points, found) {
                        return;
                    }
                }
            }
        }
    }

    /// Visits the numbers of all points in a box of the points' frame, and of some near it, until `visit`
    /// returns `false`.
    pub(crate) fn visit_box(&self, region: &Aabb, visit: &mut dyn FnMut(u32) -> bool) {
        let Some(top) = self.levels.len().checked_sub(1) else { return };
        let room = |x: f64| 4.0 * STORED * (1.0 + x.abs() as f32);
        let (low, high) = ((region.min - self.origin) / self.unit, (region.max - self.origin) / self.unit);
        let low = low.to_array().map(|x| x as f32 - room(x));
        let high = high.to_array().map(|x| x as f32 + room(x));
        let mut open = vec![(top, 0usize)];
        while let Some((level, node)) = open.pop() {
            let boxes = &self.levels[level][node];
            let mut near = boxes.overlapping(&low, &high);
            while near != 0 {
                let child = node * WIDTH + near.trailing_zeros() as usize;
                near &= near - 1;
                if level > 0 {
                    if child < self.levels[level - 1].len() {
                        open.push((level - 1, child));
                    }
                } else if let Some(leaf) = self.leaves.get(child) {
                    let mut inside = leaf.within(&low, &high);
                    while inside != 0 {
                        let place = child * WIDTH + inside.trailing_zeros() as usize;
                        inside &= inside - 1;
                        if place < self.numbers.len() && !visit(self.numbers[place]) {
                            return;
                        }
                    }
                }
            }
        }
    }

    /// Bytes held by the tree.
    pub(crate) fn bytes(&self) -> usize {
        let boxes: usize = self.levels.iter().map(Vec::len).sum();
        self.leaves.len() * size_of::<Leaf>() + self.numbers.len() * 4 + boxes * size_of::<Boxes>()
    }
}

/// Open nodes of a traversal, at most: fifteen siblings wait at each of the eight levels of 2³² points.
const STACK: usize = 8 * WIDTH;

impl Leaf {
    /// The points in a box.
    fn within(&self, low: &[f32; 3], high: &[f32; 3]) -> u16 {
        let mut beyond = 0;
        for axis in 0..3 {
            for lane in 0..WIDTH {
                let x = self.0[axis].0[lane];
                beyond |= u16::from((x < low[axis]) | (x > high[axis])) << lane;
            }
        }
        !beyond
    }
}

impl Boxes {
    const NONE: Self =
        Self { low: [Row([f32::INFINITY; WIDTH]); 3], high: [Row([f32::NEG_INFINITY; WIDTH]); 3] };

    /// Squares of the distances of a point. Rounding is monotonic, so that none exceeds the computed square of
    /// the distance of a point in the box.
    #[inline(always)]
    fn distance_sq<S: Simd>(&self, s: S, at: &[S::F; 3]) -> S::F {
        let zero = s.splat(0.0);
        let gap = |axis: usize| {
            let below = s.load(&self.low[axis].0) - at[axis];
            let above = at[axis] - s.load(&self.high[axis].0);
            s.max(zero, s.max(below, above))
        };
        let (x, y, z) = (gap(0), gap(1), gap(2));
        x * x + y * y + z * z
    }

    fn overlapping(&self, low: &[f32; 3], high: &[f32; 3]) -> u16 {
        let mut beyond = 0;
        for axis in 0..3 {
            for lane in 0..WIDTH {
                let apart = (self.high[axis].0[lane] < low[axis]) | (self.low[axis].0[lane] > high[axis]);
                beyond |= u16::from(apart) << lane;
            }
        }
        !beyond
    }
}

/// Boxes by sixteens, and the levels above.
fn levels(mut around: Vec<([f32; 3], [f32; 3])>) -> Vec<Vec<Boxes>> {
    let mut levels = Vec::new();
    while !around.is_empty() {
        let mut level = Vec::with_capacity(around.len().div_ceil(WIDTH));
        let mut above = Vec::with_capacity(level.capacity());
        for chunk in around.chunks(WIDTH) {
            let mut boxes = Boxes::NONE;
            let (mut least, mut most) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
            for (lane, (low, high)) in chunk.iter().enumerate() {
                for axis in 0..3 {
                    boxes.low[axis].0[lane] = low[axis];
                    boxes.high[axis].0[lane] = high[axis];
                    least[axis] = least[axis].min(low[axis]);
                    most[axis] = most[axis].max(high[axis]);
                }
            }
            level.push(boxes);
            above.push((least, most));
        }
        let is_top = level.len() == 1;
        levels.push(level);
        if is_top {
            break;
        }
        around = above;
    }
    levels
}

/// Bits of a coordinate on the curve, and of a digit of the sort.
const CURVE_BITS: u32 = 10;
const DIGIT_BITS: u32 = 10;

/// The numbers of the points in the order of the curve; equal places keep their order.
fn curve_order(points: &[DVec3], shrunk: impl Fn(DVec3) -> [f32; 3]) -> Vec<u32> {
    let cells = (1u32 << CURVE_BITS) as f32;
    let key = |&point: &DVec3| {
        let [x, y, z] = shrunk(point).map(|c| (((c + 1.0) * 0.5 * cells) as u32).min((1 << CURVE_BITS) - 1));
        spread_bits(x) | spread_bits(y) << 1 | spread_bits(z) << 2
    };
    let mut pairs: Vec<(u32, u32)> = points.iter().map(key).zip(0..).collect();
    let mut other = vec![(0, 0); pairs.len()];
    for pass in 0..3 {
        let digit = |key: u32| (key >> (pass * DIGIT_BITS)) as usize & ((1 << DIGIT_BITS) - 1);
        let mut starts = [0u32; 1 << DIGIT_BITS];
        pairs.iter().for_each(|&(key, _)| starts[digit(key)] += 1);
        let mut sum = 0;
        for start in &mut starts {
            sum += std::mem::replace(start, sum);
        }
        for &pair in &pairs {
            let start = &mut starts[digit(pair.0)];
            other[*start as usize] = pair;
            *start += 1;
        }
        std::mem::swap(&mut pairs, &mut other);
    }
    pairs.into_iter().map(|(_, number)| number).collect()
}

/// Two zero bits after each of the lower ten bits.
fn spread_bits(x: u32) -> u32 {
    let x = (x | x << 16) & 0x0300_00ff;
    let x = (x | x << 8) & 0x0300_f00f;
    let x = (x | x << 4) & 0x030c_30c3;
    (x | x << 2) & 0x0924_9249
}

/// A power of two that is larger than a length; 1 for no length.
fn power_of_two_above(length: f64) -> f64 {
    if length.is_nan() || length <= f64::MIN_POSITIVE {
        return 1.0;
    }
    2.0 * f64::from_bits(length.to_bits() & f64::INFINITY.to_bits())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::{Instructions, Task, dispatch};

    struct Within<'t>(&'t PointTree, [f32; 3], f32);

    impl Task for Within<'_> {
        type Output = usize;

        #[inline(always)]
        fn run<S: Simd>(self, s: S) -> usize {
            let mut count = 0;
            self.0.visit_near(s, self.1, self.2, |_, found| {
                count += found.count_ones() as usize;
                true
            });
            count
        }
    }

    fn random(count: usize, seed: u64) -> Vec<DVec3> {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) as f64 / (1u64 << 53) as f64
        };
        (0..count).map(|_| DVec3::new(next(), 3.0 * next() - 1.0, 0.2 * next())).collect()
    }

    #[test]
    fn spheres_find_the_stored_points_that_all_points_find() {
        for count in [1, 2, 15, 16, 17, 255, 256, 257, 5000] {
            let points = random(count, count as u64);
            let tree = PointTree::new(&points);
            let (origin, unit) = tree.frame();
            let stored = |p: DVec3| ((p - origin) * (1.0 / unit)).as_vec3();
            for (k, center) in random(200, 77).into_iter().enumerate() {
                let center = stored(center);
                let radius = 0.3 * (k as f32 + 1.0) / 200.0;
                let square = |p: glam::Vec3| {
                    let d = p - center;
                    d.x * d.x + d.y * d.y + d.z * d.z
                };
                let limit = radius * radius;
                let expected = points.iter().filter(|&&p| square(stored(p)) <= limit).count();
                for set in Instructions::available() {
                    let found = dispatch(set, Within(&tree, center.to_array(), limit));
                    assert_eq!(found, expected, "{count} points, sphere {k}");
                }
            }
        }
    }

    #[test]
    fn boxes_find_every_point_in_them() {
        for count in [0, 1, 16, 17, 300, 5000] {
            let points = random(count, count as u64 + 3);
            let tree = PointTree::new(&points);
            for pair in random(200, 5).chunks(2) {
                let region = Aabb { min: pair[0].min(pair[1]), max: pair[0].max(pair[1]) };
                let mut found = vec![false; count];
                tree.visit_box(&region, &mut |number| {
                    assert!(!std::mem::replace(&mut found[number as usize], true), "visited twice");
                    true
                });
                let near = region.expanded(1e-5);
                for (point, found) in points.iter().zip(found) {
                    let inside = |b: &Aabb| point.cmpge(b.min).all() && point.cmple(b.max).all();
                    assert!(found || !inside(&region));
                    assert!(!found || inside(&near));
                }
            }
        }
    }

    #[test]
    fn clouds_without_size_or_of_any_size_have_a_tree() {
        for scale in [0.0, 1e-300, 1e-30, 1.0, 1e30, 1e80] {
            let points: Vec<DVec3> = random(100, 9).into_iter().map(|p| p * scale).collect();
            let tree = PointTree::new(&points);
            let bounds = Aabb::from_points(points.iter().copied());
            let mut count = 0;
            tree.visit_box(&bounds, &mut |_| {
                count += 1;
                true
            });
            assert_eq!(count, 100, "{scale}");
        }
    }
}
