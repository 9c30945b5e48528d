//! Keywords, parameters and comments of the clear-text encoding, read one after the other.

use super::StepError;
use super::text::decode;

/// Deepest nesting of lists and typed parameters; files in use have at most six.
const MAX_NESTING: usize = 64;

/// A parameter of an instance; 24 bytes, as a file has millions.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    /// An integer or a real; integers up to 2^53 are exact.
    Number(f64),
    Text(Box<str>),
    /// `.NAME.`, without the dots.
    Enumeration(Box<str>),
    /// `#12`.
    Reference(u64),
    List(Box<[Value]>),
    /// `NAME(parameters)`.
    Typed(Box<Record>),
    /// `$`.
    Unset,
    /// `*`.
    Derived,
}

/// One keyword with its parameters.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Record {
    pub(super) keyword: String,
    pub(super) values: Box<[Value]>,
}

/// The remedy for damage.
pub(super) const REWRITE: &str = "write the file again in its CAD program";

/// Bytes that an allocation takes beyond its content.
const OVERHEAD: usize = 16;

/// A place in the text of a file.
pub(super) struct Scanner<'b> {
    bytes: &'b [u8],
    at: usize,
    line: usize,
    /// Bytes that may still be taken for what is read.
    memory: usize,
    /// Parameters of the lists that are not closed yet.
    open: Vec<Value>,
}

#[allow(
    clippy::arithmetic_side_effects,
    reason = "places in the file, and few beyond; lines and depths are fewer"
)]
impl<'b> Scanner<'b> {
    /// Reads a text into no more than so many bytes of memory.
    pub(super) fn new(bytes: &'b [u8], memory: usize) -> Self {
        Self { bytes, at: 0, line: 1, memory, open: Vec::new() }
    }

    /// Takes memory for an allocation of some bytes.
    pub(super) fn take(&mut self, bytes: usize) -> Result<(), StepError> {
        let left = self.memory.checked_sub(bytes.saturating_add(OVERHEAD));
        self.memory = left.ok_or_else(|| {
            self.error("its entities need more memory than is allowed", "split the file, or raise --memory")
        })?;
        Ok(())
    }

