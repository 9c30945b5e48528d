//! The BIM Collaboration Format, 2.1 and 3.0: clashes as topics that other programs open.
//!
//! An archive has a folder for each topic, named by its GUID. `markup.bcf` describes the topic, a `.bcfv` file
//! holds the camera and the selected bodies, a PNG the picture. GUIDs are derived from the content of a topic,
//! so that a repeated export updates topics instead of adding new ones. Lengths are in metres, as the format
//! requires.

mod archive;
#[allow(clippy::arithmetic_side_effects, reason = "days since the year 0, of seconds of 64 bits")]
mod date;
#[allow(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::indexing_slicing,
    reason = "pixels of an image of its own, vertices of a mesh by its own numbers, and three axes"
)]
mod picture;
mod read;
#[allow(clippy::arithmetic_side_effects, clippy::indexing_slicing, reason = "two bodies")]
mod snapshot;
mod topics;
mod write;
mod xml;

pub use archive::{Bcf, BcfVersion, Camera, Comment, Component, Topic, Viewpoint};
pub use date::date;
pub use snapshot::Snapshot;
pub use topics::{Taken, TopicOptions};
