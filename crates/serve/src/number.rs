//! Conversions between the sizes of numbers: none wraps.

use std::time::Duration;

/// Rounds to single precision, for the page; infinite beyond its range.
#[allow(clippy::cast_possible_truncation, reason = "rounding to nearest is what the cast does")]
pub(crate) fn single(x: f64) -> f32 {
    x as f32
}

/// Returns a duration in microseconds.
pub(crate) fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

/// Returns a count for a sentence.
pub(crate) fn count(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
