//! Errors of the check, by the codes of docs/certificates.md, section 10.

use std::fmt;

/// A reason why a certificate is not valid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckError {
    /// The code, such as `E-PLANE`.
    pub code: &'static str,
    /// The item of the sequence, counted from the header.
    pub item: Option<usize>,
    /// Explanation for people.
    pub message: String,
}

impl CheckError {
    pub(crate) fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, item: None, message: message.into() }
    }

    /// Returns `true` if the file could not be read, so that nothing was decided.
    pub fn is_unreadable(&self) -> bool {
        matches!(self.code, "E-CBOR" | "E-VERSION" | "E-MISSING")
    }
}

impl fmt::Display for CheckError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.message)
    }
}

impl std::error::Error for CheckError {}

pub(crate) type Result<T> = std::result::Result<T, CheckError>;

/// Fails with the code and message unless the condition holds.
pub(crate) fn require(condition: bool, code: &'static str, message: impl Into<String>) -> Result<()> {
    if condition { Ok(()) } else { Err(CheckError::new(code, message)) }
}

/// Returns the value, or fails with the code and message.
pub(crate) fn required<T>(value: Option<T>, code: &'static str, message: &str) -> Result<T> {
    value.ok_or_else(|| CheckError::new(code, message))
}
