//! The studio: a server for one machine, and the state that all its tabs share.
//!
//! [`Project::open`] reads a scene, files or a bundled assembly; [`serve`] serves its page until it is stopped.
//! One thread owns the [`session`]: bodies, poses and results. Tabs send commands over a WebSocket and receive
//! the changes; long work runs in the background and can be stopped. The page computes no verdicts.
//!
//! Only this machine is served: the listener is expected to be on a loopback address. Every request must
//! contain the token, and those of other origins are rejected. Connections without the token are few and short.
//! Files are written to the folder of the project only; read are files of that folder, and those that the opened
//! scene names.

// Numbers of messages and files are not to wrap. (`cast_precision_loss` is left out: no count is that large.)
#![cfg_attr(
    not(test),
    warn(
        clippy::arithmetic_side_effects,
        clippy::cast_lossless,
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_sign_loss,
        clippy::indexing_slicing
    )
)]

#[allow(clippy::indexing_slicing, reason = "links of a robot by its own numbers")]
mod cell_poses;
mod cell_text;
mod claim;
mod edit;
mod export;
mod groups;
mod http;
mod hub;
mod journal;
mod number;
mod panel;
pub mod project;
pub mod protocol;
mod review;
mod save;
#[allow(
    clippy::indexing_slicing,
    reason = "numbers of bodies in messages are checked by `Session::id` and `entry`"
)]
pub mod session;
mod shape_bytes;
mod trouble;
mod upload;
mod visitors;

pub use claim::{Claim, Taken};
pub use http::{ServeError, Server, new_token, serve};
pub use panel::{BodyOfPanel, Panel, PanelHost};
pub use project::{OpenError, Opening, Project, confined};
pub use trouble::Trouble;
