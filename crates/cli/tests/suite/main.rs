//! The program as its users meet it. One test program: linking takes longer than running most of them.

/// The program under test.
const PROGRAM: &str = env!("CARGO_BIN_EXE_noli");

mod assemblies;
mod bcf;
mod campaign;
mod clash;
mod command;
mod docs;
mod field;
mod first_hour;
mod fits;
mod formulas;
mod limits;
mod motion;
mod page;
mod paths;
mod robot;
mod silence;
mod simulate;
mod studio;
mod support;
