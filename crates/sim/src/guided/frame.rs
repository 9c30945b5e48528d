//! One frame: pieces of motion that contact allows, each proven free.

use super::groups::{Force, Found, FrameOutcome, Group, GuidedContact, NEAR, Near, radius};
use crate::error::SimError;
use crate::proof::{self, free_until, with_context};
use crate::solve::{Constraint, MassState, Sweeps, Twist, gauss_seidel, nearest_twist};
use glam::{DMat3, DVec3};
use noli::Pose;
use noli::contacts::FeatureContact;
use noli::motion::{Motion, RigidMotion, Still, SweptBox};
use noli::world::{Body, BodyId};
use noli_geom::{Aabb, rotation};
use std::collections::HashMap;
use std::sync::Arc;

/// Result of a motion segment.
struct Piece {
    /// Performed share of the permitted motion.
    free: f64,
    forces: Vec<Force>,
    reaches: Vec<f64>,
}

/// Distance within which contacts are searched after a piece of motion that was stopped.
const FAR: f64 = 0.01;
/// Contacts within so many skins bear forces.
const IN_FORCE: f64 = 2.0;
/// The largest rotation requested at once, in radians.
const LARGEST_TURN: f64 = 0.3;
/// Number of stalls after which a frame is given up.
const MOST_STALLS: u32 = 12;

impl GuidedContact {
    /// Desired motion of a group for the rest of a frame, as displacements.
    fn wanted(&self, group: &Group, (from, to): (f64, f64), rest: f64) -> Twist {
        let now = self.world[group.leader].pose();
        let (start, share) =
            if self.options.follows_pose { (now, 1.0) } else { (group.wanted.pose(from), rest) };
        let goal = group.wanted.pose(to);
        let center = group.mass.center;
        let turn = rotation::log(goal.rotation.normalize() * start.rotation.normalize().conjugate());
        let twist = Twist {
            linear: (goal.transform_point(center) - start.transform_point(center)) * share,
            angular: turn * share,
        };
        let slower = (LARGEST_TURN / twist.angular.length()).min(1.0);
        Twist { linear: twist.linear * slower, angular: twist.angular * slower }
    }

    fn inert(&self, group: &Group) -> MassState {
        let pose = self.world[group.leader].pose();
        let turn = DMat3::from_quat(pose.rotation.normalize());
        MassState {
            inverse_mass: 1.0 / group.mass.mass,
            inverse_inertia: turn * group.mass.inertia.inverse() * turn.transpose(),
            center: pose.transform_point(group.mass.center),
        }
    }

    /// All contacts of groups within a distance of their own, by pair of bodies.
    fn contacts(&mut self, reaches: &[f64]) -> Found {
        let reach = |carriage: &Self, id: BodyId| carriage.group(id).map_or(0.0, |group| reaches[group]);
        let grown = |(id, body): (BodyId, &Body)| {
            self.group(id)
                .map(|group| (id, body.model().aabb().transformed(&body.pose()).expanded(reaches[group])))
        };
        let boxes: Vec<(BodyId, Aabb)> = self.world.bodies().filter_map(grown).collect();
        let pairs = self.candidate_pairs(&boxes);
        let found = proof::map(&pairs, |&[a, b]| {
            let within = reach(self, a).max(reach(self, b)).max(4.0 * self.skin([a, b]));
            let [x, y] = [a, b].map(|id| self.world[id].model().at(self.world[id].pose()));
            let mut contacts = Vec::new();
            let _ = with_context(|ask| ask.contacts(&x, &y, within, &mut contacts));
            contacts
        });
        pairs.into_iter().zip(found).filter(|(_, contacts)| !contacts.is_empty()).collect()
    }

    /// Enabled pairs whose boxes overlap, sorted.
    fn candidate_pairs(&mut self, boxes: &[(BodyId, Aabb)]) -> Vec<[BodyId; 2]> {
        // Bodies are never removed, so that every id is known.
        self.world.candidate_pairs(boxes).unwrap_or_default()
    }

