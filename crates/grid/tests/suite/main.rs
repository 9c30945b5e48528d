//! Distance grids against the shapes they were made of.

mod brackets;
