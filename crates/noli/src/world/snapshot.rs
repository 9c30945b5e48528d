//! A world that stands still: questions about poses that the caller gives, from as many threads as there are.

use super::body::{Body, BodyId, Slot};
use super::classes::Classes;
use super::rules::{Rules, ordered};
use super::{World, WorldError};
use crate::answer::{Bracket, Clearance, Overlap, Verdict};
use crate::broad::{FixedBoxes, gap_at_least};
use crate::budget::Budget;
use crate::context::Ask;
use crate::model::Placed;
use crate::query::ClearanceQuery;
use crate::scratch::Scratch;
use noli_geom::{Aabb, Pose};
use std::sync::Arc;

/// The bodies of a [`World`] where they rest, and its rules, as they were when it was taken: what happens to
/// the world later does not change it. Clones share everything.
///
/// Every question is about some bodies at poses of the caller's choice; all others stay where they are, also
/// those that hang on one that is placed. Only pairs with a placed body are asked about, and of these only
/// those that matter by the rules. A question that was asked before in the same [`SnapshotAsk`] allocates
/// nothing, except in the exact arithmetic of pairs that nearly touch.
///
/// ```
/// use noli::{Convex, Model, Overlap, Pose, SnapshotAsk, World};
/// use glam::DVec3;
/// let ball = Model::from(Convex::sphere(1.0)?);
/// let at = |x: f64| Pose::from_translation(DVec3::X * x);
/// let mut world = World::default();
/// let post = world.add("post", &ball, at(0.0))?;
/// let tool = world.add("tool", &ball, at(9.0))?;
/// let snapshot = world.snapshot();
/// std::thread::scope(|threads| {
///     for x in [1.5, 2.5] {
///         let snapshot = &snapshot;
///         threads.spawn(move || {
///             let mut ask = SnapshotAsk::default();
///             let meets = snapshot.meets(&[(tool, at(x))], &mut ask).unwrap();
///             assert_eq!(meets, if x < 2.0 { Overlap::Hit } else { Overlap::Free });
///             let nearest = snapshot.nearest(&[(tool, at(4.0))], f64::INFINITY, &mut ask).unwrap();
///             assert_eq!(nearest.pair, Some([post, tool]));
///             assert!((nearest.clearance.gap.at_most - 2.0).abs() < 1e-12);
///         });
///     }
/// });
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Snapshot(Arc<Resting>);

#[derive(Debug)]
struct Resting {
    slots: Vec<Slot>,
    rules: Rules,
    classes: Classes,
    largest_margin: f64,
    boxes: FixedBoxes,
}

/// How to ask a [`Snapshot`], and the memory for it: one for each thread.
#[derive(Debug, Default)]
pub struct SnapshotAsk<'b> {
    budget: Budget<'b>,
    scratch: Scratch,
    /// Which question the body of a slot was last placed in.
    placed: Vec<u64>,
    question: u64,
    boxes: Vec<Aabb>,
    stack: Vec<u32>,
    pairs: Vec<Candidate>,
    touching: Vec<([BodyId; 2], Overlap)>,
    /// The pair that met last, which is likely to meet again.
    last_hit: Option<[BodyId; 2]>,
}

/// A pair that may meet, the smaller id first; ordered by it.
type Candidate = [Side; 2];

/// A body, and its number among the placed ones if it is one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Side {
    id: BodyId,
    placed: Option<u32>,
}

/// The smallest gap of many pairs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest {
    /// The pair whose gap is at most `clearance.gap.at_most`; `None` if none was found within the distance asked for or
    /// the budget.
    pub pair: Option<[BodyId; 2]>,
    /// Bounds on the smallest gap of all pairs, and the points of this one, A being the body with the smaller
    /// id.
    pub clearance: Clearance,
}

impl<'b> SnapshotAsk<'b> {
    /// Limits on every question from now on, each for all its pairs together.
    pub fn within<'c>(self, budget: Budget<'c>) -> SnapshotAsk<'c> {
        SnapshotAsk { budget, ..self }
    }
}

/// Poses that are asked about.
type Poses<'p> = &'p [(BodyId, Pose)];

impl World {
    /// The bodies where they rest, for questions from many threads. Takes a copy of the list of bodies, not
    /// of their models.
    pub fn snapshot(&self) -> Snapshot {
        let bounds = |body: &Body| body.model.aabb().moved(&body.pose());
        let bounds = |(number, slot): (usize, &Slot)| Some((number as u32, bounds(slot.body.as_ref()?)));
        let boxes = FixedBoxes::new(self.slots.iter().enumerate().filter_map(bounds));
        let (slots, rules, classes) = (self.slots.clone(), self.rules.clone(), self.classes().clone());
        Snapshot(Arc::new(Resting { largest_margin: rules.largest_margin(), slots, rules, classes, boxes }))
    }
}

