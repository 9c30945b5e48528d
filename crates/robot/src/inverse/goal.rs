//! Inverse kinematics for goals with tolerances: several configurations that put a tool into a region of poses.
//!
//! Every step of damped least squares aims at the pose of the region that is nearest to the present one, so that arms
//! with fewer than six joints reach what they can. Arms with a spherical wrist contribute all branches of the closed form.

use super::numeric::Search;
use super::wrist::SphericalWrist;
use super::{ChainOf, IkError, IkOptions, Residual, Work, beyond_limits};
use crate::tree::Robot;
use glam::DVec3;
use noli_geom::internals::sort_by;
use noli_geom::random::SplitMix64;
use noli_geom::{Pose, rotation};

/// A pose of a tool with tolerances.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
#[doc(alias("pose goal", "position constraint", "orientation constraint"))]
pub struct PoseGoal {
    /// The link that carries the tool.
    pub link: usize,
    /// The frame of the tool on the link.
    pub link_from_tool: Pose,
    /// Wanted pose of the tool, in the frame of the root.
    pub root_from_tool: Pose,
    /// Largest distance of the tool's origin from the wanted one, in metres.
    pub position: f64,
    /// Largest components of the rotation vector between the wanted and the actual orientation, in the frame of the
    /// wanted tool, in radians; π leaves an axis free.
    pub angles: [f64; 3],
}

impl PoseGoal {
    /// Rounding that is allowed beyond the tolerances, in metres and radians.
    pub const SLACK: f64 = 1e-8;

    /// Returns the goal of a link at a pose in the frame of the root, without tolerance.
    pub fn new(link: usize, root_from_link: Pose) -> Self {
        let link_from_tool = Pose::IDENTITY;
        Self { link, link_from_tool, root_from_tool: root_from_link, position: 0.0, angles: [0.0; 3] }
    }

    /// The same with tolerances of the position in metres and of the rotation about each axis in radians.
    #[must_use]
    pub fn within(self, position: f64, angles: [f64; 3]) -> Self {
        Self { position, angles, ..self }
    }

    /// The same for a tool on the link.
    #[must_use]
    pub fn with_tool(self, link_from_tool: Pose) -> Self {
        Self { link_from_tool, ..self }
    }

    /// Returns the pose of the region near to a pose of the tool; the pose itself if it is within the tolerances.
    pub fn nearest(&self, root_from_tool: &Pose) -> Pose {
        let wanted = &self.root_from_tool;
        let offset = (root_from_tool.translation - wanted.translation).clamp_length_max(self.position);
        let base = wanted.rotation.normalize();
        let turn = rotation::log(base.conjugate() * root_from_tool.rotation.normalize());
        let most = DVec3::from_array(self.angles);
        Pose::new(base * rotation::exp(turn.clamp(-most, most)), wanted.translation + offset)
    }

    /// Returns the distance and the angle by which a configuration misses the region: 0 within the tolerances.
    pub fn residual(&self, robot: &Robot, values: &[f64]) -> Residual {
        let tool = self.tool_pose(robot, values);
        Residual::between(&tool, &self.nearest(&tool))
    }

    /// Returns the pose of the tool in the frame of the root.
    pub fn tool_pose(&self, robot: &Robot, values: &[f64]) -> Pose {
        let mut poses = vec![Pose::IDENTITY; robot.links().len()];
        robot.link_poses(values, &mut poses);
        poses[self.link] * self.link_from_tool
    }

    /// Returns `true` if a configuration puts the tool into the region, up to [`PoseGoal::SLACK`].
    pub fn contains(&self, robot: &Robot, values: &[f64]) -> bool {
        let Residual { position, angle } = self.residual(robot, values);
        position <= Self::SLACK && angle <= Self::SLACK
    }

    fn is_valid(&self) -> bool {
        let tolerances = [self.position, self.angles[0], self.angles[1], self.angles[2]];
        self.root_from_tool.is_valid()
            && self.link_from_tool.is_valid()
            && tolerances.iter().all(|tolerance| *tolerance >= 0.0)
    }
}

/// Options of [`solve_goal`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct GoalOptions {
    /// Configurations that are searched for.
    pub most: usize,
    /// From how many configurations, the given one first.
    pub starts: usize,
    /// Number of steps from each.
    pub steps: usize,
    /// Seed of the other starts; equal seeds give equal configurations.
    pub seed: u64,
}

impl Default for GoalOptions {
    fn default() -> Self {
        Self { most: 16, starts: 96, steps: 200, seed: 1 }
    }
}

/// The difference of a joint by which two configurations are different solutions, in radians or metres.
const DIFFERENT: f64 = 1e-3;

