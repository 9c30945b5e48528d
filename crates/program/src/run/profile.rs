//! Speeding up evenly, going evenly, slowing down evenly.

/// The share of a path over time, from rest to rest: a trapezoidal speed profile, or a triangular one on a
/// short path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Profile {
    /// Duration of the whole path.
    pub seconds: f64,
    /// The largest speed, in shares of the path per second.
    pub speed: f64,
    /// Acceleration and deceleration.
    pub acceleration: f64,
}

impl Profile {
    /// An empty path.
    pub const NOTHING: Self = Self { seconds: 0.0, speed: 0.0, acceleration: 0.0 };

    /// Creates the fastest profile within these bounds. An infinite bound has no effect; with both infinite the
    /// path is empty.
    pub fn fastest(speed: f64, acceleration: f64) -> Self {
        if !(speed.is_finite() || acceleration.is_finite()) {
            return Self::NOTHING;
        }
        if !acceleration.is_finite() {
            return Self { seconds: 1.0 / speed, speed, acceleration };
        }
        if speed * speed >= acceleration {
            let peak = acceleration.sqrt();
            return Self { seconds: 2.0 / peak, speed: peak, acceleration };
        }
        Self { seconds: 1.0 / speed + speed / acceleration, speed, acceleration }
    }

    /// In a given time, a third of it each for speeding up, going evenly and slowing down.
    pub fn within(seconds: f64) -> Self {
        if seconds <= 0.0 {
            return Self::NOTHING;
        }
        Self { seconds, speed: 1.5 / seconds, acceleration: 4.5 / (seconds * seconds) }
    }

    /// Returns the times between which the share is a polynomial of at most second degree.
    pub fn knots(&self) -> [f64; 4] {
        let ramp = if self.acceleration.is_finite() && self.acceleration > 0.0 {
            (self.speed / self.acceleration).min(0.5 * self.seconds)
        } else {
            0.0
        };
        [0.0, ramp, self.seconds - ramp, self.seconds]
    }

    /// Returns the share of the path completed at a time.
    pub fn share(&self, time: f64) -> f64 {
        if time >= self.seconds {
            return 1.0;
        }
        if time <= 0.0 {
            return 0.0;
        }
        let half = 0.5 * self.seconds;
        let done = |time: f64| {
            let ramp = if self.acceleration.is_finite() { self.speed / self.acceleration } else { 0.0 };
            if time < ramp { 0.5 * self.acceleration * time * time } else { self.speed * (time - 0.5 * ramp) }
        };
        let share = if time <= half { done(time) } else { 1.0 - done(self.seconds - time) };
        share.clamp(0.0, 1.0)
    }

    /// Returns the time at which a share of it is completed.
    pub fn time(&self, share: f64) -> f64 {
        if share >= 1.0 {
            return self.seconds;
        }
        if share <= 0.0 {
            return 0.0;
        }
        let when = |share: f64| {
            let ramp = if self.acceleration.is_finite() { self.speed / self.acceleration } else { 0.0 };
            let in_ramp = 0.5 * self.speed * ramp;
            if share < in_ramp {
                (2.0 * share / self.acceleration).sqrt()
            } else {
                share / self.speed + 0.5 * ramp
            }
        };
        let time = if share <= 0.5 { when(share) } else { self.seconds - when(1.0 - share) };
        time.clamp(0.0, self.seconds)
    }
}

/// Returns the segment of a path at a time, and the share of that segment: all of them take the same time.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a whole number of segments, at least 0"
)]
pub(super) fn segment_at(points: usize, time: f64) -> (usize, f64) {
    let segments = points.saturating_sub(1) as f64;
    let at = (time * segments).floor().min(segments - 1.0).max(0.0);
    (at as usize, time * segments - at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_and_times_are_inverse_and_keep_their_bounds() {
        for profile in [
            Profile::fastest(0.5, 2.0),
            Profile::fastest(3.0, 2.0),
            Profile::fastest(0.25, f64::INFINITY),
            Profile::within(4.0),
        ] {
            let step = profile.seconds / 1000.0;
            let mut before = (0.0, 0.0);
            for k in 0..=1000 {
                let time = f64::from(k) * step;
                let share = profile.share(time);
                assert!((profile.time(share) - time).abs() < 1e-6 * profile.seconds, "{profile:?} {time}");
                let speed = (share - before.0) / step;
                assert!(speed <= profile.speed * (1.0 + 1e-6), "{profile:?} {time}");
                if k > 1 && profile.acceleration.is_finite() {
                    assert!((speed - before.1).abs() <= profile.acceleration * step * (1.0 + 1e-6));
                }
                before = (share, speed);
            }
            assert_eq!((profile.share(0.0), profile.share(profile.seconds)), (0.0, 1.0));
        }
        assert_eq!(Profile::fastest(f64::INFINITY, f64::INFINITY), Profile::NOTHING);
    }
}