impl Snapshot {
    /// A body.
    pub fn body(&self, id: BodyId) -> Result<&Body, WorldError> {
        Slot::find(&self.0.slots, id).ok_or(WorldError::NoSuchBody(id))
    }

    /// Which pairs matter.
    pub fn rules(&self) -> &Rules {
        &self.0.rules
    }

    /// All pairs that overlap or are closer than their margin, sorted; `Unknown` where the budget ran out.
    /// The same answers as those of [`World::touching`] about these bodies, had they been moved there.
    pub fn touching<'a>(
        &self,
        poses: Poses<'_>,
        ask: &'a mut SnapshotAsk<'_>,
    ) -> Result<&'a [([BodyId; 2], Overlap)], WorldError> {
        self.gather(poses, ask)?;
        ask.touching.clear();
        let mut asking = Ask::new(&mut ask.scratch).within(ask.budget);
        for pair in &ask.pairs {
            let answer = self.test(poses, pair, &mut asking);
            if answer != Overlap::Free {
                ask.touching.push((pair.map(|side| side.id), answer));
            }
        }
        Ok(&ask.touching)
    }

    /// The first pair, in order of ids, that overlaps or is closer than its margin. `Unknown` if none is
    /// known to be and not all are known not to be.
    pub fn first_hit(
        &self,
        poses: Poses<'_>,
        ask: &mut SnapshotAsk<'_>,
    ) -> Result<Verdict<[BodyId; 2]>, WorldError> {
        self.gather(poses, ask)?;
        Ok(self.search(poses, ask))
    }

    /// Whether any pair overlaps or is closer than its margin. Faster than [`first_hit`](Self::first_hit)
    /// where one answer is like the last: the pair that met then is tested first.
    pub fn meets(&self, poses: Poses<'_>, ask: &mut SnapshotAsk<'_>) -> Result<Overlap, WorldError> {
        self.gather(poses, ask)?;
        let is_last = |pair: &Candidate| Some(pair.map(|side| side.id)) == ask.last_hit;
        if let Some(last) = ask.pairs.iter().position(is_last) {
            ask.pairs[..=last].rotate_right(1);
        }
        Ok(match self.search(poses, ask) {
            Verdict::Free => Overlap::Free,
            Verdict::Unknown => Overlap::Unknown,
            Verdict::Hit(pair) => {
                ask.last_hit = Some(pair);
                Overlap::Hit
            }
        })
    }

    /// The pair with the smallest gap, of those at most `max_distance` apart. Margins do not count. If bodies
    /// overlap, the gap is 0 and the pair is one of them; being stopped by the budget widens the bracket.
    pub fn nearest(
        &self,
        poses: Poses<'_>,
        max_distance: f64,
        ask: &mut SnapshotAsk<'_>,
    ) -> Result<Nearest, WorldError> {
        self.place(poses, ask)?;
        let SnapshotAsk { budget, scratch, placed, question, boxes, stack, .. } = ask;
        let mut search = Search {
            snapshot: self,
            poses,
            ask: Ask::new(scratch).within(*budget),
            max_distance: max_distance.max(0.0),
            nearest: Nearest {
                pair: None,
                clearance: Clearance {
                    gap: Bracket { at_least: max_distance.max(0.0), ..Bracket::INFINITE },
                    ..Clearance::INFINITE
                },
            },
        };
        for (number, (&(id, _), bounds)) in poses.iter().zip(&*boxes).enumerate() {
            let own = Side { id, placed: Some(number as u32) };
            for (other, earlier) in boxes[..number].iter().enumerate() {
                let gap = gap_at_least(earlier, bounds);
                if gap <= search.within() {
                    search.test(own, Side { id: poses[other].0, placed: Some(other as u32) }, gap);
                }
            }
            self.0.boxes.nearest(bounds, search.within(), stack, |slot, gap| {
                if placed[slot as usize] != *question {
                    search.test(own, Side { id: self.id_of(slot), placed: None }, gap);
                }
                search.within()
            });
        }
        Ok(search.nearest)
    }

    fn id_of(&self, slot: u32) -> BodyId {
        BodyId { index: slot, generation: self.0.slots[slot as usize].generation }
    }

    /// Where bodies are asked about, once each.
    fn place(&self, poses: Poses<'_>, ask: &mut SnapshotAsk<'_>) -> Result<(), WorldError> {
        ask.question += 1;
        if ask.placed.len() < self.0.slots.len() {
            ask.placed.resize(self.0.slots.len(), 0);
        }
        ask.boxes.clear();
        for &(id, pose) in poses {
            let body = self.body(id)?;
            if !pose.is_valid() {
                return Err(WorldError::NotAPose(id));
            }
            if std::mem::replace(&mut ask.placed[id.index as usize], ask.question) == ask.question {
                return Err(WorldError::PlacedTwice(id));
            }
            ask.boxes.push(body.model.aabb().moved(&pose));
        }
        Ok(())
    }

    /// All pairs that matter and may be closer than their margin, sorted.
    fn gather(&self, poses: Poses<'_>, ask: &mut SnapshotAsk<'_>) -> Result<(), WorldError> {
        self.place(poses, ask)?;
        let SnapshotAsk { placed, question, boxes, stack, pairs, .. } = ask;
        pairs.clear();
        for (number, (&(id, _), bounds)) in poses.iter().zip(&*boxes).enumerate() {
            let own = Side { id, placed: Some(number as u32) };
            let around = bounds.grown(self.0.largest_margin);
            for (other, earlier) in boxes[..number].iter().enumerate() {
                if around.overlaps(earlier) {
                    pairs.push(ordered_sides(own, Side { id: poses[other].0, placed: Some(other as u32) }));
                }
            }
            self.0.boxes.overlapping(&around, stack, |slot| {
                if placed[slot as usize] != *question {
                    pairs.push(ordered_sides(own, Side { id: self.id_of(slot), placed: None }));
                }
            });
        }
        pairs.retain(|pair| self.matters(pair));
        pairs.sort_unstable();
        Ok(())
    }

    /// The bodies of a pair.
    fn bodies(&self, pair: &Candidate) -> Option<[(BodyId, &Body); 2]> {
        let [a, b] = pair.map(|side| Some((side.id, Slot::find(&self.0.slots, side.id)?)));
        Some([a?, b?])
    }

    /// How close the bodies may come; `None` if the rules leave them out.
    fn margin(&self, pair: &Candidate) -> Option<f64> {
        self.0.classes.margin_between(&self.0.rules, pair.map(|side| side.id))
    }

    fn matters(&self, pair: &Candidate) -> bool {
        self.margin(pair).is_some()
    }

    fn placed(&self, poses: Poses<'_>, pair: &Candidate) -> Option<[Placed<'_>; 2]> {
        let bodies = self.bodies(pair)?;
        Some(std::array::from_fn(|k| {
            let body = bodies[k].1;
            body.model.at(pair[k].placed.map_or(body.pose(), |number| poses[number as usize].1))
        }))
    }

    fn test(&self, poses: Poses<'_>, pair: &Candidate, ask: &mut Ask<'_>) -> Overlap {
        let (Some(margin), Some([a, b])) = (self.margin(pair), self.placed(poses, pair)) else {
            return Overlap::Free;
        };
        ask.closer_than(&a, &b, margin)
    }

    /// The first of the pairs gathered that meets.
    fn search(&self, poses: Poses<'_>, ask: &mut SnapshotAsk<'_>) -> Verdict<[BodyId; 2]> {
        let (mut asking, mut open) = (Ask::new(&mut ask.scratch).within(ask.budget), false);
        for pair in &ask.pairs {
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

/// The search for the smallest gap.
struct Search<'q, 'b> {
    snapshot: &'q Snapshot,
    poses: Poses<'q>,
    ask: Ask<'b>,
    max_distance: f64,
    nearest: Nearest,
}

impl Search<'_, '_> {
    /// Pairs further apart are of no interest; none are once some overlap.
    fn within(&self) -> f64 {
        match self.nearest.clearance.gap.at_most {
            0.0 => f64::NEG_INFINITY,
            at_most => at_most.min(self.max_distance),
        }
    }

    /// Two bodies that are at least this far apart.
    fn test(&mut self, x: Side, y: Side, at_least: f64) {
        let pair = ordered_sides(x, y);
        if !self.snapshot.matters(&pair) {
            return;
        }
        let Some([a, b]) = self.snapshot.placed(self.poses, &pair) else { return };
        let query = ClearanceQuery { max_distance: self.within(), ..Default::default() };
        let found = self.ask.clearance(&a, &b, &query);
        let best = &mut self.nearest;
        let at_least = best.clearance.gap.at_least.min(found.gap.at_least.max(at_least));
        // Some pairs are measured whatever the limit.
        if found.gap.at_most <= self.max_distance && found.gap.at_most < best.clearance.gap.at_most {
            *best = Nearest { pair: Some(pair.map(|side| side.id)), clearance: found };
        }
        best.clearance.gap.at_least = at_least.min(best.clearance.gap.at_most);
    }
}
