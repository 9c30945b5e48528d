//! Objects given by a function: what is not positive is inside.

use super::bounds::{self, SPACE};
use crate::evaluation::affine::{Affine, cell_coordinates};
use crate::evaluation::lanes::{LANES, Lanes};
use crate::evaluation::slopes::Slopes;
use crate::evaluation::tape::Tape;
use crate::expression::expr::Expr;
use crate::read::{FormulaError, parse_formula, parse_vm};
use glam::DVec3;
use noli_geom::{Aabb, Interval};
use std::fmt;
use std::sync::{Arc, OnceLock};

/// A function given by bounds on its values: the interface for fields that are not formulas.
///
/// Answers are only as good as these bounds. Each must contain every value (or derivative) on the cell, and
/// the range should shrink to the value as cells shrink.
pub trait Inclusion: Send + Sync {
    /// Holds all values on a cell.
    fn range(&self, cell: [Interval; 3]) -> Interval;
    /// Holds all derivatives on a cell, if known: makes searches near contact much quicker.
    fn gradient(&self, _cell: [Interval; 3]) -> Option<[Interval; 3]> {
        None
    }
}

#[derive(Clone)]
pub(crate) enum Source {
    Tape(Arc<Tape>),
    Inclusion(Arc<dyn Inclusion>),
}

/// An object: the points in its bounds where its function is zero or negative.
///
/// Cheap to copy. Without bounds it may be infinitely large.
#[derive(Clone)]
pub struct Field {
    pub(crate) source: Source,
    given: Aabb,
    /// Box proven to contain the part of the object in the given one; computed on first use.
    bounds: Arc<OnceLock<Aabb>>,
}

/// Parses a formula.
impl std::str::FromStr for Field {
    type Err = FormulaError;

    fn from_str(formula: &str) -> Result<Self, FormulaError> {
        Self::parse(formula)
    }
}

impl Field {
    /// The object inside an expression.
    pub fn new(expr: &Expr) -> Self {
        Self::from_source(Source::Tape(Arc::new(Tape::new(expr))), SPACE)
    }

    /// The object inside a formula; see [`parse_formula`].
    pub fn parse(formula: &str) -> Result<Self, FormulaError> {
        parse_formula(formula).map(|expr| Self::new(&expr))
    }

    /// The object in the text of a `.vm` file; see [`parse_vm`].
    pub fn parse_vm(text: &str) -> Result<Self, FormulaError> {
        parse_vm(text).map(|expr| Self::new(&expr))
    }

    /// An object of which bounds on the function are known.
    pub fn from_inclusion(inclusion: Arc<dyn Inclusion>) -> Self {
        Self::from_source(Source::Inclusion(inclusion), SPACE)
    }

    /// Returns the part of the object in a box.
    pub fn within(self, bounds: Aabb) -> Self {
        let given = bounds.intersection(self.given);
        Self::from_source(self.source, given)
    }

    pub(crate) fn from_source(source: Source, given: Aabb) -> Self {
        Self { source, given, bounds: Arc::default() }
    }

    /// Returns a box proven to contain the object, computed on first use; all of space if the object cannot be
    /// proven bounded.
    pub fn bounds(&self) -> Aabb {
        let range_on = |cell: &Aabb| self.range_on(cell);
        *self.bounds.get_or_init(|| bounds::find(&range_on, self.given, self.operations()))
    }

    /// Returns `true` if [`bounds`](Self::bounds) is not all of space.
    pub fn is_bounded(&self) -> bool {
        self.bounds() != SPACE
    }

    /// Returns the number of operations of its function; 0 if it is not a formula.
    pub fn operations(&self) -> usize {
        match &self.source {
            Source::Tape(tape) => tape.len(),
            Source::Inclusion(_) => 0,
        }
    }

    /// The compiled function, if it is a formula.
    pub fn tape(&self) -> Option<&Tape> {
        match &self.source {
            Source::Tape(tape) => Some(tape),
            Source::Inclusion(_) => None,
        }
    }

    /// The function at a point, rounded.
    pub fn value(&self, point: DVec3) -> f64 {
        match &self.source {
            Source::Tape(tape) => tape.evaluate(&point.to_array(), &mut Vec::new()),
            Source::Inclusion(inclusion) => inclusion.range(point.to_array().map(Interval::from)).middle(),
        }
    }

