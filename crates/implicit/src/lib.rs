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

pub use answer::clearance::{field_clearance, field_gap};
pub use answer::impact::{FieldImpactQuery, MovingField, field_time_of_impact};
pub use answer::overlap::field_overlap;
pub use answer::pieces::{
    Pieces, RoundedHull, field_pieces_clearance, field_pieces_gap, field_pieces_overlap,
};
pub use answer::ray::LineCrossing;
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
pub use search::question::{FieldClearance, FieldOverlap, FieldQuery, FieldVerdict, GapGoal, PlacedField};

/// The examples of the readme are tested.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
