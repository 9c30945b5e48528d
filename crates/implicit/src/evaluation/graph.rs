//! Expressions as lists in which every operation comes after its operands and no two are the same.
//!
//! Simplification keeps the meaning in real arithmetic: constants are folded only where the result is an
//! `f64`, and identities hold wherever the expression is defined.

use super::number::Number;
use crate::expression::expr::Expr;
use crate::expression::op::{Binary, Op, Unary};
use noli_geom::Interval;
use std::collections::HashMap;

type Key = (u8, u64, [u32; 3]);

/// Operations whose operands are indices of earlier ones.
#[derive(Default)]
pub(crate) struct Graph {
    pub(crate) ops: Vec<Op<u32>>,
    /// Index of each operation; unused where nothing can be equal.
    known: Option<HashMap<Key, u32>>,
}

impl Graph {
    /// A graph that finds equal parts.
    pub(crate) fn sharing() -> Self {
        Self { ops: Vec::new(), known: Some(HashMap::new()) }
    }

    /// A graph for operations that are known to differ.
    pub(crate) fn plain(capacity: usize) -> Self {
        Self { ops: Vec::with_capacity(capacity), known: None }
    }

    /// Add an expression with all its parts; iterative, so depth does not matter.
    pub(crate) fn add(&mut self, expr: &Expr) -> u32 {
        let mut done: HashMap<*const Op<Expr>, u32> = HashMap::new();
        let mut stack = vec![expr];
        while let Some(&top) = stack.last() {
            let address = std::ptr::from_ref(top.op());
            if done.contains_key(&address) {
                stack.pop();
                continue;
            }
            let waiting = stack.len();
            stack.extend(
                top.op().operands().filter(|operand| !done.contains_key(&std::ptr::from_ref(operand.op()))),
            );
            if stack.len() > waiting {
                continue;
            }
            let op = top.op().map(|operand| done[&std::ptr::from_ref(operand.op())]);
            done.insert(address, self.push(op));
            stack.pop();
        }
        done[&std::ptr::from_ref(expr.op())]
    }

    /// Add an operation, or find what it amounts to.
    pub(crate) fn push(&mut self, op: Op<u32>) -> u32 {
        if let Some(c) = self.folded(&op) {
            return self.intern(Op::Constant(c + 0.0));
        }
        match op {
            Op::Unary(function, a) => self.push_unary(function, a),
            Op::Binary(function, a, b) => self.push_binary(function, a, b),
            _ => self.intern(op),
        }
    }

    fn push_unary(&mut self, function: Unary, a: u32) -> u32 {
        use Unary::{Abs, Neg, Plus, Power, Sqrt, Square, Times};
        let inner = match self.ops[a as usize] {
            Op::Unary(inner, b) => Some((inner, b)),
            _ => None,
        };
        match (function, inner) {
            (Neg, Some((Neg, b))) => b,
            (Neg, Some((Times(c), b))) => self.intern(Op::Unary(Times(-c), b)),
            (Square | Abs, Some((Neg, b))) => self.push_unary(function, b),
            (Square, Some((Abs, b))) => self.intern(Op::Unary(Square, b)),
            (Abs, Some((Abs | Square | Sqrt | Unary::Exp, _))) => a,
            (Sqrt, Some((Square, b))) => self.push_unary(Abs, b),
            (Power(0), _) => self.intern(Op::Constant(1.0)),
            (Power(1), _) => a,
            (Power(2), _) => self.push_unary(Square, a),
            (Plus(0.0), _) | (Times(1.0), _) => a,
            (Times(0.0), _) => self.intern(Op::Constant(0.0)),
            (Times(-1.0), _) => self.push_unary(Neg, a),
            (Plus(c), Some((Plus(d), b))) if exact_sum(c, d) => self.push_unary(Plus(c + d), b),
            (Times(c), Some((Times(d), b))) if exact_product(c, d) => self.push_unary(Times(c * d), b),
            _ => self.intern(Op::Unary(function, a)),
        }
    }

