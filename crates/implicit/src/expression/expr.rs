//! Expressions in x, y and z, built with ordinary operators.

use super::op::{Binary, Op, Unary};
use glam::DVec3;
use std::collections::HashMap;
use std::ops::{Add, Div, Mul, Neg, Sub};
use std::sync::Arc;

/// A function of x, y and z. Cheap to copy: parts are shared.
///
/// An expression means real arithmetic on the numbers given; every evaluation of it is either rounded
/// (points) or encloses that value (cells).
///
/// ```
/// use noli_implicit::{Expr, Field};
/// let [x, y, z] = Expr::xyz();
/// let sphere = x.square() + y.square() + z.square() - 1.0;
/// let bite = sphere.moved(glam::dvec3(0.5, 0.0, 0.0));
/// let moon = Field::new(&sphere.difference(&bite));
/// assert!(moon.value(glam::dvec3(-0.9, 0.0, 0.0)) < 0.0);
/// ```
#[derive(Clone, Debug)]
pub struct Expr(Arc<Node>);

#[derive(Debug)]
struct Node {
    op: Op<Expr>,
}

impl Drop for Node {
    /// Dismantles long chains in a loop: recursion could exhaust the stack.
    fn drop(&mut self) {
        let mut pending: Vec<Expr> = Vec::new();
        take_operands(&mut self.op, &mut pending);
        while let Some(Expr(node)) = pending.pop() {
            if let Some(mut node) = Arc::into_inner(node) {
                take_operands(&mut node.op, &mut pending);
            }
        }
    }
}

fn take_operands(op: &mut Op<Expr>, pending: &mut Vec<Expr>) {
    match std::mem::replace(op, Op::Constant(0.0)) {
        Op::Coordinate(_) | Op::Constant(_) => {}
        Op::Unary(_, a) => pending.push(a),
        Op::Binary(_, a, b) => pending.extend([a, b]),
        Op::Noise(all) => pending.extend(all),
    }
}

impl Expr {
    pub(crate) fn new(op: Op<Expr>) -> Self {
        Self(Arc::new(Node { op }))
    }

    pub(crate) fn op(&self) -> &Op<Expr> {
        &self.0.op
    }

    fn address(&self) -> *const () {
        Arc::as_ptr(&self.0).cast()
    }

    /// The three coordinates.
    pub fn xyz() -> [Self; 3] {
        [0, 1, 2].map(|axis| Self::new(Op::Coordinate(axis)))
    }

    /// A number.
    pub fn constant(c: f64) -> Self {
        Self::new(Op::Constant(c))
    }

    pub(crate) fn unary(&self, function: Unary) -> Self {
        Self::new(Op::Unary(function, self.clone()))
    }

    pub(crate) fn binary(&self, function: Binary, other: &Self) -> Self {
        Self::new(Op::Binary(function, self.clone(), other.clone()))
    }

    /// `|self|`
    pub fn abs(&self) -> Self {
        self.unary(Unary::Abs)
    }

    /// `self²`
    pub fn square(&self) -> Self {
        self.unary(Unary::Square)
    }

    /// `√self`; negative numbers count as zero.
    pub fn sqrt(&self) -> Self {
        self.unary(Unary::Sqrt)
    }

    /// `e^self`
    pub fn exp(&self) -> Self {
        self.unary(Unary::Exp)
    }

    /// `ln self`; numbers that are not positive count as the smallest positive `f64`.
    pub fn ln(&self) -> Self {
        self.unary(Unary::Ln)
    }

    /// `sin self`
    pub fn sin(&self) -> Self {
        self.unary(Unary::Sin)
    }

    /// `cos self`
    pub fn cos(&self) -> Self {
        self.unary(Unary::Cos)
    }

    /// The largest integer that is not greater.
    pub fn floor(&self) -> Self {
        self.unary(Unary::Floor)
    }

    /// The smallest integer that is not less.
    pub fn ceil(&self) -> Self {
        -(-self).floor()
    }

