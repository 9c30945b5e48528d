//! Panels that `noli-lab serve` adds to the studio: hierarchies, and records of experiments.

mod records;
mod tree;

pub use records::Records;
pub use tree::Trees;

use noli_serve::Panel;

/// All of them.
pub fn all() -> Vec<Box<dyn Panel>> {
    vec![Box::new(Trees), Box::new(Records)]
}
