//! B-splines, plain and rational, with bounds on their derivatives.
//!
//! Bounds come from the control points of the derivatives (de Boor 1978): on a knot span a spline lies in the convex
//! hull of the control points of that span. Of a rational spline `A / w` the quotient rule gives
//! `|S'| <= (|A'| + |w'||S|) / min w` and `|S''| <= (|A''| + 2|w'||S'| + |w''||S|) / min w`, with a control point of
//! the span as origin.

use glam::{DVec2, DVec3, DVec4};

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
    fn span(&self, t: f64) -> usize {
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
    fn creases(&self, low: f64, high: f64) -> bool {
        let first = self.knots.partition_point(|&k| k <= low);
        let last = self.knots.partition_point(|&k| k < high);
        let inner = &self.knots[first.min(last)..last];
        inner.windows(self.degree).any(|w| w[0] == w[self.degree - 1])
    }

    /// Basis functions and their derivatives on a span (Cox and de Boor).
    fn basis(&self, span: usize, t: f64) -> ([f64; MAX_DEGREE + 1], [f64; MAX_DEGREE + 1]) {
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
    fn bezier(&self, span: usize, own: &[DVec4]) -> Vec<DVec4> {
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
    fn derivative(&self, points: &[DVec4], degree: usize, skip: usize) -> Vec<DVec4> {
        let slope = |(i, pair): (usize, &[DVec4])| {
            let width = self.knots[skip + i + degree + 1] - self.knots[skip + i + 1];
            if width > 0.0 { (pair[1] - pair[0]) * (degree as f64 / width) } else { DVec4::ZERO }
        };
        points.windows(2).enumerate().map(slope).collect()
    }
}

/// A point with its weight as homogeneous coordinates.
fn homogeneous(point: DVec3, weight: f64) -> DVec4 {
    (point * weight).extend(weight)
}

fn projected(p: DVec4) -> DVec3 {
    p.truncate() / p.w
}

/// `|S'|` and `|S''|` of a quotient, from the greatest values of its parts.
fn quotient(size: f64, weight: f64, [a1, w1]: [f64; 2], [a2, w2]: [f64; 2]) -> Slopes {
    let first = (a1 + w1 * size) / weight;
    // One part in 2^40 is far more than the roundings of the control points of derivatives.
    let room = 1.0 + 2f64.powi(-40);
    Slopes { first: first * room, second: (a2 + 2.0 * w1 * first + w2 * size) / weight * room }
}

fn greatest(points: &[DVec4]) -> [f64; 2] {
    points.iter().fold([0.0, 0.0], |[a, w], p| [f64::max(a, p.truncate().length()), f64::max(w, p.w.abs())])
}

/// A parameter brought into the domain: by periods if the spline is closed, else to the nearest end.
fn wrap(t: f64, [low, high]: [f64; 2], closed: bool) -> f64 {
    if closed && !(low..=high).contains(&t) {
        low + (t - low).rem_euclid(high - low)
    } else {
        t.clamp(low, high)
    }
}

/// A range of parameters brought into the domain; all of it where the range passes the seam.
fn unwrapped([from, to]: [f64; 2], domain: [f64; 2], closed: bool) -> [f64; 2] {
    if !closed || (domain[0] <= from && to <= domain[1]) {
        return [from, to];
    }
    let width = to - from;
    let start = wrap(from, domain, true);
    if start + width <= domain[1] { [start, start + width] } else { domain }
}

/// A B-spline curve.
#[derive(Clone, Debug, PartialEq)]
pub struct SplineCurve {
    knots: Knots,
    /// Homogeneous.
    points: Vec<DVec4>,
    /// Bounds by knot span.
    slopes: Vec<(usize, Slopes)>,
    /// The ends meet, so that the parameter is periodic.
    closed: bool,
}

impl SplineCurve {
    /// The curve with these control points, weights (all 1 if `None`) and knots with multiplicities.
    pub fn new(
        degree: usize,
        points: &[DVec3],
        weights: Option<&[f64]>,
        knots: &[f64],
        multiplicities: &[usize],
    ) -> Option<Self> {
        let weighted =
            weights.is_none_or(|w| w.len() == points.len() && w.iter().all(|&w| w > 0.0 && w.is_finite()));
        if !weighted || !points.iter().all(|p| p.is_finite()) {
            return None;
        }
        let knots = Knots::new(degree, knots, multiplicities, points.len())?;
        let weight = |i: usize| weights.map_or(1.0, |w| w[i]);
        let points: Vec<DVec4> = points.iter().enumerate().map(|(i, &p)| homogeneous(p, weight(i))).collect();
        let slopes = knots.spans().map(|span| (span, curve_slopes(&knots, &points, span))).collect();
        let mut made = Self { knots, points, slopes, closed: false };
        let [first, last] = made.domain().map(|t| made.evaluate(t).0);
        made.closed = first.distance(last) <= 1e-9 * made.size();
        Some(made)
    }

    fn size(&self) -> f64 {
        let first = projected(self.points[0]);
        self.points.iter().map(|&p| projected(p).distance(first)).fold(0.0, f64::max)
    }

    /// The period of a closed curve.
    pub(crate) fn period(&self) -> Option<f64> {
        let [low, high] = self.domain();
        self.closed.then_some(high - low)
    }

    /// First and last parameter.
    pub fn domain(&self) -> [f64; 2] {
        self.knots.domain()
    }

    /// The point and the derivative at a parameter of the domain.
    pub fn evaluate(&self, t: f64) -> (DVec3, DVec3) {
        let t = wrap(t, self.domain(), self.closed);
        let span = self.knots.span(t);
        let (values, slopes) = self.knots.basis(span, t);
        let p = self.knots.degree;
        let own = &self.points[span - p..=span];
        let sum = |weights: &[f64]| own.iter().zip(weights).map(|(&point, &w)| point * w).sum::<DVec4>();
        let (a, da) = (sum(&values), sum(&slopes));
        let point = projected(a);
        (point, (da.truncate() - point * da.w) / a.w)
    }

    pub(crate) fn slopes(&self, low: f64, high: f64) -> Slopes {
        let [low, high] = unwrapped([low, high], self.domain(), self.closed);
        let mut bound = Slopes::default();
        for &(span, slopes) in &self.slopes {
            if self.knots.knots[span] <= high && low <= self.knots.knots[span + 1] {
                bound =
                    Slopes { first: bound.first.max(slopes.first), second: bound.second.max(slopes.second) };
            }
        }
        if self.knots.creases(low, high) && high > low {
            // A kink of the tangent counts like a second derivative that makes up for it on this range.
            bound.second += 8.0 * bound.first / (high - low);
        }
        bound
    }

    /// Parameters that part the curve where its pieces are joined.
    pub(crate) fn breaks(&self) -> impl Iterator<Item = f64> + '_ {
        self.knots.spans().map(|span| self.knots.knots[span])
    }

    /// Homogeneous Bézier control points of all pieces.
    pub(crate) fn beziers(&self) -> Vec<Vec<DVec4>> {
        let p = self.knots.degree;
        self.knots.spans().map(|span| self.knots.bezier(span, &self.points[span - p..=span])).collect()
    }

    pub(crate) fn moved(&self, pose: &noli_geom::Pose) -> Self {
        let points =
            self.points.iter().map(|p| homogeneous(pose.transform_point(projected(*p)), p.w)).collect();
        Self { points, ..self.clone() }
    }
}

fn curve_slopes(knots: &Knots, points: &[DVec4], span: usize) -> Slopes {
    let p = knots.degree;
    let own = &points[span - p..=span];
    let origin = projected(own[0]);
    let local: Vec<DVec4> = own.iter().map(|h| (h.truncate() - origin * h.w).extend(h.w)).collect();
    let size = own.iter().map(|&h| (projected(h) - origin).length()).fold(0.0, f64::max);
    let weight = own.iter().map(|h| h.w).fold(f64::INFINITY, f64::min);
    let first = knots.derivative(&local, p, span - p);
    let second = if p >= 2 { knots.derivative(&first, p - 1, span - p + 1) } else { Vec::new() };
    quotient(size, weight, greatest(&first), greatest(&second))
}

/// Bounds on `|S_u|, |S_v|, |S_uu|, |S_uv|, |S_vv|`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct SurfaceSlopes {
    pub(crate) u: f64,
    pub(crate) v: f64,
    pub(crate) uu: f64,
    pub(crate) uv: f64,
    pub(crate) vv: f64,
}

