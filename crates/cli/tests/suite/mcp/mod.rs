//! `noli mcp` by scripted sessions of a client: tasks of designers, wrong input, limits and the protocol itself.

mod designs;
mod protocol;
mod session;
mod tasks;
