//! The search of Savchenko & Pasko, approximate: quasi-random points (Sobol 1967) in the common box, and from
//! promising ones a local search by parabolas along the coordinates, going round.

use glam::DVec3;
use noli_geom::{Aabb, Pose};
use noli_implicit::{Field, PlacedField};

/// Limits of the search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SobolQuery {
    /// Largest number of points to test, those of local searches included.
    pub points: u64,
    /// Local steps end at this share of the box.
    pub tolerance: f64,
}

impl Default for SobolQuery {
    fn default() -> Self {
        Self { points: 1000, tolerance: 1e-6 }
    }
}

/// Result: a common point in the frame of A, or nothing, which proves nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sampled {
    /// A point at which both functions are at most zero, up to rounding.
    pub hit: Option<DVec3>,
    /// Number of points tested.
    pub points: u64,
    /// Number of quasi-random points among them.
    pub starts: u64,
}

/// Approximate: look for a common point at quasi-random places. Finding none does not mean that there is
/// none.
pub fn sobol_search(a: &PlacedField<'_>, b: &PlacedField<'_>, query: &SobolQuery) -> Sampled {
    search(a, b, |search| search.run(query))
}

/// Approximate: the same as published. `points` are the quasi-random points alone, and a local search starts from
/// each of them: parabolas through three equidistant values along a square spiral in the planes of two coordinates,
/// with half the step where a round gains nothing. So a point costs many values.
pub fn sobol_search_as_published(a: &PlacedField<'_>, b: &PlacedField<'_>, query: &SobolQuery) -> Sampled {
    search(a, b, |search| search.run_as_published(query))
}

