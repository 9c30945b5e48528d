//! Clocks and dates.

use std::hint::black_box;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// Seconds that one call takes: the median over rounds of all items.
pub(crate) fn seconds_per_call<T, R>(items: &[T], rounds: usize, mut call: impl FnMut(&T) -> R) -> f64 {
    let round = |call: &mut dyn FnMut(&T) -> R| {
        let start = Instant::now();
        for item in items {
            black_box(call(black_box(item)));
        }
        start.elapsed().as_secs_f64() / items.len().max(1) as f64
    };
    let mut times: Vec<f64> = (0..=rounds.max(1)).map(|_| round(&mut call)).skip(1).collect();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
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
    fn dates_of_known_days() {
        assert_eq!(date(0), (1970, 1, 1));
        assert_eq!(date(11_016), (2000, 2, 29));
        assert_eq!(date(20_772), (2026, 11, 15));
    }
}
