//! Speed along a path: profiles with limited acceleration and jerk.
//!
//! A change of speed takes a ramp that is symmetric about its middle: the acceleration grows at the limit of the jerk,
//! stays at its own limit where the change is large, and falls again. Its length is the mean of both speeds times its
//! duration. Between two ramps the speed is constant (the seven phases of Biagiotti and Melchiorri 2008, §3.4).

/// Limits of speed, acceleration and jerk along a path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct PathLimits {
    pub(super) speed: f64,
    pub(super) acceleration: f64,
    pub(super) jerk: f64,
}

/// A phase of constant jerk.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Phase {
    pub(super) duration: f64,
    pub(super) jerk: f64,
}

impl PathLimits {
    /// Duration of a ramp from one speed to another.
    fn ramp(&self, from: f64, to: f64) -> f64 {
        let change = (to - from).abs();
        if change * self.jerk >= self.acceleration * self.acceleration {
            change / self.acceleration + self.acceleration / self.jerk
        } else {
            2.0 * (change / self.jerk).sqrt()
        }
    }

    /// Length of a ramp.
    fn length(&self, from: f64, to: f64) -> f64 {
        0.5 * (from + to) * self.ramp(from, to)
    }

    /// The largest speed that a ramp from this one reaches within a length.
    pub(super) fn reachable(&self, from: f64, length: f64) -> f64 {
        if self.length(from, self.speed) <= length {
            return self.speed;
        }
        largest([from.min(self.speed), self.speed], |speed| self.length(from, speed) <= length)
    }

    /// The quickest profile over a length, from one speed to another; both are reachable from each other.
    pub(super) fn profile(&self, [from, to]: [f64; 2], length: f64) -> Vec<Phase> {
        let need = |peak: f64| self.length(from, peak) + self.length(peak, to);
        let low = from.max(to);
        let peak = if need(self.speed) <= length {
            self.speed
        } else {
            largest([low, self.speed.max(low)], |peak| need(peak) <= length)
        };
        let mut phases = Vec::with_capacity(7);
        self.add_ramp([from, peak], &mut phases);
        let cruise = (length - need(peak)).max(0.0) / peak.max(f64::MIN_POSITIVE);
        phases.push(Phase { duration: cruise, jerk: 0.0 });
        self.add_ramp([peak, to], &mut phases);
        phases
    }

    fn add_ramp(&self, [from, to]: [f64; 2], phases: &mut Vec<Phase>) {
        let duration = self.ramp(from, to);
        let grow = (self.acceleration / self.jerk).min(0.5 * duration);
        let jerk = if to >= from { self.jerk } else { -self.jerk };
        phases.push(Phase { duration: grow, jerk });
        phases.push(Phase { duration: (duration - 2.0 * grow).max(0.0), jerk: 0.0 });
        phases.push(Phase { duration: grow, jerk: -jerk });
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
