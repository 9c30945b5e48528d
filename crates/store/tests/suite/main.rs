//! The tests of the crate from outside, in one program: linking takes longer than running most of them.
#![allow(clippy::print_stdout, reason = "figures for those who run it")]

mod drawings;
mod files;
mod hostile;
mod robots;
mod support;
mod undo;
mod writers;
