//! The robot itself: a tree of links and joints, and the variables that move it.
//!
//! Every joint is a sequence of elementary steps, each with at most one variable. A step is a fixed offset, a
//! rotation about one axis, or a translation along one. A planar joint is two translations and a rotation, a
//! floating one three translations and three rotations. Kinematics, derivatives and bounds on motion therefore
//! handle only two kinds of motion.

mod checks;
mod parts;
mod tip;

pub use parts::{
    Configuration, Inertial, Joint, JointAxisKind, JointKind, Limits, Link, Mimic, MimicRelation, Parts,
    Variable,
};

use crate::geometry::{Geometry, LinkShape, LoadError};
use crate::message::suggestion;
use crate::{ConfigurationError, RobotError};
use checks::{
    JointLaw, check_counts, check_joints, check_link, find_ends, find_laws, find_parents, number_links, order,
};
use glam::{DMat3, DQuat, DVec3};
use noli_geom::{Mesh, Pose};

/// One elementary step of a joint: a fixed offset, then a turn or a slide.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// Rotation of the offset, of unit length: x, y, z, w.
    pub fixed: [f64; 4],
    /// For a turn, the offset's rotation times the axis as a quaternion, so that the step's rotation is
    /// `fixed·cos(q/2) + turned·sin(q/2)`.
    pub turned: [f64; 4],
    /// Translation of the offset.
    pub shift: [f64; 3],
    /// For a slide, the direction as the parent sees it.
    pub along: [f64; 3],
    /// The rotation of the offset as a matrix.
    pub fixed_matrix: DMat3,
    /// For both, the axis in the frame of the joint; of unit length.
    pub axis: DVec3,
    /// The variable that moves it; `None` if it is fixed.
    pub variable: Option<(JointAxisKind, u32)>,
}

/// The steps from a link to its child.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limb {
    /// Parent link.
    pub parent: u32,
    /// The link behind it.
    pub child: u32,
    /// Its steps among those of the robot: the first, and the one behind the last.
    pub steps: [u32; 2],
}

/// A robot: links joined to a tree.
///
/// ```
/// use noli_robot::{Joint, JointKind, Limits, Link, Parts, Robot};
/// let mut elbow = Joint::new("elbow", JointKind::Revolute, "upper", "lower");
/// elbow.limits.range = Some([0.0, 2.5]);
/// elbow.parent_from_joint.translation.x = 0.3;
/// let links = vec![Link::named("upper"), Link::named("lower")];
/// let parts = Parts { name: "arm".into(), links, joints: vec![elbow] };
/// let arm = Robot::new(parts)?;
/// let bent = arm.configuration(&[("elbow", 1.0)])?;
/// let mut poses = vec![noli_geom::Pose::IDENTITY; arm.links().len()];
/// arm.link_poses(&bent.0, &mut poses);
/// assert_eq!(poses[1].translation.x, 0.3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Robot {
    name: String,
    links: Vec<Link>,
    joints: Vec<Joint>,
    variables: Vec<Variable>,
    root: usize,
    /// Parents before children.
    limbs: Vec<Limb>,
    steps: Vec<Step>,
    /// The limb of each link.
    limb_of: Vec<Option<u32>>,
    /// For each link its joint's number, for each joint its links.
    joint_of: Vec<Option<u32>>,
    ends: Vec<[u32; 2]>,
}

impl Robot {
    /// Assembles the parts, or returns the reason that they are invalid. Axes are normalized to length 1.
    pub fn new(parts: Parts) -> Result<Self, RobotError> {
        let Parts { name, links, mut joints } = parts;
        check_counts(&links, &joints)?;
        let numbers = number_links(&links)?;
        links.iter().try_for_each(check_link)?;
        let joint_names = check_joints(&mut joints)?;
        let ends = find_ends(&joints, &links, &numbers)?;
        let joint_of = find_parents(&joints, &links, &ends)?;
        let (root, order) = order(&links, &joints, &ends, &joint_of)?;
        let laws = find_laws(&joints, &joint_names)?;
        let mut robot = Self {
            name,
            limb_of: vec![None; links.len()],
            links,
            joints,
            variables: Vec::new(),
            root,
            limbs: Vec::new(),
            steps: Vec::new(),
            joint_of,
            ends,
        };
        robot.number_variables(&laws);
        for joint in order {
            robot.add_limb(joint);
        }
        Ok(robot)
    }

