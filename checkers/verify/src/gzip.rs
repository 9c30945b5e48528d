//! Gzip (RFC 1952) and deflate (RFC 1951).

use crate::error::{CheckError, Result, require};

/// The largest content that is unpacked.
const LARGEST: usize = 1 << 31;

fn broken() -> CheckError {
    CheckError::new("E-CBOR", "the file is no whole gzip file")
}

/// Returns the content of a gzip file; a file that is none is returned as it is.
pub(crate) fn unpacked(data: &[u8]) -> Result<std::borrow::Cow<'_, [u8]>> {
    if data.get(..2) != Some(&[0x1f, 0x8b]) {
        return Ok(data.into());
    }
    let (mut rest, mut content) = (data, Vec::new());
    // Several members are one file, as written by parallel compressors.
    while !rest.is_empty() {
        rest = member(rest, &mut content)?;
    }
    Ok(content.into())
}

fn member<'d>(data: &'d [u8], content: &mut Vec<u8>) -> Result<&'d [u8]> {
    let head = data.get(..10).ok_or_else(broken)?;
    require(head[..3] == [0x1f, 0x8b, 8], "E-CBOR", "the file is no gzip file")?;
    let (flags, mut at) = (head[3], 10);
    if flags & 4 != 0 {
        let size = data.get(at..at + 2).ok_or_else(broken)?;
        at += 2 + usize::from(u16::from_le_bytes([size[0], size[1]]));
    }
    for flag in [8, 16] {
        if flags & flag != 0 {
            let rest = data.get(at..).ok_or_else(broken)?;
            at += 1 + rest.iter().position(|&byte| byte == 0).ok_or_else(broken)?;
        }
    }
    at += if flags & 2 != 0 { 2 } else { 0 };
    let start = content.len();
    let mut bits = Bits { data: data.get(at..).ok_or_else(broken)?, at: 0, held: 0, count: 0 };
    while !bits.block(content, start)? {}
    let tail = bits.bytes(8)?;
    let [crc, size] = [&tail[..4], &tail[4..]].map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
    let own = &content[start..];
    require(crc32(own) == crc && own.len() as u32 == size, "E-CBOR", "the checksum of the file is wrong")?;
    bits.data.get(bits.at..).ok_or_else(broken)
}

/// Bits from the lowest of each byte on.
struct Bits<'d> {
    data: &'d [u8],
    at: usize,
    held: u64,
    count: u32,
}

