//! Words, numbers and signs of one line.

use crate::fault::{ProgramError, ProgramFault};
use noli_robot::Place;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    /// In capitals.
    Word(String),
    Number(f64),
    Text(String),
    Sign(&'static str),
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Placed {
    pub(super) token: Token,
    pub(super) place: Place,
}

/// Two characters before one, so that the longest wins.
const SIGNS: [&str; 24] = [
    "==", "<>", "<=", "=<", ">=", "=>", "<", ">", "=", "+", "-", "*", "/", "(", ")", "[", "]", ",", ":", "#",
    "^", ".", "!", "$",
];

const MAX_TOKENS: usize = 1000;

/// The tokens of a line, without its comment.
#[allow(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    clippy::indexing_slicing,
    reason = "lengths of characters that were found in a line of 16 MiB at most"
)]
pub(super) fn tokens(line: &str, number: u32) -> Result<Vec<Placed>, ProgramError> {
    let mut found = Vec::new();
    let mut rest = line;
    let mut column = 1;
    while let Some(first) = rest.chars().next() {
        let place = Place { line: number, column };
        let length = if first.is_whitespace() {
            first.len_utf8()
        } else if first == ';' {
            break;
        } else if first.is_ascii_alphabetic() {
            let inside = |c: char| c.is_ascii_alphanumeric() || c == '.' || c == '_';
            let length = rest.find(|c| !inside(c)).unwrap_or(rest.len());
            found.push(Placed { token: Token::Word(rest[..length].to_ascii_uppercase()), place });
            length
        } else if first.is_ascii_digit() || (first == '.' && digit_at(rest, 1)) {
            let length = number_length(rest);
            let value = rest[..length].parse().ok().filter(|value: &f64| value.is_finite());
            let value = value
                .ok_or_else(|| ProgramError::new(place, ProgramFault::Number(rest[..length].to_owned())))?;
            found.push(Placed { token: Token::Number(value), place });
            length
        } else if first == '"' {
            let Some(end) = rest[1..].find('"') else {
                return Err(ProgramError::new(place, ProgramFault::OpenText));
            };
            found.push(Placed { token: Token::Text(rest[1..=end].to_owned()), place });
            end + 2
        } else if let Some(sign) = SIGNS.into_iter().find(|sign| rest.starts_with(sign)) {
            if sign == "^" {
                let digits: &str = &rest[1..];
                let length = digits.find(|c: char| !c.is_digit(8)).unwrap_or(digits.len());
                let value = u64::from_str_radix(&digits[..length.min(17)], 8).ok().filter(|_| length <= 17);
                let Some(value) = value else {
                    return Err(ProgramError::new(place, ProgramFault::Number("^".to_owned())));
                };
                found.push(Placed { token: Token::Number(value as f64), place });
                1 + length
            } else {
                found.push(Placed { token: Token::Sign(sign), place });
                sign.len()
            }
        } else {
            return Err(ProgramError::new(place, ProgramFault::Character(first)));
        };
        // Expressions are walked by recursion, no deeper than a line has tokens.
        if found.len() > MAX_TOKENS {
            return Err(ProgramError::new(place, ProgramFault::TooLarge("1000 words on a line at most")));
        }
        column += rest[..length].chars().count() as u32;
        rest = &rest[length..];
    }
    Ok(found)
}

fn digit_at(text: &str, at: usize) -> bool {
    text.as_bytes().get(at).is_some_and(u8::is_ascii_digit)
}

#[allow(clippy::arithmetic_side_effects, reason = "places in a line, and few beyond")]
fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = |mut at: usize| {
        while bytes.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        at
    };
    let mut end = digits(0);
    if bytes.get(end) == Some(&b'.') {
        end = digits(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        if digit_at(text, end + 1 + sign) {
            end = digits(end + 1 + sign);
        }
    }
    end
}
