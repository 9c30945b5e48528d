//! Trajectories as a controller drives them.
//!
//! ROS controllers (`joint_trajectory_controller` of ROS 1 and 2) interpolate each segment by what both of its points
//! give: positions alone are joined by straight lines, velocities make it a cubic, accelerations as well a quintic.

use super::{Form, JointTable};
use crate::curve::{JointCurve, JointCurveError, State};
use crate::profile::drive_straight;

/// Interpolation between two points of a trajectory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "lowercase"))]
#[non_exhaustive]
pub enum Interpolation {
    /// Positions alone.
    Linear,
    /// Positions and velocities.
    Cubic,
    /// Positions, velocities and accelerations.
    Quintic,
}

impl std::fmt::Display for Interpolation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Linear => "linear",
            Self::Cubic => "cubic",
            Self::Quintic => "quintic",
        })
    }
}

impl JointTable {
    /// Returns the interpolation of each segment between two rows by their data, for
    /// [interpolated](Form::Interpolated) tables.
    pub fn interpolations(&self) -> Vec<Interpolation> {
        let has = |rates: &[Vec<f64>], row: usize| rates.get(row).is_some_and(|rates| !rates.is_empty());
        let both = |rates: &[Vec<f64>], row: usize| has(rates, row) && has(rates, row.saturating_add(1));
        let segment = |row: usize| match (both(&self.velocities, row), both(&self.accelerations, row)) {
            (false, _) => Interpolation::Linear,
            (true, false) => Interpolation::Cubic,
            (true, true) => Interpolation::Quintic,
        };
        (0..self.rows.len().saturating_sub(1)).map(segment).collect()
    }

    /// Returns the curve that is driven: of the [form](Self::form), or through all rows, each segment with its
    /// [interpolation](Self::interpolations). Without times each segment takes as long as its largest change.
    ///
    /// ```
    /// let robot = noli_robot::puma560(noli_robot::PumaSet::Eaik);
    /// let text = "joint_names: [j1]\npoints:\n\
    ///     - {positions: [0.0], velocities: [0.0], time_from_start: 0}\n\
    ///     - {positions: [1.0], velocities: [0.0], time_from_start: 2}\n";
    /// let table = noli_robot::JointTable::from_trajectory_str(text, &robot)?;
    /// assert_eq!(table.interpolations(), [noli_robot::Interpolation::Cubic]);
    /// assert_eq!(table.curve()?.position(0.5)[0], 0.15625);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn curve(&self) -> Result<JointCurve, JointCurveError> {
        let rows: Vec<&[f64]> = self.rows.iter().map(Vec::as_slice).collect();
        match &self.form {
            Form::Interpolated => self.interpolated(),
            Form::Spline => {
                let [first, .., last] = &rows[..] else { return Err(JointCurveError::TooFew(rows.len())) };
                let zero = vec![0.0; first.len().max(last.len())];
                let rate = |row: usize| {
                    let given = self.velocities.get(row).filter(|rates| !rates.is_empty());
                    given.map_or(zero.as_slice(), Vec::as_slice)
                };
                JointCurve::spline(&self.ends(), &rows, [rate(0), rate(rows.len().saturating_sub(1))])
            }
            Form::BSpline { degree, knots } => JointCurve::b_spline(*degree, knots, &rows),
            Form::Profile { profile, limits } => drive_straight(&rows, limits, *profile),
        }
    }

    fn interpolated(&self) -> Result<JointCurve, JointCurveError> {
        let (times, kinds) = (self.ends(), self.interpolations());
        let Some(first) = self.rows.first().filter(|_| !kinds.is_empty()) else {
            return Err(JointCurveError::TooFew(self.rows.len()));
        };
        let mut curve = JointCurve::starting(times.first().copied().unwrap_or(0.0), first)?;
        let rate =
            |rates: &'_ [Vec<f64>], row: usize| -> Vec<f64> { rates.get(row).cloned().unwrap_or_default() };
        let ends = self.rows.array_windows().zip(times.into_iter().skip(1));
        for ((row, kind), ([from, to], until)) in kinds.iter().enumerate().zip(ends) {
            let both = [row, row.saturating_add(1)];
            let [va, vb] = both.map(|row| rate(&self.velocities, row));
            let [aa, ab] = both.map(|row| rate(&self.accelerations, row));
            let from = State { position: from, velocity: &va, acceleration: &aa };
            let to = State { position: to, velocity: &vb, acceleration: &ab };
            match kind {
                Interpolation::Linear => curve.push(until, &[to.position])?,
                Interpolation::Cubic => curve.push_cubic(until, [from, to])?,
                Interpolation::Quintic => curve.push_quintic(until, [from, to])?,
            }
        }
        Ok(curve)
    }
}
