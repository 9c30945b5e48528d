//! Merging of vertices with equal coordinates. Nothing moves: only bit-equal positions merge, with
//! `-0.0` equal to `0.0`, so every verdict stays the same.
//!
//! An open-addressing table of vertex numbers: positions are compared where they lie, so the table is
//! a sixth of what a `HashMap` of positions takes and several times faster on scans.

use glam::DVec3;
use std::hash::{BuildHasher, RandomState};

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
    let mut table = Table::new();
    let mut welded =
        Welded { vertices: Vec::new(), first_given: Vec::new(), kept: Vec::with_capacity(vertices.len()) };
    for (given, &vertex) in vertices.iter().enumerate() {
        let number = table.find_or_insert(vertex, &mut welded.vertices);
        if welded.first_given.len() < welded.vertices.len() {
            welded.first_given.push(given as u32);
        }
        welded.kept.push(number);
    }
    welded
}

const FREE: u32 = u32::MAX;

/// Numbers of positions by their hash, with linear probing; at most half full.
struct Table {
    slots: Vec<u32>,
    /// Random, so that no file can be made to collide; it never shows in a result.
    seed: u64,
}

impl Table {
    fn new() -> Self {
        Self { slots: vec![FREE; 64], seed: RandomState::new().hash_one(0) }
    }

    fn find_or_insert(&mut self, position: DVec3, positions: &mut Vec<DVec3>) -> u32 {
        let slot = self.slot_of(position, positions);
        if self.slots[slot] != FREE {
            return self.slots[slot];
        }
        let number = positions.len() as u32;
        self.slots[slot] = number;
        positions.push(position);
        if 2 * positions.len() > self.slots.len() {
            self.grow(positions);
        }
        number
    }

    /// The slot that holds a position, or the free one where it belongs.
    fn slot_of(&self, position: DVec3, positions: &[DVec3]) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = self.hash(position) as usize & mask;
        // Comparing as numbers is comparing bits, but for the two zeros: there is no NaN here.
        while self.slots[slot] != FREE && positions[self.slots[slot] as usize] != position {
            slot = (slot + 1) & mask;
        }
        slot
    }

    fn grow(&mut self, positions: &[DVec3]) {
        self.slots = vec![FREE; 4 * self.slots.len()];
        for (number, &position) in positions.iter().enumerate() {
            let slot = self.slot_of(position, positions);
            self.slots[slot] = number as u32;
        }
    }

    /// A folded multiplication for each coordinate: every bit of both factors reaches both halves.
    fn hash(&self, position: DVec3) -> u64 {
        // Adding zero turns -0.0 into 0.0 and keeps every other bit.
        let words = (position + DVec3::ZERO).to_array().map(f64::to_bits);
        words.iter().fold(self.seed, |state, word| {
            let product = u128::from(state ^ word) * 0x9e37_79b9_7f4a_7c15;
            (product as u64).rotate_left(23) ^ (product >> 64) as u64
        })
    }
}
