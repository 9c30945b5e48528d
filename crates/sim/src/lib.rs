//! Contact and dynamics based on collision detection: bodies slide, screw, fall and bounce without
//! penetration.
//!
//! A step is a list of motions. Each is proven free of penetration by noli's time of impact before it is
//! accepted. Motion that cannot be certified is rejected, and the rejected time is reported. Bodies keep a
//! small distance, the *skin*, a share of their size. A proof is therefore never needed at contact, and lying
//! on a table is as easy to prove as flying over it.
//!
//! ```
//! use noli::{Convex, Model, Pose, Shape};
//! use noli_sim::{BodySpec, Dynamics, DynamicsOptions, Material};
//! use glam::DVec3;
//! let mut sim = Dynamics::new(DynamicsOptions::default());
//! sim.add("floor", &Model::new(Shape::HalfSpace)?, Pose::IDENTITY, BodySpec::fixed())?;
//! let sphere = Model::from(Convex::sphere(0.1)?);
//! let high = Pose::from_translation(DVec3::Z * 1.1);
//! let elastic = Material { restitution: 1.0, ..Material::default() };
//! let sphere = sim.add("sphere", &sphere, high, BodySpec::free(&sphere).with_material(elastic))?;
//! let fall = (2.0f64 / 9.81).sqrt();
//! sim.advance(2.0 * fall)?; // down and up again
//! assert!((sim.pose(sphere).translation.z - 1.1).abs() < 1e-4);
//! assert_eq!(sim.summary().time_lost, 0.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod body;
mod dynamics;
mod error;
mod flight;
mod guided;
mod mass;
mod proof;
mod relative;
mod solve;
mod summary;

pub use body::{BodySpec, Material, Role};
pub use dynamics::{BodyState, ContactForce, Dynamics, DynamicsOptions, ImpactLaw};
pub use error::SimError;
pub use flight::{Flight, FlightState};
pub use guided::{Force, FrameOutcome, GuidedContact, GuidedContactOptions};
pub use mass::{MassProperties, mass_of};
pub use solve::{Constraint, NearestTwist, Sweeps, gauss_seidel, nearest_twist};
pub use summary::Summary;
