//! A cell as its kernels see it.

use cudarc::driver::DeviceRepr;

/// As `Cell` in `cell.cuh`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct View {
    pub(super) tables: [u64; 9],
    pub(super) counts: [u32; 8],
}

// SAFETY: addresses and counts in the order and with the alignment of the kernels' own struct, without padding.
#[allow(unsafe_code, reason = "the one way to hand a struct to a kernel")]
unsafe impl DeviceRepr for View {}

const _: () = assert!(size_of::<View>() == 9 * 8 + 8 * 4, "no padding");
