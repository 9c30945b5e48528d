//! Which pairs are asked about, and how close is too close.

use super::body::Body;
use super::entry::{Item, Table, shortened};
use super::suggest::did_you_mean;
use crate::FileError;
use noli::Pattern;

/// A pattern that fits at least one body; bodies that are split have names nobody knows yet.
pub(super) fn pattern(item: &Item<'_>, bodies: &[Body]) -> Result<Pattern, FileError> {
    let pattern = Pattern::new(item.name()?);
    let fits = names(bodies).any(|name| pattern.matches(name));
    if fits || bodies.iter().any(|body| body.split) {
        return Ok(pattern);
    }
    let remedy = did_you_mean(pattern.as_str(), names(bodies))
        .unwrap_or_else(|| "name a body of this scene, or use * for any characters".into());
    Err(item.error(format!("no body is called `{}`", shortened(pattern.as_str())), remedy))
}

pub(super) fn names(bodies: &[Body]) -> impl Iterator<Item = &str> {
    bodies.iter().map(|body| body.name.as_str())
}

/// Which pairs of bodies are asked about, and how close they may come. Like a robot's allowed collision
/// matrix, by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Check {
    /// Pairs that are left out.
    pub skip: Vec<[Pattern; 2]>,
    /// If there are any: the only pairs that are looked at.
    pub only: Vec<[Pattern; 2]>,
    /// Bodies closer than this count as touching.
    pub margin: f64,
    /// Margins of some pairs; the last that fits counts.
    pub margins: Vec<([Pattern; 2], f64)>,
    /// By which method pairs are compared, as the library names it; its default if absent.
    pub method: Option<String>,
}

impl Check {
    /// Whether two bodies are asked about.
    pub fn includes(&self, a: &str, b: &str) -> bool {
        let any = |pairs: &[[Pattern; 2]]| pairs.iter().any(|pair| fits(pair, a, b));
        (self.only.is_empty() || any(&self.only)) && !any(&self.skip)
    }

    /// How close two bodies may come without counting as touching.
    pub fn margin_of(&self, a: &str, b: &str) -> f64 {
        let last = self.margins.iter().rev().find(|(pair, _)| fits(pair, a, b));
        last.map_or(self.margin, |(_, margin)| *margin)
    }
}

/// Whether two names fit a pair of patterns, either way round.
fn fits([x, y]: &[Pattern; 2], a: &str, b: &str) -> bool {
    (x.matches(a) && y.matches(b)) || (x.matches(b) && y.matches(a))
}

pub(super) fn check(root: &mut Table<'_>, bodies: &[Body]) -> Result<Check, FileError> {
    let Some(item) = root.take("check") else { return Ok(Check::default()) };
    let mut table = item.table()?;
    let mut pairs = |key| table.take(key).map(|item| pairs(&item, bodies)).transpose();
    let (skip, only) = (pairs("skip")?.unwrap_or_default(), pairs("only")?.unwrap_or_default());
    let margin = table.take("margin").map(|item| item.not_negative()).transpose()?.unwrap_or(0.0);
    let margins = table.take("margins").map(|item| margins(&item, bodies)).transpose()?.unwrap_or_default();
    let method = table.take("method").map(|item| method(&item)).transpose()?;
    table.finish()?;
    Ok(Check { skip, only, margin, margins, method })
}

const METHODS: [&str; 5] = ["tree", "four-step", "boyse", "moore", "occupancy"];

/// A method by its name, with a setting after a colon where it has one.
fn method(item: &Item<'_>) -> Result<String, FileError> {
    let name = item.name()?;
    let (word, setting) =
        name.split_once(':').map_or((&*name, None), |(word, setting)| (word, Some(setting)));
    let settable = ["four-step", "occupancy"].contains(&word);
    let is_set = |text: &str| settable && text.parse::<u32>().is_ok_and(|n| n > 0);
    if METHODS.contains(&word) && setting.is_none_or(is_set) {
        return Ok(name);
    }
    let remedy = format!(
        "choose {}; four-step and occupancy take a number, as in \"four-step:9\"",
        METHODS.join(", ")
    );
    Err(item.error(format!("there is no method `{}`", shortened(&name)), remedy))
}

/// A list whose entries are pairs `["a", "b"]`, or one name `"a"` for all pairs of that body.
fn pairs(item: &Item<'_>, bodies: &[Body]) -> Result<Vec<[Pattern; 2]>, FileError> {
    item.array()?.iter().map(|entry| pair(entry, bodies)).collect()
}

fn pair(item: &Item<'_>, bodies: &[Body]) -> Result<[Pattern; 2], FileError> {
    if item.is_text() {
        return Ok([pattern(item, bodies)?, Pattern::new("*")]);
    }
    let remedy = "give a name, or two names in [ ]";
    if !item.is_array() {
        return Err(item.wrong(remedy));
    }
    let [a, b]: [Item<'_>; 2] = item.array()?.try_into().map_err(|_| item.wrong(remedy))?;
    Ok([pattern(&a, bodies)?, pattern(&b, bodies)?])
}

/// Entries `{ pair = ["a", "b"], margin = 2 }`.
fn margins(item: &Item<'_>, bodies: &[Body]) -> Result<Vec<([Pattern; 2], f64)>, FileError> {
    let entry = |item: &Item<'_>| {
        let mut table = item.table()?;
        let pair = pair(&table.need("pair", "add `pair = [\"a\", \"b\"]`")?, bodies)?;
        let margin = table.need("margin", "add `margin`")?.not_negative()?;
        table.finish()?;
        Ok((pair, margin))
    };
    item.array()?.iter().map(entry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_margin_that_fits_counts() {
        let pair = |a, b| [Pattern::new(a), Pattern::new(b)];
        let check = Check {
            skip: vec![pair("x", "*")],
            only: vec![pair("a*", "*")],
            margin: 1.0,
            margins: vec![(pair("a*", "b"), 2.0), (pair("b", "a1"), 3.0)],
            method: None,
        };
        assert!(check.includes("q", "a1") && !check.includes("q", "r") && !check.includes("a", "x"));
        let margins = [("a1", "b"), ("b", "a2"), ("a1", "a2")].map(|(a, b)| check.margin_of(a, b));
        assert_eq!(margins, [3.0, 2.0, 1.0]);
    }
}
