//! Removals on curved surfaces.
//!
//! A path that was found for triangles is proven or refuted on the surfaces. Where triangles leave none, such as for a shaft
//! in its bush, straight pulls along the axes of the part and of the world are followed on the surfaces. A path that is given
//! is followed as it is.

use super::curved_motion::CurvedMotion;
use super::tessellation::TessellationReport;
use crate::stage::scene::Staged;
use glam::DVec3;
use noli::answer::Bracket;
use noli::motion::{KeyFrames, Motion, Turning};
use noli::query::ClearanceQuery;
use noli::world::{AfterStart, Answer, BodyId, Move, StepOptions, StepPolicy};
use noli::{Impact, Pose, Relation, World};
use noli_brep::{Face, Surface};
use noli_geom::Aabb;
use noli_plan::{
    BlockingProof, ClearanceSample, Counterexample, Infeasible, Path, Removal, RemovalResult, RigidSpace,
    Strategy, motion_poses,
};
use std::sync::Arc;

/// Most straight pulls that are tried.
const MAX_PULLS: usize = 24;
/// Distance beyond the box of the others, relative to the part, that a pull goes at least.
const BEYOND: f64 = 1e-3;

/// Outcome of a path.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Followed {
    /// Proven collision-free; `true` if it begins in contact.
    Free(bool),
    /// In contact after a share of its time, with this body.
    Blocked(f64, BodyId),
    Open,
}

/// Bodies that move as one, among those that are left.
struct Removing<'s> {
    world: World,
    moving: &'s [BodyId],
    surfaces: CurvedMotion,
}

/// A removal that was decided on curved surfaces where these are known.
#[derive(Clone, Debug)]
pub struct SurfaceRemoval {
    /// The verdict.
    pub removal: Removal,
    /// The bodies that stay decided on triangles.
    pub tessellation: Option<TessellationReport>,
    /// `true` if the surfaces prove the path, whatever the triangles do.
    pub is_proven: bool,
}

impl SurfaceRemoval {
    /// The verdict on triangles.
    pub fn on_triangles(staged: &Staged, removal: Removal) -> Self {
        Self { removal, tessellation: staged.tessellation(), is_proven: false }
    }
}

impl Staged {
    /// Decides a removal on curved surfaces where these are known. `beyond` is the distance beyond the box of the others that
    /// counts as removed.
    pub fn removal_on_surfaces(
        &self,
        removal: Removal,
        [moving, without]: [&[BodyId]; 2],
        beyond: f64,
    ) -> SurfaceRemoval {
        let Some(mut removing) = self.removing(moving, without) else {
            return SurfaceRemoval::on_triangles(self, removal);
        };
        let others = removing.others();
        if let RemovalResult::Path(path) = &removal.found {
            match removing.follow(&path.poses, true) {
                Followed::Free(leaves_contact) => {
                    let path = removing.widened(path, leaves_contact);
                    let found = RemovalResult::Path(Box::new(path));
                    let tessellation = removing.surfaces.tessellation();
                    return SurfaceRemoval {
                        removal: Removal { found, ..removal },
                        tessellation,
                        is_proven: true,
                    };
                }
                Followed::Open => return SurfaceRemoval::on_triangles(self, removal),
                Followed::Blocked(..) => {}
            }
        }
        let found = match (removing.pull(&others, beyond), removal.found) {
            (Some(path), _) => RemovalResult::Path(Box::new(path)),
            // It was refuted.
            (None, RemovalResult::Path(_)) => RemovalResult::Nothing,
            (None, RemovalResult::Infeasible(proof)) if removing.is_contradicted(&proof) => {
                RemovalResult::Nothing
            }
            (None, found) => found,
        };
        let is_proven = matches!(found, RemovalResult::Path(_));
        let tessellation = if is_proven { removing.surfaces.tessellation() } else { self.tessellation() };
        SurfaceRemoval { removal: Removal { found, ..removal }, tessellation, is_proven }
    }

