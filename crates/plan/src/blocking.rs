//! Blocking parts by direction: directional blocking graphs (Wilson 1992), by exact casts.
//!
//! Each pair is tested once and by itself. A part blocks another in a direction exactly if the other blocks
//! it in the opposite one. Neither depends on other parts. Removing parts therefore needs no new tests.

use crate::blocked::BlockingProof;
use crate::error::PlanError;
use crate::parallel::map;
use crate::rigid::{Member, RigidMemory, RigidSpace};
use glam::DVec3;
use noli::motion::{Motion, RigidMotion};
use noli::world::{BodyId, Snapshot};
use noli::{Pose, Relation};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Pairs of parts, and their blocking relations.
pub(crate) struct Blocking {
    axes: Vec<DVec3>,
    count: usize,
    /// One space for each pair: the first of them moves, which is the one with fewer triangles.
    pairs: Vec<Pair>,
    /// The number of a pair, by its parts.
    number: Vec<Option<u32>>,
}

struct Pair {
    parts: [usize; 2],
    space: RigidSpace,
    /// For each axis, `true` if the second part blocks the first; `None` if not tested.
    blocked: Vec<Option<bool>>,
}

impl Blocking {
    /// All pairs that matter of these parts.
    pub(crate) fn new(
        world: &Snapshot,
        parts: &[BodyId],
        axes: Vec<DVec3>,
        watch: &(dyn Fn(usize, usize) + Sync),
    ) -> Result<Self, PlanError> {
        let size = |id: BodyId| {
            let body = world.body(id)?;
            let bounds = body.model().aabb();
            let is_endless = !(bounds.min.is_finite() && bounds.max.is_finite());
            Ok::<_, PlanError>((is_endless, body.model().mesh().map_or(0, noli::Mesh::triangle_count)))
        };
        let mut wanted: Vec<[usize; 2]> = Vec::new();
        for (i, &first) in parts.iter().enumerate() {
            for (j, &second) in parts.iter().enumerate().skip(i + 1) {
                let sizes = [size(first)?, size(second)?];
                let both_endless = sizes.iter().all(|size| size.0);
                if !both_endless && world.margin_between(first, second)?.is_some() {
                    wanted.push(if sizes[0] <= sizes[1] { [i, j] } else { [j, i] });
                }
            }
        }
        let of = wanted.len();
        let done = AtomicUsize::new(0);
        let spaces = map(&wanted, |&[i, j]| {
            let space = RigidSpace::among(world, &[parts[i]], &[parts[j]]);
            watch(done.fetch_add(1, Ordering::Relaxed) + 1, of);
            space
        });
        let mut number = vec![None; parts.len() * parts.len()];
        let mut pairs = Vec::new();
        for (parts_of, space) in wanted.into_iter().zip(spaces) {
            let [i, j] = parts_of;
            number[i * parts.len() + j] = Some(pairs.len() as u32);
            number[j * parts.len() + i] = Some(pairs.len() as u32);
            pairs.push(Pair { parts: parts_of, space: space?, blocked: vec![None; axes.len()] });
        }
        Ok(Self { axes, count: parts.len(), pairs, number })
    }

    pub(crate) fn axes(&self) -> &[DVec3] {
        &self.axes
    }

    /// Returns the pairs that penetrate each other at their current poses.
    pub(crate) fn overlapping(&self) -> Vec<[usize; 2]> {
        let deep = |pair: &&Pair| {
            let status = pair.space.status();
            status.iter().any(|found| matches!(found.1, Relation::Intersecting | Relation::Inside))
        };
        self.pairs.iter().filter(deep).map(|pair| pair.parts).collect()
    }

    /// Returns the proof that a pair cannot be separated; `None` without one.
    pub(crate) fn lock(&self, i: usize, j: usize) -> Option<BlockingProof> {
        let space = &self.pairs[self.pair(i, j)?].space;
        if !space.bounds(&space.start).overlaps(&space.rest) {
            return None;
        }
        space.shut_in().or_else(|| space.linked()).map(|blocked| blocked.argument)
    }

