//! Joint curves: collision-free by proof, or a configuration on them that collides.

use super::edge::EdgeError;
use super::prove::Search;
use super::trail::Course;
use super::{Checker, MotionStatus, StateStatus};
use crate::{ConfigurationError, JointCurve, JointMotionError};
use noli::Impact;
use noli_geom::internals::sort_by;

/// Boxes of configurations that a pair is divided into for each segment of a tube.
const BOXES: usize = 20_000;

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

    /// Proves all motions collision-free that keep every variable within a tolerance of a curve, as a controller with
    /// tracking errors does; or returns a moment at which one of them is not. The tolerance is one for each variable.
    #[doc(alias("tracking error", "tube", "margin"))]
    pub fn check_tube(&mut self, curve: &JointCurve, tolerance: &[f64]) -> Result<MotionStatus, EdgeError> {
        let (found, wanted) = (tolerance.len(), curve.variables());
        if found != wanted {
            return Err(ConfigurationError::Count { found, wanted }.into());
        }
        // Tolerances are positive; what is NaN is refused with the control points below.
        let allowed = |control: Vec<f64>, sign: f64| -> Vec<f64> {
            control.iter().zip(tolerance).map(|(value, more)| value + sign * more.abs()).collect()
        };
        for sign in [-1.0, 1.0] {
            curve.control_points().try_for_each(|point| self.cell.check_values(&allowed(point, sign)))?;
        }
        if tolerance.iter().all(|tolerance| *tolerance == 0.0) {
            return self.check_curve(curve);
        }
        let tolerance: Vec<f64> = tolerance.iter().map(|tolerance| tolerance.abs()).collect();
        let found = self.follow(curve, &tolerance)?;
        let mut kept = std::mem::take(&mut self.trail.kept);
        if found != Some(MotionStatus::Free) {
            // Without tolerance the answer is sharper; a curve that is free itself is too close for this tolerance.
            let without = found.map_or_else(|| self.check_curve(curve), Ok)?;
            let close = MotionStatus::Close { at: 0.0, pair: 0 };
            return Ok(if without == MotionStatus::Free { close } else { without });
        }
        sort_by(&mut kept, |(a, x), (b, y)| {
            (x, a.piece).cmp(&(y, b.piece)).then(a.middle.total_cmp(&b.middle))
        });
        let course = Course::Curve { curve, tolerance: &tolerance };
        for same in kept.chunk_by(|a, b| a.1 == b.1) {
            let pair = &self.cell.filter.pairs[same[0].1 as usize];
            let bodies = self.cell.filter.body_pairs(pair, 0.0).collect();
            let mut search = Search::for_table(&self.cell.data, bodies);
            for (segment, _) in same {
                let piece = &curve.pieces()[segment.piece as usize];
                let bounds = |k: usize| {
                    let [low, high] = piece.part(k, segment.shares()).range();
                    [low - tolerance[k], high + tolerance[k]]
                };
                let whole = search.variables().map(bounds).collect();
                let (at, pair_number) = (course.time(segment), pair.pair as usize);
                match search.separated_in(whole, pair.margin, BOXES) {
                    Some(true) => {}
                    Some(false) => return Ok(MotionStatus::Blocked { at, pair: pair_number }),
                    None => return Ok(MotionStatus::Close { at, pair: pair_number }),
                }
            }
        }
        Ok(MotionStatus::Free)
    }

    /// Sixteen segments at a time; `None` where that does not answer.
    pub(super) fn check_curve_quickly(
        &mut self,
        curve: &JointCurve,
    ) -> Result<Option<MotionStatus>, EdgeError> {
        self.follow(curve, &vec![0.0; curve.variables()])
    }

    /// The same with a tolerance; segments that it dominates are kept with their open pairs.
    fn follow(&mut self, curve: &JointCurve, tolerance: &[f64]) -> Result<Option<MotionStatus>, EdgeError> {
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
