//! Boxes around all places of a moving body.

use super::Motion;
use crate::{Aabb, Sphere};

/// Kind of box around a motion. All contain the body at all times, rounding included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SweptBox {
    /// Around the boxes at both ends, expanded by the deviation of points from the straight path between. The
    /// start and end hull of Eckstein's thesis (1998), made safe for turns.
    Chord,
    /// Around the box at the start, with room for how far points go. The thesis' largest displacement, made
    /// safe.
    Reach,
    /// Intersection of both, for each segment between the bends of the motion: the tightest.
    #[default]
    Both,
}

impl SweptBox {
    /// A box that holds at every time of a span within [0, 1] what lies in `own` and in `sphere`, both in the
    /// frame of the body that moves.
    pub fn around(self, own: &Aabb, sphere: &Sphere, motion: &dyn Motion, span: (f64, f64)) -> Aabb {
        let mut all = Aabb::EMPTY;
        let (mut t, until) = span;
        loop {
            let bend = motion.next_bend(t).min(until);
            let end = if bend > t && self == Self::Both { bend } else { until };
            let [start, finish] = [t, end].map(|t| own.transformed(&motion.pose(t)));
            let chord = || start.union(finish).expanded(motion.chord_deviation(sphere, t, end));
            let reach = || start.expanded(motion.travel(sphere, t, end));
            all = all.union(match self {
                Self::Chord => chord(),
                Self::Reach => reach(),
                Self::Both => common(&chord(), &reach()),
            });
            if end >= until {
                return all;
            }
            t = end;
        }
    }
}

fn common(a: &Aabb, b: &Aabb) -> Aabb {
    Aabb { min: a.min.max(b.min), max: a.max.min(b.max) }
}
