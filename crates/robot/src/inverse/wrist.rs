//! Closed form for six-axis arms with a spherical wrist: the last three axes intersect in a point, the second
//! and third are parallel.
//!
//! The arm is defined by its axes, not by a table, so it may come from any description. The wrist's centre
//! determines the first three joints, the orientation the last three. Each step is an equation `A·cos q +
//! B·sin q = C` with two solutions (Pieper 1968, in the form of Paden and Kahan's subproblems). For the PUMA
//! these are the usual formulas. A Newton step removes the residual of axes that are only nearly parallel or
//! intersecting.

use super::{ChainOf, IkError, Work, beyond_limits, difference, numeric, within_limits};
use crate::tree::{JointAxisKind, Robot};
use glam::{DMat3, DVec3};
use noli_geom::Pose;
use noli_geom::internals::sort_by;

/// On which side of its column the arm is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Shoulder {
    /// Like a left arm: the shoulder is left of the line to the wrist.
    Lefty,
    /// Like a right arm.
    Righty,
}

/// On which side of the line from shoulder to wrist the elbow is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Elbow {
    /// Above it.
    Above,
    /// Below it.
    Below,
}

/// Bend direction of the wrist.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Wrist {
    /// The fifth joint is beyond the place where the fourth and sixth axes are in line, by a positive angle.
    NoFlip,
    /// By a negative angle.
    Flip,
}

/// One of the eight branches that reach a pose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Branch {
    /// Side of the column.
    pub shoulder: Shoulder,
    /// Side of the line to the wrist.
    pub elbow: Elbow,
    /// Bend of the wrist.
    pub wrist: Wrist,
}

impl Branch {
    /// All eight.
    pub const ALL: [Self; 8] = {
        let mut all = [Self { shoulder: Shoulder::Lefty, elbow: Elbow::Above, wrist: Wrist::NoFlip }; 8];
        let mut k = 0;
        while k < 8 {
            if k & 1 != 0 {
                all[k].shoulder = Shoulder::Righty;
            }
            if k & 2 != 0 {
                all[k].elbow = Elbow::Below;
            }
            if k & 4 != 0 {
                all[k].wrist = Wrist::Flip;
            }
            k += 1;
        }
        all
    };
}

impl std::fmt::Display for Branch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let shoulder = if self.shoulder == Shoulder::Lefty { "lefty" } else { "righty" };
        let elbow = if self.elbow == Elbow::Above { "above" } else { "below" };
        let wrist = if self.wrist == Wrist::Flip { "flip" } else { "noflip" };
        write!(f, "{shoulder} {elbow} {wrist}")
    }
}

/// Reason that a chain has no closed form here.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SphericalWristError {
    /// Not six turning joints that move by themselves.
    #[error(
        "the chain has {turns} free turning joints and {others} others; the closed form is for six that turn"
    )]
    NotSixTurns {
        /// Number of independent revolute joints.
        turns: usize,
        /// Number of prismatic or mimic joints.
        others: usize,
    },
    /// The axes of the wrist pass each other.
    #[error("the last three axes pass each other by {by:.3e} m; the closed form needs them to meet")]
    NoCenter {
        /// By how much.
        by: f64,
    },
    /// The second and third axes are not parallel.
    #[error("the second and third axes are {by:.3e} rad from parallel; the closed form needs them parallel")]
    NotParallel {
        /// By how much.
        by: f64,
    },
    /// Two axes that must not be parallel are.
    #[error("axes {0} and {1} are parallel", axes[0], axes[1])]
    Parallel {
        /// The axes, counted from 1.
        axes: [usize; 2],
    },
    /// Nothing moves the link.
    #[error("no joint moves the link")]
    Immovable,
}

/// A configuration that puts the tip at a pose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Solution {
    /// The six joints, from the root outwards.
    pub joints: [f64; 6],
    /// Its branch, one of eight.
    pub branch: Branch,
    /// `true` if the fourth and sixth axes are collinear, so that only the sum of their angles counts. The fourth
    /// angle is then unchanged.
    pub wrist_in_line: bool,
    /// The joint, from 0, that is farthest beyond its limits; `None` if all are within.
    pub beyond: Option<usize>,
}

