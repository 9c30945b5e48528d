//! Objects and the cells of space they may fill: what every question walks through.

pub(crate) mod bounds;
pub(crate) mod cell_tree;
mod derived;
pub(crate) mod field;
pub(crate) mod frame;
pub(crate) mod pairs;
pub(crate) mod question;
pub(crate) mod side;
