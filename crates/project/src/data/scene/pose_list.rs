//! Lists of poses: one per line, comma-separated, under a line of column names.

use super::motion::{KeyFrame, check_rising, check_times};
use crate::data::suggest::{did_you_mean, shortened};
use glam::{DQuat, DVec3};
use noli_formats::{FileError, Place};
use noli_geom::Pose;

const COLUMNS: [&str; 8] = ["t", "x", "y", "z", "qx", "qy", "qz", "qw"];
const REMEDY: &str = "begin with a line of column names: x,y,z,qx,qy,qz,qw, and t first if times are given";

/// Reads a list of poses. The first line names the columns, in any order: `x`, `y`, `z` (or `tx`, `ty`,
/// `tz`), `qx`, `qy`, `qz`, `qw`, and `t` if times are given, in rising order from any start; they are
/// mapped to 0 to 1. Without times the poses are evenly spaced. Empty lines and lines that begin with `#` are
/// left out.
pub fn parse_poses(text: &[u8]) -> Result<Vec<KeyFrame>, FileError> {
    let text = std::str::from_utf8(text)
        .map_err(|_| FileError::new(Place::Whole, "this is not UTF-8 text", "save the list as UTF-8"))?;
    let mut rows = text.trim_start_matches('\u{feff}').lines().enumerate().filter(|(_, line)| {
        let line = line.trim();
        !line.is_empty() && !line.starts_with('#')
    });
    let Some((number, header)) = rows.next() else {
        return Err(FileError::new(Place::Whole, "the list is empty", REMEDY));
    };
    let columns = columns(header).map_err(|(reason, remedy)| error(number, reason, &remedy))?;
    let timed = columns.contains(&0);
    let mut keys: Vec<KeyFrame> =
        rows.map(|(number, line)| row(line, &columns, number)).collect::<Result<_, _>>()?;
    let odd = |reason: String| FileError::new(Place::Whole, reason, "give two poses or more, times rising");
    if timed {
        check_rising(&keys).map_err(odd)?;
    }
    spread(&mut keys, timed);
    // Times may differ by so little, or by so much, that they cannot be told apart any more.
    check_times(&keys).map_err(odd)?;
    Ok(keys)
}

fn error(number: usize, reason: impl Into<String>, remedy: &str) -> FileError {
    FileError::new(Place::Line(number.saturating_add(1)), reason, remedy)
}

/// Returns the index of each column in [`COLUMNS`].
fn columns(header: &str) -> Result<Vec<usize>, (String, String)> {
    let mut found = Vec::new();
    for name in header.split(',').map(str::trim) {
        let plain = name.strip_prefix('t').filter(|rest| !rest.is_empty()).unwrap_or(name);
        let Some(column) = COLUMNS.iter().position(|known| *known == plain) else {
            let remedy = did_you_mean(name, COLUMNS.into_iter()).unwrap_or_else(|| REMEDY.into());
            return Err((format!("there is no column `{}`", shortened(name)), remedy));
        };
        if found.contains(&column) {
            return Err((format!("column `{plain}` is there twice"), "keep one of them".into()));
        }
        found.push(column);
    }
    let missing = COLUMNS.iter().enumerate().skip(1).find(|(column, _)| !found.contains(column));
    match missing {
        Some((_, name)) => Err((format!("column `{name}` is missing"), REMEDY.into())),
        None => Ok(found),
    }
}

fn row(line: &str, columns: &[usize], number: usize) -> Result<KeyFrame, FileError> {
    let mut values = [0.0; COLUMNS.len()];
    let fields: Vec<&str> = line.split(',').map(str::trim).collect();
    if fields.len() != columns.len() {
        let reason = format!("{} columns where {} are named", fields.len(), columns.len());
        return Err(error(number, reason, "give one number for each column"));
    }
    for (field, &column) in fields.iter().zip(columns) {
        let value = field.parse().ok().filter(|value: &f64| value.is_finite());
        let value = value.ok_or_else(|| {
            error(number, format!("`{}` is not a number", shortened(field)), "give a finite number")
        })?;
        values.get_mut(column).into_iter().for_each(|own| *own = value);
    }
    let [time, x, y, z, qx, qy, qz, qw] = values;
    let pose = Pose::new(DQuat::from_xyzw(qx, qy, qz, qw), DVec3::new(x, y, z));
    if !pose.is_valid() {
        return Err(error(
            number,
            "this is not a pose",
            "give a quaternion other than 0 and an ordinary place",
        ));
    }
    Ok(KeyFrame { time, pose })
}

/// Maps rising times to 0 to 1, or makes them up.
fn spread(keys: &mut [KeyFrame], timed: bool) {
    let [first, .., last] = keys else { return };
    let (start, end) = (first.time, last.time);
    let last_number = keys.len().saturating_sub(1) as f64;
    for (number, key) in keys.iter_mut().enumerate() {
        key.time = if timed {
            // Halved, because the difference of finite times need not be finite.
            (0.5 * key.time - 0.5 * start) / (0.5 * end - 0.5 * start)
        } else {
            number as f64 / last_number
        };
    }
}
