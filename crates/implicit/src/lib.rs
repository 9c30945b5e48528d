//! Functionally defined objects: an object is where a function of x, y and z is zero or negative.
//!
//! Functions are built with operators ([`Expr`]), written as formulas ([`parse_formula`]), read from `.vm`
//! files ([`parse_vm`]) or bounded by the user ([`Inclusion`]). Every bound on them is rounded outward, so
//! answers about them are proofs.
//!
//! The folders are floors, each knowing only those before it: expression, evaluation, read, search, answer.

mod answer;
mod evaluation;
mod expression;
mod read;
mod search;

// The engine's entries; users build a `Model` from a `Field`.
#[doc(hidden)]
pub use answer::clearance::field_distance;
pub use answer::overlap::field_overlap;
#[doc(hidden)]
pub use answer::pieces::{Pieces, RoundedHull, field_pieces_distance, field_pieces_overlap};
pub use answer::ray::LineIntersection;
#[doc(hidden)]
pub use answer::region::{Filling, field_filling_overlap};
pub use answer::surface::Triangles;
pub use evaluation::affine::Affine;
pub use evaluation::lanes::{Cells, LANES, Lanes};
pub use evaluation::noise;
pub use evaluation::number::Number;
pub use evaluation::slopes::Slopes;
pub use evaluation::tape::{Choices, Tape};
pub use expression::expr::Expr;
pub use expression::op::{Binary, Op, Unary};
pub use expression::shapes;
pub use read::{FormulaError, parse_formula, parse_vm};
pub use search::field::{Field, Inclusion};
#[doc(hidden)]
pub use search::question::{DistanceGoal, FieldClearance};
pub use search::question::{FieldOverlap, FieldQuery, FieldVerdict, PlacedField};

/// The examples of the readme are tested.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
