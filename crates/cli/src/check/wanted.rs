//! Which pairs are asked about, and how close they may come.
//!
//! Rules go by name; thousands of bodies make millions of pairs. So every body is held against every pattern
//! once, and bodies that fit the same patterns form a class: rules are then applied to pairs of classes.

use super::bodies::Body;
use anyhow::{Result, ensure};
use noli_io::{Check, Pattern};
use std::collections::HashMap;

/// What was asked for.
#[derive(Default)]
pub(super) struct Rules<'a> {
    /// By the scene.
    pub(super) check: Check,
    /// By the command line.
    pub(super) only: &'a [String],
    pub(super) skip: &'a [String],
    /// In place of the scene's margin.
    pub(super) margin: Option<f64>,
    /// Whether bodies of one argument are compared although there are several.
    pub(super) within: bool,
}

/// The rules, applied to the bodies.
pub(super) struct Wanted {
    class_of: Vec<usize>,
    classes: Vec<Class>,
    /// What each rule does; rule `r` is about the bodies of bits `2r` and `2r + 1`.
    effects: Vec<Effect>,
    /// Whether bodies of the same argument are left alone.
    across_arguments: bool,
    margin: f64,
}

/// Bodies that every rule treats alike.
struct Class {
    argument: usize,
    fits: Vec<bool>,
    members: usize,
}

#[derive(Clone, Copy, PartialEq)]
enum Effect {
    Skip,
    /// If there are any of this number, one must fit: 0 for those of the scene, 1 for those of the command line.
    Only(usize),
    Margin(f64),
}

impl Wanted {
    pub(super) fn new(bodies: &[Body], given: &Rules<'_>) -> Result<Self> {
        let check = &given.check;
        let mut rules: Vec<([Pattern; 2], Effect)> = Vec::new();
        rules.extend(check.skip.iter().map(|pair| (pair.clone(), Effect::Skip)));
        rules.extend(check.only.iter().map(|pair| (pair.clone(), Effect::Only(0))));
        rules.extend(check.margins.iter().map(|(pair, margin)| (pair.clone(), Effect::Margin(*margin))));
        for (texts, effect) in [(given.skip, Effect::Skip), (given.only, Effect::Only(1))] {
            for text in texts {
                rules.push((pair_of(text, bodies)?, effect));
            }
        }
        let several = bodies.iter().any(|body| body.argument != bodies[0].argument);
        let mut wanted = Self {
            class_of: Vec::with_capacity(bodies.len()),
            classes: Vec::new(),
            effects: rules.iter().map(|(_, effect)| *effect).collect(),
            across_arguments: several && !given.within,
            margin: given.margin.unwrap_or(check.margin),
        };
        let mut numbers: HashMap<(usize, Vec<bool>), usize> = HashMap::new();
        for body in bodies {
            let patterns = rules.iter().flat_map(|(pair, _)| pair);
            let fits: Vec<bool> = patterns.map(|pattern| pattern.matches(&body.name)).collect();
            let class = *numbers.entry((body.argument, fits)).or_insert_with_key(|(argument, fits)| {
                wanted.classes.push(Class { argument: *argument, fits: fits.clone(), members: 0 });
                wanted.classes.len() - 1
            });
            wanted.classes[class].members += 1;
            wanted.class_of.push(class);
        }
        Ok(wanted)
    }

    /// How close two bodies may come; nothing where nobody asks.
    pub(super) fn margin(&self, a: usize, b: usize) -> Option<f64> {
        self.of_classes(&self.classes[self.class_of[a]], &self.classes[self.class_of[b]])
    }

    fn of_classes(&self, a: &Class, b: &Class) -> Option<f64> {
        if self.across_arguments && a.argument == b.argument {
            return None;
        }
        let fits = |rule: usize| {
            let (x, y) = (2 * rule, 2 * rule + 1);
            (a.fits[x] && b.fits[y]) || (a.fits[y] && b.fits[x])
        };
        let mut margin = self.margin;
        let (mut asked, mut found) = ([false; 2], [false; 2]);
        for (rule, effect) in self.effects.iter().enumerate() {
            match *effect {
                Effect::Skip if fits(rule) => return None,
                Effect::Margin(own) if fits(rule) => margin = own,
                Effect::Only(whose) => {
                    asked[whose] = true;
                    found[whose] |= fits(rule);
                }
                Effect::Skip | Effect::Margin(_) => {}
            }
        }
        (asked == found).then_some(margin)
    }

    /// The margin of pairs that no rule is about.
    pub(super) fn usual_margin(&self) -> f64 {
        self.margin
    }

    /// No pair has a greater margin.
    pub(super) fn greatest_margin(&self) -> f64 {
        let own = |effect: &Effect| if let Effect::Margin(margin) = effect { *margin } else { 0.0 };
        self.effects.iter().map(own).fold(self.margin, f64::max)
    }

    /// How many pairs are asked about.
    pub(super) fn count(&self) -> usize {
        let mut total = 0;
        for (i, a) in self.classes.iter().enumerate() {
            if self.of_classes(a, a).is_some() {
                total += a.members * (a.members - 1) / 2;
            }
            let others = self.classes[..i].iter().filter(|b| self.of_classes(a, b).is_some());
            total += others.map(|b| a.members * b.members).sum::<usize>();
        }
        total
    }
}

/// `A` stands for all pairs of the bodies that fit it, `A,B` for those of A with those of B. A pattern that fits no body is
/// an error: a mistyped name must not make a check look clean.
fn pair_of(text: &str, bodies: &[Body]) -> Result<[Pattern; 2]> {
    let fits = |pattern: &str| bodies.iter().any(|body| Pattern::new(pattern).matches(&body.name));
    // A comma may be part of a name.
    let (a, b) = if fits(text) { (text, "*") } else { text.split_once(',').unwrap_or((text, "*")) };
    for pattern in [a, b].map(str::trim) {
        ensure!(
            fits(pattern),
            "no body is called {pattern:?}; use * for any characters, and A,B for a pair; bodies are {}",
            some_names(bodies)
        );
    }
    Ok([a, b].map(|text| Pattern::new(text.trim())))
}

fn some_names(bodies: &[Body]) -> String {
    let names: Vec<&str> = bodies.iter().take(5).map(|body| body.name.as_str()).collect();
    names.join(", ") + if bodies.len() > 5 { ", ..." } else { "" }
}
