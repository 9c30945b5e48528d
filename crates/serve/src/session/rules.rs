//! Checked and disabled pairs, and their status.

use super::{Answer, Edit, Session, To, Trouble};
use crate::protocol::{Event, PatternRule, RulesView};
use crate::review::Review;
use noli::world::{BodyId, BodySelector, Pattern};

/// Valid status words of a pair.
const STATUS: [&str; 5] = ["new", "active", "reviewed", "approved", "resolved"];
/// Bytes of a comment.
const LONGEST_COMMENT: usize = 4096;
/// Above so many bodies the disabled pairs are listed for one body at a time: all of them grow with its square.
const MOST_LISTED: usize = 60;

impl Session {
    pub(super) fn set_pair(
        &mut self,
        a: usize,
        b: usize,
        on: Option<bool>,
        answer: &mut Answer,
    ) -> Result<(), Trouble> {
        self.id(a)?;
        self.id(b)?;
        if a == b {
            return Err(Trouble::new("a body has no pair with itself", "choose two bodies"));
        }
        let [name_a, name_b] = [a, b].map(|body| self.entries[body].name.clone());
        let from = self.by_hand.get(&[a.min(b), a.max(b)]).copied();
        self.do_edit(Edit::Pair { a: name_a, b: name_b, from, to: on }, answer)
    }

    pub(super) fn apply_pair(&mut self, [a, b]: [usize; 2], to: Option<bool>) -> Result<(), Trouble> {
        let key = [a.min(b), a.max(b)];
        match to {
            Some(on) => self.by_hand.insert(key, on),
            None => self.by_hand.remove(&key),
        };
        self.write_rules()
    }

    /// Applies the rules of the scene, then those of names, then those of single pairs.
    pub(super) fn write_rules(&mut self) -> Result<(), Trouble> {
        let mut rules = self.scene_rules.clone();
        for PatternRule { a, b, margin } in &self.patterns {
            let who = [a, b].map(|text| BodySelector::Named(Pattern::new(text.as_str())));
            match margin {
                None => rules.set(who, false),
                Some(margin) => rules.set_margin(who, *margin),
            }
        }
        // Those of removed bodies apply again when the bodies are brought back.
        for (ids, on) in self.pairs_by_hand() {
            rules.set(ids.map(BodySelector::Body), on);
        }
        rules.set_default_margin(self.margin);
        *self.staged.world.rules_mut() = rules;
        Ok(())
    }

    /// Returns the pairs that were set by hand and whose bodies are there.
    fn pairs_by_hand(&self) -> impl Iterator<Item = ([BodyId; 2], bool)> {
        let id = |body: usize| self.entries.get(body).and_then(|entry| entry.id);
        self.by_hand.iter().filter_map(move |(&[a, b], &on)| Some(([id(a)?, id(b)?], on)))
    }

    pub(super) fn set_pattern(
        &mut self,
        rule: PatternRule,
        on: bool,
        answer: &mut Answer,
    ) -> Result<(), Trouble> {
        for text in [&rule.a, &rule.b] {
            let pattern = Pattern::new(text.as_str());
            let fits = self.entries.iter().any(|entry| entry.id.is_some() && pattern.matches(&entry.name));
            if on && (text.len() > 200 || !fits) {
                let help = "name a body, or several with *, such as hose*";
                return Err(Trouble::new(format!("{text:?} fits no body"), help));
            }
        }
        if rule.margin.is_some_and(|margin| !(margin.is_finite() && margin >= 0.0)) {
            return Err(Trouble::new("a margin is a length of at least 0", "give a number such as 2.5"));
        }
        if on == self.patterns.contains(&rule) {
            let text = if on { "this is said already" } else { "this is not said" };
            return Err(Trouble::new(text, "look at the list of rules"));
        }
        self.do_edit(Edit::Pattern { rule, on }, answer)
    }

    pub(super) fn apply_pattern(&mut self, rule: &PatternRule, on: bool) -> Result<(), Trouble> {
        if on {
            self.patterns.push(rule.clone());
        } else {
            self.patterns.retain(|known| known != rule);
        }
        self.write_rules()
    }

    pub(super) fn rules_view(&self) -> RulesView {
        let number = |id: BodyId| self.numbers.get(&id).copied();
        let by_hand = self.pairs_by_hand().filter_map(|([a, b], on)| Some((number(a)?, number(b)?, on)));
        let by_hand = by_hand.collect();
        let there: Vec<_> =
            self.entries.iter().enumerate().filter_map(|(number, entry)| Some((number, entry.id?))).collect();
        let mut off = Vec::new();
        if there.len() <= MOST_LISTED {
            for (k, &(a, id_a)) in there.iter().enumerate() {
                for &(b, id_b) in there.iter().skip(k).skip(1) {
                    if matches!(self.staged.world.margin_between(id_a, id_b), Ok(None)) {
                        off.push((a, b));
                    }
                }
            }
        }
        let is_whole = there.len() <= MOST_LISTED;
        RulesView { margin: self.margin, by_hand, off, is_whole, patterns: self.patterns.clone() }
    }

    /// Sends the bodies whose pairs with a body are disabled.
    pub(super) fn tell_disabled_pairs(
        &self,
        client: u64,
        body: usize,
        answer: &mut Answer,
    ) -> Result<(), Trouble> {
        let id = self.id(body)?;
        let is_off = |other: BodyId| matches!(self.staged.world.margin_between(id, other), Ok(None));
        let others = self.entries.iter().enumerate().filter(|(number, _)| *number != body);
        let off = others.filter(|(_, entry)| entry.id.is_some_and(is_off)).map(|(number, _)| number);
        answer.tell(To::One(client), Event::DisabledPairs { body, off: off.collect() });
        Ok(())
    }

    pub(super) fn set_status(
        &mut self,
        a: usize,
        b: usize,
        (status, comment): (String, Option<String>),
        answer: &mut Answer,
    ) -> Result<(), Trouble> {
        if !STATUS.contains(&status.as_str()) {
            let help = format!("say {}", STATUS.join(", "));
            return Err(Trouble::new(format!("{status:?} is no status"), help));
        }
        if comment.as_ref().is_some_and(|text| text.len() > LONGEST_COMMENT) {
            return Err(Trouble::new("this comment is too long", "at most 4 kB"));
        }
        let [x, y] = [self.entry(a)?.name.clone(), self.entry(b)?.name.clone()];
        let from = self.reviews.of(&x, &y);
        let to = Review { status, comment: comment.unwrap_or_else(|| from.comment.clone()) };
        if from == to { Ok(()) } else { self.do_edit(Edit::Review { a: x, b: y, from, to }, answer) }
    }
}
