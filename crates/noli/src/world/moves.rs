//! Requested motions of a step.

use super::body::BodyId;
use super::{World, WorldError};
use noli_geom::{Clip, GroupMember, GroupMotion, Motion, Pose};
use std::sync::Arc;

/// Bodies that share one clock: they start together, and stop together where one of them must.
///
/// It owns its motions and shares them with its clones, which cost no more than a list.
#[derive(Clone, Debug)]
pub struct Move {
    pub(super) name: String,
    /// `true` if its bodies keep their relative poses, so that pairs of them need no test.
    pub(super) is_rigid: bool,
    pub(super) parts: Vec<(BodyId, Arc<dyn Motion>)>,
}

impl Move {
    /// Creates a move of bodies with individual motions; pairs of them are tested too.
    pub fn new(name: impl Into<String>, parts: Vec<(BodyId, Arc<dyn Motion>)>) -> Self {
        Self { name: name.into(), is_rigid: false, parts }
    }

    /// Creates a move of bodies that move as one. The motions are trusted to be the same motion of the world, as
    /// those made by [`World::carry`] are: pairs of these bodies are not tested.
    pub fn rigid(name: impl Into<String>, parts: Vec<(BodyId, Arc<dyn Motion>)>) -> Self {
        Self { name: name.into(), is_rigid: true, parts }
    }

    /// Bodies that one motion moves, the first by its first member and so on, such as the links of a robot.
    /// Pairs of them are tested unless the group [is rigid](GroupMotion::is_rigid).
    ///
    /// ```
    /// use noli::motion::{GroupMotion, RigidGroup, RigidMotion};
    /// use noli::world::Move;
    /// use noli::{Convex, Model, Pose, World};
    /// use glam::DVec3;
    /// use std::sync::Arc;
    /// let sphere = Model::from(Convex::sphere(1.0)?);
    /// let mut world = World::default();
    /// let starts = [0.0, 4.0].map(|x| Pose::from_translation(DVec3::X * x));
    /// let hand = world.add("hand", &sphere, starts[0])?;
    /// let cup = world.add("cup", &sphere, starts[1])?;
    /// let lift = RigidMotion::with_velocities(&starts[0], DVec3::Z, DVec3::ZERO, DVec3::ZERO);
    /// let group: Arc<dyn GroupMotion> = Arc::new(RigidGroup::new(Arc::new(lift), &starts));
    /// let lift = Move::group("lift", &[hand, cup], &group)?;
    /// world.step(vec![lift], &Default::default())?;
    /// assert_eq!(world.body(cup)?.pose().translation, DVec3::new(4.0, 0.0, 1.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn group(
        name: impl Into<String>,
        bodies: &[BodyId],
        group: &Arc<dyn GroupMotion>,
    ) -> Result<Self, WorldError> {
        if bodies.len() != group.members() {
            return Err(WorldError::Members { bodies: bodies.len(), members: group.members() });
        }
        let part = |(&id, member): (&BodyId, GroupMember)| (id, Arc::new(member) as Arc<dyn Motion>);
        let parts = bodies.iter().zip(GroupMember::all(group)).map(part).collect();
        Ok(Self { name: name.into(), is_rigid: group.is_rigid(), parts })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns `true` if its bodies keep their relative poses.
    pub fn is_rigid(&self) -> bool {
        self.is_rigid
    }

    /// The bodies that move.
    pub fn bodies(&self) -> impl Iterator<Item = BodyId> + '_ {
        self.parts.iter().map(|(id, _)| *id)
    }

    /// Returns the bodies and their motions. In a planned [`Step`](super::Step), bodies that move on others have
    /// the composed motion.
    pub fn parts(&self) -> impl Iterator<Item = (BodyId, &Arc<dyn Motion>)> + '_ {
        self.parts.iter().map(|(id, motion)| (*id, motion))
    }

    /// The part of it between two of its times; see [`Clip::new`].
    pub fn clip(&self, from: f64, to: f64) -> Self {
        let clip =
            |motion: &Arc<dyn Motion>| Arc::new(Clip::new(motion.clone(), from, to)) as Arc<dyn Motion>;
        let parts = self.parts.iter().map(|(id, motion)| (*id, clip(motion))).collect();
        Self { name: self.name.clone(), is_rigid: self.is_rigid, parts }
    }
}

impl IntoIterator for Move {
    type Item = (BodyId, Arc<dyn Motion>);
    type IntoIter = std::vec::IntoIter<Self::Item>;

    /// The bodies with their motions.
    fn into_iter(self) -> Self::IntoIter {
        self.parts.into_iter()
    }
}

impl World {
    /// Creates a rigid move of some bodies and all their descendants. `motion` creates the motion of a body from
    /// its current pose. For the group to be rigid it must be the same motion of the world for all, such as a
    /// [screw](noli_geom::RigidMotion::screw).
    ///
    /// A fixed body that is to be tested is moved by [`Still`](noli_geom::Still).
    pub fn carry<M: Motion + 'static>(
        &self,
        name: impl Into<String>,
        bodies: &[BodyId],
        motion: impl Fn(&Pose) -> M,
    ) -> Result<Move, WorldError> {
        let mut members = Vec::new();
        for &id in bodies {
            members.extend(self.with_descendants(id)?);
        }
        members.sort_unstable();
        members.dedup();
        let part = |id: BodyId| Ok((id, Arc::new(motion(&self.body(id)?.pose())) as Arc<dyn Motion>));
        let parts = members.into_iter().map(part).collect::<Result<_, WorldError>>()?;
        Ok(Move { name: name.into(), is_rigid: true, parts })
    }
}