impl SurfaceSlopes {
    fn max(self, other: Self) -> Self {
        Self {
            u: self.u.max(other.u),
            v: self.v.max(other.v),
            uu: self.uu.max(other.uu),
            uv: self.uv.max(other.uv),
            vv: self.vv.max(other.vv),
        }
    }
}

/// A B-spline surface.
#[derive(Clone, Debug, PartialEq)]
pub struct SplineSurface {
    u: Knots,
    v: Knots,
    /// Homogeneous, `v` runs faster.
    points: Vec<DVec4>,
    cells: Vec<Cell>,
    /// Opposite sides of the domain meet.
    closed: [bool; 2],
}

/// A knot span in both directions.
#[derive(Clone, Debug, PartialEq)]
struct Cell {
    low: DVec2,
    high: DVec2,
    slopes: SurfaceSlopes,
}

/// Degree, knots and multiplicities of one direction of a surface.
pub type KnotSequence<'a> = (usize, &'a [f64], &'a [usize]);

impl SplineSurface {
    /// The surface with rows of control points (the second index runs along `v`), weights and knots.
    pub fn new(
        points: &[Vec<DVec3>],
        weights: Option<&[Vec<f64>]>,
        u: KnotSequence<'_>,
        v: KnotSequence<'_>,
    ) -> Option<Self> {
        let columns = points.first()?.len();
        let fits = points.iter().all(|row| row.len() == columns && row.iter().all(|p| p.is_finite()));
        let weighted = weights.is_none_or(|w| {
            w.len() == points.len()
                && w.iter().all(|row| row.len() == columns && row.iter().all(|&w| w > 0.0 && w.is_finite()))
        });
        if !fits || !weighted {
            return None;
        }
        let (u, v) = (Knots::new(u.0, u.1, u.2, points.len())?, Knots::new(v.0, v.1, v.2, columns)?);
        let weight = |i: usize, j: usize| weights.map_or(1.0, |w| w[i][j]);
        let net = points.iter().enumerate();
        let points: Vec<DVec4> = net
            .flat_map(|(i, row)| row.iter().enumerate().map(move |(j, &p)| homogeneous(p, weight(i, j))))
            .collect();
        let mut made = Self { u, v, points, cells: Vec::new(), closed: [false; 2] };
        let spans: Vec<[usize; 2]> =
            made.u.spans().flat_map(|a| made.v.spans().map(move |b| [a, b])).collect();
        made.cells = spans.into_iter().map(|span| made.cell(span)).collect();
        made.closed = made.find_closed();
        Some(made)
    }

