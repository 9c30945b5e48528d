//! Sphere sets of two pieces in one configuration: outer spheres separate, inner spheres collide.

use super::lane::{LaneView, PairVerdict, Place, placed};
use super::{Piece, PiecePair, Row, U, ZERO};
use crate::cell::LANES;
use noli::internals::Simd;
use noli_geom::Sphere;

/// Up to sixteen spheres on a frame; the first stands in for those that are missing.
#[derive(Clone, Copy, Debug)]
pub(super) struct SphereSet {
    center: [Row; 3],
    radius: Row,
    pub(super) count: usize,
    /// A sphere around all of them.
    around: ([f32; 3], f32),
}

impl SphereSet {
    /// Of spheres in the frame they are on, their radii changed by how far they may be off.
    pub(super) fn new(spheres: &[Sphere], change: f64) -> Self {
        let count = spheres.len();
        let mut all = Self { center: [ZERO; 3], radius: ZERO, count, around: ([0.0; 3], 0.0) };
        if count == 0 {
            return all;
        }
        let around = around(spheres);
        all.around = (around.center.as_vec3().to_array(), (around.radius + change.abs()) as f32);
        for k in 0..LANES {
            let sphere = spheres.get(k).unwrap_or(&spheres[0]);
            for axis in 0..3 {
                all.center[axis].0[k] = sphere.center[axis] as f32;
            }
            all.radius.0[k] = (sphere.radius + change).max(0.0) as f32;
        }
        all
    }

    /// A sphere around all of them.
    pub(super) fn around(&self) -> ([f32; 3], f32) {
        self.around
    }

    /// The centre and radius of one of sixteen.
    pub(super) fn sphere(&self, k: usize) -> [f32; 4] {
        [self.center[0].0[k], self.center[1].0[k], self.center[2].0[k], self.radius.0[k]]
    }

    /// The squares of the distances of a point on the frame, and the radii plus a length.
    #[inline(always)]
    fn distances<S: Simd>(&self, s: S, point: [f32; 3], more: f32) -> (S::F, S::F) {
        let x = s.load(&self.center[0].0) - s.splat(point[0]);
        let y = s.load(&self.center[1].0) - s.splat(point[1]);
        let z = s.load(&self.center[2].0) - s.splat(point[2]);
        (x * x + y * y + z * z, s.load(&self.radius.0) + s.splat(more))
    }

    /// The spheres that, grown by `more`, may reach a point on the frame.
    #[inline(always)]
    pub(super) fn reaching<S: Simd>(&self, s: S, point: [f32; 3], more: f32) -> u16 {
        let (square, reach) = self.distances(s, point, more);
        !s.gt(square, reach * reach * s.splat(1.0 + 32.0 * U as f32)) & first(self.count)
    }

    /// Returns `true` if one of them, grown by `more`, certainly holds a point on the frame.
    #[inline(always)]
    pub(super) fn holds<S: Simd>(&self, s: S, point: [f32; 3], more: f32) -> bool {
        let (square, reach) = self.distances(s, point, more);
        let reach = s.max(reach, s.splat(0.0));
        s.gt(reach * reach * s.splat(1.0 - 32.0 * U as f32), square) & first(self.count) != 0
    }

    /// The spheres at their positions in one configuration.
    #[inline(always)]
    pub(super) fn at<S: Simd>(&self, s: S, place: &Place) -> PosedSet<S> {
        let [x, y, z] = [s.load(&self.center[0].0), s.load(&self.center[1].0), s.load(&self.center[2].0)];
        let radius = s.load(&self.radius.0);
        let Some((turn, shift)) = place else { return PosedSet { center: [x, y, z], radius } };
        let mut center = [x, y, z];
        for row in 0..3 {
            let moved = x * s.splat(turn[row][0]) + y * s.splat(turn[row][1]) + z * s.splat(turn[row][2]);
            center[row] = s.splat(shift[row]) + moved;
        }
        PosedSet { center, radius }
    }
}

/// A sphere around spheres.
pub(super) fn around(spheres: &[Sphere]) -> Sphere {
    if let [sphere] = spheres {
        return *sphere;
    }
    let mut center = Sphere::smallest(&spheres.iter().map(|sphere| sphere.center).collect::<Vec<_>>()).center;
    if !center.is_finite() {
        center = spheres[0].center;
    }
    let reach = |sphere: &Sphere| (sphere.center.distance(center) + sphere.radius) * (1.0 + 1e-12);
    Sphere { center, radius: spheres.iter().map(reach).fold(0.0, f64::max) }
}

