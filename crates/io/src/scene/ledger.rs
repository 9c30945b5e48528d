//! What was asked for must be found.
//!
//! Every name and pattern of a scene is entered where it is read and looked up once all bodies are known, those of
//! split files included. A name that nothing answers to is an error: a mistyped one must not make a check look
//! clean.

use super::body::Body;
use super::entry::{Item, shortened};
use super::load::LoadedBody;
use super::suggest::did_you_mean;
use crate::{FileError, Place};
use noli::world::Pattern;

/// A name or pattern in a scene that some body must fit, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// What must be found.
    pub pattern: Pattern,
    /// Where the scene asks for it.
    pub place: Place,
}

/// The names of a scene while it is read.
pub(super) struct Ledger<'b> {
    bodies: &'b [Body],
    pub(super) named: Vec<Named>,
}

impl<'b> Ledger<'b> {
    pub(super) fn new(bodies: &'b [Body]) -> Self {
        Self { bodies, named: Vec::new() }
    }

    /// Enters a pattern. The name of a split body stands for all its parts. Where no body is split, all names are
    /// known already.
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

/// Whether everything that a scene names is there.
pub(super) fn settle(named: &[Named], bodies: &[LoadedBody]) -> Result<(), FileError> {
    let names = || bodies.iter().map(|body| body.name.as_str());
    for Named { pattern, place } in named {
        look_up(pattern, names).map_err(|[reason, remedy]| FileError::new(*place, reason, remedy))?;
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
