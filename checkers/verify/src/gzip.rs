//! Gzip (RFC 1952) and deflate (RFC 1951).

use crate::error::{CheckError, Result, require};

/// The largest content that is unpacked.
const LARGEST: usize = 1 << 31;
const TOO_LARGE: &str = "the content is larger than 2^31 bytes";
/// The flag of a header with a name.
const NAMED: u8 = 8;

fn broken() -> CheckError {
    CheckError::new("E-CBOR", "the file is no whole gzip file")
}

/// Returns the content of a gzip file; a file that is none is returned as it is.
pub(crate) fn unpacked(data: &[u8]) -> Result<std::borrow::Cow<'_, [u8]>> {
    if data.get(..2) != Some(&[0x1f, 0x8b]) {
        return Ok(data.into());
    }
    let (&[_, _, method, flags, ..], mut rest) = data.split_first_chunk::<10>().ok_or_else(broken)?;
    require(method == 8 && flags & !NAMED == 0, "E-CBOR", "the file is packed in an unknown way")?;
    if flags == NAMED {
        let mut parts = rest.splitn(2, |&byte| byte == 0);
        rest = parts.nth(1).ok_or_else(broken)?;
    }
    let (mut content, mut bits) = (Vec::new(), Bits { data: rest, at: 0, held: 0, count: 0 });
    while !bits.block(&mut content)? {}
    require(content.len() <= LARGEST, "E-LIMIT", TOO_LARGE)?;
    let [crc, size] = [bits.bytes()?, bits.bytes()?].map(u32::from_le_bytes);
    // Sizes are given modulo 2^32.
    let same = crc32(&content) == crc && content.len() as u64 & u64::from(u32::MAX) == u64::from(size);
    require(same, "E-CBOR", "the checksum of the file is wrong")?;
    require(bits.at == bits.data.len(), "E-CBOR", "something follows the packed content")?;
    Ok(content.into())
}

/// Bits from the lowest of each byte on.
struct Bits<'d> {
    data: &'d [u8],
    at: usize,
    held: u64,
    count: u32,
}

#[allow(
    clippy::arithmetic_side_effects,
    reason = "places in the data and the content, and numbers of at most 16 bits beside them"
)]
impl Bits<'_> {
    fn fill(&mut self) {
        while self.count <= 48 {
            let Some(&byte) = self.data.get(self.at) else { return };
            self.held |= u64::from(byte) << self.count;
            (self.at, self.count) = (self.at + 1, self.count + 8);
        }
    }

    /// Takes 16 bits at most.
    fn take(&mut self, count: u32) -> Result<u16> {
        self.fill();
        if self.count < count {
            return Err(broken());
        }
        let value = self.held & ((1 << count) - 1);
        (self.held, self.count) = (self.held >> count, self.count - count);
        u16::try_from(value).map_err(|_| broken())
    }

    /// Goes on at the next whole byte, and returns the bytes from there.
    fn whole_bytes(&mut self) -> &[u8] {
        self.at -= (self.count / 8) as usize;
        (self.held, self.count) = (0, 0);
        self.data.get(self.at..).unwrap_or_default()
    }

    /// Goes on at the next whole byte, and takes bytes.
    fn bytes<const N: usize>(&mut self) -> Result<[u8; N]> {
        let bytes = *self.whole_bytes().first_chunk().ok_or_else(broken)?;
        self.at += N;
        Ok(bytes)
    }

    /// Unpacks a block; `true` if it is the last.
    fn block(&mut self, content: &mut Vec<u8>) -> Result<bool> {
        let last = self.take(1)? == 1;
        match self.take(2)? {
            0 => self.stored(content)?,
            1 => {
                let lengths = [(8, 144), (9, 112), (7, 24), (8, 8)].map(|(l, n)| vec![l; n]).concat();
                self.codes(&[Code::new(&lengths)?, Code::partial(&[5; 30])?], content)?;
            }
            2 => {
                let codes = self.tables()?;
                self.codes(&codes, content)?;
            }
            _ => return Err(broken()),
        }
        Ok(last)
    }

    fn stored(&mut self, content: &mut Vec<u8>) -> Result<()> {
        let [size, inverse] = [self.bytes()?, self.bytes()?].map(u16::from_le_bytes);
        require(size == !inverse, "E-CBOR", "a stored block is broken")?;
        let size = usize::from(size);
        content.extend(self.whole_bytes().get(..size).ok_or_else(broken)?);
        self.at += size;
        Ok(())
    }

    fn tables(&mut self) -> Result<[Code; 2]> {
        let (literals, distances, own) = (self.take(5)? + 257, self.take(5)? + 1, self.take(4)? + 4);
        let [literals, distances, own] = [literals, distances, own].map(usize::from);
        require(literals <= 286 && distances <= 30, "E-CBOR", "a block has too many codes")?;
        let mut lengths = [0; 19];
        let order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
        for &k in order.iter().take(own) {
            let length = self.take(3)?;
            lengths.get_mut(k).into_iter().for_each(|entry| *entry = length);
        }
        let (code, mut all) = (Code::new(&lengths)?, Vec::new());
        while all.len() < literals + distances {
            let (value, times) = match self.symbol(&code)? {
                16 => (*all.last().ok_or_else(broken)?, self.take(2)? + 3),
                17 => (0, self.take(3)? + 3),
                18 => (0, self.take(7)? + 11),
                length => (length, 1),
            };
            all.extend(std::iter::repeat_n(value, usize::from(times)));
        }
        require(all.len() == literals + distances, "E-CBOR", "the codes of a block are broken")?;
        let (literals, distances) = all.split_at_checked(literals).ok_or_else(broken)?;
        let ends = literals.get(256).is_some_and(|&length| length > 0);
        require(ends, "E-CBOR", "the end of a block has no code")?;
        // A single symbol of length 1 is the only code that may be incomplete; without distances nothing is copied.
        let distances = match distances.iter().max() {
            Some(0 | 1) => Code::partial(distances)?,
            _ => Code::new(distances)?,
        };
        let literals = match literals.iter().max() {
            Some(1) => Code::partial(literals)?,
            _ => Code::new(literals)?,
        };
        Ok([literals, distances])
    }

    fn symbol(&mut self, code: &Code) -> Result<u16> {
        self.fill();
        let (mut value, mut first, mut index) = (0, 0, 0);
        for (length, &count) in (1..).zip(&code.counts) {
            if self.count < length {
                return Err(broken());
            }
            value = value << 1 | usize::from(self.held >> (length - 1) & 1 == 1);
            if value < first + count {
                (self.held, self.count) = (self.held >> length, self.count - length);
                return code.symbols.get(index + value - first).copied().ok_or_else(broken);
            }
            (index, first) = (index + count, (first + count) << 1);
        }
        Err(broken())
    }

    fn codes(&mut self, codes: &[Code; 2], content: &mut Vec<u8>) -> Result<()> {
        loop {
            require(content.len() <= LARGEST, "E-LIMIT", TOO_LARGE)?;
            let symbol = self.symbol(&codes[0])?;
            match symbol {
                0..256 => content.push(symbol.to_le_bytes()[0]),
                256 => return Ok(()),
                _ => {
                    let length = self.extended(symbol - 257, 3, 4)?.filter(|&length| length <= 258);
                    let length = length.ok_or_else(broken)?;
                    let symbol = self.symbol(&codes[1])?;
                    let distance = self.extended(symbol, 1, 2)?.ok_or_else(broken)?;
                    let from = content.len().checked_sub(distance).ok_or_else(broken)?;
                    // Source and copy may overlap.
                    for k in from..from + length {
                        content.push(*content.get(k).ok_or_else(broken)?);
                    }
                }
            }
        }
    }

    /// A length or distance: codes in groups of `group` with one more extra bit each.
    fn extended(&mut self, code: u16, least: usize, group: u16) -> Result<Option<usize>> {
        if (least, code) == (3, 28) {
            return Ok(Some(258));
        }
        if code >= if least == 3 { 28 } else { 30 } {
            return Ok(None);
        }
        let extra = (code / group).saturating_sub(1);
        let base = if extra == 0 { code } else { (group + code % group) << extra };
        Ok(Some(least + usize::from(base) + usize::from(self.take(u32::from(extra))?)))
    }
}

