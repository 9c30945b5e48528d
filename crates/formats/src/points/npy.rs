//! Arrays of NumPy (format 1 to 3): numbers of 4 or 8 bytes whose last dimension starts with x, y, z.

use super::{PointFile, Scalar, check_count};
use crate::error::{FileError, Place};
use crate::number::{in_memory, single};
use crate::text::excerpt;

pub(super) const MAGIC: &[u8] = b"\x93NUMPY";

/// The header of an array.
struct Header {
    scalar: Scalar,
    little_endian: bool,
    by_column: bool,
    shape: Vec<u64>,
    /// Offset of the data in the file.
    start: usize,
}

const COMPLETE: &str = "check that the file was written completely";

fn header_of(bytes: &[u8]) -> Result<Header, FileError> {
    let wrong = |reason: String, remedy: &str| FileError::new(Place::Byte(0), reason, remedy);
    let short = || wrong("the header is not complete".to_owned(), COMPLETE);
    let Some(rest) = bytes.strip_prefix(MAGIC) else {
        return Err(wrong("the file does not start as an .npy file".to_owned(), "write it with numpy.save"));
    };
    let (from, size) = match rest {
        [1, _, a, b, ..] => (10, u64::from(u16::from_le_bytes([*a, *b]))),
        [2 | 3, _, a, b, c, d, ..] => (12, u64::from(u32::from_le_bytes([*a, *b, *c, *d]))),
        _ => return Err(short()),
    };
    let start = usize::try_from(size).ok().and_then(|size| size.checked_add(from)).ok_or_else(short)?;
    let header = bytes.get(from..start).ok_or_else(short)?;
    let Some((scalar, little_endian)) = word_of(header, b"'descr'").and_then(scalar_of) else {
        let reason = format!("the array is not of numbers that are read: {}", excerpt(header));
        return Err(wrong(reason, "save it as float32 or float64"));
    };
    let by_column = word_of(header, b"'fortran_order'").is_some_and(|word| word.starts_with(b"True"));
    let Some(shape) = word_of(header, b"'shape'").and_then(shape_of).filter(|shape| !shape.is_empty()) else {
        let reason = format!("the header has no shape: {}", excerpt(header));
        return Err(wrong(reason, COMPLETE));
    };
    Ok(Header { scalar, little_endian, by_column, shape, start })
}

impl Header {
    /// The data, if there are so many numbers.
    fn data<'a>(&self, bytes: &'a [u8], numbers: u64) -> Result<&'a [u8], FileError> {
        let data = bytes.get(self.start..).unwrap_or_default();
        let needed = numbers.saturating_mul(self.scalar.size() as u64);
        if (data.len() as u64) < needed {
            let reason = format!("the data have {} bytes, the header promises {needed}", data.len());
            return Err(FileError::new(Place::Byte(self.start), reason, COMPLETE));
        }
        Ok(data)
    }

    fn number(&self, data: &[u8], at: usize) -> f64 {
        let from = at.saturating_mul(self.scalar.size());
        data.get(from..).and_then(|bytes| self.scalar.read(bytes, self.little_endian)).unwrap_or(f64::NAN)
    }
}

/// An array of three dimensions, the last index fastest: its shape and its numbers.
pub(super) fn parse_cube(bytes: &[u8]) -> Result<([usize; 3], Vec<f32>), FileError> {
    let header = header_of(bytes)?;
    let &[x, y, z] = header.shape.as_slice() else {
        let reason = format!("the shape is {:?}", header.shape);
        return Err(FileError::new(Place::Byte(0), reason, "save an array of shape (x, y, z)"));
    };
    let numbers = x.checked_mul(y).and_then(|plane| plane.checked_mul(z)).unwrap_or(u64::MAX);
    let (count, data) = (check_count(numbers)?, header.data(bytes, numbers)?);
    let [x, y, z] = [x, y, z].map(in_memory);
    #[allow(
        clippy::arithmetic_side_effects,
        reason = "no side is 0 where there are numbers, all of which fit"
    )]
    let at = |number: usize| {
        let (i, j, k) = (number / (y * z), number / z % y, number % z);
        if header.by_column { (k * y + j) * x + i } else { number }
    };
    Ok(([x, y, z], (0..count).map(|number| single(header.number(data, at(number)))).collect()))
}

pub(super) fn parse(bytes: &[u8]) -> Result<PointFile, FileError> {
    let header = header_of(bytes)?;
    let (width, outer) =
        header.shape.split_last().map_or((0, [].as_slice()), |(width, outer)| (*width, outer));
    if outer.is_empty() || width < 3 || header.by_column && outer.len() > 1 {
        let reason = format!("the shape is ({outer:?}, {width})");
        return Err(FileError::new(Place::Byte(0), reason, "save an array of shape (n, 3)"));
    }
    let points = outer.iter().try_fold(1u64, |all, &n| all.checked_mul(n)).unwrap_or(u64::MAX);
    let points = check_count(points)?;
    let data = header.data(bytes, (points as u64).saturating_mul(width))?;
    let (mut file, mut fourth) = (PointFile::default(), Vec::new());
    file.points.reserve(points);
    let width = in_memory(width);
    for point in 0..points {
        let at = |axis: usize| match header.by_column {
            true => axis.saturating_mul(points).saturating_add(point),
            false => point.saturating_mul(width).saturating_add(axis),
        };
        let read = |axis: usize| header.number(data, at(axis));
        let place = header.start.saturating_add(at(0).saturating_mul(header.scalar.size()));
        file.push([read(0), read(1), read(2)], Place::Byte(place))?;
        if width == 4 && fourth.len() < file.points.len() {
            fourth.push(read(3));
        }
    }
    if width == 4 {
        file.take_fourth_column(fourth);
    }
    Ok(file)
}

/// The text after a key of the header.
fn word_of<'a>(header: &'a [u8], key: &[u8]) -> Option<&'a [u8]> {
    let at = header.windows(key.len()).position(|window| window == key)?;
    header.get(at..)?.strip_prefix(key)?.trim_ascii_start().strip_prefix(b":").map(<[u8]>::trim_ascii_start)
}

fn scalar_of(word: &[u8]) -> Option<(Scalar, bool)> {
    let [b'\'', order, kind @ .., b'\''] = word.get(..5)? else { return None };
    let scalar = match kind {
        b"f4" => Scalar::F32,
        b"f8" => Scalar::F64,
        b"i4" => Scalar::I32,
        b"i8" => Scalar::I64,
        _ => return None,
    };
    match order {
        b'<' | b'=' => Some((scalar, true)),
        b'>' => Some((scalar, false)),
        _ => None,
    }
}

fn shape_of(word: &[u8]) -> Option<Vec<u64>> {
    let inner = word.strip_prefix(b"(")?;
    let inner = inner.get(..inner.iter().position(|&byte| byte == b')')?)?;
    let numbers = inner.split(|&byte| byte == b',').map(<[u8]>::trim_ascii).filter(|word| !word.is_empty());
    numbers.map(|word| std::str::from_utf8(word).ok()?.parse().ok()).collect()
}
