//! Formulas such as `r = 1.5; x^2 + y^2 + z^2 <= r^2`, by operator precedence with explicit stacks
//! (Dijkstra's shunting yard), so that containment is limited by memory only.

use super::functions::{self, Function};
use super::token::{Token, tokens};
use super::{FormulaError, error_at};
use crate::expression::expr::Expr;
use crate::expression::op::Binary;
use std::collections::HashMap;

/// Read a formula: what is negative inside, or an inequality that holds inside.
///
/// Statements are separated by `;` or line ends; `name = expression` names a part, the last one is the value.
/// Operators: `+ - * / ^`, from loose to tight, `^` to the right; `#` starts a comment.
///
/// ```
/// use noli_implicit::{Field, parse_formula};
/// let lens = parse_formula("r2 = 4\n max(x^2 + y^2 + (z-1.5)^2 - r2, x^2 + y^2 + (z+1.5)^2 - r2)")?;
/// assert!(Field::new(&lens).value(glam::DVec3::ZERO) < 0.0);
/// let error = parse_formula("x^2 + sin(y").unwrap_err();
/// assert!(error.to_string().contains("never closed"));
/// # Ok::<(), noli_implicit::FormulaError>(())
/// ```
pub fn parse_formula(text: &str) -> Result<Expr, FormulaError> {
    let words = tokens(text)?;
    let mut names = HashMap::new();
    let [x, y, z] = Expr::xyz();
    names.extend([("x", x), ("y", y), ("z", z), ("pi", Expr::constant(std::f64::consts::PI))]);
    let mut value = None;
    let mut copies = 0;
    for statement in words.split(|(word, _)| *word == Token::EndOfStatement) {
        let (Some(&(_, start)), rest) = (statement.first(), statement) else { continue };
        if let Some((_, at)) = value {
            let remedy = "give this value a name (`name = ...`) or join both, for example with min(a, b)";
            return Err(error_at(text, at, "a value before the last statement is lost", remedy));
        }
        if let [(Token::Name(name), at), (Token::Sign('='), _), body @ ..] = rest {
            let end = body.last().map_or(text.len(), |(_, at)| *at);
            let part = Parser::new(text, &names, words.len(), &mut copies).expression(body, end)?;
            if names.insert(name, part).is_some() {
                let remedy = "names are given once; choose another";
                return Err(error_at(text, *at, format!("`{name}` already has a meaning"), remedy));
            }
        } else {
            value = Some((Parser::new(text, &names, words.len(), &mut copies).inequality(rest)?, start));
        }
    }
    match value {
        Some((value, _)) => Ok(value),
        None => Err(error_at(
            text,
            text.len(),
            "there is no value",
            "end with an expression, such as x^2 + y^2 + z^2 - 1",
        )),
    }
}

enum Pending {
    Binary(char),
    Negate,
    /// An open parenthesis: where, the function it belongs to, and how many operands lie below it.
    Open(usize, Option<&'static Function>, usize),
}

impl Pending {
    fn precedence(&self) -> u8 {
        match self {
            Self::Open(..) => 0,
            Self::Binary('+' | '-') => 1,
            Self::Binary('*' | '/') => 2,
            Self::Negate => 3,
            Self::Binary(_) => 4,
        }
    }
}

struct Parser<'t> {
    text: &'t str,
    names: &'t HashMap<&'t str, Expr>,
    /// Number of words: no part is much larger.
    words: usize,
    /// Number of copies of a part with other coordinates.
    copies: &'t mut usize,
    operands: Vec<Expr>,
    pending: Vec<Pending>,
}

/// The most words times copies.
const MOST_COPIED: usize = 1 << 24;

impl<'t> Parser<'t> {
    fn new(text: &'t str, names: &'t HashMap<&'t str, Expr>, words: usize, copies: &'t mut usize) -> Self {
        Self { text, names, words, copies, operands: Vec::new(), pending: Vec::new() }
    }

