//! The recursive search of Vyatkin for objects made of quadrics. It uses bars over ever smaller squares of
//! the screen, then halving along the depth. Each box is tested by the sum of its coefficients.
//!
//! Corrected: the printed criterion is reversed (a constant term larger than all other coefficients
//! together excludes a zero), it is strict, and rounding is covered. A *no* is then a proof; a *yes* only
//! means that a voxel could not be excluded.

use super::Polynomial;
use glam::DVec3;
use noli_implicit::shapes::{Perturbed, Quadric};

/// Resolution of the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BarQuery {
    /// Number of halvings of the screen in both directions.
    pub across: u32,
    /// Number of halvings of the depth.
    pub deep: u32,
    /// `true` if squares count as non-negative, which the print ignores.
    pub even_aware: bool,
}

impl Default for BarQuery {
    fn default() -> Self {
        Self { across: 7, deep: 7, even_aware: false }
    }
}

/// Result of the search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BarSearch {
    /// Middle of the first voxel that could not be excluded; `None` is a proof that there is no common point in
    /// the cube.
    pub candidate: Option<DVec3>,
    /// Number of boxes tested.
    pub boxes: u64,
}

/// Searches the cube [−1, 1]³ for a common point of two objects. Only an answer without `candidate` proves
/// that there is none; a `candidate` is not a proof of contact.
pub fn bar_search(a: &Perturbed, b: &Perturbed, query: &BarQuery) -> BarSearch {
    let objects = [Local::new(a), Local::new(b)];
    let mut boxes = 0;
    let place = Place { center: DVec3::ZERO, half: DVec3::ONE, level: 0 };
    let mut stack = vec![(place, objects)];
    while let Some((place, objects)) = stack.pop() {
        boxes += 1;
        if objects.iter().any(|object| object.is_absent(query.even_aware)) {
            continue;
        }
        if place.level == query.across + query.deep {
            return BarSearch { candidate: Some(place.center), boxes };
        }
        // The last pushed is visited first: near before far.
        if place.level < query.across {
            for (i, j) in [(1.0, 1.0), (-1.0, 1.0), (1.0, -1.0), (-1.0, -1.0)] {
                let part = objects.clone().map(|object| object.map(|quadric| screen_part(&quadric, i, j)));
                stack.push((place.part(DVec3::new(0.5, 0.5, 1.0), DVec3::new(i, j, 0.0)), part));
            }
        } else {
            for k in [1.0, -1.0] {
                let part = objects.clone().map(|object| object.map(|quadric| depth_part(&quadric, k)));
                stack.push((place.part(DVec3::new(1.0, 1.0, 0.5), DVec3::new(0.0, 0.0, k)), part));
            }
        }
    }
    BarSearch { candidate: None, boxes }
}

/// The same search for objects given by polynomials of any degree, positive inside: formulas (5) to (12) on every bar.
///
/// ```
/// use noli_classics::fields::{BarQuery, Polynomial, bar_search_polynomials};
/// // Two cushions `0.1 − (x − a)⁴ − y⁴ − z⁴`, the second moved along x.
/// let cushion = |a: f64| {
///     let moved = Polynomial::new([([4, 0, 0], -1.0), ([0, 4, 0], -1.0), ([0, 0, 4], -1.0), ([0, 0, 0], 0.1)]);
///     moved.about(glam::dvec3(-a, 0.0, 0.0))
/// };
/// let ask = |a: f64| bar_search_polynomials(&cushion(0.0), &cushion(a), &BarQuery::default());
/// assert!(ask(0.5).candidate.is_some() && ask(1.3).candidate.is_none());
/// ```
pub fn bar_search_polynomials(a: &Polynomial, b: &Polynomial, query: &BarQuery) -> BarSearch {
    let mut boxes = 0;
    let mut stack = vec![Place { center: DVec3::ZERO, half: DVec3::ONE, level: 0 }];
    while let Some(place) = stack.pop() {
        boxes += 1;
        let absent = |f: &Polynomial| f.greatest_on(place.center, place.half, query.even_aware) < 0.0;
        if absent(a) || absent(b) {
            continue;
        }
        if place.level == query.across + query.deep {
            return BarSearch { candidate: Some(place.center), boxes };
        }
        if place.level < query.across {
            let quarters = [(1.0, 1.0), (-1.0, 1.0), (1.0, -1.0), (-1.0, -1.0)];
            let part = |(i, j)| place.part(DVec3::new(0.5, 0.5, 1.0), DVec3::new(i, j, 0.0));
            stack.extend(quarters.map(part));
        } else {
            stack.extend([1.0, -1.0].map(|k| place.part(DVec3::new(1.0, 1.0, 0.5), DVec3::new(0.0, 0.0, k))));
        }
    }
    BarSearch { candidate: None, boxes }
}