    fn find_closed(&self) -> [bool; 2] {
        let [low, high] = self.domain();
        let first = projected(self.points[0]);
        let size = self.points.iter().map(|&p| projected(p).distance(first)).fold(0.0, f64::max);
        let meets = |a: DVec2, b: DVec2| self.evaluate(a)[0].distance(self.evaluate(b)[0]) <= 1e-7 * size;
        let along = |k: i32| low + (high - low) * (f64::from(k) / 8.0);
        [
            (0..=8).all(|k| meets(DVec2::new(low.x, along(k).y), DVec2::new(high.x, along(k).y))),
            (0..=8).all(|k| meets(DVec2::new(along(k).x, low.y), DVec2::new(along(k).x, high.y))),
        ]
    }

    /// Periods of closed directions.
    pub(crate) fn periods(&self) -> [Option<f64>; 2] {
        let [low, high] = self.domain();
        [self.closed[0].then_some(high.x - low.x), self.closed[1].then_some(high.y - low.y)]
    }

    /// The ends of the second parameter at which a surface that is closed in the first shrinks to a point.
    pub(crate) fn poles(&self) -> [Option<f64>; 2] {
        let [low, high] = self.domain();
        let middle = self.evaluate((low + high) * 0.5)[0];
        let at =
            |v: f64, k: i32| self.evaluate(DVec2::new(low.x + (high.x - low.x) * f64::from(k) / 8.0, v))[0];
        let shrinks =
            |v: f64| (1..8).all(|k| at(v, k).distance(at(v, 0)) <= 1e-7 * at(v, 0).distance(middle));
        [low.y, high.y].map(|v| (self.closed[0] && shrinks(v)).then_some(v))
    }

    /// Parameters brought into the domain.
    pub(crate) fn wrapped(&self, uv: DVec2) -> DVec2 {
        DVec2::new(wrap(uv.x, self.u.domain(), self.closed[0]), wrap(uv.y, self.v.domain(), self.closed[1]))
    }

    /// The domain, without ends in closed directions.
    pub(crate) fn search_domain(&self) -> [DVec2; 2] {
        let [mut low, mut high] = self.domain();
        for k in (0..2).filter(|&k| self.closed[k]) {
            (low[k], high[k]) = (f64::MIN, f64::MAX);
        }
        [low, high]
    }

    /// The least and greatest parameters.
    pub fn domain(&self) -> [DVec2; 2] {
        let ([u0, u1], [v0, v1]) = (self.u.domain(), self.v.domain());
        [DVec2::new(u0, v0), DVec2::new(u1, v1)]
    }

    fn columns(&self) -> usize {
        self.v.knots.len() - self.v.degree - 1
    }

