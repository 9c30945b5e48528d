//! The tests of the crate from outside, in one program: linking takes longer than running most of them.
#![allow(dead_code, reason = "the support module serves examples too")]

mod clearance;
#[path = "support/damage.rs"]
mod damage;
mod doors;
mod enclosures;
mod fuzz;
mod overlap;
mod reading;
mod real_data;
mod support;
