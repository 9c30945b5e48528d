//! Pairs that one plane separates all along an edge: most pairs of a robot cell.
//!
//! All bodies are placed once for all pairs. Each has a bound on how far it moves seen from any of its ancestors, and a
//! pair moves by no more than the sum of both: simpler than the bound of [`Chain`](crate::chain::Chain), and not below.

use crate::cbor::Tokens;
use crate::chain::{SLACK, rounded_up};
use crate::directions::Directions;
use crate::scene::{JointKind, Scene, affine};
use crate::separate::separate;
use glam::{DAffine3, DMat3, DVec3};

/// The bodies of a scene at the centre of an edge, in the frame of the world.
pub(crate) struct Sweep {
    /// Rotation and depth below the world of every link, the world first; and its parent.
    links: Vec<(DMat3, usize, usize)>,
    bodies: Vec<Swept>,
}

/// A parallelepiped with a radius around a body, and bounds on its motion.
struct Swept {
    link: usize,
    center: DVec3,
    axes: [DVec3; 3],
    radius: f64,
    /// Motion seen from the link itself, its parent, and so on.
    motions: Vec<f64>,
    /// Bound on the rounding of its place.
    slack: f64,
}

struct Frame {
    place: DAffine3,
    /// Kind, a point and the direction of the axis of its joint, and the half width of its value.
    axis: Option<(JointKind, DVec3, DVec3, f64)>,
    length: f64,
}

impl Sweep {
    /// The bodies for joint values, each of which may differ by its half width.
    pub(crate) fn new(scene: &Scene, values: &[f64], halves: &[f64]) -> Self {
        let mut frames = vec![Frame { place: DAffine3::IDENTITY, axis: None, length: 0.0 }];
        let mut links = vec![(DMat3::IDENTITY, 0, 0)];
        for number in 1..=scene.link_count() {
            let Some(link) = scene.link(number) else { continue };
            let mut place = frames[link.parent].place * affine(&link.origin);
            let mut length = frames[link.parent].length + link.origin.translation.length();
            let mut axis = None;
            if let (Some(joint), Some(of)) = (&link.joint, scene.joint_of(number)) {
                let direction = place.matrix3 * joint.axis.normalize();
                axis = Some((joint.kind, place.translation, direction, halves[of]));
                length += if joint.kind == JointKind::Slide { values[of].abs() } else { 0.0 };
                place *= joint.movement(values[of]);
            }
            links.push((place.matrix3, links[link.parent].1 + 1, link.parent));
            frames.push(Frame { place, axis, length });
        }
        let bodies = (0..scene.body_count()).map(|body| Swept::new(scene, body, &links, &frames)).collect();
        Self { links, bodies }
    }

    /// The tree of one plane for a pair whose distance exceeds `distance` all along; `false` if none was found.
    pub(crate) fn separates(
        &self,
        pair: [usize; 2],
        distance: f64,
        directions: &mut Directions,
        tree: &mut Tokens,
    ) -> bool {
        let [a, b] = pair.map(|body| &self.bodies[body]);
        let (common, steps) = self.common([a.link, b.link]);
        let slack = a.slack + b.slack;
        let motion = a.motions[steps[0]] + b.motions[steps[1]];
        let room = distance + rounded_up(motion, slack) + slack + a.radius + b.radius;
        let (turn, between) = (self.links[common].0, b.center - a.center);
        if between.length() <= room {
            return false;
        }
        let holds = |n: DVec3| {
            let w = turn * n;
            let wide = |swept: &Swept| swept.axes.iter().map(|axis| w.dot(*axis).abs()).sum::<f64>();
            w.dot(between) - wide(a) - wide(b) > room * n.length()
        };
        let mut leaf = Tokens::default();
        if !directions.name(&mut leaf, holds) {
            // The point of B − A against a direction.
            let nearest_along = |n: DVec3| {
                let w = turn * n;
                let side = |axis: &DVec3| if axis.dot(w) >= 0.0 { -*axis } else { *axis };
                let far = a.axes.iter().chain(&b.axes).map(side).fold(between, |sum, axis| sum + axis);
                turn.transpose() * far
            };
            let Some(direction) = separate(room, turn.transpose() * between, &nearest_along) else {
                return false;
            };
            directions.write(&mut leaf, direction);
        }
        tree.nested(&leaf);
        true
    }

    /// The lowest common ancestor of two links, and the steps to it from both.
    fn common(&self, mut links: [usize; 2]) -> (usize, [usize; 2]) {
        let mut steps = [0; 2];
        while links[0] != links[1] {
            let side = usize::from(self.links[links[1]].1 > self.links[links[0]].1);
            links[side] = self.links[links[side]].2;
            steps[side] += 1;
        }
        (links[0], steps)
    }
}

impl Swept {
    fn new(scene: &Scene, body: usize, links: &[(DMat3, usize, usize)], frames: &[Frame]) -> Self {
        let (described, shape) = (&scene.bodies[body], scene.shape_of(body));
        let frame = &frames[described.link];
        let place = frame.place * affine(&described.pose);
        let (center, axes, radius) = shape.bound();
        let (points, _) = shape.extent();
        let far = points.iter().map(|p| p.length()).fold(0.0, f64::max) + radius;
        let length = frame.length + far + place.translation.length() + described.pose.translation.length();
        let (mut motions, mut beyond, mut at) = (vec![0.0], 0.0, described.link);
        let placed: Vec<DVec3> = points.iter().map(|&p| place.transform_point3(p)).collect();
        while at != 0 {
            if let Some((kind, point, direction, half)) = frames[at].axis.filter(|axis| axis.3 > 0.0) {
                let off = placed.iter().map(|p| (*p - point).cross(direction).length_squared());
                let far = || off.fold(0.0, f64::max).sqrt() * (1.0 + SLACK) + radius + beyond;
                beyond += half * if kind == JointKind::Turn { far() } else { 1.0 };
            }
            motions.push(beyond);
            at = links[at].2;
        }
        Self {
            link: described.link,
            center: place.transform_point3(center),
            axes: axes.map(|axis| place.matrix3 * axis),
            radius,
            slack: SLACK * length * (1 + motions.len()) as f64,
            motions,
        }
    }
}
