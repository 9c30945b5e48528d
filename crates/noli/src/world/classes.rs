//! Rules held against bodies.
//!
//! Rules go by name, group and layer; thousands of bodies make millions of pairs. So every body is held
//! against everyone a rule speaks of once, and bodies that the rules treat alike form a class: rules are then
//! applied to pairs of classes.

use super::body::{Body, BodyId};
use super::rules::{Rule, Rules, ordered};
use super::{World, WorldError};
use std::collections::HashMap;
use std::ops::Range;

/// The bodies by class. Bodies that come or change later are put to their class one by one.
#[derive(Clone, Debug)]
pub(super) struct Classes {
    /// By number of the body.
    class_of: Vec<u32>,
    classes: Vec<Class>,
    numbers: HashMap<Class, u32>,
    steps: Vec<Step>,
    /// The pair of bits, and the margin.
    margins: Vec<(usize, f64)>,
    margin: f64,
    /// Numbers of groups, if rules depend on common groups.
    groups: Option<HashMap<String, u32>>,
}

/// The properties of a body that the rules use.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Class {
    group: Option<u32>,
    /// Pair `p` of the rules speaks of those with bit `2p` on one side and bit `2p + 1` on the other.
    fits: Vec<u64>,
}

impl Class {
    fn has(&self, bit: usize) -> bool {
        self.fits[bit / 64] >> (bit % 64) & 1 == 1
    }
}

/// A rule about pairs of bits.
#[derive(Clone, Debug)]
enum Step {
    Set(usize, bool),
    KeepOnly(Range<usize>),
    SameGroup(bool),
}

impl Classes {
    fn new<'b>(rules: &Rules, bodies: impl Iterator<Item = (BodyId, &'b Body)>) -> Self {
        let mut pairs = 0;
        let mut next = |count: usize| {
            pairs += count;
            pairs - count..pairs
        };
        let step = |rule: &Rule| match rule {
            Rule::Set(_, says) => Step::Set(next(1).start, *says),
            Rule::KeepOnly(only) => Step::KeepOnly(next(only.len())),
            Rule::SameGroup(says) => Step::SameGroup(*says),
        };
        let steps: Vec<Step> = rules.rules.iter().map(step).collect();
        let margins = rules.margins.iter().map(|(_, margin)| (next(1).start, *margin)).collect();
        let by_group = steps.iter().any(|step| matches!(step, Step::SameGroup(_)));
        let mut classes = Self {
            class_of: Vec::new(),
            classes: Vec::new(),
            numbers: HashMap::new(),
            steps,
            margins,
            margin: rules.default_margin(),
            groups: by_group.then(HashMap::new),
        };
        bodies.for_each(|(id, body)| classes.put(rules, id, body));
        classes
    }

    /// A body is new, or looks different to the rules.
    pub(super) fn put(&mut self, rules: &Rules, id: BodyId, body: &Body) {
        let pairs = rules.rules.iter().flat_map(Rule::pairs);
        let sides = pairs.chain(rules.margins.iter().map(|(pair, _)| pair)).flatten();
        let mut class = Class::default();
        for (bit, who) in sides.enumerate() {
            if bit % 64 == 0 {
                class.fits.push(0);
            }
            class.fits[bit / 64] |= u64::from(who.includes(id, body)) << (bit % 64);
        }
        if let (Some(groups), Some(group)) = (&mut self.groups, &body.group) {
            let new = groups.len() as u32;
            class.group = Some(*groups.entry(group.clone()).or_insert(new));
        }
        let new = self.classes.len() as u32;
        let number = *self.numbers.entry(class).or_insert_with_key(|class| {
            self.classes.push(class.clone());
            new
        });
        let index = id.index as usize;
        if index >= self.class_of.len() {
            self.class_of.resize(index + 1, 0);
        }
        self.class_of[index] = number;
    }

    fn fits(pair: usize, a: &Class, b: &Class) -> bool {
        let (x, y) = (2 * pair, 2 * pair + 1);
        (a.has(x) && b.has(y)) || (a.has(y) && b.has(x))
    }

    fn includes(&self, a: &Class, b: &Class) -> bool {
        self.steps.iter().fold(true, |matters, step| match step {
            Step::Set(pair, says) if Self::fits(*pair, a, b) => *says,
            Step::KeepOnly(pairs) => matters && pairs.clone().any(|pair| Self::fits(pair, a, b)),
            Step::SameGroup(says) if a.group.is_some() && a.group == b.group => *says,
            Step::Set(..) | Step::SameGroup(_) => matters,
        })
    }

    fn of(&self, index: u32) -> &Class {
        &self.classes[self.class_of[index as usize] as usize]
    }

    fn margin(&self, a: u32, b: u32) -> f64 {
        let (a, b) = (self.of(a), self.of(b));
        let last = self.margins.iter().rev().find(|(pair, _)| Self::fits(*pair, a, b));
        last.map_or(self.margin, |(_, margin)| *margin)
    }

    /// Returns the margin of two bodies, or `None` if these rules disable the pair.
    pub(super) fn margin_between(&self, rules: &Rules, [a, b]: [BodyId; 2]) -> Option<f64> {
        let said = if rules.pairs.is_empty() { None } else { rules.pairs.get(&ordered(a, b)).copied() };
        let matters = said.unwrap_or_else(|| self.includes(self.of(a.index), self.of(b.index)));
        matters.then(|| self.margin(a.index, b.index))
    }

    /// Returns the number of enabled pairs for given numbers of bodies of each class.
    fn count(&self, members: &[usize]) -> usize {
        let mut total = 0;
        for (i, a) in self.classes.iter().enumerate().filter(|(i, _)| members[*i] > 0) {
            if self.includes(a, a) {
                total += members[i] * (members[i] - 1) / 2;
            }
            let others = self.classes[..i].iter().zip(members).filter(|(b, _)| self.includes(a, b));
            total += others.map(|(_, &count)| members[i] * count).sum::<usize>();
        }
        total
    }
}

impl World {
    pub(super) fn classes(&self) -> &Classes {
        self.classes.get_or_init(|| Classes::new(&self.rules, self.bodies()))
    }

    /// Returns the margin of two bodies, or `None` if the rules disable the pair.
    pub fn margin_between(&self, a: BodyId, b: BodyId) -> Result<Option<f64>, WorldError> {
        self.pair([a, b])?;
        Ok(self.asked_margin([a, b]))
    }

    /// The same of bodies that exist.
    pub(super) fn asked_margin(&self, pair: [BodyId; 2]) -> Option<f64> {
        self.classes().margin_between(&self.rules, pair)
    }

    /// Returns the number of pairs enabled by the rules.
    pub fn pair_count(&self) -> usize {
        let classes = self.classes();
        let mut members = vec![0; classes.classes.len()];
        for (id, _) in self.bodies() {
            members[classes.class_of[id.index as usize] as usize] += 1;
        }
        let mut total = classes.count(&members);
        for (&[a, b], &matters) in &self.rules.pairs {
            if self.body(a).is_err() || self.body(b).is_err() || a == b {
                continue;
            }
            match (classes.includes(classes.of(a.index), classes.of(b.index)), matters) {
                (true, false) => total -= 1,
                (false, true) => total += 1,
                _ => {}
            }
        }
        total
    }
}
