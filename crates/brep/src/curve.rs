//! Curves of edges.

use crate::frame::Frame;
use crate::spline::{Slopes, SplineCurve};
use glam::DVec3;
use noli_geom::Pose;
use std::f64::consts::TAU;

/// A curve in space, by its parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum Curve {
    /// `origin + t · direction`.
    Line {
        /// The point at 0.
        origin: DVec3,
        /// The derivative.
        direction: DVec3,
    },
    /// A circle about the z axis of a frame, by its angle.
    Circle {
        /// Centre and plane.
        frame: Frame,
        /// Radius.
        radius: f64,
    },
    /// An ellipse in the x and y axes of a frame.
    Ellipse {
        /// Centre and plane.
        frame: Frame,
        /// Half axis along x.
        major: f64,
        /// Half axis along y.
        minor: f64,
    },
    /// `focal · (t² x + 2 t y)`.
    Parabola {
        /// Vertex and plane.
        frame: Frame,
        /// Distance from the vertex to the focus.
        focal: f64,
    },
    /// `major · cosh t x + minor · sinh t y`.
    Hyperbola {
        /// Centre and plane.
        frame: Frame,
        /// Half axis along x.
        major: f64,
        /// Half axis along y.
        minor: f64,
    },
    /// A B-spline.
    Spline(SplineCurve),
}

impl Curve {
    /// The point and the derivative at a parameter.
    pub fn evaluate(&self, t: f64) -> (DVec3, DVec3) {
        let planar = |f: &Frame, [x, y]: [f64; 2], [dx, dy]: [f64; 2]| {
            (f.origin + f.x * x + f.y * y, f.x * dx + f.y * dy)
        };
        match self {
            Self::Line { origin, direction } => (*origin + *direction * t, *direction),
            Self::Circle { frame, radius: r } => {
                let (sin, cos) = t.sin_cos();
                planar(frame, [r * cos, r * sin], [-r * sin, r * cos])
            }
            Self::Ellipse { frame, major: a, minor: b } => {
                let (sin, cos) = t.sin_cos();
                planar(frame, [a * cos, b * sin], [-a * sin, b * cos])
            }
            Self::Parabola { frame, focal: f } => {
                planar(frame, [f * t * t, 2.0 * f * t], [2.0 * f * t, 2.0 * f])
            }
            Self::Hyperbola { frame, major: a, minor: b } => {
                planar(frame, [a * t.cosh(), b * t.sinh()], [a * t.sinh(), b * t.cosh()])
            }
            Self::Spline(spline) => spline.evaluate(t),
        }
    }

    /// The point at a parameter.
    pub fn point(&self, t: f64) -> DVec3 {
        self.evaluate(t).0
    }

    /// Bounds on the derivatives between two parameters.
    pub(crate) fn slopes(&self, low: f64, high: f64) -> Slopes {
        let far = low.abs().max(high.abs());
        match self {
            Self::Line { direction, .. } => Slopes { first: direction.length(), second: 0.0 },
            Self::Circle { radius, .. } => Slopes { first: *radius, second: *radius },
            Self::Ellipse { major, minor, .. } => {
                Slopes { first: major.max(*minor), second: major.max(*minor) }
            }
            Self::Parabola { focal, .. } => Slopes { first: 2.0 * focal * (1.0 + far), second: 2.0 * focal },
            Self::Hyperbola { major, minor, .. } => {
                let size = (major + minor) * far.cosh();
                Slopes { first: size, second: size }
            }
            Self::Spline(spline) => spline.slopes(low, high),
        }
    }

    /// A bound on the distance from the chord of a piece.
    pub(crate) fn sagitta(&self, low: f64, high: f64) -> f64 {
        let width = high - low;
        self.slopes(low.min(high), low.max(high)).second * width * width / 8.0
    }

    /// The period of the parameter.
    pub(crate) fn period(&self) -> Option<f64> {
        match self {
            Self::Circle { .. } | Self::Ellipse { .. } => Some(TAU),
            Self::Spline(spline) => spline.period(),
            _ => None,
        }
    }

    /// The parameter of the point nearest to a point, up to rounding for analytic curves; near the start if given.
    pub(crate) fn parameter(&self, point: DVec3, near: Option<f64>) -> f64 {
        match self {
            Self::Line { origin, direction } => {
                (point - *origin).dot(*direction) / direction.length_squared()
            }
            Self::Circle { frame, .. } => {
                let p = frame.local(point);
                p.y.atan2(p.x)
            }
            Self::Ellipse { frame, major, minor } => {
                let p = frame.local(point);
                (p.y / minor).atan2(p.x / major)
            }
            Self::Parabola { frame, focal } => frame.local(point).y / (2.0 * focal),
            Self::Hyperbola { frame, minor, .. } => (frame.local(point).y / minor).asinh(),
            Self::Spline(spline) => {
                let [low, high] = spline.domain();
                let residual = |t: f64| {
                    let (p, slope) = spline.evaluate(t);
                    (p - point, slope)
                };
                let starts: Vec<f64> = match near {
                    Some(t) => vec![t],
                    None => samples(spline),
                };
                nearest(residual, &starts, [low, high])
            }
        }
    }

    /// The curve at a pose.
    pub fn moved(&self, pose: &Pose) -> Self {
        match self.clone() {
            Self::Line { origin, direction } => Self::Line {
                origin: pose.transform_point(origin),
                direction: pose.transform_vector(direction),
            },
            Self::Circle { frame, radius } => Self::Circle { frame: frame.moved(pose), radius },
            Self::Ellipse { frame, major, minor } => Self::Ellipse { frame: frame.moved(pose), major, minor },
            Self::Parabola { frame, focal } => Self::Parabola { frame: frame.moved(pose), focal },
            Self::Hyperbola { frame, major, minor } => {
                Self::Hyperbola { frame: frame.moved(pose), major, minor }
            }
            Self::Spline(spline) => Self::Spline(spline.moved(pose)),
        }
    }
}

/// Starts of a search over a whole spline.
pub(crate) fn samples(spline: &SplineCurve) -> Vec<f64> {
    let [low, high] = spline.domain();
    let mut ends: Vec<f64> = spline.breaks().chain([high]).collect();
    ends.dedup();
    let inner = ends.windows(2).flat_map(|w| (0..4).map(move |k| w[0] + (w[1] - w[0]) * f64::from(k) / 4.0));
    inner.chain([low, high]).collect()
}

/// The parameter of the least residual: Gauss–Newton from the best start.
pub(crate) fn nearest(
    residual: impl Fn(f64) -> (DVec3, DVec3),
    starts: &[f64],
    [low, high]: [f64; 2],
) -> f64 {
    let size = |t: f64| residual(t).0.length_squared();
    let mut best = starts
        .iter()
        .copied()
        .map(|t| (size(t), t))
        .fold((f64::INFINITY, low), |a, b| if b.0 < a.0 { b } else { a });
    let mut step = 1.0;
    for _ in 0..40 {
        let (r, slope) = residual(best.1);
        let change = r.dot(slope) / slope.length_squared();
        if !change.is_finite() || change == 0.0 {
            break;
        }
        let t = (best.1 - step * change).clamp(low, high);
        let found = size(t);
        if found < best.0 {
            best = (found, t);
            step = (2.0 * step).min(1.0);
        } else {
            step *= 0.25;
            if step < 1e-4 {
                break;
            }
        }
    }
    best.1
}
