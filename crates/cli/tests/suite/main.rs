//! The program as its users meet it. One test program: linking takes longer than running most of them.

/// The program under test.
const PROGRAM: &str = env!("CARGO_BIN_EXE_noli");

mod assemblies;
mod bcf;
mod cad;
mod campaign;
mod certificates;
mod clash;
mod clouds;
mod command;
mod coordinate;
mod curved;
mod curved_motions;
mod demo;
mod docs;
mod domains;
mod driven;
mod field;
mod first_hour;
mod fits;
mod formulas;
mod habits;
mod hostile_files;
mod limits;
mod marked_files;
mod mcp;
mod motion;
mod nothing_lost;
mod options;
mod own_files;
mod page;
mod paths;
mod pendant;
mod robot;
mod robot_published;
mod schema;
mod silence;
mod simulate;
mod studio;
mod support;
mod surfaces;
mod together;
mod trajectories;
mod tutorials;

// The targets of the fuzzer, for short campaigns.
#[path = "../../examples/fuzz_surfaces/connection.rs"]
#[allow(unreachable_pub, reason = "shared with the example")]
mod connection;
#[path = "../../examples/fuzz_surfaces/damage.rs"]
#[allow(unreachable_pub, reason = "shared with the example")]
mod damage;
#[path = "../../examples/fuzz_surfaces/files.rs"]
#[allow(unreachable_pub, dead_code, reason = "shared with the example")]
mod files;
#[path = "../../examples/fuzz_surfaces/target.rs"]
#[allow(unreachable_pub, dead_code, reason = "shared with the example")]
mod target;
