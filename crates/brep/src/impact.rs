//! Time of impact of two moving bodies, by conservative advancement on their clearance (Mirtich 1996).

use crate::body::Brep;
use crate::pair::{Options, clearance};
use noli_geom::Pose;

/// Most evaluations of the clearance.
const MAX_STEPS: usize = 400;
/// Precision of the clearances, relative to the size of the bodies: each step needs only a share of the clearance.
const PRECISION: f64 = 1e-4;

/// First contact of two moving bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
#[must_use]
pub struct Impact {
    /// They are separated before this time.
    pub safe_until: f64,
    /// They are within the tolerance at this time; `None` if they stay separated until time 1, or if the steps did not
    /// suffice (then `safe_until` is less than 1).
    pub touching_by: Option<f64>,
}

/// Computes the first time from 0 to 1 at which two bodies come within a tolerance of each other.
///
/// `poses` gives the poses of A and B in the world at a time; `speed` bounds the speed of every point of B relative to every
/// point of A. The tolerance is that of the options, or a millionth of the size.
///
/// ```
/// use noli_brep::{Brep, Options, time_of_impact};
/// use noli_geom::Pose;
/// let (a, b) = (Brep::sphere(1.0), Brep::sphere(1.0));
/// let poses = |t: f64| [Pose::IDENTITY, Pose::from_translation(glam::DVec3::new(6.0 - 5.0 * t, 0.0, 0.0))];
/// let found = time_of_impact(&a, &b, &poses, 5.0, &Options::default());
/// assert!(found.safe_until <= 0.8 && found.safe_until > 0.799);
/// assert!(found.touching_by.is_some_and(|time| time - found.safe_until < 1e-6));
/// ```
#[doc(alias = "ccd")]
pub fn time_of_impact(
    a: &Brep,
    b: &Brep,
    poses: &dyn Fn(f64) -> [Pose; 2],
    speed: f64,
    options: &Options,
) -> Impact {
    let size = a.size().max(b.size());
    let tolerance = options.tolerance.unwrap_or(1e-6 * size);
    let mut time = 0.0f64;
    let mut precision = PRECISION * size;
    for _ in 0..MAX_STEPS {
        let [pose_a, pose_b] = poses(time);
        let asked = Options { precision: Some(precision), ..*options };
        let found = clearance(a, b, &pose_a, &pose_b, &asked);
        if found.at_most <= tolerance {
            return Impact { safe_until: time, touching_by: Some(time) };
        }
        if found.at_least <= 0.5 * tolerance {
            // Not even a smaller step is certain: the bracket is made narrower, once.
            if precision <= 0.1 * tolerance {
                return Impact { safe_until: time, touching_by: None };
            }
            precision = 0.1 * tolerance;
            continue;
        }
        precision = precision.min((0.1 * found.at_least).max(0.1 * tolerance));
        let step = if speed > 0.0 { found.at_least / speed } else { 1.0 };
        if time + step >= 1.0 {
            return Impact { safe_until: 1.0, touching_by: None };
        }
        time += step;
    }
    Impact { safe_until: time, touching_by: None }
}