/// Tolerance of parallel axes, and of intersecting axes as a share of the arm's length. Published descriptions
/// round quarter turns to nine digits.
const NEARLY: f64 = 1e-6;

/// Steps of Newton at most; near a singularity they gain a constant factor each.
const POLISHING: usize = 40;

/// An arm with a spherical wrist.
#[derive(Clone, Debug)]
pub struct SphericalWrist {
    chain: ChainOf,
    variables: [usize; 6],
    /// With all joints at 0, in the frame of the root: a point and the direction of each axis.
    points: [DVec3; 6],
    axes: [DVec3; 6],
    center: DVec3,
    tip_from_center: DVec3,
    root_from_tip: Pose,
}

/// `A·cos q + B·sin q = C`: the middle of both answers and half their distance; `None` if `C` is out of
/// reach.
fn two_angles(a: f64, b: f64, c: f64) -> Option<(f64, f64)> {
    let h = a.hypot(b);
    // A rounding beyond the edge is the edge.
    let c = if c.abs() <= h * (1.0 + 1e-12) { c.clamp(-h, h) } else { return None };
    Some((b.atan2(a), ((h - c) * (h + c)).max(0.0).sqrt().atan2(c)))
}

fn turned(axis: DVec3, angle: f64, v: DVec3) -> DVec3 {
    let (sin, cos) = crate::sin_cos(angle);
    v * cos + axis.cross(v) * sin + axis * (axis.dot(v) * (1.0 - cos))
}

/// The angle about an axis from one direction to another, both seen along the axis.
fn angle_about(axis: DVec3, from: DVec3, to: DVec3) -> f64 {
    let from = from - axis * axis.dot(from);
    let to = to - axis * axis.dot(to);
    axis.dot(from.cross(to)).atan2(from.dot(to))
}

impl SphericalWrist {
    /// Looks whether the chain to a link is such an arm.
    pub fn new(robot: &Robot, tip: usize) -> Result<Self, SphericalWristError> {
        let chain = ChainOf::new(robot, tip).map_err(|_| SphericalWristError::Immovable)?;
        let moving: Vec<usize> = robot
            .joints_to(tip)
            .iter()
            .flat_map(|&joint| {
                (0..robot.variables().len()).filter(move |&v| robot.variables()[v].joint == joint)
            })
            .collect();
        let plain = |&v: &usize| {
            robot.variables()[v].movement == JointAxisKind::Turn && robot.variables()[v].mimic.is_none()
        };
        let turns = moving.iter().filter(|v| plain(v)).count();
        let variables: [usize; 6] = match <[usize; 6]>::try_from(moving.as_slice()) {
            Ok(six) if turns == 6 => six,
            _ => return Err(SphericalWristError::NotSixTurns { turns, others: moving.len() - turns }),
        };
        let zero = vec![0.0; robot.variables().len()];
        let mut work = Work::new(robot);
        chain.columns(robot, &zero, &mut work);
        let root_from_tip = work.poses[tip];
        // The columns are those of the tip's origin: the axis passes at `axis × velocity` from it.
        let axes = variables.map(|v| work.all[v].angular.normalize());
        let points = variables.map(|v| {
            let column = work.all[v];
            root_from_tip.translation + column.angular.cross(column.linear)
        });
        let parallel = |i: usize, j: usize| axes[i].cross(axes[j]).length();
        if parallel(1, 2) > NEARLY {
            return Err(SphericalWristError::NotParallel { by: parallel(1, 2) });
        }
        for [i, j] in [[0, 1], [3, 4], [4, 5]] {
            if parallel(i, j) <= NEARLY {
                return Err(SphericalWristError::Parallel { axes: [i + 1, j + 1] });
            }
        }
        let center = meeting_point(&points, &axes);
        let off = |i: usize| axes[i].cross(center - points[i]).length();
        let by = off(3).max(off(4)).max(off(5));
        if by > NEARLY * chain.size {
            return Err(SphericalWristError::NoCenter { by });
        }
        let tip_from_center = root_from_tip.inverse().transform_point(center);
        Ok(Self { chain, variables, points, axes, center, tip_from_center, root_from_tip })
    }

    /// The variables of its six joints, from the root outwards.
    pub fn variables(&self) -> [usize; 6] {
        self.variables
    }

