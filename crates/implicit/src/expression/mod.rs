//! Functions of x, y and z as expressions.

pub(crate) mod expr;
pub(crate) mod op;
pub mod shapes;
