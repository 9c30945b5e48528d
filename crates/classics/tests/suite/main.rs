//! All integration tests of the classics as one program.

#[path = "../../../noli/tests/suite/common/mod.rs"]
mod common;

mod classics;
mod classics_features;
mod classics_paths;
mod classics_printed;
mod double_trees;
mod hierarchies;
mod moving_trees;
mod of_world;
mod sphere_trees;
mod steps;
mod survey;
