//! Parts without thickness: where one part was cut off at a face of another, the function is `max(u, −u)`,
//! which is simplified to `|u|`. It is zero where `u` is and negative nowhere, and the numbers for which `u`
//! is zero need not be `f64`. But where the continuous `u` changes its sign there is such a point
//! (intermediate value theorem).

use super::tape::Tape;
use crate::expression::op::{Binary, Op, Unary};

impl Tape {
    /// The continuous `u` where the function is `|u|`.
    pub(crate) fn skin(&self) -> Option<Self> {
        let Some(Op::Unary(Unary::Abs, u)) = self.ops().last() else { return None };
        let tape = self.of_part(*u);
        tape.ops().iter().all(is_continuous).then_some(tape)
    }
}

fn is_continuous(op: &Op<u32>) -> bool {
    match op {
        Op::Coordinate(_) | Op::Constant(_) => true,
        Op::Unary(function, _) => match function {
            Unary::Ln | Unary::Floor => false,
            Unary::Power(n) => *n >= 0,
            _ => true,
        },
        Op::Binary(function, ..) => !matches!(function, Binary::Div | Binary::Atan2),
        Op::Noise(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::parse_formula;

    fn skin(formula: &str) -> bool {
        Tape::new(&parse_formula(formula).unwrap()).skin().is_some()
    }

    #[test]
    fn skins_are_known_by_their_form() {
        for formula in [
            "max(10*x - 9, 9 - 10*x)",
            "max(-(3*y + 1), 3*y + 1)",
            "abs(x^2 + y - 1)",
            "max(x - y, y - x)",
            "max(x^2 - y, y - x^2)",
        ] {
            assert!(skin(formula), "{formula}");
        }
        for formula in [
            "max(x - 1, -x)",
            "min(x, -x)",
            "x^2",
            "abs(floor(x) - 0.5)",
            "abs(1/x)",
            "max(10*x - 9, 8 - 10*x)",
        ] {
            assert!(!skin(formula), "{formula}");
        }
    }
}
