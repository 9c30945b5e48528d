//! Collisions of the part at a pose, and the collision-free length of a motion.

use super::space::{Member, Pair, RigidSpace};
use noli::answer::{Impact, Touch};
use noli::motion::{GroupMember, GroupMotion, Motion, RigidGroup, Still, SweptBox};
use noli::query::{ImpactQuery, Tolerance};
use noli::world::{BodyId, SnapshotContext};
use noli::{Overlap, Pose, QueryContext, Scratch};
use noli_geom::Aabb;
use std::sync::Arc;

/// Memory of a search.
#[derive(Debug, Default)]
pub struct RigidMemory {
    scratch: Scratch,
    near: SnapshotContext<'static>,
    /// The last colliding pair, which is likely to collide again.
    last: Option<[BodyId; 2]>,
}

/// Collision-free share of a motion.
#[derive(Clone, Debug)]
pub(crate) struct Cast {
    pub(crate) until: f64,
    /// Blocking body, and the contact.
    pub(crate) hit: Option<(BodyId, Option<Touch>)>,
}

impl RigidSpace {
    /// Pairs of a member whose boxes are separated by at most their margin and this length, in order of the
    /// obstacles.
    fn near<'a, 'm>(
        &'a self,
        member: &'a Member,
        bounds: Aabb,
        room: f64,
        memory: &'m mut SnapshotContext<'static>,
    ) -> impl Iterator<Item = &'a Pair> + use<'a, 'm> {
        let around = bounds.expanded(member.widest + room);
        let candidates = self.bodies.candidates(&around, memory).iter();
        candidates.filter_map(move |&id| {
            let pair = member.pair(id).filter(|pair| !(self.ignores_touching && pair.touches))?;
            bounds.expanded(pair.margin + room).overlaps(&self.obstacle(id).bounds).then_some(pair)
        })
    }

    /// Returns `true` if the part is collision-free at a pose.
    pub fn is_free(&self, pose: &Pose, memory: &mut RigidMemory) -> bool {
        let RigidMemory { scratch, near, .. } = memory;
        let mut context = QueryContext::new(scratch);
        self.members.iter().all(|member| {
            let here = self.placed(member, pose);
            let bounds = self.model(member).aabb().transformed(&member.pose(pose));
            self.near(member, bounds, 0.0, near).all(|pair| {
                let there = self.obstacle(pair.other).placed();
                context.within_distance(&here, &there, pair.margin) == Overlap::Free
            })
        })
    }

    /// Returns the bodies that overlap the part at a pose.
    pub fn meets(&self, pose: &Pose) -> Vec<BodyId> {
        let mut scratch = Scratch::default();
        let mut context = QueryContext::new(&mut scratch);
        let mut overlaps = |id: BodyId| {
            let there = self.obstacle(id).placed();
            let mut members = self.members.iter().filter(|member| member.pair(id).is_some());
            members.any(|member| context.overlap(&self.placed(member, pose), &there) != Overlap::Free)
        };
        self.others.iter().copied().filter(|&id| overlaps(id)).collect()
    }

    /// The motions of all members, given that of the leader.
    fn motions(&self, leader: &Arc<dyn Motion>) -> Vec<Arc<dyn Motion>> {
        if let [only] = &self.members[..]
            && only.place == Pose::IDENTITY
        {
            return vec![leader.clone()];
        }
        let start = leader.pose(0.0);
        let starts: Vec<Pose> = self.members.iter().map(|member| member.pose(&start)).collect();
        let group: Arc<dyn GroupMotion> = Arc::new(RigidGroup::new(leader.clone(), &starts));
        GroupMember::all(&group).map(|member| Arc::new(member) as Arc<dyn Motion>).collect()
    }

    /// Computes the collision-free share of a motion of the leader, with this clearance beyond the margins.
    pub(crate) fn cast(&self, leader: &Arc<dyn Motion>, room: f64, memory: &mut RigidMemory) -> Cast {
        let motions = self.motions(leader);
        let mut pairs: Vec<(&Member, &Arc<dyn Motion>, &Pair)> = Vec::new();
        for (member, motion) in self.members.iter().zip(&motions) {
            let swept = self.model(member).moving(&**motion).swept_box((0.0, 1.0), SweptBox::Both);
            pairs.extend(self.near(member, swept, room, &mut memory.near).map(|pair| (member, motion, pair)));
        }
        let is_last = |(member, _, pair): &(&Member, &Arc<dyn Motion>, &Pair)| {
            memory.last == Some([member.id, pair.other])
        };
        if let Some(last) = pairs.iter().position(is_last) {
            pairs[..=last].rotate_right(1);
        }
        let mut best = Cast { until: 1.0, hit: None };
        for (member, motion, pair) in pairs {
            let (by, other) = (pair.other, self.obstacle(pair.other));
            let tolerance = Tolerance::Length(self.tolerance);
            let query = ImpactQuery { span: (0.0, best.until), margin: pair.margin + room, tolerance };
            let still = Still(other.pose);
            let [a, b] = [self.model(member).moving(&**motion), other.model.moving(&still)];
            match QueryContext::new(&mut memory.scratch).time_of_impact(&a, &b, &query) {
                Impact::Free => {}
                Impact::AtStart(touch) => {
                    memory.last = Some([member.id, by]);
                    return Cast { until: 0.0, hit: Some((by, Some(touch))) };
                }
                Impact::At { time, touch } => {
                    memory.last = Some([member.id, by]);
                    best = Cast { until: time.safe_until.min(best.until), hit: Some((by, Some(touch))) };
                }
                Impact::Unknown { safe_until } => {
                    best = Cast { until: safe_until.min(best.until), hit: Some((by, None)) };
                }
            }
            if best.until <= 0.0 {
                break;
            }
        }
        best
    }
}
