//! How to ask: options as plain data, with defaults that are exact or conservative.
//!
//! Budgets, hints and listeners are not here but in [`Ask`](crate::Ask), which serves several questions.

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

/// How to ask for a [`Clearance`](crate::Clearance).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClearanceQuery {
    /// Bodies further apart need no exact answer: the bracket then starts here and has no end.
    pub max_distance: f64,
    /// How wide the bracket may be beyond the rounding of coordinates. Zero by default, which for a field means a
    /// millionth of the smaller body.
    pub tolerance: Tolerance,
}

impl Default for ClearanceQuery {
    fn default() -> Self {
        Self { max_distance: f64::INFINITY, tolerance: Tolerance::Length(0.0) }
    }
}

/// How to ask for crossings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CrossingsQuery {
    /// Whether faces that only touch are reported too.
    pub touching: bool,
    /// Whether the common segments are computed.
    pub segments: bool,
}

impl Default for CrossingsQuery {
    fn default() -> Self {
        Self { touching: true, segments: true }
    }
}

/// How to ask for the time of impact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImpactQuery {
    /// The span of time asked about, within [0, 1].
    pub span: (f64, f64),
    /// Bodies this close count as touching. Zero by default.
    pub margin: f64,
    /// How near bodies may pass, beyond the margin, and still be reported. A millionth of the larger body by
    /// default; never less than rounding allows.
    pub tolerance: Tolerance,
}

impl Default for ImpactQuery {
    fn default() -> Self {
        Self { span: (0.0, 1.0), margin: 0.0, tolerance: Tolerance::Relative(1e-6) }
    }
}

/// How to ask for the closest approach.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ApproachQuery {
    /// The span of time asked about, within [0, 1].
    pub span: (f64, f64),
    /// How wide the bracket may be, as a share of the gap. A hundredth by default.
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
    /// Where it starts.
    pub origin: DVec3,
    /// Where it goes; any length, which is the unit of `t`.
    pub direction: DVec3,
}

/// Why a ray has no answer.
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

/// How to cast a ray.
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
