//! Items of CBOR, read.

/// An item of the subset that certificates use.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Number(f64),
    Bytes(Vec<u8>),
    Text(String),
    Array(Vec<Value>),
    Map(Vec<(String, Value)>),
    Bool(bool),
    Null,
}

impl Value {
    /// Reads the item at the start of the bytes and passes it.
    pub(crate) fn read(bytes: &mut &[u8]) -> Option<Self> {
        let first = *take(bytes, 1)?.first()?;
        let (major, info) = (first >> 5, first & 31);
        let size = if info < 24 { 0 } else { 1usize << (info - 24).min(3) };
        let argument = take(bytes, size)?.iter().fold(0u64, |sum, byte| sum << 8 | u64::from(*byte));
        let argument = if size == 0 { u64::from(info) } else { argument };
        let count = usize::try_from(argument).ok();
        Some(match major {
            0 => Self::Number(argument as f64),
            1 => Self::Number(-1.0 - argument as f64),
            2 => Self::Bytes(take(bytes, count?)?.to_vec()),
            3 => Self::Text(String::from_utf8_lossy(take(bytes, count?)?).into_owned()),
            4 => Self::Array((0..argument).map(|_| Self::read(bytes)).collect::<Option<_>>()?),
            5 => {
                let mut entry = || match Self::read(bytes)? {
                    Self::Text(key) => Some((key, Self::read(bytes)?)),
                    _ => None,
                };
                Self::Map((0..argument).map(|_| entry()).collect::<Option<_>>()?)
            }
            _ => match info {
                20 | 21 => Self::Bool(info == 21),
                25 => Self::Number(half(argument as u16)),
                26 => Self::Number(f64::from(f32::from_bits(argument as u32))),
                27 => Self::Number(f64::from_bits(argument)),
                _ => Self::Null,
            },
        })
    }

    pub(crate) fn get(&self, key: &str) -> Option<&Self> {
        match self {
            Self::Map(entries) => entries.iter().find(|(name, _)| name == key).map(|(_, value)| value),
            _ => None,
        }
    }

    pub(crate) fn array(&self) -> Option<&[Self]> {
        if let Self::Array(items) = self { Some(items) } else { None }
    }

    pub(crate) fn number(&self) -> Option<f64> {
        if let Self::Number(number) = self { Some(*number) } else { None }
    }

    pub(crate) fn index(&self) -> Option<usize> {
        self.number().map(|number| number as usize)
    }

    pub(crate) fn text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    pub(crate) fn numbers(&self) -> Option<Vec<f64>> {
        self.array()?.iter().map(Self::number).collect()
    }
}

fn take<'d>(bytes: &mut &'d [u8], count: usize) -> Option<&'d [u8]> {
    let (taken, rest) = bytes.split_at_checked(count)?;
    *bytes = rest;
    Some(taken)
}

/// A number of 16 bits.
fn half(bits: u16) -> f64 {
    let (exponent, mantissa) = (i32::from(bits >> 10 & 31), f64::from(bits & 1023));
    let size = match exponent {
        0 => mantissa * 2f64.powi(-24),
        31 => f64::INFINITY,
        _ => (1.0 + mantissa / 1024.0) * 2f64.powi(exponent - 15),
    };
    if bits >> 15 == 1 { -size } else { size }
}
