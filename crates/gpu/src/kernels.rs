//! The text of the kernels: one program, in parts that also compile for the host, so that tests hold their arithmetic
//! against exact answers without a card.

/// Everything but what is launched: for a device and for the host.
pub const PARTS: [&str; 9] = [
    include_str!("../kernels/lanes.cuh"),
    include_str!("../kernels/records.cuh"),
    include_str!("../kernels/pose.cuh"),
    include_str!("../kernels/boxes.cuh"),
    include_str!("../kernels/triangles.cuh"),
    include_str!("../kernels/walk.cuh"),
    include_str!("../kernels/generate.cuh"),
    include_str!("../kernels/chain.cuh"),
    include_str!("../kernels/cell.cuh"),
];

/// The kernels themselves.
pub const ENTRY: &str = include_str!("../kernels/entry.cu");

/// The program that a device compiles.
pub fn program() -> String {
    PARTS.iter().copied().chain([ENTRY]).collect::<Vec<_>>().join("\n")
}
