//! The PUMA 560 by its public parameter sets, which differ, and plain bodies for robots that have none.

use crate::dh::{Convention, DhRow, DhTable};
use crate::geometry::{Geometry, GeometryKind};
use crate::tree::{JointKind, Limits, Parts, Robot};
use glam::{DQuat, DVec3};
use noli_geom::Pose;
use std::f64::consts::FRAC_PI_2;

/// Sets of published parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PumaSet {
    /// Fu, Gonzalez and Lee, *Robotics* (1987): the base frame at the shoulder.
    FuGonzalezLee,
    /// Corke and Armstrong (1994), as the Robotics Toolbox has them: the base frame on the floor, no flange.
    CorkeArmstrong,
    /// The example of EAIK (2025): on the floor, a smaller shoulder offset.
    Eaik,
}

impl PumaSet {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::FuGonzalezLee, Self::CorkeArmstrong, Self::Eaik];

    /// Its name in texts and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::FuGonzalezLee => "fu-gonzalez-lee",
            Self::CorkeArmstrong => "corke-armstrong",
            Self::Eaik => "eaik",
        }
    }

    /// The rows of Denavit and Hartenberg.
    pub fn table(self) -> DhTable {
        // For each joint: alpha in quarter turns, a and d in millimetres.
        let rows: [(f64, f64, f64); 6] = match self {
            Self::FuGonzalezLee => [
                (-1.0, 0.0, 0.0),
                (0.0, 431.8, 149.09),
                (1.0, -20.32, 0.0),
                (-1.0, 0.0, 433.07),
                (1.0, 0.0, 0.0),
                (0.0, 0.0, 56.25),
            ],
            Self::CorkeArmstrong => [
                (1.0, 0.0, 671.83),
                (0.0, 431.8, 0.0),
                (-1.0, 20.3, 150.05),
                (1.0, 0.0, 431.8),
                (-1.0, 0.0, 0.0),
                (0.0, 0.0, 0.0),
            ],
            Self::Eaik => [
                (-1.0, 0.0, 671.83),
                (0.0, 431.8, 139.70),
                (1.0, -20.32, 0.0),
                (-1.0, 0.0, 431.8),
                (1.0, 0.0, 0.0),
                (0.0, 0.0, 56.5),
            ],
        };
        // The shoulder and the elbow turn the other way where the twists do.
        let degrees = match self {
            Self::CorkeArmstrong => [
                [-160.0, 160.0],
                [-45.0, 225.0],
                [-225.0, 45.0],
                [-110.0, 170.0],
                [-100.0, 100.0],
                [-266.0, 266.0],
            ],
            _ => [
                [-160.0, 160.0],
                [-225.0, 45.0],
                [-45.0, 225.0],
                [-110.0, 170.0],
                [-100.0, 100.0],
                [-266.0, 266.0],
            ],
        };
        let row = |i: usize| {
            let (quarters, a, d) = rows[i];
            let range = Some(degrees[i].map(f64::to_radians));
            DhRow {
                name: format!("j{}", i + 1),
                slides: false,
                theta: 0.0,
                d: d / 1000.0,
                a: a / 1000.0,
                alpha: quarters * FRAC_PI_2,
                limits: Limits { range, ..Limits::default() },
                place: None,
            }
        };
        DhTable {
            name: format!("puma560-{}", self.name()),
            convention: Convention::Standard,
            rows: (0..6).map(row).collect(),
            last_from_tool: None,
        }
    }
}

/// Creates the PUMA 560 with substitute bodies; needs no files.
pub fn puma560(set: PumaSet) -> Robot {
    let robot = set.table().robot().expect("the published rows make a robot");
    with_stand_ins(robot, 0.06)
}

/// Gives every link without geometry primitives of this radius in metres. They are a capsule from its origin to
/// each child joint, and a cylinder around its parent joint.
///
/// # Panics
///
/// If the radius is not positive and finite.
pub fn with_stand_ins(robot: Robot, radius: f64) -> Robot {
    assert!(radius > 0.0 && radius.is_finite(), "a stand-in needs a radius");
    let mut geometry: Vec<Vec<Geometry>> = vec![Vec::new(); robot.links().len()];
    for (number, joint) in robot.joints().iter().enumerate() {
        let [parent, child] = robot.ends(number);
        let end = joint.parent_from_joint.translation;
        geometry[parent].extend(bar(DVec3::ZERO, end, radius));
        // As the child sees it, the joint's origin stays where it is while the joint turns.
        let child_from_joint = joint.joint_from_child.inverse();
        if matches!(joint.kind, JointKind::Revolute | JointKind::Continuous) {
            let along = child_from_joint.transform_vector(joint.axis);
            let pose = Pose::new(towards(along), child_from_joint.translation);
            geometry[child]
                .push(piece(pose, GeometryKind::Cylinder { radius: 1.25 * radius, length: 2.5 * radius }));
        }
        geometry[child].extend(bar(child_from_joint.translation, DVec3::ZERO, radius));
    }
    let mut parts: Parts = robot.into_parts();
    for (link, pieces) in parts.links.iter_mut().zip(geometry) {
        if link.collision.is_empty() && link.visual.is_empty() {
            link.collision = pieces;
        }
    }
    Robot::new(parts).expect("bodies change nothing about a robot's joints")
}

fn bar(from: DVec3, to: DVec3, radius: f64) -> Option<Geometry> {
    let length = from.distance(to);
    let pose = Pose::new(towards(to - from), 0.5 * (from + to));
    (length > 0.0).then(|| piece(pose, GeometryKind::Capsule { radius, length }))
}

/// A rotation that takes z to a direction.
fn towards(direction: DVec3) -> DQuat {
    let direction = direction.normalize_or(DVec3::Z);
    let v = DVec3::Z.cross(direction);
    let q = DQuat::from_xyzw(v.x, v.y, v.z, 1.0 + direction.z);
    // Straight down, any half turn will do.
    if q.length_squared() == 0.0 { DQuat::from_xyzw(1.0, 0.0, 0.0, 0.0) } else { q.normalize() }
}

fn piece(link_from_shape: Pose, form: GeometryKind) -> Geometry {
    Geometry { name: None, link_from_shape, form, place: None }
}
