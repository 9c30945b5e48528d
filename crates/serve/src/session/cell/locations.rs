//! Locations of programs: poses of the tool, and precision points, which are joint values. The name of a precision point
//! has a `#` before it, as in programs.

use super::CellState;
use crate::protocol::{Event, LocationView};
use crate::save::WrittenLocation;
use crate::session::{Answer, Edit, Session, To, Trouble, numbers_of, pose_of_numbers};
use noli::Pose;
use noli_program::run::{WorkCell, arm_variables, configurations_at};
use noli_robot::JointAxisKind;

/// The name of a precision point as the cell has it.
pub(super) fn point_key(name: &str) -> Option<String> {
    name.strip_prefix('#').map(str::to_ascii_uppercase)
}

/// Returns a location as the file of the cell has it; `None` if it was deleted.
pub(super) fn written_location(work: &WorkCell, name: &str) -> Option<WrittenLocation> {
    if let Some(joints) = work.locations.points.get(name) {
        let slides = |variable: usize| work.robot.variables()[variable].movement == JointAxisKind::Slide;
        let values = arm_variables(work).into_iter().zip(joints);
        return Some(WrittenLocation::Joints(values.map(|(one, value)| (*value, slides(one))).collect()));
    }
    let pose = work.locations.transformations.get(name)?;
    Some(WrittenLocation::Pose(work.world_from_root * *pose))
}

impl CellState {
    /// Returns all variables of the arm at a precision point.
    pub(super) fn values_at_point(&self, key: &str) -> Result<Vec<f64>, Trouble> {
        let none = || Trouble::new(format!("there is no precision point #{key}"), "teach it first");
        let work = &self.loaded.work;
        let known = work.locations.points.contains_key(key);
        let found = configurations_at(work, key, self.arm_values()).ok().filter(|_| known);
        found.and_then(|all| all.into_iter().next()).ok_or_else(none)
    }

    /// Returns the joint values of the arm as precision points have them.
    fn joints(&self) -> Vec<f64> {
        arm_variables(&self.loaded.work).into_iter().map(|variable| self.values[variable]).collect()
    }

    /// Returns the tool as the root of the arm sees it, in a configuration.
    pub(super) fn tool_at(&self, values: &[f64]) -> Pose {
        let work = &self.loaded.work;
        let mut links = vec![Pose::IDENTITY; work.robot.links().len()];
        work.robot.link_poses(values, &mut links);
        links[work.flange] * work.tool
    }

    /// Refuses a name that a location of the other kind has: the file of a cell has each name once.
    fn refuse_other_kind(&self, key: &str, is_point: bool) -> Result<(), Trouble> {
        let known = &self.loaded.work.locations;
        let is_taken =
            if is_point { known.transformations.contains_key(key) } else { known.points.contains_key(key) };
        if is_taken {
            let sign = if is_point { "" } else { "#" };
            let text = format!("there is a location {sign}{} already", key.to_ascii_lowercase());
            return Err(Trouble::new(text, "delete that one first, or give another name"));
        }
        Ok(())
    }
}

impl Session {
    /// Returns the locations for the page, in the order of their names.
    pub(super) fn location_views(&self, state: &CellState) -> Vec<LocationView> {
        let work = &state.loaded.work;
        let view = |name: String, key: &str, pose: Pose, precise: bool| {
            let pose = work.world_from_root * pose;
            LocationView {
                name,
                at: self.view.point(pose.translation),
                turn: pose.rotation.normalize().to_array(),
                taught: state.taught.contains(key),
                precise,
            }
        };
        let poses = work.locations.transformations.iter();
        let mut locations: Vec<_> =
            poses.map(|(name, pose)| view(name.clone(), name, *pose, false)).collect();
        // A point with too few values is none that the arm can go to.
        let points = work.locations.points.keys();
        locations.extend(points.filter_map(|name| {
            let values = state.values_at_point(name).ok()?;
            Some(view(format!("#{name}"), name, state.tool_at(&values), true))
        }));
        locations.sort_by(|a, b| a.name.cmp(&b.name));
        locations
    }

    /// Keeps where the tool is under a name that programs can use.
    pub(in crate::session) fn teach(&mut self, name: &str, answer: &mut Answer) -> Result<(), Trouble> {
        location_name(name)?;
        let state = self.cell()?;
        let (key, to) = (name.to_ascii_uppercase(), Some(numbers_of(&state.tool())));
        state.refuse_other_kind(&key, false)?;
        let from = state.loaded.work.locations.transformations.get(&key).map(numbers_of);
        self.do_edit(Edit::Teach { name: key, from, to }, answer)?;
        answer.tell(To::All, Event::Note { text: format!("{name} is where the tool is now.") });
        Ok(())
    }

