//! Joint paths as a controller drives them: waypoints blended, timed within limits, and proven.
//!
//! At a waypoint the path leaves the straight segment at the blend radius, in joint space, and joins the next one as far
//! behind it, on a quintic whose first two derivatives by arc length continue those of the segments, or on a circular arc
//! whose curvature rises and falls at its ends (Kunz and Stilman 2012 use arcs with steps of acceleration). Speed along
//! blends is constant; along segments it follows profiles with limited acceleration and jerk. So every joint is a
//! polynomial of at most fifth degree between two knots with continuous accelerations, and a controller that
//! interpolates positions, velocities and accelerations at the knots drives exactly this curve.

mod corners;
mod sampled;

pub use noli_robot::profile::DriveLimits;

use corners::{Corner, Route};
use noli_robot::cell::{Cell, Checker, EdgeError, MotionStatus};
use noli_robot::{ConfigurationError, JointCurve, JointCurveError, JointTable};

/// Options of [`drive_path`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct DriveOptions {
    /// Limits of all variables of the cell.
    pub limits: DriveLimits,
    /// Radius of blends by their shape, in joint space (radians, metres); 0 stops at every waypoint.
    pub blend: f64,
    /// Shape of blends.
    pub shape: BlendShape,
    /// Deviation of each variable from the curve for which the motion is proven as well; empty for none.
    pub tracking_error: Vec<f64>,
}

impl DriveOptions {
    /// Smooth blends of a radius within limits.
    pub fn new(limits: DriveLimits, blend: f64) -> Self {
        Self { limits, blend, shape: BlendShape::Smooth, tracking_error: Vec::new() }
    }
}

/// Shape of blends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum BlendShape {
    /// A quintic; its radius is the distance from the waypoint at which it begins and ends.
    #[default]
    #[doc(alias("parabolic blend"))]
    Smooth,
    /// A circular arc of the radius, tangent to both segments, within 0.002 of the radius. Between nearly straight
    /// segments it is larger; at reversals the path stops.
    #[doc(alias("circular blend", "fillet"))]
    Circular,
}

/// The blend at one waypoint.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Blend {
    /// The waypoint, counted from 0.
    pub waypoint: usize,
    /// The radius that fits between the neighbouring waypoints, at most the wanted one.
    pub wanted: f64,
    /// The radius that is driven; 0 for a stop.
    pub radius: f64,
    /// True if a larger blend is not proven collision-free; a stop without that is quicker than the blend.
    pub collides: bool,
}

/// A timed trajectory, proven collision-free as driven.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct DrivenPath {
    /// Times, positions, velocities and accelerations at the knots; times are whole nanoseconds.
    pub table: JointTable,
    /// The curve that a controller drives through the table.
    pub curve: JointCurve,
    /// The blends at inner waypoints.
    pub blends: Vec<Blend>,
    /// Blends tested that collide.
    pub colliding_blends: usize,
    /// Duration with a stop at every waypoint, in seconds.
    pub stop_and_go: f64,
}

/// Reason that a path cannot be driven.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DriveError {
    /// Fewer than two different configurations.
    #[error("a path needs at least two different configurations")]
    TooFew,
    /// A blend radius that is negative or not finite.
    #[error("blend radius {0}: give a finite one of at least 0")]
    Radius(f64),
    /// The straight path itself is not proven collision-free.
    #[error("the path itself is not proven collision-free: {} and {} at {share:.4} of it", pair[0], pair[1])]
    Collides {
        /// Share of the duration.
        share: f64,
        /// The parts.
        pair: [String; 2],
    },
    /// A configuration that is none.
    #[error(transparent)]
    Edge(#[from] EdgeError),
    /// Invalid limits, or no curve.
    #[error(transparent)]
    Curve(#[from] JointCurveError),
}

impl From<ConfigurationError> for DriveError {
    fn from(error: ConfigurationError) -> Self {
        Self::Edge(error.into())
    }
}

/// The smallest distance from a waypoint at which a blend begins, in joint space; smaller ones become stops.
const SMALLEST: f64 = 1e-3;

/// Waypoints of a path up to which stops are tried in place of blends.
const MOST_TRIED: usize = 200;

/// Blends and times a path through configurations of a cell within limits, and proves it as driven. A blend that is not
/// proven collision-free is halved until it is, or becomes a stop.
pub fn drive_path(
    cell: &Cell,
    configurations: &[Vec<f64>],
    options: &DriveOptions,
) -> Result<DrivenPath, DriveError> {
    if !(options.blend >= 0.0 && options.blend.is_finite()) {
        return Err(DriveError::Radius(options.blend));
    }
    options.limits.check(cell.value_count())?;
    configurations.iter().try_for_each(|values| cell.check_values(values))?;
    let mut checker = cell.checker();
    let mut route = Route::new(configurations, options.shape)?;
    let stop_and_go = route.timed(&options.limits)?.curve()?.duration();
    route.blend(options.blend);
    let wanted: Vec<f64> = route.corners.iter().map(|corner| corner.reach).collect();
    let mut colliding = 0;
    for number in 0..route.corners.len() {
        while route.corners[number].reach > 0.0 {
            let blend = route.corners[number].curve()?;
            if proven(&mut checker, &blend, &options.tracking_error)? == MotionStatus::Free {
                break;
            }
            colliding += 1;
            shrink(&mut route.corners[number]);
        }
    }
    let proven_reach: Vec<f64> = route.corners.iter().map(|corner| corner.reach).collect();
    // Long paths are left as they are: every stop is tried by itself.
    if route.corners.len() <= MOST_TRIED {
        route.drop_slow_blends(&options.limits)?;
    }
    let (table, curve) = loop {
        let table = route.timed(&options.limits)?;
        let curve = table.curve()?;
        let (share, pair) = match proven(&mut checker, &curve, &options.tracking_error)? {
            MotionStatus::Free => break (table, curve),
            MotionStatus::Blocked { at, pair } | MotionStatus::Close { at, pair } => (at, pair),
        };
        // What is left are roundings: the blends and segments were proven one by one.
        let values = curve.position(curve.time_at(share));
        let nearest = route.nearest_blend(&values);
        let Some(nearest) = nearest else {
            let pair = cell.pair_names(pair).map(str::to_owned);
            return Err(DriveError::Collides { share, pair });
        };
        colliding += 1;
        shrink(&mut route.corners[nearest]);
    };
    let blends = route.corners.iter().enumerate().map(|(number, corner)| Blend {
        waypoint: corner.waypoint,
        wanted: corner.radius_of(wanted[number], options.blend),
        radius: corner.radius_of(corner.reach, options.blend),
        collides: proven_reach[number] < wanted[number],
    });
    let blends = blends.collect();
    Ok(DrivenPath { table, curve, blends, colliding_blends: colliding, stop_and_go })
}

fn shrink(corner: &mut Corner) {
    corner.reach *= 0.5;
    if corner.reach < SMALLEST {
        corner.reach = 0.0;
    }
}

fn proven(
    checker: &mut Checker<'_>,
    curve: &JointCurve,
    tracking_error: &[f64],
) -> Result<MotionStatus, DriveError> {
    Ok(match tracking_error.is_empty() {
        true => checker.check_curve(curve)?,
        false => checker.check_tube(curve, tracking_error)?,
    })
}