/// Spheres at their positions in one configuration.
pub(super) struct PosedSet<S: Simd> {
    pub(super) center: [S::F; 3],
    pub(super) radius: S::F,
}

impl<S: Simd> LaneView<'_, S> {
    /// The verdict on two pieces by their sphere sets.
    #[inline(always)]
    pub(super) fn classify(&self, pair: &PiecePair) -> PairVerdict {
        if pair.open {
            return PairVerdict::Unsure(0.0);
        }
        if let Some(other) = &pair.vs_primitive {
            return self.classify_vs_primitive(other);
        }
        if let Some(other) = pair.vs_cloud
            && let Some(cloud) = &self.piece(other.cloud).cloud
        {
            return self.classify_vs_cloud(cloud, other.piece);
        }
        let (s, more) = (self.s, self.more);
        let (a, b) = (self.piece(pair.pieces[0]), self.piece(pair.pieces[1]));
        let place_a = self.place(a);
        let mut x = a.outer.at(s, &place_a);
        x.radius = x.radius + s.splat(more);
        // Only spheres that reach the bounding sphere of the other piece may reach any of its spheres.
        let near_a = reaching(s, &x, (self.center(pair.pieces[1]), b.outside)) & first(a.outer.count);
        if near_a == 0 {
            return PairVerdict::Separated;
        }
        let place_b = self.place(b);
        let y = b.outer.at(s, &place_b);
        let near_b = reaching(s, &y, (self.center(pair.pieces[0]), a.outside + more)) & first(b.outer.count);
        if near_b == 0 {
            return PairVerdict::Separated;
        }
        let (depth, close) = deepest(s, &x, near_a, &y, near_b);
        if depth <= 0.0 {
            return PairVerdict::Separated;
        }
        if a.inner.count > 0 && b.inner.count > 0 {
            let (x, y) = (a.inner.at(s, &place_a), b.inner.at(s, &place_b));
            if any(s, &x, first(a.inner.count), &y, 1.0 - 32.0 * U as f32) {
                return PairVerdict::Collision;
            }
        }
        let overlaps = Overlaps { a: (a, &place_a), b: (b, &place_b), near: near_a, close: &close };
        if !overlaps.fine_touch(self, &y) {
            return PairVerdict::Separated;
        }
        if overlaps.dense_collide(self) { PairVerdict::Collision } else { PairVerdict::Unsure(depth) }
    }
}

/// Two pieces whose outer spheres overlap: which of the first, and for each of them which of the second.
struct Overlaps<'a> {
    a: (&'a Piece, &'a Place),
    b: (&'a Piece, &'a Place),
    near: u16,
    close: &'a [u16; LANES],
}

impl Overlaps<'_> {
    /// Tests the smaller outer spheres in the places of those that overlap; `outer` are those of the second piece.
    #[inline(always)]
    fn fine_touch<S: Simd>(&self, view: &LaneView<'_, S>, outer: &PosedSet<S>) -> bool {
        let (s, (a, place_a), (b, place_b)) = (view.s, self.a, self.b);
        let center = [s.store(outer.center[0]), s.store(outer.center[1]), s.store(outer.center[2])];
        let radius = s.store(outer.radius);
        let mut left = self.near;
        while left != 0 {
            let k = left.trailing_zeros() as usize & 15;
            left &= left - 1;
            if self.close[k] == 0 {
                continue;
            }
            let mut x = a.fine[k].at(s, place_a);
            x.radius = x.radius + s.splat(view.more);
            let mut others = self.close[k];
            while others != 0 {
                let other = others.trailing_zeros() as usize & 15;
                others &= others - 1;
                // What is in the other place is within the sphere around it.
                let sphere = ([center[0][other], center[1][other], center[2][other]], radius[other]);
                let reach = reaching(s, &x, sphere) & first(a.fine[k].count);
                if reach != 0 && any(s, &x, reach, &b.fine[other].at(s, place_b), 1.0 + 32.0 * U as f32) {
                    return true;
                }
            }
        }
        false
    }

    /// Tests the inner spheres about the places of outer spheres that overlap.
    #[inline(always)]
    fn dense_collide<S: Simd>(&self, view: &LaneView<'_, S>) -> bool {
        let (s, (a, place_a), (b, place_b)) = (view.s, self.a, self.b);
        let mut near = self.near;
        while near != 0 {
            let k = near.trailing_zeros() as usize & 15;
            near &= near - 1;
            let (own, mut others) = (&a.dense[k], self.close[k]);
            if own.count == 0 || others == 0 {
                continue;
            }
            let x = own.at(s, place_a);
            while others != 0 {
                let other = &b.dense[others.trailing_zeros() as usize & 15];
                others &= others - 1;
                if other.count == 0 {
                    continue;
                }
                let around = (placed(place_b, other.around.0), other.around.1);
                let reach = reaching(s, &x, around) & first(own.count);
                if reach != 0 && any(s, &x, reach, &other.at(s, place_b), 1.0 - 32.0 * U as f32) {
                    return true;
                }
            }
        }
        false
    }
}

