//! STL, text and binary. The normals in the file are ignored: the vertices define them better.
//!
//! A file is binary if its length fits the triangle count (many binary files start with `solid` too). Otherwise
//! it is text if it reads `solid … facet`, else binary.

use crate::error::{FileError, Place};
use crate::raw::Raw;
use crate::text::{Text, check_coordinate, excerpt};
use glam::{DVec3, dvec3};

const HEADER: usize = 84;
const RECORD: usize = 50;

pub(crate) fn parse(bytes: &[u8]) -> Result<Raw, FileError> {
    if !fits_binary(bytes) && looks_like_text(bytes) { parse_text(bytes) } else { parse_binary(bytes) }
}

/// Returns `true` if the length is that of a binary file with this triangle count.
pub(crate) fn fits_binary(bytes: &[u8]) -> bool {
    // A count of nonsense exceeds a 32-bit machine.
    let length = |count: usize| RECORD.checked_mul(count)?.checked_add(HEADER);
    claimed_triangles(bytes).and_then(length) == Some(bytes.len())
}

/// Returns `true` if it starts like a text file: `solid`, and a facet (or the end) on a later line.
pub(crate) fn looks_like_text(bytes: &[u8]) -> bool {
    let mut text = Text::new(bytes);
    let starts_solid = text.token().is_some_and(|token| token.eq_ignore_ascii_case(b"solid"));
    text.skip_line();
    let second = text.token().unwrap_or_default();
    starts_solid && [b"facet".as_slice(), b"endsolid"].iter().any(|word| second.eq_ignore_ascii_case(word))
}

fn claimed_triangles(bytes: &[u8]) -> Option<usize> {
    let count = bytes.get(HEADER - 4..HEADER)?;
    Some(u32::from_le_bytes(count.try_into().ok()?) as usize)
}

#[allow(clippy::arithmetic_side_effects, reason = "places in the file, and three vertices for its records")]
fn parse_binary(bytes: &[u8]) -> Result<Raw, FileError> {
    let Some(claimed) = claimed_triangles(bytes) else {
        let reason = "the file is too short for binary STL and is no text STL";
        return Err(FileError::new(Place::Byte(bytes.len()), reason, "check that it is an STL file"));
    };
    let (records, rest) = bytes.get(HEADER..).unwrap_or_default().as_chunks::<RECORD>();
    let Some(claimed_records) = records.get(..claimed) else {
        let reason = format!("the file ends after {} of {claimed} triangles", records.len());
        let remedy = "check that it was written completely and is an STL file";
        return Err(FileError::new(Place::Byte(bytes.len()), reason, remedy));
    };
    let mut raw = Raw::default();
    raw.vertices.reserve_exact(3 * claimed);
    raw.faces = noli_geom::Polygons::with_capacity(claimed, 3 * claimed);
    for (i, record) in claimed_records.iter().enumerate() {
        // A record is the normal, three vertices and two bytes of attributes.
        let (vectors, _) = record.as_chunks::<12>();
        for (vertex, bytes) in vectors.iter().enumerate().skip(1) {
            raw.vertices.push(vector(bytes, HEADER + RECORD * i + 12 * vertex)?);
        }
        push_triangle(&mut raw);
    }
    if records.len() > claimed || !rest.is_empty() {
        let end = HEADER + RECORD * claimed;
        raw.warn(
            Place::Byte(end),
            format!("{} bytes past the last triangle: passed over", bytes.len() - end),
        );
    }
    Ok(raw)
}

fn vector(bytes: &[u8; 12], at: usize) -> Result<DVec3, FileError> {
    let &[x, y, z] = bytes.as_chunks::<4>().0.first_chunk().unwrap_or(&[[0; 4]; 3]);
    let number = |bytes| check_coordinate(f64::from(f32::from_le_bytes(bytes)), Place::Byte(at));
    Ok(dvec3(number(x)?, number(y)?, number(z)?))
}

/// Makes a triangle of the three vertices added last.
fn push_triangle(raw: &mut Raw) {
    // More vertices than that are refused when the mesh is made.
    let end = u32::try_from(raw.vertices.len()).unwrap_or(u32::MAX);
    raw.faces.push(end.saturating_sub(3)..end);
}

fn parse_text(bytes: &[u8]) -> Result<Raw, FileError> {
    let mut text = Text::new(bytes);
    let mut raw = Raw::default();
    let mut open = false;
    while let Some(token) = text.token() {
        match token.to_ascii_lowercase().as_slice() {
            b"solid" => {
                raw.objects.start_new(text.rest_of_line(), raw.faces.len());
                open = true;
            }
            b"facet" => facet(&mut text, &mut raw)?,
            b"endsolid" => {
                text.rest_of_line();
                open = false;
            }
            _ => return Err(unexpected(&text, token, "facet` or `endsolid")),
        }
    }
    if open {
        raw.warn(text.place(), "`endsolid` is missing: the file may have been cut short");
    }
    Ok(raw)
}

/// Reads a facet after the word `facet`, to `endfacet`.
fn facet(text: &mut Text<'_>, raw: &mut Raw) -> Result<(), FileError> {
    expect(text, "normal")?;
    for _ in 0..3 {
        text.token(); // some writers put `nan` here
    }
    expect(text, "outer")?;
    expect(text, "loop")?;
    for _ in 0..3 {
        expect(text, "vertex")?;
        let [x, y, z] = [coordinate(text)?, coordinate(text)?, coordinate(text)?];
        raw.vertices.push(dvec3(x, y, z));
    }
    push_triangle(raw);
    expect(text, "endloop")?;
    expect(text, "endfacet")
}

fn coordinate(text: &mut Text<'_>) -> Result<f64, FileError> {
    let token = text.token().unwrap_or_default();
    text.coordinate(token)
}

fn expect(text: &mut Text<'_>, word: &str) -> Result<(), FileError> {
    let token = text.token().unwrap_or_default();
    if token.eq_ignore_ascii_case(word.as_bytes()) { Ok(()) } else { Err(unexpected(text, token, word)) }
}

fn unexpected(text: &Text<'_>, token: &[u8], wanted: &str) -> FileError {
    if token.is_empty() {
        let reason = format!("the file ends where `{wanted}` was expected");
        return text.error(reason, "check that it was written completely");
    }
    text.error(
        format!("`{}` found where `{wanted}` was expected", excerpt(token)),
        "facets have three vertices each",
    )
}
