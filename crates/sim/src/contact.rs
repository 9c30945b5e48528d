//! A wanted motion, done as far as contact allows: bodies slide along each other instead of stopping.
//!
//! After section 7.1 of Eckstein's system (1998): advance as far as is proven free, find all contacts, take the motion
//! nearest to the wanted one that none of them forbids, and go on with the rest of the frame.

use crate::proof::{self, free_until, with_ask};
use crate::solve::{Constraint, Inert, Twist, gauss_seidel, nearest_twist};
use crate::{MassProperties, SimError, Summary};
use glam::{DMat3, DVec3};
use noli::answer::Overlap;
use noli::contacts::FeatureContact;
use noli::motion::{Motion, RigidMotion, Still, SweptBox};
use noli::{Model, Pose};
use noli_geom::Aabb;
use noli_geom::rotation;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// How contact is simulated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CarriageOptions {
    /// How far bodies stay apart, as a share of the smaller one's radius.
    pub skin: f64,
    /// Coulomb's coefficient.
    pub friction: f64,
    /// Pieces of motion in a frame at most.
    pub pieces: u32,
    /// Whether a group goes after the wanted pose, or does what the wanted motion does in a frame from where it is: then
    /// what contact has moved aside stays aside.
    pub follows_pose: bool,
}

impl Default for CarriageOptions {
    fn default() -> Self {
        Self { skin: 1e-4, friction: 0.0, pieces: 400, follows_pose: true }
    }
}

/// A body.
#[derive(Clone, Debug)]
pub struct Rider {
    /// How it is called.
    pub name: String,
    /// What it is.
    pub model: Model,
    /// Where it stands.
    pub pose: Pose,
}

#[derive(Clone, Debug)]
struct Placed {
    rider: Rider,
    group: Option<usize>,
    radius: f64,
}

#[derive(Clone, Debug)]
struct Group {
    leader: usize,
    members: Vec<usize>,
    /// In the leader's frame.
    mass: MassProperties,
    radius: f64,
    wanted: Arc<dyn Motion>,
}

/// A force that a contact bears.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Force {
    /// Numbers of A and B.
    pub bodies: [usize; 2],
    /// The contact.
    pub contact: FeatureContact,
    /// Mass times displacement in the frame, on B along the normal: divide by the square of the frame's time for a force.
    pub push: f64,
}

/// What came of a frame.
#[derive(Clone, Debug, PartialEq)]
pub struct FrameOutcome {
    /// How much of the frame was moved as contact allows; the rest could not be proven.
    pub used: f64,
    /// Contacts in force at its end.
    pub contacts: usize,
    /// What they bear.
    pub forces: Vec<Force>,
    /// Pieces of motion that were proven and done.
    pub pieces: u32,
    /// The smallest gap of the contacts in force at the end; infinite where there are none.
    pub gap: f64,
}

/// Groups of bodies that follow wanted motions among bodies that stay.
///
/// ```
/// use noli::motion::RigidMotion;
/// use noli::{Mesh, Model, Pose};
/// use noli_sim::{Carriage, CarriageOptions, MassProperties, Rider};
/// use glam::{DMat3, DVec3};
/// use std::sync::Arc;
/// let cube = Model::new(Mesh::cuboid(DVec3::ONE)?.into_solid())?;
/// let floor = Model::new(Mesh::cuboid(DVec3::new(20.0, 20.0, 1.0))?.into_solid())?;
/// let rider = |name: &str, model: &Model, z: f64| Rider {
///     name: name.to_owned(),
///     model: model.clone(),
///     pose: Pose::from_translation(DVec3::Z * z),
/// };
/// let mut carriage = Carriage::new(CarriageOptions::default());
/// carriage.add_fixed(rider("floor", &floor, -0.5))?;
/// let cube = rider("cube", &cube, 0.6);
/// // Forward, and down into the floor.
/// let wanted = RigidMotion::with_velocities(&cube.pose, DVec3::new(4.0, 0.0, -1.0), DVec3::ZERO, DVec3::ZERO);
/// let mass = MassProperties { mass: 1.0, center: DVec3::ZERO, inertia: DMat3::IDENTITY / 6.0 };
/// let group = carriage.add_group(vec![cube], mass, Arc::new(wanted))?;
/// for frame in 0..10 {
///     carriage.frame(f64::from(frame) / 10.0, f64::from(frame + 1) / 10.0)?;
/// }
/// let end = carriage.pose(group).translation;
/// assert!((end.x - 4.0).abs() < 1e-9 && end.z > 0.5 && end.z < 0.501);
/// assert_eq!(carriage.summary().time_lost, 0.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Carriage {
    options: CarriageOptions,
    bodies: Vec<Placed>,
    groups: Vec<Group>,
    excluded: BTreeSet<(usize, usize)>,
    summary: Summary,
    frames: u64,
    lost: f64,
    checked: bool,
    near: Option<Near>,
    /// How far out contacts are looked for at most, as a share of a group's radius.
    outlook: f64,
}

