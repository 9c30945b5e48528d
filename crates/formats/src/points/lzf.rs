//! LZF, the compression of PCD files (liblzf by Lehmann): literal runs and copies of earlier bytes.

use crate::number::low_byte;

/// Unpacks exactly `size` bytes; `None` if the data are broken.
pub(super) fn unpack(packed: &[u8], size: usize) -> Option<Vec<u8>> {
    // Three bytes unpack to so many at most.
    if size / LONGEST > packed.len() {
        return None;
    }
    let mut out = Vec::with_capacity(size);
    let mut rest = packed.iter().copied();
    while out.len() < size {
        let control = usize::from(rest.next()?);
        if control < 32 {
            for _ in 0..=control {
                out.push(rest.next()?);
            }
            continue;
        }
        // Two bytes more than this are copied, from one byte further back than that.
        let length = match control >> 5 {
            7 => usize::from(rest.next()?).saturating_add(7),
            length => length,
        };
        let back = (control & 31) << 8 | usize::from(rest.next()?);
        let from = out.len().checked_sub(back)?.checked_sub(1)?;
        // Source and copy may overlap.
        for place in (from..).take(length.saturating_add(2)) {
            out.push(*out.get(place)?);
        }
        if out.len() > size {
            return None;
        }
    }
    (out.len() == size && rest.len() == 0).then_some(out)
}

/// Places of earlier bytes that are remembered, by a hash of three bytes.
const SLOTS: usize = 1 << 14;
/// Furthest distance and longest length of a copy.
const FURTHEST: usize = 1 << 13;
const LONGEST: usize = 264;

/// Packs bytes; not always shorter.
#[allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "places before `at`, and three bytes from it on, which are there"
)]
pub(super) fn pack(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len() / 2);
    let mut last = vec![usize::MAX; SLOTS];
    let (mut at, mut literal) = (0, 0);
    while at + 3 <= bytes.len() {
        let word = u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], 0]);
        let slot = (word.wrapping_mul(2_654_435_761) >> 18) as usize & (SLOTS - 1);
        let from = std::mem::replace(&mut last[slot], at);
        if from == usize::MAX || at - from > FURTHEST || bytes[from..from + 3] != bytes[at..at + 3] {
            at += 1;
            continue;
        }
        literals(&bytes[literal..at], &mut out);
        let same = bytes[at..].iter().zip(&bytes[from..]).take(LONGEST).take_while(|(a, b)| a == b).count();
        let (length, back) = (same - 2, at - from - 1);
        if length < 7 {
            out.push(low_byte(length << 5 | back >> 8));
        } else {
            out.push(low_byte(7 << 5 | back >> 8));
            out.push(low_byte(length - 7));
        }
        out.push(low_byte(back));
        at += same;
        literal = at;
    }
    literals(&bytes[literal..], &mut out);
    out
}

fn literals(bytes: &[u8], out: &mut Vec<u8>) {
    for run in bytes.chunks(32) {
        out.push(low_byte(run.len().saturating_sub(1)));
        out.extend_from_slice(run);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_bytes_unpack_to_themselves() {
        let mut state = 1u32;
        let mut noise = |most: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            ((state >> 16) % most) as u8
        };
        for size in [0, 1, 2, 3, 4, 31, 32, 33, 300, 9000, 70_000] {
            for alphabet in [1, 2, 5, 256] {
                let bytes: Vec<u8> = (0..size).map(|_| noise(alphabet)).collect();
                let packed = pack(&bytes);
                assert_eq!(unpack(&packed, size), Some(bytes.clone()), "{size} of {alphabet}");
                if size > 0 {
                    assert_eq!(unpack(&packed[..packed.len() - 1], size), None);
                    assert_eq!(unpack(&packed, size - 1), None);
                    assert_eq!(unpack(&packed, size + 1), None);
                }
            }
        }
    }

    /// A stream written by hand from the description of the format.
    #[test]
    fn copies_may_overlap_their_source() {
        assert_eq!(unpack(&[0, b'a', 1 << 5, 0], 4).as_deref(), Some(&b"aaaa"[..]));
        assert_eq!(unpack(&[1, b'a', b'b', 7 << 5, 1, 1], 12).as_deref(), Some(&b"abababababab"[..]));
        assert_eq!(unpack(&[1 << 5, 0], 3), None, "nothing to copy from");
    }
}
