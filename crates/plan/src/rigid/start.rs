//! The part where it starts: what it touches there, and by how much it reaches into others by rounding.

use super::space::{Pair, RigidSpace};
use crate::directions::directions;
use noli::query::ClearanceQuery;
use noli::world::{BodyId, SnapshotContext};
use noli::{QueryContext, Relation, Scratch};

impl RigidSpace {
    /// Coordinates that were rounded let parts that are meant to touch reach into each other by a hair. Where a move
    /// of less than a millionth of the part undoes that, the part starts from there.
    pub(super) fn settle(&mut self) {
        let reaches_in = |relation: Relation| {
            matches!(relation, Relation::Intersecting | Relation::Inside | Relation::Unknown)
        };
        let status = self.status();
        let mut deep: Vec<[BodyId; 2]> =
            status.iter().filter(|(_, relation)| reaches_in(*relation)).map(|(pair, _)| *pair).collect();
        if deep.is_empty() {
            return;
        }
        let mut scratch = Scratch::default();
        for size in [1e-13, 1e-11, 1e-9, 1e-7] {
            for direction in directions(0) {
                let mut start = self.start;
                start.translation += direction * (size * self.reach);
                let still_in = deep.iter().position(|&[id, other]| {
                    let there = self.obstacle(other).placed();
                    self.members.iter().filter(|member| member.id == id).any(|member| {
                        let here = self.placed(member, &start);
                        reaches_in(QueryContext::new(&mut scratch).relation(&here, &there))
                    })
                });
                if let Some(pair) = still_in {
                    // The pair that a hair does not part is asked first from now on.
                    deep.swap(0, pair);
                    continue;
                }
                let mut moved = Self { start, ..self.clone() };
                moved.look_at_start();
                if !moved.status().iter().any(|(_, relation)| reaches_in(*relation)) {
                    *self = moved;
                    return;
                }
            }
        }
    }

    /// Detects the pairs in contact at the start, and sets the tolerance of motions. Margins that are violated at
    /// the start are dropped.
    pub(super) fn look_at_start(&mut self) {
        let (mut scratch, mut near) = (Scratch::default(), SnapshotContext::default());
        let mut context = QueryContext::new(&mut scratch);
        let (mut gap, mut found) = (f64::INFINITY, Vec::new());
        for (m, member) in self.members.iter().enumerate() {
            let pose = member.pose(&self.start);
            let bounds = self.model(member).aabb().transformed(&pose);
            let around = bounds.expanded(member.widest.max(self.reach));
            for &id in self.bodies.candidates(&around, &mut near) {
                let Some(pair) = member.pair(id) else { continue };
                let (margin, other) = (pair.margin, self.obstacle(id));
                if !bounds.expanded(margin.max(self.reach)).overlaps(&other.bounds) {
                    continue;
                }
                let query = ClearanceQuery { max_distance: margin.max(self.reach), ..Default::default() };
                let clearance =
                    context.clearance(&self.model(member).at(pose), &other.placed(), &query).distance;
                let kept = if clearance.at_least <= margin { 0.0 } else { margin };
                found.push((m, Pair { other: id, margin: kept, touches: clearance.at_most == 0.0 }));
                if clearance.at_least > 0.0 {
                    gap = gap.min(clearance.at_least - kept);
                }
            }
        }
        for (m, pair) in found {
            self.members[m].set(pair);
        }
        self.tolerance = (0.05 * gap).clamp(1e-8 * self.reach, 1e-4 * self.reach);
    }

    /// Returns the pairs that share a point at the start, with their relations.
    pub(crate) fn status(&self) -> Vec<([BodyId; 2], Relation)> {
        let mut scratch = Scratch::default();
        let mut found = Vec::new();
        for member in &self.members {
            let here = self.placed(member, &self.start);
            for pair in member.touching() {
                let there = self.obstacle(pair.other).placed();
                found
                    .push(([member.id, pair.other], QueryContext::new(&mut scratch).relation(&here, &there)));
            }
        }
        found
    }

    /// Returns `true` if any pair touches at the start.
    pub(crate) fn touches_at_start(&self) -> bool {
        self.members.iter().any(|member| member.touching().next().is_some())
    }
}
