//! Lattice noise after Perlin (2002): a random gradient at every integer point, blended over each unit cube
//! by the polynomial `6t⁵ − 15t⁴ + 10t³`. Zero at integer points, hardly ever beyond ±1, twice
//! continuously differentiable. The table of gradients is replaced by a hash, so the pattern never repeats.

use noli_geom::Interval;

/// No value is larger, whatever the gradients are; a test proves it by subdivision.
const BOUND: f64 = 1.35;

/// A box over more cubes than this gets the bound that holds everywhere.
const MOST_CUBES: f64 = 8.0;

/// Upper bound on the slope along any axis. The blend is no steeper than 15/8, vertex values differ by at
/// most 4, and their own slopes are at most 1.
pub(crate) const STEEPEST: f64 = 8.5;

/// The twelve directions to the edges of a cube.
const DIRECTIONS: [[f64; 3]; 12] = [
    [1.0, 1.0, 0.0],
    [-1.0, 1.0, 0.0],
    [1.0, -1.0, 0.0],
    [-1.0, -1.0, 0.0],
    [1.0, 0.0, 1.0],
    [-1.0, 0.0, 1.0],
    [1.0, 0.0, -1.0],
    [-1.0, 0.0, -1.0],
    [0.0, 1.0, 1.0],
    [0.0, -1.0, 1.0],
    [0.0, 1.0, -1.0],
    [0.0, -1.0, -1.0],
];

fn direction(vertex: [f64; 3]) -> [f64; 3] {
    let mut hash = 0x9e37_79b9_7f4a_7c15u64;
    for coordinate in vertex {
        // The bits tell integers apart at any size; adding zero makes one zero of two.
        hash = (hash ^ (coordinate + 0.0).to_bits()).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        hash ^= hash >> 29;
    }
    DIRECTIONS[((hash >> 32) % 12) as usize]
}

/// The noise at a point, rounded.
pub fn at(point: [f64; 3]) -> f64 {
    if !point.iter().all(|c| c.is_finite()) {
        return 0.0;
    }
    let base = point.map(f64::floor);
    let offset: [f64; 3] = std::array::from_fn(|k| point[k] - base[k]);
    let fade = offset.map(|t| t * t * t * (t * (t * 6.0 - 15.0) + 10.0));
    let vertex = |dx: usize, dy: usize, dz: usize| {
        let d = [dx as f64, dy as f64, dz as f64];
        let g = direction(std::array::from_fn(|k| base[k] + d[k]));
        (0..3).map(|k| g[k] * (offset[k] - d[k])).sum::<f64>()
    };
    let mix = |a: f64, b: f64, t: f64| a + t * (b - a);
    let edge = |dy, dz| mix(vertex(0, dy, dz), vertex(1, dy, dz), fade[0]);
    let side = |dz| mix(edge(0, dz), edge(1, dz), fade[1]);
    mix(side(0), side(1), fade[2])
}

/// All values that the noise takes on a box.
pub fn range(cell: [Interval; 3]) -> Interval {
    let everywhere = Interval::new(-BOUND, BOUND);
    let [first, last] = [Interval::lo, Interval::hi].map(|end| cell.map(|side| end(side).floor()));
    let cubes: f64 = (0..3).map(|k| last[k] - first[k] + 1.0).product();
    // NaN where the box has no end.
    let few = cubes <= MOST_CUBES;
    if !few {
        return everywhere;
    }
    let steps = |k: usize| (0..=(last[k] - first[k]) as usize).map(move |i| first[k] + i as f64);
    let mut all: Option<Interval> = None;
    for x in steps(0) {
        for y in steps(1) {
            for z in steps(2) {
                let here = range_in_cube([x, y, z], &cell);
                all = Some(all.map_or(here, |others| others.hull(here)));
            }
        }
    }
    all.and_then(|all| all.intersection(everywhere)).unwrap_or(everywhere)
}