    /// Tests all pairs of these parts in the first so many directions, unless stopped. Returns the number of tests.
    pub(crate) fn ask(
        &mut self,
        among: &[usize],
        axes: usize,
        stop: &(dyn Fn() -> bool + Sync),
        watch: &(dyn Fn(usize, usize) + Sync),
    ) -> u64 {
        let wanted: Vec<usize> = (0..self.pairs.len())
            .filter(|&pair| {
                let pair = &self.pairs[pair];
                pair.parts.iter().all(|part| among.contains(part))
                    && pair.blocked[..axes].iter().any(Option::is_none)
            })
            .collect();
        let (directions, pairs, of) = (&self.axes[..axes], &self.pairs, wanted.len());
        let done = AtomicUsize::new(0);
        let found = map(&wanted, |&number| {
            let Pair { space, blocked, .. } = &pairs[number];
            let mut memory = RigidMemory::default();
            let answer = |(axis, &direction): (usize, &DVec3)| match blocked[axis] {
                None if !stop() => Some(space.is_in_the_way(direction, &mut memory)),
                known => known,
            };
            let answers: Vec<Option<bool>> = directions.iter().enumerate().map(answer).collect();
            watch(done.fetch_add(1, Ordering::Relaxed) + 1, of);
            answers
        });
        let mut asked = 0;
        for (number, answers) in wanted.into_iter().zip(found) {
            for (known, answer) in self.pairs[number].blocked.iter_mut().zip(answers) {
                asked += u64::from(known.is_none() && answer.is_some());
                *known = answer;
            }
        }
        asked
    }

    fn pair(&self, i: usize, j: usize) -> Option<usize> {
        self.number[i * self.count + j].map(|number| number as usize)
    }

    /// Returns `true` if a part blocks another in a direction. Untested pairs count as blocking.
    pub(crate) fn blocks(&self, other: usize, part: usize, axis: usize) -> bool {
        let Some(pair) = self.pair(part, other).map(|number| &self.pairs[number]) else { return false };
        let axis = if pair.parts[0] == part { Some(axis) } else { self.opposite(axis) };
        axis.and_then(|axis| pair.blocked[axis]).unwrap_or(true)
    }

    fn opposite(&self, axis: usize) -> Option<usize> {
        self.axes.iter().position(|other| *other == -self.axes[axis])
    }
}

impl RigidSpace {
    /// Returns the distance in a direction at which the part's box has passed that of the others; `None` if the
    /// boxes never overlap.
    fn passing(&self, direction: DVec3) -> Option<f64> {
        let margin = self.members.iter().flat_map(|member| &member.pairs).map(|pair| pair.margin);
        let margin = margin.fold(self.tolerance, |most: f64, margin| most.max(margin + self.tolerance));
        let own = self.bounds(&self.start).expanded(margin);
        let others = self.obstacles().map(|(_, other)| other.bounds).reduce(|a, b| a.union(b))?;
        let (mut enters, mut leaves) = (0.0f64, f64::INFINITY);
        for k in 0..3 {
            let [first, last] = [others.min[k] - own.max[k], others.max[k] - own.min[k]];
            let along = direction[k];
            if along == 0.0 {
                if first > 0.0 || last < 0.0 {
                    return None;
                }
                continue;
            }
            let times = [first / along, last / along];
            enters = enters.max(times[0].min(times[1]));
            leaves = leaves.min(times[0].max(times[1]));
        }
        // An unbounded obstacle cannot be passed; a far place is enough, because removal paths are proven as
        // a whole.
        (enters <= leaves).then(|| (leaves * (1.0 + 1e-9)).min(enters + 1e3 * self.reach))
    }

    /// Returns `true` if the others block the part in a direction.
    fn is_in_the_way(&self, direction: DVec3, memory: &mut RigidMemory) -> bool {
        let Some(needed) = self.passing(direction) else { return false };
        let stays = |member: &Member| {
            member.touching().any(|pair| !self.slides(member, pair.other, direction, needed))
        };
        if self.members.iter().any(stays) {
            return true;
        }
        let end = Pose::new(self.start.rotation, self.start.translation + direction * needed);
        let free = Self { ignores_touching: true, ..self.clone() };
        // Most pairs that meet do so at one of a few places.
        let meets = |share: f64, memory: &mut RigidMemory| {
            let at = Pose::new(self.start.rotation, self.start.translation.lerp(end.translation, share));
            !free.is_free(&at, memory)
        };
        if [0.5, 0.25, 0.1, 0.75].into_iter().any(|share| meets(share, memory)) {
            return true;
        }
        let motion = Arc::new(RigidMotion::between(&self.start, &end, self.pivot)) as Arc<dyn Motion>;
        free.cast(&motion, 0.0, memory).hit.is_some()
    }
}