    /// The nearest integer; halves go away from zero.
    pub fn round(&self) -> Self {
        let zero = Self::constant(0.0);
        (self.max(&zero) + 0.5).floor() + (self.min(&zero) - 0.5).ceil()
    }

    /// −1, 0 or 1 for numbers below, at and above zero.
    pub fn sign(&self) -> Self {
        let (zero, one) = (Self::constant(0.0), Self::constant(1.0));
        let whole = self.max(&zero).ceil() + self.min(&zero).floor();
        whole.min(&one).max(&-one)
    }

    /// Returns the remainder after subtracting the greatest multiple of `other` that is not greater. It is at
    /// least zero, and less than `|other|`.
    pub fn rem_euclid(&self, other: &Self) -> Self {
        let step = other.abs();
        self - &step * (self / &step).floor()
    }

    /// The angle in [−π/2, π/2] whose sine this is; numbers beyond −1 and 1 count as these.
    pub fn asin(&self) -> Self {
        let sine = self.clamped();
        sine.atan2(&(1.0 - sine.square()).sqrt())
    }

    /// The angle in [0, π] whose cosine this is; numbers beyond −1 and 1 count as these.
    pub fn acos(&self) -> Self {
        let cosine = self.clamped();
        (1.0 - cosine.square()).sqrt().atan2(&cosine)
    }

    fn clamped(&self) -> Self {
        self.min(&Self::constant(1.0)).max(&Self::constant(-1.0))
    }

    /// `self^n`
    pub fn powi(&self, n: i32) -> Self {
        self.unary(Unary::Power(n))
    }

    /// The angle of the point `(x, self)` from the positive first axis, in [−π, π].
    pub fn atan2(&self, x: &Self) -> Self {
        self.binary(Binary::Atan2, x)
    }

    /// The smaller of both.
    pub fn min(&self, other: &Self) -> Self {
        self.binary(Binary::Min, other)
    }

    /// The larger of both.
    pub fn max(&self, other: &Self) -> Self {
        self.binary(Binary::Max, other)
    }

    /// Returns the union of both objects.
    pub fn union(&self, other: &Self) -> Self {
        self.min(other)
    }

    /// Returns the intersection of both objects.
    pub fn intersection(&self, other: &Self) -> Self {
        self.max(other)
    }

    /// Returns the points inside this object and not inside the other.
    pub fn difference(&self, other: &Self) -> Self {
        self.max(&-other)
    }

    /// The union as a function that is smooth but where both are zero: `a + b − √(a² + b²)` (Rvachev).
    pub fn smooth_union(&self, other: &Self) -> Self {
        self.binary(Binary::SmoothMin, other)
    }

    /// The intersection likewise: `a + b + √(a² + b²)`.
    pub fn smooth_intersection(&self, other: &Self) -> Self {
        self.binary(Binary::SmoothMax, other)
    }

    /// The union with a fillet: where the two values differ by less than `reach`, up to a quarter of `reach`
    /// is added to the object.
    pub fn blend(&self, other: &Self, reach: f64) -> Self {
        let near = (reach - (self - other).abs()).max(&Self::constant(0.0));
        self.min(other) - near.square() / Self::constant(4.0 * reach)
    }

    /// The linear mixture `(1 − share)·self + share·other`: one object turning into another.
    pub fn mix(&self, other: &Self, share: f64) -> Self {
        self * (1.0 - share) + other * share
    }

    /// Lattice noise at the point `(x, y, z)`; see [`noise`](crate::noise).
    pub fn noise(x: &Self, y: &Self, z: &Self) -> Self {
        Self::new(Op::Noise([x.clone(), y.clone(), z.clone()]))
    }

