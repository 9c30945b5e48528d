//! All integration tests of noli as one program: linking each alone takes longer than most of them run.

mod common;

mod ask;
mod batches;
mod budget;
mod clearance_options;
mod closer_than;
mod compounds;
mod contacts;
mod convex_pairs;
mod deforming;
mod degenerate;
mod degenerate_faces;
mod field_models;
mod fields;
mod immersion;
mod inner_balls;
mod near_contact;
mod own_trees;
mod penetration;
mod pieces;
mod rays;
mod reference_clearances;
mod reference_ifc;
mod reference_poses;
mod relations;
mod self_crossings;
mod shared_volume;
mod snapshot;
mod solids;
mod time_of_impact;
mod w1;
mod world;
mod world_check;
mod world_loop;
mod world_touching;