/// A Huffman code by the number of codes of each length from 1, and the symbols in order.
struct Code {
    counts: [usize; 15],
    symbols: Vec<u16>,
}

impl Code {
    /// The code in which symbol k has the length `lengths[k]`, 0 for none; every sequence of bits is one of symbols.
    fn new(lengths: &[u16]) -> Result<Self> {
        let (code, free) = Self::counted(lengths)?;
        require(free == 0, "E-CBOR", "a code of a block is not complete")?;
        Ok(code)
    }

    /// A code that may leave sequences of bits unused.
    fn partial(lengths: &[u16]) -> Result<Self> {
        Self::counted(lengths).map(|(code, _)| code)
    }

    /// The code, and the share of sequences of 15 bits that it leaves unused.
    fn counted(lengths: &[u16]) -> Result<(Self, usize)> {
        let symbols = lengths.iter().copied().zip(0..);
        let mut used: Vec<(u16, u16)> = symbols.filter(|(length, _)| *length > 0).collect();
        used.sort_unstable();
        let (mut counts, mut free) = ([0; 15], 1usize);
        for (count, length) in counts.iter_mut().zip(1..) {
            *count = used.iter().filter(|(own, _)| *own == length).count();
        }
        for count in &counts {
            free = free.saturating_mul(2).checked_sub(*count).ok_or_else(broken)?;
        }
        Ok((Self { counts, symbols: used.into_iter().map(|(_, symbol)| symbol).collect() }, free))
    }
}

#[allow(clippy::indexing_slicing, reason = "a table of 256 by a byte")]
fn crc32(data: &[u8]) -> u32 {
    let next = |value: u32| if value & 1 == 1 { value >> 1 ^ 0xedb8_8320 } else { value >> 1 };
    let mut table = [0; 256];
    table.iter_mut().zip(0u32..).for_each(|(entry, k)| *entry = (0..8).fold(k, |value, _| next(value)));
    let place = |crc: u32, byte: u8| usize::from(crc.to_le_bytes()[0] ^ byte);
    !data.iter().fold(!0, |crc, &byte| crc >> 8 ^ table[place(crc, byte)])
}

#[cfg(test)]
mod tests {
    use super::Code;

    #[test]
    fn codes_are_complete() {
        assert!(Code::new(&[1, 2, 2]).is_ok() && Code::partial(&[1, 2]).is_ok());
        for lengths in [&[1, 2][..], &[2, 2, 2], &[1], &[0, 0], &[1, 1, 1]] {
            assert!(Code::new(lengths).is_err(), "{lengths:?}");
        }
        assert!(Code::partial(&[1, 1, 1]).is_err());
    }
}
