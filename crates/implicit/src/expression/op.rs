//! The operations of an expression, over any kind of reference to operands.

/// Functions of one number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Unary {
    /// `−a`
    Neg,
    /// `|a|`
    Abs,
    /// `a²`
    Square,
    /// `√a`, where negative numbers count as zero
    Sqrt,
    /// `e^a`
    Exp,
    /// `ln a`, where numbers that are not positive count as the smallest positive one
    Ln,
    /// `sin a`
    Sin,
    /// `cos a`
    Cos,
    /// the largest integer that is not greater
    Floor,
    /// `a^n`
    Power(i32),
    /// `a + c`
    Plus(f64),
    /// `c·a`
    Times(f64),
}

/// Functions of two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Binary {
    /// `a + b`
    Add,
    /// `a − b`
    Sub,
    /// `a·b`
    Mul,
    /// `a / b`
    Div,
    /// the smaller: the union of objects
    Min,
    /// the larger: the intersection of objects
    Max,
    /// the smooth union `a + b − √(a² + b²)` (Rvachev)
    SmoothMin,
    /// the smooth intersection `a + b + √(a² + b²)` (Rvachev)
    SmoothMax,
    /// the angle of the point `(b, a)` from the first axis
    Atan2,
}

impl Binary {
    pub(crate) fn is_symmetric(self) -> bool {
        !matches!(self, Self::Sub | Self::Div | Self::Atan2)
    }
}

/// One operation; `T` is the type of its operands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Op<T> {
    /// A coordinate: 0, 1 or 2 for x, y, z.
    Coordinate(u8),
    /// A number.
    Constant(f64),
    /// A function of one operand.
    Unary(Unary, T),
    /// A function of two operands.
    Binary(Binary, T, T),
    /// Lattice noise at a point; see [`noise`](crate::noise).
    Noise([T; 3]),
}

impl<T> Op<T> {
    /// The operands, in order.
    pub(crate) fn operands(&self) -> impl Iterator<Item = &T> {
        let operands = match self {
            Op::Coordinate(_) | Op::Constant(_) => [None, None, None],
            Op::Unary(_, a) => [Some(a), None, None],
            Op::Binary(_, a, b) => [Some(a), Some(b), None],
            Op::Noise([a, b, c]) => [Some(a), Some(b), Some(c)],
        };
        operands.into_iter().flatten()
    }

    /// The same operation on other references.
    pub(crate) fn map<S>(&self, mut f: impl FnMut(&T) -> S) -> Op<S> {
        match self {
            Op::Coordinate(axis) => Op::Coordinate(*axis),
            Op::Constant(c) => Op::Constant(*c),
            Op::Unary(g, a) => Op::Unary(*g, f(a)),
            Op::Binary(g, a, b) => Op::Binary(*g, f(a), f(b)),
            Op::Noise([a, b, c]) => Op::Noise([f(a), f(b), f(c)]),
        }
    }
}
