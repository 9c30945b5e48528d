//! Certificates are written, accepted by a naive checker, and rejected when anything in them is changed.

mod checker;
mod contents;
mod examples;
mod forgeries;
mod motions;
mod mutations;
mod robots;
mod rules;
mod statics;
mod worlds;