    /// The line of this place, from 1.
    pub(super) fn line(&self) -> usize {
        self.line
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    pub(super) fn error(&self, reason: impl Into<String>, remedy: &str) -> StepError {
        StepError::new(self.line, reason, remedy)
    }

    fn unexpected(&self, wanted: &str) -> StepError {
        let found = match self.peek() {
            None => "the end of the file".to_owned(),
            Some(byte) => format!("'{}'", char::from(byte).escape_default()),
        };
        self.error(
            format!("expected {wanted}, found {found}"),
            "the file may be cut off or damaged; write it again",
        )
    }

    /// Skips white space and comments.
    pub(super) fn blank(&mut self) -> Result<(), StepError> {
        while let Some(byte) = self.peek() {
            match byte {
                b'\n' => self.line += 1,
                b' ' | b'\t' | b'\r' | 0x0b | 0x0c => {}
                // Print control directives.
                b'\\' if matches!(self.bytes.get(self.at + 1..self.at + 3), Some(b"N\\" | b"F\\")) => {
                    self.at += 2
                }
                b'/' if self.bytes.get(self.at + 1) == Some(&b'*') => {
                    let from = self.line;
                    self.at += 2;
                    while !self.rest().starts_with(b"*/") {
                        match self.peek() {
                            None => {
                                return Err(StepError::new(
                                    from,
                                    "a comment does not end",
                                    "close it with */",
                                ));
                            }
                            Some(b'\n') => self.line += 1,
                            _ => {}
                        }
                        self.at += 1;
                    }
                    self.at += 1;
                }
                _ => return Ok(()),
            }
            self.at += 1;
        }
        Ok(())
    }

    fn rest(&self) -> &[u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    /// The text from a place up to here.
    fn since(&self, start: usize) -> &[u8] {
        self.bytes.get(start..self.at).unwrap_or_default()
    }

    pub(super) fn takes(&mut self, text: &[u8]) -> bool {
        let found = self.rest().starts_with(text);
        self.at += if found { text.len() } else { 0 };
        found
    }

    pub(super) fn expect(&mut self, byte: u8) -> Result<(), StepError> {
        self.blank()?;
        if self.peek() != Some(byte) {
            return Err(self.unexpected(&format!("'{}'", char::from(byte))));
        }
        self.at += 1;
        Ok(())
    }

    /// A keyword in capitals; user-defined ones keep their `!`.
    pub(super) fn keyword(&mut self) -> Result<String, StepError> {
        self.blank()?;
        let start = self.at;
        while self.peek().is_some_and(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'!')) {
            self.at += 1;
        }
        if start == self.at {
            return Err(self.unexpected("a keyword"));
        }
        Ok(String::from_utf8_lossy(self.since(start)).to_ascii_uppercase())
    }

    pub(super) fn reference(&mut self) -> Result<u64, StepError> {
        self.at += 1;
        let start = self.at;
        while self.peek().is_some_and(|b| b.is_ascii_digit()) {
            self.at += 1;
        }
        let digits = std::str::from_utf8(self.since(start)).unwrap_or_default();
        digits.parse().map_err(|_| self.unexpected("an instance number after '#'"))
    }

    pub(super) fn record(&mut self, depth: usize) -> Result<Record, StepError> {
        let keyword = self.keyword()?;
        self.blank()?;
        if self.peek() != Some(b'(') {
            return Err(self.unexpected("'('"));
        }
        self.take(keyword.len())?;
        Ok(Record { keyword, values: self.list(depth)? })
    }

    pub(super) fn complex(&mut self) -> Result<Vec<Record>, StepError> {
        self.at += 1;
        let mut records = Vec::new();
        loop {
            self.blank()?;
            if self.peek() == Some(b')') {
                self.at += 1;
                return Ok(records);
            }
            records.push(self.record(0)?);
        }
    }

    /// Parameters in parentheses; the scanner is at the opening one.
    pub(super) fn list(&mut self, depth: usize) -> Result<Box<[Value]>, StepError> {
        if depth > MAX_NESTING {
            return Err(self.error(format!("lists are nested more than {MAX_NESTING} deep"), REWRITE));
        }
        self.at += 1;
        let first = self.open.len();
        self.blank()?;
        if self.peek() == Some(b')') {
            self.at += 1;
            return Ok(Box::default());
        }
        loop {
            let value = self.value(depth)?;
            self.open.push(value);
            self.blank()?;
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b')') => {
                    self.at += 1;
                    self.take((self.open.len() - first).saturating_mul(size_of::<Value>()))?;
                    return Ok(self.open.drain(first..).collect());
                }
                _ => return Err(self.unexpected("',' or ')'")),
            }
        }
    }

    fn value(&mut self, depth: usize) -> Result<Value, StepError> {
        self.blank()?;
        match self.peek() {
            Some(b'$') => {
                self.at += 1;
                Ok(Value::Unset)
            }
            Some(b'*') => {
                self.at += 1;
                Ok(Value::Derived)
            }
            Some(b'#') => Ok(Value::Reference(self.reference()?)),
            Some(b'\'') => {
                let text = self.text()?;
                self.take(text.len())?;
                Ok(Value::Text(text.into()))
            }
            Some(b'"') => {
                self.binary()?;
                Ok(Value::Unset)
            }
            Some(b'(') => Ok(Value::List(self.list(depth + 1)?)),
            Some(b'.') if !self.bytes.get(self.at + 1).is_some_and(u8::is_ascii_digit) => {
                self.at += 1;
                let name = self.keyword()?;
                self.expect(b'.')?;
                self.take(name.len())?;
                Ok(Value::Enumeration(name.into()))
            }
            Some(b) if b.is_ascii_digit() || matches!(b, b'+' | b'-' | b'.') => self.number(),
            Some(b) if b.is_ascii_alphabetic() || b == b'!' => {
                let record = self.record(depth + 1)?;
                self.take(size_of::<Record>())?;
                Ok(Value::Typed(Box::new(record)))
            }
            _ => Err(self.unexpected("a parameter")),
        }
    }

    fn number(&mut self) -> Result<Value, StepError> {
        let start = self.at;
        while self.peek().is_some_and(|b| b.is_ascii_digit() || matches!(b, b'+' | b'-' | b'.' | b'E' | b'e'))
        {
            self.at += 1;
        }
        let text = std::str::from_utf8(self.since(start)).unwrap_or_default();
        match text.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(Value::Number(number)),
            _ => Err(self.error(format!("'{text}' is not a finite number"), "correct the number")),
        }
    }

    fn binary(&mut self) -> Result<(), StepError> {
        self.at += 1;
        while self.peek().is_some_and(|b| b.is_ascii_hexdigit()) {
            self.at += 1;
        }
        self.expect(b'"')
    }

    /// A string with its directives decoded.
    fn text(&mut self) -> Result<String, StepError> {
        let from = self.line;
        self.at += 1;
        let mut raw = Vec::new();
        loop {
            match self.peek() {
                None => {
                    return Err(StepError::new(from, "a string does not end", "close it with an apostrophe"));
                }
                Some(b'\'') if self.bytes.get(self.at + 1) == Some(&b'\'') => {
                    raw.push(b'\'');
                    self.at += 1;
                }
                Some(b'\'') if self.ends_text() => {
                    self.at += 1;
                    return Ok(decode(&raw));
                }
                // A string may be broken over lines; the break is no part of it.
                Some(b'\n') => self.line += 1,
                Some(b'\r') => {}
                Some(byte) => raw.push(byte),
            }
            self.at += 1;
        }
    }

    /// Returns `true` if an apostrophe ends a string: a separator follows. Some programs write a single apostrophe
    /// inside a string.
    fn ends_text(&self) -> bool {
        let rest = self.rest().iter().skip(1);
        let next = rest.copied().find(|byte| !byte.is_ascii_whitespace());
        next.is_none_or(|byte| matches!(byte, b',' | b')' | b'/' | b';'))
    }

    pub(super) fn skip_section(&mut self) -> Result<(), StepError> {
        loop {
            self.blank()?;
            match self.peek() {
                None => return Err(self.unexpected("ENDSEC")),
                Some(b'\'') => {
                    self.text()?;
                }
                Some(b) if b.is_ascii_alphabetic() => {
                    if self.keyword()? == "ENDSEC" {
                        return self.expect(b';');
                    }
                }
                _ => self.at += 1,
            }
        }
    }
}
