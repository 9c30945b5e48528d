//! Removals that no file has yet: those of a bundled scene, and paths kept under a name.

use super::long_tasks::removals_of;
use super::{Added, Session, Trouble, pose_of_numbers};
use crate::save::PlacedRemoval;
use noli::Pose;
use noli::world::Move;
use noli_project::{SceneRemoval, StagedRemoval};

/// A removal with its path.
struct PlannedRemoval {
    name: String,
    /// The number of its part.
    body: usize,
    /// Parts removed before.
    without: Vec<String>,
    /// Poses of the part in the world.
    path: Vec<Pose>,
}

impl Session {
    /// The removals that no file has, of parts that are there. Parts removed by hand are removed before any of them.
    fn unsaved_removals(&self) -> Vec<PlannedRemoval> {
        let body = |name: &str| self.named(name).filter(|&body| self.has_entry(body));
        let bundled = removals_of(self.bundled.as_ref()).into_iter().filter_map(|(name, removal)| {
            let without = removal.without.iter().filter(|part| body(part).is_some());
            let without = without.map(|&part| part.to_owned()).collect();
            Some(PlannedRemoval { name, body: body(removal.part)?, without, path: removal.path })
        });
        let kept = self.paths.iter().filter_map(|(name, kept)| {
            let path = kept.keys.iter().map(pose_of_numbers).collect();
            Some(PlannedRemoval { name: name.clone(), body: body(&kept.part)?, without: Vec::new(), path })
        });
        bundled.chain(kept).collect()
    }

    /// Returns `true` if a body is there and has an entry in the file when that is saved.
    fn has_entry(&self, body: usize) -> bool {
        let entry = &self.entries[body];
        let is_written = match &entry.added {
            Some(Added::Copy(of)) => self.named(of).is_some_and(|of| self.entries[of].origin.is_some()),
            Some(Added::Text(_)) | None => true,
        };
        entry.id.is_some() && is_written
    }

    /// Returns the unsaved removals as a scene file lists them.
    pub(super) fn placed_removals(&self) -> Result<Vec<PlacedRemoval>, Trouble> {
        let placed = |PlannedRemoval { name, body, without, path }: PlannedRemoval| {
            let entry = &self.entries[body];
            let (mut keys, mut pivot) = (path, entry.model.aabb().center());
            // A copy is written without a parent.
            let (origin, parent) = match &entry.added {
                Some(Added::Copy(of)) => {
                    let of = self.named(of).and_then(|of| self.entries[of].origin.as_ref());
                    (of, Pose::IDENTITY)
                }
                _ => {
                    let origin = entry.origin.as_ref();
                    (origin, origin.map_or(Ok(Pose::IDENTITY), |origin| self.parent_pose(origin))?)
                }
            };
            if let Some(origin) = origin {
                keys.iter_mut().for_each(|pose| *pose = origin.entry_pose(parent.inverse() * *pose));
                pivot = origin.piece.transform_point(pivot);
            }
            Ok(PlacedRemoval { name, part: entry.name.clone(), without, pivot, keys })
        };
        self.unsaved_removals().into_iter().map(placed).collect()
    }

    /// The scene file has the removals now.
    pub(super) fn saved_removals(&mut self) {
        let removals = self.unsaved_removals();
        for PlannedRemoval { name, body, without, path } in removals {
            let Some(id) = self.entries[body].id else { continue };
            let Ok(motion) = self.keyed(id, &path) else { continue };
            let removal = SceneRemoval {
                name,
                part: self.entries[body].name.clone(),
                with: Vec::new(),
                without,
                after: Vec::new(),
                margin: None,
                exit_distance: 0.0,
                motion: None,
                line: 0,
            };
            let moving = Some(Move::rigid(removal.name.clone(), vec![(id, motion)]));
            self.staged.removals.push(StagedRemoval { removal, moving });
        }
        self.paths.clear();
        self.bundled = None;
    }
}
