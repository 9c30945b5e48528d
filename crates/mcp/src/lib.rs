//! A [Model Context Protocol](https://modelcontextprotocol.io) server: collision queries of a design for agents and
//! scripts, as lines of JSON-RPC 2.0 over standard input and output.
//!
//! [`serve`] answers until its input ends. Requests are read on the calling thread, so that pings and cancellations are
//! answered while a query runs; queries run one at a time. Files are read below the folders of
//! [`noli_formats::restrict_reading`] only.
//!
//! Modules build on each other in this order: `json_rpc` (messages), `answer`, `arguments`, `call` (limits of one call),
//! `files` (paths), `tools` (one file per tool), `protocol` (methods), `server`.

// Numbers of messages and files are not to be cut, to wrap or to be looked up unchecked.
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

mod answer;
mod arguments;
mod call;
mod files;
#[allow(clippy::indexing_slicing, reason = "keys of JSON objects of its own making")]
mod json_rpc;
mod output;
mod progress;
#[allow(clippy::indexing_slicing, reason = "keys of JSON objects of its own making")]
mod protocol;
mod server;
mod tools;

pub use server::{ServeOptions, serve};

/// The examples of the readme are tested.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
