//! Candidate times: where the distance of the carriers may vanish.

use super::ApproximateQuery;

/// Method of finding candidate times, and the contacts each one misses. All are exact for pure
/// translations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finder {
    /// The zero of the straight line between the distances at both ends. Misses whatever comes and goes: any
    /// even number of intersections.
    Linear,
    /// Regula falsi between both ends. Misses as `Linear` does; its time is right.
    RegulaFalsi,
    /// The zeros of a parabola through three distances. Sees some motions that come and go, misses short
    /// or lopsided ones.
    Quadratic,
    /// `Linear` in each of so many cells of equal length. Misses what fits between two samples.
    Sampling {
        /// Number of cells.
        cells: u32,
    },
    /// `RegulaFalsi` in each of so many cells of equal length. Misses what fits between two samples.
    SamplingRegulaFalsi {
        /// Number of cells.
        cells: u32,
    },
}

type Distance<'a> = &'a dyn Fn(f64) -> Option<f64>;
type Test<'a> = &'a mut dyn FnMut(f64) -> bool;

impl Finder {
    pub(super) fn samples(self) -> bool {
        matches!(self, Finder::Sampling { .. } | Finder::SamplingRegulaFalsi { .. })
    }

    /// The first candidate that passes the test.
    pub(super) fn first(
        self,
        distance: Distance<'_>,
        test: Test<'_>,
        query: &ApproximateQuery,
        size: f64,
    ) -> Option<f64> {
        let cell = Cell { distance, query, least: 1e-12 * size };
        match self {
            Finder::Linear => cell.linear(0.0, 1.0).filter(|&t| test(t)),
            Finder::RegulaFalsi => cell.regula_falsi(0.0, 1.0).map(|(t, _)| t).filter(|&t| test(t)),
            Finder::Quadratic => cell.quadratic().into_iter().flatten().find(|&t| test(t)),
            Finder::Sampling { cells } => {
                grid(cells).find_map(|(t0, t1)| cell.linear(t0, t1).filter(|&t| test(t)))
            }
            Finder::SamplingRegulaFalsi { cells } => {
                grid(cells).find_map(|(t0, t1)| cell.all_by_regula_falsi(t0, t1, test))
            }
        }
    }
}

fn grid(cells: u32) -> impl Iterator<Item = (f64, f64)> {
    let cells = cells.max(1);
    (0..cells).map(move |i| (f64::from(i) / f64::from(cells), f64::from(i + 1) / f64::from(cells)))
}

struct Cell<'a> {
    distance: Distance<'a>,
    query: &'a ApproximateQuery,
    /// Distances below this are zero.
    least: f64,
}