    /// Follow the wanted motions from one of their times to another, as far as contact allows.
    pub fn frame(&mut self, from: f64, to: f64) -> Result<FrameOutcome, SimError> {
        self.refuse_overlap()?;
        let (mut used, mut stalls, mut pieces) = (0.0, 0, 0);
        let (mut forces, mut reaches) = (Vec::new(), Vec::new());
        while used < 1.0 && pieces < self.options.pieces && stalls < MOST_STALLS {
            let rest: f64 = 1.0 - used;
            let wanted: Vec<Twist> =
                self.groups.iter().map(|group| self.wanted(group, (from, to), rest)).collect();
            let piece = self.piece(&wanted);
            // The obstacle that stopped it may not have been tested.
            self.outlook = if piece.free < 1.0 { FAR } else { NEAR };
            pieces += u32::from(piece.free > 0.0);
            stalls = if piece.free > 1e-6 { 0 } else { stalls + 1 };
            used = if piece.free >= 1.0 { 1.0 } else { used + rest * piece.free };
            forces = piece.forces;
            if reaches.is_empty() {
                reaches = piece.reaches;
            }
        }
        // A remainder below what a proof can tell apart.
        if used > 1.0 - 1e-9 {
            used = 1.0;
        }
        self.frames += 1;
        self.lost += 1.0 - used;
        self.summary.pieces += u64::from(pieces);
        let clearances = self.clearances_in_force(reaches);
        let contacts = clearances.len();
        self.summary.contacts_most = self.summary.contacts_most.max(contacts);
        if contacts > 0 {
            self.summary.contacts_least = self.summary.contacts_least.min(contacts);
        }
        let clearance = clearances.into_iter().fold(f64::INFINITY, f64::min);
        Ok(FrameOutcome { used, contacts, forces, pieces, clearance })
    }

    /// Do what is wanted as far as it is allowed and proven free.
    fn piece(&mut self, wanted: &[Twist]) -> Piece {
        let inerts: Vec<MassState> = self.groups.iter().map(|group| self.inert(group)).collect();
        let reach = |(group, twist): (&Group, &Twist)| {
            let path = twist.linear.length() + twist.angular.length() * group.radius;
            path.min(self.outlook * group.radius) + 4.0 * self.options.skin * group.radius
        };
        let reaches: Vec<f64> = self.groups.iter().zip(wanted).map(reach).collect();
        let suffices = |near: &Near| near.reaches.iter().zip(&reaches).all(|(known, reach)| known >= reach);
        let found = match self.near.take() {
            Some(near) if suffices(&near) => near.found,
            _ => self.contacts(&reaches),
        };
        let (constraints, of) = self.constraints(&found);
        let (twists, pushes) = self.solve(&inerts, &constraints, wanted);
        let proven = self.proven(&twists, &inerts, &found);
        let free = if proven > 0.0 && self.accept(&twists, &inerts, proven) { proven } else { 0.0 };
        let pushing = of.iter().zip(pushes).filter(|(_, push)| *push > 0.0);
        let forces = pushing.map(|(&(bodies, contact), push)| Force { bodies, contact, push }).collect();
        Piece { free, forces, reaches }
    }

    /// Returns the clearances of all contacts in force. The search distance is that expected for the next frame,
    /// which then begins with them.
    fn clearances_in_force(&mut self, reaches: Vec<f64>) -> Vec<f64> {
        let least = |group: &Group| IN_FORCE * self.options.skin * group.radius;
        let reaches: Vec<f64> = if reaches.is_empty() {
            self.groups.iter().map(least).collect()
        } else {
            reaches.iter().zip(&self.groups).map(|(reach, group)| (1.01 * reach).max(least(group))).collect()
        };
        let found = self.contacts(&reaches);
        let clearances = |(pair, list): &([BodyId; 2], Vec<FeatureContact>)| {
            let most = IN_FORCE * self.skin(*pair);
            list.iter()
                .map(|contact| contact.clearance)
                .filter(|&clearance| clearance <= most)
                .collect::<Vec<f64>>()
        };
        let clearances = found.iter().flat_map(clearances).collect();
        self.near = Some(Near { reaches, found });
        clearances
    }

    fn constraints(&self, found: &Found) -> (Vec<Constraint>, Vec<([BodyId; 2], FeatureContact)>) {
        let (mut constraints, mut of) = (Vec::new(), Vec::new());
        for (pair, contacts) in found {
            let skin = self.skin(*pair);
            for contact in contacts {
                constraints.push(Constraint {
                    bodies: pair.map(|id| self.group(id)),
                    points: [contact.on_a.point, contact.on_b.point],
                    normal: contact.normal,
                    least: skin - contact.clearance,
                    friction: self.options.friction,
                    given: DVec3::ZERO,
                });
                of.push((*pair, *contact));
            }
        }
        (constraints, of)
    }

