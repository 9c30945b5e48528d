//! Conversions between the sizes of numbers: none wraps, whatever a file claims; and numbers that are finite.

use crate::error::{FileError, Place};

/// Returns a vertex, face or count as the number that meshes use. There are fewer of them than `u32::MAX`, which stands for
/// none: meshes refuse it.
pub(crate) fn index(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// Returns a size of a file as a size in memory. More than memory can hold stays more.
pub(crate) fn in_memory(size: u64) -> usize {
    usize::try_from(size).unwrap_or(usize::MAX)
}

/// A number of a file that is neither NaN nor infinite, so that every comparison with it has the answer it seems to have.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub(crate) struct Finite(f64);

impl Finite {
    /// Takes a number that was read, or refuses it at its place.
    pub(crate) fn new(number: f64, what: &str, place: Place) -> Result<Self, FileError> {
        if number.is_finite() {
            return Ok(Self(number));
        }
        let reason = format!("{what} is {number}");
        Err(FileError::new(place, reason, "give a finite number; check what wrote the file"))
    }

    /// The number.
    pub(crate) const fn get(self) -> f64 {
        self.0
    }
}

/// Rounds to single precision; infinite beyond its range.
#[allow(clippy::cast_possible_truncation, reason = "rounding to nearest is what the cast does")]
pub(crate) fn single(x: f64) -> f32 {
    x as f32
}

/// Returns the lowest eight bits.
#[allow(clippy::cast_possible_truncation, reason = "the other bits are dropped on purpose")]
pub(crate) fn low_byte(number: usize) -> u8 {
    number as u8
}

/// Returns a whole number that was read as a real one.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates; NaN is 0")]
pub(crate) fn whole(x: f64) -> u32 {
    x as u32
}
