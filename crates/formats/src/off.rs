//! Object File Format: `OFF` and its variants with colours, normals and texture coordinates
//! (`STCNOFF`), whose extra numbers are passed over. One vertex or face to a line. Binary and
//! higher-dimensional files are refused.

use crate::error::FileError;
use crate::raw::{LargestIndex, Raw};
use crate::text::{Text, excerpt, integer};
use glam::dvec3;

pub(crate) fn parse(bytes: &[u8]) -> Result<Raw, FileError> {
    let mut text = Text::new(bytes);
    let [vertices, faces] = header(&mut text)?;
    let mut raw = Raw::default();
    let mut largest = LargestIndex::default();
    for read in 0..vertices {
        let Some(first) = text.token() else { return Err(too_short(&text, "vertices", read, vertices)) };
        let x = text.coordinate(first)?;
        let (y, z) = (text.coordinate_on_line()?, text.coordinate_on_line()?);
        raw.vertices.push(dvec3(x, y, z));
        text.skip_line();
    }
    let mut corners = Vec::new();
    for read in 0..faces {
        let Some(count) = text.token() else { return Err(too_short(&text, "faces", read, faces)) };
        face(&mut text, count, &mut corners)?;
        corners.iter().for_each(|&vertex| largest.see(vertex, text.place()));
        raw.faces.push(corners.iter().copied());
        text.skip_line();
    }
    largest.check(raw.vertices.len(), 0)?;
    if let Some(token) = text.token() {
        let place = text.place();
        raw.warn(place, format!("`{}` and what follows is past the counts: passed over", excerpt(token)));
    }
    Ok(raw)
}

/// Returns `true` if a word is the first of an OFF file.
pub(crate) fn is_keyword(word: &[u8]) -> bool {
    matches!(word, [.., b'O', b'F', b'F']) && word.len() <= 8
}

fn header(text: &mut Text<'_>) -> Result<[u64; 2], FileError> {
    let Some(mut token) = text.token() else {
        return Err(text.error("the file is empty", "check that it was written completely"));
    };
    if is_keyword(token) {
        check_variant(text, token.strip_suffix(b"OFF").unwrap_or_default())?;
        token = text.token().unwrap_or_default();
    }
    if token.eq_ignore_ascii_case(b"binary") {
        return Err(text.error("binary OFF is not supported", "save it as text, or as PLY"));
    }
    let faces = text.token().unwrap_or_default();
    let counts = [count(text, token)?, count(text, faces)?];
    text.skip_line(); // the number of edges, which nobody needs
    Ok(counts)
}

fn check_variant(text: &Text<'_>, prefix: &[u8]) -> Result<(), FileError> {
    if ["", "C", "N", "CN", "NC", "ST", "STC", "STN", "STCN"].iter().any(|known| known.as_bytes() == prefix) {
        return Ok(());
    }
    let reason = format!("OFF variant `{}OFF` is not supported", excerpt(prefix));
    Err(text.error(reason, "save it as three-dimensional OFF"))
}

fn count(text: &Text<'_>, token: &[u8]) -> Result<u64, FileError> {
    integer(token).and_then(|count| u64::try_from(count).ok()).ok_or_else(|| {
        let reason = format!("`{}` found where the number of vertices or faces was expected", excerpt(token));
        text.error(reason, "an OFF file starts with `OFF`, then `vertices faces edges`")
    })
}

fn face(text: &mut Text<'_>, count: &[u8], vertices: &mut Vec<u32>) -> Result<(), FileError> {
    vertices.clear();
    let wrong = |text: &Text<'_>, token: &[u8], what: &str| {
        text.error(format!("`{}` is no {what}", excerpt(token)), "write `count v0 v1 v2 …`, counted from 0")
    };
    let Some(size @ 1..) = integer(count) else { return Err(wrong(text, count, "number of vertices")) };
    for _ in 0..size {
        let token = text.token_on_line().unwrap_or_default();
        let index = integer(token).and_then(|index| u32::try_from(index).ok());
        vertices.push(index.ok_or_else(|| wrong(text, token, "vertex number"))?);
    }
    Ok(())
}

fn too_short(text: &Text<'_>, what: &str, read: u64, claimed: u64) -> FileError {
    let reason = format!("the file ends after {read} of {claimed} {what}");
    text.error(reason, "check that it was written completely, or correct the count")
}
