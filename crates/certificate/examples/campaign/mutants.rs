//! Changed certificates, and the reasons that accepted ones are no false proofs.

/// A changed certificate, and the first byte that differs.
pub(crate) struct Change {
    pub(crate) bytes: Vec<u8>,
    pub(crate) first: usize,
}

/// Numbers that do not belong anywhere: not a number, infinity, the largest integer, the smallest, a huge float.
const ODD: [&[u8]; 5] = [
    &[0xf9, 0x7e, 0x00],
    &[0xf9, 0x7c, 0x00],
    &[0x1b, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
    &[0x3b, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
    &[0xfb, 0x7f, 0xe0, 0, 0, 0, 0, 0, 0],
];

/// A certificate with one change: a bit, a byte, a number, a part left out, doubled, moved or cut off; or a whole item
/// left out, doubled, or two of them exchanged. Half of the changes are after the covers, where the proofs are.
pub(crate) fn changed(data: &[u8], items: &[usize], share: &mut impl FnMut() -> f64) -> Change {
    if items.len() > 3 && share() < 0.15 {
        let bytes = with_other_items(data, items, share);
        let first = first_difference(&bytes, data);
        return Change { bytes, first };
    }
    let proofs = data.windows(6).position(|bytes| bytes == b"eproof" || bytes == b"fproof").unwrap_or(0);
    let least = if share() < 0.5 { proofs } else { 0 };
    let mut place = |from: usize| from + (share() * (data.len() - from) as f64) as usize;
    let (at, other) = (place(least), place(least));
    let mut bytes = data.to_vec();
    let length = 1 + (share() * 16.0) as usize;
    let end = |at: usize| (at + length).min(data.len());
    match (share() * 8.0) as u32 {
        0..3 => bytes[at] ^= 1 << (share() * 8.0) as u32,
        3 => bytes[at] = (share() * 256.0) as u8,
        4 => {
            let odd = ODD[(share() * ODD.len() as f64) as usize];
            bytes.splice(at..at + 1, odd.iter().copied());
        }
        5 => drop(bytes.drain(at..end(at))),
        6 => {
            let part = data[at..end(at)].to_vec();
            bytes.splice(other..other, part);
        }
        _ => bytes.truncate(at),
    }
    let first = first_difference(&bytes, data);
    Change { bytes, first }
}

fn first_difference(bytes: &[u8], data: &[u8]) -> usize {
    bytes.iter().zip(data).position(|(a, b)| a != b).unwrap_or(bytes.len().min(data.len()))
}

/// The places where items begin, and the end of the last.
pub(crate) fn items(data: &[u8]) -> Vec<usize> {
    let (mut walk, mut places) = (Walk { data, at: 0 }, vec![0]);
    while walk.at < data.len() {
        walk.key_of(usize::MAX, "");
        places.push(walk.at);
    }
    places
}

/// One item left out, doubled or in the place of another, two exchanged, or the claims of another number of items.
fn with_other_items(data: &[u8], items: &[usize], share: &mut impl FnMut() -> f64) -> Vec<u8> {
    let count = items.len() - 1;
    let mut parts: Vec<&[u8]> = items.windows(2).map(|ends| &data[ends[0]..ends[1]]).collect();
    let mut pick = || (share() * count as f64) as usize;
    let (i, j) = (pick(), pick());
    match pick() % 4 {
        0 => drop(parts.remove(i)),
        1 => parts.insert(j, parts[i]),
        2 => parts[i] = parts[j],
        _ => parts.swap(i, j),
    }
    let mut bytes = parts.concat();
    // Half of them announce the number of items that there are.
    let announced = [b"\x82\x63end".as_slice(), &encoded(count - 2)].concat();
    if share() < 0.5 && bytes.ends_with(&announced) && parts.len() < 250 {
        bytes.truncate(bytes.len() - announced.len());
        bytes.extend([b"\x82\x63end".as_slice(), &encoded(parts.len() - 2)].concat());
    }
    bytes
}

/// The header is as it was, and so are its claims, which are true by the engine.
pub(crate) const SAME: &str = "another proof of the same claim: the header is as it was";

/// The reason that a change at a byte leaves a true statement.
pub(crate) fn reason(data: &[u8], at: usize) -> &'static str {
    let mut walk = Walk { data, at: 0 };
    let key = walk.key_of(at, "");
    if walk.at <= at {
        return SAME;
    }
    match key.unwrap_or_default().as_str() {
        "generator" | "units" | "title" | "name" | "sources" | "sha256" => "words that claim nothing",
        "version" => "another version, by whose rules the same claims are proven",
        "limits" => "limits of joints, which no claim uses",
        "disabled" => "pairs about which nothing is claimed",
        "complete" => "a claim without completeness, which is weaker",
        "clearance" | "padding" => "another distance, proven as it stands in the file",
        "region" | "at" | "along" | "box" => "other configurations, proven as they stand in the file",
        "pose" | "origin" | "axis" | "size" | "radius" | "length" | "mimic" | "solid" | "kind" | "parent"
        | "link" | "shape" | "joint" => "another geometry, proven as it stands in the file",
        "claim" | "pairs" => "another claim, proven as it stands in the file",
        _ => "UNEXPLAINED",
    }
}

/// Items of a certificate, one after the other.
struct Walk<'d> {
    data: &'d [u8],
    at: usize,
}

