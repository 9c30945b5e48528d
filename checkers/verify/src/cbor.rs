//! The subset of CBOR (RFC 8949) that certificates use: section 1.

use crate::error::{CheckError, Result, require, required};

const NESTING: usize = 16;
const ITEM_BYTES: usize = 1 << 30;
/// More than any map of a certificate has.
const KEYS: usize = 64;

/// A CBOR item.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    /// An integer from -2^63 to 2^63 - 1.
    Integer(i64),
    /// A finite number.
    Float(f64),
    /// A byte string.
    Bytes(Vec<u8>),
    /// A text.
    Text(String),
    /// An array.
    Array(Vec<Value>),
    /// Three integers in the place of a reference; none is read from a file.
    Direction([i64; 3]),
    /// A map; no key occurs twice.
    Map(Vec<(String, Value)>),
    /// A truth value.
    Bool(bool),
    /// `null`.
    Null,
}

impl Value {
    pub(crate) fn array(&self) -> Option<&[Value]> {
        if let Self::Array(entries) = self { Some(entries) } else { None }
    }

    pub(crate) fn text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    pub(crate) fn bytes(&self) -> Option<&[u8]> {
        if let Self::Bytes(bytes) = self { Some(bytes) } else { None }
    }

    pub(crate) fn integer(&self) -> Option<i64> {
        if let Self::Integer(value) = self { Some(*value) } else { None }
    }

    pub(crate) fn boolean(&self) -> Option<bool> {
        if let Self::Bool(value) = self { Some(*value) } else { None }
    }

    /// An index below a count.
    pub(crate) fn index(&self, count: usize) -> Option<usize> {
        usize::try_from(self.integer()?).ok().filter(|&index| index < count)
    }

    pub(crate) fn map(&self) -> Option<&[(String, Value)]> {
        if let Self::Map(entries) = self { Some(entries) } else { None }
    }

    pub(crate) fn get(&self, key: &str) -> Option<&Value> {
        self.map()?.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }
}

/// Reads one item after the other.
pub(crate) struct Reader<'d> {
    data: &'d [u8],
    at: usize,
}

impl<'d> Reader<'d> {
    pub(crate) fn new(data: &'d [u8]) -> Self {
        Self { data, at: 0 }
    }

    /// Returns the next item, or `None` at the end.
    pub(crate) fn next(&mut self) -> Result<Option<Value>> {
        if self.at == self.data.len() {
            return Ok(None);
        }
        let start = self.at;
        let value = self.item(0)?;
        let bytes = self.at.saturating_sub(start);
        require(bytes <= ITEM_BYTES, "E-LIMIT", "an item has more than 2^30 bytes")?;
        Ok(Some(value))
    }

    fn rest(&self) -> &'d [u8] {
        self.data.get(self.at..).unwrap_or_default()
    }

    fn take(&mut self, count: usize) -> Result<&'d [u8]> {
        let taken = required(self.rest().get(..count), "E-CBOR", "the file is truncated")?;
        self.at = self.at.saturating_add(count);
        Ok(taken)
    }

    fn byte(&mut self) -> Result<u8> {
        Ok(self.take(1)?.first().copied().unwrap_or_default())
    }

    fn number(&mut self, bytes: usize) -> Result<u64> {
        Ok(self.take(bytes)?.iter().fold(0, |value, &byte| value << 8 | u64::from(byte)))
    }

    fn item(&mut self, depth: usize) -> Result<Value> {
        let first = self.byte()?;
        let (major, minor) = (first >> 5, first & 31);
        if major == 7 {
            return self.simple(minor);
        }
        let length = match minor {
            0..24 => u64::from(minor),
            24 => self.number(1)?,
            25 => self.number(2)?,
            26 => self.number(4)?,
            27 => self.number(8)?,
            _ => return Err(CheckError::new("E-CBOR", "indefinite and reserved lengths do not occur")),
        };
        let signed = || required(i64::try_from(length).ok(), "E-CBOR", "an integer is too large");
        match major {
            0 => return Ok(Value::Integer(signed()?)),
            1 => return Ok(Value::Integer(!signed()?)),
            _ => {}
        }
        // Every byte, element or entry takes at least a byte of what is left.
        let length = usize::try_from(length).ok().filter(|&length| length <= self.rest().len());
        let length = required(length, "E-CBOR", "a length is beyond the end of the file")?;
        match major {
            2 => Ok(Value::Bytes(self.take(length)?.to_vec())),
            3 => {
                let text = std::str::from_utf8(self.take(length)?).ok();
                Ok(Value::Text(required(text, "E-CBOR", "a text is not UTF-8")?.to_owned()))
            }
            4 | 5 => {
                require(depth < NESTING, "E-LIMIT", "arrays and maps are nested too deep")?;
                let inner = depth.saturating_add(1);
                if major == 4 { self.array(length, inner) } else { self.map(length, inner) }
            }
            _ => Err(CheckError::new("E-CBOR", "tags do not occur in certificates")),
        }
    }

    fn array(&mut self, length: usize, depth: usize) -> Result<Value> {
        // Room for what is announced only while that is little: a few bytes must not take gigabytes.
        let mut entries = Vec::with_capacity(length.min(1024));
        for _ in 0..length {
            entries.push(self.item(depth)?);
        }
        Ok(Value::Array(entries))
    }

    fn map(&mut self, length: usize, depth: usize) -> Result<Value> {
        let mut entries: Vec<(String, Value)> = Vec::new();
        require(length <= KEYS, "E-LIMIT", "a map has more than 64 keys")?;
        for _ in 0..length {
            let Value::Text(key) = self.item(depth)? else {
                return Err(CheckError::new("E-CBOR", "a key of a map is no text"));
            };
            require(entries.iter().all(|(name, _)| *name != key), "E-CBOR", "a key occurs twice in a map")?;
            entries.push((key, self.item(depth)?));
        }
        Ok(Value::Map(entries))
    }

    fn simple(&mut self, minor: u8) -> Result<Value> {
        let value = match minor {
            20 => return Ok(Value::Bool(false)),
            21 => return Ok(Value::Bool(true)),
            22 => return Ok(Value::Null),
            25 => half(self.number(2)?),
            26 => {
                let bytes = self.take(4)?.first_chunk().copied().unwrap_or_default();
                f64::from(f32::from_be_bytes(bytes))
            }
            27 => f64::from_bits(self.number(8)?),
            _ => return Err(CheckError::new("E-CBOR", "a simple value does not occur in certificates")),
        };
        require(value.is_finite(), "E-CBOR", "a number is not finite")?;
        Ok(Value::Float(value))
    }
}

/// The value of a number of 16 bits (IEEE 754 binary16).
fn half(bits: u64) -> f64 {
    let (exponent, mantissa) = (bits >> 10 & 31, (bits & 1023) as f64);
    let size = match exponent {
        0 => mantissa * 2f64.powi(-24),
        31 => f64::INFINITY,
        _ => (1024.0 + mantissa) * 2f64.powi(-25) * (1u64 << exponent) as f64,
    };
    if bits >> 15 & 1 == 1 { -size } else { size }
}