#[derive(Clone, Copy)]
struct Place {
    center: DVec3,
    half: DVec3,
    level: u32,
}

impl Place {
    fn part(&self, scale: DVec3, side: DVec3) -> Self {
        let half = self.half * scale;
        Self { center: self.center + side * half, half, level: self.level + 1 }
    }
}

/// An object in coordinates in which the box is [−1, 1]³.
#[derive(Clone)]
struct Local {
    object: Perturbed,
    /// More than all rounding of the coefficients can amount to.
    margins: Vec<f64>,
}

impl Local {
    fn new(object: &Perturbed) -> Self {
        let quadrics = std::iter::once(&object.base).chain(object.bumps.iter().map(|(_, q)| q));
        // Coefficients shrink with the box, and the constant never exceeds their first sum; each of at most a
        // hundred cuts adds six roundings of at most that size.
        let margins = quadrics.map(|q| 1024.0 * f64::EPSILON * (q.constant.abs() + others(q, false).1));
        Self { object: object.clone(), margins: margins.collect() }
    }

    fn map(mut self, f: impl Fn(Quadric) -> Quadric) -> Self {
        self.object.base = f(self.object.base);
        for (_, quadric) in &mut self.object.bumps {
            *quadric = f(*quadric);
        }
        self
    }

    /// Returns `true` if the function is negative on the whole box, so that the box contains no point of the
    /// object.
    fn is_absent(&self, even_aware: bool) -> bool {
        let mut greatest = greatest(&self.object.base, even_aware) + self.margins[0];
        for ((factor, quadric), margin) in self.object.bumps.iter().zip(&self.margins[1..]) {
            let (_, above) = others(quadric, even_aware);
            let (below, _) = others(quadric, even_aware);
            let range = if *factor > 0.0 {
                quadric.constant + above + margin
            } else {
                quadric.constant - below - margin
            };
            let bump = factor * range.max(0.0).powi(self.object.power);
            greatest += bump + bump.abs() * 64.0 * f64::EPSILON;
        }
        greatest < 0.0
    }
}

fn greatest(quadric: &Quadric, even_aware: bool) -> f64 {
    quadric.constant + others(quadric, even_aware).1
}

/// Returns the largest decrease and increase of the value on [−1, 1]³ by all terms but the constant.
fn others(quadric: &Quadric, even_aware: bool) -> (f64, f64) {
    let sum = |terms: &[f64]| terms.iter().map(|term| term.abs()).sum::<f64>();
    let odd = sum(&quadric.mixed) + sum(&quadric.linear);
    if !even_aware {
        let all = odd + sum(&quadric.squares);
        return (all, all);
    }
    let below: f64 = quadric.squares.iter().map(|s| (-s).max(0.0)).sum();
    let above: f64 = quadric.squares.iter().map(|s| s.max(0.0)).sum();
    (odd + below, odd + above)
}