    /// Keeps the joint values under a name that programs can use.
    pub(in crate::session) fn teach_point(&mut self, name: &str, answer: &mut Answer) -> Result<(), Trouble> {
        let name = name.trim_start_matches('#');
        location_name(name)?;
        let state = self.cell()?;
        let (key, to) = (name.to_ascii_uppercase(), Some(state.joints()));
        state.refuse_other_kind(&key, true)?;
        let from = state.loaded.work.locations.points.get(&key).cloned();
        self.do_edit(Edit::TeachPoint { name: key, from, to }, answer)?;
        answer.tell(To::All, Event::Note { text: format!("#{name} has the present joint values.") });
        Ok(())
    }

    /// Renames a location; both names of a precision point begin with `#`.
    pub(in crate::session) fn rename(
        &mut self,
        name: &str,
        to: &str,
        answer: &mut Answer,
    ) -> Result<(), Trouble> {
        let plain = to.trim_start_matches('#');
        location_name(plain)?;
        let to = if name.starts_with('#') { format!("#{plain}") } else { plain.to_owned() };
        let [from, to] = [name, to.as_str()].map(str::to_ascii_uppercase);
        let known = &self.cell()?.loaded.work.locations;
        let is_known = match point_key(&from) {
            Some(key) => known.points.contains_key(&key),
            None => known.transformations.contains_key(&from),
        };
        if !is_known {
            return Err(Trouble::new(format!("there is no location {name}"), "choose one of the list"));
        }
        let key = to.trim_start_matches('#');
        if known.transformations.contains_key(key) || known.points.contains_key(key) {
            let text = format!("there is a location {} already", to.to_ascii_lowercase());
            return Err(Trouble::new(text, "delete that one first, or give another name"));
        }
        self.do_edit(Edit::Rename { from, to }, answer)
    }

    /// Applies another name of a location; errors of the program may come or go with it.
    pub(in crate::session) fn apply_rename(
        &mut self,
        from: &str,
        to: &str,
        answer: &mut Answer,
    ) -> Result<(), Trouble> {
        let known = &self.cell()?.loaded.work.locations;
        let mut silent = Answer::default();
        if let (Some(from), Some(to)) = (point_key(from), point_key(to)) {
            let joints = known.points.get(&from).cloned();
            self.apply_point(&to, joints.as_ref(), &mut silent)?;
            return self.apply_point(&from, None, answer);
        }
        let pose = known.transformations.get(from).map(numbers_of);
        self.apply_teach(to, pose.as_ref(), &mut silent)?;
        self.apply_teach(from, None, answer)
    }

    /// Deletes a location.
    pub(in crate::session) fn forget(&mut self, name: &str, answer: &mut Answer) -> Result<(), Trouble> {
        let none = || Trouble::new(format!("there is no location {name}"), "choose one of the list");
        let known = &self.cell()?.loaded.work.locations;
        let edit = if let Some(name) = point_key(name) {
            let from = Some(known.points.get(&name).cloned().ok_or_else(none)?);
            Edit::TeachPoint { name, from, to: None }
        } else {
            let name = name.to_ascii_uppercase();
            let from = Some(known.transformations.get(&name).map(numbers_of).ok_or_else(none)?);
            Edit::Teach { name, from, to: None }
        };
        self.do_edit(edit, answer)
    }

    /// Applies a taught or deleted location.
    pub(in crate::session) fn apply_teach(
        &mut self,
        name: &str,
        to: Option<&[f64; 7]>,
        answer: &mut Answer,
    ) -> Result<(), Trouble> {
        self.cell()?;
        if let Some(state) = &mut self.cell {
            let known = &mut state.loaded.work.locations.transformations;
            match to {
                Some(numbers) => drop(known.insert(name.to_owned(), pose_of_numbers(numbers))),
                None => drop(known.remove(name)),
            }
            state.taught.insert(name.to_owned());
        }
        self.tell_robot(answer);
        Ok(())
    }

    /// Applies a taught or deleted precision point.
    pub(in crate::session) fn apply_point(
        &mut self,
        name: &str,
        to: Option<&Vec<f64>>,
        answer: &mut Answer,
    ) -> Result<(), Trouble> {
        self.cell()?;
        if let Some(state) = &mut self.cell {
            let known = &mut state.loaded.work.locations.points;
            match to {
                Some(joints) => drop(known.insert(name.to_owned(), joints.clone())),
                None => drop(known.remove(name)),
            }
            state.taught.insert(name.to_owned());
        }
        self.tell_robot(answer);
        Ok(())
    }

    fn tell_robot(&self, answer: &mut Answer) {
        if let Some(robot) = self.robot_view() {
            answer.tell(To::All, Event::Robot(robot));
        }
    }
}

/// Refuses names that programs cannot use.
fn location_name(name: &str) -> Result<(), Trouble> {
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.len() <= 15
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '.' || c == '_');
    let wrong = || {
        let text = format!("{name:?} is no name of a location");
        Trouble::new(text, "begin with a letter, at most 15 letters and digits")
    };
    is_name.then_some(()).ok_or_else(wrong)
}
