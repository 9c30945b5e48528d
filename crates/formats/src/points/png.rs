//! Grey images of 8 or 16 bits a pixel (PNG, ISO 15948), as depth cameras write them.

use crate::error::{FileError, Place};
use crate::memory_limit::{beyond_limit, memory_limit};
use std::io::Read;

/// A grey image, row by row.
pub(super) struct Grey {
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) pixels: Vec<u16>,
}

const SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";

pub(super) fn parse(bytes: &[u8]) -> Result<Grey, FileError> {
    let at = |place: usize, reason: &str, remedy: &str| FileError::new(Place::Byte(place), reason, remedy);
    let complete = "check that the file was written completely";
    if !bytes.starts_with(SIGNATURE) {
        return Err(at(0, "the file is not a PNG image", "save the depth image as 16-bit grey PNG"));
    }
    let (mut place, mut header, mut data) = (SIGNATURE.len(), None, Vec::new());
    loop {
        let head = bytes.get(place..).and_then(|rest| rest.split_first_chunk::<8>());
        let Some(([a, b, c, d, kind @ ..], rest)) = head else {
            return Err(at(place, "the image ends too early", complete));
        };
        let length = u32::from_be_bytes([*a, *b, *c, *d]) as usize;
        let Some(body) = rest.get(..length) else {
            return Err(at(place, "the image ends too early", complete));
        };
        match kind {
            b"IHDR" => header = Some(size_and_depth(body, place)?),
            b"IDAT" => data.extend_from_slice(body),
            b"IEND" => break,
            _ => {}
        }
        place = place.saturating_add(length).saturating_add(12);
    }
    let Some((width, height, depth)) = header else {
        return Err(at(SIGNATURE.len(), "the image has no header", complete));
    };
    let row = width.saturating_mul(depth);
    let size = row.saturating_add(1).saturating_mul(height);
    if size as u64 > memory_limit() {
        return Err(beyond_limit(&format!("the image has {width} x {height} pixels")));
    }
    let mut raw = Vec::new();
    let inflated = flate2::read::ZlibDecoder::new(data.as_slice()).take(size as u64).read_to_end(&mut raw);
    if inflated.is_err() || raw.len() != size {
        return Err(at(SIGNATURE.len(), "the pixels of the image are broken", complete));
    }
    let rows = unfiltered(&raw, row, depth)
        .ok_or_else(|| at(SIGNATURE.len(), "a row of the image has an unknown filter", complete))?;
    let pixels = match depth {
        1 => rows.into_iter().map(u16::from).collect(),
        _ => rows.as_chunks::<2>().0.iter().map(|&pair| u16::from_be_bytes(pair)).collect(),
    };
    Ok(Grey { width, height, pixels })
}

/// Width, height and bytes of a pixel.
fn size_and_depth(body: &[u8], place: usize) -> Result<(usize, usize, usize), FileError> {
    let wrong = |reason: &str| {
        FileError::new(Place::Byte(place), reason, "save the depth image as 16-bit grey PNG, not interlaced")
    };
    let &[w0, w1, w2, w3, h0, h1, h2, h3, bits, color, _, _, interlace] = body else {
        return Err(wrong("the header of the image is broken"));
    };
    let depth = match (bits, color, interlace) {
        (8, 0, 0) => 1,
        (16, 0, 0) => 2,
        _ => return Err(wrong("the image is not grey with 8 or 16 bits a pixel")),
    };
    let [width, height] = [[w0, w1, w2, w3], [h0, h1, h2, h3]].map(|word| u32::from_be_bytes(word) as usize);
    if width == 0 || height == 0 || width > 1 << 20 || height > 1 << 20 {
        return Err(wrong("the image has no size, or a side of more than a million pixels"));
    }
    Ok((width, height, depth))
}

/// The rows without their filters; `None` if one is unknown.
#[allow(clippy::arithmetic_side_effects, reason = "places in an image that fits into memory")]
fn unfiltered(raw: &[u8], row: usize, depth: usize) -> Option<Vec<u8>> {
    let mut out: Vec<u8> = Vec::with_capacity(raw.len());
    for (number, line) in raw.chunks_exact(row + 1).enumerate() {
        let start = number * row;
        let (filter, line) = line.split_first()?;
        for (k, byte) in line.iter().enumerate() {
            // The bytes before, above, and before that; 0 outside of the image.
            let at = |back: usize, is_inside: bool| {
                let place = (start + k).checked_sub(back).filter(|_| is_inside);
                place.and_then(|place| out.get(place)).copied().unwrap_or(0)
            };
            let left = at(depth, k >= depth);
            let up = at(row, number > 0);
            let corner = at(row + depth, number > 0 && k >= depth);
            let guess = match filter {
                0 => 0,
                1 => left,
                2 => up,
                3 => left.midpoint(up),
                4 => paeth(left, up, corner),
                _ => return None,
            };
            out.push(byte.wrapping_add(guess));
        }
    }
    Some(out)
}

/// The neighbour nearest to the plane through all three (Paeth 1991).
#[allow(clippy::arithmetic_side_effects, reason = "a few bytes in sixteen bits")]
fn paeth(left: u8, up: u8, both: u8) -> u8 {
    let plane = i16::from(left) + i16::from(up) - i16::from(both);
    let off = |x: u8| (plane - i16::from(x)).abs();
    if off(left) <= off(up) && off(left) <= off(both) {
        left
    } else if off(up) <= off(both) {
        up
    } else {
        both
    }
}