impl Cell<'_> {
    fn ends(&self, t0: f64, t1: f64) -> Option<(f64, f64)> {
        let (d0, d1) = ((self.distance)(t0)?, (self.distance)(t1)?);
        let changes = if self.query.literal && !self.query.finder.samples() {
            (d0 < 0.0 && d1 > 0.0) || (d0 > 0.0 && d1 < 0.0)
        } else {
            (d0 <= 0.0 && d1 >= 0.0) || (d0 >= 0.0 && d1 <= 0.0)
        };
        changes.then_some((d0, d1))
    }

    fn linear(&self, t0: f64, t1: f64) -> Option<f64> {
        let (d0, d1) = self.ends(t0, t1)?;
        let flat = (d0 - d1).abs() <= self.least;
        Some(if flat { t0 } else { t0 + (t1 - t0) * (d0 / (d0 - d1)) })
    }

    /// The start of the last bracket, and its end. As printed, the end that stays is kept as it is; here its
    /// distance is halved when it stays twice (the Illinois rule), so that the bracket closes.
    fn regula_falsi(&self, t0: f64, t1: f64) -> Option<(f64, f64)> {
        let (mut t0, mut t1) = (t0, t1);
        let (mut d0, mut d1) = self.ends(t0, t1)?;
        let mut moved = 0;
        for _ in 0..self.query.iterations {
            if d0 == 0.0 {
                return Some((t0, t0));
            }
            if (t1 - t0) <= self.query.time_tolerance || (d1 - d0).abs() <= self.least {
                break;
            }
            let t = t0 - d0 * (t1 - t0) / (d1 - d0);
            let d = (self.distance)(t)?;
            if d.abs() <= self.least {
                return Some((t, t));
            }
            let side = if (d > 0.0) == (d0 > 0.0) { 1 } else { -1 };
            let again = side == moved && !self.query.literal;
            if side == 1 {
                (t0, d0) = (t, d);
                d1 *= if again { 0.5 } else { 1.0 };
            } else {
                (t1, d1) = (t, d);
                d0 *= if again { 0.5 } else { 1.0 };
            }
            moved = side;
        }
        Some((t0, t1))
    }

    /// Every root that repeated regula falsi finds in a cell, until one passes.
    fn all_by_regula_falsi(&self, t0: f64, t1: f64, test: Test<'_>) -> Option<f64> {
        let mut from = t0;
        for _ in 0..3 {
            let (t, end) = self.regula_falsi(from, t1)?;
            if test(t) {
                return Some(t);
            }
            if test(end) {
                return Some(end);
            }
            // Past the root; the sign there must differ from that at the end to find another.
            from = end.max(t) + self.query.time_tolerance;
            if from >= t1 {
                return None;
            }
        }
        None
    }

    fn quadratic(&self) -> [Option<f64>; 2] {
        self.parabola().unwrap_or([None, None])
    }

    fn parabola(&self) -> Option<[Option<f64>; 2]> {
        let (d0, d1) = ((self.distance)(0.0)?, (self.distance)(1.0)?);
        let opposite = (d0 < 0.0 && d1 > 0.0) || (d0 > 0.0 && d1 < 0.0);
        let middle = if opposite { (d0 / (d0 - d1)).clamp(1e-3, 1.0 - 1e-3) } else { 0.5 };
        let y = (self.distance)(middle)?;
        let curve = (d0 - y) / middle + (y - d1) / (middle - 1.0);
        let slope = d1 - d0 - curve;
        let kept = |t: f64| (0.0..=1.0).contains(&t).then_some(t);
        if curve.abs() <= 1e-12 * (d0.abs() + y.abs() + d1.abs()) {
            return Some([kept(-d0 / slope), None]);
        }
        let square = slope * slope - 4.0 * curve * d0;
        if square.is_nan() || square < 0.0 {
            return None;
        }
        let q = -0.5 * (slope + slope.signum() * square.sqrt());
        let (p, r) = (kept(q / curve), kept(d0 / q));
        Some(if p.is_some_and(|p| r.is_some_and(|r| r < p)) { [r, p] } else { [p, r] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(finder: Finder, d: impl Fn(f64) -> f64) -> Option<f64> {
        let query = ApproximateQuery { finder, ..Default::default() };
        finder.first(&|t| Some(d(t)), &mut |_| true, &query, 1.0)
    }

    fn close(found: Option<f64>, expected: f64, within: f64) {
        assert!(found.is_some_and(|t| (t - expected).abs() <= within), "{found:?} for {expected}");
    }

    const SAMPLING: Finder = Finder::Sampling { cells: 4 };
    const BOTH: Finder = Finder::SamplingRegulaFalsi { cells: 4 };

    /// The printed expectations of two quarter turns through a plane, roots at 2/3 and 1/3.
    #[test]
    fn quarter_turns() {
        use std::f64::consts::FRAC_PI_2;
        let down = |t: f64| (FRAC_PI_2 * t).cos() - 0.5;
        let up = |t: f64| 0.5 - (FRAC_PI_2 * t).sin();
        close(first(Finder::Linear, down), 0.5, 1e-12);
        close(first(Finder::Linear, up), 0.5, 1e-12);
        close(first(Finder::Quadratic, down), 0.680205, 1e-6);
        close(first(Finder::Quadratic, up), 0.319795, 1e-6);
        close(first(SAMPLING, down), 0.659596, 1e-6);
        close(first(SAMPLING, up), 0.340404, 1e-6);
        for finder in [Finder::RegulaFalsi, BOTH] {
            close(first(finder, down), 2.0 / 3.0, 1e-6);
            close(first(finder, up), 1.0 / 3.0, 1e-6);
        }
        // As printed, regula falsi keeps t = 0 and returns it.
        let finder = Finder::RegulaFalsi;
        let literal = ApproximateQuery { finder, literal: true, iterations: 10, ..Default::default() };
        assert_eq!(finder.first(&|t| Some(up(t)), &mut |_| true, &literal, 1.0), Some(0.0));
    }

    /// Swings through the plane and back: what each finder misses.
    #[test]
    fn pendulums() {
        use std::f64::consts::FRAC_PI_2;
        let deep = |t: f64| 0.8 - (FRAC_PI_2 * (t - 0.5)).cos();
        let shallow = |t: f64| 0.99 - (FRAC_PI_2 * (t - 0.4)).cos();
        for finder in [Finder::Linear, Finder::RegulaFalsi] {
            assert_eq!(first(finder, deep), None);
            assert_eq!(first(finder, shallow), None);
        }
        close(first(Finder::Quadratic, deep), 0.0868285, 1e-6);
        close(first(Finder::Quadratic, shallow), 0.3199057, 1e-6);
        close(first(SAMPLING, deep), 0.1071320, 1e-6);
        close(first(BOTH, deep), 0.0903345, 2e-6);
        assert_eq!(first(SAMPLING, shallow), None);
        assert_eq!(first(BOTH, shallow), None);
    }

    #[test]
    fn any_parabola_is_met_exactly() {
        for (a, b) in [(0.25, 0.5), (0.125, 2.0), (-1.0, 0.75), (0.3, 0.3)] {
            close(first(Finder::Quadratic, |t| (t - a) * (t - b)), if a < 0.0 { b } else { a }, 1e-7);
        }
        assert_eq!(first(Finder::Quadratic, |t| (t - 0.5) * (t - 0.5) + 0.1), None);
        close(first(Finder::Quadratic, |t| 0.5 - 2.0 * t), 0.25, 1e-12);
    }

    /// One cell is linear interpolation; the second root of a cell is found when the first fails its test.
    #[test]
    fn cells() {
        let d = |t: f64| 1.0 - 3.0 * t * t;
        assert_eq!(first(Finder::Sampling { cells: 1 }, d), first(Finder::Linear, d));
        let query = ApproximateQuery::default();
        let wave = |t: f64| (t - 0.1) * (t - 0.5) * (t - 0.9);
        let found = Finder::SamplingRegulaFalsi { cells: 1 }.first(
            &|t| Some(wave(t)),
            &mut |t| (t - 0.9).abs() < 1e-5,
            &query,
            1.0,
        );
        close(found, 0.9, 1e-5);
    }
}
