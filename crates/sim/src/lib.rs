//! Contact and dynamics on top of detection: bodies slide, screw, fall and bounce, and never pass through each other.
//!
//! Detection comes first. A step is a list of motions, each proven free of penetration by noli's time of impact before it
//! is accepted; what cannot be proven is not moved, and the time lost that way is stated. Bodies keep a small distance, the
//! *skin*, a share of their size: so a proof never has to be made where they touch, and lying on a table is as easy to
//! prove as flying over it.
//!
//! ```
//! use noli::{Convex, Model, Pose, Shape};
//! use noli_sim::{BodySpec, Dynamics, DynamicsOptions, Material};
//! use glam::DVec3;
//! let mut sim = Dynamics::new(DynamicsOptions::default());
//! sim.add(BodySpec::fixed("floor", Model::new(Shape::HalfSpace)?, Pose::IDENTITY))?;
//! let ball = Convex::sphere(0.1)?;
//! let high = Pose::from_translation(DVec3::Z * 1.1);
//! let elastic = Material { restitution: 1.0, ..Material::default() };
//! let ball = sim.add(BodySpec::free("ball", Model::from(ball), high).of(elastic))?;
//! let fall = (2.0f64 / 9.81).sqrt();
//! sim.advance(2.0 * fall)?; // down and up again
//! assert!((sim.pose(ball).translation.z - 1.1).abs() < 1e-4);
//! assert_eq!(sim.summary().time_lost, 0.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod body;
mod contact;
mod dynamics;
mod flight;
mod mass;
mod proof;
mod relative;
mod solve;
mod summary;

pub use body::{BodySpec, Material, Role};
pub use contact::{Carriage, CarriageOptions, Force, FrameOutcome, Rider};
pub use dynamics::{Body, ContactForce, Dynamics, DynamicsOptions, ImpactLaw};
pub use flight::{Flight, FlightState};
pub use mass::{MassProperties, mass_of};
pub use solve::{Constraint, NearestTwist, gauss_seidel, nearest_twist};
pub use summary::Summary;

/// Why a simulation refuses something.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SimError {
    /// The mass is no mass.
    #[error(
        "body `{body}` has a mass of {mass}: give one that is finite and more than zero, or make the body fixed"
    )]
    Mass {
        /// Which body.
        body: String,
        /// What was given.
        mass: f64,
    },
    /// The inertia is none that a body can have.
    #[error(
        "body `{body}` has an impossible inertia: its principal moments must be positive, and none more than the sum of the others"
    )]
    Inertia {
        /// Which body.
        body: String,
    },
    /// The mass cannot be known from the shape.
    #[error(
        "the mass of body `{body}` cannot be told from its shape ({reason}); give `mass`, or make the body fixed"
    )]
    NoMass {
        /// Which body.
        body: String,
        /// Why not.
        reason: &'static str,
    },
    /// A number that must be finite is not.
    #[error("body `{body}`: its {what} is not finite")]
    NotFinite {
        /// Which body.
        body: String,
        /// Which number.
        what: &'static str,
    },
    /// A coefficient is out of range.
    #[error("body `{body}`: {what} is {value}; give a value {range}")]
    Coefficient {
        /// Which body.
        body: String,
        /// Which.
        what: &'static str,
        /// What was given.
        value: f64,
        /// What is allowed.
        range: &'static str,
    },
    /// Two bodies overlap before anything moves.
    #[error("bodies `{a}` and `{b}` overlap at the start; move them apart, or exclude the pair")]
    Overlap {
        /// One.
        a: String,
        /// The other.
        b: String,
    },
    /// A pose is no pose.
    #[error(
        "body `{body}` would stand nowhere: a coordinate is not finite or too large, or a quaternion is zero"
    )]
    Pose {
        /// Which body.
        body: String,
    },
    /// A time that is no time.
    #[error("the time to advance is {0}: give seconds that are finite and not negative")]
    Time(f64),
}
