//! Queries on curved bodies, and files.

mod distances;
mod files;
mod fits;
mod meshes;
mod motions;
mod nuts;
mod polyhedra;
mod rays;
mod solids;
mod volumes;
mod windows;
