//! Text to expressions: formulas and `.vm` files, with errors that point at the place.

mod formula;
mod functions;
mod token;
mod vm;

pub use formula::parse_formula;
pub use vm::parse_vm;

use std::fmt;

/// Parse error: position, cause and remedy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct FormulaError {
    /// The line, counted from 1.
    pub line: usize,
    /// The character in the line, counted from 1.
    pub column: usize,
    /// Text of the line around the position.
    pub excerpt: String,
    /// Position in the excerpt, in characters from 0.
    pub caret: usize,
    /// Cause of the error.
    pub reason: String,
    /// Remedy.
    pub remedy: String,
}

impl fmt::Display for FormulaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "line {}, column {}: {}; {}", self.line, self.column, self.reason, self.remedy)?;
        writeln!(f, "  {}", self.excerpt)?;
        write!(f, "  {:>width$}", "^", width = self.caret + 1)
    }
}

/// Characters shown on either side of the place.
const EXCERPT: usize = 30;

/// An error at a byte of the text.
fn error_at(text: &str, byte: usize, reason: impl Into<String>, remedy: impl Into<String>) -> FormulaError {
    let mut byte = byte.min(text.len());
    while !text.is_char_boundary(byte) {
        byte -= 1;
    }
    let start = text[..byte].rfind('\n').map_or(0, |i| i + 1);
    let end = text[byte..].find('\n').map_or(text.len(), |i| byte + i);
    let before: Vec<char> = text[start..byte].chars().collect();
    let shown: Vec<char> = before.iter().rev().take(EXCERPT).rev().copied().collect();
    let after = text[byte..end].chars().take(EXCERPT);
    let printable = |c: char| if c.is_control() { ' ' } else { c };
    FormulaError {
        line: text[..start].matches('\n').count() + 1,
        column: before.len() + 1,
        caret: shown.len(),
        excerpt: shown.iter().copied().chain(after).map(printable).collect(),
        reason: reason.into(),
        remedy: remedy.into(),
    }
}
