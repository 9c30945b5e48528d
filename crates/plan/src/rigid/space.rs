//! The bodies that move as one, and those among which they do.

use crate::error::PlanError;
use glam::DVec3;
use noli::world::{BodyId, Snapshot};
use noli::{Model, Placed, Pose, World};
use noli_geom::Aabb;

/// One of the bodies that move.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    pub(crate) id: BodyId,
    /// Its pose on the leader, whose pose is the state.
    pub(crate) place: Pose,
    /// Its enabled pairs with obstacles, in order of these.
    pub(crate) pairs: Vec<Pair>,
    /// No pair has a greater margin.
    pub(crate) widest: f64,
}

/// An enabled pair of a member and an obstacle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair {
    pub(crate) other: BodyId,
    /// Required clearance.
    pub(crate) margin: f64,
    /// `true` if they touch at the start.
    pub(crate) touches: bool,
}

impl Member {
    /// Its pose where the leader is at this one.
    pub(crate) fn pose(&self, leader: &Pose) -> Pose {
        if self.place == Pose::IDENTITY { *leader } else { *leader * self.place }
    }

    /// The pair with an obstacle; `None` if it is disabled.
    pub(crate) fn pair(&self, other: BodyId) -> Option<&Pair> {
        let place = self.pairs.binary_search_by_key(&other, |pair| pair.other);
        place.ok().map(|place| &self.pairs[place])
    }

    pub(crate) fn set(&mut self, pair: Pair) {
        if let Ok(place) = self.pairs.binary_search_by_key(&pair.other, |pair| pair.other) {
            self.pairs[place] = pair;
        }
    }

    /// Its pairs that touch at the start.
    pub(crate) fn touching(&self) -> impl Iterator<Item = &Pair> {
        self.pairs.iter().filter(|pair| pair.touches)
    }
}

/// A fixed body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Obstacle<'s> {
    pub(crate) model: &'s Model,
    pub(crate) pose: Pose,
    pub(crate) bounds: Aabb,
}

impl<'s> Obstacle<'s> {
    pub(crate) fn placed(&self) -> Placed<'s> {
        self.model.at(self.pose)
    }

    /// Returns `true` if it is bounded.
    pub(crate) fn has_end(&self) -> bool {
        self.bounds.min.is_finite() && self.bounds.max.is_finite()
    }
}

/// The poses of a part among others. States are poses of the first of the bodies that move.
#[derive(Clone, Debug)]
pub struct RigidSpace {
    /// The world, with the others as obstacles.
    pub(crate) bodies: Snapshot,
    pub(crate) members: Vec<Member>,
    /// The obstacles that are not empty, sorted.
    pub(crate) others: Vec<BodyId>,
    pub(crate) start: Pose,
    /// Its given pose; it differs slightly from the start if the part penetrates others there by no more than
    /// rounding.
    pub(crate) given: Pose,
    /// The middle of the part, about which it turns, in its own frame.
    pub(crate) pivot: DVec3,
    /// Length equivalent of a rotation by one radian.
    pub(crate) lever: f64,
    /// No point is further from the pivot.
    pub(crate) reach: f64,
    /// Around the others that have an end.
    pub(crate) rest: Aabb,
    /// Distance beyond the box of the others that counts as removed.
    pub(crate) beyond: f64,
    /// Distance below which bodies may pass without proof that they do not touch.
    pub(crate) tolerance: f64,
    /// `true` if pairs in contact at the start are left to the caller.
    pub(crate) ignores_touching: bool,
}

impl RigidSpace {
    /// Creates the space of bodies of a world that move as one, without the bodies in `without`. The rules of the
    /// world define the checked pairs and their margins.
    pub fn new(world: &World, moving: &[BodyId], without: &[BodyId]) -> Result<Self, PlanError> {
        let still = |id: &BodyId| !moving.contains(id) && !without.contains(id);
        let others: Vec<BodyId> = world.bodies().map(|(id, _)| id).filter(still).collect();
        Self::among(&world.snapshot(), moving, &others)
    }

