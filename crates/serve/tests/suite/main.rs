//! The studio's server from outside. One test program: linking takes longer than running.

mod cell_changes;
mod cells;
mod clouds;
mod comparisons;
mod curved;
mod editing;
mod flood;
mod folders;
mod grids;
mod messages;
mod panels;
mod presence;
mod random_use;
mod reviews;
mod save_as;
mod security;
mod support;
