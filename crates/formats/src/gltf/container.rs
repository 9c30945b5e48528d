//! The two forms of a glTF file: JSON text, or binary chunks of which the first is the JSON.

use super::document::Document;
use crate::error::{FileError, Place};

pub(super) const MAGIC: &[u8] = b"glTF";
pub(super) const JSON: u32 = 0x4E4F_534A;
pub(super) const BINARY: u32 = 0x004E_4942;

/// Returns `true` if the bytes start like a binary glTF file.
pub(crate) fn is_binary(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// The JSON, and the bytes of the binary chunk where there is one.
pub(super) fn open(bytes: &[u8]) -> Result<(Document<'_>, Option<&[u8]>), FileError> {
    if !is_binary(bytes) {
        let json = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        return Ok((Document::parse(json, None)?, None));
    }
    let version = word(bytes, 4)?;
    if version != 2 {
        let reason = format!("binary glTF of version {version} is not supported");
        return Err(FileError::new(Place::Byte(4), reason, "save it as glTF 2.0"));
    }
    let length = word(bytes, 8)? as usize;
    let Some(bytes) = bytes.get(..length) else {
        let reason = format!("the header claims {length} bytes, but the file has {}", bytes.len());
        return Err(FileError::new(Place::Byte(8), reason, "check that it was written completely"));
    };
    let (kind, json, end) = chunk(bytes, 12)?;
    if kind != JSON {
        let reason = "the first chunk of the binary file is not JSON";
        return Err(FileError::new(Place::Byte(12), reason, "check that it is a binary glTF 2.0 file"));
    }
    Ok((Document::parse(json, Some(20))?, binary_chunk(bytes, end)?))
}

/// The first binary chunk from a place on; chunks of unknown kinds are passed over.
fn binary_chunk(bytes: &[u8], mut at: usize) -> Result<Option<&[u8]>, FileError> {
    while at < bytes.len() {
        let (kind, data, end) = chunk(bytes, at)?;
        if kind == BINARY {
            return Ok(Some(data));
        }
        at = end;
    }
    Ok(None)
}

/// A chunk: its kind, its bytes and where it ends.
#[allow(clippy::arithmetic_side_effects, reason = "places in the file, and twelve bytes beyond")]
fn chunk(bytes: &[u8], at: usize) -> Result<(u32, &[u8], usize), FileError> {
    let length = word(bytes, at)? as usize;
    let kind = word(bytes, at + 4)?;
    let start = at + 8;
    match bytes.get(start..).and_then(|rest| rest.get(..length)) {
        Some(data) => Ok((kind, data, start + length)),
        None => {
            let reason = format!("a chunk claims {length} bytes, more than the rest of the file");
            Err(FileError::new(Place::Byte(at), reason, "check that it was written completely"))
        }
    }
}

fn word(bytes: &[u8], at: usize) -> Result<u32, FileError> {
    let word = bytes.get(at..).and_then(|rest| rest.first_chunk::<4>());
    word.map(|&word| u32::from_le_bytes(word)).ok_or_else(|| {
        let remedy = "check that it was written completely";
        FileError::new(Place::Byte(bytes.len()), "the binary glTF file ends too early", remedy)
    })
}
