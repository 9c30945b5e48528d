//! Joint curves: every variable a polynomial of time, piece by piece.
//!
//! Pieces are stored as Bézier curves. The values on a part of a piece lie between the smallest and the largest
//! control value of that part (de Casteljau 1959), so that ranges over an interval are proven.

mod piece;
mod spline;

pub(crate) use piece::Piece;

use piece::HIGHEST;

/// A curve of configurations over time, in seconds: continuous, and polynomial between its knots.
///
/// ```
/// use noli_robot::JointCurve;
/// // One joint from rest to rest in two seconds, as a controller interpolates positions and velocities.
/// let curve = JointCurve::cubic(&[0.0, 2.0], &[&[0.0], &[1.0]], &[&[0.0], &[0.0]])?;
/// assert_eq!(curve.position(1.0), [0.5]);
/// assert_eq!(curve.derivative(1.0, 1), [0.75]);
/// # Ok::<(), noli_robot::JointCurveError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[doc(alias("trajectory", "spline", "piecewise polynomial"))]
pub struct JointCurve {
    count: usize,
    /// The start of every piece, and the end of the last.
    knots: Vec<f64>,
    pieces: Vec<Piece>,
}

/// Reason that values are not a curve.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum JointCurveError {
    /// Fewer than two configurations.
    #[error("a curve needs at least two configurations, not {0}")]
    TooFew(usize),
    /// Rows of different lengths, or another number of rows than times.
    #[error("{what} {row}: {found} values instead of {wanted}")]
    Count {
        /// What the row is of.
        what: &'static str,
        /// The row, counted from 0.
        row: usize,
        /// The number of values in it.
        found: usize,
        /// The number of values that it must have.
        wanted: usize,
    },
    /// A time that is not finite, or not later than the one before.
    #[error("time {0} is not later than the one before; give increasing times in seconds")]
    Times(usize),
    /// A value that is not finite.
    #[error("{what} {row}: a value is not finite")]
    NotFinite {
        /// What the row is of.
        what: &'static str,
        /// The row, counted from 0.
        row: usize,
    },
    /// A degree that is not supported.
    #[error("degree {0}; give 1 to {most}", most = HIGHEST)]
    Degree(usize),
    /// Knots that make no B-spline.
    #[error(
        "{found} knots for {points} control points of degree {degree}; give {wanted}, none decreasing, \
             none inside repeated more often than the degree, with at least one span that is not empty"
    )]
    Knots {
        /// Given knots.
        found: usize,
        /// Control points.
        points: usize,
        /// Degree.
        degree: usize,
        /// Knots that are needed.
        wanted: usize,
    },
    /// Limits of a profile that are not positive, or not one for each variable.
    #[error("{what} limit of variable {variable}: give a finite one above 0 for each variable")]
    Limit {
        /// Velocity, acceleration or jerk.
        what: &'static str,
        /// The variable, counted from 0.
        variable: usize,
    },
}

impl JointCurve {
    /// Returns a curve without extent: add pieces with [`push`](Self::push).
    pub fn starting(time: f64, values: &[f64]) -> Result<Self, JointCurveError> {
        if !time.is_finite() {
            return Err(JointCurveError::Times(0));
        }
        finite("configuration", 0, values)?;
        let rest = Piece::new(values.len(), &[values]);
        Ok(Self { count: values.len(), knots: vec![time], pieces: vec![rest] })
    }

    /// Adds a Bézier curve that ends at a time. It starts where the curve ends; `control` are the control points
    /// after that one, the last of them the new end.
    pub fn push(&mut self, until: f64, control: &[&[f64]]) -> Result<(), JointCurveError> {
        let row = self.knots.len();
        if !(1..=HIGHEST).contains(&control.len()) {
            return Err(JointCurveError::Degree(control.len()));
        }
        if !until.is_finite() || until <= self.knots[row - 1] {
            return Err(JointCurveError::Times(row));
        }
        for values in control {
            self.row("control point", row, values)?;
        }
        let end = self.end();
        let mut all: Vec<&[f64]> = vec![&end];
        all.extend_from_slice(control);
        let piece = Piece::new(self.count, &all);
        if row == 1 {
            self.pieces.clear();
        }
        self.pieces.push(piece);
        self.knots.push(until);
        Ok(())
    }

    /// Returns the curve through configurations with straight segments in joint space.
    pub fn linear(times: &[f64], positions: &[&[f64]]) -> Result<Self, JointCurveError> {
        Self::through(times, positions, |curve, k| curve.push(times[k], &[positions[k]]))
    }