    /// The same for a removal whose path is given: it is proven or refuted as it is. `removal` is the verdict on the
    /// triangles, which stays where the surfaces decide nothing.
    pub fn given_removal_on_surfaces(
        &self,
        removal: Removal,
        given: &Move,
        [moving, without]: [&[BodyId]; 2],
    ) -> SurfaceRemoval {
        let own = |&id: &BodyId| given.parts().find(|(part, _)| *part == id);
        let parts: Option<Vec<(BodyId, Arc<dyn Motion>)>> =
            moving.iter().map(|id| own(id).map(|(id, motion)| (id, Arc::clone(motion)))).collect();
        let removing = self.removing(moving, without);
        let (Some(mut removing), Some(parts)) = (removing, parts) else {
            return SurfaceRemoval::on_triangles(self, removal);
        };
        let Some(lead) = parts.first().map(|(_, motion)| Arc::clone(motion)) else {
            return SurfaceRemoval::on_triangles(self, removal);
        };
        let poses = motion_poses(&*lead);
        // What is reported are poses between which the part turns about its origin.
        let followed = match removing.along(Move::rigid("removal", parts), false) {
            Followed::Free(_) => removing.follow(&poses, false),
            other => other,
        };
        let found = match (followed, &removal.found) {
            (Followed::Open, _) => return SurfaceRemoval::on_triangles(self, removal),
            (Followed::Blocked(share, by), _) => {
                RemovalResult::Stopped(Counterexample { segment: 0, share, by: Some(by) })
            }
            (Followed::Free(leaves_contact), RemovalResult::Path(path)) => {
                RemovalResult::Path(Box::new(removing.widened(path, leaves_contact)))
            }
            (Followed::Free(leaves_contact), _) => {
                RemovalResult::Path(Box::new(removing.path(poses, leaves_contact)))
            }
        };
        let is_proven = matches!(found, RemovalResult::Path(_));
        let tessellation = removing.surfaces.tessellation();
        SurfaceRemoval { removal: Removal { found, ..removal }, tessellation, is_proven }
    }

    /// Clearances of a part at so many times of its path, on curved surfaces where these are known; else within the error of
    /// the triangles.
    pub fn removal_clearances(
        &self,
        space: &RigidSpace,
        path: &Path,
        [moving, without]: [&[BodyId]; 2],
        times: u32,
    ) -> Vec<ClearanceSample> {
        if self.tessellation().is_none() {
            return space.clearance_profile(path, times);
        }
        let mut removing = Removing { world: self.world.clone(), moving, surfaces: self.curved_motion() };
        for &id in without {
            let _ = removing.world.remove(id);
        }
        let others = removing.others();
        space.clearance_profile_by(path, times, |pose| removing.clearance(pose, &others))
    }

    /// Bodies to be removed among those that are left; `None` if no surfaces decide a pair of theirs.
    fn removing<'s>(&self, moving: &'s [BodyId], without: &[BodyId]) -> Option<Removing<'s>> {
        let surfaces = self.curved_motion();
        let mut world = self.world.clone();
        let is_left = without.iter().all(|&id| world.remove(id).is_ok());
        let removing = Removing { world, moving, surfaces };
        let known = removing.surfaces.surfaces();
        let is_curved = |b: &BodyId| moving.iter().any(|&a| known.may_decide([a, *b]));
        (is_left && removing.others().iter().any(is_curved)).then_some(removing)
    }
}

