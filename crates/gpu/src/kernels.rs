//! The text of the kernels: one program, in parts that also compile for the host, so that tests hold their arithmetic
//! against exact answers without a GPU.

/// Everything but what is launched: for a device and for the host.
pub const PARTS: [&str; 8] = [
    include_str!("../kernels/lanes.cuh"),
    include_str!("../kernels/records.cuh"),
    include_str!("../kernels/pose.cuh"),
    include_str!("../kernels/boxes.cuh"),
    include_str!("../kernels/triangles.cuh"),
    include_str!("../kernels/walk.cuh"),
    include_str!("../kernels/inside.cuh"),
    include_str!("../kernels/generate.cuh"),
];

/// The same about robots, after [`PARTS`].
pub const ROBOT_PARTS: [&str; 2] =
    [include_str!("../kernels/chain.cuh"), include_str!("../kernels/cell.cuh")];

/// The same about stages, after [`ROBOT_PARTS`].
pub const STAGE_PARTS: [&str; 8] = [
    include_str!("../kernels/places.cuh"),
    include_str!("../kernels/cloud_grids.cuh"),
    include_str!("../kernels/filter.cuh"),
    include_str!("../kernels/spheres.cuh"),
    include_str!("../kernels/planes.cuh"),
    include_str!("../kernels/clouds.cuh"),
    include_str!("../kernels/states.cuh"),
    include_str!("../kernels/segments.cuh"),
];

/// The program that a device compiles for configurations in stages.
pub fn stage_program() -> String {
    let parts = PARTS.iter().chain(&ROBOT_PARTS).chain(&STAGE_PARTS).copied();
    parts.chain([include_str!("../kernels/stages.cu")]).collect::<Vec<_>>().join("\n")
}

/// The program that a device compiles for edges in stages.
pub fn edge_program() -> String {
    [&stage_program(), include_str!("../kernels/edges.cu")].join("\n")
}

/// The program that a device compiles for poses of two bodies.
pub fn program() -> String {
    let parts = PARTS.iter().copied().chain([include_str!("../kernels/entry.cu")]);
    parts.collect::<Vec<_>>().join("\n")
}

/// The program that a device compiles for robots.
pub fn robot_program() -> String {
    let parts = PARTS.iter().chain(&ROBOT_PARTS).copied().chain([include_str!("../kernels/robots.cu")]);
    parts.collect::<Vec<_>>().join("\n")
}
