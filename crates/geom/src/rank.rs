//! Orders by a number, for heaps: what `f64` itself has not, since NaN has no place. All by
//! [`f64::total_cmp`].

use std::cmp::Ordering;

/// The smaller the number, the greater: a heap yields the least first.
#[derive(Clone, Copy, Debug)]
pub struct Least(pub f64);

/// The greater the number, the greater: a heap yields the greatest first.
#[derive(Clone, Copy, Debug)]
pub struct Greatest(pub f64);

/// Something ordered by its rank alone. Ties are broken by a rank of several parts, such as
/// `(Least(distance), Reverse(number))`.
///
/// ```
/// use noli_geom::internals::{Least, Ranked};
/// let ranked = |distance: f64, item: &'static str| Ranked { rank: Least(distance), item };
/// let mut heap = std::collections::BinaryHeap::from([ranked(2.0, "far"), ranked(0.5, "near")]);
/// assert_eq!(heap.pop().unwrap().item, "near");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Ranked<R, T> {
    /// Sort key.
    pub rank: R,
    /// Ordered item.
    pub item: T,
}

impl Ord for Least {
    fn cmp(&self, other: &Self) -> Ordering {
        other.0.total_cmp(&self.0)
    }
}

impl Ord for Greatest {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl<R: Ord, T> Ord for Ranked<R, T> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.rank.cmp(&other.rank)
    }
}

/// Everything else that an order consists of.
macro_rules! follow_from_order {
    ($type:ty $(, $rank:ident, $item:ident)?) => {
        impl$(<$rank: Ord, $item>)? PartialOrd for $type {
            fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
                Some(self.cmp(other))
            }
        }
        impl$(<$rank: Ord, $item>)? PartialEq for $type {
            fn eq(&self, other: &Self) -> bool {
                self.cmp(other).is_eq()
            }
        }
        impl$(<$rank: Ord, $item>)? Eq for $type {}
    };
}

follow_from_order!(Least);
follow_from_order!(Greatest);
follow_from_order!(Ranked<R, T>, R, T);
