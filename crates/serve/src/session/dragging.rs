//! The state of a drag: the bodies that move together, and planes between them and what they touch.

use super::{Session, Trouble};
use glam::DVec3;
use noli::Pose;
use noli::world::{BodyId, Finding, PairStatus, Snapshot};
use std::collections::BTreeSet;

/// A pull that is going on.
#[derive(Debug)]
pub(super) struct Dragging {
    pub(super) body: usize,
    pub(super) from: Pose,
    /// Bodies that move rigidly with it, and their first poses.
    pub(super) with: Vec<(usize, Pose)>,
    /// All fixed bodies.
    pub(super) still: Snapshot,
    /// Pairs that passed through each other from the start, and still do.
    pub(super) intersecting: Vec<[BodyId; 2]>,
    /// Pairs that may do so: while it is not known, the body stays.
    pub(super) unsettled: Vec<[BodyId; 2]>,
    /// Separating planes of pairs that touched from the start.
    pub(super) planes: Vec<Plane>,
    /// Those that no plane is known of, as long as they have not parted.
    pub(super) unparted: Vec<[BodyId; 2]>,
    /// Pose at which a slow query kept the body in place, its answer, and the number of pulls still answered by it.
    pub(super) held: Option<(Pose, Stop, u32)>,
    /// Candidate pairs and tested pairs of the last pull.
    pub(super) pairs: [usize; 2],
}

/// The contact that stopped a body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stop {
    pub(super) other: BodyId,
    pub(super) place: Option<DVec3>,
    pub(super) normal: Option<DVec3>,
    /// `true` if it would have touched; otherwise the time limit was reached.
    pub(super) touches: bool,
}

impl Stop {
    pub(super) fn at(other: BodyId, touches: bool) -> Self {
        Self { other, place: None, normal: None, touches }
    }
}

/// A plane between a dragged body and a fixed one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plane {
    pub(super) pair: [BodyId; 2],
    /// Normal from the fixed body to the dragged one.
    pub(super) normal: DVec3,
    /// Their distance along it at the start of the pull.
    pub(super) separated: f64,
    /// Tolerance far above its rounding error, yet invisible.
    pub(super) slack: f64,
}

impl Plane {
    /// Returns the plane across a normal that separates two ranges along it: that of the fixed body and that of the
    /// dragged one.
    fn between(pair: [BodyId; 2], normal: DVec3, [still, moved]: [[f64; 2]; 2]) -> Option<Self> {
        let size = still.iter().chain(&moved).fold(0.0, |size: f64, height| size.max(height.abs()));
        let slack = SLACK * size;
        let [above, below] = [moved[0] - still[1], still[0] - moved[1]];
        let (normal, separated) = if above >= below { (normal, above) } else { (-normal, below) };
        (separated >= -slack).then_some(Self { pair, normal, separated, slack })
    }

    /// Returns their distance along it after shifting the dragged body from the start of the pull.
    pub(super) fn separated(&self, shift: DVec3) -> f64 {
        self.separated + shift.dot(self.normal)
    }
}

/// As a share of the size of bodies and of their distance from the origin.
const SLACK: f64 = 1e-12;

impl Session {
    /// Returns the bodies that a group moves besides its lead: without duplicates, and without those that move as
    /// descendants anyway.
    pub(super) fn carried(&self, body: usize, with: &[usize]) -> Result<Vec<usize>, Trouble> {
        let lead = self.id(body)?;
        let mut ids: Vec<(usize, BodyId)> = Vec::new();
        for &other in with {
            let id = self.id(other)?;
            if id != lead && ids.iter().all(|(_, known)| *known != id) {
                ids.push((other, id));
            }
        }
        let mut carried = Vec::new();
        for &(other, id) in &ids {
            let leads = ids.iter().map(|(_, id)| *id).chain([lead]).filter(|known| *known != id);
            let mut is_descendant = false;
            for known in leads {
                is_descendant |= self.staged.world.with_descendants(known)?.contains(&id);
            }
            if !is_descendant {
                carried.push(other);
            }
        }
        Ok(carried)
    }

