//! A part, or several that move as one, among bodies that stand still.

use crate::{Dice, Edge, PlanError, Space};
use glam::DVec3;
use noli::answer::{Impact, Touch};
use noli::motion::{GroupMember, GroupMotion, Motion, RigidGroup, RigidMotion, Still, SweptBox};
use noli::query::{ClearanceQuery, ImpactQuery, Tolerance};
use noli::world::BodyId;
use noli::{Ask, Model, Overlap, Pose, Relation, Scratch, World};
use noli_geom::{Aabb, rotation};
use std::sync::Arc;

/// One of the bodies that move.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    pub(crate) model: Model,
    /// Where it is on the leader, whose pose is the state.
    pub(crate) place: Pose,
    /// How close it may come to each of the others; `None` where the pair does not matter.
    pub(crate) margins: Vec<Option<f64>>,
    /// Whether it touches this one of the others where it starts.
    pub(crate) touches: Vec<bool>,
}

/// A body that stands still.
#[derive(Clone, Debug)]
pub(crate) struct Other {
    pub(crate) id: BodyId,
    pub(crate) name: String,
    pub(crate) model: Model,
    pub(crate) pose: Pose,
    pub(crate) bounds: Aabb,
}

/// What is in the way of a part.
#[derive(Clone, Debug, PartialEq)]
pub struct RigidBlock {
    /// The body, among those of the world.
    pub by: BodyId,
    /// Where and how; nothing if the bodies touch from the start.
    pub touch: Option<Touch>,
}

/// The poses of a part among others. States are poses of the first of the bodies that move.
#[derive(Clone, Debug)]
pub struct RigidSpace {
    pub(crate) members: Vec<Member>,
    pub(crate) others: Vec<Other>,
    pub(crate) start: Pose,
    /// Where it was put; a little elsewhere if it reaches into others there by no more than rounding.
    pub(crate) given: Pose,
    /// The middle of the part, about which it turns, in its own frame.
    pub(crate) pivot: DVec3,
    /// What a turn by one radian counts.
    pub(crate) lever: f64,
    /// No point is further from the pivot.
    pub(crate) reach: f64,
    /// Around the others that have an end.
    pub(crate) rest: Aabb,
    /// How far beyond the box of the others is out.
    pub(crate) beyond: f64,
    /// How near bodies may pass without proof that they do not touch.
    pub(crate) tolerance: f64,
    /// Whether pairs that touch at the start are left to somebody else.
    pub(crate) ignores_touching: bool,
}

/// Memory of a search.
#[derive(Debug, Default)]
pub struct RigidMemory {
    scratch: Scratch,
    /// The pair that met last, which is likely to meet again.
    last: Option<(usize, usize)>,
}

/// How far a motion is free.
#[derive(Clone, Debug)]
pub(crate) struct Cast {
    pub(crate) until: f64,
    /// The member, the other, and how they touch.
    pub(crate) hit: Option<(usize, usize, Option<Touch>)>,
}

impl RigidSpace {
    /// Bodies of a world that are to move as one, without some that are out of the way. The rules of the world say
    /// which pairs matter, and how close they may come.
    pub fn new(world: &World, moving: &[BodyId], without: &[BodyId]) -> Result<Self, PlanError> {
        let still = |id: &BodyId| !moving.contains(id) && !without.contains(id);
        let others: Vec<BodyId> = world.bodies().map(|(id, _)| id).filter(still).collect();
        Self::among(world, moving, &others)
    }

