//! Straight segments in joint space by phases of constant jerk.

use super::DriveLimits;
use super::path::{PathLimits, Profile};
use crate::{JointCurve, JointCurveError};

/// Phases that are shorter are left out, in seconds.
const SHORTEST: f64 = 1e-9;
/// Attempts to stretch times until limits hold.
const ATTEMPTS: usize = 8;

impl PathLimits {
    /// Adds the straight segment to a configuration with an S-curve between two speeds.
    pub fn drive(&self, curve: &mut JointCurve, to: &[f64], speeds: [f64; 2]) -> Result<(), JointCurveError> {
        let segment = Segment::new(curve, to);
        segment.add_to(curve, speeds[0], &self.s_curve(speeds, segment.length))
    }
}

/// A straight segment that begins where a curve ends.
struct Segment<'a> {
    from: Vec<f64>,
    to: &'a [f64],
    direction: Vec<f64>,
    length: f64,
}

impl<'a> Segment<'a> {
    fn new(curve: &JointCurve, to: &'a [f64]) -> Self {
        let from = curve.position(curve.span()[1]);
        let length = from.iter().zip(to).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
        let direction = from.iter().zip(to).map(|(a, b)| (b - a) / length).collect();
        Self { from, to, direction, length }
    }

    fn add_to(
        &self,
        curve: &mut JointCurve,
        mut speed: f64,
        phases: &[super::path::Phase],
    ) -> Result<(), JointCurveError> {
        let at = |length: f64| -> Vec<f64> {
            self.from.iter().zip(&self.direction).map(|(from, along)| from + along * length).collect()
        };
        // What is NaN is refused as a time.
        let worth = |duration: f64| duration > SHORTEST || duration.is_nan();
        let last = phases.iter().rposition(|phase| worth(phase.duration));
        let mut path = 0.0;
        for (number, phase) in phases.iter().enumerate().filter(|(_, phase)| worth(phase.duration)) {
            let (t, a, j) = (phase.duration, phase.acceleration, phase.jerk);
            let first = path + speed * t / 3.0;
            let second = path + 2.0 * speed * t / 3.0 + a * t * t / 6.0;
            path += speed * t + 0.5 * a * t * t + j * t * t * t / 6.0;
            speed += a * t + 0.5 * j * t * t;
            // The end is met bit for bit.
            let end = if Some(number) == last { self.to.to_vec() } else { at(path) };
            curve.push(curve.span()[1] + t, &[&at(first), &at(second), &end])?;
        }
        Ok(())
    }
}

/// Returns the quickest curve through configurations within limits, straight in joint space between them and at rest at
/// each, all joints in step. Limits hold by the control values of derivatives; a trapezoidal profile has no limit of jerk.
/// Repeated configurations are left out.
///
/// ```
/// use noli_robot::profile::{DriveLimits, Profile, drive_straight};
/// let limits = DriveLimits { velocity: vec![1.0], acceleration: vec![2.0], jerk: vec![20.0] };
/// let curve = drive_straight(&[&[0.0], &[2.0]], &limits, Profile::Trapezoidal)?;
/// assert!((curve.duration() - 2.5).abs() < 1e-9, "2 s at full speed, and half a second for both ramps");
/// # Ok::<(), noli_robot::JointCurveError>(())
/// ```
#[doc(alias("trapezoidal velocity profile", "LSPB", "s-curve", "double S"))]
pub fn drive_straight(
    configurations: &[&[f64]],
    limits: &DriveLimits,
    profile: Profile,
) -> Result<JointCurve, JointCurveError> {
    let Some(first) = configurations.first() else { return Err(JointCurveError::TooFew(0)) };
    limits.check(first.len())?;
    let mut curve = JointCurve::starting(0.0, first)?;
    for (row, to) in configurations.iter().enumerate().skip(1) {
        if to.len() != first.len() {
            let (found, wanted) = (to.len(), first.len());
            return Err(JointCurveError::Count { what: "configuration", row, found, wanted });
        }
        let segment = Segment::new(&curve, to);
        // What is not finite is refused below.
        if segment.length == 0.0 {
            continue;
        }
        let own = limits.along(&segment.direction);
        let phases = match profile {
            Profile::Trapezoidal => own.trapezoid(segment.length),
            Profile::SCurve => own.s_curve([0.0; 2], segment.length),
        };
        segment.add_to(&mut curve, 0.0, &phases)?;
    }
    if curve.knots().len() < 2 {
        return Err(JointCurveError::TooFew(1));
    }
    for _ in 0..ATTEMPTS {
        let excess = limits.excess(&curve, profile);
        if excess <= 1.0 {
            break;
        }
        curve = curve.stretched(excess * (1.0 + 1e-12), 0.0)?;
    }
    Ok(curve)
}
