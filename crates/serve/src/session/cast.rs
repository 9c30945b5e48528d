//! Bodies of a background task by their numbers, names and middles on the page.

use crate::number::single;
use crate::protocol::TrackView;
use glam::DVec3;
use noli::motion::Motion;
use noli::world::{BodyId, PathClearance};
use noli::{Pose, World};
use noli_pages::shape::View;
use noli_pages::{Room, words};
use noli_project::report::{ImpactKind, ImpactReport};
use std::collections::HashMap;

/// Mapping from bodies to page numbers.
#[derive(Clone, Debug)]
pub(super) struct Cast {
    pub(super) view: View,
    pub(super) unit: &'static str,
    pub(super) numbers: HashMap<BodyId, usize>,
    pub(super) middles: HashMap<BodyId, DVec3>,
    pub(super) names: HashMap<BodyId, String>,
}

impl Cast {
    pub(super) fn name(&self, id: BodyId) -> &str {
        self.names.get(&id).map_or("", String::as_str)
    }

    /// The body of a name.
    pub(super) fn named(&self, name: &str) -> Option<BodyId> {
        self.names.iter().find(|(_, known)| *known == name).map(|(id, _)| *id)
    }

    /// Its number on the page.
    pub(super) fn number(&self, id: BodyId) -> Option<usize> {
        self.numbers.get(&id).copied()
    }

    /// Seven numbers for every pose, as the page draws it.
    pub(super) fn numbers(&self, id: BodyId, pose: &Pose) -> [f32; 7] {
        let (at, turn) = self.view.pose(pose, self.middles.get(&id).copied().unwrap_or_default());
        let [x, y, z] = at.map(single);
        let [qx, qy, qz, qw] = turn.map(single);
        [x, y, z, qx, qy, qz, qw]
    }

    /// A pose as the page sends it.
    pub(super) fn key(&self, id: BodyId, pose: &Pose) -> [f64; 7] {
        let ([x, y, z], [qx, qy, qz, qw]) =
            self.view.pose(pose, self.middles.get(&id).copied().unwrap_or_default());
        [x, y, z, qx, qy, qz, qw]
    }

    /// A motion of one body as a track: it stays where it is stopped.
    pub(super) fn track(
        &self,
        title: String,
        (body, motion): (BodyId, &dyn Motion),
        without: &[BodyId],
        path_clearance: &PathClearance,
        world: &World,
    ) -> TrackView {
        const MOMENTS: u32 = 240;
        let times: Vec<f64> = (0..=MOMENTS).map(|k| f64::from(k) / f64::from(MOMENTS)).collect();
        let poses =
            times.iter().flat_map(|t| self.numbers(body, &motion.pose(t.min(path_clearance.free_until))));
        let stop = path_clearance.stopped_by.as_ref().and_then(|answer| ImpactReport::new(world, answer));
        let free = stop.is_none() && path_clearance.free_until >= 1.0;
        let unit = self.unit;
        let verdict = match &stop {
            None => format!(
                "Free, proven along the whole path, with at least {} {unit} of room",
                words::short(path_clearance.room_at_least)
            ),
            Some(hit) if hit.impact == ImpactKind::Undecided => {
                format!("Undecided because of {}", hit.other(self.name(body)))
            }
            Some(hit) => format!("Blocked by {}", hit.other(self.name(body))),
        };
        let events = stop.iter().map(|hit| {
            let relation = if hit.impact == ImpactKind::Undecided { "undecided" } else { "intersecting" };
            (path_clearance.free_until, verdict.clone() + &format!(" ({} and {})", hit.a, hit.b), relation)
        });
        TrackView {
            title,
            free,
            seconds: 4.0,
            bodies: self.numbers.get(&body).copied().into_iter().collect(),
            without: without.iter().filter_map(|id| self.numbers.get(id).copied()).collect(),
            poses: poses.collect(),
            events: events.collect(),
            room: self.room(path_clearance),
            room_at_least: free.then_some(path_clearance.room_at_least).filter(|room| room.is_finite()),
            times,
            verdict,
            lines: Vec::new(),
            signals: Vec::new(),
            contact: None,
            unit: None,
            ..TrackView::default()
        }
    }

    pub(super) fn room(&self, path_clearance: &PathClearance) -> Vec<Room> {
        let look = |look: &noli::world::PathSample| Room {
            time: look.time,
            clearance: look.clearance.distance.at_least,
            to: self.name(look.to).to_owned(),
        };
        path_clearance.looks.iter().map(look).filter(|room| room.clearance.is_finite()).collect()
    }
}
