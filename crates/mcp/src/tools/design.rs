//! Opening the files of a call as a staged scene, and selecting parts of it.

use crate::answer::ToolError;
use crate::arguments::Arguments;
use crate::files;
use noli::World;
use noli::world::BodyId;
use noli_formats::{ReadOptions, Units};
use noli_project::{OpenOptions, Source, StageOptions, Staged, open_paths, stage};
use std::collections::HashSet;

/// Names listed in an error.
const FEW: usize = 40;

/// The files of a call.
pub(super) struct Design {
    pub(super) source: Source,
    pub(super) staged: Staged,
}

/// Opens `files`, in `units`, with `poses`.
pub(super) fn open(arguments: Arguments<'_>) -> Result<Design, ToolError> {
    let texts = arguments.texts("files")?;
    if texts.is_empty() {
        return Err(ToolError("argument `files` is missing: name a scene, or mesh files".to_owned()));
    }
    let paths = files::resolve_all(&texts)?;
    let units = arguments.text("units")?.map(units_of).transpose()?;
    let read = ReadOptions { chord_mm: Some(0.1), ..ReadOptions::default() };
    let options = OpenOptions { read, units, ..OpenOptions::default() };
    let mut source = open_paths(&paths, &options).map_err(ToolError::of)?;
    source.title = paths.iter().map(|path| files::shown(path)).collect::<Vec<_>>().join(", ");
    place(&mut source, arguments)?;
    let staged = stage(&source.scene, &StageOptions::default()).map_err(ToolError::of)?;
    Ok(Design { source, staged })
}

fn units_of(sign: &str) -> Result<Units, ToolError> {
    let all = || Units::ALL.map(Units::sign).join(", ");
    let found = Units::ALL.into_iter().find(|units| units.sign() == sign);
    found.ok_or_else(|| ToolError(format!("argument `units`: a unit is one of {}, not {sign}", all())))
}

/// Applies `poses` to parts of mesh files.
fn place(source: &mut Source, arguments: Arguments<'_>) -> Result<(), ToolError> {
    let Some(poses) = arguments.object("poses")? else { return Ok(()) };
    if !source.is_files {
        return Err(ToolError(
            "argument `poses`: a scene has its own poses; change them in its file".to_owned(),
        ));
    }
    for name in poses.0.keys() {
        let pose = match poses.object(name)? {
            Some(pose) => pose.pose().map_err(|error| ToolError(format!("poses.{name}: {error}")))?,
            None => continue,
        };
        let names: Vec<String> = source.scene.bodies.iter().map(|body| body.name.clone()).collect();
        let groups = source.scene.scene.groups.iter().map(|group| group.name.as_str()).collect::<Vec<_>>();
        let mut is_any = false;
        for body in &mut source.scene.bodies {
            let group = body.group.and_then(|group| groups.get(group).copied());
            if matches(name, &body.name, group) {
                (is_any, body.pose) = (true, pose * body.pose);
            }
        }
        if !is_any {
            return Err(no_part(name, names.iter().map(String::as_str)));
        }
    }
    Ok(())
}

/// Returns `true` if a name selects a part: its own, that of its object, its group or its file with or without ending.
fn matches(name: &str, part: &str, group: Option<&str>) -> bool {
    let file = |group: &str| {
        let path = group.split_once(' ').map_or(group, |(_, path)| path).to_owned();
        let path = std::path::PathBuf::from(path);
        let is = |found: Option<&std::ffi::OsStr>| found.is_some_and(|found| found == name);
        is(path.file_name()) || is(path.file_stem()) || path.ends_with(name)
    };
    part == name
        || part.rsplit(['/', '.']).next() == Some(name)
        || group.is_some_and(|group| group == name || file(group))
}

fn no_part<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> ToolError {
    let mut names: Vec<&str> = names.take(FEW + 1).collect();
    let more = if names.len() > FEW { ", …" } else { "" };
    names.truncate(FEW);
    ToolError(format!("there is no part `{name}`; the parts are {}{more}", names.join(", ")))
}

/// Returns the bodies that a name selects, with their attached objects: an exact name first, then groups and files.
pub(super) fn parts(world: &World, name: &str) -> Result<Vec<BodyId>, ToolError> {
    let found: Vec<BodyId> = match world.find(name) {
        Some(id) => vec![id],
        None => {
            let is_meant = |body: &noli::world::Body| matches(name, body.name(), body.group());
            world.bodies().filter(|(_, body)| is_meant(body)).map(|(id, _)| id).collect()
        }
    };
    if found.is_empty() {
        return Err(no_part(name, world.bodies().map(|(_, body)| body.name())));
    }
    let mut all = Vec::new();
    for id in found {
        all.extend(world.with_descendants(id).map_err(ToolError::of)?);
    }
    let mut seen = HashSet::new();
    all.retain(|id| seen.insert(*id));
    Ok(all)
}

/// Returns the bodies of several names.
pub(super) fn all_parts(world: &World, names: &[&str]) -> Result<Vec<BodyId>, ToolError> {
    let mut all = Vec::new();
    for name in names {
        all.extend(parts(world, name)?);
    }
    Ok(all)
}

/// Returns the sign of a unit with a space before it, for texts.
pub(super) fn sign(units: Option<Units>) -> String {
    units.map_or_else(String::new, |units| format!(" {}", units.sign()))
}

/// Returns a bracket in words; `unit` has its space before it.
pub(super) fn bracket(at_least: f64, at_most: f64, unit: &str) -> String {
    let (low, high) = (short(at_least), short(at_most));
    match at_most.is_finite() {
        true if low == high => format!("{low}{unit}"),
        true => format!("{low} to {high}{unit}"),
        false => format!("at least {low}{unit}"),
    }
}

/// Returns a number with six significant digits.
pub(super) fn short(number: f64) -> String {
    if number == 0.0 || !number.is_finite() {
        return number.to_string();
    }
    let digits = 5.0 - number.abs().log10().floor();
    if !(0.0..=12.0).contains(&digits) {
        return format!("{number:.5e}");
    }
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a whole number from 0 to 12")]
    let text = format!("{number:.*}", digits as usize);
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}