impl Removing<'_> {
    /// Returns `true` if the surfaces of both bodies are known.
    fn is_curved(&self, pair: [BodyId; 2]) -> bool {
        self.surfaces.surfaces().both(pair).is_some()
    }

    /// The bodies that stay.
    fn others(&self) -> Vec<BodyId> {
        self.world.bodies().map(|(id, _)| id).filter(|id| !self.moving.contains(id)).collect()
    }

    /// The least clearance of the moving bodies with the first at a pose.
    fn clearance(&self, pose: &Pose, others: &[BodyId]) -> Bracket {
        let mut least = Bracket::INFINITE;
        for &a in self.moving {
            let (Ok(part), Some(place)) = (self.world.body(a), self.place_of(a)) else { continue };
            let here = part.model().at(*pose * place);
            for &b in others {
                let Ok(other) = self.world.body(b) else { continue };
                if self.world.rules().margin_between((a, part), (b, other)).is_none() {
                    continue;
                }
                let query = ClearanceQuery { max_distance: least.at_most, ..Default::default() };
                let there = other.model().at(other.pose());
                let found = self.surfaces.clearance([a, b], [&here, &there], &query).distance;
                least.at_least = least.at_least.min(found.at_least);
                least.at_most = least.at_most.min(found.at_most);
            }
        }
        least
    }

    /// The pose of a moving body relative to the first of them.
    fn place_of(&self, id: BodyId) -> Option<Pose> {
        let lead = *self.moving.first()?;
        if id == lead {
            return Some(Pose::IDENTITY);
        }
        let [own, first] = [id, lead].map(|id| self.world.body(id).ok().map(|body| body.pose()));
        Some(first?.inverse() * own?)
    }

    /// A path of triangles that holds for the surfaces too.
    fn widened(&self, path: &Path, leaves_contact: bool) -> Path {
        let error = self.surfaces.reach();
        let clearance = Bracket {
            at_least: (path.clearance.at_least - error).max(0.0),
            at_most: path.clearance.at_most + error,
        };
        Path { clearance, leaves_contact, ..path.clone() }
    }

    /// A given path that the surfaces alone prove.
    fn path(&self, poses: Vec<Pose>, leaves_contact: bool) -> Path {
        let lead = self.moving.first().and_then(|&id| self.world.body(id).ok());
        let center =
            lead.map_or(DVec3::ZERO, |body| body.pose().inverse().transform_point(body.bounds().center()));
        let segments = || poses.windows(2).map(|pair| [pair[0], pair[1]]);
        let went = |[from, to]: [Pose; 2]| from.transform_point(center).distance(to.transform_point(center));
        let turn = |[from, to]: [Pose; 2]| from.rotation.normalize().angle_between(to.rotation.normalize());
        let (length, turned) = (segments().map(went).sum(), segments().map(turn).sum());
        Path {
            poses,
            how: Strategy::Given,
            length,
            turned,
            clearance: Bracket { at_least: 0.0, at_most: f64::INFINITY },
            tightest: None,
            leaves_contact,
        }
    }

    /// Follows the part through poses of its first body. With `curved_alone`, pairs that the surfaces do not decide are left
    /// out: they were proven before.
    fn follow(&mut self, poses: &[Pose], curved_alone: bool) -> Followed {
        self.motion(poses).map_or(Followed::Open, |motion| self.along(motion, curved_alone))
    }

    /// Follows the part on a motion.
    fn along(&mut self, motion: Move, curved_alone: bool) -> Followed {
        let options = StepOptions { policy: &self.surfaces, sleep: false, ..Default::default() };
        let Ok(step) = self.world.plan(vec![motion], &options) else { return Followed::Open };
        let asked = |answer: &&Answer| !curved_alone || self.is_curved(answer.pair);
        let mut found = Followed::Free(false);
        for answer in step.answers.iter().filter(asked) {
            found = match (answer.impact, answer.after_start) {
                (Impact::Free, _) => found,
                (Impact::AtStart(_), Some(AfterStart::Leaves | AfterStart::Slides)) => match found {
                    Followed::Free(_) => Followed::Free(true),
                    other => other,
                },
                (Impact::AtStart(_), _) => self.blocked(found, 0.0, answer.pair),
                (Impact::At { time, .. }, _) => self.blocked(found, time.safe_until, answer.pair),
                (Impact::Unknown { .. }, _) if matches!(found, Followed::Blocked(..)) => found,
                (Impact::Unknown { .. }, _) => Followed::Open,
            };
        }
        found
    }

    /// The earlier of two contacts.
    fn blocked(&self, found: Followed, at: f64, [a, b]: [BodyId; 2]) -> Followed {
        match found {
            Followed::Blocked(before, _) if before <= at => found,
            _ => Followed::Blocked(at, if self.moving.contains(&a) { b } else { a }),
        }
    }

    /// The motion of all bodies, given the poses of the first.
    fn motion(&self, poses: &[Pose]) -> Option<Move> {
        // A part that is out already rests.
        let rest = [*poses.first()?; 2];
        let poses = if poses.len() > 1 { poses } else { &rest };
        let last = poses.len().saturating_sub(1);
        let mut parts: Vec<(BodyId, Arc<dyn Motion>)> = Vec::new();
        for &id in self.moving {
            let place = self.place_of(id)?;
            let keys: Vec<(f64, Pose)> =
                poses.iter().enumerate().map(|(k, &pose)| (k as f64 / last as f64, pose * place)).collect();
            // It turns about the origin of the first body.
            let pivot = place.inverse().translation;
            parts.push((id, Arc::new(KeyFrames::new(&keys, pivot, Turning::Slerp).ok()?)));
        }
        Some(Move::rigid("removal", parts))
    }

    /// A straight pull that is proven on the surfaces.
    fn pull(&mut self, others: &[BodyId], beyond: f64) -> Option<Path> {
        let around = |ids: &[BodyId]| {
            let boxes = ids.iter().filter_map(|&id| Some(self.world.body(id).ok()?.bounds()));
            let bounded = boxes.filter(|found| found.min.is_finite() && found.max.is_finite());
            bounded.fold(Aabb::EMPTY, Aabb::union)
        };
        let (own, rest) = (around(self.moving), around(others));
        if own.is_empty() || rest.is_empty() {
            return None;
        }
        let start = self.world.body(*self.moving.first()?).ok()?.pose();
        for direction in self.directions(others) {
            let along = |found: &Aabb, sign: f64| {
                found.center().dot(direction) + 0.5 * sign * found.size().dot(direction.abs())
            };
            let room = beyond + BEYOND * own.size().max_element();
            let length = (along(&rest, 1.0) - along(&own, -1.0)).max(0.0) + room;
            let end = Pose { translation: start.translation + direction * length, ..start };
            if let Followed::Free(leaves_contact) = self.follow(&[start, end], false) {
                return Some(Path {
                    poses: vec![start, end],
                    how: Strategy::Pull,
                    length,
                    turned: 0.0,
                    clearance: Bracket { at_least: 0.0, at_most: f64::INFINITY },
                    tightest: None,
                    leaves_contact,
                });
            }
        }
        None
    }

    /// Axes of the curved faces of the part, those of the world, and axes of the others: of a mesh in a bush.
    fn directions(&self, others: &[BodyId]) -> Vec<DVec3> {
        let mut found: Vec<DVec3> = Vec::new();
        let mut add = |direction: DVec3| {
            for direction in [direction, -direction] {
                if found.len() < MAX_PULLS && !found.iter().any(|other| other.dot(direction) > 1.0 - 1e-9) {
                    found.push(direction);
                }
            }
        };
        self.moving.iter().for_each(|&id| self.axes(id).into_iter().for_each(&mut add));
        [DVec3::Z, DVec3::X, DVec3::Y].into_iter().for_each(&mut add);
        others.iter().for_each(|&id| self.axes(id).into_iter().for_each(&mut add));
        found.retain(|direction| *direction != DVec3::ZERO);
        found
    }

    /// Axes of the curved faces of a body.
    fn axes(&self, id: BodyId) -> Vec<DVec3> {
        let Ok(body) = self.world.body(id) else { return Vec::new() };
        let Some(curved) = self.surfaces.surfaces().curved(id) else { return Vec::new() };
        let pose = body.pose() * curved.pose;
        let axis = |face: &Face| match &face.surface {
            Surface::Cylinder { frame, .. } | Surface::Cone { frame, .. } => {
                Some(pose.transform_vector(frame.z).normalize_or_zero())
            }
            _ => None,
        };
        curved.body.faces().iter().filter_map(axis).collect()
    }

    /// The part penetrates others by its triangles, and not certainly by its surfaces.
    fn is_contradicted(&self, proof: &Infeasible) -> bool {
        let intersects = |pair: [BodyId; 2]| {
            let poses = pair.map(|id| self.world.body(id).map(|body| body.pose()));
            let [Ok(a), Ok(b)] = poses else { return false };
            let found = self.surfaces.relation(pair, [a, b]);
            matches!(found, Some(Relation::Intersecting | Relation::Inside))
        };
        let mut pairs = proof.by.iter().flat_map(|&b| self.moving.iter().map(move |&a| [a.min(b), a.max(b)]));
        proof.argument == BlockingProof::Overlaps
            && !pairs.any(|pair| !self.is_curved(pair) || intersects(pair))
    }
}