    /// Returns the cubic Hermite curve through configurations with given velocities.
    pub fn cubic(
        times: &[f64],
        positions: &[&[f64]],
        velocities: &[&[f64]],
    ) -> Result<Self, JointCurveError> {
        rows("velocity", times.len(), velocities)?;
        Self::through(times, positions, |curve, k| {
            let ends = [k - 1, k].map(|k| State {
                position: positions[k],
                velocity: velocities[k],
                acceleration: &[],
            });
            curve.push_cubic(times[k], ends)
        })
    }

    /// Returns the quintic Hermite curve through configurations with given velocities and accelerations.
    pub fn quintic(
        times: &[f64],
        positions: &[&[f64]],
        velocities: &[&[f64]],
        accelerations: &[&[f64]],
    ) -> Result<Self, JointCurveError> {
        rows("velocity", times.len(), velocities)?;
        rows("acceleration", times.len(), accelerations)?;
        Self::through(times, positions, |curve, k| {
            let state = |k: usize| State {
                position: positions[k],
                velocity: velocities[k],
                acceleration: accelerations[k],
            };
            curve.push_quintic(times[k], [state(k - 1), state(k)])
        })
    }

    fn through(
        times: &[f64],
        positions: &[&[f64]],
        mut add: impl FnMut(&mut Self, usize) -> Result<(), JointCurveError>,
    ) -> Result<Self, JointCurveError> {
        rows("configuration", times.len(), positions)?;
        if times.len() < 2 {
            return Err(JointCurveError::TooFew(times.len()));
        }
        let mut curve = Self::starting(times[0], positions[0])?;
        for k in 1..times.len() {
            add(&mut curve, k)?;
        }
        Ok(curve)
    }

