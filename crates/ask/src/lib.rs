//! The questions that can be put to noli, as values.
//!
//! A question is a struct of options, and its answer is plain data with an outcome. The program, Python, the tools of agents and
//! the studio fill in the same struct and get the same answer; none of them decides what counts as a hit.
//!
//! ```
//! use noli_ask::{Check, Context, Subject};
//!
//! let question = Check { subject: Subject::bundled("engine-bay"), ..Check::default() };
//! let answer = question.answer(&Context::default())?;
//! assert_eq!(answer.pairs().unwrap().report.summary.hits, 16);
//! # Ok::<(), noli_ask::AskError>(())
//! ```
//!
//! [`parse`] reads a question from JSON: the names of options are those of the fields.

mod check;
mod clearance;
mod context;
mod error;
mod opened;
mod parse;
mod part;
mod pattern;
pub mod quantity;
mod remove;
mod study;
mod subject;
mod sweep;

pub use check::{Check, CheckAnswer, CheckedPairs, GroupBy, Intersections, Touching};
pub use clearance::{Clearance, ClearanceAnswer};
pub use context::{ComparePairs, Context, Progress};
pub use error::AskError;
pub use opened::Opened;
pub use parse::parse;
#[cfg(feature = "schema")]
pub use parse::schema;
pub use part::{PartMotion, PartPose, all_parts, parts};
pub use pattern::pair_of;
pub use quantity::Length;
pub use remove::{Remove, RemoveAnswer};
pub use study::{Disassemble, DisassembleAnswer, Study, StudyAnswer};
pub use subject::{Split, Subject};
pub use sweep::{Sweep, SweepAnswer};
