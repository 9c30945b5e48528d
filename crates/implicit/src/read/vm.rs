//! `.vm` files: one operation a line, `name operation arguments`, negative inside; the last line is the
//! value.

use super::{FormulaError, error_at};
use crate::expression::expr::Expr;
use std::collections::HashMap;

/// Read the text of a `.vm` file.
///
/// Operations: `const N`, `var-x`, `var-y`, `var-z`; of one name
/// `neg abs square sqrt recip exp ln sin cos tan asin acos atan floor ceil round not`; of two
/// `add sub mul div min max mod atan2 compare and or`. What is outside the domain of a function counts as the nearest
/// number inside: `sqrt` of −1 is 0, `acos` of 1.2 is 0.
/// Names must be defined above their use, so nothing is cyclic.
pub fn parse_vm(text: &str) -> Result<Expr, FormulaError> {
    let mut values: HashMap<&str, Expr> = HashMap::new();
    let mut last = None;
    let coordinates = Expr::xyz();
    let mut offset = 0;
    for line in text.split('\n') {
        let start = offset;
        offset += line.len() + 1;
        let content = line.split('#').next().unwrap_or("");
        let words: Vec<&str> = content.split_ascii_whitespace().collect();
        let [name, operation, arguments @ ..] = words.as_slice() else {
            match words.first() {
                None => continue,
                Some(_) => {
                    return Err(error_at(
                        text,
                        start,
                        "this line has one word",
                        "write `name operation arguments`",
                    ));
                }
            }
        };
        let place = |word: &str| start + (word.as_ptr() as usize - line.as_ptr() as usize);
        let operand = |i: usize| {
            let word = arguments[i];
            values.get(word).ok_or_else(|| {
                error_at(
                    text,
                    place(word),
                    format!("`{word}` is not defined above"),
                    "define it in an earlier line",
                )
            })
        };
        let wanted = arity(operation).ok_or_else(|| {
            let reason = format!("there is no operation `{operation}`");
            error_at(text, place(operation), reason, format!("the operations are {OPERATIONS}"))
        })?;
        if arguments.len() != wanted {
            let reason = format!("`{operation}` was given {} arguments", arguments.len());
            return Err(error_at(text, place(operation), reason, format!("it takes {wanted}")));
        }
        let value = match (*operation, wanted) {
            ("const", _) => match arguments[0].parse::<f64>() {
                Ok(value) if value.is_finite() => Expr::constant(value),
                _ => {
                    let reason = format!("`{}` is not a finite number", arguments[0]);
                    return Err(error_at(text, place(arguments[0]), reason, "write it as 1, -0.5 or 2.5e-3"));
                }
            },
            ("var-x", _) => coordinates[0].clone(),
            ("var-y", _) => coordinates[1].clone(),
            ("var-z", _) => coordinates[2].clone(),
            (_, 1) => unary(operation, operand(0)?),
            _ => binary(operation, operand(0)?, operand(1)?),
        };
        if values.insert(name, value.clone()).is_some() {
            let reason = format!("`{name}` is defined twice");
            return Err(error_at(text, place(name), reason, "choose another name"));
        }
        last = Some(value);
    }
    last.ok_or_else(|| error_at(text, 0, "there is no operation", "write one a line, such as `_0 var-x`"))
}

const OPERATIONS: &str = "const, var-x, var-y, var-z, neg, abs, square, sqrt, recip, exp, ln, sin, cos, tan, asin, \
                          acos, atan, floor, ceil, round, not, add, sub, mul, div, min, max, mod, atan2, compare, \
                          and, or";

fn arity(operation: &str) -> Option<usize> {
    match operation {
        "var-x" | "var-y" | "var-z" => Some(0),
        "const" | "neg" | "abs" | "square" | "sqrt" | "recip" | "exp" | "ln" | "sin" | "cos" | "tan"
        | "asin" | "acos" | "atan" | "floor" | "ceil" | "round" | "not" => Some(1),
        "add" | "sub" | "mul" | "div" | "min" | "max" | "mod" | "atan2" | "compare" | "and" | "or" => Some(2),
        _ => None,
    }
}

fn unary(operation: &str, a: &Expr) -> Expr {
    match operation {
        "neg" => -a,
        "abs" => a.abs(),
        "square" => a.square(),
        "sqrt" => a.sqrt(),
        "recip" => 1.0 / a,
        "exp" => a.exp(),
        "ln" => a.ln(),
        "sin" => a.sin(),
        "cos" => a.cos(),
        "tan" => a.sin() / a.cos(),
        "atan" => a.atan2(&Expr::constant(1.0)),
        "asin" => a.asin(),
        "acos" => a.acos(),
        "floor" => a.floor(),
        "ceil" => a.ceil(),
        "round" => a.round(),
        _ => 1.0 - a.sign().abs(),
    }
}

fn binary(operation: &str, a: &Expr, b: &Expr) -> Expr {
    match operation {
        "add" => a + b,
        "sub" => a - b,
        "mul" => a * b,
        "div" => a / b,
        "min" => a.min(b),
        "max" => a.max(b),
        "mod" => a.rem_euclid(b),
        "compare" => (a - b).sign(),
        // Zero stands for false: the first operand if that decides, the second otherwise.
        "and" => b * a.sign().abs(),
        "or" => a + b * (1.0 - a.sign().abs()),
        _ => a.atan2(b),
    }
}