    /// All solutions for the tip at a pose in the frame of the root, within limits or not, the nearest to
    /// `near` first.
    ///
    /// Whole turns are chosen within the limits, there as near as possible to `near`.
    pub fn solve_all(
        &self,
        robot: &Robot,
        root_from_tip: &Pose,
        near: &[f64],
    ) -> Result<Vec<Solution>, IkError> {
        if !root_from_tip.is_valid() || robot.check_values(near).is_err() {
            return Err(IkError::NotFinite);
        }
        let mut work = Work::new(robot);
        let previous = self.variables.map(|v| near[v]);
        let mut all = Vec::with_capacity(8);
        let mut reason = IkError::Orientation;
        let w = root_from_tip.transform_point(self.tip_from_center);
        for (q1, ahead) in self.shoulders(w, previous[0])? {
            let elbows = match self.elbows(w, q1) {
                Ok(elbows) => elbows,
                Err(why) => {
                    reason = why;
                    continue;
                }
            };
            for (q2, q3) in elbows {
                for (bend, wrist_in_line) in self.wrists(root_from_tip, [q1, q2, q3], previous[3]) {
                    let mut joints = [q1, q2, q3, bend[0], bend[1], bend[2]];
                    if !self.polish(robot, root_from_tip, near, &mut joints, &mut work) {
                        continue;
                    }
                    let branch = self.branch(&joints, ahead);
                    for (k, &v) in self.variables.iter().enumerate() {
                        joints[k] = within_limits(joints[k], previous[k], robot.variables()[v].limits.range);
                    }
                    let mut solution = Solution { joints, branch, wrist_in_line, beyond: None };
                    let values = self.place(near, &solution);
                    let beyond = beyond_limits(robot, &values, &self.variables);
                    solution.beyond = beyond.and_then(|v| self.variables.iter().position(|&own| own == v));
                    all.push(solution);
                }
            }
        }
        if all.is_empty() {
            return Err(reason);
        }
        let far = |solution: &Solution| {
            solution.joints.iter().zip(&previous).map(|(a, b)| (a - b) * (a - b)).sum::<f64>()
        };
        sort_by(&mut all, |a, b| far(a).total_cmp(&far(b)).then(a.branch.cmp(&b.branch)));
        Ok(all)
    }

