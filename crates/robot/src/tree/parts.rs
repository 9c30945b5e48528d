//! Components of a robot.

use crate::geometry::{Geometry, GeometrySource, MAX_LENGTH};
use crate::{MAX_ANGLE, Place};
use glam::{DMat3, DVec3};
use noli_geom::Pose;

/// A rigid part of a robot.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// Its name.
    pub name: String,
    /// Its mass properties; `None` if not stated.
    pub inertial: Option<Inertial>,
    /// Its visual geometry.
    pub visual: Vec<Geometry>,
    /// Its collision geometry.
    pub collision: Vec<Geometry>,
    /// Position in the source text.
    pub place: Option<Place>,
}

impl Link {
    /// A link that has a name only.
    pub fn named(name: impl Into<String>) -> Self {
        Self { name: name.into(), inertial: None, visual: Vec::new(), collision: Vec::new(), place: None }
    }

    /// Returns one of its two sets of geometry.
    pub fn geometry(&self, source: GeometrySource) -> &[Geometry] {
        match source {
            GeometrySource::Collision => &self.collision,
            GeometrySource::Visual => &self.visual,
        }
    }

    /// Returns the set that it collides by: its collision geometry, or with `visual` its visual geometry where it
    /// has no other.
    pub fn collides_by(&self, visual: bool) -> GeometrySource {
        if visual && self.collision.is_empty() { GeometrySource::Visual } else { GeometrySource::Collision }
    }
}

/// The mass of a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inertial {
    /// In kilograms.
    pub mass: f64,
    /// Its centre, and the orientation of the axes of `inertia`.
    pub link_from_center: Pose,
    /// The tensor about the centre, in kg m².
    pub inertia: DMat3,
}

/// Kind of a joint.
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
    /// Every kind.
    pub const ALL: [Self; 6] =
        [Self::Fixed, Self::Revolute, Self::Continuous, Self::Prismatic, Self::Planar, Self::Floating];

    /// The kind of a word of URDF.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }

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

/// Limits of a joint's range and speed, in radians or metres and seconds.
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
    /// Added offset.
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
    /// Its motion.
    pub kind: JointKind,
    /// Parent link.
    pub parent: String,
    /// Child link.
    pub child: String,
    /// Its pose on its parent.
    pub parent_from_joint: Pose,
    /// Pose of the child on the moving frame.
    pub joint_from_child: Pose,
    /// Direction in the joint's frame; of any length but 0.
    pub axis: DVec3,
    /// Limits of range and speed.
    pub limits: Limits,
    /// The joint that it mimics, if it does not move independently.
    pub mimic: Option<Mimic>,
    /// Position in the source text.
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

/// Components of a robot, not yet validated.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parts {
    /// The robot's name.
    pub name: String,
    /// Its links.
    pub links: Vec<Link>,
    /// Its joints.
    pub joints: Vec<Joint>,
}

/// Kind of motion of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JointAxisKind {
    /// Turns; its unit is the radian.
    Turn,
    /// Slides; its unit is the metre.
    Slide,
}

impl JointAxisKind {
    /// The largest magnitude of a value in a configuration.
    pub(crate) fn largest_value(self) -> f64 {
        match self {
            Self::Turn => MAX_ANGLE,
            Self::Slide => MAX_LENGTH,
        }
    }
}

/// The law of a variable that follows another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MimicRelation {
    /// The variable it follows, which follows none.
    pub of: usize,
    /// The factor.
    pub multiplier: f64,
    /// Added offset.
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
    pub movement: JointAxisKind,
    /// Limits of range and speed.
    pub limits: Limits,
    /// Its mimic relation; `None` if it moves independently.
    pub mimic: Option<MimicRelation>,
}

impl Variable {
    /// All values of it, with no regard to what follows it: its limits, else a turn, or every length of a
    /// configuration.
    pub fn all_values(&self) -> [f64; 2] {
        let most = match self.movement {
            JointAxisKind::Turn => std::f64::consts::PI.next_up(),
            JointAxisKind::Slide => MAX_LENGTH,
        };
        self.limits.range.unwrap_or([-most, most])
    }

    /// The range that random values are drawn from: the limits; without any, one turn, or a metre either way. It is a
    /// sample of the values, not the [domain](crate::cell::Domain) of a proof.
    pub fn drawn_range(&self) -> [f64; 2] {
        let most = match self.movement {
            JointAxisKind::Turn => std::f64::consts::PI,
            JointAxisKind::Slide => 1.0,
        };
        self.limits.range.unwrap_or([-most, most])
    }
}

/// The values of all variables of a robot, those that follow others included, in the order of
/// [`Robot::variables`](crate::Robot::variables): radians and metres.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Configuration(pub Vec<f64>);
