//! Groups of bodies, what they are asked to do, and the world they are in.

use crate::error::SimError;
use crate::mass::MassProperties;
use crate::summary::Summary;
use noli::contacts::FeatureContact;
use noli::motion::Motion;
use noli::world::{BodyId, BodySelector, WorldError};
use noli::{Budget, Model, Pose, World};
use noli_geom::rotation;
use std::sync::Arc;

/// Options of contact simulation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GuidedContactOptions {
    /// Distance that bodies keep, as a share of the smaller one's radius.
    pub skin: f64,
    /// Coulomb's coefficient.
    pub friction: f64,
    /// Maximum number of motion segments in a frame.
    pub pieces: u32,
    /// `true` if a group follows the desired pose. Otherwise it performs the frame's desired motion from its
    /// current pose, and displacements by contact remain.
    pub follows_pose: bool,
}

impl Default for GuidedContactOptions {
    fn default() -> Self {
        Self { skin: 1e-4, friction: 0.0, pieces: 400, follows_pose: true }
    }
}

#[derive(Clone, Debug)]
pub(super) struct Group {
    pub(super) leader: BodyId,
    members: Vec<BodyId>,
    /// In the leader's frame.
    pub(super) mass: MassProperties,
    pub(super) radius: f64,
    pub(super) wanted: Arc<dyn Motion>,
}

/// A force that a contact bears.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Force {
    /// A and B.
    pub bodies: [BodyId; 2],
    /// The contact.
    pub contact: FeatureContact,
    /// Mass times displacement in the frame, on B along the normal: divide by the square of the frame's time for a force.
    pub push: f64,
}

/// Result of a frame.
#[derive(Clone, Debug, PartialEq)]
pub struct FrameOutcome {
    /// Share of the frame moved as contact allows; the rest could not be proven.
    pub used: f64,
    /// Contacts in force at its end.
    pub contacts: usize,
    /// Contact forces.
    pub forces: Vec<Force>,
    /// Number of motion segments that were proven and performed.
    pub pieces: u32,
    /// The smallest clearance of the contacts in force at the end; infinite where there are none.
    pub clearance: f64,
}

/// Groups of bodies that follow wanted motions among bodies that stay.
///
/// ```
/// use noli::motion::RigidMotion;
/// use noli::{Mesh, Model, Pose};
/// use noli_sim::{GuidedContact, GuidedContactOptions, MassProperties};
/// use glam::{DMat3, DVec3};
/// use std::sync::Arc;
/// let cube = Model::new(Mesh::cuboid(DVec3::ONE)?.into_solid())?;
/// let floor = Model::new(Mesh::cuboid(DVec3::new(20.0, 20.0, 1.0))?.into_solid())?;
/// let at = |z: f64| Pose::from_translation(DVec3::Z * z);
/// let mut carriage = GuidedContact::new(GuidedContactOptions::default());
/// carriage.add("floor", &floor, at(-0.5))?;
/// let cube = carriage.add("cube", &cube, at(0.6))?;
/// // Forward, and down into the floor.
/// let wanted = RigidMotion::with_velocities(&at(0.6), DVec3::new(4.0, 0.0, -1.0), DVec3::ZERO, DVec3::ZERO);
/// let mass = MassProperties { mass: 1.0, center: DVec3::ZERO, inertia: DMat3::IDENTITY / 6.0 };
/// let group = carriage.add_group(&[cube], mass, Arc::new(wanted))?;
/// for frame in 0..10 {
///     carriage.frame(f64::from(frame) / 10.0, f64::from(frame + 1) / 10.0)?;
/// }
/// let end = carriage.pose(group).translation;
/// assert!((end.x - 4.0).abs() < 1e-9 && end.z > 0.5 && end.z < 0.501);
/// assert_eq!(carriage.summary().time_lost, 0.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct GuidedContact {
    pub(super) options: GuidedContactOptions,
    /// Bodies are in one of its groups for each of ours, or in that of those that stay; pairs within are disabled.
    pub(super) world: World,
    pub(super) groups: Vec<Group>,
    /// By slot of the world; `None` for what stays.
    group_of: Vec<Option<usize>>,
    pub(super) summary: Summary,
    pub(super) frames: u64,
    pub(super) lost: f64,
    checked: bool,
    pub(super) near: Option<Near>,
    /// Maximum search distance for contacts, as a share of a group's radius.
    pub(super) outlook: f64,
}

/// All contacts of pairs of bodies at their current poses.
pub(super) type Found = Vec<([BodyId; 2], Vec<FeatureContact>)>;

/// Contacts found within these distances of groups.
#[derive(Debug)]
pub(super) struct Near {
    pub(super) reaches: Vec<f64>,
    pub(super) found: Found,
}

/// Search distance for contacts. Sliding bodies approach each other by far less than they move; bodies
/// stopped by undetected obstacles search further.
pub(super) const NEAR: f64 = 0.003;

/// The group, in the world, of bodies that stay.
const FIXED: &str = "fixed";

/// Half the diagonal of a model's bounding box.
pub(super) fn radius(model: &Model) -> f64 {
    0.5 * model.aabb().size().length()
}

