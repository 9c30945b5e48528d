//! Bodies of a cell on the pointer: they move as bodies of scenes do, against the shapes that the cell checks.

use crate::cell_text::CellText;
use crate::protocol::Event;
use crate::session::dragging::Dragging;
use crate::session::{Answer, Edit, Session, To, Trouble};
use noli::world::{BodyId, BodySelector};
use noli::{Model, Pose};
use noli_robot::cell::PairRule;
use std::collections::{HashMap, HashSet};

impl Session {
    /// Prepares the drawn bodies for a drag: they get the shapes that the cell checks, and the pairs of the dragged
    /// ones are enabled, also against other bodies. Pairs that the cell disables stay disabled. Bodies without an
    /// entry of their own, such as links, are refused.
    pub(in crate::session) fn begin_cell_drag(&mut self, bodies: &[usize]) -> Result<(), Trouble> {
        let mut text = CellText::read(&self.cell_source()?.text)?;
        for &body in bodies {
            text.place_body(&self.entry(body)?.name, &self.pose_of(body)?)?;
        }
        self.use_checked_shapes()?;
        let dragged: Vec<BodyId> = bodies.iter().map(|&body| self.id(body)).collect::<Result<_, _>>()?;
        let looks = &self.cell()?.loaded.looks;
        let disabled = self.disabled_pairs()?;
        let mut enabled = Vec::new();
        for (&body, &id) in bodies.iter().zip(&dragged) {
            for (other, entry) in self.entries.iter().enumerate() {
                let Some(other_id) = entry.id.filter(|other| !dragged.contains(other)) else { continue };
                let names = [body, other].map(|number| looks[number].name.as_str());
                if !disabled.contains(&names) && !disabled.contains(&[names[1], names[0]]) {
                    enabled.push([id, other_id]);
                }
            }
        }
        let rules = self.staged.world.rules_mut();
        enabled.into_iter().for_each(|pair| rules.set(pair.map(BodySelector::Body), true));
        Ok(())
    }

    /// Names of the pairs that the cell disables.
    fn disabled_pairs(&self) -> Result<HashSet<[&str; 2]>, Trouble> {
        let cell = &self.cell()?.cell;
        let off =
            cell.pairs().iter().enumerate().filter(|(_, pair)| matches!(pair.rule, PairRule::Disabled(_)));
        Ok(off.map(|(number, _)| cell.pair_names(number)).collect())
    }

    /// Replaces the drawn meshes by the shapes of the cell, which may be true ones.
    fn use_checked_shapes(&mut self) -> Result<(), Trouble> {
        let state = self.cell()?;
        let mut shapes: HashMap<&str, Vec<&Model>> = HashMap::new();
        for (part, model) in state.cell.shapes() {
            shapes.entry(&state.cell.parts()[part].name).or_default().push(model);
        }
        // The shapes of a part have the order of its drawn meshes.
        shapes.values_mut().for_each(|models| models.reverse());
        let exact = state.loaded.looks.iter().map(|look| shapes.get_mut(look.name.as_str())?.pop().cloned());
        let exact: Vec<Option<Model>> = exact.collect();
        for (entry, model) in self.entries.iter().zip(exact) {
            if let (Some(id), Some(model)) = (entry.id, model) {
                self.staged.world.set_model(id, &model)?;
            }
        }
        Ok(())
    }

    /// Ends a drag: the new poses are a change of the text of the cell. Where that is refused, the bodies return.
    pub(in crate::session) fn end_cell_drag(
        &mut self,
        client: u64,
        dragging: Dragging,
        answer: &mut Answer,
    ) -> Result<(), Trouble> {
        *self.staged.world.rules_mut() = self.scene_rules.clone();
        let mut moved: Vec<(usize, Pose)> = vec![(dragging.body, dragging.from)];
        moved.extend(dragging.with);
        let written = self.write_dragged(&moved, answer);
        if written.is_err() {
            for &(body, first) in &moved {
                self.staged.world.move_to(self.id(body)?, first)?;
            }
        }
        for &(body, _) in &moved {
            let (at, turn) = self.place_of(body)?;
            answer.tell(To::All, Event::Moved { body, at, turn, by: client });
        }
        written
    }

    fn write_dragged(&mut self, moved: &[(usize, Pose)], answer: &mut Answer) -> Result<(), Trouble> {
        let from = self.cell_source()?.text.clone();
        let mut text = CellText::read(&from)?;
        let mut names = Vec::new();
        for &(body, first) in moved {
            let pose = self.pose_of(body)?;
            if pose != first {
                let name = self.entry(body)?.name.clone();
                text.place_body(&name, &self.entry_pose(body, pose)?)?;
                names.push(name);
            }
        }
        let what = match &names[..] {
            [] => return Ok(()),
            [only] => format!("move {only}"),
            _ => format!("move {} bodies", names.len()),
        };
        self.do_edit(Edit::Cell { what, from, to: text.text() }, answer)
    }
}
