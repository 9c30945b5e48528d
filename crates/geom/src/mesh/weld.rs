//! Merging of vertices with equal coordinates. Nothing moves: only bit-equal positions merge, with
//! `-0.0` equal to `0.0`, so every verdict stays the same.

use glam::DVec3;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasher, Hasher, RandomState};

/// The distinct positions in order of first appearance.
pub(super) struct Welded {
    /// The positions kept.
    pub(super) vertices: Vec<DVec3>,
    /// For each kept vertex the first given one at its place.
    pub(super) first_given: Vec<u32>,
    /// For each given vertex the kept one.
    pub(super) kept: Vec<u32>,
}

/// Merges equal positions; expects at most `u32::MAX` of them.
pub(super) fn weld(vertices: &[DVec3]) -> Welded {
    let mut numbers: HashMap<[u64; 3], u32, Mixer> =
        HashMap::with_capacity_and_hasher(vertices.len() / 2, Mixer::random());
    let mut welded =
        Welded { vertices: Vec::new(), first_given: Vec::new(), kept: Vec::with_capacity(vertices.len()) };
    for (given, &vertex) in vertices.iter().enumerate() {
        let number = match numbers.entry(key(vertex)) {
            Entry::Occupied(entry) => *entry.get(),
            Entry::Vacant(entry) => {
                welded.first_given.push(given as u32);
                welded.vertices.push(vertex);
                *entry.insert((welded.vertices.len() - 1) as u32)
            }
        };
        welded.kept.push(number);
    }
    welded
}

fn key(vertex: DVec3) -> [u64; 3] {
    // Adding zero turns -0.0 into 0.0 and keeps every other bit.
    (vertex + DVec3::ZERO).to_array().map(f64::to_bits)
}

/// A folded-multiply hash, several times faster than the default one on 24-byte keys. The seed is
/// random, so no file can be made to collide; it never shows in a result.
#[derive(Clone, Copy)]
struct Mixer {
    state: u64,
}

impl Mixer {
    fn random() -> Self {
        Self { state: RandomState::new().hash_one(0) }
    }
}

impl BuildHasher for Mixer {
    type Hasher = Self;

    fn build_hasher(&self) -> Self {
        *self
    }
}

impl Hasher for Mixer {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    fn write_u64(&mut self, word: u64) {
        // Any odd constant with well-spread bits; both halves of the product depend on every bit.
        let product = u128::from(self.state ^ word) * 0x9e37_79b9_7f4a_7c15;
        self.state = (product as u64).rotate_left(23) ^ (product >> 64) as u64;
    }

    fn write_usize(&mut self, _: usize) {} // the length prefix of an array is always 3

    fn finish(&self) -> u64 {
        self.state
    }
}
