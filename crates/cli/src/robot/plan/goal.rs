//! Goals of a plan: poses of the tool with tolerances, planning groups, and the tool kept upright.

use crate::robot::tool::Tool;
use anyhow::{Context, Result, anyhow, bail, ensure};
use noli_ask::quantity::{self, JointUnit, Length};
use noli_formats::Units;
use noli_plan::AxisConstraint;
use noli_robot::cell::Cell;
use noli_robot::{GoalOptions, PoseGoal, Robot, Srdf, solve_goal};
use serde::Serialize;
use std::f64::consts::PI;

/// Options of a goal.
#[derive(clap::Args)]
pub(crate) struct GoalArguments {
    /// Goal as a pose of the tool in the frame of the robot's root: `x,y,z,qx,qy,qz,qw` in metres, or `x,y,z` with any
    /// orientation. All solutions of the inverse kinematics within the tolerances are goals.
    #[arg(long, value_name = "POSE", allow_hyphen_values = true, conflicts_with = "to")]
    pub(super) goal_pose: Option<String>,
    /// The link that is the tool; by default the tip of the planning group, or of the longest chain,
    /// before its gripper.
    #[arg(long, value_name = "LINK")]
    tip: Option<String>,
    /// Largest distance of the tool from the goal pose, in metres or with a unit, such as 1mm.
    #[arg(long, value_name = "LENGTH", default_value = "0", value_parser = quantity::length, requires = "goal_pose")]
    position_tolerance: Length,
    /// Largest rotation from the goal pose, such as 2deg; three angles are about the axes of the tool at the goal, such as
    /// 1deg,1deg,180deg.
    #[arg(long, value_name = "ANGLES", value_parser = angles, requires = "goal_pose")]
    angle_tolerance: Option<Angles>,
    /// Joints of this planning group of the SRDF move; others stay. By default the joints of the same kinematic chain.
    #[arg(long, value_name = "GROUP")]
    group: Option<String>,
    /// Keep the direction of the tool that points up (z) at the start within this angle of up, such as 10deg: proven at
    /// every moment of the path.
    #[arg(long, value_name = "ANGLE", value_parser = angle)]
    upright: Option<f64>,
}

type Angles = [f64; 3];

fn angle(text: &str) -> Result<f64, String> {
    let (value, unit) = quantity::joint_value(text)?;
    match unit {
        Some(JointUnit::Length) => Err(format!("`{text}`: give an angle, such as 10deg")),
        _ if value > 0.0 && value <= PI => Ok(value),
        _ => Err(format!("`{text}`: give an angle above 0 and at most 180deg")),
    }
}

fn angles(text: &str) -> Result<Angles, String> {
    let all: Result<Vec<f64>, String> = text.split(',').map(angle).collect();
    match all?[..] {
        [one] => Ok([one; 3]),
        [x, y, z] => Ok([x, y, z]),
        _ => Err(format!("`{text}`: give one angle, or three about the axes of the tool")),
    }
}

/// A goal pose in a report.
#[derive(Serialize)]
pub(crate) struct GoalReport {
    link: String,
    /// Different configurations that reach it.
    solutions: usize,
    /// Distance and angle beyond the tolerances at the end of the path, in metres and radians.
    residual: Option<[f64; 2]>,
}

/// The tool kept upright, in a report.
#[derive(Serialize)]
pub(crate) struct UprightReport {
    link: String,
    limit_deg: f64,
    /// No larger angle occurs at any moment of the path, proven.
    proven_deg: Option<f64>,
}

/// Goals of a search.
pub(super) struct Goals {
    pub(super) all: Vec<Vec<f64>>,
    pub(super) moving: Vec<usize>,
    pub(super) pose: Option<PoseGoal>,
    tip: usize,
    /// A remark on the choice of the tool.
    pub(super) remark: Option<String>,
}

/// The robot of a plan.
#[derive(Clone, Copy)]
pub(super) struct Subject<'a> {
    pub(super) robot: &'a Robot,
    pub(super) srdf: Option<&'a Srdf>,
    pub(super) seed: u64,
}