    fn number_variables(&mut self, laws: &[Option<JointLaw>]) {
        let mut first = Vec::with_capacity(self.joints.len());
        for (number, joint) in self.joints.iter().enumerate() {
            first.push(self.variables.len());
            for &(suffix, movement) in variables_of(joint.kind) {
                let name = joint.name.clone() + suffix;
                let (limits, mimic) = (joint.limits, None);
                self.variables.push(Variable { name, joint: number, movement, limits, mimic });
            }
        }
        for (joint, law) in laws.iter().enumerate() {
            if let &Some((of, multiplier, offset)) = law {
                self.variables[first[joint]].mimic =
                    Some(MimicRelation { of: first[of], multiplier, offset });
            }
        }
    }

    fn add_limb(&mut self, number: usize) {
        let joint = &self.joints[number];
        let [parent, child] = self.ends[number];
        let first = self.steps.len() as u32;
        let variable = self.variables.partition_point(|variable| variable.joint < number) as u32;
        let origin = joint.parent_from_joint;
        let (turn, slide) = (JointAxisKind::Turn, JointAxisKind::Slide);
        let axes: Vec<(JointAxisKind, DVec3)> = match joint.kind {
            JointKind::Fixed => vec![],
            JointKind::Revolute | JointKind::Continuous => vec![(turn, joint.axis)],
            JointKind::Prismatic => vec![(slide, joint.axis)],
            JointKind::Planar => {
                let [x, y] = across(joint.axis);
                vec![(slide, x), (slide, y), (turn, joint.axis)]
            }
            JointKind::Floating => vec![
                (slide, DVec3::X),
                (slide, DVec3::Y),
                (slide, DVec3::Z),
                (turn, DVec3::Z),
                (turn, DVec3::Y),
                (turn, DVec3::X),
            ],
        };
        if axes.is_empty() {
            self.steps.push(Step::new(&origin, DVec3::Z, None));
        }
        for (k, &(movement, axis)) in axes.iter().enumerate() {
            let offset = if k == 0 { origin } else { Pose::IDENTITY };
            self.steps.push(Step::new(&offset, axis, Some((movement, variable + k as u32))));
        }
        if joint.joint_from_child != Pose::IDENTITY {
            self.steps.push(Step::new(&joint.joint_from_child, DVec3::Z, None));
        }
        self.limb_of[child as usize] = Some(self.limbs.len() as u32);
        self.limbs.push(Limb { parent, child, steps: [first, self.steps.len() as u32] });
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its links, in the order given.
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// Its joints, in the order given.
    pub fn joints(&self) -> &[Joint] {
        &self.joints
    }

    /// Returns the variables of a configuration: those of all joints, in the order of the joints.
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// Returns the number of the link without a parent.
    pub fn root(&self) -> usize {
        self.root
    }

    /// The number of a link.
    pub fn link(&self, name: &str) -> Option<usize> {
        self.links.iter().position(|link| link.name == name)
    }

    /// The number of a joint.
    pub fn joint(&self, name: &str) -> Option<usize> {
        self.joints.iter().position(|joint| joint.name == name)
    }

    /// The number of a variable.
    pub fn variable(&self, name: &str) -> Option<usize> {
        self.variables.iter().position(|variable| variable.name == name)
    }

    /// Returns the parent joint of a link; `None` for the root.
    pub fn joint_of_link(&self, link: usize) -> Option<usize> {
        self.joint_of[link].map(|joint| joint as usize)
    }

    /// The numbers of the links a joint joins: parent, child.
    pub fn ends(&self, joint: usize) -> [usize; 2] {
        self.ends[joint].map(|link| link as usize)
    }

    /// The joints from the root to a link.
    pub fn joints_to(&self, link: usize) -> Vec<usize> {
        let mut joints = Vec::new();
        let mut at = link;
        while let Some(joint) = self.joint_of_link(at) {
            joints.push(joint);
            at = self.ends(joint)[0];
        }
        joints.reverse();
        joints
    }

    /// Links with a parent, parents before children.
    pub fn limbs(&self) -> &[Limb] {
        &self.limbs
    }

    /// The elementary steps of a limb, in order.
    pub fn steps(&self, limb: &Limb) -> &[Step] {
        &self.steps[limb.steps[0] as usize..limb.steps[1] as usize]
    }

    /// The number of the limb that leads to a link; `None` for the root.
    pub(crate) fn limb_number(&self, link: usize) -> Option<usize> {
        self.limb_of[link].map(|limb| limb as usize)
    }

    pub(crate) fn limb_of(&self, link: usize) -> Option<&Limb> {
        self.limb_number(link).map(|limb| &self.limbs[limb])
    }

    /// All variables 0, those that follow others by their law.
    pub fn zero(&self) -> Configuration {
        let mut values = vec![0.0; self.variables.len()];
        self.apply_laws(&mut values);
        Configuration(values)
    }

    /// All variables as near to 0 as their limits allow, those that follow others by their law.
    pub fn neutral(&self) -> Configuration {
        let clamped = |v: &Variable| v.limits.range.map_or(0.0, |[lower, upper]| 0f64.clamp(lower, upper));
        let mut values: Vec<_> = self.variables.iter().map(clamped).collect();
        self.apply_laws(&mut values);
        Configuration(values)
    }

    /// Gives every variable that follows another the value its law demands.
    pub fn apply_laws(&self, values: &mut [f64]) {
        for (number, variable) in self.variables.iter().enumerate() {
            if let Some(law) = variable.mimic {
                values[number] = law.multiplier * values[law.of] + law.offset;
            }
        }
    }

    /// Values by name, all others 0. What follows another does so unless it is given a value of its own.
    pub fn configuration(&self, values: &[(&str, f64)]) -> Result<Configuration, ConfigurationError> {
        let mut all = vec![0.0; self.variables.len()];
        let mut own = vec![false; self.variables.len()];
        for &(name, value) in values {
            let Some(number) = self.variable(name) else {
                let hint = suggestion(name, self.variables.iter().map(|variable| variable.name.as_str()));
                return Err(ConfigurationError::NoSuchVariable { name: name.to_owned(), hint });
            };
            (all[number], own[number]) = (value, true);
        }
        for (number, variable) in self.variables.iter().enumerate() {
            if let Some(law) = variable.mimic.filter(|_| !own[number]) {
                all[number] = law.multiplier * all[law.of] + law.offset;
            }
        }
        self.check_values(&all)?;
        Ok(Configuration(all))
    }

    /// Rejects invalid configurations: another number of values, NaN, angles beyond [`MAX_ANGLE`](crate::MAX_ANGLE).
    pub fn check_values(&self, values: &[f64]) -> Result<(), ConfigurationError> {
        let (found, wanted) = (values.len(), self.variables.len());
        if found != wanted {
            return Err(ConfigurationError::Count { found, wanted });
        }
        for (variable, &value) in self.variables.iter().zip(values) {
            if value.is_nan() || value.abs() > variable.movement.largest_value() {
                return Err(ConfigurationError::NotAValue { variable: variable.name.clone(), value });
            }
        }
        Ok(())
    }

    /// Rejects invalid configurations and those beyond the limits.
    pub fn check_limits(&self, values: &[f64]) -> Result<(), ConfigurationError> {
        self.check_values(values)?;
        for (variable, &value) in self.variables.iter().zip(values) {
            if let Some(range) = variable.limits.range
                && !(range[0] <= value && value <= range[1])
            {
                let variable = variable.name.clone();
                return Err(ConfigurationError::BeyondLimits { variable, value, range });
            }
        }
        Ok(())
    }

    /// The collision shapes of all links, meshes by a loader that is given the file as the text names it.
    pub fn shapes<E>(
        &self,
        load: impl FnMut(&str) -> Result<Mesh, E>,
    ) -> Result<Vec<LinkShape>, LoadError<E>> {
        self.shapes_of(false, load)
    }

    /// The same, with the visual geometry of links that have no collision geometry.
    pub fn shapes_or_visual<E>(
        &self,
        load: impl FnMut(&str) -> Result<Mesh, E>,
    ) -> Result<Vec<LinkShape>, LoadError<E>> {
        self.shapes_of(true, load)
    }

    fn shapes_of<E>(
        &self,
        visual: bool,
        mut load: impl FnMut(&str) -> Result<Mesh, E>,
    ) -> Result<Vec<LinkShape>, LoadError<E>> {
        let mut shapes = Vec::new();
        for (number, link) in self.links.iter().enumerate() {
            let source = link.collides_by(visual);
            for (piece, geometry) in link.geometry(source).iter().enumerate() {
                let solid = geometry.solid(&mut load)?;
                let link_from_shape = geometry.link_from_shape;
                shapes.push(LinkShape { link: number, source, piece, link_from_shape, solid });
            }
        }
        Ok(shapes)
    }

    /// Returns the element of the description that a shape was made of.
    ///
    /// # Panics
    ///
    /// If the shape is of another robot.
    pub fn geometry_of(&self, shape: &LinkShape) -> &Geometry {
        &self.links[shape.link].geometry(shape.source)[shape.piece]
    }

    /// The parts it was made of.
    pub fn into_parts(self) -> Parts {
        Parts { name: self.name, links: self.links, joints: self.joints }
    }
}

impl Step {
    fn new(offset: &Pose, axis: DVec3, variable: Option<(JointAxisKind, u32)>) -> Self {
        // Scaled first: squares of any valid quaternion's components then neither overflow nor vanish.
        let largest = offset.rotation.to_array().into_iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        let rotation = (offset.rotation / largest).normalize();
        let turned = rotation * DQuat::from_xyzw(axis.x, axis.y, axis.z, 0.0);
        let along = Pose::from_rotation(rotation).transform_vector(axis);
        Self {
            fixed: rotation.to_array(),
            turned: turned.to_array(),
            shift: offset.translation.to_array(),
            along: along.to_array(),
            fixed_matrix: Pose::from_rotation(rotation).rotation_matrix(),
            axis,
            variable,
        }
    }
}

/// Two directions square to an axis and to each other: for z, those are x and y.
fn across(axis: DVec3) -> [DVec3; 2] {
    if axis.z.abs() > 0.9 {
        let x = (DVec3::X - axis * axis.x).normalize();
        return [x, axis.cross(x)];
    }
    let y = axis.cross(DVec3::Z).normalize();
    [y, axis.cross(y)]
}

fn variables_of(kind: JointKind) -> &'static [(&'static str, JointAxisKind)] {
    use JointAxisKind::{Slide, Turn};
    match kind {
        JointKind::Fixed => &[],
        JointKind::Revolute | JointKind::Continuous => &[("", Turn)],
        JointKind::Prismatic => &[("", Slide)],
        JointKind::Planar => &[("/x", Slide), ("/y", Slide), ("/theta", Turn)],
        JointKind::Floating => {
            &[("/x", Slide), ("/y", Slide), ("/z", Slide), ("/yaw", Turn), ("/pitch", Turn), ("/roll", Turn)]
        }
    }
}
