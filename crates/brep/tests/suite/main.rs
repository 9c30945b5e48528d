//! Queries on curved bodies, and files.

mod distances;
mod files;
mod fits;
mod meshes;
mod motions;
mod nuts;
mod pieces;
mod polyhedra;
mod rays;
mod sectors;
mod solids;
mod volumes;
mod windows;