    fn fail<T>(
        &self,
        at: usize,
        reason: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Result<T, FormulaError> {
        Err(error_at(self.text, at, reason, remedy))
    }

    /// `a`, or `a <= b` and the like, which is `a − b`.
    fn inequality(mut self, words: &[(Token<'t>, usize)]) -> Result<Expr, FormulaError> {
        let end = words.last().map_or(0, |(_, at)| *at);
        let relation = words.iter().position(|(word, _)| matches!(word, Token::Relation { .. }));
        let Some(place) = relation else { return self.expression(words, end) };
        let left = self.expression(&words[..place], words[place].1)?;
        self.operands.clear();
        self.pending.clear();
        let right = self.expression(&words[place + 1..], end)?;
        Ok(match words[place].0 {
            Token::Relation { smaller_left: true } => left - right,
            _ => right - left,
        })
    }

    fn expression(&mut self, words: &[(Token<'t>, usize)], end: usize) -> Result<Expr, FormulaError> {
        let mut wants_operand = true;
        let mut i = 0;
        while let Some(&(word, at)) = words.get(i) {
            i += 1;
            if wants_operand {
                let call = matches!(words.get(i), Some((Token::Sign('('), _)));
                wants_operand = self.operand(word, at, call)?;
                i += usize::from(matches!(word, Token::Name(_)) && call);
            } else {
                wants_operand = self.operator(word, at)?;
            }
        }
        if wants_operand {
            let remedy = "a number, a name or a parenthesis must follow";
            return self.fail(end, "the expression ends too early", remedy);
        }
        self.reduce(1);
        if let Some(Pending::Open(at, ..)) = self.pending.last() {
            return self.fail(*at, "this parenthesis is never closed", "add a `)`");
        }
        match self.operands.pop() {
            Some(value) => Ok(value),
            None => self.fail(end, "there is no value", "write an expression"),
        }
    }

    /// Reads a word in operand position; returns `true` if an operand is still required.
    fn operand(&mut self, word: Token<'t>, at: usize, call: bool) -> Result<bool, FormulaError> {
        match word {
            Token::Number(value) => self.operands.push(Expr::constant(value)),
            Token::Name(name) if call => {
                let Some(function) = functions::function(name) else {
                    let remedy = format!("the functions are {}", functions::names());
                    return self.fail(at, format!("there is no function `{name}`"), remedy);
                };
                self.pending.push(Pending::Open(at, Some(function), self.operands.len()));
                return Ok(true);
            }
            Token::Name(name) => match self.names.get(name) {
                Some(expr) => self.operands.push(expr.clone()),
                None if functions::function(name).is_some() => {
                    let remedy = format!("write its arguments: {name}(...)");
                    return self.fail(at, format!("`{name}` is a function"), remedy);
                }
                None => {
                    let remedy = "the coordinates are x, y and z; define other names first (`r = 2; ...`)";
                    return self.fail(at, format!("`{name}` has no meaning"), remedy);
                }
            },
            Token::Sign('(') => {
                self.pending.push(Pending::Open(at, None, self.operands.len()));
                return Ok(true);
            }
            Token::Sign('-') => {
                self.pending.push(Pending::Negate);
                return Ok(true);
            }
            Token::Sign('+') => return Ok(true),
            _ => {
                let remedy = "put a number, a name or a parenthesis here";
                return self.fail(at, "an operand is missing", remedy);
            }
        }
        Ok(false)
    }

    /// Take a word after an operand; whether another operand must follow.
    fn operator(&mut self, word: Token<'t>, at: usize) -> Result<bool, FormulaError> {
        match word {
            Token::Sign(sign @ ('+' | '-' | '*' | '/' | '^')) => {
                let operator = Pending::Binary(sign);
                // Powers group to the right: 2^3^2 is 2^9.
                self.reduce(operator.precedence() + u8::from(sign == '^'));
                self.pending.push(operator);
                Ok(true)
            }
            Token::Sign(',') => {
                self.reduce(1);
                if matches!(self.pending.last(), Some(Pending::Open(_, Some(_), _))) {
                    return Ok(true);
                }
                self.fail(at, "a comma outside a function's arguments", "remove it, or name the function")
            }
            Token::Sign(')') => {
                self.reduce(1);
                match self.pending.pop() {
                    Some(Pending::Open(_, None, _)) => {}
                    Some(Pending::Open(open, Some(function), below)) => self.call(open, function, below)?,
                    _ => {
                        return self.fail(at, "this parenthesis was never opened", "remove it, or add a `(`");
                    }
                }
                Ok(false)
            }
            Token::Relation { .. } => {
                self.fail(at, "a second comparison", "one inequality only; join several with max(a, b)")
            }
            Token::Sign('=') => {
                self.fail(at, "`=` defines names at the start of a statement", "use <= or >= to compare")
            }
            _ => self.fail(at, "an operator is missing", "write products with `*`: 2*x"),
        }
    }

    fn call(&mut self, at: usize, function: &Function, below: usize) -> Result<(), FormulaError> {
        let arguments = self.operands.split_off(below);
        let n = arguments.len();
        if n < function.least || n > function.most {
            let wanted = match (function.least, function.most) {
                (1, 1) => "one argument".to_owned(),
                (least, usize::MAX) => format!("at least {least}"),
                (least, _) => format!("{least} arguments"),
            };
            let reason = format!("`{}` was given {n}", function.name);
            return self.fail(at, reason, format!("it takes {wanted}"));
        }
        *self.copies += usize::from(function.copies);
        if self.copies.saturating_mul(self.words) > MOST_COPIED {
            let reason = format!("`{}` and the like are called too often in a long formula", function.name);
            return self.fail(at, reason, "move or turn joined parts together");
        }
        match (function.build)(&arguments) {
            Ok(value) => self.operands.push(value),
            Err(reason) => {
                return self.fail(at, format!("an argument of `{}` is wrong", function.name), reason);
            }
        }
        Ok(())
    }

    /// Applies pending operators that bind at least as tightly.
    fn reduce(&mut self, precedence: u8) {
        while let Some(operator) = self.pending.last().filter(|p| p.precedence() >= precedence) {
            let operator = match operator {
                Pending::Binary(sign) => Some(*sign),
                _ => None,
            };
            self.pending.pop();
            // Operators are pending only after their operands were seen.
            let Some(b) = self.operands.pop() else { return };
            let value = match operator {
                None => -b,
                Some(sign) => {
                    let Some(a) = self.operands.pop() else { return };
                    match sign {
                        '+' => a.binary(Binary::Add, &b),
                        '-' => a.binary(Binary::Sub, &b),
                        '*' => a.binary(Binary::Mul, &b),
                        '/' => a.binary(Binary::Div, &b),
                        _ => functions::power(&a, &b),
                    }
                }
            };
            self.operands.push(value);
        }
    }
}
