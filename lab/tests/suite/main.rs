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

/// For `support`: the schemas are those of the program `noli`, whose tests hold its reports to them.
mod schema {
    pub(crate) fn fits(_text: &[u8], _report: &serde_json::Value) {}
}