    /// Bodies of a world that are to move as one, among these others alone.
    pub(crate) fn among(world: &Snapshot, moving: &[BodyId], others: &[BodyId]) -> Result<Self, PlanError> {
        let Some(&first) = moving.first() else { return Err(PlanError::NothingMoves) };
        let start = world.body(first)?.pose();
        let from_world = start.inverse();
        let mut others = others.to_vec();
        others.sort_unstable();
        others.dedup();
        let bodies = world.among(&others)?;
        others.retain(|&id| !bodies[id].model().is_empty());
        let (mut members, mut around): (Vec<Member>, Aabb) = (Vec::new(), Aabb::EMPTY);
        for &id in moving {
            let body = bodies.body(id)?;
            let place = if id == first { Pose::IDENTITY } else { from_world * body.pose() };
            let bounds = body.model().aabb();
            if !(bounds.is_empty() || (bounds.min.is_finite() && bounds.max.is_finite())) {
                return Err(PlanError::Endless(body.name().to_owned()));
            }
            around = around.union(bounds.transformed(&place));
            let mut pairs = Vec::new();
            for &other in &others {
                let margin = bodies.margin_between(id, other)?;
                pairs.extend(margin.map(|margin| Pair { other, margin, touches: false }));
            }
            let widest = pairs.iter().map(|pair| pair.margin).fold(0.0, f64::max);
            members.push(Member { id, place, pairs, widest });
        }
        if around.is_empty() {
            return Err(PlanError::Nothing(bodies.body(first)?.name().to_owned()));
        }
        let reach = 0.5 * around.size().length();
        let mut space = Self {
            bodies,
            members,
            others,
            start,
            given: start,
            pivot: around.center(),
            lever: 0.6 * reach,
            reach,
            rest: Aabb::EMPTY,
            beyond: 0.0,
            tolerance: 1e-4 * reach,
            ignores_touching: false,
        };
        let finite = space.obstacles().map(|(_, other)| other).filter(Obstacle::has_end);
        space.rest = finite.map(|other| other.bounds).fold(Aabb::EMPTY, Aabb::union);
        space.look_at_start();
        space.settle();
        Ok(space)
    }

    pub(crate) fn model(&self, member: &Member) -> &Model {
        self.bodies[member.id].model()
    }

    /// A fixed body.
    pub(crate) fn obstacle(&self, id: BodyId) -> Obstacle<'_> {
        let body = &self.bodies[id];
        let bounds = self.bodies.bounds(id).unwrap_or(Aabb::EMPTY);
        Obstacle { model: body.model(), pose: body.pose(), bounds }
    }

    /// All bodies that stand still, in order.
    pub(crate) fn obstacles(&self) -> impl Iterator<Item = (BodyId, Obstacle<'_>)> {
        self.others.iter().map(|&id| (id, self.obstacle(id)))
    }

    /// The same with another distance beyond which the part is out.
    pub fn with_exit_distance(mut self, distance: f64) -> Self {
        self.beyond = distance.max(0.0);
        self
    }

    /// Returns the start pose of the part. It differs minimally from the given pose if the part penetrates others
    /// there by rounding.
    pub fn start(&self) -> Pose {
        self.start
    }

    /// Returns `true` if the part is in contact at its start.
    pub fn starts_in_contact(&self) -> bool {
        self.touches_at_start()
    }

    /// Returns the name of a fixed body.
    pub fn name(&self, id: BodyId) -> &str {
        let name = |_: usize| self.bodies.body(id).map_or("", |body| body.name());
        self.others.binary_search(&id).map_or("", name)
    }

    /// A member where the leader is at a pose.
    pub(crate) fn placed(&self, member: &Member, pose: &Pose) -> Placed<'_> {
        self.model(member).at(member.pose(pose))
    }

    /// A box around the part at a pose.
    pub(crate) fn bounds(&self, pose: &Pose) -> Aabb {
        let bounds = |member: &Member| self.model(member).aabb().transformed(&member.pose(pose));
        self.members.iter().map(bounds).fold(Aabb::EMPTY, Aabb::union)
    }

    /// Returns `true` if the box of the part is clear of that of the others.
    pub fn is_out(&self, pose: &Pose) -> bool {
        let (own, rest) = (self.bounds(pose), self.rest.expanded(self.beyond));
        self.rest.is_empty() || !own.overlaps(&rest)
    }

    /// Returns the distance in a direction until the part is removed.
    pub(crate) fn removal_path(&self, from: &Pose, direction: DVec3) -> f64 {
        if self.is_out(from) {
            return 0.0;
        }
        let (own, rest) = (self.bounds(from), self.rest.expanded(self.beyond));
        let mut best = f64::INFINITY;
        for k in 0..3 {
            let along = direction[k];
            let path = if along > 0.0 { rest.max[k] - own.min[k] } else { own.max[k] - rest.min[k] };
            if along != 0.0 {
                best = best.min(path / along.abs());
            }
        }
        best * (1.0 + 1e-9) + 1e-3 * self.reach
    }
}
