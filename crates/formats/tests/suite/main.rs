//! The tests of the crate from outside, in one program: linking takes longer than running most of them.

mod dxf;
mod gltf;
mod mesh_files;
mod packed;
mod points;
mod read_faults;
mod real_data;
