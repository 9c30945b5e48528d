//! Clocks and dates.

use noli::query::Clock;
use std::hint::black_box;
use std::sync::{Mutex, PoisonError, mpsc};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The CPU time of the calling thread: other load on the machine does not count. On systems without one, the
/// time of day.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ThreadClock;

impl Clock for ThreadClock {
    fn now(&self) -> Duration {
        #[cfg(unix)]
        if let Ok(time) = nix::time::clock_gettime(nix::time::ClockId::CLOCK_THREAD_CPUTIME_ID) {
            return time.into();
        }
        SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
    }
}

/// The result of a call, and the milliseconds of the thread that it took: the lesser of two.
pub(crate) fn thread_ms<R>(mut call: impl FnMut() -> R) -> (R, f64) {
    let mut once = || {
        let start = ThreadClock.now();
        let answer = black_box(call());
        (answer, 1e3 * (ThreadClock.now() - start).as_secs_f64())
    };
    let (first, second) = (once(), once());
    (second.0, first.1.min(second.1))
}

/// Items timed in one go: long against reading the clock, short against being interrupted.
const BATCH: usize = 250;

/// Seconds that one call takes: the mean over batches of items of the least over rounds, so that interruptions do not count.
pub(crate) fn seconds_per_call<T, R>(items: &[T], rounds: usize, mut call: impl FnMut(&T) -> R) -> f64 {
    let mut total = 0.0;
    for batch in items.chunks(BATCH) {
        let mut least = f64::INFINITY;
        for _ in 0..=rounds.max(1) {
            let start = Instant::now();
            for item in batch {
                black_box(call(black_box(item)));
            }
            least = least.min(start.elapsed().as_secs_f64());
        }
        total += least;
    }
    total / items.len().max(1) as f64
}

/// Returns the result of a call, and its microseconds: the lesser of two, so that an interruption does not
/// count.
pub(crate) fn micros<R>(mut call: impl FnMut() -> R) -> (R, f64) {
    let mut once = || {
        let start = Instant::now();
        let answer = black_box(call());
        (answer, 1e6 * start.elapsed().as_secs_f64())
    };
    let (first, second) = (once(), once());
    (second.0, first.1.min(second.1))
}

/// Returns the results of `work` in the order of the items, computed on as many threads as the machine runs at
/// once. `done` receives each result as it arrives.
pub(crate) fn side_by_side<T: Send, R: Send>(
    items: Vec<T>,
    work: impl Fn(T) -> R + Sync,
    mut done: impl FnMut(&R),
) -> Vec<R> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(items.len());
    let mut answers: Vec<Option<R>> = items.iter().map(|_| None).collect();
    let waiting = Mutex::new(items.into_iter().enumerate());
    let next = || waiting.lock().unwrap_or_else(PoisonError::into_inner).next();
    let (send, receive) = mpsc::channel();
    std::thread::scope(|scope| {
        for send in vec![send; threads] {
            let (next, work) = (&next, &work);
            scope.spawn(move || {
                while let Some((at, item)) = next() {
                    // Nobody listens only where the listener failed, and then nothing more is wanted.
                    if send.send((at, work(item))).is_err() {
                        break;
                    }
                }
            });
        }
        for (at, answer) in receive {
            done(&answer);
            answers[at] = Some(answer);
        }
    });
    answers.into_iter().flatten().collect()
}

/// The date in universal time, year-month-day.
pub(crate) fn today() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let (year, month, day) = date(seconds / 86_400);
    format!("{year:04}-{month:02}-{day:02}")
}

/// Year, month and day of a day counted from 1970 (Gregorian; leap days at the end of years that begin in March).
fn date(days: u64) -> (u64, u64, u64) {
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    (era * 400 + year_of_era + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_keep_the_order_of_their_items() {
        let mut heard = 0;
        let squares = side_by_side((0..100u64).collect(), |n| n * n, |_| heard += 1);
        assert_eq!((heard, squares), (100, (0..100u64).map(|n| n * n).collect()));
        assert!(side_by_side(Vec::<u8>::new(), |n| n, |_| ()).is_empty());
    }

    #[test]
    fn dates_of_known_days() {
        assert_eq!(date(0), (1970, 1, 1));
        assert_eq!(date(11_016), (2000, 2, 29));
        assert_eq!(date(20_772), (2026, 11, 15));
    }
}
