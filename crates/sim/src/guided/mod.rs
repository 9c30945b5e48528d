//! A wanted motion, done as far as contact allows: bodies slide along each other instead of stopping.
//!
//! After section 7.1 of Eckstein's system (1998): advance as far as is proven free, find all contacts, take the motion
//! nearest to the wanted one that none of them forbids, and go on with the rest of the frame.

mod frame;
mod groups;

pub use groups::{Force, FrameOutcome, GuidedContact, GuidedContactOptions};