    /// The solutions within limits, the nearest to `near` first.
    pub fn solve(&self, robot: &Robot, root_from_tip: &Pose, near: &[f64]) -> Result<Vec<Solution>, IkError> {
        let all = self.solve_all(robot, root_from_tip, near)?;
        let within: Vec<Solution> =
            all.iter().copied().filter(|solution| solution.beyond.is_none()).collect();
        if let (true, Some(nearest)) = (within.is_empty(), all.first()) {
            let joint = nearest.beyond.unwrap_or(0);
            let variable = &robot.variables()[self.variables[joint]];
            return Err(IkError::Limits {
                count: all.len(),
                variable: variable.name.clone(),
                value: nearest.joints[joint],
                range: variable.limits.range.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]),
            });
        }
        Ok(within)
    }

    /// All values with the six joints of a solution put in.
    pub fn place(&self, near: &[f64], solution: &Solution) -> Vec<f64> {
        let mut values = near.to_vec();
        for (&v, &joint) in self.variables.iter().zip(&solution.joints) {
            values[v] = joint;
        }
        values
    }

    /// The branch that a configuration is on. At a singularity it is on both; one is named.
    pub fn branch_of(&self, values: &[f64]) -> Branch {
        let joints = self.variables.map(|v| values[v]);
        let [p1, z1, z2] = [self.points[0], self.axes[0], self.axes[1]];
        let wrist = self.arm_point(&joints) - p1;
        let ahead = turned(z1, -joints[0], wrist).dot(z2.cross(z1)) >= 0.0;
        self.branch(&joints, ahead)
    }

    /// Both angles of the first joint, and whether the wrist is then on the side of `z2 × z1`.
    fn shoulders(&self, w: DVec3, previous: f64) -> Result<Vec<(f64, bool)>, IkError> {
        let (p1, z1, z2) = (self.points[0], self.axes[0], self.axes[1]);
        let u = w - p1;
        let along = z2.dot(z1) * z1.dot(u);
        let (a, b) = (z2.dot(u) - along, -z2.dot(z1.cross(u)));
        let offset = z2.dot(self.center - p1);
        // On the first axis every angle does, if the arm has no offset.
        if a.hypot(b) <= 1e-12 * self.chain.size && offset.abs() <= NEARLY * self.chain.size {
            let forward = z2.cross(z1);
            let opposite = previous + std::f64::consts::PI;
            let ahead = |q: f64| turned(z1, -q, u).dot(forward) >= 0.0;
            return Ok(vec![(previous, ahead(previous)), (opposite, !ahead(previous))]);
        }
        let Some((middle, half)) = two_angles(a, b, offset - along) else {
            return Err(IkError::BesideAxis { by: (offset - along).abs() - a.hypot(b) });
        };
        // The answers lie on either side; at the edge, where they fall together, names must still differ.
        let side = |q: f64| turned(z1, -q, u).dot(z2.cross(z1));
        let (first, second) = (middle + half, middle - half);
        let first_ahead = side(first) >= side(second);
        Ok(vec![(first, first_ahead), (second, !first_ahead)])
    }

    /// Both pairs of angles of the second and third joint.
    fn elbows(&self, w: DVec3, q1: f64) -> Result<[(f64, f64); 2], IkError> {
        let [p1, p2, p3] = [self.points[0], self.points[1], self.points[2]];
        let [z1, z2, z3] = [self.axes[0], self.axes[1], self.axes[2]];
        let flat = |v: DVec3| v - z2 * z2.dot(v);
        let y = p1 + turned(z1, -q1, w - p1);
        let (a, b, c) = (flat(y - p2), flat(p3 - p2), flat(self.center - p3));
        let wanted = 0.5 * (a.length_squared() - b.length_squared() - c.length_squared());
        let (cos, sin) = (b.dot(c), b.dot(z3.cross(c)));
        let Some((middle, half)) = two_angles(cos, sin, wanted) else {
            let (far, near) = (b.length() + c.length(), (b.length() - c.length()).abs());
            return Err(if wanted > 0.0 || a.length() > far {
                IkError::TooFar { by: a.length() - far }
            } else {
                IkError::TooNear { by: near - a.length() }
            });
        };
        Ok([middle + half, middle - half].map(|q3| (angle_about(z2, b + turned(z3, q3, c), a), q3)))
    }

    /// Both bends of the wrist, and whether its axes are in line.
    fn wrists(&self, target: &Pose, arm: [f64; 3], previous: f64) -> Vec<([f64; 3], bool)> {
        let [z1, z2, z3, z4, z5, z6] = self.axes;
        let turn = target.rotation_matrix() * self.root_from_tip.rotation_matrix().transpose();
        // What the wrist must do, as the arm at rest sees it.
        let unarmed = |v: DVec3| turned(z3, -arm[2], turned(z2, -arm[1], turned(z1, -arm[0], v)));
        let g = |v: DVec3| unarmed(turn * v);
        let along = z4.dot(z5) * z5.dot(z6);
        let (a, b) = (z4.dot(z6) - along, z4.dot(z5.cross(z6)));
        let (n, s) = (g(z6), across(z6));
        let Some((middle, half)) = two_angles(a, b, z4.dot(n) - along) else { return Vec::new() };
        let solve = |q5: f64| {
            let bent = turned(z5, q5, z6);
            // Sine of the angle between the fourth and sixth axes.
            let in_line = z4.cross(bent).length() <= 1e-9;
            let q4 = if in_line { previous } else { angle_about(z4, bent, n) };
            let unbent = |v: DVec3| turned(z5, -q5, turned(z4, -q4, v));
            let q6 = angle_about(z6, s, unbent(g(s)));
            ([q4, q5, q6], in_line)
        };
        vec![solve(middle + half), solve(middle - half)]
    }

    /// Returns the wrist's centre for the arm's three joints.
    fn arm_point(&self, joints: &[f64; 6]) -> DVec3 {
        (0..3).rev().fold(self.center, |point, k| {
            self.points[k] + turned(self.axes[k], joints[k], point - self.points[k])
        })
    }

    fn branch(&self, joints: &[f64; 6], ahead: bool) -> Branch {
        let [p1, p2, p3] = [self.points[0], self.points[1], self.points[2]];
        let [z1, z2, z3, z4, z5, z6] = self.axes;
        let offset = z2.dot(self.center - p1);
        // Without an offset neither side is left; the one ahead is called so.
        let leftward = if offset.abs() <= NEARLY * self.chain.size { true } else { offset > 0.0 };
        let shoulder = if leftward == ahead { Shoulder::Lefty } else { Shoulder::Righty };

        // In the plane of the arm, with the way to the wrist's side pointing forward.
        let forward = if ahead { z2.cross(z1) } else { -z2.cross(z1) };
        let elbow_at = turned(z2, joints[1], p3 - p2);
        let wrist_at = turned(z2, joints[1], p3 - p2 + turned(z3, joints[2], self.center - p3));
        let (ex, ez) = (elbow_at.dot(forward), elbow_at.dot(z1));
        let (wx, wz) = (wrist_at.dot(forward), wrist_at.dot(z1));
        let elbow = if wx * ez - wz * ex >= 0.0 { Elbow::Above } else { Elbow::Below };

        let straight = two_angles(z4.dot(z6) - z4.dot(z5) * z5.dot(z6), z4.dot(z5.cross(z6)), 0.0);
        let bend = joints[4] - straight.map_or(0.0, |(middle, _)| middle);
        let wrist = if super::nearest_turn(bend, 0.0) >= 0.0 { Wrist::NoFlip } else { Wrist::Flip };
        Branch { shoulder, elbow, wrist }
    }

    /// Performs Newton steps until the pose is reached as exactly as rounding allows; returns `false` if it is not
    /// reached.
    fn polish(
        &self,
        robot: &Robot,
        target: &Pose,
        near: &[f64],
        joints: &mut [f64; 6],
        work: &mut Work,
    ) -> bool {
        let mut values = near.to_vec();
        let mut best = (f64::INFINITY, *joints);
        for round in 0..POLISHING {
            for (&v, &joint) in self.variables.iter().zip(joints.iter()) {
                values[v] = joint;
            }
            robot.link_poses(&values, &mut work.poses);
            let (path, turn) = difference(&work.poses[self.chain.tip], target);
            let error = (path.length_squared() + (turn * self.chain.lever()).length_squared()).sqrt();
            if error.is_nan() || error >= 0.9 * best.0 {
                break;
            }
            best = (error, *joints);
            if error <= 1e-14 * self.chain.size || round + 1 == POLISHING {
                break;
            }
            self.chain.columns(robot, &values, work);
            let Some(step) = newton(work, self.chain.lever(), path, turn) else { break };
            joints.iter_mut().zip(step).for_each(|(joint, change)| *joint += change);
        }
        *joints = best.1;
        best.0 <= 5e-11 * self.chain.size
    }
}