    /// Bodies of a world that are to move as one, among these others alone.
    pub(crate) fn among(world: &World, moving: &[BodyId], others: &[BodyId]) -> Result<Self, PlanError> {
        let mut members: Vec<Member> = Vec::new();
        let Some(&first) = moving.first() else { return Err(PlanError::NothingMoves) };
        let start = world.body(first)?.pose();
        let from_world = start.inverse();
        let mut still: Vec<Other> = Vec::new();
        for &id in others {
            let body = world.body(id)?;
            if !body.model().is_empty() {
                let (model, pose) = (body.model().clone(), body.pose());
                let bounds = model.aabb().moved(&pose);
                still.push(Other { id, name: body.name().to_owned(), model, pose, bounds });
            }
        }
        let others = still;
        let mut around = Aabb::EMPTY;
        for &id in moving {
            let body = world.body(id)?;
            let place = if id == first { Pose::IDENTITY } else { from_world * body.pose() };
            let bounds = body.model().aabb();
            if !(bounds.is_empty() || (bounds.min.is_finite() && bounds.max.is_finite())) {
                return Err(PlanError::Endless(body.name().to_owned()));
            }
            around = around.union(bounds.moved(&place));
            let margin = |other: &Other| world.margin_between(id, other.id);
            let margins = others.iter().map(margin).collect::<Result<Vec<_>, _>>()?;
            let touches = vec![false; others.len()];
            members.push(Member { model: body.model().clone(), place, margins, touches });
        }
        if around.is_empty() {
            return Err(PlanError::Nothing(world.body(first)?.name().to_owned()));
        }
        let finite = |other: &&Other| other.bounds.min.is_finite() && other.bounds.max.is_finite();
        let rest = others.iter().filter(finite).map(|other| other.bounds).fold(Aabb::EMPTY, Aabb::union);
        let reach = 0.5 * around.size().length();
        let mut space = Self {
            members,
            others,
            start,
            given: start,
            pivot: around.center(),
            lever: 0.6 * reach,
            reach,
            rest,
            beyond: 0.0,
            tolerance: 1e-4 * reach,
            ignores_touching: false,
        };
        space.look_at_start();
        space.settle();
        Ok(space)
    }

    /// Coordinates that were rounded let parts that are meant to touch reach into each other by a hair. Where a move
    /// of less than a millionth of the part undoes that, the part starts from there.
    fn settle(&mut self) {
        let reaches_in = |relation: Relation| {
            matches!(relation, Relation::Crossing | Relation::Inside | Relation::Unknown)
        };
        let standing = self.standing();
        let mut deep: Vec<(usize, usize)> =
            standing.iter().filter(|pair| reaches_in(pair.2)).map(|pair| (pair.0, pair.1)).collect();
        if deep.is_empty() {
            return;
        }
        let mut scratch = Scratch::default();
        for size in [1e-13, 1e-11, 1e-9, 1e-7] {
            for direction in crate::pull::directions(0) {
                let mut start = self.start;
                start.translation += direction * (size * self.reach);
                let still_in = deep.iter().position(|&(m, o)| {
                    let here = self.members[m].model.at(self.member_pose(m, &start));
                    let other = &self.others[o];
                    reaches_in(Ask::new(&mut scratch).relation(&here, &other.model.at(other.pose)))
                });
                if let Some(pair) = still_in {
                    // The pair that a hair does not part is asked first from now on.
                    deep.swap(0, pair);
                    continue;
                }
                let mut moved = Self { start, ..self.clone() };
                moved.look_at_start();
                if !moved.standing().iter().any(|pair| reaches_in(pair.2)) {
                    *self = moved;
                    return;
                }
            }
        }
    }

    /// The same with another distance beyond which the part is out.
    pub fn beyond(mut self, gap: f64) -> Self {
        self.beyond = gap.max(0.0);
        self
    }

    /// Where the part starts; off from where it was put by a hair if it reaches into others there by rounding.
    pub fn start(&self) -> Pose {
        self.start
    }

    /// Whether the part touches something where it starts.
    pub fn starts_in_contact(&self) -> bool {
        self.touches_at_start()
    }

    /// The name of a body that stands still.
    pub fn name(&self, id: BodyId) -> &str {
        self.others.iter().find(|other| other.id == id).map_or("", |other| &other.name)
    }