/// All contacts of pairs of bodies, where these stand.
type Found = Vec<((usize, usize), Vec<FeatureContact>)>;

/// What came of a piece of motion.
struct Piece {
    /// How much of what is allowed was done.
    free: f64,
    forces: Vec<Force>,
    reaches: Vec<f64>,
}

/// What was found within these distances of groups.
#[derive(Debug)]
struct Near {
    reaches: Vec<f64>,
    found: Found,
}

/// How far out contacts are looked for: bodies that slide along each other come nearer by far less than they move, and those
/// that are stopped by what was not seen look further.
const NEAR: f64 = 0.003;
const FAR: f64 = 0.01;
/// Contacts within so many skins bear forces.
const IN_FORCE: f64 = 2.0;
/// The largest turn that is asked for at once, in radians.
const LARGEST_TURN: f64 = 0.3;
/// How often in a frame nothing may move before the frame is given up.
const MOST_STALLS: u32 = 12;

impl Carriage {
    /// Nothing yet.
    pub fn new(options: CarriageOptions) -> Self {
        Self {
            options,
            bodies: Vec::new(),
            groups: Vec::new(),
            excluded: BTreeSet::new(),
            summary: Summary { contacts_least: usize::MAX, ..Default::default() },
            frames: 0,
            lost: 0.0,
            checked: false,
            near: None,
            outlook: NEAR,
        }
    }

    fn add(&mut self, rider: Rider, group: Option<usize>) -> Result<usize, SimError> {
        if !rider.pose.is_valid() {
            return Err(SimError::Pose { body: rider.name });
        }
        let radius = 0.5 * rider.model.aabb().size().length();
        self.bodies.push(Placed { rider, group, radius });
        (self.checked, self.near) = (false, None);
        Ok(self.bodies.len() - 1)
    }

    /// A body that stays; its number.
    pub fn add_fixed(&mut self, rider: Rider) -> Result<usize, SimError> {
        self.add(rider, None)
    }

    /// Bodies that move as one: the first is the leader, in whose frame the mass is told and whose poses the wanted motion
    /// gives. The number of the group.
    pub fn add_group(
        &mut self,
        members: Vec<Rider>,
        mass: MassProperties,
        wanted: Arc<dyn Motion>,
    ) -> Result<usize, SimError> {
        let name = members.first().map_or_else(String::new, |leader| leader.name.clone());
        mass.check(&name)?;
        let group = self.groups.len();
        let (leader, mut numbers) = (self.bodies.len(), Vec::new());
        for member in members {
            numbers.push(self.add(member, Some(group))?);
        }
        let Some(first) = self.bodies.get(leader) else { return Err(SimError::Pose { body: name }) };
        let center = first.rider.pose.transform_point(mass.center);
        let reach = |&k: &usize| {
            let body = &self.bodies[k];
            let middle = body.rider.pose.transform_point(body.rider.model.aabb().center());
            middle.distance(center) + body.radius
        };
        let radius = numbers.iter().map(reach).fold(0.0, f64::max);
        self.groups.push(Group { leader, members: numbers, mass, radius, wanted });
        Ok(group)
    }

