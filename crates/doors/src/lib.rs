//! The same questions through every interface of noli (the *doors*), and their answers compared.
//!
//! `cases.toml` has scenes, robots and removals, each with its answer as text, written by hand. A door is a function
//! from a [`Case`] to the [`Reply`] of the program, the Python package, the tools for agents, the studio, the C interface
//! or the npm package. Doors are started as users start them, so this crate depends on none of them.

mod agents;
mod bodies;
mod case;
mod lines;
mod program;
mod python;
mod relations;
mod reply;
mod studio;

pub use agents::Agents;
pub use case::{Case, Cases};
pub use lines::Lines;
pub use program::{Program, command, program};
pub use python::Python;
pub use relations::Relations;
pub use reply::Reply;
pub use studio::Studio;

/// Readers of buildings are programs of the machine, which no answer is to depend on: none is named.
const NO_KERNELS: (&str, &str) = ("NOLI_PYTHON", "no-such-python");

/// One interface of noli.
pub trait Door {
    /// Answers the question of a case; `None` if the interface has no such question.
    fn answer(&mut self, case: &Case) -> Option<Reply>;
}
