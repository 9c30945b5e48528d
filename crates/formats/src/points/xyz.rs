//! Text with x, y and z at the start of each line, separated by spaces, commas or semicolons. The radius of a point is in
//! the column that a line before the points names so. Without names it is in the last of four columns.

use super::PointFile;
use crate::error::{FileError, Place};
use crate::ply::is_radius;
use crate::text::{excerpt, number};

pub(super) fn parse(bytes: &[u8]) -> Result<PointFile, FileError> {
    let mut file = PointFile::default();
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let (mut is_first, mut column) = (true, None);
    let mut fourth = Some(Vec::new());
    for (line, text) in (1..).zip(bytes.split(|&byte| byte == b'\n')) {
        let place = Place::Line(line);
        let text = text.trim_ascii();
        if text.is_empty() {
            continue;
        }
        if let Some(comment) = text.strip_prefix(b"#").or_else(|| text.strip_prefix(b"//")) {
            if is_first && is_naming(comment) {
                (column, fourth) = (radius_column(comment), None);
            }
            continue;
        }
        let columns: Vec<&[u8]> = words(text).collect();
        let is_number = |word: &&[u8]| number(word, place).is_ok();
        if std::mem::take(&mut is_first) && (columns.len() == 1 || !columns.iter().take(3).all(is_number)) {
            // A count as in `.pts` files, or the names of columns.
            if is_naming(text) {
                column = radius_column(text);
            } else {
                refuse_order(text, place)?;
                file.warn(place, format!("the first line is passed over: `{}`", excerpt(text)));
            }
            fourth = None;
            continue;
        }
        let [x, y, z, rest @ ..] = columns.as_slice() else {
            let reason = format!("`{}` is not a point", excerpt(text));
            return Err(FileError::new(place, reason, "write x, y and z on each line"));
        };
        let point = [number(x, place)?, number(y, place)?, number(z, place)?];
        let radius = column.map(|column| radius(&columns, column, place)).transpose()?;
        file.push_sphere(point, radius, place)?;
        let is_kept = fourth.as_ref().is_some_and(|fourth| fourth.len() < file.points.len());
        fourth = match (fourth, rest) {
            (Some(mut all), [word]) => number(word, place).ok().map(|x| {
                all.extend(is_kept.then_some(x));
                all
            }),
            _ => None,
        };
    }
    fourth.into_iter().for_each(|fourth| file.take_fourth_column(fourth));
    Ok(file)
}

fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let is_between = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b',' | b';');
    text.split(is_between).filter(|word| !word.is_empty())
}

/// Returns `true` if a line has the names of columns: those of the position first.
fn is_naming(text: &[u8]) -> bool {
    let is_axis = |(name, axis): (&[u8], &[u8; 1])| name.eq_ignore_ascii_case(axis);
    words(text).zip([b"x", b"y", b"z"]).filter(|two| is_axis(*two)).count() == 3
}

/// Refuses names with x, y and z that are not those of the first three columns: the numbers would change places.
fn refuse_order(names: &[u8], place: Place) -> Result<(), FileError> {
    let has = |axis: &[u8; 1]| words(names).any(|name| name.eq_ignore_ascii_case(axis));
    if [b"x", b"y", b"z"].into_iter().all(has) {
        let reason =
            format!("the columns are `{}`, and the first three are read as x, y and z", excerpt(names));
        return Err(FileError::new(place, reason, "write the columns x, y and z first, in this order"));
    }
    Ok(())
}

fn radius_column(names: &[u8]) -> Option<usize> {
    words(names).position(is_radius)
}

/// The number in the column of radii.
fn radius(columns: &[&[u8]], column: usize, place: Place) -> Result<f64, FileError> {
    let Some(word) = columns.get(column) else {
        let (count, column) = (columns.len(), column.saturating_add(1));
        let reason = format!("the point has {count} columns, its radius is column {column}");
        return Err(FileError::new(place, reason, "write a radius on each line"));
    };
    number(word, place)
}