    /// The function at many points, rounded; eight at a time. Extra points or places are left alone.
    pub fn values(&self, points: &[DVec3], values: &mut [f64]) {
        let Source::Tape(tape) = &self.source else {
            points.iter().zip(values).for_each(|(&point, value)| *value = self.value(point));
            return;
        };
        let mut slots: Vec<Lanes> = Vec::new();
        for (points, values) in points.chunks(LANES).zip(values.chunks_mut(LANES)) {
            let point = |k: usize| points[k.min(points.len() - 1)];
            let xyz = [0, 1, 2].map(|axis| std::array::from_fn(|k| point(k)[axis]));
            let found = tape.evaluate(&xyz, &mut slots);
            values.iter_mut().zip(found).for_each(|(value, found)| *value = found);
        }
    }

    /// Holds all values of the function on a cell, the coordinates of which are intervals.
    pub fn range(&self, cell: [Interval; 3]) -> Interval {
        match &self.source {
            Source::Tape(tape) => tape.evaluate(&cell, &mut Vec::new()),
            Source::Inclusion(inclusion) => inclusion.range(cell),
        }
    }

    /// Holds all values on a box; narrower than [`range`](Self::range) where the box is small.
    pub fn range_on(&self, cell: &Aabb) -> Interval {
        self.affine_on(cell).range
    }

    pub(crate) fn affine_on(&self, cell: &Aabb) -> Affine {
        let coordinates = cell_coordinates(cell);
        match &self.source {
            Source::Tape(tape) => tape.evaluate(&coordinates, &mut Vec::new()),
            Source::Inclusion(inclusion) => inclusion_affine(inclusion.as_ref(), &coordinates),
        }
    }

    /// Returns `true` if a cube, given by its middle and half its edge, lies inside. `None` if only a part of
    /// it does or the bounds on its values do not decide.
    pub fn holds_cube(&self, middle: DVec3, half: f64) -> Option<bool> {
        let cube = middle.to_array().map(|c| Interval::around(c, half));
        let bounds = self.bounds();
        let beyond = (0..3).any(|k| cube[k].hi() < bounds.min[k] || bounds.max[k] < cube[k].lo());
        let within = (0..3).all(|k| bounds.min[k] <= cube[k].lo() && cube[k].hi() <= bounds.max[k]);
        let range = self.range(cube);
        if beyond || range.lo() > 0.0 { Some(false) } else { (within && range.hi() <= 0.0).then_some(true) }
    }

    /// Holds all derivatives in x, y and z on a cell; unbounded where nothing is known.
    pub fn gradient(&self, cell: [Interval; 3]) -> [Interval; 3] {
        match &self.source {
            Source::Tape(tape) => {
                let coordinates = [0, 1, 2].map(|axis| Slopes::coordinate(axis, cell[axis]));
                tape.evaluate(&coordinates, &mut Vec::new()).gradient
            }
            Source::Inclusion(inclusion) => inclusion.gradient(cell).unwrap_or([Interval::EVERYTHING; 3]),
        }
    }

    /// No two values on the cell differ by more than this times the distance of their points.
    pub fn lipschitz(&self, cell: [Interval; 3]) -> f64 {
        let sum = self.gradient(cell).iter().fold(Interval::ZERO, |sum, slope| sum + slope.square());
        sum.sqrt().hi()
    }
}

/// Equal only to copies of itself.
impl PartialEq for Field {
    fn eq(&self, other: &Self) -> bool {
        let same = match (&self.source, &other.source) {
            (Source::Tape(a), Source::Tape(b)) => Arc::ptr_eq(a, b),
            (Source::Inclusion(a), Source::Inclusion(b)) => Arc::ptr_eq(a, b),
            _ => false,
        };
        same && self.given == other.given
    }
}

impl fmt::Debug for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Field").field("operations", &self.operations()).field("given", &self.given).finish()
    }
}

/// The mean-value form: the value in the middle and the derivatives on the cell.
pub(crate) fn inclusion_affine(inclusion: &dyn Inclusion, coordinates: &[Affine; 3]) -> Affine {
    let cell = coordinates.map(|c| c.range);
    let range = inclusion.range(cell);
    let Some(gradient) = inclusion.gradient(cell) else { return Affine::from_range(range) };
    let center = coordinates.map(|c| Interval::from(c.range.middle()));
    let mut value = Affine::from_range(inclusion.range(center));
    for axis in 0..3 {
        use crate::evaluation::number::Number;
        use crate::expression::op::{Binary, Unary};
        let offset = coordinates[axis].unary(Unary::Plus(-center[axis].lo()));
        let slope = Affine::from_range(gradient[axis]);
        value = value.binary(Binary::Add, &slope.binary(Binary::Mul, &offset));
    }
    Affine { range: value.range.intersection(range).unwrap_or(range), ..value }
}
