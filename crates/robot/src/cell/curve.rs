//! Joint curves: collision-free by proof, or a configuration on them that collides.

use super::edge::EdgeError;
use super::trail::Course;
use super::{Checker, MotionStatus, StateStatus};
use crate::{ConfigurationError, JointCurve, JointMotionError};
use noli::Impact;

impl Checker<'_> {
    /// Proves a joint curve collision-free for every moment, or returns a moment at which it is not. Times of the
    /// status are shares of the duration ([`JointCurve::time_at`]).
    ///
    /// The proof is that of [`check_motion`](Self::check_motion), with ranges of the variables by the control values
    /// of parts of the curve.
    #[doc(alias("checkMotion", "trajectory", "validate_trajectory"))]
    pub fn check_curve(&mut self, curve: &JointCurve) -> Result<MotionStatus, EdgeError> {
        if let Some(found) = self.check_curve_quickly(curve)? {
            return Ok(found);
        }
        Ok(match self.first_contact_on_curve(curve)? {
            Impact::Free => MotionStatus::Free,
            Impact::AtStart(touch) => MotionStatus::Blocked { at: 0.0, pair: touch.pair },
            Impact::At { time, touch } => {
                let (at, pair) = (time.touching_by, touch.pair);
                match self.check_state(&curve.position(curve.time_at(at)))? {
                    StateStatus::Hit(pair) => MotionStatus::Blocked { at, pair },
                    _ => MotionStatus::Close { at, pair },
                }
            }
            Impact::Unknown { safe_until } => MotionStatus::Close { at: safe_until, pair: 0 },
        })
    }

    /// Sixteen segments at a time; `None` where that does not answer.
    pub(super) fn check_curve_quickly(
        &mut self,
        curve: &JointCurve,
    ) -> Result<Option<MotionStatus>, EdgeError> {
        self.follow(curve, &vec![0.0; curve.variables()])
    }

    /// The same with a tolerance; segments that it dominates are kept with their open pairs.
    pub(super) fn follow(
        &mut self,
        curve: &JointCurve,
        tolerance: &[f64],
    ) -> Result<Option<MotionStatus>, EdgeError> {
        self.check_control(curve)?;
        self.prepare(curve.pieces().len());
        let mut trail = std::mem::take(&mut self.trail);
        trail.start_curve(&self.cell.filter, curve, tolerance);
        let found = self.connect(&mut trail, &Course::Curve { curve, tolerance });
        self.trail = trail;
        Ok(found)
    }

    /// Refuses a curve with another number of variables, or whose control points are no configurations.
    pub(super) fn check_control(&self, curve: &JointCurve) -> Result<(), EdgeError> {
        let (found, wanted) = (curve.variables(), self.cell.value_count());
        if found != wanted {
            return Err(ConfigurationError::Count { found, wanted }.into());
        }
        if curve.knots().len() < 2 {
            return Err(JointMotionError::TooFew(1).into());
        }
        Ok(curve.control_points().try_for_each(|values| self.cell.check_values(&values))?)
    }
}
