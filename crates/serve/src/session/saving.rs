//! Target content of a scene file after the changes made here, and changes made before it was opened.

use super::{Added, Answer, Edit, Session, Trouble, numbers_of};
use crate::groups;
use crate::journal::{Journal, beside};
use crate::protocol::{Formula, PatternRule};
use crate::review;
use crate::save::{Placed, Wanted};
use noli::Pose;
use std::path::PathBuf;

/// A body listed in the scene file under its own name.
#[derive(Clone, Debug)]
pub(super) struct Origin {
    pub(super) pose: Pose,
    /// Its pose in the frame that the entry places: that of a generated part in its scene, else the identity.
    pub(super) piece: Pose,
    pub(super) parent: Option<String>,
    pub(super) formula: Option<Formula>,
}

impl Origin {
    /// Returns the pose in the entry that places its body so.
    pub(super) fn entry_pose(&self, pose: Pose) -> Pose {
        if self.piece == Pose::IDENTITY { pose } else { pose * self.piece.inverse() }
    }
}

impl Session {
    /// Makes changes of a journal again; how many.
    pub(crate) fn replay(&mut self, edits: Vec<Edit>, notes: &mut Vec<String>) -> usize {
        let mut count = 0;
        for edit in edits {
            let mut silent = Answer { is_silent: true, ..Answer::default() };
            match self.apply(&edit, &mut silent) {
                Ok(()) => count = usize::saturating_add(count, 1),
                // What was dropped into a folder is found there.
                Err(_) if self.is_listed(&edit) => count = usize::saturating_add(count, 1),
                Err(trouble) => notes.push(format!("a change could not be made again: {trouble}")),
            }
            self.undo.push(edit);
        }
        self.unsaved = count;
        count
    }

    /// Returns `true` if a change refers to bodies of a file that was read with the folder.
    fn is_listed(&self, edit: &Edit) -> bool {
        let (Edit::Add { names, toml }, Some(listed)) = (edit, &self.listed) else { return false };
        let Ok(scene) = noli_project::parse_scene(toml.as_bytes()) else { return false };
        let is_file = |body: &noli_project::Body| matches!(&body.shape, noli_project::Shape::File { .. });
        scene.bodies.iter().all(is_file)
            && names.iter().all(|name| listed.iter().any(|known| known.name == *name))
    }