    /// Let two bodies pass through each other.
    pub fn exclude(&mut self, a: usize, b: usize) {
        self.excluded.insert((a.min(b), a.max(b)));
        self.near = None;
    }

    /// Where the leader of a group stands.
    pub fn pose(&self, group: usize) -> Pose {
        self.bodies[self.groups[group].leader].rider.pose
    }

    /// The bodies, in the order in which they were added.
    pub fn riders(&self) -> impl Iterator<Item = &Rider> {
        self.bodies.iter().map(|body| &body.rider)
    }

    /// Figures so far.
    pub fn summary(&self) -> Summary {
        let time_lost = if self.frames > 0 { self.lost / self.frames as f64 } else { 0.0 };
        let contacts_least =
            if self.summary.contacts_least == usize::MAX { 0 } else { self.summary.contacts_least };
        Summary { time_lost, contacts_least, ..self.summary }
    }

    fn skin(&self, a: usize, b: usize) -> f64 {
        let sizes = [a, b].map(|k| self.bodies[k].radius).into_iter().filter(|radius| radius.is_finite());
        let size = sizes.fold(f64::INFINITY, f64::min);
        let far =
            [a, b].map(|k| self.bodies[k].rider.pose.translation.length()).into_iter().fold(0.0, f64::max);
        let size = if size.is_finite() { size } else { 0.0 };
        (self.options.skin * size).max(1e-11 * (far + size))
    }

    fn matters(&self, (a, b): (usize, usize)) -> bool {
        let (x, y) = (self.bodies[a].group, self.bodies[b].group);
        x != y && !self.excluded.contains(&(a, b))
    }

    /// Pairs of bodies that overlap now, by the exact test.
    pub fn check(&mut self) -> Vec<(usize, usize)> {
        let hit = self.overlapping();
        self.summary.penetrations += hit.len() as u64;
        hit
    }

    fn overlapping(&self) -> Vec<(usize, usize)> {
        let boxes: Vec<Aabb> =
            self.bodies.iter().map(|body| body.rider.model.aabb().moved(&body.rider.pose)).collect();
        let pairs: Vec<_> =
            proof::overlapping(&boxes).into_iter().filter(|&pair| self.matters(pair)).collect();
        let hits = proof::map(&pairs, |&(a, b)| {
            let [a, b] = [a, b].map(|k| self.bodies[k].rider.model.at(self.bodies[k].rider.pose));
            with_ask(|ask| ask.overlap(&a, &b)) != Overlap::Free
        });
        pairs.into_iter().zip(hits).filter(|(_, hit)| *hit).map(|(pair, _)| pair).collect()
    }

