//! Snapshot of a world: queries at poses that the caller gives, from any number of threads.

use super::body::{Body, BodyId, Slot};
use super::classes::Classes;
use super::rules::{Rules, ordered};
use super::{World, WorldError};
use crate::answer::{Bracket, Clearance, Overlap, Verdict};
use crate::broad::{FixedBoxes, clearance_at_least};
use crate::budget::Budget;
use crate::context::QueryContext;
use crate::model::Placed;
use crate::query::ClearanceQuery;
use crate::scratch::Scratch;
use noli_geom::{Aabb, Pose};
use std::sync::Arc;

/// The bodies of a [`World`] at their poses, and its rules, at the time of the snapshot. Later changes of the
/// world do not affect it. Clones share everything.
///
/// Every query places some bodies at poses of the caller's choice. All others keep their poses, also children
/// of a placed body. Only enabled pairs with a placed body are tested. A repeated query in the same
/// [`SnapshotContext`] allocates nothing, except in the exact arithmetic of pairs that nearly touch.
///
/// ```
/// use noli::world::SnapshotContext;
/// use noli::{Convex, Model, Overlap, Pose, World};
/// use glam::DVec3;
/// let sphere = Model::from(Convex::sphere(1.0)?);
/// let at = |x: f64| Pose::from_translation(DVec3::X * x);
/// let mut world = World::default();
/// let post = world.add("post", &sphere, at(0.0))?;
/// let tool = world.add("tool", &sphere, at(9.0))?;
/// let snapshot = world.snapshot();
/// std::thread::scope(|threads| {
///     for x in [1.5, 2.5] {
///         let snapshot = &snapshot;
///         threads.spawn(move || {
///             let mut ask = SnapshotContext::default();
///             let meets = snapshot.meets(&[(tool, at(x))], &mut ask).unwrap();
///             assert_eq!(meets, if x < 2.0 { Overlap::Hit } else { Overlap::Free });
///             let nearest = snapshot.nearest(&[(tool, at(4.0))], f64::INFINITY, &mut ask).unwrap();
///             assert_eq!(nearest.pair, Some([post, tool]));
///             assert!((nearest.clearance.distance.at_most - 2.0).abs() < 1e-12);
///         });
///     }
/// });
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias = "PlanningScene")]
#[derive(Clone, Debug)]
pub struct Snapshot {
    resting: Arc<Resting>,
    /// Of the bodies that count as obstacles.
    boxes: Arc<FixedBoxes>,
}

#[derive(Debug)]
struct Resting {
    slots: Vec<Slot>,
    /// Bounding boxes of bodies at rest, by slot.
    bounds: Vec<Aabb>,
    rules: Rules,
    classes: Classes,
    largest_margin: f64,
}

/// Options and memory for queries of a [`Snapshot`]: one for each thread.
#[derive(Debug, Default)]
pub struct SnapshotContext<'b> {
    budget: Budget<'b>,
    scratch: Scratch,
    /// Number of the query in which the body of a slot was last placed.
    placed: Vec<u64>,
    question: u64,
    boxes: Vec<Aabb>,
    stack: Vec<u32>,
    pairs: Vec<Candidate>,
    touching: Vec<([BodyId; 2], Overlap)>,
    found: Vec<BodyId>,
    /// The last colliding pair, which is likely to collide again.
    last_hit: Option<[BodyId; 2]>,
}

/// A pair that may collide, the smaller id first; ordered by it.
type Candidate = [Side; 2];

/// A body, and its number among the placed ones if it is one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Side {
    id: BodyId,
    placed: Option<u32>,
}

/// The smallest clearance of many pairs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest {
    /// The pair whose clearance is at most `clearance.distance.at_most`. `None` if none was found within the
    /// given distance or the budget.
    pub pair: Option<[BodyId; 2]>,
    /// Bounds on the smallest clearance of all pairs, and the points of this one, A being the body with the smaller
    /// id.
    pub clearance: Clearance,
}

impl<'b> SnapshotContext<'b> {
    /// Limits on every question from now on, each for all its pairs together.
    pub fn with_budget<'c>(self, budget: Budget<'c>) -> SnapshotContext<'c> {
        SnapshotContext { budget, ..self }
    }
}

