//! Tests of the C interface as C and C++ programs see it; the library in Rust is the oracle.
#![allow(unsafe_code, reason = "calls of the C interface")]

mod answers;
mod compiler;
mod examples;
mod header;
mod misuse;
mod models;
mod robots;
