//! Groups of bodies made by hand: kept by names next to the scene.

use super::{Answer, Edit, Session, To, Trouble};
use crate::groups::{self, Groups};
use crate::protocol::{Event, GroupView};
use std::path::Path;

/// Groups at most, and letters of their names.
const MOST_GROUPS: usize = 1000;
const LONGEST_NAME: usize = 100;

impl Session {
    /// Reads the groups of the scene.
    pub(super) fn open_groups(&mut self) -> Result<(), Trouble> {
        let Some(folder) = self.folder.get() else { return Ok(()) };
        let beside = |scene: &Path| groups::beside(scene);
        let path = self.scene_file.as_deref().map_or_else(|| folder.join("studio.groups.json"), beside);
        let told = |error: std::io::Error| {
            Trouble::new(format!("{}: {error}", path.display()), "move it away, or check its permissions")
        };
        self.groups = Groups::open(path.clone()).map_err(told)?;
        Ok(())
    }

    /// Returns the groups with the numbers of their bodies. Removed bodies count again when they are brought back.
    pub(super) fn group_views(&self) -> Vec<GroupView> {
        let there = |name: &String| self.named(name).filter(|&body| self.entries[body].id.is_some());
        let view = |(name, bodies): (&String, &Vec<String>)| GroupView {
            name: name.clone(),
            bodies: bodies.iter().filter_map(there).collect(),
        };
        self.groups.all().map(view).collect()
    }

    /// Makes a group of bodies, or gives the bodies of an existing one.
    pub(super) fn make_group(
        &mut self,
        name: &str,
        bodies: &[usize],
        answer: &mut Answer,
    ) -> Result<(), Trouble> {
        let name = group_name(name)?;
        let (Some(&first), false) = (bodies.first(), self.is_database) else {
            return Err(Trouble::new("a group has at least one body", "select bodies of a scene first"));
        };
        let from = self.groups.get(&name).cloned();
        if from.is_none() && self.groups.all().count() >= MOST_GROUPS {
            return Err(Trouble::new(format!("there are {MOST_GROUPS} groups"), "dissolve some first"));
        }
        let to = Some(self.names_of_all(first, bodies)?);
        if from == to { Ok(()) } else { self.do_edit(Edit::Group { name, from, to }, answer) }
    }

    /// Dissolves a group; its bodies stay.
    pub(super) fn dissolve_group(&mut self, name: &str, answer: &mut Answer) -> Result<(), Trouble> {
        let from = Some(self.group(name)?.clone());
        self.do_edit(Edit::Group { name: name.to_owned(), from, to: None }, answer)
    }

    /// Renames a group.
    pub(super) fn rename_group(&mut self, from: &str, to: &str, answer: &mut Answer) -> Result<(), Trouble> {
        self.group(from)?;
        let to = group_name(to)?;
        if self.groups.get(&to).is_some() {
            return Err(Trouble::new(format!("there is a group {to} already"), "give another name"));
        }
        self.do_edit(Edit::RenameGroup { from: from.to_owned(), to }, answer)
    }

    fn group(&self, name: &str) -> Result<&Vec<String>, Trouble> {
        let none = || Trouble::new(format!("there is no group {name}"), "reload the page");
        self.groups.get(name).ok_or_else(none)
    }

    /// Applies a made, changed or dissolved group.
    pub(super) fn apply_group(
        &mut self,
        name: &str,
        to: Option<&Vec<String>>,
        answer: &mut Answer,
    ) -> Result<(), Trouble> {
        self.set_groups(vec![(name.to_owned(), to.cloned())], answer)
    }

    /// Applies another name of a group.
    pub(super) fn apply_group_name(
        &mut self,
        from: &str,
        to: &str,
        answer: &mut Answer,
    ) -> Result<(), Trouble> {
        let bodies = self.group(from)?.clone();
        self.set_groups(vec![(from.to_owned(), None), (to.to_owned(), Some(bodies))], answer)
    }

    fn set_groups(
        &mut self,
        changes: Vec<(String, Option<Vec<String>>)>,
        answer: &mut Answer,
    ) -> Result<(), Trouble> {
        let told = |error: std::io::Error| {
            Trouble::new(format!("the group was not kept: {error}"), "make room, or check permissions")
        };
        self.groups.set(changes).map_err(told)?;
        answer.tell(To::All, Event::Groups { groups: self.group_views() });
        Ok(())
    }
}

/// The name of a group without spaces around it. Signs that patterns of names have are refused.
fn group_name(name: &str) -> Result<String, Trouble> {
    let name = name.trim();
    let is_plain = !name.is_empty() && name.chars().count() <= LONGEST_NAME;
    if !is_plain || name.contains(|c: char| c.is_control() || "*,@".contains(c)) {
        let text = format!("{name:?} is no name of a group");
        return Err(Trouble::new(text, "give 1 to 100 letters without *, @ and comma"));
    }
    Ok(name.to_owned())
}