/// Queried poses.
type Poses<'p> = &'p [(BodyId, Pose)];

impl World {
    /// The bodies where they rest, for questions from many threads. Takes a copy of the list of bodies, not
    /// of their models.
    pub fn snapshot(&self) -> Snapshot {
        let bounds = |body: &Body| body.model.aabb().transformed(&body.pose());
        let bounds = |slot: &Slot| slot.body.as_ref().map_or(Aabb::EMPTY, bounds);
        let bounds: Vec<Aabb> = self.slots.iter().map(bounds).collect();
        let boxes = FixedBoxes::new(bounds.iter().enumerate().map(|(slot, bounds)| (slot as u32, *bounds)));
        let (slots, rules, classes) = (self.slots.clone(), self.rules.clone(), self.classes().clone());
        let largest_margin = rules.largest_margin();
        let resting = Resting { slots, bounds, rules, classes, largest_margin };
        Snapshot { resting: Arc::new(resting), boxes: Arc::new(boxes) }
    }
}

impl std::ops::Index<BodyId> for Snapshot {
    type Output = Body;

    /// Panics if there is no such body; [`Snapshot::body`] returns an error instead.
    fn index(&self, id: BodyId) -> &Body {
        Slot::get(&self.resting.slots, id)
    }
}

impl Snapshot {
    /// A body.
    pub fn body(&self, id: BodyId) -> Result<&Body, WorldError> {
        Slot::find(&self.resting.slots, id).ok_or(WorldError::NoSuchBody(id))
    }

    /// All bodies, in order of their ids.
    pub fn bodies(&self) -> impl Iterator<Item = (BodyId, &Body)> {
        Slot::bodies(&self.resting.slots)
    }

    /// The bounding box of a body where it rests.
    pub fn bounds(&self, id: BodyId) -> Result<Aabb, WorldError> {
        self.body(id).map(|_| self.resting.bounds[id.index as usize])
    }

    /// The same bodies, poses and rules with these bodies alone as obstacles. All others take part only in
    /// queries that place them. Shares everything but the tree of boxes.
    pub fn among(&self, obstacles: &[BodyId]) -> Result<Self, WorldError> {
        let boxes: Vec<(u32, Aabb)> = obstacles
            .iter()
            .map(|&id| Ok((id.index, self.bounds(id)?)))
            .collect::<Result<_, WorldError>>()?;
        Ok(Self { resting: self.resting.clone(), boxes: Arc::new(FixedBoxes::new(boxes)) })
    }

    /// Obstacles whose bounding boxes overlap this one, sorted by id: the broad phase of a caller's own query.
    pub fn candidates<'a>(&self, bounds: &Aabb, context: &'a mut SnapshotContext<'_>) -> &'a [BodyId] {
        let SnapshotContext { stack, found, .. } = context;
        found.clear();
        self.boxes.overlapping(bounds, stack, |slot| found.push(self.id_of(slot)));
        found.sort_unstable();
        found
    }

    /// Returns the required clearance of two bodies, or `None` if the rules disable the pair.
    pub fn margin_between(&self, a: BodyId, b: BodyId) -> Result<Option<f64>, WorldError> {
        self.body(a)?;
        self.body(b)?;
        Ok(self.resting.classes.margin_between(&self.resting.rules, [a, b]))
    }

    /// Returns the rules that enable pairs.
    pub fn rules(&self) -> &Rules {
        &self.resting.rules
    }

