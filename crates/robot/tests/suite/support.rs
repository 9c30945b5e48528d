//! What several tests need: random numbers, real files, a naive chain of matrices.

use glam::{DMat4, DVec3, DVec4};
use noli_geom::Pose;
use noli_robot::{JointKind, Robot};
use std::path::PathBuf;

pub(crate) use noli_testing::Random;

/// Draws of configurations.
pub(crate) trait Configurations {
    /// A configuration within the limits; joints without any within a turn, slides without any within a
    /// metre.
    fn configuration(&mut self, robot: &Robot) -> Vec<f64>;
}

impl Configurations for Random {
    fn configuration(&mut self, robot: &Robot) -> Vec<f64> {
        let mut values: Vec<f64> = robot
            .variables()
            .iter()
            .map(|variable| {
                let [low, high] = variable.limits.range.unwrap_or([-3.0, 3.0]);
                self.between(low, high)
            })
            .collect();
        robot.apply_laws(&mut values);
        values
    }
}

/// The robots' folder of the published data.
pub(crate) fn robots() -> Option<PathBuf> {
    noli_testing::data("robots")
}

/// The text of every robot of the data.
pub(crate) fn real_robots() -> Vec<(String, String)> {
    let Some(folder) = robots() else { return Vec::new() };
    [
        "moveit_resources_panda_description/urdf/panda.urdf",
        "moveit_resources_panda_description/urdf/panda_spherized.urdf",
        "puma560_description/urdf/puma560_robot.urdf",
        "ur5_robotiq85/ur5.urdf",
        "ur5_robotiq85/ur5_spherized.urdf",
    ]
    .into_iter()
    .map(|file| (file.to_owned(), std::fs::read_to_string(folder.join(file)).unwrap()))
    .collect()
}

/// A matrix from a rotation by Rodrigues' formula, independent of quaternions and of our sine.
fn turn(axis: DVec3, angle: f64) -> DMat4 {
    let (s, c) = angle.sin_cos();
    let a = axis;
    let row = |i: usize, j: usize| {
        let delta = if i == j { c } else { 0.0 };
        let skew = match (i, j) {
            (0, 1) => -a.z,
            (0, 2) => a.y,
            (1, 0) => a.z,
            (1, 2) => -a.x,
            (2, 0) => -a.y,
            (2, 1) => a.x,
            _ => 0.0,
        };
        delta + s * skew + (1.0 - c) * a[i] * a[j]
    };
    DMat4::from_cols(
        DVec4::new(row(0, 0), row(1, 0), row(2, 0), 0.0),
        DVec4::new(row(0, 1), row(1, 1), row(2, 1), 0.0),
        DVec4::new(row(0, 2), row(1, 2), row(2, 2), 0.0),
        DVec4::W,
    )
}

pub(crate) fn matrix(pose: &Pose) -> DMat4 {
    let m = pose.rotation_matrix();
    DMat4::from_cols(
        m.x_axis.extend(0.0),
        m.y_axis.extend(0.0),
        m.z_axis.extend(0.0),
        pose.translation.extend(1.0),
    )
}

/// The matrix of every link, from the joints as given, by plain products from the link to the root.
pub(crate) fn naive_matrices(robot: &Robot, values: &[f64]) -> Vec<DMat4> {
    let of_joint = |number: usize| {
        let joint = &robot.joints()[number];
        let first = robot.variables().iter().position(|variable| variable.joint == number);
        let value = |k: usize| values[first.unwrap() + k];
        let movement = match joint.kind {
            JointKind::Fixed => DMat4::IDENTITY,
            JointKind::Revolute | JointKind::Continuous => turn(joint.axis, value(0)),
            JointKind::Prismatic => DMat4::from_translation(joint.axis * value(0)),
            JointKind::Planar => {
                assert_eq!(joint.axis, DVec3::Z, "the naive chain knows planes across z only");
                DMat4::from_translation(DVec3::new(value(0), value(1), 0.0)) * turn(DVec3::Z, value(2))
            }
            JointKind::Floating => {
                DMat4::from_translation(DVec3::new(value(0), value(1), value(2)))
                    * turn(DVec3::Z, value(3))
                    * turn(DVec3::Y, value(4))
                    * turn(DVec3::X, value(5))
            }
        };
        matrix(&joint.parent_from_joint) * movement * matrix(&joint.joint_from_child)
    };
    (0..robot.links().len())
        .map(|link| {
            robot.joints_to(link).into_iter().fold(DMat4::IDENTITY, |all, joint| all * of_joint(joint))
        })
        .collect()
}

/// A tree with every kind of joint.
pub(crate) const EVERY_KIND: &str = r#"<robot name="every">
  <link name="world"/><link name="cart"/><link name="arm"/><link name="hand"/><link name="left"/>
  <link name="right"/>
  <link name="drone"/><link name="rotor"/><link name="plate"/>
  <joint name="floor" type="planar"><parent link="world"/><child link="cart"/><axis xyz="0 0 3"/></joint>
  <joint name="shoulder" type="revolute"><parent link="cart"/><child link="arm"/>
    <origin xyz="0.1 -0.2 0.5" rpy="0.3 -0.4 1.1"/><axis xyz="1 2 -2"/>
    <limit lower="-2" upper="2" velocity="1"/></joint>
  <joint name="wrist" type="continuous"><parent link="arm"/><child link="hand"/>
    <origin xyz="0 0.4 0.1" rpy="1.57 0 0"/><axis xyz="0 0 -1"/></joint>
  <joint name="finger" type="prismatic"><parent link="hand"/><child link="left"/>
    <origin xyz="0.05 0 0.1"/><axis xyz="0 1 0"/><limit lower="0" upper="0.05"/></joint>
  <joint name="thumb" type="prismatic"><parent link="hand"/><child link="right"/>
    <origin xyz="-0.05 0 0.1" rpy="0 0 3.1"/><axis xyz="0 1 1"/><limit lower="-1" upper="1"/>
    <mimic joint="finger" multiplier="-2" offset="0.01"/></joint>
  <joint name="flight" type="floating"><parent link="world"/><child link="drone"/>
    <origin xyz="0 0 2"/></joint>
  <joint name="spin" type="continuous"><parent link="drone"/><child link="rotor"/><axis xyz="0 0 1"/></joint>
  <joint name="mount" type="fixed"><parent link="rotor"/><child link="plate"/>
    <origin xyz="0.3 0 0" rpy="0 1 0"/></joint>
</robot>"#;

/// Damages a text in up to four places: other bytes, deletions, words put in, and a shorter end.
pub(crate) fn mutate(bytes: &mut Vec<u8>, words: &[&str], random: &mut Random) {
    for _ in 0..1 + random.index(4) {
        let at = random.index(bytes.len().max(1));
        let end = (at + random.index(10)).min(bytes.len());
        match random.index(4) {
            0 if at < bytes.len() => bytes[at] = random.bits() as u8,
            1 => drop(bytes.drain(at..end)),
            2 => drop(bytes.splice(at..end, words[random.index(words.len())].bytes())),
            _ => bytes.truncate(bytes.len() - random.index(20).min(bytes.len())),
        }
    }
}
