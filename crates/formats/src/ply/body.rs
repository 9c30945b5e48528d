//! The numbers after a PLY header, one at a time. Every PLY type fits into an `f64` exactly.

use super::header::{Property, Scalar};
use crate::error::{FileError, Place};
use crate::text::{Text, excerpt};

pub(super) trait Values {
    /// The next number.
    fn next(&mut self, scalar: Scalar) -> Result<f64, FileError>;
    /// Returns the place of the next number.
    fn place(&self) -> Place;
    /// Returns the number of bytes left.
    fn bytes_left(&self) -> usize;
    /// The fewest bytes that a property takes.
    fn least_size(&self, property: &Property) -> u64;
}

pub(super) struct TextValues<'a> {
    text: Text<'a>,
}

impl<'a> TextValues<'a> {
    pub(super) fn new(text: Text<'a>) -> Self {
        Self { text }
    }
}

impl Values for TextValues<'_> {
    fn next(&mut self, _: Scalar) -> Result<f64, FileError> {
        let Some(token) = self.text.token() else {
            return Err(self
                .text
                .error("the data end too early", "check that the file was written completely"));
        };
        std::str::from_utf8(token).ok().and_then(|token| token.parse().ok()).ok_or_else(|| {
            let reason = format!("`{}` is not a number", excerpt(token));
            self.text.error(reason, "check that the header describes the data")
        })
    }

    fn place(&self) -> Place {
        self.text.place()
    }

    fn bytes_left(&self) -> usize {
        // One more, since the last number needs no space after it.
        self.text.bytes_left().saturating_add(1)
    }

    fn least_size(&self, _: &Property) -> u64 {
        2
    }
}

pub(super) struct BinaryValues<'a> {
    bytes: &'a [u8],
    at: usize,
    little_endian: bool,
}

impl<'a> BinaryValues<'a> {
    pub(super) fn new(bytes: &'a [u8], at: usize, little_endian: bool) -> Self {
        Self { bytes, at, little_endian }
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], FileError> {
        let Some(&bytes) = self.bytes.get(self.at..).and_then(|rest| rest.first_chunk::<N>()) else {
            let remedy = "check that the file was written completely";
            return Err(FileError::new(self.place(), "the data end too early", remedy));
        };
        self.at = self.at.saturating_add(N);
        let mut bytes = bytes;
        if !self.little_endian {
            bytes.reverse();
        }
        Ok(bytes)
    }
}

impl Values for BinaryValues<'_> {
    fn next(&mut self, scalar: Scalar) -> Result<f64, FileError> {
        Ok(match scalar {
            Scalar::I8 => f64::from(i8::from_le_bytes(self.take()?)),
            Scalar::U8 => f64::from(u8::from_le_bytes(self.take()?)),
            Scalar::I16 => f64::from(i16::from_le_bytes(self.take()?)),
            Scalar::U16 => f64::from(u16::from_le_bytes(self.take()?)),
            Scalar::I32 => f64::from(i32::from_le_bytes(self.take()?)),
            Scalar::U32 => f64::from(u32::from_le_bytes(self.take()?)),
            Scalar::F32 => f64::from(f32::from_le_bytes(self.take()?)),
            Scalar::F64 => f64::from_le_bytes(self.take()?),
        })
    }

    fn place(&self) -> Place {
        Place::Byte(self.at)
    }

    fn bytes_left(&self) -> usize {
        self.bytes.len().saturating_sub(self.at)
    }

    fn least_size(&self, property: &Property) -> u64 {
        property.list.unwrap_or(property.scalar).size() as u64
    }
}