    /// Returns a body, the bodies that move with it, and all their descendants; the body first.
    pub(super) fn with_all(&self, id: BodyId, with: &[(usize, Pose)]) -> Result<Vec<BodyId>, Trouble> {
        let mut members = self.staged.world.with_descendants(id)?;
        for &(body, _) in with {
            for one in self.staged.world.with_descendants(self.id(body)?)? {
                if !members.contains(&one) {
                    members.push(one);
                }
            }
        }
        Ok(members)
    }

    /// Returns the bodies of the current drag: their poses change without an edit.
    pub(super) fn dragged_bodies(&self) -> BTreeSet<BodyId> {
        let lead = self.dragging.as_ref().and_then(|dragging| self.entries[dragging.body].id);
        lead.and_then(|lead| self.members(lead).ok()).unwrap_or_default().into_iter().collect()
    }

    pub(super) fn members(&self, id: BodyId) -> Result<Vec<BodyId>, Trouble> {
        self.with_all(id, self.dragging.as_ref().map_or(&[], |dragging| &dragging.with))
    }

    /// Places a body and, rigidly, the bodies that move with it, regardless of obstacles.
    pub(super) fn place_group(&mut self, id: BodyId, target: &Pose) -> Result<(), Trouble> {
        let with = self.dragging.as_ref().map_or_else(Vec::new, |dragging| dragging.with.clone());
        let from = self.dragging.as_ref().map_or(*target, |dragging| dragging.from);
        self.staged.world.move_to(id, *target)?;
        let by = *target * from.inverse();
        for (body, first) in with {
            let pose = if *target == from { first } else { by * first };
            self.staged.world.move_to(self.id(body)?, pose)?;
        }
        Ok(())
    }

    /// Returns `true` if the dragged bodies touched another one when the drag began.
    pub(super) fn touched_at_start(&self, other: BodyId) -> bool {
        self.dragging.as_ref().is_some_and(|dragging| {
            let planes = dragging.planes.iter().map(|plane| plane.pair);
            planes.chain(dragging.unparted.iter().copied()).any(|pair| pair.contains(&other))
        })
    }

    /// Returns the body behind a separating plane that a straight path to a pose would cross: it touched from the
    /// start, and blocks the path.
    pub(super) fn blocking_plane(&self, target: &Pose, members: &[BodyId]) -> Option<BodyId> {
        let dragging = self.dragging.as_ref()?;
        if target.rotation != dragging.from.rotation {
            return None;
        }
        let shift = target.translation - dragging.from.translation;
        let crossed = dragging.planes.iter().filter(|plane| plane.separated(shift) < -plane.slack);
        let worst = crossed.min_by(|a, b| a.separated(shift).total_cmp(&b.separated(shift)))?;
        Some(other_of(worst.pair, members))
    }

    /// Returns planes between moved bodies and those they touch, as far as all pairs have been compared.
    pub(super) fn planes(&self, members: &[BodyId]) -> Result<Vec<Plane>, Trouble> {
        if !self.is_checked() {
            return Ok(Vec::new());
        }
        let findings = self.checked.iter().flat_map(|checked| &checked.result.findings);
        let is_outside =
            |finding: &&Finding| finding.pair.iter().filter(|id| members.contains(id)).count() == 1;
        let touching = findings.filter(|it| it.status == PairStatus::Touching).filter(is_outside);
        let planes = touching.map(|finding| {
            let moved = if members.contains(&finding.pair[0]) { finding.pair[0] } else { finding.pair[1] };
            self.plane(moved, finding)
        });
        Ok(planes.collect::<Result<Vec<_>, Trouble>>()?.into_iter().flatten().collect())
    }

