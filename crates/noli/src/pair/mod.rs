//! Pair tests: one file per pair of model forms and kind of answer.

mod compound;
pub(crate) mod convex_convex;
mod field;
mod field_convex;
pub(crate) mod field_mesh;
pub(crate) mod general;
mod half_space;
mod leaf;
mod leaf_distance;
mod mesh_convex;
pub(crate) mod mesh_distance;
pub(crate) mod mesh_mesh;
pub(crate) mod mesh_motion;
pub(crate) mod self_mesh;

/// The numbers of the bits that are set.
#[inline(always)]
fn bits(mut mask: u16) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = mask.trailing_zeros() as usize;
        mask &= mask.wrapping_sub(1);
        (lane < 16).then_some(lane)
    })
}
