//! B-splines, plain and rational, with bounds on their derivatives.
//!
//! Bounds come from the control points of the derivatives (de Boor 1978): on a knot span a spline lies in the convex
//! hull of the control points of that span. Of a rational spline `A / w` the quotient rule gives
//! `|S'| <= (|A'| + |w'||S|) / min w` and `|S''| <= (|A''| + 2|w'||S'| + |w''||S|) / min w`, with a control point of
//! the span as origin.

mod curve;
mod knots;
mod nearest;
mod surface;

pub use curve::SplineCurve;
pub(crate) use knots::{MAX_DEGREE, Slopes};
pub(crate) use nearest::nearest_parameters;
pub(crate) use surface::SurfaceSlopes;
pub use surface::{KnotSequence, SplineSurface};
