//! The criterion of Vyatkin, formulas (5) to (12), for polynomials of any degree.
//!
//! About the centre of a box a function is its value there and sums of terms of each total degree. Each sum
//! of moduli is multiplied by the power of the box's half edge. If the value is larger than all of them
//! together, the function has no zero in the box. Corrected: the sentence before (12) states the opposite,
//! and the inequality is strict. A series cut off at some degree proves nothing without a bound on the
//! rest.

use glam::DVec3;

/// A sum of terms `c·xⁱ·yʲ·zᵏ`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Polynomial {
    terms: Vec<([u32; 3], f64)>,
}

/// Sign of a function on a box, as proven.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SignOnBox {
    /// It is positive everywhere.
    Positive,
    /// It is negative everywhere.
    Negative,
    /// It may have a zero.
    Unknown,
}

impl Polynomial {
    /// A polynomial from exponents of x, y and z with their coefficients; equal exponents add up.
    pub fn new(terms: impl IntoIterator<Item = ([u32; 3], f64)>) -> Self {
        let mut terms: Vec<([u32; 3], f64)> = terms.into_iter().collect();
        terms.sort_by_key(|term| term.0);
        terms.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += next.1;
            }
            same
        });
        Self { terms }
    }

    /// Its value, rounded.
    pub fn value(&self, at: DVec3) -> f64 {
        let power = |x: f64, n: u32| x.powi(n as i32);
        let term = |&([i, j, k], c): &([u32; 3], f64)| c * power(at.x, i) * power(at.y, j) * power(at.z, k);
        self.terms.iter().map(term).sum()
    }

    /// The same function of `x − center`: its Taylor series there, which ends. Rounded.
    pub fn about(&self, center: DVec3) -> Self {
        let mut terms = Vec::new();
        for &([i, j, k], c) in &self.terms {
            for (p, x) in powers(center.x, i) {
                for (q, y) in powers(center.y, j) {
                    for (r, z) in powers(center.z, k) {
                        terms.push(([p, q, r], c * x * y * z));
                    }
                }
            }
        }
        Self::new(terms)
    }

    /// The sums `F_h` of the moduli of all coefficients of total degree 0, 1, 2, ...: formula (10).
    pub fn sums(&self) -> Vec<f64> {
        let mut sums = vec![0.0];
        for &([i, j, k], c) in &self.terms {
            let degree = (i + j + k) as usize;
            if sums.len() <= degree {
                sums.resize(degree + 1, 0.0);
            }
            sums[degree] += c.abs();
        }
        sums
    }

    /// The largest modulus that terms above a degree can have on the cube of this half edge about the origin.
    pub fn remainder(&self, degree: usize, half: f64) -> f64 {
        weighted(&self.sums(), degree + 1, half)
    }

    /// The sign on the cube of this half edge about a centre, by the terms up to a degree and a bound on all others:
    /// formula (12). With a remainder that is a bound, a sign is a proof, up to the rounding of the expansion, for
    /// which a share of the sums is allowed.
    ///
    /// ```
    /// use noli_classics::fields::{Polynomial, SignOnBox};
    /// let sphere = Polynomial::new([([0, 0, 0], 1.0), ([2, 0, 0], -1.0), ([0, 2, 0], -1.0), ([0, 0, 2], -1.0)]);
    /// let about = |x| glam::dvec3(x, 0.0, 0.0);
    /// assert_eq!(sphere.sign_on(about(0.0), 0.1, 2, 0.0), SignOnBox::Positive);
    /// assert_eq!(sphere.sign_on(about(1.05), 0.1, 2, 0.0), SignOnBox::Unknown);
    /// ```
    pub fn sign_on(&self, center: DVec3, half: f64, degree: usize, remainder: f64) -> SignOnBox {
        let here = self.about(center);
        let sums = here.sums();
        let value = here.terms.first().filter(|term| term.0 == [0; 3]).map_or(0.0, |term| term.1);
        let upto = &sums[..sums.len().min(degree + 1)];
        let noise = 64.0 * f64::EPSILON * here.terms.len() as f64 * self.moduli(center);
        let left = value.abs() - weighted(upto, 1, half) - remainder - noise;
        match left > 0.0 {
            true if value > 0.0 => SignOnBox::Positive,
            true => SignOnBox::Negative,
            false => SignOnBox::Unknown,
        }
    }

    /// The largest value on a box that may be longer along one axis than another: formula (12) in coordinates in which the
    /// box is [−1, 1]³. With `even_aware`, a term of even powers is never of the sign opposite to its coefficient.
    pub(super) fn greatest_on(&self, center: DVec3, half: DVec3, even_aware: bool) -> f64 {
        let here = self.about(center);
        let noise = 64.0 * f64::EPSILON * here.terms.len() as f64 * self.moduli(center);
        let scale =
            |[i, j, k]: [u32; 3]| half.x.powi(i as i32) * half.y.powi(j as i32) * half.z.powi(k as i32);
        let term = |&(powers, c): &([u32; 3], f64)| match powers {
            [0, 0, 0] => c,
            even if even_aware && even.iter().all(|p| p % 2 == 0) => (c * scale(even)).max(0.0),
            any => c.abs() * scale(any),
        };
        here.terms.iter().map(term).sum::<f64>() + noise
    }

    /// Bounds of the values on a box by Bernstein's coefficients, which hold them between them (Cargo and Shisha 1966); a share
    /// of the coefficients is allowed for rounding. What formulas (5) to (12) do with moduli, done with signs.
    ///
    /// ```
    /// use noli_classics::fields::Polynomial;
    /// let square = Polynomial::new([([2, 0, 0], 1.0)]);
    /// let [low, high] = square.bernstein_bounds(glam::dvec3(1.0, 0.0, 0.0), glam::dvec3(2.0, 1.0, 1.0));
    /// assert!((low - 1.0).abs() < 1e-12 && (high - 4.0).abs() < 1e-12);
    /// ```
    pub fn bernstein_bounds(&self, min: DVec3, max: DVec3) -> [f64; 2] {
        let here = self.about(min);
        let size = max - min;
        let most = |k: usize| here.terms.iter().map(|(powers, _)| powers[k]).max().unwrap_or(0) as usize;
        let (l, m, n) = (most(0), most(1), most(2));
        let index = |i: usize, j: usize, k: usize| (i * (m + 1) + j) * (n + 1) + k;
        let mut grid = vec![0.0; (l + 1) * (m + 1) * (n + 1)];
        for &([i, j, k], c) in &here.terms {
            let scale = size.x.powi(i as i32) * size.y.powi(j as i32) * size.z.powi(k as i32);
            grid[index(i as usize, j as usize, k as usize)] += c * scale;
        }
        let noise = 64.0 * f64::EPSILON * grid.len() as f64 * self.moduli(min.abs().max(max.abs()));
        // One axis after the other: b_i = Σ_{h ≤ i} C(i, h) / C(d, h) · a_h.
        let along = |grid: &[f64], degree: usize, at: &dyn Fn(usize) -> usize| -> Vec<f64> {
            let term = |i: usize, h: usize| choose(i, h) / choose(degree, h) * grid[at(h)];
            (0..=degree).map(|i| (0..=i).map(|h| term(i, h)).sum()).collect()
        };
        for j in 0..=m {
            for k in 0..=n {
                let line = along(&grid, l, &|i| index(i, j, k));
                line.into_iter().enumerate().for_each(|(i, b)| grid[index(i, j, k)] = b);
            }
        }
        for i in 0..=l {
            for k in 0..=n {
                let line = along(&grid, m, &|j| index(i, j, k));
                line.into_iter().enumerate().for_each(|(j, b)| grid[index(i, j, k)] = b);
            }
        }
        for i in 0..=l {
            for j in 0..=m {
                let line = along(&grid, n, &|k| index(i, j, k));
                line.into_iter().enumerate().for_each(|(k, b)| grid[index(i, j, k)] = b);
            }
        }
        let least = grid.iter().copied().fold(f64::INFINITY, f64::min);
        let greatest = grid.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        [least - noise, greatest + noise]
    }

    /// The sum of the moduli of all terms of the expansion about a point before any cancel.
    fn moduli(&self, center: DVec3) -> f64 {
        let reach = center.abs() + 1.0;
        Self { terms: self.terms.iter().map(|&(powers, c)| (powers, c.abs())).collect() }.value(reach)
    }
}

