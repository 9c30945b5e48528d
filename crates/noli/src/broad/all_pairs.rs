//! Every box against every other: slow, obviously right.

use super::Slots;

#[derive(Clone, Copy, Debug)]
pub(super) struct AllPairs;

impl AllPairs {
    #[expect(clippy::unused_self, reason = "an index like the others")]
    pub(super) fn neighbours(self, number: u32, slots: &Slots, found: &mut Vec<u32>) {
        let bounds = &slots[number as usize];
        found.extend((0..slots.len() as u32).filter(|&other| slots[other as usize].overlaps(bounds)));
    }
}
