//! The border to C: panics become codes, pointers become references or errors.

use crate::error;
pub(crate) use crate::error::{Answer, ErrorCode, Failure};
use std::ffi::{CStr, c_char};
use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// An input record; `None` is a null pointer.
pub type In<'a, T> = Option<&'a T>;

/// Place for an answer; `None` is a null pointer. Written only if the call succeeds.
pub type Out<'a, T> = Option<&'a mut MaybeUninit<T>>;

/// Runs the body of an exported function: its error or panic becomes a code with a message.
pub(crate) fn border(body: impl FnOnce() -> Answer<()>) -> ErrorCode {
    #[cfg(target_arch = "wasm32")]
    crate::wasm::keep_panics();
    // Models and cells do not change; scratch memory is replaced after a panic (see `context`).
    let failure = match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => return ErrorCode::Ok,
        Ok(Err(failure)) => failure,
        Err(panic) => {
            let text = panic.downcast_ref::<&str>().map(ToString::to_string);
            let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
            Failure::new(ErrorCode::Internal, format!("defect of the library: {text}; please report it"))
        }
    };
    error::keep(&failure);
    failure.code
}

/// Returns the record behind a pointer.
pub(crate) fn given<'a, T>(record: In<'a, T>, what: &str) -> Answer<&'a T> {
    record.ok_or_else(|| Failure::null(what))
}

/// Returns the place for an answer.
pub(crate) fn place<'a, T>(out: Out<'a, T>, what: &str) -> Answer<&'a mut MaybeUninit<T>> {
    out.ok_or_else(|| Failure::null(what))
}

/// Returns a record that the call changes.
pub(crate) fn changed<'a, T>(record: Option<&'a mut T>, what: &str) -> Answer<&'a mut T> {
    record.ok_or_else(|| Failure::null(what))
}

/// Writes values while there is room, and returns how many there are.
pub(crate) fn fill<T>(
    items: &mut [MaybeUninit<T>],
    values: impl IntoIterator<Item = T, IntoIter: ExactSizeIterator>,
) -> usize {
    let values = values.into_iter();
    let count = values.len();
    for (item, value) in items.iter_mut().zip(values) {
        item.write(value);
    }
    count
}

/// Returns an array as a slice; null is permitted for an empty one.
///
/// # Safety
///
/// If not null, `data` points to `count` values that do not change for `'a`.
pub(crate) unsafe fn slice<'a, T>(data: *const T, count: usize, what: &str) -> Answer<&'a [T]> {
    if count == 0 {
        return Ok(&[]);
    }
    check_array(data, count, what)?;
    // SAFETY: not null, aligned and no longer than memory can be; the caller vouches for the rest.
    Ok(unsafe { std::slice::from_raw_parts(data, count) })
}

/// Returns an array for answers; null is permitted for an empty one.
///
/// # Safety
///
/// If not null, `data` points to room for `count` values that nothing else uses for `'a`.
pub(crate) unsafe fn room<'a, T>(data: *mut T, count: usize, what: &str) -> Answer<&'a mut [MaybeUninit<T>]> {
    if count == 0 {
        return Ok(&mut []);
    }
    check_array(data, count, what)?;
    // SAFETY: as above; the values need not be initialised.
    Ok(unsafe { std::slice::from_raw_parts_mut(data.cast(), count) })
}

fn check_array<T>(data: *const T, count: usize, what: &str) -> Answer<()> {
    if data.is_null() {
        return Err(Failure::null(what));
    }
    if !data.is_aligned() || count.checked_mul(size_of::<T>()).is_none_or(|bytes| bytes > isize::MAX as usize)
    {
        let message = format!("`{what}` is not aligned, or {count} items exceed the memory; give its length");
        return Err(Failure::value(message));
    }
    Ok(())
}

/// Returns a text.
///
/// # Safety
///
/// If not null, `text` ends with a zero byte and does not change for `'a`.
pub(crate) unsafe fn text<'a>(text: *const c_char, what: &str) -> Answer<&'a str> {
    if text.is_null() {
        return Err(Failure::null(what));
    }
    // SAFETY: not null, and the caller vouches for its end.
    let text = unsafe { CStr::from_ptr(text) };
    text.to_str().map_err(|_| Failure::value(format!("`{what}` is not UTF-8; convert it")))
}

/// Returns a text, or `None` for a null pointer.
///
/// # Safety
///
/// As for [`text`].
#[cfg(feature = "robot")]
pub(crate) unsafe fn optional_text<'a>(given: *const c_char, what: &str) -> Answer<Option<&'a str>> {
    if given.is_null() {
        return Ok(None);
    }
    // SAFETY: passed on to the caller.
    unsafe { text(given, what) }.map(Some)
}