impl Bits<'_> {
    fn fill(&mut self) {
        while self.count <= 48 {
            let Some(&byte) = self.data.get(self.at) else { return };
            self.held |= u64::from(byte) << self.count;
            (self.at, self.count) = (self.at + 1, self.count + 8);
        }
    }

    fn take(&mut self, count: u32) -> Result<usize> {
        self.fill();
        if self.count < count {
            return Err(broken());
        }
        let value = self.held & ((1 << count) - 1);
        (self.held, self.count) = (self.held >> count, self.count - count);
        Ok(value as usize)
    }

    /// Goes on at the next whole byte, and takes bytes.
    fn bytes(&mut self, count: usize) -> Result<&[u8]> {
        self.at -= (self.count / 8) as usize;
        (self.held, self.count) = (0, 0);
        let bytes = self.data.get(self.at..self.at + count).ok_or_else(broken)?;
        self.at += count;
        Ok(bytes)
    }

    /// Unpacks a block; `true` if it is the last.
    fn block(&mut self, content: &mut Vec<u8>, start: usize) -> Result<bool> {
        let last = self.take(1)? == 1;
        match self.take(2)? {
            0 => self.stored(content)?,
            1 => {
                let lengths = [(8, 144), (9, 112), (7, 24), (8, 8)].map(|(l, n)| vec![l; n]).concat();
                self.codes(&[Code::new(&lengths)?, Code::new(&[5; 30])?], content, start)?;
            }
            2 => {
                let codes = self.tables()?;
                self.codes(&codes, content, start)?;
            }
            _ => return Err(broken()),
        }
        Ok(last)
    }

    fn stored(&mut self, content: &mut Vec<u8>) -> Result<()> {
        let head = self.bytes(4)?;
        let size = u16::from_le_bytes([head[0], head[1]]);
        require(size == !u16::from_le_bytes([head[2], head[3]]), "E-CBOR", "a stored block is broken")?;
        content.extend(self.bytes(usize::from(size))?);
        Ok(())
    }

    fn tables(&mut self) -> Result<[Code; 2]> {
        let (literals, distances, own) = (self.take(5)? + 257, self.take(5)? + 1, self.take(4)? + 4);
        let mut lengths = [0u8; 19];
        let order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
        for &k in &order[..own] {
            lengths[k] = self.take(3)? as u8;
        }
        let (code, mut all) = (Code::new(&lengths)?, Vec::new());
        while all.len() < literals + distances {
            let (value, times) = match self.symbol(&code)? {
                16 => (*all.last().ok_or_else(broken)?, self.take(2)? + 3),
                17 => (0, self.take(3)? + 3),
                18 => (0, self.take(7)? + 11),
                length => (length as u8, 1),
            };
            all.extend(std::iter::repeat_n(value, times));
        }
        require(all.len() == literals + distances, "E-CBOR", "the codes of a block are broken")?;
        Ok([Code::new(&all[..literals])?, Code::new(&all[literals..])?])
    }

    fn symbol(&mut self, code: &Code) -> Result<usize> {
        self.fill();
        let (mut value, mut first, mut index) = (0, 0, 0);
        for length in 1..16 {
            if self.count < length {
                return Err(broken());
            }
            value = value << 1 | (self.held >> (length - 1) & 1) as usize;
            let count = code.counts[length as usize];
            if value < first + count {
                (self.held, self.count) = (self.held >> length, self.count - length);
                return code.symbols.get(index + value - first).copied().ok_or_else(broken);
            }
            (index, first) = (index + count, (first + count) << 1);
        }
        Err(broken())
    }

    fn codes(&mut self, codes: &[Code; 2], content: &mut Vec<u8>, start: usize) -> Result<()> {
        loop {
            require(content.len() < LARGEST, "E-LIMIT", "the content is larger than 2^31 bytes")?;
            let symbol = self.symbol(&codes[0])?;
            match symbol {
                0..256 => content.push(symbol as u8),
                256 => return Ok(()),
                _ => {
                    let length = self.extended(symbol - 257, 3, 4)?.filter(|&length| length <= 258);
                    let length = length.ok_or_else(broken)?;
                    let symbol = self.symbol(&codes[1])?;
                    let distance = self.extended(symbol, 1, 2)?.ok_or_else(broken)?;
                    let from = content.len().checked_sub(distance).filter(|&from| from >= start);
                    let from = from.ok_or_else(broken)?;
                    (from..from + length).for_each(|k| content.push(content[k]));
                }
            }
        }
    }

    /// A length or distance: codes in groups of `group` with one more extra bit each.
    fn extended(&mut self, code: usize, least: usize, group: usize) -> Result<Option<usize>> {
        if (least, code) == (3, 28) {
            return Ok(Some(258));
        }
        if code >= if least == 3 { 28 } else { 30 } {
            return Ok(None);
        }
        let extra = (code / group).saturating_sub(1);
        let base = if extra == 0 { code } else { (group + code % group) << extra };
        Ok(Some(least + base + self.take(extra as u32)?))
    }
}

/// A Huffman code by the number of codes of each length, and the symbols in order.
struct Code {
    counts: [usize; 16],
    symbols: Vec<usize>,
}

impl Code {
    fn new(lengths: &[u8]) -> Result<Self> {
        let mut counts = [0; 16];
        lengths.iter().filter(|&&length| length > 0).for_each(|&length| counts[usize::from(length)] += 1);
        let mut free = 1usize;
        for count in &counts[1..] {
            free = (free * 2).checked_sub(*count).ok_or_else(broken)?;
        }
        let mut symbols: Vec<usize> = (0..lengths.len()).filter(|&k| lengths[k] > 0).collect();
        symbols.sort_by_key(|&k| lengths[k]);
        Ok(Self { counts, symbols })
    }
}

fn crc32(data: &[u8]) -> u32 {
    let next = |value: u32| if value & 1 == 1 { value >> 1 ^ 0xedb8_8320 } else { value >> 1 };
    let table: [u32; 256] = std::array::from_fn(|k| (0..8).fold(k as u32, |value, _| next(value)));
    !data.iter().fold(!0, |crc, &byte| crc >> 8 ^ table[((crc ^ u32::from(byte)) & 255) as usize])
}
