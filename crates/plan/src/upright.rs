//! Path constraint on the direction of a tool: an axis of a link within an angle of a direction, proven along edges.
//!
//! On a straight edge in joint space let `S` be the sum of the changes of all turning joints of the chain. The axis `a`
//! moves at `ω × a`, and its second derivative is at most `1.5 S²`: `|ω| ≤ S`, and `|ω'| ≤ S²/2`, as every joint axis is
//! turned by the joints before it. So on a segment of half length `h` the axis stays within `|ω × a| h + 0.75 S² h²` of
//! the one in its middle. Segments that this does not decide are halved.

use glam::{DMat3, DVec3};
use noli_geom::Pose;
use noli_robot::cell::Cell;
use noli_robot::{Column, ConfigurationError, JointAxisKind, Robot};

/// An axis of a link that stays within an angle of a direction, at every moment of a path.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
#[doc(alias("orientation constraint", "path constraint", "upright"))]
pub struct AxisConstraint {
    /// The robot of the cell.
    pub robot: usize,
    /// The link.
    pub link: usize,
    /// The axis in the frame of the link, of unit length.
    pub axis: DVec3,
    /// The direction in the world, of unit length.
    pub direction: DVec3,
    /// The largest angle between both, in radians.
    pub angle: f64,
}

/// Rounding of kinematics and angles, far above what they have, in radians.
const SLACK: f64 = 1e-9;
/// Sum of joint changes of a segment that is not halved again, in radians.
const SHORTEST: f64 = 1e-6;
/// Share of the angle that projected configurations keep, so that edges between them have room.
const INSIDE: f64 = 0.8;

/// The axis at a configuration.
struct At {
    /// The axis, and the direction, in the frame of the robot's root.
    axis: DVec3,
    direction: DVec3,
    columns: Vec<Column>,
}

impl At {
    fn deviation(&self) -> f64 {
        self.axis.cross(self.direction).length().atan2(self.axis.dot(self.direction))
    }
}

impl AxisConstraint {
    /// Returns the constraint that the direction of a link which points up at a configuration stays within an angle of up.
    /// Configurations are those of all robots of the cell.
    pub fn upright(
        cell: &Cell,
        [robot, link]: [usize; 2],
        values: &[f64],
        up: DVec3,
        angle: f64,
    ) -> Result<Self, ConfigurationError> {
        cell.check_values(values)?;
        let direction = up.normalize_or(DVec3::Z);
        let one = Self { robot, link, axis: DVec3::Z, direction, angle };
        let Some((arm, root, own)) = one.arm(cell, values) else {
            return Err(ConfigurationError::Count { found: robot, wanted: cell.robots().len() });
        };
        let mut poses = vec![Pose::IDENTITY; arm.links().len()];
        arm.link_poses(own, &mut poses);
        let axis = (*root * poses[link]).rotation.normalize().conjugate() * direction;
        Ok(Self { axis: axis.normalize_or(DVec3::Z), ..one })
    }

    /// Returns the angle between the axis and the direction at a configuration, in radians; π for a robot or link that the
    /// cell does not have.
    pub fn deviation(&self, cell: &Cell, values: &[f64]) -> f64 {
        self.at(cell, values).map_or(std::f64::consts::PI, |at| at.deviation())
    }

    /// Returns the share of the straight edge in joint space up to which the axis is proven to stay within the angle; 1 for
    /// all of it.
    pub fn proven_share(&self, cell: &Cell, from: &[f64], to: &[f64]) -> f64 {
        self.follow(cell, [from, to], |at, change, _| match at + change + SLACK <= self.angle {
            true => Segment::Kept,
            false if at + SLACK > self.angle => Segment::Left,
            false => Segment::Open,
        })
    }

    /// Returns a proven bound on the angle along a straight edge in joint space, at most `accuracy` above the largest.
    pub fn bound(&self, cell: &Cell, from: &[f64], to: &[f64], accuracy: f64) -> f64 {
        let mut most = 0.0f64;
        self.follow(cell, [from, to], |at, change, shortest| {
            if change > accuracy && !shortest {
                return Segment::Open;
            }
            most = most.max(at + change + SLACK);
            Segment::Kept
        });
        most
    }