    /// Which pairs touch at the start, and how finely motions are looked at; margins that do not hold at the start
    /// are given up there.
    fn look_at_start(&mut self) {
        let mut scratch = Scratch::default();
        let mut ask = Ask::new(&mut scratch);
        let mut gap = f64::INFINITY;
        for member in &mut self.members {
            let pose = self.start * member.place;
            let pose = if member.place == Pose::IDENTITY { self.start } else { pose };
            for (number, other) in self.others.iter().enumerate() {
                let Some(margin) = member.margins[number] else { continue };
                let bounds = member.model.aabb().moved(&pose);
                if !bounds.grown(margin.max(self.reach)).overlaps(&other.bounds) {
                    continue;
                }
                let query = ClearanceQuery { max_distance: margin.max(self.reach), ..Default::default() };
                let found = ask.clearance(&member.model.at(pose), &other.model.at(other.pose), &query).gap;
                member.touches[number] = found.at_most == 0.0;
                if found.at_least <= margin {
                    member.margins[number] = Some(0.0);
                }
                if found.at_least > 0.0 {
                    gap = gap.min(found.at_least - if found.at_least > margin { margin } else { 0.0 });
                }
            }
        }
        self.tolerance = (0.05 * gap).clamp(1e-8 * self.reach, 1e-4 * self.reach);
    }

    /// Pairs that share a point at the start, with how they stand.
    pub(crate) fn standing(&self) -> Vec<(usize, usize, Relation)> {
        let mut scratch = Scratch::default();
        let mut found = Vec::new();
        for (m, member) in self.members.iter().enumerate() {
            for (o, other) in self.others.iter().enumerate() {
                if member.touches[o] && member.margins[o].is_some() {
                    let here = member.model.at(self.member_pose(m, &self.start));
                    let relation = Ask::new(&mut scratch).relation(&here, &other.model.at(other.pose));
                    found.push((m, o, relation));
                }
            }
        }
        found
    }

    /// Whether anything touches at the start.
    pub(crate) fn touches_at_start(&self) -> bool {
        self.members.iter().any(|member| member.touches.iter().any(|&touches| touches))
    }

    pub(crate) fn member_pose(&self, member: usize, pose: &Pose) -> Pose {
        let place = self.members[member].place;
        if place == Pose::IDENTITY { *pose } else { *pose * place }
    }

    /// A box around the part at a pose.
    pub(crate) fn bounds(&self, pose: &Pose) -> Aabb {
        let all = self.members.iter().enumerate();
        all.map(|(number, member)| member.model.aabb().moved(&self.member_pose(number, pose)))
            .fold(Aabb::EMPTY, Aabb::union)
    }

    /// Whether the box of the part is clear of that of the others.
    pub fn is_out(&self, pose: &Pose) -> bool {
        let (own, rest) = (self.bounds(pose), self.rest.grown(self.beyond));
        self.rest.is_empty() || !own.overlaps(&rest)
    }

    /// How far the part must be pulled in a direction until it is out.
    pub(crate) fn way_out(&self, from: &Pose, direction: DVec3) -> f64 {
        if self.is_out(from) {
            return 0.0;
        }
        let (own, rest) = (self.bounds(from), self.rest.grown(self.beyond));
        let mut best = f64::INFINITY;
        for k in 0..3 {
            let along = direction[k];
            let way = if along > 0.0 { rest.max[k] - own.min[k] } else { own.max[k] - rest.min[k] };
            if along != 0.0 {
                best = best.min(way / along.abs());
            }
        }
        best * (1.0 + 1e-9) + 1e-3 * self.reach
    }

    /// Whether nothing meets the part at a pose.
    pub fn is_free(&self, pose: &Pose, memory: &mut RigidMemory) -> bool {
        let mut ask = Ask::new(&mut memory.scratch);
        self.members.iter().enumerate().all(|(m, member)| {
            let here = self.member_pose(m, pose);
            let bounds = member.model.aabb().moved(&here);
            self.others.iter().enumerate().all(|(o, other)| match self.margin(member, o) {
                Some(margin) if bounds.grown(margin).overlaps(&other.bounds) => {
                    let there = other.model.at(other.pose);
                    ask.closer_than(&member.model.at(here), &there, margin) == Overlap::Free
                }
                _ => true,
            })
        })
    }

