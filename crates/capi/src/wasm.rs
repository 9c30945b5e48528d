//! Further exports in WebAssembly: memory for the arrays of the host, and messages of panics, which end the instance.

use crate::error::{self, ErrorCode, Failure};
use std::alloc::{Layout, alloc, dealloc};
use std::sync::Once;

/// Alignment of all arrays: that of the widest numbers in records.
const ALIGN: usize = 8;

/// Returns memory for so many bytes, aligned for every record; null if there is none left or `bytes` is 0.
#[unsafe(no_mangle)]
pub extern "C" fn wasm_alloc(bytes: usize) -> *mut u8 {
    match Layout::from_size_align(bytes, ALIGN) {
        // SAFETY: the size is not 0.
        Ok(layout) if bytes > 0 => unsafe { alloc(layout) },
        _ => std::ptr::null_mut(),
    }
}

/// Frees memory of [`wasm_alloc`].
///
/// # Safety
///
/// `data` and `bytes` are those of one call of `wasm_alloc` that was not freed yet; null is permitted.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wasm_free(data: *mut u8, bytes: usize) {
    if let (false, Ok(layout)) = (data.is_null(), Layout::from_size_align(bytes, ALIGN)) {
        // SAFETY: as the caller states.
        unsafe { dealloc(data, layout) };
    }
}

/// Keeps the messages of panics as the last error: a panic cannot be caught in WebAssembly, it ends as a trap.
pub(crate) fn keep_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        std::panic::set_hook(Box::new(|panic| {
            let message = format!("defect of the library: {panic}; please report it");
            error::keep(&Failure::new(ErrorCode::Internal, message));
        }));
    });
}
