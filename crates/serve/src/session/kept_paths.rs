//! Removal paths that are kept under a name: recorded by hand or found, listed, played, saved as `[[removal]]`.

use super::long_tasks::{Kind, Work, removals_of};
use super::{Answer, Edit, Session, To, Trouble, numbers_of, pose_of_numbers};
use crate::edit::KeptPath;
use crate::protocol::{Drag, Event, PlayView};
use noli::Pose;

/// Paths of one project, and poses of one path.
const MOST_PATHS: usize = 200;
const MOST_POSES: usize = 5000;

impl Session {
    /// Keeps a path of a body under a name; `path` has poses of its centre on the page.
    pub(super) fn keep_path(
        &mut self,
        name: &str,
        body: usize,
        path: &[[f64; 7]],
        answer: &mut Answer,
    ) -> Result<(), Trouble> {
        let name = name.trim();
        if name.is_empty() || name.len() > 60 || name.chars().any(char::is_control) {
            return Err(Trouble::new("this is no name of a path", "give from 1 to 60 letters"));
        }
        if path.len() < 2 || path.len() > MOST_POSES {
            return Err(Trouble::new("invalid path", format!("record from 2 to {MOST_POSES} places")));
        }
        if self.paths.len() >= MOST_PATHS && !self.paths.contains_key(name) {
            return Err(Trouble::new(format!("there are {MOST_PATHS} paths already"), "delete some first"));
        }
        let is_listed = self.staged.removals.iter().any(|staged| staged.removal.name == name)
            || removals_of(self.bundled.as_ref()).iter().any(|(title, _)| title == name);
        if is_listed && !self.paths.contains_key(name) {
            return Err(Trouble::new(format!("the scene has a removal {name} already"), "give another name"));
        }
        self.id(body)?;
        let mut keys = Vec::with_capacity(path.len());
        for &[x, y, z, qx, qy, qz, qw] in path {
            keys.push(numbers_of(&self.pose_from_page(body, [x, y, z], [qx, qy, qz, qw])?));
        }
        let to = Some(KeptPath { part: self.entry(body)?.name.clone(), keys });
        let from = self.paths.get(name).cloned();
        self.do_edit(Edit::Path { name: name.to_owned(), from, to }, answer)?;
        answer.tell(To::All, Event::Note { text: format!("The path {name} is kept.") });
        Ok(())
    }

    /// Deletes a kept path.
    pub(super) fn forget_path(&mut self, name: &str, answer: &mut Answer) -> Result<(), Trouble> {
        let from = self.paths.get(name).cloned();
        if from.is_none() {
            return Err(Trouble::new(format!("there is no path {name}"), "choose one of the list"));
        }
        self.do_edit(Edit::Path { name: name.to_owned(), from, to: None }, answer)
    }

    /// Applies a kept or deleted path.
    pub(super) fn apply_path(&mut self, name: &str, to: Option<&KeptPath>, answer: &mut Answer) {
        match to {
            Some(path) => drop(self.paths.insert(name.to_owned(), path.clone())),
            None => drop(self.paths.remove(name)),
        }
        answer.tell(To::All, self.plays_event());
    }

    /// Everything that can be played, for all tabs.
    pub(super) fn plays_event(&self) -> Event {
        Event::Plays { plays: self.plays() }
    }

    /// Returns the kept paths and the removals of the scene that have a path, to be played.
    pub(super) fn path_plays(&self) -> Vec<PlayView> {
        let kept = self.paths.iter().map(|(name, path)| PlayView {
            name: format!("path {name}"),
            title: format!("{name}: {}", path.part),
        });
        let is_new = |name: &str| !self.paths.contains_key(name);
        let listed = self.staged.removals.iter().filter(|staged| is_new(&staged.removal.name));
        let listed = listed.filter(|staged| staged.moving.is_some()).map(|staged| PlayView {
            name: format!("removal {}", staged.removal.name),
            title: format!("{}: {}", staged.removal.name, staged.removal.part),
        });
        kept.chain(listed).collect()
    }

    /// Returns the work that plays a kept path.
    pub(super) fn path_play_work(&self, name: &str, mode: Drag) -> Result<Work, Trouble> {
        let none = || Trouble::new(format!("there is no path {name}"), "choose one of the list");
        let path = self.paths.get(name).ok_or_else(none)?;
        let body = self.named(&path.part).ok_or_else(none)?;
        let poses: Vec<Pose> = path.keys.iter().map(pose_of_numbers).collect();
        self.guided_work(format!("{name}: {}", path.part), self.id(body)?, &poses, mode)
    }

    /// Returns the work that follows a removal of the scene.
    pub(super) fn removal_work(&self, name: &str) -> Result<Work, Trouble> {
        let none = || Trouble::new(format!("there is no removal {name}"), "choose one of the list");
        let staged = self.staged.removals.iter().find(|staged| staged.removal.name == name);
        let staged = staged.ok_or_else(none)?;
        let moving = staged.moving.as_ref().ok_or_else(none)?;
        let mut parts = moving.parts();
        let (Some((body, motion)), None) = (parts.next(), parts.next()) else {
            let text = format!("the removal {name} moves several bodies");
            return Err(Trouble::new(text, "run it with `noli study`"));
        };
        let without = staged
            .removal
            .without
            .iter()
            .filter_map(|part| self.named(part).and_then(|number| self.entries[number].id));
        let title = format!("{name}: {}", staged.removal.part);
        let (motion, without) = (motion.clone(), without.collect());
        Ok(self.work(Kind::Follow { title, body, motion, without }))
    }
}