    /// The function with other expressions in place of the coordinates.
    #[must_use]
    pub fn with_coordinates(&self, xyz: &[Self; 3]) -> Self {
        let mut done: HashMap<*const (), Self> = HashMap::new();
        let mut stack = vec![self];
        while let Some(&top) = stack.last() {
            if done.contains_key(&top.address()) {
                stack.pop();
                continue;
            }
            let waiting = stack.len();
            stack.extend(top.op().operands().filter(|operand| !done.contains_key(&operand.address())));
            if stack.len() > waiting {
                continue;
            }
            let replaced = match top.op() {
                Op::Coordinate(axis) => xyz[usize::from(*axis)].clone(),
                op => Self::new(op.map(|operand| done[&operand.address()].clone())),
            };
            done.insert(top.address(), replaced);
            stack.pop();
        }
        done[&self.address()].clone()
    }

    /// The object moved by `offset`.
    pub fn moved(&self, offset: DVec3) -> Self {
        let [x, y, z] = Self::xyz();
        self.with_coordinates(&[x - offset.x, y - offset.y, z - offset.z])
    }

    /// The object made `factor` times as large about the origin; the value is not scaled.
    pub fn scaled(&self, factor: f64) -> Self {
        let factor = Self::constant(factor);
        self.with_coordinates(&Self::xyz().map(|coordinate| coordinate / factor.clone()))
    }

    /// The object turned by an angle about the coordinate axis 0, 1 or 2.
    pub fn turned(&self, axis: usize, angle_rad: f64) -> Self {
        let angle = Self::constant(angle_rad);
        let (cos, sin) = (angle.cos(), angle.sin());
        let mut xyz = Self::xyz();
        let (i, j) = ((axis + 1) % 3, (axis + 2) % 3);
        let (u, v) = (xyz[i].clone(), xyz[j].clone());
        xyz[i] = &cos * &u + &sin * &v;
        xyz[j] = &cos * &v - &sin * &u;
        self.with_coordinates(&xyz)
    }
}

impl From<f64> for Expr {
    fn from(c: f64) -> Self {
        Self::constant(c)
    }
}

impl Neg for Expr {
    type Output = Expr;
    fn neg(self) -> Expr {
        self.unary(Unary::Neg)
    }
}

impl Neg for &Expr {
    type Output = Expr;
    fn neg(self) -> Expr {
        self.unary(Unary::Neg)
    }
}

macro_rules! operator {
    ($trait:ident, $method:ident) => {
        impl $trait<&Expr> for &Expr {
            type Output = Expr;
            fn $method(self, other: &Expr) -> Expr {
                self.binary(Binary::$trait, other)
            }
        }
        impl $trait<Expr> for Expr {
            type Output = Expr;
            fn $method(self, other: Expr) -> Expr {
                self.binary(Binary::$trait, &other)
            }
        }
        impl $trait<&Expr> for Expr {
            type Output = Expr;
            fn $method(self, other: &Expr) -> Expr {
                self.binary(Binary::$trait, other)
            }
        }
        impl $trait<Expr> for &Expr {
            type Output = Expr;
            fn $method(self, other: Expr) -> Expr {
                self.binary(Binary::$trait, &other)
            }
        }
        impl $trait<f64> for Expr {
            type Output = Expr;
            fn $method(self, other: f64) -> Expr {
                self.binary(Binary::$trait, &other.into())
            }
        }
        impl $trait<f64> for &Expr {
            type Output = Expr;
            fn $method(self, other: f64) -> Expr {
                self.binary(Binary::$trait, &other.into())
            }
        }
        impl $trait<Expr> for f64 {
            type Output = Expr;
            fn $method(self, other: Expr) -> Expr {
                Expr::from(self).binary(Binary::$trait, &other)
            }
        }
        impl $trait<&Expr> for f64 {
            type Output = Expr;
            fn $method(self, other: &Expr) -> Expr {
                Expr::from(self).binary(Binary::$trait, other)
            }
        }
    };
}

operator!(Add, add);
operator!(Sub, sub);
operator!(Mul, mul);
operator!(Div, div);
