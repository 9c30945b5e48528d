//! Limit of the memory that one file may take while it is read.

use crate::error::{FileError, Place};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Limit unless another one is set: 2 GiB.
const USUAL: u64 = 2 << 30;

static LIMIT: AtomicU64 = AtomicU64::new(USUAL);

/// Returns the memory in bytes that unpacking, parsing and placing the parts of one file may take, about; 2 GiB unless
/// it was set. Files of more than twice the limit are refused before they are read, packed ones that unfold to
/// more than a quarter of it while they are unpacked.
pub fn memory_limit() -> u64 {
    LIMIT.load(Relaxed)
}

/// Sets [`memory_limit`] for this process.
pub fn set_memory_limit(bytes: u64) {
    LIMIT.store(bytes, Relaxed);
}

/// An error that names the limit.
pub(crate) fn beyond_limit(reason: &str) -> FileError {
    let reason = format!("{reason} (the limit of memory is {})", binary_size(memory_limit()));
    FileError::new(Place::Whole, reason, "raise the limit with --memory, or check where the file is from")
}

/// Formats a number of bytes in the largest unit that leaves a whole number of at least 1.
pub(crate) fn binary_size(bytes: u64) -> String {
    match bytes {
        0..1024 => format!("{bytes} bytes"),
        1024..0x10_0000 => format!("{} KiB", bytes >> 10),
        _ => format!("{} MiB", bytes >> 20),
    }
}

/// Refuses a text whose XML tree would take more memory than the limit. Elements and attributes take that much however
/// short they are written.
pub(crate) fn check_xml(text: &[u8]) -> Result<(), FileError> {
    /// Bytes of memory for an element, with the text that follows it, and for an attribute.
    const OF_ELEMENT: u64 = 80;
    const OF_ATTRIBUTE: u64 = 64;
    let mut memory = text.len() as u64;
    for byte in text {
        memory = memory.saturating_add(match byte {
            b'<' => OF_ELEMENT,
            b'=' => OF_ATTRIBUTE,
            _ => 0,
        });
    }
    if memory > memory_limit() {
        return Err(beyond_limit("it has too many elements"));
    }
    Ok(())
}