    /// Adds a cubic piece between two states; the first is at the end of the curve.
    pub(crate) fn push_cubic(&mut self, until: f64, [a, b]: [State<'_>; 2]) -> Result<(), JointCurveError> {
        let third = (until - self.span()[1]) / 3.0;
        for (row, state) in [&a, &b].into_iter().enumerate() {
            self.row("velocity", row, state.velocity)?;
        }
        let after = combined(a.position, &[(third, a.velocity)]);
        let before = combined(b.position, &[(-third, b.velocity)]);
        self.push(until, &[&after, &before, b.position])
    }

    /// Adds a quintic piece between two states; the first is at the end of the curve.
    pub(crate) fn push_quintic(&mut self, until: f64, [a, b]: [State<'_>; 2]) -> Result<(), JointCurveError> {
        let h = until - self.span()[1];
        let (fifth, square) = (h / 5.0, h * h / 20.0);
        for (row, state) in [&a, &b].into_iter().enumerate() {
            self.row("velocity", row, state.velocity)?;
            self.row("acceleration", row, state.acceleration)?;
        }
        let first = combined(a.position, &[(fifth, a.velocity)]);
        let second = combined(a.position, &[(2.0 * fifth, a.velocity), (square, a.acceleration)]);
        let third = combined(b.position, &[(-2.0 * fifth, b.velocity), (square, b.acceleration)]);
        let fourth = combined(b.position, &[(-fifth, b.velocity)]);
        self.push(until, &[&first, &second, &third, &fourth, b.position])
    }

    fn row(&self, what: &'static str, row: usize, values: &[f64]) -> Result<(), JointCurveError> {
        let (found, wanted) = (values.len(), self.count);
        if found != wanted {
            return Err(JointCurveError::Count { what, row, found, wanted });
        }
        finite(what, row, values)
    }

    /// Number of variables.
    pub fn variables(&self) -> usize {
        self.count
    }

    /// First and last time, in seconds.
    pub fn span(&self) -> [f64; 2] {
        [self.knots[0], self.knots[self.knots.len() - 1]]
    }

    /// Length of time, in seconds.
    pub fn duration(&self) -> f64 {
        let [start, end] = self.span();
        end - start
    }

    /// Times between which the curve is polynomial, in seconds.
    pub fn knots(&self) -> &[f64] {
        &self.knots
    }

    /// Returns the time after a share of the duration.
    pub fn time_at(&self, share: f64) -> f64 {
        let [start, end] = self.span();
        if share >= 1.0 { end } else { start + (end - start) * share }
    }

    /// Returns the configuration at a time, clamped to the span.
    pub fn position(&self, time: f64) -> Vec<f64> {
        self.derivative(time, 0)
    }

    /// Returns a derivative of all variables at a time: 1 the velocity, 2 the acceleration, 3 the jerk. At a knot
    /// it is that of the later piece.
    pub fn derivative(&self, time: f64, order: usize) -> Vec<f64> {
        let number = self.knots[1..].partition_point(|&knot| knot <= time).min(self.pieces.len() - 1);
        let piece = &self.pieces[number];
        let Some(&end) = self.knots.get(number + 1) else {
            let still = |k| if order == 0 { piece.control(k)[0] } else { 0.0 };
            return (0..self.count).map(still).collect();
        };
        let length = end - self.knots[number];
        let share = ((time - self.knots[number]) / length).clamp(0.0, 1.0);
        (0..self.count).map(|k| piece.derivative(k, share, order) / length.powi(order as i32)).collect()
    }

    /// Returns the smallest and the largest value that a derivative of a variable may take, by its control values:
    /// no value lies outside, up to rounding.
    pub fn derivative_range(&self, variable: usize, order: usize) -> [f64; 2] {
        let mut range = [f64::INFINITY, f64::NEG_INFINITY];
        for (piece, ends) in self.pieces.iter().zip(self.knots.windows(2)) {
            let scale = (ends[1] - ends[0]).powi(order as i32);
            for value in piece.derivative_control(variable, order) {
                range = [range[0].min(value / scale), range[1].max(value / scale)];
            }
        }
        if range[0] > range[1] { [0.0; 2] } else { range }
    }

    /// The same curve with all times multiplied by a factor, starting at a time.
    pub fn stretched(&self, factor: f64, start: f64) -> Result<Self, JointCurveError> {
        let knots: Vec<f64> = self.knots.iter().map(|knot| start + (knot - self.knots[0]) * factor).collect();
        let wrong = (0..knots.len()).find(|&k| !knots[k].is_finite() || (k > 0 && knots[k] <= knots[k - 1]));
        match wrong {
            Some(row) => Err(JointCurveError::Times(row)),
            None => Ok(Self { knots, ..self.clone() }),
        }
    }

    /// The curve of some of the variables.
    ///
    /// # Panics
    ///
    /// If there are fewer variables.
    pub fn part(&self, variables: std::ops::Range<usize>) -> Self {
        let pieces = self.pieces.iter().map(|piece| piece.of_variables(variables.clone())).collect();
        Self { count: variables.len(), knots: self.knots.clone(), pieces }
    }

    /// The same curve among variables that rest: some before its own, some after. So is the curve of one robot that of a
    /// cell of several.
    pub fn among(&self, before: &[f64], after: &[f64]) -> Result<Self, JointCurveError> {
        finite("configuration", 0, before)?;
        finite("configuration", 0, after)?;
        let pieces = self.pieces.iter().map(|piece| piece.among(before, after)).collect();
        let count = before.len() + self.count + after.len();
        Ok(Self { count, knots: self.knots.clone(), pieces })
    }

    pub(crate) fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// All control points, which enclose the curve.
    pub(crate) fn control_points(&self) -> impl Iterator<Item = Vec<f64>> {
        self.pieces.iter().flat_map(|piece| {
            (0..=piece.degree()).map(|j| (0..self.count).map(|k| piece.control(k)[j]).collect())
        })
    }

    fn end(&self) -> Vec<f64> {
        let last = &self.pieces[self.pieces.len() - 1];
        (0..self.count).map(|k| last.control(k)[last.degree()]).collect()
    }
}

/// Position and derivatives at a knot.
#[derive(Clone, Copy, Debug)]
pub(crate) struct State<'a> {
    pub(crate) position: &'a [f64],
    pub(crate) velocity: &'a [f64],
    pub(crate) acceleration: &'a [f64],
}

fn combined(base: &[f64], terms: &[(f64, &[f64])]) -> Vec<f64> {
    let value = |k: usize| terms.iter().fold(base[k], |sum, (factor, row)| sum + factor * row[k]);
    (0..base.len()).map(value).collect()
}

fn finite(what: &'static str, row: usize, values: &[f64]) -> Result<(), JointCurveError> {
    match values.iter().all(|value| value.is_finite()) {
        true => Ok(()),
        false => Err(JointCurveError::NotFinite { what, row }),
    }
}

fn rows(what: &'static str, wanted: usize, rows: &[&[f64]]) -> Result<(), JointCurveError> {
    if rows.len() != wanted {
        return Err(JointCurveError::Count { what, row: rows.len().min(wanted), found: rows.len(), wanted });
    }
    let count = rows.first().map_or(0, |row| row.len());
    for (row, values) in rows.iter().enumerate() {
        if values.len() != count {
            return Err(JointCurveError::Count { what, row, found: values.len(), wanted: count });
        }
    }
    Ok(())
}
