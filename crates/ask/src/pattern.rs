//! Pairs of bodies by patterns of their names.

use crate::AskError;
use noli::World;
use noli::world::{BodySelector, Pattern};

/// Names that an error lists.
const FEW: usize = 5;

/// Parses `A` as all pairs of the matching bodies, `A,B` as those of A with those of B. A pattern without a matching body is
/// an error: a mistyped name must not make a check pass.
pub fn pair_of(text: &str, world: &World) -> Result<[Pattern; 2], AskError> {
    let names = || world.bodies().map(|(_, body)| body.name());
    let fits = |pattern: &str| {
        let pattern = Pattern::new(pattern);
        names().any(|name| pattern.matches(name))
    };
    // A comma may be part of a name.
    let (a, b) = if fits(text) { (text, "*") } else { text.split_once(',').unwrap_or((text, "*")) };
    for pattern in [a, b].map(str::trim) {
        if fits(pattern) {
            continue;
        }
        let some: Vec<&str> = names().take(FEW).collect();
        // Names of assemblies and buildings are paths.
        let wider = format!("*{}*", pattern.trim_matches('*'));
        let hint = if fits(&wider) { format!(" ({wider:?} fits some)") } else { String::new() };
        return Err(AskError::option(format!(
            "no body is called {pattern:?}{hint}; use * for any characters, and A,B for a pair; bodies are {}{}",
            some.join(", "),
            if names().count() > FEW { ", ..." } else { "" }
        )));
    }
    Ok([a, b].map(|text| Pattern::new(text.trim())))
}

/// Parses several pairs, as the rules of a world take them.
pub(crate) fn selectors(texts: &[String], world: &World) -> Result<Vec<[BodySelector; 2]>, AskError> {
    texts.iter().map(|text| Ok(pair_of(text, world)?.map(BodySelector::Named))).collect()
}
