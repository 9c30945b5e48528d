//! A queue of pairs that sleep until they could be in contact (Lin and Canny 1992).
//!
//! Each pair wakes at `now + t`, where `t` is the least time in which it could come into contact from its
//! distance. Until then it is not tested.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Bounds on the approach speed of two bodies.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ApproachBounds {
    /// The largest relative speed of two points of the bodies now, turning included.
    pub speed: f64,
    /// By how much it may grow in a unit of time.
    pub acceleration: f64,
}

impl ApproachBounds {
    /// Returns the least time in which the bodies could close a distance; infinite if they never could. Zero
    /// for a distance or bounds that are not numbers.
    ///
    /// ```
    /// use noli_classics::ApproachBounds;
    /// let steady = ApproachBounds { speed: 2.0, acceleration: 0.0 };
    /// assert_eq!(steady.least_time(6.0), 3.0);
    /// let speeding = ApproachBounds { speed: 2.0, acceleration: 2.0 };
    /// assert_eq!(speeding.least_time(8.0), 2.0); // 2·2 + 2·2²/2
    /// ```
    pub fn least_time(&self, distance: f64) -> f64 {
        let (v, a) = (self.speed.max(0.0), self.acceleration.max(0.0));
        if distance.is_nan() || distance <= 0.0 || self.speed.is_nan() || self.acceleration.is_nan() {
            return 0.0;
        }
        // The same as (√(v² + 2ad) − v)/a, without the difference of two near numbers.
        2.0 * distance / (v + (v * v + 2.0 * a * distance).sqrt())
    }
}

/// Pairs of bodies by the time of their next test. Conservative: as long as the bounds hold, no pair is in
/// contact while it sleeps.
#[derive(Clone, Debug)]
pub struct WakeQueue {
    pairs: Vec<[u32; 2]>,
    /// Wake time of each; the queue may hold older times, which do not count.
    wakes: Vec<f64>,
    queue: BinaryHeap<Reverse<(Time, usize)>>,
}

/// Not a number comes first.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Time(f64);

impl Eq for Time {}

impl Ord for Time {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl PartialOrd for Time {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl WakeQueue {
    /// All pairs awake.
    pub fn new(pairs: Vec<[u32; 2]>) -> Self {
        let wakes = vec![f64::NEG_INFINITY; pairs.len()];
        let queue = (0..pairs.len()).map(|pair| Reverse((Time(f64::NEG_INFINITY), pair))).collect();
        Self { pairs, wakes, queue }
    }

    /// The pairs of `moving` bodies among themselves and with so many fixed ones, numbered after them.
    pub fn of_bodies(moving: u32, fixed: u32) -> Self {
        let pairs = (0..moving).flat_map(|i| (i + 1..moving + fixed).map(move |j| [i, j]));
        Self::new(pairs.collect())
    }

    /// The bodies of a pair.
    pub fn pair(&self, pair: usize) -> [u32; 2] {
        self.pairs[pair]
    }

    /// Returns the wake time of a pair.
    pub fn wakes_at(&self, pair: usize) -> f64 {
        self.wakes[pair]
    }

    /// Take out all pairs that are due, the earliest first. Each must be put to sleep again with
    /// [`WakeQueue::sleep`].
    pub fn due(&mut self, now: f64) -> Vec<usize> {
        let mut due = Vec::new();
        while let Some(&Reverse((Time(at), pair))) = self.queue.peek() {
            if at > now {
                break;
            }
            self.queue.pop();
            if at.total_cmp(&self.wakes[pair]).is_eq() {
                // Taken out: an older entry of the same time must not count again.
                self.wakes[pair] = f64::NAN;
                due.push(pair);
            }
        }
        due
    }

    /// Let a pair sleep until it could be in contact.
    pub fn sleep(&mut self, pair: usize, now: f64, distance: f64, bounds: &ApproachBounds) {
        self.set(pair, now + bounds.least_time(distance));
    }

    /// Wake all pairs of a body whose bounds were exceeded, as by a new command.
    pub fn wake(&mut self, body: u32, now: f64) {
        for pair in (0..self.pairs.len()).filter(|&pair| self.pairs[pair].contains(&body)).collect::<Vec<_>>()
        {
            self.set(pair, now);
        }
    }

    fn set(&mut self, pair: usize, at: f64) {
        self.wakes[pair] = at;
        self.queue.push(Reverse((Time(at), pair)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_the_formula() {
        for (v, a, d) in [(3.0, 2.0, 5.0), (0.0, 2.0, 9.0), (1e8, 1e-3, 1.0), (1.0, 4.0, 1e-9f64)] {
            let found = ApproachBounds { speed: v, acceleration: a }.least_time(d);
            assert!((v * found + 0.5 * a * found * found - d).abs() <= 1e-12 * d.max(1.0), "{v} {a} {d}");
        }
        assert_eq!(ApproachBounds::default().least_time(1.0), f64::INFINITY);
        assert_eq!(ApproachBounds { speed: f64::NAN, acceleration: 0.0 }.least_time(1.0), 0.0);
        assert_eq!(ApproachBounds { speed: 1.0, acceleration: 0.0 }.least_time(0.0), 0.0);
    }

    #[test]
    fn pairs_wake_in_order_and_when_told() {
        let mut queue = WakeQueue::of_bodies(2, 1);
        assert_eq!(queue.due(0.0).len(), 3);
        assert!(queue.due(0.0).is_empty());
        let steady = ApproachBounds { speed: 1.0, acceleration: 0.0 };
        for (pair, distance) in [(0, 3.0), (1, 1.0), (2, 2.0)] {
            queue.sleep(pair, 0.0, distance, &steady);
        }
        assert!(queue.due(0.9).is_empty());
        assert_eq!((queue.due(2.0), queue.wakes_at(0)), (vec![1, 2], 3.0));
        queue.sleep(1, 2.0, 9.0, &steady);
        queue.sleep(2, 2.0, 9.0, &steady);
        assert_eq!([0, 1, 2].map(|pair| queue.pair(pair)), [[0, 1], [0, 2], [1, 2]]);
        queue.wake(0, 2.5);
        let mut due = queue.due(2.5);
        due.sort_unstable();
        assert_eq!(due, [0, 1]);
    }
}
