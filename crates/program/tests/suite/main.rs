//! Integration tests of the crate in one binary, which is linked once.

mod programs;
mod runs;
mod together;
