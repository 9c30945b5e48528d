//! What is asked to move during a step.

use super::body::BodyId;
use super::{World, WorldError};
use noli_geom::{Motion, Pose, Sphere};

/// Bodies that share one clock: they start together, and stop together where one of them must.
#[derive(Debug)]
pub struct Move<'a> {
    pub(super) name: String,
    /// Whether its bodies keep their places relative to each other, so that pairs of them need no test.
    pub(super) is_rigid: bool,
    pub(super) parts: Vec<(BodyId, Box<dyn Motion + 'a>)>,
}

impl<'a> Move<'a> {
    /// Bodies that move each in its own way, such as the links of a robot; pairs of them are tested too.
    pub fn new(name: impl Into<String>, parts: Vec<(BodyId, Box<dyn Motion + 'a>)>) -> Self {
        Self { name: name.into(), is_rigid: false, parts }
    }

    /// Bodies that move as one. The motions are trusted to be the same motion of the world, as those that [`World::carry`]
    /// makes are: pairs of these bodies are not tested.
    pub fn rigid(name: impl Into<String>, parts: Vec<(BodyId, Box<dyn Motion + 'a>)>) -> Self {
        Self { name: name.into(), is_rigid: true, parts }
    }

    /// What it is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether its bodies keep their places relative to each other.
    pub fn is_rigid(&self) -> bool {
        self.is_rigid
    }

    /// The bodies that move.
    pub fn bodies(&self) -> impl Iterator<Item = BodyId> + '_ {
        self.parts.iter().map(|(id, _)| *id)
    }

    /// The bodies and how they move. In a planned [`Step`](super::Step), those that others carry move as all of them do together.
    pub fn parts(&self) -> impl Iterator<Item = (BodyId, &dyn Motion)> + '_ {
        self.parts.iter().map(|(id, motion)| (*id, &**motion as &dyn Motion))
    }
}

impl<'a> IntoIterator for Move<'a> {
    type Item = (BodyId, Box<dyn Motion + 'a>);
    type IntoIter = std::vec::IntoIter<Self::Item>;

    /// The bodies with their motions.
    fn into_iter(self) -> Self::IntoIter {
        self.parts.into_iter()
    }
}

impl World {
    /// A rigid move of some bodies and all that hang on them. `motion` makes the motion of a body from where it stands; for the
    /// group to be rigid it must be the same motion of the world for all, such as a
    /// [screw](noli_geom::RigidMotion::screw).
    ///
    /// A body that is to be asked about but stands still is moved by [`Still`](noli_geom::Still).
    pub fn carry<'a, M: Motion + 'a>(
        &self,
        name: impl Into<String>,
        bodies: &[BodyId],
        motion: impl Fn(&Pose) -> M,
    ) -> Result<Move<'a>, WorldError> {
        let mut members = Vec::new();
        for &id in bodies {
            members.extend(self.with_descendants(id)?);
        }
        members.sort_unstable();
        members.dedup();
        let part = |id: BodyId| Ok((id, Box::new(motion(&self.body(id)?.pose())) as Box<dyn Motion>));
        let parts = members.into_iter().map(part).collect::<Result<_, WorldError>>()?;
        Ok(Move { name: name.into(), is_rigid: true, parts })
    }
}

/// A motion that stops before its end.
#[derive(Debug)]
pub(super) struct Halted<'a> {
    pub(super) motion: &'a dyn Motion,
    pub(super) at: f64,
}

impl Motion for Halted<'_> {
    fn pose(&self, t: f64) -> Pose {
        self.motion.pose(t.min(self.at))
    }

    fn travel(&self, ball: &Sphere, t0: f64, t1: f64) -> f64 {
        self.motion.travel(ball, t0.min(self.at), t1.min(self.at))
    }

    /// Across the stop, twice the travel: the point and its chord both stay that near to the start.
    fn chord_deviation(&self, ball: &Sphere, t0: f64, t1: f64) -> f64 {
        if t1 <= self.at {
            return self.motion.chord_deviation(ball, t0, t1);
        }
        if t0 >= self.at {
            return self.motion.chord_deviation(ball, self.at, self.at);
        }
        2.0 * self.travel(ball, t0, t1)
    }

    fn next_bend(&self, t: f64) -> f64 {
        if t < self.at { self.motion.next_bend(t).min(self.at) } else { 1.0 }
    }
}
