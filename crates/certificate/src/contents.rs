//! Reading what a certificate states. Its proof is checked by other programs.

use crate::certificate::Source;
use crate::statement::{Claim, Region, Statement};
use std::io::Read;

/// Statements of a certificate and the things they are about, as its header has them.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Contents {
    /// Program that wrote it.
    pub generator: String,
    /// Unit of length.
    pub units: String,
    /// Files that its numbers came from.
    pub sources: Vec<Source>,
    /// Names of the bodies.
    pub bodies: Vec<String>,
    /// Paddings of the bodies.
    pub paddings: Vec<f64>,
    /// Names of the joints, in the order of configurations.
    pub joints: Vec<String>,
    /// Its statements.
    pub statements: Vec<Statement>,
}

/// Reason that a certificate cannot be read.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ContentsError {
    /// Not a certificate of this format.
    #[error("no certificate: {0}")]
    Invalid(&'static str),
}

/// Bytes that a header may have once it is unpacked.
const MOST: u64 = 1 << 30;
const DEEPEST: usize = 16;
const MOST_KEYS: usize = 64;

impl Contents {
    /// Reads the header of a certificate, compressed or not.
    pub fn read(bytes: &[u8]) -> Result<Self, ContentsError> {
        let mut unpacked = Vec::new();
        let plain = if bytes.starts_with(&[0x1f, 0x8b]) {
            let packed = flate2::read::GzDecoder::new(bytes).take(MOST);
            { packed }
                .read_to_end(&mut unpacked)
                .map_err(|_| ContentsError::Invalid("it is not packed well"))?;
            &unpacked[..]
        } else {
            bytes
        };
        let header = Value::read(&mut &*plain, 0)?;
        let texts = |key: &str| -> Result<Vec<String>, ContentsError> {
            header.get(key)?.array()?.iter().map(|item| item.get("name")?.text()).collect()
        };
        let links = header.get("links")?.array()?;
        let joints = links.iter().filter_map(|link| link.get("joint").ok());
        let padding = |body: &Value| body.get("padding").map_or(Ok(0.0), Value::number);
        Ok(Self {
            generator: header.get("generator")?.text()?,
            units: header.get("units")?.text()?,
            sources: header.get("sources")?.array()?.iter().map(source).collect::<Result<_, _>>()?,
            bodies: texts("bodies")?,
            paddings: header.get("bodies")?.array()?.iter().map(padding).collect::<Result<_, _>>()?,
            joints: joints.map(|joint| joint.get("name")?.text()).collect::<Result<_, _>>()?,
            statements: header.get("statements")?.array()?.iter().map(statement).collect::<Result<_, _>>()?,
        })
    }
}

fn source(value: &Value) -> Result<Source, ContentsError> {
    let Value::Bytes(bytes) = value.get("sha256")? else { return invalid("a hash is missing") };
    let Ok(sha256) = <[u8; 32]>::try_from(&bytes[..]) else { return invalid("a hash is no SHA-256") };
    let (name, role) = (value.get("name")?.text()?, value.get("role")?.text()?);
    Ok(Source { name, sha256, role, triangles: None })
}

fn statement(value: &Value) -> Result<Statement, ContentsError> {
    let word = value.get("claim")?.text()?;
    let mut claims = [Claim::Separated, Claim::Colliding, Claim::Inside, Claim::NotInside].into_iter();
    let Some(claim) = claims.find(|claim| claim.name() == word) else { return invalid("an unknown claim") };
    let pair = |value: &Value| match value.array()? {
        [a, b, ..] => Ok([a.index()?, b.index()?]),
        _ => invalid("a pair is not two bodies"),
    };
    let disabled = |value: &Value| match value.array()? {
        [_, _, reason] => Ok((pair(value)?, reason.text()?)),
        _ => invalid("a disabled pair has no reason"),
    };
    let disabled_pairs = value.get("disabled").map_or(Ok(&[][..]), Value::array)?;
    Ok(Statement {
        title: value.get("title").map_or(Ok(String::new()), Value::text)?,
        claim,
        pairs: value.get("pairs")?.array()?.iter().map(pair).collect::<Result<_, _>>()?,
        region: region(value.get("region")?)?,
        clearance: value.get("clearance").map_or(Ok(0.0), Value::number)?,
        disabled: disabled_pairs.iter().map(disabled).collect::<Result<_, _>>()?,
        complete: matches!(value.get("complete"), Ok(Value::Bool(true))),
    })
}

fn region(value: &Value) -> Result<Region, ContentsError> {
    let numbers =
        |value: &Value| value.array()?.iter().map(Value::number).collect::<Result<Vec<f64>, ContentsError>>();
    if let Ok(at) = value.get("at") {
        return Ok(Region::At(numbers(at)?));
    }
    if let Ok(along) = value.get("along") {
        let all: Vec<Vec<f64>> = along.array()?.iter().map(numbers).collect::<Result<_, _>>()?;
        return if all.len() < 2 { invalid("a path of one configuration") } else { Ok(Region::Along(all)) };
    }
    if let Ok(curve) = value.get("curve") {
        let piece = |piece: &Value| piece.array()?.iter().map(numbers).collect::<Result<Vec<_>, _>>();
        let pieces: Vec<Vec<Vec<f64>>> = curve.array()?.iter().map(piece).collect::<Result<_, _>>()?;
        let Some(first) = pieces.first().and_then(|piece| piece.first()) else {
            return invalid("an empty curve");
        };
        let deviation = value.get("deviation").map_or(Ok(vec![0.0; first.len()]), numbers)?;
        return Ok(Region::Curve { pieces, deviation });
    }
    let range = |value: &Value| match value {
        Value::Null => Ok(None),
        range => match numbers(range)?[..] {
            [low, high] => Ok(Some([low, high])),
            _ => invalid("a range is not two numbers"),
        },
    };
    Ok(Region::Box(value.get("box")?.array()?.iter().map(range).collect::<Result<_, _>>()?))
}

