//! The robot itself: links joined to a tree, and the variables that move it.
//!
//! Every joint is a row of elementary steps (a fixed offset, a turn about one axis, a slide along one), each
//! with at most one variable. A planar joint is two slides and a turn, a floating one three slides and three
//! turns, so kinematics, derivatives and bounds on motion know two kinds of movement only.

use crate::error::suggestion;
use crate::geometry::{Geometry, GeometrySource, LinkShape, LoadError, MAX_LENGTH, check_pose};
use crate::{Fault, MAX_ANGLE, Place, RobotError};
use glam::{DMat3, DQuat, DVec3};
use noli_geom::{Mesh, Pose};
use std::collections::HashMap;

/// More links than any robot has; bounds memory whatever a text claims.
const MAX_LINKS: usize = 100_000;

/// A rigid part of a robot.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// Its name.
    pub name: String,
    /// What it weighs; `None` if not stated.
    pub inertial: Option<Inertial>,
    /// What it looks like.
    pub visual: Vec<Geometry>,
    /// What stands for it in collisions.
    pub collision: Vec<Geometry>,
    /// Where the text says so.
    pub place: Option<Place>,
}

impl Link {
    /// A link that has a name only.
    pub fn named(name: impl Into<String>) -> Self {
        Self { name: name.into(), inertial: None, visual: Vec::new(), collision: Vec::new(), place: None }
    }

    /// The geometry to check: that for collisions, or else what is to be seen, and which of them it is.
    pub fn geometry(&self) -> (GeometrySource, &[Geometry]) {
        if !self.collision.is_empty() {
            (GeometrySource::Collision, &self.collision)
        } else if !self.visual.is_empty() {
            (GeometrySource::Visual, &self.visual)
        } else {
            (GeometrySource::Nothing, &[])
        }
    }
}

/// The mass of a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inertial {
    /// In kilograms.
    pub mass: f64,
    /// Where its centre is, and how the axes of `inertia` stand.
    pub link_from_center: Pose,
    /// The tensor about the centre, in kg m².
    pub inertia: DMat3,
}

/// How a joint moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JointKind {
    /// Not at all.
    Fixed,
    /// A turn within limits.
    Revolute,
    /// A turn without limits.
    Continuous,
    /// A slide within limits.
    Prismatic,
    /// Two slides square to the axis and a turn about it: `NAME/x`, `NAME/y`, `NAME/theta`.
    Planar,
    /// Three slides, then turns about z, y and x: `NAME/x`, `NAME/y`, `NAME/z`, `NAME/yaw`, `NAME/pitch`,
    /// `NAME/roll`.
    Floating,
}

impl JointKind {
    /// The word for it in URDF.
    pub fn word(self) -> &'static str {
        match self {
            Self::Fixed => "fixed",
            Self::Revolute => "revolute",
            Self::Continuous => "continuous",
            Self::Prismatic => "prismatic",
            Self::Planar => "planar",
            Self::Floating => "floating",
        }
    }
}

/// How far and how fast a joint goes, in radians or metres and seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Limits {
    /// From where to where; `None` if it goes on for ever.
    pub range: Option<[f64; 2]>,
    /// Largest speed; `None` if not stated.
    pub velocity: Option<f64>,
    /// Largest acceleration; `None` if not stated.
    pub acceleration: Option<f64>,
    /// Largest force or torque; `None` if not stated.
    pub effort: Option<f64>,
}

/// A joint that follows another: its value is `multiplier · value of the other + offset`.
#[derive(Clone, Debug, PartialEq)]
pub struct Mimic {
    /// The joint it follows.
    pub joint: String,
    /// The factor.
    pub multiplier: f64,
    /// What is added.
    pub offset: f64,
}

