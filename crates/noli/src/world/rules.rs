//! Rules that enable or disable pairs of bodies, and their margins.

use super::body::{Body, BodyId};
use super::pattern::Pattern;
use std::collections::HashMap;

/// Some of the bodies.
#[derive(Clone, Debug, PartialEq)]
pub enum BodySelector {
    /// All.
    Anyone,
    /// One.
    Body(BodyId),
    /// Those of a group.
    Group(String),
    /// Those on a layer.
    Layer(u8),
    /// Those whose name fits a pattern.
    Named(Pattern),
}

impl BodySelector {
    pub(super) fn includes(&self, id: BodyId, body: &Body) -> bool {
        match self {
            Self::Anyone => true,
            Self::Body(one) => *one == id,
            Self::Group(group) => body.group() == Some(group),
            Self::Layer(layer) => {
                body.layers().checked_shr(u32::from(*layer)).is_some_and(|bits| bits & 1 == 1)
            }
            Self::Named(pattern) => pattern.matches(body.name()),
        }
    }
}

/// The allowed collision matrix (ACM): enabled and disabled pairs, and their margins.
///
/// All pairs are enabled until a rule disables them. Rules apply in the given order, so the last that matches
/// a pair counts. A setting for a specific pair of bodies overrides any rule about groups, layers or names.
/// The order within a pair does not matter.
///
/// ```
/// use noli::world::{Pattern, Rules, BodySelector};
/// let mut rules = Rules::default();
/// rules.set([BodySelector::Group("robot".into()), BodySelector::Group("robot".into())], false);
/// rules.set([BodySelector::Named(Pattern::new("gripper*")), BodySelector::Group("robot".into())], true);
/// rules.set_margin([BodySelector::Anyone, BodySelector::Layer(3)], 2.5);
/// ```
#[doc(alias("allowed collision matrix", "collision matrix", "AllowedCollisionMatrix", "collision filter"))]
#[derive(Clone, Debug, Default)]
pub struct Rules {
    pub(super) pairs: HashMap<[BodyId; 2], bool>,
    pub(super) rules: Vec<Rule>,
    margin: f64,
    pub(super) margins: Vec<([BodySelector; 2], f64)>,
}

/// A rule for many pairs at once.
#[derive(Clone, Debug)]
pub(super) enum Rule {
    /// Pairs like these matter, or do not.
    Set([BodySelector; 2], bool),
    /// Pairs like none of these do not matter.
    KeepOnly(Vec<[BodySelector; 2]>),
    /// Pairs within a group matter, or do not.
    SameGroup(bool),
}

impl Rule {
    /// The pairs it speaks of.
    pub(super) fn pairs(&self) -> &[[BodySelector; 2]] {
        match self {
            Self::Set(pair, _) => std::slice::from_ref(pair),
            Self::KeepOnly(pairs) => pairs,
            Self::SameGroup(_) => &[],
        }
    }
}

/// A body and its id.
pub(super) type Named<'b> = (BodyId, &'b Body);

impl Rules {
    /// Enables or disables matching pairs.
    pub fn set(&mut self, pair: [BodySelector; 2], matters: bool) {
        if let [BodySelector::Body(a), BodySelector::Body(b)] = pair {
            self.pairs.insert(ordered(a, b), matters);
        } else {
            self.rules.push(Rule::Set(pair, matters));
        }
    }

    /// Of the pairs that matter so far, only those like one of these still do.
    pub fn keep_only(&mut self, pairs: Vec<[BodySelector; 2]>) {
        self.rules.push(Rule::KeepOnly(pairs));
    }

    /// Enables or disables pairs of bodies of the same group. Bodies without a group share none.
    pub fn set_within_groups(&mut self, matters: bool) {
        self.rules.push(Rule::SameGroup(matters));
    }

    /// Returns `true` unless the last rule about groups disables pairs within a group.
    pub fn compares_within_groups(&self) -> bool {
        let said = self.rules.iter().rev().find_map(|rule| match rule {
            Rule::SameGroup(matters) => Some(*matters),
            Rule::Set(..) | Rule::KeepOnly(_) => None,
        });
        said.unwrap_or(true)
    }

    /// Removes the setting for a specific pair of bodies.
    pub fn unset(&mut self, a: BodyId, b: BodyId) {
        self.pairs.remove(&ordered(a, b));
    }

    /// Forget everything: all pairs matter, without margin.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// Sets the distance to which pairs may approach without counting as touching, where no other margin is set.
    /// Negative values count as 0.
    pub fn set_default_margin(&mut self, margin: f64) {
        self.margin = margin.max(0.0);
    }

    /// The margin of pairs without one of their own.
    pub fn default_margin(&self) -> f64 {
        self.margin
    }

    /// Sets the margin of matching pairs. The last match counts.
    pub fn set_margin(&mut self, pair: [BodySelector; 2], margin: f64) {
        self.margins.push((pair, margin.max(0.0)));
    }

    /// No pair has a greater margin.
    pub fn largest_margin(&self) -> f64 {
        self.margins.iter().map(|(_, margin)| *margin).fold(self.margin, f64::max)
    }

    /// Returns the margin of two bodies, or `None` if the pair is disabled. Evaluates every rule for this pair
    /// alone; [`World::margin_between`](super::World::margin_between) gives the same at lower cost.
    pub fn margin_between(&self, a: (BodyId, &Body), b: (BodyId, &Body)) -> Option<f64> {
        self.includes([a, b]).then(|| self.margin_of([a, b]))
    }

    fn includes(&self, pair: [Named<'_>; 2]) -> bool {
        let [(a, body_a), (b, body_b)] = pair;
        if let Some(&said) = self.pairs.get(&ordered(a, b)) {
            return said;
        }
        self.rules.iter().fold(true, |matters, rule| match rule {
            Rule::Set(who, says) if fits(who, pair) => *says,
            Rule::KeepOnly(pairs) => matters && pairs.iter().any(|who| fits(who, pair)),
            Rule::SameGroup(says) if body_a.group.is_some() && body_a.group == body_b.group => *says,
            Rule::Set(..) | Rule::SameGroup(_) => matters,
        })
    }

    fn margin_of(&self, pair: [Named<'_>; 2]) -> f64 {
        let last = self.margins.iter().rev().find(|(who, _)| fits(who, pair));
        last.map_or(self.margin, |(_, margin)| *margin)
    }

    /// Removes a body. Returns `true` if any rule about more than one pair referred to it.
    pub(super) fn forget(&mut self, id: BodyId) -> bool {
        self.pairs.retain(|pair, _| !pair.contains(&id));
        let names = |who: &[BodySelector; 2]| who.contains(&BodySelector::Body(id));
        let of_rules = self.rules.iter().flat_map(Rule::pairs);
        if !of_rules.chain(self.margins.iter().map(|(who, _)| who)).any(names) {
            return false;
        }
        self.rules.retain(|rule| !matches!(rule, Rule::Set(who, _) if names(who)));
        for rule in &mut self.rules {
            if let Rule::KeepOnly(pairs) = rule {
                pairs.retain(|who| !names(who));
            }
        }
        self.margins.retain(|(who, _)| !names(who));
        true
    }
}

pub(super) fn ordered(a: BodyId, b: BodyId) -> [BodyId; 2] {
    [a.min(b), a.max(b)]
}

fn fits([x, y]: &[BodySelector; 2], [(a, body_a), (b, body_b)]: [Named<'_>; 2]) -> bool {
    (x.includes(a, body_a) && y.includes(b, body_b)) || (x.includes(b, body_b) && y.includes(a, body_a))
}