#[inline(always)]
pub(super) fn highest(lanes: [f32; LANES]) -> f32 {
    let mut highest = f32::MIN;
    for lane in 0..LANES {
        highest = if lanes[lane] > highest { lanes[lane] } else { highest };
    }
    highest
}

/// The first lanes.
#[inline(always)]
pub(super) fn first(count: usize) -> u16 {
    (((1u32 << count) - 1) & 0xffff) as u16
}

/// The spheres of a set that reach a sphere.
#[inline(always)]
fn reaching<S: Simd>(s: S, set: &PosedSet<S>, (center, radius): ([f32; 3], f32)) -> u16 {
    let x = set.center[0] - s.splat(center[0]);
    let y = set.center[1] - s.splat(center[1]);
    let z = set.center[2] - s.splat(center[2]);
    let sum = set.radius + s.splat(radius);
    !s.gt(x * x + y * y + z * z, sum * sum * s.splat(1.0 + 32.0 * U as f32))
}

/// By how much the square of the sum of two radii exceeds the square of the distance at most, not above 0 if
/// all are separated; and for each sphere of the first set those of the second that it overlaps.
#[inline(always)]
fn deepest<S: Simd>(
    s: S,
    a: &PosedSet<S>,
    mut near_a: u16,
    b: &PosedSet<S>,
    near_b: u16,
) -> (f32, [u16; LANES]) {
    let center = [s.store(a.center[0]), s.store(a.center[1]), s.store(a.center[2])];
    let radius = s.store(a.radius);
    let mut close = [0; LANES];
    let mut most = s.splat(f32::MIN);
    while near_a != 0 {
        let k = near_a.trailing_zeros() as usize & 15;
        near_a &= near_a - 1;
        let x = s.splat(center[0][k]) - b.center[0];
        let y = s.splat(center[1][k]) - b.center[1];
        let z = s.splat(center[2][k]) - b.center[2];
        let sum = s.splat(radius[k]) + b.radius;
        let over = sum * sum * s.splat(1.0 + 32.0 * U as f32) - (x * x + y * y + z * z);
        // NaN overlaps.
        close[k] = near_b & !s.gt(s.splat(0.0), over);
        most = s.max(most, over);
    }
    (highest(s.store(s.select(near_b, most, s.splat(f32::MIN)))), close)
}

/// Tests some spheres against others: one is nearer than both radii, the square times `factor`.
#[inline(always)]
fn any<S: Simd>(s: S, a: &PosedSet<S>, mut wanted: u16, b: &PosedSet<S>, factor: f32) -> bool {
    let center = [s.store(a.center[0]), s.store(a.center[1]), s.store(a.center[2])];
    let radius = s.store(a.radius);
    let mut meet = 0;
    while wanted != 0 {
        let k = wanted.trailing_zeros() as usize & 15;
        wanted &= wanted - 1;
        let x = s.splat(center[0][k]) - b.center[0];
        let y = s.splat(center[1][k]) - b.center[1];
        let z = s.splat(center[2][k]) - b.center[2];
        let sum = s.splat(radius[k]) + b.radius;
        meet |= s.gt(sum * sum * s.splat(factor), x * x + y * y + z * z);
    }
    meet != 0
}