fn invalid<T>(reason: &'static str) -> Result<T, ContentsError> {
    Err(ContentsError::Invalid(reason))
}

/// An item of the subset of CBOR.
enum Value {
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
    fn read(bytes: &mut &[u8], depth: usize) -> Result<Self, ContentsError> {
        if depth > DEEPEST {
            return invalid("it is nested too deep");
        }
        let first = take(bytes, 1)?.first().copied().unwrap_or_default();
        let (major, info) = (first >> 5, first & 31);
        let mut number = |size: usize| -> Result<u64, ContentsError> {
            Ok(take(bytes, size)?.iter().fold(0, |sum, &byte| sum << 8 | u64::from(byte)))
        };
        let argument = match info {
            0..24 => u64::from(info),
            24 => number(1)?,
            25 => number(2)?,
            26 => number(4)?,
            27 => number(8)?,
            _ => return invalid("a length is not definite"),
        };
        let depth = depth.saturating_add(1);
        let signed = || i64::try_from(argument).or_else(|_| invalid("an integer is too large"));
        // Every item takes a byte at least.
        let count = || match usize::try_from(argument) {
            Ok(count) if count <= bytes.len() => Ok(count),
            _ => invalid("it is truncated"),
        };
        Ok(match major {
            0 => Self::Int(signed()?),
            1 => Self::Int(!signed()?),
            2 => {
                let count = count()?;
                Self::Bytes(take(bytes, count)?.to_vec())
            }
            3 => {
                let count = count()?;
                Self::Text(String::from_utf8_lossy(take(bytes, count)?).into_owned())
            }
            4 => {
                let count = count()?;
                Self::Array((0..count).map(|_| Self::read(bytes, depth)).collect::<Result<_, _>>()?)
            }
            5 => {
                let count = count()?;
                if count > MOST_KEYS {
                    return invalid("a map has more keys than any map of a certificate");
                }
                let mut entry = || Ok((Self::read(bytes, depth)?.text()?, Self::read(bytes, depth)?));
                Self::Map((0..count).map(|_| entry()).collect::<Result<_, ContentsError>>()?)
            }
            7 => match info {
                20 | 21 => Self::Bool(info == 21),
                22 => Self::Null,
                25 => Self::float(half(argument))?,
                26 => {
                    let bits = u32::try_from(argument).or_else(|_| invalid("a number is too large"))?;
                    Self::float(f64::from(f32::from_bits(bits)))?
                }
                27 => Self::float(f64::from_bits(argument))?,
                _ => return invalid("an unknown value"),
            },
            _ => return invalid("a tag"),
        })
    }

    fn float(value: f64) -> Result<Self, ContentsError> {
        if value.is_finite() { Ok(Self::Float(value)) } else { invalid("a number is not finite") }
    }

    fn get(&self, key: &str) -> Result<&Self, ContentsError> {
        let Self::Map(entries) = self else { return invalid("a map is missing") };
        let found = entries.iter().find(|(other, _)| other == key);
        found.map_or_else(|| invalid("a key is missing"), |(_, value)| Ok(value))
    }

    fn array(&self) -> Result<&[Self], ContentsError> {
        if let Self::Array(items) = self { Ok(items) } else { invalid("an array is missing") }
    }

    fn text(&self) -> Result<String, ContentsError> {
        if let Self::Text(text) = self { Ok(text.clone()) } else { invalid("a text is missing") }
    }

    fn number(&self) -> Result<f64, ContentsError> {
        match self {
            Self::Int(value) => Ok(*value as f64),
            Self::Float(value) => Ok(*value),
            _ => invalid("a number is missing"),
        }
    }

    fn index(&self) -> Result<usize, ContentsError> {
        match self {
            Self::Int(value) => usize::try_from(*value).or_else(|_| invalid("an index below 0")),
            _ => invalid("an index is missing"),
        }
    }
}

fn take<'a>(bytes: &mut &'a [u8], count: usize) -> Result<&'a [u8], ContentsError> {
    let Some((head, rest)) = bytes.split_at_checked(count) else { return invalid("it is truncated") };
    *bytes = rest;
    Ok(head)
}

/// An IEEE 754 number of 16 bits.
fn half(bits: u64) -> f64 {
    let (exponent, fraction) = (bits >> 10 & 31, (bits & 1023) as f64);
    let size = match exponent {
        0 => fraction * 2f64.powi(-24),
        31 => f64::INFINITY,
        _ => (1024.0 + fraction) * 2f64.powi(-25) * (1u64 << exponent) as f64,
    };
    if bits >> 15 & 1 == 1 { -size } else { size }
}
