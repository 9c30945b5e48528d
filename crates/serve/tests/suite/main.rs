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
mod groups;
mod linear_messages;
mod messages;
mod pair_values;
mod panels;
mod placing;
mod presence;
mod random_use;
mod reviews;
mod save_as;
mod security;
mod support;
mod swept;
