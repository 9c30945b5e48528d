//! Two bodies as their common link sees them: placements, and bounds on how far they move.

use crate::scene::{JointKind, Scene, affine};
use crate::shape::{Node, Shape};
use glam::{DAffine3, DVec3};
use noli::Pose;

/// The joints between two bodies.
#[derive(Debug)]
pub(crate) struct Chain<'s> {
    scene: &'s Scene,
    bodies: [usize; 2],
    /// The links from the common link, exclusive, to each body's.
    links: [Vec<usize>; 2],
    /// The joints in order from the first body to the second, by number.
    pub(crate) joints: Vec<usize>,
}

/// A body in the frame of the common link.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Side<'s> {
    pub(crate) shape: &'s Shape,
    pub(crate) place: DAffine3,
}

/// Two bodies at the centre of a cell.
#[derive(Debug)]
pub(crate) struct Placed<'s> {
    pub(crate) sides: [Side<'s>; 2],
    /// Bound on the change of distances in the cell.
    pub(crate) motion: f64,
    /// Bound on the displacement of points of the second body, seen from the first.
    pub(crate) motion_b: f64,
    /// Share of each joint of the chain in `motion`.
    pub(crate) shares: Vec<f64>,
    /// More than twice the sum of all rounding.
    pub(crate) slack: f64,
    /// The poses of bodies that are fixed to the common link: these are exact.
    pub(crate) fixed: Option<[Pose; 2]>,
}

/// Relative slack: the format requires 2^-50.
pub(crate) const SLACK: f64 = 1.0 / (1u64 << 46) as f64;

/// A bound on a motion with room for rounding.
pub(crate) fn rounded_up(motion: f64, slack: f64) -> f64 {
    if motion > 0.0 { motion * (1.0 + 2.0 * SLACK) + slack } else { 0.0 }
}

struct Axis {
    kind: JointKind,
    point: DVec3,
    direction: DVec3,
}

impl<'s> Chain<'s> {
    pub(crate) fn new(scene: &'s Scene, bodies: [usize; 2]) -> Self {
        let mut links = bodies.map(|body| scene.ancestors(scene.bodies[body].link));
        while let [Some(a), Some(b)] = [links[0].last(), links[1].last()]
            && a == b
        {
            for links in &mut links {
                links.pop();
            }
        }
        let joints = links[0].iter().chain(links[1].iter().rev());
        let joints = joints.filter_map(|&link| scene.joint_of(link)).collect();
        links.iter_mut().for_each(|links| links.reverse());
        Self { scene, bodies, links, joints }
    }

    /// The bodies for joint values, each of which may differ by its half width.
    pub(crate) fn place(&self, values: &[f64], halves: &[f64]) -> Placed<'s> {
        let mut length = 0.0;
        let mut axes: [Vec<Axis>; 2] = [Vec::new(), Vec::new()];
        let places: [DAffine3; 2] = std::array::from_fn(|side| {
            let mut frame = DAffine3::IDENTITY;
            for &link in &self.links[side] {
                let Some(described) = self.scene.link(link) else { continue };
                frame *= affine(&described.origin);
                length += described.origin.translation.length();
                if let (Some(joint), Some(number)) = (&described.joint, self.scene.joint_of(link)) {
                    let direction = frame.matrix3 * joint.axis.normalize();
                    axes[side].push(Axis { kind: joint.kind, point: frame.translation, direction });
                    length += if joint.kind == JointKind::Slide { values[number].abs() } else { 0.0 };
                    frame *= joint.movement(values[number]);
                }
            }
            frame * affine(&self.scene.bodies[self.bodies[side]].pose)
        });
        let [up, down] = axes;
        let axes: Vec<Axis> = up.into_iter().rev().chain(down).collect();
        let sides: [Side<'s>; 2] =
            std::array::from_fn(|k| Side { shape: self.scene.shape_of(self.bodies[k]), place: places[k] });
        length += sides.iter().map(Side::reach).sum::<f64>();
        let slack = SLACK * length * (1 + axes.len()) as f64;
        let halves: Vec<f64> = self.joints.iter().map(|&joint| halves[joint]).collect();
        let reaches = reaches(&axes, &sides, &halves);
        let share = |k: usize| halves[k] * reaches[0][k].min(reaches[1][k]);
        let shares: Vec<f64> = (0..axes.len()).map(share).collect();
        let up = |sum: f64| rounded_up(sum, slack);
        let motion_b = halves.iter().zip(&reaches[1]).map(|(half, reach)| half * reach).sum();
        let is_fixed = self.links.iter().all(Vec::is_empty);
        let fixed = is_fixed.then(|| self.bodies.map(|body| self.scene.bodies[body].pose));
        Placed { sides, motion: up(shares.iter().sum()), motion_b: up(motion_b), shares, slack, fixed }
    }
}

/// Upper bounds on the distances of both bodies from each axis, anywhere in the cell.
fn reaches(axes: &[Axis], sides: &[Side<'_>; 2], halves: &[f64]) -> [Vec<f64>; 2] {
    let mut reaches = [vec![1.0; axes.len()], vec![1.0; axes.len()]];
    for side in 0..2 {
        if halves.iter().all(|&half| half == 0.0) {
            break;
        }
        let (points, radius) = sides[side].shape.extent();
        let points: Vec<DVec3> = points.iter().map(|&p| sides[side].place.transform_point3(p)).collect();
        let mut beyond = 0.0;
        for step in 0..axes.len() {
            let k = if side == 0 { step } else { axes.len() - 1 - step };
            let Axis { kind, point, direction } = axes[k];
            if kind == JointKind::Turn {
                let far = points.iter().map(|p| (*p - point).cross(direction).length_squared());
                reaches[side][k] = far.fold(0.0, f64::max).sqrt() * (1.0 + SLACK) + radius + beyond;
            }
            beyond += halves[k] * reaches[side][k];
        }
    }
    reaches
}

impl Side<'_> {
    /// The placed point of a part that is furthest along a direction.
    pub(crate) fn support_point(&self, node: Node, direction: DVec3) -> DVec3 {
        let local = self.place.matrix3.transpose() * direction;
        self.place.transform_point3(self.shape.support_point(node, local))
    }

    /// The middle of a part.
    pub(crate) fn center(&self, node: Node) -> DVec3 {
        self.place.transform_point3(self.shape.center(node))
    }

    /// Bound on the length of any vector that placing a point involves.
    fn reach(&self) -> f64 {
        let (points, radius) = self.shape.extent();
        let far = points.iter().map(|p| p.length()).fold(0.0, f64::max);
        far + radius + self.place.translation.length()
    }
}
