//! The last error of a thread, and versions.

use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char};

/// Status of a call; the values of `noli_status` in the header.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
#[non_exhaustive]
pub enum ErrorCode {
    /// The call did what it should.
    Ok = 0,
    /// A pointer is null that must not be.
    Null = 1,
    /// A handle was freed, was never given out, or is of another kind.
    Handle = 2,
    /// A number is NaN, infinite or out of range, or data does not make a shape.
    Value = 3,
    /// A file cannot be read, or its content is wrong.
    File = 4,
    /// The context is in use by another thread.
    Busy = 5,
    /// A defect of the library; the objects of the call stay valid.
    Internal = 6,
}

/// Reason why a call failed.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) code: ErrorCode,
    pub(crate) message: String,
}

impl Failure {
    pub(crate) fn new(code: ErrorCode, message: impl ToString) -> Self {
        Self { code, message: message.to_string() }
    }

    pub(crate) fn null(what: &str) -> Self {
        Self::new(ErrorCode::Null, format!("`{what}` is a null pointer; give the address of a value"))
    }

    pub(crate) fn value(message: impl ToString) -> Self {
        Self::new(ErrorCode::Value, message)
    }
}

pub(crate) type Answer<T> = Result<T, Failure>;

/// The interface of the header; raised when a function or a structure changes.
const ABI: u32 = 1;

const VERSION: &CStr = match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
    Ok(text) => text,
    Err(_) => c"",
};

thread_local! {
    static LAST: RefCell<(ErrorCode, CString)> = RefCell::new((ErrorCode::Ok, CString::default()));
}

/// Keeps the error for `noli_last_error_message`.
pub(crate) fn keep(failure: &Failure) {
    let text: Vec<u8> = failure.message.bytes().filter(|byte| *byte != 0).collect();
    let text = CString::new(text).unwrap_or_default();
    // A thread that ends has no last error any more.
    let _ = LAST.try_with(|last| {
        if let Ok(mut last) = last.try_borrow_mut() {
            *last = (failure.code, text);
        }
    });
}

/// Returns the message of the last error of this thread; valid until its next failing call.
#[unsafe(no_mangle)]
pub extern "C" fn noli_last_error_message() -> *const c_char {
    LAST.try_with(|last| last.try_borrow().map_or(c"".as_ptr(), |last| last.1.as_ptr()))
        .unwrap_or(c"".as_ptr())
}

/// Returns the code of the last error of this thread; `NOLI_OK` if it has had none.
#[unsafe(no_mangle)]
pub extern "C" fn noli_last_error_code() -> ErrorCode {
    LAST.try_with(|last| last.try_borrow().map_or(ErrorCode::Ok, |last| last.0)).unwrap_or(ErrorCode::Ok)
}

/// Returns the version of the library as text, such as "0.1.0".
#[unsafe(no_mangle)]
pub extern "C" fn noli_version() -> *const c_char {
    VERSION.as_ptr()
}

/// Returns the version of the interface, `NOLI_ABI_VERSION` of the header it was built with.
#[unsafe(no_mangle)]
pub extern "C" fn noli_abi_version() -> u32 {
    ABI
}
