//! Speed along a path: profiles with limited acceleration and jerk.
//!
//! A change of speed takes a ramp that is symmetric about its middle: the acceleration grows at the limit of the jerk,
//! stays at its own limit where the change is large, and falls again. Its length is the mean of both speeds times its
//! duration. Between two ramps the speed is constant (the seven phases of Biagiotti and Melchiorri 2008, §3.4).

/// Profile of the speed along a straight segment in joint space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Profile {
    /// Constant acceleration, constant speed, constant deceleration; the acceleration jumps.
    Trapezoidal,
    /// Seven phases of constant jerk.
    SCurve,
}

/// Limits of speed, acceleration and jerk along a path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PathLimits {
    /// Speed.
    pub speed: f64,
    /// Acceleration.
    pub acceleration: f64,
    /// Jerk.
    pub jerk: f64,
}

/// Phases of a profile are no shorter, in seconds: rounding of positions shows in the jerk of shorter ones.
const SHORTEST: f64 = 2e-4;

/// A phase of constant jerk.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Phase {
    pub(super) duration: f64,
    /// At its start.
    pub(super) acceleration: f64,
    pub(super) jerk: f64,
}

impl PathLimits {
    /// Duration of a ramp from one speed to another, and of its phases of changing acceleration. No phase is short: with a
    /// little less jerk there is none of constant acceleration.
    fn ramp(&self, from: f64, to: f64) -> [f64; 2] {
        let change = (to - from).abs();
        if change == 0.0 {
            return [0.0; 2];
        }
        let grow = (self.acceleration / self.jerk).max(SHORTEST);
        let constant = change / self.acceleration - grow;
        if constant >= SHORTEST {
            return [constant + 2.0 * grow, grow];
        }
        let half = match constant >= 0.0 {
            true => change / self.acceleration,
            false => (change * grow / self.acceleration).sqrt().max(SHORTEST),
        };
        [2.0 * half, half]
    }

    /// Length of a ramp.
    fn length(&self, from: f64, to: f64) -> f64 {
        0.5 * (from + to) * self.ramp(from, to)[0]
    }

    /// The largest speed that a ramp from this one reaches within a length.
    pub fn reachable(&self, from: f64, length: f64) -> f64 {
        if self.length(from, self.speed) <= length {
            return self.speed;
        }
        largest([from.min(self.speed), self.speed], |speed| self.length(from, speed) <= length)
    }

    /// The quickest phases over a length, from one speed to another; both are reachable from each other.
    pub(super) fn s_curve(&self, [from, to]: [f64; 2], length: f64) -> Vec<Phase> {
        let need = |peak: f64| self.length(from, peak) + self.length(peak, to);
        // Neither is the phase of constant speed short.
        let fits = |peak: f64| need(peak) + peak * SHORTEST <= length;
        let low = from.max(to);
        let peak = if fits(self.speed) { self.speed } else { largest([low, self.speed.max(low)], fits) };
        let mut phases = Vec::with_capacity(7);
        self.add_ramp([from, peak], &mut phases);
        let cruise = (length - need(peak)).max(0.0) / peak.max(f64::MIN_POSITIVE);
        phases.push(Phase { duration: cruise, acceleration: 0.0, jerk: 0.0 });
        self.add_ramp([peak, to], &mut phases);
        phases
    }

    fn add_ramp(&self, [from, to]: [f64; 2], phases: &mut Vec<Phase>) {
        let [duration, grow] = self.ramp(from, to);
        if duration == 0.0 {
            return;
        }
        // The change of speed is the mean acceleration times the duration.
        let jerk = (to - from) / ((duration - grow) * grow);
        let acceleration = jerk * grow;
        phases.push(Phase { duration: grow, acceleration: 0.0, jerk });
        phases.push(Phase { duration: (duration - 2.0 * grow).max(0.0), acceleration, jerk: 0.0 });
        phases.push(Phase { duration: grow, acceleration, jerk: -jerk });
    }

    /// The quickest phases over a length from rest to rest without a limit of jerk: a trapezoid of speed, or a triangle
    /// where the length is too short for the limit of speed.
    pub(super) fn trapezoid(&self, length: f64) -> Vec<Phase> {
        let acceleration = self.acceleration;
        let peak = self.speed.min((acceleration * length).sqrt());
        let ramp = peak / acceleration;
        let cruise = (length / peak - ramp).max(0.0);
        let phases = [(ramp, acceleration), (cruise, 0.0), (ramp, -acceleration)];
        phases.map(|(duration, acceleration)| Phase { duration, acceleration, jerk: 0.0 }).to_vec()
    }
}

/// The largest number of a range for which a condition holds that holds below some number, by bisection.
fn largest([mut low, mut high]: [f64; 2], holds: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if holds(middle) { low = middle } else { high = middle }
    }
    low
}
