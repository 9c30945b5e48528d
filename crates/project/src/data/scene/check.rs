//! Checked pairs and their required clearances.

use super::body::Group;
use super::body_names::BodyNames;
use crate::data::clash::{ClashKind, Excluded, Exclusion, PatternGroup};
use crate::data::entry::{Item, Table};
use crate::data::suggest::shortened;
use noli::world::{BodySelector, Pattern, Rules};
use noli_formats::{FileError, Place};

/// Checked pairs of bodies and their required clearances, by name. Like a robot's allowed collision
/// matrix.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Check {
    /// Pairs that are left out.
    pub skip: Vec<[Pattern; 2]>,
    /// If not empty, the only checked pairs.
    pub only: Vec<[Pattern; 2]>,
    /// Bodies closer than this count as touching.
    pub margin: f64,
    /// Margins of some pairs; the last that fits counts.
    pub margins: Vec<([Pattern; 2], f64)>,
    /// By which method of the literature pairs are compared; the trees if absent.
    pub method: Option<MethodName>,
    /// Clashes that are so by design: found and listed, but they do not count.
    pub exclusions: Vec<Exclusion>,
    /// Permitted overlap of bodies: clashes no deeper than this are found, listed and counted as within tolerance.
    /// `None` permits the uncertainty of triangulated bodies.
    pub tolerance: Option<f64>,
    /// Tolerances of some pairs; the last that fits counts.
    pub tolerances: Vec<([Pattern; 2], f64)>,
    /// Groups of clashes by names of bodies.
    pub clash_groups: Vec<PatternGroup>,
}

/// The name of a method, with a setting after a colon where it has one. Programs with such methods resolve it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MethodName {
    /// As the scene gives it.
    pub name: String,
    /// Its place in the scene file.
    pub place: Place,
}

impl Check {
    /// As rules of a world.
    pub fn rules(&self) -> Rules {
        let named = |pair: &[Pattern; 2]| pair.clone().map(BodySelector::Named);
        let mut rules = Rules::default();
        if !self.only.is_empty() {
            rules.keep_only(self.only.iter().map(named).collect());
        }
        self.skip.iter().for_each(|pair| rules.set(named(pair), false));
        rules.set_default_margin(self.margin);
        self.margins.iter().for_each(|(pair, margin)| rules.set_margin(named(pair), *margin));
        rules
    }
}

pub(super) fn check(
    root: &mut Table<'_>,
    groups: &[Group],
    names: &mut BodyNames<'_>,
) -> Result<Check, FileError> {
    let Some(item) = root.take("check") else { return Ok(Check::default()) };
    let mut table = item.table()?;
    let mut pairs = |key| table.take(key).map(|item| pairs(&item, names)).transpose();
    let (skip, only) = (pairs("skip")?.unwrap_or_default(), pairs("only")?.unwrap_or_default());
    let margin = table.take("margin").map(|item| item.not_negative()).transpose()?.unwrap_or(0.0);
    let margins = table.take("margins").map(|item| lengths(&item, "margin", names));
    let margins = margins.transpose()?.unwrap_or_default();
    let tolerance = table.take("tolerance").map(|item| item.not_negative()).transpose()?;
    let tolerances = table.take("tolerances").map(|item| lengths(&item, "tolerance", names));
    let tolerances = tolerances.transpose()?.unwrap_or_default();
    let method = table.take("method").map(|item| method(&item)).transpose()?;
    let exclusions = table.take("exclude").map(|item| item.array()).transpose()?.unwrap_or_default();
    let exclusions =
        exclusions.iter().map(|item| exclusion(item, groups, names)).collect::<Result<_, _>>()?;
    let clash_groups = table.take("clash_groups").map(|item| item.array()).transpose()?.unwrap_or_default();
    let clash_groups = clash_groups.iter().map(|item| clash_group(item, names)).collect::<Result<_, _>>()?;
    table.finish()?;
    Ok(Check { skip, only, margin, margins, method, exclusions, tolerance, tolerances, clash_groups })
}