impl GoalArguments {
    /// Returns the configurations of the goal, and the joints that move.
    pub(super) fn goals(&self, subject: Subject<'_>, from: &[f64], to: Option<Vec<f64>>) -> Result<Goals> {
        let Subject { robot, srdf, seed } = subject;
        let group = self.group.as_deref().map(|name| group_variables(robot, srdf, name)).transpose()?;
        let Tool { link: tip, remark } = self.tip(robot, srdf)?;
        let Some(text) = &self.goal_pose else {
            let to = to.context("give a goal: --to or --goal-pose")?;
            let changed: Vec<usize> =
                independent(robot).filter(|&number| from[number] != to[number]).collect();
            let moving = match group {
                Some(group) => {
                    if let Some(&other) = changed.iter().find(|number| !group.contains(number)) {
                        let (name, group) = (&robot.variables()[other].name, self.group.as_deref());
                        bail!(
                            "`{name}` changes, but is no joint of the group `{}`",
                            group.unwrap_or_default()
                        );
                    }
                    if changed.is_empty() { Vec::new() } else { group }
                }
                None => chain_variables(robot, srdf, &changed),
            };
            return Ok(Goals { all: vec![to], moving, pose: None, tip, remark });
        };
        let pose = super::super::pose("--goal-pose", text)?;
        let free = text.split(',').count() == 3;
        let angles = self.angle_tolerance.unwrap_or(if free { [PI; 3] } else { [0.0; 3] });
        let goal = PoseGoal::new(tip, pose).within(self.position_tolerance.of_unit(Units::Metre), angles);
        let moving = group.unwrap_or_else(|| {
            let joints = robot.joints_to(tip);
            independent(robot).filter(|&number| joints.contains(&robot.variables()[number].joint)).collect()
        });
        let mut options = GoalOptions::default();
        options.seed = seed;
        let all = solve_goal(robot, &goal, &moving, from, &options)
            .map_err(|error| anyhow!("--goal-pose: `{}`: {error}", robot.links()[tip].name))?;
        Ok(Goals { all, moving, pose: Some(goal), tip, remark })
    }

    /// Returns the constraint on the tool, if one is wanted; `start` is the configuration of the cell.
    pub(super) fn constraint(
        &self,
        cell: &Cell,
        tip: usize,
        start: &[f64],
    ) -> Result<Option<AxisConstraint>> {
        let Some(angle) = self.upright else { return Ok(None) };
        Ok(Some(AxisConstraint::upright(cell, [0, tip], start, glam::DVec3::Z, angle)?))
    }

    /// Returns `true` if the tool is to stay upright.
    pub(super) fn keeps_upright(&self) -> bool {
        self.upright.is_some()
    }

    /// Refuses options that need the SRDF or a description of the robot.
    pub(super) fn refuse_in_cell(&self) -> Result<()> {
        ensure!(
            self.goal_pose.is_none() && self.group.is_none() && self.upright.is_none() && self.tip.is_none(),
            "a cell has locations of its tool as goals; leave out --goal-pose, --tip, --group and --upright"
        );
        Ok(())
    }

    fn tip(&self, robot: &Robot, srdf: Option<&Srdf>) -> Result<Tool> {
        if self.tip.is_none() && self.goal_pose.is_none() && self.upright.is_none() {
            return Ok(Tool::named(robot.tip()));
        }
        let (srdf, name) = match (&self.tip, srdf, &self.group) {
            (None, Some(srdf), Some(group)) => (srdf, group),
            _ => return super::super::tool::tip(self.tip.as_deref(), robot, srdf),
        };
        let chain =
            srdf.groups.iter().find(|group| group.name == *name).and_then(|group| group.chains.last());
        let by_chain = chain.and_then(|chain| robot.link(&chain.tip));
        let by_joint = || srdf.group_joints(robot, name).last().map(|&joint| robot.ends(joint)[1]);
        Ok(Tool::named(by_chain.or_else(by_joint).unwrap_or_else(|| robot.tip())))
    }
}

impl Goals {
    pub(super) fn tip(&self) -> usize {
        self.tip
    }
}

/// Describes how a path reaches a goal pose.
pub(super) fn goal_report(robot: &Robot, goals: &Goals, path: &[Vec<f64>]) -> Option<GoalReport> {
    let pose = goals.pose.as_ref()?;
    let residual = path.last().map(|values| {
        let left = pose.residual(robot, values);
        [left.position, left.angle]
    });
    Some(GoalReport { link: robot.links()[pose.link].name.clone(), solutions: goals.all.len(), residual })
}

