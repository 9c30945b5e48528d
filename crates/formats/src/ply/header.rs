//! The header of a PLY file: encoding, elements, properties.

use crate::error::FileError;
use crate::text::{Text, excerpt, integer};

#[derive(Debug)]
pub(super) struct Header {
    pub(super) encoding: Encoding,
    pub(super) elements: Vec<Element>,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Encoding {
    Text,
    LittleEndian,
    BigEndian,
}

#[derive(Debug)]
pub(super) struct Element {
    pub(super) name: String,
    pub(super) count: u64,
    pub(super) properties: Vec<Property>,
}

#[derive(Debug)]
pub(super) struct Property {
    pub(super) name: String,
    pub(super) scalar: Scalar,
    /// The type of the length, if this is a list.
    pub(super) list: Option<Scalar>,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Scalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

impl Scalar {
    pub(super) fn size(self) -> usize {
        match self {
            Scalar::I8 | Scalar::U8 => 1,
            Scalar::I16 | Scalar::U16 => 2,
            Scalar::I32 | Scalar::U32 | Scalar::F32 => 4,
            Scalar::F64 => 8,
        }
    }

    fn named(name: &[u8]) -> Option<Self> {
        Some(match name {
            b"char" | b"int8" => Scalar::I8,
            b"uchar" | b"uint8" => Scalar::U8,
            b"short" | b"int16" => Scalar::I16,
            b"ushort" | b"uint16" => Scalar::U16,
            b"int" | b"int32" => Scalar::I32,
            b"uint" | b"uint32" => Scalar::U32,
            b"float" | b"float32" => Scalar::F32,
            b"double" | b"float64" => Scalar::F64,
            _ => return None,
        })
    }
}

/// Reads the header; the text is then at the first byte of the data.
pub(super) fn parse(text: &mut Text<'_>) -> Result<Header, FileError> {
    if text.token_on_line() != Some(b"ply") {
        return Err(text.error("the file does not start with `ply`", "check that it is a PLY file"));
    }
    let mut encoding = None;
    let mut elements: Vec<Element> = Vec::new();
    loop {
        if !text.skip_line() {
            let remedy = "check that the file was written completely";
            return Err(text.error("the header has no `end_header`", remedy));
        }
        match text.token_on_line() {
            Some(b"format") => encoding = Some(format(text)?),
            Some(b"element") => elements.push(element(text)?),
            Some(b"property") => {
                let property = property(text)?;
                match elements.last_mut() {
                    Some(element) => element.properties.push(property),
                    None => return Err(text.error("a property before any element", "name its element first")),
                }
            }
            Some(b"end_header") => break,
            None | Some(b"comment" | b"obj_info") => {}
            Some(other) => {
                let reason = format!("`{}` is no PLY header line", excerpt(other));
                return Err(text.error(reason, "make it a comment or remove it"));
            }
        }
    }
    text.skip_line();
    let missing = || text.error("the header has no `format` line", "add one, such as `format ascii 1.0`");
    Ok(Header { encoding: encoding.ok_or_else(missing)?, elements })
}

fn format(text: &mut Text<'_>) -> Result<Encoding, FileError> {
    match text.token_on_line().unwrap_or_default() {
        b"ascii" => Ok(Encoding::Text),
        b"binary_little_endian" => Ok(Encoding::LittleEndian),
        b"binary_big_endian" => Ok(Encoding::BigEndian),
        other => {
            let remedy = "use ascii, binary_little_endian or binary_big_endian";
            Err(text.error(format!("`{}` is no PLY format", excerpt(other)), remedy))
        }
    }
}

fn element(text: &mut Text<'_>) -> Result<Element, FileError> {
    let name = word(text)?;
    let token = text.token_on_line().unwrap_or_default();
    let count = integer(token).and_then(|count| u64::try_from(count).ok()).ok_or_else(|| {
        text.error(format!("`{}` is no count", excerpt(token)), "write `element name count`")
    })?;
    Ok(Element { name, count, properties: Vec::new() })
}

fn property(text: &mut Text<'_>) -> Result<Property, FileError> {
    let first = text.token_on_line().unwrap_or_default();
    if first == b"list" {
        let (length, item) = (next_scalar(text)?, next_scalar(text)?);
        return Ok(Property { name: word(text)?, scalar: item, list: Some(length) });
    }
    Ok(Property { scalar: scalar(text, first)?, name: word(text)?, list: None })
}

fn next_scalar(text: &mut Text<'_>) -> Result<Scalar, FileError> {
    let token = text.token_on_line().unwrap_or_default();
    scalar(text, token)
}

fn scalar(text: &Text<'_>, token: &[u8]) -> Result<Scalar, FileError> {
    Scalar::named(token).ok_or_else(|| {
        let remedy = "use char, uchar, short, ushort, int, uint, float or double";
        text.error(format!("`{}` is no PLY type", excerpt(token)), remedy)
    })
}

fn word(text: &mut Text<'_>) -> Result<String, FileError> {
    match text.token_on_line() {
        Some(token) => Ok(String::from_utf8_lossy(token).into_owned()),
        None => Err(text.error("a name is missing", "complete the line")),
    }
}