/// One of `pair`, `body` and `groups`, with `kinds` and a `reason` as wanted.
fn exclusion(item: &Item<'_>, groups: &[Group], names: &mut BodyNames<'_>) -> Result<Exclusion, FileError> {
    let mut table = item.table()?;
    let (named, body, grouped) = (table.take("pair"), table.take("body"), table.take("groups"));
    let of = match (named, body, grouped) {
        (Some(item), None, None) => Excluded::Pair(pair(&item, names)?),
        (None, Some(item), None) => Excluded::Body(names.pattern(&item)?),
        (None, None, Some(item)) => {
            let names =
                item.array()?.iter().map(|item| group_name(item, groups)).collect::<Result<Vec<_>, _>>()?;
            let two = <[String; 2]>::try_from(names);
            Excluded::Groups(two.map_err(|_| item.wrong("give the names of two groups in [ ]"))?)
        }
        _ => {
            let remedy = "give one of `pair = [\"a\", \"b\"]`, `body = \"a\"` and `groups = [\"g\", \"h\"]`";
            return Err(item.error("an exclusion is about one thing", remedy));
        }
    };
    let kinds = table.take("kinds").map(|item| item.array()).transpose()?.unwrap_or_default();
    let words = ClashKind::ALL.map(|kind| (kind.word(), kind));
    let kinds = kinds.iter().map(|item| item.choice(&words)).collect::<Result<_, _>>()?;
    let reason = table.take("reason").map(|item| item.text().map(str::to_owned)).transpose()?;
    table.finish()?;
    Ok(Exclusion { of, kinds, reason: reason.unwrap_or_default() })
}

fn group_name(item: &Item<'_>, groups: &[Group]) -> Result<String, FileError> {
    let name = item.name()?;
    if groups.iter().any(|group| group.name == name) {
        return Ok(name);
    }
    let known: Vec<&str> = groups.iter().map(|group| group.name.as_str()).take(8).collect();
    let remedy = match known.is_empty() {
        true => "this scene has no groups; add some under [[group]]".to_owned(),
        false => format!("there are {}", known.join(", ")),
    };
    Err(item.error(format!("no group is called `{}`", shortened(&name)), remedy))
}

/// `{ name = "pipes in walls", pair = ["pipe*", "wall*"] }`.
fn clash_group(item: &Item<'_>, names: &mut BodyNames<'_>) -> Result<PatternGroup, FileError> {
    let mut table = item.table()?;
    let name = table.need("name", "add `name`")?.name()?;
    let pair = pair(&table.need("pair", "add `pair = [\"a\", \"b\"]`")?, names)?;
    table.finish()?;
    Ok(PatternGroup { name, pair })
}

fn method(item: &Item<'_>) -> Result<MethodName, FileError> {
    Ok(MethodName { name: item.name()?, place: item.place() })
}

/// A list whose entries are pairs `["a", "b"]`, or one name `"a"` for all pairs of that body.
fn pairs(item: &Item<'_>, names: &mut BodyNames<'_>) -> Result<Vec<[Pattern; 2]>, FileError> {
    item.array()?.iter().map(|entry| pair(entry, names)).collect()
}

fn pair(item: &Item<'_>, names: &mut BodyNames<'_>) -> Result<[Pattern; 2], FileError> {
    if item.is_text() {
        return Ok([names.pattern(item)?, Pattern::new("*")]);
    }
    let remedy = "give a name, or two names in [ ]";
    if !item.is_array() {
        return Err(item.wrong(remedy));
    }
    let [a, b]: [Item<'_>; 2] = item.array()?.try_into().map_err(|_| item.wrong(remedy))?;
    Ok([names.pattern(&a)?, names.pattern(&b)?])
}

/// Entries such as `{ pair = ["a", "b"], margin = 2 }`.
fn lengths(
    item: &Item<'_>,
    key: &'static str,
    names: &mut BodyNames<'_>,
) -> Result<Vec<([Pattern; 2], f64)>, FileError> {
    let entry = |item: &Item<'_>| {
        let mut table = item.table()?;
        let pair = pair(&table.need("pair", "add `pair = [\"a\", \"b\"]`")?, names)?;
        let length = table.need(key, &format!("add `{key}`"))?.not_negative()?;
        table.finish()?;
        Ok((pair, length))
    };
    item.array()?.iter().map(entry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use noli::{Convex, Model, Pose, World};

    #[test]
    fn the_last_margin_that_fits_counts() {
        let pair = |a, b| [Pattern::new(a), Pattern::new(b)];
        let check = Check {
            skip: vec![pair("x", "*")],
            only: vec![pair("a*", "*")],
            margin: 1.0,
            margins: vec![(pair("a*", "b"), 2.0), (pair("b", "a1"), 3.0)],
            ..Check::default()
        };
        let (sphere, mut world) = (Model::from(Convex::sphere(1.0).unwrap()), World::default());
        for name in ["q", "r", "x", "a", "a1", "a2", "b"] {
            world.add(name, &sphere, Pose::IDENTITY).unwrap();
        }
        *world.rules_mut() = check.rules();
        let margin = |a, b| world.margin_between(world.find(a).unwrap(), world.find(b).unwrap()).unwrap();
        assert_eq!([margin("q", "a1"), margin("q", "r"), margin("a", "x")], [Some(1.0), None, None]);
        let margins = [("a1", "b"), ("b", "a2"), ("a1", "a2")].map(|(a, b)| margin(a, b));
        assert_eq!(margins, [Some(3.0), Some(2.0), Some(1.0)]);
    }
}
