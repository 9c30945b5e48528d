//! The words of a formula.

use super::{FormulaError, error_at};

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Token<'a> {
    Number(f64),
    Name(&'a str),
    /// One of `+ - * / ^ ( ) , =`.
    Sign(char),
    /// `<`, `<=`, `>` or `>=`: whether the left side is the smaller.
    Relation {
        smaller_left: bool,
    },
    /// `;` or the end of a line that could end a statement.
    EndOfStatement,
}

/// All words with the bytes where they start.
pub(super) fn tokens(text: &str) -> Result<Vec<(Token<'_>, usize)>, FormulaError> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut depth = 0usize;
    let mut i = 0;
    while i < bytes.len() {
        let start = i;
        let token = match bytes[i] {
            b'\n' => {
                i += 1;
                // A line goes on inside parentheses and after an operator.
                let goes_on = depth > 0
                    || matches!(found.last(), Some((Token::Sign(c), _)) if *c != ')')
                    || matches!(
                        found.last(),
                        None | Some((Token::Relation { .. } | Token::EndOfStatement, _))
                    );
                if goes_on {
                    continue;
                }
                Token::EndOfStatement
            }
            c if c.is_ascii_whitespace() => {
                i += 1;
                continue;
            }
            b'#' => {
                while i < bytes.len() && bytes[i] != b'\n' {
                    i += 1;
                }
                continue;
            }
            b';' => {
                i += 1;
                Token::EndOfStatement
            }
            b'<' | b'>' => {
                let smaller_left = bytes[i] == b'<';
                i += 1;
                i += usize::from(bytes.get(i) == Some(&b'='));
                Token::Relation { smaller_left }
            }
            c @ (b'+' | b'-' | b'*' | b'/' | b'^' | b'(' | b')' | b',' | b'=') => {
                i += 1;
                // Python's power is understood too.
                if c == b'*' && bytes.get(i) == Some(&b'*') {
                    i += 1;
                    Token::Sign('^')
                } else {
                    depth = match c {
                        b'(' => depth + 1,
                        b')' => depth.saturating_sub(1),
                        _ => depth,
                    };
                    Token::Sign(char::from(c))
                }
            }
            b'0'..=b'9' | b'.' => {
                i = end_of_number(bytes, i);
                number(text, start, i)?
            }
            c if c.is_ascii_alphabetic() || c == b'_' => {
                while i < bytes.len() && (bytes[i].is_ascii_alphanumeric() || bytes[i] == b'_') {
                    i += 1;
                }
                Token::Name(&text[start..i])
            }
            _ => {
                let shown = text[i..].chars().next().unwrap_or(' ');
                let remedy = "use numbers, names, + - * / ^, parentheses and commas";
                return Err(error_at(text, i, format!("{shown:?} has no meaning here"), remedy));
            }
        };
        found.push((token, start));
    }
    Ok(found)
}

fn end_of_number(bytes: &[u8], start: usize) -> usize {
    let mut i = start;
    let digits = |mut i: usize| {
        while i < bytes.len() && bytes[i].is_ascii_digit() {
            i += 1;
        }
        i
    };
    i = digits(i);
    if bytes.get(i) == Some(&b'.') {
        i = digits(i + 1);
    }
    if matches!(bytes.get(i), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(i + 1), Some(b'+' | b'-')));
        let end = digits(i + 1 + sign);
        // Without digits the e belongs to a name.
        if end > i + 1 + sign {
            i = end;
        }
    }
    i
}

fn number(text: &str, start: usize, end: usize) -> Result<Token<'_>, FormulaError> {
    match text[start..end].parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(Token::Number(value)),
        Ok(_) => Err(error_at(text, start, "this number is too large", "the largest is about 1.8e308")),
        Err(_) => Err(error_at(text, start, "this is not a number", "write it as 1, 0.5 or 2.5e-3")),
    }
}