fn choose(n: usize, k: usize) -> f64 {
    (0..k).fold(1.0, |c, i| c * (n - i) as f64 / (i + 1) as f64)
}

/// The terms of `(x + c)ⁿ`.
fn powers(c: f64, n: u32) -> Vec<(u32, f64)> {
    let mut choose = 1.0;
    (0..=n)
        .map(|p| {
            let term = (p, choose * c.powi((n - p) as i32));
            choose = choose * f64::from(n - p) / f64::from(p + 1);
            term
        })
        .collect()
}

fn weighted(sums: &[f64], from: usize, half: f64) -> f64 {
    sums.iter().enumerate().skip(from).map(|(h, sum)| sum * half.powi(h as i32)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use noli_scenes::SplitMix64;

    fn samples(center: DVec3, half: f64) -> impl Iterator<Item = DVec3> {
        let along = move |i: i32| half * f64::from(i - 4) / 4.0;
        (0..729).map(move |n| center + DVec3::new(along(n % 9), along(n / 9 % 9), along(n / 81)))
    }

    /// An expansion is the same function, and where the criterion gives a sign all samples of the box have it.
    #[test]
    fn a_sign_holds_on_the_whole_box() {
        let (mut random, mut known) = (SplitMix64::new(41), [0; 3]);
        for round in 0..400 {
            let degree = 1 + round % 5;
            let mut terms = Vec::new();
            for i in 0..=degree {
                for j in 0..=degree - i {
                    terms.extend((0..=degree - i - j).map(|k| ([i, j, k], random.between(-1.0, 1.0))));
                }
            }
            let f = Polynomial::new(terms);
            let center = random.direction() * random.between(0.0, 1.5);
            let about = f.about(center);
            let shift = random.direction();
            assert!((about.value(shift) - f.value(center + shift)).abs() < 1e-9);
            let half = [0.3, 0.05, 0.01][round as usize % 3];
            let sign = f.sign_on(center, half, degree as usize, 0.0);
            let values = samples(center, half).map(|p| f.value(p));
            match sign {
                SignOnBox::Positive => assert!(values.into_iter().all(|v| v > 0.0)),
                SignOnBox::Negative => assert!(values.into_iter().all(|v| v < 0.0)),
                SignOnBox::Unknown => {}
            }
            known[sign as usize] += 1;
        }
        assert!(known.iter().all(|count| *count > 30), "{known:?}");
    }

    /// Bernstein's bounds hold all samples, are attained at vertices, and decide at least as many boxes as the sums of moduli.
    #[test]
    fn bernstein_s_bounds_hold_and_decide_more() {
        let (mut random, mut decided) = (SplitMix64::new(43), [0; 2]);
        for round in 0..300u32 {
            let degree = 1 + round % 4;
            let mut terms = Vec::new();
            for i in 0..=degree {
                for j in 0..=degree - i {
                    terms.extend((0..=degree - i - j).map(|k| ([i, j, k], random.between(-1.0, 1.0))));
                }
            }
            let f = Polynomial::new(terms);
            let (center, half) =
                (random.direction() * random.between(0.0, 1.5), [0.4, 0.15, 0.05][round as usize % 3]);
            let [low, high] = f.bernstein_bounds(center - half, center + half);
            let values: Vec<f64> = samples(center, half).map(|p| f.value(p)).collect();
            assert!(values.iter().all(|v| low <= *v && *v <= high), "{low} {high}");
            let vertex = f.value(center - half);
            assert!(low - 1e-9 <= vertex && vertex <= high + 1e-9);
            let by_sums = f.sign_on(center, half, degree as usize, 0.0) != SignOnBox::Unknown;
            let by_bernstein = low > 0.0 || high < 0.0;
            decided[0] += usize::from(by_sums);
            decided[1] += usize::from(by_bernstein);
        }
        assert!(decided[1] > decided[0] && decided[0] > 30, "{decided:?}");
    }

    /// Cut off at degree two, `1 − 100x³` seems to be 1; with the remainder nothing is claimed. A zero in the middle
    /// is never excluded.
    #[test]
    fn a_series_cut_off_proves_nothing_without_its_remainder() {
        let f = Polynomial::new([([0, 0, 0], 1.0), ([3, 0, 0], -100.0)]);
        assert_eq!(f.sign_on(DVec3::ZERO, 0.5, 2, 0.0), SignOnBox::Positive);
        assert!(f.value(DVec3::X * 0.5) < 0.0);
        let rest = f.remainder(2, 0.5);
        assert_eq!(rest, 12.5);
        assert_eq!(f.sign_on(DVec3::ZERO, 0.5, 2, rest), SignOnBox::Unknown);
        assert_eq!(f.sign_on(DVec3::ZERO, 0.5, 3, 0.0), SignOnBox::Unknown);
        let through = Polynomial::new([([1, 0, 0], 1.0)]);
        assert_eq!(through.sign_on(DVec3::ZERO, 1e-6, 1, 0.0), SignOnBox::Unknown);
    }
}
