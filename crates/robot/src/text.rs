//! Places in a text, and numbers in it.

use crate::message::excerpt;
use crate::{Fault, Place, RobotError};
use glam::{DQuat, DVec3};

/// Longest text that is read.
pub(crate) const MAX_TEXT: usize = 64 << 20;

/// Line starts of a text.
pub(crate) struct Lines<'a> {
    text: &'a str,
    starts: Vec<usize>,
    /// Characters before every block of [`BLOCK`] bytes, so that a column on a line of megabytes costs no
    /// walk along it.
    characters: Vec<usize>,
}

const BLOCK: usize = 4096;

fn begins_character(byte: &u8) -> bool {
    byte & 0xc0 != 0x80
}

impl<'a> Lines<'a> {
    pub(crate) fn new(text: &'a str) -> Result<Self, RobotError> {
        if text.len() > MAX_TEXT {
            return Err(Fault::TooLong { most: MAX_TEXT }.into());
        }
        let after_newline = text.bytes().zip(1..).filter(|(byte, _)| *byte == b'\n').map(|(_, next)| next);
        let starts = std::iter::once(0).chain(after_newline).collect();
        let (mut characters, mut before) = (vec![0], 0usize);
        for block in text.as_bytes().chunks(BLOCK) {
            before = before.saturating_add(block.iter().filter(|byte| begins_character(byte)).count());
            characters.push(before);
        }
        Ok(Self { text, starts, characters })
    }

    pub(crate) fn place(&self, byte: usize) -> Place {
        let byte = byte.min(self.text.len());
        let line = self.starts.partition_point(|&start| start <= byte);
        let start = line.checked_sub(1).and_then(|line| self.starts.get(line)).copied().unwrap_or(0);
        let column = if byte.saturating_sub(start) <= BLOCK {
            self.between(start, byte)
        } else {
            self.count(byte).saturating_sub(self.count(start))
        };
        Place { line: line as u32, column: (column as u32).saturating_add(1) }
    }

    /// Characters before a byte.
    fn count(&self, byte: usize) -> usize {
        let block = byte / BLOCK;
        let before = self.characters.get(block).copied().unwrap_or(0);
        before.saturating_add(self.between(block.saturating_mul(BLOCK), byte))
    }

    fn between(&self, from: usize, to: usize) -> usize {
        let bytes = self.text.as_bytes().get(from..to).unwrap_or_default();
        bytes.iter().filter(|byte| begins_character(byte)).count()
    }
}

/// So many finite numbers with spaces between.
pub(crate) fn numbers<const N: usize>(
    text: &str,
    place: Place,
    what: impl Fn() -> String,
) -> Result<[f64; N], RobotError> {
    let wrong = || {
        let wanted = if N == 1 { "a number".to_owned() } else { format!("{N} numbers") };
        RobotError::at(place, Fault::NotANumber { what: what(), text: excerpt(text), wanted })
    };
    let mut values = [0f64; N];
    let mut words = text.split_ascii_whitespace();
    for value in &mut values {
        *value = words.next().and_then(|word| word.parse().ok()).ok_or_else(wrong)?;
        if !value.is_finite() {
            return Err(RobotError::at(place, Fault::NotFinite { what: what(), value: *value }));
        }
    }
    if words.next().is_some() {
        return Err(wrong());
    }
    Ok(values)
}

/// Rotation about the fixed axes x, then y, then z, with the portable sine and cosine.
pub(crate) fn fixed_angles(angles: DVec3) -> DQuat {
    let about = |axis: DVec3, angle: f64| {
        let (sin, cos) = crate::sin_cos(0.5 * angle);
        let v = axis * sin;
        DQuat::from_xyzw(v.x, v.y, v.z, cos)
    };
    about(DVec3::Z, angles.z) * about(DVec3::Y, angles.y) * about(DVec3::X, angles.x)
}
