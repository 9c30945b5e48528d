//! The program as its users meet it. One test program: linking takes longer than running most of them.

/// The program under test.
const PROGRAM: &str = env!("CARGO_BIN_EXE_noli");

mod assemblies;
mod bcf;
mod cad;
mod campaign;
mod certificates;
mod clash;
mod command;
mod docs;
mod field;
mod first_hour;
mod fits;
mod formulas;
mod hostile_files;
mod motion;
mod nothing_lost;
mod page;
mod paths;
mod robot;
mod robot_published;
mod silence;
mod simulate;
mod studio;
mod support;
mod tutorials;
