//! A robot with its obstacles, and its configurations by joint name.

use crate::answer::ToolError;
use crate::files;
use noli::Pose;
use noli_project::report::{JointReport, RobotSubject};
use noli_project::{RobotOptions, TakeAs, load_robot, load_srdf, load_surroundings, srdf_warnings};
use noli_robot::cell::{Cell, CellBuilder};
use noli_robot::{JointAxisKind, Robot};
use std::path::PathBuf;
use std::sync::Arc;

/// A robot ready for queries.
pub(super) struct RobotModel {
    pub(super) robot: Arc<Robot>,
    pub(super) cell: Cell,
    pub(super) subject: RobotSubject,
    pub(super) warnings: Vec<String>,
}

impl RobotModel {
    /// Reads a robot, its SRDF, and obstacles around it.
    pub(super) fn load(
        file: &str,
        srdf: Option<&str>,
        obstacles: &[&str],
        packages: &[&str],
    ) -> Result<Self, ToolError> {
        let path = files::resolve(file)?;
        let packages: Vec<PathBuf> = files::resolve_all(packages)?;
        let options = RobotOptions { packages, ..RobotOptions::default() };
        let loaded = load_robot(&path, &options).map_err(ToolError::of)?;
        let mut warnings: Vec<String> = loaded.warnings.iter().map(|warning| warning.text.clone()).collect();
        let table = match srdf {
            Some(srdf) => {
                let path = files::resolve(srdf)?;
                let table = load_srdf(&path, &loaded.robot).map_err(ToolError::of)?;
                warnings.extend(srdf_warnings(&table, &path));
                Some(table)
            }
            None => {
                warnings.push("no SRDF: pairs of links that a joint joins are disabled".to_owned());
                None
            }
        };
        let mut plan = CellBuilder::default();
        loaded.add_to(&mut plan, "", Pose::IDENTITY, table.as_ref()).map_err(ToolError::of)?;
        let (bodies, more) =
            load_surroundings(&files::resolve_all(obstacles)?, TakeAs::Auto).map_err(ToolError::of)?;
        warnings.extend(more);
        for body in &bodies {
            body.add_to(&mut plan).map_err(ToolError::of)?;
        }
        let subject = loaded.subject(file, srdf, &plan);
        Ok(Self { robot: Arc::new(loaded.robot), cell: plan.build(), subject, warnings })
    }

    /// Returns the joints with their limits.
    pub(super) fn joints(&self) -> Vec<JointReport> {
        let one = |joint: &noli_robot::Joint| JointReport {
            name: joint.name.clone(),
            kind: joint.kind.word().to_owned(),
            parent: joint.parent.clone(),
            child: joint.child.clone(),
            range: joint.limits.range,
            velocity: joint.limits.velocity,
            follows: joint.mimic.as_ref().map(|mimic| mimic.joint.clone()),
        };
        self.robot.joints().iter().map(one).collect()
    }

    /// Returns a configuration from values by joint name, in radians and metres, or in degrees as `NAME_deg`. Joints
    /// that are not named have the values of `base`.
    pub(super) fn configuration(&self, named: &[(&str, f64)], base: &[f64]) -> Result<Vec<f64>, ToolError> {
        let variables = self.robot.variables();
        let mut values = base.to_vec();
        for &(name, value) in named {
            let plain = name.strip_suffix("_deg").filter(|_| self.robot.variable(name).is_none());
            let number = self.robot.variable(plain.unwrap_or(name)).ok_or_else(|| {
                let names: Vec<&str> = variables.iter().map(|variable| variable.name.as_str()).collect();
                ToolError(format!("there is no joint `{name}`; the joints are {}", names.join(", ")))
            })?;
            let (Some(variable), Some(own)) = (variables.get(number), values.get_mut(number)) else {
                continue;
            };
            if plain.is_some() && variable.movement == JointAxisKind::Slide {
                return Err(ToolError(format!(
                    "`{name}`: the joint slides; give metres as `{}`",
                    variable.name
                )));
            }
            *own = if plain.is_some() { value.to_radians() } else { value };
        }
        Ok(values)
    }

    /// Returns the joints that are beyond their limits in a configuration.
    pub(super) fn beyond_limits(&self, values: &[f64]) -> Vec<String> {
        let is_beyond = |(variable, value): &(&noli_robot::Variable, &f64)| {
            variable.limits.range.is_some_and(|[low, high]| **value < low || **value > high)
        };
        let all = self.robot.variables().iter().zip(values).filter(is_beyond);
        all.map(|(variable, _)| variable.name.clone()).collect()
    }
}
