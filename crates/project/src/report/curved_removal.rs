//! Removals on curved surfaces.
//!
//! A path that was found for triangles is proven or refuted on the surfaces. Where triangles leave none, such as for a shaft
//! in its bush, straight pulls along the axes of the part and of the world are followed on the surfaces.

use super::curved_motion::CurvedMotion;
use super::tessellation::TessellationReport;
use crate::stage::scene::Staged;
use glam::DVec3;
use noli::answer::Bracket;
use noli::motion::{KeyFrames, Motion, Turning};
use noli::world::{AfterStart, Answer, BodyId, Move, StepOptions, StepPolicy};
use noli::{Impact, Pose, Relation, World};
use noli_brep::Surface;
use noli_geom::Aabb;
use noli_plan::{BlockingProof, Infeasible, Path, Removal, RemovalResult, Strategy};
use std::sync::Arc;

/// Most straight pulls that are tried.
const MAX_PULLS: usize = 24;
/// Distance beyond the box of the others, relative to the part, that a pull goes at least.
const BEYOND: f64 = 1e-3;

/// Outcome of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Followed {
    /// Proven collision-free; `true` if it begins in contact.
    Free(bool),
    Blocked,
    Open,
}

/// Bodies that move as one, among those that are left.
struct Removing<'s> {
    world: World,
    moving: &'s [BodyId],
    surfaces: CurvedMotion,
}

impl Staged {
    /// Decides a removal on curved surfaces where these are known, and returns the bodies that stay decided on triangles.
    /// `beyond` is the distance beyond the box of the others that counts as removed.
    pub fn removal_on_surfaces(
        &self,
        removal: Removal,
        [moving, without]: [&[BodyId]; 2],
        beyond: f64,
    ) -> (Removal, Option<TessellationReport>) {
        let surfaces = self.curved_motion();
        let mut world = self.world.clone();
        let is_left = without.iter().all(|&id| world.remove(id).is_ok());
        let others: Vec<BodyId> =
            world.bodies().map(|(id, _)| id).filter(|id| !moving.contains(id)).collect();
        let is_curved = others.iter().any(|&b| moving.iter().any(|&a| surfaces.is_curved([a, b])));
        if !is_left || !is_curved {
            return (removal, self.tessellation());
        }
        let mut removing = Removing { world, moving, surfaces };
        let error = removing.surfaces.reach();
        if let RemovalResult::Path(path) = &removal.found {
            match removing.follow(&path.poses, true) {
                Followed::Free(leaves_contact) => {
                    let clearance = Bracket {
                        at_least: (path.clearance.at_least - error).max(0.0),
                        at_most: path.clearance.at_most + error,
                    };
                    let path = Path { clearance, leaves_contact, ..(**path).clone() };
                    let found = RemovalResult::Path(Box::new(path));
                    return (Removal { found, ..removal }, removing.surfaces.tessellation());
                }
                Followed::Open => return (removal, self.tessellation()),
                Followed::Blocked => {}
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
        let by_surfaces = matches!(found, RemovalResult::Path(_));
        let open = if by_surfaces { removing.surfaces.tessellation() } else { self.tessellation() };
        (Removal { found, ..removal }, open)
    }
}

impl Removing<'_> {
    /// Follows the part through poses of its first body. With `curved_alone`, pairs that the surfaces do not decide are left
    /// out: they were proven before.
    fn follow(&mut self, poses: &[Pose], curved_alone: bool) -> Followed {
        let Some(motion) = self.motion(poses) else { return Followed::Open };
        let options = StepOptions { policy: &self.surfaces, sleep: false, ..Default::default() };
        let Ok(step) = self.world.plan(vec![motion], &options) else { return Followed::Open };
        let asked = |answer: &&Answer| !curved_alone || self.surfaces.is_curved(answer.pair);
        let mut found = Followed::Free(false);
        for answer in step.answers.iter().filter(asked) {
            found = match (answer.impact, answer.after_start) {
                (Impact::Free, _) => found,
                (Impact::AtStart(_), Some(AfterStart::Leaves | AfterStart::Slides)) => match found {
                    Followed::Free(_) => Followed::Free(true),
                    other => other,
                },
                (Impact::AtStart(_) | Impact::At { .. }, _) => return Followed::Blocked,
                (Impact::Unknown { .. }, _) => Followed::Open,
            };
        }
        found
    }

    /// The motion of all bodies, given the poses of the first.
    fn motion(&self, poses: &[Pose]) -> Option<Move> {
        // A part that is out already rests.
        let rest = [*poses.first()?; 2];
        let poses = if poses.len() > 1 { poses } else { &rest };
        let last = poses.len().saturating_sub(1);
        let lead = self.moving.first()?;
        let from_world = self.world.body(*lead).ok()?.pose().inverse();
        let mut parts: Vec<(BodyId, Arc<dyn Motion>)> = Vec::new();
        for &id in self.moving {
            let place =
                if id == *lead { Pose::IDENTITY } else { from_world * self.world.body(id).ok()?.pose() };
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
        for direction in self.directions() {
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

    /// Axes of the curved faces of the part, and those of the world.
    fn directions(&self) -> Vec<DVec3> {
        let mut found: Vec<DVec3> = Vec::new();
        let mut add = |direction: DVec3| {
            for direction in [direction, -direction] {
                if found.len() < MAX_PULLS && !found.iter().any(|other| other.dot(direction) > 1.0 - 1e-9) {
                    found.push(direction);
                }
            }
        };
        for &id in self.moving {
            let Ok(body) = self.world.body(id) else { continue };
            let Some(curved) = self.surfaces.curved(id) else { continue };
            for face in curved.body.faces() {
                if let Surface::Cylinder { frame, .. } | Surface::Cone { frame, .. } = &face.surface {
                    add((body.pose() * curved.pose).transform_vector(frame.z).normalize_or_zero());
                }
            }
        }
        [DVec3::Z, DVec3::X, DVec3::Y].into_iter().for_each(&mut add);
        found.retain(|direction| *direction != DVec3::ZERO);
        found
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
            && !pairs.any(|pair| !self.surfaces.is_curved(pair) || intersects(pair))
    }
}
