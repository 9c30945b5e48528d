//! B-splines as Bézier pieces.

use super::piece::HIGHEST;
use super::{JointCurve, JointCurveError, finite, rows};

impl JointCurve {
    /// Returns a B-spline by its degree, knots in seconds, and control points (de Boor 1972). Knots may repeat; with
    /// `n` control points of degree `p` there are `n + p + 1` of them, and the curve runs from knot `p` to knot `n`.
    ///
    /// Every span between two knots becomes a Bézier piece by its blossom (Ramshaw 1989), rounded.
    pub fn b_spline(degree: usize, knots: &[f64], points: &[&[f64]]) -> Result<Self, JointCurveError> {
        if !(1..=HIGHEST).contains(&degree) {
            return Err(JointCurveError::Degree(degree));
        }
        rows("control point", points.len(), points)?;
        for (row, point) in points.iter().enumerate() {
            finite("control point", row, point)?;
        }
        let wanted = points.len() + degree + 1;
        let sorted =
            knots.windows(2).all(|two| two[0] <= two[1]) && knots.iter().all(|knot| knot.is_finite());
        let sized = points.len() > degree && knots.len() == wanted;
        // A knot inside that repeats more often than the degree leaves a gap.
        let inside = |k: &usize| sized && knots[degree] < knots[*k] && knots[*k] < knots[points.len()];
        let gap =
            (1..knots.len().saturating_sub(degree)).filter(inside).any(|k| knots[k] == knots[k + degree]);
        let fits = sized && sorted && !gap;
        let spans: Vec<usize> = match fits {
            true => (degree..points.len()).filter(|&span| knots[span] < knots[span + 1]).collect(),
            false => Vec::new(),
        };
        let Some(&first) = spans.first() else {
            let (found, points) = (knots.len(), points.len());
            return Err(JointCurveError::Knots { found, points, degree, wanted });
        };
        let spline = Spline { degree, knots, points };
        let mut curve = Self::starting(knots[first], &spline.control(first, 0))?;
        for &span in &spans {
            let control: Vec<Vec<f64>> = (1..=degree).map(|j| spline.control(span, j)).collect();
            let control: Vec<&[f64]> = control.iter().map(Vec::as_slice).collect();
            curve.push(knots[span + 1], &control)?;
        }
        Ok(curve)
    }
}

struct Spline<'a> {
    degree: usize,
    knots: &'a [f64],
    points: &'a [&'a [f64]],
}

impl Spline<'_> {
    /// Control point `j` of the Bézier piece on a span: the blossom with `j` arguments at its end.
    fn control(&self, span: usize, j: usize) -> Vec<f64> {
        let (degree, first) = (self.degree, span - self.degree);
        let one = |variable: usize| {
            let mut values: Vec<f64> = (first..=span).map(|point| self.points[point][variable]).collect();
            for level in 1..=degree {
                let at = if level <= j { self.knots[span + 1] } else { self.knots[span] };
                for k in (level..=degree).rev() {
                    let (low, high) = (self.knots[first + k], self.knots[span + 1 + k - level]);
                    let share = (at - low) / (high - low);
                    values[k] = values[k - 1] + (values[k] - values[k - 1]) * share;
                }
            }
            values[degree]
        };
        (0..self.points[0].len()).map(one).collect()
    }
}
