//! From moves to the pairs that must be tested.

use super::body::{Body, BodyId};
use super::moves::Move;
use super::rules::ordered;
use super::{World, WorldError};
use crate::broad::Changes;
use crate::parallel;
use noli_geom::{Aabb, Motion, SweptBox};
use std::sync::Arc;

/// A body that a move moves.
#[derive(Clone, Copy)]
pub(super) struct Moved<'m> {
    /// Number of the move.
    pub(super) by: usize,
    pub(super) motion: &'m Arc<dyn Motion>,
}

/// Motions of moved bodies, by number of the body.
pub(super) type MovedBodies<'m> = std::collections::HashMap<u32, Moved<'m>>;

impl World {
    /// The bodies that moves move. Each at most once, and to a place that is one.
    pub(super) fn moved<'m>(&self, moves: &'m [Move]) -> Result<MovedBodies<'m>, WorldError> {
        let mut moved = MovedBodies::new();
        for (by, asked) in moves.iter().enumerate() {
            for (id, motion) in &asked.parts {
                self.body(*id)?;
                if ![0.0, 1.0].iter().all(|&t| motion.pose(t).is_valid()) {
                    return Err(WorldError::NotAPose(*id));
                }
                if moved.insert(id.index, Moved { by, motion }).is_some() {
                    return Err(WorldError::MovedTwice(*id));
                }
            }
        }
        Ok(moved)
    }

    /// Margin that each side of a pair adds to its box, with the reach of the last step.
    fn half_margin(&self) -> f64 {
        let margin = self.rules.largest_margin() + self.reach;
        if margin > 0.0 { (0.5 * margin).next_up() } else { 0.0 }
    }

    fn rest_box(&self, index: u32) -> Aabb {
        let body = self.slots[index as usize].body.as_ref();
        body.map_or(Aabb::EMPTY, |body| {
            body.model().aabb().transformed(&body.pose()).expanded(self.half_margin())
        })
    }

    /// Bodies whose box is not where they rest get it now; all do where margins have changed.
    fn rest_stale(&mut self) {
        let mut stale = std::mem::take(&mut self.stale);
        let margin = self.half_margin();
        if self.boxed_margin != margin {
            self.boxed_margin = margin;
            stale = (0..self.slots.len() as u32).collect();
        }
        stale.sort_unstable();
        stale.dedup();
        self.boxes_made += stale.len() as u64;
        let boxes: Vec<(u32, Aabb)> = stale.iter().map(|&index| (index, self.rest_box(index))).collect();
        self.broad.set_all(boxes);
    }

    /// All boxes where bodies rest, and the pairs of them found.
    pub(super) fn rest_all(&mut self) {
        self.rest_stale();
        let changes = self.broad.update();
        self.memory.forget(&changes.ended);
    }

    /// Boxes of moved bodies over a part of their motions. All are set before any pair is looked for, so that two
    /// moved bodies see each other's.
    pub(super) fn sweep(&mut self, moved: &MovedBodies<'_>, span: (f64, f64)) -> Changes {
        self.rest_stale();
        let margin = self.half_margin();
        let mut numbers: Vec<u32> = moved.keys().copied().collect();
        numbers.sort_unstable();
        let around = |&index: &u32| match self.at(index) {
            Some((_, body)) => {
                let moving = body.model().moving(&**moved[&index].motion);
                moving.swept_box(span, SweptBox::Both).expanded(margin)
            }
            None => Aabb::EMPTY,
        };
        let boxes = parallel::map(&numbers, around);
        self.boxes_made += boxes.len() as u64;
        for (&number, bounds) in numbers.iter().zip(&boxes) {
            self.broad.set(number, bounds);
        }
        self.stale.extend(numbers);
        let changes = self.broad.update();
        self.memory.forget(&changes.ended);
        changes
    }

    /// Enabled pairs whose bounding boxes overlap, sorted: the broad phase of a caller's own query. Listed bodies
    /// have the boxes given here, for instance swept by a motion; all others have those in which they rest.
    ///
    /// ```
    /// use noli::{Convex, Model, Pose, World};
    /// use glam::DVec3;
    /// let sphere = Model::from(Convex::sphere(1.0)?);
    /// let mut world = World::default();
    /// let [left, right] =
    ///     [0.0, 3.0].map(|x| world.add("sphere", &sphere, Pose::from_translation(DVec3::X * x)).unwrap());
    /// assert!(world.candidate_pairs(&[])?.is_empty());
    /// let wide = sphere.aabb().expanded(1.0);
    /// assert_eq!(world.candidate_pairs(&[(left, wide)])?, [[left, right]]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn candidate_pairs(&mut self, boxes: &[(BodyId, Aabb)]) -> Result<Vec<[BodyId; 2]>, WorldError> {
        let mut given = vec![false; self.slots.len()];
        for &(id, _) in boxes {
            self.body(id)?;
            given[id.index as usize] = true;
        }
        self.stale.retain(|&index| !given[index as usize]);
        self.rest_stale();
        self.boxes_made += boxes.len() as u64;
        for (id, bounds) in boxes {
            self.broad.set(id.index, bounds);
        }
        self.stale.extend(boxes.iter().map(|(id, _)| id.index));
        let changes = self.broad.update();
        self.memory.forget(&changes.ended);
        Ok(self.broad.pairs().filter_map(|(a, b)| self.included(a, b)).collect())
    }

    /// The pair of two numbers, if it matters.
    pub(super) fn included(&self, a: u32, b: u32) -> Option<[BodyId; 2]> {
        let pair = ordered(self.at(a)?.0, self.at(b)?.0);
        self.asked_margin(pair).map(|_| pair)
    }

    /// Pairs that may touch while these bodies move, each once, sorted.
    pub(super) fn pairs_of(&self, moved: &MovedBodies<'_>, moves: &[Move]) -> Vec<[BodyId; 2]> {
        let mut pairs = Vec::new();
        for (&number, by) in moved {
            for &other in self.broad.neighbours(number) {
                if let Some(also) = moved.get(&other) {
                    // Found from the other side too; and rigid groups do not move against themselves.
                    if other < number || also.by == by.by && moves[by.by].is_rigid {
                        continue;
                    }
                }
                pairs.extend(self.included(number, other));
            }
        }
        pairs.sort_unstable();
        pairs
    }

    pub(super) fn pair(&self, [a, b]: [BodyId; 2]) -> Result<[(BodyId, &Body); 2], WorldError> {
        Ok([(a, self.body(a)?), (b, self.body(b)?)])
    }
}