    /// What a group wants to do for the rest of a frame, as displacements.
    fn wanted(&self, group: &Group, (from, to): (f64, f64), rest: f64) -> Twist {
        let now = self.bodies[group.leader].rider.pose;
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

    fn inert(&self, group: &Group) -> Inert {
        let pose = self.bodies[group.leader].rider.pose;
        let turn = DMat3::from_quat(pose.rotation.normalize());
        Inert {
            inverse_mass: 1.0 / group.mass.mass,
            inverse_inertia: turn * group.mass.inertia.inverse() * turn.transpose(),
            center: pose.transform_point(group.mass.center),
        }
    }

    /// All contacts of groups within a distance of their own, by pair of bodies.
    fn contacts(&self, reaches: &[f64]) -> Found {
        let reach = |k: usize| self.bodies[k].group.map_or(0.0, |group| reaches[group]);
        let boxes: Vec<Aabb> = (0..self.bodies.len())
            .map(|k| {
                let rider = &self.bodies[k].rider;
                rider.model.aabb().moved(&rider.pose).grown(reach(k))
            })
            .collect();
        let pairs: Vec<_> =
            proof::overlapping(&boxes).into_iter().filter(|&pair| self.matters(pair)).collect();
        let found = proof::map(&pairs, |&(a, b)| {
            let within = reach(a).max(reach(b)).max(4.0 * self.skin(a, b));
            let [x, y] = [a, b].map(|k| self.bodies[k].rider.model.at(self.bodies[k].rider.pose));
            let mut contacts = Vec::new();
            let _ = with_ask(|ask| ask.contacts(&x, &y, within, &mut contacts));
            contacts
        });
        pairs.into_iter().zip(found).filter(|(_, contacts)| !contacts.is_empty()).collect()
    }

    fn refuse_overlap(&mut self) -> Result<(), SimError> {
        if self.checked {
            return Ok(());
        }
        if let Some(&(a, b)) = self.overlapping().first() {
            let [a, b] = [a, b].map(|k| self.bodies[k].rider.name.clone());
            return Err(SimError::Overlap { a, b });
        }
        self.checked = true;
        Ok(())
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
            // What stopped it may not have been looked at.
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
        let gaps = self.gaps_in_force(reaches);
        let contacts = gaps.len();
        self.summary.contacts_most = self.summary.contacts_most.max(contacts);
        if contacts > 0 {
            self.summary.contacts_least = self.summary.contacts_least.min(contacts);
        }
        let gap = gaps.into_iter().fold(f64::INFINITY, f64::min);
        Ok(FrameOutcome { used, contacts, forces, pieces, gap })
    }

    /// Do what is wanted as far as it is allowed and proven free.
    fn piece(&mut self, wanted: &[Twist]) -> Piece {
        let inerts: Vec<Inert> = self.groups.iter().map(|group| self.inert(group)).collect();
        let reach = |(group, twist): (&Group, &Twist)| {
            let way = twist.linear.length() + twist.angular.length() * group.radius;
            way.min(self.outlook * group.radius) + 4.0 * self.options.skin * group.radius
        };
        let reaches: Vec<f64> = self.groups.iter().zip(wanted).map(reach).collect();
        let suffices = |near: &Near| near.reaches.iter().zip(&reaches).all(|(known, reach)| known >= reach);
        let found = match self.near.take() {
            Some(near) if suffices(&near) => near.found,
            _ => self.contacts(&reaches),
        };
        let (constraints, of) = self.constraints(&found);
        let (twists, pushes) = self.solve(&inerts, &constraints, wanted);
        let free = self.proven(&twists, &inerts, &found);
        if free > 0.0 {
            self.accept(&twists, &inerts, free);
        }
        let pushing = of.iter().zip(pushes).filter(|(_, push)| *push > 0.0);
        let forces = pushing.map(|(&(bodies, contact), push)| Force { bodies, contact, push }).collect();
        Piece { free, forces, reaches }
    }

    /// The gaps of all contacts in force. They are looked for as far out as the next frame is likely to look, which then
    /// begins with them.
    fn gaps_in_force(&mut self, reaches: Vec<f64>) -> Vec<f64> {
        let least = |group: &Group| IN_FORCE * self.options.skin * group.radius;
        let reaches: Vec<f64> = if reaches.is_empty() {
            self.groups.iter().map(least).collect()
        } else {
            reaches.iter().zip(&self.groups).map(|(reach, group)| (1.01 * reach).max(least(group))).collect()
        };
        let found = self.contacts(&reaches);
        let gaps = |((a, b), list): &((usize, usize), Vec<FeatureContact>)| {
            let most = IN_FORCE * self.skin(*a, *b);
            list.iter().map(|contact| contact.gap).filter(|&gap| gap <= most).collect::<Vec<f64>>()
        };
        let gaps = found.iter().flat_map(gaps).collect();
        self.near = Some(Near { reaches, found });
        gaps
    }

    fn constraints(&self, found: &Found) -> (Vec<Constraint>, Vec<([usize; 2], FeatureContact)>) {
        let (mut constraints, mut of) = (Vec::new(), Vec::new());
        for ((a, b), contacts) in found {
            let skin = self.skin(*a, *b);
            for contact in contacts {
                constraints.push(Constraint {
                    bodies: [*a, *b].map(|k| self.bodies[k].group),
                    points: [contact.on_a.point, contact.on_b.point],
                    normal: contact.normal,
                    least: skin - contact.gap,
                    friction: self.options.friction,
                    given: DVec3::ZERO,
                });
                of.push(([*a, *b], *contact));
            }
        }
        (constraints, of)
    }

    fn solve(
        &mut self,
        inerts: &[Inert],
        constraints: &[Constraint],
        wanted: &[Twist],
    ) -> (Vec<Twist>, Vec<f64>) {
        if self.options.friction > 0.0 {
            let scale =
                wanted.iter().map(|twist| twist.linear.length() + twist.angular.length()).sum::<f64>();
            let (mut twists, mut impulses) = (wanted.to_vec(), vec![DVec3::ZERO; constraints.len()]);
            let left = gauss_seidel(inerts, constraints, &mut twists, &mut impulses, 2000, 1e-12 * scale);
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

    fn motion(&self, body: usize, twists: &[Twist], inerts: &[Inert]) -> Arc<dyn Motion> {
        let Placed { rider, group, .. } = &self.bodies[body];
        match group {
            Some(group) if twists[*group] != Twist::default() => {
                let pivot = rider.pose.inverse().transform_point(inerts[*group].center);
                let Twist { linear, angular } = twists[*group];
                Arc::new(RigidMotion::with_velocities(&rider.pose, linear, angular, pivot))
            }
            _ => Arc::new(Still(rider.pose)),
        }
    }

    /// How much of the displacements is proven free.
    fn proven(&mut self, twists: &[Twist], inerts: &[Inert], found: &Found) -> f64 {
        if twists.iter().any(|twist| !(twist.linear.is_finite() && twist.angular.is_finite())) {
            return 0.0;
        }
        let motions: Vec<Arc<dyn Motion>> =
            (0..self.bodies.len()).map(|k| self.motion(k, twists, inerts)).collect();
        let moves = |k: usize| self.bodies[k].group.is_some_and(|group| twists[group] != Twist::default());
        let boxes: Vec<Aabb> = (0..self.bodies.len())
            .map(|k| {
                let Placed { rider, radius, .. } = &self.bodies[k];
                let skin = 2.0 * self.options.skin * radius;
                let skin = if skin.is_finite() { skin } else { 0.0 };
                if moves(k) {
                    rider.model.moving(&*motions[k]).swept_box((0.0, 1.0), SweptBox::Both).grown(skin)
                } else {
                    rider.model.aabb().moved(&rider.pose).grown(skin)
                }
            })
            .collect();
        let near = |&(a, b): &(usize, usize)| self.matters((a, b)) && (moves(a) || moves(b));
        let pairs: Vec<_> = proof::overlapping(&boxes).into_iter().filter(near).collect();
        let least = |list: &[FeatureContact]| list.iter().map(|c| c.gap).fold(f64::INFINITY, f64::min);
        let gaps: HashMap<(usize, usize), f64> =
            found.iter().map(|(pair, list)| (*pair, least(list))).collect();
        self.summary.proofs += pairs.len() as u64;
        let free = proof::map(&pairs, |&(a, b)| {
            let skin = self.skin(a, b);
            let [x, y] = [a, b].map(|k| (&self.bodies[k].rider.model, &*motions[k]));
            free_until(x, y, gaps.get(&(a, b)).copied(), skin)
        });
        free.into_iter().fold(1.0, f64::min)
    }

    fn accept(&mut self, twists: &[Twist], inerts: &[Inert], share: f64) {
        let poses: Vec<Pose> =
            (0..self.bodies.len()).map(|k| self.motion(k, twists, inerts).pose(share)).collect();
        for (body, pose) in self.bodies.iter_mut().zip(poses) {
            if body.group.is_some() {
                body.rider.pose = pose;
            }
        }
    }

    /// How far a group is from where it is wanted at a time: of its centre, and in radians.
    pub fn behind(&self, group: usize, time: f64) -> (f64, f64) {
        let Group { leader, mass, wanted, .. } = &self.groups[group];
        let (now, goal) = (self.bodies[*leader].rider.pose, wanted.pose(time));
        let turn = rotation::log(goal.rotation.normalize() * now.rotation.normalize().conjugate());
        (goal.transform_point(mass.center).distance(now.transform_point(mass.center)), turn.length())
    }

    /// How many members a group has.
    pub fn members(&self, group: usize) -> &[usize] {
        &self.groups[group].members
    }
}
