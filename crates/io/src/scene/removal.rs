//! Removals that a scene lists: what is to come out, after what, along which way.

use super::body::{Body, Group, no_such_body};
use super::entry::{Item, Table, shortened};
use super::ledger::Ledger;
use super::motion::{self, MotionPath, Mover, SceneMotion};
use crate::{FileError, Place};

/// A part, or several, to be taken out of a scene.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneRemoval {
    /// What it is called; the part if the scene does not say.
    pub name: String,
    /// The body or group that is taken out.
    pub part: String,
    /// Bodies and groups that move along: a tool, a hand.
    pub with: Vec<String>,
    /// Bodies and groups that have been taken out before.
    pub without: Vec<String>,
    /// Removals, by name, that come before: what they take out is out.
    pub after: Vec<String>,
    /// How far the part is to be kept from all others; what the scene's rules say if not given.
    pub margin: Option<f64>,
    /// How far from the box of the others is out.
    pub gap: f64,
    /// The way; one is to be found if not given.
    pub motion: Option<SceneMotion>,
    /// Where the scene says so, counted from 1.
    pub line: usize,
}

pub(super) fn removals(
    root: &mut Table<'_>,
    bodies: &[Body],
    groups: &[Group],
    ledger: &mut Ledger<'_>,
) -> Result<Vec<SceneRemoval>, FileError> {
    let tables = root.take("removal").map(|item| item.tables("removal")).transpose()?.unwrap_or_default();
    let mut removals: Vec<SceneRemoval> = Vec::new();
    for mut table in tables {
        let item = table.need("part", "add `part`, a body or group")?;
        let part = item.name()?;
        let mover = resolve(&item, &part, bodies, groups, ledger)?;
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
                resolve(&item, &name, bodies, groups, ledger)?;
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
        let gap = table.take("gap").map(|item| item.not_negative()).transpose()?.unwrap_or(0.0);
        let motion = match table.take("kind") {
            Some(_) => {
                let path: MotionPath = motion::path(&mut table)?;
                Some(SceneMotion { mover, path, seconds: 1.0, line })
            }
            None => None,
        };
        table.finish()?;
        let [with, without] = lists;
        removals.push(SceneRemoval { name, part, with, without, after, margin, gap, motion, line });
    }
    Ok(removals)
}

/// What a name means: a body, a part of a split one, or a group.
fn resolve(
    item: &Item<'_>,
    name: &str,
    bodies: &[Body],
    groups: &[Group],
    ledger: &mut Ledger<'_>,
) -> Result<Mover, FileError> {
    if let Some(number) = bodies.iter().position(|body| body.name == name) {
        return Ok(Mover::Body(number));
    }
    if let Some(number) = groups.iter().position(|group| group.name == name) {
        return Ok(Mover::Group(number));
    }
    if ledger.part(item, name) {
        return Ok(Mover::Part(name.to_owned()));
    }
    Err(no_such_body(item, name, bodies))
}
