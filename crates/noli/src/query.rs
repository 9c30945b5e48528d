//! Query options as plain data, with defaults that are exact or conservative.
//!
//! Budgets, hints and traces belong to [`QueryContext`](crate::QueryContext), which serves several queries.

pub use crate::budget::{Clock, SteadyClock};
pub use crate::simd::Instructions;

use glam::DVec3;
use noli_geom::MAX_COORDINATE;

/// Promised accuracy of an answer.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum Tolerance {
    /// A share of the larger body's size: of a mesh the power of two next above half the longest edge of its box, of
    /// other bodies that edge.
    Relative(f64),
    /// A length.
    Length(f64),
}

/// Options of a [`Clearance`](crate::Clearance) query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClearanceQuery {
    /// Distance beyond which no exact answer is needed: the bracket then starts here and has no end.
    pub max_distance: f64,
    /// Permitted width of the bracket beyond the rounding of coordinates. Zero by default, which for a field
    /// means a millionth of the smaller body.
    pub tolerance: Tolerance,
}

impl Default for ClearanceQuery {
    fn default() -> Self {
        Self { max_distance: f64::INFINITY, tolerance: Tolerance::Length(0.0) }
    }
}

/// Options of an intersection query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IntersectionsQuery {
    /// Includes faces that only touch.
    pub touching: bool,
    /// `true` if the common segments are computed.
    pub segments: bool,
}

impl Default for IntersectionsQuery {
    fn default() -> Self {
        Self { touching: true, segments: true }
    }
}

/// Options of a time-of-impact query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImpactQuery {
    /// The queried interval of time, within [0, 1].
    pub span: (f64, f64),
    /// Bodies this close count as touching. Zero by default.
    pub margin: f64,
    /// Distance beyond the margin at which bodies that pass each other may still be reported. A millionth of the
    /// larger body by default; never less than rounding allows.
    pub tolerance: Tolerance,
}

impl Default for ImpactQuery {
    fn default() -> Self {
        Self { span: (0.0, 1.0), margin: 0.0, tolerance: Tolerance::Relative(1e-6) }
    }
}

/// Options of a closest-approach query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ApproachQuery {
    /// The queried interval of time, within [0, 1].
    pub span: (f64, f64),
    /// Permitted width of the bracket, as a share of the clearance. A hundredth by default.
    pub accuracy: f64,
}

impl Default for ApproachQuery {
    fn default() -> Self {
        Self { span: (0.0, 1.0), accuracy: 0.01 }
    }
}

/// The points `origin + t·direction` for `t >= 0`, in world coordinates.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Ray {
    /// Start point.
    pub origin: DVec3,
    /// Direction; any length, which is the unit of `t`.
    pub direction: DVec3,
}

/// Reason why a ray is invalid.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RayError {
    /// The origin is not finite or further out than [`MAX_COORDINATE`].
    #[error("the origin of the ray is not finite or lies further out than {MAX_COORDINATE:e}")]
    Origin,
    /// The direction is zero, not finite, or its largest component is not between
    /// `1 / MAX_COORDINATE` and [`MAX_COORDINATE`].
    #[error("the direction of the ray is zero, not finite, or of extreme length; scale it to about 1")]
    Direction,
    /// The body's pose is invalid.
    #[error("the pose of the body is not finite, has no rotation, or lies too far out")]
    Pose,
}

impl Ray {
    pub(crate) fn check(&self) -> Result<(), RayError> {
        let length = self.direction.abs().max_element();
        if !self.origin.is_finite() || self.origin.abs().max_element() > MAX_COORDINATE {
            return Err(RayError::Origin);
        }
        if !self.direction.is_finite() || !(MAX_COORDINATE.recip()..=MAX_COORDINATE).contains(&length) {
            return Err(RayError::Direction);
        }
        Ok(())
    }
}

/// Options of a ray cast.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayQuery {
    /// Hits beyond this `t`, as rounded, are left out.
    pub until: f64,
}

impl Default for RayQuery {
    fn default() -> Self {
        Self { until: f64::INFINITY }
    }
}

/// The array for the answers does not fit the questions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{questions} queries were given with room for {room} answers; give an array of the same length")]
pub struct LengthError {
    /// Number of queries.
    pub questions: usize,
    /// Number of answers the array can hold.
    pub room: usize,
}
