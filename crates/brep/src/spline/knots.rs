//! Knots: basis functions, Bézier pieces and control points of derivatives.

use glam::{DVec3, DVec4};

/// Greatest degree that is read.
pub(crate) const MAX_DEGREE: usize = 25;

/// Bounds on the magnitudes of the first and second derivative.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Slopes {
    pub(crate) first: f64,
    pub(crate) second: f64,
}

/// The knots of one direction.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Knots {
    pub(crate) degree: usize,
    pub(crate) knots: Vec<f64>,
}

impl Knots {
    /// Knots with multiplicities; `None` unless they ascend, fit the degree and the number of control points.
    pub(crate) fn new(degree: usize, values: &[f64], multiplicities: &[usize], count: usize) -> Option<Self> {
        if values.len() != multiplicities.len() || degree == 0 || degree > MAX_DEGREE || count <= degree {
            return None;
        }
        if multiplicities.iter().any(|&m| m == 0 || m > count + degree + 1) {
            return None;
        }
        if multiplicities.iter().sum::<usize>() != count + degree + 1
            || !values.windows(2).all(|w| w[0] < w[1])
        {
            return None;
        }
        let repeated = values.iter().zip(multiplicities).flat_map(|(&v, &m)| std::iter::repeat_n(v, m));
        let made = Self { degree, knots: repeated.collect() };
        let [low, high] = made.domain();
        (low < high).then_some(made)
    }

    pub(crate) fn domain(&self) -> [f64; 2] {
        [self.knots[self.degree], self.knots[self.knots.len() - self.degree - 1]]
    }

    /// The span `k` with `knots[k] <= t < knots[k + 1]`, at the end the last one that is not empty.
    pub(super) fn span(&self, t: f64) -> usize {
        let (first, last) = (self.degree, self.knots.len() - self.degree - 2);
        let found = self.knots.partition_point(|&k| k <= t).saturating_sub(1).clamp(first, last);
        let mut span = found;
        while span > first && self.knots[span] == self.knots[span + 1] {
            span -= 1;
        }
        while span < last && self.knots[span] == self.knots[span + 1] {
            span += 1;
        }
        span
    }

    /// All spans that are not empty.
    pub(crate) fn spans(&self) -> impl Iterator<Item = usize> + '_ {
        (self.degree..self.knots.len() - self.degree - 1).filter(|&k| self.knots[k] < self.knots[k + 1])
    }

    /// Returns `true` if a knot strictly between two parameters leaves the spline without a continuous tangent.
    pub(super) fn creases(&self, low: f64, high: f64) -> bool {
        let first = self.knots.partition_point(|&k| k <= low);
        let last = self.knots.partition_point(|&k| k < high);
        let inner = &self.knots[first.min(last)..last];
        inner.windows(self.degree).any(|w| w[0] == w[self.degree - 1])
    }

    /// Basis functions and their derivatives on a span (Cox and de Boor).
    pub(super) fn basis(&self, span: usize, t: f64) -> ([f64; MAX_DEGREE + 1], [f64; MAX_DEGREE + 1]) {
        let (p, k) = (self.degree, &self.knots);
        let mut values = [0.0; MAX_DEGREE + 1];
        let mut slopes = [0.0; MAX_DEGREE + 1];
        values[0] = 1.0;
        for degree in 1..=p {
            let mut next = [0.0; MAX_DEGREE + 1];
            slopes = [0.0; MAX_DEGREE + 1];
            for j in 0..degree {
                let i = span + 1 + j - degree;
                let (left, right) = (k[i], k[i + degree]);
                let share = values[j] / (right - left);
                next[j] += (right - t) * share;
                next[j + 1] += (t - left) * share;
                slopes[j] -= degree as f64 * share;
                slopes[j + 1] += degree as f64 * share;
            }
            values = next;
        }
        (values, slopes)
    }

    /// Bézier control points of the piece on a span, from its spline control points (blossoms, Ramshaw 1987).
    pub(super) fn bezier(&self, span: usize, own: &[DVec4]) -> Vec<DVec4> {
        let (p, k) = (self.degree, &self.knots);
        let blossom = |later: usize| {
            let mut points = own.to_vec();
            for r in 1..=p {
                let t = if r <= p - later { k[span] } else { k[span + 1] };
                for j in (r..=p).rev() {
                    let i = span - p + j;
                    let share = (t - k[i]) / (k[i + p + 1 - r] - k[i]);
                    points[j] = points[j - 1] * (1.0 - share) + points[j] * share;
                }
            }
            points[p]
        };
        (0..=p).map(blossom).collect()
    }

    /// The control points of the derivative: `points` belong to a spline of degree `degree` whose first knot is `skip`
    /// knots after the first of these.
    pub(super) fn derivative(&self, points: &[DVec4], degree: usize, skip: usize) -> Vec<DVec4> {
        let slope = |(i, pair): (usize, &[DVec4])| {
            let width = self.knots[skip + i + degree + 1] - self.knots[skip + i + 1];
            if width > 0.0 { (pair[1] - pair[0]) * (degree as f64 / width) } else { DVec4::ZERO }
        };
        points.windows(2).enumerate().map(slope).collect()
    }
}

/// A point with its weight as homogeneous coordinates.
pub(super) fn homogeneous(point: DVec3, weight: f64) -> DVec4 {
    (point * weight).extend(weight)
}

pub(super) fn projected(p: DVec4) -> DVec3 {
    p.truncate() / p.w
}

/// `|S'|` and `|S''|` of a quotient, from the greatest values of its parts.
pub(super) fn quotient(size: f64, weight: f64, [a1, w1]: [f64; 2], [a2, w2]: [f64; 2]) -> Slopes {
    let first = (a1 + w1 * size) / weight;
    // One part in 2^40 is far more than the roundings of the control points of derivatives.
    let room = 1.0 + 2f64.powi(-40);
    Slopes { first: first * room, second: (a2 + 2.0 * w1 * first + w2 * size) / weight * room }
}

pub(super) fn greatest(points: &[DVec4]) -> [f64; 2] {
    points.iter().fold([0.0, 0.0], |[a, w], p| [f64::max(a, p.truncate().length()), f64::max(w, p.w.abs())])
}

/// A parameter brought into the domain: by periods if the spline is closed, else to the nearest end.
pub(super) fn wrap(t: f64, [low, high]: [f64; 2], closed: bool) -> f64 {
    if closed && !(low..=high).contains(&t) {
        low + (t - low).rem_euclid(high - low)
    } else {
        t.clamp(low, high)
    }
}

/// A range of parameters brought into the domain; all of it where the range passes the seam.
pub(super) fn unwrapped([from, to]: [f64; 2], domain: [f64; 2], closed: bool) -> [f64; 2] {
    if domain[0] <= from && to <= domain[1] {
        return [from, to];
    }
    if !closed {
        // Beyond its ends there is no spline, nor is an end a crease.
        return [from, to].map(|t| t.clamp(domain[0], domain[1]));
    }
    let width = to - from;
    let start = wrap(from, domain, true);
    if start + width <= domain[1] { [start, start + width] } else { domain }
}
