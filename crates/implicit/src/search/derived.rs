//! Objects made from others: the same in another size, and what is left of a box around one.

use super::field::{Field, Inclusion, Source};
use noli_geom::{Aabb, Interval};
use std::sync::Arc;

impl Field {
    /// The same object, larger or smaller by a positive finite factor. Exact for powers of two.
    pub fn scaled(&self, factor: f64) -> Self {
        let inverse = 1.0 / factor;
        let source = match &self.source {
            Source::Tape(tape) => Source::Tape(Arc::new(tape.of_scaled(inverse))),
            Source::Inclusion(inner) => {
                Source::Inclusion(Arc::new(OfScaled { inner: inner.clone(), factor: inverse.into() }))
            }
        };
        let bounds = self.bounds();
        if !self.is_bounded() || bounds.is_empty() {
            return Self::from_source(source, bounds);
        }
        // All bits of the fraction are zero.
        let is_power_of_two = factor.to_bits() << 12 == 0;
        let room = if is_power_of_two { 0.0 } else { 4.0 * f64::EPSILON };
        let min = bounds.min * factor - bounds.min.abs() * factor * room;
        let max = bounds.max * factor + bounds.max.abs() * factor * room;
        Self::from_source(source, Aabb { min, max })
    }

    /// Returns the part of the object's bounds that it does not fill, its surface included.
    pub fn outside(&self) -> Self {
        let source = match &self.source {
            Source::Tape(tape) => Source::Tape(Arc::new(tape.negated())),
            Source::Inclusion(inner) => Source::Inclusion(Arc::new(Negated(inner.clone()))),
        };
        Self::from_source(source, self.bounds())
    }
}

struct Negated(Arc<dyn Inclusion>);

impl Inclusion for Negated {
    fn range(&self, cell: [Interval; 3]) -> Interval {
        -self.0.range(cell)
    }

    fn gradient(&self, cell: [Interval; 3]) -> Option<[Interval; 3]> {
        self.0.gradient(cell).map(|slopes| slopes.map(|slope| -slope))
    }
}

/// A function of coordinates times a factor.
struct OfScaled {
    inner: Arc<dyn Inclusion>,
    factor: Interval,
}

impl Inclusion for OfScaled {
    fn range(&self, cell: [Interval; 3]) -> Interval {
        self.inner.range(cell.map(|side| side * self.factor))
    }

    fn gradient(&self, cell: [Interval; 3]) -> Option<[Interval; 3]> {
        let slopes = self.inner.gradient(cell.map(|side| side * self.factor))?;
        Some(slopes.map(|slope| slope * self.factor))
    }
}