    /// Visits segments from the start on; returns the share up to which they were kept.
    fn follow(
        &self,
        cell: &Cell,
        [from, to]: [&[f64]; 2],
        mut decide: impl FnMut(f64, f64, bool) -> Segment,
    ) -> f64 {
        let [first, last] = [from, to].map(|values| self.arm(cell, values));
        let (Some((_, _, first)), Some((_, _, last))) = (first, last) else { return 0.0 };
        let change: Vec<f64> = first.iter().zip(last).map(|(a, b)| b - a).collect();
        let sum = self.turns(cell, &change);
        let mut todo = vec![[0.0, 1.0]];
        while let Some([low, high]) = todo.pop() {
            let (middle, half) = (0.5 * (low + high), 0.5 * (high - low));
            let values: Vec<f64> = from.iter().zip(to).map(|(a, b)| a + (b - a) * middle).collect();
            let Some(at) = self.at(cell, &values) else { return low };
            let speed = at.columns.iter().zip(&change).map(|(column, rate)| column.angular * *rate);
            let speed: DVec3 = speed.sum();
            let chord = speed.cross(at.axis).length() * half + 0.75 * (sum * half).powi(2);
            let turned = if chord < 2.0 { 2.0 * (0.5 * chord).asin() } else { std::f64::consts::PI };
            let shortest = sum * half <= SHORTEST;
            match decide(at.deviation(), turned.min(sum * half), shortest) {
                Segment::Kept => {}
                Segment::Open if !shortest => todo.extend([[middle, high], [low, middle]]),
                Segment::Open | Segment::Left => return low,
            }
        }
        1.0
    }

    /// Sum of the changes of the turning joints that move the link.
    fn turns(&self, cell: &Cell, change: &[f64]) -> f64 {
        let Some(robot) = cell.robots().nth(self.robot) else { return 0.0 };
        let joints = robot.joints_to(self.link);
        let own = robot.variables().iter().zip(change);
        own.filter(|(variable, _)| {
            variable.movement == JointAxisKind::Turn && joints.contains(&variable.joint)
        })
        .map(|(_, change)| change.abs())
        .sum()
    }

    /// The robot, its pose, and its part of a configuration; `None` for a robot or link that the cell does not have.
    fn arm<'c, 'v>(&self, cell: &'c Cell, values: &'v [f64]) -> Option<(&'c Robot, &'c Pose, &'v [f64])> {
        let first: usize = cell.robots().take(self.robot).map(|robot| robot.variables().len()).sum();
        let (robot, root) = (cell.robots().nth(self.robot)?, cell.roots().nth(self.robot)?);
        robot.links().get(self.link)?;
        Some((robot, root, values.get(first..first + robot.variables().len())?))
    }

    fn at(&self, cell: &Cell, values: &[f64]) -> Option<At> {
        let (robot, root, own) = self.arm(cell, values)?;
        let mut poses = vec![Pose::IDENTITY; robot.links().len()];
        robot.link_poses(own, &mut poses);
        let mut columns = vec![Column::default(); robot.variables().len()];
        let pose = poses[self.link];
        robot.jacobian(own, &poses, self.link, pose.translation, &mut columns);
        let direction = root.rotation.normalize().conjugate() * self.direction;
        Some(At { axis: pose.rotation.normalize() * self.axis, direction, columns })
    }

    /// Turns the axis into the cone by the variables `moving` of the cell, within their ranges; `false` if that fails.
    pub(crate) fn project(
        &self,
        cell: &Cell,
        moving: &[usize],
        ranges: &[[f64; 2]],
        values: &mut [f64],
    ) -> bool {
        let first: usize = cell.robots().take(self.robot).map(|robot| robot.variables().len()).sum();
        for _ in 0..24 {
            let Some(at) = self.at(cell, values) else { return false };
            let deviation = at.deviation();
            if deviation <= INSIDE * self.angle {
                return true;
            }
            let wanted = (at.axis.cross(at.direction)).normalize_or(at.axis.any_orthonormal_vector());
            let wanted = wanted * (deviation - 0.75 * INSIDE * self.angle).min(0.5);
            // Turns about the axis itself do not matter.
            let across = |turn: DVec3| turn - at.axis * at.axis.dot(turn);
            let own = |variable: usize| {
                let column = variable.checked_sub(first).and_then(|own| at.columns.get(own));
                across(column.map_or(DVec3::ZERO, |column| column.angular))
            };
            let mut gram = DMat3::from_diagonal(DVec3::splat(1e-4));
            for &variable in moving {
                let turn = own(variable);
                gram += DMat3::from_cols(turn * turn.x, turn * turn.y, turn * turn.z);
            }
            let solved = gram.inverse() * wanted;
            for (&variable, [low, high]) in moving.iter().zip(ranges) {
                values[variable] = (values[variable] + own(variable).dot(solved)).clamp(*low, *high);
            }
        }
        false
    }
}

/// Decision about a segment of an edge.
enum Segment {
    Kept,
    Open,
    /// Outside the angle.
    Left,
}
