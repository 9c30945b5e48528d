//! A DXF file as what it is: pairs of lines, a group code and a value.

use crate::error::{FileError, Place};
use crate::text::{Text, check_coordinate, excerpt, integer, number};

/// A group code with its value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair<'a> {
    pub(super) code: i64,
    pub(super) value: &'a [u8],
    /// The line of the value.
    pub(super) place: Place,
}

impl Pair<'_> {
    pub(super) fn coordinate(&self) -> Result<f64, FileError> {
        check_coordinate(self.number()?, self.place)
    }

    pub(super) fn number(&self) -> Result<f64, FileError> {
        number(self.value, self.place)
    }

    pub(super) fn integer(&self) -> Result<i64, FileError> {
        integer(self.value).ok_or_else(|| {
            let reason = format!("`{}` found where a whole number was expected", excerpt(self.value));
            FileError::new(self.place, reason, "correct the number")
        })
    }
}

/// Reads pairs.
pub(super) struct Pairs<'a> {
    text: Text<'a>,
    next: Option<Pair<'a>>,
}

impl<'a> Pairs<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Result<Self, FileError> {
        let mut pairs = Self { text: Text::new(bytes.trim_ascii_end()), next: None };
        pairs.advance()?;
        Ok(pairs)
    }

    /// The pair to come.
    pub(super) fn peek(&self) -> Option<Pair<'a>> {
        self.next
    }

    /// Takes the next pair; content after `EOF` is ignored.
    pub(super) fn take(&mut self) -> Result<Option<Pair<'a>>, FileError> {
        let taken = self.next.take();
        if taken.is_some_and(|pair| pair.code != 0 || pair.value != b"EOF") {
            self.advance()?;
        }
        Ok(taken)
    }

    /// Fills `pairs` with those up to the next code 0, which starts something new.
    pub(super) fn body(&mut self, pairs: &mut Vec<Pair<'a>>) -> Result<(), FileError> {
        pairs.clear();
        while let Some(pair) = self.next.filter(|pair| pair.code != 0) {
            pairs.push(pair);
            self.advance()?;
        }
        Ok(())
    }

    fn advance(&mut self) -> Result<(), FileError> {
        self.next = self.read()?;
        while self.next.is_some_and(|pair| pair.code == 999) {
            self.next = self.read()?; // a comment
        }
        Ok(())
    }

    fn read(&mut self) -> Result<Option<Pair<'a>>, FileError> {
        if self.text.bytes_left() == 0 {
            return Ok(None);
        }
        let code_text = self.text.rest_of_line();
        let Some(code) = integer(code_text) else {
            let reason = format!("`{}` found where a group code was expected", excerpt(code_text));
            return Err(self.text.error(reason, "check that a line is not missing before it"));
        };
        if !self.text.skip_line() {
            let reason = format!("the file ends after the group code {code}");
            return Err(self.text.error(reason, "check that it was written completely"));
        }
        let value = self.text.rest_of_line();
        let pair = Pair { code, value, place: self.text.place() };
        self.text.skip_line();
        Ok(Some(pair))
    }
}