impl Walk<'_> {
    fn head(&mut self) -> (u8, u64) {
        let first = self.data.get(self.at).copied().unwrap_or(0);
        let minor = first & 31;
        let count = if minor < 24 { 0 } else { 1usize << (minor - 24).min(3) };
        let bytes = self.data.get(self.at + 1..self.at + 1 + count).unwrap_or_default();
        self.at += 1 + count;
        let value = bytes.iter().fold(0, |value, byte| value << 8 | u64::from(*byte));
        (first >> 5, if minor < 24 { u64::from(minor) } else { value })
    }

    /// Passes an item; returns the key of the map entry that a byte of it is in.
    fn key_of(&mut self, wanted: usize, key: &str) -> Option<String> {
        let start = self.at;
        let (major, value) = self.head();
        let mut found = None;
        match major {
            2 | 3 => self.at += value as usize,
            4 => (0..value).for_each(|_| found = found.take().or(self.key_of(wanted, key))),
            5 => {
                for _ in 0..value {
                    let begun = self.at;
                    let (_, length) = self.head();
                    let name = self.data.get(self.at..self.at + length as usize).unwrap_or_default();
                    let name = String::from_utf8_lossy(name).into_owned();
                    self.at += length as usize;
                    found = found.take().or(self.key_of(wanted, &name));
                    if (begun..self.at).contains(&wanted) {
                        found = found.or(Some(name));
                    }
                }
            }
            _ => {}
        }
        let inside = (start..self.at).contains(&wanted) && !key.is_empty();
        found.or_else(|| inside.then(|| key.to_owned()))
    }
}

fn encoded(index: usize) -> Vec<u8> {
    if index < 24 { vec![index as u8] } else { vec![0x18, index as u8] }
}

/// The statement about the bodies 0 and `from` is made about 0 and `to`.
pub(crate) fn with_other_body(data: &[u8], from: usize, to: usize) -> Option<Vec<u8>> {
    let pairs = |body: usize| [b"\x65pairs\x81\x82\x00".as_slice(), &encoded(body)].concat();
    replaced(data, &pairs(from), &pairs(to))
}

/// The statement about a pair of bodies is made about another pair.
pub(crate) fn with_other_pair(data: &[u8], from: [usize; 2], to: [usize; 2]) -> Option<Vec<u8>> {
    let pairs = |[a, b]: [usize; 2]| [b"\x65pairs\x81\x82".as_slice(), &encoded(a), &encoded(b)].concat();
    replaced(data, &pairs(from), &pairs(to))
}

/// Every claim that a body is inside made the claim that it is not, and the reverse, one at a time.
pub(crate) fn with_other_claims(data: &[u8]) -> Vec<Vec<u8>> {
    let words = [b"\x65claim\x66inside".as_slice(), b"\x65claim\x6anot inside"];
    let other = |(at, from): (usize, usize)| {
        let mut bytes = data.to_vec();
        bytes.splice(at..at + words[from].len(), words[1 - from].iter().copied());
        bytes
    };
    let found = (0..data.len())
        .filter_map(|at| words.iter().position(|word| data[at..].starts_with(word)).map(|from| (at, from)));
    found.map(other).collect()
}

/// The motion between configurations is made another.
pub(crate) fn with_other_numbers(data: &[u8], from: &[Vec<f64>; 2], to: &[Vec<f64>; 2]) -> Option<Vec<u8>> {
    let number = |x: &f64| [&[0xfb], x.to_be_bytes().as_slice()].concat();
    let row = |row: &Vec<f64>| row.iter().flat_map(number).collect::<Vec<u8>>();
    let first = replaced(data, &row(&from[0]), &row(&to[0]))?;
    replaced(&first, &row(&from[1]), &row(&to[1]))
}

/// The bytes with one part replaced by another, if it is there exactly once.
fn replaced(data: &[u8], part: &[u8], other: &[u8]) -> Option<Vec<u8>> {
    let mut places = data.windows(part.len()).enumerate().filter(|(_, bytes)| *bytes == part);
    let (at, _) = places.next()?;
    if places.next().is_some() {
        return None;
    }
    let mut bytes = data.to_vec();
    bytes.splice(at..at + part.len(), other.iter().copied());
    Some(bytes)
}
