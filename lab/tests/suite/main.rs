//! The program `noli-lab` and its experiments.

/// The program under test.
const PROGRAM: &str = env!("CARGO_BIN_EXE_noli-lab");

mod bench;
mod ccd;
mod check_method;
mod experiments;
mod figures;
mod panels;
mod published;
mod silence;
mod studio;
#[path = "../../../crates/cli/tests/suite/support/mod.rs"]
mod support;
mod tree;
