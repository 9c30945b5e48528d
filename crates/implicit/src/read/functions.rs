//! The functions that formulas may call.

use crate::evaluation::tape::Tape;
use crate::expression::expr::Expr;
use crate::expression::op::Op;
use crate::expression::shapes;
use glam::DVec3;

/// A function by name: how many arguments it takes, and what it makes of them.
pub(super) struct Function {
    pub(super) name: &'static str,
    pub(super) least: usize,
    pub(super) most: usize,
    /// `true` if it copies its argument, which limits the number of calls.
    pub(super) copies: bool,
    pub(super) build: fn(&[Expr]) -> Result<Expr, &'static str>,
}

const MANY: usize = usize::MAX;

macro_rules! functions {
    ($($name:literal $least:literal ..= $most:expr => |$args:pat_param| $body:expr;)*) => {
        &[$(Function {
            name: $name,
            least: $least,
            most: $most,
            copies: matches!($name.as_bytes(), b"move" | b"scale" | [b't', b'u', b'r', b'n', ..]),
            build: |$args| $body,
        }),*]
    };
}

const FUNCTIONS: &[Function] = functions! {
    "abs" 1..=1 => |a| Ok(a[0].abs());
    "sqrt" 1..=1 => |a| Ok(a[0].sqrt());
    "square" 1..=1 => |a| Ok(a[0].square());
    "exp" 1..=1 => |a| Ok(a[0].exp());
    "ln" 1..=1 => |a| Ok(a[0].ln());
    "log" 1..=1 => |a| Ok(a[0].ln());
    "sin" 1..=1 => |a| Ok(a[0].sin());
    "cos" 1..=1 => |a| Ok(a[0].cos());
    "tan" 1..=1 => |a| Ok(a[0].sin() / a[0].cos());
    "asin" 1..=1 => |a| Ok(a[0].asin());
    "acos" 1..=1 => |a| Ok(a[0].acos());
    "atan" 1..=1 => |a| Ok(a[0].atan2(&Expr::constant(1.0)));
    "atan2" 2..=2 => |a| Ok(a[0].atan2(&a[1]));
    "tanh" 1..=1 => |a| Ok(1.0 - 2.0 / ((&a[0] * 2.0).exp() + 1.0));
    "floor" 1..=1 => |a| Ok(a[0].floor());
    "ceil" 1..=1 => |a| Ok(a[0].ceil());
    "round" 1..=1 => |a| Ok(a[0].round());
    "sign" 1..=1 => |a| Ok(a[0].sign());
    "mod" 2..=2 => |a| Ok(&a[0] - &a[1] * (&a[0] / &a[1]).floor());
    "pow" 2..=2 => |a| Ok(power(&a[0], &a[1]));
    "min" 1..=MANY => |a| Ok(all(a, Expr::min));
    "max" 1..=MANY => |a| Ok(all(a, Expr::max));
    "length" 1..=MANY => |a| Ok(all(&a.iter().map(Expr::square).collect::<Vec<_>>(), |p, q| p + q).sqrt());
    "union" 1..=MANY => |a| Ok(all(a, Expr::union));
    "intersection" 1..=MANY => |a| Ok(all(a, Expr::intersection));
    "difference" 2..=2 => |a| Ok(a[0].difference(&a[1]));
    "smooth_union" 2..=2 => |a| Ok(a[0].smooth_union(&a[1]));
    "smooth_intersection" 2..=2 => |a| Ok(a[0].smooth_intersection(&a[1]));
    "blend" 3..=3 => |a| Ok(a[0].blend(&a[1], positive(&a[2])?));
    "mix" 3..=3 => |a| Ok(&a[0] * (1.0 - &a[2]) + &a[1] * &a[2]);
    "noise" 3..=3 => |a| Ok(Expr::noise(&a[0], &a[1], &a[2]));
    "sphere" 1..=1 => |a| Ok(shapes::sphere(positive(&a[0])?));
    "torus" 2..=2 => |a| Ok(shapes::torus(positive(&a[0])?, positive(&a[1])?));
    "cuboid" 3..=3 => |a| Ok(shapes::cuboid(DVec3::new(positive(&a[0])?, positive(&a[1])?, positive(&a[2])?)));
    "move" 4..=4 => |a| Ok(a[0].moved(DVec3::new(number(&a[1])?, number(&a[2])?, number(&a[3])?)));
    "scale" 2..=2 => |a| Ok(a[0].scaled(positive(&a[1])?));
    "turn_x" 2..=2 => |a| Ok(a[0].turned(0, number(&a[1])?));
    "turn_y" 2..=2 => |a| Ok(a[0].turned(1, number(&a[1])?));
    "turn_z" 2..=2 => |a| Ok(a[0].turned(2, number(&a[1])?));
};

pub(super) fn function(name: &str) -> Option<&'static Function> {
    FUNCTIONS.iter().find(|function| function.name == name)
}

/// All names, for messages.
pub(super) fn names() -> String {
    let names: Vec<&str> = FUNCTIONS.iter().map(|function| function.name).collect();
    names.join(", ")
}

/// `a^b`: integer powers and square roots as such, anything else through the logarithm.
pub(super) fn power(a: &Expr, b: &Expr) -> Expr {
    match number(b) {
        Ok(0.5) => a.sqrt(),
        Ok(n) if n.fract() == 0.0 && n.abs() <= 1e6 => a.powi(n as i32),
        _ => (a.ln() * b).exp(),
    }
}

fn all(arguments: &[Expr], join: impl Fn(&Expr, &Expr) -> Expr) -> Expr {
    // In pairs, so that many arguments make a shallow tree.
    let mut level = arguments.to_vec();
    while level.len() > 1 {
        level = level
            .chunks(2)
            .map(|pair| match pair {
                [a, b] => join(a, b),
                rest => rest[0].clone(),
            })
            .collect();
    }
    level.pop().unwrap_or(Expr::constant(0.0))
}

/// More parts than a number that someone writes down.
const LARGEST_NUMBER: usize = 64;

/// The number that an argument must be here.
fn number(expr: &Expr) -> Result<f64, &'static str> {
    let wrong = Err("this must be a number and may not depend on x, y or z");
    // Counted first: compiling a large argument at every call would take forever.
    let mut pending = vec![expr];
    let mut parts = 0;
    while let Some(part) = pending.pop() {
        parts += 1;
        if parts > LARGEST_NUMBER || matches!(part.op(), Op::Coordinate(_)) {
            return wrong;
        }
        pending.extend(part.op().operands());
    }
    Ok(Tape::new(expr).evaluate(&[0.0; 3], &mut Vec::new()))
}

fn positive(expr: &Expr) -> Result<f64, &'static str> {
    let value = number(expr)?;
    if value > 0.0 && value.is_finite() { Ok(value) } else { Err("this must be a positive number") }
}
