//! A number known from both sides.

/// A proven range of a number that is not negative: a distance, a depth, a length.
///
/// ```
/// use noli_geom::Bracket;
/// let distance = Bracket { at_least: 0.25, at_most: 0.75 };
/// assert!(distance.contains(0.5) && !distance.contains(1.0));
/// assert_eq!(distance.width(), 0.5);
/// assert!(Bracket::OPEN.contains(1e300) && Bracket::OPEN.width() == f64::INFINITY);
/// ```
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Bracket {
    /// It is at least this.
    #[cfg_attr(feature = "serde", serde(with = "crate::unbounded"))]
    pub at_least: f64,
    /// It is at most this; infinite if nothing is known.
    #[cfg_attr(feature = "serde", serde(with = "crate::unbounded"))]
    pub at_most: f64,
}

impl Bracket {
    /// From 0 without end: nothing is known.
    pub const OPEN: Self = Self { at_least: 0.0, at_most: f64::INFINITY };
    /// Just zero.
    pub const ZERO: Self = Self { at_least: 0.0, at_most: 0.0 };

    /// Without end: there is nothing to be near to.
    pub const INFINITE: Self = Self { at_least: f64::INFINITY, at_most: f64::INFINITY };

    /// Just this number.
    pub const fn exactly(value: f64) -> Self {
        Self { at_least: value, at_most: value }
    }

    /// Returns `true` if the number may equal `value`.
    pub fn contains(&self, value: f64) -> bool {
        self.at_least <= value && value <= self.at_most
    }

    /// Returns the distance between the ends: 0 if they are equal, also if both are infinite.
    pub fn width(&self) -> f64 {
        if self.at_least == self.at_most { 0.0 } else { self.at_most - self.at_least }
    }

    /// Returns the intersection of two proven brackets on the same number; `None` if they contradict each
    /// other.
    pub fn intersection(&self, other: &Self) -> Option<Self> {
        let (at_least, at_most) = (self.at_least.max(other.at_least), self.at_most.min(other.at_most));
        (at_least <= at_most).then_some(Self { at_least, at_most })
    }
}
