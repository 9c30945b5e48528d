//! User stories of the studio, each in a real browser.
//!
//! Ignored by default, as `page`: run with `cargo test -p noli-cli --test suite -- --ignored studio::`.
//! Figures are printed with `--nocapture`, pictures left in the folder named by `NOLI_SCREENSHOTS`.
#![allow(clippy::print_stdout, reason = "figures for those who run it")]

mod beginner;
mod builder;
mod designer;
mod engineer;
mod everyone;
mod mechanic;
mod programmer;
mod recorder;
mod server;
mod student;

use crate::support::studio::{Studio, fill, undo_all, wait_text, wait_true};

/// A box with these lengths as OBJ text.
fn write_box([x, y, z]: [f64; 3]) -> String {
    let mut text = String::new();
    crate::support::write_object(&mut text, "box", &noli_scenes::cuboid(0.5 * glam::dvec3(x, y, z)), 0);
    text
}
