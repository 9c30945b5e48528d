//! Answers as numbers: the same for answers of the same kind.

use std::hash::{DefaultHasher, Hasher as _};

/// A count, the larger the coarser.
pub fn magnitude(count: usize) -> u8 {
    (count + 1).min(4 + (count + 1).ilog2() as usize) as u8
}

/// The letters of a message before and after what it quotes: the same for the same kind of error.
pub fn words(message: &str) -> impl Iterator<Item = u8> {
    let quotes = ['`', '"', '(', ')'];
    let before = message.split(quotes).next().unwrap_or_default();
    let after = message.rsplit_once(quotes).map_or("", |(_, after)| after);
    before.bytes().chain(after.bytes()).filter(u8::is_ascii_alphabetic)
}

/// A number for bytes.
pub fn hash(bytes: impl Iterator<Item = u8>) -> u64 {
    let mut hasher = DefaultHasher::new();
    bytes.for_each(|byte| hasher.write_u8(byte));
    hasher.finish()
}