fn search(
    a: &PlacedField<'_>,
    b: &PlacedField<'_>,
    run: impl FnOnce(&mut Search<'_>) -> Option<DVec3>,
) -> Sampled {
    let a_from_b = a.world_from_field.inverse() * b.world_from_field;
    let bounds_b = b.field.bounds();
    let vertices = bounds_b.vertices().map(|vertex| a_from_b.transform_point(vertex));
    let (box_a, box_b) = (a.field.bounds(), Aabb::from_points(vertices));
    let domain = box_a.intersection(box_b);
    let b_from_a = a_from_b.inverse();
    let mut search = Search { fields: [a.field, b.field], b_from_a, domain, points: 0, starts: 0 };
    let hit = if domain.is_empty() { None } else { run(&mut search) };
    Sampled { hit, points: search.points, starts: search.starts }
}

struct Search<'a> {
    fields: [&'a Field; 2],
    b_from_a: Pose,
    domain: Aabb,
    points: u64,
    starts: u64,
}

impl Search<'_> {
    /// The larger of both functions: not positive at common points.
    fn value(&mut self, point: DVec3) -> f64 {
        self.points += 1;
        self.fields[0].value(point).max(self.fields[1].value(self.b_from_a.transform_point(point)))
    }

    fn run(&mut self, query: &SobolQuery) -> Option<DVec3> {
        let mut sobol = Sobol::default();
        let mut best = f64::INFINITY;
        while self.points < query.points {
            let point = self.domain.min + self.domain.size() * sobol.next_point();
            self.starts += 1;
            let value = self.value(point);
            if value <= 0.0 {
                return Some(point);
            }
            if value < best {
                best = value;
                if let Some(point) = self.descend(point, value, query) {
                    return Some(point);
                }
            }
        }
        None
    }

    fn run_as_published(&mut self, query: &SobolQuery) -> Option<DVec3> {
        let mut sobol = Sobol::default();
        while self.starts < query.points {
            let point = self.domain.min + self.domain.size() * sobol.next_point();
            self.starts += 1;
            let value = self.value(point);
            let found = if value <= 0.0 { Some(point) } else { self.spiral(point, value, query.tolerance) };
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// Legs of a square spiral, +u, +v, −u, −v, the steps growing by one after every second, in each plane of two
    /// coordinates; each leg goes to the vertex of the parabola or, where there is none, to the better side.
    fn spiral(&mut self, mut point: DVec3, mut value: f64, tolerance: f64) -> Option<DVec3> {
        const LEGS: usize = 4;
        let (domain, size) = (self.domain, self.domain.size());
        let mut share = 0.05;
        while share > tolerance {
            let before = value;
            for (u, v) in [(0, 1), (1, 2), (2, 0)] {
                for leg in 0..LEGS {
                    let axis = if leg % 2 == 0 { u } else { v };
                    let side = if leg < 2 { 1.0 } else { -1.0 };
                    let step = side * share * (leg / 2 + 1) as f64 * size[axis];
                    let at = |by: f64| {
                        let mut moved = point;
                        moved[axis] = (moved[axis] + by).clamp(domain.min[axis], domain.max[axis]);
                        moved
                    };
                    let (ahead, behind) = (at(step), at(-step));
                    let (at_ahead, at_behind) = (self.value(ahead), self.value(behind));
                    let bend = at_behind - 2.0 * value + at_ahead;
                    let next = match bend > 0.0 {
                        true => {
                            at((step * (at_behind - at_ahead) / (2.0 * bend)).clamp(-step.abs(), step.abs()))
                        }
                        false if at_ahead <= at_behind => ahead,
                        false => behind,
                    };
                    let at_next = self.value(next);
                    if at_next < value {
                        (point, value) = (next, at_next);
                    }
                    if value <= 0.0 {
                        return Some(point);
                    }
                }
            }
            // A gain too small to lead anywhere before the tolerance is none.
            if value >= before - 1e-3 * before.abs() {
                share *= 0.5;
            }
        }
        None
    }

    /// Parabolas along x, y, z in turn, from three equidistant values.
    fn descend(&mut self, mut point: DVec3, mut value: f64, query: &SobolQuery) -> Option<DVec3> {
        let domain = self.domain;
        let size = domain.size();
        let mut share = 0.1;
        while share > query.tolerance && self.points < query.points {
            let before = value;
            for axis in 0..3 {
                let step = share * size[axis];
                let shifted = |by: f64| {
                    let mut moved = point;
                    moved[axis] = (moved[axis] + by).clamp(domain.min[axis], domain.max[axis]);
                    moved
                };
                let (left, right) = (shifted(-step), shifted(step));
                let (at_left, at_right) = (self.value(left), self.value(right));
                let bend = at_left - 2.0 * value + at_right;
                let to_vertex = step * (at_left - at_right) / (2.0 * bend);
                let vertex = shifted(if bend > 0.0 { to_vertex.clamp(-2.0 * step, 2.0 * step) } else { 0.0 });
                let at_vertex = if bend > 0.0 { self.value(vertex) } else { f64::INFINITY };
                for (candidate, found) in [(left, at_left), (right, at_right), (vertex, at_vertex)] {
                    if found < value {
                        (point, value) = (candidate, found);
                    }
                }
                if value <= 0.0 {
                    return Some(point);
                }
            }
            if value >= before {
                share *= 0.5;
            }
        }
        None
    }
}

/// Points of Sobol's sequence in the unit cube, without the origin, where it starts.
///
/// Savchenko and Pasko state that `N` of them give the point of contact to `N^(−1/3)`.
pub fn sobol_points() -> impl Iterator<Item = DVec3> {
    let mut sobol = Sobol::default();
    std::iter::repeat_with(move || sobol.next_point())
}

/// Sobol's sequence in three dimensions, in Gray code order (Antonov & Saleev 1979).
#[derive(Default)]
struct Sobol {
    index: u32,
    state: [u32; 3],
}

impl Sobol {
    /// The next point of the unit cube.
    fn next_point(&mut self) -> DVec3 {
        let bit = self.index.trailing_ones() as usize;
        self.index = self.index.wrapping_add(1);
        for axis in 0..3 {
            self.state[axis] ^= directions(axis)[bit.min(31)];
        }
        DVec3::from_array(self.state.map(|bits| f64::from(bits) / 2f64.powi(32)))
    }
}

/// Direction numbers from the primitive polynomials 1, x + 1 and x² + x + 1.
fn directions(axis: usize) -> [u32; 32] {
    let mut v = [0u32; 32];
    for i in 0..32 {
        v[i] = match (axis, i) {
            (0, _) | (_, 0) => 1 << (31 - i),
            (1, _) => v[i - 1] ^ (v[i - 1] >> 1),
            (_, 1) => 3 << 30,
            _ => v[i - 1] ^ v[i - 2] ^ (v[i - 2] >> 2),
        };
    }
    v
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every box of a grid has a point, and the first points are those that the direction numbers give by hand.
    #[test]
    fn points_fill_the_cube_evenly() {
        let eighths = [[4, 4, 4], [6, 2, 2], [2, 6, 6], [3, 3, 5], [7, 7, 1], [5, 1, 7], [1, 5, 3]];
        let first = eighths.map(|point| DVec3::from_array(point.map(|n: u8| f64::from(n) / 8.0)));
        assert_eq!(sobol_points().take(7).collect::<Vec<_>>(), first);
        let mut sobol = Sobol::default();
        let mut count = [0; 64];
        for _ in 0..64 {
            let cell = (sobol.next_point() * 4.0).floor();
            count[(cell.x + 4.0 * cell.y + 16.0 * cell.z) as usize] += 1;
        }
        // The first point of the sequence, the origin, is left out; so one box may hold one less.
        assert!(count.iter().filter(|&&n| n == 1).count() >= 62, "{count:?}");
    }

    /// Over probes on a grid, the farthest point of the cube from the nearest of `N` points of the sequence, by the largest
    /// coordinate, is `N^(−1/3)` within a factor of two: half of it, as of a regular grid, is not reached.
    #[test]
    fn as_many_points_are_as_near_as_stated() {
        let probes = |side: u32| {
            let at = move |k: u32| (f64::from(k) + 0.5) / f64::from(side);
            (0..side.pow(3)).map(move |n| DVec3::new(at(n % side), at(n / side % side), at(n / side / side)))
        };
        for count in [64usize, 512] {
            let points: Vec<DVec3> = sobol_points().take(count).collect();
            let nearest =
                |p: DVec3| points.iter().map(|q| (p - q).abs().max_element()).fold(f64::INFINITY, f64::min);
            let farthest = probes(16).map(nearest).fold(0.0, f64::max) * (count as f64).cbrt();
            assert!(0.5 < farthest && farthest < 2.0, "{count}: {farthest}");
        }
    }

    #[test]
    fn deep_contact_is_found_and_thin_contact_is_missed() {
        let sphere = Field::parse("x^2 + y^2 + z^2 <= 1").unwrap();
        let ask = |field: &Field, x: f64| {
            let pose = Pose::from_translation(DVec3::new(x, 0.3, 0.2));
            sobol_search(&sphere.at(Pose::IDENTITY), &field.at(pose), &SobolQuery::default())
        };
        assert!(ask(&sphere, 1.0).hit.is_some());
        assert_eq!(ask(&sphere, 2.5).hit, None);
        // A crumb in the sphere, seen only from nearby: a common point surely exists, but is not found at
        // random.
        let crumb = Field::parse(
            "crumb = length(x-0.3, y, z) - 1e-3
             min(crumb, length(x-5, y-5, z-5) - 0.1, length(x+5, y+5, z+5) - 0.1, 0.03)
             ",
        );
        let bounds = Aabb { min: DVec3::splat(-6.0), max: DVec3::splat(6.0) };
        let crumb_field = crumb.unwrap().within(bounds);
        let found = ask(&crumb_field, 0.0);
        let proven = noli_implicit::field_overlap(
            &sphere.at(Pose::IDENTITY),
            &crumb_field.at(Pose::from_translation(DVec3::new(0.0, 0.3, 0.2))),
            &Default::default(),
        );
        assert!(matches!(proven.verdict, noli_implicit::FieldVerdict::Hit { .. }), "{proven:?}");
        assert_eq!(found.hit, None);
    }

    /// As published every quasi-random point is searched from: worst is all of them, and contacts need few, some of
    /// them that a search from the best points alone does not find in as many values.
    #[test]
    fn every_start_is_searched_as_published() {
        let sphere = Field::parse("x^2 + y^2 + z^2 <= 1").unwrap();
        let query = SobolQuery { points: 40, tolerance: 1e-4 };
        let ask = |x: f64| {
            let there = Pose::from_translation(DVec3::new(x, 0.3, 0.2));
            sobol_search_as_published(&sphere.at(Pose::IDENTITY), &sphere.at(there), &query)
        };
        // The boxes meet in a vertex in which the spheres do not.
        let free = ask(1.97);
        assert_eq!((free.hit, free.starts), (None, 40));
        assert!(free.points > 20 * free.starts);
        for x in [1.0, 1.8, 1.9, 1.96] {
            let found = ask(x);
            let point = found.hit.unwrap_or_else(|| panic!("{x}: {found:?}"));
            assert!(point.length() <= 1.0 + 1e-9 && point.distance(DVec3::new(x, 0.3, 0.2)) <= 1.0 + 1e-9);
            assert!(found.starts <= 10, "{x}: {found:?}");
        }
    }
}
