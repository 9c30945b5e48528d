//! Poses: a position and one of four representations of a rotation.

use crate::data::entry::{Item, Table};
use glam::{DMat3, DMat4, DQuat, DVec3};
use noli_formats::FileError;
use noli_geom::{Pose, rotation};

/// Maximum deviation of a matrix from a rotation, in each entry of MᵀM − 1.
const MATRIX_TOLERANCE: f64 = 1e-6;

const ROTATIONS: [&str; 5] = ["quaternion", "rpy_deg", "rpy_rad", "axis", "matrix"];

/// The pose under `key` of a table, the identity if it is not there.
pub(crate) fn pose_of(table: &mut Table<'_>, key: &'static str) -> Result<Option<Pose>, FileError> {
    let Some(item) = table.take(key) else { return Ok(None) };
    let mut table = item.table()?;
    let pose = pose(&mut table)?;
    table.finish()?;
    Ok(Some(pose))
}

/// The keys of a pose, taken from a table that may have others.
pub(crate) fn pose(table: &mut Table<'_>) -> Result<Pose, FileError> {
    let xyz = table.take("xyz").map(|item| item.vector()).transpose()?;
    let angle = table.take_one(&["angle_deg", "angle_rad"])?;
    let rotation = table.take_one(&ROTATIONS)?;
    if let (Some((key, angle)), false) = (&angle, matches!(rotation, Some(("axis", _)))) {
        return Err(
            angle.error(format!("{} has `{key}` without an axis", table.what()), "add `axis = [x, y, z]`")
        );
    }
    let translation = xyz.unwrap_or_default();
    let Some((key, item)) = rotation else { return Ok(Pose::from_translation(translation)) };
    let rotation = match key {
        "quaternion" => quaternion(&item)?,
        "rpy_deg" => roll_pitch_yaw(item.numbers()?.map(half_of_degrees)),
        "rpy_rad" => roll_pitch_yaw(item.numbers()?.map(half_of_radians)),
        "axis" => about_axis(&item, angle, table)?,
        _ => return matrix(&item, xyz),
    };
    Ok(Pose::new(rotation, translation))
}

/// x, y, z, w; of any length but zero.
fn quaternion(item: &Item<'_>) -> Result<DQuat, FileError> {
    let [x, y, z, w] = item.numbers()?;
    let rotation = DQuat::from_xyzw(x, y, z, w);
    if !Pose::from_rotation(rotation).is_valid() {
        return Err(item.wrong("give [x, y, z, w], not all of them 0"));
    }
    Ok(rotation)
}

/// Sine and cosine of half an angle, up to a common factor: whole numbers for right angles, so that
/// these are exact.
type Half = [f64; 2];

fn half_of_degrees(angle: f64) -> Half {
    let turned = angle.rem_euclid(360.0);
    match turned {
        0.0 => [0.0, 1.0],
        90.0 => [1.0, 1.0],
        180.0 => [1.0, 0.0],
        270.0 => [1.0, -1.0],
        _ => half_of_radians(turned.to_radians()),
    }
}

fn half_of_radians(angle: f64) -> Half {
    (0.5 * angle).sin_cos().into()
}

fn about(axis: DVec3, [sin, cos]: Half) -> DQuat {
    let v = axis * sin;
    DQuat::from_xyzw(v.x, v.y, v.z, cos)
}

/// About the fixed axes x, then y, then z, as in URDF.
fn roll_pitch_yaw([roll, pitch, yaw]: [Half; 3]) -> DQuat {
    about(DVec3::Z, yaw) * about(DVec3::Y, pitch) * about(DVec3::X, roll)
}

fn about_axis(
    axis: &Item<'_>,
    angle: Option<(&'static str, Item<'_>)>,
    table: &Table<'_>,
) -> Result<DQuat, FileError> {
    let Some((unit, angle)) = angle else {
        let reason = format!("{} has an axis without an angle", table.what());
        return Err(axis.error(reason, "add `angle_deg` or `angle_rad`"));
    };
    let half = if unit == "angle_deg" { half_of_degrees } else { half_of_radians };
    Ok(about(axis.direction()?, half(angle.number()?)))
}

/// Three or four rows of three or four numbers: a rotation, and in the fourth column a place.
fn matrix(item: &Item<'_>, xyz: Option<DVec3>) -> Result<Pose, FileError> {
    let rows = item.array()?;
    let remedy = "give 3 rows of 3 numbers, or of 4 with the place last (a fourth row is 0 0 0 1)";
    if !(3..=4).contains(&rows.len()) {
        return Err(item.wrong(remedy));
    }
    let wide = rows.first().map_or(Ok(0), |row| row.array().map(|row| row.len()))? == 4;
    let row = |row: &Item<'_>| match wide {
        true => row.numbers::<4>(),
        false => row.numbers::<3>().map(|[x, y, z]| [x, y, z, 0.0]),
    };
    let rows: Vec<[f64; 4]> = rows.iter().map(row).collect::<Result<_, _>>()?;
    if rows.get(3).is_some_and(|&last| last != [0.0, 0.0, 0.0, 1.0]) || (rows.len() == 4 && !wide) {
        return Err(item.wrong(remedy));
    }
    if wide && xyz.is_some() {
        return Err(item.error("the place is given twice", "drop `xyz` or the fourth column"));
    }
    let [a, b, c, ..] = rows[..] else { return Err(item.wrong(remedy)) };
    let columns = DMat4::from_cols_array_2d(&[a, b, c, [0.0, 0.0, 0.0, 1.0]]).transpose();
    let turn = rotation::of_matrix(&DMat3::from_mat4(columns), MATRIX_TOLERANCE);
    let remedy = "give orthonormal rows that do not mirror; scale belongs into the mesh";
    let turn = turn.ok_or_else(|| item.error("the matrix is not a rotation", remedy))?;
    Ok(Pose::new(turn, xyz.unwrap_or(columns.w_axis.truncate())))
}
