//! Functionally defined objects: an object is where a function of x, y and z is zero or negative.
//!
//! Functions are built with operators ([`Expr`]), written as formulas ([`parse_formula`]), read from `.vm` files
//! ([`parse_vm`]) or bounded by the user ([`Inclusion`]). Every bound on them is rounded outward, so answers about
//! them are proofs.

mod affine;
mod bounds;
mod cell_tree;
mod clearance;
mod derived;
mod expr;
mod field;
mod frame;
mod graph;
mod impact;
mod lanes;
pub mod noise;
mod number;
mod op;
mod overlap;
mod pairs;
mod pieces;
pub mod published;
mod ray;
mod read;
mod region;
pub mod shapes;
mod skin;
mod slopes;
mod surface;
mod tape;

pub use affine::Affine;
pub use clearance::{FieldClearance, field_clearance, field_gap};
pub use expr::Expr;
pub use field::{Field, Inclusion};
pub use impact::{FieldImpactQuery, MovingField, field_time_of_impact};
pub use lanes::{Cells, LANES, Lanes};
pub use number::Number;
pub use op::{Binary, Op, Unary};
pub use overlap::{FieldOverlap, FieldQuery, FieldVerdict, PlacedField, field_overlap};
pub use pairs::GapGoal;
pub use pieces::{Pieces, RoundedHull, field_pieces_clearance, field_pieces_gap, field_pieces_overlap};
pub use ray::LineCrossing;
pub use read::{FormulaError, parse_formula, parse_vm};
pub use region::{Filling, field_filling_overlap};
pub use slopes::Slopes;
pub use surface::Triangles;
pub use tape::{Choices, Tape};

/// The examples of the readme are tested.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
