//! Checks certificates of collision queries.
//!
//! Written from `docs/certificates.md` alone: it shares no code with the prover, and depends on a crate of big integers
//! only. The prover searches, this crate only computes; a certificate that it accepts is a proof in real arithmetic.
//!
//! ```
//! let report = noli_verify::check(b"", &noli_verify::Options::default());
//! assert!(report.error.is_some_and(|error| error.is_unreadable()));
//! ```

mod cbor;
mod check;
mod dyadic;
mod error;
mod fields;
mod gzip;
mod header;
mod interval;
mod kinematics;
mod placement;
mod proof;
mod sha256;
mod shape;
mod sources;
mod span;

pub use check::{Options, Report, StatementReport, check};
pub use error::CheckError;
pub use sources::{Binding, mesh_sha256};