    fn cell(&self, [a, b]: [usize; 2]) -> Cell {
        let (p, q, columns) = (self.u.degree, self.v.degree, self.columns());
        let origin = projected(self.points[(a - p) * columns + b - q]);
        let at = |i: usize, j: usize| self.points[(a - p + i) * columns + b - q + j];
        let local = |i: usize, j: usize| (at(i, j).truncate() - origin * at(i, j).w).extend(at(i, j).w);
        let (mut size, mut weight) = (0.0f64, f64::INFINITY);
        for h in (0..=p).flat_map(|i| (0..=q).map(move |j| at(i, j))) {
            size = size.max((projected(h) - origin).length());
            weight = weight.min(h.w);
        }
        let rows: Vec<Vec<DVec4>> = (0..=p).map(|i| (0..=q).map(|j| local(i, j)).collect()).collect();
        let columns: Vec<Vec<DVec4>> = (0..=q).map(|j| (0..=p).map(|i| local(i, j)).collect()).collect();
        let along = |knots: &Knots, span: usize, line: &[DVec4]| {
            let first = knots.derivative(line, knots.degree, span - knots.degree);
            let skip = span - knots.degree + 1;
            let second =
                if knots.degree >= 2 { knots.derivative(&first, knots.degree - 1, skip) } else { Vec::new() };
            (first, second)
        };
        let most = |lines: &[Vec<DVec4>]| {
            lines
                .iter()
                .map(|l| greatest(l))
                .fold([0.0, 0.0], |m, g| [f64::max(m[0], g[0]), f64::max(m[1], g[1])])
        };
        let (u1, u2): (Vec<_>, Vec<_>) = columns.iter().map(|line| along(&self.u, a, line)).unzip();
        let (v1, v2): (Vec<_>, Vec<_>) = rows.iter().map(|line| along(&self.v, b, line)).unzip();
        let mixed: Vec<Vec<DVec4>> = (0..p)
            .map(|i| {
                let line: Vec<DVec4> = u1.iter().map(|column| column[i]).collect();
                self.v.derivative(&line, q, b - q)
            })
            .collect();
        let (in_u, in_v) =
            (quotient(size, weight, most(&u1), most(&u2)), quotient(size, weight, most(&v1), most(&v2)));
        let [a2, w2] = most(&mixed);
        let ([_, wu], [_, wv]) = (most(&u1), most(&v1));
        let uv = (a2 + wu * in_v.first + wv * in_u.first + w2 * size) / weight * (1.0 + 2f64.powi(-40));
        let slopes = SurfaceSlopes { u: in_u.first, v: in_v.first, uu: in_u.second, uv, vv: in_v.second };
        let low = DVec2::new(self.u.knots[a], self.v.knots[b]);
        Cell { low, high: DVec2::new(self.u.knots[a + 1], self.v.knots[b + 1]), slopes }
    }

    /// The point and both derivatives.
    pub fn evaluate(&self, uv: DVec2) -> [DVec3; 3] {
        let uv = self.wrapped(uv);
        let (a, b) = (self.u.span(uv.x), self.v.span(uv.y));
        let ((nu, du), (nv, dv)) = (self.u.basis(a, uv.x), self.v.basis(b, uv.y));
        let (p, q, columns) = (self.u.degree, self.v.degree, self.columns());
        let [mut s, mut su, mut sv] = [DVec4::ZERO; 3];
        for i in 0..=p {
            let row = &self.points[(a - p + i) * columns + b - q..][..=q];
            let (mut value, mut slope) = (DVec4::ZERO, DVec4::ZERO);
            for (j, &point) in row.iter().enumerate() {
                value += point * nv[j];
                slope += point * dv[j];
            }
            s += value * nu[i];
            su += value * du[i];
            sv += slope * nu[i];
        }
        let point = projected(s);
        let partial = |d: DVec4| (d.truncate() - point * d.w) / s.w;
        [point, partial(su), partial(sv)]
    }

    pub(crate) fn slopes(&self, low: DVec2, high: DVec2) -> SurfaceSlopes {
        let [u0, u1] = unwrapped([low.x, high.x], self.u.domain(), self.closed[0]);
        let [v0, v1] = unwrapped([low.y, high.y], self.v.domain(), self.closed[1]);
        let (low, high) = (DVec2::new(u0, v0), DVec2::new(u1, v1));
        let touched = self.cells.iter().filter(|c| c.low.cmple(high).all() && low.cmple(c.high).all());
        let mut bound = touched.fold(SurfaceSlopes::default(), |bound, cell| bound.max(cell.slopes));
        let size = high - low;
        if size.x > 0.0 && self.u.creases(low.x, high.x) {
            bound.uu += 8.0 * bound.u / size.x;
        }
        if size.y > 0.0 && self.v.creases(low.y, high.y) {
            bound.vv += 8.0 * bound.v / size.y;
        }
        bound
    }