    /// All pairs that overlap or are closer than their margin, sorted; `Unknown` where the budget ran out.
    /// The same answers as those of [`World::touching`] about these bodies, had they been moved there.
    pub fn touching<'a>(
        &self,
        poses: Poses<'_>,
        context: &'a mut SnapshotContext<'_>,
    ) -> Result<&'a [([BodyId; 2], Overlap)], WorldError> {
        self.gather(poses, context)?;
        context.touching.clear();
        let mut asking = QueryContext::new(&mut context.scratch).with_budget(context.budget);
        for pair in &context.pairs {
            let answer = self.test(poses, pair, &mut asking);
            if answer != Overlap::Free {
                context.touching.push((pair.map(|side| side.id), answer));
            }
        }
        Ok(&context.touching)
    }

    /// The first pair, in order of ids, that overlaps or is closer than its margin. `Unknown` if none is
    /// known to be and not all are known not to be.
    pub fn first_hit(
        &self,
        poses: Poses<'_>,
        context: &mut SnapshotContext<'_>,
    ) -> Result<Verdict<[BodyId; 2]>, WorldError> {
        self.gather(poses, context)?;
        Ok(self.search(poses, context))
    }

    /// Tests whether any pair overlaps or is closer than its margin. Faster than [`first_hit`](Self::first_hit)
    /// for similar successive queries: the last colliding pair is tested first.
    pub fn meets(&self, poses: Poses<'_>, context: &mut SnapshotContext<'_>) -> Result<Overlap, WorldError> {
        self.gather(poses, context)?;
        let is_last = |pair: &Candidate| Some(pair.map(|side| side.id)) == context.last_hit;
        if let Some(last) = context.pairs.iter().position(is_last) {
            context.pairs[..=last].rotate_right(1);
        }
        Ok(match self.search(poses, context) {
            Verdict::Free => Overlap::Free,
            Verdict::Unknown => Overlap::Unknown,
            Verdict::Hit(pair) => {
                context.last_hit = Some(pair);
                Overlap::Hit
            }
        })
    }

    /// Returns the pair with the smallest clearance, of those within `max_distance`. Margins do not count. If
    /// bodies overlap, the clearance is 0 and the pair is one of them. An exhausted budget widens the bracket.
    pub fn nearest(
        &self,
        poses: Poses<'_>,
        max_distance: f64,
        context: &mut SnapshotContext<'_>,
    ) -> Result<Nearest, WorldError> {
        self.place(poses, context)?;
        let SnapshotContext { budget, scratch, placed, question, boxes, stack, .. } = context;
        let mut search = Search {
            snapshot: self,
            poses,
            context: QueryContext::new(scratch).with_budget(*budget),
            max_distance: max_distance.max(0.0),
            nearest: Nearest {
                pair: None,
                clearance: Clearance {
                    distance: Bracket { at_least: max_distance.max(0.0), ..Bracket::INFINITE },
                    ..Clearance::INFINITE
                },
            },
        };
        for (number, (&(id, _), bounds)) in poses.iter().zip(&*boxes).enumerate() {
            let own = Side { id, placed: Some(number as u32) };
            for (other, earlier) in boxes[..number].iter().enumerate() {
                let gap = clearance_at_least(earlier, bounds);
                if gap <= search.within() {
                    search.test(own, Side { id: poses[other].0, placed: Some(other as u32) }, gap);
                }
            }
            self.boxes.nearest(bounds, search.within(), stack, |slot, gap| {
                if placed[slot as usize] != *question {
                    search.test(own, Side { id: self.id_of(slot), placed: None }, gap);
                }
                search.within()
            });
        }
        Ok(search.nearest)
    }

    fn id_of(&self, slot: u32) -> BodyId {
        BodyId { index: slot, generation: self.resting.slots[slot as usize].generation }
    }

    /// Places the queried bodies, once each.
    fn place(&self, poses: Poses<'_>, context: &mut SnapshotContext<'_>) -> Result<(), WorldError> {
        context.question += 1;
        if context.placed.len() < self.resting.slots.len() {
            context.placed.resize(self.resting.slots.len(), 0);
        }
        context.boxes.clear();
        for &(id, pose) in poses {
            let body = self.body(id)?;
            if !pose.is_valid() {
                return Err(WorldError::NotAPose(id));
            }
            if std::mem::replace(&mut context.placed[id.index as usize], context.question) == context.question
            {
                return Err(WorldError::PlacedTwice(id));
            }
            context.boxes.push(body.model.aabb().transformed(&pose));
        }
        Ok(())
    }

    /// All pairs that matter and may be closer than their margin, sorted.
    fn gather(&self, poses: Poses<'_>, context: &mut SnapshotContext<'_>) -> Result<(), WorldError> {
        self.place(poses, context)?;
        let SnapshotContext { placed, question, boxes, stack, pairs, .. } = context;
        pairs.clear();
        for (number, (&(id, _), bounds)) in poses.iter().zip(&*boxes).enumerate() {
            let own = Side { id, placed: Some(number as u32) };
            let around = bounds.expanded(self.resting.largest_margin);
            for (other, earlier) in boxes[..number].iter().enumerate() {
                if around.overlaps(earlier) {
                    pairs.push(ordered_sides(own, Side { id: poses[other].0, placed: Some(other as u32) }));
                }
            }
            self.boxes.overlapping(&around, stack, |slot| {
                if placed[slot as usize] != *question {
                    pairs.push(ordered_sides(own, Side { id: self.id_of(slot), placed: None }));
                }
            });
        }
        pairs.retain(|pair| self.matters(pair));
        pairs.sort_unstable();
        Ok(())
    }

    /// Returns the margin of the bodies; `None` if the rules disable the pair.
    fn margin(&self, pair: &Candidate) -> Option<f64> {
        self.resting.classes.margin_between(&self.resting.rules, pair.map(|side| side.id))
    }

    fn matters(&self, pair: &Candidate) -> bool {
        self.margin(pair).is_some()
    }

    fn placed(&self, poses: Poses<'_>, pair: &Candidate) -> Option<[Placed<'_>; 2]> {
        let [a, b] = pair.map(|side| {
            let body = self.body(side.id).ok()?;
            Some(body.model.at(side.placed.map_or(body.pose(), |number| poses[number as usize].1)))
        });
        Some([a?, b?])
    }

    fn test(&self, poses: Poses<'_>, pair: &Candidate, context: &mut QueryContext<'_>) -> Overlap {
        let (Some(margin), Some([a, b])) = (self.margin(pair), self.placed(poses, pair)) else {
            return Overlap::Free;
        };
        context.within_distance(&a, &b, margin)
    }

    /// Returns the first of the gathered pairs that collides.
    fn search(&self, poses: Poses<'_>, context: &mut SnapshotContext<'_>) -> Verdict<[BodyId; 2]> {
        let (mut asking, mut open) =
            (QueryContext::new(&mut context.scratch).with_budget(context.budget), false);
        for pair in &context.pairs {
            match self.test(poses, pair, &mut asking) {
                Overlap::Hit => return Verdict::Hit(pair.map(|side| side.id)),
                Overlap::Unknown => open = true,
                Overlap::Free => {}
            }
        }
        if open { Verdict::Unknown } else { Verdict::Free }
    }
}

