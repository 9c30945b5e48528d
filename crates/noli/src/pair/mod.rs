//! Pair tests: one file per pair of model forms.
mod leaf;
pub(crate) mod mesh_mesh;
pub(crate) mod self_mesh;
