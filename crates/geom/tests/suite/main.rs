//! The tests of the crate from outside, in one program: linking each file on its own takes longer than running most of them.
#![allow(dead_code, reason = "the support module serves examples too")]

mod ccd;
mod ccd_approximate;
mod ccd_data;
mod ccd_rigid;
mod interval;
#[path = "support/intervals.rs"]
mod intervals;
mod shared;
mod support;
mod triangles;
mod turns;
mod volumes;
