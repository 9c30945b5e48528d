//! B-splines as Bézier pieces, and cubic splines through configurations.

use super::piece::HIGHEST;
use super::{JointCurve, JointCurveError, finite, rows};

impl JointCurve {
    /// Returns the cubic spline through configurations, with continuous accelerations and given velocities at both ends
    /// (de Boor 1978, chapter IV).
    ///
    /// ```
    /// let times = [0.0, 1.0, 2.0];
    /// let curve = noli_robot::JointCurve::spline(&times, &[&[0.0], &[1.0], &[0.0]], [&[0.0], &[0.0]])?;
    /// assert_eq!(curve.derivative(1.0, 1), [0.0]);
    /// # Ok::<(), noli_robot::JointCurveError>(())
    /// ```
    pub fn spline(times: &[f64], positions: &[&[f64]], ends: [&[f64]; 2]) -> Result<Self, JointCurveError> {
        // Errors of times and positions are those of the straight curve.
        let straight = Self::linear(times, positions)?;
        for (row, rates) in ends.into_iter().enumerate() {
            straight.row("velocity at an end", row, rates)?;
        }
        let mut velocities = vec![ends[0].to_vec(); times.len()];
        velocities[times.len() - 1] = ends[1].to_vec();
        for variable in 0..straight.variables() {
            let values: Vec<f64> = positions.iter().map(|row| row[variable]).collect();
            let inner = inner_velocities(times, &values, ends.map(|rates| rates[variable]));
            velocities[1..].iter_mut().zip(inner).for_each(|(row, velocity)| row[variable] = velocity);
        }
        let velocities: Vec<&[f64]> = velocities.iter().map(Vec::as_slice).collect();
        Self::cubic(times, positions, &velocities)
    }

    /// Returns even knots from 0 to a duration for a [B-spline](Self::b_spline) that begins at its first control point and
    /// ends at its last; none if there are too few of these.
    pub fn clamped_knots(degree: usize, points: usize, duration: f64) -> Vec<f64> {
        let Some(spans) = points.checked_sub(degree).filter(|spans| *spans > 0) else { return Vec::new() };
        let inner = (1..spans).map(|k| duration * (k as f64 / spans as f64));
        let ends = |time: f64| std::iter::repeat_n(time, degree + 1);
        ends(0.0).chain(inner).chain(ends(duration)).collect()
    }

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

/// Velocities at inner times at which accelerations are continuous, by elimination in the tridiagonal system.
fn inner_velocities(times: &[f64], values: &[f64], ends: [f64; 2]) -> Vec<f64> {
    let inner = times.len().saturating_sub(2);
    let (mut factors, mut velocities) = (vec![0.0; inner], vec![0.0; inner]);
    let mut before = (0.0, ends[0]);
    for k in 0..inner {
        let [a, b] = [times[k + 1] - times[k], times[k + 2] - times[k + 1]];
        let [rise, next] = [(values[k + 1] - values[k]) / a, (values[k + 2] - values[k + 1]) / b];
        // The row times both lengths: `b v₀ + 2(a + b) v₁ + a v₂`.
        let last = if k + 1 == inner { a * ends[1] } else { 0.0 };
        let pivot = 2.0 * (a + b) - b * before.0;
        factors[k] = a / pivot;
        velocities[k] = (3.0 * (b * rise + a * next) - last - b * before.1) / pivot;
        before = (factors[k], velocities[k]);
    }
    for k in (0..inner.saturating_sub(1)).rev() {
        velocities[k] -= factors[k] * velocities[k + 1];
    }
    velocities
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
