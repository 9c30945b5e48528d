//! Checks certificates of collision queries.
//!
//! Written from `docs/certificates.md` alone: it shares no code with the prover, and depends on a crate of big integers
//! only. The prover searches, this crate only computes; a certificate that it accepts is a proof in real arithmetic.
//!
//! ```
//! let report = noli_verify::check(b"", &noli_verify::Options::default());
//! assert!(report.error.is_some_and(|error| error.is_unreadable()));
//! ```

// Numbers of a certificate are not to be cut, to wrap or to be looked up unchecked.
#![cfg_attr(
    not(test),
    warn(
        clippy::arithmetic_side_effects,
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_sign_loss,
        clippy::indexing_slicing
    )
)]

mod binding;
mod cbor;
mod check;
mod description;
#[allow(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    clippy::indexing_slicing,
    reason = "three axes; exponents are sums of fewer than 2^40 of doubles, and shifts no longer than their numbers"
)]
mod dyadic;
mod error;
mod fields;
mod gzip;
mod header;
#[allow(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::indexing_slicing,
    reason = "three axes, big integers and shifts of them by constants"
)]
mod interval;
#[allow(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::indexing_slicing,
    reason = "axes, and numbers of bodies, links, joints and nodes, which were checked when they were read"
)]
mod kinematics;
mod numeral;
mod over;
mod placement;
#[allow(
    clippy::indexing_slicing,
    reason = "axes, and numbers of bodies, faces and nodes, which were checked when they were read"
)]
mod proof;
#[allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "sixteen words of a block and 64 rounds, by constants"
)]
mod sha256;
#[allow(
    clippy::indexing_slicing,
    reason = "axes, numbers of vertices and faces that `Mesh::new` gave, and of nodes that `Node::new` checked"
)]
mod shape;
mod sources;
mod span;
mod xml;

pub use check::{NOT_COVERED, Options, Report, StatementReport, check};
pub use error::CheckError;
pub use sources::{Binding, mesh_sha256};
