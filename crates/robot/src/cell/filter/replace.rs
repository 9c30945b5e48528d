//! One obstacle of a built filter replaced: its piece and its pairs, nothing else.

use super::{PiecePair, SphereFilter};
use crate::cell::data::{BodyPair, CellData};
use std::sync::OnceLock;

impl SphereFilter {
    /// Makes the piece of an obstacle anew from the data, and the pairs of that piece. Their order and the routes
    /// between pieces stay. Returns the numbers of these pairs.
    pub(in crate::cell) fn replace(&mut self, data: &CellData, body: u32) -> Vec<usize> {
        let Some(number) = self.pieces.iter().position(|piece| piece.bodies == [body]) else {
            return Vec::new();
        };
        // An obstacle is on no link.
        self.add_piece(data, &[], vec![body]);
        self.pieces.swap_remove(number);
        self.singly = OnceLock::new();
        let own = number as u32;
        let pairs: Vec<usize> =
            (0..self.pairs.len()).filter(|&pair| self.pairs[pair].pieces.contains(&own)).collect();
        for &pair in &pairs {
            let PiecePair { pieces, pair: parts, margin, .. } = self.pairs[pair];
            let bodies = pieces.map(|piece| self.pieces[piece as usize].bodies[0]);
            self.pairs[pair] = self.piece_pair(data, &BodyPair { bodies, pair: parts, margin }, pieces);
            if self.pairs[pair].meet > 0.0 {
                pieces.iter().for_each(|&piece| self.posed[piece as usize].1 = true);
            }
        }
        pairs
    }
}