/// Joins a link to its parent.
///
/// The child's frame is `parent_from_joint · movement · joint_from_child`, the movement about or along `axis`
/// through the joint's origin. URDF has no `joint_from_child`; the rows of Denavit and Hartenberg have.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// Its name.
    pub name: String,
    /// How it moves.
    pub kind: JointKind,
    /// The link it hangs on.
    pub parent: String,
    /// The link that hangs on it.
    pub child: String,
    /// Where it stands on its parent.
    pub parent_from_joint: Pose,
    /// Where the child stands on what moves.
    pub joint_from_child: Pose,
    /// Direction in the joint's frame; of any length but 0.
    pub axis: DVec3,
    /// How far and how fast.
    pub limits: Limits,
    /// What it follows, if it does not move by itself.
    pub mimic: Option<Mimic>,
    /// Where the text says so.
    pub place: Option<Place>,
}

impl Joint {
    /// A joint about or along z at the parent's origin, without limits.
    pub fn new(
        name: impl Into<String>,
        kind: JointKind,
        parent: impl Into<String>,
        child: impl Into<String>,
    ) -> Self {
        Self {
            name: name.into(),
            kind,
            parent: parent.into(),
            child: child.into(),
            parent_from_joint: Pose::IDENTITY,
            joint_from_child: Pose::IDENTITY,
            axis: DVec3::Z,
            limits: Limits::default(),
            mimic: None,
            place: None,
        }
    }
}

/// What a robot is made of, before anybody has looked whether it is one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parts {
    /// The robot's name.
    pub name: String,
    /// Its links.
    pub links: Vec<Link>,
    /// Its joints.
    pub joints: Vec<Joint>,
}

/// What a variable does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Movement {
    /// Turns; its unit is the radian.
    Turn,
    /// Slides; its unit is the metre.
    Slide,
}

/// The law of a variable that follows another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Law {
    /// The variable it follows, which follows none.
    pub of: usize,
    /// The factor.
    pub multiplier: f64,
    /// What is added.
    pub offset: f64,
}

/// One number of a configuration.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// Its name: that of its joint, or `JOINT/x` and the like where a joint has several.
    pub name: String,
    /// The number of its joint.
    pub joint: usize,
    /// Turn or slide.
    pub movement: Movement,
    /// How far and how fast.
    pub limits: Limits,
    /// What it follows; `None` if it moves by itself.
    pub mimic: Option<Law>,
}

/// The values of all variables of a robot, those that follow others included, in the order of
/// [`Robot::variables`]: radians and metres.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Configuration(pub Vec<f64>);

/// Why values are no configuration of a robot, or one it cannot take.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ConfigurationError {
    /// Another number of values than the robot has variables.
    #[error("{found} values for {wanted} variables")]
    Count {
        /// How many there are.
        found: usize,
        /// How many there should be.
        wanted: usize,
    },
    /// A name that no variable has.
    #[error("there is no variable `{name}`{hint}")]
    NoSuchVariable {
        /// The name.
        name: String,
        /// The nearest name there is, as the end of the sentence; may be empty.
        hint: String,
    },
    /// A value that is not finite, or an angle of more than five million turns.
    #[error("`{variable}` is {value}; give a finite number, and for an angle at most {MAX_ANGLE}")]
    NotAValue {
        /// The variable.
        variable: String,
        /// The value.
        value: f64,
    },
    /// A value beyond its limits.
    #[error("`{variable}` is {value}, beyond its limits from {lower} to {upper}",
        lower = range[0], upper = range[1])]
    BeyondLimits {
        /// The variable.
        variable: String,
        /// The value.
        value: f64,
        /// Its limits.
        range: [f64; 2],
    },
}

/// One elementary step of a joint: a fixed offset, then a turn or a slide.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Step {
    /// Rotation of the offset, of unit length: x, y, z, w.
    pub(crate) fixed: [f64; 4],
    /// For a turn, the offset's rotation times the axis as a quaternion, so that the step's rotation is
    /// `fixed·cos(q/2) + turned·sin(q/2)`.
    pub(crate) turned: [f64; 4],
    /// Translation of the offset.
    pub(crate) shift: [f64; 3],
    /// For a slide, the direction as the parent sees it.
    pub(crate) along: [f64; 3],
    /// The rotation of the offset as a matrix.
    pub(crate) fixed_matrix: DMat3,
    /// For both, the axis in the frame of the joint; of unit length.
    pub(crate) axis: DVec3,
    /// What moves it; `None` if it is fixed.
    pub(crate) variable: Option<(Movement, u32)>,
}

