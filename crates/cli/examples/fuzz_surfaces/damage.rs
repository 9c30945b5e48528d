//! Deterministic damage to bytes.

use noli_testing::Random;

/// Damages bytes in one to four places.
pub fn damaged(random: &mut Random, from: &[u8], words: &[&[u8]]) -> Vec<u8> {
    let mut bytes = from.to_vec();
    for _ in 0..=random.index(4) {
        step(random, &mut bytes, words);
    }
    bytes
}

fn step(random: &mut Random, bytes: &mut Vec<u8>, words: &[&[u8]]) {
    let at = random.index(bytes.len());
    let end = (at + 1 + random.index(64)).min(bytes.len());
    match random.index(8) {
        0..3 => {
            if let Some(byte) = bytes.get_mut(at) {
                *byte ^= 1 << random.index(8);
            }
        }
        3 => {
            if let Some(byte) = bytes.get_mut(at) {
                *byte = [0, 1, 0x7f, 0x80, 0xff][random.index(5)];
            }
        }
        4 => drop(bytes.drain(at..end)),
        5 => {
            let copy = bytes[at..end].to_vec();
            let to = random.index(bytes.len() + 1);
            bytes.splice(to..to, copy);
        }
        6 => bytes.truncate(at),
        _ => {
            let word = words[random.index(words.len())];
            bytes.splice(at..at, word.iter().copied());
        }
    }
}