/// Accuracy of the reported bound on the angle, in radians.
const ACCURACY: f64 = 1e-3;

/// Describes how upright the tool is along a path of the cell.
pub(super) fn upright_report(
    cell: &Cell,
    robot: &Robot,
    kept: &AxisConstraint,
    path: &[Vec<f64>],
) -> UprightReport {
    let bounds = path.windows(2).map(|two| kept.bound(cell, &two[0], &two[1], ACCURACY));
    let proven = bounds.reduce(f64::max).map(|bound| bound.min(kept.angle));
    UprightReport {
        link: robot.links()[kept.link].name.clone(),
        limit_deg: kept.angle.to_degrees(),
        proven_deg: proven.map(f64::to_degrees),
    }
}

/// Describes both in lines.
pub(super) fn text(goal: Option<&GoalReport>, upright: Option<&UprightReport>) -> String {
    let mut text = String::new();
    if let Some(GoalReport { link, solutions, residual }) = goal {
        let count = crate::output::plural(*solutions, "configuration", "configurations");
        text += &format!("{link}: {count} for the goal pose");
        if let Some([position, angle]) = residual {
            text += &format!("; reached within {position:.1e} m and {angle:.1e} rad of the tolerances");
        }
        text.push('\n');
    }
    if let Some(UprightReport { link, limit_deg, proven_deg: Some(proven) }) = upright {
        text += &format!(
            "{link}: at most {proven:.2}° from upright at every moment, proven ({limit_deg}° allowed)\n"
        );
    }
    text
}

fn independent(robot: &Robot) -> impl Iterator<Item = usize> {
    (0..robot.variables().len()).filter(|&number| robot.variables()[number].mimic.is_none())
}

/// The variables of a planning group that move by themselves.
fn group_variables(robot: &Robot, srdf: Option<&Srdf>, name: &str) -> Result<Vec<usize>> {
    let srdf = srdf.context("--group: planning groups are in the SRDF; give it with --srdf")?;
    let known: Vec<&str> = srdf.groups.iter().map(|group| group.name.as_str()).collect();
    ensure!(
        known.contains(&name),
        "--group: the SRDF has no group `{name}`; its groups are {}",
        known.join(", ")
    );
    let joints = srdf.group_joints(robot, name);
    let variables: Vec<usize> =
        independent(robot).filter(|&number| joints.contains(&robot.variables()[number].joint)).collect();
    ensure!(!variables.is_empty(), "--group: no joint of the group `{name}` moves by itself");
    Ok(variables)
}

/// The variables that may move so that some change: those of the smallest planning group that has them all, else those of
/// their kinematic chain, up to where it branches.
fn chain_variables(robot: &Robot, srdf: Option<&Srdf>, changed: &[usize]) -> Vec<usize> {
    if changed.is_empty() {
        return Vec::new();
    }
    let groups = srdf.into_iter().flat_map(|srdf| srdf.groups.iter().map(move |group| (srdf, group)));
    let groups = groups.filter_map(|(srdf, group)| group_variables(robot, Some(srdf), &group.name).ok());
    let whole = groups.filter(|group| changed.iter().all(|number| group.contains(number)));
    if let Some(group) = whole.min_by_key(Vec::len) {
        return group;
    }
    let mut joints: Vec<usize> = Vec::new();
    for &number in changed {
        let end = robot.ends(robot.variables()[number].joint)[1];
        joints.extend(robot.joints_to(end));
        joints.extend(joints_behind(robot, end));
    }
    independent(robot).filter(|&number| joints.contains(&robot.variables()[number].joint)).collect()
}

/// The joints behind a link, up to where more than one branch has joints that move.
fn joints_behind(robot: &Robot, link: usize) -> Vec<usize> {
    let moving: Vec<usize> = independent(robot).map(|number| robot.variables()[number].joint).collect();
    let (mut at, mut found) = (link, Vec::new());
    loop {
        let leads =
            |joint: usize| moving.iter().any(|&other| robot.joints_to(robot.ends(other)[1]).contains(&joint));
        let children = (0..robot.joints().len()).filter(|&joint| robot.ends(joint)[0] == at);
        let branches: Vec<usize> = children.filter(|&joint| leads(joint)).collect();
        let [one] = branches[..] else { return found };
        found.push(one);
        at = robot.ends(one)[1];
    }
}