    /// Tries the planes of the faces that touch, and those of the axes. Of bodies that are not meshes none is known.
    pub(super) fn plane(&self, moved: BodyId, finding: &Finding) -> Result<Option<Plane>, Trouble> {
        let other = other_of(finding.pair, &[moved]);
        let known = [other, moved].map(|id| self.numbers.get(&id).map(|&number| &self.entries[number].body));
        let [Some(a), Some(b)] = known else { return Ok(None) };
        if a.is_true_shape || b.is_true_shape {
            return Ok(None);
        }
        let poses = [self.staged.world.body(other)?.pose(), self.staged.world.body(moved)?.pose()];
        let meshes = [&a.look, &b.look];
        let mut normals: Vec<DVec3> = DVec3::AXES.to_vec();
        normals.extend(finding.contact.map(|contact| contact.normal));
        let [first, second] = finding.faces.unwrap_or_default();
        let faces = if finding.pair[0] == other { [first, second] } else { [second, first] };
        for ((mesh, pose), face) in meshes.iter().zip(&poses).zip(faces) {
            if (face as usize) < mesh.triangle_count() {
                let [p, q, r] = mesh.triangle(face).vertices.map(|vertex| pose.transform_point(vertex));
                normals.extend((q - p).cross(r - p).try_normalize());
            }
        }
        // Along each of them, from where to where both bodies reach.
        let reach = |side: usize, normal: DVec3| {
            let heights = meshes[side].vertices().iter().map(|&v| poses[side].transform_point(v).dot(normal));
            heights.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], h| [low.min(h), high.max(h)])
        };
        Ok(normals
            .into_iter()
            .find_map(|normal| Plane::between(finding.pair, normal, [reach(0, normal), reach(1, normal)])))
    }

    /// Returns planes across the axes between moved bodies and those they touch, by bounding boxes: for bodies of
    /// any shape, where pairs have not been compared.
    pub(super) fn axis_planes(
        &self,
        members: &[BodyId],
        touching: &[[BodyId; 2]],
    ) -> Result<Vec<Plane>, Trouble> {
        let mut planes = Vec::new();
        for &pair in touching.iter().filter(|pair| pair.iter().filter(|id| members.contains(id)).count() == 1)
        {
            let other = other_of(pair, members);
            let moved = if pair[0] == other { pair[1] } else { pair[0] };
            let [still, moved] =
                [self.staged.world.body(other)?.bounds(), self.staged.world.body(moved)?.bounds()];
            planes.extend(DVec3::AXES.into_iter().find_map(|axis| {
                let reaches = [still, moved].map(|bounds| [bounds.min.dot(axis), bounds.max.dot(axis)]);
                Plane::between(pair, axis, reaches)
            }));
        }
        Ok(planes)
    }

    /// Returns the separating planes of initially touching pairs that hold for a straight path between two poses.
    /// Also returns its end, moved off the sliding surface just enough to prevent penetration by rounding. There
    /// are none for rotations.
    pub(super) fn parted(&self, before: &Pose, target: Pose) -> (Vec<Plane>, Pose) {
        let Some(dragging) = &self.dragging else { return (Vec::new(), target) };
        let start = dragging.from;
        if [before, &target].iter().any(|pose| pose.rotation != start.rotation) {
            return (Vec::new(), target);
        }
        let shift = |pose: &Pose| pose.translation - start.translation;
        let mut end = target;
        for plane in &dragging.planes {
            let separated = plane.separated(shift(&end));
            if separated.abs() < plane.slack {
                end.translation += (2.0 * plane.slack - separated) * plane.normal;
            }
        }
        let holds = |plane: &&Plane| {
            plane.separated(shift(before)) >= -plane.slack
                && plane.separated(shift(&end)) >= 0.5 * plane.slack
        };
        let planes: Vec<Plane> = dragging.planes.iter().filter(holds).copied().collect();
        if planes.is_empty() { (planes, target) } else { (planes, end) }
    }

    /// Returns `true` if the last results refer to the current poses. Those of a cell are not of its drawn bodies.
    pub(super) fn is_checked(&self) -> bool {
        self.cell.is_none() && !self.stale && self.checked.is_some()
    }
}

pub(super) fn other_of(pair: [BodyId; 2], members: &[BodyId]) -> BodyId {
    if members.contains(&pair[0]) { pair[1] } else { pair[0] }
}