/// The smallest step that removes an error; hardly damped, so that it holds at singularities too.
fn newton(work: &Work, size: f64, path: DVec3, turn: DVec3) -> Option<[f64; 6]> {
    let mut matrix = numeric::gram(&work.columns, size, |_| true);
    let trace: f64 = (0..6).map(|i| matrix[i][i]).sum();
    (0..6).for_each(|i| matrix[i][i] += 1e-13 * trace);
    let (w, t) = (path, turn * size);
    let y = numeric::solved(matrix, [w.x, w.y, w.z, t.x, t.y, t.z])?;
    let (linear, angular) = (DVec3::new(y[0], y[1], y[2]), DVec3::new(y[3], y[4], y[5]) * size);
    Some(std::array::from_fn(|k| work.columns[k].linear.dot(linear) + work.columns[k].angular.dot(angular)))
}

/// The point nearest to the last three axes, by least squares.
fn meeting_point(points: &[DVec3; 6], axes: &[DVec3; 6]) -> DVec3 {
    let (mut sum, mut right) = (DMat3::ZERO, DVec3::ZERO);
    for k in 3..6 {
        let a = axes[k];
        let across = DMat3::IDENTITY - DMat3::from_cols(a * a.x, a * a.y, a * a.z);
        sum += across;
        right += across * (points[k] - points[5]);
    }
    points[5] + sum.inverse() * right
}

/// Some direction square to a unit vector.
fn across(v: DVec3) -> DVec3 {
    v.cross(if v.x.abs() < 0.7 { DVec3::X } else { DVec3::Y }).normalize()
}
