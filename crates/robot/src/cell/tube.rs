//! All motions near a joint curve: collision-free by proof, or a deviation that collides.

use super::data::PairRule;
use super::edge::EdgeError;
use super::prove::{Search, variables_between};
use super::trail::{Course, Segment};
use super::{Checker, MotionStatus, StateStatus};
use crate::{ConfigurationError, JointCurve};
use noli_geom::internals::sort_by;

/// Boxes of configurations that a pair is divided into for each segment of a tube.
const BOXES: usize = 20_000;
/// Moments of a curve whose clearance is computed, and the nearest of them at which a colliding deviation is sought.
const MOMENTS: usize = 64;
const NEAREST: usize = 8;
/// Passes over the joints in such a search.
const PASSES: usize = 3;

/// Status of all motions near a joint curve.
#[derive(Clone, Debug, PartialEq)]
pub struct TubeStatus {
    /// The status; a moment at which the curve itself or a deviation from it collides.
    pub status: MotionStatus,
    /// A colliding configuration within the tolerance at that moment; `None` only where the curve itself collides.
    pub deviation: Option<Vec<f64>>,
}

impl From<MotionStatus> for TubeStatus {
    fn from(status: MotionStatus) -> Self {
        Self { status, deviation: None }
    }
}

impl Checker<'_> {
    /// Proves all motions collision-free that keep every variable within a tolerance of a curve, as a controller with
    /// tracking errors does; or returns a moment at which one of them is not. The tolerance is one for each variable.
    pub fn check_tube(&mut self, curve: &JointCurve, tolerance: &[f64]) -> Result<MotionStatus, EdgeError> {
        self.tube(curve, tolerance).map(|found| found.status)
    }

    /// [`check_tube`](Self::check_tube), with the configuration that collides where the curve itself does not.
    #[doc(alias("tracking error", "margin"))]
    pub fn tube(&mut self, curve: &JointCurve, tolerance: &[f64]) -> Result<TubeStatus, EdgeError> {
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
            return self.check_curve(curve).map(TubeStatus::from);
        }
        let tolerance: Vec<f64> = tolerance.iter().map(|tolerance| tolerance.abs()).collect();
        let found = self.follow(curve, &tolerance)?;
        let mut kept = std::mem::take(&mut self.trail.kept);
        if found != Some(MotionStatus::Free) {
            // Without tolerance the answer is sharper.
            let without = found.map_or_else(|| self.check_curve(curve), Ok)?;
            let is_free = without == MotionStatus::Free;
            return if is_free { self.near_miss(curve, &tolerance) } else { Ok(without.into()) };
        }
        sort_by(&mut kept, |(a, x), (b, y)| {
            (x, a.piece).cmp(&(y, b.piece)).then(a.middle.total_cmp(&b.middle))
        });
        for same in kept.chunk_by(|a, b| a.1 == b.1) {
            let found = self.check_kept(curve, &tolerance, same)?;
            if found.status != MotionStatus::Free {
                return Ok(found);
            }
        }
        Ok(MotionStatus::Free.into())
    }

    /// Segments of one pair that the tolerance dominates: a colliding deviation in the middle of some, or a proof for all.
    fn check_kept(
        &mut self,
        curve: &JointCurve,
        tolerance: &[f64],
        same: &[(Segment, u32)],
    ) -> Result<TubeStatus, EdgeError> {
        let (cell, course) = (self.cell, Course::Curve { curve, tolerance });
        let pair = &cell.filter.pairs[same[0].1 as usize];
        let number = pair.pair as usize;
        for (segment, _) in same.iter().step_by(same.len().div_ceil(NEAREST)) {
            for at in moments(&course, segment, 2) {
                let center = curve.position(curve.time_at(at));
                let deviation = self.colliding_deviation(&center, tolerance, number)?;
                if deviation.is_some() {
                    return Ok(TubeStatus { status: MotionStatus::Blocked { at, pair: number }, deviation });
                }
            }
        }
        let bodies = cell.filter.body_pairs(pair, 0.0).collect();
        let mut search = Search::for_table(&cell.data, bodies);
        for (segment, _) in same {
            let piece = &curve.pieces()[segment.piece as usize];
            let bounds = |k: usize| {
                let [low, high] = piece.part(k, segment.shares()).range();
                [low - tolerance[k], high + tolerance[k]]
            };
            let whole = search.variables().map(bounds).collect();
            let at = course.time(segment);
            match search.separated_in(whole, pair.margin, BOXES) {
                Some(true) => {}
                // A box holds more than the tube: values that no moment of the segment has together.
                Some(false) => {
                    for at in moments(&course, segment, 16) {
                        let mut values = curve.position(curve.time_at(at));
                        for k in search.variables() {
                            let [low, high] = [values[k] - tolerance[k], values[k] + tolerance[k]];
                            values[k] = search.value(k).clamp(low, high);
                        }
                        if matches!(self.check_state(&values)?, StateStatus::Hit(_)) {
                            let status = MotionStatus::Blocked { at, pair: number };
                            return Ok(TubeStatus { status, deviation: Some(values) });
                        }
                    }
                    return Ok(MotionStatus::Close { at, pair: number }.into());
                }
                None => return Ok(MotionStatus::Close { at, pair: number }.into()),
            }
        }
        Ok(MotionStatus::Free.into())
    }

    /// A collision-free curve without a proof for its tolerance: a deviation that collides where it is nearest to one, or
    /// that place.
    fn near_miss(&mut self, curve: &JointCurve, tolerance: &[f64]) -> Result<TubeStatus, EdgeError> {
        let mut moments = Vec::with_capacity(MOMENTS + 1);
        for k in 0..=MOMENTS {
            let at = k as f64 / MOMENTS as f64;
            let nearest = self.clearance(&curve.position(curve.time_at(at)))?;
            moments.push((nearest.clearance.at_most, at, nearest.pair.unwrap_or(0)));
        }
        sort_by(&mut moments, |a, b| a.0.total_cmp(&b.0));
        for &(_, at, pair) in &moments[..NEAREST] {
            let deviation = self.colliding_deviation(&curve.position(curve.time_at(at)), tolerance, pair)?;
            if deviation.is_some() {
                return Ok(TubeStatus { status: MotionStatus::Blocked { at, pair }, deviation });
            }
        }
        let (_, at, pair) = moments[0];
        Ok(MotionStatus::Close { at, pair }.into())
    }

    /// Searches a configuration within a tolerance of another in which a pair collides: each joint between its parts goes
    /// to the end that brings them nearer to each other. `None` proves nothing.
    fn colliding_deviation(
        &mut self,
        center: &[f64],
        tolerance: &[f64],
        pair: usize,
    ) -> Result<Option<Vec<f64>>, EdgeError> {
        let margin = match self.cell.data.pairs[pair].rule {
            PairRule::Checked { margin } => margin,
            PairRule::Disabled(_) => return Ok(None),
        };
        let between = variables_between(&self.cell.data, pair);
        let mut values = center.to_vec();
        let mut best = self.pair_clearance(&values, pair)?.clearance.at_most;
        for _ in 0..PASSES {
            let before = best;
            for &(number, ..) in &between {
                for end in [center[number] - tolerance[number], center[number] + tolerance[number]] {
                    let kept = std::mem::replace(&mut values[number], end);
                    let found = self.pair_clearance(&values, pair)?.clearance.at_most;
                    if found > best {
                        values[number] = kept;
                        continue;
                    }
                    best = found;
                    if best <= margin && matches!(self.check_state(&values)?, StateStatus::Hit(_)) {
                        return Ok(Some(values));
                    }
                }
            }
            if best == before {
                break;
            }
        }
        Ok(None)
    }
}

/// Moments of a segment, from its start to its end.
fn moments(course: &Course<'_>, segment: &Segment, parts: usize) -> Vec<f64> {
    let share = |k: usize| segment.half * (2.0 * k as f64 / parts as f64 - 1.0);
    (0..=parts).map(|k| course.time(&Segment { middle: segment.middle + share(k), ..*segment })).collect()
}
