//! Distance grids against the shapes they were made of, and cells against all cells one by one.

mod brackets;
mod cells;
