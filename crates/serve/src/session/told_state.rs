//! Bodies and rules as tabs have them: only what has changed is sent, so that messages stay linear in the number of bodies.

use super::{Answer, Session, To};
use crate::protocol::{BodyView, Event, RulesView};

/// Fewer bodies are sent whole.
const FEW: usize = 64;

/// State that every tab has received.
#[derive(Debug, Default)]
pub(super) struct ToldState {
    bodies: Option<Vec<BodyView>>,
    rules: Option<RulesView>,
}

impl ToldState {
    /// Forgets everything: the next events are sent whole. Needed wherever state changes without an event, because a
    /// new tab has the present state.
    pub(super) fn forget(&mut self) {
        *self = Self::default();
    }

    /// Forgets the rules: a saved scene has those that were made here.
    pub(super) fn forget_rules(&mut self) {
        self.rules = None;
    }
}

impl Session {
    /// Takes note of the bodies that the first tabs have.
    pub(super) fn note_bodies(&mut self) {
        self.told_state.bodies = Some((0..self.entries.len()).map(|number| self.body_view(number)).collect());
    }

    /// Sends the bodies: those that have changed, where these are few.
    pub(super) fn tell_body_list(&mut self, answer: &mut Answer) {
        if answer.is_silent {
            return;
        }
        let bodies: Vec<BodyView> = (0..self.entries.len()).map(|number| self.body_view(number)).collect();
        let shapes = self.shape_count();
        let before = self.told_state.bodies.take().unwrap_or_default();
        let changed = || bodies.iter().enumerate().filter(|(number, body)| before.get(*number) != Some(body));
        let is_less =
            bodies.len() >= FEW && before.len() <= bodies.len() && changed().count() < bodies.len() / 2;
        let event = if is_less && !before.is_empty() {
            let changed = changed().map(|(number, body)| (number, body.clone())).collect();
            Event::BodiesChange { changed, shapes }
        } else {
            Event::Bodies { bodies: bodies.clone(), shapes }
        };
        self.told_state.bodies = Some(bodies);
        answer.tell(To::All, event);
    }

    /// Sends the rules if they have changed.
    pub(super) fn tell_rules(&mut self, answer: &mut Answer) {
        if answer.is_silent {
            return;
        }
        let rules = self.rules_view();
        if self.told_state.rules.as_ref() != Some(&rules) {
            self.told_state.rules = Some(rules.clone());
            answer.tell(To::All, Event::Rules(rules));
        }
    }

    /// Reports all bodies, and the pairs that are disabled: those of bodies that have come, too. Groups have other
    /// bodies then.
    pub(super) fn tell_bodies(&mut self, answer: &mut Answer) {
        self.tell_body_list(answer);
        self.tell_rules(answer);
        if !answer.is_silent && self.groups.all().next().is_some() {
            answer.tell(To::All, Event::Groups { groups: self.group_views() });
        }
    }
}
