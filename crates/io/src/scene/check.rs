//! Which pairs are asked about, and how close is too close.

use super::body::Group;
use super::entry::{Item, Table, shortened};
use super::ledger::Ledger;
use crate::FileError;
use crate::clash::{ClashKind, Excluded, Exclusion, PatternGroup};
use noli::world::{Pattern, Rules, Who};
use noli_classics::PairMethod;

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
    /// By which method pairs are compared; the trees if absent.
    pub method: Option<PairMethod>,
    /// Clashes that are so by design: found and listed, but they do not count.
    pub exclusions: Vec<Exclusion>,
    /// How far bodies may reach into each other: what is no deeper is found, listed and counted as within tolerance.
    pub tolerance: f64,
    /// Tolerances of some pairs; the last that fits counts.
    pub tolerances: Vec<([Pattern; 2], f64)>,
    /// Groups of clashes by names of bodies.
    pub clash_groups: Vec<PatternGroup>,
}

impl Check {
    /// As rules of a world.
    pub fn rules(&self) -> Rules {
        let named = |pair: &[Pattern; 2]| pair.clone().map(Who::Named);
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
    ledger: &mut Ledger<'_>,
) -> Result<Check, FileError> {
    let Some(item) = root.take("check") else { return Ok(Check::default()) };
    let mut table = item.table()?;
    let mut pairs = |key| table.take(key).map(|item| pairs(&item, ledger)).transpose();
    let (skip, only) = (pairs("skip")?.unwrap_or_default(), pairs("only")?.unwrap_or_default());
    let margin = table.take("margin").map(|item| item.not_negative()).transpose()?.unwrap_or(0.0);
    let margins = table.take("margins").map(|item| lengths(&item, "margin", ledger));
    let margins = margins.transpose()?.unwrap_or_default();
    let tolerance = table.take("tolerance").map(|item| item.not_negative()).transpose()?.unwrap_or(0.0);
    let tolerances = table.take("tolerances").map(|item| lengths(&item, "tolerance", ledger));
    let tolerances = tolerances.transpose()?.unwrap_or_default();
    let method = table.take("method").map(|item| method(&item)).transpose()?;
    let exclusions = table.take("exclude").map(|item| item.array()).transpose()?.unwrap_or_default();
    let exclusions =
        exclusions.iter().map(|item| exclusion(item, groups, ledger)).collect::<Result<_, _>>()?;
    let clash_groups = table.take("clash_groups").map(|item| item.array()).transpose()?.unwrap_or_default();
    let clash_groups = clash_groups.iter().map(|item| clash_group(item, ledger)).collect::<Result<_, _>>()?;
    table.finish()?;
    Ok(Check { skip, only, margin, margins, method, exclusions, tolerance, tolerances, clash_groups })
}

/// One of `pair`, `body` and `groups`, with `kinds` and a `reason` as wanted.
fn exclusion(item: &Item<'_>, groups: &[Group], ledger: &mut Ledger<'_>) -> Result<Exclusion, FileError> {
    let mut table = item.table()?;
    let (named, body, grouped) = (table.take("pair"), table.take("body"), table.take("groups"));
    let of = match (named, body, grouped) {
        (Some(item), None, None) => Excluded::Pair(pair(&item, ledger)?),
        (None, Some(item), None) => Excluded::Body(ledger.pattern(&item)?),
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
fn clash_group(item: &Item<'_>, ledger: &mut Ledger<'_>) -> Result<PatternGroup, FileError> {
    let mut table = item.table()?;
    let name = table.need("name", "add `name`")?.name()?;
    let pair = pair(&table.need("pair", "add `pair = [\"a\", \"b\"]`")?, ledger)?;
    table.finish()?;
    Ok(PatternGroup { name, pair })
}

/// A method by its name, with a setting after a colon where it has one.
fn method(item: &Item<'_>) -> Result<PairMethod, FileError> {
    let name = item.name()?;
    name.parse().map_err(|_| {
        let remedy = format!("choose {}", PairMethod::choices());
        item.error(format!("there is no method `{}`", shortened(&name)), remedy)
    })
}

/// A list whose entries are pairs `["a", "b"]`, or one name `"a"` for all pairs of that body.
fn pairs(item: &Item<'_>, ledger: &mut Ledger<'_>) -> Result<Vec<[Pattern; 2]>, FileError> {
    item.array()?.iter().map(|entry| pair(entry, ledger)).collect()
}

fn pair(item: &Item<'_>, ledger: &mut Ledger<'_>) -> Result<[Pattern; 2], FileError> {
    if item.is_text() {
        return Ok([ledger.pattern(item)?, Pattern::new("*")]);
    }
    let remedy = "give a name, or two names in [ ]";
    if !item.is_array() {
        return Err(item.wrong(remedy));
    }
    let [a, b]: [Item<'_>; 2] = item.array()?.try_into().map_err(|_| item.wrong(remedy))?;
    Ok([ledger.pattern(&a)?, ledger.pattern(&b)?])
}

/// Entries such as `{ pair = ["a", "b"], margin = 2 }`.
fn lengths(
    item: &Item<'_>,
    key: &'static str,
    ledger: &mut Ledger<'_>,
) -> Result<Vec<([Pattern; 2], f64)>, FileError> {
    let entry = |item: &Item<'_>| {
        let mut table = item.table()?;
        let pair = pair(&table.need("pair", "add `pair = [\"a\", \"b\"]`")?, ledger)?;
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
        let (ball, mut world) = (Model::from(Convex::sphere(1.0).unwrap()), World::default());
        for name in ["q", "r", "x", "a", "a1", "a2", "b"] {
            world.add(name, &ball, Pose::IDENTITY).unwrap();
        }
        *world.rules_mut() = check.rules();
        let margin = |a, b| world.margin_between(world.find(a).unwrap(), world.find(b).unwrap()).unwrap();
        assert_eq!([margin("q", "a1"), margin("q", "r"), margin("a", "x")], [Some(1.0), None, None]);
        let margins = [("a1", "b"), ("b", "a2"), ("a1", "a2")].map(|(a, b)| margin(a, b));
        assert_eq!(margins, [Some(3.0), Some(2.0), Some(1.0)]);
    }

    /// What the library calls its methods is what a scene may say.
    #[test]
    fn every_method_can_be_named_in_a_scene() {
        for (name, method) in PairMethod::NAMES.into_iter().zip(PairMethod::ALL) {
            let scene = crate::parse_scene(format!("[check]\nmethod = \"{name}\"").as_bytes()).unwrap();
            assert_eq!(scene.check.method, Some(method), "{name}");
        }
        let set = crate::parse_scene(b"[check]\nmethod = 'four-step:12'").unwrap();
        assert_eq!(set.check.method, Some(PairMethod::FourStep { m: 12 }));
    }
}