    /// Which bodies overlap the part at a pose.
    pub fn meets(&self, pose: &Pose) -> Vec<BodyId> {
        let mut scratch = Scratch::default();
        let mut ask = Ask::new(&mut scratch);
        let mut found = Vec::new();
        for (o, other) in self.others.iter().enumerate() {
            let hit = self.members.iter().enumerate().any(|(m, member)| {
                let here = member.model.at(self.member_pose(m, pose));
                member.margins[o].is_some()
                    && ask.overlap(&here, &other.model.at(other.pose)) != Overlap::Free
            });
            if hit {
                found.push(other.id);
            }
        }
        found
    }

    fn margin(&self, member: &Member, other: usize) -> Option<f64> {
        if self.ignores_touching && member.touches[other] { None } else { member.margins[other] }
    }

    /// The motions of all members, given that of the leader.
    fn motions(&self, leader: &Arc<dyn Motion>) -> Vec<Arc<dyn Motion>> {
        if let [only] = &self.members[..]
            && only.place == Pose::IDENTITY
        {
            return vec![leader.clone()];
        }
        let start = leader.pose(0.0);
        let starts: Vec<Pose> = (0..self.members.len()).map(|m| self.member_pose(m, &start)).collect();
        let group: Arc<dyn GroupMotion> = Arc::new(RigidGroup::new(leader.clone(), &starts));
        GroupMember::all(&group).map(|member| Arc::new(member) as Arc<dyn Motion>).collect()
    }

    /// How far a motion of the leader is free, with this much room beyond the margins.
    pub(crate) fn cast(&self, leader: &Arc<dyn Motion>, room: f64, memory: &mut RigidMemory) -> Cast {
        let motions = self.motions(leader);
        let mut pairs: Vec<(usize, usize)> = Vec::new();
        for (m, member) in self.members.iter().enumerate() {
            let swept = member.model.moving(&*motions[m]).swept_box((0.0, 1.0), SweptBox::Both);
            for (o, other) in self.others.iter().enumerate() {
                if let Some(margin) = self.margin(member, o)
                    && swept.grown(margin + room).overlaps(&other.bounds)
                {
                    pairs.push((m, o));
                }
            }
        }
        if let Some(last) = memory.last.and_then(|last| pairs.iter().position(|&pair| pair == last)) {
            pairs[..=last].rotate_right(1);
        }
        let mut best = Cast { until: 1.0, hit: None };
        for (m, o) in pairs {
            let (member, other) = (&self.members[m], &self.others[o]);
            let margin = member.margins[o].unwrap_or(0.0) + room;
            let tolerance = Tolerance::Length(self.tolerance);
            let query = ImpactQuery { span: (0.0, best.until), margin, tolerance };
            let still = Still(other.pose);
            let [a, b] = [member.model.moving(&*motions[m]), other.model.moving(&still)];
            match Ask::new(&mut memory.scratch).time_of_impact(&a, &b, &query) {
                Impact::Free => {}
                Impact::AtStart(touch) => {
                    memory.last = Some((m, o));
                    return Cast { until: 0.0, hit: Some((m, o, Some(touch))) };
                }
                Impact::At { time, touch } => {
                    memory.last = Some((m, o));
                    best = Cast { until: time.safe_until.min(best.until), hit: Some((m, o, Some(touch))) };
                }
                Impact::Unknown { safe_until } => {
                    best = Cast { until: safe_until.min(best.until), hit: Some((m, o, None)) };
                }
            }
            if best.until <= 0.0 {
                break;
            }
        }
        best
    }

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

    /// What a twist counts as a way.
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

/// Where and in which direction a part is stopped.
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

    fn sample(&self, dice: &mut Dice) -> Pose {
        let around = self.rest.union(self.bounds(&self.start)).grown(1.1 * self.reach);
        let center = DVec3::from_array([0, 1, 2].map(|k| dice.between(around.min[k], around.max[k])));
        let rotation = dice.rotation();
        Pose::new(rotation, center - Pose::from_rotation(rotation).transform_vector(self.pivot))
    }

    fn near(&self, state: &Pose, dice: &mut Dice) -> Pose {
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
            Some((_, o, touch)) => {
                let block = RigidBlock { by: self.others[o].id, touch };
                Edge::Until { share: cast.until, block: Some(block) }
            }
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

    /// So far back that the gap is greater than what a proof starts with, unless the part grazes.
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