    /// The sign of the unit of lengths.
    pub(crate) fn units_sign(&self) -> &'static str {
        self.staged.units.sign()
    }

    /// The triangles that are drawn of all bodies that are there.
    pub(crate) fn triangles(&self) -> usize {
        let there = self.entries.iter().filter(|entry| entry.id.is_some());
        there.map(|entry| entry.body.look.triangle_count()).sum()
    }

    /// Turns a folder of files into a scene.
    pub(crate) fn becomes_scene(&mut self, file: PathBuf) {
        if let Some(journal) = &mut self.journal {
            journal.move_to(beside(&file));
        }
        if let Err(error) = self.reviews.move_to(review::beside(&file)) {
            self.notes.push(format!("the reviews were not moved to the scene: {error}"));
        }
        if let Err(error) = self.groups.move_to(groups::beside(&file)) {
            self.notes.push(format!("the groups were not moved to the scene: {error}"));
        }
        if let Some(claim) = &mut self.claim {
            claim.renew(&file);
        }
        self.scene_file = Some(file);
        self.listed = None;
    }

    pub(crate) fn set_journal(&mut self, journal: Journal) {
        self.journal = Some(journal);
    }

    /// Returns the target content of the scene file, and changes it cannot express: in words, and as edits that
    /// stay in the journal.
    pub(crate) fn wanted(&self) -> Result<(Wanted, Vec<(String, Edit)>), Trouble> {
        let mut wanted = Wanted {
            moved: vec![],
            added: vec![],
            copied: vec![],
            removed: vec![],
            skip: vec![],
            margins: vec![],
            margin: None,
            formulas: vec![],
            removals: self.placed_removals()?,
        };
        let mut left = Vec::new();
        for (number, entry) in self.entries.iter().enumerate() {
            let pose = self.pose_of(number)?;
            if let (Some(origin), Some(formula), Some(_)) = (&entry.origin, &entry.formula, entry.id)
                && origin.formula.as_ref() != Some(formula)
            {
                wanted.formulas.push((entry.name.clone(), formula.clone()));
            }
            let name = || entry.name.clone();
            let placed = |pose: Pose| Placed { name: name(), pose };
            let no_entry = |edit: Edit| (format!("{} has no entry of its own", entry.name), edit);
            match (&entry.added, &entry.origin, entry.id) {
                (Some(_), _, None) => {}
                (Some(Added::Text(toml)), _, Some(_)) => wanted.added.push((toml.clone(), placed(pose))),
                (Some(Added::Copy(of)), _, Some(_)) => {
                    let known = self.named(of).map(|of| &self.entries[of]);
                    if let Some(origin) = known.and_then(|known| known.origin.as_ref()) {
                        wanted.copied.push((of.clone(), placed(origin.entry_pose(pose))));
                    } else {
                        left.push(no_entry(Edit::Copy {
                            name: name(),
                            of: of.clone(),
                            pose: numbers_of(&pose),
                        }));
                    }
                }
                (None, Some(_), None) => wanted.removed.push(name()),
                (None, Some(origin), Some(_)) if origin.pose != pose => {
                    let parent = self.parent_pose(origin)?;
                    wanted.moved.push(placed(origin.entry_pose(parent.inverse() * pose)));
                }
                (None, None, None) => left.push(no_entry(Edit::Remove { names: vec![name()] })),
                (None, None, Some(_)) if entry.pose != pose => {
                    let [from, to] = [numbers_of(&entry.pose), numbers_of(&pose)];
                    left.push(no_entry(Edit::Move { name: name(), from, to }));
                }
                (None, _, Some(_)) => {}
            }
        }
        let is_there = |pair: &[usize; 2]| pair.iter().all(|&body| self.entries[body].id.is_some());
        for (&[a, b], &on) in self.by_hand.iter().filter(|(pair, _)| is_there(pair)) {
            let [a, b] = [a, b].map(|body| self.entries[body].name.clone());
            if on {
                let text = format!("{a} and {b} are checked by hand");
                left.push((text, Edit::Pair { a, b, from: None, to: Some(true) }));
            } else {
                wanted.skip.push([a, b]);
            }
        }
        for PatternRule { a, b, margin } in &self.patterns {
            let pair = [a.clone(), b.clone()];
            match margin {
                None => wanted.skip.push(pair),
                Some(margin) => wanted.margins.push((pair, *margin)),
            }
        }
        wanted.margin = Some(self.margin).filter(|margin| *margin != self.scene_rules.default_margin());
        Ok((wanted, left))
    }

    /// Returns the current pose of the parent that an entry names; the identity if it names none.
    pub(super) fn parent_pose(&self, origin: &Origin) -> Result<Pose, Trouble> {
        let parent = origin.parent.as_ref().and_then(|parent| self.named(parent));
        parent.map_or(Ok(Pose::IDENTITY), |parent| self.pose_of(parent))
    }

    /// Everything but what is left has been written into a scene whose sum is this. What was done before cannot be
    /// undone: the entries of the file are new.
    pub(crate) fn saved(&mut self, sum: u64, left: Vec<Edit>) {
        let staying: Vec<&String> = left
            .iter()
            .filter_map(|edit| if let Edit::Copy { name, .. } = edit { Some(name) } else { None })
            .collect();
        for number in 0..self.entries.len() {
            let pose = self.pose_of(number).unwrap_or(self.entries[number].pose);
            let copied = match &self.entries[number].added {
                Some(Added::Copy(of)) => self.named(of).and_then(|of| self.entries[of].origin.as_ref()),
                _ => None,
            };
            let piece = copied.map_or(Pose::IDENTITY, |origin| origin.piece);
            let entry = &mut self.entries[number];
            if let Some(origin) = &mut entry.origin {
                origin.pose = pose;
                origin.formula.clone_from(&entry.formula);
            }
            if entry.added.is_some() && entry.id.is_some() && !staying.contains(&&entry.name) {
                entry.added = None;
                let formula = entry.formula.clone();
                entry.origin = Some(Origin { pose, piece, parent: None, formula });
            }
        }
        // What was said here is said by the scene now, all but pairs that are asked about outright.
        let entries = &self.entries;
        let is_there = |pair: &[usize; 2]| pair.iter().all(|&body| entries[body].id.is_some());
        self.by_hand.retain(|pair, on| *on && is_there(pair));
        self.patterns.clear();
        self.saved_removals();
        self.scene_rules = self.staged.world.rules().clone();
        self.told_state.forget_rules();
        self.undo.clear();
        self.redo.clear();
        self.unsaved = left.len();
        if let (Some(claim), Some(file)) = (&mut self.claim, &self.scene_file) {
            claim.renew(file);
        }
        if let Some(journal) = &mut self.journal {
            journal.clear(sum);
            left.iter().for_each(|edit| drop(journal.add(edit)));
        }
    }
}
