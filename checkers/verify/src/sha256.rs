//! SHA-256 (FIPS 180-4).

const ROUNDS: [u32; 64] = constants();

/// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
const fn constants() -> [u32; 64] {
    let (mut found, mut count, mut n) = ([0; 64], 0, 2u128);
    while count < 64 {
        if is_prime(n) {
            found[count] = (cube_root(n << 96) & 0xffff_ffff) as u32;
            count += 1;
        }
        n += 1;
    }
    found
}

const fn is_prime(n: u128) -> bool {
    let mut d = 2;
    while d * d <= n {
        if n.is_multiple_of(d) {
            return false;
        }
        d += 1;
    }
    true
}

/// The integer part of the cube root of a number below 2^108.
const fn cube_root(n: u128) -> u128 {
    let (mut low, mut high) = (0u128, 1 << 36);
    while low + 1 < high {
        let middle = (low + high) / 2;
        if middle * middle * middle <= n {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

const START: [u32; 8] =
    [0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19];

/// Returns the hash of a message.
pub(crate) fn sha256(message: &[u8]) -> [u8; 32] {
    let mut state = START;
    let (blocks, rest) = message.as_chunks::<64>();
    blocks.iter().for_each(|block| compress(&mut state, block));
    let mut last = rest.to_vec();
    last.push(0x80);
    last.resize(if rest.len() < 56 { 56 } else { 120 }, 0);
    last.extend((message.len() as u64 * 8).to_be_bytes());
    last.as_chunks::<64>().0.iter().for_each(|block| compress(&mut state, block));
    let mut hash = [0; 32];
    hash.as_chunks_mut::<4>().0.iter_mut().zip(state).for_each(|(out, word)| *out = word.to_be_bytes());
    hash
}

fn compress(state: &mut [u32; 8], block: &[u8; 64]) {
    let mut w = [0u32; 64];
    for (word, bytes) in w.iter_mut().zip(block.as_chunks::<4>().0) {
        *word = u32::from_be_bytes(*bytes);
    }
    for k in 16..64 {
        let a = w[k - 15].rotate_right(7) ^ w[k - 15].rotate_right(18) ^ w[k - 15] >> 3;
        let b = w[k - 2].rotate_right(17) ^ w[k - 2].rotate_right(19) ^ w[k - 2] >> 10;
        w[k] = w[k - 16].wrapping_add(a).wrapping_add(w[k - 7]).wrapping_add(b);
    }
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
    for (word, constant) in w.iter().zip(ROUNDS) {
        let mixed = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
        let first =
            h.wrapping_add(mixed).wrapping_add(e & f ^ !e & g).wrapping_add(constant).wrapping_add(*word);
        let mixed = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
        let second = mixed.wrapping_add(a & b ^ a & c ^ b & c);
        (h, g, f, e) = (g, f, e, d.wrapping_add(first));
        (d, c, b, a) = (c, b, a, first.wrapping_add(second));
    }
    for (sum, value) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
        *sum = sum.wrapping_add(value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_examples() {
        let hex =
            |message: &[u8]| sha256(message).iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        assert_eq!(hex(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_eq!(hex(b""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        let long = b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
        assert_eq!(hex(long), "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    }
}
