//! Bodies that are removed, brought back, and replaced by others of the same name.

use super::{Added, Drawn, Entry, Session, Trouble};
use crate::protocol::Formula;
use noli::world::BodyId;
use noli_project::StagedBody;

impl Session {
    /// Removes bodies: all of them, or none if one has to stay.
    pub(super) fn take_out(&mut self, bodies: &[usize]) -> Result<(), Trouble> {
        let ids = bodies.iter().map(|&body| self.id(body)).collect::<Result<Vec<_>, _>>()?;
        for (&body, &id) in bodies.iter().zip(&ids) {
            let name = &self.entries[body].name;
            if self.staged.world.body(id)?.children().iter().any(|child| !ids.contains(child)) {
                let text = format!("other bodies are attached to {name}");
                return Err(Trouble::new(text, "remove those with it, or first"));
            }
            if self.staged.moves.iter().any(|asked| asked.bodies().any(|moved| moved == id)) {
                return Err(Trouble::new(format!("a motion of the scene moves {name}"), "hide it instead"));
            }
        }
        self.dragging = None;
        for (&body, &id) in bodies.iter().zip(&ids) {
            self.entries[body].pose = self.staged.world.body(id)?.pose();
            self.entries[body].parent = self.parent_of(id)?;
        }
        for (&body, &id) in bodies.iter().zip(&ids) {
            self.staged.world.remove(id)?;
            self.staged.bodies.retain(|staged| staged.id != id);
            self.numbers.remove(&id);
            self.entries[body].id = None;
        }
        self.write_rules()
    }

    fn parent_of(&self, id: BodyId) -> Result<Option<usize>, Trouble> {
        let parent = self.staged.world.body(id)?.parent();
        Ok(parent.and_then(|parent| self.numbers.get(&parent)).copied())
    }

    /// Attaches a body that was brought back to the parent it had, if that exists.
    pub(super) fn attach_again(&mut self, body: usize) -> Result<(), Trouble> {
        let parent = self.entries[body].parent.take().and_then(|parent| self.entries[parent].id);
        let Some(parent) = parent else { return Ok(()) };
        let id = self.id(body)?;
        Ok(self.staged.world.attach(id, parent)?)
    }

    pub(super) fn bring_back(&mut self, body: usize) -> Result<(), Trouble> {
        if self.entry(body)?.id.is_some() {
            return Ok(());
        }
        let entry = &self.entries[body];
        let id = self.staged.world.add(entry.name.clone(), &entry.model, entry.pose)?;
        if let Some(group) = &entry.group {
            self.staged.world.set_group(id, group.clone())?;
        }
        if !entry.body.is_true_shape {
            self.staged.world.set_watertight(id, entry.body.flaw.is_none())?;
        }
        let staged = noli_project::StagedBody { id, ..entry.body.clone() };
        self.staged.bodies.push(staged.clone());
        self.entries[body].body = staged;
        self.entries[body].id = Some(id);
        self.numbers.insert(id, body);
        Ok(())
    }

    /// Another formula for a body that has one.
    pub(super) fn reshape(&mut self, body: usize, formula: &Formula) -> Result<(), Trouble> {
        let (id, entry) = (self.id(body)?, self.entry(body)?.clone());
        let moves = self.staged.moves.iter().any(|asked| asked.bodies().any(|moved| moved == id));
        if moves || !self.staged.world.body(id)?.children().is_empty() {
            let text = format!("{} is carried or carries others", entry.name);
            return Err(Trouble::new(text, "change its formula in the scene file"));
        }
        let toml = self.formula_text(&entry.name, formula);
        let fresh = self.staged_text(&toml)?;
        let staged =
            fresh.bodies.first().ok_or_else(|| Trouble::new("this gives no body", "correct the formula"))?;
        let model = fresh.world.body(staged.id)?.model().clone();
        let (pose, parent) = (self.pose_of(body)?, self.parent_of(id)?);
        self.dragging = None;
        self.staged.world.remove(id)?;
        self.staged.bodies.retain(|known| known.id != id);
        self.numbers.remove(&id);
        self.free_shape(body);
        let (shape, middle) = self.shape_number(&staged.look, || Drawn::Mesh);
        let added = entry.added.map(|_| Added::Text(toml));
        let formula = Some(formula.clone());
        let body_of = StagedBody { id: entry.body.id, ..staged.clone() };
        self.entries[body] =
            Entry { id: None, model, pose, parent, shape, middle, added, formula, body: body_of, ..entry };
        self.bring_back(body)?;
        self.attach_again(body)?;
        self.write_rules()
    }
}