fn ordered_sides(x: Side, y: Side) -> Candidate {
    if ordered(x.id, y.id)[0] == x.id { [x, y] } else { [y, x] }
}

/// The search for the smallest clearance.
struct Search<'q, 'b> {
    snapshot: &'q Snapshot,
    poses: Poses<'q>,
    context: QueryContext<'b>,
    max_distance: f64,
    nearest: Nearest,
}

impl Search<'_, '_> {
    /// Distance beyond which pairs are ignored; all are ignored once some overlap.
    fn within(&self) -> f64 {
        match self.nearest.clearance.distance.at_most {
            0.0 => f64::NEG_INFINITY,
            at_most => at_most.min(self.max_distance),
        }
    }

    /// Tests two bodies whose distance is at least this.
    fn test(&mut self, x: Side, y: Side, at_least: f64) {
        let pair = ordered_sides(x, y);
        if !self.snapshot.matters(&pair) {
            return;
        }
        let Some([a, b]) = self.snapshot.placed(self.poses, &pair) else { return };
        let query = ClearanceQuery { max_distance: self.within(), ..Default::default() };
        let found = self.context.clearance(&a, &b, &query);
        let best = &mut self.nearest;
        let at_least = best.clearance.distance.at_least.min(found.distance.at_least.max(at_least));
        // Some pairs are measured whatever the limit.
        if found.distance.at_most <= self.max_distance
            && found.distance.at_most < best.clearance.distance.at_most
        {
            *best = Nearest { pair: Some(pair.map(|side| side.id)), clearance: found };
        }
        best.clearance.distance.at_least = at_least.min(best.clearance.distance.at_most);
    }
}
