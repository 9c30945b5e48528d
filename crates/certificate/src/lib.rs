//! Certificates: proofs of collision statements that independent programs check.
//!
//! A [`Scene`] holds bodies on links with joints. A [`Certificate`] proves [`Statement`]s about it: pairs of bodies are
//! separated, collide or contain each other, at one configuration, along a path or in a box of joint values.
//! [`CellScene`] makes scenes and statements of robot cells. The format and the proof rules are in
//! `docs/certificates.md`.
//!
//! The engine decides; this crate finds the planes that show it. Nothing here is trusted: a checker verifies every
//! number.

mod canonical;
mod cbor;
mod cell;
mod certificate;
mod chain;
// Numbers of a file are not to be cut, to wrap or to be looked up unchecked; all other modules write their own.
#[cfg_attr(
    not(test),
    warn(
        clippy::arithmetic_side_effects,
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_sign_loss,
        clippy::indexing_slicing
    )
)]
mod contents;
mod cover;
mod cut;
mod directions;
mod error;
mod exact;
mod motion;
mod part;
mod ray;
mod removal;
mod scene;
mod search;
mod separate;
mod shape;
mod statement;
mod sweep;
mod witness;
mod world;

pub use cell::CellScene;
pub use certificate::{Certificate, CertificateOptions, Source, compressed};
pub use contents::{Contents, ContentsError};
pub use error::ProofError;
pub use motion::{MovingBody, RigidPath};
pub use scene::{Joint, JointKind, Link, Scene};
pub use search::ProofSize;
pub use statement::{Claim, Region, Statement};
pub use world::WorldStatements;
