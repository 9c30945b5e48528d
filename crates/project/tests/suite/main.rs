//! The tests of the crate from outside, in one program: linking takes longer than running most of them.
#![allow(missing_docs, unreachable_pub, reason = "modules of the example are included")]

#[path = "../../examples/fuzz/answer.rs"]
mod answer;
mod asked;
#[path = "../../examples/fuzz/campaign.rs"]
mod campaign;
mod cells;
mod corpus;
mod distance_grids;
mod driven_curves;
mod found;
mod loaded_robots;
#[path = "../../examples/fuzz/mutate.rs"]
mod mutate;
mod reports;
#[path = "../../examples/fuzz/robots.rs"]
mod robots;
mod scenes;
mod simulation;
mod solids;
mod source_formats;
mod stage;
