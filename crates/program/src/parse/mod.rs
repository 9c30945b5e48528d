//! Text to programs.

mod builder;
mod expression;
mod flow;
mod line;
mod statement;

pub(crate) use crate::fault::{ProgramError, ProgramFault, Remark};
pub use statement::STATEMENTS;

use super::code::{Op, Program};
use super::token::{Placed, Token, tokens};
use builder::Builder;
use line::Line;
use noli_robot::Place;
use std::str::FromStr;

/// All programs of a text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Programs {
    /// In the order of the text; the first is the one to run.
    pub list: Vec<Program>,
    /// Warnings.
    pub remarks: Vec<Remark>,
}

impl Programs {
    /// A program by its name, in any case.
    pub fn get(&self, name: &str) -> Option<&Program> {
        self.list.iter().find(|program| program.name.eq_ignore_ascii_case(name))
    }
}

/// Longest text, and deepest containment of parentheses and blocks.
const MAX_TEXT: usize = 16 << 20;
const MAX_DEPTH: usize = 100;

impl FromStr for Programs {
    type Err = ProgramError;

    /// Reads programs: `.PROGRAM name() … .END`, `main program name …`, `EDIT name … E`, or bare statements,
    /// which are a program `MAIN`.
    ///
    /// ```
    /// let programs: noli_program::Programs = "main program pick\nMOVE safe\nAPPRO 50 part1\n".parse()?;
    /// assert_eq!(programs.list[0].name, "PICK");
    /// assert!(programs.remarks[0].text.contains("distance first"));
    /// let error = "MOVE safe\nMOEV part1\n".parse::<noli_program::Programs>().unwrap_err();
    /// assert_eq!(error.to_string(), "line 2, column 1: `MOEV` is no statement; did you mean `MOVE`?");
    /// # Ok::<(), noli_program::ProgramError>(())
    /// ```
    fn from_str(text: &str) -> Result<Self, ProgramError> {
        if text.len() > MAX_TEXT {
            let place = Place { line: 1, column: 1 };
            return Err(ProgramError::new(place, ProgramFault::TooLarge("16 MiB at most")));
        }
        let mut programs = Programs::default();
        let mut open: Option<Builder> = None;
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        for (number, line) in (1..).zip(text.lines()) {
            let words = tokens(line, number)?;
            let Some(first) = words.first() else { continue };
            let place = first.place;
            match heading(&words)? {
                Some(Heading::Begin(name)) => {
                    if let Some(builder) = open.take() {
                        programs.list.push(builder.finish()?);
                    }
                    if programs.get(&name).is_some() {
                        return Err(ProgramError::new(place, ProgramFault::ProgramTwice(name)));
                    }
                    open = Some(Builder::new(name, place));
                }
                Some(Heading::End(word)) => match open.take() {
                    Some(builder) => programs.list.push(builder.finish()?),
                    None => return Err(ProgramError::new(place, ProgramFault::NothingOpen(word.to_owned()))),
                },
                None => {
                    if open.is_none() && programs.get("MAIN").is_some() {
                        return Err(ProgramError::new(place, ProgramFault::ProgramTwice("MAIN".to_owned())));
                    }
                    let builder = open.get_or_insert_with(|| Builder::new("MAIN".to_owned(), place));
                    Line::new(&words, builder, &mut programs.remarks).statement()?;
                }
            }
        }
        if let Some(builder) = open {
            programs.list.push(builder.finish()?);
        }
        check_calls(&programs)?;
        Ok(programs)
    }
}

enum Heading {
    Begin(String),
    End(&'static str),
}

/// Parses a line that begins or ends a program.
fn heading(words: &[Placed]) -> Result<Option<Heading>, ProgramError> {
    let word = |k: usize| match words.get(k).map(|word| &word.token) {
        Some(Token::Word(word)) => Some(word.as_str()),
        _ => None,
    };
    let dotted = words.first().is_some_and(|word| word.token == Token::Sign("."));
    let name_at = match (dotted, word(0), word(1)) {
        (true, _, Some("PROGRAM")) => 2,
        (true, _, Some("END")) => return Ok(Some(Heading::End(".END"))),
        (false, Some("MAIN"), Some("PROGRAM")) => 2,
        (false, Some("PROGRAM" | "EDIT"), Some(_)) => 1,
        (false, Some("E"), None) if words.len() == 1 => return Ok(Some(Heading::End("E"))),
        _ => return Ok(None),
    };
    let Some(name) = word(name_at) else {
        let place =
            words.get(name_at).or(words.last()).map_or(Place { line: 1, column: 1 }, |word| word.place);
        let (wanted, found) = ("a program's name".to_owned(), "something else".to_owned());
        return Err(ProgramError::new(place, ProgramFault::Expected { wanted, found }));
    };
    let rest = words.get(name_at..).and_then(|rest| rest.get(1..)).unwrap_or_default();
    let empty = [Token::Sign("("), Token::Sign(")")];
    if let Some(first) = rest.first()
        && !rest.iter().map(|word| &word.token).eq(empty.iter())
    {
        let why = "VAL-II programs have no arguments; use variables, which all programs share";
        let fault = ProgramFault::NotSimulated { word: "arguments".into(), why };
        return Err(ProgramError::new(first.place, fault));
    }
    Ok(Some(Heading::Begin(name.to_owned())))
}

fn check_calls(programs: &Programs) -> Result<(), ProgramError> {
    for line in programs.list.iter().flat_map(|program| &program.lines) {
        if let Op::Call(name) | Op::React { program: name, .. } = &line.op
            && programs.get(name).is_none()
        {
            let hint = noli_robot::message::suggestion(
                name,
                programs.list.iter().map(|program| program.name.as_str()),
            );
            return Err(ProgramError::new(line.place, ProgramFault::NoProgram(name.clone(), hint)));
        }
    }
    Ok(())
}
