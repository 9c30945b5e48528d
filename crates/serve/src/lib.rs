//! The studio: a server for one machine, and the state that all its tabs share.
//!
//! [`Project::open`] reads a scene, files or a bundled assembly; [`serve`] answers the page of it until it is told to
//! stop. One thread owns the [`session`]: what bodies there are, where they stand, what was found. Tabs send commands
//! over a WebSocket and are told what changed; long work runs beside it and can be stopped. The page makes no verdicts.
//!
//! Only this machine is served: the listener is expected to be on a loopback address, every request must carry the
//! token, and those of other origins are refused. Files are read from and written to the folder of the project only.

mod export;
mod http;
mod hub;
mod journal;
pub mod project;
pub mod protocol;
mod save;
pub mod session;

pub use http::{ServeError, Server, new_token, serve};
pub use project::{OpenError, Opening, Project};
