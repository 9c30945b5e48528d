//! Event-driven rigid-body dynamics under gravity; every flight segment is proven collision-free.
//!
//! A step begins with the contacts of all bodies. Where bodies approach each other at a contact, an impulse turns that round
//! (Newton's restitution, Coulomb's friction); where they rest or slide, a force that is constant for the rest of the step
//! keeps them apart. Between events a body flies on a [`Flight`], and noli's time of impact says until when no two come
//! nearer than their skin. Bodies that collide, and all that lie against them, respond at that time; the
//! others fly on, as what was proven of them still holds. After chapter 10 of Eckstein's thesis (1998) and
//! Mirtich (1996); Drumwright (2016) has the same for convex bodies.

mod advance;
mod bodies;
mod response;
mod run;
mod step;

pub use bodies::{BodyState, ContactForce, Dynamics, DynamicsOptions, ImpactLaw};
