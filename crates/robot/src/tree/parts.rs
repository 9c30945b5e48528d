//! What a robot is made of.

use crate::geometry::{Geometry, GeometrySource};
use crate::{MAX_ANGLE, Place};
use glam::{DMat3, DVec3};
use noli_geom::Pose;

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
/// [`Robot::variables`](crate::Robot::variables): radians and metres.
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
