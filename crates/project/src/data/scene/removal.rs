//! Removals listed by a scene: parts, prerequisites and paths.

use super::body::{Body, Group};
use super::body_names::{BodyNames, no_such_body};
use super::motion::{self, MotionPath, Mover, SceneMotion};
use crate::data::entry::{Item, Table};
use crate::data::suggest::shortened;
use noli_formats::{FileError, Place};

/// A part, or several, to be removed from a scene.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneRemoval {
    /// Its name; that of the part if not given.
    pub name: String,
    /// The body or group to be removed.
    pub part: String,
    /// Bodies and groups that move along: a tool, a hand.
    pub with: Vec<String>,
    /// Bodies and groups removed before.
    pub without: Vec<String>,
    /// Removals, by name, that come before: what they take out is out.
    pub after: Vec<String>,
    /// Required clearance of the part from all others; that of the scene's rules if not given.
    pub margin: Option<f64>,
    /// Distance from the box of the others that counts as removed.
    pub exit_distance: f64,
    /// The removal path; to be found if not given.
    pub motion: Option<SceneMotion>,
    /// Its line in the scene file, counted from 1.
    pub line: usize,
}

pub(super) fn removals(
    root: &mut Table<'_>,
    bodies: &[Body],
    groups: &[Group],
    names: &mut BodyNames<'_>,
) -> Result<Vec<SceneRemoval>, FileError> {
    let tables = root.take("removal").map(|item| item.tables("removal")).transpose()?.unwrap_or_default();
    let mut removals: Vec<SceneRemoval> = Vec::new();
    for mut table in tables {
        let item = table.need("part", "add `part`, a body or group")?;
        let part = item.name()?;
        let mover = resolve(&item, &part, bodies, groups, names)?;
        let name = table.take("name").map(|item| item.name()).transpose()?.unwrap_or_else(|| part.clone());
        table.rename(format!("the removal `{}`", shortened(&name)));
        let Place::Line(line) = table.place() else { unreachable!("tables of a scene have lines") };
        if removals.iter().any(|other| other.name == name) {
            let reason = format!("there are two removals called `{}`", shortened(&name));
            return Err(table.error(reason, "give one another `name`"));
        }
        let mut lists: [Vec<String>; 2] = Default::default();
        for (list, key) in lists.iter_mut().zip(["with", "without"]) {
            for item in table.take(key).map(|item| item.array()).transpose()?.unwrap_or_default() {
                let name = item.name()?;
                resolve(&item, &name, bodies, groups, names)?;
                list.push(name);
            }
        }
        let mut after = Vec::new();
        for item in table.take("after").map(|item| item.array()).transpose()?.unwrap_or_default() {
            let name = item.name()?;
            if !removals.iter().any(|other| other.name == name) {
                let reason = format!("there is no removal `{}` before this one", shortened(&name));
                return Err(item.error(reason, "name a [[removal]] further up"));
            }
            after.push(name);
        }
        let margin = table.take("margin").map(|item| item.not_negative()).transpose()?;
        let exit_distance =
            table.take("exit_distance").map(|item| item.not_negative()).transpose()?.unwrap_or(0.0);
        let motion = match table.take("kind") {
            Some(_) => {
                let path: MotionPath = motion::path(&mut table)?;
                Some(SceneMotion { mover, path, seconds: 1.0, line })
            }
            None => None,
        };
        table.finish()?;
        let [with, without] = lists;
        removals.push(SceneRemoval { name, part, with, without, after, margin, exit_distance, motion, line });
    }
    Ok(removals)
}

/// Resolves a name: a body, a part of a split one, or a group.
fn resolve(
    item: &Item<'_>,
    name: &str,
    bodies: &[Body],
    groups: &[Group],
    names: &mut BodyNames<'_>,
) -> Result<Mover, FileError> {
    if let Some(number) = bodies.iter().position(|body| body.name == name) {
        return Ok(Mover::Body(number));
    }
    if let Some(number) = groups.iter().position(|group| group.name == name) {
        return Ok(Mover::Group(number));
    }
    if names.part(item, name) {
        return Ok(Mover::Part(name.to_owned()));
    }
    Err(no_such_body(item, name, bodies))
}
