//! Items of CBOR, read and written, with whole numbers and others apart.

/// An item of the subset that certificates use.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Int(i64),
    Float(f64),
    Bytes(Vec<u8>),
    Text(String),
    Array(Vec<Value>),
    Map(Vec<(String, Value)>),
    Bool(bool),
    Null,
}

impl Value {
    /// Reads all items of a sequence; those of certificates of the prover are well formed.
    pub(crate) fn sequence(mut bytes: &[u8]) -> Vec<Self> {
        std::iter::from_fn(|| (!bytes.is_empty()).then(|| Self::read(&mut bytes))).collect()
    }

    fn read(bytes: &mut &[u8]) -> Self {
        let first = take(bytes, 1)[0];
        let (major, info) = (first >> 5, first & 31);
        let size = if info < 24 { 0 } else { 1usize << (info - 24).min(3) };
        let argument = take(bytes, size).iter().fold(0u64, |sum, byte| sum << 8 | u64::from(*byte));
        let argument = if size == 0 { u64::from(info) } else { argument };
        let count = argument as usize;
        match major {
            0 => Self::Int(argument as i64),
            1 => Self::Int(!(argument as i64)),
            2 => Self::Bytes(take(bytes, count).to_vec()),
            3 => Self::Text(String::from_utf8_lossy(take(bytes, count)).into_owned()),
            4 => Self::Array((0..count).map(|_| Self::read(bytes)).collect()),
            5 => {
                let mut entry = || match Self::read(bytes) {
                    Self::Text(key) => (key, Self::read(bytes)),
                    other => panic!("a key is {other:?}"),
                };
                Self::Map((0..count).map(|_| entry()).collect())
            }
            _ => match info {
                20 | 21 => Self::Bool(info == 21),
                26 => Self::Float(f64::from(f32::from_bits(argument as u32))),
                27 => Self::Float(f64::from_bits(argument)),
                _ => Self::Null,
            },
        }
    }

    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        match self {
            Self::Int(value @ 0..) => head(0, value.unsigned_abs(), out),
            Self::Int(value) => head(1, (!value).unsigned_abs(), out),
            Self::Float(value) => {
                out.push(0xfb);
                out.extend(value.to_be_bytes());
            }
            Self::Bytes(bytes) => {
                head(2, bytes.len() as u64, out);
                out.extend(bytes);
            }
            Self::Text(text) => {
                head(3, text.len() as u64, out);
                out.extend(text.as_bytes());
            }
            Self::Array(entries) => {
                head(4, entries.len() as u64, out);
                entries.iter().for_each(|entry| entry.write(out));
            }
            Self::Map(entries) => {
                head(5, entries.len() as u64, out);
                for (key, value) in entries {
                    Self::Text(key.clone()).write(out);
                    value.write(out);
                }
            }
            Self::Bool(value) => out.push(0xf4 + u8::from(*value)),
            Self::Null => out.push(0xf6),
        }
    }

    pub(crate) fn text(text: &str) -> Self {
        Self::Text(text.to_owned())
    }

    pub(crate) fn ints(numbers: &[i64]) -> Self {
        Self::Array(numbers.iter().map(|number| Self::Int(*number)).collect())
    }

    pub(crate) fn floats(numbers: &[f64]) -> Self {
        Self::Array(numbers.iter().map(|number| Self::Float(*number)).collect())
    }

    pub(crate) fn get(&self, key: &str) -> Option<&Self> {
        if let Self::Map(entries) = self {
            entries.iter().find(|(name, _)| name == key).map(|(_, value)| value)
        } else {
            None
        }
    }

    /// The value of a key of a map, `null` at first.
    pub(crate) fn key(&mut self, key: &str) -> &mut Self {
        let Self::Map(entries) = self else { panic!("no map has {key}") };
        let at = entries.iter().position(|(name, _)| name == key).unwrap_or_else(|| {
            entries.push((key.to_owned(), Self::Null));
            entries.len() - 1
        });
        &mut entries[at].1
    }

    pub(crate) fn remove(&mut self, key: &str) {
        if let Self::Map(entries) = self {
            entries.retain(|(name, _)| name != key);
        }
    }

    pub(crate) fn list(&self) -> &[Self] {
        if let Self::Array(entries) = self { entries } else { &[] }
    }

    pub(crate) fn list_mut(&mut self) -> Option<&mut Vec<Self>> {
        if let Self::Array(entries) = self { Some(entries) } else { None }
    }

    pub(crate) fn index(&self) -> usize {
        if let Self::Int(value) = self { *value as usize } else { 0 }
    }

    pub(crate) fn number(&self) -> f64 {
        match self {
            Self::Int(value) => *value as f64,
            Self::Float(value) => *value,
            _ => f64::NAN,
        }
    }

    pub(crate) fn as_text(&self) -> &str {
        if let Self::Text(text) = self { text } else { "" }
    }
}

fn take<'d>(bytes: &mut &'d [u8], count: usize) -> &'d [u8] {
    let (taken, rest) = bytes.split_at(count);
    *bytes = rest;
    taken
}

fn head(major: u8, value: u64, out: &mut Vec<u8>) {
    let major = major << 5;
    match value {
        0..24 => out.push(major | value as u8),
        24..256 => out.extend([major | 24, value as u8]),
        _ => {
            out.push(major | 27);
            out.extend(value.to_be_bytes());
        }
    }
}
