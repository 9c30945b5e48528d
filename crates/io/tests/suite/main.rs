//! The tests of the crate from outside, in one program: linking takes longer than running most of them.
#![allow(missing_docs, unreachable_pub, reason = "modules of the example are included")]

mod asked;
#[path = "../../examples/fuzz/campaign.rs"]
mod campaign;
mod cells;
mod corpus;
mod formats;
mod found;
#[path = "../../examples/fuzz/mutate.rs"]
mod mutate;
mod real_data;
mod reports;
mod robots;
mod simulation;
mod stage;