/// Computes configurations within the limits that put a tool into a region of poses, the nearest to `near` first. Only
/// the variables of `moving` change.
///
/// ```
/// use noli_robot::{GoalOptions, PoseGoal, PumaSet, puma560, solve_goal};
/// let robot = puma560(PumaSet::Eaik);
/// let mut poses = vec![noli_geom::Pose::IDENTITY; 7];
/// robot.link_poses(&[0.3, -0.5, 0.8, 0.1, 0.6, -0.2], &mut poses);
/// let goal = PoseGoal::new(6, poses[6]).within(0.001, [0.01, 0.01, 3.2]);
/// let all = solve_goal(&robot, &goal, &[0, 1, 2, 3, 4, 5], &[0.0; 6], &GoalOptions::default())?;
/// assert!(all.len() > 1 && all.iter().all(|values| goal.contains(&robot, values)));
/// # Ok::<(), noli_robot::IkError>(())
/// ```
#[doc(alias("inverse kinematics", "goal sampling"))]
pub fn solve_goal(
    robot: &Robot,
    goal: &PoseGoal,
    moving: &[usize],
    near: &[f64],
    options: &GoalOptions,
) -> Result<Vec<Vec<f64>>, IkError> {
    if goal.link >= robot.links().len() || !goal.is_valid() || robot.check_values(near).is_err() {
        return Err(IkError::NotFinite);
    }
    let mut chain = ChainOf::new(robot, goal.link)?;
    let all = chain.free.len();
    chain.free.retain(|variable| moving.contains(variable));
    if chain.free.is_empty() {
        return Err(IkError::Immovable { link: robot.links()[goal.link].name.clone() });
    }
    let mut found = Found { robot, goal, all: Vec::new() };
    if all == chain.free.len() {
        found.add_branches(near);
    }
    let ik = IkOptions { steps: 1, tolerance: 1e-12, ..IkOptions::default() };
    let target = goal.root_from_tool;
    let mut search = Search { robot, target, options: &ik, work: Work::new(robot), chain };
    let mut random = SplitMix64::new(options.seed);
    let mut missed = Residual { position: f64::INFINITY, angle: f64::INFINITY };
    for round in 0..options.starts.max(1) {
        if found.all.len() >= options.most.max(1) {
            break;
        }
        let mut values = match round {
            0 => search.clamped(near),
            1 => search.middle(near),
            _ => search.random(near, &mut random),
        };
        let left = descend(&mut search, goal, &mut values, options.steps);
        search.unwind(&mut values, near);
        if search.cost(&left) < search.cost(&missed) {
            missed = left;
        }
        if beyond_limits(robot, &values, &search.moved()).is_none() {
            found.add(values);
        }
    }
    let far = |values: &Vec<f64>| values.iter().zip(near).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
    sort_by(&mut found.all, |a, b| far(a).total_cmp(&far(b)));
    match found.all.is_empty() {
        false => Ok(found.all),
        true => Err(IkError::NotFound {
            starts: options.starts.max(1),
            position: missed.position,
            angle: missed.angle,
            at_limits: false,
        }),
    }
}

/// Steps towards the nearest pose of the region; returns what is left.
fn descend(search: &mut Search<'_>, goal: &PoseGoal, values: &mut Vec<f64>, steps: usize) -> Residual {
    let tool_from_link = goal.link_from_tool.inverse();
    let mut best = goal.residual(search.robot, values);
    let mut idle = 0;
    for _ in 0..steps {
        if idle > 12 || (best.position <= 1e-11 && best.angle <= 1e-11) {
            break;
        }
        let tool = goal.tool_pose(search.robot, values);
        search.target = goal.nearest(&tool) * tool_from_link;
        search.descend(values);
        let left = goal.residual(search.robot, values);
        idle = if search.cost(&left) < 0.99 * search.cost(&best) { 0 } else { idle + 1 };
        best = left;
    }
    best
}

/// Different configurations within the region.
struct Found<'a> {
    robot: &'a Robot,
    goal: &'a PoseGoal,
    all: Vec<Vec<f64>>,
}

impl Found<'_> {
    fn add(&mut self, values: Vec<f64>) {
        let same = |other: &Vec<f64>| other.iter().zip(&values).all(|(a, b)| (a - b).abs() < DIFFERENT);
        if self.goal.contains(self.robot, &values) && !self.all.iter().any(same) {
            self.all.push(values);
        }
    }

    /// All branches of a closed form, where there is one.
    fn add_branches(&mut self, near: &[f64]) {
        let Ok(wrist) = SphericalWrist::new(self.robot, self.goal.link) else { return };
        let root_from_link = self.goal.root_from_tool * self.goal.link_from_tool.inverse();
        if let Ok(all) = wrist.solve(self.robot, &root_from_link, near) {
            all.iter().for_each(|solution| self.add(wrist.place(near, solution)));
        }
    }
}