    fn push_binary(&mut self, function: Binary, a: u32, b: u32) -> u32 {
        use Binary::{Add, Div, Max, Min, Mul, Sub};
        let (op_a, op_b) = (self.ops[a as usize], self.ops[b as usize]);
        match (function, op_a, op_b) {
            (Min | Max, ..) if a == b => a,
            // Parts cut off at their own face; alone, neither operand knows that it is the other's negative.
            (Max, ..) if are_opposite(&self.ops, a, b) => self.push_unary(Unary::Abs, a),
            (Min, ..) if are_opposite(&self.ops, a, b) => {
                let size = self.push_unary(Unary::Abs, a);
                self.push_unary(Unary::Neg, size)
            }
            (Add, ..) if a == b => self.push_unary(Unary::Times(2.0), a),
            (Sub, ..) if a == b => self.intern(Op::Constant(0.0)),
            (Mul, ..) if a == b => self.push_unary(Unary::Square, a),
            (Add, _, Op::Constant(c)) => self.push_unary(Unary::Plus(c), a),
            (Add, Op::Constant(c), _) => self.push_unary(Unary::Plus(c), b),
            (Sub, _, Op::Constant(c)) => self.push_unary(Unary::Plus(-c), a),
            (Sub, Op::Constant(c), _) => {
                let negative = self.push_unary(Unary::Neg, b);
                self.push_unary(Unary::Plus(c), negative)
            }
            (Add, _, Op::Unary(Unary::Neg, b)) => self.push_binary(Sub, a, b),
            (Add, Op::Unary(Unary::Neg, a), _) => self.push_binary(Sub, b, a),
            (Sub, _, Op::Unary(Unary::Neg, b)) => self.push_binary(Add, a, b),
            (Mul, _, Op::Constant(c)) => self.push_unary(Unary::Times(c), a),
            (Mul, Op::Constant(c), _) => self.push_unary(Unary::Times(c), b),
            (Div, _, Op::Constant(c)) if exact_inverse(c) => self.push_unary(Unary::Times(1.0 / c), a),
            _ => {
                let swapped = function.is_symmetric() && b < a;
                let (a, b) = if swapped { (b, a) } else { (a, b) };
                self.intern(Op::Binary(function, a, b))
            }
        }
    }

    /// The value of an operation on constants, if it is an `f64`.
    fn folded(&self, op: &Op<u32>) -> Option<f64> {
        let constant = |a: &u32| match self.ops[*a as usize] {
            Op::Constant(c) if c.is_finite() => Some(Interval::from(c)),
            _ => None,
        };
        let value = match op {
            Op::Unary(function, a) => constant(a)?.unary(*function),
            Op::Binary(function, a, b) => constant(a)?.binary(*function, &constant(b)?),
            _ => return None,
        };
        value.is_point().then_some(value.lo())
    }

    fn intern(&mut self, op: Op<u32>) -> u32 {
        let next = self.ops.len() as u32;
        if let Some(known) = &mut self.known {
            let found = *known.entry(key(&op)).or_insert(next);
            if found != next {
                return found;
            }
        }
        self.ops.push(op);
        next
    }
}

/// Returns `true` if one is syntactically the negative of the other.
fn are_opposite(ops: &[Op<u32>], mut a: u32, mut b: u32) -> bool {
    loop {
        match (ops[a as usize], ops[b as usize]) {
            (Op::Unary(Unary::Neg, c), _) if c == b => return true,
            (_, Op::Unary(Unary::Neg, c)) if c == a => return true,
            (Op::Unary(Unary::Times(c), p), Op::Unary(Unary::Times(d), q)) => return p == q && c == -d,
            (Op::Binary(Binary::Sub, p, q), Op::Binary(Binary::Sub, r, s)) => return p == s && q == r,
            (Op::Unary(Unary::Plus(c), p), Op::Unary(Unary::Plus(d), q)) if c == -d => (a, b) = (p, q),
            _ => return false,
        }
    }
}

fn exact_sum(c: f64, d: f64) -> bool {
    (Interval::from(c) + Interval::from(d)).is_point()
}

fn exact_product(c: f64, d: f64) -> bool {
    (Interval::from(c) * Interval::from(d)).is_point()
}

fn exact_inverse(c: f64) -> bool {
    (Interval::ONE / Interval::from(c)).is_point()
}

fn key(op: &Op<u32>) -> Key {
    match *op {
        Op::Coordinate(axis) => (0, u64::from(axis), [0; 3]),
        Op::Constant(c) => (1, c.to_bits(), [0; 3]),
        Op::Unary(Unary::Power(n), a) => (2, u64::from(n as u32), [a, 0, 0]),
        Op::Unary(Unary::Plus(c), a) => (3, c.to_bits(), [a, 0, 0]),
        Op::Unary(Unary::Times(c), a) => (4, c.to_bits(), [a, 0, 0]),
        Op::Unary(function, a) => (5, plain_function(function), [a, 0, 0]),
        Op::Binary(function, a, b) => (6, function as u64, [a, b, 0]),
        Op::Noise(at) => (7, 0, at),
    }
}

fn plain_function(function: Unary) -> u64 {
    match function {
        Unary::Neg => 0,
        Unary::Abs => 1,
        Unary::Square => 2,
        Unary::Sqrt => 3,
        Unary::Exp => 4,
        Unary::Ln => 5,
        Unary::Sin => 6,
        Unary::Cos => 7,
        Unary::Floor => 8,
        Unary::Power(_) => 9,
        Unary::Plus(_) => 10,
        Unary::Times(_) => 11,
    }
}
