//! Which pairs of bodies are asked about, and how close is too close.

use super::body::{Body, BodyId};
use super::pattern::Pattern;
use std::collections::HashMap;

/// Some of the bodies.
#[derive(Clone, Debug, PartialEq)]
pub enum Who {
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

impl Who {
    fn includes(&self, id: BodyId, body: &Body) -> bool {
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

/// The participation matrix: which pairs matter, and their margins.
///
/// All pairs matter until a rule says otherwise. The last rule that fits a pair counts; what is said of a pair of
/// bodies outright counts more than any rule about groups, layers or names. The order within a pair does not matter.
///
/// ```
/// use noli::{Pattern, Rules, Who};
/// let mut rules = Rules::default();
/// rules.set([Who::Group("robot".into()), Who::Group("robot".into())], false);
/// rules.set([Who::Named(Pattern::new("gripper*")), Who::Group("robot".into())], true);
/// rules.set_margin([Who::Anyone, Who::Layer(3)], 2.5);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Rules {
    pairs: HashMap<[BodyId; 2], bool>,
    rules: Vec<([Who; 2], bool)>,
    margin: f64,
    margins: Vec<([Who; 2], f64)>,
}

impl Rules {
    /// Whether pairs like these matter.
    pub fn set(&mut self, pair: [Who; 2], matters: bool) {
        if let [Who::Body(a), Who::Body(b)] = pair {
            self.pairs.insert(ordered(a, b), matters);
        } else {
            self.rules.push((pair, matters));
        }
    }

    /// Forget what was said outright about two bodies.
    pub fn unset(&mut self, a: BodyId, b: BodyId) {
        self.pairs.remove(&ordered(a, b));
    }

    /// Forget everything: all pairs matter, without margin.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// How close pairs may come without counting as touching, where no other margin is set. Negative counts as 0.
    pub fn set_default_margin(&mut self, margin: f64) {
        self.margin = margin.max(0.0);
    }

    /// The margin of pairs without one of their own.
    pub fn default_margin(&self) -> f64 {
        self.margin
    }

    /// How close pairs like these may come. The last that fits counts.
    pub fn set_margin(&mut self, pair: [Who; 2], margin: f64) {
        self.margins.push((pair, margin.max(0.0)));
    }

    pub(super) fn includes(&self, pair: [(BodyId, &Body); 2]) -> bool {
        let [(a, _), (b, _)] = pair;
        if let Some(&said) = self.pairs.get(&ordered(a, b)) {
            return said;
        }
        self.rules.iter().rev().find(|(who, _)| fits(who, pair)).is_none_or(|(_, matters)| *matters)
    }

    pub(super) fn margin_of(&self, pair: [(BodyId, &Body); 2]) -> f64 {
        let last = self.margins.iter().rev().find(|(who, _)| fits(who, pair));
        last.map_or(self.margin, |(_, margin)| *margin)
    }

    pub(super) fn largest_margin(&self) -> f64 {
        self.margins.iter().map(|(_, margin)| *margin).fold(self.margin, f64::max)
    }

    pub(super) fn forget(&mut self, id: BodyId) {
        self.pairs.retain(|pair, _| !pair.contains(&id));
        let names = |who: &[Who; 2]| who.contains(&Who::Body(id));
        self.rules.retain(|(who, _)| !names(who));
        self.margins.retain(|(who, _)| !names(who));
    }
}

pub(super) fn ordered(a: BodyId, b: BodyId) -> [BodyId; 2] {
    [a.min(b), a.max(b)]
}

fn fits([x, y]: &[Who; 2], [(a, body_a), (b, body_b)]: [(BodyId, &Body); 2]) -> bool {
    (x.includes(a, body_a) && y.includes(b, body_b)) || (x.includes(b, body_b) && y.includes(a, body_a))
}