/// The coefficients on a quarter of the screen, `i` and `j` being its side in x and y.
fn screen_part(q: &Quadric, i: f64, j: f64) -> Quadric {
    let ([a11, a22, a33], [a12, a13, a23], [a14, a24, a34]) = (q.squares, q.mixed, q.linear);
    Quadric {
        squares: [a11 / 4.0, a22 / 4.0, a33],
        mixed: [a12 / 4.0, a13 / 2.0, a23 / 2.0],
        linear: [
            i * a11 / 2.0 + j * a12 / 4.0 + a14 / 2.0,
            j * a22 / 2.0 + i * a12 / 4.0 + a24 / 2.0,
            a34 + i * a13 / 2.0 + j * a23 / 2.0,
        ],
        constant: q.constant + a11 / 4.0 + a22 / 4.0 + i * j * a12 / 4.0 + i * a14 / 2.0 + j * a24 / 2.0,
    }
}

/// The coefficients on half of the depth, `k` being its side in z.
fn depth_part(q: &Quadric, k: f64) -> Quadric {
    let ([a11, a22, a33], [a12, a13, a23], [a14, a24, a34]) = (q.squares, q.mixed, q.linear);
    Quadric {
        squares: [a11, a22, a33 / 4.0],
        mixed: [a12, a13 / 2.0, a23 / 2.0],
        linear: [a14 + k * a13 / 2.0, a24 + k * a23 / 2.0, k * a33 / 2.0 + a34 / 2.0],
        constant: q.constant + a33 / 4.0 + k * a34 / 2.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use noli_implicit::Field;

    fn value(q: &Quadric, p: DVec3) -> f64 {
        let dot = |a: [f64; 3], b: DVec3| DVec3::from_array(a).dot(b);
        dot(q.squares, p * p)
            + dot(q.mixed, DVec3::new(p.x * p.y, p.x * p.z, p.y * p.z))
            + dot(q.linear, p)
            + q.constant
    }

    const ANY: Quadric = Quadric {
        squares: [1.5, -2.0, 0.7],
        mixed: [0.3, -1.1, 2.2],
        linear: [-0.4, 0.9, 1.3],
        constant: -0.25,
    };

    #[test]
    fn parts_are_the_same_function() {
        let u = DVec3::new(0.3, -0.8, 0.55);
        for (i, j) in [(1.0, 1.0), (-1.0, 1.0), (1.0, -1.0), (-1.0, -1.0)] {
            let p = DVec3::new((u.x + i) / 2.0, (u.y + j) / 2.0, u.z);
            assert!((value(&screen_part(&ANY, i, j), u) - value(&ANY, p)).abs() < 1e-12);
        }
        for k in [1.0, -1.0] {
            let p = DVec3::new(u.x, u.y, (u.z + k) / 2.0);
            assert!((value(&depth_part(&ANY, k), u) - value(&ANY, p)).abs() < 1e-12);
        }
    }

    /// Read as printed, the criterion would report a zero at the centre of the unit sphere within 0.1.
    #[test]
    fn the_criterion_excludes_zeros() {
        let near_center = Quadric { squares: [-0.01; 3], constant: 1.0, ..Default::default() };
        let (below, _) = others(&near_center, false);
        assert!(near_center.constant.abs() - below > 0.0, "no zero: all of the box is inside");
        let at_surface = Quadric {
            squares: [-0.01; 3],
            linear: [-0.21, 0.0, 0.0],
            constant: -0.1025,
            ..Default::default()
        };
        assert!(greatest(&at_surface, false) > 0.0, "a zero is possible");
    }

    fn sphere(center: DVec3, radius: f64) -> Perturbed {
        Perturbed { base: Quadric::sphere(center, radius), bumps: Vec::new(), power: 3 }
    }

    #[test]
    fn no_overlap_is_missed_and_far_objects_are_excluded() {
        let a = sphere(DVec3::new(-0.37, 0.11, 0.07), 0.4);
        let direction = DVec3::new(0.8, 0.36, 0.48);
        for even_aware in [false, true] {
            let query = BarQuery { across: 5, deep: 5, even_aware };
            for distance in [0.2, 0.5, 0.79, 0.95, 1.2] {
                let b = sphere(DVec3::new(-0.37, 0.11, 0.07) + direction * distance, 0.4);
                let found = bar_search(&a, &b, &query);
                if distance < 0.8 {
                    assert!(found.candidate.is_some(), "{distance}");
                }
                if distance > 0.9 {
                    assert_eq!(found.candidate, None, "{distance}");
                }
            }
        }
    }

    fn as_polynomial(q: &Quadric) -> Polynomial {
        let unit = |k: usize| -> [u32; 3] { std::array::from_fn(|axis| u32::from(axis == k)) };
        let pairs = [[1, 1, 0], [1, 0, 1], [0, 1, 1]];
        let squares = (0..3).map(|k| (unit(k).map(|n| 2 * n), q.squares[k]));
        let mixed = pairs.into_iter().zip(q.mixed);
        let linear = (0..3).map(|k| (unit(k), q.linear[k]));
        Polynomial::new(squares.chain(mixed).chain(linear).chain([([0; 3], q.constant)]))
    }

    /// Of quadrics, the search by polynomials is the search by quadrics: the same candidate after the same boxes.
    #[test]
    fn polynomials_of_degree_two_are_searched_like_quadrics() {
        let mut random = noli_scenes::SplitMix64::new(67);
        let mut answers = [0; 2];
        for round in 0..60 {
            let mut quadric = || {
                let half = DVec3::from_array([(); 3].map(|()| random.between(0.2, 0.45)));
                Quadric::ellipsoid(random.direction() * random.between(0.0, 0.6), half)
            };
            let objects = [quadric(), quadric()];
            let query = BarQuery { across: 5, deep: 5, even_aware: round % 2 == 0 };
            let [a, b] = objects.map(|base| Perturbed { base, bumps: Vec::new(), power: 3 });
            let [p, q] = objects.each_ref().map(as_polynomial);
            let found = bar_search(&a, &b, &query);
            assert_eq!(bar_search_polynomials(&p, &q, &query), found, "{objects:?}");
            answers[usize::from(found.candidate.is_some())] += 1;
        }
        assert!(answers.iter().all(|count| *count > 5), "{answers:?}");
    }

    /// Degree four: what samples find in both is never excluded.
    #[test]
    fn polynomials_of_degree_four_lose_no_common_point() {
        let mut random = noli_scenes::SplitMix64::new(71);
        let query = BarQuery { across: 4, deep: 4, even_aware: true };
        let mut answers = [0; 2];
        for _ in 0..40 {
            let mut object = || {
                let center = random.direction() * random.between(0.3, 0.9);
                let quartic = [[4, 0, 0], [0, 4, 0], [0, 0, 4]].map(|p| (p, -random.between(1.0, 3.0)));
                let skew = [([2, 1, 0], random.between(-0.3, 0.3)), ([0, 0, 0], 0.05)];
                Polynomial::new(quartic.into_iter().chain(skew)).about(-center)
            };
            let objects = [object(), object()];
            let along = |i: i32| f64::from(i - 10) / 10.0;
            let shared = (0..21 * 21 * 21)
                .map(|n| DVec3::new(along(n % 21), along(n / 21 % 21), along(n / 441)))
                .any(|p| objects.iter().all(|object| object.value(p) >= 0.0));
            let found = bar_search_polynomials(&objects[0], &objects[1], &query);
            assert!(!shared || found.candidate.is_some(), "{objects:?}");
            answers[usize::from(found.candidate.is_some())] += 1;
        }
        assert!(answers.iter().all(|count| *count > 3), "{answers:?}");
    }

    fn inside(object: &Perturbed, p: DVec3) -> f64 {
        let bump =
            |(factor, quadric): &(f64, Quadric)| factor * value(quadric, p).max(0.0).powi(object.power);
        value(&object.base, p) + object.bumps.iter().map(bump).sum::<f64>()
    }

    fn random_object(random: &mut noli_scenes::SplitMix64) -> Perturbed {
        let mut at = |reach: f64| random.direction() * reach;
        let center = at(0.5);
        let bumps = (0..2).map(|_| (center + at(0.3), at(1.0).x)).collect::<Vec<_>>();
        Perturbed {
            base: Quadric::ellipsoid(center, DVec3::new(0.25, 0.3, 0.35)),
            bumps: bumps.into_iter().map(|(c, f)| (4.0 * f, Quadric::sphere(c, 0.25))).collect(),
            power: 3,
        }
    }

    /// Random quadrics with bumps: what dense samples find in both is never excluded, and the bounds of a box hold all
    /// its samples.
    #[test]
    fn bumps_are_never_lost() {
        let mut random = noli_scenes::SplitMix64::new(61);
        let query = BarQuery { across: 5, deep: 5, even_aware: true };
        let (mut common, mut excluded) = (0, 0);
        for _ in 0..200 {
            let objects = [random_object(&mut random), random_object(&mut random)];
            let along = |i: i32| f64::from(i - 12) / 12.0;
            let samples =
                || (0..25 * 25 * 25).map(|n| DVec3::new(along(n % 25), along(n / 25 % 25), along(n / 625)));
            let shared = samples().any(|p| objects.iter().all(|object| inside(object, p) >= 0.0));
            let found = bar_search(&objects[0], &objects[1], &query);
            assert!(!shared || found.candidate.is_some(), "{objects:?}");
            // A candidate is the middle of a voxel that could not be excluded: in a fine voxel neither function is far below zero,
            // of values that go down to −16.
            if found.candidate.is_some() {
                let finer = BarQuery { across: 8, deep: 8, ..query };
                let fine = bar_search(&objects[0], &objects[1], &finer).candidate;
                let below = |p: DVec3| objects.iter().map(|object| -inside(object, p)).fold(0.0, f64::max);
                assert!(fine.is_none_or(|fine| below(fine) < 1.0), "{fine:?} {:?}", fine.map(below));
            }
            common += usize::from(shared);
            excluded += usize::from(found.candidate.is_none());
            // The engine's R-functions have the sign of the smaller and of the larger value; its fields, negative inside,
            // are the same function.
            let exprs = objects.each_ref().map(Perturbed::expr);
            let [one, two] = exprs.each_ref().map(Field::new);
            let union = Field::new(&exprs[0].smooth_union(&exprs[1]));
            let common = Field::new(&exprs[0].smooth_intersection(&exprs[1]));
            for p in samples().step_by(997) {
                let [a, b] = objects.each_ref().map(|object| -inside(object, p));
                assert!((one.value(p) - a).abs() + (two.value(p) - b).abs() < 1e-9, "{a} {b}");
                let sign = |value: f64, of: f64| of.abs() < 1e-9 || value.signum() == of.signum();
                assert!(sign(union.value(p), a.min(b)) && sign(common.value(p), a.max(b)), "{a} {b}");
            }
        }
        assert!(common > 5 && excluded > 5, "{common} {excluded}");
    }

    /// A bump whose quadric is nowhere positive in the box changes nothing of the bound.
    #[test]
    fn a_bump_that_is_elsewhere_is_dropped() {
        let base = Quadric { constant: -0.5, ..Quadric::default() };
        let with = |bump: Quadric| Local::new(&Perturbed { base, bumps: vec![(9.0, bump)], power: 3 });
        let elsewhere = Quadric { linear: [0.1, 0.0, 0.0], constant: -0.2, ..Quadric::default() };
        assert!(with(elsewhere).is_absent(false));
        let here = Quadric { constant: 0.9, ..elsewhere };
        assert!(!with(here).is_absent(false));
    }
}
