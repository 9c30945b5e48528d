//! Limits of the joints.

use super::path::{PathLimits, Profile};
use crate::cell::Cell;
use crate::{JointCurve, JointCurveError, Robot};

/// Limits of velocity, acceleration and jerk of all variables, per second, second squared and cubed.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct DriveLimits {
    /// Velocities.
    pub velocity: Vec<f64>,
    /// Accelerations.
    pub acceleration: Vec<f64>,
    /// Jerks.
    pub jerk: Vec<f64>,
}

/// Time in which a joint without a stated acceleration reaches its speed, and any joint its acceleration, in seconds.
const TO_SPEED: f64 = 0.5;
const TO_ACCELERATION: f64 = 0.1;

impl DriveLimits {
    /// The limits of all robots of a cell, each [of its robot](Self::of_robot).
    pub fn of_cell(cell: &Cell) -> Self {
        let mut limits = Self::default();
        cell.robots().for_each(|robot| limits.add(robot));
        limits
    }

    /// The limits of a robot as stated. A joint without a speed limit has 1 rad/s or 1 m/s, one without a limit of
    /// acceleration reaches its speed in 0.5 s, and all reach their acceleration in 0.1 s.
    pub fn of_robot(robot: &Robot) -> Self {
        let mut limits = Self::default();
        limits.add(robot);
        limits
    }

    fn add(&mut self, robot: &Robot) {
        let positive = |limit: Option<f64>| limit.filter(|limit| *limit > 0.0 && limit.is_finite());
        for variable in robot.variables() {
            // A follower moves with another variable; its factor is within that one's motion.
            let speed = positive(variable.limits.velocity).unwrap_or(1.0);
            let acceleration = positive(variable.limits.acceleration).unwrap_or(speed / TO_SPEED);
            self.velocity.push(speed);
            self.acceleration.push(acceleration);
            self.jerk.push(acceleration / TO_ACCELERATION);
        }
    }

    /// Sets the acceleration of a variable, and the jerk that reaches it in 0.1 s.
    pub fn accelerate(&mut self, variable: usize, acceleration: f64) {
        if let (Some(own), Some(jerk)) = (self.acceleration.get_mut(variable), self.jerk.get_mut(variable)) {
            (*own, *jerk) = (acceleration, acceleration / TO_ACCELERATION);
        }
    }

    /// Refuses limits that are not positive and finite, or not one for each variable.
    pub fn check(&self, count: usize) -> Result<(), JointCurveError> {
        let all = [("velocity", &self.velocity), ("acceleration", &self.acceleration), ("jerk", &self.jerk)];
        for (what, limits) in all {
            let right =
                |variable: usize| limits.get(variable).is_some_and(|limit| *limit > 0.0 && limit.is_finite());
            if let Some(variable) = (0..count).find(|&variable| !right(variable)) {
                return Err(JointCurveError::Limit { what, variable });
            }
        }
        Ok(())
    }

    /// The limits along a direction of unit length.
    pub fn along(&self, direction: &[f64]) -> PathLimits {
        let least = |limits: &[f64]| {
            let shares = limits.iter().zip(direction).filter(|(_, share)| **share != 0.0);
            shares.map(|(limit, share)| limit / share.abs()).fold(f64::INFINITY, f64::min)
        };
        PathLimits {
            speed: least(&self.velocity),
            acceleration: least(&self.acceleration),
            jerk: least(&self.jerk),
        }
    }

    /// The largest constant speed on a curve whose derivatives by its parameter are bounded, for every variable.
    pub fn speed_on(&self, derivatives: &[[f64; 3]]) -> f64 {
        let one = |(variable, [first, second, third]): (usize, &[f64; 3])| {
            let bound = |limit: f64, derivative: f64| match derivative > 0.0 {
                true => limit / derivative,
                false => f64::INFINITY,
            };
            bound(self.velocity[variable], *first)
                .min(bound(self.acceleration[variable], *second).sqrt())
                .min(bound(self.jerk[variable], *third).cbrt())
        };
        derivatives.iter().enumerate().map(one).fold(f64::INFINITY, f64::min)
    }

    /// The factor by which the times of a curve must be stretched so that all limits of a profile hold, by the control
    /// values of its derivatives.
    pub fn excess(&self, curve: &JointCurve, profile: Profile) -> f64 {
        let largest = |variable: usize, order: usize| {
            let [low, high] = curve.derivative_range(variable, order);
            low.abs().max(high.abs())
        };
        let one = |variable: usize| {
            let velocity = largest(variable, 1) / self.velocity[variable];
            let acceleration = largest(variable, 2) / self.acceleration[variable];
            let jerk = match profile {
                Profile::Trapezoidal => 0.0,
                Profile::SCurve => largest(variable, 3) / self.jerk[variable],
            };
            velocity.max(acceleration.sqrt()).max(jerk.cbrt())
        };
        (0..curve.variables()).map(one).fold(0.0, f64::max)
    }
}