/// The steps from a link to its child.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Limb {
    pub(crate) parent: u32,
    pub(crate) child: u32,
    pub(crate) steps: [u32; 2],
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
    /// For each link the limb it hangs on.
    limb_of: Vec<Option<u32>>,
    /// For each link its joint's number, for each joint its links.
    joint_of: Vec<Option<u32>>,
    ends: Vec<[u32; 2]>,
}

impl Robot {
    /// Joins the parts, or says why they are no robot. Axes come out with length 1.
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
                self.variables[first[joint]].mimic = Some(Law { of: first[of], multiplier, offset });
            }
        }
    }

    fn add_limb(&mut self, number: usize) {
        let joint = &self.joints[number];
        let [parent, child] = self.ends[number];
        let first = self.steps.len() as u32;
        let variable = self.variables.partition_point(|variable| variable.joint < number) as u32;
        let origin = joint.parent_from_joint;
        let (turn, slide) = (Movement::Turn, Movement::Slide);
        let axes: Vec<(Movement, DVec3)> = match joint.kind {
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

    /// What a configuration has a value for: the variables of all joints, in the order of the joints.
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// The number of the link that hangs on nothing.
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

    /// The joint a link hangs on; `None` for the root.
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

    pub(crate) fn limbs(&self) -> &[Limb] {
        &self.limbs
    }

    pub(crate) fn steps(&self, limb: &Limb) -> &[Step] {
        &self.steps[limb.steps[0] as usize..limb.steps[1] as usize]
    }

    pub(crate) fn limb_of(&self, link: usize) -> Option<&Limb> {
        self.limb_of[link].map(|limb| &self.limbs[limb as usize])
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

    /// Refuses what is no configuration: another number of values, NaN, angles beyond [`MAX_ANGLE`].
    pub fn check_values(&self, values: &[f64]) -> Result<(), ConfigurationError> {
        let (found, wanted) = (values.len(), self.variables.len());
        if found != wanted {
            return Err(ConfigurationError::Count { found, wanted });
        }
        for (variable, &value) in self.variables.iter().zip(values) {
            let most = match variable.movement {
                Movement::Turn => MAX_ANGLE,
                Movement::Slide => MAX_LENGTH,
            };
            if value.is_nan() || value.abs() > most {
                return Err(ConfigurationError::NotAValue { variable: variable.name.clone(), value });
            }
        }
        Ok(())
    }

    /// Refuses what is no configuration, or is beyond the limits.
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

    /// The shapes of all links, meshes by a loader that is given the file as the text names it.
    pub fn shapes<E>(
        &self,
        mut load: impl FnMut(&str) -> Result<Mesh, E>,
    ) -> Result<Vec<LinkShape>, LoadError<E>> {
        let mut shapes = Vec::new();
        for (number, link) in self.links.iter().enumerate() {
            for (piece, geometry) in link.geometry().1.iter().enumerate() {
                let solid = geometry.solid(&mut load)?;
                let link_from_shape = geometry.link_from_shape;
                shapes.push(LinkShape { link: number, piece, link_from_shape, solid });
            }
        }
        Ok(shapes)
    }

    /// The mass of all links and where its centre is with the links at these poses; `None` if nothing has
    /// mass.
    pub fn center_of_mass(&self, poses: &[Pose]) -> Option<(f64, DVec3)> {
        let mut sum = (0.0, DVec3::ZERO);
        for (link, pose) in self.links.iter().zip(poses) {
            if let Some(inertial) = link.inertial {
                let center = pose.transform_point(inertial.link_from_center.translation);
                sum = (sum.0 + inertial.mass, sum.1 + center * inertial.mass);
            }
        }
        (sum.0 > 0.0).then(|| (sum.0, sum.1 / sum.0))
    }

    /// The parts it was made of.
    pub fn into_parts(self) -> Parts {
        Parts { name: self.name, links: self.links, joints: self.joints }
    }

    /// The robot hung on a new root link by a joint without an offset, as the virtual joints of SRDF do.
    pub fn on_base(self, link: &str, joint: &str, kind: JointKind) -> Result<Self, RobotError> {
        let root = self.links[self.root].name.clone();
        let mut parts = self.into_parts();
        parts.links.insert(0, Link::named(link));
        parts.joints.insert(0, Joint::new(joint, kind, link, root));
        Self::new(parts)
    }
}

impl Step {
    fn new(offset: &Pose, axis: DVec3, variable: Option<(Movement, u32)>) -> Self {
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

fn variables_of(kind: JointKind) -> &'static [(&'static str, Movement)] {
    use Movement::{Slide, Turn};
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

fn check_counts(links: &[Link], joints: &[Joint]) -> Result<(), RobotError> {
    if links.is_empty() {
        return Err(Fault::NoLinks.into());
    }
    let most = MAX_LINKS;
    if links.len() > most {
        return Err(RobotError::at(links[most].place, Fault::TooMany { what: "links", most }));
    }
    if joints.len() > most {
        return Err(RobotError::at(joints[most].place, Fault::TooMany { what: "joints", most }));
    }
    Ok(())
}

fn number_links(links: &[Link]) -> Result<HashMap<&str, u32>, RobotError> {
    let mut numbers = HashMap::new();
    for (number, link) in links.iter().enumerate() {
        if numbers.insert(link.name.as_str(), number as u32).is_some() {
            let fault = Fault::Duplicate { what: "link", name: link.name.clone() };
            return Err(RobotError::at(link.place, fault));
        }
    }
    Ok(numbers)
}

fn check_link(link: &Link) -> Result<(), RobotError> {
    link.visual.iter().chain(&link.collision).try_for_each(|geometry| geometry.check(&link.name))?;
    let Some(inertial) = &link.inertial else {
        return Ok(());
    };
    let what = |part: &str| format!("the {part} of link `{}`", link.name);
    check_pose(&inertial.link_from_center, link.place, || what("centre of mass"))?;
    if let Some(value) = inertial.inertia.to_cols_array().into_iter().find(|x| !x.is_finite()) {
        return Err(RobotError::at(link.place, Fault::NotFinite { what: what("inertia"), value }));
    }
    let value = inertial.mass;
    if !value.is_finite() {
        return Err(RobotError::at(link.place, Fault::NotFinite { what: what("mass"), value }));
    }
    if value < 0.0 {
        let fault = Fault::OutOfRange { what: what("mass"), value, range: "0 or more" };
        return Err(RobotError::at(link.place, fault));
    }
    Ok(())
}

/// Checks the joints by themselves and gives their axes length 1.
fn check_joints(joints: &mut [Joint]) -> Result<HashMap<String, usize>, RobotError> {
    let mut names = HashMap::new();
    for (number, joint) in joints.iter_mut().enumerate() {
        if names.insert(joint.name.clone(), number).is_some() {
            let fault = Fault::Duplicate { what: "joint", name: joint.name.clone() };
            return Err(RobotError::at(joint.place, fault));
        }
        let name = joint.name.clone();
        check_pose(&joint.parent_from_joint, joint.place, || format!("the origin of joint `{name}`"))?;
        check_pose(&joint.joint_from_child, joint.place, || format!("the offset behind joint `{name}`"))?;
        joint.axis = unit_axis(joint)?;
        check_joint_limits(joint)?;
        // Published robots fix joints and leave their laws behind; what does not move follows nothing.
        joint.mimic = joint.mimic.take().filter(|_| joint.kind != JointKind::Fixed);
        if let Some(mimic) = &joint.mimic {
            for (part, value) in [("multiplier", mimic.multiplier), ("offset", mimic.offset)] {
                if !value.is_finite() {
                    let what = format!("the {part} of the mimic joint `{name}`");
                    return Err(RobotError::at(joint.place, Fault::NotFinite { what, value }));
                }
            }
        }
    }
    Ok(names)
}

fn unit_axis(joint: &Joint) -> Result<DVec3, RobotError> {
    if matches!(joint.kind, JointKind::Fixed | JointKind::Floating) {
        return Ok(DVec3::Z);
    }
    let axis = joint.axis;
    if let Some(value) = axis.to_array().into_iter().find(|x| !x.is_finite()) {
        let what = format!("the axis of joint `{}`", joint.name);
        return Err(RobotError::at(joint.place, Fault::NotFinite { what, value }));
    }
    let largest = axis.abs().max_element();
    if largest == 0.0 {
        return Err(RobotError::at(joint.place, Fault::ZeroAxis { joint: joint.name.clone() }));
    }
    // By the largest part first, so that squares neither overflow nor vanish.
    let scaled = axis / largest;
    Ok(scaled / scaled.length())
}

fn check_joint_limits(joint: &mut Joint) -> Result<(), RobotError> {
    let Limits { range, velocity, acceleration, effort } = joint.limits;
    let place = joint.place;
    match (joint.kind, range) {
        (JointKind::Continuous, _) => joint.limits.range = None,
        (JointKind::Revolute | JointKind::Prismatic, None) => {
            let fault = Fault::NoLimits { joint: joint.name.clone(), kind: joint.kind.word() };
            return Err(RobotError::at(place, fault));
        }
        (_, Some([lower, upper])) => {
            let what = || format!("a limit of joint `{}`", joint.name);
            for value in [lower, upper] {
                if !value.is_finite() {
                    return Err(RobotError::at(place, Fault::NotFinite { what: what(), value }));
                }
                let turns = joint.kind == JointKind::Revolute;
                if value.abs() > if turns { MAX_ANGLE } else { MAX_LENGTH } {
                    let range = "at most 2^25 for an angle and 2^250 for a length";
                    return Err(RobotError::at(place, Fault::OutOfRange { what: what(), value, range }));
                }
            }
            if lower > upper {
                let fault = Fault::ReversedLimits { joint: joint.name.clone(), lower, upper };
                return Err(RobotError::at(place, fault));
            }
        }
        _ => {}
    }
    for (part, value) in [("velocity", velocity), ("acceleration", acceleration), ("effort", effort)] {
        let Some(value) = value else { continue };
        let what = format!("the largest {part} of joint `{}`", joint.name);
        if !value.is_finite() {
            return Err(RobotError::at(place, Fault::NotFinite { what, value }));
        }
        if value < 0.0 {
            return Err(RobotError::at(place, Fault::OutOfRange { what, value, range: "0 or more" }));
        }
    }
    Ok(())
}

fn find_ends(
    joints: &[Joint],
    links: &[Link],
    numbers: &HashMap<&str, u32>,
) -> Result<Vec<[u32; 2]>, RobotError> {
    let find = |joint: &Joint, name: &str| {
        numbers.get(name).copied().ok_or_else(|| {
            let hint = suggestion(name, links.iter().map(|link| link.name.as_str()));
            let (user, name) = (joint.name.clone(), name.to_owned());
            RobotError::at(joint.place, Fault::NoSuch { user, what: "link", name, hint })
        })
    };
    joints.iter().map(|joint| Ok([find(joint, &joint.parent)?, find(joint, &joint.child)?])).collect()
}

fn find_parents(joints: &[Joint], links: &[Link], ends: &[[u32; 2]]) -> Result<Vec<Option<u32>>, RobotError> {
    let mut joint_of: Vec<Option<u32>> = vec![None; links.len()];
    for (number, &[_, child]) in ends.iter().enumerate() {
        if let Some(other) = joint_of[child as usize].replace(number as u32) {
            let link = links[child as usize].name.clone();
            let both = [joints[other as usize].name.clone(), joints[number].name.clone()];
            return Err(RobotError::at(joints[number].place, Fault::TwoParents { link, joints: both }));
        }
    }
    Ok(joint_of)
}

/// The root and the joints in an order in which parents come before children.
fn order(
    links: &[Link],
    joints: &[Joint],
    ends: &[[u32; 2]],
    joint_of: &[Option<u32>],
) -> Result<(usize, Vec<usize>), RobotError> {
    let roots: Vec<usize> = (0..links.len()).filter(|&link| joint_of[link].is_none()).collect();
    if roots.len() > 1 {
        let names = roots.iter().map(|&root| links[root].name.clone()).collect();
        return Err(RobotError::at(links[roots[1]].place, Fault::Disconnected { roots: names }));
    }
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); links.len()];
    for (joint, &[parent, _]) in ends.iter().enumerate() {
        children[parent as usize].push(joint);
    }
    let mut order = Vec::with_capacity(joints.len());
    let mut reached = vec![false; links.len()];
    let mut next: Vec<usize> = roots.clone();
    while let Some(link) = next.pop() {
        reached[link] = true;
        for &joint in children[link].iter().rev() {
            next.push(ends[joint][1] as usize);
        }
        order.extend(joint_of[link].map(|joint| joint as usize));
    }
    // Every link but the root hangs on exactly one, so what was not reached lies on or behind a ring.
    if let Some(lost) = reached.iter().position(|&reached| !reached) {
        return Err(ring(lost, links, joints, ends, joint_of));
    }
    Ok((roots[0], order))
}

fn ring(
    start: usize,
    links: &[Link],
    joints: &[Joint],
    ends: &[[u32; 2]],
    joint_of: &[Option<u32>],
) -> RobotError {
    let parent = |link: usize| joint_of[link].map(|joint| (joint as usize, ends[joint as usize][0] as usize));
    let mut at = start;
    for _ in 0..links.len() {
        at = parent(at).map_or(at, |(_, up)| up);
    }
    let (first, mut names, mut place) = (at, Vec::new(), None);
    while let Some((joint, up)) = parent(at) {
        names.push(links[at].name.clone());
        place = place.max(joints[joint].place);
        at = up;
        if at == first {
            break;
        }
    }
    names.reverse();
    RobotError::at(place, Fault::Cycle { links: names })
}

/// The joint followed, factor and offset.
type JointLaw = (usize, f64, f64);

/// For each joint that follows another, its law in terms of one that moves by itself.
fn find_laws(joints: &[Joint], names: &HashMap<String, usize>) -> Result<Vec<Option<JointLaw>>, RobotError> {
    let single = |joint: &Joint| variables_of(joint.kind).len() == 1;
    let mut laws = vec![None; joints.len()];
    for (number, joint) in joints.iter().enumerate() {
        let (mut at, mut multiplier, mut offset) = (number, 1.0, 0.0);
        let mut seen = vec![];
        while let Some(mimic) = &joints[at].mimic {
            let Some(&of) = names.get(&mimic.joint) else {
                let hint = suggestion(&mimic.joint, joints.iter().map(|joint| joint.name.as_str()));
                let (user, name) = (joints[at].name.clone(), mimic.joint.clone());
                let fault = Fault::NoSuch { user, what: "joint", name, hint };
                return Err(RobotError::at(joints[at].place, fault));
            };
            if !single(&joints[at]) || !single(&joints[of]) {
                let fault = Fault::MimicKind { joint: joints[at].name.clone(), of: mimic.joint.clone() };
                return Err(RobotError::at(joints[at].place, fault));
            }
            seen.push(joints[at].name.clone());
            // Longer rows than any gripper's are taken for rings, so that none costs much.
            if of == number || seen.len() > 1000 {
                return Err(RobotError::at(joint.place, Fault::MimicLoop { joints: seen }));
            }
            offset += multiplier * mimic.offset;
            multiplier *= mimic.multiplier;
            at = of;
        }
        if at != number {
            if !(multiplier.is_finite() && offset.is_finite()) {
                let what = format!("the law of the mimic joint `{}`", joint.name);
                let fault = Fault::NotFinite { what, value: multiplier + offset };
                return Err(RobotError::at(joint.place, fault));
            }
            laws[number] = Some((at, multiplier, offset));
        }
    }
    Ok(laws)
}