    /// Homogeneous Bézier nets of all pieces: rows along `u`.
    pub(crate) fn beziers(&self) -> Vec<Vec<Vec<DVec4>>> {
        let (p, q, columns) = (self.u.degree, self.v.degree, self.columns());
        let net = |a: usize, b: usize| {
            let rows: Vec<Vec<DVec4>> = (a - p..=a)
                .map(|i| self.v.bezier(b, &self.points[i * columns + b - q..=i * columns + b]))
                .collect();
            let column = |j: usize| {
                let line: Vec<DVec4> = rows.iter().map(|row| row[j]).collect();
                self.u.bezier(a, &line)
            };
            let turned: Vec<Vec<DVec4>> = (0..=q).map(column).collect();
            (0..=p).map(|i| turned.iter().map(|line| line[i]).collect()).collect()
        };
        self.u.spans().flat_map(|a| self.v.spans().map(move |b| (a, b))).map(|(a, b)| net(a, b)).collect()
    }

    /// Parameters to begin a search at: the middle of every cell.
    pub(crate) fn starts(&self) -> impl Iterator<Item = DVec2> + '_ {
        self.cells.iter().map(|cell| (cell.low + cell.high) * 0.5)
    }

    pub(crate) fn moved(&self, pose: &noli_geom::Pose) -> Self {
        let points =
            self.points.iter().map(|p| homogeneous(pose.transform_point(projected(*p)), p.w)).collect();
        Self { points, ..self.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A quarter of a circle of radius 1, rational of degree 2.
    fn quarter() -> SplineCurve {
        let points = [DVec3::X, DVec3::new(1.0, 1.0, 0.0), DVec3::Y];
        SplineCurve::new(2, &points, Some(&[1.0, 0.5f64.sqrt(), 1.0]), &[0.0, 1.0], &[3, 3]).unwrap()
    }

    #[test]
    fn a_rational_quarter_lies_on_its_circle() {
        let curve = quarter();
        for k in 0..=20 {
            let t = f64::from(k) / 20.0;
            let (point, slope) = curve.evaluate(t);
            assert!((point.length() - 1.0).abs() < 1e-15 && point.dot(slope).abs() < 1e-14);
            let bound = curve.slopes(0.0, 1.0);
            assert!(slope.length() <= bound.first, "{slope} {bound:?}");
            let h = 1e-4;
            let second = (curve.evaluate(t + h).1 - curve.evaluate(t - h).1) / (2.0 * h);
            assert!(second.length() <= bound.second, "{second} {bound:?}");
        }
    }

    #[test]
    fn bounds_hold_for_random_surfaces() {
        let mut random = noli_testing::Random::new(3);
        for round in 0..50 {
            let rows: Vec<Vec<DVec3>> = (0..5).map(|_| (0..6).map(|_| random.vector()).collect()).collect();
            let weights: Vec<Vec<f64>> =
                (0..5).map(|_| (0..6).map(|_| random.between(0.5, 2.0)).collect()).collect();
            let weights = (round % 2 == 0).then_some(&weights[..]);
            let u = (3usize, &[0.0, 0.4, 1.0][..], &[4usize, 1, 4][..]);
            let v = (2usize, &[0.0, 0.3, 0.6, 2.0][..], &[3usize, 1, 2, 3][..]);
            let surface = SplineSurface::new(&rows, weights, u, v).unwrap();
            for _ in 0..20 {
                let uv = DVec2::new(random.unit(), random.between(0.61, 2.0));
                let [_, su, sv] = surface.evaluate(uv);
                let bound = surface.slopes(uv, uv);
                let h = 1e-5;
                let [_, suh, svh] = surface.evaluate(uv + DVec2::new(0.0, h));
                let [_, suu, _] = surface.evaluate(uv + DVec2::new(h, 0.0));
                let near = 1.01;
                assert!(su.length() <= bound.u && sv.length() <= bound.v);
                assert!((suu - su).length() / h <= near * surface.slopes(uv, uv + h).uu + 1e-4);
                assert!((suh - su).length() / h <= near * surface.slopes(uv, uv + h).uv + 1e-4);
                assert!((svh - sv).length() / h <= near * surface.slopes(uv, uv + h).vv + 1e-4);
            }
        }
    }
}