/// The range over the part of the cell in the unit cube at `base`.
fn range_in_cube(base: [f64; 3], cell: &[Interval; 3]) -> Interval {
    let unit = Interval::new(0.0, 1.0);
    let offset: [Interval; 3] = std::array::from_fn(|k| {
        let shifted = cell[k] - Interval::from(base[k]);
        shifted.intersection(unit).unwrap_or(unit)
    });
    let fade = offset.map(fade_range);
    let vertex = |dx: usize, dy: usize, dz: usize| {
        let d = [dx as f64, dy as f64, dz as f64];
        let g = direction(std::array::from_fn(|k| base[k] + d[k]));
        (0..3).fold(Interval::ZERO, |sum, k| sum + Interval::from(g[k]) * (offset[k] - Interval::from(d[k])))
    };
    let edge = |dy, dz| mix_range(vertex(0, dy, dz), vertex(1, dy, dz), fade[0]);
    let side = |dz| mix_range(edge(0, dz), edge(1, dz), fade[1]);
    mix_range(side(0), side(1), fade[2])
}

/// The fade polynomial rises from 0 to 1, so its ends suffice.
fn fade_range(t: Interval) -> Interval {
    let fade = |t: f64| {
        let t = Interval::from(t);
        t.powi(3) * (t * (t * Interval::from(6.0) - Interval::from(15.0)) + Interval::from(10.0))
    };
    let (least, greatest) = (fade(t.lo()), fade(t.hi()));
    Interval::new(least.lo().max(0.0), greatest.hi().min(1.0))
}

/// Mixtures of a number of each, with shares in [0, 1]: extreme where the share is.
fn mix_range(a: Interval, b: Interval, share: Interval) -> Interval {
    let mix = |share: f64| {
        let share = Interval::from(share);
        a * (Interval::ONE - share) + b * share
    };
    mix(share.lo()).hull(mix(share.hi()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_hold_what_points_show() {
        let mut state = 1u64;
        let mut real = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1u64 << 53) as f64
        };
        let mut largest: f64 = 0.0;
        for _ in 0..20_000 {
            let size = [0.01, 0.3, 1.2, 3.0][(real() * 4.0) as usize];
            let vertex: [f64; 3] = std::array::from_fn(|_| real() * 20.0 - 10.0);
            let cell = vertex.map(|c| Interval::new(c, c + size));
            let range = range(cell);
            for _ in 0..4 {
                let value = at(vertex.map(|c| c + size * real()));
                largest = largest.max(value.abs());
                assert!(range.lo() - 1e-14 <= value && value <= range.hi() + 1e-14);
            }
            if size == 0.01 {
                assert!(range.width() < 0.3, "{range:?}");
            }
        }
        assert!(largest > 0.6 && largest < 1.04);
    }

    /// The largest that any choice of gradients could make of a point, over cells that cover a cube.
    #[test]
    fn the_bound_holds_for_any_gradients() {
        let n = 24;
        let sides = |i: u32| Interval::new(f64::from(i) / f64::from(n), f64::from(i + 1) / f64::from(n));
        let mut largest: f64 = 0.0;
        for (i, j, k) in
            (0..n / 2).flat_map(|i| (0..n / 2).flat_map(move |j| (0..n / 2).map(move |k| (i, j, k))))
        {
            let offset = [sides(i), sides(j), sides(k)];
            let fade = offset.map(fade_range);
            let mut sum = Interval::ZERO;
            for vertex in 0..8 {
                let is_far = [0, 1, 2].map(|axis| vertex >> axis & 1 == 1);
                let mut weight = Interval::ONE;
                let mut reach = [0.0; 3];
                for axis in 0..3 {
                    let far = Interval::from(f64::from(u8::from(is_far[axis])));
                    weight = weight * if is_far[axis] { fade[axis] } else { Interval::ONE - fade[axis] };
                    reach[axis] = (offset[axis] - far).magnitude();
                }
                reach.sort_by(f64::total_cmp);
                sum = sum + weight * Interval::from(reach[1] + reach[2]);
            }
            largest = largest.max(sum.hi());
        }
        assert!(largest < BOUND, "{largest}");
    }

    #[test]
    fn slopes_stay_below_the_bound() {
        let h = 1e-5;
        for i in 0..20_000 {
            let p = [f64::from(i) * 0.317, f64::from(i) * 0.731, f64::from(i) * 0.119];
            let slope = (at([p[0] + h, p[1], p[2]]) - at(p)) / h;
            assert!(slope.abs() < STEEPEST);
        }
    }
}
