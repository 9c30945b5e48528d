//! The words of one line, one after the other.

use super::builder::Builder;
use super::{ProgramError, ProgramFault, Remark};
use crate::token::{Placed, Token};
use noli_robot::Place;

/// A line being read.
pub(super) struct Line<'a> {
    pub(super) words: &'a [Placed],
    pub(super) at: usize,
    pub(super) depth: usize,
    pub(super) builder: &'a mut Builder,
    pub(super) remarks: &'a mut Vec<Remark>,
}

pub(super) type Parsed<T> = Result<T, ProgramError>;

impl<'a> Line<'a> {
    pub(super) fn new(words: &'a [Placed], builder: &'a mut Builder, remarks: &'a mut Vec<Remark>) -> Self {
        Self { words, at: 0, depth: 0, builder, remarks }
    }

    pub(super) fn peek(&self) -> Option<&'a Token> {
        self.ahead(0)
    }

    /// The word so many places further on.
    pub(super) fn ahead(&self, count: usize) -> Option<&'a Token> {
        self.words.get(self.at.saturating_add(count)).map(|word| &word.token)
    }

    /// Goes on to the next word.
    pub(super) fn skip(&mut self) {
        self.at = self.at.saturating_add(1);
    }

    pub(super) fn place(&self) -> Place {
        // Behind the end, where something is missing.
        let last = self.words.last().map_or(Place { line: 1, column: 0 }, |word| word.place);
        self.words
            .get(self.at)
            .map_or(Place { column: last.column.saturating_add(1), ..last }, |word| word.place)
    }

    /// The start of the line.
    pub(super) fn start(&self) -> Place {
        self.words.first().map_or(Place { line: 1, column: 1 }, |word| word.place)
    }

    pub(super) fn peek_word(&self) -> Option<&'a str> {
        match self.peek() {
            Some(Token::Word(word)) => Some(word),
            _ => None,
        }
    }

    pub(super) fn expected<T>(&self, wanted: &str) -> Parsed<T> {
        let found = match self.peek() {
            None => "the end of the line".to_owned(),
            Some(Token::Word(word)) => format!("`{word}`"),
            Some(Token::Number(number)) => format!("the number {number}"),
            Some(Token::Text(_)) => "a text".to_owned(),
            Some(Token::Sign(sign)) => format!("`{sign}`"),
        };
        Err(ProgramError::new(self.place(), ProgramFault::Expected { wanted: wanted.to_owned(), found }))
    }

    pub(super) fn sign(&mut self, sign: &str) -> bool {
        let there = matches!(self.peek(), Some(Token::Sign(found)) if *found == sign);
        if there {
            self.skip();
        }
        there
    }

    pub(super) fn need_sign(&mut self, sign: &'static str) -> Parsed<()> {
        if self.sign(sign) { Ok(()) } else { self.expected(&format!("`{sign}`")) }
    }

    pub(super) fn word(&mut self, word: &str) -> bool {
        let there = self.peek_word() == Some(word);
        if there {
            self.skip();
        }
        there
    }

    pub(super) fn need_word(&mut self, word: &'static str) -> Parsed<()> {
        if self.word(word) { Ok(()) } else { self.expected(&format!("`{word}`")) }
    }

    pub(super) fn any_word(&mut self, wanted: &str) -> Parsed<&'a str> {
        match self.peek_word() {
            Some(word) => {
                self.skip();
                Ok(word)
            }
            None => self.expected(wanted),
        }
    }

    pub(super) fn done(&self) -> bool {
        self.at >= self.words.len()
    }

    pub(super) fn remark(&mut self, place: Place, text: impl Into<String>) {
        // A thousand are more than a reader needs.
        if self.remarks.len() < 1000 {
            self.remarks.push(Remark { place, text: text.into() });
        }
    }
}
