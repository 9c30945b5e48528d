//! The subset of CBOR, with typed access.

use super::number::Q;

pub(crate) type Fault = (&'static str, String);
pub(crate) type Checked<T> = Result<T, Fault>;

pub(crate) fn fault<T>(code: &'static str, text: impl Into<String>) -> Checked<T> {
    Err((code, text.into()))
}

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

/// Reads all items of a sequence.
pub(crate) fn sequence(mut bytes: &[u8]) -> Checked<Vec<Value>> {
    let mut items = Vec::new();
    while !bytes.is_empty() {
        items.push(item(&mut bytes, 0)?);
    }
    Ok(items)
}

fn take<'a>(bytes: &mut &'a [u8], count: usize) -> Checked<&'a [u8]> {
    if bytes.len() < count {
        return fault("E-CBOR", "truncated");
    }
    let (head, rest) = bytes.split_at(count);
    *bytes = rest;
    Ok(head)
}

fn item(bytes: &mut &[u8], depth: usize) -> Checked<Value> {
    if depth > 16 {
        return fault("E-CBOR", "nested too deep");
    }
    let first = take(bytes, 1)?[0];
    let (major, info) = (first >> 5, first & 31);
    let size = match info {
        0..24 => 0,
        24..28 => 1 << (info - 24),
        _ => return fault("E-CBOR", "indefinite length"),
    };
    let argument = take(bytes, size)?.iter().fold(0u64, |sum, &byte| sum << 8 | u64::from(byte));
    let argument = if size == 0 { u64::from(info) } else { argument };
    let count = || match usize::try_from(argument) {
        Ok(count) if count <= 1 << 30 => Ok(count),
        _ => fault("E-CBOR", "length"),
    };
    Ok(match major {
        0 | 1 => match i64::try_from(argument) {
            Ok(value) => Value::Int(if major == 0 { value } else { -1 - value }),
            Err(_) => return fault("E-CBOR", "integer"),
        },
        2 => Value::Bytes(take(bytes, count()?)?.to_vec()),
        3 => match String::from_utf8(take(bytes, count()?)?.to_vec()) {
            Ok(text) => Value::Text(text),
            Err(_) => return fault("E-CBOR", "text"),
        },
        4 => {
            let mut items = Vec::new();
            for _ in 0..count()? {
                items.push(item(bytes, depth + 1)?);
            }
            Value::Array(items)
        }
        5 => {
            let mut entries: Vec<(String, Value)> = Vec::new();
            for _ in 0..count()? {
                let Value::Text(key) = item(bytes, depth + 1)? else { return fault("E-CBOR", "key") };
                if entries.iter().any(|(other, _)| *other == key) {
                    return fault("E-CBOR", "key twice");
                }
                entries.push((key, item(bytes, depth + 1)?));
            }
            Value::Map(entries)
        }
        7 => match (info, size) {
            (20, _) => Value::Bool(false),
            (21, _) => Value::Bool(true),
            (22, _) => Value::Null,
            (26, _) => finite(f64::from(f32::from_bits(argument as u32)))?,
            (27, _) => finite(f64::from_bits(argument))?,
            (25, _) => finite(half(argument as u16))?,
            _ => return fault("E-CBOR", "simple value"),
        },
        _ => return fault("E-CBOR", "tag"),
    })
}

fn half(bits: u16) -> f64 {
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 1023));
    let size = match exponent {
        0 => fraction * 2f64.powi(-24),
        31 => f64::NAN,
        _ => (1024.0 + fraction) * 2f64.powi(exponent - 25),
    };
    if bits >> 15 == 1 { -size } else { size }
}

fn finite(value: f64) -> Checked<Value> {
    if value.is_finite() { Ok(Value::Float(value)) } else { fault("E-CBOR", "not finite") }
}

impl Value {
    pub(crate) fn int(&self) -> Checked<i64> {
        match self {
            Self::Int(value) => Ok(*value),
            _ => fault("E-HEADER", format!("no integer: {self:?}")),
        }
    }

    pub(crate) fn index(&self, count: usize) -> Checked<usize> {
        match usize::try_from(self.int()?) {
            Ok(index) if index < count => Ok(index),
            _ => fault("E-HEADER", format!("no index below {count}: {self:?}")),
        }
    }

    pub(crate) fn array(&self) -> Checked<&[Self]> {
        match self {
            Self::Array(items) => Ok(items),
            _ => fault("E-HEADER", format!("no array: {self:?}")),
        }
    }

    pub(crate) fn text(&self) -> Checked<&str> {
        match self {
            Self::Text(text) => Ok(text),
            _ => fault("E-HEADER", "no text"),
        }
    }

    pub(crate) fn bool(&self) -> Checked<bool> {
        match self {
            Self::Bool(value) => Ok(*value),
            _ => fault("E-HEADER", "no boolean"),
        }
    }

    pub(crate) fn bytes(&self) -> Checked<&[u8]> {
        match self {
            Self::Bytes(bytes) => Ok(bytes),
            _ => fault("E-HEADER", "no bytes"),
        }
    }

    pub(crate) fn number(&self) -> Checked<Q> {
        let value = match self {
            Self::Int(value) => Q::int(*value),
            Self::Float(value) => Q::from_f64(*value),
            _ => return fault("E-HEADER", "no number"),
        };
        if value.abs() > Q::power_of_two(300) { fault("E-LIMIT", "number") } else { Ok(value) }
    }

    pub(crate) fn numbers(&self) -> Checked<Vec<Q>> {
        self.array()?.iter().map(Self::number).collect()
    }

    /// Three integers, not all zero.
    pub(crate) fn direction(&self, code: &'static str) -> Checked<[Q; 3]> {
        let wrong = (code, format!("no direction: {self:?}"));
        let Self::Array(items) = self else { return Err(wrong) };
        let [Self::Int(x), Self::Int(y), Self::Int(z)] = items[..] else { return Err(wrong) };
        if [x, y, z].iter().any(|c| c.unsigned_abs() > 1 << 62) {
            return fault("E-LIMIT", "direction");
        }
        if [x, y, z] == [0; 3] { Err(wrong) } else { Ok([x, y, z].map(Q::int)) }
    }

    /// The entry of a map whose keys are all known.
    pub(crate) fn map<'a>(&'a self, known: &[&str]) -> Checked<impl Fn(&str) -> Option<&'a Self> + 'a> {
        let Self::Map(entries) = self else { return fault("E-HEADER", "no map") };
        if let Some((key, _)) = entries.iter().find(|(key, _)| !known.contains(&key.as_str())) {
            return fault("E-HEADER", format!("unknown key {key}"));
        }
        Ok(move |key: &str| entries.iter().find(|(other, _)| other == key).map(|(_, value)| value))
    }
}

pub(crate) fn need<'a>(value: Option<&'a Value>, key: &str) -> Checked<&'a Value> {
    value.map_or_else(|| fault("E-HEADER", format!("`{key}` is missing")), Ok)
}
