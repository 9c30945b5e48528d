//! A cursor over the bytes of a text file: tokens, lines, numbers. Lines end in LF, CR LF or a lone
//! CR. No copies; every byte is visited a bounded number of times.

use crate::error::{FileError, Place};
use noli_geom::MAX_COORDINATE;

pub(crate) struct Text<'a> {
    bytes: &'a [u8],
    at: usize,
    line: usize,
}

#[allow(clippy::arithmetic_side_effects, reason = "places in the file, and one byte beyond; lines are fewer")]
impl<'a> Text<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        let at = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        Self { bytes, at, line: 1 }
    }

    /// The line of the token read last.
    pub(crate) fn place(&self) -> Place {
        Place::Line(self.line)
    }

    /// Returns the number of consumed bytes.
    pub(crate) fn offset(&self) -> usize {
        self.at
    }

    /// Returns the number of bytes left.
    pub(crate) fn bytes_left(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// The next token of this line; a backslash at its end joins the next line to it.
    pub(crate) fn token_on_line(&mut self) -> Option<&'a [u8]> {
        loop {
            match *self.bytes.get(self.at)? {
                b'\\' if self.ends_line(self.at + 1) => {
                    self.at += 1;
                    self.skip_line();
                }
                byte if is_space(byte) && !self.is_newline(self.at) => self.at += 1,
                _ if self.is_newline(self.at) => return None,
                _ => break,
            }
        }
        let start = self.at;
        while let Some(&byte) = self.bytes.get(self.at) {
            if is_space(byte) || (byte == b'\\' && self.ends_line(self.at + 1)) {
                break;
            }
            self.at += 1;
        }
        self.bytes.get(start..self.at)
    }

    /// The next token on this line or a later one; `#` starts a comment.
    pub(crate) fn token(&mut self) -> Option<&'a [u8]> {
        loop {
            match self.token_on_line() {
                Some(token) if !token.starts_with(b"#") => return Some(token),
                _ if !self.skip_line() => return None,
                _ => {}
            }
        }
    }

    /// Goes to the start of the next line; false at the end of the file.
    pub(crate) fn skip_line(&mut self) -> bool {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let mut from = 0;
        let end_of_line = |from: usize| rest.get(from..)?.iter().position(|&b| b == b'\n' || b == b'\r');
        while let Some(length) = end_of_line(from) {
            from += length + 1;
            if self.is_newline(self.at + from - 1) {
                self.at += from;
                self.line += 1;
                return true;
            }
        }
        self.at = self.bytes.len();
        false
    }

    /// Returns the rest of this line, without surrounding spaces.
    pub(crate) fn rest_of_line(&mut self) -> &'a [u8] {
        let start = self.at;
        let rest = self.bytes.get(start..).unwrap_or_default();
        let line = rest.split(|&b| b == b'\n' || b == b'\r').next().unwrap_or_default();
        self.at = start + line.len();
        line.trim_ascii()
    }

    /// A finite number within the allowed range.
    pub(crate) fn coordinate(&self, token: &[u8]) -> Result<f64, FileError> {
        check_coordinate(number(token, self.place())?, self.place())
    }

    /// The next token on this line as a coordinate.
    pub(crate) fn coordinate_on_line(&mut self) -> Result<f64, FileError> {
        match self.token_on_line() {
            Some(token) => self.coordinate(token),
            None => Err(self.error("a coordinate is missing", "give x, y and z on the line")),
        }
    }

    pub(crate) fn error(&self, reason: impl Into<String>, remedy: impl Into<String>) -> FileError {
        FileError::new(self.place(), reason, remedy)
    }

    fn is_newline(&self, at: usize) -> bool {
        match self.bytes.get(at) {
            Some(b'\n') => true,
            Some(b'\r') => self.bytes.get(at + 1) != Some(&b'\n'),
            _ => false,
        }
    }

    /// Returns `true` if a line end (or the end of the file) starts here.
    fn ends_line(&self, at: usize) -> bool {
        matches!(self.bytes.get(at), None | Some(b'\n' | b'\r'))
    }
}

/// A decimal number, perhaps not a finite one.
pub(crate) fn number(token: &[u8], place: Place) -> Result<f64, FileError> {
    std::str::from_utf8(token).ok().and_then(|text| text.parse().ok()).ok_or_else(|| {
        let reason = format!("`{}` is not a number", excerpt(token));
        FileError::new(place, reason, "write a decimal number such as 1.5 or 2e-3")
    })
}

/// Refuses what no mesh may hold, at its place in the file.
pub(crate) fn check_coordinate(number: f64, place: Place) -> Result<f64, FileError> {
    if !number.is_finite() {
        let reason = format!("a coordinate is {number}");
        return Err(FileError::new(place, reason, "remove the vertex or give it a finite position"));
    }
    if number.abs() > MAX_COORDINATE {
        let reason = format!("a coordinate exceeds {MAX_COORDINATE:e}");
        return Err(FileError::new(place, reason, "use a larger unit of length"));
    }
    Ok(number)
}

/// A whole number with an optional sign; `None` if it is anything else or does not fit.
pub(crate) fn integer(token: &[u8]) -> Option<i64> {
    let (negative, digits) = match token {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] => (false, digits),
        digits => (false, digits),
    };
    if digits.is_empty() || digits.len() > 18 {
        return None;
    }
    let mut value = 0i64;
    for &digit in digits {
        if !digit.is_ascii_digit() {
            return None;
        }
        value = value.checked_mul(10)?.checked_add(i64::from(digit & 0x0f))?;
    }
    Some(if negative { value.saturating_neg() } else { value })
}

/// A token as it may be shown in a message.
pub(crate) fn excerpt(token: &[u8]) -> String {
    const LONGEST: usize = 40;
    let shown = String::from_utf8_lossy(token.get(..LONGEST).unwrap_or(token)).escape_debug().to_string();
    if token.len() > LONGEST { shown + "…" } else { shown }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | 0x0b | 0x0c)
}
