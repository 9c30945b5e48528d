//! The configuration space of a part: poses, the metric, and motions between them.

use super::cast::RigidMemory;
use super::space::RigidSpace;
use crate::space::{Edge, Space};
use glam::DVec3;
use noli::Pose;
use noli::answer::Touch;
use noli::motion::{Motion, RigidMotion};
use noli::world::BodyId;
use noli_geom::random::SplitMix64;
use noli_geom::rotation;
use std::sync::Arc;

/// Obstacle that blocks a part.
#[derive(Clone, Debug, PartialEq)]
pub struct RigidBlock {
    /// The body, among those of the world.
    pub by: BodyId,
    /// The contact; `None` if the bodies touch from the start.
    pub touch: Option<Touch>,
}

impl RigidSpace {
    /// The straight motion between two states, turning about the middle of the part.
    pub(crate) fn motion(&self, a: &Pose, b: &Pose) -> Arc<dyn Motion> {
        Arc::new(RigidMotion::between(a, b, self.pivot))
    }

    /// From one pose to another: how far the middle goes, and how it turns.
    pub(crate) fn twist(&self, a: &Pose, b: &Pose) -> (DVec3, DVec3) {
        let shift = b.transform_point(self.pivot) - a.transform_point(self.pivot);
        let turn = rotation::log(b.rotation.normalize() * a.rotation.normalize().conjugate());
        (shift, turn)
    }

    /// The pose after the middle has gone so far and the part has turned so far.
    pub(crate) fn moved(&self, a: &Pose, shift: DVec3, turn: DVec3) -> Pose {
        let rotation = (rotation::exp(turn) * a.rotation.normalize()).normalize();
        let center = a.transform_point(self.pivot) + shift;
        Pose::new(rotation, center - Pose::from_rotation(rotation).transform_vector(self.pivot))
    }

    /// Returns the length equivalent of a twist.
    pub(crate) fn size(&self, (shift, turn): (DVec3, DVec3)) -> f64 {
        (shift.length_squared() + (self.lever * turn.length()).powi(2)).sqrt()
    }

    /// A twist that leads out of all contacts, as near as may be to the one wanted. Projections on one contact after
    /// the other, in the metric of the space.
    pub(crate) fn along(
        &self,
        at: &Pose,
        (mut shift, mut turn): (DVec3, DVec3),
        contacts: &[(DVec3, DVec3)],
    ) -> (DVec3, DVec3) {
        let center = at.transform_point(self.pivot);
        let whole = self.size((shift, turn));
        let weight = self.lever * self.lever;
        for _ in 0..8 {
            for &(point, normal) in contacts {
                let arm = (point - center).cross(normal);
                let inward = normal.dot(shift) + arm.dot(turn) + 0.02 * whole;
                if inward > 0.0 {
                    let by = inward / (1.0 + arm.length_squared() / weight);
                    shift -= normal * by;
                    turn -= arm * (by / weight);
                }
            }
        }
        (shift, turn)
    }
}

/// Returns the point and direction in which a part is blocked.
pub(crate) fn contact_of(touch: &Touch) -> Option<(DVec3, DVec3)> {
    let witness = touch.witness?;
    Some((witness.on_a.point, touch.normal?))
}

impl Space for RigidSpace {
    type State = Pose;
    type Memory = RigidMemory;
    type Block = RigidBlock;

    fn memory(&self) -> RigidMemory {
        RigidMemory::default()
    }

    fn sample(&self, dice: &mut SplitMix64) -> Pose {
        let around = self.rest.union(self.bounds(&self.start)).expanded(1.1 * self.reach);
        let center = DVec3::from_array([0, 1, 2].map(|k| dice.between(around.min[k], around.max[k])));
        let rotation = dice.rotation();
        Pose::new(rotation, center - Pose::from_rotation(rotation).transform_vector(self.pivot))
    }

    fn near(&self, state: &Pose, dice: &mut SplitMix64) -> Pose {
        let size = self.reach * (dice.between(-5.0, 0.5)).exp();
        let (shift, turn) = (dice.direction() * size * dice.unit(), dice.direction() * dice.unit());
        // Some keep their orientation, and some their place.
        let kind = dice.unit();
        let shift = if kind < 0.15 { DVec3::ZERO } else { shift };
        let turn = if kind > 0.8 { DVec3::ZERO } else { turn * (size / self.lever).min(3.0) };
        self.moved(state, shift, turn)
    }

    fn distance(&self, a: &Pose, b: &Pose) -> f64 {
        let shift = b.transform_point(self.pivot) - a.transform_point(self.pivot);
        let dot = a.rotation.dot(b.rotation).abs();
        let lengths = (a.rotation.length_squared() * b.rotation.length_squared()).sqrt();
        let angle = 2.0 * (dot / lengths).min(1.0).acos();
        (shift.length_squared() + (self.lever * angle).powi(2)).sqrt()
    }

    fn between(&self, a: &Pose, b: &Pose, share: f64) -> Pose {
        RigidMotion::between(a, b, self.pivot).pose(share)
    }

    fn prove(&self, a: &Pose, b: &Pose, memory: &mut RigidMemory) -> Edge<RigidBlock> {
        let cast = self.cast(&self.motion(a, b), 0.0, memory);
        match cast.hit {
            None => Edge::Free,
            Some((by, touch)) => Edge::Until { share: cast.until, block: Some(RigidBlock { by, touch }) },
        }
    }

    /// Most motions that are blocked show it at one of a few poses, which cost less than a proof.
    fn is_free_between(&self, a: &Pose, b: &Pose, memory: &mut RigidMemory) -> bool {
        let few = [0.5, 0.25, 0.75];
        few.into_iter().all(|share| self.is_free(&self.between(a, b, share), memory))
            && self.prove(a, b, memory).is_free()
    }

    fn stride(&self) -> f64 {
        0.5 * self.reach
    }

    /// So far back that the clearance is greater than what a proof starts with, unless the part grazes.
    fn stop_at(&self, share: f64, length: f64) -> f64 {
        (share * 0.999 - 6.0 * self.tolerance / length.max(f64::MIN_POSITIVE)).max(0.0)
    }

    fn slide(&self, at: &Pose, to: &Pose, blocks: &[RigidBlock]) -> Option<Pose> {
        let contacts: Vec<_> = blocks.iter().filter_map(|block| contact_of(block.touch.as_ref()?)).collect();
        let wanted = self.twist(at, to);
        let (shift, turn) = self.along(at, wanted, &contacts);
        let size = self.size((shift, turn));
        (!contacts.is_empty() && size > 0.02 * self.size(wanted) && size > 1e-3 * self.reach)
            .then(|| self.moved(at, shift, turn))
    }

    fn is_goal(&self, state: &Pose) -> bool {
        self.is_out(state)
    }
}
