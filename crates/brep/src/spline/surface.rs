//! B-spline surfaces.

use super::knots::{Knots, greatest, homogeneous, projected, quotient, unwrapped, wrap};
use glam::{DVec2, DVec3, DVec4, Vec2Swizzles};

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

    /// Its degrees, if it is a polynomial between knots: all weights are one.
    pub(crate) fn polynomial_degrees(&self) -> Option<[usize; 2]> {
        self.points.iter().all(|point| point.w == 1.0).then_some([self.u.degree, self.v.degree])
    }

    /// The knots of a direction, those of all periods near the domain.
    pub(crate) fn breaks(&self, axis: usize) -> Vec<f64> {
        let knots = [&self.u, &self.v][axis];
        let period = self.periods()[axis];
        let [_, high] = knots.domain();
        let own = knots.spans().map(|span| knots.knots[span]).chain([high]);
        let shifted = |knot: f64| {
            period.map_or(vec![knot], |p| [-2.0, -1.0, 0.0, 1.0, 2.0].map(|n| knot + n * p).to_vec())
        };
        own.flat_map(shifted).collect()
    }

    /// The surface with its parameters exchanged; its normal has the opposite direction.
    fn transposed(&self) -> Self {
        let (rows, columns) = (self.points.len() / self.columns(), self.columns());
        let points = (0..columns).flat_map(|j| (0..rows).map(move |i| i * columns + j));
        let turned = |cell: &Cell| {
            let SurfaceSlopes { u, v, uu, uv, vv } = cell.slopes;
            let slopes = SurfaceSlopes { u: v, v: u, uu: vv, uv, vv: uu };
            Cell { low: cell.low.yx(), high: cell.high.yx(), slopes }
        };
        Self {
            u: self.v.clone(),
            v: self.u.clone(),
            points: points.map(|k| self.points[k]).collect(),
            cells: self.cells.iter().map(turned).collect(),
            closed: [self.closed[1], self.closed[0]],
        }
    }

    /// The surface with its parameters exchanged, if it shrinks to a point at an end of the first one alone.
    pub(crate) fn turned_to_poles(&self) -> Option<Self> {
        if self.poles() != [None, None] {
            return None;
        }
        let turned = self.transposed();
        (turned.poles() != [None, None]).then_some(turned)
    }

    /// The ends of the second parameter at which the surface shrinks to a point.
    pub(crate) fn poles(&self) -> [Option<f64>; 2] {
        let [low, high] = self.domain();
        let middle = self.evaluate((low + high) * 0.5)[0];
        let at =
            |v: f64, k: i32| self.evaluate(DVec2::new(low.x + (high.x - low.x) * f64::from(k) / 8.0, v))[0];
        let shrinks =
            |v: f64| (1..8).all(|k| at(v, k).distance(at(v, 0)) <= 1e-7 * at(v, 0).distance(middle));
        [low.y, high.y].map(|v| shrinks(v).then_some(v))
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

    /// Parameters to begin a search at: the middle of every cell, and more if there are few.
    pub(crate) fn starts(&self) -> impl Iterator<Item = DVec2> + '_ {
        let parts = if self.cells.len() > 64 { 1 } else { 5 };
        let share = move |k: u32| (f64::from(k) + 0.5) / f64::from(parts);
        self.cells.iter().flat_map(move |cell| {
            let at = move |i: u32, j: u32| cell.low + (cell.high - cell.low) * DVec2::new(share(i), share(j));
            (0..parts).flat_map(move |i| (0..parts).map(move |j| at(i, j)))
        })
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
