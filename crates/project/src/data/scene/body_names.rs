//! Lookup of the names used by a scene.
//!
//! Every name and pattern of a scene is registered where it is read and resolved once all bodies are read,
//! including those of split files. A name without a match is an error: a mistyped name must not make a check
//! pass.

use super::body::Body;
use crate::data::entry::Item;
use crate::data::suggest::{did_you_mean, shortened};
use noli::world::Pattern;
use noli_formats::{FileError, Place};

/// A name or pattern in a scene that some body must match, and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// The pattern to be found.
    pub pattern: Pattern,
    /// Its place in the scene.
    pub place: Place,
}

/// The names of a scene while it is read.
pub(super) struct BodyNames<'b> {
    bodies: &'b [Body],
    pub(super) named: Vec<Named>,
}

impl<'b> BodyNames<'b> {
    pub(super) fn new(bodies: &'b [Body]) -> Self {
        Self { bodies, named: Vec::new() }
    }

    /// Registers a pattern. The name of a split body selects all its parts. If no body is split, all names are
    /// already known.
    pub(super) fn pattern(&mut self, item: &Item<'_>) -> Result<Pattern, FileError> {
        let name = item.name()?;
        let is_split = self.bodies.iter().any(|body| body.split && body.name == name);
        let pattern = Pattern::new(if is_split { format!("{name}/*") } else { name });
        if !self.bodies.iter().any(|body| body.split) {
            let names = || self.bodies.iter().map(|body| body.name.as_str());
            look_up(&pattern, names).map_err(|[reason, remedy]| item.error(reason, remedy))?;
        }
        self.named.push(Named { pattern: pattern.clone(), place: item.place() });
        Ok(pattern)
    }

    /// Enters the name of one part of a split body; `false` if no split body could have it.
    pub(super) fn part(&mut self, item: &Item<'_>, name: &str) -> bool {
        let of =
            |body: &Body| body.split && name.strip_prefix(&body.name).is_some_and(|n| n.starts_with('/'));
        let could = self.bodies.iter().any(of);
        if could {
            self.named.push(Named { pattern: Pattern::new(name), place: item.place() });
        }
        could
    }
}

/// Refuses a scene that names a body which is not among these.
pub(crate) fn require_all<'n, N: Iterator<Item = &'n str>>(
    named: &[Named],
    names: impl Fn() -> N,
) -> Result<(), FileError> {
    for Named { pattern, place } in named {
        look_up(pattern, &names).map_err(|[reason, remedy]| FileError::new(*place, reason, remedy))?;
    }
    Ok(())
}

/// The reason and the remedy if no name fits.
fn look_up<'n, N: Iterator<Item = &'n str>>(
    pattern: &Pattern,
    names: impl Fn() -> N,
) -> Result<(), [String; 2]> {
    /// Names that an error lists.
    const FEW: usize = 8;
    if names().any(|name| pattern.matches(name)) {
        return Ok(());
    }
    let remedy = did_you_mean(pattern.as_str(), names()).unwrap_or_else(|| {
        let some: Vec<String> = names().take(FEW).map(shortened).collect();
        let more = if names().nth(FEW).is_some() { ", …" } else { "" };
        let known =
            if some.is_empty() { String::new() } else { format!("; there are {}{more}", some.join(", ")) };
        format!("name a body of this scene, or use * for any characters{known}")
    });
    Err([format!("no body is called `{}`", shortened(pattern.as_str())), remedy])
}

pub(super) fn no_such_body(item: &Item<'_>, name: &str, bodies: &[Body]) -> FileError {
    let suggestion = did_you_mean(name, bodies.iter().map(|body| body.name.as_str()));
    let remedy = suggestion.unwrap_or_else(|| "name a body of this scene".into());
    item.error(format!("there is no body `{}`", shortened(name)), remedy)
}