impl GuidedContact {
    /// Nothing yet.
    pub fn new(options: GuidedContactOptions) -> Self {
        let mut world = World::default();
        world.rules_mut().set_within_groups(false);
        Self {
            options,
            world,
            groups: Vec::new(),
            group_of: Vec::new(),
            summary: Summary { contacts_least: usize::MAX, ..Default::default() },
            frames: 0,
            lost: 0.0,
            checked: false,
            near: None,
            outlook: NEAR,
        }
    }

    /// A body; it stays unless it is put into a group.
    pub fn add(&mut self, name: &str, model: &Model, pose: Pose) -> Result<BodyId, SimError> {
        let id = self.world.add(name, model, pose).map_err(|_| SimError::Pose { body: name.to_owned() })?;
        self.world.set_group(id, FIXED)?;
        self.group_of.push(None);
        self.changed();
        Ok(id)
    }

    /// Adds bodies that move as one and returns the number of the group. The first is the leader: the mass is
    /// given in its frame, and the desired motion gives its poses.
    pub fn add_group(
        &mut self,
        members: &[BodyId],
        mass: MassProperties,
        wanted: Arc<dyn Motion>,
    ) -> Result<usize, SimError> {
        let Some(&leader) = members.first() else { return Err(SimError::Pose { body: String::new() }) };
        mass.check(self.world.body(leader)?.name())?;
        let group = self.groups.len();
        for &id in members {
            self.world.body(id)?;
            if self.group(id).is_some() {
                return Err(WorldError::MovedTwice(id).into());
            }
        }
        let center = self.world[leader].pose().transform_point(mass.center);
        let reach = |&id: &BodyId| {
            let (model, pose) = (self.world[id].model(), self.world[id].pose());
            pose.transform_point(model.aabb().center()).distance(center) + radius(model)
        };
        let radius = members.iter().map(reach).fold(0.0, f64::max);
        for &id in members {
            self.world.set_group(id, format!("group {group}"))?;
            self.group_of[id.index() as usize] = Some(group);
        }
        self.groups.push(Group { leader, members: members.to_vec(), mass, radius, wanted });
        self.changed();
        Ok(group)
    }

    /// Discards the findings about bodies that have moved.
    fn changed(&mut self) {
        (self.checked, self.near) = (false, None);
    }

    /// The group of a body; `None` for what stays.
    pub(super) fn group(&self, id: BodyId) -> Option<usize> {
        self.group_of[id.index() as usize]
    }

    /// Let two bodies pass through each other.
    pub fn exclude(&mut self, a: BodyId, b: BodyId) {
        self.world.rules_mut().set([BodySelector::Body(a), BodySelector::Body(b)], false);
        self.near = None;
    }

    /// The bodies where they stand, and which pairs of them matter.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// Returns the pose of the leader of a group.
    pub fn pose(&self, group: usize) -> Pose {
        self.world[self.groups[group].leader].pose()
    }

    /// Figures so far.
    pub fn summary(&self) -> Summary {
        let time_lost = if self.frames > 0 { self.lost / self.frames as f64 } else { 0.0 };
        let contacts_least =
            if self.summary.contacts_least == usize::MAX { 0 } else { self.summary.contacts_least };
        Summary { time_lost, contacts_least, ..self.summary }
    }

    pub(super) fn skin(&self, pair: [BodyId; 2]) -> f64 {
        let bodies = pair.map(|id| &self.world[id]);
        let sizes = bodies.map(|body| radius(body.model())).into_iter().filter(|radius| radius.is_finite());
        let size = sizes.fold(f64::INFINITY, f64::min);
        let far = bodies.map(|body| body.pose().translation.length()).into_iter().fold(0.0, f64::max);
        let size = if size.is_finite() { size } else { 0.0 };
        (self.options.skin * size).max(1e-11 * (far + size))
    }

    /// Pairs of bodies that overlap now, by the exact test.
    pub fn check(&mut self) -> Vec<[BodyId; 2]> {
        let hit = self.overlapping();
        self.summary.penetrations += hit.len() as u64;
        hit
    }

    fn overlapping(&mut self) -> Vec<[BodyId; 2]> {
        self.world.touching(&Budget::default()).into_iter().map(|(pair, _)| pair).collect()
    }

    pub(super) fn refuse_overlap(&mut self) -> Result<(), SimError> {
        if self.checked {
            return Ok(());
        }
        if let Some(&pair) = self.overlapping().first() {
            let [a, b] = pair.map(|id| self.world[id].name().to_owned());
            return Err(SimError::Overlap { a, b });
        }
        self.checked = true;
        Ok(())
    }

    /// Returns the deviation of a group from its desired pose at a time: of its centre, and in radians.
    pub fn tracking_error(&self, group: usize, time: f64) -> (f64, f64) {
        let Group { leader, mass, wanted, .. } = &self.groups[group];
        let (now, goal) = (self.world[*leader].pose(), wanted.pose(time));
        let turn = rotation::log(goal.rotation.normalize() * now.rotation.normalize().conjugate());
        (goal.transform_point(mass.center).distance(now.transform_point(mass.center)), turn.length())
    }

    /// The bodies of a group, the leader first.
    pub fn members(&self, group: usize) -> &[BodyId] {
        &self.groups[group].members
    }
}
