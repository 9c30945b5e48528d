//! The robots of a cell, and values for their joints.

use super::loaded::{CellLook, StoredArm, look};
use super::loader::Loader;
use crate::data::cell::{CellRobot, JointList, RobotSource};
use crate::data::suggest::name_one;
use crate::load::robot::{LoadedRobot, RobotOptions, load_robot, robot_files};
use noli::Pose;
use noli_formats::FileError;
use noli_program::run::PairSetting;
use noli_robot::cell::CellBuilder;
use noli_robot::{ConfigurationError, JointAxisKind, JointKind, LinkShape, Robot, with_stand_ins};
use std::path::PathBuf;

impl Loader<'_> {
    /// Returns the pair rules of a database for links that have shapes.
    pub(super) fn stored_rules(
        &self,
        plan: &mut CellBuilder,
        entry: &CellRobot,
        rules: &[([String; 2], PairSetting)],
    ) -> Result<(), FileError> {
        for (links, rule) in rules {
            let [a, b] = [0, 1].map(|k| format!("{}{}", entry.prefix, links[k]));
            if ![&a, &b].iter().all(|name| plan.part_names().any(|part| part == name.as_str())) {
                continue;
            }
            let said = match rule {
                PairSetting::Off(reason) => plan.disable(&a, &b, reason),
                PairSetting::Margin(margin) => plan.margin(&a, &b, *margin),
            };
            said.map_err(|error| {
                self.error(entry.line, error.to_string(), "correct the pair in the database")
            })?;
        }
        Ok(())
    }

    pub(super) fn robot(&self, entry: &CellRobot, inputs: &mut Vec<PathBuf>) -> Result<StoredArm, FileError> {
        if let RobotSource::Stored { database, name } = &entry.source {
            let database = self.folder().join(database);
            let options = RobotOptions { packages: Vec::new(), kind: entry.kind, visual: entry.visual };
            let arm = (self.stored)(&database, name, &options)?;
            inputs.push(database);
            return Ok(arm);
        }
        Ok(StoredArm { loaded: self.described(entry, inputs)?, rules: Vec::new() })
    }

    pub(super) fn described(
        &self,
        entry: &CellRobot,
        inputs: &mut Vec<PathBuf>,
    ) -> Result<LoadedRobot, FileError> {
        let packages = RobotOptions::packages_in(self.folder(), &entry.packages);
        let options = RobotOptions { packages, kind: entry.kind, visual: entry.visual };
        match &entry.source {
            RobotSource::Urdf(file) => {
                let path = self.folder().join(file);
                let loaded = load_robot(&path, &options)?;
                let meshes = robot_files(&path, &loaded.robot, &options)?;
                inputs.push(path);
                inputs.extend(meshes.into_iter().filter_map(|(_, mesh)| mesh));
                Ok(loaded)
            }
            RobotSource::Dh(file) => {
                inputs.push(self.folder().join(file));
                let mut loaded = load_robot(self.folder().join(file), &options)?;
                if loaded.shapes.is_empty() {
                    loaded.robot = with_stand_ins(loaded.robot, 0.05);
                    loaded.shapes = self.plain_shapes(&loaded.robot, entry)?;
                }
                Ok(loaded)
            }
            RobotSource::Stored { .. } => Err(self.error(entry.line, "it is in a database", "name a file")),
            RobotSource::Puma(set, radius) => {
                let robot = set.table().robot().map_err(|error| {
                    self.error(entry.line, error.to_string(), "choose another set of parameters")
                })?;
                let robot = with_stand_ins(robot, *radius);
                let shapes = self.plain_shapes(&robot, entry)?;
                Ok(LoadedRobot { robot, shapes, warnings: Vec::new() })
            }
        }
    }

    /// Display meshes of a robot's links: on the links of the first robot, and where the values of another put them.
    pub(super) fn link_looks(
        &self,
        entry: &CellRobot,
        loaded: &LoadedRobot,
        values: Option<&[f64]>,
    ) -> Result<Vec<CellLook>, FileError> {
        let robot = &loaded.robot;
        let mut links = vec![Pose::IDENTITY; robot.links().len()];
        if let Some(values) = values {
            robot.link_poses(values, &mut links);
        }
        let one = |shape: &LinkShape| {
            let mesh = look(&shape.solid, &robot.geometry_of(shape).form)
                .map_err(|error| self.error(entry.line, error.to_string(), "correct its geometry"))?;
            let name = format!("{}{}", entry.prefix, robot.links()[shape.link].name);
            let (link, place) = match values {
                None => (Some(shape.link), shape.link_from_shape),
                Some(_) => (None, entry.base * links[shape.link] * shape.link_from_shape),
            };
            Ok(CellLook::of_mesh(name, mesh, link, place))
        };
        loaded.shapes.iter().map(one).collect()
    }

    pub(super) fn plain_shapes(&self, robot: &Robot, entry: &CellRobot) -> Result<Vec<LinkShape>, FileError> {
        robot
            .shapes(|file| Err(format!("no mesh `{file}` is read here")))
            .map_err(|error| self.error(entry.line, error.to_string(), "correct the geometry"))
    }

    pub(super) fn flange(&self, entry: &CellRobot, robot: &Robot) -> Result<usize, FileError> {
        if let Some(name) = &entry.flange {
            return robot.link(name).ok_or_else(|| {
                let names = robot.links().iter().map(|link| link.name.as_str());
                let reason = format!("robot `{}` has no link `{name}`", robot.name());
                self.error(entry.line, reason, name_one(name, names))
            });
        }
        // Joints that slide at the end are fingers, unless nothing turns.
        let counted = |link: usize, slides: bool| {
            let moving = |joint: &usize| {
                let joint = &robot.joints()[*joint];
                let is_counted = slides || joint.kind != JointKind::Prismatic;
                joint.kind != JointKind::Fixed && joint.mimic.is_none() && is_counted
            };
            robot.joints_to(link).iter().filter(|joint| moving(joint)).count()
        };
        let all = 0..robot.links().len();
        let nothing_turns = all.clone().all(|link| counted(link, false) == 0);
        let most = all.clone().map(|link| counted(link, nothing_turns)).max().unwrap_or(0);
        Ok(all.clone().find(|&link| counted(link, nothing_turns) == most).unwrap_or(0))
    }

    /// The variables of the chain to a link, in order.
    pub(super) fn chain(robot: &Robot, flange: usize) -> Vec<usize> {
        let joints = robot.joints_to(flange);
        let mut all: Vec<usize> = (0..robot.variables().len())
            .filter(|&v| robot.variables()[v].mimic.is_none() && joints.contains(&robot.variables()[v].joint))
            .collect();
        all.sort_by_key(|&v| joints.iter().position(|&joint| joint == robot.variables()[v].joint));
        all
    }

    pub(super) fn joint_values(
        &self,
        robot: &Robot,
        chain: &[usize],
        list: &JointList,
        line: usize,
    ) -> Result<Vec<f64>, FileError> {
        if list.values.len() != chain.len() {
            let names: Vec<&str> =
                chain.iter().map(|&variable| robot.variables()[variable].name.as_str()).collect();
            let (given, wanted) = (list.values.len(), chain.len());
            let reason =
                format!("{given} joint values for {wanted} joints to the flange ({})", names.join(", "));
            return Err(self.error(
                line,
                reason,
                "give one for each, or choose the link with `flange = \"LINK\"`",
            ));
        }
        let value = |(&variable, &value): (&usize, &f64)| match robot.variables()[variable].movement {
            JointAxisKind::Slide => self.length(value),
            JointAxisKind::Turn if list.degrees => value.to_radians(),
            JointAxisKind::Turn => value,
        };
        Ok(chain.iter().zip(&list.values).map(value).collect())
    }

    pub(super) fn chain_values(
        &self,
        robot: &Robot,
        flange: usize,
        list: Option<&JointList>,
        line: usize,
    ) -> Result<Vec<f64>, FileError> {
        let mut values = robot.neutral().0;
        if let Some(list) = list {
            let chain = Self::chain(robot, flange);
            for (&variable, value) in chain.iter().zip(self.joint_values(robot, &chain, list, line)?) {
                values[variable] = value;
            }
        }
        robot.apply_laws(&mut values);
        let degrees = list.is_none_or(|list| list.degrees);
        robot.check_limits(&values).map_err(|error| {
            self.error(line, self.limits_text(robot, &error, degrees), "stay within the joint's limits")
        })?;
        Ok(values)
    }

    /// Describes a value beyond its limits in the units of the file.
    fn limits_text(&self, robot: &Robot, error: &ConfigurationError, degrees: bool) -> String {
        let ConfigurationError::BeyondLimits { variable, value, range: [lower, upper] } = error else {
            return error.to_string();
        };
        let slides =
            robot.variables().iter().any(|v| v.name == *variable && v.movement == JointAxisKind::Slide);
        let (factor, unit) = match (slides, degrees) {
            (true, _) => (1.0 / self.length(1.0), self.cell.scene.units.sign()),
            (false, true) => (1f64.to_degrees(), "degrees"),
            (false, false) => (1.0, "radians"),
        };
        // Twelve digits: conversions are not to show their rounding.
        let [value, lower, upper] = [value, lower, upper].map(|x| {
            let rounded = format!("{:.11e}", x * factor).parse::<f64>();
            rounded.unwrap_or(x * factor)
        });
        format!("`{variable}` is {value} {unit}, beyond its limits from {lower} to {upper} {unit}")
    }
}
