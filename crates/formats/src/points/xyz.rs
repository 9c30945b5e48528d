//! Text with x, y and z at the start of each line, separated by spaces, commas or semicolons.

use super::PointFile;
use crate::error::{FileError, Place};
use crate::text::{excerpt, number};

pub(super) fn parse(bytes: &[u8]) -> Result<PointFile, FileError> {
    let mut file = PointFile::default();
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut is_first = true;
    for (line, text) in bytes.split(|&byte| byte == b'\n').enumerate() {
        let place = Place::Line(line + 1);
        let text = text.trim_ascii();
        if text.is_empty() || text.starts_with(b"#") || text.starts_with(b"//") {
            continue;
        }
        let mut words = text
            .split(|byte| byte.is_ascii_whitespace() || matches!(byte, b',' | b';'))
            .filter(|word| !word.is_empty());
        let first: Vec<&[u8]> = words.by_ref().take(3).collect();
        let starts = std::mem::take(&mut is_first);
        if starts && (first.len() == 1 || first.iter().any(|word| number(word, place).is_err())) {
            // A count as in `.pts` files, or the names of columns.
            file.warn(place, format!("the first line is passed over: `{}`", excerpt(text)));
            continue;
        }
        let &[x, y, z] = first.as_slice() else {
            let reason = format!("`{}` is not a point", excerpt(text));
            return Err(FileError::new(place, reason, "write x, y and z on each line"));
        };
        file.push([number(x, place)?, number(y, place)?, number(z, place)?], place)?;
    }
    Ok(file)
}