    fn solve(
        &mut self,
        inerts: &[MassState],
        constraints: &[Constraint],
        wanted: &[Twist],
    ) -> (Vec<Twist>, Vec<f64>) {
        if self.options.friction > 0.0 {
            let scale =
                wanted.iter().map(|twist| twist.linear.length() + twist.angular.length()).sum::<f64>();
            let (mut twists, mut impulses) = (wanted.to_vec(), vec![DVec3::ZERO; constraints.len()]);
            let until = Sweeps { most: 2000, tolerance: 1e-12 * scale };
            let left = gauss_seidel(inerts, constraints, &mut twists, &mut impulses, until);
            if scale > 0.0 {
                self.summary.residual_most = self.summary.residual_most.max(left / scale);
            }
            let pushes = impulses.iter().zip(constraints).map(|(push, c)| push.dot(c.normal)).collect();
            return (twists, pushes);
        }
        let found = nearest_twist(inerts, constraints, wanted);
        self.summary.residual_most = self.summary.residual_most.max(found.residual);
        (found.twists, found.impulses)
    }

    fn motion(&self, id: BodyId, twists: &[Twist], inerts: &[MassState]) -> Arc<dyn Motion> {
        let pose = self.world[id].pose();
        match self.group(id) {
            Some(group) if twists[group] != Twist::default() => {
                let pivot = pose.inverse().transform_point(inerts[group].center);
                let Twist { linear, angular } = twists[group];
                Arc::new(RigidMotion::with_velocities(&pose, linear, angular, pivot))
            }
            _ => Arc::new(Still(pose)),
        }
    }

    /// Computes the share of the displacements that is proven collision-free.
    fn proven(&mut self, twists: &[Twist], inerts: &[MassState], found: &Found) -> f64 {
        if twists.iter().any(|twist| !(twist.linear.is_finite() && twist.angular.is_finite())) {
            return 0.0;
        }
        // By slot of the world: bodies are never removed.
        let motions: Vec<Arc<dyn Motion>> =
            self.world.bodies().map(|(id, _)| self.motion(id, twists, inerts)).collect();
        let motion = |id: BodyId| &*motions[id.index() as usize];
        let moves = |group: Option<usize>| group.is_some_and(|group| twists[group] != Twist::default());
        let bounds = |(id, body): (BodyId, &Body)| {
            let model = body.model();
            let skin = 2.0 * self.options.skin * radius(model);
            let skin = if skin.is_finite() { skin } else { 0.0 };
            let bounds = if moves(self.group(id)) {
                model.moving(motion(id)).swept_box((0.0, 1.0), SweptBox::Both)
            } else {
                model.aabb().transformed(&body.pose())
            };
            (id, bounds.expanded(skin))
        };
        let boxes: Vec<(BodyId, Aabb)> = self.world.bodies().map(bounds).collect();
        let mut pairs = self.candidate_pairs(&boxes);
        pairs.retain(|&[a, b]| moves(self.group(a)) || moves(self.group(b)));
        let least = |list: &[FeatureContact]| list.iter().map(|c| c.clearance).fold(f64::INFINITY, f64::min);
        let clearances: HashMap<[BodyId; 2], f64> =
            found.iter().map(|(pair, list)| (*pair, least(list))).collect();
        self.summary.proofs += pairs.len() as u64;
        let free = proof::map(&pairs, |pair| {
            let [x, y] = pair.map(|id| (self.world[id].model(), motion(id)));
            free_until(x, y, clearances.get(pair).copied(), self.skin(*pair))
        });
        free.into_iter().fold(1.0, f64::min)
    }

    /// Moves groups by a share of their displacements, if every pose they come to is valid.
    fn accept(&mut self, twists: &[Twist], inerts: &[MassState], share: f64) -> bool {
        let carried = |(id, _): (BodyId, &Body)| {
            self.group(id).map(|_| (id, self.motion(id, twists, inerts).pose(share)))
        };
        let poses: Vec<(BodyId, Pose)> = self.world.bodies().filter_map(carried).collect();
        poses.iter().all(|(_, pose)| pose.is_valid())
            && poses.into_iter().all(|(id, pose)| self.world.move_to(id, pose).is_ok())
    }
}
